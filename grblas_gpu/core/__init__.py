"""The internal modules of python-graphblas that programs import, and where their names live here.

``from graphblas.core.matrix import TransposedMatrix`` and the like; nothing of ours imports from here. There are no
files behind the submodules: each looks its names up in the modules of the table.

>>> from grblas_gpu.core.matrix import TransposedMatrix
>>> TransposedMatrix.__module__
'grblas_gpu.api.matrix'
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]
_OBJECTS = "api.matrix api.vector api.scalar api.mask api.expressions api.infix api.calls api.updates api.indexing"
_NAMESPACES = "."  # the package itself, in which ``binary`` is the namespace and not the file of the class
_KINDS = "binary indexunary monoid select semiring unary".split()
#: The name under ``core``, and the modules to look in, in this order.
MODULES = {
    "base": f"api.base {_OBJECTS}",
    "descriptor": "ir.descriptor",
    "dtypes": "dtypes",
    "expr": f"api.updates api.indexing api.expressions {_OBJECTS}",
    "formatting": "api.formatting",
    "infix": f"api.infix {_OBJECTS}",
    "mask": "api.mask",
    "recorder": "trace.recorder .",
    **dict.fromkeys(("matrix", "scalar", "vector"), _OBJECTS),
    "operator": "operators op",
    **dict.fromkeys(map("operator.{}".format, _KINDS), f"{_NAMESPACES} operators"),
    "operator.agg": f"{_NAMESPACES} operators operators.aggregators",
    "operator.base": "operators operators.parameterized",
    "operator.indexbinary": f"{_NAMESPACES} operators operators.indexbinary",
    "ss": "ss api.ss",
    **dict.fromkeys(("ss.config", "ss.context"), "api.ss.settings"),
    "ss.descriptor": "ir.descriptor",
    "ss.matrix": "api.ss.matrix",
    "ss.vector": "api.ss.vector",
    "utils": f"api.base api.kinds api.conversions api.ss.tiles {_OBJECTS}",
}


class Alias(ModuleType):
    """A module whose names are looked up in other modules at their first use."""

    def __init__(self, name: str, sources: list[str]) -> None:
        super().__init__(name, f"``{name}``: names of {', '.join(sources)}.")
        self.__path__: list[str] = []  # it may have submodules, but not on disk
        self._sources = sources

    def __getattr__(self, name: str) -> object:
        if not name.startswith("__"):
            for source in map(import_module, self._sources):
                if hasattr(source, name):
                    return getattr(source, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({name for source in self._sources for name in dir(import_module(source))})


def _register() -> None:
    this = sys.modules[__name__]
    for path, sources in MODULES.items():
        modules = [f"{_PACKAGE}.{source}".rstrip(".") for source in sources.split()]
        module = Alias(f"{__name__}.{path}", modules)
        sys.modules[module.__name__] = module
        parent, _, name = path.rpartition(".")
        setattr(sys.modules[f"{__name__}.{parent}"] if parent else this, name, module)


_register()
