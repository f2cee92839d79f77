"""Load balancing for graphs with hubs: a renumbering that gives every rank about the same work."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..api.matrix import Matrix
from ..backends.mpi.engine import MpiBackend
from ..dtypes import BOOL
from ..exceptions import DimensionMismatch, InvalidValue


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
