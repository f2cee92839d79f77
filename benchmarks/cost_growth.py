"""How cost grows: that of a push with the edges of its frontier, that of a masked pull with the rows that are open.

The size of the graph itself must not matter. Two graphs, one sixteen times as large as the other, are measured at the
same numbers of edges and rows; docs/pictures.py draws the result.

    python -m benchmarks.cost_growth --output benchmarks/results/cpu/cost_growth.json
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, generators, semiring

from .harness import interleaved, spread
from .machine import describe
from .text_tables import Table

SCALES = (16, 20)
DEGREE = 16
TRIALS = 15


def frontier(A: Matrix, count: int, seed: int = 1) -> Vector:
    """So many random vertices."""
    some = np.random.default_rng(seed).choice(A.nrows, count, replace=False)
    return Vector.from_coo(np.sort(some), True, size=A.nrows, dtype=bool)


def pushes(A: Matrix, most: int) -> list[tuple[int, Any]]:
    """Edges of a frontier, and how to push it, for frontiers from a few vertices to many."""
    found = []
    visited = frontier(A, A.nrows // 100, 2)
    for exponent in range(4, most):
        u = frontier(A, 2**exponent)
        edges = gb.explain(semiring.any_pair(u @ A)).edges or 0
        found.append((edges, partial(_step, u, A, ~visited.S, "push")))
    return found


def pulls(A: Matrix, most: int) -> list[tuple[int, Any]]:
    """Open rows, and how to pull them, from a few to many; half of all vertices are in the operand."""
    found = []
    u = frontier(A, A.nrows // 2)
    for exponent in range(4, most):
        rows = frontier(A, 2**exponent, 3)
        found.append((2**exponent, partial(_step, u, A, rows.S, "pull")))
    return found


def _step(u: Vector, A: Matrix, mask: Any, direction: str) -> Vector:
    return semiring.any_pair(u @ A).new(mask=mask, direction=direction)


def measure(scales: tuple[int, ...] = SCALES, trials: int = TRIALS) -> list[dict[str, Any]]:
    """Microseconds of every step on every graph; the graphs take turns."""
    graphs = {scale: generators.uniform_random(2**scale, DEGREE) for scale in scales}
    for A in graphs.values():
        A.is_symmetric()  # found out once
    rows = []
    for direction, make in (("push", pushes), ("pull", pulls)):
        steps = {scale: make(A, min(scales)) for scale, A in graphs.items()}
        for k in range(len(steps[scales[0]])):
            times = interleaved({str(scale): steps[scale][k][1] for scale in scales}, trials)
            for scale in scales:
                found = {"direction": direction, "scale": scale, "work": steps[scale][k][0]}
                rows.append({**found, "microseconds": spread(times[str(scale)], 1e6)["median"]})
    return rows


def table(rows: list[dict[str, Any]]) -> Table:
    shown = Table("How cost grows", ["direction", "vertices", "edges or open rows", "us", "ns for each"])
    for row in rows:
        each = row["microseconds"] * 1e3 / row["work"]
        shown.add(row["direction"], 2 ** row["scale"], row["work"], row["microseconds"], each)
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", metavar="FILE", help="write the numbers as JSON")
    options = parser.parse_args()
    with gb.using("cpu"):
        rows = measure()
    print(table(rows))
    if options.output:
        Path(options.output).parent.mkdir(parents=True, exist_ok=True)
        Path(options.output).write_text(json.dumps({**describe(), "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
