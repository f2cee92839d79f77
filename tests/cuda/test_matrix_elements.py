"""Single elements of matrices: the CUDA engine's kernels against the definitions, and that they compile."""

import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import definitions, same, with_degrees

from grblas_gpu.backends.stores.storage import MatrixStore

DEGREES = [3, 0, 7, 1, 0, 4]


engine = engine_fixture("engine", "eager.matrix_elements", "eager.matrix_facts")


def case(dtype, iso: bool, offsets=np.int64) -> MatrixStore:
    a = with_degrees(DEGREES, dtype)
    return MatrixStore(a.nrows, 9, a.indptr.astype(offsets), a.indices, np.ones(1, dtype) if iso else a.values)


@pytest.mark.parametrize(
    ("dtype", "iso", "offsets"),
    [
        (np.float64, False, np.int32),
        (np.int16, True, np.int64),
        pytest.param(bool, False, np.int32, marks=pytest.mark.slow),
    ],
)
def test_elements(engine, dtype, iso: bool, offsets) -> None:
    """Every position of small rows, there or not; with the value that all have, and another."""
    a, cuda = case(dtype, iso, offsets), engine.engine.CudaBackend()
    there = engine.there(a)
    for row in range(a.nrows):
        for col in (0, 2, 6, 8):
            found = engine.matrix_elements.element(there, row, col)
            assert found == definitions.get_element(a, (row, col))
            assert found is None or found.dtype == a.dtype
            for value, kept in ((1, True), (0, True), (0, False)):
                given = tuple(np.array([n]) for n in (row, col)), np.array([value], dtype), np.array([kept])
                result = engine.here(cuda.change_elements(there, *given))
                same(result, definitions.change_elements(a, *given))


@pytest.mark.parametrize("count", [7, 5000])
def test_many_changes(engine, count: int) -> None:
    """Rows of all lengths: entries that come, go, change, or are as they were; and what is known of the rows."""
    random, n = np.random.default_rng(count), 200
    a = with_degrees(random.integers(0, n, n) * (random.random(n) < 0.5), np.float32)
    a = MatrixStore(n, n, a.indptr, a.indices, a.values)
    there, cuda = engine.there(a), engine.engine.CudaBackend()
    assert engine.matrix_facts.hub_neighbours(there) is not None
    for part in (slice(None), slice(-3, None)):
        rows, cols = np.divmod(np.unique(random.integers(0, n * n, count))[part], n)
        values, kept = random.random(len(rows)).astype(np.float32), random.random(len(rows)) < 0.6
        given = (rows, cols), values, kept
        if len(rows):
            new = cuda.change_elements(there, *given)
            same(engine.here(new), definitions.change_elements(a, *given))
            filled = engine.to_host(new._hub_neighbours).view(bool)[8 * n :][:n]
            np.testing.assert_array_equal(filled, np.diff(engine.to_host(new.indptr)) > 0)
    places = np.arange(0, a.nvals, 3)  # all is there: the structure stays
    index = a.row_ids[places].astype(np.int64), a.indices[places].astype(np.int64)
    given = index, random.random(len(places)).astype(np.float32), np.ones(len(places), bool)
    new = cuda.change_elements(there, *given)
    same(engine.here(new), definitions.change_elements(a, *given))
    assert new.indices is there.indices and new._hub_neighbours is there._hub_neighbours
    assert cuda.change_elements(there, index, given[1], ~given[2]).nvals == a.nvals - len(places)


def test_bits_of_values(engine) -> None:
    """Both halves of a word, each of which may be all ones or the sign."""
    for dtype, numbers in ((np.int64, [-1, 2**32, -(2**63)]), (np.uint64, [2**64 - 1]), (np.float32, [-0.0, 1e-30])):
        for number in numbers:
            values = np.array([number, 5], dtype)
            a = MatrixStore(1, 2, np.array([0, 2], np.int32), np.array([0, 1], np.int32), values)
            found = engine.matrix_elements.element(engine.there(a), 0, 0)
            assert found.dtype == dtype and found.tobytes() == values[:1].tobytes()
