"""Four ways to the next frontier, and two levels in one pass: XBFS on a Kronecker graph; networkx checks the results.

python examples/xbfs.py --scale 11
"""

import argparse

import networkx
import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms, generators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=11, help="2**scale vertices")
    scale = parser.parse_args().scale
    rows, cols, n = generators.kronecker_edges(scale)
    A = generators.kronecker(scale)
    source = int(np.argmin(np.where(np.bincount(rows, minlength=n) > 0, np.bincount(rows, minlength=n), n)))

    with gb.trace() as trace:
        levels = algorithms.xbfs(A, source)
    for record in trace.records:
        if record.op == "vxm":
            print(f"{record.strategy:14} {record.reason}")
        elif record.op == "select":
            print(f"{'none':14} the frontier is read off the levels: {record.output_nvals} vertices")

    graph = networkx.Graph(zip(rows.tolist(), cols.tolist(), strict=True))
    if levels.to_dict() != dict(networkx.single_source_shortest_path_length(graph, source)):
        raise SystemExit("the levels differ from networkx's")
    print(f"{levels.nvals:,} levels equal networkx's")


if __name__ == "__main__":
    main()
