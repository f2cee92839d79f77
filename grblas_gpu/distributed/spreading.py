"""Graphs with hubs, numbered so that every rank has about as much to do."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..api.matrix import Matrix
from ..backends.mpi.engine import MpiBackend
from ..dtypes import BOOL
from ..errors import DimensionMismatch, InvalidValue


class Spread(NamedTuple):
    """A graph ``P A P'`` and the selection ``P`` that makes it: row p has its one entry at the vertex numbered p."""

    graph: Matrix
    selection: Matrix


def spread(A: Matrix) -> Spread:
    """The graph with its vertices renumbered so that hubs are spread: all ranks have about as many entries.

    Vectors are cut in the order of their positions, so vertices are dealt out to the ranks in turn, by falling degree
    (entries in their row and column). Every vertex has a number. A vector times the transpose of ``selection`` is the
    same vector in the new numbering, and a vector in the new one times ``selection`` is that in the old one.

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
        If it is on another backend: ``A.to("mpi")`` cuts it.

    Examples
    --------
    >>> from grblas_gpu import algorithms, generators
    >>> from grblas_gpu.distributed import spread
    >>> graph, P = spread(generators.star(5).to("mpi"))
    >>> levels = (algorithms.bfs(graph, 0) @ P).new()
    >>> levels.to_dict()
    {0: 0, 1: 1, 2: 1, 3: 1, 4: 1}
    """
    engine: Any = A._engine
    if not isinstance(engine, MpiBackend):
        raise InvalidValue(f'spread: the graph is on backend "{A.backend}"; A.to("mpi") cuts it over the ranks')
    if A.nrows != A.ncols:
        raise DimensionMismatch(f"spread: a graph has a square matrix; got shape {A.shape}")
    stores: Any = engine.dealt_out(A.pattern()._store)
    return Spread(*(Matrix._from_store(engine, BOOL, store) for store in stores))
