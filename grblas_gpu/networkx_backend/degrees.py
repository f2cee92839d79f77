"""Functions of the degrees, and of pairs of opposite edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import networkx as nx
import numpy as np

from .. import Vector, agg, binary, monoid, semiring
from .dispatch import define
from .graph import Graph


def _share_of_others(G: Graph, which: str) -> dict:
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    return G.by_node(G.degrees(which) * (1.0 / (len(G) - 1.0)))


def _is_regular(G: Graph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    sides = ("in", "out") if G.is_directed() else ("both",)
    return all(bool((G.degrees(which) == G.degrees(which)[0]).all()) for which in sides)


def _is_tournament(G: Graph) -> bool:
    n = len(G)
    return len(G.neighbours) == n * (n - 1) // 2 and G.loops() == 0 and not _answered(G).any()


def _answered(G: Graph) -> np.ndarray:
    """For every node, the number of its outgoing edges with an opposite edge; a loop is its own opposite."""
    A = G.pattern()
    # answered_i = number of j with A_ij and A_ji
    answered = binary.pair(A & A.T).new().reduce_rowwise(agg.count).new()
    return answered.to_dense(0)


def _overall_reciprocity(G: Graph) -> float:
    edges = len(G.neighbours)
    if edges == 0:
        raise nx.NetworkXError("Not defined for empty graphs")
    return (int(_answered(G).sum()) - G.loops()) / edges


def _reciprocity(G: Graph, nodes: object) -> dict | float | None:
    if nodes is None:
        return _overall_reciprocity(G)
    single = nodes in G
    ends, both = (G.degrees("in") + G.degrees("out")).tolist(), _answered(G).tolist()
    numbered = ((node, G.index[node]) for node in G.nbunch_iter(nodes))
    shares = {node: 2 * both[i] / ends[i] if ends[i] else None for node, i in numbered}
    if single and shares[nodes] is None:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    return shares[nodes] if single else shares


def _not_simple_digraph(G: nx.Graph) -> str | None:
    return "the graph is undirected or a multigraph" if G.is_multigraph() or not G.is_directed() else None


def _neighbour_degree(G: Graph, source: str, target: str, nodes: object, weight: str | None) -> dict:
    which = {"in": "in", "out": "out", "in+out": "both"}
    if G.is_directed():
        for role, value in (("source", source), ("target", target)):
            if value not in which:
                raise nx.NetworkXError(f"{role} argument {value} must be 'in', 'out' or 'in+out'")
    elif source != "out" or target != "out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    else:
        which = {"out": "both"}
    degrees = Vector.from_dense(G.degrees(which[target]))
    sums = np.zeros(len(G))
    for backward in [False] * ("out" in source) + [True] * ("in" in source):
        if weight is None:
            # sums_i += sum of degree_j over the neighbours j
            found = semiring.plus_second(G.pattern(backward=backward) @ degrees).new(float)
        else:
            # sums_i += sum_j w_ij degree_j
            found = semiring.plus_times(G.weights(weight, backward=backward) @ degrees).new(float)
        sums += found.to_dense(0.0)
    own = strengths(G, which[source], weight)
    averages = np.divide(sums, own, out=np.zeros(len(G)), where=own != 0).tolist()
    return {node: averages[G.index[node]] for node in G.nbunch_iter(nodes)}


def strengths(G: Graph, which: str, weight: str | None) -> np.ndarray:
    """The sum of the weights at every node; without weights, its degree."""
    if weight is None:
        return G.degrees(which)
    W = G.weights(weight)
    # out_i = sum_j W_ij
    out = W.reduce_rowwise(monoid.plus).new(float).to_dense(0.0)
    if which == "out":
        return out
    if not G.is_directed():
        return out + W.diag().dup(float).to_dense(0.0)  # a loop counts twice
    # into_j = sum_i W_ij
    into = W.reduce_columnwise(monoid.plus).new(float).to_dense(0.0)
    return into if which == "in" else out + into


def _parallel_weights(G: nx.Graph, weight: object) -> str | None:
    ignored = weight is not None and G.is_multigraph()
    return "networkx ignores the weights of parallel edges here" if ignored else None


Sides = Callable[[np.ndarray], list]


def _pairs(G: Graph, nodes: Iterable | None, first: Sides, second: Sides, *, between: bool) -> Iterator[tuple]:
    """What ``first`` and ``second`` say of both ends of every edge from the nodes, or between them, in order."""
    chosen = np.ones(len(G), bool) if nodes is None else G.flags(set(nodes))
    sources, targets = G.sources(), G.neighbours
    if G.parallel is not None:
        sources, targets = np.repeat(sources, G.parallel), np.repeat(targets, G.parallel)
    if between:  # by the order of a set
        rank = np.zeros(len(G), np.int64)
        listed = [node for node in set(G if nodes is None else nodes) if node in G]
        rank[G.numbers(listed)] = np.arange(len(listed))
        order = np.argsort(rank[sources], kind="stable")
        sources, targets = sources[order], targets[order]
    kept = chosen[sources] & (chosen[targets] | (not between))
    return zip(first(sources[kept]), second(targets[kept]), strict=True)


def _degree_pairs(G: Graph, x: str, y: str, weight: str | None, nodes: Iterable | None) -> Iterator[tuple]:
    sizes = [strengths(G, which if G.is_directed() else "both", weight) for which in (x, y)]
    if weight is not None and G.weights(weight).dtype.np_type.kind == "f":
        raise NotImplementedError("sums of floats are keys")
    own, other = (values.astype(np.int64) for values in sizes)
    return _pairs(G, nodes, lambda at: own[at].tolist(), lambda at: other[at].tolist(), between=True)


def _attribute_pairs(G: Graph, attribute: str, nodes: Iterable | None) -> Iterator[tuple]:
    values = [data.get(attribute) for data in G.node_data] if G.node_data else [None] * len(G)
    return _pairs(G, nodes, *[lambda at: [values[i] for i in at.tolist()]] * 2, between=False)


define(
    pays="converted",
    degree_centrality=lambda G: _share_of_others(G, "both"),
    in_degree_centrality=lambda G: _share_of_others(G, "in"),
    is_isolate=lambda G, n: n in G and bool(G.degrees()[G.index[n]] == 0),
    is_k_regular=lambda G, k: bool(np.all(G.degrees() == k)),
    is_regular=_is_regular,
    is_tournament=_is_tournament,
    isolates=lambda G: iter(G.where(G.degrees() == 0)),
    node_attribute_xy=_attribute_pairs,
    node_degree_xy=_degree_pairs,
    number_of_isolates=lambda G: int(np.count_nonzero(G.degrees() == 0)),
    out_degree_centrality=lambda G: _share_of_others(G, "out"),
    score_sequence=lambda G: np.sort(G.degrees("out")).tolist(),
)
define(pays="converted", refuse=_not_simple_digraph, overall_reciprocity=_overall_reciprocity, reciprocity=_reciprocity)
define(refuse=_parallel_weights, average_neighbor_degree=_neighbour_degree)
