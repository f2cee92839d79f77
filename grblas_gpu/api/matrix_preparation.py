"""Properties and views of a graph that searches use: computed once, and kept with the matrix.

All of them follow from the structure, and index arrays never change. They stay valid while the matrix holds the arrays
that they were computed from.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from .. import binary, indexunary, monoid, select, unary
from ..backends.protocol import DegreeStatistics
from ..backends.registry import using
from ..backends.stores.storage import INT32_LIMIT, MatrixStore
from ..config import config
from ..dtypes import BOOL, INT32, INT64
from ..exceptions import DimensionMismatch, InvalidValue
from ..foundation.memory import reports_memory
from ..ir import recording
from . import kinds
from .matrix_construction import MatrixConstruction
from .matrix_operations import MatrixOperations

if TYPE_CHECKING:
    from ..foundation.types import Store
    from .matrix import Matrix
    from .vector import Vector


SEARCHES = 64  # the largest number at once
ROWS_ENTRIES = 2**20  # the largest matrix of searches: in a large graph, one row has enough work
SIDE_BY_SIDE_ENTRIES = 2**22  # the largest vector of searches side by side, which one operation processes
COPIED_ENTRIES = 2**26  # the largest size of all copies of a graph, if they are materialized
SEARCHES_BEFORE_ORDER = 3  # searches of a graph before reordering pays off
MOST_AT_ONCE = 2**29  # entries of a large matrix for which results have values at a time: memory must hold both
CACHED = 2**16  # the most positions of searches side by side on a CPU: more do not fit in the cache


class DegreeOrder(NamedTuple):
    """A graph ``S' A S``, its selection matrix ``S`` (column p has its only entry at the vertex with number p), and the
    numbers of the vertices that have one."""

    graph: Matrix
    selection: Matrix
    numbers: Vector


class Batching(NamedTuple):
    """The best number of searches at once, and whether they are side by side in one vector or rows of a matrix."""

    size: int
    side_by_side: bool


class ValueRange(NamedTuple):
    """The smallest and the largest value, None without entries, and whether all are finite numbers.

    NaN is ignored: ``min`` and ``max`` are those of the other values, or NaN if there are none.
    """

    min: Any
    max: Any
    finite: bool


class MatrixPreparation(MatrixConstruction, MatrixOperations):
    """Views of a graph for searches."""

    __slots__ = ()
    _prepared: Any

    @reports_memory
    def pattern(self, *, loops: bool = True, undirected: bool = False) -> Matrix:
        """The structure of this matrix: True at every entry, as one iso value. Computed once; do not change it.

        Parameters
        ----------
        loops : bool
            Whether to keep entries on the diagonal.
        undirected : bool
            Whether an entry counts for both directions: the structure of ``A + A'``.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 0, 1], [0, 1, 2], [0.0, 2.5, 1.0], nrows=3, ncols=3)
        >>> A.pattern().to_dicts()
        {0: {0: True, 1: True}, 1: {2: True}}
        >>> A.pattern(loops=False, undirected=True).to_dicts()
        {0: {1: True}, 1: {0: True, 2: True}, 2: {1: True}}
        """
        recording.read("the entries", self)
        if undirected:  # keep only new matrices: a matrix that kept itself would form a reference cycle
            both_ways = self._kept(f"undirected, {loops=}", lambda store: self._made_undirected(loops))
            return self.pattern(loops=loops) if both_ways is None else both_ways
        if not loops:
            edges = self._kept("no loops", lambda store: self._made_loopless())
            return self.pattern() if edges is None else edges
        store = self._store
        if store.dtype == bool and store.iso and self._is_true(store.stored_values):
            return cast("Matrix", self)
        return self._kept("pattern", self._make_pattern)

    @reports_memory
    def is_symmetric(self) -> bool:
        """Whether this matrix equals its transpose, values included. Computed once.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [2, 3])
        >>> A.is_symmetric(), A.pattern().is_symmetric()
        (False, True)
        """
        recording.read("the entries", self)
        store = self._store
        return store.nrows == store.ncols and store.transposed() is store

    @reports_memory
    def value_range(self) -> ValueRange:
        """The smallest and the largest value, and whether all values are finite. Computed once.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [2.5, -1.0])
        >>> A.value_range()
        ValueRange(min=-1.0, max=2.5, finite=True)
        >>> A[0, 0] = float("inf")
        >>> A.value_range().finite, Matrix(int, 2, 2).value_range().min
        (False, None)
        """
        recording.read("the values", self)
        store = self._store
        try:
            return store.value_range
        except AttributeError:  # not computed yet
            store.value_range = found = _find_value_range(self)
            return found

    @reports_memory
    def mean_value(self) -> float:
        """The mean of all values, 0.0 without entries. Computed once.

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [2, 5]).mean_value()
        3.5
        """
        recording.read("the values", self)
        store = self._store
        try:
            return store.mean_value
        except AttributeError:  # not computed yet
            store.mean_value = found = _find_mean(self)
            return found

    @reports_memory
    def degree_statistics(self) -> DegreeStatistics:
        """Mean, maximum and standard deviation of the in-degrees: the numbers of entries in the columns. Computed once.

        >>> from grblas_gpu import generators
        >>> mean, largest, deviation = generators.star(5).degree_statistics()
        >>> mean, largest, round(deviation, 3)
        (1.6, 4, 1.2)
        """
        recording.read("the entries", self)
        return self._kept("degree_statistics", self._engine.degree_statistics)

    def follows_in_any_order(self) -> bool:
        """Whether loops over this matrix follow edges in any order where they may (``any_order=True``): the engine runs
        them as a whole on a device, and no row is long. Then there are fewer rounds than steps on the longest path.

        >>> from grblas_gpu import Matrix
        >>> Matrix(bool, 9, 9).follows_in_any_order()
        False
        """
        engine = self._engine
        if engine.longest_in_any_order < 0 or recording.active or config["loops"] == "iterated":
            return False
        return bool(self._store.max_degree <= engine.longest_in_any_order)

    def row_ranges(self) -> list[tuple[int, int]]:
        """Ranges of rows: one of all rows, or more if results with a value for each entry would take too much memory.

        >>> from grblas_gpu import Matrix
        >>> Matrix(bool, 9, 9).row_ranges()
        [(0, 9)]
        """
        bounds = [0, self._store.nrows]
        if self.nvals > MOST_AT_ONCE:
            indptr = self._store.indptr
            starts = np.arange(MOST_AT_ONCE, self.nvals, MOST_AT_ONCE, like=indptr)
            bounds = sorted({*bounds, *np.searchsorted(indptr, starts).tolist()})
        return list(itertools.pairwise(bounds))

    def batching(self, *, rows: bool = False, searches: int = SEARCHES) -> Batching:
        """The batch size for many searches of this graph, and their layout: one vector, or rows of a matrix.

        Both depend on the engine and on memory. If one search has enough work for a call, searches run one at a time.
        Loops that run as a whole on a device use vectors: there, searches stand side by side (:meth:`side_by_side`),
        unless ``rows`` is set. On a device, many searches of a large graph with hubs take few steps; they are dense
        rows, and a step of all of them is one product.

        Parameters
        ----------
        rows : bool
            Whether searches must be rows of a matrix.
        searches : int
            The number of searches.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix(bool, 1000, 1000).batching(rows=True)
        Batching(size=64, side_by_side=False)
        """
        engine, n = self._engine, self.nrows
        side_by_side = not rows and bool(engine.runs_loops) and config["loops"] != "iterated"
        entries = SEARCHES * n
        dense = 2 * SIDE_BY_SIDE_ENTRIES <= entries <= engine.costs.dense_rows and 4 * searches >= 3 * SEARCHES
        if dense and self._has_hubs():
            return Batching(SEARCHES, False)
        if side_by_side and not engine.shares_copies:
            most = min(CACHED // max(1, n), COPIED_ENTRIES // max(1, self._store.nvals))
        elif n > engine.costs.batch_size:
            most = 1
        else:
            most = (SIDE_BY_SIDE_ENTRIES if side_by_side else ROWS_ENTRIES) // max(1, n)
        return Batching(max(1, min(SEARCHES, most)), side_by_side)

    def _has_hubs(self) -> bool:
        """Whether degrees differ so much that all paths are short."""
        degrees = self.degree_statistics()
        return degrees.deviation > degrees.mean

    @reports_memory
    def side_by_side(self, copies: int) -> Matrix:
        """Several disjoint copies of this graph: this matrix along the diagonal, ``I kron A``.

        One vector holds the vectors of all searches side by side, and one step advances all of them. In loops on a
        device, the copies share the entries of this matrix; otherwise they are materialized.

        Parameters
        ----------
        copies : int
            The number of copies.

        Raises
        ------
        InvalidValue
            ``copies`` is less than one.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).side_by_side(2).to_dicts()
        {0: {1: 5}, 1: {0: 6}, 2: {3: 5}, 3: {2: 6}}
        """
        if copies < 1:
            raise InvalidValue(f"side_by_side: there must be at least one copy; got {copies}")
        recording.read("the entries", self)
        store = self._store
        if not isinstance(store, MatrixStore):  # distributed over several machines
            numbers = np.arange(copies)
            with using(self._engine.name), recording.paused():
                identity = kinds.Matrix.from_coo(numbers, numbers, True)
                return identity.kronecker(self, binary.second).new()
        with recording.paused():
            return kinds.Matrix._from_store(self._engine, self.dtype, MatrixStore.repeated(store, copies))

    @reports_memory
    def by_degree(self) -> DegreeOrder:
        """This graph with its vertices renumbered: the higher the in-degree, the lower the number. Computed once.

        Vertices without incoming edges get no number: a search cannot reach them. ``graph`` is the renumbered graph,
        the structure of ``S' A S``; ``selection`` is the matrix ``S``; ``numbers`` has the new number of every vertex
        that has one. A vector in the old numbering times ``S`` is the same vector in the new one. A vector ``w`` in the
        new numbering is ``w[numbers]`` in the old one. In the new graph, the neighbours of a vertex start with those
        that a search has most likely visited.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1, 2, 3], [2, 2, 1, 1], [5, 6, 7, 8], nrows=5, ncols=5)
        >>> graph, selection, numbers = A.by_degree()
        >>> graph.to_dicts(), selection.to_dicts(), numbers.to_dict()
        ({0: {1: True}, 1: {0: True}}, {1: {0: True}, 2: {1: True}}, {1: 0, 2: 1})
        """
        recording.read("the entries", self)
        if self._store.nrows != self._store.ncols:
            raise DimensionMismatch(f"by_degree: a graph has a square matrix; got shape {self.shape}")
        return self._kept("by_degree", self._make_by_degree)

    def search_order(self) -> DegreeOrder | None:
        """:meth:`by_degree` if a search is faster in that order, else None.

        That holds for undirected graphs with hubs, on an engine that runs whole searches on a device: vertices without
        edges cost nothing there, and the flags of hubs share cache lines. The order takes a second copy of the graph,
        so it is computed after some searches, if there is enough memory.

        >>> from grblas_gpu import Matrix
        >>> Matrix(bool, 9, 9).search_order()
        """
        if recording.active or config["loops"] == "iterated" or not self._engine.may_order_searches(self._store):
            return None
        known = self._kept("search_order", lambda store: [0, None])
        if known[0] <= SEARCHES_BEFORE_ORDER:
            known[0] += 1
            if known[0] > SEARCHES_BEFORE_ORDER and self.is_symmetric() and self._engine.orders_searches(self._store):
                known[1] = self.by_degree()
        return known[1]

    def _kept(self, name: str, make: Callable[[Store], object]) -> Any:
        structure = self._store.structure
        try:
            of, kept = self._prepared
        except AttributeError:
            of, kept = (None,), {}
        if of[0] is not structure[0] or of[-1] is not structure[-1]:  # the structure is one or two objects
            kept = {}
            self._prepared = structure, kept
        if name not in kept:
            with recording.paused():
                kept[name] = make(self._store)
        return kept[name]

    def _is_true(self, value: np.ndarray) -> bool:
        """Whether the iso value is True: read once, because a read waits for the device."""
        known = self._kept("truth", lambda store: [None, False])
        if known[0] is not value:
            known[:] = value, bool(value[0])
        return bool(known[1])

    def _make_pattern(self, store: object) -> Matrix:
        return self._boolean(self._engine.pattern(store))

    def _made_loopless(self) -> Matrix | None:
        """The pattern without loops; None if there are no loops: then the pattern's own results are reused."""
        pattern = self.pattern()
        edges = select.offdiag(pattern).new()
        return None if edges.nvals == pattern.nvals else edges

    def _made_undirected(self, loops: bool) -> Matrix | None:
        """The pattern with both directions of all edges; None if it has them already."""
        if self._store.nrows != self._store.ncols:
            raise DimensionMismatch(f"pattern: only a square matrix has undirected edges; got shape {self.shape}")
        edges = self.pattern(loops=loops)
        if edges.is_symmetric():
            return None
        both = monoid.lor(edges | edges.T).new()
        both._store._transpose = both._store  # symmetric by construction
        return both

    def _make_by_degree(self, store: Store) -> DegreeOrder:
        graph, chosen = self._engine.by_degree(self.pattern()._store)
        S = self._boolean(chosen.transposed())
        number = INT32 if S.ncols <= INT32_LIMIT else INT64
        # numbers[i] = p where S has an entry in row i and column p
        numbers = S.apply(indexunary.colindex[number]).new().reduce_rowwise(monoid.any).new()
        return DegreeOrder(self._boolean(graph), S, numbers)

    def _boolean(self, store: MatrixStore) -> Matrix:
        return kinds.Matrix._from_store(self._engine, BOOL, store)


def _find_value_range(A: Any) -> ValueRange:
    """The range of the values of a Matrix, from its entries."""
    # min_ij A_ij and max_ij A_ij
    low, high = (A.reduce_scalar(op).new().value for op in (monoid.min, monoid.max))
    # and_ij isfinite(A_ij) for floats; other numbers are always finite
    finite = A.dtype.np_type.kind != "f" or unary.isfinite(A).new().reduce_scalar(monoid.land).new().get(True)
    return ValueRange(low, high, bool(finite))


def _find_mean(A: MatrixPreparation) -> float:
    """sum_ij A_ij / nvals as floats: sums of integers might overflow."""
    values = A if A.dtype.np_type.kind == "f" else A.dup(float)
    return float(values.reduce_scalar(monoid.plus).new().get(0)) / max(A.nvals, 1)
