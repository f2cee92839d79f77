"""Loops that may follow edges in any order: the same values as by rounds, and the trace says which it was."""

import importlib
from collections.abc import Callable

import emulated_engine
import numpy as np
import pytest
from grblas_gpu.algorithms.preparing import relax

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, generators, select, semiring

AT_ONCE = "in any order"


def weighted(A: Matrix, low: int, high: int, dtype=np.int64, seed: int = 0) -> Matrix:
    rows, columns, _ = A.to_coo()
    values = np.random.default_rng(seed).integers(low, high + 1, len(rows)).astype(dtype)
    return Matrix.from_coo(rows, columns, values, nrows=A.nrows, ncols=A.ncols)


def few_edges_each(n: int, most: int, seed: int) -> Matrix:
    """A directed graph, parts of which cannot be reached."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), random.integers(0, most + 1, n))
    return Matrix.from_coo(rows, random.integers(0, n, len(rows)), True, nrows=n, ncols=n)


def with_hub(A: Matrix, edges: int) -> Matrix:
    """One row is too long for a warp that takes eight vertices."""
    rows, columns = (each.astype(int) for each in A.to_coo(values=False)[:2])
    far = np.arange(edges) * (A.ncols // edges)
    rows, columns = np.concatenate([rows, np.full(edges, 7)]), np.concatenate([columns, far])
    return Matrix.from_coo(rows, columns, True, nrows=A.nrows, ncols=A.ncols)


GRAPHS: dict[str, Callable[[], Matrix]] = {
    "grid": lambda: weighted(generators.grid_2d(41, 37), 1, 255),
    "lengths of zero": lambda: weighted(generators.grid_2d(33, 40), 0, 3),
    "floats": lambda: weighted(generators.grid_2d(30, 31), 1, 9, np.float64),
    "short floats": lambda: weighted(generators.grid_2d(30, 31), 1, 9, np.float32),
    "path": lambda: weighted(generators.path(700), 1, 4),
    "directed": lambda: weighted(few_edges_each(3000, 4, 1), 1, 99),
    "longest rows": lambda: weighted(few_edges_each(3000, 31, 2), 1, 99),
    "hub": lambda: weighted(with_hub(generators.grid_2d(40, 40), 200), 1, 99),
}


def graph(name: str) -> Matrix:
    with gb.using("cpu"):
        return GRAPHS[name]()


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 2)


SLOW = {"short floats", "path", "directed", "lengths of zero"}  # g++ takes seconds for each


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in GRAPHS])
def test_distances_are_those_of_rounds(name: str, to_device) -> None:
    A = graph(name)
    with gb.using("cpu"):
        expected = algorithms.bellman_ford(A, 7)
    with gb.trace() as trace:
        found = algorithms.delta_stepping(to_device(A), 7)
    assert found.to("cpu").isequal(expected, check_dtype=True)
    at_once = sum(AT_ONCE in step.reason for step in trace.steps())
    assert (at_once == 0) is (name == "hub")


def lower(A: Matrix, values: Vector, frontier: Vector, limit: Scalar) -> None:
    relax(values, frontier, A, any_order=True)
    frontier << select.valuele(frontier, limit)


@gb.program
def in_any_order(A: Matrix, values: Vector, frontier: Vector, limit: Scalar):
    bucket = frontier.dup(clear=True)
    bucket << select.valuele(frontier, limit)  # of all positions, with a list
    for _ in gb.loop(bucket):
        lower(A, values, bucket, limit)


@gb.program
def some_rounds(A: Matrix, values: Vector, frontier: Vector, limit: Scalar):
    bucket = frontier.dup(clear=True)
    bucket << select.valuele(frontier, limit)  # of all positions, with a list
    for _ in gb.loop(bucket, 5):
        lower(A, values, bucket, limit)


@gb.program
def counted(A: Matrix, values: Vector, frontier: Vector, limit: Scalar):
    rounds = Scalar(int)
    for number in gb.loop(frontier):
        lower(A, values, frontier, limit)
        rounds << number + 1
    return rounds


@gb.program
def kept(A: Matrix, values: Vector, frontier: Vector, limit: Scalar):
    """What the last round found is looked at."""
    nearer = values.dup(clear=True)
    for _ in gb.loop(frontier):
        nearer(any_order=True) << semiring.min_plus[int](frontier @ A)
        known = binary.le(values & nearer).new()
        frontier(~known.V, replace=True) << nearer
        values(frontier.S) << frontier
        frontier << select.valuele(frontier, limit)
    return nearer


PROGRAMS = {"in any order": in_any_order, "some rounds": some_rounds, "counted": counted, "kept": kept}


def somewhere(A: Matrix, low: int, high: int, step: int) -> Vector:
    positions = np.arange(0, A.nrows, step)
    values = np.random.default_rng(step).integers(low, high, len(positions))
    return Vector.from_coo(positions, values, A.dtype, size=A.nrows)


CASES = [(name, "INT64") for name in PROGRAMS] + [("in any order", "FP64"), ("in any order", "INT32")]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case[0] == "kept" or case[1] == "INT32")) for case in CASES],
)
def test_from_any_frontier(name: str, dtype: str, to_device) -> None:
    """It has other values than what is lowered, more and less, below zero and above, and entries where there are none;
    and programs that count rounds, or read the result of a round, get ordinary rounds."""
    with gb.using("cpu"):
        given = weighted(GRAPHS["grid"](), 1, 40).dup(dtype)

    def run(A: Matrix):
        with gb.using(A.backend):
            values, frontier = somewhere(A, -20, 20, 5), somewhere(A, -15, 30, 65)
            result = PROGRAMS[name](A, values, frontier, Scalar.from_value(30, dtype))
        return values, frontier, result

    with gb.using("cpu"):
        expected = run(given.to("cpu"))
    with gb.trace() as trace:
        found = run(to_device(given))
    assert any(AT_ONCE in step.reason for step in trace.steps()) is (name == "in any order")
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        assert ours.to("cpu").isequal(theirs.to("cpu"))
    if name == "counted":
        assert found[2].value == expected[2].value > 3
    if name == "kept":
        assert found[2].to("cpu").isequal(expected[2])


LONG_ONES: dict[str, tuple[Callable[[], Matrix], bool]] = {  # and whether edges are followed in any order
    "63 levels": (lambda: generators.path(63 + 7), False),
    "64 levels": (lambda: generators.path(64 + 7), False),
    "65 levels": (lambda: generators.path(65 + 7), True),
    "long path": (lambda: generators.path(3000), True),
    "grid": (lambda: generators.grid_2d(90, 40), True),
    "directed": (lambda: few_edges_each(4000, 1, 5), False),
    "star": (lambda: generators.star(90), False),
}


@pytest.mark.parametrize("name", LONG_ONES)
def test_levels_of_long_graphs(name: str, to_device) -> None:
    make, goes_on = LONG_ONES[name]
    with gb.using("cpu"):
        A = make()
        expected = algorithms.bfs(A, 7)
        limited = algorithms.bfs(A, 7, max_depth=66)
    B = to_device(A)
    for search in (algorithms.bfs, algorithms.dobfs):
        with gb.trace() as trace:
            found = search(B, 7)
        assert found.to("cpu").isequal(expected, check_dtype=True)
        assert any(AT_ONCE in step.reason for step in trace.steps()) is goes_on
    assert algorithms.bfs(B, 7, max_depth=66).to("cpu").isequal(limited, check_dtype=True)


def test_long_graphs_that_are_wide(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go on level by level."""
    monkeypatch.setattr(importlib.import_module("grblas_gpu.plan.search_rules"), "SHORT", 5)
    with gb.using("cpu"):
        A = generators.grid_2d(90, 40)
        expected = algorithms.bfs(A, 7)
    B = to_device(A)
    for search in (algorithms.bfs, algorithms.dobfs):
        with gb.trace() as trace:
            found = search(B, 7)
        assert found.to("cpu").isequal(expected, check_dtype=True)
        assert not any(AT_ONCE in step.reason for step in trace.steps())


