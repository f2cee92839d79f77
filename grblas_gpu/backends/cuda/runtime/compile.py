"""From kernel files and operators to compiled functions.

A *program* is ``kernels/prelude.cuh``, then generated *pieces* (types, constants, operators as functions), then one
kernel file. Pieces are lines of C++ made by the functions below; kernels see them under names of the kernel's choice::

    pieces = [using("Value", dtype), constant("MASKED", True), binary("add", op), value("identity", 0, dtype)]
    pull, = functions("pull.cu", key, ["pull_kernel"], lambda: pieces)
    pull(grid, block, arguments)

:func:`render` gives the text, without CuPy. :func:`functions` compiles it through CuPy (which caches on disk) and keeps
the result under ``key``, so that the pieces are only made once. A kernel file may ``#include "other.cuh"`` from the
same folder: the text is pasted, once. User-defined functions without a translation to C++ are declared, and
:mod:`.link` links the program with their code from numba-cuda.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....dtypes import INT64
from ....exceptions import UdfParseError
from ....foundation.types import DataType, Kernels, TypedMonoid, TypedOperator, Value
from . import ahead, link, structs, translate
from .tiers import Tiers
from .translate import Untranslatable, c_type, literal

KERNELS = Path(__file__).parents[1] / "kernels"
SHOWN = "grblas_gpu/backends/cuda/kernels"  # how errors name the folder, wherever the package is installed
_INCLUDE = re.compile(r'^#include "([^"]+)"[^\n]*\n', re.MULTILINE)
compiled: dict[Hashable, Kernels] = {}  # by kernel file and key
_unfinished: dict[Hashable, Tiers] = {}  # kernels that run as quick code, until there is an optimized one


# --- pieces ----------------------------------------------------------------------------------------------------------


def using(name: str, dtype: np.dtype) -> str:
    """A name for a type.

    >>> using("Value", np.dtype("int8"))
    'using Value = int8;'
    """
    return f"using {name} = {c_type(dtype)};"


def moved(dtype: np.dtype) -> np.dtype:
    """The type that stands for another one where values are only moved or compared bit by bit: of the same width.

    >>> moved(np.dtype("float64")), moved(np.dtype(bool)), moved(np.dtype("complex128"))
    (dtype('uint64'), dtype('uint8'), dtype('complex128'))
    """
    return dtype if dtype.kind == "V" or dtype.itemsize > 8 else np.dtype(f"uint{8 * dtype.itemsize}")


def tested(dtype: np.dtype) -> np.dtype:
    """The type that stands for another one where values are only compared with 0; floats have two zeros.

    >>> tested(np.dtype("int32")), tested(np.dtype("float32"))
    (dtype('uint32'), dtype('float32'))
    """
    return moved(dtype) if dtype.kind in "biu" else dtype


def constant(name: str, number: bool | int) -> str:
    """A compile-time flag or number.

    >>> constant("FLIP", False), constant("MASK", 2)
    ('constexpr bool FLIP = false;', 'constexpr long long MASK = 2;')
    """
    if isinstance(number, bool):
        return f"constexpr bool {name} = {str(number).lower()};"
    return f"constexpr long long {name} = {number};"


def mask_flags(masked: bool, present: bool, valued: bool, iso: bool, complement: bool) -> list[str]:
    """For ``kernels/mask.cuh``."""
    flags = {
        "MASKED": masked,
        "MASK_PRESENT": present,
        "MASK_VALUED": valued,
        "MASK_ISO": iso,
        "COMPLEMENT": complement,
    }
    return named(flags)


def value(name: str, number: Value, dtype: np.dtype) -> str:
    """A function without arguments that returns a constant (floats may be infinite).

    >>> value("identity", 0, np.dtype("int64"))
    'DEVICE int64 identity() { return int64(0ll); }'
    """
    return f"DEVICE {c_type(dtype)} {name}() {{ return {literal(number, dtype)}; }}"


def unary(name: str, op: TypedOperator) -> str:
    """A typed unary operator as ``result name(type x)``."""
    return _function(name, op, ("x",), (op.type,))


def binary(name: str, op: TypedOperator) -> str:
    """A typed binary operator (or monoid) as ``result name(type x, type2 y)``; positional ones see :func:`product`."""
    return _function(name, op, ("x", "y"), (op.type, op.type2))


def index_unary(name: str, op: TypedOperator) -> str:
    """A typed index-unary or select operator as ``result name(type x, int64 i, int64 j, type2 y)``."""
    return _function(name, op, ("x", "i", "j", "y"), (op.type, INT64, INT64, op.type2))


def product(name: str, op: TypedOperator) -> str:
    """A typed binary operator that gets the positions of its operands, for positional ones.

    ``result name(type x, type2 y, int64 firsti, int64 firstj, int64 secondi, int64 secondj)``
    """
    left, right, result = (c_type(t.np_type) for t in (op.type, op.type2, op.return_type))
    positions = "int64 firsti, int64 firstj, int64 secondi, int64 secondj"
    head = f"DEVICE {result} {name}({left} x, {right} y, {positions}) {{\n"
    if op.indexed:
        names = ("x", "firsti", "firstj", "y", "secondi", "secondj", "theta")
        declared, statements = _statements(op, names, op.arguments)
        head += f"    const {right} theta = {literal(op.theta[0], op.theta.dtype)};\n"
    elif op.positional is not None:
        return f"{head}    return {result}({op.positional} + {op.offset});\n}}"
    else:
        declared, statements = _statements(op, ("x", "y"), (op.type, op.type2))
    return f"{declared}{head}{statements}}}"


def _function(name: str, op: TypedOperator, names: tuple[str, ...], types: tuple[DataType, ...]) -> str:
    if op.positional is not None:
        raise ValueError(f"{op!r} needs the positions of its operands: use product()")
    parameters = ", ".join(f"{c_type(dtype.np_type)} {each}" for each, dtype in zip(names, types, strict=True))
    declared, statements = _statements(op, names, types)
    return f"{declared}DEVICE {c_type(op.return_type.np_type)} {name}({parameters}) {{\n{statements}}}"


def _statements(op: TypedOperator, names: tuple[str, ...], types: tuple[DataType, ...]) -> tuple[str, str]:
    """The text before a function, and its body."""
    result = c_type(op.return_type.np_type)
    if op.source is not None:
        return "", f"    return cast<{result}>({translate.expression(op.source)});\n"
    function, records = op.function, any(dtype._is_udt for dtype in types)
    assert function is not None
    try:
        return "", translate.body(function, names, op.return_type.np_type, records)
    except Untranslatable as reason:
        if records:
            raise UdfParseError(
                f"cannot compile {op.name} for the GPU: a function of user-defined types needs a translation to C++, "
                f'and {reason}. Use backend "cpu" for it.\n{translate.shown(function)}'
            ) from None
        dtypes = tuple(dtype.np_type for dtype in types)
        symbol, declared = link.declare(function, dtypes, op.return_type.np_type, str(reason))
        return f"{declared}\n", f"    return {symbol}({', '.join(names)});\n"


# --- programs --------------------------------------------------------------------------------------------------------


def render(kernel: str, pieces: Iterable[str] = ()) -> str:
    """The whole program for a kernel file; compilation errors name the original file and line."""
    pasted: set[str] = set()
    generated = "".join(f"{piece}\n" for piece in pieces)
    records = structs.definitions(generated)
    numbers = paste("prelude.cuh", pasted)
    if "complex<" in generated or "complex<" in records:
        numbers += paste("complex.cuh", pasted)
    if structs.has_some(generated):
        numbers += f"{paste('records.cuh', pasted)}{records}"
    return f'{numbers}#line 1 "generated for {kernel}"\n{generated}{paste(kernel, pasted)}'


def paste(name: str, pasted: set[str]) -> str:
    if name in pasted:
        return ""
    pasted.add(name)
    text = _read(name)

    def include(match: re.Match[str]) -> str:
        next_line = text.count("\n", 0, match.end()) + 1
        return f'{paste(match[1], pasted)}#line {next_line} "{SHOWN}/{name}"\n'

    return f'#line 1 "{SHOWN}/{name}"\n{_INCLUDE.sub(include, text)}\n'


@cache
def _read(name: str) -> str:
    return (KERNELS / name).read_text()


def functions(kernel: str, key: Hashable, names: Sequence[str], pieces: Callable[[], Iterable[str]] = tuple) -> Kernels:
    """The compiled functions of these names, for the current device.

    ``key`` distinguishes specialisations of the same kernel file; ``pieces`` is called for a new one.
    """
    found = compiled.get((kernel, key))
    return found if found is not None else _compile(kernel, key, names, pieces)


def specialized(kernel: str, names: Sequence[str], given: Mapping[str, np.dtype | int], *parts: Any) -> Kernels:
    """:func:`functions` of a program for types and constants by name, and for parts that have a key and pieces."""
    key = (*given.values(), *[part.key for part in parts])
    return functions(kernel, key, names, lambda: [*(line for part in parts for line in part.pieces()), *named(given)])


def named(given: Mapping[str, np.dtype | int]) -> list[str]:
    """
    >>> named({"Value": np.dtype("int8"), "FLIP": False})
    ['using Value = int8;', 'constexpr bool FLIP = false;']
    """
    return [using(name, x) if isinstance(x, np.dtype) else constant(name, x) for name, x in given.items()]


class Operator(NamedTuple):
    """An operator with its types, under names of the kernel's choice; without one, a function that is not called."""

    op: TypedOperator | None
    name: str
    absent: str
    types: tuple[np.dtype, np.dtype] = (np.dtype(bool), np.dtype(bool))  # of the function that is not called
    second: str = "Right"
    make: Callable[[str, TypedOperator], str] = product

    @property
    def key(self) -> Hashable:
        return None if self.op is None else self.op.key

    def pieces(self) -> list[str]:
        op = self.op
        left, right = self.types if op is None else (op.type.np_type, op.type2.np_type)
        return [using("Left", left), using(self.second, right), self.absent if op is None else self.make(self.name, op)]


