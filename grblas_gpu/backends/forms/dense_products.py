"""Products of two matrices, one of them dense: the common part of all engines.

Kernels read the sparse factor by rows, and the dense one by rows. ``A D`` has that form; ``D A`` is ``(A' D')'``, so
dense matrices are transposed on the way in and out. The sparse factor caches its transpose.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ...foundation.types import Plan, TypedSemiring
from ...plan.dense_rules import MxmFacts, width_of
from ..stores.counting import how_many
from ..stores.entries import filled
from ..stores.matrix_forms import with_form
from ..stores.storage import Array, MaskView, MatrixStore

__all__ = ["EVERYWHERE", "INSIDE", "OUTSIDE", "Allowed", "Kernels", "Side", "Words", "multiply", "width_of"]

EVERYWHERE, INSIDE, OUTSIDE = 0, 1, 2  # where a mask allows entries


class Words(NamedTuple):
    """Flags as bits: a word for every 64 columns of each row."""

    words: Array
    nrows: int
    columns: int

    @property
    def width(self) -> int:
        return width_of(self.columns)


class Side(NamedTuple):
    """A matrix as a kernel reads it: as stored or transposed; entries of a ``valued`` one count if they are not 0."""

    store: MatrixStore
    turned: bool
    valued: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        store = self.store
        return (store.ncols, store.nrows) if self.turned else (store.nrows, store.ncols)

    @property
    def flags(self) -> Array | None:
        """The flags of a dense matrix, as stored; None if every position counts."""
        store = self.store
        if not self.valued:
            return store.present
        assert store.dense is not None
        there = store.dense != 0
        if store.iso and store.nvals:
            there = filled(store.nrows * store.ncols, True, there) & there
        return there if store.present is None else store.present & there


class Allowed(NamedTuple):
    """Where a result may have entries."""

    where: int = EVERYWHERE
    side: Side | None = None


_EVERYWHERE = Allowed()


class Kernels(Protocol):
    """The kernels of an engine. None for work that is too little for a kernel."""

    def multiply(
        self, rows: MatrixStore, dense: Side, semiring: TypedSemiring, flip: bool, early_exit: bool, allowed: Allowed
    ) -> tuple[Array, Array | None, int] | None:
        """``rows`` times ``dense``: values and flags by rows (None if all are set), and how many are.

        If ``flip``, both are transposes of the factors ``dense rows``; the operands of the semiring, and the result,
        are those of that product."""

    def unions(self, rows: MatrixStore, dense: Side, allowed: Allowed) -> Words | None: ...
    def unpack(self, words: Words, turned: bool) -> tuple[Array, int]: ...
    def constant(self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> Array | None:
        """The one value of a structural result, or None if values differ."""

    def matmul(self, a: Array, b: Array) -> Array: ...


def multiply(
    kernels: Kernels, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, plan: Plan
) -> MatrixStore | None:
    """``t<mask> = a b`` as a bitmap or full matrix."""
    nrows, ncols = a.nrows, b.ncols
    if plan.strategy == "mxm.blas":
        assert a.dense is not None and b.dense is not None
        values = kernels.matmul(a.dense.reshape(nrows, a.ncols), b.dense.reshape(b.nrows, ncols)).reshape(-1)
        return result(nrows, ncols, values, *_open_flags(kernels, mask, nrows * ncols))
    if a.dense is None and b.dense is None:
        flip = MxmFacts(nrows, a.ncols, ncols, a.nvals, b.nvals).left_is_dense
    else:
        flip = b.dense is None
    allowed = _allowed(mask, flip)
    rows, dense = (b.transposed(), Side(a, True)) if flip else (a, Side(b, False))
    if plan.strategy == "mxm.bits":
        one = kernels.constant(a, b, semiring)
        if one is not None:
            words = kernels.unions(rows, dense, allowed)
            return None if words is None else result(nrows, ncols, one, *kernels.unpack(words, flip))
    if dense.store.dense is None:
        dense = dense._replace(store=with_form(dense.store, "bitmap"))
    found = kernels.multiply(rows, dense, semiring, flip, plan.early_exit, allowed)
    return None if found is None else result(nrows, ncols, *found)


def result(nrows: int, ncols: int, values: Array, flags: Array | None, nvals: int) -> MatrixStore:
    if flags is None or nvals == nrows * ncols:
        return MatrixStore.full(nrows, ncols, values)
    return MatrixStore.bitmap(nrows, ncols, flags, values, nvals)


def _allowed(mask: MaskView | None, turned: bool) -> Allowed:
    if mask is None:
        return _EVERYWHERE
    assert isinstance(mask.store, MatrixStore)
    return Allowed(OUTSIDE if mask.complement else INSIDE, Side(mask.store, turned, not mask.structure))


def _open_flags(kernels: Kernels, mask: MaskView | None, positions: int) -> tuple[Array | None, int]:
    """The positions that a mask leaves open as flags, row by row, and their number."""
    if mask is None:
        return None, positions
    side = _allowed(mask, False).side
    assert side is not None
    if side.store.dense is None:
        side = side._replace(store=with_form(side.store, "bitmap"))
    flags = side.flags
    if flags is None:
        flags = filled(positions, True, side.store.dense)
    flags = ~flags if mask.complement else flags
    return flags, how_many(flags)  # synchronizes
