"""The common part of Vector and Matrix: their store, masks of them, copies, and access to elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ..backends.interpreter.changes import Changes, merged_store
from ..backends.registry import current_engine
from ..dtypes import DataType, lookup_dtype
from ..foundation.atomic_updates import notice_thread
from ..foundation.memory import reports_memory
from ..foundation.types import Array, ArrayLike, DTypeLike, Engine, MaskLike, OperatorLike, Store, Value
from ..ir import ops, recording
from ..ir.descriptor import descriptor_from_options
from ..ir.node import Node
from .arithmetic import ArithmeticInPlace
from .base import BaseType
from .changes import update_elements
from .conversions import MAX_SIZE, check_size, constructor_dtype
from .execution import submit
from .kinds import StorageOf
from .mask import StructuralMask, ValueMask
from .sizes import is_size
from .tables import Interchange, Tabular
from .tensor import Tensor
from .updates import Updater


class Collection(Tensor, ArithmeticInPlace, BaseType, Interchange, Tabular):
    """The common part of Vector and Matrix."""

    __slots__ = ("_settings", "_shape", "_stored")
    _is_transposed: Literal[False] = False
    _prefix: ClassVar[str]  # of the names of new objects
    _sizes: ClassVar[tuple[str, ...]]  # the names of the dimensions
    _name_counter: ClassVar[Iterator[int]]
    ss: ClassVar[StorageOf]
    from_coo: ClassVar[Any]

    @property
    def _store(self) -> Any:
        """The store; changes that wait are merged."""
        stored = self._stored
        return merged_store(self) if type(stored) is Changes else stored

    @_store.setter
    def _store(self, store: Any) -> None:
        self._stored = store

    if TYPE_CHECKING:

        def __init__(self, dtype: DTypeLike = ..., *shape: int, name: str | None = None) -> None: ...

    def _begin(self, engine: Engine, dtype: DataType, shape: tuple[int, ...], name: str | None) -> None:
        """Set all but the store."""
        self.dtype = dtype
        self._shape = shape
        self.name = f"{self._prefix}_{next(self._name_counter)}" if name is None else name
        self._engine = engine

    def _begin_empty(self, dtype: DTypeLike, shape: tuple[int, ...], name: str | None) -> None:
        dtype = dtype if type(dtype) is DataType else constructor_dtype(dtype, type(self).__name__)
        self._begin(current_engine(), dtype, self._checked_shape(shape), name)

    @classmethod
    def _checked_shape(cls, shape: tuple[int, ...]) -> tuple[int, ...]:
        for n in shape:  # no call in the usual case
            if (type(n) is not int or not 0 <= n < MAX_SIZE) and not is_size(n):
                return tuple(check_size(n, name) for n, name in zip(shape, cls._sizes, strict=True))
        return shape

    @classmethod
    def _unwritten(cls, engine: Engine, dtype: DTypeLike, shape: tuple[int, ...], name: str | None) -> Self:
        """An object for the result of an expression: it has no store until the result exists."""
        new = object.__new__(cls)
        if type(shape[0]) is int and max(shape) >= MAX_SIZE:
            cls._checked_shape(shape)
        new._begin(engine, dtype if type(dtype) is DataType else lookup_dtype(dtype), shape, name)
        return new

    @classmethod
    def _from_store(cls, engine: Engine, dtype: DataType, store: Store, name: str | None = None) -> Self:
        """An object with this store, in a format that fits it."""
        return cls._of(engine, dtype, store, name)

    @classmethod
    def _of(cls, engine: Engine, dtype: DataType, store: Store, name: str | None = None) -> Self:
        """An object with this store, in its format; no empty store is created first."""
        new = object.__new__(cls)
        new._begin(engine, dtype, store.shape, name)
        new._stored = store if store.dtype == dtype.np_type else engine.cast(store, dtype.np_type)
        if recording.active and (recorder := recording.current()) is not None:
            recorder.new(new)
        return new

    @property
    def nvals(self) -> int:
        """The number of entries.

        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([0, 2], [5, 6], size=10).nvals
        2
        """
        if recording.active and (recorder := recording.current()) is not None:
            recorder.read("the number of entries", self)
        return self._store.nvals

    _nvals = nvals

    @property
    def S(self) -> StructuralMask:
        """The mask that is true where there is an entry.

        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([0, 2], [0, 6], size=3)
        >>> w = Vector(int, 3)
        >>> w(v.S) << 1
        >>> w.to_dict()
        {0: 1, 2: 1}
        """
        return StructuralMask(self)

    @property
    def V(self) -> ValueMask:
        """The mask that is true where there is an entry with a true value.

        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([0, 2], [0, 6], size=3)
        >>> w = Vector(int, 3)
        >>> w(v.V) << 1
        >>> w.to_dict()
        {2: 1}
        """
        return ValueMask(self)

    def __sizeof__(self) -> int:
        recording.read("the size in memory", self)
        return object.__sizeof__(self) + sum(array.nbytes for array in self._store.arrays.values())

    def __reduce__(self) -> tuple[object, ...]:
        return type(self)._deserialize, ((*self.to_coo(), self.dtype, *self._shape), self.name)

    @classmethod
    def _deserialize(cls, pieces: Any, name: str) -> Self:
        """Pickles of python-graphblas call this, with exported arrays or with coordinates."""
        if isinstance(pieces, dict):
            return cls.ss.import_any(name=name, **pieces)
        ndim = len(cls._sizes)
        shape = dict(zip(cls._sizes, pieces[-ndim:], strict=True))
        return cls.from_coo(*pieces[:-ndim], **shape, name=name)

    def _update_or_set(
        self, given: tuple[object, ...], values: ArrayLike | Value, dup_op: OperatorLike | None, opts: dict[str, object]
    ) -> None:
        """``update`` with an expression as its only argument, or with positions and values."""
        if values is None and all(each is None for each in given[1:]):
            BaseType.update(self, given[0], **opts)
        else:
            update_elements(self, given, values, dup_op)

    @reports_memory
    def dup(
        self,
        dtype: DTypeLike | None = None,
        *,
        clear: bool = False,
        mask: MaskLike | None = None,
        name: str | None = None,
        **opts: Any,
    ) -> Self:
        """A copy, optionally with another type, or with only the entries where a mask is open.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the copy; by default the same.
        clear : bool
            Whether to return an empty object of the same shape.
        mask : Mask, optional
            The positions to write: ``m.S``, ``m.V``, ``~m.S`` or ``~m.V``.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        ValueError
            No type has the given name.
        DimensionMismatch
            The mask has another shape.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([0, 1], [0, 7])
        >>> v.dup(float).to_dict(), v.dup(mask=v.V).to_dict()
        ({0: 0.0, 1: 7.0}, {1: 7})
        """
        descriptor_from_options(opts)
        found = self.dtype if dtype is None else lookup_dtype(dtype)
        if not clear and mask is None and (not recording.active or recording.current() is None):
            notice_thread()
            return self._of(self._engine, found, self._engine.copy(self._store), name)
        new = type(self)(found, *self._shape, name=name)
        new._engine = self._engine
        if not clear:
            new(mask=mask, **opts) << self
        return new

    def device_arrays(self) -> dict[str, Array]:
        """The stored arrays themselves, not copies: CuPy arrays on backend "cuda", NumPy arrays on others.

        A sparse Vector has ``indices``, perhaps unsorted, and ``values``. A sparse Matrix has compressed sparse rows:
        ``indptr``, ``indices`` and ``values``; a hypersparse one has ``rows`` and ``starts`` instead of ``indptr``.
        Denser formats have ``values`` of all positions and, unless they are full, a flag for each of them, ``present``.
        A single value may represent all entries. ``A.to(form="sparse")`` converts any format of a Matrix to compressed
        sparse rows. Do not change the arrays.

        >>> from grblas_gpu import Matrix, Vector
        >>> Vector.from_coo([3, 1], [10, 20], size=1000).device_arrays()
        {'indices': array([1, 3]), 'values': array([20, 10])}
        >>> arrays = Matrix.from_coo([0, 0, 2], [1, 2, 0], [5, 6, 7]).device_arrays()
        >>> {name: array.tolist() for name, array in arrays.items()}
        {'indptr': [0, 2, 2, 3], 'indices': [1, 2, 0], 'values': [5, 6, 7]}
        """
        recording.read("the entries", self)
        return dict(self._store.arrays)

    def clear(self) -> None:
        """Remove all entries.

        >>> from grblas_gpu import Vector
        >>> v = Vector.from_coo([0, 2], [5, 6])
        >>> v.clear()
        >>> v.nvals, v.size
        (0, 3)
        """
        submit(Node(ops.CLEAR, self))

    def __setitem__(self, keys: object, expr: object, **opts: object) -> None:
        Updater(self, desc=descriptor_from_options(opts))[keys] = expr

    def __delitem__(self, keys: object, **opts: object) -> None:
        del Updater(self, desc=descriptor_from_options(opts))[keys]
