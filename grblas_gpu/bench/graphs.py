"""Graphs to measure on: made once per engine, and as plain arrays for other libraries."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from .. import Matrix, Vector, agg, generators, using
from ..foundation.types import Array
from ..generators.randomness import Stream
from .machine import has_cuda

PURPOSE = 99  # a stream of random numbers that the generator does not use
PIECE = 2**26  # entries at a time


class BenchmarkGraph:
    """An undirected graph by its recipe. Objects of engines and other libraries are made at their first use."""

    def __init__(self, name: str, make: Callable[..., Matrix], *arguments: object, **options: object) -> None:
        self.name = name
        self.recipe = (
            f"{make.__name__}({', '.join([*map(repr, arguments), *(f'{k}={v!r}' for k, v in options.items())])})"
        )
        self.countable = True  # whether FP64 can count the shortest paths
        self._make = lambda: make(*arguments, **options)
        self._matrices: dict[str, Matrix] = {}

    def matrix(self, backend: str) -> Matrix:
        """The adjacency matrix on an engine."""
        if backend not in self._matrices and self._matrices:  # a copy is faster than a new construction
            A = self._matrices[backend] = self.any_matrix.to(backend)
            A._store._transpose = A._store  # undirected
        elif backend not in self._matrices:
            with using(backend):
                self._matrices[backend] = self._make()
        return self._matrices[backend]

    @property
    def any_matrix(self) -> Matrix:
        """An existing matrix, or else a new one on the device, which builds it faster."""
        if not self._matrices:
            self.matrix("cuda" if has_cuda() else "cpu")
        return next(iter(self._matrices.values()))

    @property
    def n(self) -> int:
        return self.any_matrix.nrows

    @property
    def entries(self) -> int:
        return self.any_matrix.nvals

    @cached_property
    def csr(self) -> tuple[np.ndarray, np.ndarray]:
        """Row pointers and column indices on the host."""
        indptr, indices, _ = self.any_matrix.to_csr()
        return indptr.astype(np.int64), indices.astype(np.int32)

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of every edge, once."""
        indptr, indices = self.csr
        rows = np.repeat(np.arange(self.n), np.diff(indptr))
        return rows[rows < indices], indices[rows < indices]

    @cached_property
    def degrees(self) -> np.ndarray:
        """The degrees of all vertices, on the host."""
        with using(self.any_matrix.backend):
            counts = self.any_matrix.reduce_rowwise(agg.count).new()
        return counts.to_dense(fill_value=0, dtype=np.int64)

    def sources(self, count: int, seed: int = 1) -> list[int]:
        """Random vertices that have neighbours, as Graph500 draws them."""
        candidates = self.candidates()
        if len(candidates) == 0:
            raise ValueError(f"{self.name}: no vertex has a neighbour")
        draws = Stream(seed).below(len(candidates), np.arange(count, dtype=np.uint64))
        return [int(candidates[draw]) for draw in draws.tolist()]

    def candidates(self) -> np.ndarray:
        """The vertices with neighbours, computed on the engine of the matrix, without a copy of its offsets."""
        return np.flatnonzero(np.diff(self.any_matrix._store.indptr))

    def forget(self) -> None:
        """Free the memory, also that of the device."""
        self._matrices.clear()
        self.__dict__.pop("csr", None)
        gc.collect()  # a symmetric matrix is its own transpose: a cycle
        if has_cuda():
            import cupy

            cupy.get_default_memory_pool().free_all_blocks()


def weighted(
    A: Matrix, dtype: type[np.floating] | type[np.unsignedinteger], draw: Callable[[Stream, Array], Array]
) -> Matrix:
    """The graph with a random weight at each edge, the same both ways; ``draw`` gets a stream and edges as numbers."""
    indptr, indices = A._store.indptr, A._store.indices
    weights = np.empty(len(indices), dtype, like=indices)
    for part, rows, cols in edge_pieces(indptr, indices):
        low, high = np.minimum(rows, cols).astype(np.uint64), np.maximum(rows, cols).astype(np.uint64)
        weights[part] = draw(Stream(1, PURPOSE), low * np.uint64(A.nrows) + high)
    with using(A.backend):
        W = Matrix.from_csr(indptr, indices, weights, ncols=A.ncols)
    if A.is_symmetric():
        W._store._transpose = W._store  # set here, so that its detection is not timed
    return W


def dense_array(vector: Vector, missing: float, dtype: np.dtype | type) -> Array:
    """The values of a Vector as one array of its engine."""
    arrays = vector.device_arrays()
    values = arrays["values"].astype(dtype, copy=False)
    if "present" in arrays:
        return np.where(arrays["present"], values, missing)
    dense = np.zeros(vector.size, dtype, like=values)  # CuPy has no full() like another array
    dense[...] = missing
    dense[arrays.get("indices", slice(None))] = values
    return dense


def edge_pieces(indptr: np.ndarray, indices: Array, rows: Array | None = None) -> Iterator[tuple[slice, Array, Array]]:
    """All entries in pieces: their positions, rows (computed by default) and columns."""
    for start in range(0, len(indices), PIECE):
        part = slice(start, min(start + PIECE, len(indices)))
        if rows is None:
            entry = np.arange(part.start, part.stop, dtype=np.int64, like=indices)
            yield part, np.searchsorted(indptr, entry, side="right") - 1, indices[part]
        else:
            yield part, rows[part], indices[part]


def kronecker(scale: int, edge_factor: int = 16, name: str | None = None) -> BenchmarkGraph:
    return BenchmarkGraph(name or f"kronecker {scale}", generators.kronecker, scale, edge_factor)


def grid(side: int) -> BenchmarkGraph:
    graph = BenchmarkGraph(f"grid {side} x {side}", generators.grid_2d, side)
    graph.countable = side <= 512  # binomial(2 (side - 1), side - 1) paths between opposite corners
    return graph


def delaunay(exponent: int, name: str | None = None) -> BenchmarkGraph:
    return BenchmarkGraph(name or f"delaunay {exponent}", generators.delaunay, 2**exponent)
