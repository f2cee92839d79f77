"""Are distances, components, ranks and triangle counts right? On the engine's own arrays, NumPy's or CuPy's.

By other means than those that made them, as in ``grblas_gpu.bench.verify``, and cheap enough for 200 million entries:
the definition at every edge, another library's products, or (triangles) compiled loops over edges to higher degrees.
"""

from typing import Any

import numba
import numpy as np

from grblas_gpu.backends.stores.counting import every, how_many, some
from grblas_gpu.bench.graphs import edge_pieces
from grblas_gpu.bench.verify import WrongResult, check_dependencies, check_levels, product_dependencies

from .common import host

CLOSE = 1e-9  # relative difference of ranks that were added up in another order
PARTS = 256  # of the vertices, for threads: many more than threads, because parts differ
SOME = 1000  # vertices whose clustering coefficients are checked one by one


def check_distances(indptr: Any, indices: Any, weights: Any, distances: Any, source: int) -> None:
    """Check shortest path lengths, -1 without a path; weights are positive integers.

    The source has 0, no edge is a short cut, and every other vertex is reached along some edge.
    """
    if int(distances[source]) != 0 or how_many(distances == 0) != 1:
        raise WrongResult(f"distance 0 is not that of the source {source} alone")
    caused = distances <= 0
    for part, rows, cols in edge_pieces(indptr, indices):
        here, there, length = distances[rows], distances[cols], weights[part].astype(np.int64)
        if some((here >= 0) & (there < 0)):
            raise WrongResult("an edge leads from a vertex that was reached to one that was not")
        if some((here >= 0) & (there > here + length)):
            raise WrongResult("an edge is a short cut")
        caused[cols[(here >= 0) & (there == here + length)]] = True
    if not every(caused):
        raise WrongResult("a vertex is nearer than any edge to it allows")


