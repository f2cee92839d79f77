"""Coarsening: a smaller graph, whose vertices are parts of the graph, such as the pairs of a matching.

Returns the Matrix of the parts, the part of every vertex, and the lowest vertex of every part. Method: with S the
matrix of vertices and their parts, the smaller graph is S' A S. Cost: O(n + m), and that of a maximal matching.
Invariant: the sum of all weights stays, unless loops are dropped.
References: B. Hendrickson, R. Leland, A multilevel algorithm for partitioning graphs, Supercomputing 1995; G. Karypis,
V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 1998.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import FP64, Graph, Matrix, Vector, binary, select
from .checks import with_labels
from .components import numbers
from .labels import labels_of
from .matching import maximal_matching
from .modularity import lowest_members, numbered
from .preparing import Start, as_floats, check_weights, every_label


class Coarse(NamedTuple):
    """A graph of parts: its Matrix, the part of every vertex, and the lowest vertex of every part."""

    matrix: Matrix
    parts: Vector
    vertices: Vector


def with_lowest_labels(graph: Graph, found: Coarse) -> Coarse:
    """The Graph of the parts, each with the label of its lowest vertex; and the label of the part of every vertex."""
    names = labels_of(graph, found.vertices.to_dense().tolist())
    parts = {graph.labels[vertex]: names[part] for vertex, part in found.parts.to_dict().items()}
    return Coarse(Graph(found.matrix, names, directed=graph.directed), parts, names)  # type: ignore[arg-type]


@with_labels(with_lowest_labels)
def coarsen(A: Matrix, labels: Start = None, *, weighted: bool = True, loops: bool = True, seed: int = 1) -> Coarse:
    """The graph of the parts of a graph; an edge has the sum of the weights of the edges between two parts.

    With a Graph the first result is a Graph, in which a part has the label of its lowest vertex.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    labels : Vector, array or dict, optional
        The part of every vertex; by default the pairs of a maximal matching, and single vertices.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    loops : bool
        Whether the edges within a part become its loop; otherwise they are dropped.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square, or a vertex has no part.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import coarsen
    >>> coarsen(generators.path(4), [5, 5, 2, 2]).matrix.to_dense().tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    n = A.nrows
    check_weights(A, "coarsen", negative=True, weighted=weighted)
    if labels is None:
        # labels = min(vertex, partner)
        labels = binary.min(numbers(n) | maximal_matching(A, seed=seed)).new()
    labels = every_label(labels, A, "coarsen")
    # parts in the order of their lowest vertices
    # coarse = S' A S
    coarse, parts = (as_floats(A) if weighted else A.pattern().dup(FP64)).contracted(lowest_members(numbered(labels)))
    # lowest_p = min over the vertices i of part p
    lowest = Vector(int, coarse.nrows)
    lowest(binary.min)[parts] << numbers(n)
    return Coarse(coarse if loops else select.offdiag(coarse).new(), parts, lowest)
