"""Degree centrality: the share of the other vertices that a vertex is joined to.

Returns an FP64 Vector with an entry for every vertex. Method: count the entries of rows and columns. Cost: O(n + m).
Reference: L. Freeman, Centrality in social networks: conceptual clarification, Social Networks 1979.
"""

from __future__ import annotations

from .. import Matrix, Vector, agg, binary, select
from ..exceptions import InvalidValue
from .checks import graph_algorithm


@graph_algorithm
def degree_centrality(A: Matrix, edges: str = "both", *, directed: bool | None = None) -> Vector:
    """The degree of every vertex, divided by the number of other vertices; the definitions are those of networkx.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    edges : str
        "both" edges to and from a vertex, or those that come "in", or go "out".
    directed : bool, optional
        Whether edges to and from a vertex count; otherwise a loop counts twice. By default they do, unless A is an
        undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        ``edges`` is something else.

    Examples
    --------
    >>> from grblas_gpu import Graph
    >>> from grblas_gpu.algorithms import degree_centrality
    >>> degree_centrality(Graph.from_edges([("ann", "bob"), ("bob", "cid")], directed=False))
    {'ann': 0.5, 'bob': 1.0, 'cid': 0.5}
    """
    if edges not in ("both", "in", "out"):
        raise InvalidValue(f'degree_centrality: edges must be "both", "in" or "out"; got {edges!r}')
    if A.nrows < 2:
        return Vector.from_scalar(1.0, A.nrows)
    degrees = Vector.from_scalar(0.0, A.nrows)
    # degrees += row lengths, then column lengths or loops
    if edges != "in":
        degrees(binary.plus) << A.reduce_rowwise(agg.count)
    if edges == "in" or (edges == "both" and directed is not False):
        degrees(binary.plus) << A.reduce_columnwise(agg.count)
    elif edges == "both":
        degrees(binary.plus) << select.diag(A).new().reduce_rowwise(agg.count)
    return (degrees / (A.nrows - 1)).new()
