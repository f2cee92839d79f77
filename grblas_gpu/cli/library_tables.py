"""Results of algorithms as tables of Python values, with the labels of vertices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from ..foundation.types import Json, Matrix, Vector
from .files import Loaded


class Table(NamedTuple):
    """Names of columns, and rows."""

    columns: list[str]
    rows: list[tuple]


class Layout(NamedTuple):
    """The conversion of a kind of result to a table: its columns, named after the values, and its rows."""

    columns: Callable[[str], list[str]]
    rows: Callable[[Loaded, Any, bool], list[tuple]]


def of_vertices(graph: Loaded, vector: Vector, labels: bool) -> list[tuple]:
    """A value for every vertex; ``labels``: the value is a vertex, too."""
    vertices, values = (array.tolist() for array in vector.to_coo())
    if labels:
        values = list(map(graph.label, values))
    return list(zip(map(graph.label, vertices), values, strict=True))


def of_pairs(graph: Loaded, matrix: Matrix, labels: bool) -> list[tuple]:
    """A value for every pair of vertices; one row per pair if the matrix is symmetric."""
    from .. import select

    if matrix.is_symmetric():
        matrix = select.triu(matrix).new()
    rows, columns, values = (array.tolist() for array in matrix.to_coo())
    return list(zip(map(graph.label, rows), map(graph.label, columns), values, strict=True))


def of_subgraph(graph: Loaded, part: Any, labels: bool) -> list[tuple]:
    """The edges of a subgraph; its vertices have their own numbers."""
    names = [graph.label(vertex) for vertex in part.vertices.to_dense().tolist()]
    return of_pairs(Loaded(part.matrix, names), part.matrix, labels)


def of_path(graph: Loaded, path: Any, labels: bool) -> list[tuple]:
    return [(step, graph.label(vertex)) for step, vertex in enumerate(path.vertices)]


def of_walks(graph: Loaded, walks: Matrix, labels: bool) -> list[tuple]:
    rows, steps, vertices = (array.tolist() for array in walks.to_coo())
    return list(zip(rows, steps, map(graph.label, vertices), strict=True))


LAYOUTS = {
    "vertices": Layout(lambda value: ["vertex", value], of_vertices),
    "pairs": Layout(lambda value: ["source", "target", value], of_pairs),
    "subgraph": Layout(lambda value: ["source", "target", value], of_subgraph),
    "path": Layout(lambda value: ["step", "vertex"], of_path),
    "walks": Layout(lambda value: ["walk", "step", "vertex"], of_walks),
}


def first_rows(found: Table, first: str, count: int | None) -> list[dict[str, object]]:
    """The rows with the highest or lowest values, or just the first ones.

    >>> first_rows(Table(["vertex", "rank"], [("ann", 0.25), ("bob", 0.75)]), "highest", 1)
    [{'vertex': 'bob', 'rank': 0.75}]
    """
    rows = found.rows
    if first != "in order":
        rows = sorted(rows, key=lambda row: row[-1], reverse=first == "highest")
    return [dict(zip(found.columns, row, strict=True)) for row in rows[:count]]


def groups(found: Table, count: int) -> list[Json]:
    """The most frequent values.

    >>> groups(Table(["vertex", "side"], [("ann", 0), ("bob", 1), ("cid", 0)]), 1)
    [{'side': 0, 'size': 2}]
    """
    sizes = Counter(row[-1] for row in found.rows)
    return [{found.columns[-1]: group, "size": size} for group, size in sizes.most_common(count)]


def table(rows: list[dict[str, object]]) -> str:
    """Columns with a header.

    >>> print(table([{"vertex": "ann", "rank": 0.25}]))
          vertex  rank
             ann  0.25
    """
    lines = [list(rows[0])] if rows else []
    lines += [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row.values()] for row in rows]
    return "\n".join("  ".join([*(f"{cell:>12}" for cell in line[:-1]), line[-1]]) for line in lines)
