"""Changes of many elements at once on the CUDA engine: as many kernels for all as for one, and the same entries."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401 (a fixture)

import grblas_gpu as gb

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize("shape", [(12, 9), (60,), (5000,)])
def test_many_changes(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(8)
    keys = np.unique(random.integers(0, np.prod(shape), 30))
    index = np.unravel_index(keys, shape)
    if len(shape) == 2:
        x = gb.Matrix.from_coo(*index, keys * 1.5, nrows=shape[0], ncols=shape[1])
    else:
        x = gb.Vector.from_coo(*index, keys * 1.5, size=shape[0])
    expected = dict(zip(zip(*(axis.tolist() for axis in index), strict=True), (keys * 1.5).tolist(), strict=True))
    for _ in range(2):
        for number in range(20):
            place = tuple(int(random.integers(n)) for n in shape)
            key = place if len(shape) == 2 else place[0]
            if number % 3:
                x[key] = expected[place] = float(number)
            else:
                del x[key]
                expected.pop(place, None)
        assert x.nvals == len(expected)
        *places, values = (np.asarray(part).tolist() for part in x.to_coo())
        assert dict(zip(zip(*places, strict=True), values, strict=True)) == expected


def test_updates_and_the_transpose() -> None:
    """Arrays of changes, on the device and of the host; a transpose that the matrix has is changed, too."""
    random = np.random.default_rng(3)
    expected = np.zeros((12, 12))
    A = gb.Matrix(float, 12, 12)
    for number in range(3):
        rows, cols, values = random.integers(0, 12, 20), random.integers(0, 12, 20), random.random(20)
        A.update(A._engine.array(rows), cols, values, dup_op="max")
        expected[rows, cols] = 0
        np.maximum.at(expected, (rows, cols), values)
        A.delete(cols[:5], rows[:5])
        expected[cols[:5], rows[:5]] = 0
        assert A.nvals == np.count_nonzero(expected)
        assert (A.T.new().to_dense(0.0) == expected.T).all()
        assert (A._store.transposed() is A._store) == (expected == expected.T).all()
        if number == 1:
            expected = np.maximum(expected, expected.T)
            A << gb.binary.max(A | A.T)
