"""Algorithms on random odd graphs against NetworkX: loops, lone vertices, parts, zero lengths, no vertices at all.

python tests/soak/checks.py --graphs 400 --seed 1
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import networkx as nx

from grblas_gpu import Matrix, Vector, algorithms, io
from grblas_gpu.exceptions import GraphblasException

Check = tuple[Callable[..., Any], Callable[..., Any]]
UNDEFINED = "undefined"  # both results, where a definition has none


def shape(source: random.Random) -> nx.Graph:
    """A graph of at most 14 vertices, numbered from 0, of a random family."""
    n, seed = source.randrange(1, 12), source.randrange(10**6)
    families: list[Callable[[], nx.Graph]] = [
        lambda: nx.gnp_random_graph(n, source.choice((0.05, 0.15, 0.3, 0.6, 1.0)), seed=seed, directed=directed),
        lambda: nx.gnp_random_graph(n, 0.25, seed=seed, directed=directed),
        lambda: nx.path_graph(n),
        lambda: nx.cycle_graph(n),
        lambda: nx.star_graph(n),
        lambda: nx.complete_bipartite_graph(n // 2 + 1, n // 3 + 1),
        lambda: nx.disjoint_union(nx.gnp_random_graph(n // 2, 0.5, seed=seed), nx.complete_graph(n // 3)),
        lambda: nx.barbell_graph(max(2, n // 3), n // 4),
        lambda: nx.random_labeled_tree(n, seed=seed),
    ]
    directed = source.random() < 0.5
    G = nx.Graph(source.choice(families)()) if not directed else nx.DiGraph(source.choice(families)())
    H = nx.DiGraph() if directed else nx.Graph()
    H.add_nodes_from(range(max(1, len(G) + source.choice((0, 0, 0, 1, 2)))))
    keep = source.choice((1.0, 1.0, 0.7))  # of the two directions of edges
    H.add_edges_from((u, v) for u, v in G.edges() if source.random() < keep)
    if source.random() < 0.3:
        H.add_edges_from((v, v) for v in source.sample(range(len(H)), min(len(H), source.randrange(1, 4))))
    low, high = source.choice(((1, 1), (1, 3), (1, 9), (0, 3)))
    for *_, data in H.edges(data=True):
        data["weight"] = source.randint(low, high)
    return H


def without_loops(G: nx.Graph) -> nx.Graph:
    H = G.copy()
    H.remove_edges_from(list(nx.selfloop_edges(H)))
    return H


def vector(x: Vector) -> dict[int, Any]:
    return {i: value for i, value in sorted(x.to_dict().items()) if value is not None}


def filled(x: Vector) -> dict[int, Any]:
    return dict.fromkeys(range(x.size), 0) | x.to_dict()


def entries(M: Matrix) -> dict[tuple[int, int], Any]:
    return {(i, j): value for i, row in M.to_dicts().items() for j, value in row.items()}


def groups(labels: Vector) -> set[frozenset[int]]:
    found: dict[Any, set[int]] = {}
    for vertex, label in labels.to_dict().items():
        found.setdefault(label, set()).add(vertex)
    return set(map(frozenset, found.values()))


def sets(parts: Any) -> set[frozenset[int]]:
    return set(map(frozenset, parts))


def levels(G: nx.Graph, s: int) -> dict[int, int]:
    return dict(nx.single_source_shortest_path_length(G, s))


def lengths(G: nx.Graph, s: int) -> dict[int, int]:
    return dict(nx.single_source_dijkstra_path_length(G, s))


def positive(G: nx.Graph) -> bool:
    return all(data["weight"] > 0 for *_, data in G.edges(data=True))


def either(directed: bool) -> dict[str, bool]:
    return {} if directed else {"directed": False}


def tree_levels(parents: dict[int, int]) -> dict[int, int]:
    """The depth of every vertex below the root, which is its own parent."""

    def depth(v: int) -> int:
        return 0 if parents[v] == v else 1 + depth(parents[v])

    return {v: depth(v) for v in parents}


def sourced(name: str, **options: Any) -> Callable[..., Any]:
    return lambda A, G, s: vector(getattr(algorithms, name)(A, s, **options))


def all_pairs(lengths_of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda G, s: {(u, v): d for u in G for v, d in lengths_of(G, u).items()}


def components(G: nx.Graph, s: int) -> set[frozenset[int]]:
    return sets(nx.weakly_connected_components(G) if G.is_directed() else nx.connected_components(G))


def forest(found: Matrix) -> tuple[int, float]:
    weights = {(min(e), max(e)): w for e, w in entries(found).items()}
    return len(weights), sum(weights.values())


def common() -> dict[str, Check]:
    """Checks of directed and undirected graphs with loops and zero lengths."""
    a, target = algorithms, (lambda G, s: (s * 7 + 1) % len(G))
    checks: dict[str, Check] = {}
    for name in "bfs dobfs hybrid_bfs xbfs turbobfs".split():
        checks[name] = sourced(name), levels
    for name in "sssp delta_stepping bellman_ford".split():
        checks[name] = sourced(name), lengths
    checks["bfs_multi"] = (lambda A, G, s: entries(a.bfs_multi(A, list(G))), all_pairs(levels))
    checks["bfs_parents"] = (lambda A, G, s: tree_levels(a.bfs_parents(A, s).to_dict()), levels)
    checks["predecessors"] = (
        lambda A, G, s: {
            v: 0 if v == s else G[u][v]["weight"] + a.sssp(A, s)[u].new().value
            for v, u in a.sssp(A, s, predecessors=True).predecessors.to_dict().items()
        },
        lengths,
    )
    checks["reachability"] = (
        lambda A, G, s: set(a.reachability(A, s).to_dict()),
        lambda G, s: {s, *nx.descendants(G, s)},
    )
    checks["apsp"] = (lambda A, G, s: entries(a.apsp(A)), all_pairs(lengths))
    checks["shortest_path"] = (
        lambda A, G, s: path_length(G, *a.shortest_path(A, s, target(G, s))),
        lambda G, s: nx.dijkstra_path_length(G, s, target(G, s)),
    )
    checks["k_shortest_paths"] = (
        lambda A, G, s: [found[0] for found in a.k_shortest_paths(A, s, target(G, s), 4)],
        lambda G, s: (
            [
                nx.path_weight(G, path, "weight")
                for path in itertools.islice(nx.shortest_simple_paths(G, s, target(G, s), "weight"), 4)
            ]
            if nx.has_path(G, s, target(G, s))
            else []
        ),
    )
    for weighted in (False, True):
        weight, said = ("weight", ", weighted") if weighted else (None, "")
        checks[f"closeness{said}"] = (
            lambda A, G, s, w=weighted: filled(a.closeness(A, weighted=w)),
            lambda G, s, w=weight: nx.closeness_centrality(G, distance=w),
        )
        checks[f"pagerank{said}"] = (
            lambda A, G, s, w=weighted: filled(a.pagerank(A, weighted=w, tol=1e-12, max_iterations=1000)),
            lambda G, s, w=weight: nx.pagerank(G, weight=w, tol=1e-12, max_iter=1000),
        )
        checks[f"personalized_pagerank{said}"] = (
            lambda A, G, s, w=weighted: filled(
                a.personalized_pagerank(A, [s], weighted=w, tol=1e-12, max_iterations=1000)[0, :].new()
            ),
            lambda G, s, w=weight: nx.pagerank(G, weight=w, personalization={s: 1}, tol=1e-12, max_iter=1000),
        )
        checks[f"katz{said}"] = (
            lambda A, G, s, w=weighted: filled(a.katz(A, alpha=0.01, weighted=w, tol=1e-12)),
            lambda G, s, w=weight: nx.katz_centrality(G, 0.01, tol=1e-13, normalized=True, weight=w),
        )
        checks[f"betweenness_centrality{said}"] = (
            lambda A, G, s, w=weighted: filled(a.betweenness_centrality(A, weighted=w, **either(G.is_directed()))),
            lambda G, s, w=weight: nx.betweenness_centrality(G, weight=w) if not w or positive(G) else UNDEFINED,
        )
        checks[f"betweenness of pairs{said}"] = (
            lambda A, G, s, w=weighted: filled(
                a.betweenness_centrality(A, weighted=w, normalized=False, endpoints=True, **either(G.is_directed()))
            ),
            lambda G, s, w=weight: (
                nx.betweenness_centrality(G, weight=w, normalized=False, endpoints=True)
                if not w or positive(G)
                else UNDEFINED
            ),
        )
        checks[f"edge_betweenness_centrality{said}"] = (
            lambda A, G, s, w=weighted: {
                e: x
                for e, x in entries(a.edge_betweenness_centrality(A, weighted=w, **either(G.is_directed()))).items()
                if G.is_directed() or (e in G.edges() and e[0] <= e[1])
            },
            lambda G, s, w=weight: (
                {
                    (e if G.is_directed() else (min(e), max(e))): x
                    for e, x in nx.edge_betweenness_centrality(G, weight=w).items()
                }
                if not w or positive(G)
                else UNDEFINED
            ),
        )
        checks[f"harmonic_centrality{said}"] = (
            lambda A, G, s, w=weighted: filled(a.harmonic_centrality(A, weighted=w)),
            lambda G, s, w=weight: nx.harmonic_centrality(G, distance=w),
        )
        checks[f"eccentricity{said}"] = (
            lambda A, G, s, w=weighted: vector(a.eccentricity(A, weighted=w)),
            lambda G, s, w=weighted: {
                v: max(d.values()) for v in G if len(d := (lengths if w else levels)(G, v)) == len(G)
            },
        )
        checks[f"ego_graph{said}"] = (
            lambda A, G, s, w=weighted: sorted(map(int, a.ego_graph(A, s, 2, weighted=w).vertices.to_dict().values())),
            lambda G, s, w=weighted: sorted(v for v, d in (lengths if w else levels)(G, s).items() if d <= 2),
        )
        checks[f"modularity{said}"] = (
            lambda A, G, s, w=weighted: (
                a.modularity(A, Vector.from_dense([v % 3 for v in G]), weighted=w, **either(G.is_directed()))
                if A.nvals and (not w or A.reduce_scalar().new().value > 0)
                else UNDEFINED
            ),
            lambda G, s, w=weight: (
                nx.community.modularity(
                    in_both_directions(G), [part for k in range(3) if (part := {v for v in G if v % 3 == k})], weight=w
                )
                if G.size(weight=w)
                else UNDEFINED
            ),
        )
    checks["connected_components"] = (lambda A, G, s: groups(a.connected_components(A)), components)
    checks["strongly_connected_components"] = (
        lambda A, G, s: groups(a.strongly_connected_components(A)),
        lambda G, s: sets(nx.strongly_connected_components(nx.DiGraph(G))),
    )
    checks["transitive_closure"] = (
        lambda A, G, s: {e for e in entries(a.transitive_closure(A)) if e[0] != e[1]},
        lambda G, s: {(u, v) for u in G for v in nx.descendants(G, u)},
    )
    checks["maximum_flow"] = (
        lambda A, G, s: a.maximum_flow(A, s, target(G, s)).value if s != target(G, s) else UNDEFINED,
        lambda G, s: nx.maximum_flow_value(G, s, target(G, s), capacity="weight") if s != target(G, s) else UNDEFINED,
    )
    checks["minimum_spanning_forest"] = (
        lambda A, G, s: forest(a.minimum_spanning_forest(A)),
        lambda G, s: (
            (T := nx.minimum_spanning_tree(cheapest(G))).number_of_edges(),
            T.size(weight="weight"),
        ),
    )
    checks["degree_centrality"] = (
        lambda A, G, s: filled(a.degree_centrality(A, **either(G.is_directed()))),
        lambda G, s: nx.degree_centrality(G),
    )
    checks["topological_generations"] = (
        lambda A, G, s: vector(a.topological_generations(A)),
        lambda G, s: (
            {v: k for k, part in enumerate(nx.topological_generations(G)) for v in part}
            if G.is_directed()
            else (dict.fromkeys(G, 0) if not without_loops(G).size() and not G.size() else UNDEFINED)
        ),
    )
    return checks


def cheapest(G: nx.Graph) -> nx.Graph:
    """The undirected graph with the cheaper of two directions."""
    H = nx.Graph()
    H.add_nodes_from(G)
    for u, v, data in G.edges(data=True):
        if u != v and (not H.has_edge(u, v) or H[u][v]["weight"] > data["weight"]):
            H.add_edge(u, v, weight=data["weight"])
    return H


def in_both_directions(G: nx.Graph) -> nx.Graph:
    """A directed graph as the sum of it and its transpose."""
    if not G.is_directed():
        return G
    H = nx.MultiGraph()
    H.add_nodes_from(G)
    H.add_edges_from(G.edges(data=True))
    return H


def is_maximal(members: set[int], G: nx.Graph) -> bool:
    return all((v in members) != any(u in members for u in G[v]) for v in G)


def path_length(G: nx.Graph, length: float, path: Any) -> float:
    assert nx.path_weight(G, [int(v) for v in path], "weight") == length
    return length


def truss_of(G: nx.Graph, k: int) -> set[frozenset[int]]:
    return sets(nx.k_truss(G, k).edges())


def edges_of(M: Matrix) -> set[frozenset[int]]:
    return sets(e for e in entries(M) if e[0] != e[1])


def simple() -> dict[str, Check]:
    """Checks of undirected graphs; ours ignore loops where NetworkX refuses or forgets them."""
    a = algorithms
    checks: dict[str, Check] = {
        "triangles": (lambda A, G, s: filled(a.triangles(A)), lambda G, s: nx.triangles(without_loops(G))),
        "triangle_count": (
            lambda A, G, s: a.triangle_count(A),
            lambda G, s: sum(nx.triangles(without_loops(G)).values()) // 3,
        ),
        "transitivity": (lambda A, G, s: a.transitivity(A), lambda G, s: nx.transitivity(without_loops(G))),
        "core_number": (lambda A, G, s: filled(a.core_number(A)), lambda G, s: nx.core_number(without_loops(G))),
        "k_core": (
            lambda A, G, s: {v for v, x in a.k_core(A, 2).to_dict().items() if x},
            lambda G, s: set(nx.k_core(without_loops(G), 2)),
        ),
        "k_truss": (lambda A, G, s: edges_of(a.k_truss(A, 4)), lambda G, s: truss_of(without_loops(G), 4)),
        "truss_number": (
            lambda A, G, s: {(frozenset(e), k) for e, k in entries(a.truss_number(A)).items()},
            lambda G, s: {
                (frozenset(e), max(k for k in range(2, 15) if frozenset(e) in truss_of(without_loops(G), k)))
                for e in without_loops(G).edges()
            },
        ),
        "bridges": (lambda A, G, s: edges_of(a.bridges(A)), lambda G, s: sets(nx.bridges(without_loops(G)))),
        "articulation_points": (
            lambda A, G, s: {v for v, x in a.articulation_points(A).to_dict().items() if x},
            lambda G, s: set(nx.articulation_points(without_loops(G))),
        ),
        "biconnected_components": (
            lambda A, G, s: components_of_edges(a.biconnected_components(A)),
            lambda G, s: {frozenset(map(frozenset, part)) for part in nx.biconnected_component_edges(without_loops(G))},
        ),
        "maximal_independent_set": (
            lambda A, G, s: is_maximal(
                {v for v, x in a.maximal_independent_set(A, seed=s).to_dict().items() if x}, without_loops(G)
            ),
            lambda G, s: True,
        ),
        "maximal_matching": (
            lambda A, G, s: nx.is_maximal_matching(
                without_loops(G), {(v, int(u)) for v, u in a.maximal_matching(A, seed=s).to_dict().items() if v < u}
            ),
            lambda G, s: True,
        ),
        "vertex_colouring": (
            lambda A, G, s: all(
                (c := a.vertex_colouring(A, seed=s).to_dict())[u] != c[v] for u, v in without_loops(G).edges()
            ),
            lambda G, s: True,
        ),
        "is_bipartite": (lambda A, G, s: a.is_bipartite(A), lambda G, s: nx.is_bipartite(G)),
        "maximum_bipartite_matching": (
            lambda A, G, s: len(a.maximum_bipartite_matching(A).to_dict()) if a.is_bipartite(A) else UNDEFINED,
            lambda G, s: (
                2 * len(nx.max_weight_matching(without_loops(G), maxcardinality=True, weight=None))
                if nx.is_bipartite(G)
                else UNDEFINED
            ),
        ),
        "rich_club": (
            lambda A, G, s: vector(a.rich_club(A)),
            lambda G, s: nx.rich_club_coefficient(H, normalized=False) if (H := without_loops(G)).size() else {},
        ),
        "jaccard": (
            lambda A, G, s: {e: x for e, x in entries(a.jaccard(A)).items() if e[0] < e[1] and x},
            lambda G, s: {
                (u, v): len(both) / len({*G[u], *G[v]})
                for u, v in itertools.combinations(G, 2)
                if (both := {*G[u]} & {*G[v]})
            },
        ),
        "louvain": (
            lambda A, G, s: (
                abs(
                    (found := a.louvain(A, directed=False, seed=s)).modularity
                    - nx.community.modularity(G, groups(found.labels))
                )
                < 1e-9
                if G.size(weight="weight")
                else True
            ),
            lambda G, s: True,
        ),
        "leiden": (
            lambda A, G, s: (
                abs(
                    (found := a.leiden(A, directed=False, seed=s)).modularity
                    - nx.community.modularity(G, groups(found.labels))
                )
                < 1e-9
                if G.size(weight="weight")
                else True
            ),
            lambda G, s: True,
        ),
    }
    return checks


def clusterings() -> dict[str, Check]:
    a = algorithms
    return {
        f"clustering{', weighted' if weight else ''}": (
            lambda A, G, s, w=bool(weight): filled(a.clustering(A, weighted=w)),
            lambda G, s, w=weight: (
                nx.clustering(without_loops(G), weight=w)
                if not w or not (H := without_loops(G)).size() or H.size(weight=w)
                else dict.fromkeys(G, 0.0)  # where networkx divides zero by zero
            ),
        )
        for weight in (None, "weight")
    }


def components_of_edges(M: Matrix) -> set[frozenset[frozenset[int]]]:
    found: dict[int, set[frozenset[int]]] = {}
    for edge, number in entries(M).items():
        found.setdefault(number, set()).add(frozenset(edge))
    return {frozenset(edges) for edges in found.values()}


def same(x: Any, y: Any) -> bool:
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and all(same(x[key], y[key]) for key in x)
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-8)
    return bool(x == y)


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except (GraphblasException, nx.NetworkXException, ZeroDivisionError, algorithms.NotConverged):
        return UNDEFINED


def run(graphs: int, seed: int) -> tuple[int, Counter[str]]:
    source, done, wrong = random.Random(seed), 0, Counter[str]()
    everywhere, undirected = common() | clusterings(), simple()
    for _ in range(graphs):
        G = shape(source)
        s = source.randrange(len(G))
        A = io.from_networkx(G, weight="weight", dtype=source.choice((int, float)))
        for name, (ours, theirs) in (everywhere | ({} if G.is_directed() else undirected)).items():
            expected = outcome(theirs, G, s)
            try:
                found = outcome(ours, A, G, s)
            except Exception:
                found = traceback.format_exc(limit=-3)
            done += 1
            if not same(found, expected):
                wrong[name] += 1
                if wrong[name] <= 2:
                    print(
                        f"{name} from {s} of {G}, {sorted(G.edges(data='weight'))}:\n  {found}\n  {expected}",
                        flush=True,
                    )
    return done, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    done, wrong = run(options.graphs, options.seed)
    print(f"{done} checks, {sum(wrong.values())} differ: {dict(wrong)}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
