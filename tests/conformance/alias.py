"""Make ``import graphblas`` mean grblas_gpu, for this process only.

python-graphblas's tests import the library, its submodules and some of its internals; the tables below say where each
of those lives here. A public module is registered as the very same module object, or the tests would get duplicate
classes; an internal one (``graphblas.core.*``) becomes a small module that looks its names up in the listed modules.

What exists only because SuiteSparse is a C library (``lib``, ``ffi``, ``init``) is a placeholder here, and the tests
that need the real thing are out of scope by name.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

OURS = "grblas_gpu"
BACKEND = "suitesparse-vanilla"  # what the tests ask for: no `.ss` attributes, no complex numbers

# Same object under both names: the public modules.
PUBLIC = tuple("agg binary dtypes exceptions indexunary io monoid op select semiring unary viz".split())
NESTED = ("unary.numpy", "binary.numpy", "monoid.numpy", "semiring.numpy", "op.numpy")

_OBJECTS = tuple(
    f"api.{name}" for name in "matrix vector scalar mask expressions infix calls updates assignment indexing".split()
)
# graphblas.core.<name>: our modules to look in, in this order.
CORE: dict[str, tuple[str, ...]] = {
    "": ("",),
    "base": ("api.base", *_OBJECTS),
    "descriptor": ("ir.descriptor",),
    "dtypes": ("dtypes",),
    "expr": ("api.updates", "api.indexing", "api.expressions", *_OBJECTS),
    "formatting": ("api.formatting",),
    "infix": ("api.infix", *_OBJECTS),
    "mask": ("api.mask",),
    "matrix": _OBJECTS,
    "operator": ("operators", "op"),
    "recorder": ("trace.records",),
    "scalar": _OBJECTS,
    "utils": ("api.base", *_OBJECTS),
    "vector": _OBJECTS,
}


class _NoLibrary:
    """Stands for the C library: it has no attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attr: str) -> Any:
        raise AttributeError(f"there is no C library behind {OURS}: {self._name}.{attr}")


class Alias(ModuleType):
    """A module whose names are looked up in other modules when they are asked for."""

    def __init__(self, name: str, sources: tuple[ModuleType, ...], **extra: Any) -> None:
        super().__init__(name)
        self.__path__: list[str] = []  # a package, with nothing to find on disk
        self.__dict__.update(extra)
        self._sources = sources

    def __getattr__(self, attr: str) -> Any:
        if not attr.startswith("__") or attr == "__version__":
            for source in self._sources:
                try:
                    return getattr(source, attr)
                except AttributeError:
                    continue
        raise AttributeError(f"{OURS} has no counterpart of {self.__name__}.{attr}")

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *itertools.chain.from_iterable(map(dir, self._sources))})


def find_tests() -> Path:
    """The folder of python-graphblas's tests, found without importing it."""
    spec = importlib.util.find_spec("graphblas")
    if spec is None or spec.origin is None:
        raise SystemExit("python-graphblas is not installed: pip install '.[test]'")
    return Path(spec.origin).parent / "tests"


def _load(name: str) -> ModuleType | None:
    full = f"{OURS}.{name}" if name else OURS
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name is None or not full.startswith(error.name):
            raise  # a module of ours that imports something missing is an error to see
        return None


def install() -> Path:
    """Register every alias in ``sys.modules``; return the folder of the tests."""
    if "graphblas" in sys.modules:
        raise RuntimeError("the alias must come before the first import of graphblas")
    folder = find_tests()
    ours = importlib.import_module(OURS)

    core: dict[str, ModuleType] = {}
    for name, sources in CORE.items():
        full = f"graphblas.core.{name}".rstrip(".")
        core[name] = Alias(full, tuple(m for m in map(_load, sources) if m is not None))
        sys.modules[full] = core[name]
        if name:
            setattr(core[""], name, core[name])
    vars(core[""]).update(
        lib=_NoLibrary("lib"), ffi=_NoLibrary("ffi"), NULL=_NoLibrary("NULL"), _supports_udfs=True, _has_numba=True
    )
    vars(core["utils"]).update(_NP2=True)
    if not hasattr(core["utils"], "ensure_type"):  # test_resolving.py imports it at its top, one test of it uses it
        vars(core["utils"]).update(ensure_type=None)

    graphblas = Alias("graphblas", (ours,), core=core[""], backend=BACKEND, init=_init)
    graphblas.__file__ = ours.__file__
    sys.modules["graphblas"] = graphblas
    for name in PUBLIC:
        module = _load(name)
        if module is None and isinstance(found := getattr(ours, name, None), ModuleType):
            module = found
        if module is not None:
            sys.modules[f"graphblas.{name}"] = module
            setattr(graphblas, name, module)
    for name in NESTED:
        parent, child = name.split(".")
        nested = _load(name) or getattr(sys.modules.get(f"graphblas.{parent}"), child, None)
        if nested is not None:
            sys.modules[f"graphblas.{name}"] = nested
    for name in ("unary", "binary", "monoid", "semiring", "op"):
        for attr in ("_delayed", "_deprecated"):  # the tests' conftest walks over python-graphblas's lazy tables
            if (module := sys.modules.get(f"graphblas.{name}")) is not None and not hasattr(module, attr):
                setattr(module, attr, {})

    spec = importlib.util.spec_from_file_location(
        "graphblas.tests", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    tests = importlib.util.module_from_spec(spec)
    sys.modules["graphblas.tests"] = graphblas.tests = tests
    spec.loader.exec_module(tests)
    return folder


def _init(backend: str = BACKEND, blocking: bool = False) -> None:
    """python-graphblas starts its C library here; there is none."""
    if backend != BACKEND:
        raise ValueError(f"the alias stands for {BACKEND!r} only, got {backend!r}")
