"""What compute-sanitizer watches: loops on the device over small graphs, each compared with the CPU engine's answer.

python tests/sanitize/cases.py bfs components

How sizes were chosen. A watched kernel costs what its threads do in shared memory, at every barrier of every round, so
threads and rounds are few, and instead of long rows and long frontiers the constants are small beyond which rows and
frontiers count as long (:data:`SMALLER`):

- 64 threads in a block: two warps, the fewest that can be in each other's way; a loop has 512 otherwise. Two clusters
  of eight blocks, however little there is to do: barriers of a cluster and of the grid, one cluster goes on alone,
  and the others take over again.
- ``hubs()``, a Kronecker graph of 512 vertices and 3,150 entries, has rows of up to 148 entries, so that both pushes
  and pulls deal out parts of rows; 16 groups of rows for 32 warps; and a search whose levels are a cluster's (1, 1 and
  43 vertices) and all blocks' (55 and 257), by pushes and by pulls. Chunks (``pull.edge``) have 256 entries and rows.
- ``even()`` has few edges at every vertex, as short frontiers in shared memory ask for: five levels of up to 48
  vertices are there, in six of the eight blocks; then there are too many.
- Iterations stop early: after some rounds nothing runs that did not run before.

``tests/loops/test_sanitized.py`` looks at what these cases run, on an emulated device.
"""

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from gather_bodies import GATHERS, heaviest
from loop_bodies import BODIES
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms as al, generators

Case = Callable[[Matrix], Any]
RIGHT = "right: "  # before the name of a case that has the CPU engine's answer
TOOK = "took "  # before how long that was
THREADS, CLUSTER = 64, 8
#: What is long, of a frontier, a row, a list of rows to deal out, and a chunk; how many bits a block has; how far a
#: warp goes on alone, with how many vertices; and of how many positions, looked at how often, flags are in values.
SMALLER = {
    "SMALL_ENTRIES = CLUSTER > 1 ? 4096 : 512, SMALL_EDGES = CLUSTER > 1 ? 8192 : 2048": (
        "SMALL_ENTRIES = 64, SMALL_EDGES = 128"
    ),
    "LONG_ROW = 2048": "LONG_ROW = 24",
    " PART = 2048": " PART = 8",
    "PUSH_PART = 512, SMALL_PUSH_PART = 128": "PUSH_PART = 16, SMALL_PUSH_PART = 8",
    "rows >= 2 * AT_A_TIME * ROWS * warps_in_grid()": "rows >= 2 * ROWS",
    "LEAST_CHUNK = 4 * WINDOW": "LEAST_CHUNK = WINDOW",
    "BLOCK_BITS = 1 << 18": "BLOCK_BITS = 384",
    "HOPS = 8": "HOPS = 2",
    "MOST_WAITING = 48": "MOST_WAITING = 10",
    "MANY_POSITIONS = 1 << 16": "MANY_POSITIONS = 0",
    "LOOKS_OF_EACH = 8": "LOOKS_OF_EACH = 1",
}
LEAST_PART = 2  # entries of a part, on average, with these


def of(bodies) -> dict[str, Case]:
    """Loops that are written out in the helpers; what they leave in their objects."""
    return {name: lambda A, body=body: body(A, 1)[1] for name, body in bodies.items()}


#: Of an undirected graph with weights, no two of which are equal: every answer is the only one. All have loops.
CASES: dict[str, Case] = {
    "bfs": lambda A: al.bfs(A, 1),
    "bfs, short frontiers": lambda A: al.bfs(like(A, even()), 1),
    "parents": lambda A: al.bfs_parents(A, 1, reproducible=True),
    "parents, short frontiers": lambda A: al.bfs_parents(like(A, even()), 1, reproducible=True),
    "dobfs": lambda A: al.dobfs(A, 1),
    "dobfs, switch point": lambda A: al.dobfs(A, 1, policy="switchpoint"),
    "hybrid": lambda A: al.hybrid_bfs(A, 1),
    "hybrid, list of unvisited": lambda A: al.hybrid_bfs(A, 1, list_unvisited=True),
    "turbobfs, edge": lambda A: al.turbobfs(A, 1, kernel="edge"),
    "turbobfs, thread": lambda A: [al.turbobfs(B, 1, kernel="thread") for B in (A, like(A, even()), like(A, little()))],
    "turbobfs, warp": lambda A: al.turbobfs(A, 1, kernel="warp"),
    "xbfs": lambda A: al.xbfs(A, 1),
    "xbfs, asynchronous": lambda A: al.xbfs(A, 1, asynchronous=True),
    "components": al.connected_components,
    "strong components": lambda A: al.strongly_connected_components(directed(A)),
    "independent set": al.maximal_independent_set,
    "HITS": lambda A: al.hits(A, tol=0.1),
    "PageRank": lambda A: al.pagerank(A, tol=1e-3),
    "PageRank, hubs in shared memory": lambda A: with_hubs(A, lambda: al.pagerank(A, tol=1e-3)),
    "Katz": lambda A: al.katz(A, alpha=0.005, tol=1e-2),
    "eigenvector": lambda A: al.eigenvector_centrality(A, tol=0.01),
    "core numbers": al.core_number,
    "SSSP": lambda A: al.sssp(A, 1, predecessors=True),
    "SSSP, in any order": lambda A: al.sssp(like(A, near()), 1),
    "colouring": al.vertex_colouring,
    "spanning forest": al.minimum_spanning_forest,
    "betweenness": lambda A: al.betweenness_centrality(A, [1, 5], batch=1),
    "betweenness, side by side": lambda A: al.betweenness_centrality(A, [1, 5, 9]),
    **{f"nested: {name}": case for name, case in of(NESTED).items()},
    **{f"gathers: {name}": case for name, case in of({**GATHERS, "heaviest groups": heaviest}).items()},
    "loop: all kinds of steps": of(BODIES)["all kinds"],
}


