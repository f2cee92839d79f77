"""The number of triangles at each edge and at each vertex of a graph that stores every edge once.

Some engines visit every triangle once and add to each corner; the other engines compute products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import binary, monoid, semiring
from ..backends.registry import using
from ..backends.stores.storage import MatrixStore, VectorStore
from ..dtypes import INT64
from ..exceptions import DimensionMismatch
from ..foundation.memory import reports_memory
from ..ir import recording
from . import kinds
from .matrix_preparation import MatrixPreparation

if TYPE_CHECKING:
    from .matrix import Matrix
    from .vector import Vector

common = semiring.plus_pair["INT64"]


class MatrixTriangles(MatrixPreparation):
    """Triangles i -> k -> j with i -> j: all of them, if edges are stored once and make no cycle, as by ``tril``."""

    __slots__ = ()

    @reports_memory
    def triangles_of_edges(self) -> Matrix:
        """For every entry, the number of triangles i -> k -> j with i -> j that contain this edge; values are ignored.

        That is ``L o (L L' + L L + L' L)``. If each edge is stored once and the directions make no cycle, these are all
        triangles. It is fastest if edges lead to the end of higher degree, so that all rows are short.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> L = Matrix.from_coo([1, 2, 2, 3], [0, 0, 1, 2], True, nrows=4, ncols=4)
        >>> L.triangles_of_edges().to_dicts()
        {1: {0: 1}, 2: {0: 1, 1: 1}, 3: {2: 0}}
        """
        L = self._structure("triangles_of_edges")
        with recording.paused(), using(self._engine.name):
            counts = self._engine.triangle_counts(L._store, common, True)
            if counts is not None:
                store = L._store
                found = MatrixStore(store.nrows, store.ncols, store.indptr, store.indices, counts)
                return kinds.Matrix._from_store(self._engine, INT64, found)
            support = binary.second(L, 0).new(int)
            # support_ij = sum_k L_ik L_jk + L_ik L_kj + L_ki L_kj: the third vertex comes last, between, or first
            below = common(L @ L.T).new(mask=L.S)
            if below.nvals:  # otherwise there are no triangles
                support(binary.plus) << below
                support(support.S, binary.plus) << common(L @ L)
                support(support.S, binary.plus) << common(L.T @ L)
            return support

    @reports_memory
    def triangles_of_vertices(self) -> Vector:
        """For every vertex, the number of triangles i -> k -> j with i -> j that contain it; values are ignored.

        If each edge is stored once and the directions make no cycle, these are all triangles. It is fastest if edges
        lead to the end of higher degree, so that all rows are short.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> L = Matrix.from_coo([1, 2, 2, 3], [0, 0, 1, 2], True, nrows=4, ncols=4)
        >>> L.triangles_of_vertices().to_dict()
        {0: 1, 1: 1, 2: 1, 3: 0}
        """
        L = self._structure("triangles_of_vertices")
        with recording.paused(), using(self._engine.name):
            counts = self._engine.triangle_counts(L._store, common, False)
            if counts is not None:
                return kinds.Vector._from_store(self._engine, INT64, VectorStore(L._store.nrows, counts))
            at_vertex = kinds.Vector.from_scalar(0, L._store.nrows)
            # below<L> = L plus.pair L': for an edge i > k the triangles i > k > j
            below = common(L @ L.T).new(mask=L.S)
            if not below.nvals:  # there are no triangles
                return at_vertex
            # at_vertex_i += sum_k below_ik; at_vertex_k += sum_i below_ik
            at_vertex(binary.plus) << below.reduce_rowwise(monoid.plus)
            at_vertex(binary.plus) << below.reduce_columnwise(monoid.plus)
            # between<L> = L plus.pair L: for an edge i > j the triangles i > k > j
            between = common(L @ L).new(mask=L.S)
            # at_vertex_j += sum_i between_ij
            at_vertex(binary.plus) << between.reduce_columnwise(monoid.plus)
            return at_vertex

    def _structure(self, name: str) -> Matrix:
        recording.read("the entries", self)
        store = self._store
        if store.nrows != store.ncols:
            raise DimensionMismatch(f"{name}: a graph has a square matrix; got shape {self.shape}")
        return self.pattern()
