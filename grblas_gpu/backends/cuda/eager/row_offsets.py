"""The kernels that read nothing of a matrix but its offsets, compiled together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compile import functions, using

_NAMES = [f"{name}_kernel" for name in ("count_rows", "cut_rows", "count_edges", "sum_degrees", "offsets")]
COUNT_ROWS, CUT_ROWS, COUNT_EDGES, SUM_DEGREES, OFFSETS = range(5)


def kernels_on_offsets(dtype: np.dtype) -> tuple[Any, ...]:
    """In the order of the names above, for offsets of this type."""
    return functions("row_offsets.cu", dtype.char, _NAMES, lambda: [using("Offset", dtype)])
