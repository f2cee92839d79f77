"""Products with a vector, and reductions: expand, compute on the block, fold."""

from __future__ import annotations

import numpy as np

from ...foundation.types import Engine, Plan, TypedMonoid, TypedSemiring, Value
from ...trace.records import current as current_trace
from ..stores.messages import index_type
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .exchange import Expanding, fold, true_part
from .partition import Block
from .parts import Parts, Store, as_scalar, reads
from .stores import DistMatrixStore, DistVectorStore
from .wire import Traffic, Wire

INNER = ("firstj", "secondi")  # positional operators that return the inner index of a product


class Degrees:
    """The number of entries in each row of a matrix, for this rank's chunk of the rows."""

    def __init__(self, engine: Engine, here: np.ndarray, largest: int, total: int, squares: float) -> None:
        self.here = engine.array(here)
        self.largest, self.total, self.squares = largest, total, squares
        self._engine, self._all_here = engine, int(here.sum())
        # A stand-in matrix with rows of these lengths; only its pointers are read.
        pointers = engine.array(np.concatenate([np.zeros(1, np.int64), np.cumsum(here, dtype=np.int64)]))
        self._rows = MatrixStore(len(here), 1, pointers, self.here[:0], self.here[:1])

    def edges(self, part: VectorStore) -> int:
        """The number of entries in the rows where the part has an entry."""
        return self._all_here if part.kind == "full" else self._engine.count_edges(self._rows, part)  # synchronizes


