"""``v.ss`` and ``A.ss`` on the arrays of the CUDA engine: what they give is what they give on the host."""

from __future__ import annotations

import emulated_engine
import numpy as np
import pytest
from random_objects import same_objects

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, monoid
from grblas_gpu.backends import registry

CHOICES = ("first", "last", "smallest", "largest")


@pytest.fixture(params=emulated_engine.SLOW_ENGINES)
def on_device(request, monkeypatch: pytest.MonkeyPatch):
    """Moves objects to the engine."""
    with emulated_engine.loaded(request.param, monkeypatch, "engine", "eager.operating") as found:
        if request.param != "gpu":
            monkeypatch.setitem(registry._engines, "cuda", found.engine.CudaBackend())

        def moved(x):
            engine = registry.get_engine("cuda")
            return type(x)._from_store(engine, x.dtype, emulated_engine.moved(x._store, found.to_device))

        yield moved


def objects(dtype: str) -> tuple[Vector, Matrix, Matrix]:
    rng = np.random.default_rng(7)
    numbers = rng.integers(-3, 4, 40) if dtype != "UINT8" else rng.integers(0, 4, 40)
    values = np.where(numbers == 3, np.nan, numbers / 2) if dtype == "FP64" else numbers
    v = Vector.from_coo(rng.permutation(60)[:17], values[:17], dtype, size=60)
    places = rng.permutation(8 * 9)[:23]
    A = Matrix.from_coo(places // 9, places % 9, values[17:40], dtype, nrows=8, ncols=9)
    return v, A.to(form="sparse"), Matrix(dtype, 3, 9)


def same(found, expected) -> None:
    if expected is None:
        assert found is None
        return
    assert found.backend == "cuda"
    same_objects(found, expected)


def test_lines_stay_on_the_device(on_device) -> None:
    for dtype in ("INT64", "FP64", "UINT8"):
        v, A, empty = objects(dtype)
        w, B, nothing = on_device(v), on_device(A), on_device(empty)
        for how in CHOICES:
            for size in (None, 2):
                same(w.ss.compactify(how, size), v.ss.compactify(how, size))
                same(B.ss.compactify(how, size, asindex=True), A.ss.compactify(how, size, asindex=True))
            same(w.ss.selectk(how, 4), v.ss.selectk(how, 4))
        for order in ("rowwise", "columnwise"):
            same(B.ss.selectk("last", 2, order), A.ss.selectk("last", 2, order))
            same(B.ss.compactify("first", 2, order, reverse=True), A.ss.compactify("first", 2, order, reverse=True))
            same(B.ss.reshape(9, 8, order), A.ss.reshape(9, 8, order))
            same(B.ss.flatten(order), A.ss.flatten(order))
        wide, low = A.T.new()[:8, :8].new().to(form="sparse"), Matrix(dtype, 3, 8)
        device_tiles = [[B, on_device(wide)], [nothing, on_device(low)]]
        same(gb.ss.concat(device_tiles), gb.ss.concat([[A, wide], [empty, low]]))
        same(nothing.ss.compactify(), empty.ss.compactify())
        assert B.ss.selectk("random", 1).nvals == len(set(A.to_coo()[0]))
    v, A, _ = objects("INT64")
    w, B = on_device(v), on_device(A)
    same(w.ss.scan(monoid.plus), v.ss.scan(monoid.plus))
    same(B.ss.scan(monoid.plus, "columnwise"), A.ss.scan(monoid.plus, "columnwise"))
    for op in (binary.lt, binary.gt):
        for mine, other in zip(B.ss.sort(op), A.ss.sort(op), strict=True):
            same(mine, other)
