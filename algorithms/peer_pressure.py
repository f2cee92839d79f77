"""Peer pressure clustering: every vertex joins the cluster for which most of its neighbours vote.

Returns an INT64 Vector: the cluster of every vertex, named by a vertex number. Method: every vertex is a cluster at
first. In each round all vertices vote for their cluster, divide one vote equally among their neighbours and themselves,
and take the cluster with the most votes, of equal ones the lowest. Votes are counted in units of 2^-32, so that their
sums are exact, and equal on every engine.
Invariant: a cluster lies within a component. Cost: O(n + m) per round.
Reference: J. Gilbert, S. Reinhardt, V. Shah, High-performance graph algorithms from parallel sparse matrices, 2006.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, agg, binary, unary
from .checks import with_labels
from .components import numbers
from .labels import vertex_by_label

VOTE = 2.0**32  # the units of one vote


@with_labels(vertex_by_label)
def peer_pressure(A: Matrix, *, max_iterations: int = 50) -> Vector:
    """The cluster of every vertex after at most ``max_iterations`` rounds. Directions of edges do not matter.

    Clusters may oscillate forever, hence the limit.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    max_iterations : int
        The largest number of iterations.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import peer_pressure
    >>> rows, cols = [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]
    >>> peer_pressure(Matrix.from_coo(rows, cols, True, nrows=6, ncols=6)).to_dense().tolist()
    [0, 0, 0, 4, 4, 4]
    """
    edges = A.pattern(loops=False, undirected=True).dup(FP64)
    edges.setdiag(1.0)
    # share_j = floor(VOTE / the number of neighbours of j and j itself)
    share = unary.floor(binary.rtruediv(edges.reduce_rowwise(agg.count).new(FP64), VOTE).new()).new()
    # votes_ij = share_j
    votes = binary.second(edges & share).new()
    clusters = numbers(A.nrows)
    for _ in range(max_iterations):
        before = clusters
        # clusters_i = the cluster c with the largest sum of votes_ij over the members j of c
        clusters = votes.heaviest_groups(before).new()
        if clusters.isequal(before):
            break
    return clusters
