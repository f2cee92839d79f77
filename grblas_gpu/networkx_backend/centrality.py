"""Centralities: of shortest paths, and of walks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np

from .. import Vector, agg, algorithms, monoid, select, semiring, unary
from .dispatch import dispatched
from .distances import in_batches, missing_source
from .graph import Graph


@dispatched()
def betweenness_centrality(
    G: Graph,
    k: int | None = None,
    normalized: bool = True,
    weight: str | None = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict:
    n = len(G)
    sources = None if k is None or k == n else G.numbers(seed.sample(G.labels, k))
    A = G.pattern() if weight is None else _positive_lengths(G, weight)
    # Every ordered pair of nodes counts once; the scale follows below.
    options: dict[str, Any] = {"normalized": False, "directed": True, "endpoints": endpoints}
    options["weighted"] = weight is not None
    scores = algorithms.betweenness_centrality(A, sources, **options).to_dense(0.0)
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


def _lengths_are_given(arguments: dict) -> str | None:
    return None if arguments["sp"] is None else "the shortest path lengths are given"


@dispatched(pays="search", refuse=_lengths_are_given)
def closeness_centrality(
    G: Graph, u: object = None, distance: str | None = None, wf_improved: bool = True, *, sp: None = None
) -> Any:
    if u is not None and u not in G:
        raise missing_source(u, distance)
    n = len(G)
    result = np.zeros(n)
    for some, distances in in_batches(G, None if u is None else [G.index[u]], distance, backward=True):
        # others = entries of a row but for the node itself; far = their sum
        others = distances.reduce_rowwise(agg.count).new().to_dense(0) - 1.0
        far = distances.reduce_rowwise(monoid.plus).new(float).to_dense(0.0)
        close = np.divide(others, far, out=np.zeros(len(some)), where=far > 0)
        result[some] = close * (others / max(n - 1, 1)) if wf_improved else close
    return G.by_node(result) if u is None else float(result[G.index[u]])


@dispatched(pays="search")
def harmonic_centrality(G: Graph, nbunch: object = None, distance: str | None = None, sources: object = None) -> dict:
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


def _not_scalar(arguments: dict) -> str | None:
    if arguments["nstart"] is not None:
        return "nstart is given"
    try:
        float(arguments["beta"])
    except (TypeError, ValueError, AttributeError):
        return "beta is not a single number"
    return None


@dispatched(refuse=_not_scalar)
def katz_centrality(
    G: Graph,
    alpha: float = 0.1,
    beta: float = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-06,
    nstart: None = None,
    normalized: bool = True,
    weight: str | None = None,
) -> dict:
    if len(G) == 0:
        return {}
    options = {"weighted": weight is not None, "normalized": normalized, "tol": tol, "max_iterations": max_iter}
    A = G.pattern() if weight is None else G.weights(weight)
    try:
        return G.by_node(algorithms.katz(A, alpha, beta, **options))
    except algorithms.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error


@dispatched()
def eigenvector_centrality(
    G: Graph, max_iter: int = 100, tol: float = 1e-06, nstart: dict | None = None, weight: str | None = None
) -> dict:
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
    options: dict[str, Any] = {"weighted": bool(weight), "start": start, "tol": tol, "max_iterations": max_iter}
    try:
        found = G.by_node(algorithms.eigenvector_centrality(A, **options))
    except algorithms.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error
    return {node: found[node] for node in order}


def _no_order(arguments: dict) -> str | None:
    if arguments["weight"] is not None or arguments["cutoff"] is not None:
        return "paths have lengths or a cutoff"
    try:
        sorted(arguments["G"])
    except TypeError:
        return "networkx sorts the nodes, which have no order"
    return None


@dispatched(pays="on request", refuse=_no_order)
def newman_betweenness_centrality(
    G: Graph, v: object = None, cutoff: None = None, normalized: bool = True, weight: None = None
) -> Any:
    small = len(G) <= 2
    load = np.zeros(len(G)) if small else algorithms.load_centrality(G.pattern(), normalized=normalized)
    return G.by_node(load) if v is None else G.by_node(load).get(v, 0.0)


def _sampled(arguments: dict) -> str | None:
    if arguments["G"].is_multigraph():
        return "the graph is a multigraph"
    return None if arguments["k"] is None else "paths are sampled"


@dispatched(refuse=_sampled)
def edge_betweenness_centrality(
    G: Graph, k: None = None, normalized: bool = True, weight: str | None = None, seed: object = None
) -> dict:
    A = G.pattern() if weight is None else _positive_lengths(G, weight)
    options: dict[str, Any] = {"weighted": weight is not None, "normalized": normalized, "directed": G.is_directed()}
    rows, columns, values = algorithms.edge_betweenness_centrality(A, **options).to_coo()
    keys = rows.astype(np.int64) * len(G) + columns.astype(np.int64)  # in order
    sources, targets = G.sources(), G.neighbours
    if not G.is_directed():
        once = sources <= targets
        sources, targets = sources[once], targets[once]
    found = values[np.searchsorted(keys, sources.astype(np.int64) * len(G) + targets)]
    return dict(zip(zip(G.named(sources), G.named(targets), strict=True), found.tolist(), strict=True))


def _positive_lengths(G: Graph, weight: str) -> Any:
    A = G.lengths(weight)
    if A.nvals and A.value_range().min <= 0:
        raise NotImplementedError("some edges have length 0")
    return A
