"""Topological order: vertices in an order in which all edges lead forward.

``topological_generations`` returns an INT64 Vector, the number of edges of the longest path to each vertex;
``topological_order`` one with the position of each vertex. Method: Kahn's; the vertices without an edge from a
remaining vertex are the next generation, and are removed.
Invariant: ``waiting`` counts the edges into a vertex from remaining vertices. Cost: O(n + m), a step per generation,
which visits the edges of that generation only.
Reference: A. Kahn, Topological sorting of large networks, Communications of the ACM 1962.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, agg, binary, io, loop, select, semiring
from ..exceptions import InvalidValue
from .checks import graph_algorithm
from .labels import called
from .preparing import with_zeros


@graph_algorithm
def topological_generations(A: Matrix) -> Vector:
    """The generation of every vertex: one more than the latest of its predecessors, 0 without predecessors.

    A graph with a cycle raises InvalidValue. Weights are ignored.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The graph has a cycle.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import topological_generations
    >>> A = Matrix.from_coo([0, 2, 2], [1, 1, 0], True, nrows=4, ncols=4)
    >>> topological_generations(A).to_dense().tolist()
    [1, 2, 0, 0]
    """
    n = A.nrows
    edges = A.pattern()
    generations = Vector(int, n)
    # waiting_j = number of edges to j
    waiting = with_zeros(edges.reduce_columnwise(agg.count), n, int)
    # ready = waiting for none
    ready = select.valueeq(waiting, 0).new()
    # generations<ready> = 0
    generations(ready.S) << 0
    gone = Vector(int, n)
    for depth in loop(ready):
        # gone = ready plus.pair edges
        gone << semiring.plus_pair["INT64"](ready @ edges)
        # waiting -= gone
        waiting(binary.minus) << gone
        # ready<gone> = waiting for none
        ready(gone.S, replace=True) << waiting
        ready << select.valueeq(ready, 0)
        # generations<ready> = depth + 1
        generations(ready.S) << depth + 1
    if generations.nvals < n:
        raise InvalidValue(f"{called('topological_order')}the graph has a cycle")
    return generations


@graph_algorithm
def topological_order(A: Matrix) -> Vector:
    """The position of every vertex in a topological order: by generation, then by number.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The graph has a cycle.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import topological_order
    >>> A = Matrix.from_coo([0, 2, 2], [1, 1, 0], True, nrows=4, ncols=4)
    >>> topological_order(A).to_dense().tolist()
    [2, 3, 0, 1]
    """
    generations = io.to_array(topological_generations(A))
    order = np.argsort(generations, kind="stable")
    positions = np.empty_like(order)
    positions[order] = np.arange(len(order), like=order)
    return Vector.from_dense(positions).dup(int)
