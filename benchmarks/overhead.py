"""What one call costs on ten nodes, where nothing but overhead is left: grblas_gpu next to python-graphblas.

The two libraries take turns, so that a slow moment of the machine hits both; medians are shown.

    python benchmarks/overhead.py --rounds 200
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

LIBRARIES = ("grblas_gpu", "graphblas")


def calls(library: str) -> dict[str, Callable[[], Any]]:
    """The same statements for either library."""
    gb = importlib.import_module(library)
    n = 10
    A = gb.Matrix.from_coo([i for i in range(n) for _ in range(2)], [j % n for j in range(2 * n)], True, dtype=bool)
    frontier = gb.Vector.from_coo([0, 3], [True, True], size=n)
    visited = gb.Vector.from_coo([0, 3, 4], [0, 0, 0], size=n)
    levels = gb.Vector(int, n)
    weights = gb.Vector.from_coo(range(n), range(n), size=n)
    out = gb.Vector(bool, n)
    lor_land, plus = gb.semiring.lor_land, gb.monoid.plus

    def masked_vxm() -> None:
        out(~visited.S, replace=True) << lor_land(frontier @ A)

    def masked_assign() -> None:
        levels(frontier.S) << 3

    return {
        "masked vxm": masked_vxm,
        "nvals": lambda: frontier.nvals,
        "masked scalar assign": masked_assign,
        "reduce": lambda: weights.reduce(plus).new().value,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--calls", type=int, default=50, help="calls per round")
    options = parser.parse_args()
    both = {library: calls(library) for library in LIBRARIES}

    print(f"{'microseconds per call':24}" + "".join(f"{library:>14}" for library in LIBRARIES) + f"{'ratio':>9}")
    for name in both[LIBRARIES[0]]:
        times: dict[str, list[float]] = {library: [] for library in LIBRARIES}
        for round_ in range(-5, options.rounds):  # the first five warm up
            for library in LIBRARIES:
                run = both[library][name]
                start = time.perf_counter()
                for _ in range(options.calls):
                    run()
                if round_ >= 0:
                    times[library].append((time.perf_counter() - start) / options.calls)
        ours, theirs = (statistics.median(times[library]) * 1e6 for library in LIBRARIES)
        print(f"{name:24}{ours:14.2f}{theirs:14.2f}{ours / theirs:9.2f}")


if __name__ == "__main__":
    main()
