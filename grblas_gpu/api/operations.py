"""The functional API, in the shape of the GraphBLAS C specification: output first, then operands, mask, accumulator.

>>> from grblas_gpu import Descriptor, Matrix, Vector, operations, semiring
>>> A = Matrix.from_coo([0, 1], [1, 2], True, nrows=3, ncols=3)
>>> u, w = Vector.from_coo([0], True, size=3), Vector(bool, 3)
>>> operations.vxm(w, u, A, semiring.lor_land)
>>> w.to_dict()
{1: True}
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from .. import binary, monoid, semiring
from ..foundation.types import Handle, MaskLike, Matrix, Operand, OperatorLike, Scalar, Tensor, Vector
from ..ir.descriptor import Descriptor
from .base import check_same_backend
from .mask import _KINDS, Mask

if TYPE_CHECKING:
    from ..operators.call_types import MatrixLike, TensorLike, VectorLike

DEFAULT = Descriptor()
Operation = TypeVar("Operation", bound=Callable[..., None])
WRITING = """\
mask : Mask, optional
    The positions to write: ``m.S``, ``m.V``, ``~m.S`` or ``~m.V``.
accum : BinaryOp, optional
    The operator that combines old and new values; without it, new values replace old ones.
desc : Descriptor, optional
    Complement, structure, replace, transposes, direction, strategy.
