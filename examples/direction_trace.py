"""Push or pull: every level of a search in both directions, and the choice of the planner; SciPy checks the results.

python examples/direction_trace.py --scale 14 --plot directions.png
"""

import argparse

import numpy as np
from scipy.sparse.csgraph import shortest_path

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, generators, semiring


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=14, help="2**scale vertices")
    parser.add_argument("--repeat", type=int, default=3, help="searches each way; the fastest time of a level counts")
    parser.add_argument("--plot", metavar="FILE", help="draw the levels (needs matplotlib)")
    options = parser.parse_args()
    A = generators.kronecker(options.scale)
    source = int(A.to_coo(values=False)[0][0])  # a vertex that has an edge

    levels, chosen = search(A, source, "auto")
    times = {}
    for direction in ("push", "pull"):
        runs = []
        for _ in range(1 + options.repeat):  # the first run loads kernels
            forced, steps = search(A, source, direction)
            if not forced.isequal(levels):
                raise SystemExit(f"{direction} finds other levels")
            runs.append([step.seconds * 1e3 for step in steps])
        times[direction] = np.min(runs[1:], axis=0)

    print(f"{'level':>5} {'frontier':>9} {'unvisited':>10} {'edges':>9} {'push ms':>9} {'pull ms':>9}  planner")
    for k, step in enumerate(chosen):
        sizes = f"{step.input_nvals:9,} {step.allowed:10,} {step.input_edges:9,}"
        print(f"{k:5} {sizes} {times['push'][k]:9.3f} {times['pull'][k]:9.3f}  {step.direction}: {step.reason}")
    if options.plot:
        draw(options.plot, chosen, times)

    expected = shortest_path(gb.io.to_scipy_sparse(A), unweighted=True, indices=source)
    if not np.array_equal(levels.to_dense(-1), np.where(np.isfinite(expected), expected, -1)):
        raise SystemExit("the levels differ from SciPy's")
    print(f"{levels.nvals:,} of {A.nrows:,} vertices reached; the levels are SciPy's, whatever the direction")


def search(A: Matrix, source: int, direction: str) -> tuple[Vector, list]:
    """Levels, and a record of every product."""
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    with gb.trace() as trace:
        while frontier.nvals:
            # levels<frontier> = depth
            levels(frontier.S) << depth
            # frontier<!levels> = frontier A
            frontier(~levels.S, replace=True, direction=direction) << semiring.any_pair(frontier @ A)
            depth += 1
    return levels, trace.steps()


def draw(file: str, chosen: list, times: dict[str, np.ndarray]) -> None:
    """Draw sizes above and times below; a dot marks the direction that the planner selected."""
    from matplotlib.figure import Figure

    numbers = np.arange(len(chosen))
    figure = Figure(figsize=(8, 6), layout="constrained")
    sizes, bars = figure.subplots(2, 1, sharex=True)
    sizes.plot(numbers, [step.allowed for step in chosen], ".-", color="#808890", label="unvisited")
    sizes.plot(numbers, [step.input_nvals for step in chosen], ".-", color="#3f7d20", label="frontier")
    sizes.set(yscale="symlog", ylabel="vertices", ylim=(0, None))
    sizes.legend()
    for direction, shift, colour in (("push", -0.2, "#1668b8"), ("pull", 0.2, "#c2410c")):
        bars.bar(numbers + shift, times[direction], 0.38, color=colour, label=direction)
        here = [k for k, step in enumerate(chosen) if step.direction == direction]
        bars.plot(np.array(here) + shift, times[direction][here] * 1.3, "o", color=colour, markersize=6)
    bars.plot([], [], "o", color="#404850", label="chosen by the planner")
    bars.set(yscale="log", xlabel="level", ylabel="milliseconds", xticks=numbers)
    bars.legend()
    figure.savefig(file)


if __name__ == "__main__":
    main()
