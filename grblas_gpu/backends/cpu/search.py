"""A rank's part of a breadth-first search over bit maps (``search_layout``), by compiled kernels."""

from __future__ import annotations

import numpy as np

from ..mpi.search_layout import Layout, closed_bits, lists_to_pull
from ..stores.storage import Array, MatrixStore, VectorStore
from . import pool
from .compile import load
from .parallel import even_chunks

LEAST_WORDS = 256  # for which another thread pays

PUSH = """
PLACES = np.zeros(64, np.int64)
for place in range(64):
    PLACES[(0x03f79d71b4cb0a89 << place & 0xffffffffffffffff) >> 58] = place

@kernel
def kernel(frontier, words_of_rank, first_rows, indptr, indices, visited, out, parents, degrees):
    # Top-down: all that the frontier leads to and that was not visited.
    found = edges = 0
    out[:] = U(0)
    for rank in range(len(first_rows)):
        for w in range(rank * words_of_rank, (rank + 1) * words_of_rank):
            left = frontier[w]
            while left:
                lowest = left & (~left + U(1))
                left ^= lowest
                place = PLACES[(lowest * U(0x03f79d71b4cb0a89)) >> U(58)]
                row = first_rows[rank] + (w - rank * words_of_rank) * 64 + place
                for e in range(U(indptr[row]), U(indptr[row + 1])):
                    v = U(indices[e])
                    mark = U(1) << (v & U(63))
                    if not visited[v >> U(6)] & mark:
                        visited[v >> U(6)] |= mark
                        out[v >> U(6)] |= mark
                        parents[v] = w * 64 + place
                        found += 1
                        edges += degrees[v]
    return found, edges
"""

PULL = """
@kernel
def kernel(frontier, starts, neighbours, visited, out, parents, degrees, low, high):
    # Bottom-up: for each vertex that was not visited, the first one of its list that the frontier has.
    found = edges = 0
    for w in range(U(low), U(high)):
        before = visited[w]
        news = U(0)
        if before != ~U(0):
            for place in range(U(64)):
                if not before >> place & U(1):
                    v = w * U(64) + place
                    for e in range(U(starts[v]), U(starts[v + U(1)])):
                        position = U(neighbours[e])
                        if frontier[position >> U(6)] >> (position & U(63)) & U(1):
                            parents[v] = position
                            news |= U(1) << place
                            found += 1
                            edges += degrees[v]
                            break
            visited[w] = before | news
        out[w] = news
    return found, edges
"""

RESULT = """
@kernel
def kernel(parents, stride, first_rows, present, values):
    for v in range(len(parents)):
        position = parents[v]
        present[v] = position >= 0
        if position >= 0:
            rank = position // stride if len(first_rows) > 1 else 0
            values[v] = first_rows[rank] + position - rank * stride
"""


class CpuSearch:
    """A rank's part of a graph and of the current search. Bit maps are passed as bytes."""

    def __init__(self, part: MatrixStore, layout: Layout, degrees: Array, here: Array) -> None:
        self._layout = layout
        self._indptr, self._indices, self._degrees = part.indptr, part.indices, here
        self._starts, self._neighbours = lists_to_pull(part, degrees, layout)
        self._closed = closed_bits(self._starts, layout.stride).view(np.uint64)
        self._visited = np.empty_like(self._closed)
        self._parents = np.empty(layout.size, np.int32)
        self._first_rows = np.array(layout.bounds[:-1], np.int64)
        self._push, self._pull, self._result = load(PUSH), load(PULL), load(RESULT)

    def begin(self, source: int, out: Array) -> tuple[int, int]:
        """Forget the last search; the first frontier is the source, on the rank that owns it."""
        layout = self._layout
        np.copyto(self._visited, self._closed)
        self._parents.fill(-1)
        out.fill(0)
        place = source - layout.bounds[layout.rank]
        if not 0 <= place < layout.size:
            return 0, 0
        mark = np.uint64(1 << place % 64)
        self._visited[place // 64] |= mark
        out.view(np.uint64)[place // 64] |= mark
        self._parents[place] = layout.position(source)
        return 1, int(self._degrees[place])

    def push(self, frontier: Array, out: Array) -> tuple[int, int]:
        words = self._layout.stride // 64
        block = self._first_rows, self._indptr, self._indices
        state = self._visited, out.view(np.uint64), self._parents, self._degrees
        return self._push(frontier.view(np.uint64), words, *block, *state)

    def pull(self, frontier: Array, out: Array) -> tuple[int, int]:
        state = self._visited, out.view(np.uint64), self._parents, self._degrees
        given = frontier.view(np.uint64), self._starts, self._neighbours, *state
        words = -(-self._layout.size // 64)
        if pool.threads() == 1 or words < LEAST_WORDS:
            return self._pull(*given, 0, words)
        found = pool.run(lambda chunk: self._pull(*given, *chunk), even_chunks(words))
        return sum(count for count, _ in found), sum(edges for _, edges in found)

    def result(self, count: int) -> VectorStore:
        """The parents of this rank's vertices, of which ``count`` were found."""
        present, values = np.empty(self._layout.size, bool), np.zeros(self._layout.size, np.int64)
        self._result(self._parents, self._layout.stride, self._first_rows, present, values)
        return VectorStore(self._layout.size, values, present=present, nvals=count)
