"""The algorithms that NetworkX has, too: a call of ours and one of theirs for each, which must find the same.

Graphs may be directed, and have loops, lone vertices, parts, and edges of length zero. ``ours(A, G, s)`` gets the
Matrix of ``theirs(G, s)``; ``s`` is a vertex. What a definition leaves open is checked by ``ours``.
"""

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
from library_graphs import without_loops

from grblas_gpu import Matrix, Vector, algorithms, binary
from grblas_gpu.exceptions import GraphblasException

Check = tuple[Callable[..., Any], Callable[..., Any]]
UNDEFINED = "undefined"  # both results, where a definition has none
FINELY = {"tol": 1e-12, "max_iterations": 1000}


def odd_graph(source: random.Random) -> nx.Graph:
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


def filled(x: Vector) -> dict[int, Any]:
    return dict.fromkeys(range(x.size), 0) | x.to_dict()


def members(x: Vector) -> set[int]:
    return {vertex for vertex, value in x.to_dict().items() if value}


def entries(M: Matrix) -> dict[tuple[int, int], Any]:
    return {(i, j): value for i, row in M.to_dicts().items() for j, value in row.items()}


def groups(labels: Vector) -> list[set[int]]:
    found: dict[Any, set[int]] = {}
    for vertex, label in labels.to_dict().items():
        found.setdefault(label, set()).add(vertex)
    return list(found.values())


def sets(parts: Any) -> set[frozenset[int]]:
    return set(map(frozenset, parts))


def pairs(M: Matrix) -> set[frozenset[int]]:
    """The edges of an undirected graph."""
    assert M.isequal(M.T.new())
    return sets(edge for edge in entries(M) if edge[0] != edge[1])


def levels(G: nx.Graph, s: int) -> dict[int, int]:
    return dict(nx.single_source_shortest_path_length(G, s))


def lengths(G: nx.Graph, s: int) -> dict[int, int]:
    return dict(nx.single_source_dijkstra_path_length(G, s))


def target(G: nx.Graph, s: int) -> int:
    return (s * 7 + 1) % len(G)


def positive(G: nx.Graph) -> bool:
    return all(data["weight"] > 0 for *_, data in G.edges(data=True))


def either(G: nx.Graph) -> dict[str, bool]:
    return {} if G.is_directed() else {"directed": False}


def tree_levels(parents: dict[int, int]) -> dict[int, int]:
    """The depth of every vertex below the root, which is its own parent."""

    def depth(v: int) -> int:
        return 0 if parents[v] == v else 1 + depth(parents[v])

    return {v: depth(v) for v in parents}


def sourced(name: str, **options: Any) -> Callable[..., Any]:
    return lambda A, G, s: getattr(algorithms, name)(A, s, **options).to_dict()


