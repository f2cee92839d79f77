"""Graph: an adjacency Matrix with the labels of its nodes. Everything below this module works with numbers."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..dtypes import lookup_dtype
from ..errors import DimensionMismatch, InvalidValue
from ..progress import elapsed
from ..suggestions import needed, type_text
from .edge_list_files import parse_weights, split_lines
from .edge_table import layout_of
from .networkx_graphs import add_edges, adjacency
from .text_files import name_of, text_of

if TYPE_CHECKING:
    from ..types import DTypeLike, OperatorLike


def edge_columns(edges: Iterable[Sequence]) -> list[tuple]:
    """Sources, targets and perhaps weights of edges given as tuples."""
    if not isinstance(edges, Iterable):
        said = "edges must be (source, target) or (source, target, weight) tuples"
        raise TypeError(f"Graph.from_edges: {said}; got {type_text(edges)}")
    edges = list(edges)
    try:
        columns = list(zip(*edges, strict=True)) or [(), ()]
    except ValueError:
        first = len(edges[0])
        number = next(k for k, edge in enumerate(edges) if len(edge) != first)
        said = f"edge {number} is {edges[number]!r}, with {len(edges[number])} parts, but edge 0 has {first}"
        raise ValueError(f"Graph.from_edges: {said}; give every edge a weight, or none") from None
    if len(columns) not in (2, 3):
        said = f"an edge is (source, target) or (source, target, weight); edge 0 is {edges[0]!r}"
        raise ValueError(f"Graph.from_edges: {said}")
    return columns


class Graph:
    """A square adjacency Matrix and the label of every node.

    Edges are directed unless you pass ``directed=False``: then an edge is an entry in both directions, and the Matrix
    is symmetric. (The type of a NetworkX graph determines whether it is directed.) Labels are hashable and need no
    order; without labels the nodes are numbers.

    Parameters
    ----------
    matrix : Matrix or TransposedMatrix
        Square; the entry in row i and column j is the edge from node i to node j. It is not copied.
    labels : iterable of hashable, optional
        A distinct label for each row; 0, 1, 2, ... by default.
    directed : bool
        With False, the Matrix must be symmetric.

    Raises
    ------
    DimensionMismatch
        If the Matrix is not square, or the number of labels is not that of rows.
    InvalidValue
        If two nodes have the same label, or an undirected Matrix is not symmetric.

    Examples
    --------
    >>> from grblas_gpu import Graph
    >>> from grblas_gpu.algorithms import bfs
    >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cid")])
    >>> graph.to_dict(bfs(graph.matrix, graph.index("ann")))
    {'ann': 0, 'bob': 1, 'cid': 2}
    """

    __slots__ = ("directed", "labels", "matrix", "_index")

    def __init__(self, matrix: Matrix, labels: Iterable[Hashable] | None = None, *, directed: bool = True) -> None:
        matrix = ensure_type(matrix, (Matrix, TransposedMatrix))
        matrix = matrix.new() if isinstance(matrix, TransposedMatrix) else matrix
        if matrix.nrows != matrix.ncols:
            raise DimensionMismatch(f"Graph: the Matrix must be square; got {matrix.nrows} x {matrix.ncols}")
        named = list(range(matrix.nrows) if labels is None else labels)
        if len(named) != matrix.nrows:
            raise DimensionMismatch(f"Graph: {len(named)} labels for {matrix.nrows} nodes")
        index = dict(zip(named, range(len(named)), strict=True))
        if len(index) != len(named):
            twice = next(label for i, label in enumerate(named) if index[label] != i)
            raise InvalidValue(f"Graph: two nodes have the label {twice!r}")
        if not directed and not matrix.is_symmetric():
            raise InvalidValue("Graph: directed=False needs a symmetric Matrix")
        self.matrix, self.labels, self.directed, self._index = matrix, named, directed, index

    @classmethod
    def _trusted(cls, matrix: Matrix, labels: list, directed: bool, index: dict) -> Graph:
        """A Graph of parts that are consistent by construction, without checks."""
        new = object.__new__(cls)
        new.matrix, new.labels, new.directed, new._index = matrix, labels, directed, index
        return new

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: Hashable) -> bool:
        return label in self._index

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Graph({kind}, {len(self)} nodes, {self.matrix.nvals} entries, {self.matrix.dtype})"

    # ---- labels and numbers ---------------------------------------------------------------------------------

    def index(self, label: Hashable) -> int:
        """The number of a node.

        Parameters
        ----------
        label : hashable
            The label of the node.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob")]).index("bob")
        1
        """
        try:
            return self._index[label]
        except KeyError:
            raise KeyError(f"Graph: no node has the label {label!r}") from None

    def to_dict(self, vector: Vector) -> dict:
        """The entries of a Vector over the nodes, by label.

        Parameters
        ----------
        vector : Vector
            One value for each node, or fewer.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Graph.from_edges([("ann", "bob")]).to_dict(Vector.from_coo([1], [7], size=2))
        {'bob': 7}
        """
        vector = ensure_type(vector, Vector)
        if vector.size != len(self):
            raise DimensionMismatch(f"Graph.to_dict: the Vector has size {vector.size}, the graph {len(self)} nodes")
        return {self.labels[i]: value for i, value in vector.to_dict().items()}

    def to_vector(self, values: Mapping[Hashable, object], dtype: DTypeLike | None = None) -> Vector:
        """A Vector over the nodes from values by label.

        Parameters
        ----------
        values : dict
            Values by label.
        dtype : dtype, optional
            The type of the values; by default their own.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob")]).to_vector({"bob": 7}).to_dict()
        {1: 7}
        """
        return Vector.from_dict({self.index(label): x for label, x in values.items()}, dtype, size=len(self))

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of sources, numbers of targets, values; an undirected edge is listed once (source <= target).

        >>> [part.tolist() for part in Graph.from_edges([("ann", "bob", 5)], directed=False).edges()]
        [[0], [1], [5]]
        """
        rows, cols, values = self.matrix.to_coo()
        if not self.directed:
            keep = rows <= cols
            rows, cols, values = rows[keep], cols[keep], values[keep]
        return rows, cols, values

    # ---- in and out -----------------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence],
        *,
        nodes: Iterable[Hashable] = (),
        directed: bool = True,
        dtype: DTypeLike | None = None,
        dup_op: OperatorLike | None = None,
    ) -> Graph:
        """A Graph from (source, target) or (source, target, weight) tuples of labels.

        Parameters
        ----------
        edges : iterable of tuples
            All with two parts, or all with three.
        nodes : iterable of labels
            Nodes that come first in the numbering; others follow in the order in which they appear.
        directed : bool
            Whether an edge leads one way (the default) or, with False, both ways.
        dtype : dtype, optional
            The type of the weights; by default that of NumPy's conversion. Without weights, entries are True.
        dup_op : operator, optional
            The operator that combines duplicate edges; without it, duplicates with weights are an error.

        Raises
        ------
        ValueError
            If the tuples differ in length, or have neither two nor three parts.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob", 5), ("cid", "ann", 6)], directed=False)
        >>> graph.labels, graph.matrix.to_dicts()
        (['ann', 'bob', 'cid'], {0: {1: 5, 2: 6}, 1: {0: 5}, 2: {0: 6}})
        """
        columns = edge_columns(edges)
        index: dict[Hashable, int] = {}
        for label in itertools.chain(nodes, *zip(columns[0], columns[1], strict=True)):
            index.setdefault(label, len(index))
        rows, cols = (np.fromiter(map(index.__getitem__, end), np.int64, len(end)) for end in columns[:2])
        weights = np.array(columns[2]) if len(columns) == 3 else None
        return cls.from_numbered_edges(rows, cols, weights, list(index), directed=directed, dtype=dtype, dup_op=dup_op)

    @classmethod
    def from_numbered_edges(
        cls,
        rows: np.ndarray,
        cols: np.ndarray,
        weights: np.ndarray | None,
        labels: list,
        *,
        directed: bool = True,
        dtype: DTypeLike | None = None,
        dup_op: OperatorLike | None = None,
    ) -> Graph:
        """A Graph from arrays of node numbers, perhaps weights, and the labels of the nodes.

        Parameters
        ----------
        rows : array of int
            Numbers of sources.
        cols : array of int
            Numbers of targets.
        weights : array, optional
            A weight for each edge.
        labels : list
            The labels of nodes 0, 1, 2, ...
        directed : bool
            Whether an edge leads one way (the default) or, with False, both ways.
        dtype : dtype, optional
            The type of the weights; by default their own.
        dup_op : BinaryOp, optional
            The operator that combines the values of duplicate edges; without it, duplicates raise ValueError.

        Examples
        --------
        >>> import numpy as np
        >>> Graph.from_numbered_edges(np.array([0, 0]), np.array([1, 2]), None, ["ann", "bob", "cid"])
        Graph(directed, 3 nodes, 2 entries, BOOL)
        """
        values: Any = True if weights is None else weights
        if not directed:
            proper = rows != cols  # a loop is one entry
            rows, cols = np.concatenate([rows, cols[proper]]), np.concatenate([cols, rows[proper]])
            values = values if weights is None else np.concatenate([weights, weights[proper]])
        n = len(labels)
        matrix = Matrix.from_coo(
            rows, cols, values, dtype, nrows=n, ncols=n, dup_op=None if weights is None else dup_op
        )
        return cls._trusted(matrix, labels, directed, dict(zip(labels, range(n), strict=True)))

    @classmethod
    def from_networkx(cls, G: Any, weight: str | None = "weight", dtype: DTypeLike | None = None) -> Graph:
        """A Graph from a NetworkX graph, with the rules of ``io.from_networkx``.

        Parameters
        ----------
        G : networkx graph
            A graph, directed or not, perhaps with parallel edges.
        weight : str or None
            The edge attribute with the weight; with None every edge counts 1.
        dtype : dtype, optional
            The type of the weights; by default their own.

        Examples
        --------
        >>> import networkx as nx
        >>> Graph.from_networkx(nx.path_graph(["ann", "bob", "cid"])).labels
        ['ann', 'bob', 'cid']
        """
        labels = list(G)
        matrix = adjacency(G, labels, dtype, weight, None)
        return cls._trusted(matrix, labels, G.is_directed(), dict(zip(labels, range(len(labels)), strict=True)))

    def to_networkx(self, edge_attribute: str | None = "weight") -> Any:
        """A NetworkX DiGraph, or Graph if this one is not directed, with the labels as nodes.

        Parameters
        ----------
        edge_attribute : str or None
            The attribute that gets the values; None leaves them out.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob", 5)], directed=False).to_networkx().edges(data="weight")
        EdgeDataView([('ann', 'bob', 5)])
        """
        nx = needed("networkx", "Graph.to_networkx")
        G = nx.DiGraph() if self.directed else nx.Graph()
        G.add_nodes_from(self.labels)
        add_edges(G, self.edges(), self.labels, edge_attribute)
        return G

    @classmethod
    def read_edgelist(
        cls,
        source: object,
        *,
        delimiter: str | None = None,
        header: bool | None = None,
        columns: Sequence[str | int] | None = None,
        directed: bool = True,
        dtype: DTypeLike | None = float,
        dup_op: OperatorLike | None = None,
    ) -> Graph:
        """A Graph from a text file with a line for every edge: two labels (any text) and perhaps a weight.

        The parameters are those of :func:`grblas_gpu.io.read_edgelist`. Here the first line is a header if
        it has names of columns (source and target, from and to, src and dst, u and v, ...) or a word where the second
        line has a weight; in other cases pass ``header``.

        Parameters
        ----------
        source : str, path or open file
            The file; compressed if its name ends in .gz, .bz2 or .xz.
        delimiter : str, optional
            The separator of fields; detected by default.
        header : bool, optional
            Whether the first line names the columns; detected by default.
        columns : sequence of two or three, optional
            Columns of source, target and weight, by name or number. By default the first ones; if there are more than
            three, the columns with these names in the header.
        directed : bool
            Whether an edge leads one way (the default) or, with False, both ways.
        dtype : dtype, optional
            The type of the weights; by default their own.
        dup_op : BinaryOp, optional
            The operator that combines the values of duplicate edges; without it, duplicates raise ValueError.

        Raises
        ------
        ValueError
            If a line is malformed; the message has its number.

        Examples
        --------
        >>> from io import StringIO
        >>> Graph.read_edgelist(StringIO("from,to,km\\nann,bob,2.5\\n")).to_networkx().edges(data="weight")
        OutEdgeDataView([('ann', 'bob', 2.5)])
        """
        text = text_of(source)
        name = name_of(source)
        layout = layout_of(text, name, delimiter=delimiter, header=header, columns=columns, labels=True)
        with elapsed(f"parsing {name}"):
            lines = [(number, [field.strip() for field in found]) for number, found in split_lines(text, name, layout)]
        weighted = bool(lines) and len(lines[0][1]) == 3
        index: dict[Hashable, int] = {}
        for label in itertools.chain.from_iterable(fields[:2] for _, fields in lines):
            index.setdefault(label, len(index))
        rows, cols = (np.fromiter((index[fields[k]] for _, fields in lines), np.int64, len(lines)) for k in (0, 1))
        weights = None
        if weighted:
            numbered = [(number, fields[2]) for number, fields in lines]
            weights = parse_weights(numbered, name, lookup_dtype(float if dtype is None else dtype).np_type)
        try:
            return cls.from_numbered_edges(rows, cols, weights, list(index), directed=directed, dup_op=dup_op)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
