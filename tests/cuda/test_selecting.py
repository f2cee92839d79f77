"""Select, and entries inside a mask, on matrices: the CUDA engine's kernels against the definitions."""

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import definitions, same, valued_matrix, with_degrees

from grblas_gpu import indexunary, select
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore

engine = engine_fixture("eager.selecting", "eager.matrix_facts", "eager.mxm_operands", params=SLOW_ENGINES)


def check(engine, a: MatrixStore, op, thunk) -> None:
    same(engine.run(engine.selecting.select, a, op, thunk), definitions.select(a, op, thunk))


@pytest.mark.parametrize("op", ["tril FP64", "valuegt FP64", "colle FP64", "rowgt FP64", "valueeq INT32"])
def test_select(engine, op: str) -> None:
    name, dtype = op.split()
    typed = getattr(select, name)[dtype]
    rng = np.random.default_rng(len(op))
    for nrows, ncols, fill in [(1, 1, 0.9), (60, 70, 0.3), (900, 5, 0.2), (3, 3000, 0.6), (400, 400, 0.02)]:
        check(engine, valued_matrix(rng, nrows, ncols, np.float64, fill), typed, 1)


def test_rows_without_entries_and_long_ones(engine) -> None:
    for degrees in ([0] * 600 + [1] + [0] * 600, [7, 0, 2500, 1, 0, 40, 1023, 0, 0], [1] * 3000, [0, 4000, 0]):
        for thunk in (-1, 0, 500):
            check(engine, with_degrees(degrees), select.tril["FP64"], thunk)
        for thunk in (-100, 0, 100):
            check(engine, with_degrees(degrees), select.valuegt["FP64"], thunk)


@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("complement", [True, False])
def test_inside_a_mask(engine, structure: bool, complement: bool) -> None:
    rng = np.random.default_rng(3)
    for nrows, ncols in [(70, 90), (2, 1500)]:
        a = valued_matrix(rng, nrows, ncols, np.int64, 0.4)
        m = valued_matrix(rng, nrows, ncols, np.int8, 0.5)
        mask = MaskView(m, structure, complement)
        there = engine.mxm_operands.resolve(engine.there(mask))
        expected = definitions.write(definitions.empty_matrix(nrows, ncols, a.dtype), a, mask, None, True)
        same(engine.run(engine.selecting.inside, a, there), expected)


def test_operators_that_are_told_positions(engine) -> None:
    for degrees in ([7, 0, 2500, 1, 0, 40, 1023, 0, 0], [0, 3]):
        for op in (indexunary.rowindex["INT64"], indexunary.valuegt["FP64"]):
            a = with_degrees(degrees)
            same(engine.run(engine.selecting.apply_index, a, op, 3), definitions.apply_index(a, op, 3))


def test_one_value_for_all(engine) -> None:
    a = with_degrees([5, 0, 1200, 3])
    a.values = a.values[:1].copy()
    check(engine, a, select.tril["FP64"], 3)


def test_wide_offsets_and_columns(engine) -> None:
    a = with_degrees([5, 0, 1200, 3])
    for offsets, columns in ((np.int32, np.int32), (INDEX, np.int64)):
        wide = MatrixStore(a.nrows, a.ncols, a.indptr.astype(offsets), a.indices.astype(columns), a.values)
        result = engine.run(engine.selecting.select, wide, select.tril["FP64"], 3)
        assert result.indices.dtype == columns
        result.indices = result.indices.astype(np.int32)
        same(result, definitions.select(a, select.tril["FP64"], 3))