def all_pairs(lengths_of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda G, s: {(u, v): d for u in G for v, d in lengths_of(G, u).items()}


def by_predecessors(A: Matrix, G: nx.Graph, s: int) -> dict[int, int]:
    """Distances as those of predecessors and the edges from them, which make a tree."""
    distances, parents = (x.to_dict() for x in algorithms.sssp(A, s, predecessors=True))
    tree_levels(parents)
    return {v: 0 if v == s else G[u][v]["weight"] + distances[u] for v, u in parents.items()}


def lowest(parts: Any) -> dict[int, int]:
    """Components as labels."""
    return {v: min(part) for part in parts for v in part}


def forest(A: Matrix) -> tuple[int, float]:
    found = algorithms.minimum_spanning_forest(A)
    weights = {(min(e), max(e)): w for e, w in entries(found).items()}
    assert found.nvals == 2 * len(weights) and (not weights or nx.is_forest(nx.Graph(list(weights))))
    assert found.isequal(binary.min(A | A.T).new().dup(mask=found.S))
    return len(weights), sum(weights.values())


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


def modularity(A: Matrix, G: nx.Graph, **options: Any) -> Any:
    if not G.size(weight="weight" if options["weighted"] else None):
        return UNDEFINED
    return algorithms.modularity(A, Vector.from_dense([v % 3 * 5 for v in G]), **options, **either(G))


def path(G: nx.Graph, s: int, found: tuple[float, Any], weight: str | None = "weight") -> float:
    """The length of a path from ``s``."""
    length, vertices = found
    vertices = [int(v) for v in vertices]
    assert (vertices[0], vertices[-1]) == (s, target(G, s)) and nx.is_simple_path(G, vertices)
    assert length == (nx.path_weight(G, vertices, weight) if weight else len(vertices) - 1)
    return length


def shortest_paths(A: Matrix, G: nx.Graph, s: int, weight: str | None) -> list[float]:
    found = algorithms.k_shortest_paths(A, s, target(G, s), 4, weighted=weight is not None)
    assert len({tuple(each.vertices) for each in found}) == len(found)
    return [path(G, s, each, weight) for each in found]


def topological_order(A: Matrix, G: nx.Graph, s: int) -> Any:
    place = algorithms.topological_order(A).to_dict()
    return sorted(place.values()), all(place[u] < place[v] for u, v in nx.DiGraph(G).edges)


def acyclic(value: Callable[[nx.Graph], Any]) -> Callable[..., Any]:
    """Only graphs without cycles have it; an edge without a direction is one."""
    return lambda G, s: value(G) if nx.is_directed_acyclic_graph(nx.DiGraph(G)) else UNDEFINED


def common() -> dict[str, Check]:
    """Checks of directed and undirected graphs with loops and zero lengths."""
    a = algorithms
    checks: dict[str, Check] = {name: (sourced(name), levels) for name in "bfs dobfs hybrid_bfs xbfs turbobfs".split()}
    checks |= {name: (sourced(name), lengths) for name in "sssp delta_stepping bellman_ford".split()}
    checks |= {f"buckets of {delta}": (sourced("delta_stepping", delta=delta), lengths) for delta in (0.5, 1e9)}
    checks["bfs_multi"] = (lambda A, G, s: entries(a.bfs_multi(A, list(G))), all_pairs(levels))
    checks["bfs_parents"] = (lambda A, G, s: tree_levels(a.bfs_parents(A, s).to_dict()), levels)
    checks["predecessors"] = by_predecessors, lengths
    checks["reachability"] = (
        lambda A, G, s: set(a.reachability(A, s).to_dict()),
        lambda G, s: {s, *nx.descendants(G, s)},
    )
    checks["apsp"] = (lambda A, G, s: entries(a.apsp(A)), all_pairs(lengths))
    checks["apsp, hops"] = (lambda A, G, s: entries(a.apsp(A, weighted=False)), all_pairs(levels))
    for weighted in (False, True):
        weight, said = ("weight", ", weighted") if weighted else (None, "")
        options: dict[str, bool] = {"weighted": weighted}
        checks[f"shortest_path{said}"] = (
            lambda A, G, s, o=options, w=weight: path(G, s, a.shortest_path(A, s, target(G, s), **o), w),
            lambda G, s, w=weight: nx.shortest_path_length(G, s, target(G, s), weight=w),
        )
        checks[f"k_shortest_paths{said}"] = (
            lambda A, G, s, w=weight: shortest_paths(A, G, s, w) if s != target(G, s) else UNDEFINED,
            lambda G, s, w=weight: (
                [
                    nx.path_weight(G, found, w) if w else len(found) - 1
                    for found in itertools.islice(nx.shortest_simple_paths(G, s, target(G, s), w), 4)
                ]
                if nx.has_path(G, s, target(G, s)) and s != target(G, s)
                else []
                if s != target(G, s)
                else UNDEFINED
            ),
        )
        for improved in (True, False):
            checks[f"closeness{said}{'' if improved else ', by part'}"] = (
                lambda A, G, s, o=options, i=improved: filled(a.closeness(A, improved=i, **o)),
                lambda G, s, w=weight, i=improved: nx.closeness_centrality(G, distance=w, wf_improved=i),
            )
        checks[f"pagerank{said}"] = (
            lambda A, G, s, o=options: filled(a.pagerank(A, **o, **FINELY)),
            lambda G, s, w=weight: nx.pagerank(G, weight=w, tol=1e-12, max_iter=1000),
        )
        checks[f"personalized_pagerank{said}"] = (
            lambda A, G, s, o=options: a.personalized_pagerank(A, [s, 0, s], 0.7, **o, **FINELY).to_dense().tolist(),
            lambda G, s, w=weight: [
                [once[v][u] for u in range(len(G))]
                for once in [{v: nx.pagerank(G, 0.7, weight=w, personalization={v: 1}, tol=1e-12) for v in {s, 0}}]
                for v in (s, 0, s)
            ],
        )
        checks[f"katz{said}"] = (
            lambda A, G, s, o=options: filled(
                a.katz(A, alpha=0.01, beta=0.5, normalized=o["weighted"], tol=1e-12, **o)
            ),
            lambda G, s, w=weight: nx.katz_centrality(G, 0.01, 0.5, tol=1e-13, normalized=w is not None, weight=w),
        )
        for pairs_count in (False, True):
            more = {"normalized": not pairs_count, "endpoints": pairs_count}
            checks[f"betweenness{' of pairs' if pairs_count else '_centrality'}{said}"] = (
                lambda A, G, s, o=options | more: filled(a.betweenness_centrality(A, **o, **either(G))),
                lambda G, s, w=weight, m=more: (
                    nx.betweenness_centrality(G, weight=w, **m) if not w or positive(G) else UNDEFINED
                ),
            )
        for normalized in (True, False):
            checks[f"edge_betweenness{'_centrality' if normalized else ' of pairs'}{said}"] = (
                lambda A, G, s, o=options | {"normalized": normalized}: entries(
                    a.edge_betweenness_centrality(A, **o, **either(G))
                ),
                lambda G, s, w=weight, n=normalized: (
                    {
                        way: x
                        for edge, x in nx.edge_betweenness_centrality(G, weight=w, normalized=n).items()
                        for way in ([edge] if G.is_directed() else [edge, edge[::-1]])
                    }
                    if not w or positive(G)
                    else UNDEFINED
                ),
            )
        checks[f"harmonic_centrality{said}"] = (
            lambda A, G, s, o=options: filled(a.harmonic_centrality(A, batch=7, **o)),
            lambda G, s, w=weight: nx.harmonic_centrality(G, distance=w),
        )
        checks[f"eccentricity{said}"] = (
            lambda A, G, s, o=options: a.eccentricity(A, batch=4, **o).to_dict(),
            lambda G, s, w=weighted: {
                v: max(d.values()) for v in G if len(d := (lengths if w else levels)(G, v)) == len(G)
            },
        )
        checks[f"diameter{said}"] = (
            lambda A, G, s, o=options: a.diameter(A, **o),
            lambda G, s, w=weight: nx.diameter(G, weight=w),
        )
        for both_ways in (False, True):
            checks[f"ego_graph{said}{', both ways' if both_ways else ''}"] = (
                lambda A, G, s, o=options | {"ignore_directions": both_ways}: [
                    (part.vertices.to_dense().tolist(), part.matrix.nvals)
                    for part in (a.ego_graph(A, s, radius, **o) for radius in (0, 1, 2, 5.5, 100))
                ],
                lambda G, s, w=weighted, b=both_ways: [
                    (sorted(near), nx.DiGraph(G).subgraph(near).number_of_edges())
                    for distances in [(lengths if w else levels)(cheapest(G) if b else G, s)]
                    for near in ({v for v, d in distances.items() if d <= radius} for radius in (0, 1, 2, 5.5, 100))
                ],
            )
        for resolution in (1.0, 0.7):
            checks[f"modularity{said}, {resolution}"] = (
                lambda A, G, s, o=options | {"resolution": resolution}: modularity(A, G, **o),
                lambda G, s, w=weight, r=resolution: (
                    nx.community.modularity(
                        in_both_directions(G), [part for k in range(3) if (part := set(range(k, len(G), 3)))], w, r
                    )
                    if G.size(weight=w)
                    else UNDEFINED
                ),
            )
        checks[f"clustering{said}"] = (
            lambda A, G, s, o=options: filled(a.clustering(A, **o)),
            lambda G, s, w=weight: (
                nx.clustering(without_loops(G), weight=w)
                if not w or not (H := without_loops(G)).size() or H.size(weight=w)
                else dict.fromkeys(G, 0.0)  # where networkx divides zero by zero
            ),
        )
    checks["edge betweenness from some"] = (
        lambda A, G, s: entries(a.edge_betweenness_centrality(A, {0, s}, normalized=False, directed=True)),
        lambda G, s: nx.edge_betweenness_centrality_subset(nx.DiGraph(G), list({0, s}), list(G)),
    )
    checks["connected_components"] = (
        lambda A, G, s: a.connected_components(A).to_dict(),
        lambda G, s: lowest(nx.connected_components(nx.Graph(G))),
    )
    checks["strongly_connected_components"] = (
        lambda A, G, s: a.strongly_connected_components(A).to_dict(),
        lambda G, s: lowest(nx.strongly_connected_components(nx.DiGraph(G))),
    )
    checks["transitive_closure"] = (
        lambda A, G, s: [set(entries(a.transitive_closure(A, reflexive=each))) for each in (False, True)],
        lambda G, s: [set(nx.transitive_closure(nx.DiGraph(G), reflexive=each).edges) for each in (False, True)],
    )
    checks["maximum_flow"] = (
        lambda A, G, s: a.maximum_flow(A, s, target(G, s)).value if s != target(G, s) else UNDEFINED,
        lambda G, s: nx.maximum_flow_value(G, s, target(G, s), capacity="weight") if s != target(G, s) else UNDEFINED,
    )
    checks["minimum_spanning_forest"] = (
        lambda A, G, s: forest(A),
        lambda G, s: ((T := nx.minimum_spanning_tree(cheapest(G))).number_of_edges(), T.size(weight="weight")),
    )
    checks["degree_centrality"] = (
        lambda A, G, s: filled(a.degree_centrality(A, **either(G))),
        lambda G, s: nx.degree_centrality(G),
    )
    checks["degrees in and out"] = (
        lambda A, G, s: [filled(a.degree_centrality(A, edges)) for edges in ("in", "out")],
        lambda G, s: [degrees(nx.DiGraph(G)) for degrees in (nx.in_degree_centrality, nx.out_degree_centrality)],
    )
    checks["topological_generations"] = (
        lambda A, G, s: a.topological_generations(A).to_dict(),
        acyclic(lambda G: {v: k for k, part in enumerate(nx.topological_generations(nx.DiGraph(G))) for v in part}),
    )
    checks["topological_order"] = topological_order, acyclic(lambda G: (list(range(len(G))), True))
    checks["is_bipartite"] = (lambda A, G, s: a.is_bipartite(A), lambda G, s: nx.is_bipartite(nx.Graph(G)))
    return checks


# --- undirected graphs: ours ignore loops where NetworkX refuses or forgets them --------------------------------------


def is_maximal(chosen: set[int], G: nx.Graph) -> bool:
    return all((v in chosen) != any(u in chosen for u in G[v]) for v in G)


def anywhere(name: str) -> Callable[..., dict[int, Any]]:
    """The result of an algorithm with a seed, which is that of the definitions."""

    def call(A: Matrix, s: int) -> dict[int, Any]:
        found = getattr(algorithms, name)(A, seed=s).to_dict()
        assert found == getattr(algorithms, name)(A.to("numpy"), seed=s).to_dict()
        return found

    return call


def matching(G: nx.Graph, partner: dict[int, int]) -> set[tuple[int, int]]:
    assert all(partner[v] == u and u != v and G.has_edge(u, v) for u, v in partner.items())
    return {(u, v) for u, v in partner.items() if u < v}


def check_colouring(G: nx.Graph, colour: dict[int, int]) -> None:
    assert set(colour) == set(G)
    assert all(colour[u] != colour[v] for u, v in G.edges())
    assert all(colour[v] <= G.degree(v) for v in G)
    assert max(colour.values()) <= 1.25 * max(nx.greedy_color(G, "largest_first").values()) + 2


def coloured(A: Matrix, G: nx.Graph, s: int) -> bool:
    check_colouring(without_loops(G), anywhere("vertex_colouring")(A, s))
    return True


def two_sides(A: Matrix, G: nx.Graph, s: int) -> bool:
    side = algorithms.bipartite_sides(A).to_dict()
    assert set(side) == set(G) and set(side.values()) <= {0, 1}
    return all(side[u] != side[v] for u, v in G.edges()) and not any(side[min(x)] for x in nx.connected_components(G))


def bipartite(value: Callable[[nx.Graph], Any]) -> Callable[..., Any]:
    return lambda G, s: value(G) if nx.is_bipartite(G) else UNDEFINED


def supports(G: nx.Graph, k: int) -> dict[tuple[int, int], int]:
    """The edges of a truss in both directions, and in how many of its triangles they are."""
    truss = nx.k_truss(without_loops(G), k)
    return {(u, v): len(set(truss[u]) & set(truss[v])) for u, v in truss.to_directed().edges}


def truss_numbers(G: nx.Graph) -> dict[frozenset[int], int]:
    return {frozenset(edge): k for k in range(2, len(G) + 1) for edge in nx.k_truss(without_loops(G), k).edges}


def truss_of_edges(M: Matrix) -> dict[frozenset[int], int]:
    assert M.isequal(M.T.new())
    return {frozenset(edge): k for edge, k in entries(M).items()}


def components_of_edges(M: Matrix) -> set[frozenset[frozenset[int]]]:
    found: dict[int, set[frozenset[int]]] = {}
    for edge, number in entries(M).items():
        found.setdefault(number, set()).add(frozenset(edge))
    return {frozenset(edges) for edges in found.values()}


def communities(name: str, weight: str | None) -> Check:
    """Their modularity is what they say; each is called by its first vertex; those of Leiden are connected."""

    def check(A: Matrix, G: nx.Graph, s: int) -> bool:
        if not G.size(weight="weight"):
            return True
        resolution = 1.0 if weight else 2.0
        options = {"weighted": weight is not None, "resolution": resolution, "directed": False, "seed": s}
        found = getattr(algorithms, name)(A, **options)
        parts = groups(found.labels)
        assert found.labels.to_dict() == lowest(parts)
        assert name != "leiden" or all(nx.is_connected(G.subgraph(part)) for part in parts)
        return same(found.modularity, nx.community.modularity(G, parts, weight, resolution))

    return check, lambda G, s: True


def simple() -> dict[str, Check]:
    """Checks of undirected graphs."""
    a = algorithms
    return {
        "triangles": (lambda A, G, s: filled(a.triangles(A)), lambda G, s: nx.triangles(without_loops(G))),
        "triangle_count": (
            lambda A, G, s: a.triangle_count(A),
            lambda G, s: sum(nx.triangles(without_loops(G)).values()) // 3,
        ),
        "transitivity": (lambda A, G, s: a.transitivity(A), lambda G, s: nx.transitivity(without_loops(G))),
        "core_number": (lambda A, G, s: filled(a.core_number(A)), lambda G, s: nx.core_number(without_loops(G))),
        "k_core": (
            lambda A, G, s: [members(a.k_core(A, k)) for k in range(6)],
            lambda G, s: [set(nx.k_core(without_loops(G), k)) for k in range(6)],
        ),
        "k_truss": (
            lambda A, G, s: [entries(a.k_truss(A, k)) for k in (2, 3, 4, 5)],
            lambda G, s: [supports(G, k) for k in (2, 3, 4, 5)],
        ),
        "truss_number": (lambda A, G, s: truss_of_edges(a.truss_number(A)), lambda G, s: truss_numbers(G)),
        "bridges": (lambda A, G, s: pairs(a.bridges(A)), lambda G, s: sets(nx.bridges(without_loops(G)))),
        "articulation_points": (
            lambda A, G, s: members(a.articulation_points(A)),
            lambda G, s: set(nx.articulation_points(without_loops(G))),
        ),
        "biconnected_components": (
            lambda A, G, s: components_of_edges(a.biconnected_components(A)),
            lambda G, s: {frozenset(map(frozenset, part)) for part in nx.biconnected_component_edges(without_loops(G))},
        ),
        "maximal_independent_set": (
            lambda A, G, s: is_maximal({*anywhere("maximal_independent_set")(A, s)}, without_loops(G)),
            lambda G, s: True,
        ),
        "maximal_matching": (
            lambda A, G, s: nx.is_maximal_matching(without_loops(G), matching(G, anywhere("maximal_matching")(A, s))),
            lambda G, s: True,
        ),
        "vertex_colouring": (coloured, lambda G, s: True),
        "bipartite_sides": (two_sides, bipartite(lambda G: True)),
        "maximum_bipartite_matching": (
            lambda A, G, s: len(matching(G, a.maximum_bipartite_matching(A).to_dict())),
            bipartite(lambda G: len(nx.max_weight_matching(G, maxcardinality=True, weight=None))),
        ),
        "rich_club": (
            lambda A, G, s: a.rich_club(A).to_dict() if without_loops(G).size() else {},
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
        "diameter_estimate": (
            lambda A, G, s: (
                (exact := nx.diameter(G)) / 2 <= a.diameter_estimate(A) <= exact if nx.is_connected(G) else True
            ),
            lambda G, s: True,
        ),
        **{
            f"{name}{', weighted' if weight else ''}": communities(name, weight)
            for name in ("louvain", "leiden")
            for weight in (None, "weight")
        },
    }


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
