"""003: A. Gaihre, Z. Wu, F. Yao, H. Liu, XBFS, HPDC 2019. Quadro P6000."""

from functools import partial
from typing import Any

import numba
import numpy as np

import grblas_gpu as gb
from grblas_gpu import Vector, algorithms, explain, select
from grblas_gpu.bench import graphs

from ..common import BenchmarkGraph, Session, Table, WrongResult
from .common import Experiment, Options, median_ms, steps_of_search, verified_levels, waiting

WAYS = {"scan-free": "push.scatter", "single-scan": "push.scan", "double-scan": "pull.compact"}
SCHEDULES = {"thread per row": "pull.thread", "warp per row": "pull.warp", "handed out": "pull.hybrid"}


def searched(options: Options) -> list[BenchmarkGraph]:
    """The paper's graphs are social networks and crawls; these have their sizes and skew."""
    if options.small:
        return [graphs.kronecker(10, 16)]
    return [graphs.kronecker(21, 48, "kronecker 21 e48"), graphs.kronecker(22, 16, "kronecker 22 e16")]


def frontiers(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Each method for the next frontier at every level, and the one that the rule selects (section 4)."""
    tables = []
    for graph in searched(options):
        A, edges = graph.matrix(options.backend), 0
        table = experiment.table(f":{graph.name}, {A.nvals:,} entries, {options.backend}")
        for depth, frontier, levels, pushed, pulled, mask in steps_of_search(A, graph.sources(1)[0]):
            plan = explain(pushed, mask, policy="edge-check", edges_before=edges)
            edges = plan.edges or 0
            runs: dict[str, Any] = {
                way: waiting((pulled if "pull" in name else pushed).new, mask=mask, strategy=name)
                for way, name in WAYS.items()
            }
            runs["none"] = lambda v=levels, d=depth: select.valueeq(v, d).new().nvals
            times = median_ms(runs, options.trials)
            best = min(WAYS, key=lambda way: times[way])
            table.add(depth, frontier.nvals, edges / max(1, A.nvals), *times.values(), best, _way(plan.strategy))
        tables.append(table)
        graph.forget()
    return tables


def scheduling(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Bottom-up steps with three ways to schedule rows (section 5.1, figure 14)."""
    table = experiment.table(options.backend)
    for graph in searched(options):
        A = graph.matrix(options.backend)
        total, steps = dict.fromkeys(SCHEDULES, 0.0), 0
        for _, _, _, pushed, pulled, mask in steps_of_search(A, graph.sources(1)[0]):
            if explain(pushed, mask, policy="edge-check").direction == "pull":
                steps += 1
                runs = {label: waiting(pulled.new, mask=mask, strategy=name) for label, name in SCHEDULES.items()}
                for label, ms in median_ms(runs, options.trials).items():
                    total[label] += ms
        static, *others = total.values()
        table.add(graph.name, A.nvals, steps, *total.values(), *(static / other if other else None for other in others))
        graph.forget()
    return [table]


def asynchronous(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """The pass that settles two levels at once (section 5.2, figures 10 and 15)."""
    table = experiment.table(options.backend)
    for graph in searched(options):
        A, source = graph.matrix(options.backend), graph.sources(1)[0]
        expected = verified_levels(A, source)
        both = {on: partial(algorithms.xbfs, A, source, asynchronous=on == "asynchronous") for on in _BOTH}
        traces = {}
        for label, run in both.items():
            if not run().isequal(expected):
                raise WrongResult(f"wrong levels: {label}")
        times = median_ms({label: waiting(run) for label, run in both.items()}, options.trials)
        for label, run in both.items():
            with gb.trace() as trace:
                run()
            traces[label] = trace.steps()
        checks = _edge_checks(graph, expected, [step.direction for step in traces["synchronous"]])
        counts = np.bincount(expected.to_dense(fill_value=0, dtype=np.int64)[expected.to_coo()[0].astype(np.int64)])
        products = traces["asynchronous"]
        gained = times["synchronous"] / times["asynchronous"], _settled_early(products, counts)
        fewer = 100 * (1 - checks[1] / checks[0]) if checks[0] else None
        table.add(graph.name, A.nvals, len(counts), len(products), *times.values(), *gained, *checks, fewer)
        graph.forget()
    return [table]


_BOTH = ("synchronous", "asynchronous")


def _settled_early(products: list[Any], counts: np.ndarray) -> float | None:
    """The share of the level after that of the first in-place pass that was settled early."""
    for depth, record in enumerate(products, 1):
        if record.reason.startswith("in place"):
            if depth + 1 >= len(counts):
                return None
            return float((record.output_nvals - counts[depth]) / counts[depth + 1])
    return None


def _edge_checks(graph: BenchmarkGraph, levels: Vector, directions: list[str]) -> tuple[int, int]:
    """Edge checks of all bottom-up passes, without and with the asynchronous rule."""
    pulls = [depth for depth, direction in enumerate(directions, 1) if direction == "pull"]
    if not pulls:
        return 0, 0
    dense = levels.to_dense(fill_value=-1, dtype=np.int64)
    without, with_ = (count_checks(*graph.csr, dense, pulls[0], pulls[-1], rule) for rule in (False, True))
    return int(without), int(with_)


@numba.njit
def count_checks(
    indptr: np.ndarray, indices: np.ndarray, levels: np.ndarray, first: int, last: int, asynchronous: bool
) -> int:
    """Entries read by the passes for levels ``first`` to ``last``; ``levels`` are right, -1 where unreached.

    A row stops at a neighbour of the previous level. In an asynchronous pass, a row without one, but with a neighbour
    of this level, is settled at the next level, and the next pass skips it. Rows run in the order of their numbers.
    Concurrent rows see fewer new levels, so a device saves a little less.
    """
    now = np.where((levels >= 0) & (levels < first), levels, -1)
    checks = 0
    for depth in range(first, last + 1):
        for row in range(len(now)):
            if now[row] >= 0:
                continue
            found = later = False
            for entry in range(indptr[row], indptr[row + 1]):
                checks += 1
                level = now[indices[entry]]
                if level == depth - 1:
                    found = True
                    break
                later = later or level == depth
            if asynchronous and (found or later):
                now[row] = depth if found else depth + 1
        if not asynchronous:
            for row in range(len(now)):
                if levels[row] == depth:
                    now[row] = depth
    return checks


def _way(strategy: str) -> str:
    found = [way for way, name in WAYS.items() if name == strategy]
    return found[0] if found else "double-scan" if strategy.startswith("pull") else strategy


EXPERIMENTS = {"003.frontiers": frontiers, "003.scheduling": scheduling, "003.asynchronous": asynchronous}
