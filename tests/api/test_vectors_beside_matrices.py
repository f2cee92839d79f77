"""A vector beside a matrix stands for every column (on the left) or every row: however either is stored."""

from __future__ import annotations

import numpy as np
import pytest

from grblas_gpu import Matrix, Vector, binary

FORMS = ["sparse", "bitmap", "hypersparse", "full"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("present", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("one_value", [False, True])
def test_intersections(backend: str, form: str, present: float, one_value: bool) -> None:
    random = np.random.default_rng(7)
    shape = (9, 6)
    kept = np.ones(shape, bool) if form == "full" else random.random(shape) < 0.4
    weights = random.integers(1, 50, shape)
    rows, cols = np.nonzero(kept)
    A = Matrix.from_coo(rows, cols, weights[kept], nrows=9, ncols=6).to(form=form)
    for axis, size in enumerate(shape):
        there = random.random(size) < present
        values = np.full(size, 5) if one_value else random.integers(1, 9, size)
        given = 5 if one_value else values[there]
        v = Vector.from_coo(np.flatnonzero(there), given, size=size, dtype=int)
        found = binary.minus(v & A).new() if axis == 0 else binary.minus(A & v).new()
        along = (slice(None), None) if axis == 0 else (None, slice(None))
        wanted = kept & there[along]
        difference = values[along] - weights if axis == 0 else weights - values[along]
        rows, cols, results = found.to_coo()
        assert np.array_equal(np.stack([rows, cols]), np.nonzero(wanted))
        assert np.array_equal(results, difference[wanted])


def test_matrices_without_entries(backend: str) -> None:
    for v in (Vector.from_scalar(3, 4), Vector(int, 4), Vector.from_coo([1], [2], size=4)):
        assert binary.first(v & Matrix(int, 4, 4)).new().isequal(Matrix(int, 4, 4))
        assert binary.second(Matrix(int, 4, 4) & v).new().isequal(Matrix(int, 4, 4))


@pytest.mark.parametrize("values", [[3, 1, 2], [4, 4, 4]])
def test_flags_that_are_all_set(backend: str, values: list[int]) -> None:
    v = Vector.from_dense(values)
    v._store = v._engine.with_kind(v._store, "bitmap")
    assert v._store.kind == "bitmap"
    A = Matrix.from_coo([0, 0, 2], [0, 2, 1], [10, 20, 30], nrows=3, ncols=3)
    assert binary.plus(v & A).new().to_coo()[2].tolist() == [10 + values[0], 20 + values[0], 30 + values[2]]
    assert binary.plus(A & v).new().to_coo()[2].tolist() == [10 + values[0], 20 + values[2], 30 + values[1]]
