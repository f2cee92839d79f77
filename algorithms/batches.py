"""Many searches in batches: as rows of a matrix, side by side in a vector over copies of the graph, or as bits of the
words of a vector (M. Then et al., The more the merrier: efficient multi-source graph traversal, VLDB 2014)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .. import FP64, UINT64, Matrix, Vector, agg, binary, io, monoid, select, semiring
from ..foundation.progress import progress
from ..plan.search_rules import WORD, rows_at_a_time, searches_at_a_time, searches_by_work
from .labels import called

either_bit = semiring.register_anonymous(monoid.bor, binary.first)[UINT64]


class Searches(Sequence[tuple[list[int], Matrix | Vector]]):
    """Sums over searches. An item is a batch: its sources, and a ``start`` with a 1.0 at each source, to search in
    ``graph``.

    ``start`` is a Vector for one source, otherwise a Matrix with a row per source, or a Vector with a part for each
    copy of A in ``graph``. The engine of A selects the size of a batch, unless ``batch`` is given. Searches with
    ``lengths`` are never rows of a matrix.

    >>> from grblas_gpu import generators
    >>> searches = Searches(generators.path(4), [0, 3, 2], batch=2)
    >>> [(sources, start.nvals) for sources, start in searches]
    [([0, 3], 2), ([2], 1)]
    """

    def __init__(self, A: Matrix, sources: list[int], batch: int | None = None, *, lengths: bool = False) -> None:
        best, side_by_side = (1, False) if len(sources) == 1 else A.batching(searches=len(sources))
        if lengths:
            best = searches_by_work(A.nrows, A.nvals) if side_by_side else 1
        self._batch = check_batch(batch, max(1, min(best, len(sources))))
        self._batch = self._batch if side_by_side or not lengths else 1
        self._copies = max(1, min(self._batch, len(sources))) if side_by_side else 1
        self._sources = sources
        self._n = A.nrows
        self.graph = (A if lengths else A.pattern()).side_by_side(self._copies) if self._copies > 1 else A

    def __len__(self) -> int:
        return -(-len(self._sources) // self._batch)

    def __getitem__(self, k: int) -> tuple[list[int], Matrix | Vector]:
        if not 0 <= k < len(self):
            raise IndexError(f"there are {len(self)} batches; got {k}")
        some, n = self._sources[k * self._batch : (k + 1) * self._batch], self._n
        if len(some) == 1 or self._copies > 1:
            start = [copy * n + source for copy, source in enumerate(some)]
            return some, Vector.from_coo(start, [1.0] * len(some), size=self.graph.nrows)
        return some, Matrix.from_coo(range(len(some)), some, 1.0, FP64, nrows=len(some), ncols=n)

    @property
    def in_a_vector(self) -> bool:
        """Whether each batch is one full Vector: of a single source, or of several side by side."""
        return self._copies > 1 or len(self._sources) == 1

    def sum_of(
        self, part: Callable[[Matrix, Matrix | Vector], Matrix | Vector], what: str, *, own: int | None = None
    ) -> Vector:
        """The sum of ``part(graph, start)`` over all sources, a value per vertex; the progress bar shows ``what``.

        With ``own``, each source also gets ``own`` plus the number of entries of its search; no entry may be 0.

        >>> from grblas_gpu import generators
        >>> searches = Searches(generators.path(4), [0, 3, 2], batch=2)
        >>> searches.sum_of(lambda graph, start: start, "sources", own=5)[3].new().value
        7.0
        """
        if len(self._sources) == 1 and own is None:
            return part(self.graph, self[0][1])
        total = Vector(FP64, self.graph.nrows)
        for some, start in progress(self, what):
            found = part(self.graph, start)
            if own is not None:
                # total_s += own + the number of entries of s
                total(binary.plus)[some] << binary.plus(self._entries_of_each(found, len(some)), own).new()
            # total += sum_s part_s
            total(binary.plus) << (found if found.ndim == 1 else found.reduce_columnwise(monoid.plus))
        # total = [1 ... 1] total, with a row for each copy
        return total if self._copies == 1 else self._by_copies(total).reduce_columnwise(monoid.plus).new()

    def _entries_of_each(self, x: Matrix | Vector, count: int) -> Vector:
        """The number of vertices that each of the ``count`` searches of a batch reached; their values are not 0."""
        if x.ndim == 1 and self._copies == 1:
            return Vector.from_coo([0], [x.nvals])
        # counts = sum_j 1, with a row for each search
        counts = (x if x.ndim == 2 else self._by_copies(x, 0.0)).reduce_rowwise(agg.count).new()
        return counts[:count].new()

    def _by_copies(self, x: Vector, missing: float | None = None) -> Matrix:
        return Matrix.from_dense(io.to_array(x, 0.0).reshape(self._copies, self._n), missing)


def vertices_in_batches(n: int, batch: int | None = None) -> Sequence[range]:
    """The vertices 0 to n - 1 in batches of size ``batch``, or of the size whose distances fit in memory.

    >>> list(vertices_in_batches(5, 2))
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    batch = check_batch(batch, searches_at_a_time(n))
    return [range(start, min(start + batch, n)) for start in range(0, n, batch)]


def row_batches(A: Matrix, B: Matrix) -> Sequence[range]:
    """The rows of A in batches whose products with B fit in memory.

    >>> A = Matrix.from_scalar(1, 5, 5)
    >>> list(row_batches(A, A))
    [range(0, 5)]
    """
    # products = sum_ij (entries of row j of B) for the entries of A
    counts = B.reduce_rowwise(agg.count).new()
    products = semiring.plus_second["INT64"](A @ counts).new().reduce(monoid.plus).new().get(0)
    return vertices_in_batches(A.nrows, rows_at_a_time(A.nrows, products))


def searches_as_bits(n: int, batch: int | None, what: str) -> Iterator[tuple[Vector, Vector]]:
    """Searches from all n vertices, up to 64 at a time: words with the bit of each search at its source, and words
    with the bits of all other searches at every vertex. The progress bar shows ``what``.

    >>> [(arriving.to_dict(), missing.to_dense().tolist()) for arriving, missing in searches_as_bits(3, 2, "test")]
    [({0: 1, 1: 2}, [2, 1, 3]), ({2: 1}, [1, 1, 0])]
    """
    together = min(check_batch(batch, WORD), WORD)
    for some in progress(vertices_in_batches(n, together), what):
        bits = np.uint64(1) << np.arange(len(some), dtype=np.uint64)
        arriving = Vector.from_coo(some, bits, UINT64, size=n)
        # missing = all bits, without the source's own bit
        missing = Vector.from_scalar(np.bitwise_or.reduce(bits), n, UINT64)
        missing(binary.minus) << arriving
        yield arriving, missing


def next_level(edges: Matrix, arriving: Vector, missing: Vector) -> None:
    """One level of searches as bits: ``arriving`` gets the searches that reach a vertex for the first time."""
    # arriving = arriving bor.first edges, without the bits that are set already, where any are left
    arriving << either_bit(arriving @ edges)
    arriving << binary.band(arriving & missing)
    arriving << select.valuene(arriving, np.uint64(0))
    # missing -= arriving
    missing(binary.minus) << arriving


def check_batch(batch: int | None, default: int) -> int:
    """The size of a batch: the given one, or the default.

    >>> check_batch(None, 64), check_batch(3, 64)
    (64, 3)
    """
    if batch is not None and batch < 1:
        raise ValueError(f"{called()}batch must be at least 1; got {batch}")
    return default if batch is None else batch
