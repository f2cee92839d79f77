"""``ss.concat`` of tiles in every form is what their dense blocks make."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401 (a fixture)
from random_objects import matrix_of

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector
from grblas_gpu.backends.stores import tiles


def tile(nrows: int, ncols: int, fill: float, form: str, value=None, seed: int = 0) -> Matrix:
    return matrix_of([nrows, ncols, seed], (nrows, ncols), fill, (1, 99) if value is None else value).to(form=form)


def check(rows, dtype=None) -> Matrix:
    whole = gb.ss.concat(rows, dtype)
    expected = np.block([[each.to_dense(fill_value=0) for each in row] for row in rows])
    assert whole.shape == expected.shape and whole.nvals == sum(each.nvals for row in rows for each in row)
    np.testing.assert_array_equal(whole.to_dense(fill_value=0), expected)
    indptr, indices, _ = whole.to_csr()
    for start, stop in zip(indptr[:-1], indptr[1:], strict=True):
        assert (np.diff(indices[start:stop].astype(int)) > 0).all()
    assert whole.dtype == (rows[0][0].dtype if dtype is None else dtype)
    return whole


@pytest.mark.parametrize("form", ["sparse", "hypersparse", "bitmap"])
def test_tiles(backend, form: str) -> None:
    A, B = tile(20, 30, 0.1, form), tile(7, 30, 0.2, "sparse")
    check([[A], [B]])
    check([[A], [A], [A]], "FP64")
    check([[A, tile(20, 5, 0.3, "sparse"), tile(20, 9, 0.0, "sparse")]])
    check([[A, tile(20, 4, 0.3, form)], [B, tile(7, 4, 0.3, "sparse")]])
    check([[A.T], [tile(3, 20, 0.2, form)]])
    check([[tile(0, 30, 0.0, "sparse")], [tile(3, 30, 0.0, "sparse")]])


def test_what_lies_above_each_other_is_copied(monkeypatch) -> None:
    """Copies of whole arrays: on a device ``concatenate`` moves element by element."""

    def refused(*given) -> None:
        raise AssertionError("concatenate")

    A, B = tile(20, 30, 0.1, "sparse"), tile(7, 30, 0.2, "sparse")
    monkeypatch.setattr(np, "concatenate", refused)
    found = tiles.joined([[A._store], [B._store]], np.dtype(int))
    monkeypatch.undo()
    assert found.nvals == A.nvals + B.nvals and found.nrows == 27


def test_one_value(backend) -> None:
    twos, more, threes = (tile(20, 30, 0.1, "sparse", value, value) for value in (2, 2, 3))
    nothing = tile(20, 30, 0.0, "sparse")
    for rows in ([[twos], [more]], [[twos, more]], [[nothing], [twos]], [[twos, nothing], [more, twos]]):
        assert check(rows)._store.iso
    for rows in ([[twos], [threes]], [[twos, threes]]):
        assert not check(rows)._store.iso


def test_vectors(backend) -> None:
    v, w = Vector.from_coo([1, 5], [1, 2], size=9), Vector.from_dense([4, 5, 6])
    found = gb.ss.concat([v, w, v])
    assert found.to_dict() == {1: 1, 5: 2, 9: 4, 10: 5, 11: 6, 13: 1, 17: 2} and found.size == 21


def test_what_does_not_fit(backend) -> None:
    A, B = tile(4, 3, 0.5, "sparse"), tile(5, 3, 0.5, "sparse")
    with pytest.raises(gb.exceptions.DimensionMismatch, match="a tile has shape"):
        gb.ss.concat([[A, B]])
