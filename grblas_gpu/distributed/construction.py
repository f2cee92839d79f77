"""Distributed objects from parts: no rank ever has a whole object.

The results are of type ``Matrix`` or ``Vector``, on the backend "mpi".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.mpi.engine import MpiBackend
from ..backends.mpi.faults import known_everywhere
from ..backends.mpi.partition import Block
from ..backends.mpi.routing import route
from ..backends.registry import get_engine
from ..dtypes import BOOL, lookup_dtype
from ..exceptions import DimensionMismatch, InvalidValue
from ..foundation.types import ArrayLike, DTypeLike, OperatorLike, PathLike, Value
from .arriving import Arriving, Piece, checked_index, combiner
from .files import edges_of_file, files_of, read_description, read_parts, vertices_of_file, write_parts
from .permuted_kronecker import kronecker_pieces


class _OnRanks(type):
    """``isinstance(A, DistMatrix)``: is this Matrix one of backend "mpi"?"""

    kind: type[Matrix | Vector]

    def __instancecheck__(cls, x: Any) -> bool:
        return type(x) is cls.kind and isinstance(x._engine, MpiBackend)


class DistMatrix(metaclass=_OnRanks):
    """Constructors of a Matrix over the ranks of a job, and access to the part of a rank.

    Every method is collective: all ranks call it, with the same arguments except for their own entries. The backend is
    "mpi" for a wide grid of all ranks, or for example "mpi:4x1" (1-D) or "mpi:2x2:cuda". A Matrix that every rank
    has already is distributed by ``A.to("mpi")``.

    >>> from grblas_gpu import algorithms
    >>> from grblas_gpu.distributed import DistMatrix
    >>> A = DistMatrix.from_parts([0, 1, 1], [1, 2, 3], nrows=5, ncols=5)
    >>> isinstance(A, DistMatrix), algorithms.bfs(A, 0).to_dict()
    (True, {0: 0, 1: 1, 2: 2, 3: 2})
    """

    kind = Matrix

    def __new__(cls) -> Self:
        raise TypeError("make one with DistMatrix.from_parts, from_pieces, from_file, kronecker, or A.to('mpi')")

    @staticmethod
    def from_parts(
        rows: ArrayLike,
        columns: ArrayLike,
        values: ArrayLike | Value = True,
        dtype: DTypeLike | None = None,
        *,
        nrows: int,
        ncols: int,
        undirected: bool = False,
        dup_op: OperatorLike | None = None,
        backend: str = "mpi",
    ) -> Matrix:
        """A Matrix of the entries of all ranks; each rank passes some, anywhere in the matrix.

        ``undirected`` enters every entry in both directions and drops those on the diagonal. Entries at the same
        position are combined by ``dup_op``; without values they become one entry.

        >>> from grblas_gpu.distributed import DistMatrix
        >>> DistMatrix.from_parts([0, 0], [1, 1], [2.0, 3.0], nrows=2, ncols=2, dup_op="plus").to_dicts()
        {0: {1: 5.0}}
        """
        one = np.ndim(values) == 0
        return DistMatrix.from_pieces(
            lambda rank, size: [(rows, columns) if one else (rows, columns, values)],
            np.asarray(values).dtype if dtype is None else dtype,
            nrows=nrows,
            ncols=ncols,
            value=values if one else True,
            undirected=undirected,
            dup_op=dup_op,
            backend=backend,
        )

    @staticmethod
    def from_pieces(
        pieces: Callable[[int, int], Iterable[Piece]],
        dtype: DTypeLike = BOOL,
        *,
        nrows: int,
        ncols: int,
        value: object = True,
        undirected: bool = False,
        dup_op: OperatorLike | None = None,
        backend: str = "mpi",
    ) -> Matrix:
        """A Matrix from a generator: ``pieces(rank, size)`` yields (rows, columns) or (rows, columns, values).

        Pieces are sent to their owners one at a time, so a rank needs memory for its block and for a piece.

        >>> from grblas_gpu.distributed import DistMatrix
        >>> def path(rank, size):
        ...     for start in range(4 * rank // size, 4 * (rank + 1) // size):
        ...         yield [start], [start + 1]
        >>> DistMatrix.from_pieces(path, nrows=5, ncols=5, undirected=True).nvals
        8
        """
        engine = _engine(backend)
        found = lookup_dtype(dtype)
        engine.grid.check_same(nrows=nrows, ncols=ncols, dtype=found.name, undirected=undirected, value=value)
        mine = iter(pieces(engine.grid.rank, engine.grid.size))
        entries = Arriving(engine, nrows, ncols, found, value, undirected)

        def next_piece() -> Piece | None:
            piece = next(mine, None)
            return None if piece is None else entries.checked(piece)

        while True:
            piece = engine.grid.together(next_piece)
            if engine.grid.everyone.add_up([int(piece is not None)])[0] == 0:
                break
            entries.add(piece)
        return entries.matrix(dup_op)

    @staticmethod
    def from_file(
        path: PathLike | list[PathLike],
        *,
        nrows: int | None = None,
        undirected: bool | None = None,
        base: int | None = None,
        backend: str = "mpi",
    ) -> Matrix:
        """The structure of a graph in a file; each rank reads a part of the file.

        Files are edge lists (``.txt .el .tsv`` and so on: two numbers per line, the rest is ignored), Matrix Market
        (``.mtx``) and this library's own (``.grb``). ``nrows`` is the number of vertices; by default it is that of
        the header, or follows from the largest vertex. ``base`` is 1 if vertices count from 1. A list or folder of
        files is one graph; each rank reads a part of each file.

        >>> import tempfile, os
        >>> from grblas_gpu.distributed import DistMatrix
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "g.txt")
        ...     with open(path, "w") as file:
        ...         print("0 1", "1 2", "# a comment", "2 0", sep="\\n", file=file)
        ...     DistMatrix.from_file(path).to_dicts()
        {0: {1: True}, 1: {2: True}, 2: {0: True}}
        """
        engine = _engine(backend)
        grid = engine.grid
        files = grid.together(lambda: files_of(path))
        grid.check_same(path=[str(file) for file in files], nrows=nrows, undirected=undirected, base=base)
        parts = grid.together(lambda: [edges_of_file(file, grid.rank, grid.size, base) for file in files])
        vertices = max(vertices_of_file(file, part, grid.everyone) for file, part in zip(files, parts, strict=True))
        nrows = vertices if nrows is None else nrows
        if undirected is None and len({part.symmetric for part in parts}) > 1:
            raise known_everywhere(ValueError(f"{path}: some files are symmetric and others are not; say undirected="))
        mirrored = parts[0].symmetric if undirected is None else undirected
        return DistMatrix.from_pieces(
            lambda rank, size: [(part.rows, part.columns) for part in parts],
            nrows=nrows,
            ncols=nrows,
            undirected=mirrored,
            backend=backend,
        )

    @staticmethod
    def kronecker(scale: int, edge_factor: int = 16, *, seed: int = 1, backend: str = "mpi") -> Matrix:
        """The same graph as ``generators.kronecker``, generated by all ranks together.

        >>> from grblas_gpu import generators
        >>> from grblas_gpu.distributed import DistMatrix
        >>> A = DistMatrix.kronecker(6, seed=3)
        >>> A.to("cpu").isequal(generators.kronecker(6, seed=3).to("cpu"))
        True
        """
        engine = _engine(backend)
        engine.grid.check_same(scale=scale, edge_factor=edge_factor, seed=seed)
        pieces = kronecker_pieces(engine, scale, edge_factor, seed)
        n = 1 << scale
        A = DistMatrix.from_pieces(lambda rank, size: pieces, nrows=n, ncols=n, undirected=True, backend=backend)
        A._store._transpose = A._store  # symmetric by construction
        return A

    @staticmethod
    def save(A: Matrix, folder: PathLike) -> None:
        """Write a Matrix to a folder; each rank writes its own file, and any number of ranks can read them.

        >>> import tempfile
        >>> from grblas_gpu.distributed import DistMatrix
        >>> A = DistMatrix.kronecker(4)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DistMatrix.save(A, folder)
        ...     DistMatrix.load(folder).isequal(A)
        True
        """
        engine = _engine_of(A)
        described = {"kind": "Matrix", "shape": list(A.shape), "dtype": A.dtype.name}
        write_parts(folder, engine.grid, described, engine.global_entries(A._store))

    @staticmethod
    def load(folder: PathLike, *, backend: str = "mpi") -> Matrix:
        """A Matrix from a folder that :meth:`save` wrote (see its example); ranks read the files in turn."""
        engine = _engine(backend)
        found = read_description(folder, engine.grid, "Matrix")
        nrows, ncols = found["shape"]
        return DistMatrix.from_pieces(
            lambda rank, size: read_parts(folder, found["parts"], 3, rank, size),
            found["dtype"],
            nrows=nrows,
            ncols=ncols,
            backend=backend,
        )

    @staticmethod
    def local(A: Matrix) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """This rank's block as a Matrix of its local engine, and the global indices of its rows and columns.

        >>> from grblas_gpu.distributed import DistMatrix
        >>> block, rows, columns = DistMatrix.local(DistMatrix.kronecker(3))
        >>> block.shape == (len(rows), len(columns))
        True
        """
        engine = _engine_of(A)
        block = Matrix._from_store(engine.local, A.dtype, engine.local.copy(A._store.part))
        rows, columns = engine.blocks(A._store)
        return block, _indices(rows), _indices(columns)


class DistVector(metaclass=_OnRanks):
    """Constructors of a Vector over the ranks of a job, and access to the part of a rank.

    >>> from grblas_gpu.distributed import DistVector
    >>> v = DistVector.from_parts([0, 2], [5, 6], size=4)
    >>> isinstance(v, DistVector), v.to_dict()
    (True, {0: 5, 2: 6})
    """

    kind = Vector

    def __new__(cls) -> Self:
        raise TypeError("make one with DistVector.from_parts, or v.to('mpi')")

    @staticmethod
    def from_parts(
        indices: ArrayLike,
        values: ArrayLike,
        dtype: DTypeLike | None = None,
        *,
        size: int,
        dup_op: OperatorLike | None = None,
        backend: str = "mpi",
    ) -> Vector:
        """A Vector of the entries of all ranks; each rank passes some, anywhere in the vector.

        >>> from grblas_gpu.distributed import DistVector
        >>> DistVector.from_parts([1, 1], [2, 3], size=3, dup_op="plus").to_dict()
        {1: 5}
        """
        engine = _engine(backend)
        array = np.asarray(values)
        found = lookup_dtype(array.dtype if dtype is None else dtype)
        engine.grid.check_same(size=size, dtype=found.name)
        index = engine.grid.together(lambda: checked_index(indices, size, "indices"))
        array = np.broadcast_to(array.astype(found.np_type), index.shape)
        owners = engine.grid.line(size).owner(index)
        index, array = route(engine.grid.everyone, owners, index, np.ascontiguousarray(array))
        low, high = engine.chunk(size)
        op = combiner(dup_op, found)
        places, given = engine.local.array(index - low), engine.local.array(array)
        part = engine.grid.together(lambda: engine.local.build_vector(high - low, places, given, op))
        store: Any = engine.cast(engine.vector(size, part), found.np_type)
        return Vector._from_store(engine, found, store)

    @staticmethod
    def save(v: Vector, folder: PathLike) -> None:
        """Write a Vector to a folder; each rank writes its own file, and any number of ranks can read them.

        >>> import tempfile
        >>> from grblas_gpu.distributed import DistVector
        >>> v = DistVector.from_parts([0, 2], [5, 6], size=4)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DistVector.save(v, folder)
        ...     DistVector.load(folder).to_dict()
        {0: 5, 2: 6}
        """
        engine = _engine_of(v)
        keys, _, values = engine.local.tuples(v._store.part)
        described = {"kind": "Vector", "shape": [v.size], "dtype": v.dtype.name}
        mine = keys.astype(np.int64) + engine.chunk(v.size)[0], np.ascontiguousarray(values)
        write_parts(folder, engine.grid, described, mine)

    @staticmethod
    def load(folder: PathLike, *, backend: str = "mpi") -> Vector:
        """A Vector from a folder that :meth:`save` wrote (see its example); ranks read the files in turn."""
        engine = _engine(backend)
        grid = engine.grid
        found = read_description(folder, grid, "Vector")
        dtype = lookup_dtype(found["dtype"])
        parts = grid.together(lambda: list(read_parts(folder, found["parts"], 2, grid.rank, grid.size)))
        index = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in parts)])
        values = np.concatenate([np.zeros(0, dtype.np_type), *(part[1] for part in parts)])
        return DistVector.from_parts(index, values, dtype, size=found["shape"][0], backend=backend)

    @staticmethod
    def local(v: Vector) -> tuple[Vector, int]:
        """This rank's chunk as a Vector of its local engine, and the global index of its first position.

        >>> from grblas_gpu.distributed import DistVector
        >>> part, first = DistVector.local(DistVector.from_parts([0, 2], [5, 6], size=4))
        >>> part.size, first
        (4, 0)
        """
        engine = _engine_of(v)
        part = Vector._from_store(engine.local, v.dtype, engine.local.copy(v._store.part))
        return part, engine.chunk(v.size)[0]


class Spread(NamedTuple):
    """A graph ``P A P'`` and the selection ``P`` that makes it: row p has its one entry at the vertex numbered p."""

    graph: Matrix
    selection: Matrix


