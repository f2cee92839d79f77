"""The papers' systems run by the papers' rules: what a trace shows, level by level, beside rules computed by hand."""

import re

import numpy as np
import pytest
from checkers import serial_dependencies
from graphs import TRAPS
from grblas_gpu.algorithms import betweenness_centrality, bfs, dependencies, dobfs, hybrid_bfs, turbobfs, xbfs
from loop_cases import same

import grblas_gpu as gb
from grblas_gpu import Matrix, generators
from grblas_gpu.plan import search_rules


def some_graph(name: str) -> tuple[Matrix, int]:
    """A graph in the memory of the host, and a source from which a search takes some levels."""
    with gb.using("cpu"):
        if name == "kronecker":
            A = generators.kronecker(8, 8, seed=3)
            return A, int(np.argmin(np.where(np.diff(A._store.indptr) > 0, np.diff(A._store.indptr), 999)))
        return generators.delaunay(300), 7


class Levels:
    """What rules go by: for each level its vertices, their edges, and the vertices beyond it."""

    def __init__(self, A: Matrix, levels: np.ndarray) -> None:
        degrees = np.diff(A._store.indptr)
        self.n, self.edges_in_all = A.nrows, A.nvals
        self.depth = int(levels.max()) + 1
        self.vertices = [int((levels == d).sum()) for d in range(self.depth)]
        self.edges = [int(degrees[levels == d].sum()) for d in range(self.depth)]
        self.open = [self.n - int(((levels >= 0) & (levels <= d)).sum()) for d in range(self.depth)]


def strategies(search, A: Matrix, source: int, expected, reason: str = "", **options) -> list[str]:
    """What a search ran by a rule that gives such reasons; it must find what is expected, as a whole on a device."""
    with gb.trace() as trace:
        found = search(A, source, **options)
    assert same(expected, found)
    assert "iterated" not in {record.strategy for record in trace.records}
    steps = [step for step in trace.steps() if "of a loop on the device" in step.reason]
    return [step.strategy for step in steps if re.search(reason, step.reason)]


@pytest.fixture(params=["kronecker", "delaunay"])
def searched(request: pytest.FixtureRequest):
    A, source = some_graph(request.param)
    with gb.using("cpu"):
        levels = bfs(A, source)
    return A, source, levels, Levels(A, levels.to_dense(fill_value=-1))


@pytest.mark.parametrize(
    ("kernel", "top_down", "bottom_up"),
    [
        ("thread", "pull.thread", "pull.thread"),
        pytest.param("warp", "pull.warp", "pull.warp", marks=pytest.mark.slow),
        ("edge", "pull.edge", "pull.thread"),
    ],
)
def test_turbobfs(to_device, searched, kernel: str, top_down: str, bottom_up: str) -> None:
    """Bottom-up while a tenth of the vertices or more are in the frontier."""
    A, source, expected, by_level = searched
    rule = [bottom_up if many >= by_level.n / 10 else top_down for many in by_level.vertices]
    assert strategies(turbobfs, to_device(A), source, expected, kernel=kernel) == rule


def test_xbfs(to_device, searched) -> None:
    """Double-scan for a tenth of the edges; single-scan before that, as growth foretells it; or else scan-free."""
    A, source, expected, by_level = searched
    tenth, rule = by_level.edges_in_all / 10, []
    for depth, edges in enumerate(by_level.edges):
        before = by_level.edges[depth - 1] if depth else 0
        ahead = before and edges * (edges / before) >= tenth
        rule.append("pull.compact" if edges >= tenth else "push.scan" if ahead else "push.scatter")
    assert strategies(xbfs, to_device(A), source, expected) == rule


def test_by_cost(to_device, searched) -> None:
    """A push leaves no list where growth foretells a tenth of the edges: the pull that comes then needs none."""
    A, source, expected, by_level = searched
    tenth, before = by_level.edges_in_all / 10, 0
    in_shared = A.degree_statistics()[1] < 32  # where levels of short rows follow each other, there are lists only
    ran = strategies(dobfs, to_device(A), source, expected)
    for strategy, edges in zip(ran, by_level.edges, strict=True):
        ahead = before and edges * (edges / before) >= tenth and not in_shared
        assert strategy in ("pull.hybrid", "push.scan" if ahead else "push.scatter")
        before = edges
    assert "push.scatter" in ran


