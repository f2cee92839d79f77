"""Loops in which matrices change: recorded, and run from the recording; the same as iterating, on every engine."""

import pytest
from loop_cases import graphs, same
from loop_programs import random_body
from matrix_programs import KINDS_OF_STEPS, matrices

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring
from grblas_gpu.exceptions import GraphblasException, LoopError
from grblas_gpu.ir import recording


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert recording.current() is None


def searches(A: Matrix):
    """Levels of several searches, as rows: the condition is a matrix."""
    n = A.nrows
    frontier = Matrix.from_coo([0, 1, 2], [5, 0, n - 1], True, nrows=3, ncols=n)
    levels = Matrix(int, 3, n)
    loop = gb.loop(frontier)
    for depth in loop:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.any_pair[bool](frontier @ A)
    return loop, [levels, frontier]


def closure(A: Matrix):
    """All pairs with a path, by squaring, until nothing is added; and how many there were."""
    paths, added, pairs = A.dup(bool), A.dup(bool), Scalar(int)
    loop = gb.loop(added)
    for _ in loop:
        before = paths.dup()
        paths(monoid.lor) << semiring.any_pair[bool](before @ before)
        added(~before.S, replace=True) << paths
        pairs << binary.second(paths, 1).new(int).reduce_scalar(monoid.plus)
    return loop, [paths, added, pairs]


def mixed(A: Matrix):
    """A loop of vectors inside of one that changes its graph, and the other way round."""
    left, reached, rounds = A.dup(int), Vector(int, A.nrows), Scalar.from_value(0)
    loop = gb.loop(left, 3)
    for outer in loop:
        frontier = Vector(bool, A.nrows)
        frontier(reached.S) << True
        frontier[outer] << True
        for inner in gb.loop(frontier, 4):
            reached(frontier.S) << 10 * outer + inner
            frontier(~reached.S, replace=True) << semiring.any_pair[bool](frontier @ left)
        left << select.valuegt(left, 2)
        for _ in gb.when(left):
            rounds << binary.plus(rounds & 1)
            left(left.S, binary.minus) << 1
    return loop, [left, reached, rounds]


BODIES = {"searches": searches, "closure": closure, "mixed": mixed}


@pytest.mark.parametrize("name", BODIES)
def test_a_recorded_loop_is_the_same(backend: str, name: str) -> None:
    for graph in ("directed", "path"):
        A = graphs()[graph].to(backend)
        with gb.config.set(loops="iterated"):
            expected, results = BODIES[name](A)
        loop, found = BODIES[name](A)
        assert loop.program is not None and (loop.mode, loop.steps) == ("iterated", expected.steps)
        assert [x.isequal(y, check_dtype=True) for x, y in zip(results, found, strict=True)] == [True] * len(found)


@pytest.mark.parametrize("name", BODIES)
def test_on_the_device(to_device, name: str) -> None:
    A = graphs()["path"]
    with gb.using("cpu"), gb.config.set(loops="iterated"):
        expected, results = BODIES[name](A)
    loop, found = BODIES[name](to_device(A))
    assert loop.program is not None and loop.steps == expected.steps
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


def outcome(body, A: Matrix):
    try:
        return body(A)
    except (GraphblasException, IndexError) as error:
        assert not isinstance(error, LoopError), error
        return type(error)


PARTS = [range(10), *(pytest.param(range(k, k + 55), marks=pytest.mark.slow) for k in range(10, 1000, 55))]


@pytest.mark.parametrize("seeds", PARTS, ids=str)
def test_any_steps(seeds: range) -> None:
    for seed in seeds:
        check_steps(seed)


