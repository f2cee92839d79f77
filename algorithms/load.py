"""Load centrality: the packets that a vertex passes on, if every vertex sends one to every other vertex.

Returns an FP64 Vector. Method: a vertex divides what it receives equally among its predecessors on shortest paths; for
betweenness, it divides in proportion to the numbers of paths. T has the edges on shortest paths from a source; it has
no cycles, so that the sum over all walks along T is finite.
Invariant: after step k ``load`` has the packets that made at most k steps back. Cost: O(n + m) per source, and per step
of a search. References: K. Goh, B. Kahng, D. Kim, Universal behavior of load distribution in scale-free networks,
Physical Review Letters 2001; M. Newman, Scientific collaboration networks II, Physical Review E 2001.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, agg, binary, loop, semiring, unary
from .batches import Searches
from .bc import scale
from .checks import Sources, check_sources, graph_algorithm
from .sssp import default_widths, distances_from, shortest_path_edges
from .weighted_betweenness import check_lengths


@graph_algorithm
def load_centrality(
    A: Matrix, sources: Sources | None = None, *, weighted: bool = False, normalized: bool = True
) -> Vector:
    """The load of every vertex, due to packets from all vertices, or from ``sources``.

    Without lengths the definition is that of networkx.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its length if ``weighted``.
        With a Graph, vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    weighted : bool
        Whether values are lengths, above zero; otherwise every edge counts 1.
    normalized : bool
        Whether results are divided by the number of pairs of other vertices.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite, negative or zero.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import load_centrality
    >>> load_centrality(generators.path(4), normalized=False).to_dense().tolist()
    [0.0, 4.0, 4.0, 0.0]
    """
    chosen = list(dict.fromkeys(check_sources(A, range(A.nrows) if sources is None else sources)))
    check_lengths(A, "load_centrality", weighted)
    load = Vector.from_scalar(0.0, A.nrows)
    searches = Searches(A if weighted else A.pattern().dup(int), chosen, lengths=True)
    # load += sum_s load_s, times 1 / the number of pairs
    load(binary.plus) << searches.sum_of(load_of_sources, "load centrality")
    return binary.times(load, scale(A, normalized, False, True)).new()


def load_of_sources(A: Matrix, start: Vector) -> Vector:
    """The load due to packets to each source, where ``start`` has a 1; there must be no path between two sources."""
    distances = distances_from(A, start, default_widths(A))
    T = shortest_path_edges(A, distances)
    # shares_j = the number of predecessors of j
    shares = T.reduce_columnwise(agg.count).new(FP64)
    # Q_ij = T_ij / shares_j
    Q = binary.second(T & unary.minv(shares).new()).new()
    load, packets = Vector(FP64, A.nrows), binary.second(distances, 1.0).new(FP64)
    for _ in loop(packets):
        # packets_i = the sum of Q_ij packets_j
        packets << semiring.plus_times[FP64](Q @ packets)
        # load += packets
        load(binary.plus) << packets
    # load<start> = 0: the packets arrived
    load(start.S) << 0.0
    return load
