"""Products with a factor that has one entry in every row, against the definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from emulated_engine import ENGINES, GPU, loaded
from mxm_cases import Case, check
from mxv_cases import SEMIRINGS, random_matrix, random_values

from grblas_gpu.backends.storage import INDEX, MatrixStore, column_type

NAMES = [pytest.param(name, marks=() if GPU or name == "plus_pair" else pytest.mark.slow) for name in SEMIRINGS]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Rows of more than four entries are long ones, and no row has a sum for every column."""
    with loaded(request.param, monkeypatch, "eager.mxm", "eager.mxm_renumbered", "eager.mxm_dense") as found:
        found.ran = []
        by_sorting = found.mxm_renumbered.renumbered
        monkeypatch.setattr(found.mxm_renumbered, "MOST_SMALL", 4)
        monkeypatch.setattr(found.mxm_dense, "MOST_WINDOWS", 0)
        monkeypatch.setattr(found.mxm, "renumbered", lambda *given: found.ran.append(given) or by_sorting(*given))
        found.mxm = found.mxm.mxm
        yield found


def groups(rng: np.random.Generator, members: int, number: int, dtype: np.dtype, iso: bool) -> MatrixStore:
    """The group of every member, and its weight."""
    values = random_values(rng, 1 if iso else members, dtype)
    indices = rng.integers(0, number, members).astype(column_type(number))
    return MatrixStore(members, number, np.arange(members + 1, dtype=INDEX), indices, values)


@pytest.mark.parametrize("name", NAMES)
def test_sums_over_groups(engine: Any, name: str) -> None:
    rng, op = np.random.default_rng(7), SEMIRINGS[name]
    for number, iso in ((1, False), (9, True), (50, False)):
        a = random_matrix(rng, 40, 60, op.binaryop.type.np_type, 0.3)
        case = Case(a, groups(rng, 60, number, op.binaryop.type2.np_type, iso), op)
        check(engine, case, "mxm.gustavson")
    assert len(engine.ran) == (0 if op.binaryop.positional else 3)


def test_what_is_left_to_tables(engine: Any) -> None:
    """A member without a group, one with two groups, and what somebody asks for."""
    rng, op = np.random.default_rng(8), SEMIRINGS["plus_pair"]
    a, b = random_matrix(rng, 40, 60, np.int64, 0.3), groups(rng, 60, 9, np.dtype(np.int64), False)
    without = MatrixStore(60, 9, np.minimum(b.indptr, 59), b.indices[:59], b.values[:59])
    indptr = b.indptr.copy()
    indptr[1] = 0  # the second row has two
    b.indices[:2] = 3, 5
    for right in (without, MatrixStore(60, 9, indptr, b.indices, b.values)):
        check(engine, Case(a, right, op), "mxm.gustavson")
    assert not engine.ran
