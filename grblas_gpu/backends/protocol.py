"""The Backend protocol: the complete list of an engine's methods. Engines derive from it.

Stores go in, a new store comes out (only :meth:`Backend.assign` and :meth:`Backend.change_elements` may change the
store of the output in place and return it). Operators are typed (see docs/architecture.md); operands are cast to an
operator's types by the engine. A vector or matrix that an operation is defined for alike is written ``Store``.

:class:`Primitives` are what an engine is made of; :class:`Backend` adds operations that it may accelerate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..foundation.types import (
    Accum,
    ArrayLike,
    Assigned,
    Later,
    Plan,
    Program,
    Recipe,
    SearchLayout,
    TypedMonoid,
    TypedOperator,
    TypedSemiring,
    Value,
)
from ..plan.rules import Costs
from .stores import messages
from .stores.counting import every
from .stores.entries import Store
from .stores.index_types import order_of_keys
from .stores.matrix_forms import with_form
from .stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from .stores.tiles import joined

Index = tuple  # (I,) or (I, J): int64 arrays, or None for everything


SAMPLE = 1024  # entries that are looked at to estimate the work of a product
TRANSPOSED_ENTRY = 4  # as much work as this many entries of a dot product


class DegreeStatistics(NamedTuple):
    """Mean, maximum and standard deviation of the vertices' degrees."""

    mean: float
    max: int
    deviation: float


class Primitives(Protocol):
    """The operations that every engine needs: all others are defined by these."""

    name: str
    costs: Costs
    #: Whether a bitmap stays one with few entries: scanning it costs less than making a list of it.
    keeps_dense: bool = False
    #: Whether :meth:`build_matrix` reads 32-bit positions.
    reads_narrow_positions: bool = False
    #: Whether reading a size waits for a device.
    sizes_on_device: bool = False
    #: Whether kernels check positions in an array of this engine (:meth:`extract_given`).
    checks_positions_late: bool = False
    #: Whether :meth:`mxm` takes the strategies for dense factors; its matrices then have forms.
    dense_products: bool = False
    #: Whether :meth:`run_loop` can repeat a whole loop.
    runs_loops: bool = False
    runs_functions: bool = False  # and functions with loops in them, as a whole
    longest_in_any_order: int = -1  # and follow edges in any order (``any_order=True``) where no row is longer
    shares_copies: bool = False  # and reads a matrix repeated along the diagonal from one copy

    # memory
    def array(self, values: ArrayLike, dtype: np.dtype | type | None = None) -> Array: ...
    def host(self, array: Array) -> np.ndarray: ...
    def share(self, array: object) -> Array: ...
    def adopt(self, store: Store) -> Store: ...
    def export(self, store: Store) -> Store: ...
    def copy(self, store: Store) -> Store: ...
    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore: ...
    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore: ...

    # arrays of this engine
    def compute(self, op: TypedOperator, *operands: Array) -> Array:
        """An operator on arrays that already have its types."""
        return op.numpy(*operands)

    def reduce_runs(self, op: TypedOperator, values: Array, starts: Array) -> Array:
        """Each run of values (one begins at every start) combined by a monoid or, from the left, a binary operator."""
        return op.reduceat(values, starts)

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        """Keys below ``limit`` in ascending order, and the place of each; equal ones stay in order."""
        order = order_of_keys(keys, limit)
        return keys[order], order

    # GraphBLAS operations
    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
    ) -> VectorStore: ...
    def mxm(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan
    ) -> MatrixStore: ...
    def ewise_add(self, x: Store, y: Store, op: TypedOperator) -> Store: ...
    def ewise_mult(self, x: Store, y: Store, op: TypedOperator) -> Store: ...
    def apply(self, x: Store, op: TypedOperator) -> Store: ...
    def apply_bind(self, x: Store, op: TypedOperator, scalar: Value, side: str) -> Store: ...
    def apply_index(self, x: Store, op: TypedOperator, thunk: Value) -> Store: ...
    def select(self, x: Store, op: TypedOperator, thunk: Value) -> Store: ...
    def reduce_scalar(self, x: Store, monoid: TypedMonoid) -> Value | None: ...
    def reduce_rowwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore: ...
    def transpose(self, a: MatrixStore) -> MatrixStore: ...
    def cast(self, x: Store, dtype: np.dtype) -> Store: ...
    def extract_vector(self, u: VectorStore, index: Array | None) -> VectorStore: ...
    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore: ...
    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> Store: ...
    def assign(
        self, c: Store, value: Assigned, index: Index, mask: MaskView | None, accum: Accum, replace: bool, submask: bool
    ) -> Store: ...

    # entries, in and out
    def build_vector(self, size: int, index: Array, values: Array, dup_op: TypedOperator | None) -> VectorStore: ...
    def build_matrix(
        self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
    ) -> MatrixStore: ...
    def tuples(self, x: Store) -> tuple[Array, Array, Array]: ...


