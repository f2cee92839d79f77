"""The least that has to move: bytes of an operation, whoever does it, that the memory's copy rate turns into a time."""

from __future__ import annotations

INDEX = 4  # a column index
WORD = 8  # a level, a path count, a dependency, as this library stores them


def offset_bytes(entries: int, backend: str) -> int:
    """A row pointer: 64 bits on the host, 32 on a device while they are enough."""
    return 4 if backend == "cuda" and entries < 2**31 else 8


def bfs_floor(reached: int, entries: int, backend: str) -> int:
    """Each vertex that is reached needs its offset, one entry that leads to it, and its level written."""
    return reached * (offset_bytes(entries, backend) + INDEX + WORD)


def bfs_all_edges(reached: int, entries: int, backend: str) -> int:
    """The same with every entry read once, as top-down search must: direction optimisation may beat this time."""
    return reached * (offset_bytes(entries, backend) + WORD) + entries * INDEX


def bc_floor(reached: int, entries: int, backend: str) -> int:
    """Both sweeps read every entry and offset; path counts and dependencies are written once and read once.

    Not quite a bound: where the forward sweep pulls, nobody reads the rows of vertices that were visited before, and
    on a graph of three levels that may be most of them.
    """
    return 2 * (entries * INDEX + reached * offset_bytes(entries, backend)) + 4 * reached * WORD


def exact_floor(n: int, entries: int, backend: str) -> int:
    """Every source at once: path counts and dependencies are written once and read once, the matrix is read twice."""
    return bc_floor(n, entries, backend) + 4 * n * (n - 1) * WORD


def pagerank_floor(n: int, entries: int, backend: str, iterations: int, rank: int) -> int:
    """Each step reads every entry and offset, the degrees and the ranks before, and writes ranks (of so many bytes)."""
    return iterations * (entries * INDEX + n * (offset_bytes(entries, backend) + 3 * rank))


def sssp_floor(reached: int, entries: int, backend: str, weight: int) -> int:
    """Every entry and its weight (so many bytes) is read once, and a distance is written."""
    return reached * (offset_bytes(entries, backend) + WORD) + entries * (INDEX + weight)


def triangles_floor(n: int, entries: int, backend: str) -> int:
    """Every undirected edge is read once."""
    return n * offset_bytes(entries, backend) + entries // 2 * INDEX


def components_floor(n: int, entries: int, backend: str) -> int:
    """Each vertex needs its offset, one entry that ties it to the others, and its component written."""
    return bfs_floor(n, entries, backend)


FLOORS = {"bfs": bfs_floor, "bc": bc_floor}
EVERY_EDGE = {"bfs": bfs_all_edges, "bc": bc_floor}
