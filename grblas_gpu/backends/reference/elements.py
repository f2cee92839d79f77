"""Single elements: values that are set or removed at some positions, all of them in one pass over the entries."""

from __future__ import annotations

from contextlib import nullcontext, suppress

import numpy as np

from ...foundation import atomic_updates
from ..stores.entries import Store, entries, expand, filled, runs
from ..stores.matrix_storage import HYPERSPARSE, from_lines
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from .operating import Operating

FEW = 1 / 128  # up to this part of the entries between them, arrays are copied in pieces between changes
ONE_BY_ONE = 8  # rows, or changes per row: up to so many rows, or from so many changes, each row is searched by itself


class Elements(Operating):
    def change_elements(
        self, x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool = False
    ) -> Store:
        on_host = isinstance(x.stored_values, np.ndarray)
        if on_host and type(x) is VectorStore and x.indices is None:
            return _in_place(x, index[0], values, kept)
        if on_host:
            return _spliced(x, index, values, kept, owned)
        changed, new = (self._with_entries(x, index, values, part) for part in (filled(len(kept), True, kept), kept))
        return self.write(x, new, MaskView(changed, True, False), None, False)

    def _with_entries(self, x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, some: np.ndarray) -> Store:
        """A store of the shape of ``x`` with only some of these entries."""
        first, last = self.array(index[0][some]), self.array(index[-1][some])
        entries = self.array(values[some])
        if type(x) is MatrixStore:
            return self.build_matrix(x.nrows, x.ncols, first, last, entries, None)
        return self.build_vector(x.size, first, entries, None)

    def set_element(self, x: Store, index: tuple[int, ...], value: np.generic, owned: bool = False) -> Store:
        return self._change_one(x, index, np.array([value], x.dtype), True, owned)

    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        return self._change_one(x, index, np.zeros(1, x.dtype), False, False)

    def _change_one(self, x: Store, index: tuple[int, ...], value: np.ndarray, kept: bool, owned: bool) -> Store:
        if isinstance(x.stored_values, np.ndarray) and x.indices is not None and getattr(x, "rows", None) is None:
            return _with_one(x, index, value, kept, owned)
        places = tuple(np.array([place], INDEX) for place in index)
        return self.change_elements(x, places, value, np.array([kept]), owned)


def _in_place(x: VectorStore, index: np.ndarray, values: np.ndarray, kept: np.ndarray) -> VectorStore:
    """Change a bitmap or full vector at the cost of the changes."""
    set_at = index if kept.all() else index[kept]
    new = values if set_at is index else values[kept]
    together = x.present is not None or set_at is not index  # values and flags
    with atomic_updates.uninterrupted() if together else nullcontext():
        try:
            atomic_updates.changing = True
            x = atomic_updates.own(x)
            if x.size > 1 and x.iso and not _all_equal(x.values, new):
                x.values = expand(x.values, x.size).copy()
            if not x.values.flags.writeable:
                x.values = x.values.copy()
            if set_at is not index and x.present is None:
                x.present = np.ones(x.size, bool)
            before = None if x.present is None else int(np.count_nonzero(x.present[index]))
            if x.size == 1 or not x.iso:
                x.values[set_at] = new
            if x.present is not None and before is not None:
                x.present[index] = kept
                x.nvals += len(set_at) - before
            x.edges = x.flags = None
        finally:
            atomic_updates.changing = False
    return x


def _all_equal(old: Array, new: Array) -> bool:
    """Whether one value stands for old and new ones, bit by bit: NaN is equal to itself."""
    one = (old if len(old) else new)[:1].tobytes()
    return new.tobytes() == one * len(new)


def _with_one(x: Store, index: tuple[int, ...], value: np.ndarray, kept: bool, owned: bool) -> Store:
    """A list or CSR with one change: what :func:`_spliced` does, in a fraction of the calls."""
    is_matrix, old = type(x) is MatrixStore, x.values
    if is_matrix:
        keys, (row, key) = x.indices, index
        begin, end = x.indptr[row : row + 2].tolist()
    else:
        keys, (key,) = x.indices, index
        begin, end = 0, len(keys)
        if not x.ordered:
            keys, old = entries(x)
            old = old[:1] if x.iso else old
    at = begin + int(keys[begin:end].searchsorted(key))
    found = at < end and bool(keys[at] == key)
    iso = len(old) <= 1 and (not kept or _all_equal(old, value))
    if found == kept and (iso or not kept):
        return x
    if found and kept:
        new = _own_values(x, old, owned)
        new[at] = value[0]
        return with_values(x, new) if is_matrix else VectorStore(x.size, new, indices=keys)
    rest = at + found
    if iso:
        new = (old if len(old) else value)[: 0 if found and x.nvals == 1 else 1].copy()
    else:
        each = expand(old, x.nvals)
        new = np.concatenate((each[:at], each[rest:]) if found else (each[:at], value, each[at:]))
    fresh = np.array([key], keys.dtype)
    keys = np.concatenate((keys[:at], keys[rest:]) if found else (keys[:at], fresh, keys[at:]))
    if not is_matrix:
        return VectorStore(x.size, new, indices=keys)
    offsets = x.indptr.copy()
    offsets[row + 1 :] += -1 if found else 1
    return MatrixStore(x.nrows, x.ncols, offsets, keys, new)


def _own_values(x: Store, values: np.ndarray, owned: bool) -> np.ndarray:
    """A value for each entry, to be changed: in place if the caller knows that no other object reads the store."""
    if owned and len(values) > 1 and values is x.values and not atomic_updates.multithreaded:
        return values
    return expand(values, x.nvals).copy()


