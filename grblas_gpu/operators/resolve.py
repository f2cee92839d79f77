"""From what a user writes (an operator, a string, a function) to the operator that is meant."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..dtypes import UINT64, DataType, lookup_dtype, unify
from . import registry
from .base import OpBase, TypedOpBase
from .binary import BinaryOp
from .monoid import Monoid
from .parameterized import ParameterizedUdf
from .registry import OpPath
from .semiring import Semiring
from .unary import UnaryOp

UNKNOWN_OPCLASS = "UnknownOpClass"


def find_opclass(op: Any) -> tuple[Any, str]:
    """The operator itself and the name of its class; parameterized ones are called with their defaults."""
    if isinstance(op, OpBase):
        return op, type(op).__name__
    if isinstance(op, TypedOpBase):
        return op, op.opclass
    if isinstance(op, ParameterizedUdf):
        return find_opclass(op())
    if isinstance(op, BuiltinFunctionType):
        found = builtin_to_op(op)
        if found is not None:
            return find_opclass(found)
    return op, getattr(op, "opclass", UNKNOWN_OPCLASS) if not isinstance(op, (type, ModuleType)) else UNKNOWN_OPCLASS


def get_typed_op(
    op: Any,
    dtype: DataType,
    dtype2: DataType | None = None,
    *,
    is_left_scalar: bool = False,
    is_right_scalar: bool = False,
    kind: str | None = None,
) -> Any:
    """The typed operator for operands of these types.

    ``op`` may be an operator, a typed operator (returned as it is), a string such as ``"+"`` or ``"min_plus[int]"`` of
    this ``kind``, a Python function, or one of ``abs``, ``min``, ``max``.

    >>> from grblas_gpu import binary, dtypes
    >>> get_typed_op(binary.plus, dtypes.INT8, dtypes.FP32)
    binary.plus[FP32]
    >>> get_typed_op("<", dtypes.INT64, kind="binary")
    binary.lt[INT64]
    """
    if isinstance(op, TypedOpBase):
        return op
    try:
        return op._cache[dtype, dtype2]
    except (AttributeError, KeyError, TypeError):
        pass
    if isinstance(op, OpBase):
        typed = _typed_for(op, dtype, dtype2)
        op._cache[dtype, dtype2] = typed
        return typed
    if isinstance(op, ParameterizedUdf):
        return get_typed_op(op(), dtype, dtype2)
    if isinstance(op, str):
        return get_typed_op(_from_kind(op, kind), dtype, dtype2)
    if isinstance(op, FunctionType) and kind is not None:
        if kind == "unary":
            return UnaryOp.register_anonymous(op, is_udt=True)._compile_udt(dtype, dtype2)
        if kind.startswith("binary"):
            return BinaryOp.register_anonymous(op, is_udt=True)._compile_udt(dtype, dtype2)
    if isinstance(op, BuiltinFunctionType) and (found := builtin_to_op(op)) is not None:
        return get_typed_op(found, dtype, dtype2)
    if getattr(op, "opclass", None) == "Aggregator":
        return op.for_dtype(dtype)
    raise TypeError(f"Unable to get typed operator from object with type {type(op)}")


def _typed_for(op: OpBase, dtype: DataType, dtype2: DataType | None) -> Any:
    if op._is_udt:
        return op._compile_udt(dtype, dtype2)
    if dtype2 is None:
        return op[dtype]
    special = op._for_two(dtype, dtype2)
    if special is not None:
        return special
    unified = unify(dtype, dtype2)
    return op[unified] if unified in op or not op.is_positional else op[UINT64]


def builtin_to_op(function: Any) -> Any:
    """Python's ``abs``, ``min`` and ``max`` are operators too."""
    table = {abs: ("unary", "abs"), min: ("binary", "min"), max: ("binary", "max")}
    return registry.builtin(*table[function]) if function in table else None


