"""Whole loops: the same results however they run, and clear errors for bodies that look at values."""

import gc
import weakref

import emulated_cupy
import numpy as np
import pytest
from emulated_engine import GPU
from loop_bodies import BODIES
from loop_cases import graphs, same

import grblas_gpu as gb
from grblas_gpu import Scalar, Vector, algorithms, binary, generators, semiring


# Three of the graphs run the same programs, for each of which g++ takes seconds: a third of the bodies sees all of them
# in the quick tests.
@pytest.mark.parametrize(
    ("name", "graph"),
    [
        pytest.param(name, graph, marks=pytest.mark.slow if number % 3 and graph != "directed" else ())
        for number, name in enumerate(BODIES)
        for graph in ("kronecker", "directed", "path", "star")
    ],
)
def test_a_loop_on_the_device_is_a_loop(to_device, name: str, graph: str) -> None:
    A, body = graphs()[graph], BODIES[name]
    with gb.using("cpu"):
        expected, results = body(A, 5)
    loop, found = body(to_device(A), 5)
    assert loop.mode == "fused"
    assert expected.mode == "iterated"
    assert loop.steps == expected.steps
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


@pytest.mark.parametrize("weighted", [True, False])
def test_ranks_in_32_bits_are_added_up_in_64_on_the_device(to_device, monkeypatch, weighted: bool) -> None:
    """PageRank as it is in the library: fused, and with what a thread reads at random in 32 bits."""
    A = graphs()["directed"]
    options = {"weighted": weighted, "tol": 1e-9}
    with gb.using("cpu"):
        expected = algorithms.pagerank(A, **options).to_dense()
    with gb.trace() as trace:
        found = algorithms.pagerank(to_device(A), dtype="FP32", **options)
    assert found.dtype == gb.FP32
    assert "iterated" not in {record.strategy for record in trace.records}
    assert trace.steps()
    np.testing.assert_allclose(found.to_dense(), expected, rtol=1e-5)
    if not GPU:
        program = emulated_cupy.sources[-1]
        assert "using VectorValue = float;" in program
        assert "using Value = double;" in program


def test_the_limit_ends_a_loop(to_device) -> None:
    A = to_device(graphs()["path"])
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    loop = gb.loop(frontier, 7)
    for depth in loop:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (loop.steps, int(depth), levels.nvals, frontier.to_dict()) == (7, 6, 7, {7: True})


def test_one_program_for_graphs_that_come_and_go(to_device) -> None:
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


def test_the_count_of_an_earlier_loop_is_a_number(to_device) -> None:
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
def test_entries_that_a_mask_selects(to_device, masked: bool) -> None:
    """Added to what is there; or through a second mask, which is one operation after another."""

    def totals(size: int):
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


def test_an_interrupt_leaves_the_last_step(to_device, monkeypatch) -> None:
    from grblas_gpu.backends.cuda.fusion import workspace

    A = to_device(graphs()["path"])
    wait = workspace.Report.wait

    def interrupted(self, stream):
        wait(self, stream)
        raise KeyboardInterrupt

    monkeypatch.setattr(workspace.Report, "wait", interrupted)
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([0], [True], size=A.nrows)
    with pytest.raises(KeyboardInterrupt):
        for depth in gb.loop(frontier, 7):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    assert (levels.nvals, frontier.to_dict()) == (7, {7: True})
    monkeypatch.setattr(workspace.Report, "wait", wait)
    assert BODIES["levels"](A, 0)[1][0].nvals == 40


@pytest.mark.parametrize("fits", [True, False])
def test_calls_keep_memory_for_the_next_one(to_device, monkeypatch, fits: bool) -> None:
    """Each call has its own memory; if none is left for the next call, this one still succeeds."""
    from grblas_gpu.backends.cuda.fusion import one_run

    allocations = []

    def arrays(*what):
        allocations.append(what)
        if fits:
            return two_arrays(*what)
        raise one_run.cupy.cuda.memory.OutOfMemoryError(1, 1)

    A, two_arrays = graphs()["path"], one_run.two_arrays
    with gb.using("cpu"):
        expected = [algorithms.bfs(A, source, max_depth=50) for source in range(4)]
    A = to_device(A)
    monkeypatch.setattr(one_run, "two_arrays", arrays)
    found = [algorithms.bfs(A, source, max_depth=50) for source in range(4)]
    assert [levels.to("cpu").isequal(one) for levels, one in zip(found, expected, strict=True)] == [True] * 4
    assert allocations


# --- errors ----------------------------------------------------------------------------------------------------------


def test_a_fallback_is_traced(to_device) -> None:
    A = to_device(graphs()["path"])
    with gb.trace() as trace:
        frontier = Vector.from_coo([4], [True], size=40)
        for _ in gb.loop(frontier, 9, fallback=True):
            frontier << semiring.lor_land(frontier @ A)
            if frontier.nvals > 3:
                break
    assert trace.records[0].strategy == "iterated"
    assert "the number of entries" in trace.records[0].reason


def test_a_body_that_binds_its_state_anew(to_device) -> None:
    A = to_device(graphs()["path"])
    frontier = Vector.from_coo([4], [True], size=40)
    walk = gb.loop(frontier, 3)
    for _ in walk:
        frontier = semiring.lor_land(frontier @ A).new()
    assert (walk.mode, walk.steps, sorted(frontier.to_dict())) == ("fused", 3, [1, 3, 5, 7])


def test_what_is_no_condition() -> None:
    for condition in (3, "frontier", None):
        with pytest.raises(TypeError, match="the condition is"):
            gb.loop(condition)
    with pytest.raises(ValueError, match="must not be negative"):
        gb.loop(Vector(bool, 3), -1)
