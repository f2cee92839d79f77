"""Vectors in every storage, for tests of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.storage import INDEX, VectorStore

SIZE = 23
KINDS = ["sparse", "bitmap", "full", "iso sparse", "iso bitmap", "empty"]
definitions = Definitions()


def vector(kind: str, dtype: Any, seed: int) -> VectorStore:
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, SIZE).astype(dtype)
    if kind == "full":
        return VectorStore(SIZE, values)
    indices = np.flatnonzero(random.random(SIZE) < (0.5 if kind != "empty" else 0)).astype(INDEX)
    if "iso" in kind:
        values[:] = values[0]
    store = VectorStore(SIZE, values[:1].copy() if "iso" in kind else values[indices], indices=indices)
    return definitions.with_kind(store, "bitmap") if "bitmap" in kind else store
