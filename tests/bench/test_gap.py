"""The GAP benchmark runs on directed and undirected graphs, and its verifiers reject changed results."""

from __future__ import annotations

import json

import numpy as np
import pytest

import grblas_gpu as gb
from benchmarks import __main__ as program, gap
from grblas_gpu import Matrix, Vector, generators
from grblas_gpu.bench.graphs import BenchmarkGraph


def directed() -> Matrix:
    A = generators.kronecker(7, 6, seed=2)
    rows, cols, _ = A.to_coo()
    keep = (rows * 7 + cols) % 5 < 3
    return Matrix.from_coo(rows[keep], cols[keep], True, nrows=A.nrows, ncols=A.ncols)


GRAPHS = {"symmetric": lambda: generators.kronecker(7, 6), "directed": directed}


@pytest.mark.parametrize("kernel", gap.KERNELS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_verifiers(graph, kernel):
    case = gap.Case(BenchmarkGraph(graph, GRAPHS[graph]), "cpu")
    rule, sources = gap.KERNELS[kernel], case.graph.sources(4)
    with gb.using("cpu"):
        result = rule.run(case, sources)
        rule.check(case, result, sources)
        if isinstance(result, int):
            changed = [result + 1]
        else:
            where, values = result.to_coo()
            last = len(values) - 1 if where[-1] not in sources else len(values) - 2
            more = values.copy()
            more[last] = (values[last] + 1) * 1.001 if values.dtype.kind == "f" else case.A.nrows + 1
            fewer = np.arange(len(values)) != last
            changed = [Vector.from_coo(where, more, size=result.size)]
            if kernel != "bc":
                changed.append(Vector.from_coo(where[fewer], values[fewer], size=result.size))
        for wrong in changed:
            with pytest.raises((gap.WrongResult, AssertionError, IndexError)):
                rule.check(case, wrong, sources)


def test_program(capsys, tmp_path):
    file = tmp_path / "small.mtx"
    gb.io.mmwrite(file, directed())
    words = f"gap --backend cpu --scale 6 --trials 1 --graph small={file} --out {tmp_path}".split()
    assert program.main(words) == 0
    assert capsys.readouterr().out.count("\nsmall") == len(gap.KERNELS)
    rows = json.loads((tmp_path / "gap.json").read_text())["rows"]
    assert len(rows) == 3 * len(gap.KERNELS) and all(row["verified"] for row in rows)
