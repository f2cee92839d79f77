"""IndexBinaryOps on every engine: functions of two values, their positions and theta."""

import pickle

import numpy as np
import pytest
from emulated_engine import backends  # noqa: F401 (a fixture)

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, dtypes, indexbinary, monoid, semiring


def placed(x, ix, jx, y, iy, jy, theta):
    return x * y + theta * (ix + 10 * jx + 100 * iy + 1000 * jy)


PLACED = indexbinary.register_anonymous(placed)


def operands():
    rng = np.random.default_rng(3)
    A, B = (
        Matrix.from_coo(*rng.integers(0, 9, (2, 40)), rng.integers(1, 9, 40), nrows=9, ncols=9, dup_op="first")
        for _ in range(2)
    )
    v = Vector.from_coo([0, 2, 5, 7, 8], [3, 5, 1, 2, 7], size=9)
    return A, B, v


def product(A, B, theta=2):
    """The sums of A B, entry by entry."""
    sums: dict = {}
    for i, k, x in zip(*(column.tolist() for column in A.to_coo()), strict=True):
        for k2, j, y in zip(*(column.tolist() for column in B.to_coo()), strict=True):
            if k == k2:
                sums[i, j] = sums.get((i, j), 0) + placed(x, i, k, y, k, j, theta)
    return sums


def entries(C):
    *places, values = (column.tolist() for column in C.to_coo())
    return dict(zip(zip(*places, strict=True), values, strict=True))


def test_products(backend):
    A, B, v = operands()
    plus = semiring.register_anonymous(monoid.plus, PLACED[int](2))
    column = Matrix.from_coo(v.to_coo()[0], [0] * 5, v.to_coo()[1], nrows=9, ncols=1)
    row = column.T.new()
    assert entries(A.mxm(B, plus).new()) == product(A, B)
    assert entries(A.T.mxm(B, plus).new()) == product(A.T.new(), B)
    assert {(i, 0): x for (i,), x in entries(A.mxv(v, plus).new()).items()} == product(A, column)
    assert {(0, j): x for (j,), x in entries(plus(v @ A).new()).items()} == product(row, A)
    # A Vector on the right is a column, one on the left a row.
    assert v.inner(v, plus).new() == product(row, column)[0, 0]
    assert entries(v.outer(v, PLACED[int](2)).new()) == product(column, row)


def test_entry_by_entry(backend):
    A, B, v = operands()
    first, second = entries(A), entries(B)
    both = {at: placed(first[at], *at, second[at], *at, 3) for at in first if at in second}
    assert entries(A.ewise_mult(B, PLACED[int](3)).new()) == both
    assert entries(PLACED[int](3)(A | B).new()) == first | second | both
    assert entries(PLACED[int](3)(v & v).new()) == {(i,): placed(x, i, 0, x, i, 0, 3) for (i,), x in entries(v).items()}
    C = A.dup()
    C(binary.plus) << A.ewise_mult(B, PLACED[int](3))
    assert entries(C) == first | {at: first[at] + both[at] for at in both}


def test_loops(backend):
    A, _, v = operands()
    longest = semiring.register_anonymous(monoid.max, indexbinary.register_anonymous(nearer)[int](7))
    further = indexbinary.register_anonymous(lambda x, ix, jx, y, iy, jy, theta: (x + y + theta * ix) % 50)[int](3)

    def body(w):
        w(monoid.max) << longest(A @ w)
        w << further(w & w)

    looped, called = v.dup(), v.dup()
    for _ in gb.loop(looped, 4):
        body(looped)
    for _ in range(4):
        body(called)
    assert looped.isequal(called)


def nearer(x, ix, jx, y, iy, jy, theta):
    return (y + theta - abs(ix - jx)) % 60 if jx == iy else -1


RECORD = np.dtype([("a", np.int64), ("b", np.float64)], align=True)


def test_records(backend):
    """Theta may be a record, and a function may return the fields of one."""
    udt = dtypes.register_anonymous(RECORD)
    v = Vector.from_coo([0, 1], np.array([(1, 2.0), (3, 4.0)], RECORD), udt)
    w = Vector.from_coo([0, 1], np.array([(10, 20.0), (30, 40.0)], RECORD), udt)
    theta = Scalar.from_value(np.array((5, 0.5), RECORD), udt)
    fields = lambda x, ix, jx, y, iy, jy, t: (x["a"] + y["a"] + t["a"], x["b"] + y["b"] + ix)  # noqa: E731
    op = indexbinary.register_anonymous(fields, is_udt=True)[udt](theta)
    found = v.ewise_mult(w, op).new()
    assert found.dtype is udt and found.to_coo()[1].tolist() == [(16, 22.0), (38, 45.0)]
    number = indexbinary.register_anonymous(lambda x, ix, jx, y, iy, jy, t: x["a"] + y["b"] + t["b"], is_udt=True)
    assert v.ewise_mult(w, number[udt](theta)).new().to_coo()[1].tolist() == [21.5, 43.5]


def test_theta():
    assert PLACED(4.0).type is dtypes.FP64 and PLACED(Scalar.from_value(4)).type is dtypes.INT64
    assert PLACED(4, dtype="FP32").type is dtypes.FP32 and PLACED[int]()._theta == 0
    scaled = indexbinary.register_anonymous(
        lambda scale: lambda x, ix, jx, y, iy, jy, theta: (x + y) * scale + theta, parameterized=True
    )
    v = Vector.from_coo([0], [3])
    assert v.ewise_mult(v, scaled(2)(10)).new().to_dict() == {0: 22}
    assert repr(PLACED[int](4)) == "indexbinary.placed[INT64](4)"


def test_registered_and_pickled():
    indexbinary.register_new("of_tests.placed", placed, lazy=True)
    try:
        bound = indexbinary.of_tests.placed[int](7)
        copy = pickle.loads(pickle.dumps(bound))
        assert copy._theta == 7 and copy.parent is bound.parent and copy.key == bound.key
        plus = pickle.loads(pickle.dumps(semiring.register_anonymous(monoid.plus, bound)))
        v = Vector.from_coo([1], [3])
        assert v.inner(v, plus).new() == placed(3, 0, 1, 3, 1, 0, 7)
        udt = dtypes.register_anonymous("INT64[3]")
        theta = np.array([1, 2, 3])
        array = indexbinary.register_anonymous(first, is_udt=True)[udt](theta)
        assert np.array_equal(pickle.loads(pickle.dumps(array))._theta, theta)
    finally:
        delattr(indexbinary.of_tests, "placed")


def first(x, ix, jx, y, iy, jy, theta):
    return x


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("semiring.register_anonymous(monoid.band, PLACED[int](0))", TypeError, "band does not take INT64"),
        ("semiring.register_anonymous(monoid.plus, 42)", TypeError, r"bound IndexBinaryOp, ibo\[dtype\]\(theta\)"),
        ("PLACED((1, 2))", TypeError, "Cannot infer a dtype for theta"),
        ("PLACED(np.array([1, 2]))", TypeError, "Cannot infer a dtype for theta"),
        ("v.ewise_mult(v, PLACED)", TypeError, "BinaryOp"),
        ("indexbinary.register_anonymous(42)", TypeError, "UDF argument must be a function"),
        (
            "indexbinary.register_anonymous(lambda a, b, c, d, e, f, g: unknown)",
            gb.exceptions.UdfParseError,
            "Unable to parse",
        ),
    ],
)
def test_errors(line, error, message):
    with pytest.raises(error, match=message):
        eval(line, globals() | {"v": Vector.from_coo([1], [3])})
