"""The quality of a partition: how many edges lie within its parts, and how many pairs of vertices it sorts rightly.

Returns coverage and performance, from 0 to 1. Method: compare the parts of both ends of every edge; the pairs between
parts follow from their sizes. Cost: O(n + m).
Reference: S. Fortunato, Community detection in graphs, Physics Reports 2010.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import Matrix, Vector, binary, select
from ..exceptions import InvalidValue
from .checks import graph_algorithm
from .modularity import numbered
from .preparing import VertexValues, every_label, total


class Quality(NamedTuple):
    """The share of the edges within parts, and the share of pairs with an edge within or none between parts."""

    coverage: float
    performance: float


@graph_algorithm
def partition_quality(A: Matrix, labels: VertexValues, *, directed: bool | None = None) -> Quality:
    """Coverage and performance of a partition: ``labels`` has the number of the part of every vertex.

    The definition is that of networkx; a loop is an edge within a part, but no pair.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    labels : Vector, array or dict
        The part of every vertex; a dictionary goes by number, with a Graph by label.
    directed : bool, optional
        False if the entries at (i, j) and (j, i) are one edge, so that A must be symmetric. By default every entry
        is an edge, unless A is an undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square, or a vertex has no part.
    InvalidValue
        ``directed`` is False and A is not symmetric.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import partition_quality
    >>> partition_quality(generators.path(4), [0, 0, 1, 1], directed=False)
    Quality(coverage=0.6666666666666666, performance=0.8333333333333334)
    """
    n, edges = A.nrows, A.pattern()
    labels = every_label(labels, A, "partition_quality")
    if directed is False:
        if not edges.is_symmetric():
            raise InvalidValue("partition_quality: directed=False needs a symmetric A")
        edges = select.triu(edges).new()
    labels = numbered(labels)
    # sizes_c = the number of vertices of part c
    sizes = Vector.from_scalar(0, n)
    sizes(binary.plus)[labels] << Vector.from_scalar(1, n)
    pairs, between = n * (n - 1), n * n - int(total(binary.times(sizes & sizes).new()))
    if directed is False:
        pairs, between = pairs // 2, between // 2
    # within = the number of edges with label_i = label_j
    within = edges.within(labels).nvals
    missing = between - (edges.nvals - within)
    return Quality(within / edges.nvals if edges.nvals else 1.0, (within + missing) / pairs if pairs else 1.0)
