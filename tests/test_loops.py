"""Whole loops: the same results however they run, and clear errors for bodies that look at values."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import ENGINES, GPU, loaded, moved
from loop_bodies import BODIES

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, backends, binary, generators, monoid, select, semiring
from grblas_gpu.exceptions import LoopError


def graphs() -> dict[str, Matrix]:
    with gb.using("cpu"):
        kronecker = generators.kronecker(6, seed=2)
        rows, cols, _ = kronecker.to_coo()
        random = np.random.default_rng(3)
        some = random.random(len(rows)) < 0.6
        lengths = random.integers(1, 9, int(some.sum()))
        directed = Matrix.from_coo(rows[some], cols[some], lengths, nrows=kronecker.nrows, ncols=kronecker.ncols)
        return {"kronecker": kronecker, "directed": directed, "path": generators.path(40), "star": generators.star(50)}


@pytest.fixture(params=ENGINES)
def to_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """How a matrix gets to the CUDA engine, or to its emulation; objects are made there meanwhile."""
    with loaded(request.param, monkeypatch, "engine") as device:
        if request.param != "gpu":
            monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())

        def move(A: Matrix) -> Matrix:
            B = A.to("cuda")
            if request.param != "gpu":  # whose arrays are NumPy's: the transpose would be made by SciPy
                other = A._store.transposed()
                B._store._transpose = B._store if other is A._store else moved(other, device.to_device)
                B._store._transpose._transpose = B._store
            return B

        with gb.using("cuda"):
            yield move


def same(x: Any, y: Any) -> bool:
    if x.ndim == 0:
        return bool(x.isclose(y.value, rel_tol=1e-9))
    return bool(x.isclose(y.to("cpu"), rel_tol=1e-9, check_dtype=True))


@pytest.mark.parametrize("graph", ["kronecker", "directed", "path", "star"])  # three of them run the same programs
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_on_the_device_is_a_loop(to_device: Any, name: str, graph: str) -> None:
    A, body = graphs()[graph], BODIES[name]
    with gb.using("cpu"):
        expected, results = body(A, 5)
    loop, found = body(to_device(A), 5)
    assert loop.mode == "fused"
    assert expected.mode == "iterated"
    assert loop.steps == expected.steps
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


def test_aggregators_are_repeated_step_by_step(to_device: Any) -> None:
    A = graphs()["directed"]

    def means(A: Matrix) -> tuple[Any, Scalar]:
        walkers, mean = Vector.from_coo([5], [1], size=A.nrows), Scalar(float)
        loop = gb.loop(walkers, 3)
        for _ in loop:
            walkers << semiring.plus_first(walkers @ A)
            mean << walkers.reduce(gb.agg.mean)
        return loop, mean

    with gb.using("cpu"):
        _, expected = means(A)
    loop, found = means(to_device(A))
    assert (loop.mode, loop.steps) == ("iterated", 3)
    assert same(expected, found)


@pytest.mark.parametrize("name", ["levels", "distances", "all kinds"])
def test_a_recorded_loop_may_be_repeated_step_by_step(backend: str, name: str, monkeypatch: Any) -> None:
    """What an engine cannot run as a whole is run from the recording."""
    A = graphs()["directed"].to(backend)
    with gb.config.set(loops="iterated"):
        expected, results = BODIES[name](A, 5)
    engine = type(backends.current_engine())
    monkeypatch.setattr(engine, "runs_loops", True)
    monkeypatch.setattr(engine, "run_loop", lambda self, recording: None, raising=False)
    loop, found = BODIES[name](A, 5)
    assert (loop.mode, loop.steps) == ("iterated", expected.steps)
    assert all(x.isequal(y) for x, y in zip(results, found, strict=True))


@pytest.mark.parametrize("weighted", [True, False])
def test_ranks_in_32_bits_are_added_up_in_64_on_the_device(to_device: Any, monkeypatch: Any, weighted: bool) -> None:
    """PageRank as it is in the library: fused, and with what a thread reads at random in 32 bits."""
    A = graphs()["directed"]
    options: dict[str, Any] = {"weighted": weighted, "tol": 1e-9}
    with gb.using("cpu"):
        expected = algorithms.pagerank(A, **options).to_dense()
    made = []

    def noted(*args: Any) -> Any:
        made.append(gb.loop(*args))
        return made[-1]

    monkeypatch.setattr(sys.modules[algorithms.pagerank.__module__], "loop", noted)
    found = algorithms.pagerank(to_device(A), dtype="FP32", **options)
    assert ([loop.mode for loop in made], found.dtype) == (["fused"], gb.FP32)
    np.testing.assert_allclose(found.to_dense(), expected, rtol=1e-5)
    if not GPU:
        program = emulated_cupy.sources[-1]
        assert "using VectorValue = float;" in program
        assert "using Value = double;" in program


def test_nothing_to_do(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    for condition, limit in ((Vector(bool, A.nrows), None), (Vector.from_coo([1], [True], size=A.nrows), 0)):
        levels, frontier = Vector(int, A.nrows), condition
        loop = gb.loop(frontier, limit)
        for depth in loop:
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
        assert (loop.steps, levels.nvals) == (0, 0)


def test_the_limit_ends_a_loop(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    loop = gb.loop(frontier, 7)
    for depth in loop:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (loop.steps, int(depth), levels.nvals, frontier.to_dict()) == (7, 6, 7, {7: True})


def layers_and_a_tail() -> Matrix:
    """Six layers of 30 vertices, each joined to the next at random, and a path that leads back to some of each.

    A vector that starts in the first layer has many entries at first, then few, in places where it had some before.
    """
    random = np.random.default_rng(8)
    first, tail = np.repeat(np.arange(150), 4), np.arange(180, 192)
    rows = np.concatenate([first, np.arange(150, 180), tail[:-1], tail])
    following = first // 30 * 30 + 30 + random.integers(0, 30, 600)
    cols = np.concatenate([following, np.full(30, 180), tail[1:], random.integers(0, 180, 12)])
    return Matrix.from_coo(rows, cols, True, nrows=192, ncols=192)


@pytest.mark.parametrize("options", [{"direction": "push"}, {"direction": "pull"}, {"policy": "fraction"}])
@pytest.mark.parametrize("stored", ["some", "alike"])
def test_sums_begin_with_nothing(to_device: Any, options: dict[str, str], stored: str) -> None:
    """Whatever is in the arrays where a vector has no entry: from before the loop, or from steps long ago."""
    with gb.using("cpu"):
        A = layers_and_a_tail()
    B = to_device(A)

    def walks(A: Matrix) -> list[Vector]:
        there = Vector.from_coo(np.arange(0, 30, 2), True, size=A.nrows)
        everywhere = Vector.from_dense(np.arange(A.nrows) % 3 + 1 if stored == "some" else np.ones(A.nrows, int))
        x = everywhere.dup(mask=there.S)
        total = x.dup()
        for _ in gb.loop(x, 12):
            x(**options) << semiring.plus_first(x @ A)
            total(gb.binary.plus) << x
        return [x, total]

    with gb.using("cpu"):
        expected = walks(A)
    for _ in range(2):  # what a loop leaves in its buffers must not show in the next
        assert [same(x, y) for x, y in zip(expected, walks(B), strict=True)] == [True, True]


@pytest.mark.parametrize("direction", ["auto", "pull"])
@pytest.mark.parametrize("long", [False, True])
def test_pulls_that_begin_with_the_likeliest_entry(to_device: Any, direction: str, long: bool) -> None:
    """Directed, some rows empty, some very long: what is likely in one direction is not in the other."""
    random = np.random.default_rng(11)
    n = 5000 if long else 300
    rows = random.integers(0, n, 12 * n) ** 2 // n  # low numbers have more edges
    columns = random.integers(0, n - 5, 12 * n)
    if long:
        rows, columns = np.append(rows, np.arange(3000)), np.append(columns, np.full(3000, 17))
    with gb.using("cpu"):
        A = Matrix.from_coo(rows, columns, True, nrows=n, ncols=n)
        expected = algorithms.bfs(A, 40)
    B = to_device(A)
    assert same(expected, algorithms.dobfs(B, 40, direction=direction))
    assert B._store.transposed()._likeliest is not None and B._store._likeliest is None


def test_arrays_of_a_matrix_may_begin_anywhere(to_device: Any) -> None:
    """Kernels read 16 bytes at a time, and somebody's array may be the end of a longer one."""
    A = graphs()["kronecker"]
    with gb.using("cpu"):
        expected = algorithms.bfs(A, 5)
    B = to_device(A)
    for store in (B._store, B._store.transposed()):
        for name in ("indptr", "indices"):
            array = getattr(store, name)
            longer = type(array)(len(array) + 1, array.dtype)
            longer[1:] = array
            setattr(store, name, longer[1:])
    assert B._store.indices.data.ptr % 16
    assert same(expected, algorithms.dobfs(B, 5, direction="pull"))


