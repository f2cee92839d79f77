"""Triangles at edges and vertices, and the heaviest group of columns in every row.

Some engines visit every triangle once, or sum group by group; the other engines compute products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import binary, indexunary, monoid, select, semiring
from ..backends.interpreter.operations import define_groups
from ..backends.registry import using
from ..backends.stores.entries import expand
from ..backends.stores.storage import MatrixStore, VectorStore
from ..dtypes import BOOL, FP64, INT64, unify
from ..exceptions import DimensionMismatch, DomainMismatch, IndexOutOfBound, InvalidValue
from ..foundation.memory import reports_memory
from ..ir import ops, recording
from ..operators import get_typed_op
from ..plan.facts import uses
from . import kinds
from .base import check_same_backend, ensure_type
from .expressions import VectorExpression
from .matrix_preparation import MatrixPreparation

if TYPE_CHECKING:
    from ..dtypes import DataType
    from ..foundation.types import OperatorLike
    from .matrix import Matrix
    from .vector import Vector

common = semiring.plus_pair["INT64"]


class MatrixGraphs(MatrixPreparation):
    """The operations behind triangle counts and community detection.

    Triangles are i -> k -> j with i -> j: all of them, if edges are stored once and make no cycle, as by ``tril``.
    """

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

    @reports_memory
    def largest_flow(self, source: int, target: int) -> tuple[float, Matrix, Vector] | None:
        """A largest flow between two vertices, along edges whose values are capacities, not negative.

        Returns its value, the flow along every entry, and True at the vertices that do not reach the target any more;
        or None if operations have to find it: this engine has no kernel for this type of values.

        Parameters
        ----------
        source : int
            The vertex where the flow starts.
        target : int
            The vertex where the flow ends; not the source.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square.
        InvalidValue
            Source and target are not two vertices.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> found = Matrix.from_coo([0, 1], [1, 2], [4, 3], nrows=3, ncols=3).largest_flow(0, 2)
        >>> found is None or found[0] == 3
        True
        """
        recording.read("the values", self)
        store = self._store
        if store.nrows != store.ncols:
            raise DimensionMismatch(f"largest_flow: a graph has a square matrix; got shape {self.shape}")
        if source == target or not 0 <= min(source, target) <= max(source, target) < store.nrows:
            raise InvalidValue(f"largest_flow: {source} and {target} are not two of {store.nrows} vertices")
        found = self._engine.largest_flow(store, source, target) if self.dtype in (INT64, FP64) else None
        if found is None:
            return None
        value, along, side = found
        flow = MatrixStore(store.nrows, store.ncols, store.indptr, store.indices, along)
        return (
            value,
            kinds.Matrix._from_store(self._engine, self.dtype, flow),
            kinds.Vector._from_store(self._engine, BOOL, side),
        )

    @reports_memory
    def shortest_distances(self, start: Vector, target: int | None = None) -> tuple[Vector, Vector] | None:
        """The distances from vertices with those at the start, along edges whose values are lengths, not negative.

        Returns the distances of all reached vertices that are no farther than the target, and the predecessor of each:
        the lowest vertex with an edge that explains the distance, or the vertex itself at the start. Or None if
        operations have to find them: this engine has no kernel for these types.

        Parameters
        ----------
        start : Vector
            Distances, INT64 or FP64, where paths start.
        target : int, optional
            The vertex where the search may end.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square, or the Vector has another size.
        IndexOutOfBound
            The graph has no such target.
        InvalidValue
            A length is negative.

        Examples
        --------
        >>> from grblas_gpu import Matrix, Vector
        >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2])
        >>> found = A.shortest_distances(Vector.from_coo([0], [0], size=3))
        >>> found is None or [x.to_dict() for x in found] == [{0: 0, 1: 3, 2: 1}, {0: 0, 1: 2, 2: 0}]
        True
        """
        start = ensure_type(start, kinds.Vector)
        check_same_backend(self, start, "shortest_distances")
        recording.read("the values", self)
        recording.read("the values", start)
        store = self._store
        if not store.nrows == store.ncols == start.size:
            shapes = f"the Matrix has shape {self.shape}, the Vector size {start.size}"
            raise DimensionMismatch(f"shortest_distances: a graph has a square matrix; {shapes}")
        if target is not None and not 0 <= target < start.size:
            raise IndexOutOfBound(f"shortest_distances: {target} is out of range for size {start.size}")
        if self.dtype.np_type.kind not in ("biu" if start.dtype == INT64 else "biuf" if start.dtype == FP64 else ""):
            return None
        if self.nvals and self.value_range().min < 0:
            raise InvalidValue(f"shortest_distances: lengths must not be negative; one is {self.value_range().min}")
        found = self._engine.shortest_distances(store, start._store, target)
        if found is None:
            return None
        distances, before = found
        return (
            kinds.Vector._from_store(self._engine, start.dtype, distances),
            kinds.Vector._from_store(self._engine, INT64, before),
        )

    def _structure(self, name: str) -> Matrix:
        recording.read("the entries", self)
        store = self._store
        if store.nrows != store.ncols:
            raise DimensionMismatch(f"{name}: a graph has a square matrix; got shape {self.shape}")
        return self.pattern()

    def heaviest_groups(
        self,
        groups: Vector,
        handicap: Vector | None = None,
        *,
        rows: Vector | None = None,
        factors: Vector | None = None,
        diagonal: Vector | None = None,
    ) -> VectorExpression:
        """For every row, the group of columns with the largest sum of values minus its handicap; ties go to the lowest.

        That is the lowest g with the largest ``sum_j A_ij - factor_i handicap_g``, where the sum is over the columns j
        of group g that have an entry in row i. A row without entries has no result. Sums are FP64.

        Parameters
        ----------
        groups : Vector
            The group of every column: a number below the number of columns.
        handicap : Vector, optional
            The number subtracted from the sum of each group; by default 0.
        rows : Vector, optional
            Computes only the rows where this has an entry.
        factors : Vector, optional
            The number by which handicaps are multiplied in each row; by default 1.
        diagonal : Vector, optional
            Values in place of those on the diagonal of a square Matrix. Then every row has an entry.

        Raises
        ------
        DimensionMismatch
            The size of a Vector does not match the columns or rows of the Matrix, or it has a ``diagonal`` and is not
            square.
        IndexOutOfBound
            The number of a group is not below the number of columns.
        DomainMismatch
            Values are complex numbers or records.
        InvalidValue
            A column has no group, a group no handicap, or a row no factor or no value on the diagonal.

        Examples
        --------
        >>> from grblas_gpu import Matrix, Vector
        >>> A = Matrix.from_coo([0, 0, 0, 1], [0, 1, 2, 1], [2, 2, 3, 1], nrows=3, ncols=3)
        >>> groups, handicap = Vector.from_dense([2, 2, 0]), Vector.from_dense([0.0, 0.0, 1.5])
        >>> A.heaviest_groups(groups).new().to_dict()
        {0: 2, 1: 2}
        >>> A.heaviest_groups(groups, handicap).new().to_dict()
        {0: 0, 1: 2}
        >>> diagonal = Vector.from_dense([0.0, 2.0, 5.0])
        >>> A.heaviest_groups(groups, handicap, diagonal=diagonal).new().to_dict()
        {0: 0, 1: 2, 2: 0}
        """
        if self.dtype.np_type.kind not in "biuf":
            raise DomainMismatch(f"heaviest_groups: {self.dtype} has no order")
        nrows, ncols = self.shape
        groups = self._beside(groups, "groups", ncols)
        handicap = handicap if handicap is None else self._beside(handicap, "handicap", ncols)
        rows = rows if rows is None else self._beside(rows, "rows", nrows)
        factors = factors if factors is None else self._beside(factors, "factors", nrows)
        if diagonal is not None:
            diagonal = self._beside(diagonal, "diagonal", nrows)
            if nrows != ncols:
                raise DimensionMismatch(f"heaviest_groups: a diagonal needs a square Matrix, not of shape {self.shape}")
        args = [self, groups, handicap, rows, factors, diagonal]
        shown = "{0.name}.heaviest_groups({1.name})"
        return VectorExpression("heaviest_groups", ops.HEAVIEST_GROUPS, args, (nrows,), dtype=INT64, expr_repr=shown)

    @reports_memory
    def within(self, groups: Vector) -> Matrix:
        """The entries of a square Matrix whose row and column have the same group.

        Parameters
        ----------
        groups : Vector
            The group of every row and column: any integer.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square, or the Vector has another size.
        InvalidValue
            A column has no group.

        Examples
        --------
        >>> from grblas_gpu import Matrix, Vector
        >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 2, 0], [1, 2, 3, 4], nrows=3, ncols=3)
        >>> A.within(Vector.from_dense([7, 5, 7])).to_dicts()
        {0: {2: 2}, 2: {0: 4}}
        """
        groups = self._beside(groups, "groups", self._nrows, "within")
        if self._nrows != self._ncols:
            raise DimensionMismatch(f"within: a Matrix of shape {self.shape} is not square")
        if groups.nvals < groups.size:
            raise InvalidValue("within: every column must have a group")
        found = self.matching(groups, binary.first[INT64], groups)
        if self._store._transpose is self._store:
            found._store._transpose = found._store
        return found

    @reports_memory
    def matching(self, left: Vector, op: OperatorLike, right: Vector) -> Matrix:
        """The entries of a Matrix A with ``op(left_i, A_ij) == right_j``, where both Vectors have a value.

        With distances from a source and ``binary.plus`` these are the edges on shortest paths.

        Parameters
        ----------
        left : Vector
            A value for rows.
        op : BinaryOp
            The operator on the value of the row and that of the entry.
        right : Vector
            A value for columns.

        Raises
        ------
        DimensionMismatch
            A Vector has another size.

        Examples
        --------
        >>> from grblas_gpu import Matrix, Vector, binary
        >>> A = Matrix.from_coo([0, 0, 1], [1, 2, 2], [1, 5, 3], nrows=3, ncols=3)
        >>> distances = Vector.from_dense([0, 1, 4])
        >>> A.matching(distances, binary.plus, distances).to_dicts()
        {0: {1: 1}, 1: {2: 3}}
        """
        left = self._beside(left, "left", self._nrows, "matching")
        right = self._beside(right, "right", self._ncols, "matching")
        typed = get_typed_op(op, left.dtype, self.dtype, kind="binary")
        self._expect_op(typed, ("BinaryOp", "Monoid"), within="matching", argname="op")
        for x in (self, left, right):
            recording.read("the entries", x)
        engine, reads = self._engine, uses(typed, "y")
        types = (left.dtype, typed.type, typed.return_type, right.dtype, *[self.dtype, typed.type2][: 2 * reads])
        with recording.paused(), using(engine.name):
            if typed.positional is None and all(dtype.np_type.kind in "biuf" for dtype in types):
                compared = unify(typed.return_type, right.dtype)
                far = right if right.dtype == compared else right.dup(compared)
                if (found := engine.matching(self._store, left._store, typed, far._store)) is not None:
                    return kinds.Matrix._from_store(engine, self.dtype, found)
            return _matching_by_operations(self, left, typed, right, reads)

    @reports_memory
    def contracted(self, groups: Vector) -> tuple[Matrix, Vector]:
        """A square Matrix whose rows and columns of equal groups become one; values of equal positions are added up.

        Returns this Matrix and the number that every row and column has in it: that of its group, counted from 0 in the
        order of the groups. It is ``S' A S`` with the Matrix S of the rows and their numbers. Booleans are counted.

        Parameters
        ----------
        groups : Vector
            The group of every row and column: a number below their number.

        Raises
        ------
        DimensionMismatch
            The Matrix is not square, or the Vector has another size.
        IndexOutOfBound
            The number of a group is not below the number of columns.
        InvalidValue
            A column has no group.

        Examples
        --------
        >>> from grblas_gpu import Matrix, Vector
        >>> A = Matrix.from_coo([0, 0, 1, 3], [1, 2, 2, 0], [1, 2, 3, 4], nrows=4, ncols=4)
        >>> B, numbers = A.contracted(Vector.from_dense([1, 1, 3, 3]))
        >>> B.to_dense(0).tolist(), numbers.to_dense().tolist()
        ([[1, 5], [4, 0]], [0, 0, 1, 1])
        """
        groups, engine = self._beside(groups, "groups", self._nrows, "contracted"), self._engine
        if self._nrows != self._ncols:
            raise DimensionMismatch(f"contracted: a Matrix of shape {self.shape} is not square")
        recording.read("the entries", self)
        recording.read("the entries", groups)
        with recording.paused(), using(engine.name):
            A = self.dup(INT64) if self.dtype == BOOL else self
            groups, store = _full(groups, INT64, "contracted: every column must have a group"), A._store
            found = engine.contracted(store, groups._store, monoid.plus[A.dtype], store._transpose is store)
            if found is None:
                return _contracted_by_products(A, groups)
            return (
                kinds.Matrix._from_store(engine, A.dtype, found[0]),
                kinds.Vector._from_store(engine, INT64, found[1]),
            )

    def _beside(self, x: Vector, name: str, size: int, what: str = "heaviest_groups") -> Vector:
        x = ensure_type(x, kinds.Vector)
        check_same_backend(self, x, what)
        if x.size != size:
            raise DimensionMismatch(f"{what}: {name} has size {x.size}; the Matrix has shape {self.shape}")
        return x


def found(A: Matrix, groups: Vector, handicap: Vector | None, rows: Vector | None, *by_row: Vector | None) -> Vector:
    """The result of the engine's own kernel, or of products if the engine has none."""
    engine = A._engine
    with recording.paused(), using(engine.name):
        given = (_full(groups, INT64), _full(handicap, FP64), rows, *(_full(x, FP64) for x in by_row))
        best = engine.heaviest_groups(A._store, *(x if x is None else x._store for x in given))
        return _by_products(A, *given) if best is None else kinds.Vector._from_store(engine, INT64, best)


