"""How much faster NetworkX is with its backend "grblas_gpu": the same calls with and without, results compared first.

    python benchmarks/networkx_backend.py                             # 10,000 nodes, 100,000 edges; some minutes
    python benchmarks/networkx_backend.py --nodes 20000 --degree 5 --sources 20
    python benchmarks/networkx_backend.py --only "spanning|truss" --markdown

Three times for the backend: the first call of the process, which loads compiled kernels (or compiles them, the first
time ever); with the conversion of the graph; and with the conversion kept by NetworkX, as it is for later calls.
Betweenness centrality runs from a sample of the nodes in both, chosen with one seed; what needs a search from every
node, or more, gets a tenth of the nodes. A priority leaves calls to NetworkX that gain nothing: the last column.
What is promised: PageRank and betweenness centrality 20 times as fast on a graph of 100,000 edges.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import time
from collections.abc import Callable
from typing import Any

import networkx as nx

from grblas_gpu.networkx_backend.interface import should_run

BACKEND = "grblas_gpu"


def independent(G: nx.Graph, nodes: list) -> bool:
    return nx.is_dominating_set(G, nodes) and not G.subgraph(nodes).edges


#: What has many right answers, and what these fulfil.
FULFILLED: dict[str, Callable[[nx.Graph, Any], bool]] = {
    "louvain_communities": nx.community.is_partition,
    "asyn_lpa_communities": nx.community.is_partition,
    "maximal_independent_set": independent,
    "maximal_matching": nx.is_maximal_matching,
}


def function(name: str) -> Any:
    return getattr(nx.community if name.endswith("communities") else nx, name)


def seconds(name: str, G: nx.Graph, options: dict[str, Any], backend: str) -> tuple[float, Any]:
    """Of the processor, in all threads: what other programs do meanwhile does not count."""
    start = time.process_time()
    result = function(name)(G, **options, backend=backend)
    result = list(result) if hasattr(result, "__next__") else result
    return time.process_time() - start, result


def close(x: Any, y: Any) -> bool:
    """Equal, but for the last digits of floats."""
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(close(x[key], y[key]) for key in x)
    if isinstance(x, (list, tuple)):
        return len(x) == len(y) and all(map(close, x, y))
    if isinstance(x, nx.Graph):
        return x.adj == y.adj
    return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-9) if isinstance(x, float) else x == y


def measure(name: str, G: nx.Graph, options: dict[str, Any], repeat: int) -> list[float]:
    """Seconds: NetworkX, the first call, one that converts, one with a graph that is converted."""
    G.__networkx_cache__.clear()
    first, found = seconds(name, G, options, BACKEND)
    plain, expected = seconds(name, G, options, "networkx")
    right = FULFILLED[name](G, found) if name in FULFILLED else close(expected, found)
    if not right:
        raise AssertionError(f"{name}: the results differ")
    converting = math.inf
    for _ in range(repeat):
        G.__networkx_cache__.clear()
        converting = min(converting, seconds(name, G, options, BACKEND)[0])
    kept = min(seconds(name, G, options, BACKEND)[0] for _ in range(repeat))
    plain = min([plain, *(seconds(name, G, options, "networkx")[0] for _ in range(repeat - 1) if plain < 2)])
    return [plain, first, converting, kept]


def chosen(name: str, G: nx.Graph, options: dict[str, Any]) -> str:
    """When a priority is enough for the call to run here."""
    G.__networkx_cache__.clear()
    why = should_run(name, (G,), options)
    return (
        "always" if why is True else "if converted" if "conversion takes longer" in str(why) else "only with backend="
    )


def calls(G: nx.Graph, few: nx.Graph, sources: int) -> dict[str, tuple[nx.Graph, dict[str, Any]]]:
    edges = list(G.edges)
    of_all: dict[str, dict[str, Any]] = {
        "pagerank": {},
        "hits": {},
        "betweenness_centrality": {"k": sources, "seed": 1},
        "eigenvector_centrality": {},
        "katz_centrality": {"alpha": 0.001},
        "clustering": {},
        "triangles": {},
        "transitivity": {},
        "core_number": {},
        "k_truss": {"k": 5},
        "jaccard_coefficient": {"ebunch": edges},
        "louvain_communities": {"seed": 1},
        "asyn_lpa_communities": {"seed": 1},
        "maximal_independent_set": {"seed": 1},
        "maximal_matching": {},
        "minimum_spanning_edges": {},
        "minimum_spanning_tree": {},
        "maximum_flow_value": {"_s": 0, "_t": len(G) - 1},
        "bfs_edges": {"source": 0},
        "bfs_tree": {"source": 0},
        "ego_graph": {"n": len(G) - 1, "radius": 2},
        "single_source_shortest_path": {"source": 0},
        "single_source_shortest_path_length": {"source": 0},
        "single_source_dijkstra_path_length": {"source": 0},
        "connected_components": {},
        "is_bipartite": {},
        "average_neighbor_degree": {},
    }
    of_few: dict[str, dict[str, Any]] = {
        "square_clustering": {},
        "closeness_centrality": {},
        "harmonic_centrality": {},
        "edge_betweenness_centrality": {},
        "average_shortest_path_length": {},
        "diameter": {},
        "global_efficiency": {},
        "wiener_index": {},
        "all_pairs_dijkstra_path_length": {},
    }
    return {name: (G, options) for name, options in of_all.items()} | {
        name: (few, options) for name, options in of_few.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--degree", type=int, default=10, help="edges that every node adds")
    parser.add_argument("--sources", type=int, default=50, help="for betweenness centrality")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="a pattern for the names of functions")
    parser.add_argument("--markdown", action="store_true", help="as the table in docs/networkx.md")
    options = parser.parse_args()

    G, few = (nx.barabasi_albert_graph(nodes, options.degree, seed=1) for nodes in (options.nodes, options.nodes // 10))
    draw = random.Random(1)
    nx.set_edge_attributes(G, {edge: draw.randrange(1, 100) for edge in G.edges}, "capacity")
    nx.config.warnings_to_ignore.add("cache")
    size = f"{len(G)} nodes, {G.number_of_edges()} edges"
    print(f"{size}, {os.cpu_count()} cores, ms of the processor, the best of {options.repeat}")
    heads = ["NetworkX", "converting", "converted", "by priority"]
    print(line("", heads, options.markdown))
    for name, (graph, arguments) in calls(G, few, options.sources).items():
        if re.search(options.only, name):
            times = measure(name, graph, arguments, options.repeat)
            cells = [f"{times[k] * 1e3:.1f}" for k in (0, 2, 3)]  # the first call compiles or loads kernels
            print(line(name, [*cells, chosen(name, graph, arguments)], options.markdown), flush=True)


def line(name: str, cells: list[str], markdown: bool) -> str:
    if markdown:
        return f"| {f'`{name}`' if name else ''} | {' | '.join(cells)} |"
    return f"{name:36}{''.join(f'{cell:>20}' for cell in cells)}"


if __name__ == "__main__":
    main()
