"""Helpers of the tests of loops on the device: graphs, copies of matrices to it, and comparisons of results."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded, moved

import grblas_gpu as gb
from grblas_gpu import Matrix, generators
from grblas_gpu.backends import registry as backends
from grblas_gpu.backends.programs.lower import lower
from grblas_gpu.backends.stores import matrix_storage as storage


class _EndOfRecording(Exception):
    pass


def made_of(bodies, monkeypatch: pytest.MonkeyPatch, make):
    """``make(passes, body)`` for the recording of every loop, where ``passes`` has the functions of the compiler."""
    made = []
    modules = ("engine", "fusion.analyse", "fusion.schedule", "fusion.emit")
    with loaded("recorded", monkeypatch, *modules) as device:
        monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())
        passes = SimpleNamespace(
            analyse=device.analyse.analyse, schedule=device.schedule.schedule, kernel_of=device.emit.kernel_of
        )

        def keep(self, recording) -> None:
            made.append(make(passes, lower(recording, nested=True)))
            raise _EndOfRecording

        monkeypatch.setattr(device.engine.CudaBackend, "run_loop", keep)
        with gb.using("cuda"):
            A = graphs()["directed"].to("cuda")
            for body in bodies.values():
                with pytest.raises(_EndOfRecording):
                    body(A, 5)
    return dict(zip(bodies, made, strict=True))


def graphs() -> dict[str, Matrix]:
    with gb.using("cpu"):
        kronecker = generators.kronecker(6, seed=2)
        others = {"path": generators.path(40), "star": generators.star(50)}
        return {"kronecker": kronecker, "directed": directed(kronecker), **others}


@cache
def wide(scale: int) -> Matrix:
    """Like the directed one of :func:`graphs`, with enough vertices for several blocks."""
    with gb.using("cpu"):
        return directed(generators.kronecker(scale, 4, seed=2))


def directed(A: Matrix) -> Matrix:
    """Some edges of a graph, with lengths."""
    rows, cols, _ = A.to_coo()
    random = np.random.default_rng(3)
    some = random.random(len(rows)) < 0.6
    lengths = random.integers(1, 9, int(some.sum()))
    return Matrix.from_coo(rows[some], cols[some], lengths, nrows=A.nrows, ncols=A.ncols)


def transposes_there(device, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulated device has NumPy's arrays: SciPy makes their transposes, which are brought back to it."""
    by_scipy = storage.transpose_csr

    def transpose(a):
        found = by_scipy(a)
        if type(a.indices) is np.ndarray:
            return found
        found.indptr = found.indptr.astype(a.indptr.dtype)  # as a device's kernels make it
        return moved(found, device.to_device)

    monkeypatch.setattr(storage, "transpose_csr", transpose)


@pytest.fixture(params=ENGINES)
def to_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """A function that copies a matrix to the CUDA engine or its emulation, the default engine of the test."""
    with loaded(request.param, monkeypatch, "engine") as device:
        if request.param != "gpu":
            monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())
            transposes_there(device, monkeypatch)

        def move(A: Matrix) -> Matrix:
            B = A.to("cuda")
            if request.param != "gpu":  # NumPy's arrays: SciPy would compute the transpose
                other = A._store.transposed()
                B._store._transpose = B._store if other is A._store else moved(other, device.to_device)
                B._store._transpose._transpose = B._store
                for here, there in ((A._store, B._store), (other, B._store._transpose)):
                    there._row_ids = device.to_device(here.row_ids)
            return B

        with gb.using("cuda"):
            yield move


def same(x, y) -> bool:
    if x.ndim == 0:
        return bool(x.isclose(y.value, rel_tol=1e-9))
    return bool(x.isclose(y.to("cpu"), rel_tol=1e-9, check_dtype=True))


def check_fused(body, A: Matrix, to_device, runs: int = 1, **options) -> None:
    """On a device, the loop is one kernel with the results of iterated loops on a CPU; runs are independent."""
    with gb.using("cpu"), gb.config.set(loops="iterated"):
        expected, results = body(A, 5, **options)
    B = to_device(A)
    for _ in range(runs):
        loop, found = body(B, 5, **options)
        assert (loop.mode, loop.steps) == ("fused", expected.steps)
        assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


def check_recorded(body, A: Matrix) -> None:
    """The interpreter of recorded loops gives the results of direct execution."""
    with gb.config.set(loops="iterated"):
        expected, results = body(A, 5)
    with gb.config.set(loops="recorded"):
        loop, found = body(A, 5)
    assert loop.program is not None and loop.steps == expected.steps
    assert [x.isclose(y) for x, y in zip(results, found, strict=True)] == [True] * len(found)
