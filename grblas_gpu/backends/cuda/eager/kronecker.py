"""The edges of Kronecker graphs, made by one kernel instead of a hundred passes over arrays."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import Array
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions
from ..runtime.launch import BLOCK, launch

EDGES = 4  # as in kernels/kronecker.cu


def kronecker_keys(recipe: Any, low: int, high: int, keys: Array) -> int:
    """What the function of this name in generators/kronecker_graphs.py does, in another order."""
    (make,) = functions("kronecker.cu", None, ["kronecker_keys_kernel"])
    streams = cupy.asarray(np.array(recipe.streams, np.uint64))
    slots = scratch_arrays.current().slots()
    made = (recipe.scale, recipe.edges, streams, *map(int, recipe.limits), recipe.permutation)
    wanted = (low, high, int(recipe.bits), keys, len(keys), slots.address)
    launch(make, recipe.edges, (*made, *wanted), per_block=EDGES * BLOCK)
    return slots.counter().read()  # synchronizes
