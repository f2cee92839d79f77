"""Graphs of igraph, PyTorch Geometric and DGL, and back. Objects are known by their attributes: nothing is imported."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ..api.conversions import is_device_array
from ..api.matrix import Matrix
from ..exceptions import DimensionMismatch
from ..foundation.suggestions import needed, type_text
from ..foundation.types import Array, DglGraph, DTypeLike, IGraph, OperatorLike, TorchTensor
from .dense_arrays import host_array
from .duplicates import combining
from .graph import Graph
from .torch_tensors import from_torch, to_torch


def from_igraph(
    G: IGraph, weight: str | None = "weight", dtype: DTypeLike | None = None, *, duplicates: OperatorLike | None = None
) -> Graph:
    """A Graph from an igraph graph; the vertex attribute "name", if there is one, has the labels.

    Parameters
    ----------
    G : igraph.Graph
        A graph, directed or not.
    weight : str or None
        The edge attribute with the weights; without it values are True.
    dtype : dtype, optional
        The type of the weights; by default their own.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of parallel edges; an error by default.

    Examples
    --------
    >>> import igraph  # doctest: +SKIP
    >>> from grblas_gpu import io  # doctest: +SKIP
    >>> io.from_igraph(igraph.Graph.Ring(5))  # doctest: +SKIP
    Graph(undirected, 5 nodes, 10 entries, BOOL)
    """
    if not hasattr(G, "get_edgelist") or not hasattr(G, "vcount"):
        raise TypeError(f"from_igraph: expected an igraph.Graph; got {type_text(G)}")
    ends = np.fromiter(chain.from_iterable(G.get_edgelist()), np.int64, 2 * G.ecount())
    weights = np.array(G.es[weight]) if weight in G.es.attributes() else None
    directed = G.is_directed()
    given = {"directed": directed, "dtype": dtype, "duplicates": duplicates}
    graph = Graph.from_numbered_edges(ends[::2], ends[1::2], weights, range(G.vcount()), **given)
    return Graph(graph.matrix, G.vs["name"], directed=directed) if "name" in G.vs.attributes() else graph


def to_igraph(graph: Graph | Matrix, edge_attribute: str | None = "weight") -> IGraph:
    """An igraph graph from a Graph, or from a square Matrix, whose edges are directed.

    Labels other than 0, 1, 2, ... become the vertex attribute "name".

    Parameters
    ----------
    graph : Graph or Matrix
        The object to convert.
    edge_attribute : str or None
        The attribute that gets the values; None leaves them out.

    Examples
    --------
    >>> from grblas_gpu import Graph, io
    >>> io.to_igraph(Graph.from_edges([("ann", "bob", 5)])).es["weight"]  # doctest: +SKIP
    [5]
    """
    igraph = needed("igraph", "io.to_igraph")
    graph = graph if isinstance(graph, Graph) else Graph(graph)
    rows, cols, values = graph.edges()
    G = igraph.Graph(len(graph), np.stack([rows, cols], axis=1).astype(np.int64), directed=graph.directed)
    if graph.labels != list(range(len(graph))):
        G.vs["name"] = graph.labels
    if edge_attribute is not None:
        G.es[edge_attribute] = values.tolist()
    return G


def from_torch_geometric(
    data: Any, weight: str | None = "edge_weight", *, duplicates: OperatorLike | None = None, name: str | None = None
) -> Matrix:
    """A Matrix from PyTorch Geometric: a ``Data``, an ``EdgeIndex``, a ``SparseTensor``, or an ``edge_index`` array.

    The entry in row i and column j is the edge from i to j: ``adj_t`` of a ``Data`` is transposed.

    Parameters
    ----------
    data : Data, one type of edges of a HeteroData, EdgeIndex, SparseTensor or array of two rows
        The edges. Tensors on a CUDA device need backend "cuda", and stay there.
    weight : str or None
        The attribute of a ``Data`` with the weights; without it values are True.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.
    name : str, optional
        The name of the Matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from grblas_gpu import io
    >>> io.from_torch_geometric(np.array([[0, 1, 1], [1, 0, 2]])).to_dicts()
    {0: {1: True}, 1: {0: True, 2: True}}
    """
    edges, weights, shape = data, None, (None, None)
    if hasattr(data, "edge_types"):
        raise TypeError("from_torch_geometric: a HeteroData has edges of several types; pass one of them: data[type]")
    if hasattr(data, "edge_index") or hasattr(data, "adj_t"):
        edges, transpose = getattr(data, "edge_index", None), getattr(data, "adj_t", None)
        if edges is None and transpose is not None:
            return from_torch_geometric(transpose, duplicates=duplicates).T.new(name=name)
        if edges is None:
            raise ValueError("from_torch_geometric: the data has no edges: neither edge_index nor adj_t")
        weights = getattr(data, weight or "", None)
        shape = (data.num_nodes,) * 2 if hasattr(data, "num_nodes") else data.size()  # edges between two types
    if hasattr(edges, "csr"):  # SparseTensor
        pointers, columns, values = edges.csr()
        values = True if values is None else _array(values)
        return Matrix.from_csr(_array(pointers), _array(columns), values, ncols=edges.sparse_sizes()[1], name=name)
    if "sparse" in str(getattr(edges, "layout", "")):
        return from_torch(edges, name=name)
    if hasattr(edges, "sparse_size"):  # EdgeIndex
        shape = edges.sparse_size()
    array = _array(edges)
    if array.ndim != 2 or len(array) != 2:
        raise ValueError(
            f"from_torch_geometric: expected an array of two rows, sources and targets; got shape {array.shape}"
        )
    return _from_ends(array[0], array[1], weights, shape, duplicates, name)


def to_torch_geometric(A: Matrix) -> tuple[TorchTensor, TorchTensor]:
    """The tensors ``edge_index`` and ``edge_weight`` of PyTorch Geometric, on the device of the Matrix.

    Parameters
    ----------
    A : Matrix
        The Matrix.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_torch_geometric(Matrix.from_coo([0, 1], [1, 0], [5, 6]))[0].tolist()  # doctest: +SKIP
    [[0, 1], [1, 0]]
    """
    tensor = to_torch(A, "coo")
    return tensor.indices(), tensor.values()


def from_dgl(
    G: DglGraph, weight: str | None = None, *, duplicates: OperatorLike | None = None, name: str | None = None
) -> Matrix:
    """A Matrix from a DGL graph with one type of edges.

    Parameters
    ----------
    G : dgl.DGLGraph
        The graph.
    weight : str, optional
        The edge feature with the weights; without it values are True.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.
    name : str, optional
        The name of the Matrix.

    Examples
    --------
    >>> import dgl  # doctest: +SKIP
    >>> from grblas_gpu import io  # doctest: +SKIP
    >>> io.from_dgl(dgl.graph(([0, 1], [1, 2]))).nvals  # doctest: +SKIP
    2
    """
    if not hasattr(G, "num_src_nodes") or not hasattr(G, "edata"):
        raise TypeError(f"from_dgl: expected a DGLGraph; got {type_text(G)}")
    shape = G.num_src_nodes(), G.num_dst_nodes()
    sources, targets = G.edges()
    return _from_ends(_array(sources), _array(targets), G.edata[weight] if weight else None, shape, duplicates, name)


def to_dgl(A: Matrix, weight: str | None = None) -> DglGraph:
    """A DGL graph with an edge for every entry of a square Matrix.

    Parameters
    ----------
    A : Matrix
        Square.
    weight : str, optional
        The edge feature that gets the values.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_dgl(Matrix.from_coo([0, 1], [1, 0], [5, 6])).num_edges()  # doctest: +SKIP
    2
    """
    if A.nrows != A.ncols:
        raise DimensionMismatch(f"to_dgl: the Matrix must be square; got {A.nrows} x {A.ncols}")
    tensor = to_torch(A, "csr")
    lines: tuple[object, ...] = tensor.crow_indices(), tensor.col_indices(), []
    G = needed("dgl", "io.to_dgl").graph(("csr", lines), num_nodes=A.nrows)
    if weight is not None:
        G.edata[weight] = tensor.values()
    return G


def _from_ends(
    rows: Array, cols: Array, weights: object, shape: tuple, duplicates: OperatorLike | None, name: str | None
) -> Matrix:
    nodes = int(max(rows.max(), cols.max())) + 1 if len(rows) and None in shape else 0
    nrows, ncols = (nodes if size is None else size for size in shape)
    values = True if weights is None else _array(weights).reshape(-1)
    combined = None if weights is None else combining(duplicates)
    return Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=ncols, dup_op=combined, name=name)


def _array(tensor: Any) -> Array:
    """The memory of a tensor: on a CUDA device as it is, on the host as a NumPy array."""
    tensor = tensor.detach() if hasattr(tensor, "detach") else tensor
    return tensor if is_device_array(tensor) else host_array(tensor)
