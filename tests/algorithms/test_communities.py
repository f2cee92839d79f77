"""Louvain and Leiden: modularity against networkx's, on graphs where it is plain and on others."""

from collections.abc import Callable

import networkx as nx
import pytest
from grblas_gpu.algorithms import leiden, louvain, modularity
from library_graphs import as_matrix, takes_long, undirected
from networkx_checks import groups

import grblas_gpu as gb
from grblas_gpu.exceptions import DimensionMismatch, InvalidValue

ALGORITHMS = {"louvain": louvain, "leiden": leiden}
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
GRAPHS: dict[str, Callable[[], nx.Graph]] = {
    "karate": nx.karate_club_graph,
    "les miserables": nx.les_miserables_graph,
    "planted": lambda: nx.planted_partition_graph(8, 25, 0.4, 0.02, seed=1),
    "caves": lambda: nx.relaxed_caveman_graph(20, 8, 0.2, seed=2),
    "small world": lambda: nx.watts_strogatz_graph(300, 8, 0.1, seed=3),
    "grid": lambda: nx.grid_2d_graph(15, 15),
}


@takes_long
@every_algorithm
@pytest.mark.parametrize(
    "name", [x if x in ("karate", "caves", "grid") else pytest.param(x, marks=pytest.mark.slow) for x in GRAPHS]
)
def test_modularity_is_that_of_networkx(backend: str, algorithm: str, name: str) -> None:
    G = nx.convert_node_labels_to_integers(GRAPHS[name]())
    A = gb.io.from_networkx(G, dtype=float)
    found = ALGORITHMS[algorithm](A, directed=False)
    assert found.modularity == pytest.approx(nx.community.modularity(G, groups(found.labels)))
    best = max(nx.community.modularity(G, nx.community.louvain_communities(G, seed=seed)) for seed in range(3))
    assert found.modularity > 0.99 * best


@every_algorithm
def test_without_edges(backend: str, algorithm: str) -> None:
    for n in (0, 1, 4):
        found = ALGORITHMS[algorithm](gb.Matrix(float, n, n))
        assert found.labels.to_dense().tolist() == list(range(n)) and found.modularity == 0.0


@every_algorithm
def test_directions_are_added(backend: str, algorithm: str) -> None:
    A = gb.Matrix.from_coo([0, 1, 3, 4, 2], [1, 2, 4, 5, 3], [3.0, 3.0, 3.0, 3.0, 0.5], nrows=6, ncols=6)
    assert ALGORITHMS[algorithm](A).labels.to_dense().tolist() == [0, 0, 0, 3, 3, 3]


def test_bad_arguments() -> None:
    with pytest.raises(InvalidValue, match="directed=False"):
        modularity(gb.Matrix.from_coo([0], [1], 1, nrows=2, ncols=2), [0, 1], directed=False)
    A = as_matrix(undirected("path"))
    for algorithm in ALGORITHMS.values():
        for resolution in (0, -1, float("nan")):
            with pytest.raises(InvalidValue, match="resolution"):
                algorithm(A, resolution=resolution)
    with pytest.raises(DimensionMismatch, match="labels"):
        modularity(A, gb.Vector.from_dense([0, 1]))


@pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)], indirect=True)
@every_algorithm
def test_a_seed_gives_the_same_bits(backend: str, algorithm: str) -> None:
    """Sums of weights that rounding could change, of more entries than one thread reads."""
    edges = gb.generators.kronecker(12, 24, seed=4)
    rows, columns, _ = edges.to_coo()
    A = gb.Matrix.from_coo(rows, columns, 1 / (1.0 + (rows ^ columns)), nrows=edges.nrows, ncols=edges.ncols)
    first, again = (ALGORITHMS[algorithm](A.dup(), seed=7) for _ in range(2))
    assert first.labels.isequal(again.labels) and first.modularity == again.modularity
