"""``gb.loop`` does what Python would have done, or raises a LoopError at the user's line.

Each body is run as a plain Python loop over single calls, too (``body_fuzzer.Plain``).
"""

import gc
import types
from collections.abc import Iterator

import body_fuzzer
import interpreted_loops
import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, semiring
from grblas_gpu.api.rounds import Round
from grblas_gpu.backends.cpu.fusion import run, tier
from grblas_gpu.exceptions import LoopError

N, ROUNDS = 30, 20
any_pair = semiring.any_pair


def start() -> tuple[Matrix, Vector, Vector]:
    """A path, a frontier at its beginning, and levels."""
    A = Matrix.from_coo(range(N - 1), range(1, N), True, nrows=N, ncols=N)
    return A, Vector.from_coo([0], [True], size=N), Vector(int, N)


# --- bodies: loop -> results ------------------------------------------------------------------------------------------


def rebinding(loop):
    x = first = Vector.from_dense([8.0, 4.0])
    for _ in loop(x, 3):
        x = (x * 0.5).new()
    return x.to_dict(), first.to_dict()


def two_buffers(loop):
    (A, f, levels), g = start(), Vector(bool, N)
    first = f
    for depth in loop(f, ROUNDS - 1):
        levels(f.S) << depth
        g(~levels.S, replace=True) << any_pair(f @ A)
        f, g = g, f
    return levels.to_dict(), f.to_dict(), g.to_dict(), first.to_dict(), int(depth)


def three_buffers(loop):
    x, y, z = (Vector.from_dense([n, 2 * n]) for n in (1, 2, 3))
    for depth in loop(x, 8):
        x << binary.plus(y, depth)
        x, y, z = y, z, x
    return [v.to_dict() for v in (x, y, z)]


def two_terms(loop):
    a, b = Vector.from_dense([1, 1]), Vector.from_dense([1, 2])
    for _ in loop(a, 7):
        a, b = b, binary.plus(a | b).new()
    return a.to_dict(), b.to_dict()


def attribute(loop):
    A, f, levels = start()
    s = types.SimpleNamespace(f=f)
    for depth in loop(f, ROUNDS):
        levels(s.f.S) << depth
        s.f = any_pair(s.f @ A).new(bool, mask=~levels.S)
    return levels.to_dict(), s.f.to_dict()


def other_type(loop):
    A, f, levels = start()
    for depth in loop(f, ROUNDS):
        levels(f.S) << depth
        f = any_pair(f @ A).new(mask=~levels.S)
    return levels.to_dict(), f.to_dict()


def dictionary(loop):
    A, f, levels = start()
    st = {"k": 0}
    for _ in loop(f, ROUNDS):
        levels(f.S) << st["k"]
        st["k"] += 1
        f(~levels.S, replace=True) << any_pair(f @ A)
    return levels.to_dict(), st


def enumerated(loop):
    A, f, levels = start()
    for k, _ in enumerate(loop(f, ROUNDS)):
        levels(f.S) << k
        f(~levels.S, replace=True) << any_pair(f @ A)
    return levels.to_dict(), k


def history(loop):
    A, f, levels = start()
    kept = []
    for depth in loop(f, ROUNDS):
        levels(f.S) << depth
        f(~levels.S, replace=True) << any_pair(f @ A)
        kept.append(f.dup())
    return [v.to_dict() for v in kept]


def made_of_values(loop):
    x = Vector.from_dense([1, 2, 3])
    for _ in loop(x, 4):
        y, step = Vector.from_coo([0], [2], size=3), Scalar.from_value(1)
        step << binary.plus(step & 1)
        y(binary.plus) << x
        x << binary.plus(y, step)
    return x.to_dict()


def inside(loop):
    x, y = Vector.from_dense([1, 2]), Vector.from_dense([5, 6])
    for depth in loop(x, 4):
        z = x.dup()
        for _ in loop(y, 3):
            z = binary.plus(z, depth).new()
        x << z
    return x.to_dict()


