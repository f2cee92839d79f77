"""``grblas-gpu calibrate``: measure this machine once, and let the planner decide by that from then on."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..foundation.types import Costs, Json, Matrix, Vector
from .memory import check_generator
from .options import add_command, pairs, positive, show

if TYPE_CHECKING:
    from ..backends.machine.calibration import Seconds

SCALES = {"cpu": 17, "cuda": 20}  # scales of the Kronecker graph: it exceeds the caches
EDGE_FACTOR = 16
TRIALS = 7
FEW = 64  # vertices of low degree: the entries of a sparse operand


def add_commands(commands: object) -> None:
    backends = ("auto", "cpu", "cuda")
    command = add_command(commands, "calibrate", run, "measure what the planner should know of this machine", backends)
    command.add_argument("--scale", type=positive, help="vertices of the graph, as a power of two")
    command.add_argument("--force", action="store_true", help="even if memory seems to be too small")
    action = command.add_mutually_exclusive_group()
    action.add_argument("--show", action="store_true", help="only say what the planner goes by")
    action.add_argument("--reset", action="store_true", help="go back to the defaults")


def run(options: argparse.Namespace) -> int:
    from ..backends.machine import calibration
    from ..backends.registry import current_engine
    from .files import UsageError

    engine = current_engine()
    if engine.name not in SCALES:
        raise UsageError(f"calibrate: backend {engine.name} has no costs to measure; use --backend cpu or cuda")
    backend = engine.name
    default = calibration.DEFAULTS[backend]
    found: Json = {"backend": backend, "hardware": calibration.hardware(backend)}
    if options.show:
        costs = calibration.costs_of(backend)
        found |= {name: getattr(costs, name) for name in calibration.costs_from(_as_seconds(default), default)}
        show(options, found, pairs(found))
        return 0
    if options.reset:
        found["file"] = str(calibration.forget(backend))
    else:
        scale = options.scale or SCALES[backend]
        graph = {"scale": scale, "edge_factor": EDGE_FACTOR}
        check_generator("kronecker", graph, on_device=backend == "cuda", force=options.force)
        seconds = measure(scale, default.pull_rows, backend)
        costs_found = calibration.costs_from(seconds, default)
        found |= costs_found
        found["file"] = str(calibration.keep(backend, costs_found))
    show(options, found, pairs(found))
    return 0


def _as_seconds(costs: Costs) -> Seconds:
    from ..backends.machine.calibration import Seconds

    return Seconds(costs.push_edge, costs.pull_row, costs.pull_probe, costs.mxm_product, 1.0, costs.bus_entry)


def measure(scale: int, pull: str, backend: str) -> Seconds:
    """Seconds of each kind of work on a Kronecker graph, without the fixed overhead of a call."""
    from ..backends.machine.calibration import Seconds
    from ..bench.machine import seconds

    def best(work: Callable[[], object]) -> float:
        """Seconds of the fastest of several calls; an extra first call compiles."""
        return min([seconds(work, backend) for _ in range(TRIALS + 1)][1:])

    large, small = Work(scale, pull), Work(min(6, scale), pull)
    rows = (best(large.looks) - best(small.looks)) / large.n
    probes = (best(large.probes) - best(small.probes)) / large.edges
    pushed = (best(large.pushes) - best(small.pushes)) / large.pushed
    masked = Work(max(6, scale - 4), pull)
    product, dot = best(masked.products), best(masked.dots)
    least = 1e-12  # differences may be zero or negative: clocks are coarse, and other programs run
    times = [pushed, rows, probes - rows * large.n / large.edges, product / masked.walked, dot / masked.walked]
    if backend == "cuda":
        large.A = large.A.to(columns="host")
        times.append(best(large.probes) / large.edges - probes)
    return Seconds(*(max(each, least) for each in times))


class Work:
    """A graph, and operations on it with a known amount of work."""

    def __init__(self, scale: int, pull: str) -> None:
        from .. import Vector, agg, generators, select, semiring

        self.pull = pull
        self.any_pair, self.plus_pair = semiring.any_pair["BOOL"], semiring.plus_pair["INT64"]
        self.A = A = generators.kronecker(scale, EDGE_FACTOR).pattern()
        A.T.new()  # a push reads it by columns
        self.n, self.edges = A.nrows, max(1, A.nvals)
        degrees = A.reduce_rowwise(agg.count).new().to_dense(0)
        some = range(0, self.n, 8)
        self.some = Vector.from_coo(list(some), True, size=self.n)
        self.pushed = max(1, int(degrees[list(some)].sum()))
        few = list(range(self.n - min(FEW, self.n), self.n))  # of low degree
        self.few = Vector.from_scalar(True, self.n, bool).dup(mask=Vector.from_coo(few, True, size=self.n).S)
        self.all = Vector.from_scalar(True, self.n)
        self.L: Matrix = select.tril(A, -1).new()
        # L L' at the entries of L reads row j for every entry (i, j); L L walks row k for every entry (i, k)
        lengths = self.L.reduce_rowwise(agg.count).new().to_dense(0)
        self.walked = max(1, int(lengths[self.L.to_coo()[1]].sum()))

    def looks(self) -> Vector:
        """Every row is closed: the kernel reads only the mask and the offsets."""
        return self.any_pair(self.A @ self.few).new(mask=~self.all.S, strategy=self.pull)

    def probes(self) -> Vector:
        """The kernel checks every edge, because hardly any vertex has a neighbour in ``few``."""
        return self.any_pair(self.A @ self.few).new(strategy=self.pull)

    def pushes(self) -> Vector:
        return self.any_pair(self.some @ self.A).new(strategy="push.scatter")

    def products(self) -> Matrix:
        return self.plus_pair(self.L @ self.L).new(mask=self.L.S, strategy="mxm.gustavson")

    def dots(self) -> Matrix:
        return self.plus_pair(self.L @ self.L.T).new(mask=self.L.S, strategy="mxm.masked_dot")
