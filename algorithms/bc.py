"""Betweenness centrality: how many shortest paths between other vertices go through each vertex.

Method: Brandes' algorithm in linear algebra. Forward, a breadth-first search counts the shortest paths sigma from a
source. Backward, level by level, each vertex passes on the dependency delta of its successors to its predecessors, in
proportion to sigma. The paper counts in 32-bit integers; sigma is FP64 here, as delta is: exact up to 2**53, and never
wrong by more than a rounding. Where there are more paths than floats can count, both stages go by logarithms: the same
formulas, made of other operations. Several sources at once are rows of matrices, or vectors side by side over as many
copies of the graph.
Invariant: before backward step d, ``delta`` holds 1 + the dependency of the source on every vertex at distance >= d.
Cost: O(n + m) per source; a single one needs six vectors of words and the vertices by level, within 7 n + m words.
Reference: O. Artiles, F. Saeed, TurboBC: a memory efficient and scalable GPU based betweenness centrality algorithm in
the language of linear algebra, ICPP Workshops 2021; U. Brandes, A faster algorithm for betweenness centrality, 2001.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import BOOL, FP64, Matrix, Vector, agg, binary, io, loop, monoid, select, semiring, unary
from .checks import Sources, check_sources, graph_algorithm
from .progress import progress
from .shortest_paths import by_level, compare_paths, sum_of_logarithms

BATCH = 64  # sources per matrix, at most
SHALLOW = 64  # so many levels are few
BATCH_ENTRIES = 2**20  # entries per matrix, at most: large graphs have work enough in one row
COPIES_ENTRIES = 2**22  # entries of vectors side by side, which are worked on in one go


class Arithmetic(NamedTuple):
    """What the formulas are made of, for numbers or for their logarithms."""

    one: float
    plus: Any
    sum: Any  # a semiring of it, whose product is the first factor
    times: Any
    over: Any
    number: Any  # that a logarithm stands for


def of_numbers() -> Arithmetic:
    return Arithmetic(1.0, binary.plus, semiring.plus_first, binary.times, binary.truediv, None)


def of_logarithms() -> Arithmetic:
    return Arithmetic(0.0, binary.numpy.logaddexp2, sum_of_logarithms(), binary.plus, binary.minus, unary.exp2)


@graph_algorithm
def betweenness_centrality(
    A: Matrix,
    sources: Sources | None = None,
    *,
    normalized: bool = True,
    endpoints: bool = False,
    directed: bool | None = None,
    batch: int | None = None,
) -> Vector:
    """The betweenness centrality of every vertex; ``A[i, j]`` is the edge from i to j.

    ``sources`` None counts the paths from all vertices: exact. One source or several (a list, range or array, or a
    Vector with an entry at each): the paths from these, so the results for the parts of a partition of the vertices add
    up to the exact one. ``normalized`` and ``endpoints`` are
    networkx's; ``directed`` None means directed unless A is symmetric (undirected paths are counted once, not twice).
    ``batch`` sources are worked on at a time.

    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import betweenness_centrality
    >>> betweenness_centrality(generators.path(4), normalized=False).to_dict()
    {0: 0.0, 1: 2.0, 2: 2.0, 3: 0.0}
    """
    n = A.nrows
    chosen = list(dict.fromkeys(check_sources(A, range(n) if sources is None else sources)))
    in_copies = A.prefers_side_by_side() and not endpoints
    if batch is None:
        most = (COPIES_ENTRIES if in_copies else BATCH_ENTRIES) // max(1, n)
        batch = max(1, min(BATCH, most, len(chosen))) if A.prefers_batches() else 1
    elif batch < 1:
        raise ValueError(f"batch must be at least 1; got {batch}")
    copies = max(1, min(batch, len(chosen))) if in_copies else 1
    graph = A.pattern().side_by_side(copies) if copies > 1 else A
    total = Vector(FP64, copies * n)
    for some in progress([chosen[k : k + batch] for k in range(0, len(chosen), batch)], "betweenness centrality"):
        if len(some) == 1 or copies > 1:
            start = Vector.from_coo([k * n + source for k, source in enumerate(some)], 1, int, size=total.size)
        else:
            start = Matrix.from_coo(range(len(some)), some, 1, int, nrows=len(some), ncols=n)
        delta = dependencies(graph, start)
        if endpoints:
            reached = delta.reduce_rowwise(agg.count).new() if len(some) > 1 else Vector.from_coo([0], [delta.nvals])
            # total[sources] += reached - 2; with the 1 of delta, the source is an end of reached - 1 paths
            total(binary.plus)[some] << binary.minus(reached, 2).new()
        else:
            # delta = delta - 1
            delta << binary.minus(delta, 1)
        # total += delta, or [1 ... 1] delta
        total(binary.plus) << (delta if delta.ndim == 1 else delta.reduce_columnwise(monoid.plus))
    if copies > 1:
        # total = [1 ... 1] total, with a row for each copy
        total = Matrix.from_dense(io.to_array(total, 0.0).reshape(copies, n)).reduce_columnwise(monoid.plus).new()
    # total<!total> = 0
    total(~total.S) << 0.0
    pairs = n if endpoints else n - 1
    if pairs >= 2:
        if directed is None:
            directed = normalized or not A.pattern().is_symmetric()
        scale = 1 / (pairs * (pairs - 1)) if normalized else 1.0 if directed else 0.5
        # total = scale total
        total << binary.times(total, scale)
    return total


def dependencies(A: Matrix, start: Any) -> Any:
    """1 + the dependency of each source on each vertex that it reaches; ``start`` has a 1 at every source.

    A Matrix has a row for each source. In a Vector there must be no way from a source to another.

    >>> from grblas_gpu import Vector, generators
    >>> dependencies(generators.path(4), Vector.from_coo([0], [1], size=4)).to_dict()
    {0: 1.0, 1: 3.0, 2: 2.0, 3: 1.0}
    """
    levels, sigma, deepest, logarithmic = compare_paths(A, start)
    numbers = of_logarithms() if logarithmic else of_numbers()
    # delta<sigma> = 1
    delta = binary.second[FP64](sigma, numbers.one).new()
    # A few levels are looked up among all vertices; the rows of a matrix have many of them at hand.
    rows = by_level(levels, deepest) if levels.ndim == 1 and deepest > SHALLOW else None
    level, w = delta.dup(BOOL, clear=True), delta.dup(clear=True)
    for step in loop(delta, max(0, deepest - 1)):
        depth = deepest - step
        # level = the vertices at this depth
        level << (select.valueeq(levels, depth) if rows is None else rows[depth, :])
        # w<level> = (1 + dependency) / sigma
        w(level.S, replace=True) << delta
        w << numbers.over(w & sigma)
        # level = the vertices above
        level << (select.valueeq(levels, depth - 1) if rows is None else rows[depth - 1, :])
        # w<level> = w A'
        w(level.S, replace=True) << numbers.sum(w @ A.T)
        # delta += w sigma
        delta(numbers.plus) << numbers.times(w & sigma)
    return delta if numbers.number is None else numbers.number(delta).new()
