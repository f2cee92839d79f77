"""Compiles generated kernel source; the machine code is cached on disk.

Numba cannot cache closures or functions passed as arguments, so every specialisation is a module of its own, named by
its content. Its machine code goes to :mod:`..kernel_cache`: a second process loads instead of compiling.
"""

from __future__ import annotations

import hashlib
import marshal
import math
import pickle
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...foundation.atomic_updates import completed, imported
from ...foundation.progress import busy
from ..machine import kernel_cache

Function = Callable[..., Any]
Kernel = Function  # or what takes the place of one
Dispatcher = Any  # a function that Numba compiles for the types of its arguments
Source = tuple[str, dict[str, Function]]  # a text, and user-defined functions that it calls


# C does not call these functions: without a C wrapper there is 7 % less to compile.
HEADER = """\
import math

import numba
import numpy as np

U = np.uint64
options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
kernel = numba.njit(**options)
"""
#: May reorder additions of floats; also fuse multiply and add.
IN_ANY_ORDER = """\
summing_kernel = numba.njit(**options, fastmath={"reassoc"})
fused_kernel = numba.njit(**options, fastmath={"contract", "reassoc"})
"""
IN_ORDER = "summing_kernel = fused_kernel = kernel\n"
_lock = threading.RLock()
_loaded: dict[str, Dispatcher] = {}
_of_users: weakref.WeakSet[Dispatcher] = weakref.WeakSet()
_seconds = 0.0


def seconds() -> float:
    """How long this process has waited for machine code, loaded or compiled."""
    return _seconds


def _waited(since: float) -> None:
    global _seconds
    _seconds += time.perf_counter() - since


class MachineCode:
    """The cache of one kernel's machine code, in place of Numba's own file cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cache_path = str(kernel_cache.folder())
        self._asked = 0.0  # when Numba did: what is not there it compiles at once

    def _file(self, signature: object, codegen: Any) -> str:
        """One for each signature and kind of processor."""
        described = repr((signature, codegen.magic_tuple()))
        return f"{self.name}-{hashlib.sha256(described.encode()).hexdigest()[:16]}"

    def load_overload(self, signature: object, target: Any) -> object:
        from numba.core.compiler import CompileResult

        self._asked = time.perf_counter()
        target.refresh()
        content = kernel_cache.read(self._file(signature, target.codegen()))
        if content is None:
            return None
        try:
            found = CompileResult._rebuild(target, *pickle.loads(content))
            _waited(self._asked)
            return found
        except Exception:  # another build of Numba or LLVM raises any error: compile again
            return None

    def save_overload(self, signature: object, result: Any) -> None:
        from numba.core.serialize import dumps

        kernel_cache.write(self._file(signature, result.codegen), dumps(result._reduce()))
        _waited(self._asked)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def _name(text: str) -> str:
    return f"k{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def _headed(text: str, in_order: bool = False) -> str:
    """The text, and the meaning of its decorators; a text that calls a user's function may depend on the order."""
    return HEADER + (IN_ORDER if in_order else IN_ANY_ORDER) + text


def on_disk(text: str, functions: Mapping[str, Function] | None = None) -> bool:
    """Whether machine code for this source has been kept by an earlier process."""
    whole = _whole(text, functions or {})
    return whole is not None and kernel_cache.has(_name(whole))


def load(text: str, functions: Mapping[str, Function] | None = None) -> Function:
    """The function ``kernel`` that the source text defines, compiled at its first call or loaded from disk.

    ``functions`` are user-defined Python functions that the source calls by these names. Functions that depend on more
    than their own code cannot name a file, so such kernels are compiled in each process.
    """
    if functions:
        return _load_with(text, functions)
    text = _headed(text)
    with _lock:
        found = _loaded.get(text)
        if found is None:
            found = _loaded[text] = completed(_kept, text, {}).kernel
    return found


def _kept(text: str, names: Mapping[str, object]) -> Dispatcher:
    """The module that a source text makes; the machine code of its kernel is kept on disk."""
    name = _name(text)
    module = ModuleType(f"grblas_gpu_kernel_{name}")
    module.__dict__.update(names)
    sys.modules[module.__name__] = module  # machine code from disk looks its module up by name
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    _keep(module.kernel, name)
    return module


def _keep(kernel: Dispatcher, name: str) -> None:
    """Machine code of a kernel is kept on disk."""
    kernel._cache = MachineCode(name)
    _complete(kernel)


