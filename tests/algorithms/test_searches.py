"""The algorithms against serial checkers, networkx, SciPy and the same lines run by python-graphblas."""

from collections.abc import Callable
from functools import cache, partial

import networkx
import numpy as np
import pytest
from checkers import check_parents, serial_bfs, serial_paths
from graphs import LARGE, LARGER, SMALL, graph
from grblas_gpu.algorithms import bfs, bfs_multi, bfs_parents, dobfs, hybrid_bfs, turbobfs, xbfs
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.ir.descriptor import POLICIES

SEARCHES: dict[str, Callable[..., gb.Vector]] = {
    "bfs": bfs,
    "dobfs": dobfs,
    "turbobfs": turbobfs,
    "turbobfs with paths": lambda A, source: turbobfs(A, source, paths=True)[0],
    "hybrid_bfs": hybrid_bfs,
    "hybrid_bfs, listing": partial(hybrid_bfs, list_unvisited=True),
    "xbfs": xbfs,
    "xbfs, asynchronous": lambda A, source: xbfs(A, source, asynchronous=True),
    "bfs_multi": lambda A, source: bfs_multi(A, [source])[0, :].new(),
}


@cache
def expected_levels(name: str, source: int) -> dict[int, int]:
    found = graph(name)
    levels = serial_bfs(found.rows, found.cols, found.n, source)
    assert levels == dict(networkx.single_source_shortest_path_length(found.networkx(), source))
    return levels