def semiring_name(monoid: Any, binaryop: Any) -> str:
    """The name under which a semiring is registered: parts of a namespace stay in it."""
    *monoid_path, monoid_name = monoid.name.rsplit(".", 1)
    *binary_path, binary_name = binaryop.name.rsplit(".", 1)
    paths = {*monoid_path, *binary_path}
    if len(paths) == 1 and (monoid_path == binary_path or paths <= set(registry.PARTS)):
        return f"{paths.pop()}.{monoid_name}_{binary_name}"
    return f"{monoid.name}_{binaryop.name}".replace(".", "_")


def get_semiring(monoid: Any, binaryop: Any, name: str | None = None) -> Any:
    """Get or create the semiring of a monoid and a binary operator; typed if either is.

    >>> from grblas_gpu import binary, monoid
    >>> get_semiring(monoid.min, binary.plus)
    semiring.min_plus
    """
    monoid, opclass = find_opclass(monoid)
    switched = False
    if opclass == "BinaryOp" and monoid.monoid is not None:
        switched = True
        monoid = monoid.monoid
    elif opclass != "Monoid":
        raise TypeError(f"Expected a Monoid for the monoid argument.  Got type: {type(monoid)}")
    binaryop, opclass = find_opclass(binaryop)
    if opclass == "Monoid":
        if switched:
            raise TypeError(
                "Got a BinaryOp for the monoid argument and a Monoid for the binaryop argument.  "
                "Are the arguments switched?  Hint: `mymonoid.binaryop` is the binaryop of a monoid."
            )
        binaryop = binaryop.binaryop
    elif opclass != "BinaryOp":
        raise TypeError(f"Expected a BinaryOp for the binaryop argument.  Got type: {type(binaryop)}")
    types = [op.type for op in (binaryop, monoid) if isinstance(op, TypedOpBase)]
    monoid = monoid.parent if isinstance(monoid, TypedOpBase) else monoid
    binaryop = binaryop.parent if isinstance(binaryop, TypedOpBase) else binaryop
    semiring = _untyped_semiring(monoid, binaryop, name)
    return semiring[types[0]] if types else semiring


def _untyped_semiring(monoid: Monoid, binaryop: BinaryOp, name: str | None) -> Any:
    if monoid._anonymous or binaryop._anonymous:
        return Semiring.register_anonymous(monoid, binaryop, name=name)
    canonical = semiring_name(monoid, binaryop)
    semiring = registry.find("semiring", canonical)
    if semiring is None and name is not None:
        semiring = registry.find("semiring", name)
    if semiring is None:
        semiring = Semiring.register_new(canonical, monoid, binaryop)
    elif semiring.monoid is not monoid or semiring.binaryop is not binaryop:
        semiring = Semiring.register_anonymous(monoid, binaryop, name=name)
    if name is not None and registry.find("semiring", name) is None:
        registry.install("semiring", name, semiring)
    return semiring


# Strings

SYMBOLS: dict[str, dict[str, str]] = {
    "unary": {"-": "ainv", "~": "lnot"},
    "binary": {
        "<": "lt",
        ">": "gt",
        "<=": "le",
        ">=": "ge",
        "!=": "ne",
        "==": "eq",
        "+": "plus",
        "-": "minus",
        "*": "times",
        "/": "truediv",
        "//": "floordiv",
        "%": "numpy.mod",
        "**": "pow",
        "&": "land",
        "|": "lor",
        "^": "lxor",
    },
    "monoid": {"==": "eq", "+": "plus", "*": "times", "&": "land", "|": "lor", "^": "lxor"},
    "semiring": {},
    "select": {
        "<": "valuelt",
        ">": "valuegt",
        "<=": "valuele",
        ">=": "valuege",
        "!=": "valuene",
        "==": "valueeq",
        "col<=": "colle",
        "col>": "colgt",
        "row<=": "rowle",
        "row>": "rowgt",
        "index<=": "indexle",
        "index>": "indexgt",
    },
    "agg": {"+": "sum", "*": "prod", "&": "all", "|": "any"},
}
SYMBOLS["indexunary"] = SYMBOLS["select"]
_EXAMPLES = {
    "unary": "abs[int]",
    "binary": "+[int]",
    "monoid": "+[int]",
    "semiring": "min.+[int]",
    "indexunary": "row_index",
    "select": "tril",
    "agg": "sum[int]",
}


