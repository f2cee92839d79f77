"""Components, weak and strong ones; trees, forests, Eulerian, bipartite and acyclic graphs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import networkx as nx
import numpy as np

from .. import algorithms
from ..backends.stores.entries import ranges
from ..exceptions import InvalidValue
from .conversion import edges_at
from .degrees import strengths
from .dispatch import define
from .distances import NOT_FOUND, levels
from .graph import Graph


def lowest_members(G: Graph) -> np.ndarray:
    """The lowest node of the component of every node."""
    return algorithms.connected_components(G.pattern()).to_dense()


def strong_members(G: Graph) -> np.ndarray:
    """The lowest node of the strong component of every node."""
    return algorithms.strongly_connected_components(G.pattern()).to_dense()


def number_of(lowest: np.ndarray) -> int:
    """The number of components."""
    return int(np.count_nonzero(lowest == np.arange(len(lowest))))


def _grouped(G: Graph, lowest: np.ndarray) -> dict[int, set]:
    """The members of every component, keyed by its lowest node, in ascending order."""
    order = np.argsort(lowest, kind="stable")
    starts = np.flatnonzero(np.diff(lowest[order], prepend=-1))
    members = G.named(order)
    parts = itertools.pairwise([*starts.tolist(), len(members)])
    firsts = lowest[order[starts]].tolist()
    return {first: set(members[i:j]) for first, (i, j) in zip(firsts, parts, strict=True)}


def refuse_null(G: Graph, said: str) -> None:
    """NetworkX's error for a graph without nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(said)


def is_connected(G: Graph) -> bool:
    refuse_null(G, "Connectivity is undefined for the null graph.")
    return not lowest_members(G).any()


def is_strongly_connected(G: Graph) -> bool:
    refuse_null(G, "Connectivity is undefined for the null graph.")
    return all(bool((levels(G, 0, backward=backward) != NOT_FOUND).all()) for backward in (False, True))


def _components(G: Graph) -> Iterator[set]:
    yield from _grouped(G, lowest_members(G)).values()


def strongly_connected_components(G: Graph) -> Iterator[set]:
    """The components in NetworkX's order: successors come before their predecessors."""
    lowest = strong_members(G)
    groups = _grouped(G, lowest)
    for first in _sinks_first(G, lowest):
        yield groups[first]


def _sinks_first(G: Graph, lowest: np.ndarray) -> Iterator[int]:
    """The lowest nodes of the strong components, successors before their predecessors."""
    sources, targets = lowest[G.sources()], lowest[G.neighbours]
    between = sources != targets
    ends = np.unique(np.stack([targets[between], sources[between]]), axis=1)
    counts = np.bincount(ends[1], minlength=len(G))
    entering: dict[int, list[int]] = {}
    for target, source in zip(*ends.tolist(), strict=True):
        entering.setdefault(target, []).append(source)
    waiting = counts.tolist()
    ready = np.flatnonzero((lowest == np.arange(len(G))) & (counts == 0)).tolist()
    for component in ready:  # the loop appends to it
        yield component
        for source in entering.get(component, ()):
            waiting[source] -= 1
            if not waiting[source]:
                ready.append(source)


define(
    pays="on request",
    connected_components=_components,
    is_connected=is_connected,
    is_weakly_connected=is_connected,
    number_connected_components=lambda G: number_of(lowest_members(G)),
    number_strongly_connected_components=lambda G: number_of(strong_members(G)),
    number_weakly_connected_components=lambda G: number_of(lowest_members(G)),
    strongly_connected_components=strongly_connected_components,
    weakly_connected_components=_components,
)
define(
    pays="on request",
    refuse=lambda source: None if source is None else "source selects the first component",
    kosaraju_strongly_connected_components=strongly_connected_components,
)
define(pays="search", is_strongly_connected=is_strongly_connected)
define(pays="one search", node_connected_component=lambda G, n: set(G.where(levels(G, G.index[n]) != NOT_FOUND)))


def _bridges(G: Graph, root: object) -> np.ndarray:
    """The places in ``neighbours`` of the bridges, each once, in NetworkX's order."""
    start = None if root is None else G.number(root, "Root node {} is not in graph")
    found = G.is_entry(algorithms.bridges(G.pattern()))
    if G.parallel is not None:
        found &= G.parallel == 1
    if start is not None:
        found &= levels(G, start)[G.sources()] != NOT_FOUND
    return np.flatnonzero(found & (G.sources() < G.neighbours))


def _biconnected(G: Graph) -> Iterator[set]:
    rows, _, named = algorithms.biconnected_components(G.pattern()).to_coo()
    parts: dict[int, set] = {}
    for number, node in zip(named.tolist(), G.named(rows), strict=True):
        parts.setdefault(number, set()).add(node)
    return iter(parts.values())


