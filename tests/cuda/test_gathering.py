"""Rows by number, and products with diagonals, by the CUDA engine's kernels against the definitions."""

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import definitions, random_matrix, same, with_degrees

from grblas_gpu import semiring
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore

engine = engine_fixture(
    "eager.gathering", "eager.extracting", "eager.matrix_facts", "eager.mxm_operands", params=SLOW_ENGINES
)


def at_most_one(rng, nrows: int, ncols: int, fill: float) -> MatrixStore:
    """Some rows with an entry somewhere."""
    filled = rng.random(nrows) < fill
    indptr = np.concatenate([[0], np.cumsum(filled)]).astype(INDEX)
    count = int(indptr[-1])
    return MatrixStore(nrows, ncols, indptr, rng.integers(0, ncols, count).astype(np.int32), rng.integers(1, 9, count))


def diagonal(rng, n: int, iso: bool = False) -> MatrixStore:
    values = rng.integers(1, 9, 1 if iso else n)
    return MatrixStore(n, n, np.arange(n + 1), np.arange(n, dtype=np.int32), values)


@pytest.mark.parametrize("degrees", [[3, 0, 2500, 1, 0, 7], [1] * 2000, [0] * 700 + [5]], ids=len)
def test_rows_by_number(engine, degrees) -> None:
    b = with_degrees(degrees)
    rng = np.random.default_rng(1)
    for count in (1, 3, 600):
        index = rng.integers(0, b.nrows, count)
        same(engine.run(engine.extracting.rows_at, b, index), definitions.extract_matrix(b, index, None))
    b.values = b.values[:1].copy()
    index = np.arange(b.nrows)[::-1].copy()
    same(engine.run(engine.extracting.rows_at, b, index), definitions.extract_matrix(b, index, None))


def test_more_entries_than_32_bits_number(engine, monkeypatch) -> None:
    """Counting begins again; here from a hundred entries on."""
    monkeypatch.setattr(engine.gathering, "INT32_LIMIT", 100)
    b, index = with_degrees([3, 0, 90, 1]), np.array([2, 0, 2, 1, 3])
    same(engine.run(engine.gathering.gathered, b, None, index, None, 5), definitions.extract_matrix(b, index, None))


def test_columns_by_number(engine) -> None:
    rng = np.random.default_rng(5)
    for nrows, ncols in [(30, 50), (2, 2000), (900, 9)]:
        a = random_matrix(rng, nrows, ncols, np.float32, 0.4)
        for index in (np.arange(0, ncols, 2), rng.permutation(ncols)[: ncols // 3 + 1], np.array([ncols - 1])):
            same(engine.run(engine.extracting.columns_at, a, index), definitions.extract_matrix(a, None, index))
        assert engine.run(engine.extracting.columns_at, a, np.array([1, 1])) is None


@pytest.mark.parametrize("name", ["plus_times INT64", "min_minus FP64", "any_pair BOOL", "plus_secondj INT64"])
def test_products(engine, name: str) -> None:
    kind, dtype = name.split()
    found = semiring.ss if kind == "plus_secondj" else semiring
    typed = getattr(found, kind)[dtype]
    rng = np.random.default_rng(2)
    b = random_matrix(rng, 40, 300, np.int64, 0.2)
    b.values = rng.integers(1, 9, b.nvals)
    wide = random_matrix(rng, 50, 40, np.float32, 0.3)
    pairs = [
        (at_most_one(rng, 70, 40, 0.6), b),
        (diagonal(rng, 40), b),
        (diagonal(rng, 40, iso=True), b),
        (wide, diagonal(rng, 40)),
        (diagonal(rng, 40, iso=True), MatrixStore(40, 300, b.indptr, b.indices, b.values[:1].copy())),
    ]
    for x, y in pairs:
        x_there, y_there = engine.there(x), engine.there(y)
        assert engine.gathering.is_simple(x_there, y_there)
        result = engine.gathering.scaled(x_there, y_there, typed, engine.mxm_operands.MatrixMask())
        same(engine.here(result), definitions.mxm(x, y, typed, None, plan=None))


def test_products_inside_a_mask(engine) -> None:
    rng = np.random.default_rng(3)
    a, b = at_most_one(rng, 70, 40, 0.6), random_matrix(rng, 40, 90, np.int64, 0.2)
    m = random_matrix(rng, 70, 90, bool, 0.4)
    mask, typed = MaskView(m, True, False), semiring.plus_times["INT64"]
    result = engine.run(engine.gathering.scaled, a, b, typed, engine.mxm_operands.resolve(engine.there(mask)))
    same(result, definitions.mxm(a, b, typed, mask, plan=None))


def test_what_is_not_simple(engine) -> None:
    rng = np.random.default_rng(4)
    one, other = random_matrix(rng, 30, 30, np.int64, 0.3), diagonal(rng, 30)
    other.indices = other.indices[::-1].copy()  # a permutation brings columns out of order
    moves = engine.there(one), engine.there(other)
    assert not engine.gathering.is_simple(*moves)
    assert engine.gathering.is_simple(*moves[::-1])
