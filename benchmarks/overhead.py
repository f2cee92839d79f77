"""What one call costs on ten nodes, where nothing but overhead is left: grblas_gpu next to python-graphblas.

The contenders take turns, so that a slow moment of the machine hits all; medians are shown. A machine with a GPU shows
the CUDA engine too: there a call returns when its kernels are launched, and `nvals after vxm` waits for the result.

    python benchmarks/overhead.py --rounds 200
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

CONTENDERS = ("grblas_gpu cpu", "graphblas", "grblas_gpu cuda")


def contenders() -> list[str]:
    """Those that this machine has."""
    try:
        import cupy

        found = cupy.cuda.runtime.getDeviceCount()
    except Exception:  # no CuPy, no driver, no device
        found = 0
    return list(CONTENDERS if found else CONTENDERS[:2])


def calls(contender: str) -> dict[str, Callable[[], Any]]:
    """The same statements for each of them."""
    library, *backend = contender.split()
    gb = importlib.import_module(library)
    if backend:
        gb.set_backend(*backend)
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

    def nvals_after_vxm() -> int:
        masked_vxm()
        return out.nvals

    return {
        "masked vxm": masked_vxm,
        "nvals after vxm": nvals_after_vxm,
        "nvals": lambda: frontier.nvals,
        "masked scalar assign": masked_assign,
        "reduce": lambda: weights.reduce(plus).new().value,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--calls", type=int, default=50, help="calls per round")
    options = parser.parse_args()
    names = contenders()
    runs = {name: calls(name) for name in names}

    print(f"{'microseconds per call':24}" + "".join(f"{name:>17}" for name in names) + f"{'cpu/graphblas':>15}")
    for call in runs[names[0]]:
        times: dict[str, list[float]] = {name: [] for name in names}
        for round_ in range(-5, options.rounds):  # the first five warm up
            for name in names:
                run = runs[name][call]
                start = time.perf_counter()
                for _ in range(options.calls):
                    run()
                if round_ >= 0:
                    times[name].append((time.perf_counter() - start) / options.calls * 1e6)
        medians = [statistics.median(times[name]) for name in names]
        print(f"{call:24}" + "".join(f"{median:17.2f}" for median in medians) + f"{medians[0] / medians[1]:15.2f}")


if __name__ == "__main__":
    main()
