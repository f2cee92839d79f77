"""Verification of results by independent methods, before they are timed.

Levels are checked against the definition, on the engine's own arrays (NumPy's or CuPy's); betweenness by Brandes'
algorithm, with another library's products or over the sorted list of edges.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..backends.stores.counting import every, how_many, some
from ..foundation.types import Array, SciPySparse
from .graphs import BenchmarkGraph, edge_pieces

PART = 2**30  # entries of a CuPy matrix, the last row's excepted
FEW_LEVELS = 64  # up to this many products with the whole matrix are faster than sorting it


class WrongResult(RuntimeError):
    """A contender computed a wrong result."""


def check_levels(
    indptr: np.ndarray, indices: np.ndarray, levels: Array, source: int, rows: np.ndarray | None = None
) -> None:
    """Check distances from the source in a symmetric graph, -1 without a path.

    The source has 0, an edge joins vertices whose levels differ by at most one, and every vertex but the source has a
    neighbour one level above. These conditions are sufficient.
    """
    if int(levels[source]) != 0 or how_many(levels == 0) != 1:
        raise WrongResult(f"level 0 is not the source {source} alone")
    caused = levels <= 0
    for _, row, cols in edge_pieces(indptr, indices, rows):
        here, there = levels[row], levels[cols]
        if some((here < 0) != (there < 0)):
            raise WrongResult("an edge leads from a vertex that was reached to one that was not")
        if some(abs(here - there) > 1):
            raise WrongResult("an edge joins vertices more than one level apart")
        caused[row[there == here - 1]] = True
    if not every(caused):
        raise WrongResult("a vertex has no neighbour one level above")


def check_dependencies(found: np.ndarray, expected: np.ndarray) -> None:
    """Check the dependencies of one source on all vertices, the summands of betweenness."""
    if not np.allclose(found, expected, rtol=1e-4, atol=1e-6 * max(1.0, float(expected.max(initial=0.0)))):
        worst = int(np.argmax(np.abs(found - expected)))
        raise WrongResult(f"dependency on vertex {worst}: {found[worst]} instead of {expected[worst]}")


class CuPyOnes:
    """A symmetric adjacency matrix in FP64 as CuPy matrices of some rows each, which hold fewer than 2**31 entries."""

    def __init__(self, graph: BenchmarkGraph) -> None:
        import cupy
        from cupyx.scipy.sparse import csr_matrix

        store = graph.matrix("cuda")._store
        indptr = store.indptr.astype(np.int64)
        cuts = cupy.searchsorted(indptr, cupy.arange(0, store.nvals + PART, PART), side="left").get().tolist()
        rows = sorted({0, *cuts[:-1], graph.n})
        values = cupy.ones(min(store.nvals, 2 * PART))
        self.T, self.parts = self, []
        for first, last in pairwise(rows):
            begin, end = int(indptr[first]), int(indptr[last])
            pointers = (indptr[first : last + 1] - begin).astype(np.int32)
            piece = values[: end - begin], store.indices[begin:end], pointers
            self.parts.append(csr_matrix(piece, shape=(last - first, graph.n)))

    def __matmul__(self, x: Array) -> Array:
        return np.concatenate([part @ x for part in self.parts])


def ones(graph: BenchmarkGraph, backend: str) -> SciPySparse | CuPyOnes:
    """The adjacency matrix in FP64 as SciPy or CuPy matrices."""
    if backend == "cuda":
        return CuPyOnes(graph)
    from scipy.sparse import csr_array

    indptr, indices = graph.csr
    return csr_array((np.ones(len(indices)), indices, indptr), shape=(graph.n, graph.n))


def product_dependencies(A: SciPySparse | CuPyOnes, source: int, levels: Array) -> Any:
    """Dependencies by a product with the whole matrix (SciPy's or CuPy's) for every level, forward and back."""
    sigma = (levels == 0).astype(np.float64)
    deepest = int(levels.max())
    for depth in range(1, deepest + 1):
        sigma += (A @ (sigma * (levels == depth - 1))) * (levels == depth)
    delta = sigma * 0
    for depth in range(deepest, 0, -1):
        here = levels == depth
        share = np.where(here, (1 + delta) / np.where(here, sigma, 1.0), 0.0)
        delta += (A @ share) * sigma * (levels == depth - 1)
    delta[source] = 0
    return delta


def edge_dependencies(indptr: np.ndarray, indices: np.ndarray, source: int, levels: np.ndarray) -> np.ndarray:
    """The same over the list of all edges that lead down, sorted by level.

    Path counts have a separate exponent, because they may exceed the range of FP64.
    """
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    down = (levels[rows] >= 0) & (levels[indices] == levels[rows] + 1)
    rows, cols = rows[down], indices[down].astype(np.int64)
    order = np.argsort(levels[rows], kind="stable")
    rows, cols = rows[order], cols[order]
    cuts = np.searchsorted(levels[rows], np.arange(levels.max(initial=0) + 2))
    steps = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    sigma, exponent, delta = np.zeros(len(levels)), np.zeros(len(levels), np.int64), np.zeros(len(levels))
    sigma[source] = 1
    for start, stop in steps:
        above, below = rows[start:stop], cols[start:stop]
        np.maximum.at(exponent, below, exponent[above])
        np.add.at(sigma, below, np.ldexp(sigma[above], exponent[above] - exponent[below]))
        reached = np.unique(below)
        sigma[reached], more = np.frexp(sigma[reached])
        exponent[reached] += more
    for start, stop in reversed(steps):
        above, below = rows[start:stop], cols[start:stop]
        share = np.ldexp(sigma[above] / sigma[below], exponent[above] - exponent[below])
        np.add.at(delta, above, share * (1 + delta[below]))
    delta[source] = 0
    return delta
