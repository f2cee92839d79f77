"""Searches whose short frontiers stay in shared memory: the same results as anywhere else, however they come and go."""

import re

import emulated_engine
import numpy as np
import pytest
from grblas_gpu.algorithms.bfs import levels_from, parents_from
from grblas_gpu.algorithms.dependencies import count_paths_of_levels, nothing_found
from hardware import has_gpu
from loop_bodies import BODIES
from loop_cases import made_of, to_device

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, generators

__all__ = ["to_device"]  # a fixture


def few_edges_each(n: int, most: int, seed: int) -> Matrix:
    """A directed graph whose vertices have up to so many edges, and mostly fewer."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), random.integers(0, most + 1, n))
    return Matrix.from_coo(rows, random.integers(0, n, len(rows)), True, nrows=n, ncols=n)


def graphs() -> dict[str, Matrix]:
    """Short and long frontiers, rows of up to 31 entries, which fit shared memory, and longer ones."""
    with gb.using("cpu"):
        made = {
            "grid": generators.grid_2d(23, 17),
            "path": generators.path(150),  # of more levels than follow each other
            "few edges": few_edges_each(900, 3, 1),
            "some edges": few_edges_each(2000, 31, 2),
            "star": generators.star(70),
        }
        if has_gpu():
            made["wide grid"] = generators.grid_2d(1500, 700)  # frontiers too long for the shared memory of a team
            made["many edges"] = few_edges_each(100_000, 12, 3)
            made["long path"] = generators.path(5000)
        return made


def starts(n: int, count: int) -> Vector:
    """A frontier of several vertices."""
    return Vector.from_coo(np.unique(np.linspace(0, n - 1, count).astype(int)), True, size=n, dtype=bool)


SEARCHES = {
    "levels": lambda A: algorithms.bfs(A, A.nrows // 2),
    "again": lambda A: algorithms.bfs(A, 0),
    "all levels": lambda A: algorithms.bfs(A, 0, max_depth=A.nrows),
    "some levels": lambda A: algorithms.bfs(A, A.nrows // 2, max_depth=7),
    "from several": lambda A: levels_from(A, starts(A.nrows, 40), None),
    "from many": lambda A: levels_from(A, starts(A.nrows, A.nrows // 9), None),
    "by edges to check": lambda A: algorithms.xbfs(A, A.nrows // 2),
    "two levels at once": lambda A: algorithms.xbfs(A, A.nrows // 2, asynchronous=True),
}
PARENTS = {
    "counted": lambda A: counted(A, A.nrows // 2),
    "lowest": lambda A: algorithms.bfs_parents(A, A.nrows // 2, reproducible=True),
    "from several": lambda A: parents_from(A, numbered(A.nrows), gb.semiring.min_secondi, None),
}


def counted(A: Matrix, source: int) -> Vector:
    """Levels by a Scalar that grows from one to the next, and numbers of paths: both, as level + paths / 2^40."""
    frontier, levels, paths = Vector.from_coo([source], [1.0], size=A.nrows), *nothing_found(A)[:2]
    depth = Scalar.from_value(4, "INT64")
    count_paths_of_levels(A, frontier, levels, paths, depth)
    assert depth.value == int(levels.reduce(gb.monoid.max).new().value)
    return gb.binary.plus(levels.dup(float) | gb.binary.times(paths, 2.0**-40).new()).new()


def numbered(n: int) -> Vector:
    positions = np.arange(0, n, max(1, n // 30))
    return Vector.from_coo(positions, positions, size=n)


@pytest.mark.parametrize(
    "searches", [pytest.param(SEARCHES, id="levels"), pytest.param(PARENTS, id="parents", marks=pytest.mark.slow)]
)
def test_searches(to_device, searches) -> None:
    for graph, A in graphs().items():
        B = to_device(A)
        for name, search in searches.items():
            with gb.using("cpu"):
                expected = search(A)
            assert search(B).to("cpu").isequal(expected, check_dtype=True), f"{name} on {graph}"


@pytest.mark.parametrize(("graph", "blocks"), [("grid", 1), ("path", 3)])  # of more levels than follow each other
def test_a_trace_tells_of_every_level(to_device, monkeypatch: pytest.MonkeyPatch, graph: str, blocks: int) -> None:
    """A traced search runs like any other: a row for every level, including levels without a decision."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    A = graphs()[graph]
    with gb.using("cpu"):
        expected = algorithms.bfs(A, 0)
        degrees, levels = A.reduce_rowwise(gb.agg.count).new().to_dense(fill_value=0), expected.to_dense(fill_value=-1)
    with gb.trace() as trace:
        found = algorithms.bfs(to_device(A), 0, max_depth=A.nrows)  # level by level, however many there are
    assert found.to("cpu").isequal(expected)
    steps = trace.steps()
    depths = range(int(levels.max()) + 1)
    sizes = [int((levels == depth).sum()) for depth in depths]
    assert [step.input_nvals for step in steps] == sizes
    assert [step.output_nvals for step in steps] == [*sizes[1:], 0]
    assert [step.input_edges for step in steps] == [int(degrees[levels == depth].sum()) for depth in depths]
    assert [step.allowed for step in steps] == [A.nrows - sum(sizes[: depth + 1]) for depth in depths]
    assert {step.strategy for step in steps} == {"push.scatter"}
    assert all(
        re.match("short, in shared memory .push .* against pull .*open rows.; step", step.reason) for step in steps
    )
    assert [f"; step {depth} of a loop" in step.reason for depth, step in enumerate(steps)] == [True] * len(steps)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_rule_is_asked_at_every_level(to_device, asynchronous: bool) -> None:
    """XBFS pulls from a tenth of all edges on, also where the frontier would still fit shared memory."""
    with gb.using("cpu"):
        A = few_edges_each(400, 6, 4)
    with gb.trace() as trace:
        algorithms.xbfs(to_device(A), 5, asynchronous=asynchronous)
    steps = trace.steps()
    pulls = [10 * step.input_edges >= A.nvals for step in steps]
    assert [step.direction == "pull" for step in steps] == pulls and {*pulls} == {True, False}
    in_shared = [step.reason.startswith("short, in shared memory") for step in steps]
    assert any(in_shared) and not any(pull and shared for pull, shared in zip(pulls, in_shared, strict=True))


def test_which_rounds_stay_in_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_of(BODIES, monkeypatch, lambda passes, body: str(passes.schedule(passes.analyse(body))))
    shared = {name for name, schedule in made.items() if "in shared memory while short" in schedule}
    assert "levels" in shared
    assert all(schedule.count("grid barrier") == 1 for name, schedule in made.items() if name in shared)
    assert "ranks" not in shared


def test_scalars_are_computed_between_two_levels(to_device) -> None:
    A = graphs()["grid"]
    with gb.using("cpu"):
        expected = counted(A, 5)
    B = to_device(A)
    with gb.trace() as trace, gb.using("cuda"):
        found = counted(B, 5)
    assert found.to("cpu").isequal(expected)
    assert {step.reason[:23] for step in trace.steps()} == {"short, in shared memory"}
