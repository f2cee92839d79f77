"""Programs: what a loop records, as text, on an engine that needs no GPU."""

import pickle
from collections.abc import Iterator

import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring, unary
from grblas_gpu.backends.interpreter.run import CHANGE, COMPUTE
from grblas_gpu.ir import ops
from grblas_gpu.ir.ops import OPS


@pytest.fixture(autouse=True)
def recorded() -> Iterator[None]:
    with gb.using("numpy"), gb.config.set(loops="recorded"):
        yield


@pytest.fixture
def A() -> Matrix:
    return Matrix.from_coo([0, 1, 1], [1, 2, 3], [1.0, 2.0, 4.0], nrows=5, ncols=5)


def test_a_search(A: Matrix) -> None:
    levels, frontier = Vector(int, 5), Vector.from_coo([0], [True], size=5)
    loop = gb.loop(frontier)
    for depth in loop:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True, direction="pull") << semiring.any_pair[bool](frontier @ A)
    assert str(loop.program) == (
        "program(v0: BOOL[5], v1: INT64[5], A0: FP64[5x5])\n"
        "while v0.nvals:\n"
        "    v1<v0.S> = assign (step)\n"
        "    v0<~v1.S, replace> = vxm semiring.any_pair[BOOL] (v0, A0)  {direction='pull'}"
    )
    assert levels.to_dict() == {0: 0, 1: 1, 2: 2, 3: 2}
    assert (loop.steps, loop.mode) == (3, "iterated")


def test_ranks(A: Matrix) -> None:
    x, error = Vector.from_scalar(1.0, 5), Scalar.from_value(1.0)
    loop = gb.loop(error > 1e-3, 7)
    for _ in loop:
        before = x.dup()
        x(binary.plus) << semiring.plus_times(A.T @ x)
        x << binary.times(x, 0.5)
        error << binary.minus(before & x).new().reduce(monoid.max)
    assert str(loop.program) == (
        "program(s0: FP64, v0: FP64[5], v1: FP64[5], A0: FP64[5x5], v2: FP64[5])\n"
        "while binary.gt[FP64](s0, 0.001), at most 7 times:\n"
        "    v0 = clear ()\n"
        "    v0 = copy (v1)\n"
        "    v1 binary.plus[FP64]= mxv semiring.plus_times[FP64] (A0', v1)\n"
        "    v1 = apply_right binary.times[FP64] (v1, 0.5)\n"
        "    v2 = clear ()\n"
        "    v2 = ewise_mult binary.minus[FP64] (v0, v1)\n"
        "    s0 = reduce monoid.max[FP64] (v2)"
    )
    assert loop.steps == 7


def test_other_operations(A: Matrix) -> None:
    v, w, s = Vector.from_coo([0, 1], [3, 4], size=5), Vector(int, 5), Scalar.from_value(2)
    loop = gb.loop(v, 2)
    for step in loop:
        w(v.V) << select.valuegt(v, s)
        w << unary.ainv(w)
        w << binary.plus(v | w, left_default=0, right_default=1)
        s << s + 1
        w << v.select(w.S)
        v << A[step, :]
        w.clear()
    assert str(loop.program).splitlines()[2:] == [
        "    v1<v0.V> = select select.valuegt[INT64] (v0, s0)",
        "    v1 = apply unary.ainv[INT64] (v1)",
        "    v1 = ewise_union binary.plus[INT64] (v0, 0, v1, 1)",
        "    s0 = ewise_add binary.plus[INT64] (s0, 1)",
        "    v1 = select_mask (v0, v1.S)",
        "    v0 = extract_row (A0, step)",
        "    v1 = clear ()",
    ]


def test_a_body_that_is_refused_names_its_line(A: Matrix) -> None:
    v = Vector.from_coo([0], [1], size=5)
    with pytest.raises(gb.exceptions.LoopError, match=r"test_program\.py:\d+: resize of"):
        for _ in gb.loop(v, 3):
            v.resize(5)
    assert v.to_dict() == {0: 1}


def test_every_operation_has_one_way_to_run() -> None:
    assert set(OPS.values()) == COMPUTE.keys() | CHANGE.keys()
    assert not COMPUTE.keys() & CHANGE.keys()
    assert OPS.keys() == {op.name for op in OPS.values()}
    assert pickle.loads(pickle.dumps(ops.VXM)) is ops.VXM
