"""Graph500 on one device: construction, searches and shortest paths, validated by the rules of the specification.

Kernel 1 is the construction of the graph, here with the generation of its edges. Kernel 2 is a search tree from each of
64 random roots with edges, kernel 3 a tree of shortest paths with random FP32 lengths from 0 to 1. TEPS are the drawn
edges within the component of the root, repeated ones and loops included, over the seconds of a run. Their mean is the
harmonic one. ``grblas_gpu.distributed.graph500`` runs kernels 1 and 2 over the ranks of a job.
Reference: the Graph500 specification, version 3.0, graph500.org.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from .. import Matrix, algorithms, generators
from ..backends.registry import current_engine
from ..backends.stores.counting import every, some
from ..distributed.graph500 import teps_statistics
from ..foundation.types import Array, Json, Vector
from ..generators.kronecker_graphs import drawn_degrees
from ..generators.randomness import Stream
from .graphs import BenchmarkGraph, dense_array, edge_pieces, weighted
from .harness import compiling
from .machine import describe, energy, seconds, synchronize
from .verify import WrongResult

KERNELS = ("bfs", "sssp")
CLOSE = 1e-9  # the relative difference of sums of lengths by rounding
LONG = 1.0  # seconds: the counter of energy has a resolution of some 0.1 s


def graph500(
    scale: int,
    edge_factor: int = 16,
    *,
    roots: int = 64,
    seed: int = 1,
    kernels: tuple[str, ...] = KERNELS,
    validate: bool = True,
) -> Json:
    """Run the benchmark on the current backend; returns all that a submission needs.

    Raises WrongResult if a tree breaks a rule.
    """
    backend = current_engine().name
    begin = time.perf_counter()
    graph = BenchmarkGraph(f"graph500-{scale}", generators.kronecker, scale, edge_factor, seed=seed)
    A = graph.matrix(backend)
    entries = A.nvals
    synchronize(backend)
    constructed = time.perf_counter() - begin
    chosen = list(dict.fromkeys(graph.sources(8 * roots, seed)))[:roots]
    drawn = drawn_degrees(scale, edge_factor, seed=seed)
    found: Json = {"scale": scale, "edge_factor": edge_factor, "seed": seed, "backend": backend}
    found |= {"vertices": A.nrows, "entries": entries, "construction_seconds": constructed, "roots": chosen}
    for kernel in kernels:
        matrix = A if kernel == "bfs" else weighted(A, np.float32, _lengths)
        found[kernel] = _searches(kernel, matrix, chosen, drawn, validate)
    return found | {"validated": validate, **describe()}


def _lengths(stream: Stream, edges: Array) -> Array:
    """Numbers from 0 to 1 with 24 bits, which FP32 can represent."""
    return (stream.bits(edges) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)


def tree_of(kernel: str, A: Matrix, root: int) -> tuple[Vector, Vector | None]:
    """The timed part: parents, and the distances of kernel 3."""
    if kernel == "bfs":
        return algorithms.bfs_parents(A, root), None
    found = algorithms.sssp(A, root, predecessors=True)
    return found.predecessors, found.distances


def _searches(kernel: str, A: Matrix, roots: list[int], drawn: Array, validate: bool) -> dict[str, object]:
    times, edges = [], []
    with compiling():
        for _ in range(2):
            tree_of(kernel, A, roots[0])[0].nvals
    for root in roots:
        kept: list[tuple[Vector, Vector | None]] = []
        times.append(seconds(partial(_search, kernel, A, root, kept), A.backend))
        ((parents, distances),) = kept
        tree = dense_array(parents, -1, np.int64)
        if validate:
            lengths = None if distances is None else A._store.values
            check_tree(A, root, tree, lengths, None if distances is None else dense_array(distances, -1, np.float64))
        edges.append(int(drawn[tree >= 0].sum()) // 2)
    teps = [count / taken for count, taken in zip(edges, times, strict=True)]
    joules = joules_of([partial(_search, kernel, A, root, []) for root in roots], A.backend)
    power = {"joules": joules, "teps_per_watt": sum(edges) / joules if joules else None}
    return {"seconds": times, "edges": edges, **teps_statistics(teps), **power}


def _search(kernel: str, A: Matrix, root: int, kept: list[tuple[Vector, Vector | None]]) -> None:
    """A search whose result is kept: the timed tree is the one that is checked."""
    kept[:] = [tree_of(kernel, A, root)]
    kept[0][0].nvals  # waits for the device


def joules_of(runs: list[Callable[[], None]], backend: str) -> float | None:
    """Joules of all runs once, measured over so many repetitions that the counter resolves them; None on a CPU."""
    before = energy() if backend == "cuda" else None
    if before is None:
        return None
    begin, repeated = time.perf_counter(), 0
    while time.perf_counter() - begin < LONG:
        repeated += 1
        for run in runs:
            run()
    synchronize(backend)
    after = energy()
    return None if after is None else (after - before) / repeated


def check_tree(
    A: Matrix, root: int, parents: Array, lengths: Array | None = None, distances: Array | None = None
) -> None:
    """Check a tree on the engine's arrays by the five rules; -1 where a vertex is not in the tree.

    With ``lengths`` of all entries, ``distances`` are checked as well.
    """
    in_tree = parents >= 0
    if int(parents[root]) != root or int(parents.max()) >= len(parents):
        raise WrongResult("rule 1: the root is not its own parent, or a parent is not a vertex")
    depth = depths(parents, root)
    if some(in_tree & (depth < 0)):
        raise WrongResult("rule 1: parents form a cycle")
    far = depth if distances is None else distances
    if some((far >= 0) != in_tree) or float(far[root]) != 0:
        raise WrongResult("rule 2: a vertex has a distance without a parent, or the root has one that is not 0")
    joined = ~in_tree
    joined[root] = True
    for part, rows, cols in edge_pieces(A._store.indptr, A._store.indices):
        if some(in_tree[rows] & ~in_tree[cols]):
            raise WrongResult("rule 4: the tree does not span the component of the root")
        length = 1 if lengths is None else lengths[part].astype(np.float64)
        here, there = far[rows], far[cols]
        if some(in_tree[rows] & (there > here + length + CLOSE * abs(here))):  # of both directions
            raise WrongResult("rule 3: distances of the ends of an edge differ by more than its length")
        on_tree = (parents[cols] == rows) & (abs(here + length - there) <= CLOSE * abs(here))
        joined[cols[on_tree]] = True
    if not every(joined):
        raise WrongResult("rules 2 and 5: no edge of the right length joins a vertex and its parent")


def depths(parents: Array, root: int) -> np.ndarray:
    """The number of tree edges from the root to each vertex; -1 where parents do not lead to the root."""
    depth = np.zeros_like(parents) - 1
    depth[root] = 0
    waiting = np.flatnonzero((parents >= 0) & (depth < 0))
    while len(waiting):
        above = depth[parents[waiting]]
        placed = above >= 0
        if not some(placed):
            break
        depth[waiting[placed]] = above[placed] + 1
        waiting = waiting[~placed]
    return depth
