"""Edges from Arrow tables: labels become numbers batch by batch, and batches go back to their producer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..api.arrow_streams import Codes, Table, Text
from .label_codes import number_integers
from .text_codes import TextCodes

Labels = list | np.ndarray
Edges = tuple[np.ndarray, np.ndarray, np.ndarray | None, Labels]  # rows, columns, weights, labels


def numbered_edges(table: Any, source: str | int, target: str | int, weight: str | int | None) -> Edges:
    """Numbers of sources and targets, weights or None, and the labels of the nodes."""
    caller = "Graph.from_arrow"
    wanted = [source, target] if weight is None else [source, target, weight]
    with Table(table, caller) as arrow:
        batches = arrow.batches(wanted)
        first = next(batches, None)
        if first is None:
            for column in wanted:
                arrow.place(column)
            return np.empty(0, np.int64), np.empty(0, np.int64), None if weight is None else np.empty(0), []
        kinds = [_kind(column) for column in first[:2]]
        if kinds[0] != kinds[1] or None in kinds:
            found = f"column {source!r} has {_named(first[0])}, column {target!r} has {_named(first[1])}"
            raise TypeError(f"{caller}: labels must be integers in both columns, or text in both; {found}")
        if weight is not None and not isinstance(first[2], np.ndarray):
            raise TypeError(f"{caller}: weights must be numbers; column {weight!r} has {_named(first[2])}")
        number = _of_integers if kinds[0] == "integers" else _of_text
        return number(_all(first, batches))


def _all(first: list, others: Iterator[list[np.ndarray | Text | Codes]]) -> Iterator[list]:
    yield first
    yield from others


def _of_text(batches: Iterable[list]) -> Edges:
    known = TextCodes()
    rows, cols, weights = [], [], []
    for batch in batches:
        numbers = known.encode(batch[0], batch[1])
        rows.append(numbers[0])
        cols.append(numbers[1])
        weights += [column.copy() for column in batch[2:]]
    return np.concatenate(rows), np.concatenate(cols), np.concatenate(weights) if weights else None, known.labels()


def _of_integers(batches: Iterable[list]) -> Edges:
    weights: list[np.ndarray] = []

    def ends() -> Iterator[list[np.ndarray]]:
        for batch in batches:
            weights.extend(column.copy() for column in batch[2:])  # labels are freed when they have their numbers
            yield [_integers(column) for column in batch[:2]]

    labels, (rows, cols) = number_integers(ends())
    return rows, cols, np.concatenate(weights) if weights else None, labels


def _integers(column: np.ndarray | Codes) -> np.ndarray:
    if isinstance(column, Codes):
        return np.asarray(column.values)[column.numbers].astype(np.int64)
    if column.dtype == np.uint64 and len(column) and int(column.max()) >= 2**63:
        raise ValueError(f"Graph.from_arrow: the label {column.max()} is larger than 2**63 - 1")
    return column.astype(np.int64, copy=False)


def _kind(column: np.ndarray | Text | Codes) -> str | None:
    values = column.values if isinstance(column, Codes) else column
    if isinstance(values, Text):
        return "text"
    return "integers" if values.dtype.kind in "iu" else None


def _named(column: np.ndarray | Text | Codes) -> str:
    values = column.values if isinstance(column, Codes) else column
    return "text" if isinstance(values, Text) else str(values.dtype)
