"""Make ``import graphblas`` mean grblas_gpu in this process, with what python-graphblas's own tests need on top.

Programs need only ``install_as_graphblas``. The tests also import the tests' own package, walk over lazy tables, and
name the C library; what exists only because SuiteSparse is one (``lib``, ``ffi``) is a placeholder here, and the tests
that need the real thing are out of scope by name.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

from grblas_gpu import Matrix, Scalar, Vector, monoid
from grblas_gpu.api import formatting
from grblas_gpu.api.computed import ComputedMatrix, ComputedVector
from grblas_gpu.api.expressions import ScalarExpression, ScalarIndexExpr
from grblas_gpu.api.indexing import Indexes
from grblas_gpu.api.matrix import TransposedMatrix
from grblas_gpu.api.updates import Updater
from grblas_gpu.compat.drop_in import install_as_graphblas
from grblas_gpu.dtypes import ALL_TYPES, DataType
from grblas_gpu.operators.base import TypedOpBase

CHECKOUT = os.environ.get("GRAPHBLAS_TESTS")  # a checkout of python-graphblas, whose tests replace those of the wheel
BACKEND = "suitesparse"  # python-graphblas's default: with `.ss`


class _NoLibrary:
    """Stands for the C library: the object of an operator is its name there, and nothing else has one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attr: str):
        if attr.startswith("GrB_") and attr.rpartition("_")[2] in TYPE_NAMES:
            return attr
        raise AttributeError(f"there is no C library behind grblas_gpu: {self._name}.{attr}")


TYPE_NAMES = {dtype.name for dtype in ALL_TYPES}


class _Axis:
    """What tests compare of an index."""

    def __init__(self, axis) -> None:
        self.size, self.dimsize, self._carg = axis.size, axis.dimsize, axis.index
        self.index = SimpleNamespace(value=axis.index)


class _AllIndices:
    """A constant of python-graphblas's, which its pickles name."""

    __module__ = "graphblas.core.expr"

    def __reduce__(self) -> str:
        return "_ALL_INDICES"


def _c_name(op) -> str:
    """What the C library calls a typed operator: where tests compare this, they go on to what matters."""
    name = {"cdiv": "div"}.get(op.name, op.name).upper()
    kind = {"Monoid": "_MONOID", "Semiring": "_SEMIRING"}.get(op.opclass, "")
    return f"GrB_{name}{kind}_{op.type.name}"


def _carry_over() -> None:
    """Private names at which tests would stop before they check what they are about."""
    TypedOpBase.gb_obj = property(_c_name)
    DataType.gb_obj = property(lambda self: self.gb_name)
    ScalarExpression._new_scalar = lambda self, dtype, **options: Scalar(dtype, **options)
    make = Updater.__init__
    Updater.__init__ = lambda self, *args, opts=None, **options: make(self, *args, **options)
    Indexes.indices = property(lambda self: [_Axis(axis) for axis in self.axes])
    for kind in (Vector, Matrix, TransposedMatrix):
        kind._extract_element = lambda self, indexes, dtype, opts, **options: ScalarIndexExpr(self, indexes).new(
            dtype, **opts, **options
        )
    for kind in (Vector, Matrix):
        kind.gb_obj = property(lambda self: self._store)
        kind._name_html = kind._carg = property(lambda self: self.name)
    for kind in (ComputedVector, ComputedMatrix):
        kind.gb_obj = property(lambda self: self._get_value("gb_obj"))
        kind._name_html = kind._carg = property(lambda self: self.name)
    for kind, name in (("unary", "_unary_names"), ("binary", "_binary_names"), ("monoid", "_monoid_identities")):
        module = importlib.import_module(f"grblas_gpu.{kind}.numpy")
        names = dict.fromkeys(module._namespace.builtin_names())
        setattr(module, name, names if name == "_monoid_identities" else names.keys())


def _form_of_suitesparse(x) -> str:
    """The format that SuiteSparse selects, also for small objects, which keep here the one they were made with."""
    base = x._matrix if x._is_transposed else x
    rows, columns = base.shape if base.ndim == 2 else (base.size, 1)
    fill = {1: 0.04, 2: 0.05, 3: 0.06, 4: 0.06}.get(min(rows, columns), 0.4) * rows * columns
    form = "full" if 0 < base.nvals == rows * columns else "bitmap" if base.nvals > fill else "sparse"
    if base.ndim == 2:
        if form == "sparse" and (rows > 2**30 or 0 < base.reduce_rowwise(monoid.any).new().nvals <= rows // 16):
            form = "hypersparse"
        form = formatting.FORMATS[form][x._is_transposed != (columns == 1)]
    return form + (" (iso)" if base.ss.is_iso else "")


def find_tests() -> Path:
    """The folder of python-graphblas's tests, found without importing it."""
    if CHECKOUT:
        return Path(CHECKOUT).resolve() / "graphblas" / "tests"
    spec = importlib.util.find_spec("graphblas")
    if spec is None or spec.origin is None:
        raise SystemExit("python-graphblas is not installed: pip install '.[test]'")
    return Path(spec.origin).parent / "tests"


def install() -> Path:
    """Install everything; return the folder of the tests."""
    folder = find_tests()
    graphblas = install_as_graphblas()
    core = importlib.import_module("graphblas.core")
    vars(core).update(
        lib=_NoLibrary("lib"), ffi=_NoLibrary("ffi"), NULL=_NoLibrary("NULL"), _supports_udfs=True, _has_numba=True
    )
    _carry_over()
    formatting._form = _form_of_suitesparse
    vars(core)["utils"]._NP2 = True
    vars(core)["expr"]._ALL_INDICES = _AllIndices()
    vars(core.ss).update(_IS_SSGB7=False, version_major=9)
    vars(core.operator.indexbinary)["_has_idxbinop"] = True
    core.operator.udt_utils = sys.modules["graphblas.core.operator.udt_utils"] = ModuleType("udt_utils")
    core.operator.udt_utils._has_jit_set = False
    for name in ("unary", "binary", "monoid", "semiring", "op"):
        module = importlib.import_module(f"graphblas.{name}")
        for attr in ("_delayed", "_deprecated"):  # the tests' conftest walks over python-graphblas's lazy tables
            vars(module).setdefault(attr, {})
    spec = importlib.util.spec_from_file_location(
        "graphblas.tests", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    tests = importlib.util.module_from_spec(spec)
    sys.modules["graphblas.tests"] = graphblas.tests = tests
    spec.loader.exec_module(tests)
    return folder