define_groups(found)


def _by_products(
    A: Matrix,
    groups: Vector,
    handicap: Vector | None,
    rows: Vector | None,
    factors: Vector | None = None,
    diagonal: Vector | None = None,
) -> Vector:
    if diagonal is not None:
        # A_ii = diagonal_i
        A = A.dup(FP64)
        A(binary.second) << diagonal.diag()
    # A = the requested rows
    A = A if rows is None else binary.second(rows & A).new()
    # S_jg = whether column j is in group g
    S = _membership(groups)
    # sums_ig = sum of A_ij over the columns j of g
    sums = semiring.plus_first[FP64](A @ S).new()
    if handicap is not None:
        # sums_ig = sums_ig - factor_i handicap_g
        costs = binary.second(sums & handicap).new()
        costs = costs if factors is None else binary.times(factors & costs).new()
        sums = binary.minus(sums & costs).new()
    # best_i = lowest g with sums_ig = max_g sums_ig
    most = sums.reduce_rowwise(monoid.max).new()
    winners = select.valueeq(binary.eq(most & sums).new(), True).new()
    return indexunary.colindex(winners).new().reduce_rowwise(monoid.min).new(int)


def _matching_by_operations(A: Any, left: Vector, op: Any, right: Vector, reads: bool = True) -> Matrix:
    # reach_ij = op(left_i, A_ij)
    reach = op(left & (A if reads else A.pattern())).new()
    # A where reach_ij = right_j
    return A.dup(mask=binary.eq(reach & right).new().V)


