"""Results of algorithms on a Graph: values by label, which print as a top ten if there are many."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from ..api.tables import Tabular, plain
from ..foundation.display import html_object, html_table

SHOWN = 10


class NodeValues(dict, Tabular):
    """Values of nodes by label: a dictionary that sorts and converts itself. Algorithms on a Graph return it.

    Up to ten values print as a dictionary; of more, the highest ten are shown.

    Examples
    --------
    >>> from grblas_gpu import Graph, algorithms
    >>> graph = Graph.from_edges([("ann", "bob"), ("cid", "bob"), ("bob", "ann")])
    >>> ranks = algorithms.pagerank(graph)
    >>> ranks.top(1)
    {'bob': 0.4864...}
    >>> algorithms.bfs(graph, "cid")
    {'ann': 2, 'bob': 1, 'cid': 0}
    """

    __slots__ = ("value",)
    if TYPE_CHECKING:

        def get(self, label: object, default: object = None, /) -> Any:
            """Without overloads, so that type checkers accept ``max(values, key=values.get)``."""

    def __init__(self, *args: object, value: str = "value", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.value = value

    def top(self, k: int = SHOWN, *, largest: bool = True) -> NodeValues:
        """The k highest values, highest first; equal ones in the order of the nodes.

        Parameters
        ----------
        k : int
            The number of values.
        largest : bool
            With False, the lowest values, lowest first.

        Examples
        --------
        >>> from grblas_gpu.io import NodeValues
        >>> NodeValues({"ann": 2, "bob": 7, "cid": 5}).top(2)
        {'bob': 7, 'cid': 5}
        """
        select = heapq.nlargest if largest else heapq.nsmallest
        return NodeValues(select(k, self.items(), key=lambda item: item[1]), value=self.value)

    def _columns(self) -> dict[str, object]:
        return {"node": plain(list(self)), self.value: plain(list(self.values()))}

    def __reduce__(self) -> tuple[object, ...]:
        return NodeValues, (dict(self),)

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return dict.__repr__(self)
        try:
            first, which = self.top(), "highest"
        except TypeError:  # values without an order
            first, which = NodeValues(list(self.items())[:SHOWN]), "first"
        width = max(len(repr(label)) for label in first)
        lines = [f"  {label!r:{width}}  {_shown(x)}" for label, x in first.items()]
        return "\n".join([f"{len(self):,} values by node, the {which} {SHOWN}:", *lines])

    def _repr_html_(self) -> str:
        try:
            first = self.top()
        except TypeError:
            first = NodeValues(list(self.items())[:SHOWN])
        content = html_table(["node", self.value], ((label, _shown(x)) for label, x in first.items()))
        more = len(self) - len(first)
        return html_object("NodeValues", {"nodes": len(self)}, content, f"... and {more:,} more" if more else "")


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
