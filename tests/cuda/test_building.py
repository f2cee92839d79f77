"""Matrices from coordinates by the CUDA engine against the definitions, on a GPU where there is one or emulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, loaded, moved
from matrix_cases import same
from vector_cases import definitions

from grblas_gpu import binary, monoid
from grblas_gpu.errors import InvalidValue


@pytest.fixture(params=SLOW_ENGINES)
def engine(request, monkeypatch) -> Iterator[Any]:
    with loaded(request.param, monkeypatch, "eager.building", "eager.matrix_facts", "eager.operating") as found:
        yield found


def built(engine, nrows: int, ncols: int, rows: Any, cols: Any, values: Any, dup_op: Any) -> Any:
    to = engine.to_device
    there = np.broadcast_to(to(values[:1]), values.shape) if values.strides[0] == 0 else to(values)
    given = (to(rows), to(cols), there, dup_op, engine.operating.reduce_runs)
    return moved(engine.building.build_matrix(nrows, ncols, *given), engine.to_host)


@pytest.mark.parametrize("nrows, ncols", [(3, 4), (1, 6000), (6000, 1), (300, 70), (2**20, 2**20), (2**31, 2**31)])
@pytest.mark.parametrize("shuffled", [True, False])
def test_positions_in_any_order(engine, nrows, ncols, shuffled) -> None:
    rng = np.random.default_rng(nrows + shuffled)
    most = min(nrows * ncols, 5000)
    keys = np.unique(rng.integers(0, nrows * ncols, most))
    if shuffled:
        rng.shuffle(keys)
    if nrows == 2**31:
        assert engine.building.build_matrix(nrows, 2**33, *(engine.to_device(keys),) * 3, None, None) is None
        nrows = 1000  # offsets of all rows would not fit here
        keys = keys % (nrows * ncols)
        keys = np.unique(keys) if not shuffled else rng.permutation(np.unique(keys))
    rows, cols = keys // ncols, keys % ncols
    for values in (rng.integers(-9, 9, len(keys)).astype(np.int16), np.broadcast_to(np.array([2.5]), keys.shape)):
        expected = definitions.build_matrix(nrows, ncols, rows, cols, values, None)
        same(built(engine, nrows, ncols, rows, cols, values, None), expected)


@pytest.mark.parametrize("op", [monoid.plus["FP64"], binary.minus["FP64"], binary.first["FP64"]], ids=str)
def test_equal_positions(engine, op) -> None:
    rng = np.random.default_rng(1)
    rows, cols = rng.integers(0, 40, 6000), rng.integers(0, 30, 6000)
    values = rng.integers(-9, 9, 6000).astype(float)
    same(built(engine, 40, 30, rows, cols, values, op), definitions.build_matrix(40, 30, rows, cols, values, op))
    with pytest.raises(InvalidValue, match="dup_op"):
        built(engine, 40, 30, rows, cols, values, None)