def _contracted_by_products(A: Any, groups: Vector) -> tuple[Matrix, Vector]:
    # used_g = whether a column is in group g; its number among those
    used = kinds.Vector(BOOL, groups.size)
    used[groups] << True
    names, _ = used.to_coo(values=False)
    number = kinds.Vector.from_coo(names, np.arange(len(names)), size=groups.size)
    numbers = number[groups].new()
    # S' A S
    S = _membership(numbers, len(names))
    return semiring.plus_first[A.dtype](semiring.plus_second[A.dtype](S.T @ A).new() @ S).new(), numbers


EVERY = "heaviest_groups: every column must have a group, every group a handicap, every row a factor and a diagonal"


def _full(x: Any, dtype: DataType, message: str = EVERY) -> Any:
    """The Vector with values of this type in a full array, or None."""
    if x is None:
        return None
    if x.nvals < x.size:
        raise InvalidValue(message)
    if x.dtype != dtype:
        x = x.dup(dtype)
    if x._store.kind == "full":
        return x
    return kinds.Vector._from_store(x._engine, dtype, x._engine.with_kind(x._store, "full"))


def _membership(groups: Vector, count: int | None = None) -> Matrix:
    """The matrix with one entry per row: from every column to its group, of as many as columns or of ``count``."""
    store, n = groups._store, groups.size
    numbers = expand(store.values, n) if isinstance(store, VectorStore) else groups.to_dense()
    ncols = n if count is None else count
    return kinds.Matrix.from_csr(np.arange(n + 1, like=numbers), numbers, True, ncols=ncols, dtype=bool)
