"""Algorithms on a Graph: arguments name vertices by label, and results are by label.

The name of an argument determines its meaning, for all algorithms. An algorithm whose results are vertex numbers names
the function that converts them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from .. import Graph, Matrix, Vector
from ..foundation.suggestions import did_you_mean
from ..io import NodeValues

Labelled = Callable[[Graph, Any], object]
Values = TypeVar("Values")  # of vertices, by number or by label
MOST_COMPARED = 1000  # the largest number of labels compared with an unknown one, for a suggestion


class HasLabels(Protocol):
    """A Graph, or any other object that knows the labels of vertices."""

    labels: Sequence


# --- the call that messages name -------------------------------------------------------------------------------------

current_call: ContextVar[tuple[str, HasLabels | None]] = ContextVar("algorithm_call", default=("", None))


class calling:
    """The name of the running algorithm, and the Graph with the labels of its vertices. Inner calls keep the outer one.

    >>> with calling("bfs", Graph.from_edges([("ann", "bob")])):
    ...     called() + shown(1)
    "bfs: 'bob'"
    """

    __slots__ = ("call", "token")

    def __init__(self, name: str, graph: HasLabels | None = None) -> None:
        self.call = name, graph

    def __enter__(self) -> None:
        self.token = None if current_call.get()[0] else current_call.set(self.call)

    def __exit__(self, *exc: object) -> None:
        if self.token is not None:
            current_call.reset(self.token)


def called(default: str = "") -> str:
    """The beginning of an error message: the algorithm that the user called, or ``default`` outside of one."""
    name = current_call.get()[0] or default
    return f"{name}: " if name else ""


def shown(vertex: int) -> str:
    """A vertex in an error message: its label if the user called the algorithm with a Graph, else its number."""
    graph = current_call.get()[1]
    return str(vertex) if graph is None else repr(graph.labels[vertex])


# --- arguments -------------------------------------------------------------------------------------------------------


def numbered(graph: Graph, call: inspect.BoundArguments, meanings: Mapping[str, Labelled]) -> None:
    """Replace labels by numbers of vertices, and the Graph by its Matrix and its direction, in the arguments."""
    for name, value in call.arguments.items():
        meaning = meanings.get(name) or MEANINGS.get(name)
        if meaning is not None and value is not None:
            try:
                call.arguments[name] = meaning(graph, value)
            except UnknownLabel as error:
                raise KeyError(f"{called()}{name} {error.label!r} is not a vertex of the graph{error.hint}") from None
    if "directed" in call.signature.parameters and call.arguments.get("directed") is None:
        call.arguments["directed"] = graph.directed
    call.arguments["A"] = graph.matrix


class UnknownLabel(Exception):
    """A label that no vertex of the graph has."""

    def __init__(self, graph: Graph, label: Hashable) -> None:
        self.label = label
        few = isinstance(label, str) and len(graph) <= MOST_COMPARED
        self.hint = did_you_mean(label, [other for other in graph.labels if isinstance(other, str)]) if few else ""


def one_vertex(graph: Graph, label: Hashable) -> int:
    if not _is_label(graph, label):
        raise UnknownLabel(graph, label)
    return graph.index(label)


def some_vertices(graph: Graph, labels: Hashable | Iterable[Hashable]) -> list[int] | Vector:
    """One label, several, or a Vector over the vertices."""
    if isinstance(labels, Vector):
        return labels
    if _is_label(graph, labels) or isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        return [one_vertex(graph, labels)]
    return [one_vertex(graph, label) for label in labels]


def some_pairs(
    graph: Graph, pairs: Graph | Matrix | Iterable[tuple[Hashable, Hashable]]
) -> Matrix | list[tuple[int, int]]:
    """Pairs of labels, or a Matrix or Graph with an entry for every pair."""
    if isinstance(pairs, Graph):
        return pairs.matrix
    return pairs if isinstance(pairs, Matrix) else [(one_vertex(graph, u), one_vertex(graph, v)) for u, v in pairs]


def same_vertices(graph: Graph, other: object) -> object:
    """The Matrix of another Graph, with the vertices in the order of this one."""
    if not isinstance(other, Graph):
        return other
    order = [one_vertex(other, label) for label in graph.labels]
    return other.matrix[order, order].new()


def vertex_weights(graph: Graph, weights: object) -> object:
    """Weights by label, or in any form that the algorithm takes with a Matrix."""
    return _by_number(graph, weights) if isinstance(weights, Mapping) else weights


def communities(graph: Graph, given: object) -> object:
    """Communities by label, of any names, become numbers; any form that the algorithm takes with a Matrix stays."""
    if not isinstance(given, Mapping):
        return given
    numbers = {name: number for number, name in enumerate(dict.fromkeys(given.values()))}
    return _by_number(graph, {vertex: numbers[name] for vertex, name in given.items()})


MEANINGS: dict[str, Labelled] = {
    **dict.fromkeys(("source", "target"), one_vertex),
    **dict.fromkeys(("sources", "vertices"), some_vertices),
    **dict.fromkeys("personalization dangling start kinds".split(), vertex_weights),
    "pairs": some_pairs,
    "costs": same_vertices,
    "labels": communities,
}


def _by_number(graph: Graph, values: Mapping) -> Vector:
    return Vector.from_dict({one_vertex(graph, label): x for label, x in values.items()}, size=len(graph))


def _is_label(graph: Graph, label: Hashable) -> bool:
    try:
        return label in graph
    except TypeError:  # not hashable
        return False


# --- results ---------------------------------------------------------------------------------------------------------


def by_label(graph: Graph, result: object) -> object:
    """Values of vertices as a dictionary, values of pairs as a Graph; tuples part by part; anything else as it is.

    >>> graph = Graph.from_edges([("ann", "bob")])
    >>> by_label(graph, (Vector.from_dense([1, 2]), 7))
    ({'ann': 1, 'bob': 2}, 7)
    """
    n = len(graph)
    if isinstance(result, Vector) and result.size == n:
        return graph.to_dict(result)
    if isinstance(result, Matrix) and result.shape == (n, n):
        return Graph(result, graph.labels, directed=graph.directed or not result.is_symmetric())
    if isinstance(result, tuple):
        parts = [by_label(graph, part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result


def vertex_by_label(graph: Graph, result: Vector) -> NodeValues:
    """A dictionary from labels to labels, for results that are vertex numbers.

    >>> vertex_by_label(Graph.from_edges([("ann", "bob")]), Vector.from_dense([1, 1]))
    {'ann': 'bob', 'bob': 'bob'}
    """
    return NodeValues(zip(*map(graph._labels_at, result.to_coo()), strict=True))


def rows_by_label(graph: Graph, result: Matrix) -> list[NodeValues]:
    """A dictionary of values by label for every row.

    >>> rows_by_label(Graph.from_edges([("ann", "bob")]), Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    [{'bob': 5}, {'ann': 6}]
    """
    rows = result.to_dicts()
    found = (rows.get(row, {}) for row in range(result.nrows))
    return [NodeValues((graph.labels[i], x) for i, x in values.items()) for values in found]


def labels_of(graph: Graph, vertices: Iterable[int]) -> list:
    """The labels of some vertices."""
    return list(map(graph.labels.__getitem__, vertices))
