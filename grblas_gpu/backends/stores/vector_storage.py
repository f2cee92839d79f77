"""A vector in an engine: a list, a bitmap or full; and entries whose number only a device knows yet."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any, Protocol

import numpy as np

from ...foundation.types import Value
from .counting import how_many
from .index_types import INDEX, Array

_new = object.__new__
WORTH_KEEPING = 2**20  # bytes: a longer unused end of an array is freed


class Counter(Protocol):
    """A number that the host knows, or asks a device for."""

    def known(self) -> int | None: ...
    def read(self) -> int: ...


class Pending:
    """Entries whose number is still on the device: ``counter.read()`` reads it.

    A list (``indices``, ``values``) is longer than its entries; ``at_most`` bounds their number.
    """

    __slots__ = ("at_most", "counter", "indices", "values")

    def __init__(self, counter: Counter, at_most: int, indices: Array | None = None, values: Array = None) -> None:
        self.counter: Any = counter
        self.at_most = at_most
        self.indices = indices
        self.values = values

    def most(self) -> int:
        """The number of entries if the host knows it, or else a bound."""
        known = self.counter.known()
        return self.at_most if known is None else known


class Known:
    """A count that the host knows, in place of the counter of :class:`Pending`."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count

    def known(self) -> int:
        return self.count

    read = known


class HostList(Pending):
    """A few entries of a vector on a device that are still on the host: they are copied at their first read."""

    __slots__ = ("_on_device", "_travel", "dtype", "on_host")

    def __init__(self, store: VectorStore, travel: Callable[[Array], Array]) -> None:
        self.dtype = store.dtype
        self.at_most = store.nvals
        self.counter = Known(store.nvals)
        self.on_host = store
        self._travel = travel
        self._on_device: tuple[Array, Array] | None = None

    def _arrays(self) -> tuple[Array, Array]:
        if self._on_device is None:
            self._on_device = self._travel(self.on_host.indices), self._travel(self.on_host.values)
        return self._on_device

    indices = property(lambda self: self._arrays()[0])
    values = property(lambda self: self._arrays()[1])


_ONE = Known(1)


class HostEntry(HostList):
    """The entry that a search begins with: Python numbers, converted to arrays at their first read."""

    __slots__ = ("index", "size", "value")

    def __init__(self, size: int, index: int, value: Value, dtype: np.dtype, travel: Callable[[Array], Array]) -> None:
        self.at_most = 1
        self.counter = _ONE
        self.size = size
        self.index = index
        self.value = value
        self.dtype = dtype
        self._travel = travel
        self._on_device = None

    def __getattr__(self, name: str) -> VectorStore:
        if name != "on_host":
            raise AttributeError(name)
        values, indices = np.array([self.value], self.dtype), np.array([self.index], INDEX)
        self.on_host = VectorStore(self.size, values, indices=indices)
        return self.on_host