class _Enough(Exception):
    """A kernel has its text, and need not run."""


def test_only_such_loops_have_it(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    run = importlib.import_module(f"{emulated_engine.CUDA}.fusion.run")
    kernel_of, texts = run.kernel_of, []

    def keep(body) -> None:
        texts.append(kernel_of(body).text)
        raise _Enough

    monkeypatch.setattr(run, "_programs", {})
    monkeypatch.setattr(run, "kernel_of", keep)
    A = to_device(weighted(graph("path"), 1, 9))
    for shortest in (algorithms.bellman_ford, algorithms.bfs, algorithms.delta_stepping):
        with pytest.raises(_Enough):
            shortest(A, 0)
    assert ["HOPS" in text for text in texts] == ["::settle(" in text for text in texts] == [False, False, True]


@pytest.mark.parametrize("sums", [semiring.plus_times, semiring.min_times, semiring.plus_plus])
def test_what_depends_on_the_order_is_refused(sums, to_device) -> None:
    """By a single product, of a vector or of matrices, and in a loop."""
    A = to_device(graph("path"))
    x = Vector.from_coo([5], [2], int, size=A.nrows)
    with gb.using(A.backend), pytest.raises(ValueError, match="any_order=True needs a monoid"):
        sums(x @ A).new(any_order=True)
    with gb.using(A.backend), pytest.raises(ValueError, match="any_order=True needs a monoid"):
        sums(A @ A).new(any_order=True)
    with pytest.raises(ValueError, match="any_order=True needs a monoid"):
        for _ in gb.loop(x, 2):
            x(any_order=True) << sums(x @ A)


@pytest.mark.parametrize("best", [semiring.min_plus, semiring.max_min, semiring.min_second])
def test_a_single_product_has_no_order(best) -> None:
    A = graph("path")
    x = Vector.from_coo([5, 6, 90], [2, 7, 1], int, size=A.nrows)
    assert best(x @ A).new(any_order=True).isequal(best(x @ A).new())
