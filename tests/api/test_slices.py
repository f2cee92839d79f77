"""Slices: what follows each other is cut out, and is what the same positions one by one give."""

import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401 (a fixture)
from random_objects import same_objects as same

from grblas_gpu import Matrix, Vector
from grblas_gpu.api import indexing

SLICES = [slice(*each) for each in [(2, 9), (0, 1), (5, 5), (9, 3), (None,), (-4, None), (1, 11, 3), (8, 2, -2)]]


def random_matrix(kind: str) -> Matrix:
    rng = np.random.default_rng(3)
    rows, cols = np.nonzero(rng.random((11, 30)) < 0.2)
    values = 2.0 if kind == "one value" else rng.random(len(rows)).astype(np.float32)
    return Matrix.from_coo(rows, cols, values, nrows=11, ncols=30).to(form="hypersparse" if kind == "few" else "sparse")


@pytest.mark.parametrize("kind", ["values", "one value", "few"])
def test_slices_of_matrices(backend, kind: str, monkeypatch) -> None:
    A = random_matrix(kind)
    cols = [4, 29, 4, 0]
    for long in (indexing.LONG_SLICE, 0):
        monkeypatch.setattr(indexing, "LONG_SLICE", long)
        for part in SLICES:
            rows = list(range(11))[part]
            same(A[part, :].new(), A[rows, :].new())
            same(A[part, cols].new(), A[rows, cols].new())
            same(A[part, 3:20].new(), A[rows, list(range(3, 20))].new())
            same(A.T[:, part].new(), A.T[:, rows].new())
            same(A.T[part, :].new(), A.T[list(range(30))[part], :].new())


def random_vector(kind: str) -> Vector:
    n = 300  # of which a format is chosen
    v = Vector.from_scalar(3, n) if kind == "one value" else Vector.from_dense(np.arange(n))
    if kind in ("bitmap", "sparse"):
        some = np.arange(0, n, 3) if kind == "bitmap" else np.array([5, 299])
        v = Vector.from_coo(some, some / 2, size=n)
    assert v._store.kind == kind.replace("one value", "full")
    return v


@pytest.mark.parametrize("kind", ["full", "one value", "bitmap", "sparse"])
def test_slices_of_vectors(backend, kind: str) -> None:
    v, n = random_vector(kind), 300
    for part in [*SLICES, slice(4, 280)]:
        same(v[part].new(), v[list(range(n))[part]].new())


def test_positions_are_not_listed(backend, monkeypatch) -> None:
    A, v = random_matrix("values"), Vector.from_dense(np.arange(11.0))

    def listed(axis: indexing.Axis, engine):
        raise AssertionError("positions were listed")

    monkeypatch.setattr(indexing.Axis, "on", listed)
    assert A[2:9, :].new().nrows == 7 and v[2:9].new().size == 7


def test_expressions_are_described_for_those_who_look(backend, monkeypatch) -> None:
    """Of an index on a device that would be a copy to the host, and a wait."""
    v = Vector.from_dense(np.arange(11.0))

    def described(axis: indexing.Axis) -> str:
        raise AssertionError("positions were listed")

    with monkeypatch.context() as patched:
        patched.setattr(indexing.Axis, "_expr_name", property(described))
        assert v[[3, 1]].new().to_dense().tolist() == [3, 1]
    assert f"{v.name}[[3, 1]]" in repr(v[[3, 1]]._to_expr())
