"""Python expressions and simple functions as C++.

The operators' ``source`` and user-defined functions are walked as syntax trees. C++ templates (``kernels/prelude.cuh``,
namespace ``py``) implement Python's meaning of each operation and find the types, so the walk itself needs none. One
rule differs from Numba's: UINT64 combined with a signed integer stays UINT64, where Numba makes it a float.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, reduce
from numbers import Number
from operator import getitem
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from ....dtypes import SUBARRAY, is_subarray, leaves
from ....foundation.types import Udf
from . import structs

C_TYPES = {
    np.dtype(name): name if name != "bool" else "bool"
    for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
} | {np.dtype("float32"): "float", np.dtype("float64"): "double"}
C_TYPES |= {np.dtype("complex64"): "complex<float>", np.dtype("complex128"): "complex<double>"}  # kernels/complex.cuh

_BINARY: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "mod",
    ast.Pow: "power",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_right",
}
_UNARY: dict[type, str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARE: dict[type, str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}

#: The functions of ``operators/prelude.py`` that exist in ``prelude.cuh`` under the same name.
HELPERS = frozenset(
    "binomial bit_clear bit_get bit_set complex_angle complex_ceil complex_conjugate complex_divide complex_floor "
    "complex_inverse complex_is_close complex_maximum complex_minimum complex_of complex_power complex_round "
    "complex_signum complex_trunc divide float_floor_divide float_power frexp_exponent frexp_fraction gamma "
    "ieee_remainder is_close larger least_common_multiple left_shift load_exponent log_gamma maximum minimum "
    "round_half_away saturate_signed saturate_unsigned signed_divide signed_floor_divide signed_fmod signed_mod "
    "signed_power signed_right_shift signed_shift signum smaller unsigned_divide unsigned_floor_divide unsigned_power "
    "unsigned_right_shift unsigned_shift".split()
)
_BOTH = (
    "cbrt copysign cos cosh erf erfc exp exp2 expm1 fabs gcd hypot isfinite isinf isnan log log10 log1p log2 nextafter "
    "sin sinh sqrt tan tanh"
).split()
_ARC = ["acos", "acosh", "asin", "asinh", "atan", "atanh"]
_FROM_NUMPY = {name: name for name in [*_BOTH, *"ceil floor fmod logaddexp logaddexp2 mod rint".split()]}
_FROM_NUMPY |= {name: name for name in "deg2rad maximum minimum rad2deg signbit spacing square trunc".split()}
_FROM_NUMPY |= {f"arc{name[1:]}": name for name in _ARC} | {name: name for name in _ARC}
_FROM_NUMPY |= {"arctan2": "atan2", "fmax": "larger", "fmin": "smaller", "power": "power", "remainder": "mod"}
_FROM_NUMPY |= {"abs": "absolute", "absolute": "absolute", "sign": "signum", "float_power": "float_power"}
_FROM_NUMPY |= {"degrees": "rad2deg", "radians": "deg2rad"}
_FROM_NUMPY |= {"add": "same_add", "subtract": "same_sub", "multiply": "same_mul", "negative": "same_neg"}
_FROM_NUMPY |= {"divide": "divide", "true_divide": "divide", "positive": "pos", "conj": "pos", "conjugate": "pos"}
_FROM_NUMPY |= {"bitwise_and": "same_and", "bitwise_or": "same_or", "bitwise_xor": "same_xor", "ldexp": "same_ldexp"}
_FROM_NUMPY |= {"invert": "same_invert", "bitwise_not": "same_invert", "equal": "eq", "not_equal": "ne"}
_FROM_NUMPY |= {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
_FROM_NUMPY |= {f"logical_{name}": f"logical_{name}" for name in ("and", "or", "xor", "not")}
_FROM_MATH = {name: name for name in [*_BOTH, *_ARC, "atan2"]} | {"fmod": "fmod", "pow": "power", "gamma": "gamma"}
_FROM_MATH |= {"ceil": "int_ceil", "floor": "int_floor", "trunc": "int_trunc", "lgamma": "log_gamma"}
_FROM_MATH |= {
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "remainder": "ieee_remainder",
    "lcm": "least_common_multiple",
}
_BUILTINS = {"abs": "absolute", "pow": "power", "round": "int_round"}
_PARTS = {"real": "real_part", "imag": "imaginary_part"}
_OF_ALL = {"sum": "sum_of", "prod": "product_of", "min": "least_of", "max": "largest_of"}  # methods of sub-arrays
_FOLDED = {"min": "min2", "max": "max2"}
_CASTS: dict[type, str] = {bool: "bool", int: "int64", float: "double"} | {
    dtype.type: name for dtype, name in C_TYPES.items()
}
MOST_STATEMENTS = 200  # an `if` repeats the following statements in both branches
Defined = ast.FunctionDef | ast.Lambda


class Untranslatable(Exception):
    """Why a function has no translation; :func:`shown` gives the function to show with it."""


def c_type(dtype: np.dtype) -> str:
    """
    >>> c_type(np.dtype("int8")), c_type(np.dtype("float32"))
    ('int8', 'float')
    """
    dtype = np.dtype(dtype)
    return structs.c_type(dtype, C_TYPES.__getitem__) if dtype.kind == "V" else C_TYPES[dtype]


def literal(value: Any, dtype: np.dtype) -> str:
    """A Python scalar, or a record, as a constant of this type.

    >>> literal(3, np.dtype("uint8")), literal(float("-inf"), np.dtype("float64"))
    ('uint8(3ll)', '-infinity<double>()')
    """
    name = c_type(dtype)
    if dtype.kind == "V":
        lines: list[str] = []
        for path, (at, kind) in zip(leaves(dtype), structs.parts(dtype), strict=True):
            part = reduce(getitem, path[0], value[SUBARRAY] if is_subarray(dtype) else value)
            lines.append(f"made{at} = {literal(part, kind)};")
        return f"([] {{ {name} made; {' '.join(lines)} return made; }}())"
    if name == "bool":
        return "true" if value else "false"
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return f"{name}({literal(value.real, part)}, {literal(value.imag, part)})"
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return f"{name}({_float(float(value))})" if math.isfinite(value) else _float(float(value), name)
    return f"{name}({_integer(int(value))})"


def _integer(value: int) -> str:
    if value == -(2**63):
        return "limits<int64>::low"
    if not -(2**63) < value < 2**64:
        raise Untranslatable(f"{value} does not fit into 64 bits")
    return f"{value}ll" if value < 2**63 else f"{value}ull"


def _float(value: float, name: str = "double") -> str:
    if value != value:
        return f"not_a_number<{name}>()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}infinity<{name}>()"
    return repr(value)


def _constant(value: object) -> str:
    """A number as Numba types it: integers are INT64, floats FP64; NumPy scalars keep their type."""
    if isinstance(value, np.generic) and value.dtype in C_TYPES:
        return literal(value.item(), value.dtype)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{'int64' if value < 2**63 else 'uint64'}({_integer(value)})"
    if isinstance(value, float):
        return _float(value)
    raise Untranslatable(f"{value!r} is not a number")


class Expressions(ast.NodeVisitor):
    """Expressions over named values; ``names`` maps Python names to C++ ones, ``values`` finds everything else.

    With ``fields``, named values may be records and sub-arrays.
    """

    def __init__(
        self, names: Mapping[str, str], values: Mapping[str, object], helpers: bool, fields: bool = False
    ) -> None:
        self.names = dict(names)
        self.values = values
        self.helpers = helpers
        self.fields = fields

    def text(self, node: ast.expr) -> str:
        return self.visit(node)

    def condition(self, node: ast.expr) -> str:
        return f"py::truth({self.text(node)})"

    def generic_visit(self, node: ast.AST) -> str:
        raise Untranslatable(f"`{ast.unparse(node)}` ({type(node).__name__}) has no translation")

    def visit_Constant(self, node: ast.Constant) -> str:
        return _constant(node.value)

    def visit_Name(self, node: ast.Name) -> str:
        if node.id in self.names:
            return self.names[node.id]
        return self._value(node)

    def visit_Attribute(self, node: ast.Attribute) -> str:
        if self._is_inside(node) and node.attr in _PARTS:
            return f"py::{_PARTS[node.attr]}({self.text(node.value)})"
        if self.fields and self._is_inside(node):
            return f"{self.text(node.value)}.{structs.member(node.attr)}"
        return self._value(node)

    def _is_inside(self, node: ast.expr) -> bool:
        """Whether this is a part of a named value, or the value itself."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.names

    def visit_Subscript(self, node: ast.Subscript) -> str:
        """A field by its name or number, or elements of a sub-array."""
        if not (self.fields and self._is_inside(node)):
            return self.generic_visit(node)
        of, index = self.text(node.value), self._index(node.slice)
        if isinstance(index, str):
            return f"{of}.{structs.member(index)}"
        if isinstance(index, int):
            return f"py::item_at<{index}>({of})"
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return f"py::item({of}, {', '.join(self.text(place) for place in places)})"

    def _index(self, node: ast.expr) -> object:
        """The text in brackets, if it is known before the function runs."""
        try:
            return ast.literal_eval(node)
        except ValueError:
            pass
        if (
            isinstance(node, ast.Name)
            and node.id not in self.names
            and isinstance(self.values.get(node.id), (int, str))
        ):
            return self.values[node.id]
        return None

    def _value(self, node: ast.expr) -> str:
        value = self._resolve(node)
        if isinstance(value, Number | np.generic):
            return _constant(value)
        raise Untranslatable(f"`{ast.unparse(node)}` is not a number: {value!r}")

    def _resolve(self, node: ast.expr) -> object:
        """The Python object that a name outside of the function stands for."""
        if isinstance(node, ast.Attribute):
            owner = self._resolve(node.value)
            try:
                return getattr(owner, node.attr)
            except AttributeError as error:
                raise Untranslatable(str(error)) from None
        if isinstance(node, ast.Name) and node.id in self.values:
            return self.values[node.id]
        raise Untranslatable(f"`{ast.unparse(node)}` is not known before the function runs")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"(!{self.condition(node.operand)})"
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value: Any = node.operand.value
            return _constant(-value)
        return f"py::{_UNARY[type(node.op)]}({self.text(node.operand)})"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        if type(node.op) not in _BINARY:
            return self.generic_visit(node)
        return f"py::{_BINARY[type(node.op)]}({self.text(node.left)}, {self.text(node.right)})"

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        name = "py::both" if isinstance(node.op, ast.And) else "py::one_of"
        return _fold(name, [self.text(value) for value in node.values])

    def visit_Compare(self, node: ast.Compare) -> str:
        operands = [self.text(operand) for operand in (node.left, *node.comparators)]
        parts = []
        for op, left, right in zip(node.ops, operands[:-1], operands[1:], strict=True):
            if type(op) not in _COMPARE:
                return self.generic_visit(node)
            parts.append(f"py::{_COMPARE[type(op)]}({left}, {right})")
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return f"py::choose({self.condition(node.test)}, {self.text(node.body)}, {self.text(node.orelse)})"

    def visit_Call(self, node: ast.Call) -> str:
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise Untranslatable(f"`{ast.unparse(node)}`: only plain arguments are translated")
        arguments = [self.text(argument) for argument in node.args]
        if self.fields and (found := self._of_all(node.func, arguments)) is not None:
            return found
        if self.helpers and isinstance(node.func, ast.Name) and node.func.id in HELPERS:
            return f"py::{node.func.id}({', '.join(arguments)})"
        function = self._resolve(node.func)
        if function in (min, max) and len(arguments) > 1:
            return _fold(f"py::{_FOLDED[function.__name__]}", arguments)
        if isinstance(function, type) and function in _CASTS and len(arguments) == 1:
            return f"cast<{_CASTS[function]}>({arguments[0]})"
        name = _known_functions().get(function)
        if name is None:
            raise Untranslatable(f"`{ast.unparse(node.func)}` is not among the functions that have a translation")
        return f"py::{name}({', '.join(arguments)})"

    def _of_all(self, function: ast.expr, arguments: list[str]) -> str | None:
        """``x.sum()`` or ``np.sum(x)`` of a sub-array."""
        if not isinstance(function, ast.Attribute) or function.attr not in _OF_ALL:
            return None
        name = f"py::{_OF_ALL[function.attr]}"
        if isinstance(function.value, ast.Name) and self.values.get(function.value.id) is np and len(arguments) == 1:
            return f"{name}({arguments[0]})"
        return None if arguments else f"{name}({self.text(function.value)})"


