"""``v.ss``: the storage of a Vector, and operations on its list of entries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import binary, monoid
from ...foundation.types import Matrix, OperatorLike, Parts
from ...ir.descriptor import descriptor_from_options
from .. import kinds
from ..scalar import whole_number
from ..vector import Vector
from . import exporting, importing, ordering, tiles as tiling
from .storage import Storage, value_for_all


class VectorStorage(Storage):
    """``v.ss``."""

    __slots__ = ()
    _parent: Vector
    _parts = importing.VECTOR_PARTS
    _guess = staticmethod(importing.vector_format)
    _make = staticmethod(importing.import_vector)
    _serialized = ("sparse",)

    @property
    def format(self) -> str:
        """The current storage format: "sparse", "bitmap" or "full"."""
        return self._parent._store.kind

    def iterkeys(self, seek: int = 0) -> Iterator[int]:
        """The index of every entry."""
        yield from self._columns(seek, 0)[0]

    def _export(self, format: str | None, sort: bool, raw: bool) -> Parts:
        return exporting.export_vector(self._parent, self.format if format is None else format.lower(), raw)

    def build_diag(self, matrix: Matrix, k: int = 0, **opts: object) -> None:
        """Replace the contents by a diagonal of a Matrix."""
        descriptor_from_options(opts)
        matrix = self._parent._expect_type(matrix, kinds.MATRICES, within="ss.build_diag", argname="matrix")
        k = whole_number(k)
        self._parent << matrix.diag(k, self._parent.dtype)

    def build_scalar(self, indices: Any, value: object) -> None:
        """``build``, with one value for all entries."""
        value = value_for_all(self._parent, value)
        self._parent.build(indices, np.broadcast_to(value, np.shape(indices)))

    def concat(self, tiles: object, **opts: object) -> None:
        """Concatenate Vectors and Scalars into this Vector."""
        descriptor_from_options(opts)
        self._parent << tiling.joined(tiles, self._parent.dtype, is_matrix=False)

    def split(self, chunks: object, *, name: str | None = None, **opts: object) -> list[Vector]:
        """Split into Vectors of these sizes; ``concat`` joins them again.

        >>> from grblas_gpu import Vector
        >>> [part.to_dict() for part in Vector.from_dense([1, 2, 3]).ss.split(2)]
        [{0: 1, 1: 2}, {0: 3}]
        """
        descriptor_from_options(opts)
        return tiling.split_vector(self._parent, chunks, name)

    def scan(self, op: OperatorLike = monoid.plus, *, name: str | None = None, **opts: object) -> Vector:
        """Each entry combined with all entries before it.

        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([0, 2, 5], [1, 2, 3]).ss.scan().to_dict()
        {0: 1, 2: 3, 5: 6}
        """
        descriptor_from_options(opts)
        return ordering.scan(self._parent, op, "rowwise", name)

    def sort(
        self, op: OperatorLike = binary.lt, *, values: bool = True, permutation: bool = True, **opts: object
    ) -> tuple[Vector | None, Vector | None]:
        """The values sorted by an operator, from position 0 on; and their former indices.

        >>> from grblas_gpu import Vector, binary
        >>> values, places = Vector.from_coo([0, 2, 5], [2, 1, 3]).ss.sort(binary.gt)
        >>> values.to_dict(), places.to_dict()
        ({0: 3, 1: 2, 2: 1}, {0: 5, 1: 0, 2: 2})
        """
        descriptor_from_options(opts)
        return ordering.sort(self._parent, op, "rowwise", values, permutation)

    def selectk(self, how: str, k: int, *, name: str | None = None) -> Vector:
        """At most k entries: the "first", "last", "smallest", "largest" or "random" ones.

        >>> from grblas_gpu import Vector
        >>> Vector.from_dense([4, 9, 6]).ss.selectk("largest", 2).to_dict()
        {1: 9, 2: 6}
        """
        return ordering.selectk(self._parent, how, k, "rowwise", name)

    def compactify(
        self,
        how: str = "first",
        size: int | None = None,
        *,
        reverse: bool = False,
        asindex: bool = False,
        name: str | None = None,
    ) -> Vector:
        """The entries moved to the start: their values, or with ``asindex`` their former indices.

        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([1, 4], [5, 6], size=9).ss.compactify(asindex=True).to_dict()
        {0: 1, 1: 4}
        """
        return ordering.compactify(self._parent, how, size, "rowwise", reverse, asindex, name)

    def reshape(
        self, nrows: object, ncols: object = None, order: str = "rowwise", *, name: str | None = None, **opts: object
    ) -> Matrix | None:
        """The Vector as a Matrix of this shape."""
        return self._parent._as_matrix().ss.reshape(nrows, ncols, order, name=name, **opts)


kinds.VectorStorage = VectorStorage
ss = VectorStorage  # its name in python-graphblas
