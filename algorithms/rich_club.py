"""Rich clubs: how many of the possible edges exist between the vertices of high degree.

Returns an FP64 Vector: at k the share for the vertices with more than k neighbours, if there are two of them.
Method: an edge counts for every k below the lower degree of its ends. Cost: O(n + m).
Reference: S. Zhou, R. Mondragon, The rich-club phenomenon in the Internet topology, IEEE Comm. Letters 2004.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, agg, binary
from .checks import with_labels
from .preparing import with_zeros


@with_labels(lambda graph, result: result)  # by degree, not by vertex
def rich_club(A: Matrix) -> Vector:
    """The share of the edges that exist between vertices of a degree above k, for every k. Loops do not count.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import rich_club
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)
    >>> rich_club(A).to_dense().round(2).tolist()
    [0.67, 1.0]
    """
    edges = A.pattern(loops=False, undirected=True)
    # degree_i = number of neighbours
    degree = with_zeros(edges.reduce_rowwise(agg.count), A.nrows, int)
    # lower_ij = min(degree_i, degree_j)
    lower = binary.min(binary.first(degree & edges).new() & binary.second(edges & degree).new()).new()
    members = above(degree.to_dense())
    entries = above(lower.to_coo(rows=False, columns=False)[2], len(members))
    # share_k = entries_k / (members_k (members_k - 1)), for two members or more
    members = members[members > 1].astype(float)
    return Vector.from_dense(entries[: len(members)] / (members * (members - 1)))


def above(values: np.ndarray, least: int = 0) -> np.ndarray:
    """At k the number of values above k.

    >>> above(np.array([1, 1, 3])).tolist()
    [3, 1, 1, 0]
    """
    counts = np.bincount(values, minlength=least)
    return len(values) - np.cumsum(counts)
