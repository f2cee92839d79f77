"""Search trees, several searches at once and a depth limit, on a grid; python-graphblas checks the results.

python examples/bfs_trees.py --side 20
"""

import argparse

import graphblas

from grblas_gpu import algorithms, generators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=20, help="side of the grid")
    side = parser.parse_args().side
    A = generators.grid_2d(side)
    rows, cols, n = generators.grid_2d_edges(side)
    corners = [0, side - 1, n - side, n - 1]

    levels = algorithms.bfs_multi(A, corners)
    near = algorithms.bfs_multi(A, corners, max_depth=side // 4)
    print(f"{levels.shape[0]} searches at once: {levels.nvals} levels, {near.nvals} of them within {side // 4} steps")
    parents = algorithms.bfs_parents(A, 0, reproducible=True)

    # Parents by python-graphblas: the lowest neighbour one level up.
    G = graphblas.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
    frontier = graphblas.Vector.from_coo([0], [0], size=n)
    expected = frontier.dup()
    while frontier.nvals:
        frontier(~expected.S, replace=True) << graphblas.semiring.ss.min_secondi(frontier @ G)
        expected(frontier.S) << frontier
    if parents.to_dict() != expected.to_dict():
        raise SystemExit("the tree differs from python-graphblas's")
    print(f"the tree of {parents.nvals} vertices equals python-graphblas's")


if __name__ == "__main__":
    main()
