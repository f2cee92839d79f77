"""Products with full vectors by tiles: the same as row by row, to the last bit."""

from __future__ import annotations

import importlib
from typing import Any

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, semiring

SHARED, LONGEST = 1024, 16  # bytes, and entries of a row


@pytest.fixture
def module(to_device: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tiles for small matrices."""
    tiles = importlib.import_module("grblas_gpu.backends.cuda.eager.entry_tiles")
    product = importlib.import_module("grblas_gpu.backends.cuda.eager.mxv_tiles")
    for owner in (tiles, product):
        monkeypatch.setattr(owner, "SHARED", SHARED)
    for name, value in {"LONGEST": LONGEST, "LEAST_VECTOR": 1, "LEAST_TILE": 1, "LEAST_DEGREE": 1}.items():
        monkeypatch.setattr(tiles, name, value)
    monkeypatch.setattr(tiles, "free_bytes", lambda: 2**40)
    return tiles


def random_matrix(nrows: int, ncols: int, dtype: Any, seed: int, iso: bool = False) -> Matrix:
    """Rows of up to LONGEST entries, some without any."""
    random = np.random.default_rng(seed)
    lengths = random.integers(LONGEST // 3, LONGEST + 1, nrows)  # so many that a lane does not take one alone
    lengths[nrows // 2 : nrows // 2 + 40] = 0
    rows = np.repeat(np.arange(nrows), lengths)
    cols = np.concatenate([np.sort(random.choice(ncols, length, replace=False)) for length in lengths])
    values = (random.random(len(rows)) * 100).astype(dtype)
    return Matrix.from_coo(rows, cols, values[0] if iso else values, nrows=nrows, ncols=ncols, dtype=dtype)


@pytest.mark.parametrize(
    ("dtype", "name", "iso"),
    [
        ("FP32", "plus_times", False),
        ("FP64", "plus_times", False),
        ("INT64", "min_plus", False),
        ("FP32", "plus_times", True),
        ("FP32", "plus_second", False),
    ],
)
def test_the_same_sums(to_device: Any, module: Any, dtype: str, name: str, iso: bool) -> None:
    kind = getattr(gb.dtypes, dtype)
    for nrows, ncols in ((700, 640), (301, 1000)):
        with gb.using("cpu"):
            host = random_matrix(nrows, ncols, kind.np_type, nrows, iso)
            elements = (np.random.default_rng(1).random(ncols) * 100).astype(kind.np_type)
        A, u = to_device(host), Vector.from_dense(elements)
        A._store._column_order = -(2**30)  # it will not be asked
        expected = getattr(semiring, name)(A @ u).new(strategy="pull.edge")
        A._store._column_order = None  # it has been in some products, and has no hubs
        for _ in range(2):
            found = getattr(semiring, name)(A @ u).new(strategy="pull.edge")
            tiles = A._store._entry_tiles._tiles
            assert [made is not None for made in tiles.values()] == [True]
            assert found.isequal(expected, check_dtype=True)
            assert found.nvals == expected.nvals


def test_where_tiles_do_not_pay(to_device: Any, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with gb.using("cpu"):
        band = Matrix.from_coo(
            np.repeat(np.arange(900), 3), np.repeat(np.arange(900), 3) + np.tile([0, 1, 2], 900), 1.5
        )
        long_row = random_matrix(300, 640, np.float32, 5)
        long_row[7, :] << 1.0
    few_bytes = random_matrix(300, 640, np.float32, 5)
    for host in (band, long_row, few_bytes):
        if host is few_bytes:
            monkeypatch.setattr(module, "free_bytes", lambda: 10)
        A = to_device(host.to("cpu"))
        u = Vector.from_dense(np.ones(A.ncols, A.dtype.np_type))
        A._store._column_order = None
        found = semiring.plus_times(A @ u).new(strategy="pull.edge")
        assert not any(A._store._entry_tiles._tiles.values())
        with gb.using("cpu"):
            assert found.to("cpu").isclose(semiring.plus_times(host.to("cpu") @ u.to("cpu")).new(), rel_tol=1e-5)


def test_other_values(to_device: Any, module: Any) -> None:
    """Values in the order of tiles are those that the matrix has now."""
    with gb.using("cpu"):
        host = random_matrix(700, 640, np.float64, 3)
    A, u = to_device(host), Vector.from_dense(np.arange(640.0))
    A._store._column_order = None
    before = semiring.plus_times(A @ u).new(strategy="pull.edge")
    A._store.values = A._store.values + 1
    assert not semiring.plus_times(A @ u).new(strategy="pull.edge").isclose(before)
    B = A.dup()
    assert (
        semiring.plus_times(A @ u)
        .new(strategy="pull.edge")
        .isclose(semiring.plus_times(B @ u).new(strategy="pull.edge"), rel_tol=1e-12)
    )


@pytest.mark.parametrize("blocks", [1, 3])
def test_in_a_loop(to_device: Any, module: Any, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """A loop finds tiles at once; its sums are those of calls, to the last bit."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    columns = importlib.import_module("grblas_gpu.backends.cuda.eager.column_order")
    for name, value in {"LEAST_COLUMNS": 1, "LEAST_DEGREE": 1, "LEAST_SHARE": 2.0}.items():  # no column is a hub
        monkeypatch.setattr(columns, name, value)
    with gb.using("cpu"):
        host = random_matrix(640, 640, np.float32, 4)
    A, B = to_device(host), to_device(host)
    elements = np.arange(640, dtype=np.float32)
    x, y, z = Vector.from_dense(elements), Vector("FP32", 640), Vector("FP32", 640)
    loop = gb.loop(x, 3)
    for _ in loop:
        y << semiring.plus_times(A @ x)
        z(gb.binary.plus) << y
        x << gb.binary.times(x, np.float32(0.3))
    assert loop.mode == "fused"
    assert [made is not None for made in A._store._entry_tiles._tiles.values()] == [True]
    B._store._column_order = -(2**30)
    x, expected = Vector.from_dense(elements), Vector("FP32", 640)
    for _ in range(3):
        expected(gb.binary.plus) << semiring.plus_times(B @ x).new(strategy="pull.edge")
        x << gb.binary.times(x, np.float32(0.3))
    assert z.isequal(expected, check_dtype=True)
