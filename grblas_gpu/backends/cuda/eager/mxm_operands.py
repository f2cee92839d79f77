"""What a matrix-matrix kernel must know of its product and its mask."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ....foundation.types import TypedSemiring
from ...programs.reading import UNUSED, Reading, Values
from ...stores.storage import INDEX, INT32_LIMIT, Array, MaskView, MatrixStore
from ..runtime.compile import constant, tested, using, value
from .mxv_product import NATIVE_ADD, initial_value, native_atomic, read_type, sum_pieces

EVERYWHERE, INSIDE, OUTSIDE = 0, 1, 2  # as in kernels/matrix_mask.cuh


class Product(Reading):
    """One product ``a b``: flags and types, as pieces of a program and as the key of its compiled form."""

    __slots__ = ("can_share", "counts", "initial", "key")

    def __init__(self, a: Any, b: Any, semiring: TypedSemiring, early_exit: bool) -> None:
        first, second = Values(a.values.dtype, a.iso), Values(b.values.dtype, b.iso)
        super().__init__(semiring, first, second, False, early_exit)
        self.first_type, self.second_type = read_type(self.first, first), read_type(self.second, second)
        op, monoid = semiring.binaryop, semiring.monoid
        self.initial = None if self.exit_at_first else initial_value(monoid)
        #: Whether every product is 1 and sums are numbers of products.
        self.counts = (
            op.positional is None
            and self.first == self.second == UNUSED
            and native_atomic(monoid, self.dtype) == NATIVE_ADD
            and bool((op.numpy(np.ones(1, op.type.np_type), np.ones(1, op.type2.np_type)) == 1).all())
        )
        #: Whether blocks that know nothing of each other may add to one sum.
        self.can_share = self.exit_at_first or self.initial is not None
        types = self.first_type.char, self.first, self.second_type.char, self.second
        self.key = (semiring.key, *types, self.exit_at_first, self.has_terminal, early_exit)

    def pieces(self) -> list[str]:
        """For ``kernels/mxm_product.cuh``."""
        return [
            using("LeftStored", self.first_type),
            using("RightStored", self.second_type),
            constant("LEFT", self.first),
            constant("RIGHT", self.second),
            constant("COUNTS", self.counts),
            *sum_pieces(self, self.initial),
        ]


def path_offsets(a: MatrixStore) -> Array:
    """Offsets of a type that numbers entries and rows together: see kernels/row_sums.cuh."""
    return a.indptr if a.nrows <= INT32_LIMIT else a.indptr.astype(INDEX, copy=False)


class PatternOnly:
    """Stands for a product of which only the pattern is wanted."""

    structure = can_share = True
    dtype = np.dtype(bool)
    key = "pattern"

    def pieces(self) -> list[str]:
        types = [using(name, self.dtype) for name in ("LeftStored", "RightStored", "Left", "Right", "Value")]
        return [
            *types,
            *(constant(name, True) for name in ("STRUCTURE", "EXIT_AT_FIRST", "EARLY_EXIT")),
            *(constant(name, False) for name in ("HAS_TERMINAL", "COUNTS")),
            *(constant(name, 0) for name in ("LEFT", "RIGHT", "NATIVE")),
            "DEVICE bool multiply(bool, bool, int64, int64, int64, int64) { return true; }",
            "DEVICE bool add(bool, bool) { return true; }",
            value("terminal", True, self.dtype),
            value("initial", False, self.dtype),
        ]


class MatrixMask(NamedTuple):
    """Where a result may have entries. The values, where they count, stay on the device."""

    where: int = EVERYWHERE
    store: MatrixStore | None = None
    values: Array | None = None

    @property
    def key(self) -> Hashable:
        values = self.values
        store = self.store
        indices = None if store is None else store.indices.dtype.char + store.indptr.dtype.char
        return self.where, indices, None if values is None else (tested(values.dtype).char, len(values) == 1)

    def pieces(self) -> list[str]:
        """For ``kernels/matrix_mask.cuh``."""
        values, store = self.values, self.store
        return [
            using("MaskColumn", np.dtype(np.int32) if store is None else store.indices.dtype),
            using("MaskOffset", np.dtype(INDEX) if store is None else store.indptr.dtype),
            using("MaskValue", np.dtype(bool) if values is None else tested(values.dtype)),
            constant("MASK", self.where),
            constant("MASK_VALUED", values is not None),
            constant("MASK_ISO", values is not None and len(values) == 1),
        ]

    @property
    def arguments(self) -> tuple[int | Array, int | Array, int | Array]:
        if self.store is None:
            return 0, 0, 0
        return self.store.indptr, self.store.indices, 0 if self.values is None else self.values

    @property
    def addresses(self) -> tuple[int, ...]:
        """The same for :meth:`.Scratch.launch`."""
        return tuple(0 if isinstance(x, int) else x.data.ptr for x in self.arguments)


def resolve(mask: MaskView | None) -> MatrixMask | None:
    """What a mask allows, or None for nothing."""
    if mask is None:
        return MatrixMask()
    store = mask.store
    assert type(store) is MatrixStore
    if store.nvals == 0:
        return MatrixMask() if mask.complement else None
    return MatrixMask(OUTSIDE if mask.complement else INSIDE, store, None if mask.structure else store.values)
