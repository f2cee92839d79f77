"""The kernels that apply operators, reduce runs, sort, transpose and assign scalars compile without a GPU."""

from __future__ import annotations

import itertools

import numpy as np
import nvrtc
import pytest
from emulated_engine import loaded

from grblas_gpu import binary, indexunary, monoid, unary
from grblas_gpu.backends.cuda.runtime import compile as cuda

pytestmark = pytest.mark.nvrtc
BYTES, VALUES = np.zeros(2, bool), np.zeros(2, np.float32)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
def test_operators_on_arrays(architecture: str) -> None:
    one, two, four = unary.abs["INT8"], binary.truediv["FP32"], indexunary.rowindex["BOOL"]
    makers = {1: cuda.unary, 2: cuda.binary, 4: cuda.index_unary}
    for arity, op in ((1, one), (2, two), (4, four)):
        types = zip("XYZ", (op.type, op.type2, op.return_type), strict=True)
        pieces = [f"#define ARITY {arity}", *(cuda.using(name, dtype.np_type) for name, dtype in types)]
        pieces.append(makers[arity]("op", op))
        nvrtc.compile_cuda(cuda.render("compute.cu", pieces), architecture, cuda.OPTIONS)
        for is_left in (True, False) if arity == 2 else ():
            text = cuda.render("compute_bound.cu", [*pieces, cuda.constant("LEFT", is_left)])
            nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
def test_marking_of_positions(architecture: str) -> None:
    nvrtc.compile_cuda(cuda.render("mark_positions.cu"), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.parametrize("associative", [True, False])
def test_reductions_of_runs(architecture: str, associative: bool) -> None:
    op = monoid.min["INT16"].binaryop if associative else binary.minus["INT16"]
    pieces = [
        cuda.using("Value", np.dtype(np.int16)),
        cuda.constant("ASSOCIATIVE", associative),
        cuda.binary("add", op),
    ]
    nvrtc.compile_cuda(cuda.render("reduce_runs.cu", pieces), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("dtype", ["BOOL", "UINT8", "FP32", "FP64"])
def test_reductions_of_types(dtype: str) -> None:
    op = (monoid.lor if dtype == "BOOL" else monoid.plus)[dtype]
    pieces = [
        cuda.using("Value", op.type.np_type),
        cuda.constant("ASSOCIATIVE", True),
        cuda.binary("add", op.binaryop),
    ]
    nvrtc.compile_cuda(cuda.render("reduce_runs.cu", pieces), "sm_90", cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.parametrize("dtype", ["BOOL", "UINT8", "INT16", "FP32", "INT64", "FP64"])
def test_reductions_of_everything(architecture: str, dtype: str) -> None:
    op = (monoid.lor if dtype == "BOOL" else monoid.plus)[dtype]
    for aligned in (True, False):
        pieces = [
            cuda.using("Value", op.type.np_type),
            cuda.constant("ALIGNED", aligned),
            cuda.binary("add", op.binaryop),
        ]
        nvrtc.compile_cuda(cuda.render("reduce_all.cu", pieces), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.parametrize("key, payload", [("uint32", None), ("uint32", "uint64"), ("uint64", "uint8")])
def test_sorts(architecture: str, key: str, payload: str | None) -> None:
    for place in ("uint32", "uint64"):
        pieces = [
            cuda.using("Key", np.dtype(key)),
            cuda.using("Payload", np.dtype(payload or "uint8")),
            cuda.using("Place", np.dtype(place)),
            cuda.constant("HAS_PAYLOAD", payload is not None),
            cuda.constant("SORTERS", 256 if place == "uint32" else 512),
        ]
        for file in ("radix_sort.cu", "radix_few.cu", "radix_count.cu"):
            nvrtc.compile_cuda(cuda.render(file, pieces), architecture, cuda.OPTIONS)
        types = [cuda.using("Upper", np.dtype(np.int64)), cuda.using("Lower", np.dtype(np.int32))]
        nvrtc.compile_cuda(cuda.render("radix_apart.cu", pieces + types), architecture, cuda.OPTIONS)
        if key == "uint32":
            for file in ("radix_parts.cu", "radix_parts_apart.cu"):
                nvrtc.compile_cuda(cuda.render(file, pieces + types), architecture, cuda.OPTIONS)
        else:
            low = [cuda.using("Low", np.dtype(np.uint32))]
            nvrtc.compile_cuda(cuda.render("radix_top.cu", pieces + low), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.parametrize("wide", [False, True])
def test_transposes(architecture: str, wide: bool) -> None:
    index = np.dtype(np.int64 if wide else np.int32)
    pieces = [cuda.using(name, index) for name in ("Offset", "OutOffset", "Row", "Column")]
    pieces += [cuda.using(name, np.dtype(np.uint64 if wide else np.uint32)) for name in ("Key", "Place")]
    nvrtc.compile_cuda(cuda.render("transpose.cu", pieces), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("given", [{}, {"present": BYTES}, {"values": VALUES, "complement": True}])
def test_scalar_assignment(given, monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("recorded", monkeypatch, "eager.masks") as engine:
        mask = engine.masks.VectorMask(**given) if given else engine.masks.NO_MASK
    for listed, has_present in itertools.product([True, False], repeat=2):
        pieces = [*mask.pieces(), cuda.using("Value", np.dtype(bool)), cuda.constant("UNIQUE", not listed)]
        pieces += [cuda.constant("LISTED", listed), cuda.constant("HAS_PRESENT", has_present)]
        nvrtc.compile_cuda(cuda.render("assign.cu", pieces), "sm_90", cuda.OPTIONS)
