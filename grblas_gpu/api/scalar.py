"""Scalar: one value of a type, or none."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..backends.registry import current_engine
from ..backends.stores.entries import cast
from ..backends.stores.later import Later
from ..backends.stores.storage import VectorStore
from ..config import config
from ..dtypes import FP64, INT64, DataType, is_subarray, lookup_dtype
from ..foundation.memory import reports_memory
from ..foundation.types import DTypeLike, Matrix, MaybeDType, Vector
from ..ir import recording
from ..ir.recording import Number
from . import kinds
from .arithmetic import ArithmeticInPlace
from .base import BaseType, keeps
from .computed import ComputedScalar
from .conversions import shown_values, stored_subarrays
from .elementwise import Elementwise
from .execution import LITERALS
from .expressions import ScalarExpression
from .kinds import output_type, stands_for

if TYPE_CHECKING:
    from ..operators.call_types import ScalarLike


def as_record(value: object, np_type: np.dtype) -> np.void | np.ndarray:
    """A record of this type: from its fields (a tuple, in order, or a dict), or with one number in all fields.

    A sub-array comes from an array of its shape, or from a number.
    """
    record = np.zeros((), np_type)
    try:
        if is_subarray(np_type):
            record = stored_subarrays(value, np_type)
            if record.ndim:
                raise ValueError(f"it has {record.shape} of them")
            return record[()]
        record[()] = _fields(value, np_type)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{value!r} is no record of {np_type}: {error}") from None
    return record[()]


def _fields(value: object, np_type: np.dtype) -> object:
    if np_type.names is None or np_type.fields is None or not isinstance(value, dict):
        return value
    if value.keys() != np_type.fields.keys():
        raise ValueError(f"its fields are {', '.join(np_type.fields)}")
    return tuple(_fields(value[name], np_type.fields[name][0]) for name in np_type.names)


class Scalar(Elementwise, ArithmeticInPlace, BaseType):
    """A typed value that may be missing; a new Scalar has none.

    Parameters
    ----------
    dtype : dtype
        The type of the value, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's.
    is_cscalar : bool, optional
        Accepted for compatibility with python-graphblas; it has no effect here.
    name : str, optional
        The name that messages and ``print`` show.

    Raises
    ------
    ValueError
        No type has the given name.

    Examples
    --------
    >>> from grblas_gpu import Scalar
    >>> s = Scalar.from_value(3)
    >>> s.value, s.dtype
    (3, INT64)
    >>> Scalar(float).is_empty
    True
    """

    __slots__ = ("_content", "_is_cscalar", "_later")
    ndim: Literal[0] = 0
    shape = ()
    _is_scalar = True
    _expression_type = ScalarExpression
    _name_counter = itertools.count()
    if TYPE_CHECKING:

        def _signs(self, other: ScalarLike, /) -> ScalarExpression: ...

    def __init__(self, dtype: DTypeLike = FP64, *, is_cscalar: bool | None = False, name: str | None = None) -> None:
        self.dtype = dtype if type(dtype) is DataType else lookup_dtype(dtype)
        self.name = f"s_{next(Scalar._name_counter)}" if name is None else name
        self._is_cscalar = True if is_cscalar is None else is_cscalar
        self._content: Any = None
        self._engine = current_engine()
        if recording.active and (recorder := recording.current()) is not None:
            recorder.new_scalar(self)

    @classmethod
    def from_value(
        cls, value: Any, dtype: DTypeLike | None = None, *, is_cscalar: bool | None = False, name: str | None = None
    ) -> Scalar:
        """A Scalar from a Python or NumPy value.

        Parameters
        ----------
        value : scalar
            A number, or None for a Scalar without value.
        dtype : dtype, optional
            The type of the values, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's; by default
            their own.
        is_cscalar : bool, optional
            Whether the value is always on the host, as in python-graphblas.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        TypeError
            A Scalar cannot hold the value.

        Examples
        --------
        >>> Scalar.from_value(True).dtype
        BOOL
        """
        if type(value) is Number:  # the count of a loop
            return _counting(value, dtype, is_cscalar, name)
        kind = output_type(value)
        if dtype is None:
            if kind is Scalar:
                dtype = value.dtype
            else:
                try:
                    dtype = lookup_dtype(type(value), value)
                except (ValueError, TypeError):
                    raise TypeError(f"Argument of from_value must be a known scalar type, not {type(value)}") from None
        if kind is Scalar and type(value) is not Scalar:
            if config["autocompute"]:
                return value.new(dtype=dtype, is_cscalar=is_cscalar, name=name)
            cls()._expect_type(
                value, Scalar, within="from_value", argname="value", extra_message="Literal scalars expected."
            )
        new = cls(dtype, is_cscalar=is_cscalar, name=name)
        new._assign(value)  # not recorded: no recorded operation can read the new Scalar yet
        return new

    if not TYPE_CHECKING:  # type checkers would accept every attribute

        def __getattr__(self, name: str) -> Any:
            """Read a value that is still being computed: the first read waits for the device."""
            if name != "_content":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            later = self._later
            if later is None:  # another thread has read it
                return self._content
            self._content = content = later.read()  # synchronizes; another thread may do the same
            self._later = None  # frees memory that many other sums share
            return content

    # The stored value is a NumPy scalar of our type, or None.
    def _get(self) -> Any:
        if recording.active and (recorder := recording.current()) is not None:
            recorder.read("the value", self)
        content = self._content
        return self.dtype.np_type.type(int(content)) if type(content) is Number else content

    def _set(self, value: object) -> None:
        """Cast to the type as GraphBLAS does, and store."""
        np_type = self.dtype.np_type
        if value is None or type(value) is np_type.type is not np.void:
            self._content = value
        elif isinstance(value, Later):
            if value.dtype != np_type:
                self._set(value.read())
            else:
                self._later, self._content = value, None
                del self._content
        elif self.dtype._is_udt and not isinstance(value, np.void):
            self._content = as_record(value, np_type)
        else:
            self._content = cast(np.asarray(value).reshape(1), np_type)[0]

    @property
    def value(self) -> Any:
        """The value as a Python scalar, or None; a record is a copy, of NumPy's type for records.

        >>> s = Scalar.from_value(3)
        >>> s.value = 4.9
        >>> s.value, Scalar(int).value
        (4, None)
        """
        content = self._get()
        if self.dtype.subarray is not None and content is not None:
            return shown_values(content)
        if self.dtype._is_udt and content is not None:
            return content.copy()
        return None if content is None else content.item()

    @value.setter
    def value(self, value: object) -> None:
        if recording.active and recording.current() is not None:
            self << (Scalar(self.dtype, name="") if value is None else value)
        else:
            self._assign(value)

    @reports_memory
    def _assign(self, value: Any) -> None:
        kind = LITERALS.get(type(value), type(value))
        fits = kind is self.dtype.np_type.type and kind is not np.void
        if fits and (kind is not np.int64 or -(2**63) <= value < 2**63):
            self._content = kind(value)
            return
        if output_type(value) is Scalar:
            given = value if type(value) is Scalar else value.new()
            if given.dtype._is_udt:
                self._set(given._get())
                return
            value = given.value
        if value is None:
            self._content = None
            return
        if self.dtype._is_udt:
            self._content = as_record(value, self.dtype.np_type)
            return
        if self._is_cscalar and self.dtype.np_type.kind in "iu" and isinstance(value, float):
            raise TypeError(f"a C scalar of type {self.dtype.name} cannot hold the float {value}")
        array = np.asarray(value)
        if array.ndim or array.dtype.kind not in "biufc":
            raise TypeError(f"a Scalar holds one number or truth value, not {type(value)}")
        if array.dtype.kind in "iu" and self._is_cscalar and self.dtype.np_type.kind in "iu":
            limits = np.iinfo(self.dtype.np_type)
            if not limits.min <= int(value) <= limits.max:
                raise OverflowError(f"{value} does not fit {self.dtype.name}")
        self._set(value)

    @property
    def is_empty(self) -> bool:
        """Whether there is no value.

        >>> Scalar(int).is_empty, Scalar.from_value(0).is_empty
        (True, False)
        """
        recording.read("the value", self)
        return self._content is None

    _is_empty = is_empty

    @property
    def nvals(self) -> int:
        """1 with a value, 0 without.

        >>> Scalar(int).nvals, Scalar.from_value(0).nvals
        (0, 1)
        """
        return 0 if self.is_empty else 1

    _nvals = nvals

    @property
    def is_cscalar(self) -> bool:
        """Whether this represents a plain C value; an integer one accepts no floats and no values out of range.

        >>> Scalar.from_value(3, is_cscalar=True).is_cscalar, Scalar.from_value(3).is_cscalar
        (True, False)
        """
        return self._is_cscalar

    @property
    def is_grbscalar(self) -> bool:
        """Whether this is a GraphBLAS scalar, which casts any value to its type; the opposite of ``is_cscalar``.

        >>> s = Scalar.from_value(3.7, int)
        >>> s.is_grbscalar, s.value
        (True, 3)
        """
        return not self._is_cscalar

    @property
    def _expr_name(self) -> str:
        return self.name or repr(self.value)

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return self.isequal(other)

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return not self.isequal(other)

    def __bool__(self) -> bool:
        return bool(self._get())

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __complex__(self) -> complex:
        return complex(self.value)

    @property
    def __index__(self) -> Callable[..., int]:
        if self.dtype.np_type.kind in "iub":
            return self.__int__
        raise AttributeError("Scalar object only has `__index__` for integral dtypes")

    def __array__(self, dtype: Any = None, *, copy: object = None) -> np.ndarray:
        own = None if self.dtype.subarray is not None else self.dtype.np_type
        return np.array(self.value, dtype=own if dtype is None else dtype)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.dtype.np_type.itemsize

    def __reduce__(self) -> tuple[object, ...]:
        return Scalar._deserialize, (self.value, self.dtype, self._is_cscalar, self.name)

    @staticmethod
    def _deserialize(value: object, dtype: DTypeLike, is_cscalar: bool, name: str) -> Scalar:
        return Scalar.from_value(value, dtype, is_cscalar=is_cscalar, name=name)

    def isequal(self, other: object, *, check_dtype: bool = False) -> bool:
        """Whether both have the same value, or both have none.

        Parameters
        ----------
        other : Scalar or number
            The second operand.
        check_dtype : bool
            Whether the types must be equal too.

        Examples
        --------
        >>> s = Scalar.from_value(3)
        >>> s.isequal(3.0), s.isequal(Scalar.from_value(3.0), check_dtype=True)
        (True, False)
        """
        other, decided = self._comparable(other, check_dtype, "isequal")
        if decided is not None:
            return decided
        if self.dtype._is_udt and self.dtype is other.dtype:  # arrays inside tuples have no truth value
            return bool(self._get() == other._get())
        return bool(np.all(self.value == other.value))

    def isclose(self, other: object, *, rel_tol: float = 1e-7, abs_tol: float = 0.0, check_dtype: bool = False) -> bool:
        """Whether both have nearly the same value, or both have none.

        Parameters
        ----------
        other : Scalar or number
            The second operand.
        rel_tol : float
            The allowed difference, relative to the larger value.
        abs_tol : float
            The allowed absolute difference.
        check_dtype : bool
            Whether the types must be equal too.

        Examples
        --------
        >>> s = Scalar.from_value(0.1 + 0.2)
        >>> s.isequal(0.3), s.isclose(0.3)
        (False, True)
        """
        if self.dtype._is_udt:
            raise TypeError("isclose is not defined for user-defined types; isequal is")
        other, decided = self._comparable(other, check_dtype, "isclose")
        if decided is not None:
            return decided
        x, y = self.value, other.value
        return bool(x == y or abs(x - y) <= max(rel_tol * max(abs(x), abs(y)), abs_tol))

    def _comparable(self, other: object, check_dtype: bool, within: str) -> tuple[Scalar, bool | None]:
        """The other one as a Scalar, and the answer, if it is known without the values."""
        if other is None:
            return self, self._is_empty
        if type(other) is not Scalar:
            try:
                dtype, literal = self.dtype if self.dtype._is_udt else None, other
                other, check_dtype = Scalar.from_value(other, dtype, is_cscalar=None, name=""), False
                if dtype is not None and not keeps(literal, other._content, dtype):
                    return other, False
            except OverflowError:
                return self, False
            except TypeError:
                self._expect_type(
                    other, Scalar, within=within, argname="other", extra_message="Literal scalars also accepted."
                )
                raise
        if check_dtype and self.dtype != other.dtype:
            return other, False
        one_is_empty = self._is_empty or other._is_empty
        return other, (self._is_empty and other._is_empty) if one_is_empty else None

    def clear(self) -> None:
        """Remove the value.

        >>> s = Scalar.from_value(3)
        >>> s.clear()
        >>> s.value is None
        True
        """
        self.value = None

    def dup(
        self, dtype: MaybeDType = None, *, clear: bool = False, is_cscalar: bool | None = None, name: str | None = None
    ) -> Scalar:
        """A copy, perhaps of another type.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the copy; by default the same.
        clear : bool
            Whether to return an empty Scalar.
        is_cscalar : bool, optional
            Whether the value is always on the host, as in python-graphblas.
        name : str, optional
            The name that messages and ``print`` show.

        Examples
        --------
        >>> Scalar.from_value(3).dup(float).value
        3.0
        """
        is_cscalar = self._is_cscalar if is_cscalar is None else is_cscalar
        new = Scalar(self.dtype if dtype is None else dtype, is_cscalar=is_cscalar, name=name)
        if clear:
            return new
        if recording.active and recording.current() is not None:
            new << self
        else:
            new._set(self._content)
        return new

    def wait(self, how: str = "materialize") -> Scalar:
        """Finish pending work (there is none).

        Parameters
        ----------
        how : {"materialize", "complete"}
            As in python-graphblas; there is no difference here.

        Examples
        --------
        >>> Scalar.from_value(3).wait().value
        3
        """
        check_wait(how)
        return self

    def get(self, default: object = None) -> Any:
        """The value, or ``default`` if there is none.

        Parameters
        ----------
        default : any
            The result where there is no entry.

        Examples
        --------
        >>> Scalar.from_value(3).get(), Scalar(int).get(default=-1)
        (3, -1)
        """
        value = self.value
        return default if value is None else value

    def _as_vector(self, *, name: str | None = None) -> Vector:
        v = kinds.Vector(self.dtype, 1, name=self.name if name is None else name)
        content = self._get()
        if content is not None:
            store = VectorStore(1, np.array([content], self.dtype.np_type), indices=np.zeros(1, np.int64))
            v._store = v._engine.adopt(store)
        return v

    def _as_matrix(self, *, name: str | None = None) -> Matrix:
        return self._as_vector()._as_matrix(name=name)


def _counting(value: Number, dtype: DTypeLike | None, is_cscalar: bool | None, name: str | None) -> Scalar:
    if not value.symbolic:
        return Scalar.from_value(int(value), dtype, is_cscalar=is_cscalar, name=name)
    new = Scalar(INT64 if dtype is None else dtype, is_cscalar=is_cscalar, name=name)
    new._content = value
    return new


def whole_number(k: int | Scalar) -> int:
    """The number of a diagonal, a size or a count that may be given as a Scalar."""
    return int(k.value) if type(k) is Scalar else int(k)


def check_wait(how: str) -> None:
    if how.lower() not in ("materialize", "complete"):
        raise ValueError(f'`how` argument must be "materialize" or "complete"; got {how!r}')


kinds.Scalar = Scalar
stands_for(Scalar, Scalar, ComputedScalar)
