"""The contenders of a benchmark: this library on each engine, and other libraries if they are installed.

A contender converts a graph to its own data structure (not timed). Each of its kernels has two functions: one runs the
kernel from a source and waits for the result, the other converts the result to a NumPy array for verification.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import Matrix, Vector, algorithms
from ..foundation.types import Array, ArrayLike, IGraph, NetworkXGraph, SciPySparse
from .graphs import BenchmarkGraph
from .machine import has_cuda

Kernel = tuple[Callable[[Any, int], object], Callable[[Any, int], np.ndarray]]


@dataclass(frozen=True)
class Contender:
    """A library in one configuration, with its kernels."""

    name: str
    prepare: Callable[[BenchmarkGraph], object]
    kernels: dict[str, Kernel]
    backend: str = "host"
    note: str = ""
    limit: int | None = None  # entries of the largest graph that it runs on


def contenders(names: list[str] | None = None, device: bool = True) -> list[Contender]:
    """The contenders installed on this machine, or those whose names contain one of ``names``."""
    device = device and has_cuda()
    found = [grblas("cpu"), *([grblas("cuda")] if device else [])]
    for module, make in OTHERS.items():
        if (device or module not in ("cupy", "cugraph")) and importlib.util.find_spec(module) is not None:
            found.append(make())
    for name in names or []:
        if not any(name in contender.name for contender in found):
            raise ValueError(f"no contender called {name!r} here; there are: {', '.join(c.name for c in found)}")
    return found if names is None else [c for c in found if any(name in c.name for name in names)]


def grblas(backend: str, search: Callable[..., Vector] = algorithms.dobfs, name: str | None = None) -> Contender:
    """This library on one engine; another search than dobfs on demand."""

    def finished(result: Vector) -> Vector:
        result.nvals  # waits for the device
        return result

    def bfs(A: Matrix, source: int) -> Vector:
        return finished(search(A, source))

    def bc(A: Matrix, source: int) -> Vector:
        return finished(algorithms.betweenness_centrality(A, source, normalized=False, directed=True))

    threads = os.environ.get("GRBLAS_GPU_THREADS") or len(os.sched_getaffinity(0))
    where = ("cuda", "") if backend == "cuda" else ("host", f"{threads} threads")
    kernels: dict[str, Kernel] = {"bfs": (bfs, _levels), "bc": (bc, _scores)}
    return Contender(name or f"grblas_gpu {backend}", lambda graph: graph.matrix(backend), kernels, *where)


def _levels(result: Vector, n: int) -> np.ndarray:
    return result.to_dense(fill_value=-1, dtype=np.int64)


def _scores(result: Vector, n: int) -> np.ndarray:
    return result.to_dense(fill_value=0.0, dtype=np.float64)


def python_graphblas() -> Contender:
    import graphblas

    from . import suitesparse

    kernels: dict[str, Kernel] = {"bfs": (suitesparse.push_pull_bfs, _levels), "bc": (suitesparse.brandes, _scores)}
    note = f"SuiteSparse:GraphBLAS, {graphblas.ss.config['nthreads']} threads"
    return Contender("python-graphblas", suitesparse.matrix, kernels, note=note, limit=250_000_000)


# Others ------------------------------------------------------------------------------------------------------------


def scattered(n: int, missing: float, places: np.ndarray | list[int], values: ArrayLike) -> np.ndarray:
    """Values at their places in an array of ``n``, and ``missing`` elsewhere."""
    found = np.full(n, missing)
    found[places] = values
    return found


def scipy_csgraph() -> Contender:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    def prepare(graph: BenchmarkGraph) -> SciPySparse:
        indptr, indices = graph.csr
        return csr_array((np.ones(len(indices)), indices, indptr.astype(np.int32)), shape=(graph.n, graph.n))

    def levels(result: tuple[np.ndarray, np.ndarray], n: int) -> np.ndarray:
        """Levels from the visiting order of a search and the parents: a parent comes before its children."""
        order, parents = result
        parent_at = scattered(n, 0, order, np.arange(len(order)))[parents[order[1:]]]
        depth = np.zeros(len(order), np.int64)
        done, level = 1, 0
        while done < len(order):  # the children of a level are a run of the order
            ends, level = int(np.searchsorted(parent_at, done, side="left")) + 1, level + 1
            depth[done:ends] = level
            done = ends
        return scattered(n, -1, order, depth)

    kernels: dict[str, Kernel] = {"bfs": (lambda A, source: breadth_first_order(A, source), levels)}
    return Contender("scipy", prepare, kernels, note="csgraph, 1 thread", limit=2**31 - 1)


def networkx_graph() -> Contender:
    import networkx

    def prepare(graph: BenchmarkGraph) -> NetworkXGraph:
        G = networkx.empty_graph(graph.n)
        G.add_edges_from(zip(*(ends.tolist() for ends in graph.edges), strict=True))
        return G

    def bfs(G: object, source: int) -> dict[int, int]:
        return dict(networkx.single_source_shortest_path_length(G, source))

    def bc(G: NetworkXGraph, source: int) -> dict[int, float]:
        return networkx.betweenness_centrality_subset(G, [source], list(G), normalized=False)

    kernels: dict[str, Kernel] = {
        "bfs": (bfs, lambda found, n: scattered(n, -1, list(found), list(found.values()))),
        "bc": (bc, lambda found, n: 2 * scattered(n, 0.0, list(found), list(found.values()))),
    }
    return Contender("networkx", prepare, kernels, note="pure Python", limit=2_000_000)


def igraph_graph() -> Contender:
    import igraph

    def prepare(graph: BenchmarkGraph) -> IGraph:
        return igraph.Graph(n=graph.n, edges=np.stack(graph.edges, axis=1))

    def levels(result: tuple[list[int], list[int], object], n: int) -> np.ndarray:
        vertices, firsts, _ = result
        sizes = np.diff(firsts)
        return scattered(n, -1, vertices, np.repeat(np.arange(len(sizes)), sizes))

    def bc(G: IGraph, source: int) -> list[float]:
        return G.betweenness(directed=False, sources=[source], targets=list(range(G.vcount())))

    kernels: dict[str, Kernel] = {
        "bfs": (lambda G, source: G.bfs(source), levels),
        "bc": (bc, lambda scores, n: 2 * np.array(scores)),
    }
    return Contender("igraph", prepare, kernels, note="1 thread; results as lists", limit=10_000_000)


def networkit_graph() -> Contender:
    import networkit

    def prepare(graph: BenchmarkGraph) -> object:
        G = networkit.Graph(graph.n, weighted=False, directed=False)
        G.addEdges(tuple(ends.astype(np.uint64) for ends in graph.edges))
        return G

    def bfs(G: object, source: int) -> np.ndarray:
        return networkit.distance.BFS(G, source, storePaths=False).run().getDistances(asarray=True)

    def levels(found: object, n: int) -> np.ndarray:
        distances = np.asarray(found)
        return np.where(distances < n, distances, -1).astype(np.int64)

    return Contender("networkit", prepare, {"bfs": (bfs, levels)}, note="1 thread", limit=70_000_000)


def cupy_products() -> Contender:
    """CuPy has no search; this is the obvious loop: a sparse matrix times the frontier as a dense vector."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    def prepare(graph: BenchmarkGraph) -> object:
        A = graph.matrix("cuda")._store
        values = cupy.ones(A.nvals, cupy.float32)
        return csr_matrix((values, A.indices, A.indptr.astype(cupy.int32)), shape=(graph.n, graph.n))

    def bfs(A: csr_matrix, source: int) -> Array:
        levels, frontier = cupy.full(A.shape[0], -1, cupy.int64), cupy.zeros(A.shape[0], cupy.float32)
        frontier[source], levels[source], depth = 1, 0, 0
        while True:
            depth += 1
            new = (A @ frontier > 0) & (levels < 0)
            if not bool(new.any()):
                return levels
            levels[new] = depth
            frontier = new.astype(cupy.float32)

    kernels: dict[str, Kernel] = {"bfs": (bfs, lambda levels, n: levels.get())}
    return Contender("cupy", prepare, kernels, "cuda", "products in a loop", limit=2**31 - 1)


def cugraph_graph() -> Contender:
    import cudf
    import cugraph

    def prepare(graph: BenchmarkGraph) -> object:
        A = graph.matrix("cuda")._store
        G = cugraph.Graph(directed=False)
        frame = cudf.DataFrame({"source": A.row_ids.astype("int32"), "target": A.indices})
        G.from_cudf_edgelist(frame, source="source", destination="target", renumber=False)
        return G

    def levels(frame: cudf.DataFrame, n: int) -> np.ndarray:
        distances = frame["distance"].to_numpy()
        return scattered(n, -1, frame["vertex"].to_numpy(), np.where(distances < n, distances, -1))

    kernels: dict[str, Kernel] = {"bfs": (lambda G, source: cugraph.bfs(G, start=source), levels)}
    return Contender("cugraph", prepare, kernels, "cuda")


OTHERS: dict[str, Callable[[], Contender]] = {
    "graphblas": python_graphblas,
    "scipy": scipy_csgraph,
    "networkx": networkx_graph,
    "igraph": igraph_graph,
    "networkit": networkit_graph,
    "cupy": cupy_products,
    "cugraph": cugraph_graph,
}
