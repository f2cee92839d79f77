"""Matrices of graphs, as arrays of SciPy and NumPy."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Literal

import networkx as nx
import numpy as np

from ..foundation.types import DTypeLike, SciPySparse
from ..io import to_scipy_sparse
from .dispatch import define, parallel
from .graph import Graph

Nodes = Collection[Hashable]


def _typed(A: SciPySparse, dtype: DTypeLike | None) -> SciPySparse:
    """With this type; by default, a matrix without entries has FP64."""
    return A.astype(dtype) if dtype is not None else A if A.nnz else A.astype(float)


def _in_format(A: SciPySparse, format: str, what: str) -> SciPySparse:
    try:
        return A.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse {what} format: {format}") from error


def _sparse(
    G: Graph, nodelist: Iterable[Hashable] | None, dtype: DTypeLike | None, weight: str | None, format: str
) -> SciPySparse:
    if not len(G):
        raise nx.NetworkXError("Graph has no nodes or edges")
    order = None
    if nodelist is not None:
        nodelist = list(nodelist)
        if not nodelist:
            raise nx.NetworkXError("nodelist has no nodes")
        if len(set(G.nbunch_iter(nodelist))) < len(nodelist):
            for node in nodelist:
                G.number(node, "Node {} in nodelist is not in G", nx.NetworkXError)
            raise nx.NetworkXError("nodelist contains duplicates.")
        order = G.numbers(nodelist)
    A = _typed(to_scipy_sparse(G.weights(weight), "csr"), dtype)
    return _in_format(A if order is None else A[order][:, order], format, "matrix")


def _not_of_numbers(dtype: np.dtype | type | str | None, multigraph_weight: object) -> str | None:
    if np.dtype(dtype).names:
        return "dtype is a record"
    return None if multigraph_weight in (sum, min) else "multigraph_weight is neither sum nor min"


def _dense(
    G: Graph,
    nodelist: Nodes | None,
    dtype: np.dtype | type | str | None,
    order: Literal["C", "F"] | None,
    multigraph_weight: object,
    weight: str | None,
    nonedge: float,
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


def _biadjacency(
    G: Graph, row_order: Nodes, column_order: Nodes | None, dtype: DTypeLike | None, weight: str, format: str
) -> SciPySparse:
    if not len(row_order):
        raise nx.NetworkXError("row_order is empty list")
    columns = list(set(G) - set(row_order)) if column_order is None else column_order
    for name, nodes in (("row_order", row_order), ("column_order", columns)):
        if len(set(nodes)) < len(nodes):
            raise nx.NetworkXError(f"Ambiguous ordering: `{name}` contained duplicates.")
        if any(node not in G for node in nodes):
            raise NotImplementedError(f"{name} has nodes outside the graph")
    A = to_scipy_sparse(G.weights(weight), "csr")
    return _in_format(_typed(A[G.numbers(row_order)][:, G.numbers(columns)], dtype), format, "array")


define(pays="converted", to_scipy_sparse_array=_sparse)
define(pays="converted", refuse=_not_of_numbers, to_numpy_array=_dense)
define(pays="converted", refuse=parallel, biadjacency_matrix=_biadjacency)
