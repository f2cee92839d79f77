"""Edges from Arrow tables: labels become numbers batch by batch, and batches go back to their producer.

Labels that are text have numbers by a hash table of their bytes, in the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..api.arrow_streams import Codes, Table, Text
from ..backends.cpu.compile import function_of, load
from .label_codes import number_integers

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


# The hash is that of FNV-1a, by bytes. The code of a free slot is -1. Columns are read row by row, side by side.
_SOURCE = '''\
@kernel
def place(key, bits):
    return np.int64((key * U(11400714819323198485)) >> (U(64) - U(bits)))

@kernel
def enter(hashes, count, codes, bits):
    """Fill a new table."""
    for code in range(count):
        slot = place(hashes[code], bits)
        while codes[slot] >= 0:
            slot = (slot + 1) & (len(codes) - 1)
        codes[slot] = code

@kernel
def kernel(starts, data, starts2, data2, row, codes, bits, hashes, ends, arena, count, out, out2):
    """Number the strings of two columns from a row on; stop where a label might not fit. Return row and labels."""
    mask = len(codes) - 1
    rows = len(out)
    while row < rows:
        for side in range(2):
            text = data if side == 0 else data2
            first = starts[row] if side == 0 else starts2[row]
            last = starts[row + 1] if side == 0 else starts2[row + 1]
            used = ends[count]
            if used + last - first > len(arena) or 2 * (count + 1) > len(codes):
                return row, count
            key = U(14695981039346656037)
            for k in range(first, last):
                key = (key ^ U(text[k])) * U(1099511628211)
            slot = place(key, bits)
            while True:
                code = codes[slot]
                if code < 0:
                    code = count
                    codes[slot] = code
                    hashes[code] = key
                    for k in range(first, last):
                        arena[used + k - first] = text[k]
                    count += 1
                    ends[count] = used + last - first
                    break
                if hashes[code] == key and ends[code + 1] - ends[code] == last - first:
                    begin = ends[code]
                    equal = True
                    for k in range(last - first):
                        if arena[begin + k] != text[first + k]:
                            equal = False
                            break
                    if equal:
                        break
                slot = (slot + 1) & mask
            if side == 0:
                out[row] = code
            else:
                out2[row] = code
        row += 1
    return row, count
'''


class TextCodes:
    """Distinct labels and their numbers; memory grows with the labels, not with the rows.

    >>> known = TextCodes()
    >>> pair = [Text(np.array([0, 3, 6]), np.frombuffer(b"annbob", np.uint8))] * 2
    >>> [part.tolist() for part in known.encode(*pair)], known.labels()
    ([[0, 1], [0, 1]], ['ann', 'bob'])
    """

    def __init__(self, bits: int = 10, length: int = 2**14) -> None:
        self.count = 0
        self._arena = np.empty(length, np.uint8)
        self._hashes, self._ends = np.empty(0, np.uint64), np.zeros(1, np.int64)
        self._make_table(bits)

    def _make_table(self, bits: int) -> None:
        """A table of 2**bits slots, at most half of which are used."""
        more = 2 ** (bits - 1) + 1 - len(self._hashes)
        self._hashes = np.concatenate([self._hashes, np.empty(more, np.uint64)])
        self._ends = np.concatenate([self._ends, np.empty(more, np.int64)])
        self._codes, self._bits = np.full(2**bits, -1, np.int64), bits
        if self.count:
            function_of(load(_SOURCE), "enter")(self._hashes, self.count, self._codes, bits)

    def encode(self, first: Text | Codes, second: Text | Codes) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the labels in two columns of equal length; of a dictionary-encoded one, by its dictionary."""
        if isinstance(first, Text) and isinstance(second, Text):
            return self._encode(first, second)
        return self._encode_alone(first), self._encode_alone(second)

    def _encode_alone(self, column: Any) -> np.ndarray:
        if isinstance(column, Codes):
            return self._encode_alone(column.values)[column.numbers]
        return self._encode(column, column)[0]

    def _encode(self, first: Text, second: Text) -> tuple[np.ndarray, np.ndarray]:
        rows = len(first.starts) - 1
        out, out2, row = np.empty(rows, np.int64), np.empty(rows, np.int64), 0
        longest = max(int(np.diff(part.starts).max(initial=0)) for part in (first, second))
        kernel = load(_SOURCE)
        while True:
            state = self._codes, self._bits, self._hashes, self._ends, self._arena
            row, self.count = kernel(
                first.starts, first.data, second.starts, second.data, row, *state, self.count, out, out2
            )
            if row == rows:
                return out, out2
            if 2 * (self.count + 2) > len(self._codes):
                self._make_table(self._bits + 2)
            if int(self._ends[self.count]) + 2 * longest > len(self._arena):
                self._arena = np.concatenate([self._arena, np.empty(len(self._arena) + 2 * longest, np.uint8)])

    def labels(self) -> list[str]:
        """The labels, in the order of their numbers."""
        ends = self._ends[: self.count + 1].tolist()
        whole = self._arena[: ends[-1]].tobytes()
        return [whole[a:b].decode() for a, b in zip(ends, ends[1:], strict=False)]
