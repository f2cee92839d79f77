"""Two matrices merged: unions, intersections and masked writes by the CUDA engine's kernels against the definitions."""

import itertools
from functools import partial

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import definitions, random_matrix, rows_of, same, valued_matrix

from grblas_gpu import binary
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore

SHAPES = [(1, 1, 0.9), (60, 70, 0.4), (3000, 5, 0.2), (3, 3000, 0.6), (300, 300, 0.05)]


engine = engine_fixture(
    "eager.merging", "eager.matrices", "eager.matrix_facts", "eager.mxm_operands", params=SLOW_ENGINES
)


def merged(engine, x: MatrixStore, y: MatrixStore, *given, **more) -> MatrixStore:
    return engine.run(partial(engine.merging.merge, **more), x, y, *given)


@pytest.mark.parametrize("name", ["minus INT64", "lt FP64", "firsti INT64"])
def test_union_and_intersection(engine, name: str) -> None:
    op = getattr(binary, name.split()[0])[name.split()[1]]
    rng = np.random.default_rng(len(name))
    dtype = op.return_type.np_type
    for nrows, ncols, fill in SHAPES:
        x, y = valued_matrix(rng, nrows, ncols, np.int64, fill), valued_matrix(rng, nrows, ncols, np.int64, fill)
        same(merged(engine, x, y, op, engine.merging.INTERSECTION, dtype), definitions.ewise_mult(x, y, op))
        same(merged(engine, x, y, op, engine.merging.UNION, dtype), definitions.union(x, y, op))
        same(merged(engine, x, y, op, engine.merging.UNION, dtype, (5, 7)), definitions.union(x, y, op, (5, 7)))


DEGREES = [
    ([0] * 600 + [1] + [0] * 600, [0] * 1201),
    ([7, 0, 2500, 1, 0, 40, 1023, 0, 0], [0, 3, 2500, 0, 0, 41, 900, 0, 1]),
    ([1] * 3000, [1, 0, 0] * 1000),
    ([0, 5000, 0], [0, 5000, 0]),
    ([4000, 4000], [0, 10]),
]


@pytest.mark.parametrize("degrees", DEGREES, ids=lambda two: f"{sum(two[0])} and {sum(two[1])} entries")
def test_rows_of_any_length(engine, degrees) -> None:
    """Rows that go on for tiles, that begin where tiles do, and thousands that have no entries."""
    x, y = (rows_of(given, max(map(max, degrees)), seed=seed) for seed, given in enumerate(degrees))
    op = binary.minus["FP64"]
    for kind, expected in (
        (engine.merging.UNION, definitions.union(x, y, op)),
        (engine.merging.INTERSECTION, definitions.ewise_mult(x, y, op)),
    ):
        same(merged(engine, x, y, op, kind, op.return_type.np_type), expected)


@pytest.mark.parametrize("accum", [None, "minus FP64", "gt INT64"])
def test_write(engine, accum: str | None) -> None:
    op = None if accum is None else getattr(binary, accum.split()[0])[accum.split()[1]]
    rng = np.random.default_rng(2)
    forms = list(itertools.product([True, False], repeat=3))
    if engine.name == "emulated":  # g++ takes seconds for each
        forms = forms[len(accum or "") % 3 :: 4]
    for structure, complement, replace in forms:
        for nrows, ncols, fill in [(40, 70, 0.3), (3, 1500, 0.5)]:
            c, t = valued_matrix(rng, nrows, ncols, np.float32, fill), valued_matrix(rng, nrows, ncols, np.int64, fill)
            m = valued_matrix(rng, nrows, ncols, np.int8, fill)
            mask = MaskView(m, structure, complement)
            there = engine.mxm_operands.resolve(engine.there(mask))
            found = merged(engine, c, t, op, engine.merging.WRITE, c.dtype, mask=there, replace=replace)
            same(found, definitions.write(c, t, mask, op, replace))