define(
    articulation_points=lambda G: iter(G.named(algorithms.articulation_points(G.pattern()).to_coo(values=False)[0])),
    biconnected_components=_biconnected,
    bridges=lambda G, root: edges_at(G, _bridges(G, root), data=False),
    has_bridges=lambda G, root: len(_bridges(G, root)) > 0,
)


# ---- the two sides of a bipartite graph ----------------------------------------------------------------------


def _colour(G: Graph) -> dict:
    """Colours: 1 for the first node with an outgoing edge of each component, 0 for isolated nodes."""
    try:
        side = algorithms.bipartite_sides(G.pattern()).to_dense()
    except InvalidValue as error:
        raise nx.NetworkXError("Graph is not bipartite.") from error
    component = lowest_members(G)
    starts = np.flatnonzero(np.diff(G.pointers))
    parts, first = np.unique(component[starts], return_index=True)
    colours = np.zeros(len(G), np.int64)
    colours[parts] = side[starts[first]]  # at the lowest node of each component
    return G.by_node(np.where(G.degrees("both") > 0, (side == colours[component]).astype(np.int64), 0))


def _sets(G: Graph) -> tuple[set, set]:
    if not len(G):
        raise NotImplementedError("the graph has no nodes")
    if lowest_members(G).any():  # some node is outside the component of node 0
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    colours = _colour(G)
    return {node for node in G if colours[node]}, {node for node in G if not colours[node]}


define(pays="converted", color=_colour)
define(pays="converted", refuse=lambda top_nodes: None if top_nodes is None else "top_nodes is given", sets=_sets)


def _is_forest(G: Graph) -> bool:
    refuse_null(G, "G has no nodes.")
    return len(G) - number_of(lowest_members(G)) == G.number_of_edges()


def _is_tree(G: Graph) -> bool:
    return _is_forest(G) and len(G) - 1 == G.number_of_edges()


def _one_parent(G: Graph) -> bool:
    return int(G.degrees("in").max()) <= 1


def _is_eulerian(G: Graph) -> bool:
    if G.is_directed():
        return bool((G.degrees("in") == G.degrees("out")).all()) and is_strongly_connected(G)
    return bool((G.degrees() % 2 == 0).all()) and is_connected(G)


define(
    pays="converted",
    is_arborescence=lambda G: _is_tree(G) and _one_parent(G),
    is_branching=lambda G: _is_forest(G) and _one_parent(G),
    is_eulerian=_is_eulerian,
    is_forest=_is_forest,
    is_tree=_is_tree,
)


def _is_acyclic(G: Graph) -> bool:
    if not G.is_directed():
        return False
    try:
        algorithms.topological_generations(G.pattern())
    except InvalidValue:
        return False
    return True


def _attracting(G: Graph) -> Iterator[set]:
    lowest = strong_members(G)
    left = set(lowest[G.sources()][lowest[G.sources()] != lowest[G.neighbours]].tolist())
    for part in strongly_connected_components(G):
        if int(lowest[G.index[next(iter(part))]]) not in left:
            yield part


def _flow_hierarchy(G: Graph, weight: str | None) -> float:
    if len(G.neighbours) == 0:
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    lowest = strong_members(G)
    rows, columns, values = G.weights(weight).to_coo()
    inside = values[lowest[rows] == lowest[columns]].sum()
    return 1 - (inside / strengths(G, "out", weight).sum()).item()


def _generations(G: Graph) -> Iterator[list]:
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    waiting = G.degrees("in").copy()
    layer, left = np.flatnonzero(waiting == 0), len(G)
    while len(layer):
        yield G.named(layer)
        left -= len(layer)
        starts, counts = G.pointers[layer], G.pointers[layer + 1] - G.pointers[layer]
        places = ranges(starts, counts)
        seen = G.neighbours[places]
        np.subtract.at(waiting, seen, 1 if G.parallel is None else G.parallel[places])
        # a node follows when its last predecessor is visited
        last = len(seen) - 1 - np.unique(seen[::-1], return_index=True)[1]
        layer = seen[np.sort(last)]
        layer = layer[waiting[layer] == 0]
    if left:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _is_aperiodic(G: Graph) -> bool:
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    refuse_null(G, "Graph has no nodes.")
    if not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    level = levels(G, 0)
    return int(np.gcd.reduce(level[G.sources()] - level[G.neighbours] + 1)) == 1 if len(G.neighbours) else False


define(
    pays="on request",
    attracting_components=_attracting,
    flow_hierarchy=_flow_hierarchy,
    is_bipartite=lambda G: algorithms.is_bipartite(G.pattern()),  # NetworkX stops at the first odd cycle
    is_directed_acyclic_graph=_is_acyclic,
    is_empty=lambda G: not len(G.neighbours),
)
define(pays="converted", topological_generations=_generations)
define(pays="search", is_aperiodic=_is_aperiodic)