@pytest.mark.parametrize("search", ["bfs", "dobfs", "bellman_ford", "betweenness_centrality"])
def test_frontiers_of_one_vertex_and_of_very_many(to_device: Any, search: str) -> None:
    """A path, many vertices at once, a path, and again: few blocks go on alone, hand over to all, and take over again."""
    path, many, edges, last = np.arange(7), 20_000 if GPU else 200, [], 0
    for _ in range(2):
        edges.append((last + path, last + path + 1))
        hub = last + len(path)
        leaves = hub + 1 + np.arange(many)
        edges += [(np.full(many, hub), leaves), (leaves, np.full(many, leaves[-1] + 1))]
        last = int(leaves[-1]) + 1
    edges.append((last + path, last + path + 1))
    rows, columns = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    n = int(columns.max()) + 1
    with gb.using("cpu"):
        A = Matrix.from_coo(np.append(rows, columns), np.append(columns, rows), 1, nrows=n, ncols=n)
        expected = getattr(algorithms, search)(A, 0)
    B = to_device(A)
    for _ in range(2):
        assert same(expected, getattr(algorithms, search)(B, 0))


@pytest.mark.parametrize("options", [{}, {"direction": "push"}, {"direction": "pull"}])
@pytest.mark.parametrize("graph", ["kronecker", "directed", "star"])
def test_copies_of_a_graph_side_by_side(to_device: Any, graph: str, options: dict[str, str]) -> None:
    A, sources = graphs()[graph], [5, 0, 5, 17]
    B = to_device(A)

    def distances(A: Matrix, step: Any) -> Vector:
        starts = [k * A.nrows + source for k, source in enumerate(sources)]
        copies = A.side_by_side(len(sources))
        x = Vector.from_coo(starts, range(1, 5), int, size=copies.nrows)
        found = x.dup()
        for _ in gb.loop(x):
            x(~found.S, replace=True, **options) << step(x @ copies)
            found(x.S) << x
        made.append(copies._store)
        return found

    made: list[Any] = []
    for step in (semiring.plus_first[int], semiring.min_plus[int]):
        with gb.using("cpu"):
            expected = distances(A, step)
        assert same(expected, distances(B, step))
        with pytest.raises(AttributeError):  # nobody made copies of the entries
            type(made[-1]).indices.__get__(made[-1])


