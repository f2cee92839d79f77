"""Generated kernel source to a compiled function, whose machine code is kept on disk.

Numba cannot cache closures or functions passed as arguments, so every specialisation is a module of its own, named by
its content. Its machine code goes to :mod:`..kernel_cache`: a second process loads instead of compiling.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from .. import kernel_cache

Function = Callable[..., Any]

SIDE_BY_SIDE = "  # the same steps of several variables at once"
HEADER = "import math\n\nimport numba\nimport numpy as np\n\nU = np.uint64\n"
_lock = threading.RLock()
_loaded: dict[str, Any] = {}
_uncached: weakref.WeakSet[Any] = weakref.WeakSet()


class MachineCode:
    """What Numba asks for the machine code of one kernel, and hands it to: the place of its own file cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cache_path = str(kernel_cache.folder())

    def _file(self, signature: Any, codegen: Any) -> str:
        """One for each signature and kind of processor."""
        described = repr((signature, codegen.magic_tuple()))
        return f"{self.name}-{hashlib.sha256(described.encode()).hexdigest()[:16]}"

    def load_overload(self, signature: Any, target: Any) -> Any:
        from numba.core.compiler import CompileResult

        target.refresh()
        content = kernel_cache.read(self._file(signature, target.codegen()))
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target, *pickle.loads(content))
        except Exception:  # of another build of Numba or LLVM, whatever they say about it: to be compiled again
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        from numba.core.serialize import dumps

        kernel_cache.write(self._file(signature, result.codegen), dumps(result._reduce()))

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def _name(text: str) -> str:
    return f"k{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def _decorated(text: str) -> str:
    """What these stand for: ``@summing_kernel`` may add up floats in an order of its own, ``@fused_kernel`` also
    multiplies and adds in one step, ``@lanes_kernel`` does that for several sums side by side."""
    options = 'nogil=True, error_model="numpy", no_cfunc_wrapper=True'  # C does not call them: 7% less to compile
    fused = f'@numba.njit({options}, fastmath={{"contract", "reassoc"}})'
    text = text.replace("@summing_kernel", f'@numba.njit({options}, fastmath={{"reassoc"}})')
    text = text.replace("@fused_kernel", fused).replace("@lanes_kernel", fused + SIDE_BY_SIDE)
    return HEADER + text.replace("@kernel", f"@numba.njit({options})")


def on_disk(text: str) -> bool:
    """Whether machine code for this source has been kept by an earlier process."""
    return kernel_cache.has(_name(_decorated(text)))


def load(text: str, functions: Mapping[str, Function] | None = None) -> Function:
    """The function ``kernel`` that the source text defines, compiled at its first call or loaded from disk.

    ``functions`` are user-defined Python functions that the source calls by these names. They have no source of ours
    that could name a file, so such kernels are compiled anew in each process.
    """
    if functions:
        return _load_in_memory(text, functions)
    text = _decorated(text)
    with _lock:
        found = _loaded.get(text)
        if found is None:
            name = _name(text)
            module = ModuleType(f"grblas_gpu_kernel_{name}")
            sys.modules[module.__name__] = module  # machine code from disk looks its module up by name
            exec(compile(text, f"<{name}>", "exec"), module.__dict__)
            found = _loaded[text] = module.kernel
            found._cache = MachineCode(name)
            if SIDE_BY_SIDE in text:
                found.compile = partial(_compile_side_by_side, found.compile)
    return found


def _compile_side_by_side(compile_kernel: Function, signature: Any) -> Any:
    """Numba leaves LLVM's vectoriser of straight code off for everybody: it is on while this kernel is compiled."""
    import numba.core.config
    from numba.core.compiler_lock import global_compiler_lock

    config: Any = numba.core.config
    with global_compiler_lock:
        before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
        try:
            return compile_kernel(signature)
        finally:
            config.SLP_VECTORIZE = before


def function_of(kernel: Any, name: str) -> Function:
    """Another function that the source text of a kernel defines; its machine code is kept as the kernel's is."""
    found: Any = kernel.py_func.__globals__[name]
    kept = getattr(kernel, "_cache", None)
    if isinstance(kept, MachineCode) and not isinstance(found._cache, MachineCode):
        found._cache = MachineCode(f"{name}_{kept.name}")
    return found


def _load_in_memory(text: str, functions: Mapping[str, Function]) -> Function:
    import numba

    # A user's function may depend on the order.
    text = _decorated(text.replace("@summing_kernel", "@kernel").replace("@fused_kernel", "@kernel"))
    compiler = numba.njit(error_model="numpy")
    namespace: dict[str, Any] = {name: compiler(function) for name, function in functions.items()}
    exec(compile(text, "<grblas_gpu kernel>", "exec"), namespace)
    # Numba keeps a function's namespace until the function is gone: with it in there, that would be never.
    kernel = namespace.pop("kernel")
    with _lock:
        _uncached.add(kernel)
    return kernel


def compilations() -> int:
    """How many kernels this process has compiled rather than loaded."""
    with _lock:
        cached = sum(sum(kernel.stats.cache_misses.values()) for kernel in _loaded.values())
        return cached + sum(len(kernel.signatures) for kernel in _uncached)
