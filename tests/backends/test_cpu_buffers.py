"""Memory of large results is reused only after its last reference is gone, and the kept memory is limited."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from running import in_threads

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, select
from grblas_gpu.backends.cpu import buffers

LONG = buffers.LARGE // 8  # of FP64: just large enough


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    buffers.forget()
    yield
    buffers.forget()


def address(array: np.ndarray) -> int:
    return array.ctypes.data


def test_memory_is_used_again_for_another_type():
    first = buffers.empty(LONG, np.float64)
    place = address(first)
    del first
    again = buffers.empty(2 * LONG, np.int32)
    assert address(again) == place
    assert (again.shape, again.dtype, again.flags.writeable) == ((2 * LONG,), np.dtype(np.int32), True)


def test_a_view_keeps_its_memory():
    whole = buffers.empty(LONG, np.float64)
    place, part = address(whole), whole[5:][:3].view(np.int64)
    part[:] = 7
    del whole
    assert address(buffers.empty(LONG, np.float64)) != place
    assert part.tolist() == [7, 7, 7]
    del part
    assert address(buffers.empty(LONG, np.float64)) == place


def test_what_fits_best_is_taken_and_what_is_far_too_large_is_not():
    sizes = [LONG * 5 // 4, LONG * 11 // 10, LONG * 2]
    arrays = [buffers.empty(size, np.float64) for size in sizes]
    places = [address(array) for array in arrays]
    arrays.clear()
    taken = [buffers.empty(LONG, np.float64) for _ in range(3)]
    assert [address(array) for array in taken[:2]] == [places[1], places[0]]
    assert address(taken[2]) != places[2]


def test_small_arrays_and_too_much_memory_are_not_kept(monkeypatch):
    buffers.empty(LONG - 1, np.float64)
    assert not buffers._kept
    monkeypatch.setattr(buffers, "KEPT", 2 * buffers.LARGE)
    arrays = [buffers.empty(LONG, np.float64) for _ in range(3)]
    last = [address(array) for array in arrays[1:]]
    while arrays:
        del arrays[0]
    assert [address(memory) for memory in buffers._kept] == last
    buffers.empty(3 * LONG, np.float64)
    assert [address(memory) for memory in buffers._kept] == last


def test_garbage_gives_its_memory_back():
    class Ring:
        pass

    ring = Ring()
    ring.itself, ring.array = ring, buffers.empty(LONG, np.float64)
    place = address(ring.array)
    del ring
    gc.collect()
    assert address(buffers.empty(LONG, np.float64)) == place


def test_threads_never_share_memory():
    def work(number: int) -> None:
        for turn in range(50):
            array = buffers.empty(LONG, np.int64)
            array[::512] = number * 1000 + turn
            assert (array[::512] == number * 1000 + turn).all()

    in_threads(work, 4)


def test_results_do_not_change_when_memory_is_used_again(numba_tier):
    with gb.using("cpu"):
        n = 400
        A = Matrix.from_dense(np.arange(n * n, dtype=float).reshape(n, n))
        lower = select.tril(A).new()
        expected = np.tril(np.arange(n * n).reshape(n, n))
        for k in range(3):
            upper = select.triu(A, k).new()
            assert np.array_equal(upper.to_dense(fill_value=0.0), np.triu(np.arange(n * n).reshape(n, n), k))
            assert np.array_equal(lower.to_dense(fill_value=0.0), expected)


@pytest.mark.parametrize("kind", ["sparse", "bitmap", "full", "matrix", "dense matrix"])
def test_copies_use_kept_memory(kind):
    with gb.using("cpu"):
        if kind == "matrix":
            x = Matrix.from_csr([0, LONG], np.arange(LONG), np.arange(float(LONG)), ncols=LONG)
        elif kind == "dense matrix":
            x = Matrix.from_dense(np.arange(500.0**2).reshape(500, 500) % 9, missing_value=0.0)
        else:
            x = Vector(float, LONG * {"sparse": 100, "bitmap": 2, "full": 1}[kind])
            x[:LONG] << Vector.from_dense(np.arange(float(LONG)))
        assert x._store.stored_values.nbytes >= buffers.LARGE
        copied = x.dup()
        place = address(copied._store.stored_values)
        assert copied.isequal(x, check_dtype=True)
        del copied
        assert place in map(address, buffers._kept)
        again = x.dup()
        assert address(again._store.stored_values) == place
        again << again.apply(gb.unary.ainv)
        assert not again.isequal(x)
