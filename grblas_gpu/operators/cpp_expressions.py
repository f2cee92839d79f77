"""Operators from C++ expression strings: ``BinaryOp.register_new("gap", "x > y ? x - y : y - x")``.

C++ finds types before values: small integers become ``int``, a mixture the larger type, ``1 / 2`` is 0. All that is
decided here, once for every engine: the result is an operator's ``source``, a Python expression that says every
conversion. What C++ leaves undefined (a division of integers by zero, a sum that does not fit) has the value that the
built-in operators give it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import BOOL, INT8, INT32, INT64, REAL_TYPES, DataType, lookup_dtype
from ..errors import UdfParseError
from .cpp_syntax import Node, parse, refuse
from .udf import Arguments

_BOOL, _INT, _FLOAT, _DOUBLE = (np.dtype(name) for name in ("bool", "int32", "float32", "float64"))
_CONSTANTS = {"true": ("True", _BOOL), "false": ("False", _BOOL)}
_CONSTANTS |= {"M_PI": (repr(np.pi), _DOUBLE), "M_E": (repr(np.e), _DOUBLE)}
_CONSTANTS |= {"INFINITY": ("np.float32(np.inf)", _FLOAT), "NAN": ("np.float32(np.nan)", _FLOAT)}
#: Functions of floats: integers become double. Those of C with an `f` at the end compute in float.
_FLOAT_FUNCTIONS = {name: f"np.{name}({{}})" for name in "ceil cos cosh exp exp2 expm1 floor log log10 log1p".split()}
_FLOAT_FUNCTIONS |= {name: f"np.{name}({{}})" for name in "cbrt fabs log2 rint sin sinh sqrt tan tanh trunc".split()}
_FLOAT_FUNCTIONS |= {f"a{name}": f"np.arc{name}({{}})" for name in "cos cosh sin sinh tan tanh".split()}
_FLOAT_FUNCTIONS |= {"erf": "math.erf({})", "erfc": "math.erfc({})", "tgamma": "gamma({})", "lgamma": "log_gamma({})"}
_FLOAT_FUNCTIONS |= {"round": "round_half_away({})"}
_FLOAT_FUNCTIONS |= {"atan2": "math.atan2({}, {})", "hypot": "math.hypot({}, {})", "fmod": "np.fmod({}, {})"}
_FLOAT_FUNCTIONS |= {"copysign": "math.copysign({}, {})", "remainder": "ieee_remainder({}, {})", "pow": "{} ** {}"}
_FLOAT_FUNCTIONS |= {"fmin": "smaller({}, {})", "fmax": "larger({}, {})"}
_FLOAT_TESTS = {name: f"np.{name}({{}})" for name in ("isnan", "isinf", "isfinite", "signbit")}
_CHOICES = {"min": "smaller({}, {})", "max": "larger({}, {})"}
_DEEPEST = 180  # Python reads 200 parentheses inside each other


class Typed(NamedTuple):
    """A Python expression and the type of its value."""

    text: str
    dtype: np.dtype

    def to(self, dtype: np.dtype) -> str:
        """Converted; floats to integers saturate."""
        if dtype == self.dtype:
            return self.text
        if dtype.kind == "b":
            return f"({self.text} != 0)"
        if self.dtype.kind != "f" or dtype.kind == "f":
            return f"np.{dtype.name}({self.text})"
        low, high = _limits(dtype)
        if dtype.kind == "u":
            return f"np.{dtype.name}(saturate_unsigned({self.text}, {high}))"
        return f"np.{dtype.name}(saturate_signed({self.text}, {low}, {high}))"


def _limits(dtype: np.dtype) -> tuple[str, str]:
    limits, wide = np.iinfo(dtype), "np.uint64" if dtype.kind == "u" else "np.int64"
    return f"{wide}({limits.min})", f"{wide}({limits.max})"


def promoted(dtype: np.dtype) -> np.dtype:
    """Integers smaller than ``int`` are computed as ``int``."""
    return _INT if dtype.kind == "b" or (dtype.kind in "iu" and dtype.itemsize < 4) else dtype


def common(*dtypes: np.dtype) -> np.dtype:
    """The type in which C++ computes with a mixture.

    >>> common(np.dtype("int8"), np.dtype("int8")), common(np.dtype("int32"), np.dtype("uint32"))
    (dtype('int32'), dtype('uint32'))
    >>> common(np.dtype("float32"), np.dtype("int64"))
    dtype('float32')
    """
    return max((promoted(dtype) for dtype in dtypes), key=lambda each: (each.kind == "f", each.itemsize, each.kind))


def source(text: str, operands: Mapping[str, np.dtype]) -> Typed:
    """The Python expression of a C++ one over operands of these types.

    >>> source("x / 2", {"x": np.dtype("float32")}).text
    'divide(x, np.float32(np.int32(2)))'
    """
    try:
        typed = _Renderer(text, operands).visit(parse(text))
    except RecursionError:
        refuse(text, 0, "too many operations inside each other")
    if _depth(typed.text) > _DEEPEST:
        refuse(text, 0, "too many operations inside each other")
    return typed


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


class _Renderer:
    """One method for each kind of node."""

    def __init__(self, text: str, operands: Mapping[str, np.dtype]) -> None:
        self.text = text
        self.operands = operands

    def visit(self, node: Node) -> Typed:
        return getattr(self, f"_{node.kind}")(node)

    def _truth(self, node: Node) -> str:
        return self.visit(node).to(_BOOL)

    def _number(self, node: Node) -> Typed:
        written = node.value.lower()
        is_hex = written.startswith("0x")
        digits = written.rstrip("ul") if is_hex else written.rstrip("ulf")
        suffix = written[len(digits) :]
        try:
            if not is_hex and set(digits) & set(".e"):
                dtype = {"": _DOUBLE, "f": _FLOAT}[suffix]
                if float(digits) > float(np.finfo(dtype).max):  # as float64: the other way round would warn
                    raise ValueError("too large")
                return Typed(f"np.{dtype.name}({float(digits)!r})", dtype)
            value = int(digits, 16 if is_hex else 8 if len(digits) > 1 and digits[0] == "0" else 10)
            dtype = next(each for each in _INTEGERS[suffix, is_hex] if value <= np.iinfo(each).max)
            return Typed(f"np.{dtype.name}({value})", dtype)
        except (KeyError, ValueError, StopIteration):
            refuse(self.text, node.at, f"`{node.value}` is not a number that C++ has")

    def _name(self, node: Node) -> Typed:
        name = ALIASES.get(node.value, node.value) if "i" in self.operands else node.value
        if name in self.operands:
            return Typed(name, self.operands[name])
        if node.value not in _CONSTANTS:
            known = ", ".join(self.operands)
            refuse(self.text, node.at, f"`{node.value}` is not known here (the operands are called {known})")
        return Typed(*_CONSTANTS[node.value])

    def _cast(self, node: Node) -> Typed:
        dtype = np.dtype(node.value)
        return Typed(self.visit(node.parts[0]).to(dtype), dtype)

    def _choice(self, node: Node) -> Typed:
        test = self._truth(node.parts[0])
        yes, no = (self.visit(part) for part in node.parts[1:])
        dtype = yes.dtype if yes.dtype == no.dtype else common(yes.dtype, no.dtype)
        return Typed(f"({yes.to(dtype)} if {test} else {no.to(dtype)})", dtype)

    def _unary(self, node: Node) -> Typed:
        if node.value == "!":
            return Typed(f"(not {self._truth(node.parts[0])})", _BOOL)
        operand = self.visit(node.parts[0])
        dtype = promoted(operand.dtype)
        if node.value == "+":
            return Typed(operand.to(dtype), dtype)
        if node.value == "~":
            self._check_integers(node, dtype)
        return Typed(f"np.{dtype.name}({node.value}{operand.to(dtype)})", dtype)

    def _binary(self, node: Node) -> Typed:
        if node.value in ("&&", "||"):
            word = "and" if node.value == "&&" else "or"
            return Typed(f"({self._truth(node.parts[0])} {word} {self._truth(node.parts[1])})", _BOOL)
        left, right = (self.visit(part) for part in node.parts)
        if node.value in ("<<", ">>"):
            return self._shift(node, left, right)
        dtype = common(left.dtype, right.dtype)
        x, y = left.to(dtype), right.to(dtype)
        if node.value in ("==", "!=", "<", ">", "<=", ">="):
            return Typed(f"({x} {node.value} {y})", _BOOL)
        if node.value in "%&|^":
            self._check_integers(node, dtype)
        if node.value in "/%":
            return Typed(_divided(node.value, x, y, dtype), dtype)
        return Typed(f"np.{dtype.name}({x} {node.value} {y})", dtype)

    def _shift(self, node: Node, left: Typed, right: Typed) -> Typed:
        dtype = promoted(left.dtype)
        self._check_integers(node, dtype, right.dtype)
        bits = dtype.itemsize * 8
        if node.value == "<<":
            text = f"left_shift({left.to(dtype)}, {right.to(INT64.np_type)}, {bits})"
        elif dtype.kind == "u":
            text = f"unsigned_right_shift({left.to(dtype)}, {right.to(np.dtype('uint64'))}, {bits})"
        else:
            text = f"signed_right_shift({left.to(dtype)}, {right.to(INT64.np_type)}, {bits})"
        return Typed(f"np.{dtype.name}({text})", dtype)

    def _check_integers(self, node: Node, *dtypes: np.dtype) -> None:
        for dtype in dtypes:
            if dtype.kind == "f":
                refuse(self.text, node.at, f"`{node.value}` takes integers, not {lookup_dtype(dtype)}")

    def _call(self, node: Node) -> Typed:
        name = node.value.removeprefix("std::")
        single = name[:-1] if name.endswith("f") and name[:-1] in _FLOAT_FUNCTIONS else ""
        for table in (_FLOAT_FUNCTIONS, _FLOAT_TESTS, _CHOICES, {"abs": "abs({})"}):
            form = table.get(single or name)
            if form is not None:
                break
        else:
            refuse(self.text, node.at, f"`{name}` is not among the functions that are known here")
        if form.count("{}") != len(node.parts):
            refuse(self.text, node.at, f"`{name}` takes {form.count('{}')} arguments, not {len(node.parts)}")
        operands = [self.visit(part) for part in node.parts]
        dtype = common(*(operand.dtype for operand in operands))
        if (single or name) in _FLOAT_FUNCTIONS or name in _FLOAT_TESTS:
            dtype = _FLOAT if single else dtype if dtype.kind == "f" else _DOUBLE
        text = form.format(*(operand.to(dtype) for operand in operands))
        if name in _FLOAT_TESTS:
            return Typed(f"bool({text})", _BOOL)
        return Typed(f"np.{dtype.name}({text})", dtype)


def _divided(operator: str, x: str, y: str, dtype: np.dtype) -> str:
    """Integers are divided towards zero."""
    if dtype.kind == "f":
        return f"divide({x}, {y})"
    low, high = _limits(dtype)
    if operator == "/":
        text = f"unsigned_divide({x}, {y}, {high})" if dtype.kind == "u" else f"signed_divide({x}, {y}, {low}, {high})"
    else:
        text = f"np.fmod({x}, {y})" if dtype.kind == "u" else f"signed_fmod({x}, {y})"
    return f"np.{dtype.name}({text})"


#: Other names of the operands of index-unary operators.
ALIASES = {"row": "i", "col": "j", "thunk": "y"}
_SIGNED, _UNSIGNED = ([np.dtype(f"{sign}int{bits}") for bits in (32, 64)] for sign in ("", "u"))
_MIXED = [_SIGNED[0], _UNSIGNED[0], _SIGNED[1], _UNSIGNED[1]]
#: The types of an integer literal with this suffix; the first that holds it counts. Hexadecimal ones may be unsigned.
_INTEGERS: dict[tuple[str, bool], list[np.dtype]] = {("", False): _SIGNED, ("", True): _MIXED}
for _is_hex in (False, True):
    _INTEGERS |= {("u", _is_hex): _UNSIGNED}
    _INTEGERS |= {(suffix, _is_hex): _MIXED[2:] if _is_hex else _SIGNED[1:] for suffix in ("l", "ll")}
    _INTEGERS |= {(suffix, _is_hex): _UNSIGNED[1:] for suffix in ("ul", "ull", "lu", "llu")}


class CppExpression:
    """A C++ expression with the interface of :class:`~.udf.Compiled`; no type has to be compiled to know the result."""

    dispatcher = None

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.text = text
        self.names = names
        self._typed: dict[Arguments, Typed | None] = {}

    def arguments(self, dtype: DataType, dtype2: DataType) -> Arguments:
        types = {"x": dtype, "i": INT64, "j": INT64, "y": dtype2}
        return tuple(types[name] for name in self.names)

    def _for(self, arguments: Arguments) -> Typed | None:
        """None where C++ has no such operation for these types."""
        if arguments not in self._typed:
            try:
                self._typed[arguments] = self._render(arguments)
            except UdfParseError:
                self._typed[arguments] = None
        return self._typed[arguments]

    def _render(self, arguments: Arguments) -> Typed:
        if any(each.np_type.kind not in "biuf" for each in arguments):
            raise UdfParseError(
                f"{self.text!r}: expressions of C++ are for numbers and truth values, not {arguments[0]}"
            )
        return source(self.text, {name: each.np_type for name, each in zip(self.names, arguments, strict=True)})

    def exact(self, dtype: DataType, dtype2: DataType) -> DataType | None:
        """The type of the expression in C++."""
        typed = self._for(self.arguments(dtype, dtype2))
        return None if typed is None else lookup_dtype(typed.dtype)

    def adjusted(self, dtype: DataType) -> DataType | None:
        """As users mean it: INT8 + INT8 is an ``int`` in C++, but an INT8 is expected."""
        result = self.exact(dtype, dtype)
        if result is None or result is dtype:
            return result
        if any(family in result.name and family in dtype.name for family in ("INT", "FP")):
            return dtype
        if dtype is BOOL and result is INT32 and self.adjusted(INT8) is INT8:
            return INT8
        return result

    def check(self) -> DataType:
        """The return type for the first type that has one; integers have all operations."""
        self._render(self.arguments(INT64, INT64))  # raises errors that do not depend on the type
        return next(result for dtype in REAL_TYPES if (result := self.adjusted(dtype)) is not None)

    def source(self, dtype: DataType, dtype2: DataType) -> str | None:
        typed = self._for(self.arguments(dtype, dtype2))
        return None if typed is None else typed.text

    def vectorized(self, arguments: Arguments, result: DataType) -> Callable[..., Any]:
        """The expression on arrays, compiled at the first call."""
        ufunc: Any = None

        def call(*operands: Any) -> Any:
            nonlocal ufunc
            if ufunc is None:
                import numba

                signature = result.numba_type(*(argument.numba_type for argument in arguments))
                ufunc = numba.vectorize([signature])(self._function(arguments))
            with np.errstate(all="ignore"):
                return ufunc(*operands, casting="unsafe")

        return call

    def _function(self, arguments: Arguments) -> Callable[..., Any]:
        """The Python function of these types."""
        from . import prelude  # late: it imports Numba

        namespace = dict(vars(prelude))
        exec(f"def function({', '.join(self.names)}): return {self._render(arguments).text}", namespace)
        return namespace["function"]
