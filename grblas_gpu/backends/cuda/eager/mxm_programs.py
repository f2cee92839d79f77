"""The programs of the matrix-matrix kernels, for operands of given types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...storage import MatrixStore, column_type
from ..runtime.compile import constant, functions, render, using
from ..runtime.launch import BLOCK
from .mxm_operands import MatrixMask, PatternOnly, Product

SHARED_BYTES = 32 * 1024  # for the tables of a block, so that several blocks fit a processor


class Program(NamedTuple):
    """A kernel file with what is generated for it."""

    file: str
    key: Any
    kernels: tuple[str, ...]
    pieces: Callable[[], list[str]]

    def functions(self) -> tuple[Any, ...]:
        return functions(self.file, self.key, self.kernels, self.pieces)

    def text(self) -> str:
        return render(self.file, self.pieces())


class Programs:
    """What runs for a left and a right factor with indices of these types, and this mask.

    The right factor of :meth:`dot` is stored by columns, that of the others by rows.
    """

    def __init__(self, a: MatrixStore, b: MatrixStore, mask: MatrixMask, ncols: int) -> None:
        self.mask = mask
        self.left, self.right = (a.indices.dtype, a.indptr.dtype), (b.indices.dtype, b.indptr.dtype)
        self.column = np.dtype(column_type(ncols))  # of the result
        self._bits = ncols.bit_length()
        self.key = (mask.key, *(dtype.char for dtype in (*self.left, *self.right, self.column)))

    def dot(self, product: Product, corners: int = 0) -> Program:
        kernels = ("list_dots_kernel", "dot_by_warp_kernel", "dot_by_block_kernel")
        return Program(
            "mxm_masked_dot.cu",
            (self.key, product.key, corners),
            kernels,
            lambda: [*product.pieces(), *self._pieces(), constant("CORNERS", corners)],
        )

    def masked_rows(self, product: Product | PatternOnly) -> Program:
        kernels = ("list_masked_kernel", "masked_by_warp_kernel", "masked_by_block_kernel")
        return Program(
            "mxm_masked_rows.cu",
            (self.key, product.key),
            kernels,
            lambda: [*product.pieces(), *self._pieces()],
        )

    def bins(self) -> Program:
        return bins_program(self.left, self.right[1], self.mask)

    def small(self, product: Product | PatternOnly) -> Program:
        by_bin = (f"small_{products}_kernel" for products in (8, 16, 32, 64, 128, 256, 512))
        kernels = (*by_bin, "constant_kernel", "copy_small_kernel")
        wide = self._bits > (31 if product.structure else 23)
        return Program(
            "mxm_small.cu",
            (self.key, product.key, wide),
            kernels,
            lambda: [*product.pieces(), *self._pieces(), constant("WIDE_KEYS", wide)],
        )

    def dense_count(self) -> Program:
        return Program("mxm_dense_count.cu", self.key, ("count_dense_kernel",), self._pieces)

    def dense_fill(self, product: Product | PatternOnly) -> Program:
        return Program(
            "mxm_dense_fill.cu",
            (self.key, product.key),
            ("fill_dense_kernel",),
            lambda: [*product.pieces(), *self._pieces()],
        )

    def divide(self, word: int) -> Program:
        kernels = ("divide_kernel",)
        return Program("mxm_divide.cu", (self.key, word), kernels, lambda: self._table_pieces(word))

    def count(self) -> Program:
        kernels = ("count_by_warp_kernel", "count_by_block_kernel", "count_in_scratch_kernel")
        return Program("mxm_count.cu", self.key, kernels, lambda: self._table_pieces(0))

    def fill(self, product: Product | PatternOnly) -> Program:
        kernels = ("fill_by_warp_kernel", "fill_by_block_kernel", "fill_in_scratch_kernel")
        return Program(
            "mxm_fill.cu",
            (self.key, product.key),
            kernels,
            lambda: [*product.pieces(), *self._table_pieces(sum_bytes(product))],
        )

    def giant(self, product: Product | PatternOnly) -> Program:
        kernels = (
            "sum_products_kernel",
            "number_products_kernel",
            "clear_tables_kernel",
            "add_giants_kernel",
            "count_giants_kernel",
            "sum_slots_kernel",
            "write_giants_kernel",
        )
        return Program(
            "mxm_giant.cu",
            (self.key, product.key),
            kernels,
            lambda: [*product.pieces(), *self._table_pieces(sum_bytes(product))],
        )

    def _pieces(self) -> list[str]:
        return [
            *self.mask.pieces(),
            using("LeftColumn", self.left[0]),
            using("LeftOffset", self.left[1]),
            using("RightColumn", self.right[0]),
            using("RightOffset", self.right[1]),
            using("Column", self.column),
        ]

    def _table_pieces(self, word: int) -> list[str]:
        warp, block = slots_per_table(self.column, word)
        return [*self._pieces(), constant("WARP_SLOTS", warp), constant("BLOCK_SLOTS", block)]


def bins_program(left: tuple[np.dtype, np.dtype], right_offset: np.dtype, mask: MatrixMask) -> Program:
    """Divides rows by their products; ``left`` are the types of columns and offsets of the left factor."""
    kernels = ("count_products_kernel", "add_carries_kernel", "count_bins_kernel", "list_bins_kernel")
    types = {"Column": left[0], "Offset": left[1], "RightOffset": right_offset, "Value": np.dtype(np.int64)}
    return Program(
        "mxm_bins.cu",
        (mask.key, *(dtype.char for dtype in types.values())),
        kernels,
        lambda: [
            *mask.pieces(),
            *(using(name, dtype) for name, dtype in types.items()),
            "DEVICE int64 add(int64 x, int64 y) { return x + y; }",
        ],
    )


def sum_bytes(product: Product | PatternOnly) -> int:
    """The room of one sum in a table."""
    return 0 if product.structure else max(4, product.dtype.itemsize)


def slots_per_table(column: np.dtype, word: int) -> tuple[int, int]:
    """How many slots the table of a warp and that of a block have; a slot is a column and a sum of ``word`` bytes.

    >>> slots_per_table(np.dtype("int32"), 0), slots_per_table(np.dtype("int32"), 8)
    ((1024, 8192), (256, 2048))
    """
    block = 1 << ((SHARED_BYTES // (column.itemsize + word)).bit_length() - 1)
    return block // (BLOCK // 32), block
