"""Built-in operators on user-defined types: number by number, in every field and element."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import DataType, leaves, lookup_dtype
from ..foundation.types import Udf
from .reductions import quiet

if TYPE_CHECKING:
    from ..foundation.types import Array, Function
    from .tables import Row

#: The operators that are defined by what they are on numbers.
LIFTED = frozenset(["plus", "minus", "times", "truediv", "floordiv", "min", "max", "ainv", "abs"])


def result_type(row: Row, dtype: DataType) -> DataType | None:
    """The same fields in the types that the operator returns, or None if it does not take one of them."""

    def of(np_type: np.dtype) -> object:
        if np_type.subdtype is not None:
            return np.dtype((of(np_type.subdtype[0]), np_type.subdtype[1]))
        if np_type.names is not None:
            fields = [(name, of(np_type[name])) for name in np_type.names]
            same = all(kind == np_type[name] for name, kind in fields)
            return np_type if same else np.dtype(fields, align=np_type.isalignedstruct)
        return row.signature[lookup_dtype(np_type)][1].np_type

    try:
        return lookup_dtype(of(dtype.np_type if dtype.subarray is None else dtype.subarray))
    except KeyError:
        return None


def numbers(records: Array) -> Iterator[Array]:
    """The arrays of numbers that an array of records consists of, as views."""
    if records.dtype.names is None:
        yield records
    for name in records.dtype.names or ():
        yield from numbers(records[name])


def on_arrays(row: Row, result: DataType) -> Function:
    """The operator on arrays of records, field by field."""

    def call(*operands: Array) -> Array:
        out = np.empty(np.broadcast_shapes(*(np.shape(each) for each in operands)), result.np_type)
        for target, *given in zip(numbers(out), *map(numbers, operands), strict=True):
            function = row.form(lookup_dtype(given[0].dtype)).numpy
            target[...] = quiet(function, target.dtype)(*given)
        return out

    return call


def as_function(row: Row, dtype: DataType, arguments: str, source: Callable[[DataType], str]) -> Udf:
    """The operator as a Python function of records, for engines that translate functions."""
    results = []
    for path, np_type in leaves(dtype.np_type):
        tree = ast.parse(source(lookup_dtype(np_type)), mode="eval")
        keys = "".join(f"[{key!r}]" for key in path)
        results.append(ast.unparse(_Subscripted(keys, arguments).visit(tree)))
    name = f"{row.name}_of_each"
    text = f"def {name}({', '.join(arguments)}):\n    return ({', '.join(results)},)\n"
    file, names = f"<{row.name} of {dtype.name}>", {"np": np}
    exec(compile(text, file, "exec"), names)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    function: Any = names[name]
    function.helpers = True  # its text may name those of operators/prelude.py
    return function


class _Subscripted(ast.NodeTransformer):
    def __init__(self, keys: str, arguments: str) -> None:
        self.keys, self.arguments = keys, arguments

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(node.id + self.keys, mode="eval").body if node.id in self.arguments else node
