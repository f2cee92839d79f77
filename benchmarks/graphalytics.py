"""LDBC Graphalytics on Graph500 graphs as LDBC has them: its six kernels, each verified by other means.

python -m benchmarks graphalytics --scale 24 --backend cuda
grblas-gpu graphalytics FOLDER         # data sets with reference outputs
"""

import re
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, generators
from grblas_gpu.bench.graphalytics import EPSILON, KERNELS, Dataset, measure

from . import cases_gpu, speed_checks
from .cases_gpu import Case
from .common import BenchmarkGraph, Table, parser, report

ROUNDS = 10  # of PageRank and of label propagation
#: Mean processing seconds of the published results of 2023, on graphs of class L (graph500-24 and -25 are among them).
PUBLISHED = "published 2023, mean of class L: GraphBLAS, one Xeon server 9.9 s; libgrape-gpu, eight A100 0.132 s"


def graph500(scale: int) -> Matrix:
    """A Graph500 graph without its vertices that have no edge."""
    A = generators.kronecker(scale)
    return algorithms.induced_subgraph(A, A.reduce_rowwise(gb.agg.count).new()).matrix


def check_ranks(case: Case, ranks: Any, source: int) -> None:
    expected, _ = speed_checks.power_iteration(case.ones, case.degrees, ROUNDS)
    speed_checks.check_ranks(case.dense(ranks, 0.0, np.float64), expected, EPSILON)


def check_labels(case: Case, labels: Any, source: int) -> None:
    if bool((case.dense(labels, -1, np.int64) != speed_checks.propagated_labels(*case.structure, ROUNDS)).any()):
        raise speed_checks.WrongResult("a vertex has another label")


def check_coefficients(case: Case, coefficients: Any, source: int) -> None:
    triangles = int(speed_checks.count_triangles(*case.directed))
    speed_checks.check_coefficients(*case.graph.csr, coefficients.to_dense(), triangles)


CHECKS = {
    "bfs": cases_gpu.KERNELS["bfs"].check,
    "pr": check_ranks,
    "wcc": cases_gpu.check_components,
    "cdlp": check_labels,
    "lcc": check_coefficients,
    "sssp": cases_gpu.check_sssp,
}


def main(arguments: list[str] | None = None) -> int:
    options = parser("graphalytics", __doc__, "backend", "only", "out", scale=12, trials=3).parse_args(arguments)
    case = Case(BenchmarkGraph(f"graph500-{options.scale}", graph500, options.scale), options.backend)
    source = case.graph.sources(1)[0]
    given = {f"{kernel}.source-vertex": str(source) for kernel in ("bfs", "sssp")}
    given |= {"pr.damping-factor": "0.85", "pr.num-iterations": str(ROUNDS), "cdlp.max-iterations": str(ROUNDS)}
    table = Table(f"LDBC Graphalytics, {options.backend}", "graph,kernel,vertices,edges,first ms,ms,EVPS".split(","))
    rows = []
    with gb.using(options.backend):
        for name in (name for name in KERNELS if re.search(options.only, name)):
            A = case.weighted if name == "sssp" else case.A
            data = Dataset(case.graph.name, A, np.arange(A.nrows), False, given)
            row = measure(data, name, options.trials)
            CHECKS[name](case, KERNELS[name].run(data), source)
            rows.append(row | {"verified": True})
            sizes = row["graph"], name, row["vertices"], row["edges"]
            table.add(*sizes, row["first_s"] * 1e3, row["seconds"]["median"] * 1e3, row["evps"])
    table.notes = [f"all verified; EVPS: vertices and edges per second; {PUBLISHED}"]
    table.notes += ["distances have lengths from 1 to 255, which LDBC's Graph500 graphs lack"]
    report(options.out, "graphalytics", table, rows)
    return 0