class Backend(Primitives, Protocol):
    """The primitives, and operations that an engine may accelerate.

    Each of these has a definition in terms of the primitives: its body here, or array code in ``reference/``.
    """

    # memory
    def with_columns(self, a: MatrixStore, where: str) -> MatrixStore:
        """A copy of a matrix, of this engine or the host, with columns and values on the "device" or the "host"."""
        return self.adopt(a)

    def nbytes_on_host(self, x: Store) -> int:
        """The bytes of a store that kernels of a device read over the bus."""
        return 0

    def has_columns_on_host(self, a: MatrixStore) -> bool:
        return False

    def listed(self, part: range) -> Array:
        """Positions of a slice as an array of this engine's."""
        return self.array(np.arange(part.start, part.stop, part.step, dtype=INDEX))

    def copy_allowed(self, store: Store, mask: MaskView | None) -> Store:
        """What :meth:`write` needs of a store with a mask or an accumulator: a copy of at least what is open."""
        return self.copy(store)

    # arrays of this engine's
    # products
    def compares_and_swaps(self, monoid: TypedMonoid) -> bool:
        """Whether atomics of this monoid are compare-and-swap loops: pushes to one sum then wait for each other."""
        return False

    def pull_into(
        self,
        c: VectorStore,
        accum: TypedOperator,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
    ) -> bool:
        """``c<mask> accum= M u`` in the arrays of a dense vector that no other object reads; False: use :meth:`mxv`."""
        return False

    def pull_in_place(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
        final: Value,
    ) -> VectorStore: ...
    def count_edges(self, columns: MatrixStore, u: VectorStore) -> int: ...
    def search(self, part: MatrixStore, layout: SearchLayout, degrees: Array, here: Array) -> Any:
        """A rank's part of breadth-first searches over bit maps (:mod:`.search_layout`), or None.

        ``degrees`` of all vertices, ``here`` those of this rank's own. The result has ``begin``, ``push``, ``pull`` and
        ``result``, as :class:`.cpu.search.CpuSearch` does.
        """
        return None

    # messages between ranks (:mod:`.messages`)
    def pack_parts(self, u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int) -> messages.PackedParts:
        """A message for each part of a vector, with values of this type or none; part ``here`` stays (a single one is
        sent as well)."""
        return messages.pack_parts(u, lengths, dtype, here)

    def join_parts(self, sent: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
        """One vector of messages about parts that follow each other: a list, or (``dense``) a bitmap, or full."""
        return messages.join_parts([self.array(each) for each in sent], lengths, dtype, dense)

    def fold_parts(
        self,
        sent: list[Array],
        size: int,
        dtype: np.dtype,
        monoid: TypedMonoid,
        numbering: list[messages.Numbering] | None,
    ) -> VectorStore:
        """One vector of messages about the same positions, combined in their order."""
        return messages.fold_parts(self, [self.array(each) for each in sent], size, dtype, monoid, numbering)

    def shaped_product(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, masked: bool
    ) -> tuple[str, str] | None:
        """A strategy of this engine for sparse factors of a certain shape, and why it suits these; or None."""
        return None

    def estimate_products(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore | None = None) -> float:
        """How many products ``a b`` takes, inside of a mask if there is one: each entry of ``a`` times a row of ``b``;
        some of them stand for all."""
        if a.nvals == 0:
            return 0.0
        some = a.indices[:: -(-a.nvals // SAMPLE)]
        lengths = b.indptr[some + 1] - b.indptr[some]
        return a.nvals * (float(self.host(lengths).sum()) / len(some))  # synchronizes: so will sizing the result

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        """How many entries dot products at the entries of a mask read: the columns of ``b``; some stand for all."""
        if mask.nvals == 0 or b.nvals == 0:
            return 0.0
        some = mask.indices[:: -(-mask.nvals // SAMPLE)]
        columns = b._transpose
        if columns is not None:
            return mask.nvals * float(self.host(columns.indptr[some + 1] - columns.indptr[some]).mean())
        # The lengths of columns are unknown: estimate them by repeated columns among some entries.
        wanted, given = self.host(some), np.sort(self.host(b.indices[:: -(-b.nvals // (4 * SAMPLE))]))
        pairs = int((np.searchsorted(given, wanted, side="right") - np.searchsorted(given, wanted)).sum())
        by_columns = mask.nvals / len(wanted) * (b.nvals / len(given)) * pairs
        # And the transpose has to be made first.
        return max(by_columns, mask.nvals * b.nvals / max(1, b.ncols)) + TRANSPOSED_ENTRY * b.nvals

    def inner(self, u: VectorStore, v: VectorStore, semiring: TypedSemiring) -> Value | None: ...
    def outer(self, u: VectorStore, v: VectorStore, op: TypedOperator) -> MatrixStore: ...
    def kronecker(self, a: MatrixStore, b: MatrixStore, op: TypedOperator) -> MatrixStore: ...

    # element-wise, apply, select
    def ewise_union(
        self, x: Store, y: Store, op: TypedOperator, left_default: Value, right_default: Value
    ) -> Store: ...
    # reductions
    def reduce_later(self, x: Store, monoid: TypedMonoid) -> Value | Later | None:
        """The same, or a value that is still being computed (:class:`.later.Later`)."""
        return self.reduce_scalar(x, monoid)

    def reduce_columnwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
        """The entries of each column combined."""
        return self.reduce_rowwise(a.transposed(), monoid)

    def count_columnwise(self, a: MatrixStore) -> VectorStore:
        """The number of entries of each column of CSR that is not empty."""
        return self.count_rowwise(a.transposed())

    def count_rowwise(self, a: MatrixStore) -> VectorStore:
        """The number of entries of each row of CSR, or of its transpose, that is not empty."""
        if a.rows is not None:
            return VectorStore(a.nrows, a.starts[1:].astype(INDEX) - a.starts[:-1], indices=a.rows)
        counts = a.indptr[1:].astype(INDEX) - a.indptr[:-1]
        return VectorStore(a.nrows, counts, present=counts > 0)

    # structure
    def checked_positions(self, index: Array, size: int) -> Array | None:
        """Positions in an array of this engine, negative ones from the end, as a copy from 0 on; None if they have to
        be checked (one may be out of range)."""
        return None

    def extract_given(self, u: VectorStore, given: Array) -> VectorStore | None:
        """The entries of a vector at positions in an array of this engine, negative ones from the end; None: use
        ``checked_positions`` and ``extract_vector``."""
        return None

    def positions(self, index: VectorStore, size: int) -> tuple[Array, Array | None]: ...
    def gather(self, u: VectorStore, index: VectorStore) -> VectorStore: ...
    def scatter(
        self, c: VectorStore, value: Assigned, index: VectorStore, mask: MaskView | None, accum: Accum, replace: bool
    ) -> VectorStore | None:
        """``c<mask>[index] (accum)= value``; None: assign to the positions that the index names."""
        return None

    def assign_few(
        self,
        c: VectorStore,
        value: Assigned,
        positions: np.ndarray,
        mask: MaskView | None,
        accum: Accum,
        replace: bool,
        submask: bool,
    ) -> VectorStore | None:
        """As :meth:`assign`, for positions in memory of the host; None: use :meth:`assign`. A value of None deletes."""
        return None

    def assign_block(
        self, c: MatrixStore, value: Assigned, rows: range | Array | None, cols: range | None
    ) -> MatrixStore | None:
        """``c[rows, cols] = value`` of CSR, with ranges of consecutive positions; None: use :meth:`assign`."""
        return None

    def extract_rows(self, a: MatrixStore, first: int, stop: int) -> MatrixStore:
        """``t[p, :] = a[first + p, :]`` before ``stop``, of CSR: the entries of consecutive rows are consecutive."""
        begin, end = int(a.indptr[first]), int(a.indptr[stop])  # synchronizes
        values = a.values[: min(1, end - begin)].copy() if a.iso else a.values[begin:end].copy()
        offsets = a.indptr[first : stop + 1] - begin
        return MatrixStore(stop - first, a.ncols, offsets, a.indices[begin:end].copy(), values)

    def extract_row(self, a: MatrixStore, row: int, cols: Array | None) -> VectorStore: ...
    def extract_column(self, a: MatrixStore, col: int, rows: Array | None) -> VectorStore: ...
    def join_tiles(self, tiles: list[list[MatrixStore]], dtype: np.dtype) -> MatrixStore:
        """One matrix of rows of tiles that fit together, all with row pointers."""
        return joined(tiles, dtype)

    def diagonal(self, a: MatrixStore, k: int) -> VectorStore: ...
    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore: ...
    def as_matrix(self, u: VectorStore, row: bool) -> MatrixStore: ...
    def spread(
        self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None
    ) -> MatrixStore: ...
    def resize_vector(self, u: VectorStore, size: int) -> VectorStore: ...
    def resize_matrix(self, a: MatrixStore, nrows: int, ncols: int) -> MatrixStore: ...
    def with_kind(self, u: VectorStore, kind: str) -> VectorStore: ...
    def with_form(self, a: MatrixStore, form: str) -> MatrixStore:
        """The same matrix as "sparse", "hypersparse", "bitmap" or "full" (which needs an entry everywhere)."""
        return with_form(a, form)

    # the output
    def replace_row(self, c: MatrixStore, row: int, line: VectorStore) -> MatrixStore: ...
    def replace_column(self, c: MatrixStore, col: int, line: VectorStore) -> MatrixStore: ...

    # elements, in and out
    def get_element(self, x: Store, index: tuple[int, ...]) -> Value | None: ...
    def set_element(self, x: Store, index: tuple[int, ...], value: np.generic, owned: bool = False) -> Store: ...
    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store: ...
    def change_elements(
        self, x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool = False
    ) -> Store:
        """``x`` with these values at these positions, and without an entry where ``kept`` is False.

        Positions ascend by row and column, each once. All arrays are on the host. ``owned``: nothing else refers to the
        store and its values, so they may change in place.
        """
        ...

    def has_one_value(self, x: Store) -> bool:
        """Whether all entries have one value, in any storage; False without entries."""
        if x.nvals == 0 or x.iso:
            return bool(x.nvals)
        values = x.values if getattr(x, "present", None) is None else x.values[x.present]
        return every(values == values[0])  # synchronizes

    def build_entry(self, size: int, index: int, value: Value, dtype: np.dtype) -> VectorStore:
        """A vector of one entry, given as Python numbers."""
        return self.build_vector(size, np.array([index], INDEX), np.array([value], dtype), None)

    def checks_positions(self, rows: Array, cols: Array, values: Array) -> bool:
        """Whether :meth:`build_matrix` detects positions out of bounds itself, and raises IndexOutOfBound."""
        return False

    def ascending_lines(self, pointers: Array, index: Array, size: int) -> tuple[Array, int] | None:
        """The checked indices of a compressed format on the host, which ascend in each line, as a copy; and the length
        of the longest line. None: to be checked and copied step by step."""
        return None

    def line_order(self, starts: Array, keys: Array) -> Array | None:
        """A stable order of unsigned keys in every line, by its start and the end of the last one; None: by sorts."""
        return None

    def to_dense(self, x: Store, fill: Value, dtype: np.dtype) -> Array: ...

    # graph statistics
    def pattern(self, a: MatrixStore) -> MatrixStore: ...
    def degree_statistics(self, a: MatrixStore) -> DegreeStatistics: ...
    def by_degree(self, pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]: ...
    def may_order_searches(self, a: MatrixStore) -> bool:
        """Whether searches may be faster on an undirected graph in order of degree; called at every search."""
        return False

    def orders_searches(self, a: MatrixStore) -> bool:
        """Whether they are, and there is enough memory; called once."""
        return False

    def triangle_counts(self, lower: MatrixStore, semiring: TypedSemiring, of_edges: bool) -> Array | None:
        """The number of triangles of each edge or each vertex, for a graph with every edge once; the semiring counts.
        None if products of matrices have to count."""
        return None

    def heaviest_groups(
        self,
        a: MatrixStore,
        groups: VectorStore,
        handicap: VectorStore | None,
        rows: VectorStore | None,
        factors: VectorStore | None,
        diagonal: VectorStore | None,
    ) -> VectorStore | None:
        """For every row, or those that ``rows`` has, the lowest of the groups of columns with the largest sum of values
        less a handicap times the row's factor; ``diagonal`` replaces values. All but ``rows`` are full, and FP64 but
        for ``groups``. None where products of matrices have to add up."""
        return None

    def contracted(
        self, a: MatrixStore, groups: VectorStore, monoid: TypedMonoid, symmetric: bool
    ) -> tuple[MatrixStore, VectorStore] | None:
        """A square matrix whose rows and columns with equal groups (full, INT64) become one, with their entries added
        up by the monoid, that of sums; and the number of each of them, in the order of the groups. Of a ``symmetric``
        matrix it is symmetric, and known to be. None where products of matrices have to add up."""
        return None

    def matching(self, a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore | None:
        """The entries of a matrix of numbers with ``op(left_i, a_ij) == right_j``; results are
        cast to the type of the right vector. None where operations have to compare them."""
        return None

    def largest_flow(self, a: MatrixStore, source: int, sink: int) -> tuple[int | float, Array, VectorStore] | None:
        """The value of a largest flow, the flow along every entry of CSR (whose values, INT64 or FP64, are capacities),
        and True at the vertices that do not reach the sink any more. None where operations have to find it."""
        return None

    def shortest_distances(
        self, a: MatrixStore, start: VectorStore, target: int | None
    ) -> tuple[VectorStore, VectorStore] | None:
        """Distances, INT64 or FP64 as those at the start, of vertices that are no farther than the target, and the
        lowest of the vertices that explain each. No length is negative. None where operations have to find them."""
        return None

    # whole programs
    def run_loop(self, program: Program, first: int = 0) -> int | None:
        """Run a recorded loop from a step on, and return the total number of steps; None if its nodes shall run one by
        one (the engine is then called again every few steps)."""
        return None

    def ran_one_by_one(self, program: Program) -> None:
        """Called when a loop ended that ran node by node since the last call of :meth:`run_loop`."""
        return

    def prepare(self, program: Program, meanwhile: Callable[[], None] | None = None) -> Callable[[], int | None]:
        """:meth:`run_loop` of a program that will run repeatedly, with new stores of its handles.

        A negative number: its nodes shall run one by one this time, for a kernel is being compiled.
        An engine calls ``meanwhile`` before it waits for the result.
        """
        return lambda: self.run_loop(program)

    def kronecker_keys(self, recipe: Recipe, low: int, high: int, keys: Array) -> int | None:
        """The kernel of a generator (see generators/kronecker_graphs.py); None without one."""
        return None
