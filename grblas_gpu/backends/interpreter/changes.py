"""Changes of single elements that wait until an operation reads the object: ``A[i, j] = x``, ``del A[i, j]``.

While changes wait, the object's slot ``_store`` is empty. The first read of it calls ``__getattr__``, which merges all
changes into the store in one operation of the engine (``change_elements``). Objects without changes pay nothing.
"""

from __future__ import annotations

from sys import getrefcount
from threading import Lock
from typing import Any

import numpy as np

from ..stores.entries import cast
from ..stores.formats import choose_format
from ..stores.storage import INDEX, MatrixStore, VectorStore

_LITERALS = {float: "f", int: "i", bool: "b"}  # kinds of NumPy types that hold every value of a Python type
_UNSET: Any = object()
ONLY = 2  # references to an object with one attribute that refers to it: that attribute, and the argument of the count
_guard = Lock()  # held for a few instructions: a change, or the exchange of a store


class Changes:
    """The store before the changes, and the last change of each position: its value, or None where it is removed."""

    __slots__ = ("count", "last", "merging", "store")

    def __init__(self, store: Any) -> None:
        self.store = store
        self.last: dict[Any, Any] = {}
        self.count = 0
        self.merging = Lock()


def converted(value: Any, dtype: np.dtype) -> Any:
    """A number as a scalar of the given type."""
    if _LITERALS.get(type(value)) == dtype.kind and (dtype.itemsize == 8 or dtype.kind == "b"):
        return dtype.type(value)
    return cast(np.asarray(value).reshape(1), dtype)[0]


def change(out: Any, place: tuple[int, ...], value: Any) -> None:
    """Note the new value of an element (a NumPy scalar), or that it is removed (None)."""
    with _guard:
        try:
            store = type(out)._store.__get__(out)
        except AttributeError:
            changes = out._changes
        else:
            changes = out._changes = Changes(store)
            del out._store
        changes.last[place] = value
        changes.count += 1


def element(x: Any, place: tuple[int, ...]) -> Any:
    """The value of an element, or None; changes that wait go on waiting."""
    try:
        store = type(x)._store.__get__(x)
    except AttributeError:
        changes = x._changes
        if changes is not None:
            value = changes.last.get(place, _UNSET)
            return x._engine.get_element(changes.store, place) if value is _UNSET else value
        store = x._store
    return x._engine.get_element(store, place)


def merged_store(x: Any, name: str) -> Any:
    """``__getattr__`` of objects whose slot ``_store`` may be empty: merge the changes, and return the store."""
    if name != "_store":
        raise AttributeError(f"{type(x).__name__!r} object has no attribute {name!r}", name=name, obj=x)
    slot = type(x)._store
    while True:
        try:
            changes = type(x)._changes.__get__(x)
        except AttributeError:  # a new object, for the result of an expression
            raise AttributeError(name) from None
        if changes is None:  # another thread has merged them
            return slot.__get__(x)
        with changes.merging:
            with _guard:
                if x._changes is not changes:
                    continue
                count, last = changes.count, changes.last.copy()
            owned = getrefcount(changes.store) <= ONLY and _is_owned(changes.store)
            try:
                store = choose_format(x._engine, _merge(x._engine, changes.store, x.dtype.np_type, last, owned))
            except Exception:  # lack of memory: this read fails, and the object is as it was before the changes
                with _guard:
                    x._store, x._changes = changes.store, None
                raise
            with _guard:
                if changes.count == count:
                    x._store, x._changes = store, None
                    return store
            changes.store = store  # another thread has changed elements meanwhile


def _is_owned(store: Any) -> bool:
    """Whether nothing but a store refers to its array of values, nor to the memory of that array."""
    if type(store) not in (VectorStore, MatrixStore) or not isinstance(store.stored_values, np.ndarray):
        return False
    base = store.stored_values.base
    ours = base is None or type(base).__module__.partition(".")[0] == __name__.partition(".")[0]
    return ours and getrefcount(store.stored_values) <= ONLY


def _merge(engine: Any, store: Any, dtype: np.dtype, last: dict[Any, Any], owned: bool) -> Any:
    if len(last) == 1:
        ((place, value),) = last.items()
        return engine.remove_element(store, place) if value is None else engine.set_element(store, place, value, owned)
    places = sorted(last)
    index = np.array(places, INDEX)
    given = [last[place] for place in places]
    kept = np.array([value is not None for value in given])
    values = np.zeros(len(given), dtype)
    values[kept] = np.array([value for value in given if value is not None], dtype)
    return engine.change_elements(store, tuple(np.ascontiguousarray(axis) for axis in index.T), values, kept, owned)
