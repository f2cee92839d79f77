"""The engines, and which one new objects use.

"cpu" is the Numba engine, "cuda" the one on an NVIDIA GPU (needs CuPy), "numpy" the plain definitions (slow, always
available). "auto" is "cuda" where CuPy finds a device, and "cpu" elsewhere. "mpi" distributes objects over the ranks of
an MPI job, each of which uses one of the others.
"""

from __future__ import annotations

import importlib.util
import os
from contextlib import ContextDecorator
from contextvars import ContextVar
from functools import cache
from typing import Any, NoReturn

from .protocol import Backend

NAMES = ("cpu", "cuda", "numpy")

_engines: dict[str, Backend] = {}
_chosen: ContextVar[Backend | None] = ContextVar("grblas_gpu_backend", default=None)
_default: Backend | None = None


def get_engine(name: str) -> Backend:
    """The engine of that name, made on first use."""
    if name == "auto":
        name = _best()
    if name not in _engines:
        if name == "cpu":
            from .cpu.engine import CpuBackend

            _engines[name] = _calibrated(CpuBackend())
        elif name == "cuda":
            _engines[name] = _cuda_engine()
        elif name == "numpy":
            from .forms.every_form import NumpyBackend

            _engines[name] = NumpyBackend()
        elif name.partition(":")[0] == "mpi":  # over the ranks of an MPI job
            from .mpi.engine import make_engine

            _engines[name] = make_engine(name, get_engine)
        else:
            raise ValueError(f"unknown backend {name!r}; this version has: auto, {', '.join(NAMES)}, mpi")
    return _engines[name]


@cache
def _best() -> str:
    """The fastest engine that this machine has."""
    if importlib.util.find_spec("cupy") is None:  # looking is quicker than trying to import
        return "cpu"
    try:
        get_engine("cuda")
    except RuntimeError:
        return "cpu"
    return "cuda"


def _cuda_engine() -> Backend:
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        raise RuntimeError("backend 'cuda' needs CuPy: pip install 'grblas_gpu[cuda13x]' (or cuda12x)") from None
    except Exception as error:
        raise RuntimeError(f"backend 'cuda' found no usable CUDA device: {error}") from None
    if count == 0:
        raise RuntimeError("backend 'cuda' found no CUDA device")
    from .cuda.engine import CudaBackend
    from .cuda.runtime import archive, tiers

    archive.lend_to_cupy(tiers.architecture())
    engine = _calibrated(CudaBackend())
    refuse_in_children(engine)
    return engine


def refuse_in_children(engine: Backend) -> None:
    """Let every use of an engine fail with a sentence in processes that are forked from this one."""
    kind: Any = type(engine)

    class AfterFork(kind):
        def __getattribute__(self, name: str) -> NoReturn:
            raise RuntimeError(
                "CUDA works in no process forked from one that has used it: start processes with "
                "multiprocessing.get_context('spawn'), or call set_backend('cpu') first and use new objects"
            )

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: setattr(engine, "__class__", AfterFork))


def _calibrated(engine: Backend) -> Backend:
    """With the costs that were measured on this machine, if any were."""
    from .machine.calibration import start

    engine.costs = start(engine.name)
    return engine


def set_backend(name: str) -> None:
    """Choose the engine of objects made from now on, in every thread: "auto", "cpu", "cuda" or "numpy".

    Parameters
    ----------
    name : str
        "auto", "cpu", "cuda", "numpy" or "mpi".

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> gb.set_backend("auto")
    """
    global _default
    _default = get_engine(name)


def get_backend() -> str:
    """The name of the engine that a new object uses.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> with gb.using("numpy"):
    ...     gb.get_backend()
    'numpy'
    """
    return current_engine().name


class _Using(ContextDecorator):
    """The result of :func:`using`; a generator would take twice as long, and every algorithm calls it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _recreate_cm(self) -> _Using:
        return _Using(self._name)  # a decorated function has one for each call

    def __enter__(self) -> None:
        self._token = _chosen.set(_engines.get(self._name) or get_engine(self._name))

    def __exit__(self, *error: object) -> None:
        _chosen.reset(self._token)


def using(name: str) -> _Using:
    """Choose the engine of objects made within a ``with`` block (of this thread).

    Parameters
    ----------
    name : str
        "auto", "cpu", "cuda", "numpy" or "mpi".

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> with gb.using("numpy"):
    ...     gb.Vector(int, 3).backend
    'numpy'
    """
    return _Using(name)


def current_engine() -> Backend:
    """The engine that a new object belongs to."""
    global _default
    engine = _chosen.get()
    if engine is not None:
        return engine
    if _default is None:
        _default = get_engine(os.environ.get("GRBLAS_GPU_BACKEND", "auto"))
    return _default
