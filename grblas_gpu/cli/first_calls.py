"""Every algorithm of the library, and usual operations, as calls on a graph: to compile what they need.

``python -m grblas_gpu.cli.first_calls NAME --backend cuda`` makes these calls in a process of its own, and prints a
JSON object with its seconds and compilations.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..foundation.types import Json, Matrix

#: Arguments of algorithms that have no default, by the name of the parameter.
ARGUMENTS: dict[str, object] = {"source": 0, "target": 1, "sources": [0, 1], "vertices": [0, 1, 2, 3], "k": 3}
ARGUMENTS |= {"length": 4, "fanouts": [2], "count": 2, "pattern": [(0, 1), (1, 2)], "heuristic": {}}
ARGUMENTS |= {"expression": "A/A*", "rules": [("S", "A S A"), ("S", "A")]}
#: Further arguments that keep the calls short.
OPTIONS: dict[str, Json] = {
    "voterank": {"limit": 3},
    "katz": {"alpha": 1e-4},
    "eigenvector_centrality": {"max_iterations": 1000},
}
for _name in ("betweenness_centrality", "edge_betweenness_centrality", "load_centrality", "two_hop_neighbors"):
    OPTIONS[_name] = {"sources": [0, 1]}
#: Algorithms with a result for all pairs of vertices, or a search from each.
QUADRATIC = "apsp closeness cosine diameter eccentricity harmonic_centrality jaccard markov_clustering overlap".split()
QUADRATIC += "context_free_reachability forceatlas2 regular_reachability sorensen transitive_closure".split()
MOST_QUADRATIC = 9  # largest scale for them
ACYCLIC = ("topological_generations", "topological_order")
BIPARTITE = ("bipartite_sides", "maximum_bipartite_matching")
TYPES = ("BOOL", "INT64", "FP32", "FP64")  # value types of the graphs
SCALES = (6, 14, 16)  # of Kronecker graphs: operands of different sizes use different kernels


def names() -> list[str]:
    """The algorithms and operations that :func:`calls` knows."""
    from .. import algorithms

    public = [name for name in algorithms.__all__ if inspect.isfunction(getattr(algorithms, name))]
    return [*public, *OPERATIONS]


def graph(name: str, scale: int, dtype: str) -> Matrix:
    """A graph on which the algorithm has work to do."""
    from .. import generators, select

    scale = min(scale, MOST_QUADRATIC) if name in QUADRATIC else scale
    if name in BIPARTITE:
        side = 2 ** (scale // 2)
        return generators.grid_2d(side, side).dup(dtype)
    A = generators.kronecker(scale).dup(dtype)
    return select.triu(A, 1).new() if name in ACYCLIC else A


def call(name: str, A: Matrix) -> object:
    """The result of an operation, or of an algorithm with arguments for all parameters without a default."""
    from .. import Vector, algorithms

    if name in OPERATIONS:
        return OPERATIONS[name](A)
    function = getattr(algorithms, name)
    given = {"labels": Vector.from_scalar(0, A.nrows), "costs": A} | ARGUMENTS
    parameters = list(inspect.signature(function).parameters.values())[1:]
    required = [one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    return function(A, **{parameter: given[parameter] for parameter in required}, **OPTIONS.get(name, {}))


def _products(A: Matrix) -> None:
    from .. import Vector, semiring

    x = Vector.from_scalar(1, A.nrows, A.dtype)
    few = Vector.from_coo([0, 1], [1, 1], size=A.nrows, dtype=A.dtype)
    of_type = (semiring.lor_land,) if A.dtype == "BOOL" else (semiring.plus_times, semiring.min_plus)
    for ring in (*of_type, semiring.any_pair):
        for result in (ring(A @ x), ring(x @ A), ring(few @ A), ring(A @ A)):
            result.new()


def _elementwise(A: Any) -> None:
    from .. import binary, monoid, select, unary

    add, total = (binary.lor, monoid.lor) if A.dtype == "BOOL" else (binary.plus, monoid.plus)
    for expression in (add(A & A.T), add(A | A.T), select.triu(A), unary.one(A), A.T):
        expression.new()
    for expression in (A.reduce_rowwise(total), A.reduce_columnwise(total), A.reduce_scalar(total)):
        expression.new()


def _selections(A: Matrix) -> None:
    rows = list(range(0, A.nrows, 2))
    A[rows, rows].new()
    A[0, :].new()
    B = A.dup()
    B[rows, rows] << A[rows, rows].new()
    B(A.S, replace=True) << B


OPERATIONS: dict[str, Callable[[Matrix], object]] = {
    "products": _products,
    "elementwise": _elementwise,
    "selections": _selections,
}


def run(name: str, scales: list[int], types: list[str], backend: str) -> Json:
    """Wall-clock and CPU seconds of each call, seconds of the process, and the errors of calls."""
    start = time.perf_counter()
    import grblas_gpu as gb

    from ..bench.machine import synchronize

    seconds, processor, errors = [], [], []
    with gb.using(backend):
        for scale in scales:
            for dtype in types:
                A = graph(name, scale, dtype)
                before, busy = time.perf_counter(), time.process_time()
                try:
                    getattr(call(name, A), "nvals", None)
                except (gb.exceptions.GraphblasException, ValueError, TypeError) as error:
                    errors.append(f"{dtype}: {type(error).__name__}: {error}")
                synchronize(backend)
                seconds.append(time.perf_counter() - before)
                processor.append(time.process_time() - busy)
    found = {
        "name": name,
        "seconds": seconds,
        "processor": processor,
        "process": time.perf_counter() - start,
        "errors": errors,
    }
    from ..backends.cpu import background, compile

    if backend == "cpu":
        found["compilations"] = compile.compilations()
    background.stop()
    return found


def in_process(
    name: str,
    scales: tuple[int, ...],
    types: tuple[str, ...],
    backend: str,
    folder: Path,
    cold: bool,
    limit: float,
    archive: str = "",
    cupy_cache: Path | None = None,
) -> Json:
    """The result of :func:`run` in a new process; ``folder`` receives the CUDA programs that it uses.

    ``cold``: start with empty caches and the kernels of ``archive``, if it is given.
    """
    command = [sys.executable, "-m", __name__, name, "--backend", backend]
    command += ["--scales", *map(str, scales), "--types", *types]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as caches:  # a compiler may still write to it
        environment = os.environ | {"GRBLAS_GPU_RECORD_KERNELS": str(folder)}
        if cupy_cache is not None:
            environment["CUPY_CACHE_DIR"] = str(cupy_cache)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # byte code is there, as it is after an installation
        if not cold:
            environment["GRAPHBLAS_COMPILE"] = "wait"  # optimized kernels, which later processes load
        else:
            environment |= {"CUPY_CACHE_DIR": f"{caches}/cupy", "GRBLAS_GPU_CACHE_DIR": caches}
            environment |= {"CUDA_CACHE_DISABLE": "1", "GRBLAS_GPU_KERNELS": archive}
        before = set(folder.iterdir())
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return {"name": name, "errors": [f"more than {limit:g} s"]}
        if done.returncode:
            return {"name": name, "errors": [(done.stderr.splitlines() or ["failed"])[-1]]}
    found: Json = json.loads(done.stdout.splitlines()[-1])
    if backend == "cuda":
        found["compilations"] = len(set(folder.iterdir()) - before)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog=f"python -m {__spec__.name}", description="the first calls of an algorithm")
    parser.add_argument("name", choices=names())
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--scales", nargs="+", type=int, default=list(SCALES))
    parser.add_argument("--types", nargs="+", choices=TYPES, default=list(TYPES))
    options = parser.parse_args()
    print(json.dumps(run(options.name, options.scales, options.types, options.backend)))


if __name__ == "__main__":
    main()
