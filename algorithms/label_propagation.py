"""Label propagation: communities of vertices that have most of their neighbours among themselves.

Returns an INT64 Vector: the label of every vertex, a vertex number. Method: every vertex starts with its own number and
takes, in all vertices at once, the label that most of its neighbours have, the lowest if several do. The labels as a
matrix with one entry per row turn the counting into a product; once few labels change, only neighbours count again.
Invariant: every label is the number of a vertex in the same component. Cost: O(m) per step while labels change, then
O(n + edges of the neighbours of what changed).
References: U. Raghavan, R. Albert, S. Kumara, Near linear time algorithm to detect community structures, Physical
Review E 2007; the LDBC Graphalytics specification (CDLP), which fixes the ties.
"""

from __future__ import annotations

import functools
from typing import Any

from .. import Matrix, Vector, agg, binary, indexunary, monoid, select, semiring
from ..progress import progress
from .checks import with_labels
from .components import numbers, pointers
from .labels import vertex_by_label
from .preparing import total

FEW = 2  # if the neighbours of what changed have less than one edge in so many, only their votes are counted


@with_labels(vertex_by_label)
def label_propagation(A: Matrix, *, max_iterations: int = 10) -> Vector:
    """The label of every vertex after ``max_iterations`` steps, or fewer if the labels do not change any more.

    In a directed graph neighbours are those over edges in and out; one over both counts twice. Loops do not count, and
    a vertex without neighbours keeps its label. Labels may swap back and forth forever, hence the limit.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    max_iterations : int
        After so many steps it gives up.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import label_propagation
    >>> rows, cols = [0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5]
    >>> A = Matrix.from_coo(rows + cols, cols + rows, True)
    >>> label_propagation(A).to_dense().tolist()
    [0, 0, 0, 3, 3, 3]
    """
    edges = A.pattern(loops=False)
    count: Any = semiring.plus_pair["INT64"]
    if not edges.is_symmetric():
        # edges = edges + edges'
        edges = binary.plus(edges.dup(int) | edges.dup(int).T).new()
        count = semiring.plus_first["INT64"]
    labels, degree = numbers(A.nrows), edges.reduce_rowwise(agg.count).new()
    base = 1 << A.nrows.bit_length()  # above all labels
    # votes_il = edges to neighbours j with label l: at first the edges themselves
    votes, changed = edges.dup(int), labels
    for step in progress(range(max_iterations), "label propagation, at most"):
        if step:
            # near = neighbours of what changed: nobody else has other votes than before
            near = semiring.any_pair[bool](edges @ changed).new()
            few = FEW * total(degree.dup(mask=near.S)) < edges.nvals
            # votes = diag(near) edges named
            voters = semiring.any_second(near.diag() @ edges).new() if few else edges
            votes = count(voters @ pointers(labels)).new()
        # best_i = max_l (votes_il + 1) base - 1 - l: most votes, then the lowest label
        best = votes_then_label()(votes, base).new().reduce_rowwise(monoid.max).new()
        # elected = base - 1 - best mod base
        elected = binary.rminus(binary.band(best, base - 1).new(), base - 1).new()
        # changed = those of them that are not the labels
        changed = select.valueeq(binary.ne(elected & labels).new(), True).new()
        if changed.nvals == 0:
            break
        # labels = elected, where there are neighbours
        labels = binary.second(labels | elected).new()
    return labels


@functools.cache
def votes_then_label() -> Any:
    """The operator that orders entries by their value, and equal ones of a row by their column, first ones first."""
    return indexunary.register_anonymous(lambda x, i, j, base: x * base + base - 1 - j, name="votes_then_label")
