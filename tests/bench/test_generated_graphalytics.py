"""Graphalytics on generated graphs: the six kernels run, and the checks reject changed results."""

from __future__ import annotations

import json

import pytest

import grblas_gpu as gb
from benchmarks import __main__ as program, graphalytics
from grblas_gpu.bench.graphs import BenchmarkGraph


def test_program(capsys, tmp_path):
    assert program.main(f"graphalytics --backend cpu --scale 6 --trials 1 --out {tmp_path}".split()) == 0
    assert "published 2023" in capsys.readouterr().out
    rows = json.loads((tmp_path / "graphalytics.json").read_text())["rows"]
    assert [row["kernel"] for row in rows] == list(graphalytics.KERNELS) and all(row["verified"] for row in rows)


@pytest.mark.parametrize("kernel", graphalytics.KERNELS)
def test_changed_results_are_rejected(kernel):
    case = graphalytics.Case(BenchmarkGraph("small", graphalytics.graph500, 7), "cpu")
    assert case.degrees.min() > 0  # LDBC's graphs have no vertex without an edge
    source = case.graph.sources(1)[0]
    A = case.weighted if kernel == "sssp" else case.A
    given = {f"{name}.source-vertex": str(source) for name in ("bfs", "sssp")}
    given |= {"pr.damping-factor": "0.85", "pr.num-iterations": "10", "cdlp.max-iterations": "10"}
    data = graphalytics.Dataset("small", A, graphalytics.np.arange(A.nrows), False, given)
    result = graphalytics.KERNELS[kernel].run(data)
    graphalytics.CHECKS[kernel](case, result, source)
    where, values = result.to_coo()
    changed = values.copy()
    last = len(values) - 1 - (where[-1] == source)
    changed[last] = changed[last] * 1.01 + 0.01 if changed.dtype.kind == "f" else changed[last] + 1
    with pytest.raises(graphalytics.speed_checks.WrongResult):
        graphalytics.CHECKS[kernel](case, gb.Vector.from_coo(where, changed, size=result.size), source)
