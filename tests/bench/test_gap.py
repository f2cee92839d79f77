"""The GAP benchmark: its verifiers reject changed results, and take arrays of a device, by calls that CuPy has."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from device_arrays import DeviceArray

import grblas_gpu as gb
from benchmarks import __main__ as program, gap, graph_challenge, speed_checks
from grblas_gpu import Matrix, Vector, algorithms, generators
from grblas_gpu.bench import graph500, graphs
from grblas_gpu.bench.graphs import BenchmarkGraph
from grblas_gpu.generators import kronecker_graphs


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


LIKE = DeviceArray(np.zeros(0))
SOURCE = 5


def test_of_trees_and_distances():
    A = generators.kronecker(7, 4)
    on_device = SimpleNamespace(_store=SimpleNamespace(**{k: DeviceArray(getattr(A._store, k)) for k in ARRAYS}))
    structure = on_device._store.indptr, on_device._store.indices
    W = graphs.weighted(A, np.float32, graph500._lengths)
    found = algorithms.sssp(W, SOURCE, predecessors=True)
    parents, distances = (
        DeviceArray(graphs.dense_array(vector, -1, dtype))
        for vector, dtype in ((found.predecessors, np.int64), (found.distances, np.float64))
    )
    graph500.check_tree(on_device, SOURCE, parents, DeviceArray(W._store.values), distances)
    W = graphs.weighted(A, np.uint8, lambda stream, edges: stream.below(255, edges) + np.uint64(1))
    distances = DeviceArray(graphs.dense_array(algorithms.sssp(W, SOURCE), -1, np.float64))
    speed_checks.check_distances(*structure, DeviceArray(W._store.values), distances, SOURCE)
    labels = speed_checks.propagated_labels(*structure, 4)
    assert labels.get().tolist() == algorithms.label_propagation(A, max_iterations=4).to_dense().tolist()


ARRAYS = ("indptr", "indices")


def test_of_generated_data(monkeypatch):
    expected = kronecker_graphs.drawn_degrees(5, 4)
    monkeypatch.setattr(kronecker_graphs, "engine_array", lambda: LIKE)
    assert kronecker_graphs.drawn_degrees(5, 4).get().tolist() == expected.tolist()
    ends = graph_challenge.packets(1000, LIKE)
    hidden = tuple(map(graph_challenge.anonymized, ends))
    assert graph_challenge.sensed_by_sorting(*hidden) == graph_challenge.sensed_by_sorting(*(x.get() for x in ends))
    assert [x.get().tolist() for x in graph_challenge.images(3, 1024, LIKE)] == [
        x.tolist() for x in graph_challenge.images(3, 1024, np.zeros(0))
    ]
