"""One program, two libraries, side by side: a search, shortest paths and triangles here and on SuiteSparse:GraphBLAS.

python examples/compare_suitesparse.py --scale 14 --plot comparison.png
"""

import argparse
import statistics
import time
from functools import partial

import graphblas
import numpy as np

import grblas_gpu
from grblas_gpu import generators

LIBRARIES = {"grblas_gpu": grblas_gpu, "python-graphblas": graphblas}


# The programs receive the library as ``gb``.


def search(gb, A, source: int):
    levels = gb.Vector(int, A.nrows)
    frontier = gb.Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True) << gb.semiring.any_pair(frontier @ A)
        depth += 1
    return levels


def shortest_paths(gb, A, source: int):
    distances = gb.Vector.from_coo([source], [0], size=A.nrows)
    before = gb.Vector(int, A.nrows)
    while not distances.isequal(before):
        before = distances.dup()
        # distances = min(distances, distances min.+ A)
        distances(gb.binary.min) << gb.semiring.min_plus(distances @ A)
    return distances


def triangles(gb, A, source: int):
    # L = the edges below the diagonal
    L = gb.select.tril(A, -1).new()
    # found<L> = L plus.pair L
    found = gb.semiring.plus_pair["INT64"](L @ L).new(mask=L.S)
    # at_i = sum_j found_ij
    return found.reduce_rowwise(gb.monoid.plus).new()


PROGRAMS = (search, shortest_paths, triangles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=13, help="2**scale vertices")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs; the median is shown")
    parser.add_argument("--plot", metavar="FILE", help="draw the times (needs matplotlib)")
    options = parser.parse_args()
    rows, cols, n = generators.kronecker_edges(options.scale)
    weights = 1 + (rows * cols) % 9  # the same in both directions
    source = int(rows[0])
    print(f"Kronecker graph, scale {options.scale}: {n:,} vertices, {len(rows):,} entries, source {source}")
    graphs = {name: gb.Matrix.from_coo(rows, cols, weights, nrows=n, ncols=n) for name, gb in LIBRARIES.items()}

    times: dict[str, dict[str, float]] = {}
    print(f"{'median ms':16}" + "".join(f"{name:>18}" for name in LIBRARIES))
    for program in PROGRAMS:
        runs = {name: partial(program, gb, graphs[name], source) for name, gb in LIBRARIES.items()}
        ours, theirs = (run().to_coo() for run in runs.values())  # also the warm-up
        if not all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
            raise SystemExit(f"{program.__name__}: the results differ")
        times[program.__name__] = medians(runs, options.repeat)
        row = "".join(f"{value:18.2f}" for value in times[program.__name__].values())
        print(f"{program.__name__:16}{row}")
    if options.plot:
        draw(options.plot, times)
    print("all results are equal")


def medians(runs, repeat: int) -> dict[str, float]:
    """Median times in ms. The libraries take turns, so that a slow moment of the machine affects both."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            start = time.perf_counter()
            run().nvals
            taken[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(mine) for name, mine in taken.items()}


def draw(file: str, times: dict[str, dict[str, float]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(times))
    for shift, colour, name in ((-0.2, "#1668b8", "grblas_gpu"), (0.2, "#c2410c", "python-graphblas")):
        drawn = axes.bar(places + shift, [mine[name] for mine in times.values()], 0.38, color=colour, label=name)
        axes.bar_label(drawn, fmt="%.2g")
    axes.set(ylabel="milliseconds", xticks=places, xticklabels=[name.replace("_", " ") for name in times])
    axes.set_ylim(top=1.12 * axes.get_ylim()[1])
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    main()