@pytest.mark.parametrize("name", SMALL | LARGER)
def test_levels(backend: str, name: str) -> None:
    A = graph(name).matrix()
    before = A.dup()
    for source in graph(name).sources():
        for search, function in SEARCHES.items():
            assert function(A, source).to_dict() == expected_levels(name, source), f"{search} from {source}"
    assert A.isequal(before, check_dtype=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_levels_of_large_graphs(name: str) -> None:
    found = graph(name)
    A, source = found.matrix(), found.sources()[-1]
    ones = csr_array((np.ones(len(found.rows), np.int8), (found.rows, found.cols)), shape=A.shape)
    distance = shortest_path(ones, indices=source, unweighted=True)
    expected = np.where(np.isinf(distance), -1, distance)
    for search, function in SEARCHES.items():
        np.testing.assert_array_equal(function(A, source).to_dense(fill_value=-1), expected, err_msg=search)


@pytest.mark.parametrize("reproducible", [False, True])
@pytest.mark.parametrize("name", [*SMALL, "kronecker 10"])
def test_parents(backend: str, name: str, reproducible: bool) -> None:
    found = graph(name)
    for source in found.sources():
        levels = expected_levels(name, source)
        parents = bfs_parents(found.matrix(), source, reproducible=reproducible).to_dict()
        check_parents(parents, levels, found.rows, found.cols)
        if reproducible:
            lowest: dict[int, int] = {source: source}
            for i, j in zip(found.rows.tolist(), found.cols.tolist(), strict=True):  # sorted by i
                if levels.get(j) == levels.get(i, -9) + 1:
                    lowest.setdefault(j, i)
            assert parents == lowest


def test_several_sources_at_once(backend: str) -> None:
    found = graph("random directed")
    A, sources = found.matrix(), [5, 0, 5, 79]
    levels = bfs_multi(A, sources)
    assert levels.shape == (4, 80)
    for row, source in enumerate(sources):
        assert levels[row, :].new().to_dict() == expected_levels("random directed", source)
    assert bfs_multi(A, []).shape == (0, 80)


@pytest.mark.parametrize("count", [64, 70])  # searches to a word, and more
def test_many_searches_are_unions_of_words(backend: str, count: int) -> None:
    A = generators.kronecker(10, 8, seed=3)
    sources = np.random.default_rng(count).integers(0, A.nrows, count)
    with gb.trace() as told:
        levels = bfs_multi(A, sources)
    assert "mxm.bits" in {record.strategy for record in told.records}
    rows = levels.to_dicts()
    for row, source in enumerate(sources.tolist()):
        assert rows[row] == bfs(A, source).to_dict()


@pytest.mark.parametrize("depth", [0, 1, 3, 100])
def test_a_depth_limit(backend: str, depth: int) -> None:
    A = generators.path(8)
    expected = {vertex: vertex for vertex in range(min(depth, 7) + 1)}
    assert bfs(A, 0, max_depth=depth).to_dict() == expected
    assert bfs_multi(A, [0], max_depth=depth)[0, :].new().to_dict() == expected
    assert bfs_parents(A, 0, max_depth=depth).to_dict() == {vertex: max(0, vertex - 1) for vertex in expected}


@pytest.mark.parametrize("kernel", [None, "edge", "thread", "warp"])
@pytest.mark.parametrize("name", ["karate", "random directed", "mycielskian 6", "star 3000", "kronecker 10", "grid"])
def test_turbobfs_counts_paths(backend: str, name: str, kernel: str | None) -> None:
    found = graph(name)
    A, source = found.matrix(), found.sources()[-1]
    levels, sigma = turbobfs(A, source, paths=True, kernel=kernel)
    assert levels.to_dict() == turbobfs(A, source, kernel=kernel).to_dict() == expected_levels(name, source)
    assert sigma.to_dict() == serial_paths(found.rows, found.cols, found.n, source)
    assert sigma.dtype == gb.INT64


def test_turbobfs_follows_short_frontiers(backend: str) -> None:
    """No step looks at all rows of a graph of large diameter, unless one of the paper's kernels is chosen."""
    with gb.trace() as trace:
        turbobfs(generators.grid_2d(40, 60), 0)
    steps = [record for record in trace.records if record.op == "vxm"]
    assert len(steps) > 90
    assert {record.direction for record in steps} == {"push"}


@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_and_direction(backend: str, direction: str, policy: str) -> None:
    A = generators.kronecker(9, 8, seed=3)
    rows, cols, _ = A.to_coo()
    expected = serial_bfs(rows, cols, A.nrows, 1)
    assert dobfs(A, 1, direction=direction, policy=policy).to_dict() == expected


OPTIMISATIONS = ("change_direction", "masking", "early_exit", "operand_reuse", "structure_only")


@pytest.mark.parametrize("direction", ["auto", "pull"])
def test_every_optimisation_may_be_off(backend: str, direction: str) -> None:
    rows, cols, n = generators.kronecker_edges(7, 8, seed=3)
    A = gb.Matrix.from_coo(rows, cols, np.arange(len(rows)) % 3 - 1.0, nrows=n, ncols=n)  # with zeros, all entries
    expected = serial_bfs(rows, cols, n, int(rows[0]))
    for bits in range(32):
        off = {name: False for k, name in enumerate(OPTIMISATIONS) if bits >> k & 1}
        assert dobfs(A, int(rows[0]), direction=direction, **off).to_dict() == expected, off


def test_the_optimisations_are_what_they_say() -> None:
    A = generators.kronecker(10, seed=2)
    source = int(A.to_coo()[0][0])

    def products(**options: object) -> list:
        with gb.trace() as trace:
            dobfs(A, source, policy="switchpoint", **options)  # type: ignore[arg-type]
        return [record for record in trace.records if record.op == "vxm"]

    usual = products()
    assert {record.direction for record in usual} == {"push", "pull"}
    assert {record.direction for record in products(change_direction=False)} == {"push"}
    assert {record.mask_nvals for record in products(masking=False)} == {None}
    pulled = [record for record in usual if record.direction == "pull"]
    assert all(record.input_nvals == record.mask_nvals for record in pulled)  # reads levels
    pulls = [record for record in products(operand_reuse=False) if record.direction == "pull"]
    assert all(record.input_nvals < record.mask_nvals for record in pulls)  # reads the frontier


def test_hybrid_bfs_prepares_a_graph_once(backend: str) -> None:
    A = graph("sparse directed").matrix()
    hybrid_bfs(A, 0)
    prepared = A.by_degree()
    hybrid_bfs(A, 1)
    assert A.by_degree() is prepared
    A[0, 99] = True
    assert A.by_degree() is not prepared
    rows, cols, _ = A.to_coo()
    assert hybrid_bfs(A, 0).to_dict() == serial_bfs(rows, cols, 100, 0)


def test_weights_do_not_matter(backend: str) -> None:
    """Structure is what counts, whatever the stored values: explicit zeros are edges."""
    A = gb.Matrix.from_coo([0, 1, 2, 0], [1, 2, 0, 3], [2.5, 0.0, -7.0, 0.0])
    A.resize(4, 4)
    for search, function in SEARCHES.items():
        assert function(A, 0).to_dict() == {0: 0, 1: 1, 2: 2, 3: 1}, search


def test_unknown_choices() -> None:
    A = generators.path(4)
    with pytest.raises(ValueError, match="unknown kernel"):
        turbobfs(A, 0, kernel="block")
    with pytest.raises(ValueError, match="unknown policy"):
        dobfs(A, 0, policy="luck")
    with pytest.raises(ValueError, match="unknown direction"):
        dobfs(A, 0, direction="sideways")


@pytest.mark.parametrize("max_depth", [None, 100])
def test_several_searches_of_a_deep_graph(backend: str, max_depth: int | None) -> None:
    """Such searches run one after another, with the same result as rows of a matrix."""
    A, sources = generators.grid_2d(128, 129), [2**14, 0, 7]
    found = bfs_multi(A, sources, max_depth=max_depth)
    for row, source in enumerate(sources):
        assert found[row, :].new().isequal(bfs(A, source, max_depth=max_depth), check_dtype=True)
    with gb.trace() as trace:
        bfs_multi(A, sources, max_depth=max_depth)
    assert "mxm" not in {record.op for record in trace.records}
