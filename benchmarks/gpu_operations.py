"""Every operation on whole matrices on a GPU, beside cupyx (cuSPARSE, CUB) in the same run, and the time of its bytes.

python -m benchmarks.gpu_operations --graphs rmat20_16 --types FP32
python -m benchmarks.gpu_operations --jobs 16 --out benchmarks/results
python -m benchmarks.gpu_operations --part 1/2 --seconds 70 --only "mxv|select"
python -m benchmarks.gpu_operations --backend cpu --small
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import monoid

from .machine import copy_rate, describe, has_cuda
from .operation_cases import GRAPHS, OPERATIONS, TYPES, Case, Operation
from .text_tables import Table

TITLE = "Operations on whole matrices"
LEAST, MOST = 3, 40  # calls that count, of each, unless one of them takes far longer than all should
WARM_UP, QUICK = 6, 20.0  # calls before those, of what takes fewer milliseconds: matrices learn what they are used for
PATIENCE = 1.0  # seconds after which a row ends with fewer calls
SHARE_TO_PREPARE = 0.4  # of the time, at most, goes into compiling
NOTES = [
    "ms: median of whole calls from Python until the device is idle; ours and cupyx take turns",
    "bytes: each array that must be read or written, once, at the rate of a copy; x bytes: ours over that",
    "first ms: the first call, with what had to be compiled for it (with --jobs most is compiled before)",
    "a row for which there was no time left says so",
]


def synchronize(backend: str) -> None:
    if backend == "cuda":
        import cupy

        cupy.cuda.runtime.deviceSynchronize()


def milliseconds(run: Callable[[], Any], backend: str) -> float:
    start = time.perf_counter()
    run()
    synchronize(backend)
    return (time.perf_counter() - start) * 1e3


def measured(runs: list[Callable[[], Any]], backend: str, budget: float) -> list[float]:
    """Median milliseconds of each, which ran before; they take turns until the time is up."""
    times: list[list[float]] = [[] for _ in runs]
    start = time.perf_counter()
    rounds, used = 0, 0.0
    while (rounds < LEAST and used < budget + PATIENCE) or (rounds < MOST and used < budget):
        for run, taken in zip(runs, times, strict=True):
            taken.append(milliseconds(run, backend))
        rounds, used = rounds + 1, time.perf_counter() - start
    return [statistics.median(taken) for taken in times]


def summary(result: Any) -> tuple[int, float]:
    """Entries, and their sum in FP64, of a result of ours or of cupyx."""
    plus = monoid.plus["FP64"]
    if isinstance(result, gb.Matrix):
        return result.nvals, float(result.reduce_scalar(plus).new().value or 0)
    if isinstance(result, gb.Vector):
        return result.nvals, float(result.reduce(plus).new().value or 0)
    if isinstance(result, gb.Scalar):
        return result.nvals, float(result.value or 0)
    values = result.data if hasattr(result, "indptr") else result
    return values.size, float(values.astype(np.float64).sum())


def differ(ours: Any, theirs: Any) -> str:
    """What is different; structures of vectors are: cupyx has no empty rows, and zeros that cancel stay entries."""
    (our_count, our_sum), (their_count, their_sum) = summary(ours), summary(theirs)
    if isinstance(ours, gb.Matrix) and our_count != their_count:
        return f"DIFFERENT: {our_count} entries, cupyx {their_count}"
    return "" if np.isclose(our_sum, their_sum, rtol=1e-4) else f"DIFFERENT: sum {our_sum}, cupyx {their_sum}"


def measure(operation: Operation, case: Case, budget: float) -> dict[str, Any]:
    runs: list[Callable[[], Any]] = [partial(operation.ours, case)]
    remark = ""
    synchronize(case.backend)
    first = milliseconds(runs[0], case.backend)
    if operation.theirs is not None and case.theirs is not None:
        try:
            remark = differ(operation.ours(case), operation.theirs(case.theirs, case))
            runs.append(partial(operation.theirs, case.theirs, case))
        except Exception as error:  # it lacks this
            remark = f"cupyx: {type(error).__name__}"
    if first < QUICK:
        for _ in range(WARM_UP):
            for run in runs:
                run()
        synchronize(case.backend)
    ms = measured(runs, case.backend, budget)
    floor = operation.bytes(case) / copy_rate(case.backend) * 1e3
    return {
        "ms": ms[0],
        "cupyx_ms": ms[1] if len(ms) > 1 else None,
        "bytes_ms": floor,
        "first_ms": first,
        "remark": remark,
    }


def wanted(options: argparse.Namespace) -> list[tuple[str, str, list[Operation]]]:
    """Graphs, types and operations that were asked for; of several parts, one."""
    found = []
    for graph in options.graphs:
        named = [op for op in OPERATIONS if re.search(options.only, op.name, re.IGNORECASE)]
        operations = [op for op in named if graph in op.graphs]
        found += [(graph, kind, operations) for kind in options.types if operations]
    number, parts = options.part
    return found[(number - 1) * len(found) // parts : number * len(found) // parts]


def rows_of(
    options: argparse.Namespace, deadline: float, keep: Callable[[list[dict[str, Any]]], None]
) -> list[dict[str, Any]]:
    """Every row, in the time that there is: rows share what is left of it. What there is so far is kept each time."""
    rows: list[dict[str, Any]] = []
    asked = wanted(options)
    left = sum(len(operations) for _, _, operations in asked)
    made, pattern = "", None
    for graph, kind, operations in asked:
        case = None
        for operation in operations:
            row: dict[str, Any] = {"graph": graph, "type": kind, "operation": operation.name}
            share = (deadline - time.perf_counter()) / left
            left -= 1
            try:
                if share <= 0:
                    raise TimeoutError("no time left")
                if made != graph:
                    case = pattern = None
                    pattern, made = (GRAPHS[graph].small if options.small else GRAPHS[graph].make)(), graph
                if case is None:
                    assert pattern is not None
                    case = Case(pattern, kind, options.backend)
                row |= measure(operation, case, min(options.budget, share / 2))
            except Exception as error:  # a row that fails is a row
                lines = str(error).splitlines() or [""]
                row["error"] = f"{type(error).__name__}: {lines[0][:100]}"
            rows.append(row)
            keep(rows)
        del case
        gc.collect()
    return rows


def prepare(options: argparse.Namespace) -> None:
    """Processes side by side compile what small graphs need; the rest is compiled when it is measured."""
    names = [op.name for op in OPERATIONS if re.search(options.only, op.name, re.IGNORECASE)]
    parts = max(1, options.jobs // len(options.types))
    command = [
        sys.executable,
        "-m",
        __spec__.name,
        "--backend",
        options.backend,
        "--small",
        "--budget",
        "0",
        "--jobs",
        "0",
    ]
    limit = options.seconds * SHARE_TO_PREPARE
    asked = [
        [*command, "--seconds", f"{limit}", "--types", kind, "--only", "^(" + "|".join(map(re.escape, some)) + ")$"]
        for kind in options.types
        for some in (names[first::parts] for first in range(parts))
        if some
    ]

    def run(arguments: list[str]) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*arguments, "--graphs", *options.graphs], capture_output=True, timeout=limit, check=False)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, asked))


def part(text: str) -> tuple[int, int]:
    """
    >>> part("2/3")
    (2, 3)
    """
    number, _, parts = text.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"as 1/2: the first of two parts; got {text!r}")
    return int(number), int(parts)


def table_of(rows: list[dict[str, Any]], backend: str) -> Table:
    columns = "graph,type,operation,ms,cupyx ms,x cupyx,bytes ms,x bytes,first ms,remark"
    table = Table(f"{TITLE}, {backend}", columns.split(","), notes=list(NOTES))
    for row in rows:
        named = row["graph"], row["type"], row["operation"]
        if "error" in row:
            table.add(*named, *[None] * 6, row["error"])
            continue
        ms, theirs, floor = row["ms"], row["cupyx_ms"], row["bytes_ms"]
        ratios = theirs and ms / theirs, floor, ms / floor if floor else None
        table.add(*named, ms, theirs, *ratios, row["first_ms"], row["remark"])
    return table


@cache
def described() -> dict[str, Any]:
    return describe()


def write(file: Path, rows: list[dict[str, Any]], backend: str) -> None:
    """Rows of an earlier part of the same commit on the same device are kept, unless they were measured again."""
    found = {**described(), "backend": backend}
    kept = json.loads(file.read_text()) if file.exists() else {}
    same = all(kept.get(name) == found[name] for name in ("machine", "commit", "backend"))

    def name(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["graph"], row["type"], row["operation"]

    measured = {name(row) for row in rows}
    earlier = [row for row in kept.get("rows", []) if same and name(row) not in measured]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**found, "rows": earlier + rows}, indent=1))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu_operations", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cuda" if has_cuda() else "cpu")
    parser.add_argument("--small", action="store_true", help="tiny graphs: whether it works, not how fast")
    parser.add_argument("--only", metavar="REGEX", default="", help="operations whose name has a match")
    parser.add_argument("--graphs", nargs="+", choices=list(GRAPHS), default=list(GRAPHS))
    parser.add_argument("--types", nargs="+", choices=list(TYPES), default=list(TYPES))
    parser.add_argument("--part", type=part, default=(1, 1), metavar="N/M", help="a part of graphs and types: 1/2, 2/2")
    parser.add_argument("--seconds", type=float, default=140.0, help="for everything, about; rows share them")
    parser.add_argument("--jobs", type=int, default=0, help="so many processes compile before, side by side")
    parser.add_argument("--budget", type=float, default=0.2, metavar="SECONDS", help="for the calls of a row, at most")
    parser.add_argument("--out", metavar="FOLDER", help="write gpu_operations.json there; rows that it has are kept")
    options = parser.parse_args(arguments)

    def keep(rows: list[dict[str, Any]]) -> None:
        if options.out:
            write(Path(options.out) / "gpu_operations.json", rows, options.backend)

    deadline = time.perf_counter() + options.seconds
    if options.jobs:
        prepare(options)
    with gb.using(options.backend):
        rows = rows_of(options, deadline, keep)
    print(table_of(rows, options.backend))
    return 1 if any("DIFFERENT" in row.get("remark", "") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