class Sum(NamedTuple):
    """The operator of a monoid as ``add``."""

    monoid: TypedMonoid

    @property
    def key(self) -> Hashable:
        return self.monoid.key

    def pieces(self) -> list[str]:
        return [binary("add", self.monoid.binaryop)]


def _compile(kernel: str, key: Hashable, names: Sequence[str], pieces: Callable[[], Iterable[str]]) -> Kernels:
    """CuPy's kernels compile themselves for each device on which they run, linked ones are made for one device."""
    import cupy

    on_device = (cupy.cuda.runtime.getDevice(), kernel, key)
    found = compiled.get(on_device)
    if found is not None:
        return found
    program = _unfinished.get(on_device)
    if program is None:
        program = Tiers(render(kernel, pieces()), names, kernel)
        ahead.begin(program, render)
    try:
        found, optimized = program.functions()
    except Exception as error:
        if not structs.has_some(program.text) or type(error).__name__ != "CompileException":
            raise
        raise UdfParseError(_not_for_records(key, str(error))) from error
    if optimized:
        compiled[on_device if program.of_this_device else (kernel, key)] = found
        _unfinished.pop(on_device, None)
    else:
        _unfinished[on_device] = program
    return found


def _not_for_records(key: Hashable, problem: str) -> str:
    """A translation knows no types: the compiler resolves operations on a record or a sub-array."""
    errors = [line for line in problem.splitlines() if "error" in line] or problem.splitlines()
    shown = "\n    ".join(errors[:3])
    return f'cannot compile {key} for the GPU; use backend "cpu" for it. The compiler says:\n    {shown}'
