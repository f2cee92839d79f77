"""Whole loops on the CPU: what their functions do is what iterating does, on the reference engine as well.

Compiling one takes seconds, so most tests have Python run its text (``interpreted_loops``); a few compile it.
"""

from collections.abc import Iterator

import interpreted_loops
import numpy as np
import pytest
from chain_bodies import CHAINS
from gather_bodies import GATHERS, heaviest
from loop_bodies import BODIES, levels_by
from loop_cases import graphs, same
from loop_options import FUSED, ON_A_DEVICE, REFUSED, words
from loop_programs import gather, inside, operation, product, random_body, scatter, total
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, generators, monoid, semiring
from grblas_gpu.backends.cpu import compile, pool
from grblas_gpu.backends.cpu.fusion import run, tier
from grblas_gpu.exceptions import EmptyObject, LoopError

EVERY_BODY = {**BODIES, **CHAINS, **GATHERS, **NESTED, "heaviest": heaviest}
KINDS_OF_STEPS = [operation, operation, product, total, gather, scatter, inside]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every loop runs as a whole, however small."""
    monkeypatch.setattr(run, "level", lambda program, first, before=0: tier.COMPILE)
    with gb.using("cpu"):
        yield


@pytest.fixture
def interpreted(compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """... as the text of its function."""
    interpreted_loops.interpret(monkeypatch)


@pytest.fixture
def threaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Steps of more than three entries are cut into parts for three threads."""
    monkeypatch.setattr(run, "LIGHT_PASS", 3)
    monkeypatch.setattr(run, "PARALLEL_WORK", 3)
    before = pool.threads()
    pool.set_threads(3)
    yield
    pool.set_threads(before)


def result(backend: str, body, *args):
    """What a body comes to by iterating; or the class of what it raises."""
    with gb.using(backend), gb.config.set(loops="iterated"):
        return outcome(body, *(x.to(backend) if isinstance(x, Matrix) else x for x in args))


def outcome(body, *args):
    try:
        return body(*args)
    except gb.exceptions.GraphblasException as error:
        return type(error)


def check(found, expected, text: str = "") -> None:
    if isinstance(expected, type):
        assert found is expected, text
        return
    (loop, results, *scalars), (other, others, *numbers) = found, expected
    assert (loop.mode, loop.steps) == ("fused", other.steps), text
    others = [x.to("cpu") if type(x) is Vector else x for x in others]
    assert [same(x, y) for x, y in zip(others, results, strict=True)] == [True] * len(results), text
    for x, y in zip(numbers, scalars, strict=True):
        assert x.is_empty == y.is_empty and (x.is_empty or same(x, y)), text


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("graph", ["directed", "path", "star"])
@pytest.mark.parametrize("name", EVERY_BODY)
def test_a_whole_loop_is_its_steps(name: str, graph: str) -> None:
    A, body = graphs()[graph], EVERY_BODY[name]
    check(outcome(body, A, 5), result("cpu", body, A, 5))


@pytest.mark.usefixtures("interpreted", "threaded")
@pytest.mark.parametrize("name", EVERY_BODY)
def test_threads_do_not_show(name: str) -> None:
    A, body = graphs()["directed"], EVERY_BODY[name]
    check(outcome(body, A, 5), result("numpy", body, A, 5))


PARTS = [range(4), *(pytest.param(range(k, k + 62), marks=pytest.mark.slow) for k in range(4, 500, 62))]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("seeds", PARTS, ids=str)
def test_any_steps(seeds: range, threads: bool, request: pytest.FixtureRequest) -> None:
    if threads:
        request.getfixturevalue("threaded")
    A = graphs()["directed"]
    for seed in seeds:
        text, body = random_body(2 * seed + threads, KINDS_OF_STEPS)
        found = outcome(body, A)
        for backend in ("numpy", "cpu"):
            check(found, result(backend, body, A), text)


# --- machine code ----------------------------------------------------------------------------------------------------

SOME = ("levels",)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    "name", [name if name in SOME else pytest.param(name, marks=pytest.mark.slow) for name in EVERY_BODY]
)
def test_machine_code(name: str) -> None:
    A, body = graphs()["directed"], EVERY_BODY[name]
    check(outcome(body, A, 5), result("cpu", body, A, 5))


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_machine_code_of_any_steps(seed: int, threads: bool, request: pytest.FixtureRequest) -> None:
    if threads:
        request.getfixturevalue("threaded")
    A = graphs()["directed"]
    text, body = random_body(seed, KINDS_OF_STEPS)
    check(outcome(body, A), result("cpu", body, A), text)


@pytest.mark.usefixtures("compiled")
def test_machine_code_is_kept_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_loops", {})
    BODIES["levels"](graphs()["directed"], 5)
    (loop,) = run._loops.values()
    assert isinstance(loop, run.Compiled) and compile.on_disk(loop.text.source[0])
    again = run.Compiled.__new__(run.Compiled)
    again.text = loop.text
    assert again.load(tier.LOAD, None)


