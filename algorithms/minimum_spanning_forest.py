"""A minimum spanning forest: edges of the smallest total weight that span every component.

Returns a symmetric Matrix with the chosen edges and their weights. Method: Boruvka's on a list of edges. Every
component chooses its lightest edge to another one, of equally light ones the first, so that no cycle is chosen.
Pointers join components, and are shortened; edges within a component are dropped, until no edge is left. If there are
many edges, the lightest ones come first: they join most vertices, so that most other edges are dropped at once.
Invariant: the chosen edges belong to the unique minimum spanning forest of the order by weight, row and column.
Cost: O(m), and O(n + remaining edges) for each of at most log2(n) rounds of light edges, and of heavy ones.
References: O. Boruvka, O jistem problemu minimalnim, 1926; V. Osipov, P. Sanders, J. Singler, The filter-Kruskal
minimum spanning tree algorithm, ALENEX 2009; J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear
Algebra, SIAM 2011.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Scalar, Vector, binary, indexunary, io, loop, monoid, program, select
from ..plan.search_rules import SAMPLE, worth_sampling
from .checks import graph_algorithm
from .components import numbers
from .preparing import check_weights


@graph_algorithm
def minimum_spanning_forest(A: Matrix) -> Matrix:
    """The edges of a minimum spanning forest; ``A[i, j]`` is the weight of the edge between i and j.

    Directions do not matter: of two edges between the same vertices the lighter one counts. Loops do not count. Weights
    may be negative. Of several forests of the same weight, the result has the first edges by row and column.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import minimum_spanning_forest
    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [5, 3, 4], nrows=4, ncols=4)
    >>> minimum_spanning_forest(A).to_dicts()
    {0: {2: 4}, 1: {2: 3}, 2: {0: 4, 1: 3}}
    """
    check_weights(A, "minimum_spanning_forest", negative=True)
    n = A.nrows
    # edges = the upper triangle of min(A, A')
    edges = select.triu(A if A.is_symmetric() else binary.min(A | A.T).new(), 1).new()
    if not worth_sampling(n, edges.nvals):
        _, forest = grown(edges, numbers(n))
    else:
        # about n of the lightest edges come first; then most other edges are within a component
        weight = light_weight(edges, n / edges.nvals)
        components, forest = grown(select.valuele(edges, weight).new(), numbers(n))
        # between = edges with components_i != components_j, all of them heavy
        own = binary.first(components & edges).new()
        between = select.valueeq(binary.ne(own & components).new(), True).new()
        if between.nvals:
            _, rest = grown(binary.first(edges & between).new(), components)
            forest << binary.any(forest | rest)
    # both directions of each edge
    return binary.any(forest | forest.T).new()


def light_weight(edges: Matrix, share: float) -> float:
    """An estimate, from a sample of rows, of the weight that about this share of the edges do not exceed."""
    rows = np.arange(0, edges.nrows, -(-edges.nrows // SAMPLE))
    weights = edges[rows, :].new().to_coo()[2]
    return np.sort(weights)[int(share * len(weights))] if len(weights) else edges.value_range().max


def grown(edges: Matrix, components: Vector) -> tuple[Vector, Matrix]:
    """The components after joining ``components`` by edges, and the edges that join them."""
    listed, n = io.to_vectors(edges), edges.nrows
    merged, chosen = boruvka(*listed, components)
    # forest = the chosen edges
    return merged, io.from_vectors(*(part.dup(mask=chosen.S) for part in listed), nrows=n, ncols=n)


@program
def boruvka(rows: Vector, cols: Vector, weights: Vector, components: Vector) -> tuple[Vector, Vector]:
    """The components after joining components by a list of edges, and True for each edge that joins two of them."""
    # the numbers of vertices and edges
    vertices, places = indexunary.index(components).new(), indexunary.index(rows).new()
    # heads_e, tails_e = the components that the remaining edge e connects
    heads, tails, left = components[rows].new(), components[cols].new(), weights.dup()
    n, chosen, merged, again = vertices.size, Vector(bool, rows.size), components.dup(), Scalar(bool)
    for _ in loop(left):
        # lightest_c = min over the edges e of component c of left_e
        lightest = Vector(left.dtype, n)
        lightest(binary.min)[heads] << left
        lightest(binary.min)[tails] << left
        # first_c = the first of these edges e with that weight
        first = Vector(places.dtype, n)
        for ends in (heads, tails):
            tip = lightest[ends].new(mask=left.S)
            first(binary.min)[ends] << places.dup(mask=binary.eq(left & tip).new().V)
        # chosen[first_c] = true
        chosen[first] << True
        # parents_c = the component at the other end of its edge: heads_e + tails_e - c
        opposite = binary.minus(binary.plus(heads[first].new() & tails[first].new()).new() & vertices).new()
        parents = vertices.dup()
        parents(opposite.S) << opposite
        # if two components chose the same edge, the lower one is the root: parents_c = c
        back = binary.eq(parents[parents].new() & vertices).new()
        lower = binary.lt(vertices & parents).new()
        parents(binary.land(back & lower).new().V) << vertices
        # shorten: parents_c = parents[parents_c], until all are roots
        again << True
        for _ in loop(again):
            nearer = parents[parents].new()
            again << binary.ne(parents & nearer).new().reduce(monoid.lor)
            parents << nearer
        # merged_i = parents[merged_i]
        merged << parents[merged]
        # heads_e = parents[heads_e], tails_e = parents[tails_e]; edges within a component are dropped
        heads(left.S) << parents[heads]
        tails(left.S) << parents[tails]
        left(binary.ne(heads & tails).new().V, replace=True) << left
    return merged, chosen
