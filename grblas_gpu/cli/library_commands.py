"""The commands that run an algorithm of the library on a file: their arguments and their output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .library_tables import Table


def whole(found: Any) -> Any:
    return found


class Command(NamedTuple):
    """An algorithm, the name of its values, and the rows to show first."""

    algorithm: str
    value: str
    help: str
    first: str = "highest"  # or "lowest" values, the largest "groups" with equal values, or rows "in order"
    arguments: str = ""  # command-line arguments that the algorithm takes
    layout: str = "vertices"  # the layout of the table, or "number"
    weighted: bool = False  # whether weights always matter
    labels: bool = False  # whether values are vertices
    more: dict[str, Any] | None = None  # other arguments of the algorithm
    part: Callable[[Any], Any] = whole  # selects one part of the result
    facts: Callable[[Any, Table], dict[str, Any]] | None = None  # further facts about the whole result


def modularity(found: Any, table: Table) -> dict[str, Any]:
    return {"modularity": found.modularity}


def communities(algorithm: str, help: str) -> Command:
    return Command(
        algorithm,
        "community",
        help,
        "groups",
        "seed resolution",
        weighted=True,
        labels=True,
        part=lambda found: found.labels,
        facts=modularity,
    )


def similarity(algorithm: str, help: str, more_arguments: str = "") -> Command:
    return Command(algorithm, algorithm, help, arguments=f"edges {more_arguments}".strip(), layout="pairs")


COMMANDS = {
    # --- a value for every vertex
    "pagerank": Command("pagerank", "rank", "the share of time of a random walker", arguments="damping", weighted=True),
    "ppr": Command(
        "pagerank",
        "rank",
        "the share of time of a random walker that returns to some vertices",
        arguments="personalization damping",
        weighted=True,
    ),
    "eigenvector": Command(
        "eigenvector_centrality", "centrality", "eigenvector centrality", more={"max_iterations": 1000}
    ),
    "katz": Command("katz", "centrality", "Katz centrality", arguments="alpha"),
    "hubs": Command(
        "hits", "hub", "hubs: what leads to authorities (HITS)", weighted=True, part=lambda found: found.hubs
    ),
    "authorities": Command(
        "hits", "authority", "authorities: what hubs lead to", weighted=True, part=lambda found: found.authorities
    ),
    "degree": Command("degree_centrality", "centrality", "the share of the other vertices that are neighbours"),
    "closeness": Command(
        "closeness", "closeness", "the inverse of the mean distance to a vertex", arguments="weighted"
    ),
    "harmonic": Command(
        "harmonic_centrality", "centrality", "the sum of the inverse distances to a vertex", arguments="weighted"
    ),
    "load": Command(
        "load_centrality", "load", "packets that a vertex passes on along shortest paths", arguments="weighted"
    ),
    "fiedler": Command(
        "fiedler_vector",
        "value",
        "the Fiedler vector, and the algebraic connectivity",
        part=lambda found: found.vector,
        facts=lambda found, table: {"connectivity": found.value},
    ),
    "triangle-centrality": Command("triangle_centrality", "centrality", "the share of the triangles at and around it"),
    "eccentricity": Command(
        "eccentricity", "eccentricity", "the distance to the farthest vertex", arguments="weighted"
    ),
    "clustering": Command("clustering", "clustering", "the share of pairs of neighbours that are joined"),
    "triangles": Command(
        "triangles",
        "triangles",
        "the triangles that each vertex is part of",
        facts=lambda found, table: {"triangles": sum(row[-1] for row in table.rows) // 3},
    ),
    "core": Command("core_number", "core", "core numbers"),
    "sssp": Command("sssp", "distance", "shortest paths from a vertex, by weight", "lowest", "source", weighted=True),
    "parents": Command(
        "bfs_parents", "parent", "a tree of shortest paths, by edges", "in order", "source", labels=True
    ),
    "reachable": Command("reachability", "reached", "the vertices that one leads to", "in order", "source"),
    "topological": Command("topological_order", "position", "an order in which all edges lead forward", "lowest"),
    "generations": Command(
        "topological_generations", "generation", "the longest path to each vertex without cycles", "lowest"
    ),
    "matching": Command(
        "maximal_matching", "partner", "pairs of neighbours, until none is left", "in order", "seed", labels=True
    ),
    "bipartite-matching": Command(
        "maximum_bipartite_matching", "partner", "as many pairs of neighbours as there can be", "in order", labels=True
    ),
    "min-cut": Command(
        "minimum_cut",
        "side",
        "one side of a cut of least weight",
        "in order",
        weighted=True,
        part=lambda found: found.side,
        facts=lambda found, table: {"weight": found.value},
    ),
    "articulation": Command(
        "articulation_points", "point", "vertices without which the graph would fall apart", "in order"
    ),
    "independent": Command(
        "maximal_independent_set", "member", "vertices of which no two are neighbours", "in order", "seed"
    ),
    # --- groups of vertices
    "components": Command("connected_components", "component", "connected components", "groups", labels=True),
    "scc": Command(
        "strongly_connected_components", "component", "strongly connected components", "groups", labels=True
    ),
    "louvain": communities("louvain", "communities of high modularity"),
    "leiden": communities("leiden", "connected communities of high modularity"),
    "ecg": communities("ecg", "communities on which an ensemble agrees"),
    "peer-pressure": Command("peer_pressure", "cluster", "clusters by votes of neighbours", "groups", labels=True),
    "halves": Command("spectral_cut", "side", "two halves with few edges between", "groups", arguments="weighted"),
    "labels": Command("label_propagation", "label", "communities by label propagation", "groups", labels=True),
    "markov": Command("markov_clustering", "cluster", "clusters that random steps do not leave", "groups", labels=True),
    "colouring": Command("vertex_colouring", "colour", "colours that differ between neighbours", "groups", "seed"),
    "sides": Command("bipartite_sides", "side", "the two sides of a bipartite graph", "groups"),
    # --- a value for pairs of vertices
    "truss": Command(
        "k_truss", "triangles", "the edges that are part of enough triangles", arguments="k", layout="pairs"
    ),
    "truss-number": Command("truss_number", "truss", "the highest truss of every edge", layout="pairs"),
    "biconnected": Command("biconnected_components", "component", "edges on common cycles", "in order", layout="pairs"),
    "bridges": Command("bridges", "bridge", "edges that hold parts together", "in order", layout="pairs"),
    "forest": Command(
        "minimum_spanning_forest",
        "weight",
        "the lightest edges that join all that is joined",
        "lowest",
        layout="pairs",
        weighted=True,
        facts=lambda found, table: {"weight": sum(row[-1] for row in table.rows)},
    ),
    "edge-betweenness": Command(
        "edge_betweenness_centrality",
        "betweenness",
        "the share of shortest paths along an edge",
        arguments="weighted",
        layout="pairs",
    ),
    "jaccard": similarity("jaccard", "common neighbours, as a share of all of the two"),
    "overlap": similarity("overlap", "common neighbours, as a share of those of the one with fewer"),
    "sorensen": similarity("sorensen", "common neighbours, as a share of the mean"),
    "cosine": similarity("cosine", "the cosine of two rows of the matrix", "weighted"),
    "two-hop": Command(
        "two_hop_neighbors", "ways", "in how many ways two edges lead from here", arguments="sources", layout="pairs"
    ),
    "distances": Command(
        "apsp", "distance", "shortest paths between all vertices, by weight", "lowest", layout="pairs", weighted=True
    ),
    "closure": Command(
        "transitive_closure", "reached", "all pairs of which one leads to the other", "in order", layout="pairs"
    ),
    "flow": Command(
        "maximum_flow",
        "flow",
        "the most that can go from a vertex to another, weights being capacities",
        arguments="source target",
        layout="pairs",
        weighted=True,
        part=lambda found: found.flow,
        facts=lambda found, table: {"value": found.value},
    ),
    "sample": Command(
        "sample_neighbors",
        "weight",
        "some neighbours of some vertices, and of those",
        "in order",
        "sources fanouts seed",
        layout="pairs",
        weighted=True,
    ),
    "ego": Command(
        "ego_graph",
        "weight",
        "a vertex, its neighbourhood, and all edges between",
        "in order",
        "source radius weighted",
        layout="subgraph",
        weighted=True,
    ),
    "subgraph": Command(
        "induced_subgraph",
        "weight",
        "some vertices and all edges between them",
        "in order",
        "vertices",
        layout="subgraph",
        weighted=True,
    ),
    # --- sequences of vertices
    "path": Command(
        "shortest_path",
        "vertex",
        "a shortest path from a vertex to another, by weight",
        "in order",
        "source target",
        layout="path",
        weighted=True,
        facts=lambda found, table: {"length": found.length},
    ),
    "walks": Command(
        "random_walks",
        "vertex",
        "random walks from some vertices",
        "in order",
        "sources length p q seed weighted",
        layout="walks",
    ),
    # --- a number
    "diameter": Command(
        "diameter", "diameter", "the largest distance between two vertices", arguments="weighted", layout="number"
    ),
    "transitivity": Command(
        "transitivity", "transitivity", "the share of paths of two edges that are closed", layout="number"
    ),
    "cliques": Command(
        "clique_count", "cliques", "the number of cliques of k vertices", arguments="k", layout="number"
    ),
    "bipartite": Command("is_bipartite", "bipartite", "whether all edges join two sides", layout="number"),
}
