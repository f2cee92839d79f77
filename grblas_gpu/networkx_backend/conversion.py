"""From NetworkX and back."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from ..foundation.types import NetworkXGraph
from ..io.networkx_graphs import numbered_lists
from .graph import Graph, real_numbers

CHANGES = ("add_", "remove_", "clear", "update")


class Mirrored(Graph):
    """A graph with the methods of NetworkX's classes: those of a copy, which is made when it is first needed.

    A method that changes the copy drops the arrays, which are then made again when an algorithm needs them.

    >>> import networkx as nx
    >>> G = nx.Graph([("a", "b")], backend="grblas_gpu")
    >>> G.add_edge("b", "c", weight=2)
    >>> list(G.neighbors("b")), G
    (['a', 'c'], <grblas_gpu graph: 3 nodes, 2 edges>)
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"the graph has no attribute {name!r}")
        if name == "_copy":
            self._copy = convert_to_nx(self)
            return self._copy
        if "_made" not in self.__dict__:  # a method changed the copy
            self.__dict__ |= vars(converted(self._copy))
            return getattr(self, name)
        found = getattr(self._copy, name)
        if name.startswith(CHANGES):
            for key in self.__dict__.keys() - {"_copy"}:
                delattr(self, key)
        return found

    @property
    def _adj(self) -> Mapping:
        return self._copy._adj

    def __getitem__(self, node: object) -> object:
        return self._copy[node]


def converted(graph: object) -> Graph:
    """A graph with all its attributes."""
    return convert_from_nx(graph, preserve_edge_attrs=True, preserve_node_attrs=True, preserve_graph_attrs=True)