def test_push_pull(to_device, searched) -> None:
    """Pull when the share of the vertices grows and is above 1 %, push again when it falls and is below; by sorting."""
    A, source, expected, by_level = searched
    rule, pulls, before = [], False, 0
    for many in by_level.vertices:
        if pulls:
            pulls = not (many < before and many < by_level.n / 100)
        else:
            pulls = many > before and many > by_level.n / 100
        before = many
        rule.append("pull.hybrid" if pulls else "push.sort")
    assert strategies(dobfs, to_device(A), source, expected, policy="switchpoint") == rule


def check_asynchronous(A: Matrix, source: int, to_device):
    with gb.using("cpu"):
        expected = bfs(A, source)
    with gb.trace() as trace:
        found = xbfs(to_device(A), source, asynchronous=True)
    assert same(expected, found)
    assert "iterated" not in {record.strategy for record in trace.records}
    return [step for step in trace.steps() if "of a loop on the device" in step.reason]


def test_asynchronous_xbfs(to_device, searched) -> None:
    """A pass in place for a tenth of the edges or more; it settles the next level, and a part of the one after."""
    A, source, _, by_level = searched
    steps = check_asynchronous(A, source, to_device)
    in_place = [step.reason.startswith("in place") for step in steps]
    assert in_place == [step.input_edges >= by_level.edges_in_all / 10 for step in steps]
    assert any(in_place) == any(edges >= by_level.edges_in_all / 10 for edges in by_level.edges)
    seen = 1
    for depth, step in enumerate(steps):  # no pass is behind, and none is more than a level ahead
        seen += step.output_nvals
        assert sum(by_level.vertices[: depth + 2]) <= seen <= sum(by_level.vertices[: depth + 3])
        if not any(in_place[: depth + 1]):
            assert seen == sum(by_level.vertices[: depth + 2])


@pytest.mark.parametrize("name", TRAPS)
def test_graphs_built_to_break_asynchronous_searches(to_device, name: str) -> None:
    with gb.using("cpu"):
        A = TRAPS[name].matrix()
    for source in range(A.nrows):
        check_asynchronous(A, source, to_device)


def relabelled_trap(random: np.random.Generator) -> Matrix:
    """A trap, with its vertices in another order, beside other edges."""
    trap = TRAPS[sorted(TRAPS)[random.integers(len(TRAPS))]]
    n = trap.n + int(random.integers(0, 5))
    order, more = random.permutation(n), random.integers(0, n, (2, int(random.integers(0, 4))))
    rows, cols = np.append(order[trap.rows], more[0]), np.append(order[trap.cols], more[1])
    return Matrix.from_coo(rows, cols, True, nrows=n, ncols=n)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 50))])
def test_asynchronous_searches_of_any_graph(to_device, seed: int) -> None:
    """Twenty graphs each, half of them made of traps: rows of a pass may see each other in any order."""
    random = np.random.default_rng(seed)
    for number in range(20):
        with gb.using("cpu"):
            if number % 2:
                A = relabelled_trap(random)
            else:
                n = int(random.integers(2, 40))
                rows, cols = random.integers(0, n, (2, int(random.integers(0, 4 * n))))
                A = Matrix.from_coo(rows, cols, True, nrows=n, ncols=n)
        check_asynchronous(A, int(random.integers(A.nrows)), to_device)


@pytest.mark.parametrize("listing", [False, True])
def test_hybrid_bfs(to_device, searched, listing: bool) -> None:
    """Alpha on edges while these become more, beta on vertices when they become fewer; in the prepared graph."""
    A, source, expected, _ = searched
    with gb.using("cpu"):
        graph, _, numbers = A.by_degree()
        kept, places = numbers.to_coo()
    levels = np.empty(graph.nrows, np.int64)
    levels[places] = expected.to_dense(fill_value=-1)[kept]
    by_level = Levels(graph, levels)
    rule = []
    for depth, edges in enumerate(by_level.edges):
        vertices, before = by_level.vertices[depth], by_level.edges[depth - 1] if depth else 0
        unvisited = by_level.open[depth]
        if before and edges < before:
            pulls = vertices * 20 >= by_level.n
        else:
            pulls = edges * 48 * by_level.n > by_level.edges_in_all * unvisited
        rule.append(("pull.compact" if listing else "pull.hybrid") if pulls else "push.scatter")
    found = strategies(hybrid_bfs, to_device(A), source, expected, "alpha|beta", list_unvisited=listing)
    assert found == rule


