"""What compute-sanitizer watches: loops on the device over a small graph, each compared with the CPU engine's answer.

python tests/sanitize/cases.py bfs components
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from gather_bodies import GATHERS
from loop_bodies import BODIES
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu import Matrix, generators
from grblas_gpu import algorithms as al

Case = Callable[[Matrix], Any]
RIGHT = "right: "  # before the name of a case that has the CPU engine's answer


def of(bodies: dict[str, Any]) -> dict[str, Case]:
    """Loops that are written out in the helpers; what they leave in their objects."""
    return {name: lambda A, body=body: body(A, 1)[1] for name, body in bodies.items()}


#: Of an undirected graph with weights, no two of which are equal: every answer is the only one.
CASES: dict[str, Case] = {
    "bfs": lambda A: al.bfs(A, 1),
    "parents": lambda A: al.bfs_parents(A, 1, reproducible=True),
    "dobfs": lambda A: al.dobfs(A, 1),
    "dobfs, switch point": lambda A: al.dobfs(A, 1, policy="switchpoint"),
    "hybrid": lambda A: al.hybrid_bfs(A, 1),
    "hybrid, list of unvisited": lambda A: al.hybrid_bfs(A, 1, list_unvisited=True),
    "turbobfs, edge": lambda A: al.turbobfs(A, 1, kernel="edge"),
    "turbobfs, thread": lambda A: al.turbobfs(A, 1, kernel="thread"),
    "turbobfs, warp": lambda A: al.turbobfs(A, 1, kernel="warp"),
    "xbfs": lambda A: al.xbfs(A, 1),
    "xbfs, asynchronous": lambda A: al.xbfs(A, 1, asynchronous=True),
    "components": al.connected_components,
    "strong components": lambda A: al.strongly_connected_components(directed(A)),
    "label propagation": al.label_propagation,
    "independent set": al.maximal_independent_set,
    "HITS": lambda A: al.hits(A, tol=1e-4),
    "PageRank": al.pagerank,
    "Katz": lambda A: al.katz(A, alpha=0.005),
    "eigenvector": lambda A: al.eigenvector_centrality(A, tol=1e-3, max_iterations=500),
    "core numbers": al.core_number,
    "SSSP": lambda A: al.sssp(A, 1, predecessors=True),
    "colouring": al.vertex_colouring,
    "spanning forest": al.minimum_spanning_forest,
    "betweenness": lambda A: al.betweenness_centrality(A, [1, 5], batch=1),
    "betweenness, side by side": lambda A: al.betweenness_centrality(A, [1, 5, 9]),
    "triangles": al.triangle_count,
    **{f"nested: {name}": case for name, case in of(NESTED).items()},
    **{f"gathers: {name}": case for name, case in of(GATHERS).items()},
    "loop: all kinds of steps": of(BODIES)["all kinds"],
}


def directed(A: Matrix) -> Matrix:
    rows, cols, values = (np.asarray(each) for each in A.to("cpu").to_coo())
    there = (7 * rows + 3 * cols) % 5 < 2
    return Matrix.from_coo(rows[there], cols[there], values[there], nrows=A.nrows, ncols=A.ncols)


def graph() -> Matrix:
    with gb.using("cpu"):
        rows, cols, _ = generators.kronecker(7, 8, seed=3).to_coo()
        order = np.argsort(np.random.default_rng(7).random(2**14))  # one number for every pair of vertices
        values = 1.0 + order[(np.minimum(rows, cols) << 7) + np.maximum(rows, cols)] / 2**10
        return Matrix.from_coo(rows, cols, values, nrows=2**7, ncols=2**7)


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple | list):
        return all(same(x, y) for x, y in zip(found, expected, strict=True))
    if not hasattr(expected, "isclose"):
        return bool(found == expected)
    return bool(found.to("cpu").isclose(expected, rel_tol=1e-6, abs_tol=1e-9))


def run(name: str) -> None:
    A = graph()
    with gb.using("cpu"):
        expected = CASES[name](A)
    with gb.using("cuda"):
        found = CASES[name](A.to("cuda"))
    assert same(found, expected), f"{name}: not the CPU engine's answer"


if __name__ == "__main__":
    import cupy

    cupy.cuda.set_allocator(None)  # memory of its own for each array: what goes beyond one is seen
    for case in sys.argv[1:]:
        run(case)
        print(f"{RIGHT}{case}", flush=True)
