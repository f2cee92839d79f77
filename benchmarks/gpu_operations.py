"""Every operation on whole matrices on a GPU, beside cupyx (cuSPARSE, CUB) in the same run, and the time of its bytes.

python -m benchmarks gpu_operations --graphs rmat20_16 --types FP32
python -m benchmarks gpu_operations --jobs 16 --out benchmarks/results
python -m benchmarks gpu_operations --graphs grid_2000 --seconds 70 --out benchmarks/results   # the others later
python -m benchmarks gpu_operations --backend cpu --small
"""

import argparse
import gc
import json
import re
import statistics
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import monoid

from .cases_operations import OPERATIONS, STRUCTURES, TYPES, Case, Operation, pattern
from .common import CASES, Table, copy_rate, describe, first_line, parser, seconds, side_by_side, synchronize, write

TITLE = "Operations on whole matrices"
LEAST, MOST = 3, 40  # timed calls of each, unless one takes far longer than the budget
WARM_UP, QUICK = 6, 0.02  # warm-up calls of operations below QUICK seconds: matrices adapt to their use
PATIENCE = 1.0  # seconds after which a row ends with fewer calls
SHARE_TO_PREPARE = 0.4  # limit of the share of time for compilation
NOTES: list[str] = CASES["gpu_operations"]["notes"]
described = cache(describe)


def measured(runs: list[Callable[[], Any]], backend: str, budget: float) -> list[float]:
    """Median milliseconds of each warm run; the runs alternate until the time is up."""
    times: list[list[float]] = [[] for _ in runs]
    start = time.perf_counter()
    rounds, used = 0, 0.0
    while (rounds < LEAST and used < budget + PATIENCE) or (rounds < MOST and used < budget):
        for run, taken in zip(runs, times, strict=True):
            taken.append(seconds(run, backend) * 1e3)
        rounds, used = rounds + 1, time.perf_counter() - start
    return [statistics.median(taken) for taken in times]


def summary(result: Any) -> tuple[int, float]:
    """Entries, and their sum in FP64, of a result of ours or of cupyx."""
    plus = monoid.plus["FP64"]
    if isinstance(result, (gb.Matrix, gb.Vector)):
        total = result.reduce_scalar(plus) if isinstance(result, gb.Matrix) else result.reduce(plus)
        return result.nvals, float(total.new().value or 0)
    if isinstance(result, gb.Scalar):
        return result.nvals, float(result.value or 0)
    values = result.data if hasattr(result, "indptr") else result
    return values.size, float(values.astype(np.float64).sum())


def differ(ours: Any, theirs: Any) -> str:
    """The difference of two results; the structures of vectors may differ: cupyx stores zeros for empty rows."""
    (our_count, our_sum), (their_count, their_sum) = summary(ours), summary(theirs)
    if isinstance(ours, gb.Matrix) and our_count != their_count:
        return f"DIFFERENT: {our_count} entries, cupyx {their_count}"
    return "" if np.isclose(our_sum, their_sum, rtol=1e-4) else f"DIFFERENT: sum {our_sum}, cupyx {their_sum}"


def measure(operation: Operation, case: Case, budget: float) -> dict[str, Any]:
    runs: list[Callable[[], Any]] = [partial(operation.ours, case)]
    remark = ""
    synchronize(case.backend)
    first = seconds(runs[0], case.backend)
    if operation.theirs is not None and case.theirs is not None:
        try:
            remark = differ(operation.ours(case), operation.theirs(case.theirs, case))
            runs.append(partial(operation.theirs, case.theirs, case))
        except Exception as error:  # cupyx lacks this operation
            remark = f"cupyx: {type(error).__name__}"
    if first < QUICK:
        for _ in range(WARM_UP):
            for run in runs:
                run()
        synchronize(case.backend)
    ms, theirs, *_ = [*measured(runs, case.backend, budget), None]
    floor = operation.bytes(case) / copy_rate(case.backend) * 1e3
    return {"ms": ms, "cupyx_ms": theirs, "bytes_ms": floor, "first_ms": first * 1e3, "remark": remark}


def wanted(options: argparse.Namespace) -> list[tuple[str, str, list[Operation]]]:
    """The selected graphs, types and operations."""
    found = []
    for graph in options.graphs:
        operations = [op for op in named(options) if graph in op.graphs]
        found += [(graph, kind, operations) for kind in options.types if operations]
    return found


