"""Large matrices from positions in any order, and their transposes, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import grblas_gpu as gb
from grblas_gpu.backends.cpu import grouping, tier


@pytest.fixture(autouse=True)
def compiled():
    before = tier.get_tier()
    tier.set_tier("numba")
    yield
    tier.set_tier(before)


@pytest.mark.parametrize("nrows, ncols", [(1, 5000), (700, 300), (5000, 1), (2**17, 2**16 + 3)])
@pytest.mark.parametrize("dtype", [None, "int8"])
def test_as_scipy(dtype: str | None, nrows: int, ncols: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("LARGE", "LONG", "BUCKET"):
        monkeypatch.setattr(grouping, number, 50)
    source = np.random.default_rng(nrows)
    rows, cols = source.integers(0, nrows, 20_000), source.integers(0, ncols, 20_000)
    values = np.ones(20_000, bool) if dtype is None else source.integers(0, 3, 20_000).astype(dtype)
    sums = scipy.sparse.coo_array((values, (rows, cols)), (nrows, ncols)).tocsr()
    if dtype is None:
        A = gb.Matrix.from_coo(rows, cols, True, nrows=nrows, ncols=ncols)
        ones = np.broadcast_to(1, 20_000)
        counts = gb.Matrix.from_coo(rows, cols, ones, nrows=nrows, ncols=ncols, dup_op=gb.binary.plus)
        times = scipy.sparse.coo_array((ones, (rows, cols)), (nrows, ncols)).tocsr()
        assert counts.isequal(gb.io.from_scipy_sparse(times), check_dtype=True)
        with pytest.raises(ValueError, match="dup_op"):
            gb.Matrix.from_coo(*[[0, 0] * 100] * 2, ones[:200], nrows=nrows, ncols=ncols)
    else:
        A = gb.Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=ncols, dup_op=gb.binary.plus)
        if A.nvals < len(rows):
            with pytest.raises(ValueError, match="dup_op"):
                gb.Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=ncols)
        first = gb.Matrix.from_coo(rows, cols, np.arange(20_000), nrows=nrows, ncols=ncols, dup_op=gb.binary.first)
        _, where = np.unique(rows * ncols + cols, return_index=True)
        assert first.to_coo()[2].tolist() == where.tolist()
    assert A.isequal(gb.io.from_scipy_sparse(sums), check_dtype=True)
    assert A.T.new().isequal(gb.io.from_scipy_sparse(sums.T.tocsr()), check_dtype=True)
