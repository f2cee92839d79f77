"""Every operator compiles for every architecture, without a GPU; programs are rendered as compilers want them.

The emulation has NVRTC compile each program that it runs (`nvrtc.check`).
"""

import re
from pathlib import Path

import emulated_cupy
import nvrtc
import pytest
from emulated_engine import loaded
from mxv_cases import random_case
from operator_cases import KINDS, builtin_operators

from grblas_gpu.backends.cuda.fusion.emit_kernel import CLUSTER
from grblas_gpu.backends.cuda.fusion.emit_teams import LONGEST_SHARED
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.cuda.runtime.nvrtc import OPTIONS
from grblas_gpu.backends.stores.storage import VectorStore
from grblas_gpu.plan.rules import Plan

ARGUMENTS = {"unary": "x[i]", "binary": "x[i], y[i]", "indexunary": "x[i], i, i + 1, y[i]"}


def test_no_lambda_takes_any_type() -> None:
    """The compiler of CUDA 12 takes such a lambda for a function of the host; a struct with a template does it."""
    folder = Path(cuda.__file__).parents[1] / "kernels"
    texts = {path.name: path.read_text() for path in folder.glob("*.cu*")}
    assert len(texts) > 50
    assert [name for name, text in texts.items() if re.search(r"\[[^\][]*\]\s*\([^()]*\bauto\b", text)] == []


def test_what_is_made_smaller_for_the_emulation_is_there() -> None:
    """A size that was given another value would be emulated as it is, and what happens to large graphs not at all."""
    folder = cuda.KERNELS
    kernels = "".join(path.read_text() for path in folder.glob("*.cu*"))
    assert [text for text in emulated_cupy.SMALLER if text not in kernels] == []


def test_clusters_have_the_same_size_on_both_sides() -> None:
    """A launch with other numbers of blocks would not be made of whole clusters."""
    team = (cuda.KERNELS / "grid_barrier.cuh").read_text()
    sizes = re.findall(r"CLUSTER = (\d+)", team)
    assert sizes == [str(CLUSTER), "1"]
    assert f"__cluster_dims__({CLUSTER}, 1, 1)" in team
    assert f"LONGEST_SHARED = {LONGEST_SHARED};" in (cuda.KERNELS / "lists.cuh").read_text()


def operator_program() -> str:
    """One kernel for each built-in operator and type."""
    lines = []
    for number, (kind, op) in enumerate(builtin_operators()):
        x, y, z = (cuda.c_type(t.np_type) for t in (op.type, op.type2, op.return_type))
        head = f'extern "C" __global__ void kernel{number}(const {x}* x, const {y}* y, {z}* z, int64 i)'
        if op.positional is None:
            lines += [KINDS[kind](f"op{number}", op), f"{head} {{ z[i] = op{number}({ARGUMENTS[kind]}); }}"]
        elif kind == "binary":
            call = f"op{number}(x[i], y[i], i, i + 1, i + 2, i + 3)"
            lines += [cuda.product(f"op{number}", op), f"{head} {{ z[i] = {call}; }}"]
    return cuda.render("prelude.cuh", lines)


@pytest.mark.slow  # half a minute each
@pytest.mark.nvrtc
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_every_operator_compiles(architecture):
    assert nvrtc.compile_cuda(operator_program(), architecture, OPTIONS)


@pytest.mark.nvrtc
def test_errors_name_the_file_and_line():
    text = cuda.render("collect.cu", ["using MaskValue = bool;"])
    with pytest.raises(AssertionError, match=r"kernels/mask\.cuh\(\d+\): error: identifier \"MASKED\" is undefined"):
        nvrtc.compile_cuda(text, "sm_90", OPTIONS)


def test_includes_are_pasted_once_and_lines_stay_true():
    text = cuda.render("push_scatter.cu")
    assert text.count("struct Mask {") == 1
    assert "#include" not in text
    shown = [line for line in text.splitlines() if line.startswith("#line")]
    assert '#line 1 "grblas_gpu/backends/cuda/kernels/push_scatter.cu"' in shown
    own = (cuda.KERNELS / "push_scatter.cu").read_text().splitlines()
    after = text.splitlines()
    where = max(i for i, line in enumerate(after) if line.startswith("#line") and line.endswith('push_scatter.cu"'))
    number = int(after[where].split()[1])
    assert after[where + 1] == own[number - 1]


def test_an_empty_operand_compiles_nothing(monkeypatch):
    emulated_cupy.sources.clear()
    case = random_case("plus_times", 3)
    empty = VectorStore(case.u.size, case.u.values[:0], indices=case.u.values[:0].astype("int64"))
    with loaded("recorded", monkeypatch, "eager.mxv") as engine:
        plan = Plan("push.scatter", "")
        mxv = engine.mxv.VectorProducts().mxv
        result = mxv(case.a, empty, *case[2:4], transposed=case.transposed, flip=case.flip, plan=plan)
    assert result.nvals == 0
    assert not emulated_cupy.sources