def no_round(loop):
    f, kept, x = Vector(bool, 3), [], None
    for _ in loop(f):
        kept.append(1)
        x = f.dup()
        f.clear()
    return kept, x


#: Bodies that an engine can run as a whole; what random bodies (``body_fuzzer.STATE``) have is not here again.
WHOLE = (rebinding, two_buffers, three_buffers, two_terms, attribute, made_of_values, inside)
BODIES = [*WHOLE, other_type, dictionary, enumerated, history, no_round]


@pytest.fixture(params=["numpy", "cpu", "fused"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An engine; or the CPU engine with every loop that can be as one function, whose text Python runs."""
    if request.param == "fused":
        monkeypatch.setattr(run, "level", lambda program, first, before=0: tier.COMPILE)
        interpreted_loops.interpret(monkeypatch)
    with gb.using("numpy" if request.param == "numpy" else "cpu"):
        yield request.param


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_a_loop_is_what_python_would_have_done(engine: str, body) -> None:
    loop = body_fuzzer.Loops()
    assert body(loop) == body(body_fuzzer.Plain)
    if engine == "fused":
        assert (loop.made[0].mode == "fused") == (body in WHOLE)


@pytest.mark.parametrize("body", [*WHOLE, history], ids=lambda body: body.__name__)
def test_on_the_device(to_device, body) -> None:
    expected = body(body_fuzzer.Plain)
    to_device(Matrix(int, 2, 2))  # from here on objects are made there
    loop = body_fuzzer.Loops()
    assert body(loop) == expected
    assert loop.made[0].mode == ("iterated" if body is history else "fused")


def test_a_condition_is_computed_before_every_step(engine: str) -> None:
    x = Vector.from_dense([8.0, 4.0])
    rounds = gb.loop((x - 1.0).reduce(monoid.max) > 0.0, 20)
    for _ in rounds:
        x << x * 0.5
    assert (rounds.steps, x.to_dict()) == (3, {0: 1.0, 1: 0.5})
    y, total = Vector.from_dense([8.0, 4.0]), Scalar.from_value(0)
    for _ in gb.loop(y, 2):
        for _ in gb.loop(y.reduce(monoid.max) > 1.0):
            y << y * 0.5
            total << binary.plus(total & 1)
    assert total.value == 3
    with pytest.raises(LoopError, match="nothing in the body changes the condition"):
        for _ in gb.loop(y.reduce(monoid.max) > 0.0):
            x << x * 0.5


def test_the_trace_says_why_a_loop_is_iterated() -> None:
    with gb.trace() as trace:
        history(gb.loop)
        enumerated(gb.loop)
        dictionary(gb.loop)
    reasons = [record.reason for record in trace.records if record.strategy == "iterated"]
    assert ["kept" in reasons[0], "enumerate" in reasons[1], "st['k']" in reasons[2]] == [True] * 3


# --- refused: line by line, `# here` where the error must be reported -------------------------------------------------


def looks_first() -> None:
    A, f, _ = start()
    for _ in gb.loop(f, ROUNDS):
        if f.nvals > 10:  # here: f
            break
        f << any_pair(f @ A)


def counts_in_a_scalar() -> None:
    A, f, _ = start()
    seen = Scalar.from_value(0)
    for _ in gb.loop(f, ROUNDS):
        f << any_pair(f @ A)
        seen = Scalar.from_value(seen.value + 1)  # here: seen


def prints() -> None:
    A, f, _ = start()
    for depth in gb.loop(f, ROUNDS):
        f << any_pair(f @ A)
        print(f"round {depth}")  # here: count


def prints_an_object() -> None:
    A, f, _ = start()
    for _ in gb.loop(f, ROUNDS):
        f << any_pair(f @ A)
        print(f)  # here: f


def counts_inside() -> None:
    x, y, k = Vector.from_dense([1, 2]), Vector.from_dense([1, 2]), 0
    for _ in gb.loop(x, 3):
        for _ in gb.loop(y, 3):
            x << binary.plus(x, k)
            k += 1  # here: k


def swaps_inside() -> None:
    x, y = Vector.from_dense([1, 2]), Vector.from_dense([3, 4])
    for _ in gb.loop(x, 3):
        for _ in gb.loop(y, 3):  # here: x
            x, y = y, x


def uses_what_a_when_makes() -> None:
    x, y = Vector.from_dense([1, 2]), Vector.from_dense([3, 4])
    for _ in gb.loop(x, 3):
        for _ in gb.when(y):
            z = x.dup()
        x << binary.plus(x | z)  # here: z


def hidden_state() -> None:
    x, other = Vector.from_dense([1, 2]), _Hidden()
    for _ in gb.loop(x, 3):
        x << binary.plus(x, other())  # here: 1


class _Hidden:
    __slots__ = ("k",)

    def __init__(self) -> None:
        self.k = 0

    def __call__(self) -> int:
        self.k += 1
        return self.k


REFUSED = [
    *(looks_first, counts_in_a_scalar, prints, prints_an_object, counts_inside, swaps_inside, uses_what_a_when_makes),
    hidden_state,
]


@pytest.mark.parametrize("body", REFUSED, ids=lambda body: body.__name__)
def test_a_refusal_names_line_and_variable(body, engine: str) -> None:
    import inspect

    lines, first = inspect.getsourcelines(body)
    line, name = next(
        (first + n, text.partition("# here: ")[2].strip()) for n, text in enumerate(lines) if "# here" in text
    )
    with pytest.raises(LoopError) as error:
        body()
    message = str(error.value)
    assert message.startswith(f"{__file__}:{line}: ")
    assert name in message.partition(": ")[2]


def test_a_program_that_does_something_else_the_next_time() -> None:
    rng = np.random.default_rng(1)

    @gb.program
    def add(x: Vector) -> Vector:
        return binary.plus(x, float(rng.random())).new()

    with pytest.raises(LoopError, match=r"test_python_loops\.py:\d+: add does something else"):
        add(Vector.from_dense([1.0]))


# --- random bodies ----------------------------------------------------------------------------------------------------


def test_compared_rounds_go_at_once(engine: str) -> None:
    """They hold arrays, perhaps of a device: the garbage collector may not run for long."""

    def rounds() -> int:
        return sum(type(each) is Round for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before, x = rounds(), Vector.from_coo([0], [64.0], size=3)
        for _ in gb.loop(x, 3):
            x << binary.times(x, 0.5)
        assert x.to_dict() == {0: 8.0} and rounds() == before
    finally:
        gc.enable()


@pytest.mark.parametrize("part", range(6))
def test_random_bodies(engine: str, part: int) -> None:
    _check_bodies(range(50 * part, 50 * part + 50), gb.Vector(int, 1).backend)


def test_bodies_that_were_wrong(engine: str) -> None:
    """The number of an inner loop, after a loop that was iterated or left."""
    _check_bodies((8481, 31247, 31428), gb.Vector(int, 1).backend)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_more_random_bodies(engine: str, part: int) -> None:
    if engine == "numpy":
        pytest.skip("as on the CPU: operations on a few entries have one definition")
    _check_bodies(range(1000 * part, 1000 * part + 1000), "cpu")


@pytest.mark.gpu
@pytest.mark.skipif(not has_gpu(), reason="needs a CUDA device")
@pytest.mark.parametrize("part", range(20))
def test_random_bodies_on_a_gpu(part: int) -> None:
    _check_bodies(range(10 * part, 10 * part + 10), "cuda")


def _check_bodies(seeds, backend: str) -> None:
    wrong = [what for what, _ in (body_fuzzer.differs(seed, backend) for seed in seeds) if what is not None]
    interpreted_loops.sources.clear()
    run._loops.clear()
    assert not wrong, "\n\n".join(wrong)
