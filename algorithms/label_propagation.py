"""Label propagation: communities of vertices that have most of their neighbours among themselves.

Returns an INT64 Vector: the label of every vertex, a vertex number. Method: every vertex starts with its own number and
takes, in all vertices at once, the label that most of its neighbours have, the lowest if several do. The labels as a
matrix with one entry per row turn the counting into a product.
Invariant: every label is the number of a vertex in the same component. Cost: O(m) per step.
References: U. Raghavan, R. Albert, S. Kumara, Near linear time algorithm to detect community structures, Physical
Review E 2007; the LDBC Graphalytics specification (CDLP), which fixes the ties.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, indexunary, monoid, semiring
from ..progress import progress
from .checks import with_labels
from .components import numbers, pointers
from .labels import vertex_by_label
from .preparing import pattern


@with_labels(vertex_by_label)
def label_propagation(A: Matrix, *, max_iterations: int = 10) -> Vector:
    """The label of every vertex after ``max_iterations`` steps, or fewer if the labels do not change any more.

    In a directed graph neighbours are those over edges in and out; one over both counts twice. Loops do not count, and
    a vertex without neighbours keeps its label. Labels may swap back and forth forever, hence the limit.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import label_propagation
    >>> rows, cols = [0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5]
    >>> A = Matrix.from_coo(rows + cols, cols + rows, True)
    >>> label_propagation(A).to_dense().tolist()
    [0, 0, 0, 3, 3, 3]
    """
    edges = pattern(A).dup(int)
    # votes = edges + edges', twice as many for all vertices of a symmetric graph
    votes = binary.plus(edges | edges.T).new()
    labels = numbers(A.nrows)
    for _ in progress(range(max_iterations), "label propagation, at most"):
        # counts_il = votes over neighbours j with label l
        counts = semiring.plus_first(votes @ pointers(labels)).new()
        # most_i = max_l counts_il
        most = counts.reduce_rowwise(monoid.max).new()
        # winners = counts that are the most of their row
        winners = counts.dup(mask=binary.eq(most & counts).new().V)
        # elected_i = lowest label among the winners
        elected = indexunary.colindex(winners).new().reduce_rowwise(monoid.min).new()
        before = labels.dup()
        # labels<elected> = elected
        labels(elected.S) << elected
        if labels.isequal(before):
            break
    return labels
