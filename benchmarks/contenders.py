"""Who takes part: this library on each engine, and the others where they are installed.

A contender turns a graph into its own data structure (not timed), runs a kernel from a source, waits until the result
is there, and can show it as NumPy arrays to be verified.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms

from .graphs import BenchmarkGraph
from .machine import has_cuda

Kernel = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Contender:
    """A library (and how it is used) with the kernels that it has."""

    name: str
    prepare: Callable[[BenchmarkGraph], Any]
    kernels: dict[str, Kernel]
    show: dict[str, Callable[[Any, int], np.ndarray]]
    backend: str = "host"
    note: str = ""
    limit: int | None = None  # entries of the largest graph that it is asked to take
    extra: dict[str, Any] = field(default_factory=dict)


def contenders(names: list[str] | None = None, device: bool = True) -> list[Contender]:
    """Those that this machine has, or those of them that are named (by a part of the name)."""
    found = [grblas("cpu")]
    if device and has_cuda():
        found.append(grblas("cuda"))
    for module, make in OTHERS.items():
        if _installed(module) and (device or module not in ("cupy", "cugraph")):
            found.append(make())
    if names is None:
        return found
    chosen = [contender for contender in found if any(name in contender.name for name in names)]
    for name in names:
        if not any(name in contender.name for contender in found):
            raise ValueError(f"no contender called {name!r} here; there are: {', '.join(c.name for c in found)}")
    return chosen


def _installed(module: str) -> bool:
    if module in ("cupy", "cugraph") and not has_cuda():
        return False
    return importlib.util.find_spec(module) is not None


# ---------------------------------------------------------------------------------------------------------------
# This library


def grblas(backend: str, search: Callable[..., Any] = algorithms.dobfs, name: str | None = None) -> Contender:
    """This library on one engine; another search than dobfs on demand."""

    def bfs(A: gb.Matrix, source: int) -> gb.Vector:
        levels = search(A, source)
        levels.nvals  # waits for the device
        return levels

    def bc(A: gb.Matrix, source: int) -> gb.Vector:
        scores = algorithms.betweenness_centrality(A, source, normalized=False, directed=True)
        scores.nvals
        return scores

    threads = os.environ.get("GRBLAS_GPU_THREADS") or len(os.sched_getaffinity(0))
    return Contender(
        name or f"grblas_gpu {backend}",
        lambda graph: graph.matrix(backend),
        {"bfs": bfs, "bc": bc},
        {
            "bfs": lambda levels, n: levels.to_dense(fill_value=-1, dtype=np.int64),
            "bc": lambda scores, n: scores.to_dense(fill_value=0.0),
        },
        backend if backend == "cuda" else "host",
        "" if backend == "cuda" else f"{threads} threads",
    )


# ---------------------------------------------------------------------------------------------------------------
# python-graphblas: SuiteSparse:GraphBLAS


def python_graphblas() -> Contender:
    import graphblas

    return Contender(
        "python-graphblas",
        _graphblas_matrix,
        {"bfs": _graphblas_bfs, "bc": _graphblas_bc},
        {
            "bfs": lambda levels, n: levels.to_dense(fill_value=-1, dtype=np.int64),
            "bc": lambda scores, n: scores.to_dense(fill_value=0.0, dtype=np.float64),
        },
        note=f"SuiteSparse:GraphBLAS, {graphblas.ss.config['nthreads']} threads",
        limit=250_000_000,
    )


def _graphblas_matrix(graph: BenchmarkGraph) -> Any:
    import graphblas

    indptr, indices = graph.csr
    A = graphblas.Matrix.from_csr(indptr, indices, True, ncols=graph.n, dtype=bool)
    A.wait()
    return A


def _graphblas_bfs(A: Any, source: int) -> Any:
    from .suitesparse import push_pull_bfs

    return push_pull_bfs(A, source)


def _graphblas_bc(A: Any, source: int) -> Any:
    """Brandes' algorithm for one source, the formulas of algorithms/bc.py."""
    from graphblas import Vector, binary, semiring, unary

    n = A.nrows
    sigma = Vector.from_coo([source], [1.0], size=n)
    frontier = sigma.dup()
    levels = []
    while frontier.nvals:
        levels.append(frontier.dup())
        frontier(~sigma.S, replace=True) << semiring.plus_first(frontier @ A)
        sigma(binary.plus) << frontier
    delta = unary.one["FP64"](sigma).new()
    for level, above in zip(reversed(levels[2:]), reversed(levels[1:-1]), strict=True):
        w = binary.second(level & delta).new()
        w << binary.truediv(w & sigma)
        w(above.S, replace=True) << semiring.plus_first(w @ A)
        delta(binary.plus) << binary.times(w & sigma)
    scores = binary.minus(delta, 1).new()
    scores[source] << 0.0
    scores.wait()
    return scores


