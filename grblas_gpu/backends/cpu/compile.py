"""Generated kernel source to a compiled function, kept on disk.

Numba cannot cache closures or functions passed as arguments, so every specialisation is written out as a module of its
own, named by its content, into a cache folder and imported from there. Numba keeps the machine code next to it: a
second process loads instead of compiling.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ... import operators
from ...version import __version__

Function = Callable[..., Any]

HEADER = "import math\n\nimport numba\nimport numpy as np\n\nU = np.uint64\n"
_SOURCE_TIME = 1_000_000_000  # Numba compares time stamps; a constant one lets racing processes share their results
_lock = threading.RLock()
_folder: Path | None = None
_loaded: dict[str, Any] = {}
_uncached: list[Any] = []


def default_folder() -> Path:
    """Where compiled kernels live: ``GRBLAS_GPU_CACHE_DIR``, else the user's cache directory."""
    chosen = os.environ.get("GRBLAS_GPU_CACHE_DIR")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "grblas_gpu"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "grblas_gpu"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "grblas_gpu"
    return base / _version_name()


def _version_name() -> str:
    """Anything that may change the machine code of an unchanged kernel source."""
    import numba

    digest = hashlib.sha256()
    for path in (Path(__file__), Path(operators.__path__[0]) / "prelude.py"):
        if path.exists():
            digest.update(path.read_bytes())
    python = f"py{sys.version_info[0]}{sys.version_info[1]}"
    return f"{__version__}-numba{numba.__version__}-{python}-{digest.hexdigest()[:12]}"


def folder() -> Path:
    """The cache folder, made on first use; a temporary one when that place cannot be written."""
    global _folder
    with _lock:
        if _folder is None:
            try:
                path = default_folder()
                path.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=path):
                    pass
            except (OSError, RuntimeError):
                path = Path(tempfile.mkdtemp(prefix="grblas_gpu-kernels-"))
            _folder = path
        return _folder


def _path(text: str) -> Path:
    return folder() / f"k{hashlib.sha256(text.encode()).hexdigest()[:24]}.py"


def _write(path: Path, text: str) -> None:
    """Write a module that several processes may be writing at once: whoever is first wins, all write the same text."""
    if path.exists():
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.utime(temporary, (_SOURCE_TIME, _SOURCE_TIME))
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _cached_text(text: str) -> str:
    """What ``@kernel`` and ``@summing_kernel`` stand for; the latter may add up floats in an order of its own."""
    options = 'nogil=True, error_model="numpy", cache=True'
    text = text.replace("@summing_kernel", f'@numba.njit({options}, fastmath={{"reassoc"}})')
    return HEADER + text.replace("@kernel", f"@numba.njit({options})")


def on_disk(text: str) -> bool:
    """Whether machine code for this source has been kept by an earlier process."""
    path = _path(_cached_text(text))
    if not path.exists():
        return False
    machine_code = path.parent / "__pycache__"
    if os.environ.get("NUMBA_CACHE_DIR"):
        return True
    return next(machine_code.glob(f"{path.stem}.*.nbi"), None) is not None


def load(text: str, functions: Mapping[str, Function] | None = None) -> Function:
    """The function ``kernel`` that the source text defines, compiled at its first call or loaded from disk.

    ``functions`` are user-defined Python functions that the source calls by these names. They have no source of ours
    that could name a file, so such kernels are compiled anew in each process.
    """
    if functions:
        return _load_in_memory(text, functions)
    text = _cached_text(text)
    with _lock:
        found = _loaded.get(text)
        if found is None:
            path = _path(text)
            _write(path, text)
            spec = importlib.util.spec_from_file_location(f"grblas_gpu_kernel_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module  # machine code from disk looks its module up by name
            spec.loader.exec_module(module)
            found = _loaded[text] = module.kernel
    return found


def _load_in_memory(text: str, functions: Mapping[str, Function]) -> Function:
    import numba

    text = text.replace("@summing_kernel", "@kernel")  # a user's function may depend on the order
    text = HEADER + text.replace("@kernel", '@numba.njit(nogil=True, error_model="numpy")')
    compiler = numba.njit(error_model="numpy")
    namespace: dict[str, Any] = {name: compiler(function) for name, function in functions.items()}
    exec(compile(text, "<grblas_gpu kernel>", "exec"), namespace)
    with _lock:
        _uncached.append(namespace["kernel"])
    return namespace["kernel"]


def compilations() -> int:
    """How many kernels this process has compiled rather than loaded."""
    with _lock:
        cached = sum(sum(kernel.stats.cache_misses.values()) for kernel in _loaded.values())
        return cached + sum(len(kernel.signatures) for kernel in _uncached)
