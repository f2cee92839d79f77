"""Parts of a graph: induced by some vertices, around a vertex, and the pairs of vertices two steps apart.

``induced_subgraph`` and ``ego_graph`` return a Subgraph: the Matrix of the part, and an INT64 Vector with the original
number of each of its vertices. Method: a breadth-first search finds the vertices; extracting their rows and columns
gives the edges between them. Cost: O(edges of the vertices); two hops cost the product of A with itself.
Reference: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, SIAM 2011.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import Graph, Matrix, Vector, binary, io, select, semiring
from ..exceptions import InvalidValue
from .bfs import bfs
from .checks import Sources, check_source, check_vertices, graph_algorithm, vertex_set, with_labels
from .labels import labels_of
from .sssp import sssp


class Subgraph(NamedTuple):
    """A part of a graph: its Matrix, and the original numbers of its vertices 0, 1, ..."""

    matrix: Matrix
    vertices: Vector


def part_with_labels(graph: Graph, part: Subgraph) -> Graph:
    """A Graph with the original labels of the vertices."""
    return Graph(part.matrix, labels_of(graph, part.vertices.to_dense().tolist()), directed=graph.directed)


@with_labels(part_with_labels)
def induced_subgraph(A: Matrix, vertices: Sources) -> Subgraph:
    """The graph of some vertices and all edges between them, weights included; the vertices in the order given.

    ``vertices`` are a list, range or array of different vertices, or a Vector with an entry at each. For a Graph the
    result is a Graph.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    vertices : list, array or Vector
        Vertices; labels with a Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import induced_subgraph
    >>> matrix, vertices = induced_subgraph(generators.path(5), [3, 2, 0])
    >>> matrix.to_dicts(), vertices.to_dense().tolist()
    ({0: {1: True}, 1: {0: True}}, [3, 2, 0])
    """
    chosen = check_vertices(A, vertices)
    if vertex_set(chosen, A.nrows).nvals < chosen.size:
        raise InvalidValue("induced_subgraph: vertices lists a vertex twice")
    # part = A(chosen, chosen)
    members = io.to_array(chosen)
    return Subgraph(A[members, members].new(), chosen)


@with_labels(part_with_labels)
def ego_graph(
    A: Matrix, source: int, radius: float = 1, *, weighted: bool = False, ignore_directions: bool = False
) -> Subgraph:
    """The graph of all vertices within ``radius`` of a source and all edges between them.

    Distances count edges, or add up their lengths if ``weighted``; with ``ignore_directions`` edges are followed both
    ways. For a Graph the result is a Graph.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    radius : float
        The largest distance from the source.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    ignore_directions : bool
        Whether edges count in both directions.

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
    >>> from grblas_gpu.algorithms import ego_graph
    >>> ego_graph(generators.path(9), 4, 2).vertices.to_dense().tolist()
    [2, 3, 4, 5, 6]
    """
    check_source(A, source)
    if not radius >= 0:
        raise InvalidValue(f"ego_graph: radius must not be negative; got {radius}")
    ways = A
    if ignore_directions:
        # ways = min(A, A')
        ways = binary.min(A | A.T).new() if weighted else A.pattern(loops=False, undirected=True)
    if weighted:
        # near = distances <= radius
        near = select.valuele(sssp(ways, source), radius).new()
    else:
        near = bfs(ways, source, max_depth=int(min(radius, A.nrows)))
    return induced_subgraph(A, near)


@graph_algorithm
def two_hop_neighbors(A: Matrix, sources: Sources | None = None) -> Matrix:
    """The number of walks of two edges from every source (all vertices by default) to every other vertex.

    The result is an INT64 Matrix with an entry for every such pair; rows of other vertices are empty.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import two_hop_neighbors
    >>> two_hop_neighbors(generators.star(4), [1]).to_dicts()
    {1: {2: 1, 3: 1}}
    """
    n = A.nrows
    edges = A.pattern()
    first = edges
    if sources is not None:
        chosen, _ = io.to_vectors(vertex_set(check_vertices(A, sources, "sources"), n))
        first = Matrix(bool, n, n)
        # first(chosen, :) = edges(chosen, :)
        first[chosen, :] << edges[chosen, :].new()
    # ways = first plus.pair edges, off the diagonal
    return select.offdiag(semiring.plus_pair["INT64"](first @ edges).new()).new()
