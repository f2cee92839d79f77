"""Push or pull, level by level: direction-optimising BFS on a Kronecker graph; python-graphblas checks the results.

python examples/dobfs.py --scale 14
"""

import argparse

import graphblas

import grblas_gpu as gb
from grblas_gpu import algorithms, generators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=14, help="2**scale vertices")
    scale = parser.parse_args().scale
    rows, cols, n = generators.kronecker_edges(scale)
    A = generators.kronecker(scale)
    source = int(rows[0])

    for policy in ("cost", "switchpoint", "edges", "edge-check", "fraction"):
        with gb.trace() as trace:
            levels = algorithms.dobfs(A, source, policy=policy)
        print(f"{policy:12}", " ".join(record.strategy for record in trace.records if record.op == "vxm"))

    # The same search by python-graphblas.
    G = graphblas.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
    frontier = graphblas.Vector.from_coo([source], [True], size=n)
    expected = graphblas.Vector(int, n)
    depth = 0
    while frontier.nvals:
        expected(frontier.S) << depth
        frontier(~expected.S, replace=True) << graphblas.semiring.any_pair(frontier @ G)
        depth += 1
    if levels.to_dict() != expected.to_dict():
        raise SystemExit("the levels differ from python-graphblas's")
    print(f"{levels.nvals:,} of {n:,} vertices reached in {depth - 1} steps, as by python-graphblas")


if __name__ == "__main__":
    main()
