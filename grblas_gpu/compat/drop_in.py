"""Programs that ``import graphblas`` run on this library, unchanged: :func:`install_as_graphblas`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from ..exceptions import GraphblasException

_PACKAGE = __name__.partition(".")[0]
_NAME = "graphblas"
#: The release of python-graphblas whose interface this is.
VERSION = "2025.2.0"
BACKENDS = ("suitesparse", "suitesparse-vanilla")

PROGRAM = "GRBLAS_GPU_PROGRAM"  # a variable of the environment: what spawned processes run
_started: tuple[str, bool | None] | None = None


def backend() -> str:
    """``gb.backend``, which programs read to see whether ``.ss`` exists: it does."""
    return BACKENDS[0] if _started is None else _started[0]


def init_params() -> dict[str, object] | None:
    """``gb._init_params``: the arguments of ``init``, or None."""
    return None if _started is None else {"backend": _started[0], "blocking": _started[1], "automatic": False}


def init(backend: str = "suitesparse", blocking: bool | None = False) -> None:
    """python-graphblas starts its C library here. This package has none, but checks the arguments in the same way.

    Parameters
    ----------
    backend : str
        "suitesparse" or "suitesparse-vanilla".
    blocking : bool, optional
        Accepted, without effect.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> gb.init("suitesparse-something")
    Traceback (most recent call last):
    ...
    ValueError: Bad backend name.  Must be "suitesparse" or "suitesparse-vanilla".  Got: suitesparse-something
    """
    global _started
    if backend not in BACKENDS:
        raise ValueError(f'Bad backend name.  Must be "suitesparse" or "suitesparse-vanilla".  Got: {backend}')
    if _started is not None and _started != (backend, _started[1] if blocking is None else blocking):
        raise GraphblasException("graphblas initialized multiple times with different init parameters")
    _started = backend, blocking


class _Submodules(Loader):
    """Finds ``graphblas.X`` as the same module object of this library."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(f"{_NAME}."):
            return None
        try:
            ours = find_spec(_PACKAGE + name.removeprefix(_NAME))
        except ModuleNotFoundError:  # its parent is missing, too
            return None
        return None if ours is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        ours = _PACKAGE + spec.name.removeprefix(_NAME)
        module = import_module(ours)
        spec.loader_state = module.__spec__
        for name in [name for name in sys.modules if name.startswith(f"{ours}.")]:  # parts without a file of their own
            sys.modules.setdefault(_NAME + name.removeprefix(_PACKAGE), sys.modules[name])
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state  # keep the original spec


class _Graphblas(ModuleType):
    """The module ``graphblas``: the names of this library."""

    __version__ = VERSION
    __file__ = sys.modules[_PACKAGE].__file__
    __path__: list[str] = []  # noqa: RUF012  (its submodules are not found on disk)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {_NAME!r} has no attribute {name!r}")
        return getattr(sys.modules[_PACKAGE], name)

    def __dir__(self) -> list[str]:
        return dir(sys.modules[_PACKAGE])


def install_as_graphblas() -> ModuleType:
    """From now on, ``import graphblas`` means this library, in this process; returns that module.

    Call it before the first import of python-graphblas. ``python -m grblas_gpu.run script.py`` does this for an
    unmodified program.

    >>> import subprocess, sys
    >>> code = "import grblas_gpu as gb; gb.install_as_graphblas(); import graphblas; "
    >>> code += "print(graphblas.agg.__name__)"
    >>> print(subprocess.check_output([sys.executable, "-c", code], text=True).strip())
    grblas_gpu.agg
    """
    known = sys.modules.get(_NAME)
    if isinstance(known, _Graphblas):
        return known
    if known is not None:
        raise RuntimeError("install_as_graphblas: graphblas is imported already; call this before the first import")
    module = _Graphblas(_NAME, f"{_PACKAGE} under the name of python-graphblas.")
    sys.modules[_NAME] = module
    sys.meta_path.insert(0, _Submodules())
    return module
