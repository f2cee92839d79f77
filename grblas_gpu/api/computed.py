"""The attributes of an expression's result: reading one computes the expression, if automatic computation is on.

The mixins are the last bases of a class, so that attributes of the expression itself need no computation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from .arithmetic import Arithmetic, NothingInPlace
from .base import BaseType

if TYPE_CHECKING:
    from ..operators.call_types import MatrixLike, ScalarLike, VectorLike
    from .expressions import Delayed, MatrixExpression, ScalarExpression, VectorExpression


def _read(name: str, expression: Delayed) -> Any:
    return expression._get_value(name)


def _of_result(names: str) -> Iterator[property]:
    return (property(partial(_read, name)) for name in names.split())


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

    apply, ewise_add, ewise_mult, ewise_union, get = _of_result("apply ewise_add ewise_mult ewise_union get")
    isclose, isequal, nvals, select, wait, _engine = _of_result("isclose isequal nvals select wait _engine")
    _name_html, _nvals, _store, __and__, __or__ = _of_result("_name_html _nvals _store __and__ __or__")
    __rand__, __ror__ = _of_result("__rand__ __ror__")


class ComputedCollection(Computed):
    """Attributes of expressions that become a Vector or a Matrix."""

    __slots__ = ()

    S, V, diag, reposition, ss, to_coo, to_dense = _of_result("S V diag reposition ss to_coo to_dense")
    __contains__, __getitem__, __iter__ = _of_result("__contains__ __getitem__ __iter__")
    __matmul__, __rmatmul__ = _of_result("__matmul__ __rmatmul__")
    __array__ = BaseType.__array__
    __bool__ = BaseType.__bool__


class ComputedVector(ComputedCollection):
    __slots__ = ()
    ndim: Literal[1] = 1
    size = _size = size_of
    if TYPE_CHECKING:

        def _signs(self, other: VectorLike | ScalarLike, /) -> VectorExpression: ...

    inner, outer, reduce, to_dict, vxm, _as_matrix = _of_result("inner outer reduce to_dict vxm _as_matrix")


class ComputedMatrix(ComputedCollection):
    __slots__ = ()
    ndim: Literal[2] = 2
    nrows = _nrows = nrows_of
    ncols = _ncols = ncols_of
    if TYPE_CHECKING:

        def _signs(self, other: MatrixLike | VectorLike | ScalarLike, /) -> MatrixExpression: ...

    T, kronecker, mxm, mxv, power, reduce_columnwise = _of_result("T kronecker mxm mxv power reduce_columnwise")
    reduce_rowwise, reduce_scalar, to_csc, to_csr = _of_result("reduce_rowwise reduce_scalar to_csc to_csr")
    to_dcsc, to_dcsr, to_dicts = _of_result("to_dcsc to_dcsr to_dicts")
    to_edgelist, _as_vector = _of_result("to_edgelist _as_vector")


class ComputedScalar(Computed):
    __slots__ = ()
    ndim: Literal[0] = 0
    shape: Any = ()
    if TYPE_CHECKING:

        def _signs(self, other: ScalarLike, /) -> ScalarExpression: ...

    is_empty, value, _as_matrix, _as_vector, _get = _of_result("is_empty value _as_matrix _as_vector _get")
    _is_empty, __array__, __bool__, __complex__ = _of_result("_is_empty __array__ __bool__ __complex__")
    __float__, __index__, __int__ = _of_result("__float__ __index__ __int__")

    # Methods, because the errors of properties would be suppressed here.
    def __eq__(self, other: object) -> Any:
        return self._get_value("__eq__")(other)

    def __ne__(self, other: object) -> Any:
        return self._get_value("__ne__")(other)