def convert_from_nx(
    graph: NetworkXGraph,
    *,
    edge_attrs: Mapping[str, object] | None = None,
    node_attrs: Mapping[str, object] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> Graph:
    """A NetworkX graph for this backend; NetworkX calls this, and keeps the result with its graph.

    ``edge_attrs`` and ``node_attrs`` name the attributes to convert, and the defaults of missing ones; the
    ``preserve`` arguments convert all. Edge attributes must be real numbers; others raise NotImplementedError.

    >>> import networkx as nx
    >>> convert_from_nx(nx.cycle_graph(3), edge_attrs={"weight": 1}).weights("weight").to_dicts()[0]
    {1: 1, 2: 1}
    """
    if isinstance(graph, Graph):
        return graph
    labels = list(graph)
    adjacency = graph._adj  # plain dictionaries; the views of graph.adj take four times as long
    rows = [adjacency[node] for node in labels]
    if type(adjacency) is not dict:  # a view: the lengths of its parts may count hidden nodes
        inner: Callable[[Mapping], Mapping] = dict if graph.is_multigraph() else (lambda data: data)
        rows = [{other: inner(data) for other, data in row.items()} for row in rows]
    pointers, neighbours = numbered_lists(labels, rows)
    multigraph = graph.is_multigraph()
    parallel, keys = _parallel_edges(rows) if multigraph else (None, None)
    count = int(pointers[-1] if parallel is None else parallel.sum())
    nodes = graph._node
    return Mirrored(
        labels,
        pointers,
        neighbours,
        directed=graph.is_directed(),
        parallel=parallel,
        keys=keys,
        values={key: _values(rows, multigraph, count, key, default) for key, default in (edge_attrs or {}).items()},
        edge_data=[dict(data) for data in _edges(rows, multigraph)] if preserve_edge_attrs is True else None,
        node_data=_node_data([nodes[node] for node in labels], node_attrs, preserve_node_attrs),
        graph_data=dict(graph.graph) if preserve_graph_attrs else None,
    )


def convert_to_nx(obj: object, *, name: str | None = None) -> Any:
    """A converted graph as a NetworkX graph, with the converted attributes; any other object unchanged.

    >>> import networkx as nx
    >>> convert_to_nx(convert_from_nx(nx.path_graph("abc"))).edges
    EdgeView([('a', 'b'), ('b', 'c')])
    """
    if not isinstance(obj, Graph):
        return obj
    if "_copy" in obj.__dict__:
        return obj.__dict__["_copy"].copy()
    G = _empty(obj)
    G.add_nodes_from(_nodes(obj.labels, obj.node_data))
    G.add_edges_from(_edge_tuples(obj))
    if not obj.directed:  # the order of neighbours is that of their numbers now
        others, stops = iter(obj.named(obj.neighbours)), np.diff(obj.pointers).tolist()
        for node, count in zip(obj.labels, stops, strict=True):
            row = G._adj[node]
            G._adj[node] = {other: row[other] for other in itertools.islice(others, count)}
    return G


def part_of(graph: Graph, edges: np.ndarray, nodes: np.ndarray | None = None) -> NetworkXGraph:
    """A NetworkX graph of the edges at these places in ``neighbours``, with the nodes marked True (None: all nodes).

    The graph has no parallel edges. ``edges`` lists each edge of an undirected graph once.
    """
    G = _empty(graph)
    chosen = np.arange(len(graph)) if nodes is None else np.flatnonzero(nodes)
    data = None if graph.node_data is None else [graph.node_data[i] for i in chosen.tolist()]
    G.add_nodes_from(_nodes(graph.named(chosen), data))
    G.add_edges_from(edges_at(graph, edges))
    return G


def edges_at(graph: Graph, places: np.ndarray, *, data: bool = True) -> Iterator[tuple]:
    """Edges by their places in ``neighbours``, with their attributes or without."""
    rows, columns = graph.named(graph.sources()[places]), graph.named(graph.neighbours[places])
    if not data:
        return zip(rows, columns, strict=True)
    attributes: Iterable[dict]
    if graph.edge_data is not None:
        attributes = [dict(graph.edge_data[i]) for i in places.tolist()]
    else:
        named = {key: values[places].tolist() for key, values in graph.values.items()}
        attributes = [{key: values[i] for key, values in named.items()} for i in range(len(places))]
    return zip(rows, columns, attributes, strict=True)


def _empty(graph: Graph) -> NetworkXGraph:
    kinds: dict[tuple[bool, bool], type[NetworkXGraph]] = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    G = kinds[graph.is_directed(), graph.is_multigraph()](backend="networkx")  # whatever the priorities are
    G.graph.update(graph.graph)
    return G


def _nodes(labels: list, data: list[dict] | None) -> Iterable:
    return labels if data is None else zip(labels, map(dict, data), strict=True)


def _parallel_edges(rows: list) -> tuple[np.ndarray, list]:
    """The number of edges between neighbours, and their keys."""
    groups = [group for row in rows for group in row.values()]
    return np.fromiter(map(len, groups), np.int64, len(groups)), list(itertools.chain.from_iterable(groups))


def _edges(rows: list, multigraph: bool) -> Iterable[dict]:
    """The attributes of every edge."""
    found = itertools.chain.from_iterable(row.values() for row in rows)
    return itertools.chain.from_iterable(group.values() for group in found) if multigraph else found


def _values(rows: list, multigraph: bool, count: int, key: str, default: object) -> np.ndarray:
    if not any(_edges(rows, multigraph)):  # no edge has any attribute
        return np.full(count, real_numbers([default], key)[0])
    try:
        values = list(map(operator.itemgetter(key), _edges(rows, multigraph)))
    except KeyError:  # some edges lack the attribute
        values = [data.get(key, default) for data in _edges(rows, multigraph)]
    return real_numbers(values, key)


def _node_data(data: list[dict], attributes: Mapping[str, object] | None, everything: bool) -> list[dict] | None:
    if everything:
        return [dict(item) for item in data]
    if not attributes:
        return None
    return [
        {key: item.get(key, default) for key, default in attributes.items() if key in item or default is not None}
        for item in data
    ]


def _edge_tuples(graph: Graph) -> Iterable[tuple]:
    """The tuples for NetworkX, one per edge: both nodes, the key in a multigraph, the attributes."""
    sources, targets = graph.sources(), graph.neighbours
    if graph.parallel is not None:
        sources, targets = np.repeat(sources, graph.parallel), np.repeat(targets, graph.parallel)
    columns: list[Iterable] = [graph.named(sources), graph.named(targets)]
    if graph.keys is not None:
        columns.append(graph.keys)
    if graph.edge_data is not None:
        columns.append(map(dict, graph.edge_data))
    else:
        named = {key: values.tolist() for key, values in graph.values.items()}
        listed = [dict(zip(named, row, strict=True)) for row in zip(*named.values(), strict=True)]
        columns.append(listed or itertools.repeat({}))
    once = itertools.repeat(True) if graph.directed else (sources <= targets).tolist()
    return itertools.compress(zip(*columns, strict=False), once)
