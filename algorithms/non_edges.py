"""Random pairs of vertices without an edge: negative examples, to train and to test the prediction of edges.

Returns a BOOL Matrix with an entry for each pair. Method: number all pairs row by row, leave out edges and loops, and
draw numbers of the others. With the numbers of edges in order, e_0 < e_1 < ..., the pair of number r among the others
is r + k, where k counts the edges with e_k - k <= r; a binary search finds it. So no draw fails, however dense the
graph is. Invariant: all pairs without an edge are equally likely. Cost: O(m + n), and O(log m) for each pair.
Reference: V. Batagelj, U. Brandes, Efficient generation of large random networks, Physical Review E 2005.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np

from .. import Matrix, generators
from ..exceptions import InvalidValue
from .checks import as_index, graph_algorithm

Stream = generators.randomness.Stream


@graph_algorithm
def sample_non_edges(A: Matrix, count: SupportsIndex, *, seed: int = 1) -> Matrix:
    """``count`` different pairs (i, j) with i != j that are no edges from i to j, all equally likely.

    For negative examples of an undirected graph, take pairs with i < j of the result.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    count : int
        The number of pairs.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The graph has fewer such pairs.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import sample_non_edges
    >>> sample_non_edges(generators.star(4), 6).to_dicts()
    {1: {2: True, 3: True}, 2: {1: True, 3: True}, 3: {1: True, 2: True}}
    """
    n, wanted = A.nrows, as_index(count)
    rows, columns, _ = A.to_coo(values=False)
    loops = np.arange(n, dtype=np.int64)
    # taken = n i + j for edges and loops, in order
    taken = np.union1d(rows.astype(np.int64) * n + columns.astype(np.int64), loops * (n + 1))
    others = n * n - len(taken)
    if wanted is None or not 0 <= wanted <= others:
        raise InvalidValue(
            f"sample_non_edges: count must be from 0 to {others}, the pairs without an edge; got {count}"
        )
    chosen = distinct_numbers(wanted, others, Stream(seed, 1))
    # pair = chosen + the number of k with taken_k - k <= chosen
    pair = chosen + np.searchsorted(taken - np.arange(len(taken)), chosen, side="right")
    return Matrix.from_coo(pair // max(n, 1), pair % max(n, 1), True, bool, nrows=n, ncols=n)


def distinct_numbers(count: int, limit: int, stream: Stream) -> np.ndarray:
    """``count`` different numbers below ``limit``, in order.

    >>> distinct_numbers(3, 3, Stream(1)).tolist(), len(distinct_numbers(5, 2**40, Stream(1)))
    ([0, 1, 2], 5)
    """
    if 2 * count > limit:  # draws would often repeat
        return np.sort(stream.permutation(limit, np.zeros(0))[:count])
    found = np.zeros(0, np.int64)
    drawn = 0
    while len(found) < count:
        more = np.arange(drawn, drawn + 2 * count, dtype=np.uint64)
        drawn += len(more)
        numbers = (stream.bits(more) % np.uint64(limit)).astype(np.int64)
        # each number once, in the order of its first draw
        numbers = np.concatenate([found, numbers])
        found = numbers[np.sort(np.unique(numbers, return_index=True)[1])]
    return np.sort(found[:count])