def test_copies_that_no_kernel_numbers(to_device: Any) -> None:
    """Copies of a matrix that is not square, and a row of copies: one operation after another, and right."""
    with gb.using("cpu"):
        A = Matrix.from_coo([0, 0, 1, 2, 2], [1, 4, 3, 0, 2], [1, 2, 3, 4, 5], nrows=3, ncols=5)
        square = graphs()["directed"]
    B, C = to_device(A), to_device(square)

    def there_and_back(A: Matrix) -> tuple[Any, Vector]:
        copies = A.side_by_side(3)
        x, y = Vector.from_coo([0, 4, 8], [1, 2, 3], int, size=9), Vector(int, 15)
        rounds = gb.loop(x, 3)
        for _ in rounds:
            y << semiring.plus_times(x @ copies)
            x << semiring.plus_times(y @ copies.T)
        return rounds, x

    def last_row(A: Matrix) -> tuple[Any, Vector]:
        copies = A.side_by_side(2)
        x = Vector.from_coo([0], [1], int, size=copies.nrows)
        rounds = gb.loop(x, 3)
        for step in rounds:
            x << copies[step + A.nrows, :]
        return rounds, x

    for walk, ours, theirs in ((there_and_back, B, A), (last_row, C, square)):
        rounds, found = walk(ours)
        assert rounds.mode == "iterated"
        with gb.using("cpu"):
            assert same(walk(theirs)[1], found)


