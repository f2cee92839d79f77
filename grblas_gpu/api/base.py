"""Common part of Vector, Matrix and Scalar: ``obj(mask, accum, replace=True) << expression``, checks of arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.registry import get_engine
from ..config import config
from ..dtypes import SUBARRAY, DataType
from ..exceptions import InvalidObject, InvalidValue
from ..foundation.display import html_name
from ..foundation.memory import reports_memory
from ..foundation.types import Computed, DTypeLike, Elementwise, MaskLike, OperatorLike, TypedBinary
from ..ir import recording
from ..ir.descriptor import descriptor_from_options
from ..operators import UNKNOWN_OPCLASS, BinaryOp, Monoid, binary_from_string, find_opclass, get_typed_op
from ..operators.base import OpBase, TypedOpBase
from . import kinds, updates
from .kinds import output_type
from .mask import Mask, check_mask
from .updates import Updater

if TYPE_CHECKING:
    from .scalar import Scalar


class _Replace:
    """``gb.replace`` in ``C(mask, gb.replace) << expr`` stands for ``replace=True``.

    >>> import grblas_gpu as gb
    >>> w, mask = gb.Vector.from_coo([0, 1], [5, 6]), gb.Vector.from_coo([1], True)
    >>> w(mask.S, gb.replace) << 7
    >>> w.to_dict()
    {1: 7}
    """

    def __repr__(self) -> str:
        return "replace"

    def __reduce__(self) -> str:
        return "replace"


replace = _Replace()


def ensure_type(x: Any, types: type | tuple[type, ...]) -> Any:
    """``x`` if it has one of the types; an expression of such a type is computed; otherwise a TypeError."""
    if isinstance(x, types):
        return x
    if output_type(x) in (types if isinstance(types, tuple) else (types,)):
        return x.new()
    wanted = " or ".join(each.__name__ for each in (types if isinstance(types, tuple) else (types,)))
    raise TypeError(f"expected a {wanted}; got {type(x).__name__}")


def expect_type(
    self: object,
    x: Any,
    types: object,
    *,
    within: str,
    argname: str | None = None,
    keyword_name: str | None = None,
    op: OperatorLike | None = None,
    extra_message: str = "",
) -> Any:
    """``x`` if it has one of the types (an expression is computed if autocompute is on), else a clear TypeError."""
    if type(types) is not tuple:
        types = (types,)
    if type(x) in types:
        return x
    hint = f"\n{extra_message}" if extra_message else ""
    if output_type(x) in types:
        if config["autocompute"]:
            return x.new()
        hint += (
            "\n\nHint: use `config.set(autocompute=True)` to automatically compute arguments that are expressions, "
            "or `.new()` to compute this one."
        )
    if argname:
        where = f"for argument `{argname}` "
    elif keyword_name:
        where = f"for keyword argument `{keyword_name}=` "
    else:
        where = ""
    found, opclass = find_opclass(op)
    argument = "..." if opclass == UNKNOWN_OPCLASS else f"op={found}"
    expected = ", ".join(kind.__name__ for kind in types)
    raise TypeError(
        f"Bad type {where}in {type(self).__name__}.{within}({argument}).\n"
        f"    - Expected type: {expected}.\n    - Got: {type(x)}.{hint}"
    )


def expect_op(
    self: object,
    op: Any,
    opclasses: object,
    *,
    within: str,
    argname: str | None = None,
    keyword_name: str | None = None,
    extra_message: str = "",
) -> None:
    """A clear TypeError unless the operator is of one of the classes."""
    if type(opclasses) is not tuple:
        opclasses = (opclasses,)
    if op.opclass in opclasses:
        return
    where = f"argument `{argname}`" if argname else f"keyword argument `{keyword_name}=`"
    hint = f"\n{extra_message}" if extra_message else ""
    if op.opclass == "Semiring" and {"BinaryOp", "Monoid"} & set(opclasses):
        ways = [f"`{op.name}.{part.lower()}`" for part in ("BinaryOp", "Monoid") if part in opclasses]
        hint += f"\nYou may do {' or '.join(ways)} to get the {' or '.join(p for p in opclasses if p != 'Aggregator')}."
    elif op.opclass == "BinaryOp" and op.monoid is None and "Monoid" in opclasses:
        known = f" for {op.type} datatype" if op.parent.monoid is not None else ""
        hint += f"\nThe BinaryOp {op.name} is not known to be part of a Monoid{known}."
    raise TypeError(
        f"Bad type for {where} in {type(self).__name__}.{within}(...).\n"
        f"    - Expected type: {', '.join(opclasses)}.\n    - Got: {op.opclass} ({op}).{hint}"
    )


def _record_for(self: object, op: OperatorLike, value: object) -> DataType | None:
    """The type of a literal next to records: the record type, unless the operator takes a number."""
    dtype: DataType | None = getattr(self, "dtype", None)
    if dtype is None or not dtype._is_udt:
        return None
    if isinstance(op, TypedOpBase):
        return dtype if op.type._is_udt and op.type2._is_udt else None
    if isinstance(op, Monoid):
        op = op.binaryop
    if isinstance(op, BinaryOp):
        return op._literal_type(dtype, value)
    on_positions = getattr(op, "_modname", "") in ("indexunary", "select") and not getattr(op, "_is_udt", False)
    return None if on_positions else dtype


def keeps(given: Any, held: Any, dtype: DataType | None = None) -> bool:
    """Whether no number of a literal became another one in a record; floats may be rounded."""
    if dtype is not None and dtype.subarray is not None:
        held = held[SUBARRAY]
    if isinstance(held, np.void | np.ndarray):
        parts: Any = held
        if isinstance(given, Mapping):
            given = [given[name] for name in parts.dtype.names]
        is_number = not isinstance(given, list | tuple | np.void) and np.ndim(given) == 0
        return all(keeps(given if is_number else given[n], each) for n, each in enumerate(parts))
    return isinstance(held, float | complex | np.inexact) or held == given


def as_scalar(self: Elementwise, value: object, within: str, keyword_name: str, op: Any = None) -> Scalar:
    """A Scalar from a literal argument, or a clear TypeError that names the argument."""
    if type(value) is kinds.Scalar:
        return value
    try:
        dtype = _record_for(self, op, value)
        found = kinds.Scalar.from_value(value, dtype, is_cscalar=None, name="")
        is_thunk = getattr(op, "_modname", "") in ("indexunary", "select")  # a number there may be meant for one field
        if dtype is not None and not is_thunk and not keeps(value, found._content, dtype):
            raise ValueError(f"{within}: {value!r} does not fit {dtype}")
        return found
    except TypeError:
        return self._expect_type(
            value,
            kinds.Scalar,
            within=within,
            keyword_name=keyword_name,
            extra_message="Literal scalars also accepted.",
            op=op,
        )


def duplicate_operator(self: Elementwise, dup_op: OperatorLike | None) -> TypedBinary | None:
    """The typed operator that combines duplicates and can reduce runs, or None."""
    if dup_op is None:
        return None
    typed = get_typed_op(dup_op, self.dtype, kind="binary")
    if typed.opclass == "Monoid":
        return typed.binaryop
    self._expect_op(typed, "BinaryOp", within="build", argname="dup_op")
    return typed


def duplicates_error(error: InvalidValue) -> ValueError:
    return ValueError("Duplicate indices found, must provide `dup_op` BinaryOp")


def check_same_backend(a: Elementwise | Computed, b: Elementwise | Computed, within: str) -> None:
    """Objects of two backends cannot be operands of one operation."""
    if a._engine is not b._engine:
        raise InvalidObject(
            f"{within}: {a.name} is on backend {a._engine.name!r} and {b.name} on {b._engine.name!r}; "
            f"move one with .to({a._engine.name!r})"
        )


class BaseType:
    """The common part of Vector, Matrix and Scalar."""

    __slots__ = ("dtype", "name", "_engine", "_origin", "__weakref__")
    _is_scalar = False
    _is_transposed = False
    _output_type: type
    ndim: Any
    shape: Any
    dtype: DataType
    name: str
    _engine: Any

    _expect_type = expect_type
    _expect_op = expect_op

    @property
    def backend(self) -> str:
        """The name of the backend this object belongs to.

        >>> import grblas_gpu as gb
        >>> with gb.using("cpu"):
        ...     gb.Vector(int, 3).backend
        'cpu'
        """
        return self._engine.name

    def __call__(
        self,
        *args: Any,
        mask: MaskLike | None = None,
        accum: OperatorLike | None = None,
        replace: bool = False,
        input_mask: MaskLike | None = None,
        **opts: object,
    ) -> Updater:
        """``C(mask, accum, replace=True) << expr``: the parameters of an update, in any order."""
        alone = mask is None and accum is None and input_mask is None
        if alone and len(args) == 1:  # the common cases
            if isinstance(args[0], Mask) and not self._is_scalar:
                return Updater(self, args[0], None, replace, None, descriptor_from_options(opts) if opts else None)
            if isinstance(args[0], (OpBase, TypedOpBase)):
                (accum,), args = args, ()
        for arg in args:
            if isinstance(arg, Mask) or output_type(arg) in kinds.COLLECTIONS:
                if self._is_scalar:
                    raise TypeError("Mask not allowed for Scalars")
                if mask is not None:
                    raise TypeError("Got multiple values for argument 'mask'")
                mask = arg
            elif arg is _REPLACE:
                replace = True
            elif isinstance(arg, BaseType):  # a Scalar
                if self._is_scalar:
                    raise TypeError("Mask not allowed for Scalars")
                raise TypeError(f"Invalid item found in output params: {type(arg)}")
            else:
                if accum is not None:
                    raise TypeError("Got multiple values for argument 'accum'")
                accum, opclass = find_opclass(arg)
                if opclass == UNKNOWN_OPCLASS:
                    if not isinstance(arg, str):
                        raise TypeError(f"Invalid item found in output params: {type(arg)}")
                    accum = binary_from_string(arg)
        if self._is_scalar:
            if mask is not None:
                raise TypeError("Mask not allowed for Scalars")
            if input_mask is not None:
                raise TypeError("input_mask not allowed for Scalars")
            if replace:
                raise TypeError("'replace' argument may not be True for Scalar: it needs a mask, and Scalars take none")
        elif mask is not None:
            if input_mask is not None:
                raise TypeError("mask and input_mask arguments cannot both be given")
            if not isinstance(mask, Mask):
                mask = check_mask(mask)
        elif input_mask is not None:
            input_mask = check_mask(input_mask)
        elif replace:
            raise TypeError("'replace' argument may only be True if a mask is provided")
        if accum is not None:
            accum = self._typed_accum(accum)
        return Updater(self, mask, accum, replace, input_mask, descriptor_from_options(opts) if opts else None)

    def _typed_accum(self, accum: OperatorLike) -> TypedBinary:
        typed = get_typed_op(accum, self.dtype, kind="binary")
        if typed.opclass == "Monoid":
            return typed.binaryop
        self._expect_op(typed, "BinaryOp", within="__call__", keyword_name="accum")
        return typed.accumulating

    def __lshift__(self, expr: object, **opts: object) -> None:
        updates.update(self, expr, desc=descriptor_from_options(opts) if opts else None)

    def update(self, expr: object, **opts: object) -> None:
        """``C << expr`` as a method.

        Parameters
        ----------
        expr : expression, object or scalar
            The value to write.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        DimensionMismatch
            The shapes do not match.
        InvalidObject
            The operands are on different backends.
        DomainMismatch
            A type cannot be cast to the required one.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> v, w = Vector.from_coo([0, 1], [5, 6]), Vector(int, 2)
        >>> w.update(v + v)
        >>> w.to_dict()
        {0: 10, 1: 12}
        """
        updates.update(self, expr, desc=descriptor_from_options(opts))

    _update = updates.update

    def __bool__(self) -> bool:
        raise TypeError(
            f"__bool__ not defined for objects of type {type(self)}.  Perhaps use .nvals attribute instead: "
            "`if x.nvals:` asks for entries, `x.reduce(monoid.lor)` for true ones, `x.isequal(y)` compares."
        )

    def __str__(self) -> str:
        recording.read("the entries", self)  # `repr` shows no values while a body is recorded: debuggers call it
        with recording.paused():
            return repr(self)

    def __array__(self, dtype: DTypeLike | None = None, *, copy: object = None) -> Any:
        raise TypeError(
            f"{type(self).__name__} can't be directly converted to a numpy array; "
            f"perhaps use `{self.name}.to_coo()` or `.to_dense()` instead."
        )

    @reports_memory
    def to(self: Any, backend: str) -> Any:
        """This object on another backend: itself if it is there already, else a copy.

        Parameters
        ----------
        backend : str
            "auto", "cpu", "cuda", "numpy" or "mpi".

        Raises
        ------
        ValueError
            No backend has this name.
        RuntimeError
            The backend is not available: CuPy, a device or MPI is missing.

        Examples
        --------
        >>> import grblas_gpu as gb
        >>> gb.Vector(int, 3).to("numpy").backend
        'numpy'
        """
        engine = get_engine(backend)
        if engine is self._engine:
            return self
        recording.read("the entries", self)
        with recording.paused():
            content = self._get() if self._is_scalar else engine.adopt(self._engine.export(self._store))
            copy = self.dup(clear=True)
            copy._engine = engine
            if self._is_scalar:
                copy._set(content)
            else:
                copy._store = content
        return copy

    @property
    def _name_html(self) -> str:
        return html_name(self.name)

    def _repr_html_(self) -> str:
        from .formatting import html_of

        return html_of(self)


_REPLACE = replace
