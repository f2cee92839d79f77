"""Connected components, weak and strong ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import networkx as nx
import numpy as np

from .. import algorithms
from .conversion import edges_at
from .dispatch import define, dispatched
from .distances import NOT_FOUND, levels
from .graph import Graph


def _lowest_members(G: Graph) -> np.ndarray:
    """The lowest node of the component of every node."""
    return algorithms.connected_components(G.pattern()).to_dense()


def _grouped(G: Graph, lowest: np.ndarray) -> dict[int, set]:
    """The members of every component, keyed by its lowest node, in ascending order."""
    order = np.argsort(lowest, kind="stable")
    starts = np.flatnonzero(np.diff(lowest[order], prepend=-1))
    members = G.named(order)
    parts = itertools.pairwise([*starts.tolist(), len(members)])
    firsts = lowest[order[starts]].tolist()
    return {first: set(members[i:j]) for first, (i, j) in zip(firsts, parts, strict=True)}


def _number_of(lowest: np.ndarray) -> int:
    return int(np.count_nonzero(lowest == np.arange(len(lowest))))


def _refuse_null(G: Graph) -> None:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


@dispatched(pays="on request")
def connected_components(G: Graph) -> Iterator[set]:
    yield from _grouped(G, _lowest_members(G)).values()


@dispatched(pays="on request")
def number_connected_components(G: Graph) -> int:
    return _number_of(_lowest_members(G))


@dispatched(pays="on request")
def is_connected(G: Graph) -> bool:
    _refuse_null(G)
    return not _lowest_members(G).any()


@dispatched(pays="one search")
def node_connected_component(G: Graph, n: object) -> set:
    return set(G.named(np.flatnonzero(levels(G, G.index[n]) != NOT_FOUND)))


@dispatched(pays="on request")
def weakly_connected_components(G: Graph) -> Iterator[set]:
    yield from _grouped(G, _lowest_members(G)).values()


@dispatched(pays="on request")
def number_weakly_connected_components(G: Graph) -> int:
    return _number_of(_lowest_members(G))


@dispatched(pays="on request")
def is_weakly_connected(G: Graph) -> bool:
    _refuse_null(G)
    return not _lowest_members(G).any()


@dispatched(pays="on request")
def strongly_connected_components(G: Graph) -> Iterator[set]:
    lowest = algorithms.strongly_connected_components(G.pattern()).to_dense()
    groups = _grouped(G, lowest)
    for first in _sinks_first(G, lowest):
        yield groups[first]


@dispatched(pays="on request")
def number_strongly_connected_components(G: Graph) -> int:
    return _number_of(algorithms.strongly_connected_components(G.pattern()).to_dense())


@dispatched(pays="search")
def is_strongly_connected(G: Graph) -> bool:
    _refuse_null(G)
    return all(bool((levels(G, 0, backward=backward) != NOT_FOUND).all()) for backward in (False, True))


def _sinks_first(G: Graph, lowest: np.ndarray) -> Iterator[int]:
    """The lowest nodes of the strong components, in NetworkX's order: successors come before their predecessors."""
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


def _bridges(G: Graph, root: object) -> np.ndarray:
    """The places in ``neighbours`` of the bridges, each once, in NetworkX's order."""
    if root is not None and root not in G:
        raise nx.NodeNotFound(f"Root node {root} is not in graph")
    sources, n = G.sources().astype(np.int64), len(G)
    rows, columns, _ = algorithms.bridges(G.pattern()).to_coo()
    found = np.isin(sources * n + G.neighbours, rows.astype(np.int64) * n + columns.astype(np.int64))
    if G.parallel is not None:
        found &= G.parallel == 1
    if root is not None:
        found &= levels(G, G.index[root])[sources] != NOT_FOUND
    return np.flatnonzero(found & (sources < G.neighbours))


def _biconnected(G: Graph) -> Iterator[set]:
    rows, _, named = algorithms.biconnected_components(G.pattern()).to_coo()
    parts: dict[int, set] = {}
    for number, node in zip(named.tolist(), G.named(rows), strict=True):
        parts.setdefault(number, set()).add(node)
    return iter(parts.values())


define(
    bridges=lambda G, root=None: edges_at(G, _bridges(G, root), data=False),
    has_bridges=lambda G, root=None: len(_bridges(G, root)) > 0,
    biconnected_components=_biconnected,
    articulation_points=lambda G: iter(G.named(algorithms.articulation_points(G.pattern()).to_coo(values=False)[0])),
)
define(
    pays="on request",
    refuse=lambda arguments: None if arguments["source"] is None else "source selects the first component",
    kosaraju_strongly_connected_components=lambda G, source=None: strongly_connected_components(G),
)
