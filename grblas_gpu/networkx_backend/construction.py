"""Graphs made here: from arrays, tables, edges and other graphs, and NetworkX's generators.

``made`` builds the lists of neighbours that NetworkX would have after it added the edges one after the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from ..foundation.types import ArrayLike, DataFrame, NetworkXGraph, SciPySparse
from .conversion import Mirrored, converted
from .dispatch import compose, define, own, parallel
from .graph import EXACT, NAME, Graph


def is_plain(create_using: object) -> bool:
    """Whether ``create_using`` wants a new Graph or DiGraph."""
    return create_using is None or create_using in (nx.Graph, nx.DiGraph)


def made(
    labels: list,
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    directed: bool = False,
    values: Mapping[Any, np.ndarray] | None = None,
    edge_data: list[dict] | None = None,
    node_data: list[dict] | None = None,
    graph_data: dict | None = None,
) -> Graph:
    """A graph of edges between numbers of labels; a repeated edge keeps its place, and gets the last attributes.

    >>> made(["a", "b", "c"], [1, 1], [0, 2]).named(made(["a", "b", "c"], [1, 1], [0, 2]).neighbours)
    ['b', 'a', 'c', 'b']
    """
    n, rows, columns = len(labels), np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    heads, tails, edge = rows, columns, np.arange(len(rows))
    if not directed:
        heads, tails = np.stack([rows, columns], 1).ravel(), np.stack([columns, rows], 1).ravel()
        edge = np.repeat(edge, 2)
    keys = heads * n + tails
    order = np.argsort(keys, kind="stable")
    new = np.flatnonzero(np.diff(keys[order], prepend=-1))
    first, last = order[new], order[np.append(new[1:], len(order)) - 1] if len(order) else order
    by_place = np.lexsort((first, heads[first]))
    first, last = first[by_place], edge[last[by_place]]
    pointers = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(heads[first], minlength=n), out=pointers[1:])
    return Mirrored(
        labels,
        pointers,
        tails[first],
        directed=directed,
        values={key: found[last] for key, found in (values or {}).items()},
        edge_data=None if edge_data is None else [edge_data[i] for i in last.tolist()],
        node_data=node_data,
        graph_data=graph_data,
    )


def _numbered(rows: list, columns: list) -> tuple[list, np.ndarray]:
    """The labels in the order in which edges name them, and the ends of the edges as numbers."""
    index: dict[Hashable, int] = {}
    ends = [
        index.setdefault(label, len(index)) for label in itertools.chain.from_iterable(zip(rows, columns, strict=True))
    ]
    if None in index:
        raise ValueError("None cannot be a node")
    return list(index), np.array(ends, np.int64).reshape(-1, 2).T


# ---- constructors and converters -----------------------------------------------------------------------------


def _new(cls: type, args: tuple, kwargs: dict) -> Graph:
    return _made_of(cls, *args, **kwargs)


def _made_of(cls: type, incoming_graph_data: object = None, **attr: object) -> Graph:
    """``nx.Graph(..., backend="grblas_gpu")``; by priority, NetworkX's own functions would get graphs of ours."""
    if NAME in nx.config.backend_priority.classes:
        raise NotImplementedError("graphs are made here only with backend=")
    if isinstance(incoming_graph_data, np.ndarray):
        G = _from_dense(incoming_graph_data, False, cls, "weight", None)
    elif hasattr(incoming_graph_data, "tocoo"):
        G = _from_sparse(incoming_graph_data, False, cls, "weight")
    else:
        attr.pop("backend", None)
        return converted(_theirs(cls, incoming_graph_data, **attr))
    G.graph.update(attr)
    return G


def _theirs(cls: type[NetworkXGraph], *args: object, **kwargs: object) -> NetworkXGraph:
    """An object of NetworkX's own class."""
    G = object.__new__(cls)
    G.__init__(*args, **kwargs)
    return G


def _weighted(
    n: int, rows: ArrayLike, columns: ArrayLike, values: np.ndarray, create_using: object, attribute: object
) -> Graph | None:
    """A graph of the entries of a matrix; None if NetworkX has to make it."""
    if not is_plain(create_using) or values.dtype.kind not in "iuf" or values.dtype.itemsize > 8:
        return None
    if values.dtype.kind == "u" and values.max(initial=0) > EXACT:
        return None
    values = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    named = {attribute: values} if attribute not in (None, False) else {}
    return made(list(range(n)), rows, columns, directed=create_using is nx.DiGraph, values=named)


def _from_sparse(A: SciPySparse, parallel_edges: bool, create_using: type, edge_attribute: object) -> Graph:
    entries = A.tocoo()
    rows, columns = entries.coords
    found = None
    if A.shape[0] == A.shape[1]:
        found = _weighted(A.shape[0], rows, columns, entries.data, create_using, edge_attribute)
    return found or converted(own("from_scipy_sparse_array")(A, parallel_edges, create_using, edge_attribute))


def _from_dense(
    A: np.ndarray, parallel_edges: bool, create_using: type, edge_attr: object, nodelist: Iterable | None
) -> Graph:
    found = None
    if nodelist is None and A.ndim == 2 and A.shape[0] == A.shape[1]:
        rows, columns = A.nonzero()
        found = _weighted(len(A), rows, columns, A[rows, columns], create_using, edge_attr)
    return found or converted(own("from_numpy_array")(A, parallel_edges, create_using, edge_attr, nodelist=nodelist))


