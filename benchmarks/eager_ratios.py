"""Sixty eager calls at three sizes: the CPU engine's time over that of python-graphblas, in one process.

Both libraries run the same line on the same data, take turns, and are compared first. The lower quartile counts, since
other programs may delay some calls; of a ratio above the limit, the median of three. The calls of "first use" get a
matrix that no call has read before.

    python -m benchmarks eager_ratios --only mxv --sizes 10 10000

A size takes one to two minutes.
"""

import re
import statistics
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import graphblas as ss
import numpy as np
import scipy.sparse

import grblas_gpu as gb
from grblas_gpu.backends.cpu import pool

from . import suitesparse
from .common import Table, describe, parser, write

SIZES = (10, 10_000, 1_000_000)
LIMIT = 1.2  # the largest ratio that we accept
BUDGET = 0.6  # seconds for each call and size
TRIALS = (5, 200)
SHORT = 5e-3  # seconds: shorter calls are repeated within a measurement
REST = 0.005  # seconds before a measurement: idle threads of OpenMP occupy their cores for a few milliseconds
WARM_UP = (3, 250, 0.3)  # the fewest calls, the most, seconds: kernels of small calls are loaded after many

Call = Callable[[Any, Any], Any]


def data(entries: int) -> dict[str, Any]:
    """Arrays of a square matrix with eight entries per row, and of vectors with entries at half of the positions."""
    random, n = np.random.default_rng(1), max(10, entries // 8)
    keys = np.unique(random.integers(0, n * n, entries))
    size = 2 * entries
    places = [np.sort(random.choice(size, entries, replace=False)) for _ in range(2)]
    some = np.sort(random.choice(n, max(2, n // 10), replace=False))
    return {
        "n": n,
        "rows": keys // n,
        "cols": keys % n,
        "values": random.random(len(keys)),
        "size": size,
        "places": places,
        "numbers": [random.random(entries) for _ in range(2)],
        "line": random.random(n),
        "some": some,
        "free": [(i, int(random.integers(n))) for i in range(min(n, 20))],
        "twice": random.random(2 * len(keys)),
        "repeated": (np.concatenate([keys // n] * 2), np.concatenate([keys % n] * 2)),
    }


MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "A": lambda lib, o: lib.Matrix.from_coo(o.rows, o.cols, o.values, nrows=o.n, ncols=o.n),
    "B": lambda lib, o: lib.Matrix.from_coo(o.cols, o.rows, o.values, nrows=o.n, ncols=o.n),
    "P": lambda lib, o: lib.Matrix.from_coo(o.rows, o.cols, True, nrows=o.n, ncols=o.n),
    "v": lambda lib, o: lib.Vector.from_coo(o.places[0], o.numbers[0], size=o.size),
    "w": lambda lib, o: lib.Vector.from_coo(o.places[1], o.numbers[1], size=o.size),
    "x": lambda lib, o: lib.Vector.from_dense(o.line),
    "y": lambda lib, o: lib.Vector.from_dense(o.line + 1),
    "few": lambda lib, o: lib.Vector.from_coo(o.some, 1.0, size=o.n),
    "short": lambda lib, o: lib.Vector.from_coo(o.some[:1000], 1.0, size=o.n),
    "Q": lambda lib, o: o.A[o.some, o.some].new(),
    "csr": lambda lib, o: scipy.sparse.csr_array((o.values, (o.rows, o.cols)), shape=(o.n, o.n)),
    "out": lambda lib, o: lib.Vector(float, o.n),
}


class Objects(SimpleNamespace):
    """The data, and objects of a library, made at their first use."""

    def __getattr__(self, name: str) -> Any:
        made = MAKERS[name](self.lib, self)
        setattr(self, name, made)
        return made


def elements(o: Objects, remove: bool) -> Any:
    for i, j in o.free:
        if remove:
            del o.A[i, j]
        else:
            o.A[i, j] = 2.5
    return o.A


def assigned(C: Any, index: Any, value: Any) -> Any:
    C[index] << value
    return C


def accumulated(lib: Any, out: Any, expression: Any) -> Any:
    out(lib.binary.plus) << expression
    return out


def masked(C: Any, mask: Any, value: Any) -> Any:
    C(mask) << value
    return C


#: ``first use`` calls get a new matrix ``o.F``.
CALLS: dict[str, Call] = {
    "A[i, j] = x, 20 times, wait": lambda lib, o: elements(o, False).wait(),
    "del A[i, j], 20 times, wait": lambda lib, o: elements(o, True).wait(),
    "A.get(i, j)": lambda lib, o: o.A.get(1, 2),
    "v.get(i)": lambda lib, o: o.v.get(3),
    "A.nvals": lambda lib, o: o.A.nvals,
    "A.dup()": lambda lib, o: o.A.dup(),
    "v.dup()": lambda lib, o: o.v.dup(),
    "A.T.new()": lambda lib, o: o.A.T.new(),
    "Matrix.from_coo": lambda lib, o: lib.Matrix.from_coo(o.rows, o.cols, o.values, nrows=o.n, ncols=o.n),
    "Matrix.from_coo, duplicates": lambda lib, o: lib.Matrix.from_coo(
        *o.repeated, o.twice, nrows=o.n, ncols=o.n, dup_op=lib.binary.plus
    ),
    "Vector.from_coo": lambda lib, o: lib.Vector.from_coo(o.places[0], o.numbers[0], size=o.size),
    "Vector.from_dense": lambda lib, o: lib.Vector.from_dense(o.line),
    "from_scipy_sparse": lambda lib, o: lib.io.from_scipy_sparse(o.csr),
    "A.to_coo()": lambda lib, o: o.A.to_coo() and None,
    "A.to_csr()": lambda lib, o: o.A.to_csr() and None,
    "v.to_coo()": lambda lib, o: o.v.to_coo() and None,
    "v.to_dense(0)": lambda lib, o: o.v.to_dense(0.0) is None,
    "A.diag()": lambda lib, o: o.A.diag(),
    "x.diag()": lambda lib, o: o.x.diag(),
    "A[I, J].new()": lambda lib, o: o.A[o.some, o.some].new(),
    "A[i, :].new()": lambda lib, o: o.A[1, :].new(),
    "A[:, j].new()": lambda lib, o: o.A[:, 1].new(),
    "v[I].new()": lambda lib, o: o.v[o.some].new(),
    "C[I, J] << Q": lambda lib, o: assigned(o.A, (o.some, o.some), o.Q),
    "C[i, :] << x": lambda lib, o: assigned(o.A, (1, slice(None)), o.few),
    "x[I] << 2": lambda lib, o: assigned(o.x, o.some, 2.0),
    "w(mask.S) << 2": lambda lib, o: masked(o.out, o.few.S, 2.0),
    "w(~mask.S) << v": lambda lib, o: masked(o.out, (~o.few.S), o.x),
    "A.mxv(x)": lambda lib, o: o.A.mxv(o.x).new(),
    "A.mxv(few)": lambda lib, o: o.A.mxv(o.few).new(),
    "x.vxm(A)": lambda lib, o: o.x.vxm(o.A).new(),
    "few.vxm(A)": lambda lib, o: o.few.vxm(o.A).new(),
    "A.mxv(x, min_plus)": lambda lib, o: o.A.mxv(o.x, lib.semiring.min_plus).new(),
    "out(plus) << A.mxv(x)": lambda lib, o: accumulated(lib, o.out, o.A.mxv(o.x)),
    "out(~m.S, replace) << few.vxm(P)": lambda lib, o: (
        o.out(~o.few.S, replace=True) << lib.semiring.any_pair(o.few @ o.P)
    ),
    "A.mxm(B)": lambda lib, o: o.A.mxm(o.B).new(),
    "A.mxm(B) masked": lambda lib, o: o.A.mxm(o.B).new(mask=o.A.S),
    "P.mxm(P, any_pair)": lambda lib, o: o.P.mxm(o.P, lib.semiring.any_pair).new(),
    "first use: x.vxm(F)": lambda lib, o: o.x.vxm(o.F).new(),
    "first use: F.T.mxv(x)": lambda lib, o: o.F.T.mxv(o.x).new(),
    "first use: F.mxv(x)": lambda lib, o: o.F.mxv(o.x).new(),
    "first use: F.mxv(few)": lambda lib, o: o.F.mxv(o.few).new(),
    "first use: column sums": lambda lib, o: o.F.reduce_columnwise().new(),
    "first use: column counts": lambda lib, o: o.F.reduce_columnwise(lib.agg.count).new(),
    "first use: row sums": lambda lib, o: o.F.reduce_rowwise().new(),
    "v.inner(w)": lambda lib, o: o.v.inner(o.w).new().value,
    "u.outer(u)": lambda lib, o: o.short.outer(o.short).new(),
    "v.ewise_add(w)": lambda lib, o: o.v.ewise_add(o.w).new(),
    "v.ewise_mult(w)": lambda lib, o: o.v.ewise_mult(o.w).new(),
    "v.ewise_union(w, 0, 0)": lambda lib, o: o.v.ewise_union(o.w, lib.binary.minus, 0.0, 0.0).new(),
    "A.ewise_add(B)": lambda lib, o: o.A.ewise_add(o.B).new(),
    "A.ewise_mult(B)": lambda lib, o: o.A.ewise_mult(o.B).new(),
    "x + y": lambda lib, o: lib.binary.plus(o.x | o.y).new(),
    "v.apply(abs)": lambda lib, o: o.v.apply(lib.unary.abs).new(),
    "A.apply(times, 2)": lambda lib, o: o.A.apply(lib.binary.times, right=2.0).new(),
    "A.select(> 0.5)": lambda lib, o: lib.select.valuegt(o.A, 0.5).new(),
    "A.select(tril)": lambda lib, o: lib.select.tril(o.A).new(),
    "v.reduce()": lambda lib, o: o.v.reduce().new().value,
    "A.reduce_scalar()": lambda lib, o: o.A.reduce_scalar().new().value,
    "A.reduce_rowwise()": lambda lib, o: o.A.reduce_rowwise().new(),
    "A.reduce_columnwise()": lambda lib, o: o.A.reduce_columnwise().new(),
    "A.isequal(A)": lambda lib, o: o.A.isequal(o.A),
    "A.resize": lambda lib, o: o.Q.dup().resize(o.Q.nrows, o.Q.ncols),
}


def check(name: str, mine: Any, other: Any) -> None:
    """Results of both libraries are alike."""
    if hasattr(mine, "to_coo"):
        for a, b in zip(mine.to_coo(), other.to_coo(), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, err_msg=name)
    elif mine is not None:
        np.testing.assert_allclose(mine, other, rtol=1e-9, err_msg=name)


def once(lib: Any, call: Call, o: Objects, times: int, fresh: bool) -> float:
    """Seconds of one call. SuiteSparse may defer work, so a call waits for its result."""
    if fresh:
        o.F = MAKERS["A"](lib, o)
        o.F.wait()
    time.sleep(REST)
    start = time.perf_counter()
    for _ in range(times):
        found = call(lib, o)
        if hasattr(found, "wait"):
            found.wait()
    return (time.perf_counter() - start) / times


def ratio(name: str, call: Call, pairs: list[tuple[Any, Objects]]) -> tuple[float, float]:
    """The lower quartiles of both, in seconds."""
    fresh = name.startswith("first use")
    for lib, o in pairs:
        o.F = MAKERS["A"](lib, o) if fresh else None
    check(name, *[call(lib, o) for lib, o in pairs])
    fewest, most, seconds = WARM_UP
    end = time.perf_counter() + seconds
    for number in range(most):
        for lib, o in pairs:
            first = once(lib, call, o, 1, fresh)
        if number >= fewest and time.perf_counter() > end:
            break
    times = 1 if fresh else max(1, min(300, int(SHORT / max(first, 1e-7))))
    trials = max(TRIALS[0], min(TRIALS[1], int(BUDGET / (2 * times * max(first, 1e-7)))))
    found = [[once(lib, call, o, times, fresh) for lib, o in pairs] for _ in range(trials)]
    mine, other = (statistics.quantiles(column, n=4)[0] for column in zip(*found, strict=True))
    return mine, other


def main(arguments: list[str] | None = None) -> int:
    sizes = {"type": int, "nargs": "+", "default": SIZES, "help": "numbers of entries"}
    options = parser("eager_ratios", __doc__, "only", "out", sizes=sizes).parse_args(arguments)
    suitesparse.set_threads(pool.threads())
    chosen = {name: call for name, call in CALLS.items() if re.search(options.only, name)}
    rows: dict[str, list[float]] = {name: [] for name in chosen}
    with gb.using("cpu"):
        for part, size in enumerate(options.sizes, 1):
            print(f"part {part} of {len(options.sizes)}: {size} entries", flush=True)
            given = data(size)
            for name, call in chosen.items():
                pairs = [(lib, Objects(lib=lib, **given)) for lib in (gb, ss)]  # calls may change them
                times = [ratio(name, call, pairs)]
                if times[0][0] > LIMIT * times[0][1]:
                    times += [ratio(name, call, pairs) for _ in range(2)]
                mine, other = sorted(times, key=lambda each: each[0] / each[1])[len(times) // 2]
                rows[name].append(mine / other)
                print(
                    f"  {size:8} {name:36} {mine * 1e6:11.1f} us {other * 1e6:11.1f} us {mine / other:7.2f}", flush=True
                )
    table = Table("Ratio of our time to python-graphblas's", ["call", *map(str, options.sizes)])
    for name, found in rows.items():
        table.add(name, *found)
    slow = sum(each > LIMIT for found in rows.values() for each in found)
    table.notes = [f"{slow} of {sum(map(len, rows.values()))} are above {LIMIT}"]
    print(table)
    write(options.out, "eager_ratios", {**describe(), "ratios": rows})
    return 0