def _fold(name: str, operands: list[str]) -> str:
    """
    >>> _fold("f", ["a", "b", "c"])
    'f(f(a, b), c)'
    """
    result = operands[0]
    for operand in operands[1:]:
        result = f"{name}({result}, {operand})"
    return result


@cache
def _known_functions() -> dict[Hashable, str]:
    """Python functions, by identity, to the names of their C++ versions."""
    import builtins

    known: dict[Hashable, str] = {}
    for module, table in ((np, _FROM_NUMPY), (math, _FROM_MATH), (builtins, _BUILTINS)):
        for name, target in table.items():
            if hasattr(module, name):
                known[getattr(module, name)] = target
    return known


def _builtin_values() -> dict[str, object]:
    import builtins

    return vars(builtins) | {"np": np, "math": math}


@cache
def expression(source: str) -> str:
    """The C++ form of an operator's ``source`` over the variables x, y, i, j.

    >>> expression("x if x < y else y")
    'py::choose(py::truth(py::lt(x, y)), x, y)'
    """
    walker = Expressions({name: name for name in "xyij"}, _builtin_values(), helpers=True)
    return walker.text(ast.parse(source, mode="eval").body)


# --- user-defined functions ------------------------------------------------------------------------------------------


def body(function: Udf, parameters: Iterable[str], result: np.dtype, fields: bool = False) -> str:
    """The statements of a user-defined function of these C++ parameters that returns a ``result``.

    With ``fields``, some of the parameters are records or sub-arrays.
    """
    function = getattr(function, "py_func", function)  # the Python function of a Numba dispatcher
    return _Statements(function, _syntax_tree(function), tuple(parameters), result, fields).text