class VectorStore:
    """A vector as *sparse* (``indices``), *bitmap* (``present``) or *full* (neither).

    ============  ==================  ==================  ===============================
    kind          ``indices``         ``present``         ``values``
    ============  ==================  ==================  ===============================
    sparse        int64[nvals]        None                [nvals], or [1] when iso
    bitmap        None                bool[size]          [size], or [1] when iso
    full          None                None                [size], or [1] when iso
    ============  ==================  ==================  ===============================

    ``ordered`` says whether the indices of a sparse store ascend; they are unique in any case.

    While ``pending`` is set, ``nvals`` (and ``indices`` and ``values`` of a list) are not: reading one of them reads
    the number from the device. ``edges`` may hold the offsets of a matrix and a counter: the number of entries of that
    matrix in the columns of this vector's entries. ``checked`` is the number of edges of the product that made this
    vector, for planners that look back. ``flags`` may hold the positions of a list as flags, for later operations.
    """

    __slots__ = (
        "size",
        "dtype",
        "indices",
        "present",
        "values",
        "nvals",
        "ordered",
        "pending",
        "edges",
        "flags",
        "checked",
    )

    dtype: np.dtype
    nvals: int
    checked: int
    indices: Array | None
    values: Array

    def __init__(
        self,
        size: int,
        values: Array,
        *,
        indices: Array | None = None,
        present: Array | None = None,
        nvals: int | None = None,
        ordered: bool = True,
    ) -> None:
        self.size = size
        self.dtype = values.dtype
        self.values = values
        self.indices = indices
        self.present = present
        self.ordered = ordered
        self.pending: Pending | None = None
        self.edges: tuple[Array, Any] | None = None
        self.flags: Array | None = None
        if nvals is None:
            if indices is not None:
                nvals = len(indices)
            elif present is not None:
                nvals = how_many(present)
            else:
                nvals = size
        self.nvals = nvals

    @staticmethod
    def known(size: int, values: Array, indices: Array | None, present: Array | None, nvals: int) -> VectorStore:
        """Like the constructor, in half the time: loops make several per call."""
        store = _new(VectorStore)
        store.size = size
        store.dtype = values.dtype
        store.values = values
        store.indices = indices
        store.present = present
        store.ordered = True
        store.pending = store.edges = store.flags = None
        store.nvals = nvals
        return store

    @classmethod
    def empty(cls, size: int, dtype: np.dtype) -> VectorStore:
        return cls(size, np.empty(0, dtype), indices=np.empty(0, INDEX))

    @classmethod
    def counted_bitmap(cls, size: int, values: Array, present: Array, counter: Counter, at_most: int) -> VectorStore:
        """A bitmap whose number of entries the device knows."""
        store = cls.__new__(cls)
        store.size = size
        store.dtype = values.dtype
        store.values = values
        store.present = present
        store.indices = store.edges = store.flags = None
        store.ordered = True
        store.pending = Pending(counter, at_most)
        return store

    @classmethod
    def counted_list(
        cls, size: int, values: Array, indices: Array, counter: Counter, ordered: bool = False
    ) -> VectorStore:
        """A list whose length the device knows; the arrays may be longer."""
        store = cls.__new__(cls)
        store.size = size
        store.dtype = values.dtype
        store.present = store.edges = store.flags = None
        store.ordered = ordered
        store.pending = Pending(counter, len(indices), indices, values)
        return store

    def __getattr__(self, name: str) -> Any:
        """An unset field: read the number of entries from the device, and cut a list to its length."""
        if name == "checked":
            return 0
        pending = self.pending
        if name == "nvals" and pending is None and self.present is not None:
            self.nvals = int(self.present.sum())  # synchronizes: a change in place was interrupted
            return self.nvals
        if name not in ("nvals", "indices", "values") or pending is None:
            raise AttributeError(f"VectorStore has no attribute {name!r}")
        self.nvals = nvals = pending.counter.read()  # synchronizes
        if name == "nvals" and isinstance(pending, HostList):
            return nvals
        if pending.indices is None:
            self.pending = None
        elif name != "nvals":
            iso = len(pending.values) < len(pending.indices) or len(pending.values) == 1
            self.indices = shortened(pending.indices, nvals)
            self.values = pending.values[: min(nvals, 1)] if iso else shortened(pending.values, nvals)
            self.ordered = self.ordered or nvals < 2
            self.pending = None
        return getattr(self, name)

    @staticmethod
    def on_its_way(size: int, pending: HostList) -> VectorStore:
        """A sorted list on the host that will be copied to a device."""
        store = _new(VectorStore)
        store.size = size
        store.dtype = pending.dtype
        store.present = store.edges = store.flags = None
        store.ordered = True
        store.pending = pending
        return store

    @property
    def nvals_at_most(self) -> int:
        """``nvals``, or a bound where only the device knows it."""
        return self.nvals if self.pending is None else self.pending.most()

    @property
    def known_nvals(self) -> int | None:
        """``nvals`` if the host knows it."""
        return self.nvals if self.pending is None else self.pending.counter.known()

    @property
    def shape(self) -> tuple[int]:
        return (self.size,)

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays by name."""
        arrays = {"indices": self.indices, "present": self.present, "values": self.values}
        return {name: array for name, array in arrays.items() if array is not None}

    @property
    def kind(self) -> str:
        if self.present is not None:
            return "bitmap"
        return "sparse" if self.pending is not None or self.indices is not None else "full"

    @property
    def stored_values(self) -> Array:
        """The array of the values: longer than the entries of a pending list."""
        pending = self.pending
        return self.values if pending is None or pending.values is None else pending.values

    @property
    def iso(self) -> bool:
        """True when one stored value stands for all entries (so a single entry counts as iso)."""
        pending = self.pending
        if isinstance(pending, HostList):
            return pending.at_most == 1 or len(pending.on_host.values) == 1
        return len(self.stored_values) == 1

    def uncount(self) -> None:
        """Forget the counts before entries change in place: the next read of ``nvals`` counts, unless it is set."""
        self.pending = self.edges = self.flags = None
        if self.present is not None:
            self.nvals = self.checked = 0
            del self.nvals

    def copy(self, copied: Callable[[Array], Array] = methodcaller("copy")) -> VectorStore:
        values, present = copied(self.values), None if self.present is None else copied(self.present)
        if self.pending is not None and present is not None:
            return VectorStore.counted_bitmap(self.size, values, present, self.pending.counter, self.pending.at_most)
        store = VectorStore.known(self.size, values, self.indices, present, self.nvals)
        store.ordered = self.ordered
        return store

    def __repr__(self) -> str:
        return (
            f"VectorStore({self.kind}, size={self.size}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"
        )


def shortened(array: Array, length: int) -> Array:
    """The first entries; a copy if a view would keep much unused memory alive."""
    part = array[:length]
    return part.copy() if (len(array) - length) * array.dtype.itemsize > WORTH_KEEPING else part
