"""NetworkX graphs as adjacency matrices, and back.

Rules: an undirected edge becomes two entries, a loop one. Edges without the weight attribute count 1. Parallel edges of
a multigraph become one entry, the sum of their weights, as in networkx's own conversions.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..backends.machine.memory_limits import check_entries
from ..backends.stores.storage import column_type
from ..exceptions import DimensionMismatch
from ..foundation.memory import reports_memory
from ..foundation.suggestions import needed
from ..foundation.types import DTypeLike, NetworkXGraph, Value
from .scipy_sparse import one_if_equal

NODE_BYTES = 200  # the least memory of a vertex without edges


def from_networkx(
    G: NetworkXGraph,
    nodelist: Iterable | None = None,
    dtype: DTypeLike | None = None,
    weight: str | None = "weight",
    name: str | None = None,
) -> Matrix:
    """The adjacency Matrix of a NetworkX graph; row i is the i-th node of ``nodelist`` (default: of the graph).

    With ``weight=None`` every edge counts 1. ``Graph.from_networkx`` keeps the node labels as well.

    Parameters
    ----------
    G : networkx graph
        A graph, directed or not, perhaps with parallel edges.
    nodelist : list, optional
        The nodes in the order of the rows; those of the graph by default.
    dtype : dtype, optional
        The type of the weights; by default their own.
    weight : str or None
        The edge attribute with the weight; with None every edge counts 1.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> import networkx as nx
    >>> from grblas_gpu import io
    >>> io.from_networkx(nx.DiGraph([("a", "b"), ("b", "c")])).to_dicts()
    {0: {1: 1}, 1: {2: 1}}
    """
    nodes = list(G if nodelist is None else nodelist)
    if not nodes:
        import networkx as nx

        raise nx.NetworkXError("Graph has no nodes or edges")
    return adjacency(G, nodes, dtype, weight, name)


@reports_memory
def to_networkx(m: Matrix, edge_attribute: str | None = "weight", *, create_using: object = None) -> NetworkXGraph:
    """A NetworkX DiGraph (or a ``create_using``) with the vertices 0 to n - 1 and an edge for every entry.

    The values become the attribute ``edge_attribute``, unless that is None.

    Parameters
    ----------
    m : Matrix
        Square.
    edge_attribute : str or None
        The attribute that gets the values; None leaves them out.
    create_using : networkx graph class, optional
        The class of the result; a DiGraph by default.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_networkx(Matrix.from_coo([0, 1], [1, 0], [5, 6])).edges(data="weight")
    OutEdgeDataView([(0, 1, 5), (1, 0, 6)])
    """
    nx = needed("networkx", "io.to_networkx")
    m = ensure_type(m, (Matrix, TransposedMatrix))
    if m.nrows != m.ncols:
        raise DimensionMismatch(f"to_networkx: the Matrix must be square; got {m.nrows} x {m.ncols}")
    check_entries(m.nrows, NODE_BYTES, instead="a NetworkX graph stores every vertex; extract those with edges first")
    G = nx.empty_graph(m.nrows, nx.DiGraph if create_using is None else create_using)
    add_edges(G, m.to_coo(), None, edge_attribute)
    return G


def adjacency(G: NetworkXGraph, nodes: list, dtype: DTypeLike | None, weight: str | None, name: str | None) -> Matrix:
    """The adjacency Matrix over these nodes, from the dictionaries of a NetworkX graph."""
    neighbours = _neighbours(G, nodes)
    indptr, cols = numbered_lists(nodes, neighbours)
    try:
        values: Value | np.ndarray = 1
        if weight is not None or G.is_multigraph():
            values = np.array(_weights(G, neighbours, weight))
        return Matrix.from_csr(indptr, cols, one_if_equal(values), dtype, ncols=len(nodes), name=name)
    except (TypeError, ValueError) as error:
        raise ValueError(f"from_networkx: {_not_a_number(G, nodes, weight) or error}") from None


def numbered_lists(nodes: list, neighbours: list) -> tuple[np.ndarray, np.ndarray]:
    """Dictionaries of neighbours, one for each node, as compressed rows: pointers, and the numbers of neighbours."""
    pointers = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, neighbours), np.int64, len(nodes)), out=pointers[1:])
    ends: Iterable = itertools.chain.from_iterable(neighbours)
    if nodes != list(range(len(nodes))):  # else the nodes are their numbers
        ends = map(dict(zip(nodes, range(len(nodes)), strict=True)).__getitem__, ends)
    return pointers, np.fromiter(ends, column_type(len(nodes)), int(pointers[-1]))


def add_edges(G: NetworkXGraph, edges: tuple, labels: list | None, edge_attribute: str | None) -> None:
    """Add edges given as arrays (sources, targets, values), between labels if there are some."""
    rows, cols, values = edges
    ends = [rows.tolist(), cols.tolist()]
    if labels is not None:
        ends = [[labels[i] for i in end] for end in ends]
    if edge_attribute is None:
        G.add_edges_from(zip(*ends, strict=True))
    else:
        G.add_weighted_edges_from(zip(*ends, values.tolist(), strict=True), weight=edge_attribute)


def _neighbours(G: NetworkXGraph, nodes: list) -> list:
    """A dictionary for every node, from its neighbours (among the nodes) to edge data."""
    import networkx as nx

    chosen = set(nodes)
    if len(chosen) != len(nodes):
        raise nx.NetworkXError("nodelist contains duplicates.")
    adjacency = G._adj  # plain dictionaries: the views of G.adj cost four times as much
    missing = next((node for node in nodes if node not in adjacency), None)
    if missing is not None:
        raise nx.NetworkXError(f"node {missing!r} of nodelist is not in the graph")
    if len(nodes) == len(adjacency):
        return [adjacency[node] for node in nodes]
    return [{other: data for other, data in adjacency[node].items() if other in chosen} for node in nodes]


def _weights(G: NetworkXGraph, neighbours: list, weight: str | None) -> list:
    edges = itertools.chain.from_iterable(data.values() for data in neighbours)
    if weight is None:
        return [len(parallel) for parallel in edges]
    if G.is_multigraph():
        return [sum(data.get(weight, 1) for data in parallel.values()) for parallel in edges]
    try:
        return list(map(operator.itemgetter(weight), edges))
    except KeyError:  # some edges have no weight
        edges = itertools.chain.from_iterable(data.values() for data in neighbours)
        return [data.get(weight, 1) for data in edges]


def _not_a_number(G: NetworkXGraph, nodes: list, weight: str | None) -> str | None:
    """The edge whose weight is not a number."""
    for u, v, value in G.edges(nodes, data=weight, default=1):
        if not isinstance(value, (int, float, np.number, np.bool_)):
            return f"the {weight!r} of edge ({u!r}, {v!r}) is no number: {value!r}"
    return None
