"""PageRank, and hubs and authorities."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

import networkx as nx
import numpy as np

from .. import Vector, algorithms
from .dispatch import define
from .graph import Graph


@contextlib.contextmanager
def converging(max_iter: int) -> Iterator[None]:
    """NetworkX's error, if an iteration does not converge."""
    try:
        yield
    except algorithms.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error


def _pagerank(
    G: Graph,
    alpha: float,
    personalization: Mapping | None,
    max_iter: int,
    tol: float,
    nstart: Mapping | None,
    weight: str | None,
    dangling: Mapping | None,
) -> dict:
    if len(G) == 0:
        return {}
    if not 0 <= alpha <= 1:
        raise NotImplementedError("alpha is not between 0 and 1")
    if personalization is not None and sum(personalization.get(node, 0) for node in G) == 0:
        raise ZeroDivisionError
    A = G.pattern() if weight is None and not G.is_multigraph() else G.weights(weight, negative=False)
    with converging(max_iter):
        ranks = algorithms.pagerank(
            A,
            alpha,
            personalization=_distribution(G, personalization, "personalization"),
            dangling=_distribution(G, dangling, "dangling"),
            start=_distribution(G, nstart, "nstart"),
            weighted=A.dtype != bool,
            tol=tol,
            max_iterations=max_iter,
        )
    return G.by_node(ranks)


def _not_by_iteration(nstart: object, normalized: bool) -> str | None:
    if nstart is not None:
        return "nstart is given"
    return None if normalized else "hubs are not normalized"


def _hits(G: Graph, max_iter: int, tol: float) -> tuple[dict, dict]:
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


define(pagerank=_pagerank)
define(refuse=_not_by_iteration, hits=_hits)
