"""VoteRank: spreaders that are far from each other, elected one after the other.

Returns a list of vertices. Method: every vertex gets the votes of its neighbours; the one with the most is elected. It
does not vote any more, and its neighbours vote with less weight. Only votes that changed are counted again.
Invariant: votes are the product of the edges and the weights of the voters. Cost: O(n + edges of the neighbours) per
elected vertex. Reference: J. Zhang, D. Chen, Q. Dong, Z. Zhao, Identifying a set of influential spreaders in complex
networks, Scientific Reports 2016.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, binary, select, semiring
from .checks import with_labels
from .components import numbers
from .labels import labels_of
from .preparing import largest, smallest

ROUNDING = 1e-12  # votes that differ by less are equal: they are sums in any order


@with_labels(labels_of)
def voterank(A: Matrix, limit: int | None = None) -> list[int]:
    """The elected vertices, in order; at most ``limit``. A vertex votes for the vertices that have an edge to it.

    The definition is that of networkx; loops count.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    limit : int, optional
        The most vertices to elect; otherwise as many as get votes.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import voterank
    >>> voterank(generators.star(5))
    [0]
    """
    n, everyone, elected = A.nrows, numbers(A.nrows), list[int]()
    if not A.nvals:
        return elected
    ability, less = Vector.from_scalar(1.0, n), n / A.nvals
    # votes_i = the sum of ability_j over the edges from i to j
    votes = semiring.plus_second[FP64](A @ ability).new()
    while len(elected) < (n if limit is None else limit):
        most = largest(votes)
        if most <= 0:
            break
        # best = the lowest i with votes_i = most, but for rounding
        best = smallest(everyone.dup(mask=select.valuege(votes, most * (1 - ROUNDING)).new().S))
        elected.append(best)
        # lost = min(ability, less) at the neighbours of the elected vertex, and all of its own
        lost = binary.min(binary.second(A[best, :].new() & ability).new(FP64), less).new()
        lost[best] << ability[best].new().value
        ability(binary.minus) << lost
        # votes<votes> -= A lost; elected vertices get none
        votes(votes.S, binary.minus) << semiring.plus_second[FP64](A @ select.valuene(lost, 0.0).new())
        del votes[best]
    return elected
