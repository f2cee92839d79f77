"""Products in loops on the device: sums, hub neighbours, frontiers of all sizes, copies of a graph side by side."""

import emulated_engine
import numpy as np
import pytest
from emulated_engine import GPU
from grblas_gpu.algorithms.dependencies import pass_on_by_value
from loop_cases import graphs, same

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, semiring
from grblas_gpu.plan.rules import BY_ROWS


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


WAYS = [
    *({"strategy": f"pull.{name}"} for name in ("thread", "warp", "edge", "compact")),
    *({"strategy": f"push.{name}"} for name in ("scan", "sort")),
]


@pytest.mark.parametrize(
    "options",
    [
        *({"direction": "push"}, {"direction": "pull"}, {"policy": "fraction"}),
        *(pytest.param(way, marks=pytest.mark.slow) for way in WAYS),
    ],
)
@pytest.mark.parametrize("stored", ["some", "alike"])
def test_sums_begin_with_nothing(to_device, options: dict[str, str], stored: str) -> None:
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


@pytest.mark.parametrize(
    ("direction", "long"),
    [
        ("auto", False),
        ("pull", True),
        *(pytest.param(*x, marks=pytest.mark.slow) for x in (("pull", False), ("auto", True))),
    ],
)
def test_pulls_that_begin_with_the_hub_neighbour(to_device, direction: str, long: bool) -> None:
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
    assert B._store.transposed()._hub_neighbours is not None and B._store._hub_neighbours is None


@pytest.mark.parametrize("search", ["bfs", "dobfs", "bellman_ford", "betweenness_centrality"])
def test_frontiers_of_one_vertex_and_of_very_many(to_device, search: str) -> None:
    """A path, many vertices at once, a path, and again: few blocks go on alone, hand over, and take over again."""
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


