"""User-defined functions without a translation to C++: numba-cuda compiles them, nvJitLink links them with kernels.

A program *declares* such a function. numba-cuda makes LTO-IR of it, NVRTC makes LTO-IR of the program, and the linker
inlines the one into the other. Both compile without a GPU; they are needed only for such functions, so they are
imported when the first one is used.
"""

from __future__ import annotations

import dis
import hashlib
import importlib.util
import itertools
import re
import tempfile
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ....exceptions import JitError, UdfParseError
from ....foundation.types import Udf
from ...machine import kernel_cache
from .translate import c_type, shown

PACKAGES = {"numba_cuda": "numba-cuda", "cuda.core": "cuda-core"}
MISSING = 'a package is missing (`pip install "numba-cuda[cu13]" cuda-core`, [cu12] with CUDA 12)'
_DECLARATION = re.compile(r'^extern "C" __device__ \w+ (linked_\w+)\(', re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MOST_LINES = 12  # of what Numba has to say


class _Linked(NamedTuple):
    function: Udf
    arguments: tuple[np.dtype, ...]
    result: np.dtype
    reason: str  # why it has no translation


_functions: dict[str, _Linked] = {}
_symbols: dict[Hashable, str] = {}
_numbers = itertools.count()


def declare(function: Udf, arguments: tuple[np.dtype, ...], result: np.dtype, reason: str) -> tuple[str, str]:
    """The name under which a function will be linked, and its declaration."""
    function = getattr(function, "py_func", function)
    key = (function, arguments, result)
    symbol = _symbols.get(key) or _symbols.setdefault(key, f"linked_{next(_numbers)}")
    _functions[symbol] = _Linked(function, arguments, result, reason)
    parameters = ", ".join(c_type(dtype) for dtype in arguments)
    return symbol, f'extern "C" __device__ {c_type(result)} {symbol}({parameters});'


def declared_in(program: str) -> list[str]:
    """
    >>> declared_in('extern "C" __device__ int64 linked_7(int64, double);')
    ['linked_7']
    """
    return list(dict.fromkeys(_DECLARATION.findall(program)))


def linked_file(program: str, symbols: Iterable[str], capability: str) -> Path:
    """The machine code of a program with the functions it declares, in a file for CuPy to load.

    ``capability`` is the device's compute capability as CuPy writes it: "90". Equal inputs give the same file.
    """
    objects = {symbol: lto_ir(symbol, capability) for symbol in symbols}
    digest = hashlib.sha256(f"{_versions()} {capability} {program}".encode())
    for compiled in objects.values():
        digest.update(compiled)
    name = f"linked{digest.hexdigest()[:24]}.cubin"
    code = kernel_cache.read(name)
    if code is None:
        code = link(program, objects, capability)
        kernel_cache.write(name, code)
    return file_of(name, code)


def file_of(name: str, code: bytes) -> Path:
    """Machine code in a file, for CuPy to load from."""
    path = Path(_own_folder().name) / name
    if not path.exists():
        path.write_bytes(code)
    return path


@cache
def _own_folder() -> tempfile.TemporaryDirectory:
    """Files for CuPy to load, until the process ends."""
    return tempfile.TemporaryDirectory(prefix="grblas_gpu-")


@cache
def _versions() -> str:
    from cuda.bindings import nvjitlink, nvrtc

    return f"{nvrtc.nvrtcVersion()[1:]} {nvjitlink.version()}"


@cache
def lto_ir(symbol: str, capability: str) -> bytes:
    """The LTO-IR of a declared function, by numba-cuda."""
    function, arguments, result, _ = linked = _functions[symbol]
    missing = [package for module, package in PACKAGES.items() if not _installed(module)]
    if missing:
        raise UdfParseError(_message(linked, f"numba-cuda could compile it, but {MISSING}: {', '.join(missing)}"))
    if any(instruction.opname == "RAISE_VARARGS" for instruction in dis.get_instructions(function)):
        raise UdfParseError(_message(linked, "it may raise an exception, which cannot leave a kernel"))
    import numba
    from numba import cuda

    signature = numba.from_dtype(result)(*(numba.from_dtype(dtype) for dtype in arguments))
    options = {"device": True, "output": "ltoir", "abi": "c", "abi_info": {"abi_name": symbol}}
    options["cc"] = (int(capability[:-1]), int(capability[-1]))
    try:
        with _numpy_names():
            compiled = _compiled(cuda, function, signature, options)
    except Exception as error:
        raise UdfParseError(_message(linked, f"numba-cuda cannot compile it: {_first_lines(str(error))}")) from error
    return compiled


def _compiled(cuda: ModuleType, function: Udf, signature: Any, options: dict[str, object]) -> bytes:
    from numba.core.errors import NumbaError

    try:
        return cuda.compile(function, signature, **options)[0]
    except NumbaError:
        raise
    except Exception:
        # Exceptions that Numba inserts (index out of range) need a function that can return a status.
        caller = _calling(cuda.jit(device=True)(function), len(signature.args))
        return cuda.compile(caller, signature, **options)[0]


@contextmanager
def _numpy_names() -> Iterator[None]:
    """numba-cuda looks for a name that recent releases of NumPy have dropped."""
    missing = not hasattr(np, "row_stack")
    if missing:
        np.row_stack = np.vstack
    try:
        yield
    finally:
        if missing:
            del np.row_stack


def _calling(function: Udf, arguments: int) -> Udf:
    names = ", ".join(f"a{number}" for number in range(arguments))
    namespace = {"function": function}
    exec(f"def linked({names}): return function({names})", namespace)
    return namespace["linked"]


def link(program: str, objects: dict[str, bytes], capability: str) -> bytes:
    """The machine code of a program and these LTO-IR objects."""
    from cuda.core import Linker, LinkerOptions, ObjectCode, Program, ProgramOptions

    options = ProgramOptions(
        name="program.cu",
        arch=f"sm_{capability}",
        std="c++17",
        device_as_default_execution_space=True,  # as CuPy compiles
        relocatable_device_code=True,
        link_time_optimization=True,
    )
    try:
        kernels = Program(program, "c++", options).compile("ltoir")
        functions = [ObjectCode.from_ltoir(compiled, name=symbol) for symbol, compiled in objects.items()]
        how = LinkerOptions(arch=f"sm_{capability}", link_time_optimization=True)
        return bytes(Linker(kernels, *functions, options=how).link("cubin").code)
    except Exception as error:
        names = ", ".join(_functions[symbol].function.__name__ for symbol in objects)
        raise JitError(f"cannot link the user-defined {names} with a kernel: {error}") from error


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a package around it
        return False


def _message(linked: _Linked, problem: str) -> str:
    name = getattr(linked.function, "__name__", "the function")
    return (
        f"cannot compile {name} for the GPU.\n  It has no translation to C++: {linked.reason}\n"
        f"  Otherwise: {problem}\n{shown(linked.function)}"
    )


def _first_lines(text: str) -> str:
    lines = [line for line in _COLOURS.sub("", text).splitlines() if line.strip()]
    return "\n    ".join(lines[:_MOST_LINES])
