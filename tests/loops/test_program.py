"""Functions that are recorded once: the same results as without, never stale, and clear errors."""

import gc
import weakref

import numpy as np
import pytest
from loop_bodies import BODIES
from loop_cases import graphs, same
from running import in_threads

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, semiring
from grblas_gpu.api.program import MOST_CALLS, MOST_RECORDINGS
from grblas_gpu.backends.interpreter import run as interpreter
from grblas_gpu.backends.registry import current_engine
from grblas_gpu.exceptions import LoopError
from grblas_gpu.ir import recording


def levels_of(A: Matrix, frontier: Vector, limit: int | None = None) -> Vector:
    levels = Vector(int, A.nrows)
    for depth in gb.loop(frontier, limit):
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    return levels


def powers(A: Matrix, r: Vector, damping: Scalar, steps: int) -> tuple[Vector, Scalar, Vector]:
    """All kinds of objects: changed inputs, read ones, new ones with and without contents."""
    error, start = Scalar.from_value(1.0), r.dup()
    for _ in gb.loop(error > 1e-9, steps):
        old = r.dup()
        r << semiring.plus_first(r @ A)
        r << binary.times(r, damping)
        change = binary.minus(r & old).new()
        error << change.reduce(monoid.max)
    total = r.reduce(monoid.plus).new()
    for _ in gb.when(total > 0):
        start << binary.plus(start, 1)
    return r, total, start


def entry(A: Matrix, at: int) -> Vector:
    return Vector.from_coo([at], [True], size=A.nrows)


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert recording.current() is None


def test_a_recording_is_the_function(backend: str) -> None:
    search, rank = gb.program(levels_of), gb.program(powers)
    for A in graphs().values():
        A = A.to(backend)
        for source in (0, 7, 31):
            assert search(A, entry(A, source)).isequal(levels_of(A, entry(A, source)))
        for damping in (0.5, 0.01):
            r, s = Vector.from_scalar(1.0, A.nrows), Vector.from_scalar(1.0, A.nrows)
            found = rank(A, r, Scalar.from_value(damping), 4)
            expected = powers(A, s, Scalar.from_value(damping), 4)
            assert found[0] is r
            assert [x.isclose(y) for x, y in zip(found, expected, strict=True)] == [True] * 3
    assert search.recordings == rank.recordings == len({A.dtype for A in graphs().values()})


def test_vectors_that_begin_otherwise(to_device) -> None:
    """One kernel, and nothing of how the call before began: with one entry, several, none, all, in whatever form."""
    search, A = gb.program(levels_of), graphs()["directed"]
    B, size = to_device(A), A.nrows
    begins = [[3], [5], [4, 9], [3], [], [3], list(range(size)), [3, 7], [], [], [6]]
    for start in begins:
        with gb.using("cpu"):
            expected = levels_of(A, Vector.from_coo(start, True, size=size, dtype=bool))
        assert same(expected, search(B, Vector.from_coo(start, [True] * len(start), size=size, dtype=bool)))
        if len(start) == 1:
            assert same(expected, search(B, entry(B, start[0])))
    assert search.recordings == 1


@pytest.mark.parametrize("name", BODIES)
def test_every_loop_fits_into_a_program(backend: str, name: str) -> None:
    A = graphs()["directed"].to(backend)
    with gb.config.set(loops="iterated"):
        _, expected = BODIES[name](A, 5)

    @gb.program
    def recorded(A: Matrix):
        return tuple(BODIES[name](A, 5)[1])

    try:
        results = [recorded(A), recorded(A)]
    except LoopError as error:  # of what begins with a look at values
        assert "not known when recorded is recorded" in str(error) or "in a program" in str(error)
        return
    for found in results:
        assert [x.isclose(y) for x, y in zip(expected, found, strict=True)] == [True] * len(found)


def test_the_text() -> None:
    search = gb.program(levels_of)
    A = graphs()["path"]
    search(A, entry(A, 3), 9)
    (found,) = search._recorded().values()
    assert str(found.program) == (
        "program(v0: BOOL[40], v1: INT64[40], A0: BOOL[40x40])\n"
        "while v0.nvals, at most 9 times:\n"
        "    v1<v0.S> = assign (step)\n"
        "    v0<~v1.S, replace> = vxm semiring.lor_land[BOOL] (v0, A0)"
    )


# ---- nothing is stale ------------------------------------------------------------------------------------------------


def test_other_contents_are_read(backend: str) -> None:
    search = gb.program(levels_of)
    A = gb.generators.path(6).to(backend)
    assert search(A, entry(A, 0)).nvals == 6
    del A[2, 3]
    assert search(A, entry(A, 0)).nvals == 3
    A << Matrix(bool, 6, 6).to(backend)
    assert search(A, entry(A, 0)).to_dict() == {0: 0}
    assert search.recordings == 1


