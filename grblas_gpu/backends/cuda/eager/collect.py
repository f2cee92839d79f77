"""The positions that a mask allows, as an ascending list."""

from __future__ import annotations

import numpy as np

from ...stores.storage import Array
from ..runtime.compile import constant, functions, moved, using
from ..runtime.launch import TILES
from ..runtime.workspace import Scratch
from .masks import VectorMask, address


def collect(
    mask: VectorMask,
    size: int,
    out_list: Array,
    scratch: Scratch,
    count_at: int,
    values: Array | None = None,
    out: Array | None = None,
) -> None:
    """Fill ``out_list`` (and ``out`` with the values at those positions); their number goes to ``count_at``."""
    dtype = np.dtype(bool) if values is None else moved(values.dtype)
    count_tiles, write = functions(
        "collect.cu",
        (mask.key, None if values is None else dtype.char),
        ["count_kernel", "collect_kernel"],
        lambda: [*mask.pieces(), using("Gathered", dtype), constant("GATHER", values is not None)],
    )
    given = (*mask.addresses, size, scratch.tile_sums.data.ptr)
    scratch.launch(count_tiles, TILES, given, per_block=1)
    outputs = (out_list.data.ptr, count_at, address(values), address(out))
    scratch.launch(write, TILES, (*given, *outputs), per_block=1)