"""


def _writes(operation: Operation) -> Operation:
    """Add the parameters of all operations with an output to the docstring, before its section Raises."""
    before, raises, after = (operation.__doc__ or "").partition("Raises\n")
    if raises:
        margin = before[before.rindex("\n") + 1 :]
        operation.__doc__ = f"{before.rstrip()}\n{indent(WRITING, margin)}\n{margin}{raises}{after}"
    return operation


class Writing(TypedDict, total=False):
    """The keywords of operations with an output."""

    mask: MaskLike | None
    accum: OperatorLike | None
    desc: Descriptor | None


def _mask(mask: MaskLike | None, desc: Descriptor) -> Mask | None:
    return mask if mask is None or isinstance(mask, Mask) else _KINDS[desc.mask_structure, desc.mask_complement](mask)


def _write(
    out: Handle,
    expr: object,
    mask: MaskLike | None = None,
    accum: OperatorLike | None = None,
    desc: Descriptor | None = None,
) -> None:
    desc = DEFAULT if desc is None else desc
    if isinstance(mask, Mask) and desc.mask_complement:
        mask = ~mask
    if accum is not None:
        accum = out._typed_accum(accum)
    out._update(expr, _mask(mask, desc), accum, desc.replace, None, None if desc == DEFAULT else desc)


def _first(a: Any, writing: Writing) -> Any:
    desc = writing.get("desc")
    return a.T if desc is not None and desc.transpose_first else a


def _second(b: Any, writing: Writing) -> Any:
    desc = writing.get("desc")
    return b.T if desc is not None and desc.transpose_second else b


@_writes
def mxm(
    C: Matrix, A: MatrixLike, B: MatrixLike, op: OperatorLike = semiring.plus_times, **writing: Unpack[Writing]
) -> None:
    """``C<mask> (accum)= A op B``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    B : Matrix
        The second operand.
    op : Semiring or str
        The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> A, C = Matrix.from_dense([[1, 2], [3, 4]]), Matrix(int, 2, 2)
    >>> mxm(C, A, A, desc=Descriptor(transpose_second=True))
    >>> C.to_dense().tolist()
    [[5, 11], [11, 25]]
    """
    _write(C, _first(A, writing).mxm(_second(B, writing), op), **writing)


@_writes
def mxv(
    w: Vector, A: MatrixLike, u: VectorLike, op: OperatorLike = semiring.plus_times, **writing: Unpack[Writing]
) -> None:
    """``w<mask> (accum)= A op u``.

    Parameters
    ----------
    w : Vector
        The output.
    A : Matrix
        The first operand.
    u : Vector
        The second operand.
    op : Semiring or str
        The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> A, u, w = Matrix.from_dense([[1, 2], [3, 4]]), Vector.from_dense([1, 10]), Vector(int, 2)
    >>> mxv(w, A, u)
    >>> w.to_dict()
    {0: 21, 1: 43}
    """
    _write(w, _first(A, writing).mxv(u, op), **writing)


@_writes
def vxm(
    w: Vector, u: VectorLike, A: MatrixLike, op: OperatorLike = semiring.plus_times, **writing: Unpack[Writing]
) -> None:
    """``w<mask> (accum)= u op A``.

    Parameters
    ----------
    w : Vector
        The output.
    u : Vector
        The first operand.
    A : Matrix
        The second operand.
    op : Semiring or str
        The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> A, u, w = Matrix.from_dense([[1, 2], [3, 4]]), Vector.from_dense([1, 10]), Vector(int, 2)
    >>> vxm(w, u, A)
    >>> w.to_dict()
    {0: 31, 1: 42}
    """
    _write(w, u.vxm(_second(A, writing), op), **writing)


@_writes
def ewise_add(
    C: Tensor, A: TensorLike, B: TensorLike, op: OperatorLike = monoid.plus, **writing: Unpack[Writing]
) -> None:
    """``C<mask> (accum)= A (+) B``, the union of the entries.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix or Vector
        The first operand.
    B : Matrix or Vector
        The second operand.
    op : BinaryOp, Monoid or str
        The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> u, v, w = Vector.from_coo([0, 1], [1, 2]), Vector.from_coo([1], [10]), Vector(int, 2)
    >>> ewise_add(w, u, v)
    >>> w.to_dict()
    {0: 1, 1: 12}
    """
    _write(C, _first(A, writing).ewise_add(_second(B, writing), op), **writing)


@_writes
def ewise_mult(
    C: Tensor, A: TensorLike, B: TensorLike, op: OperatorLike = binary.times, **writing: Unpack[Writing]
) -> None:
    """``C<mask> (accum)= A (x) B``, the intersection of the entries.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    B : Matrix
        The second operand.
    op : BinaryOp, Monoid or str
        The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> u, v, w = Vector.from_coo([0, 1], [1, 2]), Vector.from_coo([1], [10]), Vector(int, 2)
    >>> ewise_mult(w, u, v)
    >>> w.to_dict()
    {1: 20}
    """
    _write(C, _first(A, writing).ewise_mult(_second(B, writing), op), **writing)


@_writes
def ewise_union(
    C: Tensor,
    A: TensorLike,
    B: TensorLike,
    op: OperatorLike,
    left_default: Operand,
    right_default: Operand,
    **writing: Unpack[Writing],
) -> None:
    """``C<mask> (accum)= A (+) B`` with defaults for missing entries.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    B : Matrix
        The second operand.
    op : BinaryOp, Monoid or str
        The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.
    left_default : scalar
        The left value where only the right operand has an entry.
    right_default : scalar
        The right value where only the left operand has an entry.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> u, v, w = Vector.from_coo([0, 1], [1, 2]), Vector.from_coo([1], [10]), Vector(int, 2)
    >>> ewise_union(w, u, v, binary.minus, 0, 100)
    >>> w.to_dict()
    {0: -99, 1: -8}
    """
    expr = _first(A, writing).ewise_union(_second(B, writing), op, left_default, right_default)
    _write(C, expr, **writing)


@_writes
def apply(
    C: Tensor,
    A: TensorLike,
    op: OperatorLike,
    right: Operand | None = None,
    *,
    left: Operand | None = None,
    **writing: Unpack[Writing],
) -> None:
    """``C<mask> (accum)= op(A)``, ``op(left, A)`` or ``op(A, right)``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    op : UnaryOp, BinaryOp, IndexUnaryOp or str
        The operator on every value: ``unary.abs``, or ``binary.times`` with the other operand in ``left``
        or ``right``.
    right : scalar, optional
        The second argument of a binary operator, or the thunk of an index-unary one.
    left : scalar, optional
        The first argument of a binary operator.

    Raises
    ------
    TypeError
        An operand or the operator is of the wrong kind.
    DomainMismatch
        A type cannot be cast to the required one.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> u, w = Vector.from_coo([0, 1], [1, 2]), Vector(int, 2)
    >>> apply(w, u, binary.minus, left=10)
    >>> w.to_dict()
    {0: 9, 1: 8}
    """
    _write(C, _first(A, writing).apply(op, right, left=left), **writing)


@_writes
def select(
    C: Tensor, A: TensorLike, op: OperatorLike, thunk: Operand | None = None, **writing: Unpack[Writing]
) -> None:
    """``C<mask> (accum)=`` the entries of A for which ``op`` is true.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    op : SelectOp, IndexUnaryOp, Mask or str
        The operator that selects entries: ``select.tril``, ``select.valuegt``, or ``">"``.
    thunk : scalar, optional
        The second operand of the operator: a value, or the offset of a diagonal.

    Raises
    ------
    TypeError
        An operand or the operator is of the wrong kind.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> u, w = Vector.from_coo([0, 1, 2], [5, 1, 7]), Vector(int, 3)
    >>> select(w, u, ">=", 5)
    >>> w.to_dict()
    {0: 5, 2: 7}
    """
    _write(C, _first(A, writing).select(op, thunk), **writing)


def reduce(
    s: Scalar, x: Any, op: OperatorLike = monoid.plus, *, accum: OperatorLike | None = None, allow_empty: bool = True
) -> None:
    """``s (accum)=`` all entries of a Vector or Matrix.

    Parameters
    ----------
    s : Scalar
        The output.
    x : Vector or Matrix
        The operand.
    op : Monoid, Aggregator or str
        The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.
    accum : BinaryOp, optional
        The operator that combines old and new values; without it, new values replace old ones.
    allow_empty : bool
        Whether a reduction of no entries returns an empty Scalar; otherwise it returns the identity.

    Raises
    ------
    TypeError
        An operand or the operator is of the wrong kind.
    DimensionMismatch
        The shapes do not match.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Scalar
    >>> s = Scalar.from_value(100)
    >>> reduce(s, Matrix.from_dense([[1, 2], [3, 4]]), accum=binary.plus)
    >>> s.value
    110
    """
    expr = x.reduce(op, allow_empty=allow_empty) if x.ndim == 1 else x.reduce_scalar(op, allow_empty=allow_empty)
    _write(s, expr, accum=accum)


reduce_scalar = reduce


@_writes
def reduce_rowwise(w: Vector, A: MatrixLike, op: OperatorLike = monoid.plus, **writing: Unpack[Writing]) -> None:
    """``w<mask> (accum)=`` the entries of each row of A.

    Parameters
    ----------
    w : Vector
        The output.
    A : Matrix
        The first operand.
    op : Monoid, Aggregator or str
        The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.

    Raises
    ------
    TypeError
        An operand or the operator is of the wrong kind.
    DimensionMismatch
        The shapes do not match.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> w = Vector(int, 2)
    >>> reduce_rowwise(w, Matrix.from_dense([[1, 2], [3, 4]]))
    >>> w.to_dict()
    {0: 3, 1: 7}
    """
    _write(w, _first(A, writing).reduce_rowwise(op), **writing)


@_writes
def reduce_columnwise(w: Vector, A: MatrixLike, op: OperatorLike = monoid.plus, **writing: Unpack[Writing]) -> None:
    """``w<mask> (accum)=`` the entries of each column of A.

    Parameters
    ----------
    w : Vector
        The output.
    A : Matrix
        The first operand.
    op : Monoid, Aggregator or str
        The operator that combines values: ``monoid.plus``, ``agg.mean``, or ``"max"``.

    Raises
    ------
    TypeError
        An operand or the operator is of the wrong kind.
    DimensionMismatch
        The shapes do not match.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> w = Vector(int, 2)
    >>> reduce_columnwise(w, Matrix.from_dense([[1, 2], [3, 4]]), monoid.max)
    >>> w.to_dict()
    {0: 3, 1: 4}
    """
    _write(w, _first(A, writing).reduce_columnwise(op), **writing)


@_writes
def extract(C: Tensor, A: TensorLike, index: object, **writing: Unpack[Writing]) -> None:
    """``C<mask> (accum)= A[index]``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    index : index
        An index as in ``A[index]``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    IndexError, IndexOutOfBound
        An index is out of range: a single index, or one of a list.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> w = Vector(int, 2)
    >>> extract(w, Matrix.from_dense([[1, 2], [3, 4]]), (1, slice(None)))
    >>> w.to_dict()
    {0: 3, 1: 4}
    """
    _write(C, _first(A, writing)[index], **writing)


@_writes
def assign(C: Tensor, value: Operand, index: object = ..., **writing: Unpack[Writing]) -> None:
    """``C<mask>[index] (accum)= value``: the mask has the shape of C.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    value : Vector, Matrix or scalar
        The value to write.
    index : index, optional
        An index as in ``C[index] << value``; everywhere by default.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    IndexError, IndexOutOfBound
        An index is out of range: a single index, or one of a list.

    Examples
    --------
    >>> from grblas_gpu import Vector
    >>> w = Vector.from_coo([0, 1], [5, 6], size=4)
    >>> assign(w, 9, [1, 3])
    >>> w.to_dict()
    {0: 5, 1: 9, 3: 9}
    """
    desc = writing.get("desc") or DEFAULT
    mask = _mask(writing.get("mask"), desc)
    C(mask=mask, accum=writing.get("accum"), replace=desc.replace)[index] << value


@_writes
def transpose(C: Matrix, A: MatrixLike, **writing: Unpack[Writing]) -> None:
    """``C<mask> (accum)= A'``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> C = Matrix(int, 2, 2)
    >>> transpose(C, Matrix.from_dense([[1, 2], [3, 4]]))
    >>> C.to_dense().tolist()
    [[1, 3], [2, 4]]
    """
    _write(C, _first(A, writing).T, **writing)


@_writes
def kronecker(
    C: Matrix, A: MatrixLike, B: MatrixLike, op: OperatorLike = binary.times, **writing: Unpack[Writing]
) -> None:
    """``C<mask> (accum)= kron(A, B)``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    A : Matrix
        The first operand.
    B : Matrix
        The second operand.
    op : BinaryOp, Monoid or str
        The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> C = Matrix(int, 2, 4)
    >>> kronecker(C, Matrix.from_dense([[1, 2], [3, 4]]), Matrix.from_dense([[1, 10]]))
    >>> C.to_dense().tolist()
    [[1, 10, 2, 20], [3, 30, 4, 40]]
    """
    _write(C, _first(A, writing).kronecker(_second(B, writing), op), **writing)


def inner(
    s: Scalar,
    u: VectorLike,
    v: VectorLike,
    op: OperatorLike = semiring.plus_times,
    *,
    accum: OperatorLike | None = None,
) -> None:
    """``s (accum)= u' op v``.

    Parameters
    ----------
    s : Scalar
        The output.
    u : Vector
        The first operand.
    v : Vector
        The second operand.
    op : Semiring or str
        The operators that add and multiply, typed or untyped: ``semiring.min_plus``, or ``"min_plus"``.
    accum : BinaryOp, optional
        The operator that combines old and new values; without it, new values replace old ones.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Scalar, Vector
    >>> s = Scalar(int)
    >>> inner(s, Vector.from_dense([2, 3]), Vector.from_dense([5, 7]))
    >>> s.value
    31
    """
    check_same_backend(u, v, "inner")
    _write(s, u.inner(v, op), accum=accum)


@_writes
def outer(C: Matrix, u: VectorLike, v: VectorLike, op: OperatorLike = binary.times, **writing: Unpack[Writing]) -> None:
    """``C<mask> (accum)= u op v'``.

    Parameters
    ----------
    C : Matrix or Vector
        The output.
    u : Vector
        The first operand.
    v : Vector
        The second operand.
    op : BinaryOp, Monoid or str
        The operator on two values: ``binary.minus``, ``monoid.min``, or ``"-"``.

    Raises
    ------
    DimensionMismatch
        The shapes do not match.
    TypeError
        An operand or the operator is of the wrong kind.
    InvalidObject
        The operands are on different backends.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector
    >>> C = Matrix(int, 2, 2)
    >>> outer(C, Vector.from_dense([2, 3]), Vector.from_dense([5, 7]))
    >>> C.to_dense().tolist()
    [[10, 14], [15, 21]]
    """
    _write(C, u.outer(v, op), **writing)
