"""How much faster NetworkX is with its backend "grblas_gpu": the same calls with and without, results compared first.

    python benchmarks/networkx_backend.py                             # 10,000 nodes, 100,000 edges; two minutes
    python benchmarks/networkx_backend.py --nodes 20000 --degree 5 --sources 20

Three times for the backend: the first call of the process, which loads compiled kernels (or compiles them, the first
time ever); with the conversion of the graph; and with the conversion kept by NetworkX, as it is for later calls.
Betweenness centrality runs from a sample of the nodes in both, chosen with one seed.
What is promised: PageRank and betweenness centrality 20 times as fast on a graph of 100,000 edges.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from typing import Any

import networkx as nx

BACKEND = "grblas_gpu"


def seconds(name: str, G: nx.Graph, options: dict[str, Any], backend: str) -> tuple[float, Any]:
    """Of the processor, in all threads: what other programs do meanwhile does not count."""
    start = time.process_time()
    result = getattr(nx, name)(G, **options, backend=backend)
    result = list(result) if hasattr(result, "__next__") else result
    return time.process_time() - start, result


def close(x: Any, y: Any) -> bool:
    """Equal, but for the last digits of floats."""
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(close(x[key], y[key]) for key in x)
    return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-9) if isinstance(x, float) else x == y


def measure(name: str, G: nx.Graph, options: dict[str, Any], repeat: int) -> str:
    G.__networkx_cache__.clear()
    first, found = seconds(name, G, options, BACKEND)
    plain, expected = seconds(name, G, options, "networkx")
    if not close(expected, found):
        raise AssertionError(f"{name}: the results differ")
    converting = math.inf
    for _ in range(repeat):
        G.__networkx_cache__.clear()
        converting = min(converting, seconds(name, G, options, BACKEND)[0])
    kept = min(seconds(name, G, options, BACKEND)[0] for _ in range(repeat))
    plain = min([plain, *(seconds(name, G, options, "networkx")[0] for _ in range(repeat - 1) if plain < 2)])
    columns = f"{plain * 1e3:12.1f}{first * 1e3:12.1f}{converting * 1e3:12.1f}{kept * 1e3:12.1f}"
    return f"{name:36}{columns}{plain / converting:10.1f}{plain / kept:10.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--degree", type=int, default=10, help="edges that every node adds")
    parser.add_argument("--sources", type=int, default=50, help="for betweenness centrality")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()

    G = nx.barabasi_albert_graph(options.nodes, options.degree, seed=1)
    nx.config.warnings_to_ignore.add("cache")
    calls: dict[str, dict[str, Any]] = {
        "pagerank": {},
        "betweenness_centrality": {"k": options.sources, "seed": 1},
        "eigenvector_centrality": {},
        "katz_centrality": {"alpha": 0.001},
        "clustering": {},
        "triangles": {},
        "core_number": {},
        "single_source_shortest_path_length": {"source": 0},
        "single_source_dijkstra_path_length": {"source": 0},
        "connected_components": {},
        "average_neighbor_degree": {},
    }
    size = f"{len(G)} nodes, {G.number_of_edges()} edges"
    print(f"{size}, {os.cpu_count()} cores, ms of the processor, the best of {options.repeat}")
    heads = "".join(f"{head:>12}" for head in ("networkx", "first call", "converting", "converted"))
    print(f"{'':36}{heads}{'faster':>10}{'faster':>10}")
    for name, arguments in calls.items():
        print(measure(name, G, arguments, options.repeat), flush=True)


if __name__ == "__main__":
    main()
