"""Random vectors and matrices: stores as an engine sees them, and objects of the public API."""

from collections.abc import Sequence

import numpy as np

from grblas_gpu import Matrix
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MatrixStore, VectorStore, column_type

definitions = Definitions()
KINDS = ["sparse", "unordered", "bitmap", "full"]
#: The storages of :func:`small_vector`, and its size.
SMALL_KINDS, SIZE = ["sparse", "bitmap", "full", "iso sparse", "iso bitmap", "empty"], 23


def random_values(rng: np.random.Generator, count: int, dtype, below: int | None = None) -> np.ndarray:
    """Numbers with exact sums in any order: integers from 0 on, or also negative numbers and quarters."""
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(count) < 0.7
    if below is not None:
        return rng.integers(0, below, count).astype(dtype)
    if dtype.kind == "f":
        return (rng.integers(-20, 20, count) / 4).astype(dtype)
    return rng.integers(0 if dtype.kind == "u" else -100, 100, count).astype(dtype)


def random_vector(
    rng: np.random.Generator,
    size: int,
    kind: str,
    dtype,
    fill: float,
    iso: bool | None = None,
    below: int | None = None,
) -> VectorStore:
    """A vector of one of :data:`KINDS`; three of ten are iso, unless ``iso`` is given."""
    iso = rng.random() < 0.3 if iso is None else iso
    if kind == "full":
        return VectorStore(size, random_values(rng, 1 if iso else size, dtype, below))
    present = rng.random(size) < fill
    if kind == "bitmap":
        return VectorStore(size, random_values(rng, 1 if iso else size, dtype, below), present=present)
    indices = np.flatnonzero(present).astype(INDEX)
    if kind == "unordered":
        rng.shuffle(indices)
    count = min(1, len(indices)) if iso else len(indices)
    return VectorStore(size, random_values(rng, count, dtype, below), indices=indices, ordered=kind == "sparse")


def random_matrix(
    rng: np.random.Generator,
    nrows: int,
    ncols: int,
    dtype,
    fill: float,
    iso: bool | None = None,
    below: int | None = None,
) -> MatrixStore:
    """A matrix by rows; three of ten are iso, unless ``iso`` is given."""
    where = rng.random((nrows, ncols)) < fill
    indptr = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(INDEX)
    indices = np.nonzero(where)[1].astype(column_type(ncols))
    iso = rng.random() < 0.3 if iso is None else iso
    count = min(1, len(indices)) if iso else len(indices)
    return MatrixStore(nrows, ncols, indptr, indices, random_values(rng, count, dtype, below))


def valued_matrix(rng: np.random.Generator, nrows: int, ncols: int, dtype, fill: float) -> MatrixStore:
    """A random matrix with a value for each entry, a quarter of them zero."""
    a = random_matrix(rng, nrows, ncols, dtype, fill)
    a.values = rng.integers(0, 4, a.nvals).astype(dtype)
    return a


def one_value(a: MatrixStore) -> MatrixStore:
    """The positions of a matrix, all with its first value."""
    return MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, a.values[: min(1, a.nvals)])


def with_degrees(degrees, dtype=np.float64, seed: int = 0) -> MatrixStore:
    """Rows of these lengths, with values between -9 and 8."""
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(INDEX)
    indices = np.concatenate([np.arange(degree, dtype=np.int32) for degree in degrees])
    values = np.random.default_rng(seed).integers(-9, 9, len(indices)).astype(dtype)
    return MatrixStore(len(degrees), max(1, *degrees), indptr, indices, values)


def rows_of(lengths, ncols: int, dtype=np.float64, seed: int = 0) -> MatrixStore:
    """Rows of these lengths with random columns, and values from 1 to 8."""
    rng = np.random.default_rng(seed)
    columns = [np.sort(rng.choice(ncols, length, replace=False)) for length in lengths]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(INDEX)
    indices = np.concatenate([np.empty(0, np.int32), *columns]).astype(column_type(ncols))
    return MatrixStore(len(lengths), ncols, indptr, indices, rng.integers(1, 9, len(indices)).astype(dtype))


def small_vector(kind: str, dtype, seed: int, size: int = SIZE) -> VectorStore:
    """One of :data:`SMALL_KINDS`, or "iso full"."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, size).astype(dtype)
    if "full" in kind:
        return VectorStore(size, values[:1].copy() if "iso" in kind else values)
    indices = np.flatnonzero(random.random(size) < (0.5 if kind != "empty" else 0)).astype(INDEX)
    store = VectorStore(size, values[:1].copy() if "iso" in kind else values[indices], indices=indices)
    return definitions.with_kind(store, "bitmap") if "bitmap" in kind else store


def matrix_of(seed: int | Sequence[int], shape: tuple[int, int], fill: float, values=(1, 9), dtype=int) -> Matrix:
    """A Matrix of whole numbers between two limits, or of one value."""
    rng = np.random.default_rng(seed)
    rows, cols = np.nonzero(rng.random(shape) < fill)
    drawn = rng.integers(*values, len(rows)).astype(bool if dtype is bool else int) if np.ndim(values) else values
    return Matrix.from_coo(rows, cols, drawn, dtype, nrows=shape[0], ncols=shape[1])


def same_objects(found, expected, note: str = "") -> None:
    """Objects of the public API, on any engines, with the same entries."""
    assert found.shape == expected.shape and found.dtype == expected.dtype, note
    for mine, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_array_equal(mine, other, note)


def same(found, wanted) -> None:
    """The same entries of the same type, in the same order."""
    if type(wanted) is MatrixStore:
        assert (found.nrows, found.ncols) == (wanted.nrows, wanted.ncols)
        np.testing.assert_array_equal(found.indptr, wanted.indptr)
        assert found.indices.dtype == wanted.indices.dtype
    for one, other in zip(entries(found), entries(wanted), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.nvals == wanted.nvals and found.values.dtype == wanted.values.dtype


def same_product(found: MatrixStore, wanted: MatrixStore, op) -> None:
    """The same entries; values may differ by rounding, and by the choice of ``any``."""
    assert (found.nrows, found.ncols, found.nvals) == (wanted.nrows, wanted.ncols, wanted.nvals)
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    np.testing.assert_array_equal(found.indices, wanted.indices)
    assert found.indices.dtype == column_type(found.ncols) and found.values.dtype == wanted.values.dtype
    assert len(found.values) in (found.nvals, min(1, found.nvals))
    if not op.monoid.any_value:
        single = found.values.dtype == np.float32
        values, expected = (np.broadcast_to(x.values, x.nvals) for x in (found, wanted))
        np.testing.assert_allclose(values, expected, rtol=1e-5 if single else 1e-12, atol=1e-4 if single else 0)