# ---------------------------------------------------------------------------------------------------------------
# Others


def scipy_csgraph() -> Contender:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    def prepare(graph: BenchmarkGraph) -> Any:
        indptr, indices = graph.csr
        return csr_array((np.ones(len(indices)), indices, indptr.astype(np.int32)), shape=(graph.n, graph.n))

    def bfs(A: Any, source: int) -> Any:
        return breadth_first_order(A, source, directed=True)

    return Contender(
        "scipy", prepare, {"bfs": bfs}, {"bfs": _levels_of_order}, note="csgraph, 1 thread", limit=2**31 - 1
    )


def _levels_of_order(result: tuple[np.ndarray, np.ndarray], n: int) -> np.ndarray:
    """Levels from the order of a search and the parents of its vertices: a parent comes before its children."""
    order, parents = result
    levels = np.full(n, -1, np.int64)
    levels[order[0]] = 0
    position = np.empty(n, np.int64)
    position[order] = np.arange(len(order))
    parent_at = position[parents[order[1:]]]
    depth = np.zeros(len(order), np.int64)
    done, level = 1, 0
    while done < len(order):  # the children of a level are a run of the order
        ends = int(np.searchsorted(parent_at, done, side="left")) + 1
        level += 1
        depth[done:ends] = level
        done = ends
    levels[order] = depth
    return levels


def networkx_graph() -> Contender:
    import networkx

    def prepare(graph: BenchmarkGraph) -> Any:
        indptr, indices = graph.csr
        rows = np.repeat(np.arange(graph.n), np.diff(indptr))
        upper = rows < indices
        G = networkx.empty_graph(graph.n)
        G.add_edges_from(zip(rows[upper].tolist(), indices[upper].tolist(), strict=True))
        return G

    def bfs(G: Any, source: int) -> dict[int, int]:
        return dict(networkx.single_source_shortest_path_length(G, source))

    def bc(G: Any, source: int) -> dict[int, float]:
        return networkx.betweenness_centrality_subset(G, [source], list(G), normalized=False)

    return Contender(
        "networkx",
        prepare,
        {"bfs": bfs, "bc": bc},
        {"bfs": lambda d, n: _from_dict(d, n, -1), "bc": lambda d, n: 2 * _from_dict(d, n, 0.0)},
        note="pure Python",
        limit=2_000_000,
    )


def _from_dict(found: dict[int, Any], n: int, missing: Any) -> np.ndarray:
    result = np.full(n, missing, np.float64 if isinstance(missing, float) else np.int64)
    result[list(found)] = list(found.values())
    return result


