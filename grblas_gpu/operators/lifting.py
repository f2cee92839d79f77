"""Built-in operators on user-defined types: number by number, in every field and element."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import DataType, is_subarray, leaves, lookup_dtype, unify
from ..foundation.types import Udf
from .reductions import quiet

if TYPE_CHECKING:
    from ..foundation.types import Array, Function
    from .tables import Row

#: The operators that are defined by what they are on numbers.
LIFTED = frozenset(["plus", "minus", "times", "truediv", "floordiv", "min", "max", "ainv", "abs"])
#: Comparisons of two types of records, or of records with a number: what they make of those of the numbers.
REDUCING: dict[str, Function] = {"eq": np.all, "ne": np.any}
#: The kinds of NumPy types that hold a Python number.
KINDS: dict[type, str] = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}


def like(np_type: np.dtype, kind: Callable[[np.dtype], np.dtype]) -> np.dtype:
    """The same fields and arrays, of other numbers.

    >>> like(np.dtype([("a", np.int8), ("b", np.float32, (2,))]), lambda each: np.dtype(bool))
    dtype([('a', '?'), ('b', '?', (2,))])
    """
    if np_type.subdtype is not None:
        return np.dtype((like(np_type.base, kind), np_type.shape))
    if np_type.names is None:
        return kind(np_type)
    fields = [(name, like(np_type[name], kind)) for name in np_type.names]
    same = all(each == np_type[name] for name, each in fields)
    return np_type if same else np.dtype(fields, align=np_type.isalignedstruct)


def same_fields(x: DataType, y: DataType) -> bool:
    """Whether their values have the same fields and shapes; all numbers have."""
    if x is y or not (x._is_udt or y._is_udt):
        return True
    first, second = (like(each.np_type, lambda _: np.dtype(bool)) for each in (x, y))
    return first == second


def number_in(dtype: DataType, value: complex) -> DataType:
    """The type of a Python number for every number of a record: that of the record, if it can hold such a number."""
    return lookup_dtype(
        like(dtype.np_type, lambda kind: kind if kind.kind in KINDS[type(value)] else np.dtype(type(value)))
    )


def result_type(row: Row, *dtypes: DataType) -> DataType:
    """The fields of the operands in the types that the operator returns, of which a number is in every field of the
    other operand; KeyError if the fields do not match, or the operator does not take one of their types."""

    def refuse(reason: str) -> KeyError:
        return KeyError(f"{row.name} does not work with {_names(dtypes)}: {reason}")

    def shape_of(given: tuple[np.dtype, ...]) -> tuple[int, ...]:
        shapes = {each.shape for each in given}
        if len(shapes) == 1:
            return given[0].shape
        whole = dtypes[0].subarray
        if whole is None or given[0] != whole or whole.base.names is not None:  # in fields
            raise refuse("record UDTs must have the same shape for each field")
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            raise refuse("array UDTs must have shapes that broadcast together") from None

    def of(*given: np.dtype) -> np.dtype:
        first = given[0]
        if len({each.names for each in given}) > 1:
            mixed = len({is_subarray(each) for each in given}) > 1
            raise refuse("cannot mix record and array UDTs" if mixed else "record UDTs must share field names")
        if len({each.shape for each in given}) > 1 or first.subdtype is not None:
            return np.dtype((of(*(each.base for each in given)), shape_of(given)))
        if first.names is None:
            used = _common(given)
            if used not in row.signature:
                raise refuse(f"it is not defined on {'complex' if used.np_type.kind == 'c' else used} fields")
            return row.signature[used][1].np_type
        fields = [(name, of(*(each[name] for each in given))) for name in first.names]
        whole = [each for each in given if all(kind == each[name] for name, kind in fields)]
        return whole[0] if whole else np.dtype(fields, align=first.isalignedstruct)

    records = [each for each in dtypes if each._is_udt]
    return lookup_dtype(of(*(each.np_type if each._is_udt else _all_of(each, records[0]) for each in dtypes)))


def _names(dtypes: Iterable[DataType]) -> str:
    return " and ".join(each.name for each in dict.fromkeys(dtypes))


def _all_of(number: DataType, dtype: DataType) -> np.dtype:
    return like(dtype.np_type, lambda _: number.np_type)


def _common(np_types: Iterable[np.dtype]) -> DataType:
    return reduce(unify, map(lookup_dtype, np_types))


def numbers(records: Array) -> Iterator[Array]:
    """The arrays of numbers that an array of records consists of, as views."""
    if records.dtype.names is None:
        yield records
    for name in records.dtype.names or ():
        yield from numbers(records[name])


def on_arrays(row: Row, result: DataType) -> Function:
    """The operator on arrays of records, field by field; a number beside a record meets every number of it."""

    def columns(operands: tuple[Array, ...]) -> Iterator[Array]:
        for given in zip(*(numbers(each) if each.dtype.names else repeat(each) for each in operands), strict=False):
            used = _common(each.dtype for each in given)
            function = quiet(row.form(used).numpy, row.signature[used][1].np_type)
            inside = max(each.ndim - whole.ndim for each, whole in zip(given, operands, strict=True))
            wide = []  # with the dimensions inside of a record
            for each, whole in zip(given, operands, strict=True):
                outside, shape = whole.shape, each.shape[whole.ndim :]
                shape = outside + (1,) * (inside - len(shape)) + shape
                wide.append(each.astype(used.np_type, copy=False).reshape(shape))
            found = function(*wide)
            yield found if result._is_udt else REDUCING[row.name](found, tuple(range(-inside, 0)))

    def call(*operands: Array) -> Array:
        operands = tuple(map(np.asarray, operands))
        if not result._is_udt:
            return REDUCING[row.name](list(columns(operands)), 0)
        out = np.empty(np.broadcast_shapes(*(each.shape for each in operands)), result.np_type)
        for target, found in zip(numbers(out), columns(operands), strict=True):
            target[...] = found
        return out

    return call


def as_function(row: Row, dtypes: tuple[DataType, ...], source: Callable[[DataType], str]) -> Udf:
    """The operator as a Python function of records, for engines that translate functions."""
    results = []
    arguments = "xy"[: len(dtypes)]
    records = next(each for each in dtypes if each._is_udt)
    numbers_of = [leaves(each.np_type if each._is_udt else _all_of(each, records)) for each in dtypes]
    shapes = [each.subarray.shape for each in dtypes if each.subarray is not None]
    if len(set(shapes)) > 1:
        whole = np.broadcast_shapes(*shapes)
        at = [np.broadcast_to(np.arange(np.prod(shape)).reshape(shape), whole).ravel() for shape in shapes]
        numbers_of = [[each[i] for i in places] for each, places in zip(numbers_of, at, strict=True)]
    for given in zip(*numbers_of, strict=True):
        used = _common(kind for _, kind in given)
        places = {}
        for name, dtype, (path, kind) in zip(arguments, dtypes, given, strict=True):
            place = name + "".join(f"[{key!r}]" for key in path if dtype._is_udt)
            places[name] = place if kind == used.np_type else f"np.{used.np_type.type.__name__}({place})"
        results.append(ast.unparse(_Placed(places).visit(ast.parse(source(used), mode="eval"))))
    word = {"eq": " and ", "ne": " or "}.get(row.name)
    text = word.join(map("({})".format, results)) if word else f"({', '.join(results)},)"
    name = f"{row.name}_of_each"
    text = f"def {name}({', '.join(arguments)}):\n    return {text}\n"
    file, names = f"<{row.name} of {_names(dtypes)}>", {"np": np}
    exec(compile(text, file, "exec"), names)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    function: Any = names[name]
    function.helpers = True  # its text may name those of operators/prelude.py
    return function


class _Placed(ast.NodeTransformer):
    """Puts other expressions in the places of names."""

    def __init__(self, places: dict[str, str]) -> None:
        self.places = places

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(self.places[node.id], mode="eval").body if node.id in self.places else node