def shown(function: Udf) -> str:
    """The text of a function as error messages show it."""
    function = getattr(function, "py_func", function)
    name = getattr(function, "__name__", repr(function))
    try:
        text = textwrap.dedent(inspect.getsource(function))
        node = _syntax_tree(function)
        text = ast.unparse(node) if isinstance(node, ast.Lambda) else text
    except (OSError, TypeError):
        text = f"{name}: no source text"
    except Untranslatable:
        pass
    return textwrap.indent(text.rstrip(), "    ")


class _Statements:
    """Straight-line assignments, ``if`` and ``return``; each assignment makes a new C++ variable."""

    def __init__(
        self, function: Udf, node: Defined, parameters: tuple[str, ...], result: np.dtype, fields: bool
    ) -> None:
        self.result = result
        self.helpers = getattr(function, "helpers", False)
        self.fields = fields
        self.count = 0
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise Untranslatable("only plain parameters are translated")
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        defaults = [_constant(value) for value in function.__defaults__ or ()]
        given = dict(zip(names, parameters, strict=False))
        missing = names[len(parameters) :]
        if len(missing) > len(defaults) or len(names) < len(parameters):
            raise Untranslatable(f"it takes {len(names)} parameters, the operator has {len(parameters)}")
        if missing:
            given |= dict(zip(missing, defaults[-len(missing) :], strict=True))
        self.values = _outside(function)
        statements = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
        self.text = textwrap.indent(self._block(statements, given), "    ")

    def _block(self, statements: Sequence[ast.stmt], names: dict[str, str]) -> str:
        lines: list[str] = []
        names = dict(names)
        for number, statement in enumerate(statements):
            self.count += 1
            if self.count > MOST_STATEMENTS:
                raise Untranslatable("it has too many branches")
            walker = Expressions(names, self.values, self.helpers, self.fields)
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    raise Untranslatable("it returns nothing")
                branch = statement.value
                if isinstance(branch, ast.IfExp) and isinstance(branch.body, ast.Tuple):
                    statement = ast.If(branch.test, [ast.Return(branch.body)], [ast.Return(branch.orelse)])
                else:
                    return "".join([*lines, *self._returned(branch, walker)])
            if isinstance(statement, ast.If):
                rest = statements[number + 1 :]
                yes = self._block([*statement.body, *rest], names)
                no = self._block([*statement.orelse, *rest], names)
                test = walker.condition(statement.test)
                lines.append(f"if ({test}) {{\n{_indented(yes)}}} else {{\n{_indented(no)}}}\n")
                return "".join(lines)
            if isinstance(statement, ast.Pass) or _is_docstring(statement):
                continue
            lines += self._assignment(statement, names, walker)
        raise Untranslatable("a path through it ends without a return")

    def _returned(self, value: ast.expr, walker: Expressions) -> list[str]:
        """A tuple is the numbers of a record, in order."""
        name = c_type(self.result)
        if not isinstance(value, ast.Tuple):
            return [f"return cast<{name}>({walker.text(value)});\n"]
        parts = structs.parts(self.result)
        if len(parts) != len(value.elts):
            raise Untranslatable(f"it returns {len(value.elts)} numbers for a type of {len(parts)}")
        lines = [f"{name} made;\n"]
        for (at, kind), each in zip(parts, value.elts, strict=True):
            lines.append(f"made{at} = cast<{c_type(kind)}>({walker.text(each)});\n")
        return [*lines, "return made;\n"]

    def _assignment(self, statement: ast.stmt, names: dict[str, str], walker: Expressions) -> list[str]:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            current = ast.Name(statement.target.id, ast.Load())
            pairs: list[tuple[ast.expr, ast.expr]] = [
                (statement.target, ast.BinOp(current, statement.op, statement.value))
            ]
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            pairs = [(statement.target, statement.value)]
        elif isinstance(statement, ast.Assign):
            pairs = [pair for target in statement.targets for pair in _pairs(target, statement.value)]
        else:
            first_line = ast.unparse(statement).splitlines()[0]
            raise Untranslatable(f"`{first_line}` ({type(statement).__name__}) has no translation")
        lines, made = [], {}
        for target, value in pairs:
            if not isinstance(target, ast.Name):
                raise Untranslatable(f"`{ast.unparse(target)}` cannot be assigned to")
            self.count += 1
            made[target.id] = f"{target.id}_{self.count}" if target.id.isascii() else f"v_{self.count}"
            lines.append(f"auto {made[target.id]} = {walker.text(value)};\n")
        names |= made
        return lines


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """``a, b = x, y`` as two assignments that both see the old values."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _outside(function: Udf) -> dict[str, object]:
    """Names from around the function: constants as they are now, as with Numba."""
    free = inspect.getclosurevars(function)
    return _builtin_values() | dict(free.builtins) | dict(free.globals) | dict(free.nonlocals)


def _syntax_tree(function: Udf) -> Defined:
    """The tree of a function; a lambda is looked up in the lines that contain it."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise Untranslatable("its source text is not available") from None
    tree = _parse_part(text)
    if tree is None:
        raise Untranslatable("its source text cannot be read on its own")
    code: CodeType = function.__code__
    if code.co_name != "<lambda>":
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                return node
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    found = [node for node in lambdas for imported in _imported(function) if _same_code(node, code, imported)]
    if not found:
        raise Untranslatable("it was not found in its source text")
    return found[0]