def test_other_types_and_statics_are_recorded_anew(backend: str) -> None:
    search = gb.program(levels_of)
    A = gb.generators.path(6).to(backend)
    for number, (graph, limit) in enumerate([(A, None), (A, 3), (A.dup(dtype=float), 3)], 1):
        assert search(graph, entry(graph, 0), limit).nvals == (6 if limit is None else 3)
        assert search.recordings == number
    with gb.using("numpy"):
        B = gb.generators.path(6)
        assert search(B, entry(B, 0), 3).nvals == 3
    assert search(A, entry(A, 0), limit=3).nvals == 3


class Compared:
    """A static argument that counts how often it was hashed for a key."""

    hashed = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compared) and self.value == other.value

    def __hash__(self) -> int:
        Compared.hashed += 1
        return hash(self.value)


def test_kinds_of_calls_that_take_turns() -> None:
    """Some are told apart without a key; of one more, and of inputs of another size, none is taken for another."""

    @gb.program
    def more(v: Vector, given: Compared) -> Vector:
        return binary.plus(v, given.value).new()

    for size, kinds in ((3, MOST_CALLS), (4, MOST_CALLS + 1)):
        v = Vector.from_coo([1], [7], size=size)
        for turn in range(3):
            before = Compared.hashed
            for value in range(kinds):
                found = more(v, Compared(value))
                assert found.size == size and found.to_dict() == {1: 7 + value}
            assert (Compared.hashed == before) == (turn > 0 and kinds <= MOST_CALLS)
    assert more.recordings == MOST_CALLS + 1


def test_statics_that_are_equal_and_not_the_same() -> None:
    @gb.program
    def filled(v: Vector, given) -> Vector:
        return binary.plus(v, max(given)).new()

    v = Vector.from_coo([1], [2], size=3)
    for kind in (tuple, frozenset):
        for value, dtype in ((1, gb.INT64), (1.0, gb.FP64), (True, gb.INT64), (1, gb.INT64)):
            assert filled(v, kind([value])).dtype == dtype

    @gb.program
    def signed(v: Vector, sign) -> Vector:
        return binary.copysign(v, sign).new()

    for zero in (0.0, -0.0, np.float64(0), np.float64(-0.0), 0.0):
        assert signed(v.dup(float), zero).to_dict() == {1: np.copysign(2.0, zero)}


def test_an_object_that_is_returned_twice() -> None:
    @gb.program
    def more(v: Vector):
        w = binary.plus(v, 1).new()
        return w, (v, w)

    v = Vector.from_coo([1], [2], size=3)
    first, (given, second) = more(v)
    assert first is second and given is v
    assert more(v)[0] is not first


def test_the_same_object_twice_and_two_objects() -> None:
    @gb.program
    def product(A: Matrix, B: Matrix, v: Vector, w: Vector) -> None:
        w << semiring.plus_times(A @ v)
        w << semiring.plus_times(B @ w)

    A, B = Matrix.from_dense([[1, 2], [3, 4]]), Matrix.from_dense([[0, 1], [1, 0]])
    v = Vector.from_dense([1, 10])
    for first, second, vector in ((A, A, v), (A, B, v), (B, A, v), (A, B, None)):
        w = Vector(int, 2) if vector is not None else v
        expected = second.to_dense() @ (first.to_dense() @ v.to_dense())
        product(first, second, v, w)
        assert w.to_dense().tolist() == expected.tolist()
    assert product.recordings == 3


def test_threads_have_recordings_of_their_own() -> None:
    search = gb.program(levels_of)
    graph = graphs()["kronecker"]
    expected = [levels_of(graph, entry(graph, source)) for source in range(8)]

    def run(source: int) -> None:
        for _ in range(5):
            assert search(graph, entry(graph, source)).isequal(expected[source])

    in_threads(run, 8)


def test_methods_and_keywords() -> None:
    class Searcher:
        @gb.program
        def levels(self, A: Matrix, frontier: Vector) -> Vector:
            return levels_of(A, frontier)

    A, searcher = graphs()["star"], Searcher()
    assert searcher.levels(A, frontier=entry(A, 3)).isequal(levels_of(A, entry(A, 3)))


def test_options_of_one_call_after_another() -> None:
    """A call like the last one is not looked up: names, their order and their values must all be the same."""

    @gb.program
    def scaled(v: Vector, **options) -> Vector:
        result = v.dup()
        for name, value in options.items():
            op = binary.plus if name == "plus" else binary.times
            result << (op(result & value) if isinstance(value, Vector) else op(result, value))
        return result

    v, w = Vector.from_coo([0, 1], [3, 4]), Vector.from_coo([0, 1], [10, 20])
    calls = [
        ({"plus": 1, "times": 2}, [8, 10]),
        ({"plus": 1, "times": 2}, [8, 10]),
        ({"times": 2, "plus": 1}, [7, 9]),
        ({"times": 2, "minus": 1}, [6, 8]),
        ({"times": 2}, [6, 8]),
        ({"times": 2.5}, [7, 10]),
        ({"plus": w}, [13, 24]),
        ({"plus": v}, [6, 8]),
        ({"plus": w}, [13, 24]),
    ]
    for options, expected in calls:
        assert scaled(v, **options).to_dense().tolist() == expected
    assert scaled.recordings == 7  # v + v is another than v + w


