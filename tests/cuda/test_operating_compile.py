"""The kernels that apply operators, reduce runs, sort and transpose compile without a GPU."""

from __future__ import annotations

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import loaded

from grblas_gpu import binary, indexunary, monoid, unary
from grblas_gpu.backends.cuda.runtime import compile as cuda

pytestmark = pytest.mark.nvrtc


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
def test_operators_on_arrays(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, four = unary.abs["INT8"], binary.truediv["FP32"], indexunary.rowindex["BOOL"]
    emulated_cupy.sources.clear()
    with loaded("recorded", monkeypatch, "eager.operating") as engine:
        numbers, floats = (engine.to_device(np.ones(3, dtype)) for dtype in (np.int64, np.float32))
        engine.operating.compute(one, engine.to_device(np.ones(3, np.int8)))
        engine.operating.compute(two, floats, floats)
        engine.operating.compute(four, numbers, numbers, numbers, numbers)
        engine.operating.cast_values(floats, np.dtype(np.int8))
        for is_left in (True, False):
            engine.operating.compute_bound(two, floats, np.float32(2), is_left)
    assert len(emulated_cupy.sources) == 6
    for text in emulated_cupy.sources:
        nvrtc.compile_cuda(text, architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
def test_marking_of_positions(architecture: str) -> None:
    nvrtc.compile_cuda(
        cuda.render("positions.cu", [cuda.using("Given", np.dtype(np.int32))]), architecture, cuda.OPTIONS
    )


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
        nvrtc.compile_cuda(cuda.render("radix_few.cu", pieces), architecture, cuda.OPTIONS)
        types = [cuda.using("Upper", np.dtype(np.int64)), cuda.using("Lower", np.dtype(np.int32))]
        for into in range(3):
            more = [*pieces, *types, cuda.constant("INTO", into)]
            nvrtc.compile_cuda(cuda.render("radix_sort.cu", more), architecture, cuda.OPTIONS)
        if key == "uint32":
            for file in ("radix_parts.cu", "radix_parts_apart.cu"):
                nvrtc.compile_cuda(cuda.render(file, pieces + types), architecture, cuda.OPTIONS)


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.parametrize("wide", [False, True])
def test_transposes(architecture: str, wide: bool) -> None:
    index = np.dtype(np.int64 if wide else np.int32)
    pieces = [cuda.using(name, index) for name in ("Offset", "OutOffset", "Row", "Column")]
    pieces += [cuda.using(name, np.dtype(np.uint64 if wide else np.uint32)) for name in ("Key", "Place")]
    nvrtc.compile_cuda(cuda.render("transpose.cu", pieces), architecture, cuda.OPTIONS)
