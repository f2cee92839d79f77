"""Matrices with long runs of empty rows, or far fewer entries than rows: the same results, and no warp walks alone."""

import emulated_cupy
import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, loaded
from random_objects import definitions, rows_of, same

from grblas_gpu import binary, indexunary, monoid, select, semiring
from grblas_gpu.backends.forms.dense_products import EVERYWHERE, Allowed, Side
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore, same_arrays, transpose_csr

LONG = 100_000
COLUMNS = 50
#: How often the lanes of a warp may meet in a kernel: to walk through a long run takes thousands of steps.
FEW_MEETINGS = LONG // 32
#: Kernels that share out rows, empty ones, too.
BY_ROWS = {f"{name}_kernel" for name in "list_offsets sum_lengths list_columns reduce_rows count_products".split()}


def matrix(degrees: np.ndarray, seed: int = 0) -> MatrixStore:
    """Rows of these lengths, with values from -3 to 4."""
    a = rows_of(degrees, COLUMNS, seed=seed)
    a.indptr, a.values = a.indptr.astype(np.int32), a.values - 4
    return a


def degrees_of(name: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    some, none = rng.integers(0, 9, 400), np.zeros(LONG, int)
    if name == "short runs":
        lengths = [31, 32, 33, 64, 63, 65, 511, 512, 513, 1, 95, 96, 97] * 2
        return np.concatenate([np.concatenate([np.zeros(length, int), [1 + length % 3]]) for length in lengths])
    if name == "five entries":
        degrees = np.zeros(2 * LONG, int)
        degrees[[0, 1, 77_777, 130_000, 2 * LONG - 1]] = 1
        return degrees
    if name == "an entry here and there":
        degrees = np.zeros(LONG, int)
        degrees[rng.choice(LONG, 1500, replace=False)] = 1
        return degrees
    if name == "nothing":
        return none
    parts = {"first": [none, some], "last": [some, none], "between": [some, none, some], "around": [none, some, none]}
    return np.concatenate(parts[name])


CASES = ["first", "last", "between", "around", "short runs", "five entries", "an entry here and there", "nothing"]


@pytest.fixture(params=SLOW_ENGINES)
def engine(request, monkeypatch):
    modules = "extracting merging mxm_gustavson mxm_operands mxm_programs rows selecting spmm transpose".split()
    emulated_cupy.meetings.clear()
    with loaded(request.param, monkeypatch, *(f"eager.{name}" for name in modules), "runtime.workspace") as found:
        yield found
    met = {name: number for name, number in emulated_cupy.meetings.items() if name not in BY_ROWS}
    assert max(met.values(), default=0) < FEW_MEETINGS, met


@pytest.mark.parametrize("name", CASES)
def test_selected_entries(engine, name: str) -> None:
    a = matrix(degrees_of(name))
    for op, thunk in ((select.valuegt["FP64"], 0), (select.valuegt["FP64"], 9), (select.tril["FP64"], 40 - LONG // 2)):
        same(engine.run(engine.selecting.select, a, op, thunk), definitions.select(a, op, thunk))


@pytest.mark.parametrize("name", CASES)
def test_sums_of_rows(engine, name: str) -> None:
    a = matrix(degrees_of(name))
    result = engine.run(engine.rows.reduce_rows, a, monoid.plus["FP64"])
    for found, wanted in zip(entries(result), entries(definitions.reduce_rowwise(a, monoid.plus["FP64"])), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", CASES)
def test_rows_of_entries(engine, name: str) -> None:
    a = matrix(degrees_of(name))
    op = indexunary.rowindex["INT64"]
    same(engine.run(engine.selecting.apply_index, a, op, 1), definitions.apply_index(a, op, 1))
    assert same_arrays(engine.run(engine.transpose.transpose, a), transpose_csr(a))
    index = np.arange(a.nrows)[::-1].copy()
    same(engine.run(engine.extracting.rows_at, a, index), definitions.extract_matrix(a, index, None))


@pytest.mark.parametrize("name", CASES)
def test_merged(engine, name: str) -> None:
    degrees = degrees_of(name)
    x, y, op = matrix(degrees), matrix(np.roll(degrees, len(degrees) // 3), 1), binary.minus["FP64"]
    kinds = {engine.merging.UNION: definitions.union, engine.merging.INTERSECTION: definitions.ewise_mult}
    for kind, wanted in kinds.items():
        same(engine.run(engine.merging.merge, x, y, op, kind, np.dtype(np.float64)), wanted(x, y, op))
    if x.nvals:
        steps = x.nvals + y.nvals + x.nrows // engine.merging.ROWS_OF_A_STEP
        tiles = -(-steps // engine.merging.TILE)
        splits = engine.workspace.current().values("splits", np.dtype(INDEX), 3 * (tiles + 1))
        rows = engine.to_host(splits)[: 3 * (tiles + 1) : 3]
        assert np.diff(rows).max() <= engine.merging.ROWS_OF_A_STEP * (engine.merging.TILE + 1)


@pytest.mark.parametrize("name", CASES)
def test_products_of_rows(engine, name: str) -> None:
    a = matrix(degrees_of(name))
    b = matrix(np.arange(COLUMNS), 1)
    there = engine.there(a), engine.there(b)
    kernels, _ = engine.mxm_programs.row_products(*there, engine.mxm_operands.MatrixMask())
    products = engine.to_host(engine.mxm_gustavson.count_products(*there, kernels))
    rows = np.repeat(np.arange(a.nrows), np.diff(a.indptr))
    np.testing.assert_array_equal(products, np.bincount(rows, np.diff(b.indptr)[a.indices], a.nrows))


@pytest.mark.parametrize("name", [name for name in CASES if name != "nothing"])
def test_times_a_dense_matrix(engine, name: str) -> None:
    a = matrix(degrees_of(name))
    dense = np.random.default_rng(3).integers(-3, 4, (COLUMNS, 6)).astype(np.float64)
    there = MatrixStore.full(COLUMNS, 6, engine.to_device(dense.ravel()))
    op = semiring.plus_times["FP64"]
    given = engine.there(a), Side(there, False), op, False, True, Allowed(EVERYWHERE, None)
    out, present, count = engine.spmm.multiply(*given)
    wanted = np.zeros((a.nrows, 6))
    np.add.at(wanted, a.row_ids, a.values[:, None] * dense[a.indices])
    np.testing.assert_array_equal(engine.to_host(out).reshape(-1, 6), wanted)
    filled = np.diff(a.indptr) > 0
    np.testing.assert_array_equal(engine.to_host(present).reshape(-1, 6), np.repeat(filled[:, None], 6, axis=1))
    assert count == 6 * filled.sum()
