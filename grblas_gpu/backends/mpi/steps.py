"""Products in steps: a block computes on one part of its operand while the next part arrives.

This requires full operands: all ranks know the length of every part, so all messages are in flight from the start.
Lists and bit maps are short; products wait for all of them.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from ...foundation.types import Engine, Plan, TypedSemiring
from ..stores.entries import values_of
from ..stores.matrix_storage import SPARSE
from ..stores.messages import as_bytes
from ..stores.storage import MaskView, MatrixStore, VectorStore, transpose_csr
from .wire import Wire

MOST = 4  # steps of a product: each has its own result, combined with the others
LONG = 2**20  # bytes of an operand: for shorter ones, one wait is faster
LONG_ON_DEVICES = 2**23  # the same for ranks with a device each, by the model in that benchmark


class Step(NamedTuple):
    """The parts of the operand that one step multiplies, and their factors, with one row per output."""

    ranks: list[int]
    block: MatrixStore


def overlap_setting() -> bool | None:
    """GRBLAS_GPU_MPI_OVERLAP: 1 runs all possible products in steps, 0 none; unset (None): those with long operands.

    >>> overlap_setting() is None
    True
    """
    wanted = os.environ.get("GRBLAS_GPU_MPI_OVERLAP", "")
    if wanted not in ("", "0", "1"):
        raise ValueError(f"GRBLAS_GPU_MPI_OVERLAP must be 0 or 1, not {wanted!r}")
    return wanted == "1" if wanted else None


def long_operand(on_device: bool, shares_device: bool) -> int | None:
    """The minimum bytes of an operand for products in steps; None: never use steps.

    Ranks that share a device gain nothing: while one waits, the others compute.

    >>> long_operand(False, False), long_operand(True, False), long_operand(True, True)
    (1048576, 8388608, None)
    """
    if not on_device:
        return LONG
    return None if shares_device else LONG_ON_DEVICES


def order_of_ranks(rank: int, size: int) -> list[list[int]]:
    """The ranks whose parts each step takes: first this rank, then the next ones.

    Every rank has another order, so that they do not all wait for the same rank.

    >>> order_of_ranks(1, 3), order_of_ranks(5, 8)
    ([[1], [2], [0]], [[5], [6, 7, 0], [1, 2], [3, 4]])
    """
    others = [(rank + distance) % size for distance in range(1, size)]
    return [[rank], *(part.tolist() for part in np.array_split(others, min(MOST - 1, size - 1)))]


def cut_into_steps(engine: Engine, part: MatrixStore, lengths: list[int], rank: int) -> list[Step] | None:
    """The rows of a block for each part of the operand, transposed; None if the block is not sparse."""
    if part.form != SPARSE:
        return None
    rows = np.split(np.arange(sum(lengths), dtype=np.int64), np.cumsum(lengths)[:-1])
    steps = []
    for ranks in order_of_ranks(rank, len(lengths)):
        some = engine.extract_matrix(part, engine.array(np.concatenate([rows[k] for k in ranks])), None)
        steps.append(Step(ranks, transpose_csr(engine.with_form(some, SPARSE))))
    return steps


class UnderWay:
    """The parts of an operand in flight, and the product that uses each part on arrival."""

    def __init__(self, wire: Wire, steps: list[Step], u: VectorStore, lengths: list[int]) -> None:
        self._rank, self._steps, self._dtype = wire.rank, steps, u.dtype
        self._mine = as_bytes(values_of(u))
        self._coming, self._going = wire.start_pieces(self._mine, [length * u.dtype.itemsize for length in lengths])

    def product(
        self, engine: Engine, semiring: TypedSemiring, view: MaskView | None, *, flip: bool, plan: Plan
    ) -> VectorStore:
        """The product of the whole block, with the steps combined in order."""
        found: VectorStore | None = None
        for ranks, block in self._steps:
            parts = [self._mine if rank == self._rank else self._coming[rank].wait() for rank in ranks]
            operand = VectorStore(block.ncols, np.concatenate(parts).view(self._dtype))
            product = engine.mxv(block, operand, semiring, view, transposed=False, flip=flip, plan=plan)
            found = product if found is None else engine.ewise_add(found, product, semiring.monoid.binaryop)
        for sent in self._going:
            sent.wait()
        assert found is not None
        return found
