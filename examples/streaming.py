"""A window of edges slides over a graph: ranks and components are kept up to date, and compared with those anew.

python examples/streaming.py --scale 16 --plot streaming.png
"""

import argparse
import time

import numpy as np
from grblas_gpu.algorithms import connected_components, pagerank

from grblas_gpu import Matrix, Vector, generators


class Components:
    """The components of a window of batches. Edges are only inserted: new ones into the components of newer batches,
    and, from the last older batch to the first, into those of all older batches from there on."""

    def __init__(self, n: int, batches: list[Matrix]) -> None:
        self.alone = Vector.from_dense(np.arange(n))
        self._grow_old(batches)

    def _grow_old(self, batches: list[Matrix]) -> None:
        self.newer: list[Matrix] = []
        self.of_newer, self.of_older = self.alone, [self.alone]
        for batch in reversed(batches):
            self.of_older.append(connected_components(batch, start=self.of_older[-1]))

    def slide(self, batch: Matrix) -> Vector:
        """The first batch leaves, and this one enters; returns the components."""
        if len(self.of_older) == 1:
            self._grow_old(self.newer)
        self.of_older.pop()
        self.newer.append(batch)
        self.of_newer = connected_components(batch, start=self.of_newer)
        vertices, lowest = self.of_newer.to_coo()
        edges = Matrix.from_coo(vertices, lowest, True, nrows=len(vertices), ncols=len(vertices))
        return connected_components(edges, start=self.of_older[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16, help="2**scale vertices (default: 16)")
    parser.add_argument("--batches", type=int, default=10, help="batches that leave and enter the window")
    parser.add_argument("--size", type=int, default=200, help="edges in a batch")
    parser.add_argument("--plot", metavar="FILE", help="draw the times (needs matplotlib)")
    options = parser.parse_args()

    rows, cols, n = generators.kronecker_edges(options.scale, seed=1)
    order = np.random.default_rng(1).permutation(len(rows))
    count, size = options.batches, options.size
    cuts = [*range(0, count * size + 1, size), *range(len(rows) - count * size, len(rows) + 1, size)]
    parts = [order[low:high] for low, high in zip(cuts, cuts[1:], strict=False)]
    batches = [Matrix.from_coo(rows[part], cols[part], 1.0, nrows=n, ncols=n) for part in parts]
    leaving, entering = batches[:count], batches[count + 1 :]
    window = order[: cuts[count + 1]]
    A = Matrix.from_coo(rows[window], cols[window], 1.0, nrows=n, ncols=n)
    components, ranks = Components(n, batches[: count + 1]), pagerank(A, tol=1e-15, max_iterations=1000)

    print(f"{n:,} vertices, {A.nvals:,} edges in the window, of which {size:,} leave and {size:,} enter per batch")
    print(f"{'batch':>5} {'repaired ms':>12} {'anew ms':>9} {'components':>11} {'largest error':>14}")
    times = []
    for number, (old, new) in enumerate(zip(leaving, entering, strict=True)):
        started = time.perf_counter()
        A.delete(*old.to_coo(values=False)[:2])
        A.update(*new.to_coo())
        ranks = pagerank(A, start=ranks, changed=(new - old).new(), tol=1e-12, max_iterations=1000)
        labels = components.slide(new)
        repaired = time.perf_counter()
        right, expected = pagerank(A, tol=1e-15, max_iterations=1000), connected_components(A)
        times.append((1e3 * (repaired - started), 1e3 * (time.perf_counter() - repaired)))
        error = abs(ranks.to_dense() - right.to_dense()).max()
        if not labels.isequal(expected) or error > 1e-9:
            raise SystemExit(f"batch {number}: the components differ, or ranks by {error}")
        found = np.count_nonzero(labels.to_dense() == np.arange(n))
        print(f"{number:5} {times[-1][0]:12.1f} {times[-1][1]:9.1f} {found:11,} {error:14.1e}")
    if options.plot:
        draw(options.plot, times)


def draw(file: str, times: list[tuple[float, float]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for name, colour, mine in zip(("repaired", "anew"), ("#3f7d20", "#c2410c"), zip(*times, strict=True), strict=True):
        axes.plot(range(len(mine)), mine, ".-", color=colour, label=name)
    axes.set(yscale="log", xlabel="batch", ylabel="milliseconds")
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    main()