def spread(A: Matrix) -> Spread:
    """The graph renumbered to spread its hubs: all ranks have about the same number of entries.

    Ranks get the vertices in turn, by falling degree (entries in their row and column). Every vertex has a number. A
    vector times the transpose of ``selection`` is the same vector in the new numbering. A vector in the new numbering
    times ``selection`` is the same vector in the old numbering.

    Parameters
    ----------
    A : Matrix
        A graph on backend "mpi"; only its pattern counts.

    Returns
    -------
    Spread
        ``graph``, the pattern of ``P A P'``, and ``selection``, the matrix ``P``.

    Raises
    ------
    DimensionMismatch
        If the matrix is not square.
    InvalidValue
        If it is on another backend: ``A.to("mpi")`` distributes it.

    Examples
    --------
    >>> from grblas_gpu import algorithms, generators
    >>> from grblas_gpu.distributed import spread
    >>> graph, P = spread(generators.star(5).to("mpi"))
    >>> levels = (algorithms.bfs(graph, 0) @ P).new()
    >>> levels.to_dict()
    {0: 0, 1: 1, 2: 1, 3: 1, 4: 1}
    """
    engine: MpiBackend = A._engine
    if not isinstance(engine, MpiBackend):
        raise InvalidValue(f'spread: the graph is on backend "{A.backend}"; A.to("mpi") cuts it over the ranks')
    if A.nrows != A.ncols:
        raise DimensionMismatch(f"spread: a graph has a square matrix; got shape {A.shape}")
    stores: Any = engine.dealt_out(A.pattern()._store)
    return Spread(*(Matrix._from_store(engine, BOOL, store) for store in stores))


def _engine(backend: str) -> MpiBackend:
    engine = get_engine(backend)
    if not isinstance(engine, MpiBackend):
        raise InvalidValue(f"distributed objects live on a backend mpi or mpi:..., not {backend!r}")
    return engine


def _engine_of(x: object) -> MpiBackend:
    engine: MpiBackend | None = getattr(x, "_engine", None)
    if engine is None or not isinstance(x, (DistMatrix, DistVector)):
        raise TypeError(f"expected an object on backend 'mpi'; got {type(x).__name__}; use .to('mpi')")
    return engine


def _indices(block: Block) -> np.ndarray:
    return block.to_global(np.arange(block.size, dtype=np.int64))


__all__ = ["DistMatrix", "DistVector"]
