"""grblas_gpu: GraphBLAS for Python, spelled as python-graphblas spells it.

>>> import grblas_gpu as gb
>>> A = gb.Matrix.from_coo([0, 1], [1, 2], True, nrows=3, ncols=3)
>>> frontier = gb.Vector.from_coo([0], True, size=3)
>>> gb.semiring.lor_land(frontier @ A).new().to_dict()
{1: True}
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from . import agg, binary, dtypes, exceptions, indexbinary, indexunary, monoid, op, select, semiring, unary
from .api import (
    aggregation as aggregation,  # registers the computation of aggregators
    calls as calls,  # registers the calls of operators
    operations,
    ss as storage,  # noqa: F401  (says what ``A.ss`` and ``v.ss`` are)
)
from .api.base import replace
from .api.conversions import MAX_SIZE
from .api.explain import explain
from .api.loop import loop, when
from .api.mask import Mask
from .api.matrix import Matrix
from .api.program import program
from .api.scalar import Scalar
from .api.searches import search
from .api.vector import Vector
from .backends.registry import get_backend, set_backend, using
from .config import config
from .dtypes import BOOL, FP32, FP64, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64
from .ir.descriptor import Descriptor
from .operators import BinaryOp, IndexBinaryOp, IndexUnaryOp, Monoid, SelectOp, Semiring, UnaryOp
from .trace.records import trace
from .version import __version__ as __version__

if TYPE_CHECKING:
    from . import algorithms, core, distributed, generators, io, sampling, ss, torch, viz  # type: ignore[attr-defined]
    from .cli.versions import show_versions
    from .compat.drop_in import init, install_as_graphblas
    from .io import Graph
    from .trace.recorder import Recorder

    backend: str

__all__ = [
    "BOOL",
    "FP32",
    "FP64",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "MAX_SIZE",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "BinaryOp",
    "Descriptor",
    "Graph",
    "IndexBinaryOp",
    "IndexUnaryOp",
    "Mask",
    "Matrix",
    "Monoid",
    "Recorder",
    "Scalar",
    "SelectOp",
    "Semiring",
    "UnaryOp",
    "Vector",
    "agg",
    "algorithms",
    "binary",
    "config",
    "core",
    "distributed",
    "dtypes",
    "exceptions",
    "explain",
    "generators",
    "get_backend",
    "indexbinary",
    "indexunary",
    "init",
    "install_as_graphblas",
    "io",
    "loop",
    "monoid",
    "op",
    "operations",
    "program",
    "replace",
    "sampling",
    "search",
    "select",
    "semiring",
    "set_backend",
    "show_versions",
    "ss",
    "torch",
    "trace",
    "unary",
    "using",
    "viz",
    "when",
]


#: Imported on first use: the module, or the module and a name in it.
_LAZY = {name: (name, "") for name in "algorithms core distributed generators io sampling ss torch viz".split()} | {
    "Graph": ("io", "Graph"),
    "Recorder": ("trace.recorder", "Recorder"),
    "init": ("compat.drop_in", "init"),
    "install_as_graphblas": ("compat.drop_in", "install_as_graphblas"),
    "show_versions": ("cli.versions", "show_versions"),
}


if not TYPE_CHECKING:  # with __getattr__, type checkers would accept every name

    def __getattr__(name: str) -> object:
        if name == "backend":  # for programs that read it; it depends on the argument of `init`
            return import_module(f"{__name__}.compat.drop_in").backend()
        if name == "_init_params":
            return import_module(f"{__name__}.compat.drop_in").init_params()
        if name not in _LAZY:
            raise import_module(f"{__name__}.foundation.suggestions").no_attribute(__name__, name, __all__)
        place, attribute = _LAZY[name]
        module = import_module(f"{__name__}.{place}")
        globals()[name] = value = getattr(module, attribute) if attribute else module
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
