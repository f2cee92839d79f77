"""Changes that wait until an operation reads the object: ``A[i, j] = x``, ``del A[i, j]``, ``update`` and ``delete``.

While changes wait, the object's slot ``_stored`` holds them in place of its store. The first read of the property
``_store`` merges all changes into the store in one operation of the engine (``change_elements``).
A transpose that the store has is changed, too, which takes less time than to transpose again: (A + D)' = A' + D'.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from sys import getrefcount
from threading import Lock
from typing import Any

import numpy as np

from ...foundation.types import Engine, Store, Tensor, Value
from ..stores.entries import cast, entries, find, order_and_firsts, order_of, runs, take
from ..stores.formats import choose_format
from ..stores.matrix_storage import SPARSE, same_arrays
from ..stores.storage import INDEX, MatrixStore, VectorStore

_LITERALS = {float: "f", int: "i", bool: "b"}  # kinds of NumPy types that hold every value of a Python type
_UNSET: Any = object()
ONLY = 2  # references to an object with one attribute that refers to it: that attribute, and the argument of the count
LONG = 2**15  # entries of a matrix that is copied in less time than a change takes to wait
MOST_WAITING = 64  # arrays of changes that a change of a row looks through
_guard = Lock()  # held for one change, or the exchange of a store


Arrays = tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]  # positions, values, and where a value is set


class Changes:
    """The store before the changes, arrays of changes in their order, and the last change of each position since then:
    its value, or None where it is removed."""

    __slots__ = ("arrays", "count", "last", "merging", "store")

    def __init__(self, store: Store) -> None:
        self.store = store
        self.arrays: list[Arrays] = []
        self.last: dict[tuple[int, ...], np.generic | None] = {}
        self.count = 0
        self.merging = Lock()


def converted(value: Value, dtype: np.dtype) -> np.generic:
    """A number as a scalar of the given type."""
    if _LITERALS.get(type(value)) == dtype.kind and (dtype.itemsize == 8 or dtype.kind == "b"):
        return dtype.type(value)
    return cast(np.asarray(value).reshape(1), dtype)[0]


def change(out: Tensor, place: tuple[int, ...], value: np.generic | None) -> None:
    """Note the new value of an element (a NumPy scalar), or that it is removed (None)."""
    with _guard:
        changes = _waiting(out)
        changes.last[place] = value
        changes.count += 1


def change_many(out: Tensor, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray) -> None:
    """Note new values of many elements, and the removal of those that are not kept. Positions occur once."""
    with _guard:
        changes = _waiting(out)
        _close(changes, values.dtype)
        changes.arrays.append((index, values, kept))
        changes.count += 1


def change_row(out: Tensor, row: int, line: VectorStore) -> bool:
    """Note the entries of a row, and that others are removed; False if the row is to be put in place at once: the
    store is short or no CSR on the host, or many changes wait."""
    with _guard:
        stored = out._stored
        changes = stored if type(stored) is Changes else Changes(stored)
        store = changes.store
        if type(store) is not MatrixStore or store.form != SPARSE or not isinstance(store.stored_values, np.ndarray):
            return False
        if store.copies > 1 or store.nvals < LONG or len(changes.arrays) >= MOST_WAITING:
            return False
        cols, values = entries(line)
        _close(changes, store.dtype)
        present = [store.indices[slice(*store.indptr[row : row + 2])]]
        present += [index[1][slice(*index[0].searchsorted([row, row + 1]))] for index, _, _ in changes.arrays]
        kept = np.ones(len(cols), bool)
        if len(present) > 1 or not np.array_equal(present[0], cols):
            places = np.sort(np.concatenate([*present, cols]).astype(INDEX, copy=False), kind="stable")
            places = places[runs(places)]
            kept = find(cols, places)[0]
        else:
            places = cols.copy()
        new = np.zeros(len(places), store.dtype)
        new[kept] = cast(values, store.dtype)
        if len(places):
            changes = _waiting(out)
            changes.arrays.append(((np.full(len(places), row, INDEX), places), new, kept))
            changes.count += 1
    return True


def _close(changes: Changes, dtype: np.dtype) -> None:
    """Later changes follow all that are noted so far."""
    if changes.last:
        changes.arrays.append(_last_ones([_as_arrays(changes.last, dtype)]))
        changes.last = {}


def _waiting(out: Tensor) -> Changes:
    """The changes of an object, which has no store from here on."""
    if type(out._stored) is not Changes:
        out._stored = Changes(out._stored)
    return out._stored


def element(x: Tensor, place: tuple[int, ...]) -> Value | None:
    """The value of an element, or None; changes that wait go on waiting."""
    stored = x._stored
    if type(stored) is Changes:
        if not stored.arrays:
            value = stored.last.get(place, _UNSET)
            return x._engine.get_element(stored.store, place) if value is _UNSET else value
        stored = merged_store(x)
    return x._engine.get_element(stored, place)


def merged_store(x: Any) -> Store:
    """The store of an object, with all changes that waited."""
    while type(changes := x._stored) is Changes:
        with changes.merging:
            with _guard:
                if x._stored is not changes:
                    continue
                count, arrays, last = changes.count, changes.arrays.copy(), changes.last.copy()
            owned = getrefcount(changes.store) <= ONLY and _is_owned(changes.store)
            try:
                store = choose_format(x._engine, _merge(x._engine, changes.store, x.dtype.np_type, arrays, last, owned))
            except Exception:  # lack of memory: this read fails, and the object is as it was before the changes
                with _guard:
                    x._stored = changes.store
                raise
            with _guard:
                if changes.count == count:
                    x._stored = store
                    return store
            changes.store = store  # another thread has changed elements meanwhile
    return changes


def _is_owned(store: Store) -> bool:
    """Whether nothing but a store refers to its array of values, nor to the memory of that array."""
    if type(store) not in (VectorStore, MatrixStore) or not isinstance(store.stored_values, np.ndarray):
        return False
    base = store.stored_values.base
    ours = base is None or type(base).__module__.partition(".")[0] == __name__.partition(".")[0]
    return ours and getrefcount(store.stored_values) <= ONLY


def _merge(
    engine: Engine,
    store: Store,
    dtype: np.dtype,
    arrays: list[Arrays],
    last: dict[tuple[int, ...], np.generic | None],
    owned: bool,
) -> Store:
    if len(last) == 1 and not arrays and getattr(store, "_transpose", None) is None:
        ((place, value),) = last.items()
        return engine.remove_element(store, place) if value is None else engine.set_element(store, place, value, owned)
    given = [*arrays, _last_ones([_as_arrays(last, dtype)])] if last else arrays
    index, values, kept = _last_ones(given) if len(given) > 1 else given[0]
    transpose = _transpose_of(store)
    new = engine.change_elements(store, index, values, kept, owned and transpose is None)
    if transpose is not None and new is not store and type(new) is MatrixStore and new.form == SPARSE:
        with suppress(MemoryError):  # then it is made again when it is needed
            _mend_transpose(engine, transpose, store, new, index, values, kept)
    return new


def _as_arrays(last: dict[tuple[int, ...], np.generic | None], dtype: np.dtype) -> Arrays:
    places = list(last)
    given = list(last.values())
    kept = np.array([value is not None for value in given])
    values = np.zeros(len(given), dtype)
    values[kept] = np.array([value for value in given if value is not None], dtype)
    return tuple(np.ascontiguousarray(axis) for axis in np.array(places, INDEX).T), values, kept


def _last_ones(arrays: list[Arrays]) -> Arrays:
    """The last change of each position, in the order of positions."""
    in_order = sorted(arrays, key=lambda part: part[0][0][0])  # of which each is in order, unless there is only one
    apart = len(arrays) > 1 and all(a[0][0][-1] < b[0][0][0] for a, b in pairwise(in_order))
    arrays = in_order if apart else arrays
    index = tuple(np.concatenate(axis) for axis in zip(*(part[0] for part in arrays), strict=True))
    values, kept = (np.concatenate([part[k] for part in arrays]) for k in (1, 2))
    if apart:
        return index, values, kept
    order, first = order_and_firsts(index)  # later changes of a position follow earlier ones
    order = order[np.r_[first[1:], True]]
    return tuple(axis[order] for axis in index), values[order], kept[order]


def _transpose_of(store: Store) -> MatrixStore | None:
    """The transpose of a CSR, if it has one."""
    if type(store) is not MatrixStore or store.form != SPARSE or store.copies > 1:
        return None
    other = store._transpose
    return other if other is not None and other.form == SPARSE else None


def _mend_transpose(
    engine: Engine,
    of: MatrixStore,
    store: Store,
    new: MatrixStore,
    index: tuple[np.ndarray, ...],
    values: np.ndarray,
    kept: np.ndarray,
) -> None:
    """Give a changed matrix its transpose: the old one with the same changes, or itself if it is symmetric."""
    order = order_of(index[::-1])
    swapped = index[1][order], index[0][order], take(values, order), take(kept, order)
    if of is store and all(map(np.array_equal, swapped, (*index, values, kept))):
        new._transpose = new
        return
    other = engine.change_elements(of, swapped[:2], *swapped[2:])
    if new.nrows == new.ncols and same_arrays(new, other):
        other = new
    new._transpose = other
    other._transpose = new
