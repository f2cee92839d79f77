"""The algorithm library on what is no proper graph: the right answer or a clear error, and inputs that stay."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grblas_gpu.algorithms.apsp import distances_from
from library_algorithms import ALGORITHMS, SEARCHES, of_graph

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, generators
from grblas_gpu.exceptions import DimensionMismatch, DomainMismatch, GraphblasException, IndexOutOfBound, InvalidValue

WITH_A_SOURCE = ("bellman_ford", "delta_stepping", "reachability", "sssp")
BETWEEN_TWO = ("astar", "k_shortest_paths", "maximum_flow", "minimum_cost_flow", "shortest_path")
NEEDS_A_VERTEX = (*WITH_A_SOURCE, *BETWEEN_TWO, "ego_graph")
PARTS = ("ego_graph", "induced_subgraph", "sample_neighbors")  # of the graph, with its weights
EVERY = ALGORITHMS | SEARCHES
every_algorithm = pytest.mark.parametrize("name", EVERY)

# The values do not matter to the others, so NaN does not either.
WEIGHTED = {
    name: ALGORITHMS[name]
    for name in "apsp astar bellman_ford coarsen delta_stepping ecg hits k_shortest_paths leiden louvain".split()
    + "maximum_flow minimum_cost_flow minimum_cut minimum_spanning_forest modularity pagerank".split()
    + "personalized_pagerank shortest_path sssp".split()
}
WEIGHTED |= {
    name: of_graph(name, weighted=True)
    for name in "betweenness_centrality closeness clustering cosine diameter diameter_estimate eccentricity".split()
    + "edge_betweenness_centrality ego_graph eigenvector_centrality fiedler_vector forceatlas2".split()
    + "harmonic_centrality katz load_centrality markov_clustering random_walks sample_neighbors".split()
    + ["spectral_cut", "spectral_layout"]
}


@every_algorithm
def test_a_graph_is_square(name: str) -> None:
    with pytest.raises(DimensionMismatch, match="square"):
        EVERY[name](Matrix(float, 3, 4))


@every_algorithm
def test_a_graph_is_a_matrix(name: str) -> None:
    for thing in (Vector(float, 3), np.eye(3), None, Matrix(float, 3, 3).T):
        with pytest.raises(TypeError, match="Matrix"):
            EVERY[name](thing)


@every_algorithm
def test_no_vertices(backend: str, name: str) -> None:
    empty = Matrix(float, 0, 0)
    if name in NEEDS_A_VERTEX or name in SEARCHES:
        with pytest.raises(IndexOutOfBound, match="no vertices"):
            EVERY[name](empty)
        return
    result = EVERY[name](empty)
    for part in result if isinstance(result, tuple) else (result,):
        assert part in (0, 0.0, True, []) if isinstance(part, (int, float, list)) else part.nvals == 0


def test_diameter_without_vertices() -> None:
    assert algorithms.diameter(Matrix(float, 0, 0)) == 0


@every_algorithm
def test_inputs_stay_and_results_are_new(backend: str, name: str) -> None:
    rows, cols = [0, 1, 2, 2, 3, 4, 4, 0], [1, 2, 0, 3, 4, 2, 4, 2]
    A = Matrix.from_coo(rows, cols, [2.0, 1.0, 3.0, 0.0, 1.0, 2.0, 5.0, 1.0], nrows=5, ncols=5)
    before = A.dup()
    first = EVERY[name](A)
    assert A.isequal(before, check_dtype=True)
    for part in first if isinstance(first, tuple) else (first,):
        if isinstance(part, (Vector, Matrix)):
            assert part.backend == A.backend
            part.clear()
    assert A.isequal(before, check_dtype=True)


@every_algorithm
def test_results_live_where_the_graph_does(name: str) -> None:
    with gb.using("numpy"):
        A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, 1.0, 1.0])
    result = EVERY[name](A)  # new objects would be on another backend
    for part in result if isinstance(result, tuple) else (result,):
        assert isinstance(part, (int, float, list)) or part.backend == "numpy"


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_real_numbers(backend: str, name: str) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(InvalidValue, match="weights must"):
            WEIGHTED[name](Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, bad, 2.0]))
    for dtype in ("FC64", {"x": float}):
        with pytest.raises(DomainMismatch, match="weights must be real numbers, not"):
            WEIGHTED[name](Matrix(dtype, 3, 3))


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - set(WEIGHTED) - set(PARTS)))
def test_values_do_not_matter_to_the_others(name: str) -> None:
    rows, cols = [0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]
    odd = Matrix.from_coo(rows, cols, [1.0, np.nan, 2.0, 0.0, -np.inf, 5.0])
    plain = Matrix.from_coo(rows, cols, True, nrows=3, ncols=3)
    results = [ALGORITHMS[name](A) for A in (odd, plain)]
    assert results[0].isequal(results[1]) if hasattr(results[0], "isequal") else results[0] == results[1]


@pytest.mark.parametrize(
    "name",
    "astar closeness clustering delta_stepping hits louvain pagerank personalized_pagerank random_walks".split()
    + ["sample_neighbors", "ecg", "fiedler_vector", "forceatlas2", "load_centrality", "minimum_cut"],
)
def test_negative_weights_where_they_make_no_sense(name: str) -> None:
    with pytest.raises(InvalidValue, match="negative"):
        WEIGHTED[name](Matrix.from_coo([0, 1], [1, 0], [1, -1]))


NOT_SOURCES = {
    "too high": ([3, 9], IndexOutOfBound),
    "too high in an array": (np.array([9]), IndexOutOfBound),
    "negative": ([-1], IndexOutOfBound),
    "negative and alone": (np.int8(-1), IndexOutOfBound),
    "float": (3.0, TypeError),
    "floats": (np.array([3.0, 5.0]), TypeError),
    "NumPy float": ([np.float64(3)], TypeError),
    "FP64 Scalar": (gb.Scalar.from_value(3.0), TypeError),
    "truth": (True, TypeError),
    "array of truths": (np.array([True, False, True]), TypeError),
    "two dimensions": (np.array([[3, 5]]), TypeError),
    "letters": ("35", TypeError),
    "bytes": (b"\1\2", TypeError),
    "nothing": ([None], TypeError),
    "a Vector of another size": (Vector.from_coo([3], [1], size=4), DimensionMismatch),
}
WITH_SOURCES = {
    "betweenness_centrality": algorithms.betweenness_centrality,
    "bfs_multi": algorithms.bfs_multi,
    "distances_from": distances_from,
    "distances_from without weights": lambda A, sources: distances_from(A, sources, weighted=False),
}
FROM_A_SOURCE = (*WITH_A_SOURCE, "bfs", "bfs_parents", "diameter_estimate", "dobfs", "hybrid_bfs", "turbobfs", "xbfs")


def lattice() -> Matrix:
    return generators.grid_2d(3, 3)


@pytest.mark.parametrize("name", WITH_SOURCES)
@pytest.mark.parametrize("bad", NOT_SOURCES)
def test_what_is_no_source(name: str, bad: str) -> None:
    sources, error = NOT_SOURCES[bad]
    with pytest.raises(error, match="source"):
        WITH_SOURCES[name](lattice(), sources)


@pytest.mark.parametrize("name", FROM_A_SOURCE)
def test_what_is_no_single_source(name: str) -> None:
    A, search = lattice(), getattr(algorithms, name)
    for bad in ("too high in an array", "negative and alone", "float", "floats", "truth", "letters", "two dimensions"):
        with pytest.raises((IndexOutOfBound, TypeError), match="source"):
            search(A, NOT_SOURCES[bad][0])
    for several in ([3], np.array([3]), np.array([3, 5]), Vector.from_coo([3], [1], size=9)):
        with pytest.raises(TypeError, match="source must be the number of a vertex"):
            search(A, several)


def test_options_out_of_range() -> None:
    A = Matrix.from_coo([0, 1], [1, 0], [1, 2])
    with pytest.raises(InvalidValue, match="damping"):
        algorithms.pagerank(A, 1.5)
    with pytest.raises(InvalidValue, match="delta"):
        algorithms.delta_stepping(A, 0, delta=0)
    with pytest.raises(DimensionMismatch, match="personalization has 3 values for 2 vertices"):
        algorithms.pagerank(A, personalization=Vector.from_scalar(1.0, 3))
    for dtype in (int, "UINT8", "FP16", None, 3, "ranks"):
        with pytest.raises(InvalidValue, match="dtype must be FP64 or FP32"):
            algorithms.pagerank(A, dtype=dtype)
    for extreme in (1e-30, 1e30):
        far = Matrix.from_coo([0, 1], [1, 0], [1.0, extreme])
        with pytest.raises(InvalidValue, match="beyond FP32 ranks"):
            algorithms.pagerank(far, dtype="FP32")
        assert algorithms.pagerank(far).to_dense().tolist() == pytest.approx([0.5, 0.5])
        assert algorithms.pagerank(far, dtype="FP32", weighted=False).to_dense().tolist() == pytest.approx([0.5, 0.5])
    for weights in ([0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0]):
        with pytest.raises(InvalidValue, match="personalization"):
            algorithms.pagerank(A, personalization=Vector.from_dense(weights))


@pytest.mark.parametrize(
    "dtype", ["BOOL", "INT8", *(pytest.param(each, marks=pytest.mark.slow) for each in ("UINT8", "UINT64", "FP32"))]
)
def test_every_type_of_weight(dtype: str) -> None:
    """Distances do not overflow the type of the weights."""
    n = 300
    A = Matrix.from_coo(range(n - 1), range(1, n), [1] * (n - 1), dtype, nrows=n, ncols=n)
    for algorithm in (algorithms.bellman_ford, algorithms.delta_stepping, algorithms.sssp):
        assert algorithm(A, 0).to_dict() == {i: i for i in range(n)}
    assert algorithms.pagerank(A).reduce().new().value == pytest.approx(1)
    assert algorithms.minimum_spanning_forest(A).nvals == 2 * (n - 1)
    assert algorithms.apsp(A)[0, n - 1].new().value == n - 1


# What algorithms do with loops and with odd weights: the table in docs/library.md. This file prints it as a program.

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
HEADER = "| loops | weight 0 | negative | NaN | algorithms |\n|---|---|---|---|---|\n"
#: Calls on the graph as it is, from vertex 0 to 5, and with two communities.
CALLS: dict[str, Callable[[Matrix], Any]] = {
    **{name: getattr(algorithms, name) for name in ("topological_order", "topological_generations")},
    **{name: getattr(algorithms, name) for name in ("bipartite_sides", "maximum_bipartite_matching")},
    "shortest_path": lambda A: algorithms.shortest_path(A, 0, 5),
    "astar": lambda A: algorithms.astar(A, 0, 5, {}),
    "k_shortest_paths": lambda A: [path.length for path in algorithms.k_shortest_paths(A, 0, 5, 3)],
    "modularity": lambda A: algorithms.modularity(A, Vector.from_dense([0, 0, 0, 1, 1, 1])),
    "partition_quality": lambda A: algorithms.partition_quality(A, Vector.from_dense([0, 0, 0, 1, 1, 1])),
}
DIRECTED = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (1, 4), (4, 5)]
BIPARTITE = [(0, 1), (2, 1), (2, 3), (4, 3), (4, 5)]
TRIANGLES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (2, 4), (4, 5)]
ONE_WAY = "apsp astar bellman_ford eccentricity diameter_estimate shortest_path k_shortest_paths sssp".split()
ONE_WAY += ["topological_order", "topological_generations", "transitive_closure"]
UNUSED = ("unused",) * 3


def graph(name: str, *extra: tuple[int, int, float]) -> Matrix:
    """A graph that the algorithm accepts, with lengths 1 to 7, and other entries."""
    edges = DIRECTED if name in ONE_WAY else BIPARTITE if "bipartite" in name else TRIANGLES
    entries = {edge: 1.0 + k for k, edge in enumerate(edges)} | {(i, j): x for i, j, x in extra}
    if edges is not DIRECTED:
        entries |= {(j, i): x for (i, j), x in entries.items()}
    rows, columns = np.array(list(entries)).T
    return Matrix.from_coo(rows, columns, list(entries.values()), nrows=6, ncols=6)


def plain(result: Any) -> Any:
    if isinstance(result, (Vector, Matrix)):
        return [result.shape, *(np.round(part.astype(float), 7).tolist() for part in result.to_coo())]
    if isinstance(result, (tuple, list)):
        return [plain(part) for part in result]
    return round(float(result), 7)


def outcome(call: Callable[[Matrix], Any], A: Matrix) -> Any:
    try:
        return plain(call(A))
    except GraphblasException:
        return None


def row(name: str) -> tuple[str, ...]:
    """What the algorithm does: with loops; with an edge of weight zero, of a negative weight, and NaN."""
    call = CALLS.get(name, EVERY[name])
    usual, loops = (outcome(call, graph(name, *extra)) for extra in ((), ((2, 2, 2.0), (4, 4, 3.0))))
    assert usual is not None, name
    first = "refused" if loops is None else "ignored" if loops == usual else "edges"
    if name not in WEIGHTED:
        return first, *UNUSED
    weighted = CALLS.get(name, WEIGHTED[name])
    zero, negative, nan = (outcome(weighted, graph(name, (1, 5, x))) for x in (0.0, -1.0, np.nan))
    second = "refused" if zero is None else "no edge" if zero == outcome(weighted, graph(name)) else "an edge"
    return first, second, *("refused" if found is None else "a weight" for found in (negative, nan))


def table(names: list[str]) -> str:
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(names):
        rows.setdefault(row(name), []).append(name)
    return HEADER + "".join(
        f"| {' | '.join(cells)} | {' '.join(f'`{name}`' for name in found)} |\n"
        for cells, found in sorted(rows.items())
    )


def documented() -> dict[str, tuple[str, ...]]:
    lines = PAGE.read_text(encoding="utf-8").partition(HEADER)[2].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name.strip("`"): tuple(what) for *what, names in cells for name in names.split()}


@pytest.mark.parametrize("name", documented())
def test_the_table_is_right(name: str) -> None:
    assert documented()[name] == row(name)


def test_the_table_has_the_algorithms() -> None:
    assert len(documented()) > 60


if __name__ == "__main__":
    sys.stdout.write(table(list(EVERY)))
