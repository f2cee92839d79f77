"""A dense part of the graph: at least half as many edges per vertex as the densest part has.

Returns the density, edges per vertex, and the vertices. Method: the densest of all cores. The core of the highest
number k has k / 2 edges per vertex or more, and no part of the graph has more than k. Cost: that of core numbers, and
O(n + m). Reference: M. Charikar, Greedy approximation algorithms for finding dense components in a graph, APPROX 2000.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import Graph, Matrix, binary
from .checks import with_labels
from .k_core import core_number
from .labels import labels_of


class DensePart(NamedTuple):
    """A part of a graph: its edges per vertex, and its vertices."""

    density: float
    vertices: list


def with_labels_of_vertices(graph: Graph, part: DensePart) -> DensePart:
    return DensePart(part.density, labels_of(graph, part.vertices))


@with_labels(with_labels_of_vertices)
def densest_subgraph(A: Matrix) -> DensePart:
    """The densest core: its edges per vertex, at least half of the best, and its vertices. Loops do not count.

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
    >>> from grblas_gpu.algorithms import densest_subgraph
    >>> densest_subgraph(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4))
    DensePart(density=1.0, vertices=[0, 1, 2, 3])
    """
    if not A.nrows:
        return DensePart(0.0, [])
    edges, cores = A.pattern(loops=False, undirected=True), core_number(A)
    # core_ij = min(cores_i, cores_j): the core of the highest number with both ends of the edge
    of_edges = binary.min(binary.first(cores & edges).new() & binary.second(edges & cores).new()).new()
    core = cores.to_dense()
    # at k: the number of vertices, and of edges, in cores of k or higher
    vertices = np.cumsum(np.bincount(core)[::-1])[::-1]
    entries = np.bincount(of_edges.to_coo(rows=False, columns=False)[2], minlength=len(vertices))
    density = np.cumsum(entries[::-1])[::-1] / 2 / vertices
    best = int(np.argmax(density))
    return DensePart(float(density[best]), np.flatnonzero(core >= best).tolist())