def _from_string(string: str, kind: str) -> Any:
    usage = f"Example usage: {_EXAMPLES[kind]!r}"
    base, *brackets = string.lower().strip().split("[")
    if len(brackets) > 1:
        raise ValueError(f'Bad {kind} string: {string!r}.  Contains too many "[".  {usage}')
    if brackets and not brackets[0].endswith("]"):
        raise ValueError(f'Bad {kind} string: {string!r}.  Datatype specification does not end with "]".  {usage}')
    if "]" in base:
        raise ValueError(f'Bad {kind} string: {string!r}.  "]" not matched by "[".  {usage}')
    name = SYMBOLS[kind].get(base, base)
    candidates = (found for path in (name, f"numpy.{name}") if (found := registry.find(kind, path)) is not None)
    op = next((found for found in candidates if not isinstance(found, OpPath)), None) if name else None
    if op is None:
        raise ValueError(f"Unknown {kind} string: {string!r}.  {usage}")
    return op[lookup_dtype(brackets[0][:-1])] if brackets else op


def unary_from_string(string: str) -> Any:
    """``"-"``, ``"abs"``, ``"abs[int]"`` ..."""
    return _from_string(string, "unary")


def binary_from_string(string: str) -> Any:
    """``"+"``, ``"minus"``, ``"%[int]"`` ..."""
    return _from_string(string, "binary")


def monoid_from_string(string: str) -> Any:
    """``"+"``, ``"min[float]"`` ..."""
    return _from_string(string, "monoid")


def indexunary_from_string(string: str) -> Any:
    """``"rowindex"``, ``"<="`` ..."""
    return _from_string(string, "indexunary")


def select_from_string(string: str) -> Any:
    """``"tril"``, ``">"``, ``"row<="`` ..."""
    return _from_string(string, "select")


def aggregator_from_string(string: str) -> Any:
    """``"sum"``, ``"+"`` ..."""
    return _from_string(string, "agg")


def semiring_from_string(string: str) -> Any:
    """``"min_plus"``, ``"min.plus"``, ``"min.+[int]"`` ..."""
    parts = string.split(".")
    if len(parts) == 1:
        try:
            return _from_string(string, "semiring")
        except ValueError:
            pass
    if len(parts) != 2:
        raise ValueError(
            f"Bad semiring string: {string!r}.  The monoid and binaryop should be separated by exactly one period, "
            '".".  Example usage: min.+[int]'
        )
    return get_semiring(monoid_from_string(parts[0]), binary_from_string(parts[1]))


_PARSERS: dict[str, Callable[[str], Any]] = {
    "unary": unary_from_string,
    "binary": binary_from_string,
    "monoid": monoid_from_string,
    "semiring": semiring_from_string,
    "indexunary": indexunary_from_string,
    "select": select_from_string,
    "aggregator": aggregator_from_string,
}


def op_from_string(string: str) -> Any:
    """The first kind of operator that knows the string."""
    for parse in _PARSERS.values():
        try:
            return parse(string)
        except (ValueError, TypeError, KeyError):
            pass
    raise ValueError(f"Unknown op string: {string!r}.  Example usage: 'abs[int]'")


def _from_kind(string: str, kind: str | None) -> Any:
    if kind in _PARSERS:
        return _PARSERS[kind](string)
    if kind == "binary|aggregator":
        for parse in (binary_from_string, aggregator_from_string):
            try:
                return parse(string)
            except ValueError:
                pass
        raise ValueError(f"Unknown binary or aggregator string: {string!r}.  Example usage: '+[int]'")
    raise ValueError(
        f'Unable to get op from string {string!r}.  `kind=` argument must be provided as "unary", "binary", '
        '"monoid", "semiring", "indexunary", "select", or "binary|aggregator".'
    )