def _complete(kernel: Dispatcher) -> None:
    """A kernel is compiled by a thread that signals do not reach."""
    kernel._compile_for_args = partial(_compile_for, weakref.ref(kernel))


def _compile_for(kernel: Dispatcher, *arguments: object, **keywords: object) -> object:
    """What Numba calls for arguments of new types."""
    compiled = kernel()
    compile_for_args = partial(type(compiled)._compile_for_args, compiled, **keywords)
    with busy("compiling a kernel for this processor, once; later processes load it"):
        try:
            return completed(compile_for_args, *arguments)
        except KeyError:  # Numba finds an operator again after typing, and more of its types may be registered by then
            return completed(compile_for_args, *arguments)


def _forget(module: ModuleType) -> None:
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]


def function_of(kernel: Dispatcher, name: str) -> Function:
    """Another function that the source text of a kernel defines; its machine code is kept as the kernel's is."""
    found: Dispatcher = kernel.py_func.__globals__[name]
    kept = getattr(kernel, "_cache", None)
    if isinstance(kept, MachineCode) and not isinstance(found._cache, MachineCode):
        _keep(found, f"{name}_{kept.name}")
    return found


def _whole(text: str, functions: Mapping[str, Function]) -> str | None:
    """The source text with everything that its machine code depends on; None if that is unknown."""
    if not functions:
        return _headed(text)
    codes = {name: _described(function) for name, function in functions.items()}
    if None in codes.values():
        return None
    return _headed(text, in_order=True) + "".join(f"# {name}: {code}\n" for name, code in codes.items())


def _described(function: Function) -> str | None:
    """A description of a function; None if it depends on more than its own code, and the modules math and numpy.

    >>> a, b = 2.0, lambda x: x + 1
    >>> [_described(f) is None for f in (lambda x: x * 2.0 if x > 1 else math.sin(x), lambda x: x * a, lambda x: b(x))]
    [False, True, True]
    """
    code, modules = function.__code__, _modules(function)
    if modules is None:
        return None
    parts = (code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_argcount, modules)
    return hashlib.sha256(repr((*parts, getattr(code, "co_exceptiontable", b""))).encode()).hexdigest()


def _modules(function: Function) -> dict[str, str] | None:
    """The names by which a function calls math and numpy; None if it depends on more than these and its own code."""
    code = function.__code__
    names = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    nested = any(isinstance(constant, CodeType) for constant in code.co_consts)
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__ or nested:
        return None
    known = all(value is math or value is np for value in names.values())
    return {name: value.__name__ for name, value in names.items()} if known else None


def packed(functions: Mapping[str, Function]) -> dict[str, bytes]:
    """Functions for another process; raises a TypeError if one depends on more than its own code."""
    modules = {name: _modules(function) for name, function in functions.items()}
    if None in modules.values():
        raise TypeError("a function depends on more than its own code")
    return {name: marshal.dumps((function.__code__, modules[name])) for name, function in functions.items()}


def unpacked(functions: Mapping[str, bytes]) -> dict[str, Function]:
    """Functions from another process; their machine code is that of any equal function, wherever it was written."""
    found: dict[str, Function] = {}
    for name, (code, modules) in zip(functions, map(marshal.loads, functions.values()), strict=True):
        globals_ = {known: sys.modules[module] for known, module in modules.items()}
        found[name] = FunctionType(code, globals_ | {"__name__": __name__})
    return found


def _load_with(text: str, functions: Mapping[str, Function]) -> Function:
    numba = imported("numba")
    compiler = numba.njit(error_model="numpy")
    whole = _whole(text, functions)
    same = functions if whole is None else unpacked(packed(functions))
    names: dict[str, Dispatcher] = {name: compiler(function) for name, function in same.items()}
    # Numba keeps a function's namespace until the function is deleted: a reference in there would prevent that.
    if whole is None:
        exec(compile(_headed(text, in_order=True), "<grblas_gpu kernel>", "exec"), names)
        kernel = names.pop("kernel")
        _complete(kernel)
    else:
        module = _kept(whole, names)
        kernel = module.__dict__.pop("kernel")
        weakref.finalize(kernel, _forget, module)
    with _lock:
        _of_users.add(kernel)
    return kernel


def compilations() -> int:
    """How many kernels this process has compiled rather than loaded."""
    with _lock:
        kernels = [*_loaded.values(), *(kernel for kernel in _of_users if isinstance(kernel._cache, MachineCode))]
        anew = (kernel for kernel in _of_users if not isinstance(kernel._cache, MachineCode))
        return sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels) + sum(len(k.signatures) for k in anew)
