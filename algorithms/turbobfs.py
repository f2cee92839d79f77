"""TurboBFS: breadth-first search by masked sparse matrix-vector products that count shortest paths.

Returns the same levels as bfs.py, with ``paths`` also the path counts, INT64 if they fit.
Method: top-down, the frontier holds the number of shortest paths to each of its vertices, and the next frontier is its
product with the matrix. The paper's kernels assign a thread to each edge, a thread to each vertex, or a warp to each
vertex, and visit all vertices in every step; by default the planner chooses among all strategies.
Without path counts, the search goes bottom-up while at least a tenth of the vertices are in the frontier (policy
"fraction"): each unvisited vertex looks for one visited neighbour. The search reads the matrix by columns only, without
its values.
Invariant: before step d, ``levels`` holds the distance of every vertex at distance < d, and ``frontier`` has the
vertices at distance d; with paths also their path counts, and ``sigma`` has those of all vertices so far.
Cost: O(n + m), and O(n d + m) for d levels with one of the paper's kernels.
Reference: O. Artiles, F. Saeed, TurboBFS: GPU based breadth-first search (BFS) algorithms in the language of linear
algebra, IPDPSW 2021.
"""

from __future__ import annotations

from .. import Matrix, Vector
from .bfs import levels_from
from .checks import check_source, graph_algorithm
from .path_counts import count_paths

POLICY = "fraction"  # bottom-up while a tenth of the vertices are in the frontier
# For each kernel, the strategies of a top-down step and of a bottom-up step, which stops at the first neighbour.
KERNELS = {
    "edge": ("pull.edge", "pull.thread"),
    "thread": ("pull.thread", "pull.thread"),
    "warp": ("pull.warp", "pull.warp"),
}


@graph_algorithm
def turbobfs(
    A: Matrix, source: int, *, paths: bool = False, kernel: str | None = None
) -> Vector | tuple[Vector, Vector]:
    """Levels of a breadth-first search, and with ``paths`` the number of shortest paths to each vertex as well.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    paths : bool
        Whether shortest paths are counted.
    kernel : str, optional
        "edge", "thread" or "warp", which are those of the paper; by default the planner chooses.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import turbobfs
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=4, ncols=4)
    >>> levels, sigma = turbobfs(A, 0, paths=True)
    >>> levels.to_dict(), sigma.to_dict()
    ({0: 0, 1: 1, 2: 1, 3: 2}, {0: 1, 1: 1, 2: 1, 3: 2})
    """
    source = check_source(A, source)
    if kernel is not None and kernel not in KERNELS:
        raise ValueError(f"turbobfs: unknown kernel {kernel!r}; choose one of {', '.join(KERNELS)}")
    top_down, bottom_up = (None, None) if kernel is None else KERNELS[kernel]
    if paths:
        return count_paths(A, Vector.from_coo([source], [1], size=A.nrows), strategy=top_down)[:2]
    kernels = {"push_strategy": top_down, "pull_strategy": bottom_up, "reuse_mask": "auto"}
    return levels_from(A, Vector.from_coo([source], [True], size=A.nrows), None, policy=POLICY, **kernels)
