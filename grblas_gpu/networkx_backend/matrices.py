"""Matrices of graphs, as arrays of SciPy and NumPy."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..io import to_scipy_sparse
from .dispatch import define, dispatched
from .graph import Graph


def _typed(A: Any, dtype: Any) -> Any:
    """With this type; by default, a matrix without entries has FP64."""
    return A.astype(dtype) if dtype is not None else A if A.nnz else A.astype(float)


@dispatched(pays="converted")
def to_scipy_sparse_array(
    G: Graph, nodelist: Any = None, dtype: Any = None, weight: str | None = "weight", format: str = "csr"
) -> Any:
    if not len(G):
        raise nx.NetworkXError("Graph has no nodes or edges")
    order = None
    if nodelist is not None:
        nodelist = list(nodelist)
        if not nodelist:
            raise nx.NetworkXError("nodelist has no nodes")
        if len(set(G.nbunch_iter(nodelist))) < len(nodelist):
            for node in nodelist:
                if node not in G:
                    raise nx.NetworkXError(f"Node {node} in nodelist is not in G")
            raise nx.NetworkXError("nodelist contains duplicates.")
        order = G.numbers(nodelist)
    A = _typed(to_scipy_sparse(G.weights(weight), "csr"), dtype)
    try:
        return (A if order is None else A[order][:, order]).asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error


def _not_of_numbers(arguments: dict) -> str | None:
    if np.dtype(arguments["dtype"]).names:
        return "dtype is a record"
    return None if arguments["multigraph_weight"] in (sum, min) else "multigraph_weight is neither sum nor min"


@dispatched(pays="converted", refuse=_not_of_numbers)
def to_numpy_array(
    G: Graph,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: str | None = "weight",
    nonedge: Any = 0.0,
) -> np.ndarray:
    nodes = G.labels if nodelist is None else nodelist
    if missing := set(nodes) - G.index.keys():
        raise nx.NetworkXError(f"Nodes {missing} in nodelist is not in G")
    if len(set(nodes)) < len(nodes):
        raise nx.NetworkXError("nodelist contains duplicates.")
    found = np.full((len(nodes), len(nodes)), nonedge, dtype=dtype, order=order)
    position = np.full(len(G), -1)
    position[G.numbers(nodes)] = np.arange(len(nodes))
    rows, columns, values = (
        G.weights(weight) if multigraph_weight is sum else G.lengths(weight, negative=True)
    ).to_coo()
    rows, columns = position[rows], position[columns]
    kept = (rows >= 0) & (columns >= 0)
    found[rows[kept], columns[kept]] = values[kept]
    return found


def _biadjacency(G: Graph, row_order: Any, column_order: Any, dtype: Any, weight: str, format: str) -> Any:
    if not len(row_order):
        raise nx.NetworkXError("row_order is empty list")
    columns = list(set(G) - set(row_order)) if column_order is None else column_order
    for name, nodes in (("row_order", row_order), ("column_order", columns)):
        if len(set(nodes)) < len(nodes):
            raise nx.NetworkXError(f"Ambiguous ordering: `{name}` contained duplicates.")
        if any(node not in G for node in nodes):
            raise NotImplementedError(f"{name} has nodes outside the graph")
    A = to_scipy_sparse(G.weights(weight), "csr")
    part = _typed(A[G.numbers(row_order)][:, G.numbers(columns)], dtype)
    try:
        return part.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse array format: {format}") from error


def _parallel(arguments: dict) -> str | None:
    return "the graph is a multigraph" if arguments["G"].is_multigraph() else None


define(
    pays="converted",
    refuse=_parallel,
    biadjacency_matrix=lambda G, row_order, column_order=None, dtype=None, weight="weight", format="csr": _biadjacency(
        G, row_order, column_order, dtype, weight, format
    ),
)
