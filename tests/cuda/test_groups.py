"""The heaviest group of every row by CUDA kernels against the definition, on a GPU where there is one or emulated."""

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded
from random_objects import rows_of

from grblas_gpu.backends.reference import graphs as defined
from grblas_gpu.backends.stores.storage import MatrixStore, VectorStore
from grblas_gpu.exceptions import IndexOutOfBound

#: For threads, warps and blocks; long.
LENGTHS = [0, 1, 7, 8, 9, 32, 33, 127, 128, 129, 300, 2, 0, 512, 513, 1500, 3, 40]


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    with loaded(request.param, monkeypatch, "eager.groups") as found:
        monkeypatch.setattr(found.groups, "MOST_SLOTS", 1024)
        yield found


def found(engine, a: MatrixStore, *given) -> dict[int, int]:
    there = MatrixStore(a.nrows, a.ncols, *map(engine.to_device, (a.indptr, a.indices, a.values)))
    store = engine.groups.heaviest_groups(there, *map(engine.to_device, _five(given)))
    best, present = engine.to_host(store.values), engine.to_host(store.present)
    return {i: int(best[i]) for i in range(a.nrows) if present is None or present[i]}


def expected(a: MatrixStore, *given) -> dict[int, int]:
    groups, handicap, wanted_rows, *by_row = _five(given)
    vectors = [None if x is None else VectorStore(len(x), x) for x in (groups, handicap, *by_row)]
    rows = None if wanted_rows is None else VectorStore(a.nrows, np.ones(1), present=wanted_rows)
    store = defined.heaviest_groups(a, *vectors[:2], rows, *vectors[2:])
    return dict(zip(store.indices.tolist(), store.values.tolist(), strict=True))


def _five(given) -> list:
    """Groups, handicaps, flags of rows, factors and the diagonal."""
    return [*given, *[None] * (5 - len(given))]


@pytest.mark.parametrize("kind", ["counted", "added up", "counted beside a diagonal"])
def test_rows_of_every_length(engine, kind: str) -> None:
    """Whole numbers: sums are exact, and many are equal."""
    rng = np.random.default_rng(3)
    a = rows_of(LENGTHS if kind != "counted beside a diagonal" else [*LENGTHS, *[0] * (1600 - len(LENGTHS))], 1600)
    a.values = np.full(1, 2.0) if "counted" in kind else rng.integers(-2, 4, sum(LENGTHS)).astype(float)
    handicap, wanted_rows = rng.integers(0, 3, 1600).astype(float), rng.random(a.nrows) < 0.7
    by_row = rng.integers(-1, 3, a.nrows).astype(float), rng.integers(-2, 4, a.nrows).astype(float)
    for count in (1, 20, 1600):
        groups = rng.integers(0, count, 1600)
        options = {"counted": (), "added up": (handicap, wanted_rows)}.get(kind, (handicap, wanted_rows, *by_row))
        assert found(engine, a, groups, *options) == expected(a, groups, *options), count
    groups[-1], groups[0] = 1600, -1
    with pytest.raises(IndexOutOfBound, match="1600 columns"):
        found(engine, a, groups, *options)
