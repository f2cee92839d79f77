"""How cost grows: that of a push with the edges of its frontier, that of a masked pull with the rows that are open.

The size of the graph itself must not matter. Two graphs, one sixteen times as large as the other, are measured at the
same numbers of edges and rows; docs/pictures.py draws the result.

    python -m benchmarks cost_growth --out benchmarks/results/cpu
"""

from functools import partial

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, generators, semiring

from .common import Table, describe, interleaved, parser, spread, write

SCALES, DEGREE, TRIALS = (16, 20), 16, 15


def vertices(A: Matrix, count: int, seed: int = 1) -> Vector:
    """This many random vertices."""
    some = np.random.default_rng(seed).choice(A.nrows, count, replace=False)
    return Vector.from_coo(np.sort(some), True, size=A.nrows, dtype=bool)


def steps(A: Matrix, direction: str, most: int):
    """Number of edges of a frontier and its push, for small to large frontiers; or the number of open rows and their
    pull, with half of all vertices in the operand."""
    found, half, visited = [], vertices(A, A.nrows // 2), vertices(A, A.nrows // 100, 2)
    for count in (2**exponent for exponent in range(4, most)):
        if direction == "push":
            u, mask = vertices(A, count), ~visited.S
            work = gb.explain(semiring.any_pair(u @ A)).edges or 0
        else:
            u, mask, work = half, vertices(A, count, 3).S, count
        found.append((work, partial(step, u, A, mask, direction)))
    return found


def step(u: Vector, A: Matrix, mask, direction: str) -> Vector:
    return semiring.any_pair(u @ A).new(mask=mask, direction=direction)


def measure(scales: tuple[int, ...] = SCALES, trials: int = TRIALS):
    """Microseconds of every step on every graph; the graphs take turns."""
    graphs = {scale: generators.uniform_random(2**scale, DEGREE) for scale in scales}
    for A in graphs.values():
        A.is_symmetric()  # cached for later calls
    rows = []
    for direction in ("push", "pull"):
        all_steps = {scale: steps(A, direction, min(scales)) for scale, A in graphs.items()}
        for same in zip(*all_steps.values(), strict=True):
            times = interleaved({str(scale): run for scale, (_, run) in zip(scales, same, strict=True)}, trials)
            for scale, (work, _) in zip(scales, same, strict=True):
                microseconds = spread(times[str(scale)], 1e6)["median"]
                rows.append({"direction": direction, "scale": scale, "work": work, "microseconds": microseconds})
    return rows


def table(rows) -> Table:
    shown = Table("How cost grows", ["direction", "vertices", "edges or open rows", "us", "ns for each"])
    for row in rows:
        each = row["microseconds"] * 1e3 / row["work"]
        shown.add(row["direction"], 2 ** row["scale"], row["work"], row["microseconds"], each)
    return shown


def main(arguments: list[str] | None = None) -> int:
    options = parser("cost_growth", __doc__, "out").parse_args(arguments)
    with gb.using("cpu"):
        rows = measure()
    print(table(rows))
    write(options.out, "cost_growth", {**describe(), "rows": rows})
    return 0
