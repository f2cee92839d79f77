"""Matrices from coordinates by the CUDA engine against the definitions, on a GPU where there is one or emulated."""

import sys

import numpy as np
import pytest
from emulated_engine import BACKENDS, SLOW_ENGINES, backend, engine_fixture
from random_objects import definitions, same

import grblas_gpu as gb
from grblas_gpu import binary, monoid
from grblas_gpu.exceptions import IndexOutOfBound, InvalidValue

engine = engine_fixture("eager.building", "eager.matrix_facts", "eager.operating", params=SLOW_ENGINES)


def built(engine, nrows: int, ncols: int, rows, cols, values, dup_op):
    to = engine.to_device
    there = np.broadcast_to(to(values[:1]), values.shape) if values.strides[0] == 0 else to(values)
    given = (to(rows), to(cols), there, dup_op, engine.operating.reduce_runs)
    return engine.here(engine.building.build_matrix(nrows, ncols, *given))


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


@pytest.mark.parametrize("entry", [1, 31, 32, 96, 128, 1024, 4999])
def test_one_position_that_is_not_in_order_is_found(engine, entry) -> None:
    """Neighbours are compared within a warp, from one of its reads to the next, and with what another warp has."""
    keys = np.arange(5000) * 3
    keys[[entry - 1, entry]] = keys[[entry, entry - 1]]
    rows, cols, values = keys // 7000, keys % 7000, np.arange(5000.0)
    expected = definitions.build_matrix(3, 7000, rows, cols, values, None)
    same(built(engine, 3, 7000, rows, cols, values, None), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
@pytest.mark.parametrize("ncols", [3000, 2**24 + 5])
def test_rows_of_every_length(engine, dtype, ncols) -> None:
    """Most entries in a few rows: many have the same digits."""
    rng = np.random.default_rng(4)
    lengths = [0, 1, 7, 33, 513, 2000, 3000, 0, 5]
    columns = [ncols - 1 - rng.choice(3000, length, replace=False) for length in lengths]
    rows, cols = np.repeat(np.arange(len(lengths)), lengths), np.concatenate(columns)
    order = rng.permutation(len(rows))
    rows, cols, values = rows[order], cols[order], rng.integers(-9, 9, len(rows)).astype(dtype)
    for given in (values, np.broadcast_to(np.array([2.5], dtype), values.shape)):
        expected = definitions.build_matrix(len(lengths), ncols, rows, cols, given, None)
        same(built(engine, len(lengths), ncols, rows, cols, given, None), expected)


@pytest.mark.parametrize("op", [monoid.plus["FP64"], binary.minus["FP64"], binary.first["FP64"]], ids=str)
def test_equal_positions(engine, op) -> None:
    rng = np.random.default_rng(1)
    rows, cols = rng.integers(0, 40, 6000), rng.integers(0, 30, 6000)
    values = rng.integers(-9, 9, 6000).astype(float)
    same(built(engine, 40, 30, rows, cols, values, op), definitions.build_matrix(40, 30, rows, cols, values, op))
    with pytest.raises(InvalidValue, match="dup_op"):
        built(engine, 40, 30, rows, cols, values, None)


@pytest.mark.parametrize("entry", [0, 63, 64, 2999])
@pytest.mark.parametrize("row, col", [(-1, 3), (50, 3), (3, -(2**40)), (3, 70), (2**62, 2**62)])
def test_positions_outside_are_found_on_the_way(engine, entry, row, col) -> None:
    rng = np.random.default_rng(entry)
    rows, cols = rng.integers(0, 50, 3000), rng.integers(0, 70, 3000)
    values = rng.random(3000)
    for shape in ((51, 71), (50, 70)):
        rows[0], cols[0], rows[1], cols[1] = shape[0] - 1, 0, 0, shape[1] - 1  # the last ones are inside
        built(engine, *shape, rows, cols, values, monoid.plus["FP64"])
        engine.building.check_positions(*shape, rows, cols)
    rows[entry], cols[entry] = row, col
    with pytest.raises(IndexOutOfBound):
        built(engine, 50, 70, rows, cols, values, monoid.plus["FP64"])
    with pytest.raises(IndexOutOfBound):
        engine.building.check_positions(50, 70, rows, cols)


@pytest.mark.parametrize("kind", BACKENDS[2:])
def test_messages_say_which_index_lies_outside(kind, monkeypatch) -> None:
    """Arrays on a device are not looked at before they are packed, unless a size has to be found."""
    with backend(kind, monkeypatch) as name, gb.using(name):
        rng = np.random.default_rng(0)
        given = {"rows": rng.integers(0, 50, 3000), "columns": rng.integers(0, 70, 3000), "values": rng.random(3000)}

        def made(**shape: int) -> gb.Matrix:
            there = {label: sys.modules["cupy"].asarray(array) for label, array in given.items()}
            return gb.Matrix.from_coo(**there, **shape, dup_op=binary.plus)

        assert made(nrows=50, ncols=70).nvals == len(set(zip(given["rows"], given["columns"], strict=True)))
        given["rows"][5] = 50
        with pytest.raises(IndexOutOfBound, match="row indices: 50 is out of range for size 50"):
            made(nrows=50, ncols=70)
        given["rows"][5] = -3
        for shape in ({"nrows": 50, "ncols": 70}, {"ncols": 70}):
            with pytest.raises(OverflowError, match="row indices must not be negative; got -3"):
                made(**shape)
        given["rows"][5], given["columns"][2999] = 3, 70
        for values in (given["values"], given["values"] + 1j):
            given["values"] = values
            with pytest.raises(IndexOutOfBound, match="column indices: 70 is out of range for size 70"):
                made(nrows=50, ncols=70)
        given["values"], given["columns"][2999] = given["values"].real, 3
        given["rows"] = given["rows"].astype(np.uint64)
        assert made(nrows=50, ncols=70).nvals == len(set(zip(given["rows"], given["columns"], strict=True)))
        for number in (2**64 - 1, 2**61):
            given["rows"][5] = number
            with pytest.raises(IndexOutOfBound, match=f"row indices: {number} is out of range for size 50"):
                made(nrows=50, ncols=70)


@pytest.mark.parametrize("kind", BACKENDS[2:])
@pytest.mark.parametrize("size", [2**32, 2**60])
def test_hypersparse_matrices_of_many_entries(kind: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(size)
    near = numbers.integers(0, size, 40)
    rows, cols = near[numbers.integers(0, 40, (2, 300))]
    values = numbers.integers(1, 9, 300)
    with gb.using("cpu"):
        expected = gb.Matrix.from_coo(rows, cols, values, nrows=size, ncols=size, dup_op=binary.minus)
    with backend(kind, monkeypatch) as name, gb.using(name):
        for limit in ("FEW", "FEW_HYPERSPARSE"):
            monkeypatch.setattr(sys.modules["grblas_gpu.backends.cuda.building"], limit, 4)
        on_device = [gb.Vector.from_dense(x)._store.values for x in (rows, cols, values)]
        for i, j, x in ((rows, cols, values), on_device):
            found = gb.Matrix.from_coo(i, j, x, nrows=size, ncols=size, dup_op=binary.minus)
            assert found.to("cpu").isequal(expected)
            with pytest.raises(ValueError, match="Duplicate"):
                gb.Matrix.from_coo(i, j, x, nrows=size, ncols=size)
            with pytest.raises(IndexOutOfBound):
                gb.Matrix.from_coo(i, j, x, nrows=size, ncols=1000)