def test_several_warps_share_what_a_few_vertices_reach(to_device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few vertices with many edges: so many warps for each as there are, with parts of them or nothing; and hubs."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 17)  # of two warps each; and parts have three edges
    n, random = 4000, np.random.default_rng(11)
    layers = [[3000, 257, 0], [700, 40, 5, 0], [2050, 9, 47, 48], [1, 63, 64, 65, 129], [90] * 7]  # edges to the rest
    numbers = np.split(np.arange(23), np.cumsum([len(layer) for layer in layers])[:-1])
    edges = [np.meshgrid(one, following) for one, following in zip(numbers, numbers[1:], strict=False)]
    for vertex, length in enumerate(np.concatenate(layers)):
        edges.append(np.broadcast_arrays(vertex, random.permutation(np.arange(23, n))[:length]))
    rows, columns = (np.concatenate([part.ravel() for part in ends]) for ends in zip(*edges, strict=True))
    with gb.using("cpu"):
        A = Matrix.from_coo(rows, columns, random.integers(1, 99, len(rows)), nrows=n, ncols=n)
    B = to_device(A)

    def reached(A: Matrix) -> Vector:
        layered = Vector.from_coo(np.arange(23), True, size=n)
        layer, total = Vector.from_coo([0, 1, 2], [1, 2, 3], int, size=n), Vector(int, n)
        for _ in gb.loop(layer, 1):  # inside of which no block goes on alone
            for _ in gb.loop(layer):
                found = Vector(int, n)
                found(direction="push") << semiring.plus_times(layer @ A)
                total(gb.binary.plus) << found
                layer(layered.S, replace=True) << found
        return total

    with gb.using("cpu"):
        expected = reached(A)
    assert same(expected, reached(B))


@pytest.mark.parametrize("options", [{}, {"direction": "push"}, {"direction": "pull"}])
@pytest.mark.parametrize("graph", ["kronecker", "directed", "star"])
def test_copies_of_a_graph_side_by_side(to_device, graph: str, options: dict[str, str]) -> None:
    A, sources = graphs()[graph], [5, 0, 5, 17]
    B = to_device(A)

    def distances(A: Matrix, step) -> Vector:
        starts = [k * A.nrows + source for k, source in enumerate(sources)]
        copies = A.side_by_side(len(sources))
        x = Vector.from_coo(starts, range(1, 5), int, size=copies.nrows)
        found = x.dup()
        for _ in gb.loop(x):
            x(~found.S, replace=True, **options) << step(x @ copies)
            found(x.S) << x
        made.append(copies._store)
        return found

    made = []
    for step in (semiring.plus_first[int], semiring.min_plus[int]):
        with gb.using("cpu"):
            expected = distances(A, step)
        assert same(expected, distances(B, step))
        with pytest.raises(AttributeError):  # the entries were not copied
            type(made[-1]).indices.__get__(made[-1])


def test_copies_that_no_kernel_numbers(to_device) -> None:
    """Copies of a matrix that is not square, and a row of copies: one operation after another, and right."""
    with gb.using("cpu"):
        A = Matrix.from_coo([0, 0, 1, 2, 2], [1, 4, 3, 0, 2], [1, 2, 3, 4, 5], nrows=3, ncols=5)
        square = graphs()["directed"]
    B, C = to_device(A), to_device(square)

    def there_and_back(A: Matrix):
        copies = A.side_by_side(3)
        x, y = Vector.from_coo([0, 4, 8], [1, 2, 3], int, size=9), Vector(int, 15)
        rounds = gb.loop(x, 3)
        for _ in rounds:
            y << semiring.plus_times(x @ copies)
            x << semiring.plus_times(y @ copies.T)
        return rounds, x

    def last_row(A: Matrix):
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


def test_a_matrix_that_only_pulls_read_is_not_transposed(to_device) -> None:
    """Where the mask has the operand's own entries."""
    with gb.using("cpu"):
        A = gb.select.triu(graphs()["kronecker"], 1).new()

    def peeled(A: Matrix):
        left, reached = Vector.from_scalar(True, A.nrows), Vector(int, A.nrows)
        rounds = gb.loop(left, 9)
        for _ in rounds:
            reached(left.S, replace=True) << semiring.plus_pair["INT64"](A @ left)
            left << gb.binary.gt(reached, 1).new()
            left(left.V, replace=True) << left
        return rounds, reached

    with gb.using("cpu"), gb.config.set(loops="iterated"):
        _, expected = peeled(A)
    B = to_device(A)
    B._store._transpose = None
    with gb.trace() as trace:
        rounds, found = peeled(B)
    assert rounds.mode == "fused" and same(expected, found)
    assert B._store._transpose is None
    assert all(step.reason.startswith(BY_ROWS) for step in trace.steps())
    assert {step.strategy for step in trace.steps()} == {"pull.hybrid"}


def test_what_has_no_list_is_not_pushed_where_few_rows_are_open(to_device) -> None:
    """Backward over the levels of a search, degrees being alike: to list the level below costs more than it saves."""
    with gb.using("cpu"):
        rows, cols, _ = gb.generators.uniform_random(2048, 4, seed=1).to_coo()
        hub = np.full(40, 2048, rows.dtype)  # an unreachable vertex with many neighbours: a long row
        rows, cols = np.concatenate([rows, hub]), np.concatenate([cols, np.arange(40, dtype=cols.dtype)])
        A = Matrix.from_coo(rows, cols, True, nrows=2049, ncols=2049)
        levels = algorithms.bfs(A, 3)
    B, depths, depth = to_device(A), levels.to("cuda"), int(levels.reduce(gb.monoid.max).new().value)
    below = gb.Scalar.from_value(depth + 1, "INT64")
    z, w = Vector.from_scalar(1.0, A.nrows), Vector(float, A.nrows)
    with gb.trace() as trace:
        pass_on_by_value(B, depths, w, z, below)
    assert "iterated" not in {record.strategy for record in trace.records}
    steps = [step for step in trace.steps() if step.input_nvals]
    assert len(steps) == depth - 1 and steps[-1].input_nvals < 20
    fewer_below = [step.input_edges * 4 < step.allowed * A.nvals / A.nrows for step in steps]
    assert fewer_below == [True] * 3 + [False] * (depth - 4)
    assert [step.direction == "push" for step in steps] == fewer_below


@pytest.mark.parametrize("short_rows", [600, 300, 200])  # more columns than an emulation has bits for, fewer, and few
@pytest.mark.parametrize("found", ["levels", "levels, every entry", "paths"])
def test_long_rows_are_looked_at_in_groups(
    to_device, monkeypatch: pytest.MonkeyPatch, found: str, short_rows: int
) -> None:
    """By entries: groups of one row, of several, and the last one, which is not complete; of closed rows, too."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 2)
    random = np.random.default_rng(3)
    lengths = np.concatenate([[700, 0, 129, 128, 127], random.integers(0, 9, short_rows), [300, 3]])
    n = len(lengths)
    cols = np.concatenate([np.sort(random.choice(n, length, replace=False)) for length in np.minimum(lengths, n)])
    with gb.using("cpu"):
        A = Matrix.from_coo(np.repeat(np.arange(n), np.minimum(lengths, n)), cols, True, nrows=n, ncols=n).T.new()
        expected = algorithms.turbobfs(A, 7, paths=True)[found == "paths"]
        levels, edges = algorithms.bfs(A, 7).to_dense(fill_value=-1), A.reduce_rowwise(gb.agg.count).new()
        edges_of_level = [int(edges.to_dense(fill_value=0)[levels == depth].sum()) for depth in range(levels.max() + 1)]
    B = to_device(A)
    with gb.trace() as trace:
        if found == "levels, every entry":
            result = every_level_by(B, 7, expected.dtype, strategy="pull.edge", early_exit=False)
        else:
            result = algorithms.turbobfs(B, 7, kernel="edge", paths=found == "paths")
    steps = trace.steps()
    assert "pull.edge" in {step.strategy for step in steps}
    assert same(expected, result[1] if found == "paths" else result)
    assert [step.input_nvals for step in steps] == np.bincount(levels[levels >= 0]).tolist()
    if found != "paths":
        assert [step.input_edges for step in steps] == edges_of_level


def every_level_by(A: Matrix, source: int, dtype, **how) -> Vector:
    levels, frontier = Vector(dtype, A.nrows), Vector.from_coo([source], [True], size=A.nrows)
    for depth in gb.loop(frontier):
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True, **how) << semiring.any_pair[bool](frontier @ A)
    return levels
