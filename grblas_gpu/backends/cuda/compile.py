"""From kernel files and operators to compiled functions.

A *program* is ``kernels/prelude.cuh``, then generated *pieces* (types, constants, operators as functions), then one
kernel file. Pieces are lines of C++ made by the functions below; kernels see them under names of the kernel's choice::

    pieces = [using("Value", dtype), constant("MASKED", True), binary("add", op), value("identity", 0, dtype)]
    pull, = functions("pull_thread.cu", key, ["pull_thread"], lambda: pieces)
    pull(grid, block, arguments)

:func:`render` gives the text, without CuPy. :func:`functions` compiles it through CuPy (which caches on disk) and keeps
the result under ``key``, so that the pieces are only made once. A kernel file may ``#include "other.cuh"`` from the
same folder: the text is pasted, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from . import translate
from .translate import c_type, literal

KERNELS = Path(__file__).parent / "kernels"
SHOWN = "grblas_gpu/backends/cuda/kernels"  # how errors name the folder, wherever the package is installed
OPTIONS = ("-std=c++17",)
_INCLUDE = re.compile(r'^#include "([^"]+)"[^\n]*\n', re.MULTILINE)
_compiled: dict[Any, tuple[Any, ...]] = {}


# --- pieces ----------------------------------------------------------------------------------------------------------


def using(name: str, dtype: np.dtype) -> str:
    """A name for a type.

    >>> using("Value", np.dtype("int8"))
    'using Value = int8;'
    """
    return f"using {name} = {c_type(dtype)};"


def constant(name: str, number: bool | int) -> str:
    """A compile-time flag or number.

    >>> constant("FLIP", False), constant("MASK", 2)
    ('constexpr bool FLIP = false;', 'constexpr long long MASK = 2;')
    """
    if isinstance(number, bool):
        return f"constexpr bool {name} = {str(number).lower()};"
    return f"constexpr long long {name} = {number};"


def value(name: str, number: Any, dtype: np.dtype) -> str:
    """A function without arguments that returns a constant (floats may be infinite).

    >>> value("identity", 0, np.dtype("int64"))
    'DEVICE int64 identity() { return int64(0ll); }'
    """
    return f"DEVICE {c_type(dtype)} {name}() {{ return {literal(number, dtype)}; }}"


def unary(name: str, op: Any) -> str:
    """A typed unary operator as ``result name(type x)``."""
    return _function(name, op, ("x",), (op.type,))


def binary(name: str, op: Any) -> str:
    """A typed binary operator (or monoid) as ``result name(type x, type2 y)``; positional ones see :func:`product`."""
    return _function(name, op, ("x", "y"), (op.type, op.type2))


def index_unary(name: str, op: Any) -> str:
    """A typed index-unary or select operator as ``result name(type x, int64 i, int64 j, type2 y)``."""
    return _function(name, op, ("x", "i", "j", "y"), (op.type, None, None, op.type2))


def product(name: str, op: Any) -> str:
    """A typed binary operator that is told the positions of its operands, for positional ones.

    ``result name(type x, type2 y, int64 firsti, int64 firstj, int64 secondi, int64 secondj)``
    """
    left, right, result = (c_type(t.np_type) for t in (op.type, op.type2, op.return_type))
    head = f"DEVICE {result} {name}({left} x, {right} y, int64 firsti, int64 firstj, int64 secondi, int64 secondj) {{\n"
    if op.positional is not None:
        return f"{head}    return {result}({op.positional} + {op.offset});\n}}"
    return f"{head}{_statements(op, ('x', 'y'), result)}}}"


def _function(name: str, op: Any, names: tuple[str, ...], types: tuple[Any, ...]) -> str:
    if op.positional is not None:
        raise ValueError(f"{op!r} needs the positions of its operands: use product()")
    result = c_type(op.return_type.np_type)
    parameters = ", ".join(
        f"{'int64' if dtype is None else c_type(dtype.np_type)} {name}"
        for name, dtype in zip(names, types, strict=True)
    )
    return f"DEVICE {result} {name}({parameters}) {{\n{_statements(op, names, result)}}}"


def _statements(op: Any, names: tuple[str, ...], result: str) -> str:
    if op.source is not None:
        return f"    return cast<{result}>({translate.expression(op.source)});\n"
    return translate.body(op.function, names, result)


# --- programs --------------------------------------------------------------------------------------------------------


def render(kernel: str, pieces: Iterable[str] = ()) -> str:
    """The whole program for a kernel file; compilation errors name the file and line that somebody wrote."""
    pasted: set[str] = set()
    generated = "".join(f"{piece}\n" for piece in pieces)
    return f'{_paste("prelude.cuh", pasted)}#line 1 "generated for {kernel}"\n{generated}{_paste(kernel, pasted)}'


def _paste(name: str, pasted: set[str]) -> str:
    if name in pasted:
        return ""
    pasted.add(name)
    text = _read(name)

    def include(match: re.Match[str]) -> str:
        next_line = text.count("\n", 0, match.end()) + 1
        return f'{_paste(match[1], pasted)}#line {next_line} "{SHOWN}/{name}"\n'

    return f'#line 1 "{SHOWN}/{name}"\n{_INCLUDE.sub(include, text)}\n'


@cache
def _read(name: str) -> str:
    return (KERNELS / name).read_text()


def functions(
    kernel: str, key: Any, names: Sequence[str], pieces: Callable[[], Iterable[str]] = tuple
) -> tuple[Any, ...]:
    """The compiled functions of these names, for the current device.

    ``key`` tells specialisations of the same kernel file apart; ``pieces`` is called when this one is new.
    """
    import cupy

    full_key = (cupy.cuda.runtime.getDevice(), kernel, key)
    found = _compiled.get(full_key)
    if found is None:
        module = cupy.RawModule(code=render(kernel, pieces()), options=OPTIONS)
        found = _compiled[full_key] = tuple(module.get_function(name) for name in names)
    return found