def check_components(indptr: Any, indices: Any, labels: Any, hub: int, levels: Any) -> None:
    """Check the lowest vertex of each component. ``levels`` are verified levels of a search from ``hub``.

    No edge joins two components, and a label is its own label. The component of the hub is the set that the search
    reached. SciPy counts the same number of other components.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    inside = levels >= 0
    outside = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for _, rows, cols in edge_pieces(indptr, indices):
        if some(labels[rows] != labels[cols]):
            raise WrongResult("an edge joins two components")
        outside.append((host(rows[~inside[rows]]), host(cols[~inside[rows]])))
    vertex = np.arange(len(labels), dtype=np.int64, like=labels)
    if some(labels[labels] != labels) or some(labels > vertex):
        raise WrongResult("a component is not named after the lowest of its vertices")
    if some((labels == labels[hub]) != inside):
        raise WrongResult(f"the component of vertex {hub} is not what a search from it reaches")
    rows, cols = (np.concatenate(parts) for parts in zip(*outside, strict=True))
    graph = coo_array((np.ones(len(rows), np.int8), (rows, cols)), shape=(len(labels), len(labels)))
    expected = connected_components(graph, directed=False)[0] - int(inside.sum()) + 1
    found = how_many(labels == vertex)
    if found != expected:
        raise WrongResult(f"{found} components instead of {expected}")


def power_iteration(A: Any, degrees: Any, steps: int, damping: float = 0.85) -> tuple[Any, list[float]]:
    """Ranks after ``steps`` products with a symmetric SciPy or CuPy matrix, and the change in each step."""
    n = len(degrees)
    ranks, changes = np.zeros(n, like=degrees) + 1 / n, []
    for _ in range(steps):
        share = np.where(degrees > 0, ranks / np.maximum(degrees, 1), 0.0)
        stuck = float(ranks[degrees == 0].sum())
        after = damping * (A @ share) + (1 - damping + damping * stuck) / n
        changes.append(float(abs(after - ranks).sum()))
        ranks = after
    return ranks, changes


def check_ranks(found: Any, expected: Any, close: float = CLOSE) -> None:
    if not every(abs(found - expected) <= close * expected):
        worst = int(np.argmax(abs(found - expected)))
        raise WrongResult(f"rank of vertex {worst}: {float(found[worst])} instead of {float(expected[worst])}")


def check_scores(found: np.ndarray, A: Any, structure: tuple[Any, Any], searches: list[tuple[int, Any]]) -> None:
    """Check betweenness of several sources, the sum of dependencies. ``searches`` are sources and their levels."""
    expected = 0.0
    for source, levels in searches:
        check_levels(*structure, levels, source)
        expected = expected + product_dependencies(A, source, levels)
    check_dependencies(found, host(expected))


def by_degree(indptr: Any, indices: Any) -> tuple[np.ndarray, np.ndarray]:
    """Each edge once, from the end of lower degree to the other, vertices numbered by degree; CSR on the host."""
    n = len(indptr) - 1
    rank = np.argsort(np.argsort(np.diff(indptr).astype(np.int64) * n + np.arange(n, like=indptr)))
    parts = [np.empty(0, np.int64, like=rank)]
    for _, rows, cols in edge_pieces(indptr, indices):
        source, target = rank[rows], rank[cols]
        parts.append((source * n + target)[source < target])
    keys: Any = np.sort(np.concatenate(parts))
    pointers = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64, like=keys) * n)
    return host(pointers).astype(np.int64), host(keys % n).astype(np.int32)


@numba.njit(parallel=True)
def count_triangles(indptr: np.ndarray, indices: np.ndarray) -> int:
    """Triangles of a graph from ``by_degree``: the sum over edges of the common targets of both ends."""
    n = len(indptr) - 1
    found = np.zeros(PARTS, np.int64)
    for part in numba.prange(PARTS):
        marked = np.zeros(n, np.bool_)
        count = 0
        for vertex in range(part, n, PARTS):
            mine = indices[indptr[vertex] : indptr[vertex + 1]]
            for target in mine:
                marked[target] = True
            for target in mine:
                for entry in range(indptr[target], indptr[target + 1]):
                    count += marked[indices[entry]]
            for target in mine:
                marked[target] = False
        found[part] = count
    return found.sum()


@numba.njit
def joined_neighbours(indptr: np.ndarray, indices: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """For each of the vertices the ordered pairs of its neighbours that are joined, in a symmetric graph."""
    marked, found = np.zeros(len(indptr) - 1, np.bool_), np.zeros(len(vertices), np.int64)
    for k, vertex in enumerate(vertices):
        mine = indices[indptr[vertex] : indptr[vertex + 1]]
        marked[mine] = True
        for neighbour in mine:
            found[k] += marked[indices[indptr[neighbour] : indptr[neighbour + 1]]].sum()
        marked[mine] = False
    return found


def check_coefficients(indptr: np.ndarray, indices: np.ndarray, coefficients: np.ndarray, triangles: int) -> None:
    """Check clustering coefficients: those of some vertices by their neighbours, all by the number of triangles."""
    degrees = np.diff(indptr).astype(np.float64)
    pairs = degrees * (degrees - 1)
    some = np.unique(np.linspace(0, len(pairs) - 1, SOME, dtype=np.int64))
    expected = joined_neighbours(indptr, indices, some) / np.maximum(pairs[some], 1)
    if not np.allclose(coefficients[some], expected, rtol=1e-9, atol=0):
        raise WrongResult("a vertex has another share of joined neighbours")
    if abs((coefficients * pairs).sum() - 6 * triangles) > 0.5 + 1e-9 * triangles:
        raise WrongResult(f"the coefficients belong to {(coefficients * pairs).sum() / 6} triangles, not {triangles}")


def propagated_labels(indptr: Any, indices: Any, rounds: int) -> Any:
    """The lowest of the most frequent labels among the neighbours, ``rounds`` times, by sorting; symmetric graphs."""
    n = len(indptr) - 1
    labels = np.arange(n, dtype=np.int64, like=indices)
    for _ in range(rounds):
        keys: Any = np.concatenate([rows * n + labels[cols] for _, rows, cols in edge_pieces(indptr, indices)])
        keys.sort()
        firsts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
        votes = np.diff(firsts, append=firsts[:1] * 0 + len(keys))
        vertex, label = keys[firsts] // n, keys[firsts] % n
        order = np.lexsort(np.stack([-label, votes, vertex]))
        last = np.flatnonzero(np.diff(vertex[order], append=vertex[:1] * 0 - 1))
        labels[vertex[order][last]] = label[order][last]
    return labels
