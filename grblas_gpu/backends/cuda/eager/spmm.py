"""A sparse matrix times a dense one, by rows of both; and full matrices by cuBLAS."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import cupy
import numpy as np

from ....foundation.types import TypedSemiring
from ....plan.facts import uses
from ...forms.dense_products import Allowed, Side, Words
from ...programs.monoids import keeps_equal
from ...programs.reading import EACH
from ...stores.entries import cast
from ...stores.storage import INDEX, Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import moved, specialized
from ..runtime.launch import BLOCK
from . import bits
from .bits import mask_words, words_of
from .masks import address
from .mxm_operands import Product
from .mxv_product import index_types
from .operating import compute

MOST_CHUNKS, LEAST_CHUNK = 2**15, 64
CARRY_ENTRIES = 2**21  # sums that chunks leave over, in all
_KERNELS = ("spmm_kernel", "add_carries_kernel")


def multiply(
    rows: MatrixStore, dense: Side, semiring: TypedSemiring, flip: bool, early_exit: bool, allowed: Allowed
) -> tuple[Array, Array, int]:
    """See ``dense_products.Kernels``."""
    store, columns, entries, nrows = dense.store, dense.shape[1], rows.nvals, rows.nrows
    assert store.dense is not None
    other = _Factor(store.dense)
    product = Product(other, rows, semiring, early_exit) if flip else Product(rows, other, semiring, early_exit)
    reads = (product.first if flip else product.second) == EACH
    values = turn(store.dense, store.nrows, store.ncols) if flip and reads else store.dense
    words = None if dense.flags is None else words_of(dense).words
    mask = mask_words(allowed)
    group, width = lanes(columns, values if reads else None)
    full = words is None
    flags = {"MASK": allowed.where, "FLIP": flip, "FULL": full, "WIDTH": width}
    kernel, add_carries = specialized("spmm.cu", _KERNELS, {**index_types(rows), **flags}, product)
    path = entries + nrows
    length = chunk_length(path, columns)
    chunks = -(-path // length)
    out, present = cupy.empty(nrows * columns, product.dtype), cupy.empty(nrows * columns, bool)
    carry_values, carry_present = cupy.empty(chunks * columns, product.dtype), cupy.empty(chunks * columns, bool)
    carry_rows = cupy.empty(chunks, INDEX)
    carries = (carry_values.data.ptr, carry_present.data.ptr, carry_rows.data.ptr)
    results = (out.data.ptr, present.data.ptr, *carries)
    matrix = (rows.indptr.data.ptr, rows.indices.data.ptr, rows.values.data.ptr)
    dense_at = (values.data.ptr, address(words), address(mask))
    scratch = scratch_arrays.current()
    sizes = (nrows, entries, length, columns, -(-columns // 64), group)
    tiles = -(-columns // (group * width))
    scratch.launch(kernel, chunks * tiles, (*matrix, *dense_at, *sizes, *results), BLOCK // group)
    if chunks > 1:
        words = (rows.indptr.data.ptr, path, length, columns, *results)
        scratch.launch(add_carries, chunks * -(-columns // 32), words, BLOCK // 32)
    nvals = bits.count(present).read()  # synchronizes
    return (turn(out, nrows, columns), turn(present, nrows, columns), nvals) if flip else (out, present, nvals)


class _Factor(NamedTuple):
    """A dense factor, as a product looks at it."""

    values: Array

    @property
    def iso(self) -> bool:
        return len(self.values) == 1


def lanes(columns: int, values: Array | None) -> tuple[int, int]:
    """How many lanes share a row of the dense matrix, and how many neighbours each of them reads at once."""
    aligned = values is None or values.data.ptr % (2 * values.dtype.itemsize) == 0
    width = 2 if columns > 4 and columns % 2 == 0 and aligned else 1
    group = 4
    while group < 32 and group * width < columns:
        group *= 2
    return group, width


def chunk_length(path: int, columns: int) -> int:
    """How many entries and rows a group of lanes takes, of so many: as follows from the sizes alone.

    >>> chunk_length(10, 64), chunk_length(2**25, 64), chunk_length(2**25, 2**12)
    (64, 1024, 65536)
    """
    most = max(64, min(MOST_CHUNKS, CARRY_ENTRIES // max(1, columns)))
    return max(LEAST_CHUNK, -(-path // most))


def turn(values: Array, nrows: int, ncols: int) -> Array:
    """The transpose of a dense matrix by rows; one value for all stays that."""
    if len(values) != nrows * ncols or min(nrows, ncols) == 1:
        return values
    out = cupy.empty(nrows * ncols, values.dtype)
    (kernel,) = specialized("moved_values.cu", ["transpose_dense_kernel"], {"Value": moved(values.dtype)})
    given = (values.data.ptr, nrows, ncols, out.data.ptr)
    scratch_arrays.current().launch(kernel, -(-nrows * ncols // 1024), given, BLOCK // 32)
    return out


_constants: dict[Hashable, Array] = {}


def _alone(semiring: TypedSemiring, device: int) -> Array:
    """The one value that a semiring makes of any operands."""
    key = device, semiring.key
    found = _constants.get(key)
    if found is None:
        op = semiring.binaryop
        value = op.numpy(np.ones(1, op.type.np_type), np.ones(1, op.type2.np_type))
        found = _constants[key] = cupy.asarray(np.asarray(value).astype(semiring.return_type.np_type))
    return found


class DenseKernels:
    """See ``dense_products.Kernels``."""

    multiply = staticmethod(multiply)

    @staticmethod
    def unions(rows: MatrixStore, dense: Side, allowed: Allowed) -> Words:
        return bits.unions(rows, bits.words_of(dense), allowed)

    @staticmethod
    def unpack(words: Words, turned: bool) -> tuple[Array, int]:
        flags, count = bits.unpack(words, turned)
        return flags, count.read()  # synchronizes

    @staticmethod
    def constant(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> Array | None:
        op, monoid = semiring.binaryop, semiring.monoid
        if op.positional is not None or not keeps_equal(monoid):
            return None
        if not (uses(op, "x") or uses(op, "y")):  # no value is read from the device
            return _alone(semiring, cupy.cuda.runtime.getDevice()).copy()
        x, y = (cast(store.stored_values[:1], kind.np_type) for store, kind in ((a, op.type), (b, op.type2)))
        return cast(compute(op, x, y), semiring.return_type.np_type).copy()

    @staticmethod
    def matmul(a: Array, b: Array) -> Array:
        return cupy.matmul(a, b)
