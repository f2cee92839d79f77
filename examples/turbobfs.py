"""The number of shortest paths to each vertex: TurboBFS on a Mycielskian graph; networkx checks the results.

python examples/turbobfs.py --k 7
"""

import argparse

import networkx

import grblas_gpu as gb
from grblas_gpu import algorithms, generators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--k", type=int, default=7, help="chromatic number of the graph")
    k = parser.parse_args().k
    A = generators.mycielskian(k)
    print(f"mycielskian {k}: {A.nrows:,} vertices, {A.nvals:,} entries, in-degrees {A.degree_statistics()}")

    for kernel in (None, "edge", "thread", "warp"):
        with gb.trace() as trace:
            levels, sigma = algorithms.turbobfs(A, 0, paths=True, kernel=kernel)
        used = {record.strategy for record in trace.records if record.op == "vxm"}
        print(f"kernel {kernel or 'by the degrees':15} ran {', '.join(sorted(used))}")

    graph = networkx.mycielski_graph(k)
    for target, distance in networkx.single_source_shortest_path_length(graph, 0).items():
        paths = sum(1 for _ in networkx.all_shortest_paths(graph, 0, target))
        if (levels.get(target), sigma.get(target)) != (distance, paths):
            raise SystemExit(f"vertex {target}: networkx finds {paths} paths of length {distance}")
    print(f"{levels.nvals} levels and path counts equal networkx's; at most {max(sigma.to_dict().values())} paths")


if __name__ == "__main__":
    main()
