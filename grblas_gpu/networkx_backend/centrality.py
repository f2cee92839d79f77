"""Centralities: of shortest paths, and of walks, such as PageRank, hubs and authorities."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from random import Random

import networkx as nx
import numpy as np

from .. import Matrix, Vector, agg, algorithms, monoid, select, semiring, unary
from .dispatch import define, parallel
from .distances import in_batches
from .graph import Graph


def _betweenness(G: Graph, k: int | None, normalized: bool, weight: str | None, endpoints: bool, seed: Random) -> dict:
    n = len(G)
    sources = None if k is None or k == n else G.numbers(seed.sample(G.labels, k))
    A = G.pattern() if weight is None else _positive_lengths(G, weight)
    # Every ordered pair of nodes counts once; the scale follows below.
    found = algorithms.betweenness_centrality(
        A, sources, normalized=False, directed=True, endpoints=endpoints, weighted=weight is not None
    )
    scores = found.to_dense(0.0)
    pairs = n if endpoints else n - 1  # possible first nodes of paths through a node
    if pairs < 2:
        return G.by_node(scores)

    def scale(from_nodes: int) -> float:
        """The factor that scales a sample of sources to all sources."""
        return 1 / (from_nodes * (pairs - 1)) if normalized else pairs / (from_nodes * (1 if G.is_directed() else 2))

    if sources is None or endpoints:
        return G.by_node(scores * scale(pairs if sources is None else len(sources)))
    factors = np.full(n, scale(len(sources)))
    factors[sources] = scale(len(sources) - 1) if len(sources) > 1 else math.nan  # no path through a node starts there
    return G.by_node(scores * factors)


def _closeness(G: Graph, u: object, distance: str | None, wf_improved: bool) -> dict | float:
    said = "Source {} is not in G" if distance is None else "Node {} not found in graph"
    chosen = None if u is None else [G.number(u, said)]
    n = len(G)
    result = np.zeros(n)
    for some, distances in in_batches(G, chosen, distance, backward=True):
        # others = entries of a row but for the node itself; far = their sum
        others = distances.reduce_rowwise(agg.count).new().to_dense(0) - 1.0
        far = distances.reduce_rowwise(monoid.plus).new(float).to_dense(0.0)
        close = np.divide(others, far, out=np.zeros(len(some)), where=far > 0)
        result[some] = close * (others / max(n - 1, 1)) if wf_improved else close
    return G.by_node(result) if chosen is None else float(result[chosen[0]])


def _harmonic(G: Graph, nbunch: object, distance: str | None, sources: object) -> dict:
    ends = G.labels if nbunch is None else list(dict.fromkeys(G.nbunch_iter(nbunch)))
    starts = G.labels if sources is None else list(dict.fromkeys(G.nbunch_iter(sources)))
    backward = len(ends) < len(starts)  # search from the smaller set
    from_nodes, to_nodes = (ends, starts) if backward else (starts, ends)
    total = np.zeros(len(G))
    chosen = Vector.from_coo(G.numbers(to_nodes), True, size=len(G))
    for some, distances in in_batches(G, G.numbers(from_nodes), distance, backward=backward):
        # near = 1 / distance, where the distance is not 0
        near = unary.minv(select.valuene(distances, 0).new(float)).new()
        if backward:
            # total_some = sums of the rows over the chosen nodes
            total[some] += semiring.plus_first(near @ chosen).new(float).to_dense(0.0)
        else:
            # total = sum of all rows
            total += near.reduce_columnwise(monoid.plus).new().to_dense(0.0)
    values = total.tolist()
    return {node: values[G.index[node]] for node in ends}


define(
    pays="search",
    refuse=lambda sp=None: None if sp is None else "the shortest path lengths are given",
    closeness_centrality=_closeness,
)
define(betweenness_centrality=_betweenness)
define(pays="search", harmonic_centrality=_harmonic)


# ---- walks ---------------------------------------------------------------------------------------------------


def _not_scalar(nstart: object, beta: float) -> str | None:
    if nstart is not None:
        return "nstart is given"
    try:
        float(beta)
    except (TypeError, ValueError, AttributeError):
        return "beta is not a single number"
    return None


def _katz(G: Graph, alpha: float, beta: float, max_iter: int, tol: float, normalized: bool, weight: str | None) -> dict:
    if len(G) == 0:
        return {}
    A, weighted = (G.pattern(), False) if weight is None else (G.weights(weight), True)
    with converging(max_iter):
        found = algorithms.katz(
            A, alpha, beta, weighted=weighted, normalized=normalized, tol=tol, max_iterations=max_iter
        )
    return G.by_node(found)


def _eigenvector(G: Graph, max_iter: int, tol: float, nstart: dict | None, weight: str | None) -> dict:
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    order: Iterable = G if nstart is None else nstart
    values = [1] * n if nstart is None else list(nstart.values())
    if all(value == 0 for value in values):
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if nstart is not None and nstart.keys() != G.index.keys():
        raise NotImplementedError("the keys of nstart are not the nodes of the graph")
    if any(value < 0 for value in values):
        raise NotImplementedError("nstart has negative values")
    A = G.weights(weight) if weight else G.pattern()
    start = Vector.from_coo(G.numbers(order), values, float, size=n)
    with converging(max_iter):
        found = algorithms.eigenvector_centrality(
            A, weighted=bool(weight), start=start, tol=tol, max_iterations=max_iter
        )
    values_of = G.by_node(found)
    return {node: values_of[node] for node in order}


define(refuse=_not_scalar, katz_centrality=_katz)
define(eigenvector_centrality=_eigenvector)


# ---- shares of paths -----------------------------------------------------------------------------------------


def _edge_betweenness(G: Graph, normalized: bool, weight: str | None) -> dict:
    A = G.pattern() if weight is None else _positive_lengths(G, weight)
    scores = algorithms.edge_betweenness_centrality(
        A, weighted=weight is not None, normalized=normalized, directed=G.is_directed()
    )
    sources, targets = G.sources(), G.neighbours
    if not G.is_directed():
        once = sources <= targets
        sources, targets = sources[once], targets[once]
    found = G.values_at(scores, sources, targets)
    return dict(zip(zip(G.named(sources), G.named(targets), strict=True), found.tolist(), strict=True))


def _positive_lengths(G: Graph, weight: str) -> Matrix:
    A = G.lengths(weight)
    if A.nvals and A.value_range().min <= 0:
        raise NotImplementedError("some edges have length 0")
    return A


define(
    refuse=lambda G, k: parallel(G) or (None if k is None else "paths are sampled"),
    edge_betweenness_centrality=_edge_betweenness,
)


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
