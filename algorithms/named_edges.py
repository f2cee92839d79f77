"""Edges of several kinds, by name: ``A`` is the graph, others are more matrices, ``^`` goes against an edge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .. import Graph, Matrix
from ..exceptions import DimensionMismatch, InvalidValue
from .labels import called, same_vertices

Others: TypeAlias = Mapping[str, Matrix | Graph] | None


def by_name(A: Matrix, others: Others) -> Callable[[str], Matrix]:
    """A function that returns the pattern of the edges with a name.

    >>> edges = by_name(Matrix.from_coo([0], [1], [7], nrows=2, ncols=2), None)
    >>> edges("A").to_dicts(), edges("^A").to_dicts()
    ({0: {1: True}}, {1: {0: True}})
    """
    known = {"A": A, **(others or {})}
    for name, matrix in known.items():
        if matrix.shape != A.shape:
            raise DimensionMismatch(f"{called()}others: {name} has shape {matrix.shape}, the graph {A.shape}")
    found = {name: matrix.pattern() for name, matrix in known.items()}

    def edges(name: str) -> Matrix:
        if name.removeprefix("^") not in known:
            raise InvalidValue(f"{called()}there are no edges {name!r}: others must have a Matrix of this name")
        if name not in found:
            found[name] = found[name[1:]].T.new()
        return found[name]

    return edges


def with_same_vertices(graph: Graph, others: Mapping[str, Matrix | Graph]) -> dict[str, object]:
    return {name: same_vertices(graph, other) for name, other in others.items()}
