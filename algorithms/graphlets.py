"""Graphlets: the connected graphs of up to 4 vertices, and how often each vertex, or the graph, has them.

``graphlet_degrees`` returns an INT64 Matrix with a row for each vertex and a column for each of the 15 places (orbits)
in induced graphlets; ``motif_counts`` returns the number of occurrences of each graphlet. Method: the fast graphlet
transform. Products count all subgraphs of each shape, at each place; triangles need the edges only, cycles the square
of A in parts, cliques the common neighbours of every edge. A product with a constant matrix leaves the induced ones.
Invariant: a row of raw counts is the row of degrees times CONTAINED. Cost: O(sum of squared degrees) and of triangles.
References: D. Floros, N. Pitsianis, X. Sun, Fast graphlet transform of sparse graphs, HPEC 2020; N. Przulj, Biological
network comparison using graphlet degree distribution, Bioinformatics 2007 (the order of the places).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from .. import Graph, Matrix, Vector, binary, io, monoid, select, semiring
from ..foundation.types import Array
from .batches import row_batches
from .checks import graph_algorithm, with_labels
from .cliques import cliques_of_4

#: At (u, v): the subgraphs of the shape of place v, at that place, in an induced graphlet at place u.
CONTAINED = np.eye(15, dtype=np.int64)
for place, shapes in {
    3: {1: 2, 2: 1},
    8: {4: 2, 5: 2},
    9: {4: 2, 6: 1},
    10: {4: 1, 5: 1, 6: 1},
    11: {5: 2, 7: 1},
    12: {4: 4, 5: 2, 6: 2, 8: 1, 9: 2, 10: 2},
    13: {4: 2, 5: 4, 6: 1, 7: 1, 8: 1, 10: 2, 11: 2},
    14: {4: 6, 5: 6, 6: 3, 7: 1, 8: 3, 9: 3, 10: 6, 11: 3, 12: 3, 13: 3},
}.items():
    CONTAINED[place, list(shapes)] = list(shapes.values())
ALONE = np.rint(np.linalg.inv(CONTAINED)).astype(np.int64)
count, times = semiring.plus_pair["INT64"], semiring.plus_times["INT64"]


#: A place of each graphlet, and how many vertices have it.
PLACES, VERTICES = (0, 2, 3, 4, 7, 8, 9, 12, 14), (2, 1, 3, 2, 1, 4, 1, 2, 4)


class Motifs(NamedTuple):
    """The numbers of induced connected subgraphs of 2 to 4 vertices."""

    edges: int
    paths_of_3: int
    triangles: int
    paths_of_4: int
    stars: int
    cycles: int
    paws: int
    diamonds: int
    cliques: int


def rows_of_vertices(graph: Graph, found: Matrix) -> dict[Hashable, list[int]]:
    return dict(zip(graph.labels, found.to_dense(0).tolist(), strict=True))


@with_labels(rows_of_vertices)
def graphlet_degrees(A: Matrix) -> Matrix:
    """The number of graphlets at each vertex, by place. Directions of edges do not matter, nor do loops.

    Places are those of Przulj: 0 edge; 1, 2 end and middle of a path of 3; 3 triangle; 4, 5 end and inner vertex of a
    path of 4; 6, 7 leaf and middle of a star; 8 cycle of 4; 9, 10, 11 tail, corner and joint of a paw (a triangle with
    a tail); 12, 13 end and middle of a diamond; 14 clique of 4. With a Graph, the result is a dictionary of lists.

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
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import graphlet_degrees
    >>> graphlet_degrees(generators.star(4)).to_dense(0)[:2].tolist()
    [[3, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]]
    """
    E = A.pattern(loops=False, undirected=True).dup(int)
    # T_ij = triangles of an edge; c_i = those of a vertex
    T = count(E @ E).new(mask=E.S)
    d, c = sums(E), sums(T) // 2
    # more_ij = T_ij - 1; M_ij = the sum of more_kj over the triangles i, j, k
    more = binary.minus(select.valuegt(T, 0).new(), 1).new()
    M = semiring.plus_second["INT64"](E @ more).new(mask=E.S)
    pairs = binary.floordiv(binary.times(T & more).new(), 2).new()
    ends = around(E, d) - d
    raw = [
        *(d, ends, d * (d - 1) // 2, c),
        *(around(E, ends) - d * (d - 1) - 2 * c, (d - 1) * ends - 2 * c),
        *(around(E, (d - 1) * (d - 2) // 2), d * (d - 1) * (d - 2) // 6, cycles(E, d)),
        *(around(E, c) - 2 * c, around(T, d - 2), c * (d - 2)),
        *(sums(M) // 2, sums(pairs), cliques_of_4(E)),
    ]
    # result = raw CONTAINED^-1
    return times(Matrix.from_dense(np.stack(raw, axis=1)) @ Matrix.from_dense(ALONE)).new()


@graph_algorithm
def motif_counts(A: Matrix) -> Motifs:
    """The number of induced subgraphs of each shape. Directions of edges do not matter, nor do loops.

    A paw is a triangle with a tail, a diamond a cycle of 4 with one diagonal.

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
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import motif_counts
    >>> motif_counts(generators.star(4))
    Motifs(edges=3, paths_of_3=3, triangles=0, paths_of_4=0, stars=1, cycles=0, paws=0, diamonds=0, cliques=0)
    """
    # sum_u = the sum of column u: each occurrence at all of its vertices in this place
    sum_of = graphlet_degrees(A).reduce_columnwise(monoid.plus).new().to_dense(0).tolist()
    return Motifs(*(sum_of[u] // at for u, at in zip(PLACES, VERTICES, strict=True)))


def sums(M: Matrix) -> Array:
    """The sum of every row, as an array."""
    return io.to_array(M.reduce_rowwise(monoid.plus).new(), 0)


def around(M: Matrix, x: Array) -> Array:
    """The sum of M_ij x_j for every vertex i, as an array."""
    return io.to_array(times(M @ Vector.from_dense(x)).new(), 0)


def cycles(E: Matrix, d: Array) -> Array:
    """The number of cycles of 4 vertices, not necessarily induced, at every vertex."""
    found = Vector.from_dense(-d * (d - 1) // 2)
    for some in row_batches(E, E):
        # found_i += the sum of C (C - 1) / 2 with C_ij = paths of two edges, j = i included
        C = count(E[some.start : some.stop, :].new() @ E).new()
        C << binary.floordiv(binary.times(C & binary.minus(C, 1).new()).new(), 2)
        found(binary.plus)[some] << C.reduce_rowwise(monoid.plus).new()
    return io.to_array(found)