def test_loops_follow_each_other(to_device: Any) -> None:
    """Buffers are left clean, and results of one loop enter the next in whatever form they have."""
    A = graphs()["kronecker"]
    B = to_device(A)
    for source in (5, 3, 5, 0):
        for name in ("levels", "dependencies", "levels by pushing"):
            with gb.using("cpu"):
                _, results = BODIES[name](A, source)
            _, found = BODIES[name](B, source)
            assert all(same(x, y) for x, y in zip(results, found, strict=True)), (name, source)


def test_one_program_for_graphs_that_come_and_go(to_device: Any) -> None:
    """What a loop remembers of a graph is that of no other, and keeps none of them in memory."""
    with gb.using("cpu"):
        graphs = [generators.path(50), generators.star(50), generators.grid_2d(5, 10)]
        expected = [algorithms.bfs(A, 7) for A in graphs]
    stays = to_device(graphs[2])
    for turn in (0, 1, 2, 1, 0, 2, 2, 0):
        A = stays if turn == 2 else to_device(graphs[turn])
        assert same(expected[turn], algorithms.dobfs(A, 7))
        remembered = weakref.ref(A._store)
        del A
        gc.collect()
        assert (remembered() is None) == (turn != 2)


def test_the_count_of_an_earlier_loop_is_a_number(to_device: Any) -> None:
    first, second, third = (Vector.from_coo([2], [1], size=5) for _ in range(3))
    for count in gb.loop(first, 7):
        first << binary.plus(first, 1)
        kept = Scalar.from_value(count)
    rounds = gb.loop(first, 3)
    for step in rounds:
        first << step
        second << count
        third << kept
    assert (rounds.mode, int(count), kept.value) == ("fused", 6, 6)
    assert [set(x.to_dict().values()) for x in (first, second, third)] == [{2}, {6}, {6}]


@pytest.mark.parametrize("masked", [False, True])
def test_entries_that_a_mask_selects(to_device: Any, masked: bool) -> None:
    """Added to what is there; or through a second mask, which is one operation after another."""

    def totals(size: int) -> tuple[Any, Vector]:
        x = Vector.from_coo([0, 1, 2, 5], [1, 2, 3, 4], int, size=size)
        chosen = Vector.from_coo([1, 2, 7], [True, False, True], size=size)
        total = Vector.from_coo([2, 9], [10, 20], int, size=size)
        rounds = gb.loop(x, 3)
        for _ in rounds:
            if masked:
                total(chosen.V) << x.select(chosen.S)
            else:
                total(binary.plus) << x.select(chosen.S)
            x << binary.times(x, 2)
        return rounds, total

    with gb.using("cpu"):
        _, expected = totals(12)
    rounds, found = totals(12)
    assert (rounds.mode, rounds.steps) == ("iterated" if masked else "fused", 3)
    assert same(expected, found)