def with_hubs(A: Matrix, run):
    """Columns get an order however small the matrix is, so that products keep elements in shared memory."""
    if A.backend != "cuda":
        return run()
    from grblas_gpu.backends.cuda.eager import column_order

    small = {"LEAST_COLUMNS": 1, "LEAST_DEGREE": 0, "HUBS": 2, "LEAST_SHARE": 0.0}
    usual = {name: getattr(column_order, name) for name in small}
    vars(column_order).update(small)
    try:
        return run()
    finally:
        vars(column_order).update(usual)


def directed(A: Matrix) -> Matrix:
    rows, cols, values = (np.asarray(each) for each in A.to("cpu").to_coo())
    there = (7 * rows + 3 * cols) % 5 < 2
    return Matrix.from_coo(rows[there], cols[there], values[there], nrows=A.nrows, ncols=A.ncols)


def like(A: Matrix, B: Matrix) -> Matrix:
    """B where A is."""
    return B.to(A.backend)


@cache
def hubs() -> Matrix:
    """A few vertices with very many edges, and many with few."""
    with gb.using("cpu"):
        rows, cols, _ = generators.kronecker(9, 4, seed=3).to_coo()
        order = np.argsort(np.random.default_rng(7).random(2**18))  # one number for every pair of vertices
        values = 1.0 + order[(np.minimum(rows, cols) << 9) + np.maximum(rows, cols)] / 2**14
        return Matrix.from_coo(rows, cols, values, nrows=2**9, ncols=2**9)


@cache
def near() -> Matrix:
    """A grid whose edges have lengths: of its buckets up to 24 vertices are followed in any order."""
    with gb.using("cpu"):
        rows, cols, _ = generators.grid_2d(20, 20).to_coo()
        lengths = np.random.default_rng(11).integers(1, 30, len(rows))
        return Matrix.from_coo(rows, cols, lengths, nrows=400, ncols=400)


@cache
def even() -> Matrix:
    """Three random edges from every vertex, taken both ways: frontiers of a search double, and end."""
    with gb.using("cpu"):
        ends = np.random.default_rng(5).integers(0, 400, (2, 600))
        return Matrix.from_coo(*np.hstack([ends, ends[::-1]]), True, nrows=400, ncols=400)


@cache
def little() -> Matrix:
    """So few vertices that each has a bit in every block."""
    with gb.using("cpu"):
        return generators.kronecker(8, 4, seed=3)


def same(found, expected) -> bool:
    if isinstance(expected, tuple | list):
        return all(same(x, y) for x, y in zip(found, expected, strict=True))
    if not hasattr(expected, "isclose"):
        return bool(found == expected)
    return bool(found.to("cpu").isclose(expected, rel_tol=1e-6, abs_tol=1e-9))


def shrunk(text: str) -> str:
    """The text of a loop with the smaller constants. All loops have all but the last seven."""
    if "loop_kernel(" not in text:
        return text
    for old in list(SMALLER)[:-7]:
        assert old in text, f"{old}: kernels have another text now"
    for old, new in SMALLER.items():
        text = text.replace(old, new)
    return text


def shrink() -> None:
    """Fewer threads, more blocks, and what counts as long."""
    from grblas_gpu.backends.cuda.fusion import compiled, launcher, workspace
    from grblas_gpu.backends.cuda.runtime import tiers

    class TwoClusters(launcher.Launcher):
        def __init__(self, kernel, threads: int, blocks: int, cluster: int) -> None:
            super().__init__(kernel, THREADS, blocks, cluster)

        def launch(self, words: memoryview, parameters: int, work: int, scratch, hubs: bool) -> None:
            super().launch(words, parameters, max(work, THREADS * CLUSTER + 1), scratch, hubs)

    functions_of = tiers.functions_of
    compiled.Launcher = TwoClusters  # type: ignore[misc]
    tiers.functions_of = lambda text, *how: functions_of(shrunk(text), *how)
    workspace.LEAST_PART = LEAST_PART


def run(name: str) -> None:
    A = hubs()
    with gb.using("cpu"):
        expected = CASES[name](A)
    with gb.using("cuda"):
        found = CASES[name](A.to("cuda"))
    assert same(found, expected), f"{name}: not the CPU engine's answer"


if __name__ == "__main__":
    import cupy

    cupy.cuda.set_allocator(None)  # memory of its own for each array: what goes beyond one is seen
    shrink()
    for case in sys.argv[1:]:
        began = time.monotonic()
        run(case)
        print(f"{RIGHT}{case}\n{TOOK}{time.monotonic() - began:.1f} s: {case}", flush=True)
