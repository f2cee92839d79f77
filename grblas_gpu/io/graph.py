"""Graph: an adjacency Matrix with the labels of its nodes. Everything below this module works with numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.tables import Tabular, arrow_table, taken
from ..api.vector import Vector
from ..backends.registry import current_engine
from ..dtypes import lookup_dtype
from ..exceptions import DimensionMismatch, InvalidValue
from ..foundation.border import border
from ..foundation.display import html_object, html_table
from ..foundation.progress import elapsed
from ..foundation.suggestions import needed, type_text
from ..foundation.types import ArrowTable, DTypeLike, NetworkXGraph, OperatorLike, Source
from .arrow_edges import numbered_edges
from .duplicates import both_directions, combining, refusal
from .edge_list_files import parse_weights, split_lines
from .edge_table import layout_of
from .networkx_graphs import add_edges, adjacency
from .node_values import NodeValues
from .text_files import name_of, text_of

Labels = Sequence[Hashable] | np.ndarray
ALL = object()  # all nodes
SHOWN = 10  # edges in a notebook


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


def plain_label(label: Hashable) -> Hashable:
    """A label as Python shows it, not as NumPy does."""
    return label.item() if isinstance(label, np.generic) else label


def refuse_weights(graph: Graph, name: str, other: str) -> None:
    """Raise ValueError if a file without weights would lose some: values other than True and 1."""
    values = graph.matrix.to_coo()[2]
    if not (values == 1).all():
        lost = f"the format stores no weights, and these are {graph.matrix.dtype}"
        raise ValueError(f"{name}: {lost}; write {other}, or graph.matrix.pattern(), which has none")


class Graph(Tabular):
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
    >>> list(graph), graph.neighbors("bob"), graph.edges(data=False)
    (['ann', 'bob', 'cid'], ['cid'], [('ann', 'bob'), ('bob', 'cid')])
    """

    __slots__ = ("directed", "matrix", "_numbers", "_stored_labels")

    def __init__(self, matrix: Matrix, labels: Iterable[Hashable] | None = None, *, directed: bool = True) -> None:
        matrix = ensure_type(matrix, (Matrix, TransposedMatrix))
        matrix = matrix.new() if isinstance(matrix, TransposedMatrix) else matrix
        if matrix.nrows != matrix.ncols:
            raise DimensionMismatch(f"Graph: the Matrix must be square; got {matrix.nrows} x {matrix.ncols}")
        named: Labels = range(matrix.nrows) if labels is None else list(labels)
        if len(named) != matrix.nrows:
            raise DimensionMismatch(f"Graph: {len(named)} labels for {matrix.nrows} nodes")
        numbers = None
        if labels is not None:
            numbers = dict(zip(named, range(len(named)), strict=True))
            if len(numbers) != len(named):
                twice = next(label for i, label in enumerate(named) if numbers[label] != i)
                raise InvalidValue(f"Graph: two nodes have the label {twice!r}")
        if not directed and not matrix.is_symmetric():
            raise InvalidValue("Graph: directed=False needs a symmetric Matrix")
        self.matrix, self.directed, self._stored_labels, self._numbers = matrix, directed, named, numbers

    @classmethod
    def _trusted(cls, matrix: Matrix, labels: Labels, directed: bool) -> Graph:
        """A Graph of parts that are consistent by construction, without checks."""
        new = object.__new__(cls)
        new.matrix, new.directed, new._stored_labels, new._numbers = matrix, directed, labels, None
        return new

    def __len__(self) -> int:
        return self.matrix.nrows

    def __iter__(self) -> Iterator[object]:
        return iter(self.labels)

    def __contains__(self, label: Hashable) -> bool:
        return label in self._index

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Graph({kind}, {len(self)} nodes, {self.matrix.nvals} entries, {self.matrix.dtype})"

    def _repr_html_(self) -> str:
        some, count = self.edges(data=True, most=SHOWN), self.number_of_edges()
        kind = "directed" if self.directed else "undirected"
        facts = {"": kind, "nodes": len(self), "edges": count, "type": self.matrix.dtype}
        more = f"... and {count - len(some):,} more" if count > len(some) else ""
        return html_object("Graph", facts, html_table(["source", "target", "value"], some), more)

    # ---- nodes and edges ------------------------------------------------------------------------------------

    @property
    def labels(self) -> list:
        """The labels of all nodes, in the order of their numbers.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob")]).labels
        ['ann', 'bob']
        """
        if not isinstance(self._stored_labels, list):
            stored = self._stored_labels
            self._stored_labels = stored.tolist() if isinstance(stored, np.ndarray) else list(stored)
        return self._stored_labels

    @property
    def nodes(self) -> list:
        """The labels of all nodes: the name that NetworkX has for ``labels``.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob")]).nodes
        ['ann', 'bob']
        """
        return self.labels

    @property
    def _index(self) -> dict:
        """The number of each label; made when it is first needed."""
        if self._numbers is None:
            self._numbers = dict(zip(self.labels, range(len(self)), strict=True))
        return self._numbers

    def number_of_edges(self) -> int:
        """The number of edges; an undirected edge counts once.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob"), ("bob", "cid")], directed=False).number_of_edges()
        2
        """
        entries = self.matrix.nvals
        return entries if self.directed else (entries + self.matrix.diag().nvals) // 2

    def neighbors(self, label: Hashable) -> list:
        """The labels of the nodes to which edges lead from a node.

        Parameters
        ----------
        label : hashable
            The label of the node.

        Examples
        --------
        >>> Graph.from_edges([("ann", "bob"), ("cid", "ann")]).neighbors("ann")
        ['bob']
        """
        row = self.matrix[self.index(label), :].new()
        return self._labels_at(row.to_coo(values=False)[0])

    @overload
    def degree(self) -> NodeValues: ...
    @overload
    def degree(self, label: Hashable) -> int: ...
    def degree(self, label: Hashable = ALL) -> NodeValues | int:
        """The number of edges at a node, or at every node. As in NetworkX, edges to and from a node count, and a loop
        counts twice.

        Parameters
        ----------
        label : hashable, optional
            The label of the node; without it, the result has all nodes.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob"), ("bob", "cid")])
        >>> graph.degree("bob"), graph.degree()
        (2, {'ann': 1, 'bob': 2, 'cid': 1})
        """
        if label is not ALL:
            number = self.index(label)
            leaving = self.matrix[number, :].new().nvals
            return leaving + (
                self.matrix[:, number].new().nvals if self.directed else int((number, number) in self.matrix)
            )
        degrees = np.zeros(len(self), np.int64)
        rows, cols, _ = self.matrix.to_coo(values=False)
        degrees += np.bincount(rows, minlength=len(self))
        ends = cols if self.directed else rows[rows == cols]
        degrees += np.bincount(ends, minlength=len(self))
        return NodeValues(zip(self.labels, degrees.tolist(), strict=True), value="degree")

    @overload
    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
    @overload
    def edges(self, data: Literal[False], *, most: int | None = None) -> list[tuple[Any, Any]]: ...
    @overload
    def edges(self, data: Literal[True], *, most: int | None = None) -> list[tuple[Any, Any, Any]]: ...
    def edges(self, data: bool | None = None, *, most: int | None = None) -> object:
        """The edges; an undirected edge is listed once.

        Parameters
        ----------
        data : bool, optional
            True for (source, target, value) tuples with labels, False for (source, target) tuples. Without it, the
            result is three arrays: numbers of sources, numbers of targets, values; an undirected edge has source <=
            target.
        most : int, optional
            The number of edges to list at most.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob", 5)], directed=False)
        >>> graph.edges(data=True)
        [('ann', 'bob', 5)]
        >>> [part.tolist() for part in graph.edges()]
        [[0], [1], [5]]
        """
        rows, cols, values = self.matrix.to_coo()
        if not self.directed:
            keep = rows <= cols
            rows, cols, values = rows[keep], cols[keep], values[keep]
        if data is None:
            return rows, cols, values
        ends = self._labels_at(rows[:most]), self._labels_at(cols[:most])
        return list(zip(*ends, *([values[:most].tolist()] if data else []), strict=True))

    def subgraph(self, labels: Iterable[Hashable]) -> Graph:
        """The Graph of some nodes, in this order, and all edges between them.

        Parameters
        ----------
        labels : iterable of labels
            The nodes, each once.

        Examples
        --------
        >>> graph = Graph.from_edges([("ann", "bob", 5), ("bob", "cid", 6)])
        >>> graph.subgraph(["cid", "bob"]).edges(data=True)
        [('bob', 'cid', 6)]
        """
        chosen = list(dict.fromkeys(labels))
        numbers = [self.index(label) for label in chosen]
        return Graph._trusted(self.matrix[numbers, numbers].new(), chosen, self.directed)

    def _columns(self) -> dict[str, object]:
        rows, cols, values = self.edges()
        labels = self._stored_labels
        return {"source": taken(labels, rows), "target": taken(labels, cols), "weight": values}

    def table(self, vector: Vector, value: str = "value") -> ArrowTable:
        """The entries of a Vector over the nodes as a ``pyarrow.Table``, with the labels (needs the extra ``arrow``).

        It makes no Python object for each node, as ``to_dict`` does.

        Parameters
        ----------
        vector : Vector
            One value for each node, or fewer.
        value : str
            The name of the column of values.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> graph = Graph.from_edges([("ann", "bob")])
        >>> graph.table(Vector.from_coo([1], [7], size=2), "age").to_pydict()
        {'node': ['bob'], 'age': [7]}
        """
        indices, values = self._over_nodes(vector, "table").to_coo()
        return arrow_table({"node": taken(self._stored_labels, indices), value: values}, "Graph.table")

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

    def to_dict(self, vector: Vector) -> NodeValues:
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
        indices, values = self._over_nodes(vector, "to_dict").to_coo()
        return NodeValues(zip(self._labels_at(indices), values.tolist(), strict=True))

    def _labels_at(self, numbers: np.ndarray) -> list:
        stored = self._stored_labels
        if isinstance(stored, np.ndarray):
            return stored[numbers].tolist()
        return list(map(self.labels.__getitem__, numbers.tolist()))

    def _over_nodes(self, vector: Vector, caller: str) -> Vector:
        vector = ensure_type(vector, Vector)
        if vector.size != len(self):
            raise DimensionMismatch(f"Graph.{caller}: the Vector has size {vector.size}, the graph {len(self)} nodes")
        return vector

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

    # ---- in and out -----------------------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence],
        *,
        nodes: Iterable[Hashable] = (),
        directed: bool = True,
        dtype: DTypeLike | None = None,
        duplicates: OperatorLike | None = None,
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
        duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
            How to combine the weights of an edge that is listed twice; an error by default.
        dup_op : operator, optional
            The older name of ``duplicates``.

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
        return cls.from_numbered_edges(
            rows, cols, weights, list(index), directed=directed, dtype=dtype, duplicates=duplicates, dup_op=dup_op
        )

    @classmethod
    def from_numbered_edges(
        cls,
        rows: np.ndarray,
        cols: np.ndarray,
        weights: np.ndarray | None,
        labels: Labels,
        *,
        directed: bool = True,
        dtype: DTypeLike | None = None,
        duplicates: OperatorLike | None = None,
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
        labels : sequence or array
            The distinct labels of nodes 0, 1, 2, ...
        directed : bool
            Whether an edge leads one way (the default) or, with False, both ways.
        dtype : dtype, optional
            The type of the weights; by default their own.
        duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
            How to combine the weights of an edge that is listed twice; an error by default.
        dup_op : operator, optional
            The older name of ``duplicates``.

        Examples
        --------
        >>> import numpy as np
        >>> Graph.from_numbered_edges(np.array([0, 0]), np.array([1, 2]), None, ["ann", "bob", "cid"])
        Graph(directed, 3 nodes, 2 entries, BOOL)
        """
        return cls._of_edges(
            rows, cols, weights, labels, directed, dtype, combining(duplicates, dup_op), place="edge {}".format
        )

    @classmethod
    def _of_edges(
        cls,
        rows: np.ndarray,
        cols: np.ndarray,
        weights: np.ndarray | None,
        labels: Labels,
        directed: bool,
        dtype: DTypeLike | None,
        dup_op: OperatorLike | None,
        place: Callable[[int], str],
    ) -> Graph:
        """``place`` says where an edge is listed, for the error about duplicates."""
        i, j, x = (rows, cols, weights) if directed else both_directions(rows, cols, weights)
        try:
            combined, n = None if x is None else dup_op, len(labels)
            matrix = Matrix.from_coo(i, j, True if x is None else x, dtype, nrows=n, ncols=n, dup_op=combined)
        except ValueError as error:
            if weights is None or dup_op is not None:
                raise
            rows, cols = (x if isinstance(x, np.ndarray) else current_engine().host(x) for x in (rows, cols))
            said = refusal(rows, cols, weights, lambda i: plain_label(labels[i]), place, directed=directed)
            raise said or error from None
        if not directed:
            matrix._store._transpose = matrix._store  # symmetric by construction
        return cls._trusted(matrix, labels, directed)

    @classmethod
    def from_arrow(
        cls,
        table: object,
        source: str | int = "source",
        target: str | int = "target",
        weight: str | int | None = None,
        *,
        directed: bool = True,
        dtype: DTypeLike | None = None,
        duplicates: OperatorLike | None = None,
        dup_op: OperatorLike | None = None,
    ) -> Graph:
        """A Graph from a table with a row for every edge, of any library with ``__arrow_c_stream__``: pyarrow, Polars,
        pandas 3, DuckDB, cuDF. It needs none of them.

        Labels are integers or text, also dictionary-encoded. Integers are numbered in ascending order, text in the
        order in which it appears.

        Parameters
        ----------
        table : object with ``__arrow_c_stream__``
            A row for every edge.
        source : str or int
            The column of the sources, by name or number.
        target : str or int
            The column of the targets.
        weight : str or int, optional
            The column of the weights; without it values are True.
        directed : bool
            Whether an edge leads one way (the default) or, with False, both ways.
        dtype : dtype, optional
            The type of the weights; by default their own.
        duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
            How to combine the weights of an edge that is listed twice; an error by default.
        dup_op : operator, optional
            The older name of ``duplicates``.

        Raises
        ------
        KeyError
            If the table has no such column.
        TypeError
            If the object is no table, or labels are neither integers nor text.
        ValueError
            If a value is missing; the message has its row.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"source": [30, 10], "target": [10, 20], "km": [2.5, 4.0]})
        >>> Graph.from_arrow(table, weight="km").edges(data=True)
        [(10, 20, 4.0), (30, 10, 2.5)]
        """
        numbered = numbered_edges(table, source, target, weight)
        combined = combining(duplicates, dup_op)
        return cls._of_edges(*numbered, directed, dtype, combined, "row {}".format)

    @classmethod
    def from_networkx(cls, G: NetworkXGraph, weight: str | None = "weight", dtype: DTypeLike | None = None) -> Graph:
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
        return cls._trusted(matrix, labels, G.is_directed())

    def to_networkx(self, edge_attribute: str | None = "weight") -> NetworkXGraph:
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
        source: Source,
        *,
        delimiter: str | None = None,
        header: bool | None = None,
        columns: Sequence[str | int] | None = None,
        directed: bool = True,
        dtype: DTypeLike | None = float,
        duplicates: OperatorLike | None = None,
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
        duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
            How to combine the weights of an edge that is listed twice; an error by default.
        dup_op : operator, optional
            The older name of ``duplicates``.

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
        combined = combining(duplicates, dup_op)
        with border(name):
            return cls._of_edges(
                rows, cols, weights, list(index), directed, None, combined, lambda k: f"line {lines[k][0]}"
            )