def _from_pandas(
    df: DataFrame, source: object, target: object, edge_attr: Any, create_using: object, edge_key: object
) -> Graph:
    columns = [edge_attr] if isinstance(edge_attr, (str, int)) and edge_attr is not True else edge_attr
    if columns is True:
        columns = [name for name in df.columns if name not in (source, target)]
    plain = is_plain(create_using) and all(name in df.columns and df[name].dtype.kind in "if" for name in columns or ())
    if not plain or columns == []:
        return converted(own("from_pandas_edgelist")(df, source, target, edge_attr, create_using, edge_key))
    labels, ends = _numbered(df[source].tolist(), df[target].tolist())
    values = {name: df[name].to_numpy() for name in columns or ()}
    return made(labels, *ends, directed=create_using is nx.DiGraph, values=values)


def _from_edges(edgelist: Iterable, create_using: object) -> Graph:
    edges = list(edgelist)
    if not is_plain(create_using) or not all(len(edge) == 2 for edge in edges):
        return converted(own("from_edgelist")(edges, create_using))
    labels, ends = _numbered([u for u, _ in edges], [v for _, v in edges])
    return made(labels, *ends, directed=create_using is nx.DiGraph)


define(
    pays="on request",
    graph__new__=_new,
    digraph__new__=_new,
    multigraph__new__=_new,
    multidigraph__new__=_new,
    from_edgelist=_from_edges,
    from_numpy_array=_from_dense,
    from_pandas_edgelist=_from_pandas,
    from_scipy_sparse_array=_from_sparse,
)


# ---- graphs of graphs ----------------------------------------------------------------------------------------


def _data(G: Graph, places: np.ndarray) -> dict[str, Any]:
    """The attributes of the edges at these places, of all nodes and of the graph, for ``made``."""
    edge_data = None if G.edge_data is None else [dict(G.edge_data[i]) for i in places.tolist()]
    node_data = None if G.node_data is None else list(map(dict, G.node_data))
    values = {key: found[places] for key, found in G.values.items()}
    return {"edge_data": edge_data, "node_data": node_data, "graph_data": dict(G.graph), "values": values}


def _in_place(G: nx.Graph, copy: bool) -> str | None:
    return parallel(G) or (None if copy else "copy=False asks for a view, or a change")


def _loses_attributes(G: nx.Graph, copy: bool) -> str | None:
    if not isinstance(G, Graph) and (G.graph or any(data for *_, data in (*G.nodes.data(), *G.edges.data()))):
        return "networkx converts no attributes for reverse"
    return _in_place(G, copy)


def _reverse(G: Graph) -> Graph:
    if not G.is_directed():
        raise nx.NetworkXError("Cannot reverse an undirected graph.")
    return made(G.labels, G.neighbours, G.sources(), directed=True, **_data(G, np.arange(len(G.neighbours))))


def _complement(G: Graph) -> Graph:
    absent = np.ones((len(G), len(G)), bool)
    absent[G.sources(), G.neighbours] = False
    np.fill_diagonal(absent, False)
    return made(G.labels, *absent.nonzero(), directed=G.is_directed())


def _relabel(G: Graph, mapping: Callable | Mapping) -> Graph:
    labels = list(map(mapping, G)) if callable(mapping) else [mapping.get(node, node) for node in G]
    if len(set(labels)) < len(labels):
        raise NotImplementedError("several nodes get the same label")
    sources = G.sources()
    once = np.arange(len(sources)) if G.is_directed() else np.flatnonzero(sources <= G.neighbours)
    return made(labels, sources[once], G.neighbours[once], directed=G.is_directed(), **_data(G, once))


def _named(G: nx.Graph, label_attribute: object) -> str | None:
    return parallel(G) or (None if label_attribute is None else "label_attribute keeps the labels")


def _as_integers(G: Graph, first_label: int, ordering: str) -> Graph:
    by_degree = sorted(zip(G.degrees().tolist(), G, strict=True)) if ordering.endswith("creasing degree") else []
    orders: dict[str, list] = {
        "default": G.labels,
        "sorted": sorted(G) if ordering == "sorted" else [],
        "increasing degree": [node for _, node in by_degree],
        "decreasing degree": [node for _, node in reversed(by_degree)],
    }
    if ordering not in orders:
        raise nx.NetworkXError(f"Unknown node ordering: {ordering}")
    return _relabel(G, dict(zip(orders[ordering], range(first_label, first_label + len(G)), strict=True)))


define(pays="on request", refuse=_loses_attributes, reverse=_reverse)
define(pays="on request", refuse=parallel, complement=_complement)
define(pays="on request", refuse=_in_place, relabel_nodes=_relabel)
define(pays="on request", refuse=_named, convert_node_labels_to_integers=_as_integers)


# ---- generators ----------------------------------------------------------------------------------------------


#: NetworkX makes these graphs, with its random numbers, and they are converted at once.
compose(
    "balanced_tree barabasi_albert_graph barbell_graph binomial_tree circulant_graph circular_ladder_graph "
    "complete_bipartite_graph complete_graph complete_multipartite_graph cycle_graph davis_southern_women_graph "
    "empty_graph fast_gnp_random_graph florentine_families_graph full_rary_tree gnm_random_graph gnp_random_graph "
    "grid_2d_graph hypercube_graph karate_club_graph ladder_graph les_miserables_graph lollipop_graph null_graph "
    "path_graph petersen_graph powerlaw_cluster_graph random_regular_graph star_graph stochastic_block_model "
    "tadpole_graph trivial_graph turan_graph watts_strogatz_graph wheel_graph",
    pays="on request",
    then=converted,
)