def _parse_part(text: str) -> ast.AST | None:
    """Lines around a lambda may begin or end in the middle of a statement: drop the other parts."""
    for candidate in (text, f"({text.strip().rstrip(',')})", *_lambda_parts(text)):
        try:
            return ast.parse(candidate)
        except SyntaxError:
            continue
    return None


def _lambda_parts(text: str) -> Iterable[str]:
    start = text.find("lambda")
    while start >= 0:
        for stop in range(len(text), start + len("lambda"), -1):
            yield f"({text[start:stop]})"
        start = text.find("lambda", start + 1)


def _imported(function: Udf) -> Iterable[list[str]]:
    """What a module may have imported: calls of functions of such a name compile to something else."""
    names = [name for name in function.__code__.co_names if name.isidentifier()]
    return [], [name for name in names if isinstance(function.__globals__.get(name), ModuleType)], names


def _same_code(node: ast.Lambda, code: CodeType, imported: list[str]) -> bool:
    """Whether this lambda compiles to that code, inside a function that has the variables it encloses."""
    imports = "".join(f"import {name}\n" for name in imported)
    around: Any = ast.parse(f"{imports}def around({', '.join(code.co_freevars)}): return 0")
    around.body[-1].body[0].value = node
    module = compile(ast.fix_missing_locations(around), "<lambda>", "exec")
    outer = next(constant for constant in module.co_consts if isinstance(constant, CodeType))
    made = next(constant for constant in outer.co_consts if isinstance(constant, CodeType))
    return all(
        getattr(made, name) == getattr(code, name)
        for name in ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars")
    )
