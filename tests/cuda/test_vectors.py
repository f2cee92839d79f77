"""Element-wise operations, select, writing and assigning on vectors: the CUDA engine's kernels against the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import SIZE, SMALL_KINDS, definitions, random_vector, same, small_vector

from grblas_gpu import binary, indexunary, select
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, VectorStore

engine = engine_fixture("eager.vectors", "eager.assign", "eager.matrix_facts", "engine")


def some(engine, choices, seed: int, count: int = 1):
    """All choices on a GPU; a program for an emulation takes a second to compile, so there each case has its share."""
    choices = list(choices)
    return choices if engine.name == "gpu" else [choices[(seed + step) % len(choices)] for step in range(count)]


@pytest.mark.parametrize("kind", SMALL_KINDS)
@pytest.mark.parametrize("name", ["minus INT64", "lt FP64", "firsti INT64"])
def test_ewise(engine, kind: str, name: str) -> None:
    op = getattr(binary, name.split()[0])[name.split()[1]]
    x = small_vector(kind, np.int64, 1)
    turn = SMALL_KINDS.index(kind) + len(name)
    for seed, other in enumerate(some(engine, ["sparse", "bitmap", "full", "iso bitmap"], turn)):
        y = small_vector(other, np.int16, 2 + seed)
        choices = [(False,), (True,), (True, (5, 7))]
        for union, *given in some(engine, choices, turn + SMALL_KINDS.index(other)):
            expected = definitions.union(x, y, op, *given) if union else definitions.ewise_mult(x, y, op)
            same(engine.run(engine.vectors.ewise, x, y, op, union, *given), expected)


@pytest.mark.parametrize("mask", [None, "sparse", "bitmap", "full", "empty"])
@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("complement", [True, False])
def test_write(engine, mask: str | None, structure: bool, complement: bool) -> None:
    view = None if mask is None else MaskView(small_vector(mask, np.int8, 9), structure, complement)
    turn = 2 * structure + complement + len(mask or "")
    kinds = [("bitmap", "sparse"), ("full", "bitmap"), ("sparse", "full"), ("iso bitmap", "empty")]
    for c_kind, t_kind in some(engine, kinds, turn):
        c, t = small_vector(c_kind, np.float32, 3), small_vector(t_kind, np.int64, 4)
        for accum in some(engine, [None, binary.minus["FP64"], binary.gt["INT64"]], turn + len(c_kind)):
            for replace in some(engine, [False, True], turn // 2):
                expected = definitions.write(c, t, view, accum, replace)
                same(engine.run(engine.vectors.write, c, t, view, accum, replace), expected)


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_select_and_apply_index(engine, kind: str) -> None:
    x = small_vector(kind, np.int32, 5)
    for op in some(engine, [select.valuegt["INT32"], select.rowle["INT32"]], len(kind)):
        same(engine.run(engine.vectors.filtered, x, op, 2, True), definitions.select(x, op, 2))
    op = indexunary.rowindex["INT64"]
    same(engine.run(engine.vectors.filtered, x, op, 3, False), definitions.apply_index(x, op, 3))


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_apply_with_a_bound_value(engine, kind: str) -> None:
    """On either side, of another type than the operator's."""
    cuda = engine.engine.CudaBackend()
    x = small_vector(kind, np.int16, 7)
    for op, side in some(engine, [(binary.minus["FP64"], "left"), (binary.lt["INT32"], "right")], len(kind)):
        for scalar in (np.float32(2.5), 3):
            expected = definitions.apply_bind(x, op, scalar, side)
            same(engine.run(cuda.apply_bind, x, op, scalar, side), expected)


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_storage(engine, kind: str) -> None:
    x = small_vector(kind, np.float64, 6)
    bitmap = engine.vectors.as_bitmap(engine.there(x))
    same(engine.here(bitmap), x)
    if bitmap.kind == "bitmap":
        same(engine.here(engine.vectors.as_list(bitmap)), x)