# --- when it pays ----------------------------------------------------------------------------------------------------


def walk(steps: int, size: int = 5):
    x = Vector.from_coo([0], [1], size=size)
    loop = gb.loop(x, steps)
    for step in loop:
        x << binary.plus(x, step)
    return loop, x


def test_a_long_loop_goes_on_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compiled when so many steps have been run that it pays; those before count."""
    interpreted_loops.interpret(monkeypatch)
    monkeypatch.setattr(tier, "LOAD_WORK", 100_000)
    monkeypatch.setattr(tier, "FEW_SECONDS", 0.0)
    with gb.using("cpu"):
        loop, x = walk(1000)
    assert (loop.mode, loop.steps) == ("fused", 1000)
    assert x.to_dict() == {0: 1 + sum(range(1000))}
    assert len(interpreted_loops.sources) > 0


@pytest.mark.usefixtures("interpreted")
def test_more_positions_than_memory() -> None:
    with gb.trace() as trace:
        loop, x = walk(3, size=2**50)
    assert (loop.mode, x.to_dict()) == ("iterated", {0: 4})
    assert f"{2**50} positions" in trace.records[0].reason


# --- what a loop leaves ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("interpreted")
def test_formats_afterwards() -> None:
    n = 1000
    few, some, every = (Vector.from_coo(range(k), range(k), int, size=n) for k in (3, 500, n))
    gone, alike = every.dup(), Vector.from_scalar(7, n)
    for _ in gb.loop(few, 2):
        few << binary.plus(few, 1)
        some << binary.plus(some, 1)
        every << binary.plus(every, 1)
        gone << gb.select.valuelt(gone, 0)
        alike << every
    assert [x._store.kind for x in (few, some, every, gone, alike)] == ["sparse", "bitmap", "full", "sparse", "full"]
    assert [x.nvals for x in (few, some, every, gone)] == [3, 500, n, 0]


@pytest.mark.usefixtures("interpreted")
def test_an_interrupt_leaves_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function comes back now and then, and Python has its turn."""
    monkeypatch.setattr(run, "SLICE", 100)
    A, slices = generators.path(200), []

    def repeat(compiled, memory, program) -> None:
        kernel = compiled.kernel

        def counted(*args):
            if len(slices) == 3:
                raise KeyboardInterrupt
            slices.append(kernel(*args))
            return slices[-1]

        compiled.kernel = counted
        original(compiled, memory, program)

    original = run._repeat
    monkeypatch.setattr(run, "_repeat", repeat)
    levels, frontier = Vector(int, 200), Vector.from_coo([0], [True], size=200)
    with pytest.raises(KeyboardInterrupt):
        for depth in gb.loop(frontier):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert slices == [-1, -1, -1] and 0 < levels.nvals < 200
    assert levels.to_dict() == {k: k for k in range(levels.nvals)}
    assert frontier.to_dict() == {levels.nvals: True}


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_an_empty_scalar_is_what_it_is_outside(backend: str) -> None:
    with gb.using(backend):
        x, s, t = Vector.from_coo([1], [5], size=3), Scalar.from_value(1), Scalar(int)
        with pytest.raises(EmptyObject):
            for _ in gb.loop(x, 4):
                s << gb.select.valuegt(x, 5).new().reduce(monoid.plus)
                x << binary.plus(x, s)
        assert x.to_dict() == {1: 5} and s.is_empty  # as far as it came
        with pytest.raises(EmptyObject):
            for _ in gb.loop(x, 4):
                x << binary.plus(x, t)
        for _ in gb.loop(x, 2):
            s << gb.select.valuegt(x, 9).new().reduce(monoid.plus)
            x(x.S) << s  # deletes
        assert x.nvals == 0


# --- the same rules everywhere ---------------------------------------------------------------------------------------


def test_a_loop_that_cannot_end(backend: str) -> None:
    frontier, other = Vector.from_coo([4], [True], size=40), Vector(bool, 40)
    with pytest.raises(LoopError, match=r"test_cpu_loops\.py:\d+: nothing in the body changes .* give a limit"):
        for _ in gb.loop(frontier):
            other << frontier


# --- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("options", "strategies", "reason"), FUSED, ids=[words(options) for options, *_ in FUSED])
def test_what_a_whole_loop_does(options, strategies: set[str], reason: str) -> None:
    A = graphs()["kronecker"]
    expected = result("cpu", levels_by(), A, 5)
    with gb.trace() as trace:
        found = levels_by(**options)(A, 5)
    check(found, expected)
    steps = trace.steps()
    assert len(steps) == found[0].steps and {step.strategy for step in steps} <= strategies
    for step in steps:
        assert step.direction == step.strategy.partition(".")[0]
        assert f"{step.reason};".endswith(" of a compiled loop;") and step.reason


