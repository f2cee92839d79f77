"""PageRank, and hubs and authorities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from .. import Vector, algorithms
from .dispatch import dispatched
from .graph import Graph


@dispatched()
def pagerank(
    G: Graph,
    alpha: float = 0.85,
    personalization: Mapping | None = None,
    max_iter: int = 100,
    tol: float = 1e-06,
    nstart: Mapping | None = None,
    weight: str | None = "weight",
    dangling: Mapping | None = None,
) -> dict:
    if len(G) == 0:
        return {}
    if not 0 <= alpha <= 1:
        raise NotImplementedError("alpha is not between 0 and 1")
    if personalization is not None and sum(personalization.get(node, 0) for node in G) == 0:
        raise ZeroDivisionError
    A = G.pattern() if weight is None and not G.is_multigraph() else G.weights(weight, negative=False)
    options: dict[str, Any] = {
        "personalization": _distribution(G, personalization, "personalization"),
        "dangling": _distribution(G, dangling, "dangling"),
        "start": _distribution(G, nstart, "nstart"),
        "weighted": A.dtype != bool,
        "tol": tol,
        "max_iterations": max_iter,
    }
    try:
        return G.by_node(algorithms.pagerank(A, alpha, **options))
    except algorithms.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error


def _not_by_iteration(arguments: dict) -> str | None:
    if arguments["nstart"] is not None:
        return "nstart is given"
    return None if arguments["normalized"] else "hubs are not normalized"


@dispatched(refuse=_not_by_iteration)
def hits(
    G: Graph, max_iter: int = 100, tol: float = 1e-08, nstart: None = None, normalized: bool = True
) -> tuple[dict, dict]:
    if len(G) < 3 or not len(G.neighbours):
        raise NotImplementedError("the graph has too few nodes")
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        found = algorithms.hits(G.weights("weight", negative=False), tol=min(tol, 1e-10))
    except algorithms.NotConverged as error:
        raise NotImplementedError("the two largest singular values are nearly equal") from error
    hubs, authorities = (part.to_dense() for part in found)
    return G.by_node(hubs / hubs.sum()), G.by_node(authorities / authorities.sum())


def _distribution(G: Graph, given: Mapping | None, what: str) -> Vector | None:
    if given is None:
        return None
    values = np.array([given.get(node, 0) for node in G], float)
    if not (np.isfinite(values).all() and (values >= 0).all() and values.any()):
        raise NotImplementedError(f"{what} has values that are negative or not finite")
    return Vector.from_dense(values)