def check_steps(seed: int) -> None:
    text, body = random_body(seed, KINDS_OF_STEPS, matrices)
    found = {}
    for backend in ("numpy", "cpu"):
        A = graphs()["directed"].to(backend)
        with gb.using(backend):
            for mode in ("iterated", "recorded"):
                with gb.config.set(loops=mode):
                    found[backend, mode] = outcome(body, A)
    expected = found["numpy", "iterated"]
    for result in found.values():
        if isinstance(expected, type):
            assert result is expected, text
            continue
        (loop, results, k), (other, others, number) = result, expected
        assert loop.steps == other.steps, text
        assert [same(x.to("cpu"), y) for x, y in zip(others, results, strict=True)] == [True] * len(results), text
        assert k.is_empty == number.is_empty and (k.is_empty or same(number, k)), text


@pytest.mark.parametrize("seed", range(4))
def test_any_steps_as_a_function(seed: int) -> None:
    text, body = random_body(seed, KINDS_OF_STEPS, matrices)
    A = graphs()["directed"]
    with gb.config.set(loops="iterated"):
        expected = outcome(body, A)
    if isinstance(expected, type):
        return

    @gb.program
    def recorded(A: Matrix):
        return tuple(body(A)[1])

    try:
        results = [recorded(A), recorded(A)]
    except LoopError as error:  # of the values that a body begins with
        assert "select" in text or "made" in str(error), error
        return
    for found in results:
        assert [same(x, y) for x, y in zip(expected[1], found, strict=True)] == [True] * len(found), text


# --- what it says ----------------------------------------------------------------------------------------------------


def test_the_text(backend: str) -> None:
    loop, _ = closure(graphs()["path"].to(backend))
    assert str(loop.program) == (
        "program(A0: BOOL[40x40], A1: BOOL[40x40], A2: BOOL[40x40], A3: INT64[40x40], s0: INT64)\n"
        "while A0.nvals:\n"
        "    A1 = copy (A2)\n"
        "    A2 binary.lor[BOOL]= mxm semiring.any_pair[BOOL] (A1, A1)\n"
        "    A0<~A1.S, replace> = copy (A2)\n"
        "    A3 = apply_right binary.second[INT64] (A2, 1)\n"
        "    s0 = reduce monoid.plus[INT64] (A3)"
    )


def test_the_trace_says_what_kept_it_from_fusing() -> None:
    A, reasons = graphs()["directed"], {}
    with gb.using("cpu"):
        for name, body in BODIES.items():
            with gb.trace() as trace:
                body(A)
            (first, *_) = [record for record in trace.records if record.op == "loop"]
            line, _, reasons[name] = first.reason.partition(": ")
            assert first.strategy == "iterated" and line.startswith("line ")
    assert reasons == {
        "searches": "assign into a Matrix",
        "closure": "copy into a Matrix",
        "mixed": "set_element into a Vector",
    }


# --- errors ----------------------------------------------------------------------------------------------------------


MADE = (
    lambda: Vector.from_coo([0, 1], [5, 6], size=3),
    lambda: Vector.from_dense([4, 5, 6]),
    lambda: Matrix.from_coo([0], [1], [5], nrows=3, ncols=3),
    lambda: Matrix.from_csr([0, 1, 1, 1], [2], [7], ncols=3),
)


@pytest.mark.parametrize("make", MADE)
def test_what_is_made_of_values_in_a_body(backend: str, make) -> None:
    """The same at every step."""

    def add(v: Vector) -> None:
        made = make()
        v(binary.plus) << (made if made.ndim == 1 else made.reduce_rowwise(monoid.plus))

    v = Vector.from_dense([1, 2, 3])
    with gb.config.set(loops="iterated"):
        expected = v.dup()
        for _ in gb.loop(expected, 2):
            add(expected)
    found = v.dup()
    for _ in gb.loop(found, 2):
        add(found)
    assert found.isequal(expected)
    given, found = make(), v.dup()
    for _ in gb.loop(found, 2):
        made = given.dup()
        found(binary.plus) << (made if made.ndim == 1 else made.reduce_rowwise(monoid.plus))
    assert found.isequal(expected)
