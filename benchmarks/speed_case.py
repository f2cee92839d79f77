"""A graph of gpu_speed.py with what the rows on it share: weights, and its arrays as other libraries want them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.generators.randomness import Stream

from . import verify
from .graphs import BenchmarkGraph
from .speed_checks import by_degree, host

HEAVIEST, PURPOSE = 255, 99  # the stream of random numbers is none of those that made the graph
WEIGHT = np.uint8  # holds 1 to 255: an entry's weight is one byte to read


class Case:
    """One graph on one engine. Everything is made when a row first asks for it, and goes with the object."""

    def __init__(self, graph: BenchmarkGraph, backend: str) -> None:
        self.graph, self.backend = graph, backend
        self.A = graph.matrix(backend)
        self.kept: dict[str, Any] = {}  # what a kernel prepares for itself

    @property
    def structure(self) -> tuple[Any, Any]:
        """Row pointers and column indices, the engine's own."""
        return self.A._store.indptr, self.A._store.indices

    def dense(self, vector: gb.Vector, missing: float, dtype: Any) -> Any:
        """The values of a Vector as one array of the engine."""
        arrays = vector.device_arrays()
        values = arrays["values"].astype(dtype, copy=False)
        if "present" in arrays:
            return np.where(arrays["present"], values, missing)
        dense = np.zeros(vector.size, dtype, like=values)  # CuPy has no full() like another array
        dense[...] = missing
        dense[arrays.get("indices", slice(None))] = values
        return dense

    def levels(self, source: int) -> Any:
        """Those of a search, as an array of the engine; to be verified."""
        return self.dense(algorithms.dobfs(self.A, source), -1, np.int64)

    @cached_property
    def degrees(self) -> Any:
        return np.diff(self.structure[0]).astype(np.int64)

    @cached_property
    def ones(self) -> Any:
        """The adjacency matrix in FP64 as SciPy or CuPy has it, for products of theirs."""
        if self.backend == "cuda":
            import cupy
            from cupyx.scipy.sparse import csr_matrix as csr

            values = cupy.ones(self.A.nvals)
        else:
            from scipy.sparse import csr_array as csr

            values = np.ones(self.A.nvals)
        indptr, indices = self.structure
        return csr((values, indices, indptr), shape=self.A.shape)

    @cached_property
    def weighted(self) -> gb.Matrix:
        """The graph with a random length from 1 to 255 at each edge, the same in both directions."""
        indptr, indices = self.structure
        weights = np.empty(len(indices), WEIGHT, like=indices)
        for part, rows, cols in verify.edge_pieces(indptr, indices):
            low, high = np.minimum(rows, cols).astype(np.uint64), np.maximum(rows, cols).astype(np.uint64)
            draws = Stream(1, PURPOSE).below(HEAVIEST, low * np.uint64(self.A.nrows) + high)
            weights[part] = (draws + np.uint64(1)).astype(WEIGHT)
        with gb.using(self.backend):
            W = gb.Matrix.from_csr(indptr, indices, weights, ncols=self.A.ncols)
        W._store._transpose = W._store  # known, so that nobody has to find out
        return W

    @cached_property
    def directed(self) -> tuple[np.ndarray, np.ndarray]:
        """Every edge once, towards the higher degree, on the host."""
        return by_degree(*self.structure)

    # For python-graphblas ------------------------------------------------------------------------------------------

    @cached_property
    def graphblas(self) -> Any:
        return self._graphblas(*self.graph.csr, True, bool)

    @cached_property
    def graphblas_weighted(self) -> Any:
        """32-bit weights: the distances have their type, and SuiteSparse's compiled kernels need no conversions."""
        weights = host(self.weighted._store.values).astype(np.int32)
        return self._graphblas(*self.graph.csr, weights, np.int32)

    @cached_property
    def graphblas_directed(self) -> Any:
        return self._graphblas(*self.directed, True, bool)

    def _graphblas(self, indptr: np.ndarray, indices: np.ndarray, values: Any, dtype: Any) -> Any:
        import graphblas

        A = graphblas.Matrix.from_csr(indptr, indices, values, ncols=self.graph.n, dtype=dtype)
        A.wait()
        return A
