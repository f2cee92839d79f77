"""``C[I, a:b] << value`` by the kernels of the CUDA engine against the definitions: on a GPU, or emulated."""

import numpy as np
import pytest
from emulated_engine import ENGINES, SLOW_ENGINES, backend, engine_fixture
from random_objects import definitions, matrix_of, same, valued_matrix, with_degrees

import grblas_gpu as gb
from grblas_gpu import Matrix
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore

ROWS = [None, range(3, 17), range(29, 30), range(4, 4), [7, 3, 29, 0]]
COLUMNS = [None, range(10, 60), range(1), range(80, 90), range(5, 5)]


engine = engine_fixture("eager.assign_block")
every_engine = engine_fixture("eager.assign_block", params=SLOW_ENGINES)


def listed(part):
    return None if part is None else np.array(part, INDEX)


def check(engine, c: MatrixStore, value, rows, cols) -> MatrixStore:
    index = listed(rows) if type(rows) is list else rows
    found: MatrixStore = engine.run(engine.assign_block.assign_block, c, value, index, cols)
    same(found, definitions.assign(c, value, (listed(rows), listed(cols)), None, None, False, False))
    return found


def region(rng, c: MatrixStore, rows, cols, dtype) -> MatrixStore:
    shape = (c.nrows if rows is None else len(rows), c.ncols if cols is None else len(cols))
    return valued_matrix(rng, *shape, dtype, 0.3) if min(shape) else MatrixStore.empty(*shape, np.dtype(dtype))


@pytest.mark.parametrize("rows", [ROWS[1], ROWS[4]], ids=str)
def test_blocks(engine, rows) -> None:
    rng = np.random.default_rng(1)
    c = valued_matrix(rng, 30, 90, np.float32, 0.2)
    check(engine, c, np.float32(5), rows, COLUMNS[1])
    check(engine, c, region(rng, c, rows, None, np.float32), rows, None)


@pytest.mark.parametrize("offsets", [np.int32, INDEX])
def test_every_block(every_engine, offsets) -> None:
    rng = np.random.default_rng(2)
    c = valued_matrix(rng, 30, 90, np.float64, 0.2)
    c.indptr = c.indptr.astype(offsets)
    for rows in ROWS:
        for cols in COLUMNS:
            check(every_engine, c, np.float64(-1.5), rows, cols)
            check(every_engine, c, region(rng, c, rows, cols, np.float64), rows, cols)


def test_rows_of_any_length(every_engine) -> None:
    c, b = with_degrees([0, 3, 2500, 0, 0, 1, 700, 0]), with_degrees([1400, 0, 2])
    b = MatrixStore(3, c.ncols, b.indptr, b.indices, b.values)
    check(every_engine, c, b, [7, 2, 0], None)
    check(every_engine, c, b, range(4, 7), None)
    check(every_engine, c, np.float64(3), range(8), range(100, 1500))
    nothing = with_degrees([0] * 8)
    nothing = MatrixStore(8, c.ncols, nothing.indptr, nothing.indices, nothing.values)
    check(every_engine, nothing, b, [7, 2, 0], None)
    assert len(check(every_engine, nothing, np.float64(3), [7, 2, 0], range(4, 8)).values) == 1
    check(
        every_engine, c, MatrixStore(3, c.ncols, nothing.indptr[:4], nothing.indices, nothing.values), [2, 6, 0], None
    )


def test_one_value(engine) -> None:
    rng = np.random.default_rng(4)
    c = valued_matrix(rng, 30, 90, np.int64, 0.2)
    c.values = np.array([2])
    same_value, other = (
        check(engine, c, np.int64(2), range(3, 9), range(4, 9)),
        check(engine, c, np.int64(3), [3], None),
    )
    assert len(same_value.values) == 1 and len(other.values) == other.nvals
    b = region(rng, c, range(3, 9), None, np.int64)
    b.values = np.array([2])
    assert len(check(engine, c, b, range(3, 9), None).values) == 1


def test_a_row_that_is_named_twice(engine) -> None:
    c = engine.there(valued_matrix(np.random.default_rng(5), 30, 90, np.float32, 0.2))
    assert engine.assign_block.assign_block(c, np.float32(1), engine.to_device(np.array([4, 2, 4])), None) is None


@pytest.mark.parametrize("kind", [pytest.param("cpu"), *ENGINES])
def test_lines_of_programs(kind: str, monkeypatch) -> None:
    def random(nrows: int, ncols: int, dtype) -> Matrix:
        return matrix_of([nrows, ncols], (nrows, ncols), 0.1, (1, 9), dtype)

    def run():
        results = []
        for index, value in [
            ((slice(3, 9), slice(2, 40)), 1),
            ((slice(3, 9), slice(2, 40)), gb.Scalar.from_value(2.7)),
            ((slice(3, 9), slice(None)), random(6, 50, float)),
            (([5, 1, 17], slice(None)), random(3, 50, int)),
            (([5, 1, 17], slice(1, 9)), random(3, 8, int)),
            (([5, 1, 5], slice(1, 9)), 4),
            ((slice(None), slice(1, 9)), 4),
            ((4, slice(1, 9)), 4),
            ((slice(None), 7), 4),
            ((slice(3, 9), slice(2, 40)), gb.Scalar(int)),
            ((slice(3, 9, 2), [1, 3, 2]), 6),
        ]:
            C = random(20, 50, int)
            C[index] << value
            results.append(sorted((i, j, x) for i, row in C.to_dicts().items() for j, x in row.items()))
        return results

    with gb.using("numpy"):
        expected = run()
    with backend({"gpu": "cuda"}.get(kind, kind), monkeypatch) as name, gb.using(name):
        assert run() == expected
