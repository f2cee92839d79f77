"""What docstrings say is raised is raised, and by the calls that a newcomer gets wrong."""

import inspect
import re

import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, semiring, unary

A = Matrix.from_coo([0, 1], [1, 0], [1, 2], nrows=2, ncols=3, name="A")
SQUARE = Matrix.from_coo([0, 1], [1, 0], [1, 2], name="S")
v = Vector.from_coo([0], [1], size=2, name="v")
elsewhere = A.to("numpy"), v.to("numpy")

WRONG = [
    (Matrix, lambda: Matrix("nope", 2, 2)),
    (Matrix, lambda: Matrix(int, -1, 2)),
    (Matrix.from_coo, lambda: Matrix.from_coo([5], [0], [1], nrows=2, ncols=2)),
    (Matrix.from_coo, lambda: Matrix.from_coo([0, 0], [0, 0], [1, 2])),
    (Matrix.from_coo, lambda: Matrix.from_coo([0, 0], [0], [1, 2])),
    (Matrix.from_coo, lambda: Matrix.from_coo([], [], [])),
    (Matrix.from_edgelist, lambda: Matrix.from_edgelist([(0, 1, 2, 3)])),
    (Matrix.from_csr, lambda: Matrix.from_csr([0, 2], [0], [1])),
    (Matrix.from_csc, lambda: Matrix.from_csc([0, 2], [0], [1])),
    (Matrix.from_dcsr, lambda: Matrix.from_dcsr([0], [0, 2], [0], [1])),
    (Matrix.from_dcsc, lambda: Matrix.from_dcsc([0], [0, 2], [0], [1])),
    (Matrix.from_scalar, lambda: Matrix.from_scalar(1, -1, 2)),
    (Matrix.from_dense, lambda: Matrix.from_dense([1, 2])),
    (Matrix.from_dicts, lambda: Matrix.from_dicts({}, order="x")),
    (Matrix.build, lambda: A.dup().build([0], [0], [1])),
    (Matrix.build, lambda: Matrix(int, 2, 2).build([9], [0], [1])),
    (Matrix.to_dense, lambda: A.to_dense()),
    (Matrix.to_dicts, lambda: A.to_dicts(order="x")),
    (Matrix.to, lambda: A.to("nope")),
    (Matrix.to, lambda: A.to(form="full")),
    (Matrix.to, lambda: A.to(form="x")),
    (Matrix.dup, lambda: A.dup("nope")),
    (Matrix.dup, lambda: A.dup(mask=SQUARE.S)),
    (Matrix.setdiag, lambda: A.dup().setdiag([1, 2, 3, 4])),
    (Matrix.resize, lambda: A.dup().resize(-1, 2)),
    (Matrix.get, lambda: A.get(9, 9)),
    (Matrix.mxm, lambda: A.mxm(A)),
    (Matrix.mxm, lambda: A.mxm(v)),
    (Matrix.mxm, lambda: A.mxm(SQUARE, binary.plus)),
    (Matrix.mxm, lambda: A.T.mxm(A, "nope")),
    (Matrix.mxm, lambda: A.T.mxm(elsewhere[0])),
    (Matrix.mxv, lambda: A.mxv(v)),
    (Matrix.mxv, lambda: SQUARE.mxv(elsewhere[1])),
    (Matrix.kronecker, lambda: A.kronecker(v)),
    (Matrix.power, lambda: A.power(2)),
    (Matrix.power, lambda: SQUARE.power(-1)),
    (Matrix.reduce_rowwise, lambda: A.reduce_rowwise(semiring.plus_times)),
    (Matrix.reduce_columnwise, lambda: A.reduce_columnwise("nope")),
    (Matrix.reduce_scalar, lambda: A.reduce_scalar(semiring.plus_times)),
    (Matrix.side_by_side, lambda: A.side_by_side(0)),
    (Matrix.ewise_add, lambda: A.ewise_add(SQUARE)),
    (Matrix.ewise_add, lambda: A.ewise_add(elsewhere[0])),
    (Matrix.ewise_mult, lambda: A.ewise_mult(3)),
    (Matrix.ewise_union, lambda: A.ewise_union(A, binary.plus, None, 0)),
    (Matrix.apply, lambda: A.apply(binary.plus)),
    (Matrix.apply, lambda: A.apply(unary.abs, 1)),
    (Matrix.apply, lambda: A.apply("nope")),
    (Matrix.select, lambda: A.select(binary.plus)),
    (Matrix.isequal, lambda: A.isequal(v)),
    (Matrix.isclose, lambda: A.isclose(v)),
    (Matrix.wait, lambda: A.wait("x")),
    (Matrix.update, lambda: A.dup().update(SQUARE)),
    (Vector, lambda: Vector("nope", 2)),
    (Vector, lambda: Vector(int, -1)),
    (Vector.build, lambda: v.dup().build([0], [1])),
    (Vector.to_dense, lambda: v.to_dense()),
    (Vector.to, lambda: v.to("nope")),
    (Vector.dup, lambda: v.dup(mask=Vector(bool, 9).S)),
    (Vector.resize, lambda: v.dup().resize(-1)),
    (Vector.get, lambda: v.get(9)),
    (Vector.vxm, lambda: v.vxm(Matrix(int, 9, 9))),
    (Vector.inner, lambda: v.inner(Vector(int, 9))),
    (Vector.outer, lambda: v.outer(A)),
    (Vector.reduce, lambda: v.reduce("nope")),
    (Scalar, lambda: Scalar("nope")),
    (Scalar.from_value, lambda: Scalar.from_value("x")),
    (Scalar.ewise_add, lambda: Scalar.from_value(1).ewise_add(A)),
    (gb.loop, lambda: gb.loop("x")),
    (gb.when, lambda: gb.when("x")),
    (gb.operations.mxm, lambda: gb.operations.mxm(Matrix(int, 2, 2), A, A)),
    (gb.operations.assign, lambda: gb.operations.assign(Vector(int, 2), 1, [9])),
    (gb.operations.extract, lambda: gb.operations.extract(Vector(int, 1), v, [9])),
]


def documented(what) -> set[str]:
    """The names below "Raises"."""
    found = re.search(r"^Raises\n------\n((?:.*\n)*?)\n", (inspect.getdoc(what) or "") + "\n\n", re.MULTILINE)
    lines = found[1].splitlines() if found else []
    return {name for line in lines if not line.startswith(" ") for name in line.split(", ")}


@pytest.mark.parametrize(("what", "call"), WRONG, ids=[f"{what.__qualname__}-{k}" for k, (what, _) in enumerate(WRONG)])
def test_what_is_raised_is_documented(what, call) -> None:
    with pytest.raises(Exception) as caught:
        call()
    assert {cls.__name__ for cls in type(caught.value).__mro__} & documented(what), repr(caught.value)
