"""Betweenness of edges: the number of shortest paths along each edge.

Returns an FP64 Matrix with the entries of A. Method: Brandes' algorithm, for several sources in copies of the graph
side by side (bc.py, with lengths weighted_betweenness.py). An edge from i to j that lies on shortest paths gets
sigma_i (1 + dependency_j) / sigma_j of the paths from the source. Invariant: the sum has the paths from all sources so
far. Cost: that of betweenness centrality, and O(m) per source.
References: U. Brandes, On variants of shortest-path betweenness centrality and their generic computation, Social
Networks 2008; M. Girvan, M. Newman, Community structure in social and biological networks, PNAS 2002.
"""

from __future__ import annotations

import numpy as np

from .. import FP64, Matrix, Vector, binary
from ..foundation.progress import progress
from .arithmetic import of_numbers, with_counts_that_fit
from .batches import Searches
from .bc import backward, forward
from .checks import Sources, check_sources, graph_algorithm
from .sssp import default_widths, distances_from, shortest_path_edges
from .weighted_betweenness import check_lengths, count_and_depend


@graph_algorithm
def edge_betweenness_centrality(
    A: Matrix,
    sources: Sources | None = None,
    *,
    weighted: bool = False,
    normalized: bool = True,
    directed: bool | None = None,
) -> Matrix:
    """The betweenness centrality of every edge; ``A[i, j]`` is the edge from i to j, and its length if ``weighted``.

    Lengths must be positive. ``sources``, ``normalized`` and ``directed`` are as for ``betweenness_centrality``. In an
    undirected graph both entries of an edge have its value.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    normalized : bool
        Whether results are scaled as in networkx.
    directed : bool, optional
        Whether each pair counts once for each direction. By default it does, unless A is an undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import edge_betweenness_centrality
    >>> edge_betweenness_centrality(generators.path(4), normalized=False, directed=False).to_dicts()[1]
    {0: 3.0, 2: 4.0}
    """
    n = A.nrows
    chosen = list(dict.fromkeys(check_sources(A, range(n) if sources is None else sources)))
    check_lengths(A, "edge_betweenness_centrality", weighted)
    both_ways = directed is False
    searches = Searches(A, chosen, lengths=True)
    # total = 0 where the graph has an edge
    total = binary.second(searches.graph, 0.0).new(FP64)
    for _, start in progress(searches, "edge betweenness centrality"):
        # total += sigma_i T_ij z_j
        total(binary.plus) << shares(searches.graph, start, weighted)
    if total.nrows > n:
        # total = the sum over all copies of A
        total, _ = total.contracted(Vector.from_dense(np.arange(total.nrows) % n))
    if both_ways:
        # total = total + total': a path counts in both directions
        total << binary.plus(total | total.T.new())
    scale = (1 / (n * (n - 1)) if n > 1 else 1.0) if normalized else 0.5 if both_ways else 1.0
    # total = scale total
    total << binary.times(total, scale)
    return total


def shares(A: Matrix, start: Vector, weighted: bool) -> Matrix:
    """The number of shortest paths along every edge from the sources, where ``start`` has a 1; each target counts
    shares that add up to 1. There must be no path from one source to another."""
    if weighted:
        tight = shortest_path_edges(A, distances_from(A, start, default_widths(A)))
        sigma, z, numbers = *count_and_depend(tight, start), of_numbers()
    else:
        levels, sigma, deepest, numbers = with_counts_that_fit(forward, A, start)
        tight = shortest_path_edges(A, levels, weighted=False)
        # z = (1 + dependency) / sigma
        z = numbers.over(backward(A, levels, sigma, deepest, numbers) & sigma).new()
    # share_ij = sigma_i z_j at the edges of T
    share = binary.first(sigma & tight).new(FP64)
    return numbers.numbers(numbers.times(share & z).new())
