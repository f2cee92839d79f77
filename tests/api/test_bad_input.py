"""Bad input: the right exception at the call that made it, a message that helps, and nothing changed."""

import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, semiring, unary
from grblas_gpu.exceptions import (
    DimensionMismatch,
    EmptyObject,
    IndexOutOfBound,
    InvalidObject,
    InvalidValue,
    OutOfMemory,
    OutputNotEmpty,
)


class World:
    """A few objects, and a way to see that none of them changed."""

    def __init__(self) -> None:
        self.A = Matrix.from_coo([0, 1, 2], [1, 2, 3], [1, 2, 3], nrows=3, ncols=4)
        self.B = Matrix.from_coo([0, 1], [1, 0], [1.5, 2.5], nrows=3, ncols=3)
        self.u = Vector.from_coo([0, 3], [1, 2], size=4)
        self.w = Vector.from_coo([0, 1], [5, 6], size=3)
        self.flags = Vector.from_coo([1], [True], size=3)
        self.s = Scalar.from_value(7)

    def snapshot(self) -> list:
        return [
            [part.tolist() for part in x.to_coo()] + [x.shape, x.dtype] if x.ndim else x.value
            for x in vars(self).values()
        ]


# (exception, words of the message, what a user does wrong)
CASES = [
    # wrong shapes
    (DimensionMismatch, "mxv.*size", lambda o: o.A.mxv(o.w)),
    (DimensionMismatch, "vxm", lambda o: o.w @ o.B.T @ o.A.T),
    (DimensionMismatch, "mxm.*shape", lambda o: o.A @ o.A),
    (DimensionMismatch, "ewise_add", lambda o: o.u | o.w),
    (DimensionMismatch, "ewise_mult", lambda o: o.A.ewise_mult(o.B)),
    (DimensionMismatch, "does not fit output", lambda o: o.u << semiring.plus_times(o.A @ o.u)),
    (DimensionMismatch, "inner", lambda o: o.u.inner(o.w)),
    (DimensionMismatch, "update", lambda o: o.w << o.u),
    (DimensionMismatch, "region", lambda o: o.w[[0, 1]] << o.u),
    # masks
    (DimensionMismatch, "mask.*shape", lambda o: o.w(o.u.S) << 1),
    (TypeError, "boolean", lambda o: o.w(o.w) << 1),
    (TypeError, "Mask object must be type Vector", lambda o: o.w(o.A.S) << 1),
    (TypeError, "replace", lambda o: o.w(replace=True) << 1),
    (TypeError, "multiple values", lambda o: o.w(o.flags.S, mask=o.flags.S) << 1),
    # indices
    (IndexError, "out of range", lambda o: o.u[4].new()),
    (IndexError, "out of range", lambda o: o.u[-5].new()),
    (IndexOutOfBound, "out of range", lambda o: o.u[[0, 9]].new()),
    (IndexOutOfBound, "out of range", lambda o: Vector.from_coo([0, 9], [1, 2], size=4)),
    (IndexOutOfBound, "row indices", lambda o: Matrix.from_coo([5], [0], [1], nrows=2, ncols=2)),
    (OverflowError, "indices must not be negative; got -1", lambda o: Vector.from_coo([3, -1], [2], size=4)),
    (OverflowError, r"must stay below 2\*\*60; got 1180", lambda o: Vector.from_coo([2**70], [2], size=4)),
    (OverflowError, "negative", lambda o: Vector.from_coo(np.array([-1]), [2], size=4)),
    (TypeError, "dtype", lambda o: o.u[np.array([0.5])].new()),
    (TypeError, "2-tuple", lambda o: o.A[0]),
    (TypeError, "tuple", lambda o: o.u[0, 1]),
    (ValueError, "integers", lambda o: Vector.from_coo(np.array([0.5]), [1])),
    # sizes
    (OverflowError, "negative", lambda o: Vector(int, -1)),
    (OverflowError, "negative", lambda o: Matrix(int, 2, -1)),
    (OverflowError, "negative", lambda o: o.w.resize(-1)),
    (InvalidValue, "2\\*\\*60", lambda o: Vector(int, 2**61)),
    (InvalidValue, "2\\*\\*60", lambda o: Matrix(int, 2**61, 4)),
    (TypeError, "integer", lambda o: Vector(int, 1.5)),
    # values and types
    (OverflowError, "out of bounds", lambda o: Vector.from_coo([0], [300], "INT8")),
    (ValueError, "Unknown dtype", lambda o: Vector("not a type", 3)),
    (ValueError, "Unknown dtype", lambda o: Vector.from_coo([0], [1], "float16")),
    (ValueError, "lengths must match", lambda o: Vector.from_coo([0, 1], [1])),
    (ValueError, "lengths must match", lambda o: Matrix.from_coo([0, 1], [1], [1, 2])),
    (ValueError, "dup_op", lambda o: Vector.from_coo([0, 0], [1, 2])),
    (ValueError, "dup_op", lambda o: Matrix.from_coo([0, 0], [1, 1], [1, 2])),
    (OutputNotEmpty, "clear=True", lambda o: o.w.build([0], [1])),
    (InvalidObject, "indptr", lambda o: Matrix.from_csr([0, 2, 1], [0, 1], [1, 2])),
    (InvalidObject, "indptr", lambda o: Matrix.from_dcsr([0, 1], [0, 2, 1], [0, 1], [1, 2])),
    (InvalidObject, "out of range", lambda o: Matrix.from_csr([0, 1], [7], [1], ncols=3)),
    (ValueError, "shape mismatch", lambda o: o.w[[0, 1]] << [1, 2, 3]),
    (TypeError, "fill_value", lambda o: o.w.to_dense()),
    # operators
    (KeyError, "does not work with", lambda o: binary.band(o.B & o.B)),
    (KeyError, "Numba says: ", lambda o: unary.register_anonymous(lambda x: x & 1)(o.B)),
    (TypeError, "Bad type", lambda o: semiring.plus_times(o.A)),
    (TypeError, "Semiring", lambda o: o.A.mxv(o.u, binary.plus)),
    (TypeError, "Monoid", lambda o: o.w.reduce(binary.minus)),
    (TypeError, "UnaryOp", lambda o: o.w.apply(binary.plus)),
    (TypeError, "accum", lambda o: o.w(accum=unary.abs) << 1),
    (EmptyObject, "empty Scalar", lambda o: o.w.apply(binary.plus, right=Scalar(int)).new()),
    (TypeError, "Bad type", lambda o: o.A.mxv(o.A)),
    (TypeError, "nvals", lambda o: bool(o.w)),
    (TypeError, "to_coo", lambda o: np.asarray(o.w)),
    (TypeError, "TransposedMatrix", lambda o: o.A.T[0, 0] << 1),
    (ValueError, "unknown descriptor option", lambda o: o.w(threads=2) << 1),
    (ValueError, "nthreads", lambda o: o.w(nthreads="all") << 1),
    (ValueError, "axb_method", lambda o: o.A.mxv(o.u).new(axb_method="best")),
    (ValueError, "unknown strategy", lambda o: o.w(strategy="best") << 1),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_bad_input(backend: str, case: int) -> None:
    expected, words, mistake = CASES[case]
    world = World()
    before = world.snapshot()
    with pytest.raises(expected, match=words):
        mistake(world)
    assert world.snapshot() == before


def test_objects_of_two_backends_do_not_meet() -> None:
    with gb.using("numpy"):
        A = Matrix.from_coo([0], [1], [1], nrows=2, ncols=2)
        u = Vector.from_coo([0], [1], size=2)
    with gb.using("cpu"):
        v = Vector.from_coo([1], [3], size=2)
    for mistake in (
        lambda: A @ v,
        lambda: u.ewise_add(v),
        lambda: u.__lshift__(v),
        lambda: u(v.S) << 1,
        lambda: u.outer(v),
        lambda: u[:] << v,
        lambda: u.select(v.S),
    ):
        with pytest.raises(InvalidObject, match="backend"):
            expr = mistake()
            semiring.plus_times(expr).new()
    assert semiring.plus_times(A @ v.to("numpy")).new().to_dict() == {0: 3}
    assert (A.backend, v.backend, v.to("cpu") is v) == ("numpy", "cpu", True)


def test_unknown_backend() -> None:
    with pytest.raises(ValueError, match="unknown backend 'quantum'"):
        gb.set_backend("quantum")


@pytest.mark.skipif(has_gpu(), reason="there is a CUDA device")
def test_cuda_without_a_device() -> None:
    with pytest.raises(RuntimeError, match=r"needs CuPy|no.* CUDA device"):
        gb.set_backend("cuda")


def test_a_failing_user_function_changes_nothing(backend: str) -> None:
    w = Vector.from_coo([0, 1], [5, 6], size=3)
    with pytest.raises(Exception):  # noqa: B017 (numba's own error class)
        w << w.apply(unary.register_anonymous(lambda x: undefined_name + x))  # type: ignore[name-defined]  # noqa: F821
    assert w.to_dict() == {0: 5, 1: 6}


def test_out_of_memory_changes_nothing(backend: str) -> None:
    """A Vector may be huge as long as it is sparse or iso; making a huge one dense is a clear error."""
    huge = Vector.from_coo([5], [1], size=2**55)
    with pytest.raises(OutOfMemory, match="assign into"):
        huge(~huge.S) << 7
    assert huge.to_dict() == {5: 1}
    assert Vector.from_scalar(3, 2**55)[2**54].new() == 3
    tall = Matrix.from_coo([0], [0], [1], nrows=10, ncols=2**59)
    with pytest.raises(OutOfMemory):
        tall << 1
    assert tall.nvals == 1
