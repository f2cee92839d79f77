"""The attributes of an expression's result: reading one computes the expression, if automatic computation is on.

The mixins are the last bases of a class, so that attributes of the expression itself need no computation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arithmetic import Arithmetic, NothingInPlace
from .base import BaseType

if TYPE_CHECKING:
    from ..operators.call_types import MatrixLike, ScalarLike, VectorLike
    from .expressions import MatrixExpression, ScalarExpression, VectorExpression


def _of_result(name: str) -> property:
    return property(lambda self: self._get_value(name))


size_of = nrows_of = property(lambda self: self.shape[0])
ncols_of = property(lambda self: self.shape[1])


class Computed(Arithmetic, NothingInPlace):
    """Attributes of every expression."""

    __slots__ = ()
    _value: Any
    _get_value: Any  # the computed object, or one of its attributes (``Delayed``)

    @property
    def name(self) -> str:
        return self._get_value("name")

    @name.setter
    def name(self, name: str) -> None:
        self._get_value("name")
        self._value.name = name

    apply = _of_result("apply")
    ewise_add = _of_result("ewise_add")
    ewise_mult = _of_result("ewise_mult")
    ewise_union = _of_result("ewise_union")
    get = _of_result("get")
    isclose = _of_result("isclose")
    isequal = _of_result("isequal")
    nvals = _of_result("nvals")
    select = _of_result("select")
    wait = _of_result("wait")
    _engine = _of_result("_engine")
    _name_html = _of_result("_name_html")
    _nvals = _of_result("_nvals")
    _store = _of_result("_store")
    __and__ = _of_result("__and__")
    __or__ = _of_result("__or__")
    __rand__ = _of_result("__rand__")
    __ror__ = _of_result("__ror__")


class ComputedCollection(Computed):
    """Attributes of expressions that become a Vector or a Matrix."""

    __slots__ = ()

    S = _of_result("S")
    V = _of_result("V")
    diag = _of_result("diag")
    reposition = _of_result("reposition")
    ss = _of_result("ss")
    to_coo = _of_result("to_coo")
    to_dense = _of_result("to_dense")
    __contains__ = _of_result("__contains__")
    __getitem__ = _of_result("__getitem__")
    __iter__ = _of_result("__iter__")
    __matmul__ = _of_result("__matmul__")
    __rmatmul__ = _of_result("__rmatmul__")
    __array__ = BaseType.__array__
    __bool__ = BaseType.__bool__


class ComputedVector(ComputedCollection):
    __slots__ = ()
    ndim = 1
    size = _size = size_of
    if TYPE_CHECKING:

        def _signs(self, other: VectorLike | ScalarLike, /) -> VectorExpression: ...

    inner = _of_result("inner")
    outer = _of_result("outer")
    reduce = _of_result("reduce")
    to_dict = _of_result("to_dict")
    vxm = _of_result("vxm")
    _as_matrix = _of_result("_as_matrix")


class ComputedMatrix(ComputedCollection):
    __slots__ = ()
    ndim = 2
    nrows = _nrows = nrows_of
    ncols = _ncols = ncols_of
    if TYPE_CHECKING:

        def _signs(self, other: MatrixLike | VectorLike | ScalarLike, /) -> MatrixExpression: ...

    T = _of_result("T")
    kronecker = _of_result("kronecker")
    mxm = _of_result("mxm")
    mxv = _of_result("mxv")
    power = _of_result("power")
    reduce_columnwise = _of_result("reduce_columnwise")
    reduce_rowwise = _of_result("reduce_rowwise")
    reduce_scalar = _of_result("reduce_scalar")
    to_csc = _of_result("to_csc")
    to_csr = _of_result("to_csr")
    to_dcsc = _of_result("to_dcsc")
    to_dcsr = _of_result("to_dcsr")
    to_dicts = _of_result("to_dicts")
    to_edgelist = _of_result("to_edgelist")
    _as_vector = _of_result("_as_vector")


class ComputedScalar(Computed):
    __slots__ = ()
    ndim = 0
    shape: Any = ()
    if TYPE_CHECKING:

        def _signs(self, other: ScalarLike, /) -> ScalarExpression: ...

    is_empty = _of_result("is_empty")
    value = _of_result("value")
    _as_matrix = _of_result("_as_matrix")
    _as_vector = _of_result("_as_vector")
    _get = _of_result("_get")
    _is_empty = _of_result("_is_empty")
    __array__ = _of_result("__array__")
    __bool__ = _of_result("__bool__")
    __complex__ = _of_result("__complex__")
    __float__ = _of_result("__float__")
    __index__ = _of_result("__index__")
    __int__ = _of_result("__int__")

    # Methods, because the errors of properties would be suppressed here.
    def __eq__(self, other: object) -> Any:
        return self._get_value("__eq__")(other)

    def __ne__(self, other: object) -> Any:
        return self._get_value("__ne__")(other)
