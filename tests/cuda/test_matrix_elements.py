"""Single elements of matrices: the CUDA engine's kernels against the definitions, and that they compile."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_engine import engine_fixture, moved
from random_objects import definitions, same, with_degrees

from grblas_gpu.backends.stores.storage import MatrixStore

DEGREES = [3, 0, 7, 1, 0, 4]


engine = engine_fixture("eager.matrix_elements")


def case(dtype, iso: bool, offsets=np.int64) -> MatrixStore:
    a = with_degrees(DEGREES, dtype)
    return MatrixStore(a.nrows, 9, a.indptr.astype(offsets), a.indices, np.ones(1, dtype) if iso else a.values)


@pytest.mark.parametrize(
    ("dtype", "iso", "offsets"),
    [
        (np.float64, False, np.int32),
        (np.int16, True, np.int64),
        pytest.param(bool, False, np.int32, marks=pytest.mark.slow),
    ],
)
def test_elements(engine, dtype, iso: bool, offsets) -> None:
    """Every position of small rows, there or not; with the value that all have, and another."""
    a = case(dtype, iso, offsets)
    there, to_host = moved(a, engine.to_device), engine.to_host
    values = [np.dtype(dtype).type(1), np.dtype(dtype).type(0)]
    for row in range(a.nrows):
        for col in (0, 2, 6, 8):
            found = engine.matrix_elements.element(there, row, col)
            assert found == definitions.get_element(a, (row, col))
            assert found is None or found.dtype == a.dtype
            for value in values:
                result = moved(engine.matrix_elements.with_element(there, row, col, value), to_host)
                same(result, definitions.set_element(a, (row, col), value))
            result = moved(engine.matrix_elements.without_element(there, row, col), to_host)
            same(result, definitions.remove_element(a, (row, col)))


def test_bits_of_values(engine) -> None:
    """Both halves of a word, each of which may be all ones or the sign."""
    for dtype, numbers in ((np.int64, [-1, 2**32, -(2**63)]), (np.uint64, [2**64 - 1]), (np.float32, [-0.0, 1e-30])):
        for number in numbers:
            values = np.array([number, 5], dtype)
            a = MatrixStore(1, 2, np.array([0, 2], np.int32), np.array([0, 1], np.int32), values)
            found = engine.matrix_elements.element(moved(a, engine.to_device), 0, 0)
            assert found.dtype == dtype and found.tobytes() == values[:1].tobytes()


def test_the_first_and_the_last_entry(engine) -> None:
    empty = MatrixStore(2, 3, np.zeros(3, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))
    one = engine.matrix_elements.with_element(moved(empty, engine.to_device), 1, 2, np.float32(4))
    same(moved(one, engine.to_host), definitions.set_element(empty, (1, 2), np.float32(4)))
    assert engine.matrix_elements.element(one, 1, 2) == 4
    none = engine.matrix_elements.without_element(one, 1, 2)
    assert none.nvals == 0 and engine.matrix_elements.element(none, 1, 2) is None