@pytest.mark.parametrize("own", ["c", "t", "copy of c", "copy of t", "copy of both"])
@pytest.mark.parametrize("complement", [True, False])
@pytest.mark.parametrize("replace", [True, False])
def test_a_mask_with_the_positions_of_an_operand(
    engine, monkeypatch, own: str, complement: bool, replace: bool
) -> None:
    monkeypatch.setattr(engine.matrices, "COMPARED", 2)
    rng = np.random.default_rng(4)
    c, t = valued_matrix(rng, 50, 70, np.float32, 0.3), valued_matrix(rng, 50, 70, np.int64, 0.4)
    if own == "copy of both":
        t = MatrixStore(50, 70, c.indptr.copy(), c.indices.copy(), rng.integers(0, 9, c.nvals))
    mask = c if own.endswith("c") else t
    there = {id(m): engine.there(m) for m in (c, t)}
    mask_there = engine.there(mask) if own.startswith("copy") else there[id(mask)]
    for op in (None, binary.minus["FP64"]):
        result = engine.matrices.write(there[id(c)], there[id(t)], MaskView(mask_there, True, complement), op, replace)
        same(engine.here(result), definitions.write(c, t, MaskView(mask, True, complement), op, replace))


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.float64])
@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("complement", [True, False])
def test_any_mask_over_equal_positions(engine, dtype, structure: bool, complement: bool) -> None:
    """Only values change, or entries go."""
    rng = np.random.default_rng(6)
    c, m = valued_matrix(rng, 50, 70, dtype, 0.3), valued_matrix(rng, 50, 70, np.int8, 0.4)
    t = MatrixStore(50, 70, c.indptr, c.indices, rng.integers(0, 9, c.nvals))
    one = MatrixStore(50, 70, c.indptr, c.indices, t.values[:1])
    of_c = MatrixStore(50, 70, c.indptr, c.indices, c.values[:1])
    mask = MaskView(m, structure, complement)
    there, mask_there = engine.there(c), engine.there(mask)
    for x, y in ((c, t), (c, one), (of_c, t), (of_c, one)):
        pair = [MatrixStore(50, 70, there.indptr, there.indices, engine.to_device(z.values)) for z in (x, y)]
        for op, replace in itertools.product((None, binary.minus["FP64"]), (False, True)):
            found = engine.matrices.write(*pair, mask_there, op, replace)
            same(engine.here(found), definitions.write(x, y, mask, op, replace))


def test_one_value_for_all_stays_one_value(engine) -> None:
    rng = np.random.default_rng(3)
    x, y = random_matrix(rng, 50, 50, bool, 0.2), random_matrix(rng, 50, 50, bool, 0.2)
    x.values, y.values = np.ones(1, bool), np.ones(1, bool)
    op = binary.lor["BOOL"]
    for kind in (engine.merging.UNION, engine.merging.INTERSECTION):
        assert merged(engine, x, y, op, kind, np.dtype(bool)).iso
    y.values = np.zeros(1, bool)
    found = merged(engine, x, y, op, engine.merging.UNION, np.dtype(bool))
    same(found, definitions.union(x, y, op))


def test_equal_positions_in_arrays_of_their_own(engine, monkeypatch) -> None:
    """Only values are read, and the result shares the index arrays of one; other positions are merged as ever."""
    monkeypatch.setattr(engine.matrices, "COMPARED", 2)
    rng = np.random.default_rng(5)
    x, other = (valued_matrix(rng, 40, 50, np.int64, 0.3) for _ in range(2))
    y = MatrixStore(40, 50, x.indptr.copy(), x.indices.copy(), rng.integers(0, 9, x.nvals))
    moved_one = MatrixStore(40, 50, x.indptr.copy(), x.indices.copy(), y.values.copy())
    gap = np.flatnonzero(np.diff(x.indices) > 1)[0]  # the entry after it is in the same row
    moved_one.indices[gap] += 1  # as many entries, in other places
    op, positional = binary.minus["INT64"], binary.firsti["INT64"]
    for second, shares in ((y, True), (moved_one, False), (other, False)):
        a, b = engine.there(x), engine.there(second)
        both, either = engine.matrices.intersection(a, b, op), engine.matrices.union(a, b, op)
        same(engine.here(both), definitions.ewise_mult(x, second, op))
        same(engine.here(either), definitions.union(x, second, op))
        assert (both.indices is a.indices) == shares
        found = engine.matrices.intersection(a, b, positional)
        same(engine.here(found), definitions.ewise_mult(x, second, positional))