@pytest.mark.parametrize("shallow", [True, False])
def test_turbobc(to_device, monkeypatch: pytest.MonkeyPatch, shallow: bool) -> None:
    """Both stages are one kernel, or loops on the device, however the vertices of a level are found."""
    if not shallow:
        monkeypatch.setattr(search_rules, "SHALLOW", 0)
        monkeypatch.setattr(search_rules, "POSITIONS", 0)
    A, source = some_graph("delaunay")
    rows, cols, _ = A.to_coo()
    expected = serial_dependencies(rows, cols, A.nrows, [source])
    B, listed = to_device(A), dependencies.by_level

    def by_level(levels: gb.Vector, deepest: int) -> Matrix:  # a device that is emulated has no transpose
        with gb.using("cpu"):
            return to_device(listed(levels.to("cpu"), deepest))

    monkeypatch.setattr(dependencies, "by_level", by_level)
    with gb.trace() as trace:
        found = betweenness_centrality(B, source, normalized=False, directed=True)
        again = betweenness_centrality(B, source, normalized=False, directed=True)  # from the recordings
    assert same(found.to("cpu"), again)
    np.testing.assert_allclose(found.to_dense(fill_value=0.0), expected, rtol=1e-9, atol=1e-12)
    assert "iterated" not in {record.strategy for record in trace.records}


def clear_recordings() -> None:
    for each in (dependencies.count_paths_of_levels, dependencies.shallow_centralities):
        each.clear()


def test_counts_of_paths_are_scaled(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid has 2**115 paths to its far corner: with little room, and looking often, counts are scaled many times."""
    A = generators.grid_2d(60)
    rows, cols, _ = A.to_coo()
    expected = serial_dependencies(rows, cols, A.nrows, [0])
    for top, bottom in ((1000, -900), (40, -900)):
        monkeypatch.setattr(dependencies, "TOP", top)
        monkeypatch.setattr(dependencies, "BOTTOM", bottom)
        monkeypatch.setattr(dependencies, "HEADROOM", 16)
        monkeypatch.setattr(dependencies, "LEVELS", 8)
        clear_recordings()
        found = dependencies.searched(A, gb.Vector.from_coo([0], [1.0], size=A.nrows), *dependencies.nothing_found(A))
        assert found is not None and (len(found.scales) > 5) == (top == 40)
        delta = dependencies.passed_on(A, found)
        np.testing.assert_allclose(delta.to_dense() - 1, expected, rtol=1e-12, atol=1e-12)
        again = dependencies.dependencies_of(
            A, gb.Vector.from_coo([0], [1.0], size=A.nrows), 2.0
        )  # goes on where it is
        assert again is not None
        np.testing.assert_allclose(again.to_dense(), 2 * np.array(expected), rtol=1e-12, atol=1e-12)
    clear_recordings()


def test_counts_that_scaling_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then they are logarithms, and the result is the same."""
    monkeypatch.setattr(dependencies, "TOP", 30)
    monkeypatch.setattr(dependencies, "BOTTOM", -10)
    monkeypatch.setattr(dependencies, "HEADROOM", 16)
    monkeypatch.setattr(dependencies, "LEVELS", 8)
    clear_recordings()
    A = generators.grid_2d(40)
    assert dependencies.dependencies_of(A, gb.Vector.from_coo([0], [1.0], size=A.nrows)) is None
    rows, cols, _ = A.to_coo()
    expected = serial_dependencies(rows, cols, A.nrows, [0])
    found = betweenness_centrality(A, 0, normalized=False, directed=True)
    clear_recordings()
    np.testing.assert_allclose(found.to_dense(), expected, rtol=1e-9, atol=1e-12)
