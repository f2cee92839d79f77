"""What one call costs on ten nodes, where nothing but overhead is left: grblas_gpu next to python-graphblas.

The contenders take turns, so that a slow moment of the machine hits all; medians are shown. A machine with a GPU shows
the CUDA engine too: there a call returns when its kernels are launched, and `nvals after vxm` waits for the result.

    python -m benchmarks overhead --rounds 200
"""

import importlib
import statistics

from .common import Table, has_cuda, interleaved, parser

WARM_UP = 250  # calls


def calls(contender: str):
    """The same statements for each contender."""
    library, *backend = contender.split()
    gb = importlib.import_module(library)
    if backend:
        gb.set_backend(*backend)
    n = 10
    A = gb.Matrix.from_coo([i for i in range(n) for _ in range(2)], [j % n for j in range(2 * n)], True, dtype=bool)
    frontier = gb.Vector.from_coo([0, 3], [True, True], size=n)
    visited = gb.Vector.from_coo([0, 3, 4], [0, 0, 0], size=n)
    levels, out = gb.Vector(int, n), gb.Vector(bool, n)
    weights = gb.Vector.from_coo(range(n), range(n), size=n)
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


def main(arguments: list[str] | None = None) -> int:
    options = parser("overhead", __doc__, rounds=200, calls=50).parse_args(arguments)
    names = ["grblas_gpu cpu", "graphblas", *(["grblas_gpu cuda"] if has_cuda() else [])]
    runs = {name: calls(name) for name in names}
    table = Table("Microseconds per call", ["call", *names, "cpu/graphblas"])
    for call in runs[names[0]]:
        chosen = {name: runs[name][call] for name in names}
        times = interleaved(chosen, options.rounds, times=options.calls, warm_up=WARM_UP)
        medians = [statistics.median(found) * 1e6 for found in times.values()]
        table.add(call, *medians, medians[0] / medians[1])
    print(table)
    return 0
