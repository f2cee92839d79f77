"""The functional API gives what expressions give, with every field of the descriptor."""

import itertools

import pytest

from grblas_gpu import Descriptor, Matrix, Scalar, Vector, binary, semiring
from grblas_gpu.api import operations


@pytest.fixture
def objects(backend: str):
    return {
        "A": Matrix.from_coo([0, 0, 1, 2, 2], [0, 1, 2, 0, 2], [1, 2, 3, 4, 5], nrows=3, ncols=3),
        "B": Matrix.from_coo([0, 1, 2, 2], [1, 1, 0, 2], [7, 8, 9, 1], nrows=3, ncols=3),
        "u": Vector.from_coo([0, 2], [2, 3], size=3),
        "v": Vector.from_coo([1, 2], [5, 0], size=3),
    }


DESCRIPTORS = [
    Descriptor(mask_complement=c, mask_structure=s, replace=r) for c, s, r in itertools.product([False, True], repeat=3)
]


def as_mask(m, desc: Descriptor):
    mask = m.S if desc.mask_structure else m.V
    return ~mask if desc.mask_complement else mask


@pytest.mark.parametrize("desc", DESCRIPTORS)
@pytest.mark.parametrize("accum", [None, binary.plus])
def test_mxv_with_every_mask(objects: dict, desc: Descriptor, accum) -> None:
    A, u, v = objects["A"], objects["u"], objects["v"]
    w, expected = v.dup(), v.dup()
    operations.mxv(w, A, u, semiring.plus_times, mask=v, accum=accum, desc=desc)
    expected(as_mask(v, desc), accum=accum, replace=desc.replace) << semiring.plus_times(A @ u)
    assert w.isequal(expected, check_dtype=True)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_transposes(objects: dict, first: bool, second: bool) -> None:
    A, B = objects["A"], objects["B"]
    desc = Descriptor(transpose_first=first, transpose_second=second)
    left, right = A.T if first else A, B.T if second else B
    for call, expression in [
        (lambda C: operations.mxm(C, A, B, desc=desc), left @ right),
        (lambda C: operations.ewise_add(C, A, B, desc=desc), left.ewise_add(right)),
        (lambda C: operations.ewise_mult(C, A, B, desc=desc), left.ewise_mult(right)),
        (lambda C: operations.ewise_union(C, A, B, binary.minus, 0, 0, desc=desc), left - right),
    ]:
        C = Matrix(int, 3, 3)
        call(C)
        assert C.isequal(expression.new())
    C = Matrix(int, 9, 9)
    operations.kronecker(C, A, B, desc=desc)
    assert C.isequal(left.kronecker(right).new())


def test_masks_and_transposes_of_other_operations(objects: dict) -> None:
    """Their plain calls are examples in docstrings."""
    A, u, v = objects["A"], objects["u"], objects["v"]
    C, w, s = Matrix(int, 3, 3), Vector.from_coo([0, 1], [1, 9], size=3), Scalar.from_value(3)
    operations.reduce_scalar(s, A, accum=binary.plus)
    assert s == 18
    operations.assign(w, u, mask=v, desc=Descriptor(mask_structure=True))
    assert w.to_dict() == {0: 1, 2: 3}
    operations.transpose(C, A, desc=Descriptor(transpose_first=True))
    assert C.isequal(A)
    operations.mxv(w, A, u, mask=~v.S, desc=Descriptor(mask_complement=True, replace=True))
    expected = Vector(int, 3)
    expected(v.S) << A @ u
    assert w.isequal(expected)
