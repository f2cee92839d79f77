"""Entries on the way to their owners: every rank sends each of its entries to one rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import as_bytes
from .wire import Wire

Array = Any


def route(wire: Wire, owners: np.ndarray, *arrays: np.ndarray) -> list[np.ndarray]:
    """Element k of each array goes to rank ``owners[k]``; what arrives is in the order of the ranks."""
    if wire.size == 1:
        return [np.ascontiguousarray(array) for array in arrays]
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=wire.size)
    arriving = wire.exchange_small(counts[:, np.newaxis].astype(np.int64))[:, 0]
    started = []
    for array in arrays:  # all of them are under way at once
        size = array.dtype.itemsize
        data = as_bytes(array[order])
        sizes, expected = (counts * size).tolist(), (arriving * size).tolist()
        started.append((wire.start_exchange(data, sizes, expected), array.dtype))
    return [pending.wait().view(dtype) for pending, dtype in started]


def answer(wire: Wire, owners: np.ndarray, questions: np.ndarray, look_up: Any) -> np.ndarray:
    """Ask the owners: each gets its questions at once and answers with ``look_up(questions)``, an array as long.

    The result has the answer to each question, in the order of the questions.
    """
    if wire.size == 1:
        return look_up(questions)
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=wire.size)
    arriving = wire.exchange_small(counts[:, np.newaxis].astype(np.int64))[:, 0]
    width = questions.dtype.itemsize
    asked = wire.start_exchange(as_bytes(questions[order]), (counts * width).tolist(), (arriving * width).tolist())
    answers = look_up(asked.wait().view(questions.dtype))
    width = answers.dtype.itemsize
    back = wire.start_exchange(as_bytes(answers), (arriving * width).tolist(), (counts * width).tolist()).wait()
    result = np.empty(len(questions), answers.dtype)
    result[order] = back.view(answers.dtype)
    return result
