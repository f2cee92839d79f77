"""Many searches on one prepared graph: hybrid BFS from several sources; networkx checks the results.

python examples/hybrid_bfs.py --vertices 2000
"""

import argparse
import time

import networkx

from grblas_gpu import Matrix, algorithms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vertices", type=int, default=2000)
    n = parser.parse_args().vertices
    graph = networkx.gnp_random_graph(n, 3 / n, seed=1, directed=True)
    rows, cols = zip(*graph.edges, strict=True)
    A = Matrix.from_coo(rows, cols, True, nrows=n, ncols=n)

    start = time.perf_counter()
    prepared = A.by_degree().graph
    print(f"prepared in {(time.perf_counter() - start) * 1e3:.1f} ms: {n - prepared.nrows} vertices cannot be reached")
    for source in range(0, n, n // 10):
        levels = algorithms.hybrid_bfs(A, source)  # reuses the prepared graph
        if levels.to_dict() != dict(networkx.single_source_shortest_path_length(graph, source)):
            raise SystemExit(f"the levels from {source} differ from networkx's")
        print(f"source {source:6}: {levels.nvals:6} vertices reached")
    print("all levels equal networkx's")


if __name__ == "__main__":
    main()
