"""Masks are values: ``v.S`` (structure), ``v.V`` (values), ``~v.S``, and their unions and intersections."""

from __future__ import annotations

from typing import Any

from ..backends.stores.storage import MaskView, view_of
from ..dtypes import BOOL
from ..foundation.types import MaskLike, MaybeDType
from . import kinds
from .kinds import output_type


class Mask:
    """The positions where an output may be written. ``.S``, ``.V`` and ``~`` of a Vector or Matrix create masks.

    >>> from grblas_gpu import Vector
    >>> v, w = Vector.from_coo([0, 2], [5, 6], size=4), Vector(int, 4)
    >>> w(~v.S) << 1
    >>> w.to_dict()
    {1: 1, 3: 1}
    """

    __slots__ = ("parent", "__weakref__")
    complement = False
    structure = False
    value = False
    _is_scalar = False
    _inverse: type[Mask]

    def __init__(self, parent: Any) -> None:
        self.parent = parent

    def view(self) -> MaskView:
        """The view of the mask that engines read."""
        return view_of((self.parent._store, self.structure, self.complement))

    @property
    def name(self) -> str:
        suffix = "S" if self.structure else "V"
        return f"{'~' if self.complement else ''}{self.parent.name}.{suffix}"

    def __repr__(self) -> str:
        from .formatting import text_of

        return text_of(self.parent, self)

    def _repr_html_(self) -> str:
        from .formatting import html_of

        return html_of(self.parent, self)

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"__eq__ not defined for objects of type {type(self)}.")

    def __bool__(self) -> bool:
        raise TypeError(f"__bool__ not defined for objects of type {type(self)}.")

    def __invert__(self) -> Mask:
        return self._inverse(self.parent)

    def new(
        self,
        dtype: MaybeDType = None,
        *,
        complement: bool = False,
        mask: MaskLike | None = None,
        name: str | None = None,
        **opts: object,
    ) -> Any:
        """A new object that is True where this mask is open.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the new object; BOOL by default.
        complement : bool
            Whether to return True where this mask is closed, instead.
        mask : Mask, optional
            A second mask that must be open, too.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`.

        Examples
        --------
        >>> import grblas_gpu as gb
        >>> v = gb.Vector.from_coo([0, 2], [0, 5], size=3)
        >>> v.V.new().to_coo()[0]
        array([2], dtype=uint64)
        """
        dtype = BOOL if dtype is None else dtype
        val = type(self.parent)(dtype, *self.parent.shape, name=name)
        if mask is None:
            val(~self if complement else self, **opts) << True
            return val
        mask = check_mask(mask)
        # De Morgan: not (a and b) is (not a) or (not b).
        if complement:
            val(~self, **opts) << True
            val(~mask, **opts) << True
        else:
            val(self, **opts) << True
            val(mask, replace=True, **opts) << val
        return val

    def __and__(self, other: object, **opts: Any) -> Mask:
        other = check_mask(other)
        complement = self.complement or other.complement  # keep the stored part small
        val = self.new(complement=complement, mask=other, **opts)
        return ComplementedStructuralMask(val) if complement else StructuralMask(val)

    __rand__ = __and__

    def __or__(self, other: object, **opts: Any) -> Mask:
        other = check_mask(other)
        if self.complement or other.complement:  # a or b is not ((not a) and (not b))
            return ComplementedStructuralMask((~self).new(mask=~other, **opts))
        val = self.new(**opts)
        val(other, **opts) << True
        return StructuralMask(val)

    __ror__ = __or__


class StructuralMask(Mask):
    """``v.S``: true where there is an entry."""

    __slots__ = ()
    structure = True


class ValueMask(Mask):
    """``v.V``: true where there is an entry with a true value."""

    __slots__ = ()
    value = True


class ComplementedStructuralMask(Mask):
    """``~v.S``: true where there is no entry."""

    __slots__ = ()
    complement = True
    structure = True


class ComplementedValueMask(Mask):
    """``~v.V``: true where there is no entry with a true value."""

    __slots__ = ()
    complement = True
    value = True


_KINDS = {
    (True, False): StructuralMask,
    (False, False): ValueMask,
    (True, True): ComplementedStructuralMask,
    (False, True): ComplementedValueMask,
}
StructuralMask._inverse, ComplementedStructuralMask._inverse = ComplementedStructuralMask, StructuralMask
ValueMask._inverse, ComplementedValueMask._inverse = ComplementedValueMask, ValueMask


def check_mask(mask: Any, output: Any = None) -> Mask:
    """The mask of an argument: a Mask, or a Boolean object (used as ``.V``)."""
    if not isinstance(mask, Mask):
        if output_type(mask) not in (kinds.Vector, kinds.Matrix):
            raise TypeError(f"Invalid mask: {type(mask)}; expected a Vector or Matrix with .S or .V")
        if mask.dtype != BOOL:
            raise TypeError(
                f"Mask must be boolean (got {mask.dtype}) or say what counts: `.V` for values or `.S` for structure"
            )
        mask = mask.V
    if output is not None and output.ndim == 1 and mask.parent.ndim != 1:
        raise TypeError(f"Mask object must be type Vector; got {type(mask.parent)}")
    return mask