def named(options: argparse.Namespace) -> list[Operation]:
    return [op for op in OPERATIONS if re.search(options.only, op.name, re.IGNORECASE)]


def rows_of(
    options: argparse.Namespace, deadline: float, keep: Callable[[list[dict[str, Any]]], None]
) -> list[dict[str, Any]]:
    """Measure every row; rows share the remaining time. Finished rows are saved after each one."""
    rows: list[dict[str, Any]] = []
    selected = wanted(options)
    left = sum(len(operations) for _, _, operations in selected)
    made, structure = "", None
    for graph, kind, operations in selected:
        case = None
        for operation in operations:
            row: dict[str, Any] = {"graph": graph, "type": kind, "operation": operation.name}
            share = (deadline - time.perf_counter()) / left
            left -= 1
            try:
                if share <= 0:
                    raise TimeoutError("no time left")
                if made != graph:
                    case = structure = None
                    structure, made = pattern(graph, options.small), graph
                if case is None:
                    assert structure is not None
                    case = Case(structure, kind, options.backend)
                row |= measure(operation, case, min(options.budget, share / 2))
            except Exception as error:  # a failure is recorded as a row
                row["error"] = first_line(error)
            rows.append(row)
            keep(rows)
        del case
        gc.collect()
    return rows


def prepare(options: argparse.Namespace) -> None:
    """Compile the kernels of small graphs in parallel processes; the others compile when they are measured."""
    names = [re.escape(op.name) for op in named(options)]
    parts = max(1, options.jobs // len(options.types))
    limit = options.seconds * SHARE_TO_PREPARE
    words = f"gpu_operations --backend {options.backend} --small --budget 0 --seconds {limit} --types"
    commands = [
        [*words.split(), kind, "--only", f"^({'|'.join(some)})$", "--graphs", *options.graphs]
        for kind in options.types
        for some in (names[first::parts] for first in range(parts))
        if some
    ]
    side_by_side(commands, options.jobs, limit)


def table_of(rows: list[dict[str, Any]], backend: str) -> Table:
    columns = "graph,type,operation,ms,cupyx ms,x cupyx,bytes ms,x bytes,first ms,remark"
    table = Table(f"{TITLE}, {backend}", columns.split(","), notes=list(NOTES))
    for row in rows:
        name = row["graph"], row["type"], row["operation"]
        if "error" in row:
            table.add(*name, *[None] * 6, row["error"])
            continue
        ms, theirs, floor = row["ms"], row["cupyx_ms"], row["bytes_ms"]
        ratios = theirs and ms / theirs, floor, ms / floor if floor else None
        table.add(*name, ms, theirs, *ratios, row["first_ms"], row["remark"])
    return table


def keep_rows(folder: Path, rows: list[dict[str, Any]], backend: str) -> None:
    """Save rows; keep earlier rows of the same commit and device, unless they were measured again."""
    found, file = {**described(), "backend": backend}, folder / "gpu_operations.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    same = all(kept.get(name) == found[name] for name in ("machine", "commit", "backend"))

    def name(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["graph"], row["type"], row["operation"]

    again = {name(row) for row in rows}
    earlier = [row for row in kept.get("rows", []) if same and name(row) not in again]
    write(folder, "gpu_operations", {**found, "rows": earlier + rows})


def main(arguments: list[str] | None = None) -> int:
    own: dict[str, Any] = {
        "graphs": {"nargs": "+", "choices": list(STRUCTURES), "default": list(STRUCTURES)},
        "types": {"nargs": "+", "choices": list(TYPES), "default": list(TYPES)},
        "seconds": {"type": float, "default": 140.0, "help": "for everything, about; rows share them"},
        "jobs": {"type": int, "default": 0, "help": "so many processes compile before, side by side"},
        "budget": {"type": float, "default": 0.2, "metavar": "SECONDS", "help": "for the calls of a row, at most"},
    }
    options = parser("gpu_operations", __doc__, "backend", "small", "only", "out", **own).parse_args(arguments)

    def keep(rows: list[dict[str, Any]]) -> None:
        if options.out:
            keep_rows(options.out, rows, options.backend)

    deadline = time.perf_counter() + options.seconds
    if options.jobs:
        prepare(options)
    with gb.using(options.backend):
        rows = rows_of(options, deadline, keep)
    print(table_of(rows, options.backend))
    return 1 if any("DIFFERENT" in row.get("remark", "") for row in rows) else 0
