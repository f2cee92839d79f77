"""User-defined types as C++: a struct for a record, an array of fixed length for a sub-array.

A program that names one of them gets its definition (:func:`definitions`); ``kernels/records.cuh`` has their common
functions. On the device fields are aligned, as loads require: a record that is packed on the host gets another layout
when it is copied.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache

import numpy as np

from ....dtypes import SUBARRAY, is_subarray, leaves

_NAME = re.compile(r"\brecord_[0-9a-f]{16}\b")
_definitions: dict[str, str] = {}  # by the name of the struct; what a struct has inside comes before it


@cache
def on_device(dtype: np.dtype) -> np.dtype:
    """The same fields, at their offsets in C++."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((on_device(base), shape))
    if dtype.names is None:
        return dtype
    return np.dtype([(name, on_device(dtype[name])) for name in dtype.names], align=True)


def c_type(dtype: np.dtype, number: Callable[[np.dtype], str]) -> str:
    """The C++ type of a record or sub-array; ``number`` gives those of numbers.

    >>> c_type(np.dtype((np.int16, (2, 3))), lambda dtype: dtype.name)
    'cells<cells<int16, 3>, 2>'
    """
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        name = c_type(base, number)
        for length in reversed(shape):
            if length == 0:
                raise TypeError(f'arrays without elements ({dtype}) are not on backend "cuda"; use backend "cpu"')
            name = f"cells<{name}, {length}>"
        return name
    if dtype.names is None:
        return number(dtype)
    if is_subarray(dtype):
        return c_type(dtype[SUBARRAY], number)
    return _struct(dtype, number)


def member(field: str) -> str:
    """The name of a field in a struct: any text may be the name of a field.

    >>> member("x"), member("1st")
    ('f_x', 'g_317374')
    """
    return f"f_{field}" if field.isidentifier() and field.isascii() else f"g_{field.encode().hex()}"


def parts(dtype: np.dtype) -> list[tuple[str, np.dtype]]:
    """The numbers of a record or sub-array: what follows its name in C++, and their types."""

    def text(key: str | int) -> str:
        return f".at[{key}]" if isinstance(key, int) else f".{member(key)}"

    return [("".join(map(text, path)), kind) for path, kind in leaves(dtype)]


def _struct(dtype: np.dtype, number: Callable[[np.dtype], str]) -> str:
    fields = [(c_type(dtype[name], number), member(name)) for name in dtype.names or ()]
    members = "".join(f"    {kind} {name};\n" for kind, name in fields)
    text = f"{members}{on_device(dtype).itemsize}"
    name = f"record_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    if name not in _definitions:
        items = " else ".join(f"if constexpr (K == {k}) return {field};" for k, (_, field) in enumerate(fields))
        equal = " && ".join(f"eq(a.{field}, b.{field})" for _, field in fields)
        _definitions[name] = (
            f"namespace py {{\nstruct {name} {{\n{members}"
            f"    template <int K> DEVICE auto item() const {{ {items} }}\n}};\n"
            f"static_assert(sizeof({name}) == {on_device(dtype).itemsize}, "
            '"a struct is laid out as NumPy has it");\n'
            f"DEVICE bool eq(const {name}& a, const {name}& b) {{ return {equal}; }}\n"
            f"DEVICE bool ne(const {name}& a, const {name}& b) {{ return !eq(a, b); }}\n}}\nusing py::{name};\n"
        )
    return name


def has_some(text: str) -> bool:
    """Whether a text names a user-defined type."""
    return "cells<" in text or _NAME.search(text) is not None


def definitions(text: str) -> str:
    """The structs that a text names, and those inside of them, in order; nothing if it names none."""
    wanted: dict[str, None] = {}

    def want(text: str) -> None:
        for name in _NAME.findall(text):
            if name not in wanted:
                inside = _definitions[name]
                want(inside.replace(name, ""))
                wanted[name] = None

    want(text)
    return "".join(_definitions[name] for name in wanted)
