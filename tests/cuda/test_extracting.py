"""Parts of matrices and vectors by the CUDA engine's kernels against the definitions: on a GPU, or emulated."""

import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import SIZE, SMALL_KINDS, definitions, one_value, same, small_vector, valued_matrix, with_degrees

from grblas_gpu.backends.stores.storage import INDEX, MatrixStore

engine = engine_fixture("eager.extracting", "eager.positions")


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
def test_rows_that_follow_each_other(engine, offsets) -> None:
    random = valued_matrix(np.random.default_rng(1), 300, 40, np.float32, 0.1)
    for a in (random, one_value(random), with_degrees([0, 0, 3, 0, 700, 0]), with_degrees([0, 0])):
        a.indptr = a.indptr.astype(offsets)
        for first, stop in [(0, a.nrows), (1, 2), (a.nrows // 3, a.nrows - 1), (1, 1), (a.nrows, a.nrows)]:
            result = engine.run(engine.extracting.rows_between, a, first, stop)
            same(result, definitions.extract_matrix(a, np.arange(first, stop), None))
            assert len(result.values) <= max(1, a.nvals) and not (a.iso and len(result.values) > 1)


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
@pytest.mark.parametrize("most_read", [0, 1000])
def test_diagonals(engine, monkeypatch, offsets, most_read: int) -> None:
    """By searches in rows, or by all columns of rows that follow each other, if these have not too many."""
    monkeypatch.setattr(engine.extracting, "LEAST_READ", 0)
    monkeypatch.setattr(engine.extracting, "MOST_READ", most_read)
    rng = np.random.default_rng(2)
    wide, long = valued_matrix(rng, 30, 90, np.float32, 0.3), valued_matrix(rng, 700, 20, np.int64, 0.4)
    square = valued_matrix(rng, 700, 700, np.float64, 0.3)  # more rows than threads look for at a time
    for a in (wide, long, square, one_value(wide), with_degrees([0, 0, 3, 0, 700, 0]), with_degrees([0, 0])):
        a.indptr = a.indptr.astype(offsets)
        there = engine.there(a)
        for k in (0, 1, -1, 25, -25, a.ncols - 1, 1 - a.nrows, a.ncols, -a.nrows):
            result = engine.here(engine.extracting.diagonal(there, k))
            expected = definitions.diagonal(a, k)
            assert result.size == expected.size and result.nvals == expected.nvals
            same(result, expected)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float32, np.int64, np.complex128])
def test_diagonals_of_short_rows_and_a_long_one(engine, monkeypatch, dtype) -> None:
    """Columns near the diagonal are in the rows around, too; there are empty rows, and sizes are odd."""
    monkeypatch.setattr(engine.extracting, "LEAST_READ", 0)
    rng, nrows, ncols = np.random.default_rng(3), 1003, 2601
    pattern = rng.random((nrows, ncols)) < 0.001
    for k in (-3, -1, 0, 1, 2):
        at = np.flatnonzero(rng.random(nrows) < 0.5)
        pattern[at, np.maximum(at + k, 0)] = True
    pattern[400:470] = False
    pattern[500] = rng.random(ncols) < 0.9
    starts = np.concatenate([[0], np.cumsum(pattern.sum(axis=1))]).astype(np.int32)
    columns = np.nonzero(pattern)[1].astype(np.int32)
    values = rng.integers(0, 100, len(columns)).astype(dtype)
    a = MatrixStore(nrows, ncols, starts, columns, values)
    assert a.nvals < engine.extracting.MOST_READ * nrows and pattern[480:512].sum() > 2048
    for one in (a, one_value(a)):
        there = engine.there(one)
        for k in (0, 1, -2, 37, -500, 1601):
            result, expected = engine.extracting.diagonal(there, k), definitions.diagonal(one, k)
            assert result.nvals == expected.nvals
            same(engine.here(result), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_positions_are_checked(engine, dtype) -> None:
    rng = np.random.default_rng(5)
    low = -100 if np.dtype(dtype).kind == "i" else 0
    given = rng.integers(low, 100, 700).astype(dtype)
    found = engine.to_host(engine.positions.checked_positions(engine.to_device(given), 100))
    np.testing.assert_array_equal(found, np.arange(100)[given.astype(np.int64)])
    assert found.dtype == np.int64
    assert len(engine.positions.checked_positions(engine.to_device(given[:0]), 100)) == 0
    for wrong in [100, *([-101, -128] if low else []), *([2**63, 2**64 - 1] if dtype is np.uint64 else [])]:
        given[-1] = wrong
        assert engine.positions.checked_positions(engine.to_device(given), 100) is None


@pytest.mark.parametrize("kind", [*SMALL_KINDS, "iso full"])
def test_what_a_vector_has_at_positions(engine, kind: str) -> None:
    rng = np.random.default_rng(6)
    u = small_vector(kind.replace("iso full", "full"), np.float32, 1)
    if kind == "iso full":
        u.values = u.values[:1].copy()
    for index in (rng.integers(0, SIZE, 500), np.array([SIZE - 1, 0, 0]), np.arange(0)):
        expected = definitions.extract_vector(u, index)
        for found in (engine.positions.taken, engine.positions.taken_if_inside):
            result = engine.run(found, u, index)
            assert result.size == expected.size and result.nvals == expected.nvals
            same(result, expected)


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.uint64])
@pytest.mark.parametrize("kind", ["full", "bitmap"])
def test_positions_are_checked_while_taken(engine, kind: str, dtype) -> None:
    low = -SIZE if np.dtype(dtype).kind == "i" else 0
    given = np.random.default_rng(5).integers(low, SIZE, 700).astype(dtype)
    u = small_vector(kind, np.float32, 1)
    there = engine.there(u)
    result = engine.here(engine.positions.taken_if_inside(there, engine.to_device(given)))
    same(result, definitions.extract_vector(u, np.arange(SIZE)[given.astype(np.int64)]))
    for wrong in [SIZE, *([-SIZE - 1] if low else []), *([2**63, 2**64 - 1] if dtype is np.uint64 else [])]:
        given[-1] = wrong
        assert engine.positions.taken_if_inside(there, engine.to_device(given)) is None
