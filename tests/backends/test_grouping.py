"""Matrices and vectors from positions in any order, and transposes, beside SciPy and the definitions."""

import numpy as np
import pytest
import scipy.sparse

import grblas_gpu as gb
from grblas_gpu.backends.cpu import compile, grouping, scatter, tier
from grblas_gpu.backends.stores import counting


@pytest.fixture(autouse=True)
def compiled(set_tier):
    set_tier("numba")


@pytest.mark.parametrize("nrows, ncols", [(1, 5000), (700, 300), (5000, 1), (2**17, 2**16 + 3)])
@pytest.mark.parametrize("dtype", [None, "int8"])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_as_scipy(width: type, dtype: str | None, nrows: int, ncols: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("LARGE", "LONG", "BUCKET"):
        monkeypatch.setattr(grouping, number, 50)
    source = np.random.default_rng(nrows)
    rows, cols = (source.integers(0, size, 20_000, width) for size in (nrows, ncols))
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
        _, where = np.unique(rows.astype(int) * ncols + cols, return_index=True)
        assert first.to_coo()[2].tolist() == where.tolist()
    assert A.isequal(gb.io.from_scipy_sparse(sums), check_dtype=True)
    assert A.T.new().isequal(gb.io.from_scipy_sparse(sums.T.tocsr()), check_dtype=True)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f4", "f8", "c16"])
def test_transposes(dtype: str, rng: np.random.Generator) -> None:
    for nrows, ncols in ((40, 7), (1, 60), (30, 30)):
        dense = rng.random((nrows, ncols)) < 0.2
        rows, cols = np.nonzero(dense)
        for values in (rng.integers(0, 9, len(rows)).astype(dtype), np.ones(1, dtype)[0]):
            A = gb.Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=ncols)
            found = A.T.new()
            wanted = gb.Matrix.from_coo(cols, rows, values, nrows=ncols, ncols=nrows)
            assert found.isequal(wanted, check_dtype=True)
            assert found._store.iso == wanted._store.iso


def arrangements(array: np.ndarray) -> list[np.ndarray]:
    """The same numbers in memory of other types, with gaps, in reverse, and read-only."""
    fixed = array.copy()
    fixed.setflags(write=False)
    return [array, fixed, np.repeat(array, 2)[::2], array[::-1].copy()[::-1], array.astype(">i8"), array.astype("u8")]


@pytest.mark.parametrize("entries", [1, 50, 5000])
def test_positions_in_order(entries: int, rng: np.random.Generator) -> None:
    n = 2 * entries
    keys = np.sort(rng.choice(n * n, entries, replace=False))
    values, index = rng.random(entries), np.sort(rng.choice(n, entries, replace=False))
    wanted = scipy.sparse.coo_array((values, (keys // n, keys % n)), (n, n)).tocsr()
    for number, (rows, cols, places) in enumerate(zip(*map(arrangements, (keys // n, keys % n, index)), strict=True)):
        A = gb.Matrix.from_coo(rows, cols, values, nrows=n, ncols=n)
        v = gb.Vector.from_coo(places, values, size=n)
        indptr, indices, found = A.to_csr()
        for a, b in ((indptr, wanted.indptr), (indices, wanted.indices), (found, values), (v.to_coo()[0], index)):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(v.to_coo()[1], values)
        B = gb.Matrix.from_csr(indptr.copy(), cols if entries > 1 else indices, values, ncols=n)
        assert B.isequal(A)
        if number == 0:
            before = compile.compilations()
    assert compile.compilations() <= before + 1  # indices of a compressed format may be unsigned
    values[:] = 0  # the arrays are copies
    assert min(A.reduce_scalar().new().value, v.reduce().new().value) > 0


def test_positions_out_of_order(rng: np.random.Generator) -> None:
    index = rng.permutation(4000)[:2000]
    v = gb.Vector.from_coo(index, np.arange(2000), size=4000)
    np.testing.assert_array_equal(v.to_coo()[0], np.sort(index))
    np.testing.assert_array_equal(v.to_coo()[1], np.argsort(index))
    with pytest.raises(ValueError, match="dup_op"):
        gb.Vector.from_coo(np.repeat(index, 2), 1.5 * np.arange(4000), size=4000)
    with pytest.raises(ValueError, match="dup_op"):
        gb.Matrix.from_coo([0, 1, 1], [0, 2, 2], [1, 2, 3])


@pytest.mark.parametrize(
    "indptr, indices, values",
    [
        ([0, 2, 1], [0, 1], [1, 2]),
        ([1, 1, 2], [0, 1], [1, 2]),
        ([0, 1, 3], [0, 1], [1, 2]),
        ([0, 1, 2], [0, 4], [1, 2]),
        ([0, 1, 2], [0, -1], [1, 2]),
        ([0, 2, 2], [1, 1], [1, 2]),
        ([0, 1, 2], [0, 1], [1, 2, 3]),
        ([0, 1, 2], [0, 1], [1]),
    ],
)
def test_errors_of_compressed_formats(indptr: list[int], indices: list[int], values: list[int]) -> None:
    """The kernel that checks a compressed format leaves the error to the definition."""
    found = []
    for name in ("numba", "numpy"):
        tier.set_tier(name)
        with pytest.raises(Exception) as error:
            gb.Matrix.from_csr(*map(np.array, (indptr, indices, values)), ncols=3)
        found.append((error.type, str(error.value)))
    assert found[0] == found[1]


def test_unsorted_lines_are_sorted() -> None:
    A = gb.Matrix.from_csr(np.array([0, 3, 3]), np.array([2, 0, 1]), np.array([7, 8, 9]), ncols=3)
    assert A.to_dicts() == {0: {0: 8, 1: 9, 2: 7}}


@pytest.mark.parametrize("fill", [0.001, 0.1, 0.97])
@pytest.mark.parametrize("size", [100, 5000, 70_001])
def test_flags_are_listed(fill: float, size: int, rng: np.random.Generator) -> None:
    flags = rng.random(size) < fill
    flags[-1] = fill > 0.5
    for given in (flags, np.repeat(flags, 2)[::2]):
        np.testing.assert_array_equal(counting.places(given), np.flatnonzero(flags))
    found = scatter.listed(flags)
    assert (found is None) == (size < scatter.MANY or fill < 1 / scatter.RARE)


def test_narrow_positions_of_many_cells() -> None:
    ends = np.array([2**31 - 2, 5], np.int32), np.array([7, 2**31 - 2], np.int32)
    assert gb.Matrix.from_coo(*ends, [1, 2], nrows=2**40, ncols=2**40).to_dicts() == {
        5: {2**31 - 2: 2},
        2**31 - 2: {7: 1},
    }