def test_a_program_in_a_program() -> None:
    inner = gb.program(levels_of)

    @gb.program
    def outer(A: Matrix, frontier: Vector) -> Vector:
        levels = inner(A, frontier)
        levels << binary.plus(levels, 1)
        return levels

    A = graphs()["path"]
    for source in (0, 5):
        assert outer(A, entry(A, source)).reduce(monoid.min).new() == 1


# ---- errors ----------------------------------------------------------------------------------------------------------


def refused(function, *args) -> str:
    before = [np.asarray(arg.to_coo()[0]).copy() for arg in args if isinstance(arg, Vector)]
    with pytest.raises(LoopError) as error:
        gb.program(function)(*args)
    after = [np.asarray(arg.to_coo()[0]) for arg in args if isinstance(arg, Vector)]
    assert all(map(np.array_equal, before, after))
    return str(error.value)


def test_values_are_not_known(backend: str) -> None:
    A, v = graphs()["path"].to(backend), Vector.from_dense([1, 2, 3])
    for look in (
        lambda A, v: v.nvals,
        lambda A, v: v[0].new().value,
        lambda A, v: v.to_coo(),
        lambda A, v: A.nvals,
        lambda A, v: A.pattern(),
        lambda A, v: A.is_symmetric(),
        lambda A, v: v.reduce(monoid.plus).new().value,
    ):
        assert "test_program.py" in refused(look, A, v)


def test_only_its_own_objects_change() -> None:
    outside = Vector(int, 3)

    def changes(v: Vector) -> None:
        outside(binary.plus) << v

    assert "make it an argument" in refused(changes, Vector.from_dense([1, 2, 3]))
    assert outside.nvals == 0


def test_what_is_returned() -> None:
    v = Vector.from_dense([1, 2, 3])
    assert ".new() makes an object" in refused(lambda v: binary.plus(v & v), v)
    assert "neither made nor was given" in refused(lambda w: v, v.dup())
    assert "a list" in refused(lambda v: [v], v)


def test_arguments_that_cannot_be_looked_up() -> None:
    with pytest.raises(TypeError, match="nor hashable"):
        gb.program(levels_of)(graphs()["path"], [1])


def test_an_error_in_the_function_leaves_everything() -> None:
    def fails(v: Vector) -> None:
        v << binary.plus(v, 1)
        raise RuntimeError("no")

    v = Vector.from_dense([1, 2, 3])
    with pytest.raises(RuntimeError, match="no"):
        gb.program(fails)(v)
    assert v.to_dense().tolist() == [1, 2, 3]
    with pytest.raises(gb.exceptions.DimensionMismatch):
        gb.program(lambda v, w: v << binary.plus(v & w))(v, Vector(int, 4))


def test_no_graph_is_kept_alive() -> None:
    search = gb.program(levels_of)
    for _ in range(2):
        A = graphs()["path"].dup()
        search(A, entry(A, 0))
        remembered = weakref.ref(A._store)
        del A
        gc.collect()
        assert remembered() is None


def whole(A: Matrix, source: Vector, kept: Vector) -> tuple[Vector, Vector, Scalar]:
    """Steps before, between and after loops; a vector that is overwritten first, and is full from there on."""
    n, most, rounds = A.nrows, Scalar(int), Scalar.from_value(0)
    x, seen = Vector(int, n), Vector(bool, n)
    x << kept
    x << binary.plus(x, 2)
    most << x.reduce(monoid.max)
    for depth in gb.loop(source, 3):
        seen(source.S) << True
        x(source.S, binary.plus) << depth + 1
        source(~seen.S, replace=True) << semiring.any_pair[bool](source @ A)
    rounds << binary.plus(rounds & depth)
    for inner in gb.loop(most > 0, 2):
        x << binary.plus(x, inner)
    x << binary.plus(x, 10 * inner)
    kept << x
    for _ in gb.when(source):
        kept(source.S) << -1
    return x, seen, rounds


