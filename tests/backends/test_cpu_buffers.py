"""Memory of large results is reused only after its last reference is gone, and the kept memory is limited."""

import gc
from collections.abc import Iterator

import graphblas as ss
import numpy as np
import pytest
from running import in_threads

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, select
from grblas_gpu.backends.cpu import buffers
from grblas_gpu.backends.cpu.tier import get_tier, set_tier

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


@pytest.mark.parametrize(
    ("tier", *"xy"), [("numba", "FP64", "FP64"), ("numpy", "INT8", "FP32"), ("numpy", "FC64", "FC64")]
)
def test_outputs_never_share_values_with_objects_written_to_them(tier, x, y):
    random, before, dtypes = np.random.default_rng(3), get_tier(), (x, y)
    set_tier(tier)
    try:
        for trial in range(300):
            mask, accum, results = *random.integers([5, 4]), []
            shape = [(24,), (1,), (4, 6), (40, 2)][random.integers(4)]
            cells = np.prod(shape)
            places = [np.flatnonzero(random.random(cells) < fill) for fill in random.choice([0, 0.1, 0.6, 1], 3)]
            values = [
                np.full(len(each), 3) if random.random() < 0.3 else random.integers(0, 4, len(each)) for each in places
            ]
            for lib in (gb, ss):
                make = lib.Vector if len(shape) == 1 else lib.Matrix
                sizes = dict(zip(("size",) if len(shape) == 1 else ("nrows", "ncols"), shape, strict=True))
                x, y, m = (
                    make.from_coo(*np.unravel_index(where, shape), given, dtype, **sizes)
                    for where, given, dtype in zip(places, values, (*dtypes, "INT64"), strict=True)
                )
                open_at = {} if mask == 4 else {"mask": (m.S, m.V, ~m.S, ~m.V)[mask], "replace": trial % 2 == 0}
                if accum < 3:
                    open_at["accum"] = (lib.binary.plus, lib.binary.second, lib.binary.first)[accum]
                written = x if trial % 9 == 0 and dtypes[0] == dtypes[1] else y
                x(**open_at) << written
                results.append([part.tolist() for z in (x, written) for part in z.to_coo()])
                if lib is gb and written is not x:
                    mine, other = ([s.stored_values, s.present] for s in (x._store, y._store))
                    assert not any(
                        np.shares_memory(a, b) for a, b in zip(mine, other, strict=True) if a is not None is not b
                    )
            assert results[0] == results[1]
    finally:
        set_tier(before)
