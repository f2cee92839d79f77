"""What an engine computes with: arrays and sizes, nothing else.

A *store* holds the entries of one vector or matrix. Objects (``Vector``, ``Matrix``) own exactly one store each and
replace it when they change, so an operation that fails half-way leaves its output as it was. A store is shared by no
two objects. Index arrays (``indices``, ``indptr``) never change once made and may be shared between stores; ``present``
and ``values`` belong to one store, and an engine may update those of the output in place once nothing can fail.

Values are stored once when all of them are equal (*iso*): ``values`` then has length 1 and kernels read no array.

Sizes live where the data live: how many entries a result on a device has is known there first (:class:`Pending`), and
on the host only when somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import OutOfMemory

Array = Any  # numpy.ndarray or cupy.ndarray

INDEX = np.int64
INT32_LIMIT = 2**31 - 1
MOST_ENTRIES = 2**48  # more than any memory holds; NumPy has other errors for sizes near 2**63
WORTH_KEEPING = 2**20  # bytes: a longer unused end of an array is given back


def column_type(ncols: int) -> type:
    """The narrowest type for column indices: 32 bits while they fit."""
    return np.int32 if ncols <= INT32_LIMIT else np.int64


class Pending:
    """Entries whose number is still on the device: ``counter.read()`` asks for it.

    A list (``indices``, ``values``) is longer than its entries; ``at_most`` bounds their number.
    """

    __slots__ = ("at_most", "counter", "indices", "values")

    def __init__(self, counter: Any, at_most: int, indices: Any = None, values: Any = None) -> None:
        self.counter = counter
        self.at_most = at_most
        self.indices = indices
        self.values = values

    def most(self) -> int:
        """The number of entries if the host knows it, or else a bound."""
        known = self.counter.known()
        return self.at_most if known is None else known


class Known:
    """A count that the host has: what :class:`Pending` has a counter for."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count

    def known(self) -> int:
        return self.count

    read = known


class HostList(Pending):
    """A few entries of a vector on a device that are still on the host: they travel when somebody looks at them."""

    __slots__ = ("_on_device", "_travel", "on_host")

    def __init__(self, store: VectorStore, travel: Callable[[Array], Array]) -> None:
        self.at_most = store.nvals
        self.counter = Known(store.nvals)
        self.on_host = store
        self._travel = travel
        self._on_device: Any = None

    def _arrays(self) -> tuple[Array, Array]:
        if self._on_device is None:
            self._on_device = self._travel(self.on_host.indices), self._travel(self.on_host.values)
        return self._on_device

    indices = property(lambda self: self._arrays()[0])
    values = property(lambda self: self._arrays()[1])


_ONE = Known(1)


