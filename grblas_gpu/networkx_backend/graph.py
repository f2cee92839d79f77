"""The graph class of the backend: adjacency arrays in NetworkX's order, and matrices built from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, TypeVar

import networkx as nx
import numpy as np

from ..api.matrix import Matrix
from ..api.vector import Vector
from ..foundation.types import Array

Made = TypeVar("Made")
NAME = "grblas_gpu"


class _Members(dict):
    """Nodes by label, as NetworkX's classes have them."""

    @property
    def _adj(self) -> dict:
        return self

    def __contains__(self, node: object) -> bool:
        try:
            return super().__contains__(node)
        except TypeError:  # unhashable objects are no nodes
            return False


class Graph:
    """A NetworkX graph, converted. It does not change.

    ``labels`` are the nodes in order. The neighbours (of a directed graph: the successors) of node i are
    ``neighbours[pointers[i] : pointers[i + 1]]``, in the order of NetworkX. In a multigraph, ``parallel`` has the
    number of edges to each neighbour, and attributes have one value per edge.

    >>> import networkx as nx
    >>> from grblas_gpu.networkx_backend.interface import convert_from_nx
    >>> graph = convert_from_nx(nx.path_graph("abc"))
    >>> graph
    <grblas_gpu graph: 3 nodes, 2 edges>
    >>> graph.pattern().to_dicts()
    {0: {1: True}, 1: {0: True, 2: True}, 2: {1: True}}
    """

    __networkx_backend__ = NAME

    def __init__(
        self,
        labels: list,
        pointers: np.ndarray,
        neighbours: np.ndarray,
        *,
        directed: bool,
        parallel: np.ndarray | None = None,
        keys: list | None = None,
        values: dict[str, np.ndarray] | None = None,
        edge_data: list[dict] | None = None,
        node_data: list[dict] | None = None,
        graph_data: dict | None = None,
    ) -> None:
        self.labels = labels
        self.index = _Members(zip(labels, range(len(labels)), strict=True))
        self.pointers, self.neighbours, self.parallel, self.keys = pointers, neighbours, parallel, keys
        self.directed, self.values = directed, values or {}
        self.edge_data, self.node_data, self.graph = edge_data, node_data, graph_data or {}
        self._made: dict[object, Any] = {}

    # ---- the interface that NetworkX uses -----------------------------------------------------------------------

    def nbunch_iter(self, nbunch: object = None) -> Iterator:
        """NetworkX's rules for a node, an iterable of nodes or None."""
        return nx.Graph.nbunch_iter(self.index, nbunch)

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Whether edges may be parallel."""
        return self.parallel is not None

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    order = number_of_nodes

    def number_of_edges(self, u: object = None, v: object = None) -> int:
        """The number of edges, or of those between two nodes; each parallel edge counts."""
        if u is None:
            return int(self.degrees("both").sum()) // 2
        i, j = self.numbers([u, v])
        at = self.pointers[i] + np.flatnonzero(self.neighbours[self.pointers[i] : self.pointers[i + 1]] == j)
        return len(at) if self.parallel is None else int(self.parallel[at].sum())

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator:
        return iter(self.labels)

    def __contains__(self, node: object) -> bool:
        return node in self.index

    def __str__(self) -> str:
        kind = ("Multi" if self.is_multigraph() else "") + ("Di" if self.directed else "") + "Graph"
        return f"{kind} with {len(self)} nodes and {self.number_of_edges()} edges"

    def __repr__(self) -> str:
        kind = ("directed " if self.directed else "") + ("multigraph" if self.is_multigraph() else "graph")
        return f"<{NAME} {kind}: {len(self)} nodes, {self.number_of_edges()} edges>"

    # ---- labels and numbers ----------------------------------------------------------------------------------

    def numbers(self, nodes: Iterable[Hashable]) -> list[int]:
        """The numbers of nodes that are in the graph."""
        return [self.index[node] for node in nodes]

    def number(
        self, node: object, said: str = "Node {} not found in graph", error: type[Exception] = nx.NodeNotFound
    ) -> int:
        """The number of a node; for a node outside the graph, NetworkX's error."""
        if node not in self.index:
            raise error(said.format(node))
        return self.index[node]

    def named(self, numbers: np.ndarray) -> list:
        """The nodes with these numbers."""
        labels = self.labels
        return [labels[i] for i in numbers.tolist()]

    def where(self, flags: np.ndarray) -> list:
        """The nodes with the flag True."""
        return self.named(np.flatnonzero(flags))

    def flags(self, nodes: Iterable[Hashable]) -> np.ndarray:
        """True at the given nodes; nodes outside the graph are ignored."""
        chosen = np.zeros(len(self), bool)
        chosen[self.numbers(node for node in nodes if node in self.index)] = True
        return chosen

    def by_node(self, values: Vector | np.ndarray) -> dict:
        """One value for every node, as a dictionary of Python scalars in the order of the graph."""
        dense = values.to_dense() if isinstance(values, Vector) else values
        return dict(zip(self.labels, dense.tolist(), strict=True))

    # ---- matrices, made when they are first needed -----------------------------------------------------------

    def pattern(self, *, backward: bool = False) -> Matrix:
        """True at every edge. ``backward``: with all edges reversed."""
        return self._matrix(("pattern", None), lambda: True, backward)

    def weights(
        self, attribute: str | None, *, negative: bool = True, backward: bool = False, missing: float = 1
    ) -> Matrix:
        """The weights of all edges, the sum for parallel edges; 1 each without an attribute.

        NetworkX handles calls with weights that are infinite, NaN, or negative without ``negative``. ``missing`` is
        the weight of edges that lack the attribute, where the graph was converted with all attributes.
        """
        if attribute is None:
            return self._matrix(("weights", None), lambda: 1 if self.parallel is None else self.parallel, backward)
        values = self._checked(attribute, negative, missing)
        return self._matrix(("weights", attribute, missing), lambda: add_parallel(values, self.parallel), backward)

    def lengths(self, attribute: str | None, *, negative: bool = False, backward: bool = False) -> Matrix:
        """The lengths of all edges, the minimum for parallel edges; 1 each without an attribute."""
        if attribute is None:
            return self._matrix(("lengths", None), lambda: 1, backward)
        values = self._checked(attribute, negative)
        return self._matrix(("lengths", attribute), lambda: least_parallel(values, self.parallel), backward)

    def edge_values(self, attribute: str | None) -> np.ndarray:
        """A finite number for every item of ``neighbours``, 1 without an attribute; the graph has no parallel edges."""
        return np.ones(len(self.neighbours), np.int64) if attribute is None else self._checked(attribute, True)

    def degrees(self, which: str = "both") -> np.ndarray:
        """The number of edges "out" of every node, "in" to it, or "both", where a loop counts twice."""
        return self._once(("degrees", which), lambda: self._count_edges(which))

    def loops(self) -> int:
        """The number of nodes with a loop."""
        return self._once("loops", lambda: int(np.count_nonzero(self.sources() == self.neighbours)))

    def sources(self) -> np.ndarray:
        """The first node of the edge of each item of ``neighbours``."""
        return np.repeat(np.arange(len(self), dtype=self.neighbours.dtype), np.diff(self.pointers))

    def incoming(self) -> tuple[np.ndarray, np.ndarray]:
        """Like ``pointers`` and ``neighbours`` with all edges reversed, in the order of the nodes."""
        if not self.directed:
            return self.pointers, self.neighbours
        pointers, neighbours, _ = self.pattern(backward=True).to_csr()
        return pointers.astype(np.int64), neighbours

    def pair_numbers(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """One number for each pair of numbers of nodes, ascending by rows."""
        return rows.astype(np.int64) * len(self) + columns.astype(np.int64)

    def values_at(self, A: Matrix, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The values of entries of A."""
        found_rows, found_columns, values = A.to_coo()
        return values[np.searchsorted(self.pair_numbers(found_rows, found_columns), self.pair_numbers(rows, columns))]

    def is_entry(self, A: Matrix) -> np.ndarray:
        """For every item of ``neighbours``, whether A has an entry there."""
        rows, columns, _ = A.to_coo(values=False)
        return np.isin(self.pair_numbers(self.sources(), self.neighbours), self.pair_numbers(rows, columns))

    def _count_edges(self, which: str) -> np.ndarray:
        n = len(self)
        if which == "both":
            if self.directed:
                return self.degrees("in") + self.degrees("out")
            at_loop = self.sources() == self.neighbours
            parallel = None if self.parallel is None else self.parallel[at_loop]
            return self.degrees("out") + np.bincount(self.neighbours[at_loop], parallel, n).astype(np.int64)
        if which == "out" and self.parallel is None:
            return np.diff(self.pointers)
        ends = self.sources() if which == "out" else self.neighbours
        return np.bincount(ends, self.parallel, n).astype(np.int64)

    def _checked(self, attribute: str, negative: bool, missing: float = 1) -> np.ndarray:
        """The values of an attribute, one for every edge, checked: finite, and negative only if allowed."""

        def found() -> np.ndarray:
            if attribute in self.values:
                return self.values[attribute]
            if self.edge_data is None:
                raise nx.NetworkXError(
                    f"this graph was converted without the edge attribute {attribute!r}; "
                    f"convert it with edge_attrs={{{attribute!r}: 1}} or preserve_edge_attrs=True"
                )
            return real_numbers([data.get(attribute, missing) for data in self.edge_data], attribute)

        values = self._once(("values", attribute, missing), found)
        least = self._once(("least", attribute, missing), lambda: least_length(values, attribute))
        if least < 0 and not negative:
            raise NotImplementedError(f"some edges have a negative {attribute!r}")
        return values

    def _matrix(self, key: tuple, values: Callable[[], object], backward: bool) -> Matrix:
        if backward and self.directed:
            return self._once((*key, "backward"), lambda: self._matrix(key, values, False).T.new())
        return self._once(key, lambda: Matrix.from_csr(self.pointers, self.neighbours, values(), ncols=len(self)))

    def _once(self, key: object, make: Callable[[], Made]) -> Made:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


EXACT = 2**53  # FP64 represents integers up to here exactly
LARGEST_SUM = 2.0**62  # sums of integers up to here cannot overflow


def real_numbers(values: list, attribute: str) -> np.ndarray:
    """The values as INT64 or FP64.

    >>> real_numbers([1, 2.5], "weight")
    array([1. , 2.5])
    >>> real_numbers([1, None], "weight")
    Traceback (most recent call last):
    NotImplementedError: the 'weight' of some edges is not a real number
    """
    try:
        array = np.array(values) if values else np.empty(0, np.int64)
    except (ValueError, OverflowError):  # values of different shapes
        array = np.empty(0, object)
    kind = array.dtype.kind
    if kind not in "bif" or array.ndim != 1:
        raise NotImplementedError(f"the {attribute!r} of some edges is not a real number")
    if kind == "f":
        large = np.abs(array, where=np.isfinite(array), out=np.zeros(array.shape)) > EXACT
        if large.any() and any(isinstance(values[i], int) for i in np.flatnonzero(large).tolist()):
            raise NotImplementedError(f"the {attribute!r} of some edges is an integer that FP64 cannot represent")
        return array.astype(np.float64, copy=False)
    if np.abs(array.astype(np.float64)).sum() > LARGEST_SUM:
        raise NotImplementedError(f"sums of {attribute!r} exceed 64-bit integers")
    return array.astype(np.int64, copy=False)


def add_parallel(values: Array, parallel: np.ndarray | None) -> Array | np.generic:
    """The sum of the values of each group of parallel edges; ``parallel`` has the sizes of the groups.

    >>> import numpy as np
    >>> add_parallel(np.array([1, 2, 4]), np.array([2, 1]))
    array([3, 4])
    """
    return _one_if_equal(values if parallel is None else _combine(np.add, values, parallel))


def least_parallel(values: Array, parallel: np.ndarray | None) -> Array | np.generic:
    """The least value of each group of parallel edges.

    >>> import numpy as np
    >>> least_parallel(np.array([1, 2, 3]), np.array([2, 1]))
    array([1, 3])
    """
    return _one_if_equal(values if parallel is None else _combine(np.minimum, values, parallel))


def least_length(values: np.ndarray, attribute: str) -> float:
    """The minimum of the values and 0; all values must be finite."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise NotImplementedError(f"the {attribute!r} of some edges is NaN or infinite")
    return float(min(values.min(initial=0), 0))


def _combine(operation: np.ufunc, values: np.ndarray, parallel: np.ndarray) -> np.ndarray:
    if not len(parallel):
        return values
    return operation.reduceat(values, np.concatenate([[0], np.cumsum(parallel)[:-1]]))


def _one_if_equal(values: Array) -> Array | np.generic:
    """One value if all are equal, so that the matrix is iso."""
    if isinstance(values, np.ndarray) and len(values) > 1 and (values == values[0]).all():
        return values[0]
    return values
