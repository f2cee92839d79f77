"""What searches like to know of a graph before they start: made once, and kept with the matrix.

All of it follows from the structure, and index arrays never change once made: as long as a matrix holds the arrays that
it held when something was prepared, that is still right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import binary, indexunary, monoid, select
from ..backends.protocol import DegreeStatistics
from ..backends.registry import using
from ..backends.storage import INT32_LIMIT, MatrixStore
from ..config import config
from ..dtypes import BOOL, INT32, INT64
from ..errors import DimensionMismatch, InvalidValue
from ..ir import recording
from .memory import reports_memory

if TYPE_CHECKING:
    from ..types import Store
    from .matrix import Matrix
    from .vector import Vector


SEARCHES = 64  # at once, at most
ROWS_ENTRIES = 2**20  # of a matrix of searches, at most: large graphs have work enough in one row
SIDE_BY_SIDE_ENTRIES = 2**22  # of searches side by side, which are worked on in one go
COPIED_ENTRIES = 2**26  # of all copies of a graph, where they have to be made
SEARCHES_BEFORE_ORDER = 3  # of a graph: then it is worth being put in order
CACHED = 2**16  # positions of searches side by side on a CPU: more of them, and their vectors leave the cache


class DegreeOrder(NamedTuple):
    """A graph ``S' A S``, the selection ``S`` that makes it, whose column p has its one entry at the vertex numbered p,
    and the numbers of the vertices that have one."""

    graph: Matrix
    selection: Matrix
    numbers: Vector


class Batching(NamedTuple):
    """How many searches do best at once, and whether side by side in one vector or as rows of a matrix."""

    size: int
    side_by_side: bool


class MatrixPreparation:
    """Views of a graph for searches."""

    __slots__ = ()
    _store: Any
    _engine: Any
    _prepared: Any

    @reports_memory
    def pattern(self, *, loops: bool = True, undirected: bool = False) -> Matrix:
        """The structure of this matrix: True where it has an entry, as one stored value. Made once; do not change it.

        Parameters
        ----------
        loops : bool
            Whether entries on the diagonal count.
        undirected : bool
            Whether an entry stands for both directions: the structure of ``A + A'``.

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
        if undirected:  # kept is what is new: a matrix that kept itself would not be freed with its last name
            both_ways = self._kept(f"undirected, {loops=}", lambda store: self._made_undirected(loops))
            return self.pattern(loops=loops) if both_ways is None else both_ways
        if not loops:
            edges = self._kept("no loops", lambda store: self._made_loopless())
            return self.pattern() if edges is None else edges
        store = self._store
        if store.dtype == bool and store.iso and self._is_true(store.stored_values):
            return self  # type: ignore[return-value]
        return self._kept("pattern", self._make_pattern)

    @reports_memory
    def is_symmetric(self) -> bool:
        """Whether this matrix equals its transpose, values included. Found out once.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [2, 3])
        >>> A.is_symmetric(), A.pattern().is_symmetric()
        (False, True)
        """
        recording.read("the entries", self)
        store = self._store
        return store.nrows == store.ncols and store.transposed() is store

    @reports_memory
    def degree_statistics(self) -> DegreeStatistics:
        """Mean, maximum and standard deviation of the numbers of entries in the columns: the in-degrees. Found once.

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

    def batching(self, *, rows: bool = False, searches: int = SEARCHES) -> Batching:
        """How to take many searches of this graph: so many at once, in one vector or as rows of a matrix.

        That depends on the engine, and on memory. Where one search has work enough for a call, it is one at a time;
        where whole loops run on a device, which know vectors, several stand side by side (:meth:`side_by_side`), unless
        they have to be ``rows``. On a device many searches of a large graph with hubs, which take few steps, are dense
        rows: a step of all of them is one product.

        Parameters
        ----------
        rows : bool
            Whether searches can only be rows of a matrix.
        searches : int
            How many there are.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix(bool, 1000, 1000).batching(rows=True)
        Batching(size=64, side_by_side=False)
        """
        engine, n = self._engine, self.nrows  # type: ignore[attr-defined]
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
        """Whether degrees differ so much that all ways are short."""
        degrees = self.degree_statistics()
        return degrees.deviation > degrees.mean

    @reports_memory
    def side_by_side(self, copies: int) -> Matrix:
        """Several copies of this graph that do not touch: this matrix along the diagonal, ``I kron A``.

        Vectors of as many searches stand side by side in one, and take their steps together. The copies share the
        entries of the one as long as they are multiplied in loops on a device; otherwise they are made.

        Parameters
        ----------
        copies : int
            How many.

        Raises
        ------
        InvalidValue
            There is to be less than one copy.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).side_by_side(2).to_dicts()
        {0: {1: 5}, 1: {0: 6}, 2: {3: 5}, 3: {2: 6}}
        """
        if copies < 1:
            raise InvalidValue(f"side_by_side: there must be at least one copy; got {copies}")
        recording.read("the entries", self)
        store, kind = self._store, type(self)
        if not isinstance(store, MatrixStore):  # in parts, on several machines
            numbers = np.arange(copies)
            with using(self._engine.name), recording.paused():
                identity = kind.from_coo(numbers, numbers, True)  # type: ignore[attr-defined]
                return identity.kronecker(self, binary.second).new()
        with recording.paused():
            return kind._from_store(self._engine, self.dtype, MatrixStore.repeated(store, copies))  # type: ignore[attr-defined]

    @reports_memory
    def by_degree(self) -> DegreeOrder:
        """This graph with its vertices renumbered: the higher the in-degree, the lower the number. Made once.

        Vertices that no edge leads to get no number: a search cannot reach them. ``graph`` is the renumbered graph,
        the structure of ``S' A S``, ``selection`` the matrix ``S``, and ``numbers`` has the new number of every vertex
        that has one. A vector in the old numbering times ``S`` is the same vector in the new one, and a vector ``w`` in
        the new one is ``w[numbers]`` in the old one. In the new graph the list of a vertex's neighbours begins with
        those that a search is most likely to have visited.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1, 2, 3], [2, 2, 1, 1], [5, 6, 7, 8], nrows=5, ncols=5)
        >>> graph, selection, numbers = A.by_degree()
        >>> graph.to_dicts(), selection.to_dicts(), numbers.to_dict()
        ({0: {1: True}, 1: {0: True}}, {1: {0: True}, 2: {1: True}}, {1: 0, 2: 1})
        """
        recording.read("the entries", self)
        if self._store.nrows != self._store.ncols:
            raise DimensionMismatch(f"by_degree: a graph has a square matrix; got shape {self.shape}")  # type: ignore[attr-defined]
        return self._kept("by_degree", self._make_by_degree)

    def search_order(self) -> DegreeOrder | None:
        """:meth:`by_degree` where a search is faster in that order, else None.

        That is so for undirected graphs with hubs on an engine that runs whole searches on a device: vertices without
        edges cost nothing there, and the flags of hubs share cache lines. It takes a second copy of the graph, so it is
        made after some searches, if there is enough memory.

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

    def _kept(self, name: str, make: Any) -> Any:
        structure = self._store.structure
        try:
            of, kept = self._prepared
        except AttributeError:
            of, kept = (None,), {}
        if of[0] is not structure[0] or of[-1] is not structure[-1]:  # one or two objects
            kept = {}
            self._prepared = structure, kept
        if name not in kept:
            with recording.paused():
                kept[name] = make(self._store)
        return kept[name]

    def _is_true(self, value: Any) -> bool:
        """Whether the one value that stands for all is True: looked up once, which on a device means waiting for it."""
        known = self._kept("truth", lambda store: [None, False])
        if known[0] is not value:
            known[:] = value, bool(value[0])
        return bool(known[1])

    def _make_pattern(self, store: object) -> Matrix:
        return self._boolean(self._engine.pattern(store))

    def _made_loopless(self) -> Matrix | None:
        """None where there are no loops: what is known of the pattern is not found again."""
        pattern = self.pattern()
        edges = select.offdiag(pattern).new()
        return None if edges.nvals == pattern.nvals else edges

    def _made_undirected(self, loops: bool) -> Matrix | None:
        """None where all edges lead both ways."""
        if self._store.nrows != self._store.ncols:
            raise DimensionMismatch(f"pattern: only a square matrix has undirected edges; got shape {self.shape}")  # type: ignore[attr-defined]
        edges = self.pattern(loops=loops)
        return None if edges.is_symmetric() else monoid.lor(edges | edges.T).new()

    def _make_by_degree(self, store: Store) -> DegreeOrder:
        graph, chosen = self._engine.by_degree(self.pattern()._store)
        S = self._boolean(chosen.transposed())
        number = INT32 if S.ncols <= INT32_LIMIT else INT64
        # numbers[i] = p where S has an entry in row i and column p
        numbers = S.apply(indexunary.colindex).new().reduce_rowwise(monoid.any).new(number)
        return DegreeOrder(self._boolean(graph), S, numbers)

    def _boolean(self, store: Store) -> Matrix:
        return type(self)._from_store(self._engine, BOOL, store)  # type: ignore[attr-defined]
