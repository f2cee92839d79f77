"""The positions that a mask allows, as an ascending list."""

from __future__ import annotations

import numpy as np

from ...storage import Array
from ..runtime.compile import constant, functions, using
from ..runtime.launch import TILES, launch
from ..runtime.workspace import Scratch
from .masks import VectorMask


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
    dtype = np.dtype(bool) if values is None else values.dtype
    count_tiles, write = functions(
        "collect.cu",
        (mask.key, None if values is None else dtype.char),
        ["count_kernel", "collect_kernel"],
        lambda: [*mask.pieces(), using("Gathered", dtype), constant("GATHER", values is not None)],
    )
    launch(count_tiles, TILES, (*mask.arguments, size, scratch.tile_sums), per_block=1)
    gathered = (0, 0) if values is None else (values, out)
    launch(write, TILES, (*mask.arguments, size, scratch.tile_sums, out_list, count_at, *gathered), per_block=1)
