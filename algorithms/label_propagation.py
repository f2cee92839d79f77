"""Label propagation: communities of vertices that have most of their neighbours among themselves.

Returns an INT64 Vector: the label of every vertex, a vertex number. Method: every vertex starts with its own number. In
each round all vertices at once take the most frequent label among their neighbours, of equally frequent ones the
lowest. Later rounds visit only neighbours of changed vertices.
Invariant: every label is the number of a vertex in the same component. Cost: O(n + edges at the neighbours of changed
vertices) per round.
References: U. Raghavan, R. Albert, S. Kumara, Near linear time algorithm to detect community structures, Physical
Review E 2007; the LDBC Graphalytics specification (CDLP), which fixes the ties.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, loop, semiring
from .checks import with_labels
from .components import numbers
from .labels import vertex_by_label


@with_labels(vertex_by_label)
def label_propagation(A: Matrix, *, max_iterations: int = 10) -> Vector:
    """The label of every vertex after ``max_iterations`` steps, or fewer if the labels do not change any more.

    In a directed graph edges in both directions make neighbours; a neighbour by both counts twice. Loops do not count,
    and a vertex without neighbours keeps its label. Labels may oscillate forever, hence the limit.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    max_iterations : int
        The largest number of iterations.

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
    if not edges.is_symmetric():
        # edges = edges + edges'
        edges = binary.plus["INT64"](edges | edges.T).new()
    n = A.nrows
    labels, near = numbers(n), Vector.from_scalar(True, n)
    elected, differs, changed = Vector(int, n), Vector(bool, n), labels.dup()
    for _ in loop(changed, max_iterations):
        # elected_i = the label l with the largest sum of edges_ij over neighbours j with label l, where it may change
        elected << edges.heaviest_groups(labels, rows=near)
        # differs = whether elected differs from the label
        differs << binary.ne(elected & labels)
        # changed<differs> = elected
        changed(differs.V, replace=True) << elected
        # labels<changed> = changed
        labels(changed.S) << changed
        # near = neighbours of the changed vertices; the votes of all others are as before
        near << semiring.any_pair[bool](edges @ changed)
    return labels
