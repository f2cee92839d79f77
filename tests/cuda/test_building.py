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
    parts = ("building", "matrix_facts", "operating", "row_sorting")
    with loaded(request.param, monkeypatch, *(f"eager.{name}" for name in parts)) as found:
        yield found


def built(engine, nrows: int, ncols: int, rows: Any, cols: Any, values: Any, dup_op: Any) -> Any:
    to = engine.to_device
    there = np.broadcast_to(to(values[:1]), values.shape) if values.strides[0] == 0 else to(values)
    given = (to(rows), to(cols), there, dup_op, engine.operating.reduce_runs)
    return moved(engine.building.build_matrix(nrows, ncols, *given), engine.to_host)


@pytest.mark.parametrize("nrows, ncols", [(3, 4), (1, 6000), (6000, 1), (300, 70), (2**20, 2**20), (2**31, 2**31)])
@pytest.mark.parametrize("shuffled", [True, False])
@pytest.mark.parametrize("by_rows", [True, False])
def test_positions_in_any_order(engine, monkeypatch, nrows, ncols, shuffled, by_rows) -> None:
    monkeypatch.setattr(engine.row_sorting, "LEAST", 2 if by_rows else 2**40)
    monkeypatch.setattr(engine.row_sorting, "LEAST_BITS", 1)
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


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
@pytest.mark.parametrize("ncols", [3000, 2**24 + 5])
def test_rows_of_every_length(engine, monkeypatch, dtype, ncols) -> None:
    """Scattered to their rows and sorted there: in registers, and long ones by the bits of columns, in windows."""
    monkeypatch.setattr(engine.row_sorting, "LEAST", 2)
    monkeypatch.setattr(engine.row_sorting, "LEAST_BITS", 1)
    monkeypatch.setattr(engine.row_sorting, "shared_limit", lambda device: 2000 if ncols < 2**20 else 45056)
    monkeypatch.setattr(engine.row_sorting, "MOST_WINDOWS", 100)
    rng = np.random.default_rng(4)
    lengths = [0, 1, 7, 8, 9, 16, 17, 32, 33, 63, 64, 65, 128, 129, 255, 257, 511, 512, 513, 2000, 3000, 0, 5]
    columns = [ncols - 1 - rng.choice(3000, length, replace=False) for length in lengths]
    rows, cols = np.repeat(np.arange(len(lengths)), lengths), np.concatenate(columns)
    order = rng.permutation(len(rows))
    rows, cols, values = rows[order], cols[order], rng.integers(-9, 9, len(rows)).astype(dtype)
    assert engine.row_sorting.suits(len(rows), len(lengths), ncols, 20)
    scattered = []
    make = engine.building._by_rows
    monkeypatch.setattr(engine.building, "_by_rows", lambda *given: scattered.append(make(*given)) or scattered[-1])
    for given in (values, np.broadcast_to(np.array([2.5], dtype), values.shape)):
        expected = definitions.build_matrix(len(lengths), ncols, rows, cols, given, None)
        same(built(engine, len(lengths), ncols, rows, cols, given, None), expected)
        assert scattered[-1] is not None


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("op", [monoid.plus["FP64"], binary.minus["FP64"], binary.first["FP64"]], ids=str)
def test_equal_positions(engine, monkeypatch, op, by_rows) -> None:
    monkeypatch.setattr(engine.row_sorting, "LEAST", 2 if by_rows else 2**40)
    monkeypatch.setattr(engine.row_sorting, "LEAST_BITS", 1)
    rng = np.random.default_rng(1)
    rows, cols = rng.integers(0, 40, 6000), rng.integers(0, 30, 6000)
    values = rng.integers(-9, 9, 6000).astype(float)
    same(built(engine, 40, 30, rows, cols, values, op), definitions.build_matrix(40, 30, rows, cols, values, op))
    with pytest.raises(InvalidValue, match="dup_op"):
        built(engine, 40, 30, rows, cols, values, None)
