"""Every operation on whole matrices on a GPU, beside cupyx (cuSPARSE, CUB) in the same run, and the time of its bytes.

python -m benchmarks.gpu_operations --graphs rmat20_16 --types FP32
python -m benchmarks.gpu_operations --only "mxv|select" --out benchmarks/results
python -m benchmarks.gpu_operations --part 1/2 --seconds 50
python -m benchmarks.gpu_operations --backend cpu --small
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import agg, binary, generators, monoid, select, semiring

from .machine import copy_rate, describe, has_cuda
from .text_tables import Table

TITLE = "Operations on whole matrices"
WARM_UP, LEAST, MOST = 1, 3, 40  # calls before those that count; and how many count
NOTES = [
    "ms: median of whole calls from Python until the device is idle; ours and cupyx take turns",
    "bytes: each array that must be read or written, once, at the rate of a copy; x bytes: ours over that",
    "first ms: the first call, with what had to be compiled for it",
    "a row for which there was no time left says so",
]
TYPES = {"FP32": np.float32, "FP64": np.float64, "INT64": np.int64, "iso": np.float32}


class Structure(NamedTuple):
    """A pattern: where it comes from, and how a matrix of it is made; a small one instead."""

    make: Callable[[], gb.Matrix]
    small: Callable[[], gb.Matrix]


def one_full_row(n: int, degree: int) -> gb.Matrix:
    """A random graph and one row that has an entry in every column."""
    A = generators.uniform_random(n, degree, seed=2)
    row = gb.Matrix.from_coo(np.zeros(n, np.int64), np.arange(n), True, nrows=n, ncols=n)
    return binary.lor(A | row).new(bool)


GRAPHS = {
    "rmat20_16": Structure(lambda: generators.kronecker(20, 16), lambda: generators.kronecker(8, 16)),
    "uniform_4M_16": Structure(
        lambda: generators.uniform_random(4_000_000, 16, seed=1), lambda: generators.uniform_random(300, 16, seed=1)
    ),
    "grid_2000": Structure(lambda: generators.grid_2d(2000), lambda: generators.grid_2d(20)),
    "one_full_row": Structure(lambda: one_full_row(4_000_000, 2), lambda: one_full_row(300, 2)),
    "uniform_1M_8": Structure(
        lambda: generators.uniform_random(1_000_000, 8, seed=1), lambda: generators.uniform_random(200, 8, seed=1)
    ),
    "rmat15_16": Structure(lambda: generators.kronecker(15, 16), lambda: generators.kronecker(7, 16)),
}
MAIN = ["rmat20_16", "uniform_4M_16", "grid_2000", "one_full_row"]


class Case:
    """A matrix with values of a type, and what operations need beside it, for us and for cupyx."""

    def __init__(self, pattern: gb.Matrix, kind: str, backend: str) -> None:
        self.kind, self.backend = kind, backend
        self.dtype = np.dtype(TYPES[kind])
        arrays = pattern.device_arrays() if backend == "cuda" else None
        self.xp = _array_module(backend)
        indptr, indices = (arrays["indptr"], arrays["indices"]) if arrays else pattern.to_csr()[:2]
        values = self.random(len(indices))
        self.n, self.nvals = pattern.nrows, len(indices)
        self.iso = kind == "iso"
        self.A = gb.Matrix.from_csr(indptr, indices, 2.0 if self.iso else values, self.dtype, ncols=pattern.ncols)
        self.B = self.A.T.new()  # a matrix of its own, and no known transpose of the other
        self.arrays = indptr, indices, values
        self.two = self.dtype.type(2)
        self.tiny = self.dtype.type(1 if self.dtype.kind == "i" else 1e-6)

    def random(self, count: int) -> Any:
        random = self.xp.random.default_rng(7)
        if self.dtype.kind == "i":
            return random.integers(1, 100, count).astype(self.dtype)
        return random.random(count, dtype=self.dtype)

    @cached_property
    def x(self) -> gb.Vector:
        return gb.Vector.from_dense(self.dense)

    @cached_property
    def dense(self) -> Any:
        return self.random(self.n)

    @cached_property
    def index(self) -> Any:
        """A quarter of the rows, in random order, each once."""
        return self.xp.random.permutation(self.n)[: max(1, self.n // 4)].astype(np.int64)

    @cached_property
    def D(self) -> gb.Matrix:
        return self.x.diag()

    @cached_property
    def L(self) -> gb.Matrix:
        return select.tril(self.A, -1).new()

    @cached_property
    def shuffled(self) -> tuple[Any, Any, Any]:
        indptr, indices, values = self.arrays
        rows = self.xp.searchsorted(indptr[1:], self.xp.arange(self.nvals), side="right")
        order = self.xp.random.permutation(self.nvals)
        return rows[order].astype(np.int64), indices[order].astype(np.int64), values[order]

    @cached_property
    def theirs(self) -> Any:
        """The same for cupyx, or None where it has no such type."""
        if self.backend != "cuda" or self.dtype.kind != "f":
            return None
        from cupyx.scipy import sparse

        indptr, indices, values = self.arrays
        if self.iso:
            values = self.xp.full(len(values), 2, self.dtype)
        return sparse.csr_matrix((values, indices, indptr.astype(np.int32)), shape=(self.n, self.n))

    @cached_property
    def theirs_transposed(self) -> Any:
        return None if self.theirs is None else self.theirs.T.tocsr()

    # bytes of arrays

    @property
    def value(self) -> int:
        return 0 if self.iso else self.dtype.itemsize

    @property
    def offsets(self) -> int:
        return 4 * (self.n + 1)

    def matrix(self, share: float = 1.0) -> float:
        """Offsets, and so many of the entries with column and value."""
        return self.offsets + share * self.nvals * (4 + self.value)

    def vector(self, share: float = 1.0) -> float:
        return share * self.n * self.dtype.itemsize


def _array_module(backend: str) -> Any:
    if backend != "cuda":
        return np
    import cupy

    return cupy


class Operation(NamedTuple):
    """A row: what we do, what cupyx does, and the bytes that must move."""

    name: str
    ours: Callable[[Case], Any]
    theirs: Callable[[Any, Case], Any] | None
    bytes: Callable[[Case], float]
    graphs: tuple[str, ...] = tuple(MAIN)


def _sparse() -> Any:
    from cupyx.scipy import sparse

    return sparse


def _assigned(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C(c.A.S) << 1
    return C


def _accumulated(c: Case) -> gb.Matrix:
    C = c.A.dup()
    C(c.B.S, binary.plus) << c.A
    return C


def _entry_assigned(c: Case) -> gb.Vector:
    y = c.x.dup()
    y[[1, 3, 5, 7, 9, 11, 13, 15, 17, 19]] << 1
    return y


def _from_coo(c: Case) -> gb.Matrix:
    rows, cols, values = c.shuffled
    if c.iso:
        return gb.Matrix.from_coo(rows, cols, 2.0, nrows=c.n, ncols=c.n)
    return gb.Matrix.from_coo(rows, cols, values, nrows=c.n, ncols=c.n, dup_op=binary.plus)


def _their_coo(A: Any, c: Case) -> Any:
    rows, cols, values = c.shuffled
    return _sparse().coo_matrix((values, (rows, cols)), shape=(c.n, c.n)).tocsr()


STEPS = 20


def _iterated(c: Case) -> gb.Vector:
    """So many steps x += A x / 10^6, as one loop."""
    x, y = c.x.dup(), gb.Vector(c.dtype, c.n)
    for _ in gb.loop(x, STEPS):
        y << semiring.plus_times(c.A @ x)
        x(binary.plus) << y.apply(binary.times, right=c.tiny)
    return x


def _their_iteration(A: Any, c: Case) -> Any:
    x = c.dense
    for _ in range(STEPS):
        x = x + c.tiny * (A @ x)
    return x


def _triangles(c: Case) -> gb.Matrix:
    return semiring.plus_pair["INT64"](c.L @ c.L.T).new(mask=c.L.S)


PRODUCTS = ("uniform_1M_8", "rmat15_16")
OPERATIONS = [
    Operation(
        "mxv plus_times",
        lambda c: semiring.plus_times(c.A @ c.x).new(),
        lambda A, c: A @ c.dense,
        lambda c: c.matrix() + 2 * c.vector(),
    ),
    Operation(
        f"{STEPS} steps of mxv plus_times in a loop",
        _iterated,
        _their_iteration,
        lambda c: STEPS * (c.matrix() + 4 * c.vector()),
    ),
    Operation(
        "mxv min_plus", lambda c: semiring.min_plus(c.A @ c.x).new(), None, lambda c: c.matrix() + 2 * c.vector()
    ),
    Operation(
        "reduce_rowwise plus",
        lambda c: c.A.reduce_rowwise(monoid.plus).new(),
        lambda A, c: A.sum(axis=1),
        lambda c: c.offsets + c.nvals * c.value + c.vector(),
    ),
    Operation(
        "reduce_columnwise plus",
        lambda c: c.A.reduce_columnwise(monoid.plus).new(),
        lambda A, c: A.sum(axis=0),
        lambda c: c.matrix() + c.vector(),
    ),
    Operation(
        "reduce_rowwise count",
        lambda c: c.A.reduce_rowwise(agg.count).new(),
        lambda A, c: c.xp.diff(A.indptr),
        lambda c: c.offsets + 8 * c.n,
    ),
    Operation("reduce_rowwise max", lambda c: c.A.reduce_rowwise(monoid.max).new(), None, lambda c: c.matrix()),
    Operation(
        "select tril",
        lambda c: select.tril(c.A).new(),
        lambda A, c: _sparse().tril(A, format="csr"),
        lambda c: c.matrix() + c.matrix(0.5),
    ),
    Operation(
        "select value > 0.5",
        lambda c: select.value((50 if c.dtype.kind == "i" else 0.5) < c.A).new(),
        None,
        lambda c: c.matrix() + c.matrix(0.5),
    ),
    Operation(
        "apply times 2",
        lambda c: c.A.apply(binary.times, right=c.two).new(),
        lambda A, c: A * c.two,
        lambda c: 2 * c.nvals * c.value,
    ),
    Operation(
        "transpose",
        lambda c: c.B.T.new(),
        lambda A, c: A.T.tocsr(),
        lambda c: 2 * c.matrix(),
    ),
    Operation(
        "A + A'",
        lambda c: c.A.ewise_add(c.B, binary.plus).new(),
        lambda A, c: A + c.theirs_transposed,
        lambda c: 4 * c.matrix(),
    ),
    Operation(
        "A .* A'",
        lambda c: c.A.ewise_mult(c.B, binary.times).new(),
        lambda A, c: A.multiply(c.theirs_transposed),
        lambda c: 3 * c.matrix(),
    ),
    Operation(
        "A + 2 A (equal patterns)",
        lambda c: c.A.ewise_add(c.A.apply(binary.times, right=c.two).new(), binary.plus).new(),
        None,
        lambda c: 5 * c.nvals * c.value,
    ),
    Operation("A(A.S) << 1", _assigned, None, lambda c: c.nvals * c.value),
    Operation("A(B.S, plus) << A", _accumulated, None, lambda c: 3 * c.matrix()),
    Operation("from_coo, shuffled", _from_coo, _their_coo, lambda c: c.matrix() + c.nvals * (16 + c.value)),
    Operation(
        "diag(v) * A",
        lambda c: semiring.plus_times(c.D @ c.A).new(),
        lambda A, c: _sparse().diags(c.dense) @ A,
        lambda c: 2 * c.matrix() + c.vector(),
    ),
    Operation(
        "A * diag(v)",
        lambda c: semiring.plus_times(c.A @ c.D).new(),
        lambda A, c: A @ _sparse().diags(c.dense),
        lambda c: 2 * c.matrix() + c.vector(),
    ),
    Operation("A[I, :]", lambda c: c.A[c.index, :].new(), lambda A, c: A[c.index, :], lambda c: 2 * c.matrix(0.25)),
    Operation(
        "A[I, I]",
        lambda c: c.A[c.index, c.index].new(),
        lambda A, c: A[c.index, :][:, c.index],
        lambda c: c.matrix(0.25) + c.matrix(0.0625),
    ),
    Operation("y[i] << 1, ten indices", _entry_assigned, None, lambda c: 2 * c.vector()),
    Operation(
        "A * A", lambda c: semiring.plus_times(c.A @ c.A).new(), lambda A, c: A @ A, lambda c: 2 * c.matrix(), PRODUCTS
    ),
    Operation("masked plus_pair L * L'", _triangles, None, lambda c: 2 * c.matrix(0.5)),
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
    """Median milliseconds of each; they take turns until the time is up."""
    for run in runs:
        for _ in range(WARM_UP):
            milliseconds(run, backend)
    times: list[list[float]] = [[] for _ in runs]
    deadline = time.perf_counter() + budget
    while len(times[0]) < LEAST or (len(times[0]) < MOST and time.perf_counter() < deadline):
        for run, taken in zip(runs, times, strict=True):
            taken.append(milliseconds(run, backend))
    return [statistics.median(taken) for taken in times]


def summary(result: Any) -> tuple[int, float]:
    """Entries, and their sum in FP64, of a result of ours or of cupyx."""
    plus = monoid.plus["FP64"]
    if isinstance(result, gb.Matrix):
        return result.nvals, float(result.reduce_scalar(plus).new().value or 0)
    if isinstance(result, gb.Vector):
        return result.nvals, float(result.reduce(plus).new().value or 0)
    values = result.data if hasattr(result, "indptr") else result
    return len(values), float(values.astype(np.float64).sum())


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


def rows_of(options: argparse.Namespace, keep: Callable[[list[dict[str, Any]]], None]) -> list[dict[str, Any]]:
    """Every row, in the time that there is: rows share what is left of it. What there is so far is kept at times."""
    rows: list[dict[str, Any]] = []
    deadline = time.perf_counter() + options.seconds
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
        del case
        gc.collect()
        keep(rows)
    return rows


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


def write(file: Path, rows: list[dict[str, Any]], backend: str) -> None:
    """Rows of an earlier part of the same commit on the same device are kept, unless they were measured again."""
    found = {**describe(), "backend": backend}
    kept = json.loads(file.read_text()) if file.exists() else {}
    same = all(kept.get(name) == found[name] for name in ("machine", "commit", "backend"))

    def name(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["graph"], row["type"], row["operation"]

    measured = {name(row) for row in rows}
    earlier = [row for row in kept.get("rows", []) if same and name(row) not in measured]
    file.write_text(json.dumps({**found, "rows": earlier + rows}, indent=1))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu_operations", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cuda" if has_cuda() else "cpu")
    parser.add_argument("--small", action="store_true", help="tiny graphs: whether it works, not how fast")
    parser.add_argument("--only", metavar="REGEX", default="", help="operations whose name has a match")
    parser.add_argument("--graphs", nargs="+", choices=list(GRAPHS), default=list(GRAPHS))
    parser.add_argument("--types", nargs="+", choices=list(TYPES), default=list(TYPES))
    parser.add_argument("--part", type=part, default=(1, 1), metavar="N/M", help="a part of graphs and types: 1/2, 2/2")
    parser.add_argument("--seconds", type=float, default=100.0, help="for everything, about; rows share them")
    parser.add_argument("--budget", type=float, default=0.2, metavar="SECONDS", help="for the calls of a row, at most")
    parser.add_argument("--out", metavar="FOLDER", help="write gpu_operations.json there; rows that it has are kept")
    options = parser.parse_args(arguments)

    def keep(rows: list[dict[str, Any]]) -> None:
        if options.out:
            write(Path(options.out) / "gpu_operations.json", rows, options.backend)

    with gb.using(options.backend):
        rows = rows_of(options, keep)
    print(table_of(rows, options.backend))
    return 1 if any("DIFFERENT" in row.get("remark", "") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
