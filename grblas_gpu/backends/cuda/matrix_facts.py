"""What stores ask about matrices in device memory, once for each: one small kernel, one answer.

Importing it is enough: stores find it by the type of their arrays.
"""

from __future__ import annotations

import sys

import cupy
import numpy as np

from ..storage import Array, MatrixStore, natives
from . import scratch as scratch_arrays
from .compile import functions, using
from .launch import launch
from .transpose import row_ids, transpose

__all__ = ["max_degree", "row_ids", "same_arrays", "transpose"]

natives[cupy.ndarray] = sys.modules[__name__]

_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_KERNELS = ("longest_row_kernel", "differences_kernel")


def max_degree(a: MatrixStore) -> int:
    """The length of the longest row."""
    longest_row, _ = _kernels(a.indptr.dtype, np.dtype(np.uint8))
    slots = scratch_arrays.current().slots()
    launch(longest_row, a.nrows, (a.indptr, a.nrows, slots.address))
    return slots.counter().read()  # synchronizes


def same_arrays(a: MatrixStore, b: MatrixStore) -> bool:
    """Whether two matrices are equal to the last bit."""
    if len(a.values) != len(b.values):
        return False
    pairs = ((a.indptr, b.indptr), (a.indices, b.indices), (a.values, b.values))
    return all(_same(x, y) for x, y in pairs)  # the short ones first: most matrices differ there


def _same(x: Array, y: Array) -> bool:
    if x.dtype != y.dtype or len(x) != len(y):
        return False
    _, differences = _kernels(np.dtype(np.int64), np.dtype(_WORDS[x.dtype.itemsize]))
    slots = scratch_arrays.current().slots()
    launch(differences, len(x), (x, y, len(x), slots.address))
    return slots.counter().read() == 0  # synchronizes


def _kernels(offset: np.dtype, word: np.dtype) -> tuple:
    key = offset.char + word.char
    return functions("matrix_facts.cu", key, _KERNELS, lambda: [using("Offset", offset), using("Word", word)])