class Products(Parts):
    """Matrix times vector, inner products, reductions."""

    def mxv(
        self,
        a: DistMatrixStore,
        u: DistVectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
    ) -> DistVectorStore:
        """``M u`` with ``M`` the matrix or its transpose. All ranks have the same plan, made from global counts.

        A vector is expanded within a grid row and results are folded within a grid column, or the other way round.
        """
        before = self.grid.traffic.copy()
        place = semiring.binaryop.positional
        if place is not None and not (place in INNER and _selects(semiring.monoid)):
            return self.gathered("mxv", a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        grid = self.grid
        if transposed:
            inner, outer = a.nrows, a.ncols
            expands, arriving = grid.row, self.row_lengths(inner)
            folds, leaving = grid.column, self.column_lengths(outer)
        else:
            inner, outer = a.ncols, a.nrows
            expands, arriving = grid.column, self.column_lengths(inner)
            folds, leaving = grid.row, self.row_lengths(outer)
        pulls = plan.direction == "pull"
        with_values = place is None and reads(semiring.binaryop, "x" if flip else "y")
        full = u.count.known == u.size
        # Pack the operand and the mask before waiting for either, so that both are in flight at the same time.
        operand = Expanding(expands, self.local, u.part, arriving, with_values, full)
        view, opened = self.view(mask), None
        if view is not None and folds.size > 1:
            if pulls:
                opened = Expanding(folds, self.local, true_part(view), leaving, False)
                opened.start()
            else:
                view = None  # the owners of results apply the mask
        operand.start()
        if view is not None and opened is not None:
            view = MaskView(opened.finish(True), True, view.complement)
        whole = operand.finish(pulls)
        found = self.local.mxv(a.part, whole, semiring, view, transposed=transposed, flip=flip, plan=plan)
        if place is None:
            home = fold(folds, found, leaving, semiring.monoid, self.local)
        else:
            home = self._fold_positions(found, folds, leaving, semiring, inner, transposed)
        result = self.vector(outer, home)
        if transposed and a.nrows == a.ncols:
            result.leads_by = self.degrees(a)
        _record(self.grid.traffic.since(before), "cuda-aware mpi" if grid.everyone.device_memory else "mpi")
        return result

    def _fold_positions(
        self, found: VectorStore, folds: Wire, leaving: list[int], semiring: TypedSemiring, inner: int, transposed: bool
    ) -> VectorStore:
        """Send results that are positions as short local numbers; receivers convert them to global ones."""
        offset, line = semiring.binaryop.offset, self.grid.line(inner)
        down, across = self.grid.shape
        if transposed:
            blocks = [Block([line.row_block(i)]) for i in range(down)]
        else:
            blocks = [Block(line.column_pieces(j)) for j in range(across)]
        widest = max(block.size for block in blocks)
        numbering = [block.numbering(offset) for block in blocks]
        home = fold(folds, found, leaving, semiring.monoid, self.local, index_type(widest + 1), numbering)
        return self.local.cast(home, semiring.return_type.np_type)

    # ---- degrees ------------------------------------------------------------------------------------------------

    def degrees(self, a: DistMatrixStore) -> Degrees:
        """The degrees of the rows of ``a``, computed once."""
        if "degrees" not in a.kept:
            lengths = np.diff(self.local.host(a.part.indptr)).astype(np.int64)
            here = self.grid.row.add_up_parts(lengths, self.row_lengths(a.nrows))
            largest = self.grid.everyone.gather_small(np.array([here.max(initial=0)], np.int64))
            squares = self.grid.everyone.gather_small(np.array([(here.astype(float) ** 2).sum()]))
            total = self.grid.everyone.add_up([int(here.sum())])[0]
            a.kept["degrees"] = Degrees(self.local, here, int(largest.max()), total, float(squares.sum()))
        return a.kept["degrees"]

    def count_edges(self, columns: DistMatrixStore, u: DistVectorStore) -> int:
        degrees = self.degrees(columns)
        u.count.along(degrees, u.part)
        u.count.nvals  # one reduction computes both counts
        edges = u.count.edges_of(degrees)
        if edges is None:  # the entries were counted without edges
            (edges,) = self.grid.everyone.add_up([degrees.edges(u.part)])
            u.count.remember(degrees, edges)
        return edges

    # ---- reductions ---------------------------------------------------------------------------------------------

    def inner(self, u: DistVectorStore, v: DistVectorStore, semiring: TypedSemiring) -> Value | None:
        if semiring.binaryop.positional is not None:
            return self.gathered("inner", u, v, semiring)
        return self._reduced(self.local.inner(u.part, v.part, semiring), semiring.monoid)

    def reduce_scalar(self, x: Store, monoid: TypedMonoid) -> Value | None:
        return self._reduced(self.local.reduce_scalar(x.part, monoid), monoid)

    def _reduced(self, value: Value | None, monoid: TypedMonoid) -> Value | None:
        """The combined values of all ranks, in the order of the ranks: equal on every rank and in every run."""
        dtype = monoid.return_type.np_type
        row = np.zeros(1, [("there", np.int8), ("value", dtype)])
        if value is not None:
            row["there"], row["value"] = 1, np.asarray(value, dtype)
        rows = self.grid.everyone.gather_small(row.view(np.uint8)).reshape(-1).view(row.dtype)
        values = np.ascontiguousarray(rows["value"][rows["there"] == 1])
        return as_scalar(monoid.reduce(values), dtype) if len(values) else None

    def reduce_rowwise(self, a: DistMatrixStore, monoid: TypedMonoid) -> DistVectorStore:
        found = self.local.reduce_rowwise(a.part, monoid)
        return self.vector(a.nrows, fold(self.grid.row, found, self.row_lengths(a.nrows), monoid, self.local))


def _selects(monoid: TypedMonoid) -> bool:
    """Whether a monoid selects one of its operands (any, min, max), so that it commutes with a renumbering."""
    x, y = np.array([3, 5, 6, 9, 12], np.int64), np.array([5, 3, 9, 6, 10], np.int64)
    chosen = monoid.binaryop.numpy(x, y)
    return bool(monoid.any_value or ((chosen == x) | (chosen == y)).all())


def _record(traffic: Traffic, transport: str) -> None:
    """Record the traffic of a product in the trace."""
    collector = current_trace()
    if collector is not None and collector.records:
        record = collector.records[-1]
        record.bytes_sent, record.messages, record.waited = traffic.bytes, traffic.messages, traffic.seconds
        record.results_sent = traffic.results
        record.transport = transport
