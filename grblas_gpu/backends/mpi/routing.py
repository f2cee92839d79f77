"""Routing of entries to their owners: every rank sends each of its entries to one rank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...foundation.types import Array, Engine
from .wire import Wire


def route(wire: Wire, owners: Array, *arrays: Array, engine: Engine | None = None) -> list[Array]:
    """Element k of each array goes to rank ``owners[k]``; received elements are in the order of the ranks.

    Arrays are NumPy's, or those of ``engine`` on a device, which then sorts them.
    """
    if wire.size == 1:
        return [array if array.flags.c_contiguous else array.copy() for array in arrays]
    order, counts = by_owner(wire, owners, engine)
    return wire.exchange([array[order] for array in arrays], counts)[0]


def by_owner(wire: Wire, owners: Array, engine: Engine | None = None) -> tuple[Array, np.ndarray]:
    """The permutation that sorts elements by owner, and the number of elements of each owner."""
    if engine is None or isinstance(owners, np.ndarray):
        # NumPy uses a radix sort for 16-bit integers, in a fifth of the time.
        short = owners.astype(np.uint16) if wire.size <= 2**16 else owners
        return np.argsort(short, kind="stable"), np.bincount(owners, minlength=wire.size).astype(np.int64)
    _, order = engine.in_order(owners, wire.size)
    return order, engine.host(np.bincount(owners, minlength=wire.size)).astype(np.int64)


def answer(
    wire: Wire, owners: np.ndarray, questions: np.ndarray, look_up: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Ask the owners: each gets all its questions, and returns ``look_up(questions)``, of the same length.

    The result has the answer to each question, in the order of the questions.
    """
    if wire.size == 1:
        return look_up(questions)
    order, counts = by_owner(wire, owners)
    (received,), arriving = wire.exchange([questions[order]], counts)
    answers = look_up(received)
    result = np.empty(len(questions), answers.dtype)
    (result[order],) = wire.exchange_known([answers], arriving, counts)
    return result
