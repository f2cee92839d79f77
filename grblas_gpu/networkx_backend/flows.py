"""Maximum flows and minimum cuts between two nodes."""

from __future__ import annotations

from typing import Any

from .. import algorithms, select
from .dispatch import dispatched
from .graph import Graph


def _refused(arguments: dict) -> str | None:
    if arguments["flow_func"] is not None or arguments["kwargs"]:
        return "flow_func selects an algorithm"
    return "the graph is a multigraph" if arguments["flowG"].is_multigraph() else None


def _value(G: Graph, source: object, target: object, capacity: str) -> Any:
    if source not in G or target not in G or source == target:
        raise NotImplementedError("source and target are not two nodes of the graph")
    # capacities off the diagonal: a loop carries no flow
    A = select.offdiag(G.weights(capacity, negative=False)).new()
    return algorithms.maximum_flow(A, G.index[source], G.index[target], along_edges=False).value


@dispatched(refuse=_refused)
def maximum_flow_value(
    flowG: Graph, _s: object, _t: object, capacity: str = "capacity", flow_func: None = None, **kwargs: object
) -> Any:
    return _value(flowG, _s, _t, capacity)


@dispatched(refuse=_refused)
def minimum_cut_value(
    flowG: Graph, _s: object, _t: object, capacity: str = "capacity", flow_func: None = None, **kwargs: object
) -> Any:
    return _value(flowG, _s, _t, capacity)