class HostEntry(HostList):
    """One entry, which a search begins with: Python's numbers, of which arrays are made when somebody looks at them."""

    __slots__ = ("dtype", "index", "size", "value")

    def __init__(self, size: int, index: int, value: Any, dtype: np.dtype, travel: Callable[[Array], Array]) -> None:
        self.at_most = 1
        self.counter = _ONE
        self.size = size
        self.index = index
        self.value = value
        self.dtype = dtype
        self._travel = travel
        self._on_device = None

    def __getattr__(self, name: str) -> Any:
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

    While ``pending`` is set, ``nvals`` (and of a list ``indices`` and ``values``) are not: looking at one of them asks
    the device. ``edges`` may hold the offsets of a matrix and a counter: how many entries that matrix has in the
    columns of this vector's entries. ``checked`` is how many edges the product had that made this vector, for planners
    that look back. ``flags`` may hold the positions of a list as flags, for whoever needs them again.
    """

    __slots__ = ("size", "indices", "present", "values", "nvals", "ordered", "pending", "edges", "flags", "checked")

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
                nvals = int(np.count_nonzero(present))
            else:
                nvals = size
        self.nvals = nvals

    @classmethod
    def empty(cls, size: int, dtype: np.dtype) -> VectorStore:
        return cls(size, np.empty(0, dtype), indices=np.empty(0, INDEX))

    @classmethod
    def counted_bitmap(cls, size: int, values: Array, present: Array, counter: Any, at_most: int) -> VectorStore:
        """A bitmap whose number of entries the device knows."""
        store = cls.__new__(cls)
        store.size = size
        store.values = values
        store.present = present
        store.indices = store.edges = store.flags = None
        store.ordered = True
        store.pending = Pending(counter, at_most)
        return store

    @classmethod
    def counted_list(cls, size: int, values: Array, indices: Array, counter: Any, ordered: bool = False) -> VectorStore:
        """A list of which the device knows the length; the arrays may be longer."""
        store = cls.__new__(cls)
        store.size = size
        store.present = store.edges = store.flags = None
        store.ordered = ordered
        store.pending = Pending(counter, len(indices), indices, values)
        return store

    def __getattr__(self, name: str) -> Any:
        """A field that is not set: ask the device for the number of entries, and cut a list to its length."""
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
            self.indices = _shortened(pending.indices, nvals)
            self.values = pending.values[: min(nvals, 1)] if iso else _shortened(pending.values, nvals)
            self.ordered = self.ordered or nvals < 2
            self.pending = None
        return getattr(self, name)

    @classmethod
    def on_its_way(cls, size: int, pending: HostList) -> VectorStore:
        """A list that is on the host, in order, and will be on a device."""
        store = cls.__new__(cls)
        store.size = size
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
    def kind(self) -> str:
        if self.present is not None:
            return "bitmap"
        return "sparse" if self.pending is not None or self.indices is not None else "full"

    @property
    def dtype(self) -> np.dtype:
        pending = self.pending
        if pending is None:  # the usual case, asked for often
            return self.values.dtype
        return pending.on_host.values.dtype if isinstance(pending, HostList) else self.stored_values.dtype

    @property
    def stored_values(self) -> Array:
        """The array that holds the values: of a pending list longer than its entries."""
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
        """Entries are about to change in place: unless somebody says how many there are then, who asks counts them."""
        self.pending = self.edges = self.flags = None
        if self.present is not None:
            self.nvals = self.checked = 0
            del self.nvals

    def copy(self) -> VectorStore:
        if self.pending is not None and self.present is not None:
            counter, at_most = self.pending.counter, self.pending.at_most
            return VectorStore.counted_bitmap(self.size, self.values.copy(), self.present.copy(), counter, at_most)
        return VectorStore(
            self.size,
            self.values.copy(),
            indices=self.indices,
            present=None if self.present is None else self.present.copy(),
            nvals=self.nvals,
            ordered=self.ordered,
        )

    def __repr__(self) -> str:
        return (
            f"VectorStore({self.kind}, size={self.size}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"
        )


def _shortened(array: Array, length: int) -> Array:
    """The first entries; a copy where most of the memory would be kept alive for nothing."""
    part = array[:length]
    return part.copy() if (len(array) - length) * array.dtype.itemsize > WORTH_KEEPING else part


#: For arrays that are not NumPy's, how their engine finds what a store remembers: an object with ``transpose``,
#: ``row_ids``, ``max_degree``, ``is_diagonal``, ``same_arrays`` and ``cast_values``.
natives: dict[type, Any] = {}


class MatrixStore:
    """A matrix in CSR: ``indptr`` [nrows + 1], ``indices`` (ascending in each row), ``values`` or one iso value.

    Offsets have 64 bits; on a device, where memory is scarce and kernels are made to measure, 32 while they fit.

    The transpose (the same matrix in CSC), row numbers, degrees and the range of values are found once and kept.
    """

    __slots__ = (
        "nrows",
        "ncols",
        "indptr",
        "indices",
        "values",
        "_transpose",
        "_row_ids",
        "_max_degree",
        "_once",
        "value_range",
        "_hub_neighbours",
        "_is_diagonal",
        "copies",
        "__weakref__",
    )

    def __init__(self, nrows: int, ncols: int, indptr: Array, indices: Array, values: Array) -> None:
        self.nrows = nrows
        self.ncols = ncols
        if not isinstance(indptr, np.ndarray):
            indptr = indptr.astype(np.int32 if len(indices) <= INT32_LIMIT else INDEX, copy=False)
        self.indptr = indptr
        self.indices = indices
        self.values = values
        self.copies = 1
        self._once: MatrixStore | None = None
        self._transpose: MatrixStore | None = None
        self._row_ids: Array | None = None
        self._max_degree: int | None = None
        self._hub_neighbours: Array | None = None
        self._is_diagonal: bool | None = None

    @classmethod
    def repeated(cls, once: MatrixStore, copies: int) -> MatrixStore:
        """A matrix several times along the diagonal. Offsets are made for all copies, the rest only if somebody asks.

        Kernels that know of it read the arrays of the one matrix (``once``).
        """
        store = cls.__new__(cls)  # without indices and values
        store.nrows, store.ncols = once.nrows * copies, once.ncols * copies
        store._once, store.copies = once, copies
        starts = np.arange(copies, dtype=INDEX, like=once.indptr)[:, None] * once.nvals + once.indptr[None, :-1]
        whole = np.zeros(1, INDEX, like=starts) + store.nvals
        offset = once.indptr.dtype if store.nvals <= INT32_LIMIT else INDEX
        store.indptr = np.concatenate([starts.reshape(-1), whole]).astype(offset, copy=False)
        store._transpose = store._row_ids = store._max_degree = store._hub_neighbours = store._is_diagonal = None
        return store

    def __getattr__(self, name: str) -> Any:
        """Arrays of a repeated matrix, on first use."""
        if name not in ("indices", "values"):
            raise AttributeError(name)
        once, copies = self.once, self.copies
        if name == "indices":
            firsts = np.arange(copies, dtype=INDEX, like=once.indices)[:, None] * once.ncols
            self.indices = (firsts + once.indices[None, :]).reshape(-1).astype(column_type(self.ncols), copy=False)
        else:
            self.values = once.values if once.iso else np.tile(once.values, copies)
        return getattr(self, name)

    @property
    def structure(self) -> tuple[Any, ...]:
        """The objects that stand for where the entries are: the same ones, the same structure."""
        return self.indptr, self.once.indices

    @property
    def once(self) -> MatrixStore:
        """The matrix that is repeated; if none is, this one."""
        return self if self._once is None else self._once

    @classmethod
    def empty(cls, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        return cls(nrows, ncols, np.zeros(nrows + 1, INDEX), np.empty(0, column_type(ncols)), np.empty(0, dtype))

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype

    @property
    def nvals(self) -> int:
        return len(self.indices) if self._once is None else self.copies * self._once.nvals

    @property
    def iso(self) -> bool:
        """True when one stored value stands for all entries (so a single entry counts as iso)."""
        return len(self.values) == 1

    def copy(self) -> MatrixStore:
        return MatrixStore(self.nrows, self.ncols, self.indptr, self.indices, self.values.copy())

    @property
    def row_ids(self) -> Array:
        """The row of every entry (COO), for edge-parallel kernels."""
        if self._row_ids is None:
            if isinstance(self.indptr, np.ndarray):
                self._row_ids = np.repeat(np.arange(self.nrows, dtype=column_type(self.nrows)), np.diff(self.indptr))
            else:
                self._row_ids = natives[type(self.indptr)].row_ids(self)
        return self._row_ids

    @property
    def max_degree(self) -> int:
        if self._max_degree is None:
            if self.nrows == 0:
                self._max_degree = 0
            elif isinstance(self.indptr, np.ndarray):
                self._max_degree = int(np.diff(self.indptr).max())
            else:
                self._max_degree = natives[type(self.indptr)].max_degree(self)
        return self._max_degree

    @property
    def is_diagonal(self) -> bool:
        """Whether every row has one entry, on the diagonal."""
        if self._is_diagonal is None:
            if not self.nrows == self.ncols == self.nvals:
                self._is_diagonal = False
            elif isinstance(self.indices, np.ndarray):
                places = np.arange(self.nrows)
                self._is_diagonal = np.array_equal(self.indices, places) and np.array_equal(self.indptr[:-1], places)
            else:
                self._is_diagonal = natives[type(self.indices)].is_diagonal(self)
        return self._is_diagonal

    def transposed(self) -> MatrixStore:
        """The transpose, made once. A symmetric matrix is its own: one structure serves both directions."""
        if self._transpose is None:
            once = self._once
            other = transpose_csr(self) if once is None else MatrixStore.repeated(once.transposed(), self.copies)
            same = same_arrays(self, other) if once is None else once.transposed() is once
            if self.nrows == self.ncols and same:
                other = self
            else:
                other._transpose = self
            self._transpose = other
        return self._transpose

    def __repr__(self) -> str:
        shape = f"{self.nrows}x{self.ncols}"
        return f"MatrixStore({shape}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"


class MaskView:
    """A mask as an engine sees it: a store, whether only its structure counts, and whether it is complemented."""

    __slots__ = ("store", "structure", "complement")

    def __init__(self, store: VectorStore | MatrixStore, structure: bool, complement: bool) -> None:
        self.store = store
        self.structure = structure
        self.complement = complement


def transpose_csr(a: MatrixStore) -> MatrixStore:
    """CSR of the transpose, by SciPy's counting sort (or, on other arrays, by what their engine registered)."""
    if a.ncols > MOST_ENTRIES:
        shape, room = f"{a.ncols} x {a.nrows}", 8 * (a.ncols + 1)
        raise OutOfMemory(f"the transpose, of shape {shape}, needs {room} bytes of row pointers")
    if not isinstance(a.indices, np.ndarray):
        return natives[type(a.indices)].transpose(a)
    from scipy.sparse import csr_array

    iso = a.iso
    # SciPy moves the values along with the indices; for an iso matrix a byte per entry stands in.
    data = np.empty(a.nvals, np.int8) if iso else a.values
    csc = csr_array((data, a.indices, a.indptr), shape=(a.nrows, a.ncols)).tocsc()
    values = a.values.copy() if iso else csc.data
    indices = csc.indices.astype(column_type(a.nrows), copy=False)
    return MatrixStore(a.ncols, a.nrows, csc.indptr.astype(INDEX, copy=False), indices, values)


def same_arrays(a: MatrixStore, b: MatrixStore) -> bool:
    if not isinstance(a.indices, np.ndarray):
        return natives[type(a.indices)].same_arrays(a, b)
    return (
        len(a.values) == len(b.values)
        and bool(np.array_equal(a.indptr, b.indptr))
        and bool(np.array_equal(a.indices, b.indices))
        and bool(np.array_equal(a.values, b.values))
    )
