"""Products with a factor that has one entry in every row, against the definition."""

import numpy as np
import pytest
from emulated_engine import ENGINES, GPU, loaded
from mxm_cases import Case, check
from mxv_cases import SEMIRINGS
from random_objects import random_matrix, random_values

from grblas_gpu import binary, monoid, semiring
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore, column_type

NAMES = [pytest.param(name, marks=() if GPU or name == "plus_pair" else pytest.mark.slow) for name in SEMIRINGS]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Rows of more than four entries are long ones, and no row has a sum for every column."""
    with loaded(request.param, monkeypatch, "eager.mxm", "eager.mxm_gustavson") as found:
        monkeypatch.setattr(found.mxm, "MOST_SORTED", 4)
        monkeypatch.setattr(found.mxm_gustavson, "MOST_WINDOWS", 0)
        found.shaped, found.mxm = found.mxm.shaped_product, found.mxm.mxm
        yield found


def groups(rng: np.random.Generator, members: int, number: int, dtype: np.dtype, iso: bool) -> MatrixStore:
    """The group of every member, and its weight."""
    values = random_values(rng, 1 if iso else members, dtype)
    indices = rng.integers(0, number, members).astype(column_type(number))
    return MatrixStore(members, number, np.arange(members + 1, dtype=INDEX), indices, values)


@pytest.mark.parametrize("name", NAMES)
def test_sums_over_groups(engine, name: str) -> None:
    rng, op = np.random.default_rng(7), SEMIRINGS[name]
    for number, iso in ((1, False), (9, True), (50, False)):
        a = random_matrix(rng, 40, 60, op.binaryop.type.np_type, 0.3)
        case = Case(a, groups(rng, 60, number, op.binaryop.type2.np_type, iso), op)
        if op.binaryop.positional is None:
            assert chosen(engine, case.a, case.b, op) == "mxm.sort"
            check(engine, case, "mxm.sort")
        else:
            assert chosen(engine, case.a, case.b, op) is None


def test_what_is_left_to_tables(engine) -> None:
    """A member without a group, one with two groups, and anything through a mask."""
    rng, op = np.random.default_rng(8), SEMIRINGS["plus_pair"]
    a, b = random_matrix(rng, 40, 60, np.int64, 0.3), groups(rng, 60, 9, np.dtype(np.int64), False)
    assert chosen(engine, a, b, op) == "mxm.sort"
    assert chosen(engine, a, b, op, masked=True) is None
    without = MatrixStore(60, 9, np.minimum(b.indptr, 59), b.indices[:59], b.values[:59])
    indptr = b.indptr.copy()
    indptr[1] = 0  # the second row has two
    b.indices[:2] = 3, 5
    for right in (without, MatrixStore(60, 9, indptr, b.indices, b.values)):
        assert chosen(engine, a, right, op) is None
        check(engine, Case(a, right, op), "mxm.gustavson")


def test_rows_and_columns_that_are_scaled(engine) -> None:
    rng, op = np.random.default_rng(9), SEMIRINGS["plus_times"]
    a, b = random_matrix(rng, 60, 60, np.float64, 0.3), groups(rng, 60, 60, np.dtype(np.float64), False)
    diagonal = MatrixStore(60, 60, b.indptr, np.arange(60, dtype=b.indices.dtype), b.values)
    for left, right in ((b, a), (diagonal, a), (a, diagonal)):
        assert chosen(engine, left, right, op) == "mxm.scale"
        check(engine, Case(left, right, op), "mxm.scale")
        check(engine, Case(left, right, op), "mxm.gustavson")  # a requested strategy is used


def chosen(engine, a: MatrixStore, b: MatrixStore, op, masked: bool = False) -> str | None:
    found = engine.shaped(engine.there(a), engine.there(b), op, masked)
    return None if found is None else found[0]


def test_what_calls_itself_idempotent_may_change_a_sign(engine) -> None:
    """gcd(-2, -2) is 2, so equal products do not stand for their sum."""
    op = semiring.register_anonymous(monoid.numpy.gcd, binary.times)["INT64"]
    one, minus_two = (
        MatrixStore(2, 2, np.arange(0, 5, 2), np.array([0, 1, 0, 1], np.int32), np.array([x])) for x in (1, -2)
    )
    assert set(check(engine, Case(one, minus_two, op), "mxm.gustavson").values.tolist()) == {2}
