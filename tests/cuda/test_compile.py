"""Every kernel and every operator compiles for every architecture, without a GPU."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import moved
from mxv_cases import SEMIRINGS, STRATEGIES, Case, random_case
from operator_cases import KINDS, builtin_operators

from grblas_gpu import binary, semiring
from grblas_gpu.backends.cuda.fusion.emit_kernel import CLUSTER
from grblas_gpu.backends.cuda.fusion.emit_teams import LONGEST_SHARED
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.storage import MaskView, MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

CUDA = "grblas_gpu.backends.cuda"
ARGUMENTS = {"unary": "x[i]", "binary": "x[i], y[i]", "indexunary": "x[i], i, i + 1, y[i]"}


def test_no_lambda_takes_any_type() -> None:
    """The compiler of CUDA 12 takes such a lambda for a function of the host; a struct with a template does it."""
    folder = Path(cuda.__file__).parents[1] / "kernels"
    texts = {path.name: path.read_text() for path in folder.glob("*.cu*")}
    assert len(texts) > 100
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
    assert f"LONGEST_SHARED = {LONGEST_SHARED};" in (cuda.KERNELS / "shared_frontier.cuh").read_text()


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


def on_device(case: Case) -> Case:
    """The same product on arrays that have an address."""

    def view(array):
        return None if array is None else array.view(emulated_cupy.ndarray)

    a, transpose = moved(case.a, view), moved(case.a.transposed(), view)
    a._transpose, a._row_ids, transpose._row_ids = transpose, view(case.a.row_ids), view(case.a.transposed().row_ids)
    mask = case.mask and MaskView(moved(case.mask.store, view), case.mask.structure, case.mask.complement)
    return case._replace(a=a, u=moved(case.u, view), mask=mask)


def mxv_programs() -> list[str]:
    """What the host asks to compile over products that cover the flags; the kernels themselves do not run."""
    emulated_cupy.sources.clear()
    mxv = importlib.import_module(f"{CUDA}.eager.mxv").VectorProducts().mxv
    for number, name in enumerate(SEMIRINGS):
        for seed, strategy in enumerate(STRATEGIES[number % 2 :: 2]):
            case = on_device(random_case(name, 50 * number + seed))
            mxv(*case[:4], transposed=case.transposed, flip=case.flip, plan=Plan(strategy, "", seed % 4 > 0))
    return list(dict.fromkeys(emulated_cupy.sources))


@pytest.fixture
def no_launches(monkeypatch):
    """CuPy's place is taken by one that compiles and runs nothing."""
    monkeypatch.setitem(sys.modules, "cupy", emulated_cupy.module(runs=False))
    for name in [name for name in sys.modules if name.startswith(CUDA)]:
        monkeypatch.delitem(sys.modules, name)
    yield
    for name in [name for name in sys.modules if name.startswith(CUDA)]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.nvrtc
@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
def test_every_operator_compiles(architecture):
    assert nvrtc.compile_cuda(operator_program(), architecture, cuda.OPTIONS)


@pytest.mark.nvrtc
@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_mxv_kernel_compiles(no_launches, thorough):
    programs = mxv_programs()
    files = {found for text in programs for found in re.findall(r'#line 1 ".*/(\w+\.cu)"', text)}
    strategies = {path.name for path in cuda.KERNELS.glob("pu*_*.cu")}
    assert strategies <= files
    for text, architecture in nvrtc.some_or_all(programs, 32, thorough):
        assert nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)


@pytest.mark.nvrtc
@pytest.mark.parametrize("strategy", ["pull.edge", "pull.hybrid"])
def test_products_of_complex_numbers_compile(no_launches, strategy):
    emulated_cupy.sources.clear()
    mxv = importlib.import_module(f"{CUDA}.eager.mxv").VectorProducts().mxv
    values = np.ones(6, complex)
    a = MatrixStore(3, 2, np.arange(0, 7, 2), np.tile(np.arange(2, dtype=np.int32), 3), values)
    case = on_device(Case(a, VectorStore(2, values[:2]), semiring.plus_times["FC64"], None, False, False))
    mxv(*case[:4], transposed=case.transposed, flip=case.flip, plan=Plan(strategy, ""))
    assert "complex<double>" in "".join(emulated_cupy.sources)
    for text in emulated_cupy.sources:
        assert nvrtc.compile_cuda(text, "sm_90", cuda.OPTIONS)


@pytest.mark.nvrtc
def test_errors_name_the_file_and_line():
    text = cuda.render("collect.cu", ["using MaskValue = bool;"])
    with pytest.raises(AssertionError, match=r"kernels/mask\.cuh\(\d+\): error: identifier \"MASKED\" is undefined"):
        nvrtc.compile_cuda(text, "sm_90", cuda.OPTIONS)


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


def test_kernels_need_no_headers():
    for path in cuda.KERNELS.iterdir():
        assert not re.search(r"#include\s*<", path.read_text()), path.name


def test_compiled_functions_are_kept(no_launches):
    module = importlib.import_module(f"{CUDA}.runtime.compile")
    made = []

    def pieces():
        made.append(1)
        return [module.binary("add", binary.plus["INT8"])]

    first = module.functions("prelude.cuh", "key", [], pieces)
    assert module.functions("prelude.cuh", "key", [], pieces) is first
    assert len(made) == 1


def test_an_empty_operand_compiles_nothing(no_launches):
    emulated_cupy.sources.clear()
    mxv = importlib.import_module(f"{CUDA}.eager.mxv").VectorProducts().mxv
    case = random_case("plus_times", 3)
    empty = VectorStore(case.u.size, case.u.values[:0], indices=case.u.values[:0].astype("int64"))
    result = mxv(case.a, empty, *case[2:4], transposed=case.transposed, flip=case.flip, plan=Plan("push.scatter", ""))
    assert result.nvals == 0
    assert not emulated_cupy.sources
