"""Random graphs: uniform, small-world, preferential attachment, bipartite."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..backends.stores.counting import some
from ..foundation.types import Array
from .randomness import Stream
from .structure import Ends, check_probability, check_size, engine_array, key_bits, keys_of_edges, matrix_by_rows

if TYPE_CHECKING:
    from ..api.matrix import Matrix

LIMIT = 2**32  # the largest number of alternatives of a random choice


def uniform_random(n: int, average_degree: float = 16.0, *, seed: int = 1) -> Matrix:
    """``n * average_degree / 2`` edges between vertices drawn uniformly; loops and duplicates are dropped.

    Parameters
    ----------
    n : int
        The number of vertices.
    average_degree : float
        The mean number of edges drawn at each vertex.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.uniform_random(100, 4, seed=3).shape
    (100, 100)
    """
    check_size("uniform_random", n)
    if average_degree < 0:
        raise ValueError(f"uniform_random: average_degree must not be negative; got {average_degree}")
    _check_choices("uniform_random", n)
    one, other = Stream(seed, 1), Stream(seed, 2)
    return drawn(n, round(n * average_degree / 2), lambda edge: (one.below(n, edge), other.below(n, edge)))


def bipartite(left: int, right: int, degree: int = 8, *, seed: int = 1) -> Matrix:
    """Each of ``left`` vertices (numbered first) draws ``degree`` of ``right`` vertices, with replacement.

    Parameters
    ----------
    left : int
        The number of vertices of the left side.
    right : int
        The number of vertices of the right side.
    degree : int
        The number of edges drawn for each vertex of the left side.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.bipartite(20, 30, 3, seed=3)
    >>> A.shape, A[:20, :20].new().nvals, A[20:, 20:].new().nvals
    ((50, 50), 0, 0)
    """
    check_size("bipartite", left, right)
    if degree < 0:
        raise ValueError(f"bipartite: degree must not be negative; got {degree}")
    _check_choices("bipartite", right)
    draw = Stream(seed, 1)
    return drawn(
        left + right, left * degree, lambda edge: (edge // np.uint64(degree), draw.below(right, edge) + np.uint64(left))
    )


def watts_strogatz(n: int, neighbours: int = 10, rewiring: float = 0.1, *, seed: int = 1) -> Matrix:
    """A small world: a ring of ``n`` vertices, each joined to its ``neighbours`` (an even number) nearest ones.

    Each edge gets a random target with probability ``rewiring``; the few resulting loops and duplicates are dropped.
    Reference: D. Watts, S. Strogatz, Collective dynamics of small-world networks, Nature 1998.

    Parameters
    ----------
    n : int
        The number of vertices.
    neighbours : int
        The number of nearest vertices that each vertex is joined to before rewiring; even.
    rewiring : float
        The probability that an edge gets another end.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> generators.watts_strogatz(100, 4, 0.0).nvals
    400
    """
    check_size("watts_strogatz", n)
    check_probability("watts_strogatz", "rewiring", rewiring)
    if neighbours % 2 or not 0 <= neighbours < n:
        raise ValueError(f"watts_strogatz: neighbours must be even, from 0 to n - 1; got {neighbours} for n = {n}")
    _check_choices("watts_strogatz", n)
    rewired, elsewhere = Stream(seed, 1), Stream(seed, 2)
    half = np.uint64(max(1, neighbours // 2))

    def edges(edge: Array) -> tuple[Array, Array]:
        vertex = edge // half
        next_one = (vertex + edge % half + np.uint64(1)) % np.uint64(n)
        return vertex, np.where(rewired.happens(rewiring, edge), elsewhere.below(n, edge), next_one)

    return drawn(n, n * (neighbours // 2), edges)


def preferential_attachment(n: int, edges_each: int = 8, *, seed: int = 1) -> Matrix:
    """Vertices are added one after another; each draws ``edges_each`` ends of existing edges.

    So a vertex is drawn with a probability proportional to its degree; loops and duplicates are dropped. Hashing traces
    a draw back to a vertex, so all edges are generated at once: V. Batagelj, U. Brandes, Efficient generation of large
    random networks, 2005; P. Sanders, C. Schulz, Scalable generation of scale-free graphs, 2016.

    Parameters
    ----------
    n : int
        The number of vertices.
    edges_each : int
        The number of edges that each new vertex adds.
    seed : int
        The seed of the random numbers: the same seed gives the same result on every backend.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> A = generators.preferential_attachment(200, 2, seed=3)
    >>> A.shape, bool(A.degree_statistics().max > 5 * A.degree_statistics().mean)
    ((200, 200), True)
    """
    check_size("preferential_attachment", n)
    if edges_each < 0:
        raise ValueError(f"preferential_attachment: edges_each must not be negative; got {edges_each}")
    _check_choices("preferential_attachment", 2 * n * edges_each)
    draw, one, each = Stream(seed, 1), np.uint64(1), np.uint64(max(1, edges_each))

    def edges(edge: Array) -> tuple[Array, Array]:
        # Ends 2 e and 2 e + 1 belong to edge e: the first is the new vertex, the second copies an end before it.
        end = edge + edge + one
        chosen = draw.below(end, end)
        while some(chosen & one == one):  # an end that is a copy itself
            chosen = np.where(chosen & one == one, draw.below(chosen, chosen), chosen)
        return edge // each, (chosen >> one) // each

    return drawn(n, n * edges_each, edges)


def drawn(n: int, count: int, ends: Ends) -> Matrix:
    """The graph of ``count`` edges, which ``ends`` gives by their numbers."""
    return matrix_by_rows(n, 2 * count, partial(keys_of_edges, ends, count, key_bits(n)), engine_array())


def _check_choices(name: str, count: int) -> None:
    if count > LIMIT:
        raise ValueError(f"{name}: random numbers have 32 bits, enough for 2**32 choices; got {count}")