@pytest.mark.parametrize("mask", ["sparse", "bitmap", "full", "empty"])
@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("complement", [True, False])
def test_assign_scalar(engine, mask: str, structure: bool, complement: bool) -> None:
    view = MaskView(small_vector(mask, np.int8, 7), structure, complement)
    there = engine.there(view)
    for kind in some(engine, ["bitmap", "full", "iso bitmap"], len(mask) + structure + 2 * complement):
        c = small_vector(kind, np.int64, 8)
        expected = definitions.assign(c.copy(), np.int64(6), (None,), view, None, False, False)
        there_c = engine.vectors.writable(engine.there(c))
        result = engine.assign.assign_scalar(there_c, np.int64(6), there)
        result = engine.assign.assign_scalar(result, np.int64(6), there)  # its count is still on the device
        same(engine.here(result), expected)


@pytest.mark.parametrize("kind", ["sparse", "bitmap"])
def test_count_edges(engine, kind: str) -> None:
    random = np.random.default_rng(3)
    degrees = random.integers(0, 5, SIZE)
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(INDEX)
    a = MatrixStore(SIZE, SIZE, indptr, np.zeros(indptr[-1], np.int32), np.ones(1, bool))
    x = small_vector(kind, np.int8, 4)
    there, u = engine.there(a), engine.there(x)
    wanted = int(degrees[entries(x)[0]].sum())
    assert engine.vectors.count_edges(there, u) == definitions.count_edges(a, x) == wanted
    assert u.edges[0] is there.indptr and u.edges[1].known() == wanted


def test_hub_neighbours_of_rows(engine) -> None:
    random = np.random.default_rng(5)
    rows = [np.flatnonzero(random.random(60) < p) for p in random.random(60)]
    rows[7], rows[8], rows[9] = rows[0][:0], rows[0][:1], rows[0][:2]
    lengths = np.array([len(row) for row in rows])
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(INDEX)
    a = MatrixStore(60, 60, indptr, np.concatenate(rows).astype(np.int32), np.ones(1, bool))
    found = engine.to_host(engine.matrix_facts.hub_neighbours(engine.there(a)))
    for row, *columns in zip(rows, *found[:120].reshape(2, 60), strict=True):
        last = [column < -1 for column in columns]
        assert last == [len(row) == 1, len(row) == 2]
        columns = [-2 - column if column < -1 else column for column in columns]
        assert columns == [-1] * 2 or (len(set(columns)) == 2 and set(columns) - {-1} <= set(row))
        best = sorted(lengths[row], reverse=True)[:2]
        assert best == [lengths[column] for column in columns if column >= 0]
    short = MatrixStore(3, 3, np.array([0, 1, 2, 3], INDEX), np.array([0, 1, 2], np.int32), np.ones(1, bool))
    assert engine.matrix_facts.hub_neighbours(engine.there(short)) is None  # any entry is as good


@pytest.mark.parametrize("kind", ["sparse", "bitmap", "full", "empty"])
def test_gaps_are_filled_in_place(engine, kind):
    rng = np.random.default_rng(5)
    c = random_vector(rng, 60, "bitmap", np.int64, 0.5)
    c = VectorStore(60, rng.integers(0, 9, 60), present=c.present)
    t = random_vector(rng, 60, "bitmap" if kind == "empty" else kind, np.float32, 0.0 if kind == "empty" else 0.4)
    present = np.ones(60, bool) if t.kind == "full" else np.isin(np.arange(60), entries(t)[0])
    t = VectorStore(60, rng.random(60).astype(np.float32) * 9, present=present & ~c.present)
    t = definitions.with_kind(t, "sparse") if kind == "sparse" else t
    expected = definitions.write(c, t, MaskView(c, True, True), None, False, True)
    found = engine.run(engine.vectors.fill_gaps, c, t)
    np.testing.assert_array_equal(entries(found)[0], entries(expected)[0])
    np.testing.assert_array_equal(entries(found)[1], entries(expected)[1])
    assert found.nvals == expected.nvals