def igraph_graph() -> Contender:
    import igraph

    def prepare(graph: BenchmarkGraph) -> Any:
        indptr, indices = graph.csr
        rows = np.repeat(np.arange(graph.n), np.diff(indptr))
        upper = rows < indices
        return igraph.Graph(n=graph.n, edges=np.stack([rows[upper], indices[upper]], axis=1))

    def bfs(G: Any, source: int) -> Any:
        return G.bfs(source)

    def levels(result: Any, n: int) -> np.ndarray:
        vertices, firsts, _ = result
        found = np.full(n, -1, np.int64)
        sizes = np.diff(firsts)
        found[np.array(vertices)] = np.repeat(np.arange(len(sizes)), sizes)
        return found

    def bc(G: Any, source: int) -> Any:
        return G.betweenness(directed=False, sources=[source], targets=list(range(G.vcount())))

    return Contender(
        "igraph",
        prepare,
        {"bfs": bfs, "bc": bc},
        {"bfs": levels, "bc": lambda scores, n: 2 * np.array(scores)},
        note="1 thread; results as lists",
        limit=10_000_000,
    )


def networkit_graph() -> Contender:
    import networkit

    def prepare(graph: BenchmarkGraph) -> Any:
        indptr, indices = graph.csr
        rows = np.repeat(np.arange(graph.n), np.diff(indptr))
        upper = rows < indices
        G = networkit.Graph(graph.n, weighted=False, directed=False)
        G.addEdges((rows[upper].astype(np.uint64), indices[upper].astype(np.uint64)))
        return G

    def bfs(G: Any, source: int) -> Any:
        return networkit.distance.BFS(G, source, storePaths=False).run().getDistances(asarray=True)

    def levels(found: Any, n: int) -> np.ndarray:
        distances = np.asarray(found)
        return np.where(distances < n, distances, -1).astype(np.int64)

    return Contender("networkit", prepare, {"bfs": bfs}, {"bfs": levels}, note="1 thread", limit=70_000_000)


def cupy_products() -> Contender:
    """CuPy has no search; this is the obvious loop: a sparse matrix times the frontier as a dense vector."""

    def prepare(graph: BenchmarkGraph) -> Any:
        import cupy
        from cupyx.scipy.sparse import csr_matrix

        A = graph.matrix("cuda")._store
        values = cupy.ones(A.nvals, cupy.float32)
        return csr_matrix((values, A.indices, A.indptr.astype(cupy.int32)), shape=(graph.n, graph.n))

    def bfs(A: Any, source: int) -> Any:
        import cupy

        levels = cupy.full(A.shape[0], -1, cupy.int64)
        frontier = cupy.zeros(A.shape[0], cupy.float32)
        frontier[source], levels[source] = 1, 0
        depth = 0
        while True:
            depth += 1
            new = (A @ frontier > 0) & (levels < 0)
            if not bool(new.any()):
                return levels
            levels[new] = depth
            frontier = new.astype(cupy.float32)

    return Contender(
        "cupy", prepare, {"bfs": bfs}, {"bfs": lambda x, n: x.get()}, "cuda", "products in a loop", limit=2**31 - 1
    )


def cugraph_graph() -> Contender:
    def prepare(graph: BenchmarkGraph) -> Any:
        import cudf
        import cugraph

        A = graph.matrix("cuda")._store
        G = cugraph.Graph(directed=False)
        frame = cudf.DataFrame({"source": A.row_ids.astype("int32"), "target": A.indices})
        G.from_cudf_edgelist(frame, source="source", destination="target", renumber=False)
        return G

    def bfs(G: Any, source: int) -> Any:
        import cugraph

        return cugraph.bfs(G, start=source)

    def levels(frame: Any, n: int) -> np.ndarray:
        found = np.full(n, -1, np.int64)
        distances = frame["distance"].to_numpy()
        found[frame["vertex"].to_numpy()] = np.where(distances < n, distances, -1)
        return found

    return Contender("cugraph", prepare, {"bfs": bfs}, {"bfs": levels}, "cuda")


OTHERS: dict[str, Callable[[], Contender]] = {
    "graphblas": python_graphblas,
    "scipy": scipy_csgraph,
    "networkx": networkx_graph,
    "igraph": igraph_graph,
    "networkit": networkit_graph,
    "cupy": cupy_products,
    "cugraph": cugraph_graph,
}