def test_a_function_is_one_kernel(to_device) -> None:
    recorded = gb.program(whole)
    for name, A in graphs().items():
        for source in (0, 9):
            with gb.using("cpu"):
                given = entry(A, source), Vector.from_dense(np.arange(A.nrows))
                expected = (*whole(A, *given), *given)
            B = to_device(A)
            handed = entry(B, source), Vector.from_dense(np.arange(B.nrows))
            with gb.trace() as trace:
                found = (*recorded(B, *handed), *handed)
            assert [same(x, y) for x, y in zip(expected, found, strict=True)] == [True] * 5, name
            assert {record.op for record in trace.records} <= {"vxm"}  # no step on its own
    again = Vector.from_coo([1], [7], size=A.nrows)  # what is overwritten may hold anything
    with gb.using("cpu"):
        given = entry(A, 3), Vector.from_coo([1], [7], size=A.nrows)
        expected = (*whole(A, *given), *given)
    handed = entry(B, 3), again
    found = (*recorded(B, *handed), *handed)
    assert [same(x, y) for x, y in zip(expected, found, strict=True)] == [True] * 5


def overwritten(A: Matrix, x: Vector, y: Vector) -> Vector:
    """An input that is overwritten, and one that is read after it; what a function cannot do as one kernel."""
    x << 5
    y << binary.plus(y, 1)
    for step in gb.loop(y, 2):
        x << binary.plus(x, step)
        y(binary.plus) << x
    z = Vector(int, A.nrows)
    z << binary.times(x & y)
    return z


def test_whatever_an_overwritten_input_holds(to_device) -> None:
    recorded, n = gb.program(overwritten), 40
    A = graphs()["path"]
    inputs = [Vector(int, n), Vector.from_coo([3, 9], [1, 2], size=n), Vector.from_dense(np.arange(n))]
    for x in (*inputs, Vector.from_scalar(4, n), Vector.from_coo([7], [1], size=n)):
        with gb.using("cpu"):
            y = Vector.from_dense(np.arange(n))
            given = x.to("cpu"), y
            expected = (overwritten(A, *given), *given)
        handed = x.dup().to("cuda"), Vector.from_dense(np.arange(n))
        found = (recorded(to_device(A), *handed), *handed)
        assert [same(a, b) for a, b in zip(expected, found, strict=True)] == [True] * 3


def test_a_function_is_tried_again_with_other_forms(to_device) -> None:
    """What cannot be one kernel without a value may be one with the next."""

    def around(A: Matrix, source: Vector, weight: Scalar) -> tuple[Vector, Vector]:
        found = Vector(int, A.nrows)
        for _ in gb.loop(source, 2):
            source << semiring.any_pair[bool](source @ A)
            found(source.S) << weight
        found << binary.plus(found, 1)
        return found, source

    recorded, A = gb.program(around), graphs()["path"]
    B = to_device(A)
    for number in (3, None, 4, None, 5):
        with gb.using("cpu"):
            expected = around(A, entry(A, 3), Scalar.from_value(number, int))
        with gb.trace() as trace:
            found = recorded(B, entry(B, 3), Scalar.from_value(number, int))
        assert [same(x, y) for x, y in zip(expected, found, strict=True)] == [True] * 2
        assert ({record.op for record in trace.records} <= {"vxm"}) is (number is not None)
    assert recorded.recordings == 1


def test_forms_that_failed_are_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def prepare(self, program, meanwhile):
        (A,) = (x for node in program.flat for x in node.operands if x.ndim == 2)

        def attempt() -> int | None:
            tried.append(A._store.form)
            if A._store.form == "hypersparse":
                return None
            for node in program.nodes:
                interpreter.execute(node)
            return 1

        return attempt

    with gb.using("numpy"):
        engine = type(current_engine())
        monkeypatch.setattr(engine, "runs_functions", True)
        monkeypatch.setattr(engine, "prepare", prepare)

        @gb.program
        def twice(A: Matrix, v: Vector) -> Vector:
            v << semiring.plus_times(v @ A)
            v << binary.plus(v, 1)
            return v

        A = Matrix.from_coo([0, 1], [1, 0], [2, 3])
        for form in ("sparse", "hypersparse", "hypersparse", "sparse", "sparse", "hypersparse"):
            found = twice(A.to(form=form), Vector.from_dense([1, 10]))
            assert found.to_dense().tolist() == [31, 3]
    assert tried == ["sparse", "hypersparse", "sparse", "sparse", "hypersparse"]


def test_there_are_only_so_many_recordings() -> None:
    @gb.program
    def more(v: Vector, by: int) -> Vector:
        return binary.plus(v, by).new()

    for number in range(1, 2 * MOST_RECORDINGS):
        assert more(Vector.from_scalar(number, 3), number).to_dense().tolist() == [2 * number] * 3
        assert more(Vector.from_scalar(number, number + 3), 0).reduce().new().value == number * (number + 3)
    assert more.recordings == MOST_RECORDINGS
    assert more(Vector.from_scalar(5, 3), 1).to_dense().tolist() == [6] * 3  # of a kind that was forgotten