def test_steps_are_traced(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    with gb.trace() as trace:
        loop, (levels, _) = BODIES["levels"](A, 0)
    steps = trace.steps()
    assert len(steps) == loop.steps == 40
    assert [step.allowed for step in steps] == list(range(39, -1, -1))
    assert [step.input_nvals for step in steps] == [1] * 40
    assert {step.direction for step in steps} <= {"push", "pull"}
    assert levels.nvals == 40


def test_an_interrupt_leaves_the_last_step(to_device: Any, monkeypatch: Any) -> None:
    from grblas_gpu.backends.cuda import loop_run

    A = to_device(graphs()["path"])
    wait = loop_run._Report.wait

    def interrupted(self: Any, stream: Any) -> Any:
        wait(self, stream)
        raise KeyboardInterrupt

    monkeypatch.setattr(loop_run._Report, "wait", interrupted)
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    with pytest.raises(KeyboardInterrupt):
        for depth in gb.loop(frontier, 7):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (levels.nvals, frontier.to_dict()) == (7, {7: True})
    monkeypatch.setattr(loop_run._Report, "wait", wait)
    assert BODIES["levels"](A, 0)[1][0].nvals == 40


# --- errors ----------------------------------------------------------------------------------------------------------


def looks_at_entries(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        if frontier.nvals > 3:
            break


def looks_before(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        if frontier.nvals > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_the_count(A: Matrix, frontier: Vector, **options: Any) -> None:
    for depth in gb.loop(frontier, **options):
        if depth > 3:
            break
        frontier << semiring.lor_land(frontier @ A)


def looks_at_a_scalar(A: Matrix, frontier: Vector, **options: Any) -> None:
    found = Scalar(bool)
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        found << frontier.reduce(monoid.lor)
        if found.value:
            break


def loops_inside(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, **options):
        frontier << semiring.lor_land(frontier @ A)
        for _ in gb.loop(frontier, 1):
            frontier << select.valueeq(frontier, 0)


def extracts(A: Matrix, frontier: Vector, **options: Any) -> None:
    for _ in gb.loop(frontier, 2, **options):
        frontier << semiring.lor_land(frontier @ A)
        frontier[:3] << frontier[1:4].new()


LOOKING = [looks_at_entries, looks_before, looks_at_the_count, looks_at_a_scalar, loops_inside, extracts]


@pytest.mark.parametrize("body", LOOKING, ids=lambda body: body.__name__)
def test_a_body_that_looks_at_values(to_device: Any, body: Any) -> None:
    A = graphs()["path"]
    B = to_device(A)
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match=r"test_loops\.py:\d+: "):
        body(B, frontier)
    assert frontier.to_dict() == {4: True}  # nothing has happened
    assert gb.recording.current() is None
    body(B, frontier, fallback=True)
    with gb.using("cpu"):
        expected = Vector.from_coo([4], [True], size=40)
        body(A, expected)
    assert frontier.to("cpu").isequal(expected)


def test_a_fallback_is_traced(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    with gb.trace() as trace:
        looks_at_entries(A, Vector.from_coo([4], [True], size=40), fallback=True)
    assert trace.records[0].strategy == "iterated"
    assert "the number of entries" in trace.records[0].reason


def test_a_body_that_binds_its_state_anew(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match="binds frontier to a new object"):
        for _ in gb.loop(frontier, 3):
            frontier = semiring.lor_land(frontier @ A).new()


def test_a_loop_that_cannot_end(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(LoopError, match="nothing in the body changes the condition"):
        for _ in gb.loop(frontier):
            result = semiring.lor_land(frontier @ A).new()
    assert result.nvals == 0


def test_errors_in_a_body_are_the_usual_ones(to_device: Any) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    with pytest.raises(gb.exceptions.DimensionMismatch):
        for _ in gb.loop(frontier):
            frontier << semiring.lor_land(Vector(bool, 3) @ A)
    assert gb.recording.current() is None


def test_what_is_no_condition() -> None:
    for condition in (3, "frontier", None):
        with pytest.raises(TypeError, match="the condition is"):
            gb.loop(condition)
    with pytest.raises(ValueError, match="must not be negative"):
        gb.loop(Vector(bool, 3), -1)


# --- machine code ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_every_loop_compiles(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("recorded", monkeypatch, "engine", "loop_program", "loop_layout") as device:
        monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())
        texts: list[str] = []

        def keep(self: Any, recording: Any) -> None:
            texts.append(device.loop_program.Program(device.loop_layout.describe(recording)).text)
            raise EndOfTest

        monkeypatch.setattr(device.engine.CudaBackend, "run_loop", keep)
        with gb.using("cuda"):
            A = graphs()["directed"].to("cuda")
            for name in ("levels", "parents", "distances", "ranks", "cores", "all kinds"):
                with pytest.raises(EndOfTest):
                    BODIES[name](A, 5)
        for text in texts:
            nvrtc.compile_cuda(text, architecture, ("-std=c++17",))
        assert len(texts) == 6


class EndOfTest(Exception):
    pass