def _spliced(x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool) -> Store:
    """The entries of a list or CSR with changes between them."""
    is_matrix = type(x) is MatrixStore
    if is_matrix:
        keys, old = x.indices, x.values
        at, found = _find_in_rows(x, *index)
    else:
        keys, old = entries(x)
        old = old[:1] if x.iso else old
        at = np.searchsorted(keys, index[0])
        found = _matches(keys, at, index[0])
    iso = len(old) <= 1 and _all_equal(old, values[kept])  # at most one value is stored
    moved = found != kept  # entries that appear or disappear
    some = bool(moved.any())
    if not some and (iso or not kept.any()):
        return x
    if not some:
        new = _own_values(x, old, owned)
        new[at[kept]] = values[kept]
        return with_values(x, new) if is_matrix else VectorStore(x.size, new, indices=keys, nvals=x.nvals)
    steps = np.where(moved, np.where(kept, 1, -1), 0)
    nvals = x.nvals + int(steps.sum())
    if iso:
        new = (old if len(old) else values[kept])[: min(1, nvals)].copy()
    else:
        new = _splice(expand(old, x.nvals), at, moved, kept, values)
        new[(at + np.cumsum(steps) - steps)[kept]] = values[kept]
    columns = index[-1].astype(keys.dtype)
    keys = _splice(keys, at, moved, kept, columns)
    if not is_matrix:
        return VectorStore(x.size, new, indices=keys, nvals=nvals)
    if x.form == HYPERSPARSE:
        rows = _splice(x.row_ids, at, moved, kept, index[0].astype(x.row_ids.dtype))
        return from_lines(x.nrows, x.ncols, rows, keys, new)
    lengths = np.diff(index[0] + 1, prepend=0, append=x.nrows + 1)
    shift = np.repeat(np.concatenate([[0], np.cumsum(steps)]), lengths)
    return MatrixStore(x.nrows, x.ncols, x.indptr + shift, keys, new)


def _find_in_rows(x: MatrixStore, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where positions are, or belong, among the entries of a matrix; and whether they are there."""
    if x.form == HYPERSPARSE:
        begins, ends = (np.searchsorted(x.row_ids, rows, side) for side in ("left", "right"))
    else:
        begins, ends = x.indptr[rows], x.indptr[rows + 1]
    first = runs(rows)
    if len(first) <= max(ONE_BY_ONE, len(rows) // ONE_BY_ONE):
        low, stops = np.empty(len(rows), INDEX), [*first.tolist()[1:], len(rows)]
        for start, stop, begin, end in zip(first, stops, begins[first], ends[first], strict=True):
            line, wanted = x.indices[begin:end], cols[start:stop].astype(x.indices.dtype)
            low[start:stop] = (
                np.arange(begin, end) if np.array_equal(line, wanted) else begin + line.searchsorted(wanted)
            )
        return low, _matches(x.indices, low, cols) & (low < ends)
    low, high = begins.copy(), ends.copy()
    while (open_ := low < high).any():  # a binary search in all rows at once
        middle = (low + high) >> 1
        before = open_ & (x.indices[np.minimum(middle, x.nvals - 1)] < cols)
        low, high = np.where(before, middle + 1, low), np.where(open_ & ~before, middle, high)
    return low, _matches(x.indices, low, cols) & (low < ends)


def _matches(keys: np.ndarray, at: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Whether the key at each place is the wanted one."""
    if len(keys) == 0:
        return np.zeros(len(at), bool)
    return (at < len(keys)) & (keys[np.minimum(at, len(keys) - 1)] == wanted)


def _splice(old: np.ndarray, at: np.ndarray, moved: np.ndarray, kept: np.ndarray, new: np.ndarray) -> np.ndarray:
    """An array with ``new[k]`` before place ``at[k]``, or without the element there; only for ``k`` that moved."""
    at, kept, new = at[moved], kept[moved], new[moved]
    start, end = int(at[0]), int(at[-1]) + 1
    if len(at) > FEW * (end - start):
        part = _spliced_by_masks(old[start:end], at - start, kept, new)
        return np.concatenate([old[:start], part, old[end:]])
    pieces, start = [], 0
    for k, place in enumerate(at.tolist()):
        pieces.append(old[start:place])
        if kept[k]:
            pieces.append(new[k : k + 1])
            start = place
        else:
            start = place + 1
    pieces.append(old[start:])
    return np.concatenate(pieces)


def _spliced_by_masks(old: np.ndarray, at: np.ndarray, kept: np.ndarray, new: np.ndarray) -> np.ndarray:
    """What :func:`_splice` does, in a fixed number of array operations."""
    stays = np.ones(len(old), bool)
    stays[at[~kept]] = False
    steps = np.where(kept, 1, -1)
    added = (at + np.cumsum(steps) - steps)[kept]
    result = np.empty(len(old) + int(steps.sum()), old.dtype)
    is_old = np.ones(len(result), bool)
    is_old[added] = False
    result[is_old] = old[stays]
    result[added] = new[kept]
    return result


def with_values(x: MatrixStore, values: np.ndarray) -> MatrixStore:
    """The same structure, with all that is known about it, and other values."""
    if x.form == HYPERSPARSE:
        return MatrixStore.hypersparse(x.nrows, x.ncols, x.rows, x.starts, x.indices, values)
    new = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, values)
    for fact in ("_row_ids", "max_degree", "_max_column", "_filled_rows", "_is_diagonal", "_hub_neighbours"):
        with suppress(AttributeError):  # not found yet
            setattr(new, fact, object.__getattribute__(x, fact))
    return new