SORTING = {"policy": "switchpoint"}.items()
NOT_HERE = [
    *REFUSED,
    *((options, "strategy=", strategies) for options, strategies, _ in ON_A_DEVICE if not options.items() >= SORTING),
    # Which way a search has gone is told by how its vectors are stored: with few entries, it begins again.
    *(
        (options, "policy='switchpoint'", strategies | {"push.sort"})
        for options, strategies, _ in ON_A_DEVICE
        if options.items() >= SORTING
    ),
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("options", "field", "strategies"), NOT_HERE, ids=[words(options) for options, *_ in NOT_HERE])
def test_what_a_whole_loop_does_not_do(options, field: str, strategies: set[str]) -> None:
    A = graphs()["kronecker"]
    _, results = result("cpu", levels_by(), A, 5)
    with gb.trace() as trace:
        loop, found = levels_by(**options)(A, 5)
    assert loop.mode == "iterated"
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True, True]
    first = trace.records[0]
    assert (first.op, first.strategy) == ("loop", "iterated")
    assert first.reason.startswith("line ") and field in first.reason
    assert {step.strategy for step in trace.steps()} <= strategies | {"pull.thread", "pull.compact"}


@pytest.mark.usefixtures("interpreted")
def test_reasons_of_the_planner() -> None:
    A = graphs()["kronecker"]
    with gb.trace() as trace:
        algorithms.dobfs(A, 5)
    steps = trace.steps()
    assert {step.direction for step in steps} == {"push", "pull"}
    for step in steps:
        pushes = "push" if "operand is empty" in step.reason else step.reason.split()[0]
        assert (pushes == "push" and " against pull " in step.reason) or step.direction == "push"
        if step.direction == "pull":  # what was visited in place of the frontier, which is faster here
            assert step.input_nvals == A.nrows - step.allowed


@pytest.mark.usefixtures("interpreted")
def test_what_keeps_a_loop_from_running_as_a_whole() -> None:
    x, mean = Vector.from_dense(np.arange(4)), Scalar(float)
    with gb.trace() as trace:
        loop = gb.loop(x, 2)
        for _ in loop:
            x << binary.plus(x, 1)
            mean << x.reduce(gb.agg.mean)
    assert (loop.mode, mean.value) == ("iterated", 3.5)
    assert trace.records[0].reason.startswith("line ") and "an aggregator" in trace.records[0].reason


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("seed", range(6))
def test_a_function_runs_again_with_other_objects(seed: int) -> None:
    """What a run keeps for the next one does not show: other matrices, sources and numbers take turns."""
    random = np.random.default_rng(seed)

    def search(A: Matrix, B: Matrix, frontier: Vector, weight: Scalar) -> tuple[Vector, Vector, Scalar]:
        levels, back, found = Vector(int, A.nrows), Vector(int, A.nrows), Scalar.from_value(0)
        for depth in gb.loop(frontier, 4):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.any_pair[bool](frontier @ A)
            back(binary.min) << semiring.min_plus(B @ levels)
            back << binary.plus(back, weight)
            found << back.reduce(monoid.plus)
        return levels, back, found

    def graph(edges: int) -> Matrix:
        ends = random.integers(0, 30, (2, edges))
        return Matrix.from_coo(*ends, random.integers(1, 9, edges), nrows=30, ncols=30, dup_op=binary.plus)

    recorded, kept = gb.program(search), [graph(50), graph(90), graph(0)]
    for turn in range(12):
        A, B = (kept[int(n)] if n < 3 else graph(70) for n in random.integers(0, 4, 2))
        source, weight = int(random.integers(30)), Scalar.from_value(int(random.integers(5)))
        with gb.config.set(loops="iterated"):
            expected = search(A, B, Vector.from_coo([source], [True], size=30), weight)
        frontier = Vector.from_coo([source], [True], size=30)
        found = recorded(A, B, frontier, weight)
        assert [same(x, y) for x, y in zip(expected[:2], found[:2], strict=True)] == [True] * 2, turn
        assert found[2].isequal(expected[2])
        found[0].clear()  # the result belongs to the caller
        found[1] << 7
    assert recorded.recordings <= 2  # with one matrix twice, and with two


@pytest.mark.usefixtures("interpreted")
def test_an_interrupt_between_a_loop_and_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next call makes both."""

    @gb.program
    def doubled(x: Vector) -> Vector:
        y = x.dup()
        for _ in gb.loop(y, 3):
            y << binary.times(y, 2)
        return y

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    x = Vector.from_dense([1, 2, 3])
    with monkeypatch.context() as patch:
        patch.setattr(run, "Memory", interrupted)
        with pytest.raises(KeyboardInterrupt):
            doubled(x)
    assert doubled(x).to_dense().tolist() == [8, 16, 24]
