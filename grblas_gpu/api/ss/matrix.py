"""``A.ss``: the storage of a Matrix, and operations on the entries of its rows or columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import binary, monoid
from ...backends.registry import using
from ...foundation.types import OperatorLike, Parts
from ...ir.descriptor import descriptor_from_options
from .. import kinds
from ..conversions import row_order
from ..formatting import FORMATS
from ..matrix import Matrix
from ..scalar import whole_number
from ..vector import Vector
from . import exporting, importing, ordering, tiles as tiling
from .lines import lines_of
from .storage import Storage, value_for_all


class MatrixStorage(Storage):
    """``A.ss``."""

    __slots__ = ()
    _parent: Matrix
    _parts = importing.MATRIX_PARTS
    _guess = staticmethod(importing.matrix_format)
    _make = staticmethod(importing.import_matrix)
    _serialized = ("csr", "hypercsr", "fullr")
    orientation = "rowwise"  # a Matrix is stored by rows

    @property
    def format(self) -> str:
        """The current storage format: "csr", "hypercsr", "bitmapr" or "fullr".

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dense([[1, 2], [3, 4]]).ss.format, Matrix(int, 2**60, 2**60).ss.format
        ('fullr', 'hypercsr')
        """
        return FORMATS[self._parent._store.form][0]

    def _serialized_as(self) -> str:
        return {"hypersparse": "hypercsr", "full": "fullr"}.get(self._parent._store.form, "csr")

    def iterkeys(self, seek: int = 0) -> Iterator[tuple[int, int]]:
        """Row and column of every entry."""
        yield from zip(*self._columns(seek, 0, 1), strict=True)

    def _export(self, format: str | None, sort: bool, raw: bool) -> Parts:
        return exporting.export_matrix(self._parent, exporting.matrix_format(self.format, format), sort, raw)

    def build_diag(self, vector: Vector, k: int = 0, **opts: object) -> None:
        """Replace the contents by a matrix with this diagonal and no other entries."""
        descriptor_from_options(opts)
        vector = self._parent._expect_type(vector, Vector, within="ss.build_diag", argname="vector")
        k = whole_number(k)
        self._parent << vector.diag(k)

    def build_scalar(self, rows: Any, columns: Any, value: object) -> None:
        """``build``, with one value for all entries."""
        if len(rows) != len(columns):
            raise ValueError(f"`rows` and `columns` lengths must match: {len(rows)}, {len(columns)}")
        value = value_for_all(self._parent, value)
        self._parent.build(rows, columns, np.broadcast_to(value, np.shape(rows)))

    def concat(self, tiles: object, **opts: object) -> None:
        """Join tiles, given as rows of Matrices, into this Matrix."""
        descriptor_from_options(opts)
        self._parent << tiling.joined(tiles, self._parent.dtype, is_matrix=True)

    def split(self, chunks: object, *, name: str | None = None, **opts: object) -> list[list[Matrix]]:
        """Split into rows of Matrices of these sizes; ``concat`` joins them again."""
        descriptor_from_options(opts)
        return tiling.split_matrix(self._parent, chunks, name)

    def scan(
        self, op: OperatorLike = monoid.plus, order: str = "rowwise", *, name: str | None = None, **opts: object
    ) -> Matrix:
        """Each entry combined with all entries before it in its row, or in its column with ``order="columnwise"``."""
        descriptor_from_options(opts)
        return ordering.scan(self._parent, op, order, name)

    def sort(
        self,
        op: OperatorLike = binary.lt,
        order: str = "rowwise",
        *,
        values: bool = True,
        permutation: bool = True,
        **opts: object,
    ) -> tuple[Matrix | None, Matrix | None]:
        """The values of every row, sorted by an operator; and their former columns."""
        descriptor_from_options(opts)
        return ordering.sort(self._parent, op, order, values, permutation)

    def selectk(self, how: str, k: int, order: str = "rowwise", *, name: str | None = None) -> Matrix:
        """At most k entries of every row: the "first", "last" or "random" ones.

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dense([[4, 9], [6, 5]]).ss.selectk("last", 1).to_dicts()
        {0: {1: 9}, 1: {1: 5}}
        """
        return ordering.selectk(self._parent, how, k, order, name)

    def compactify(
        self,
        how: str = "first",
        k: int | None = None,
        order: str = "rowwise",
        *,
        reverse: bool = False,
        asindex: bool = False,
        name: str | None = None,
    ) -> Matrix:
        """The entries of every row moved to its start: their values, or with ``asindex`` their columns."""
        return ordering.compactify(self._parent, how, k, order, reverse, asindex, name)

    def reshape(
        self,
        nrows: Any,
        ncols: Any = None,
        order: str = "rowwise",
        *,
        inplace: bool = False,
        name: str | None = None,
        **opts: object,
    ) -> Matrix | None:
        """The same entries in another shape of the same size; one dimension may be -1.

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dense([[1, 2, 3, 4]]).ss.reshape(2, -1).to_dense()
        array([[1, 2],
               [3, 4]])
        """
        descriptor_from_options(opts)
        parent, layout = self._parent, "C" if row_order(order) else "F"
        shape = np.broadcast_to(False, parent.shape).reshape(nrows if ncols is None else (nrows, ncols)).shape
        if len(shape) != 2:
            raise ValueError(f"Shape tuple must be of length 2, not {len(shape)}")
        i, j, values, _ = lines_of(parent)
        place = i * parent.ncols + j if layout == "C" else j * parent.nrows + i
        divisor = max(1, shape[1] if layout == "C" else shape[0])
        outer, inner = place // divisor, place % divisor
        i, j = (outer, inner) if layout == "C" else (inner, outer)
        with using(parent.backend):
            new = Matrix.from_coo(i, j, values, parent.dtype, nrows=shape[0], ncols=shape[1], name=name)
        if not inplace:
            return new
        parent.clear()
        parent.resize(*shape)
        parent << new
        return None

    def flatten(self, order: str = "rowwise", *, name: str | None = None, **opts: Any) -> Vector:
        """The rows (or columns) one after another, as a Vector.

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dense([[1, 2], [3, 4]]).ss.flatten("columnwise").to_dense()
        array([1, 3, 2, 4])
        """
        column = self.reshape(-1, 1, order, name=name, **opts)
        assert column is not None
        return column._as_vector(name=name)


kinds.MatrixStorage = MatrixStorage
ss = MatrixStorage  # its name in python-graphblas
