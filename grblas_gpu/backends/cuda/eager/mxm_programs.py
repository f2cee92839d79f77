"""A matrix product as its kernels take it: their arguments, and their programs for operands of these types."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....foundation.types import Kernels
from ...stores.storage import Array, MatrixStore, column_type
from ..runtime.compile import specialized
from .mxm_operands import INSIDE, MatrixMask, PatternOnly, Product, path_offsets

CAPACITIES = (8, 16, 32, 64, 128, 256, 512)  # of sorted rows, in products; as in kernels/mxm_bins.cu and mxm_sorted.cu
SHARED_BYTES = 32 * 1024  # for the tables of a block, so that several blocks fit a processor
KERNELS = {
    file: tuple(f"{name}_kernel" for name in names.split())
    for file, names in {
        "mxm_bins.cu": "count_products add_carries count_bins list_bins",
        "mxm_sorted.cu": " ".join([*(f"sorted_{capacity}" for capacity in CAPACITIES), "copy_rows"]),
        "mxm_dense.cu": "count_dense fill_dense",
        "mxm_hashed.cu": "divide_rows count_by_warp count_by_block fill_by_warp fill_by_block",
        "mxm_global.cu": "count_in_scratch fill_in_scratch sum_products number_products clear_tables find_columns "
        "add_products count_slots sum_slots write_slots",
        "mxm_masked.cu": "list_items masked_by_warp masked_by_block",
    }.items()
}


class Result(NamedTuple):
    """A result by rows, and how many entries each of them has."""

    indptr: Array
    counts: Array
    indices: Array
    values: Array


class Multiplication:
    """``a b`` at the positions that a mask allows. For dot products ``b`` is stored by columns, otherwise by rows."""

    def __init__(
        self, a: MatrixStore, b: MatrixStore, product: Product | PatternOnly, mask: MatrixMask, ncols: int
    ) -> None:
        self.a, self.b, self.product, self.mask, self.ncols = a, b, product, mask, ncols
        self.column = np.dtype(column_type(ncols))  # of the result
        self.arguments = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values, *mask.arguments)
        self._types: dict[str, np.dtype | int] = {
            "LeftColumn": a.indices.dtype,
            "LeftOffset": a.indptr.dtype,
            "RightColumn": b.indices.dtype,
            "RightOffset": b.indptr.dtype,
            "Column": self.column,
        }

    def functions(self, file: str, **constants: int) -> Kernels:
        """The kernels of a file that multiplies."""
        return specialized(file, KERNELS[file], self._types | constants, self.product, self.mask)


def row_products(a: MatrixStore, b: MatrixStore, mask: MatrixMask) -> tuple[Kernels, int | Array]:
    """Kernels that look at the numbers of products only: one program for all semirings and masks. And the offsets of a
    mask that has to allow entries, or 0."""
    inside = mask.store if mask.where == INSIDE else None
    offsets = (a if inside is None else inside).indptr
    types = {"Column": a.indices.dtype, "Offset": path_offsets(a).dtype, "RightOffset": b.indptr.dtype}
    kernels = specialized("mxm_bins.cu", KERNELS["mxm_bins.cu"], types | {"MaskOffset": offsets.dtype})
    return kernels, 0 if inside is None else offsets


def sum_bytes(product: Product | PatternOnly) -> int:
    """The room of one sum in a table."""
    return 0 if product.structure else max(4, product.dtype.itemsize)


def table_slots(column: np.dtype, word: int) -> int:
    """How many slots the table of a block has in shared memory; a slot is a column and a sum of ``word`` bytes.

    >>> table_slots(np.dtype("int32"), 0), table_slots(np.dtype("int32"), 8)
    (8192, 2048)
    """
    return 1 << ((SHARED_BYTES // (column.itemsize + word)).bit_length() - 1)
