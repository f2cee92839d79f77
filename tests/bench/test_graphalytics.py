"""LDBC Graphalytics: every reference output of its example graphs, on every engine, and rules that reject others.

On generated graphs the six kernels run, and the checks reject changed results.
"""

import json
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from mpi_jobs import launch

import grblas_gpu as gb
from benchmarks import __main__ as program, graphalytics as generated
from grblas_gpu import cli
from grblas_gpu.bench import graphalytics
from grblas_gpu.bench.graphs import BenchmarkGraph
from grblas_gpu.bench.verify import WrongResult

FOLDER = Path(__file__).resolve().parents[1] / "data" / "ldbc"
OUTPUTS = sorted(path.name for path in FOLDER.iterdir() if path.name.rpartition("-")[2].lower() in graphalytics.KERNELS)


@cache
def data_of(name: str) -> graphalytics.Dataset:
    return next(data for data in graphalytics.datasets(FOLDER, "numpy") if data.name == name)


def on(backend: str, name: str) -> graphalytics.Dataset:
    data = data_of(name)
    return graphalytics.Dataset(name, data.A.to(backend), data.ids, data.directed, data.parameters)


def test_there_are_24_outputs():
    assert len(OUTPUTS) == 24


@pytest.mark.parametrize("output", OUTPUTS)
def test_reference_outputs(backend, output):
    graph, _, kernel = output.rpartition("-")
    data, kernel = on(backend, graph), kernel.lower()
    assert kernel in graphalytics.kernels_of(data)
    expected = graphalytics.reference(FOLDER / output, kernel, data.ids)
    assert graphalytics.measure(data, kernel, 1, expected)["validated"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_one_changed_number_is_rejected(output):
    graph, _, kernel = output.rpartition("-")
    data, kernel = data_of(graph), kernel.lower()
    expected = graphalytics.reference(FOLDER / output, kernel, data.ids)
    for vertex in range(len(expected)):
        changed = expected.copy()
        changed[vertex] = changed[vertex] * 1.0002 + 1e-9 if changed.dtype == float else data.ids.max() + 1
        if np.array_equal(changed, expected):  # an infinite distance
            changed[vertex] = 1e300
        if kernel == "wcc" and (expected == expected[vertex]).sum() == 1:
            graphalytics.check(data, kernel, changed, expected)  # another name for a vertex of its own
            continue
        with pytest.raises(WrongResult, match=f"vertex {data.ids[vertex]} has|wcc on"):
            graphalytics.check(data, kernel, changed, expected)


def test_rules():
    near = np.array([1.0, 2.0, 0.0, np.inf])
    assert not graphalytics.differ_much(near * 1.00005, near).any()
    assert graphalytics.differ_much(np.array([1.0002, np.nan, 1e-12, 5.0]), near).all()
    assert not graphalytics.split_differently(np.array([5, 5, 3]), np.array([0, 0, 2])).any()
    assert graphalytics.split_differently(np.array([5, 5, 5]), np.array([0, 0, 2])).all()  # joined
    assert graphalytics.split_differently(np.array([5, 4, 3]), np.array([0, 0, 2])).tolist() == [True, True, False]


def test_bad_data_sets(tmp_path, capsys):
    with pytest.raises(FileNotFoundError, match=r"no file NAME\.properties"):
        list(graphalytics.datasets(tmp_path))
    data = data_of("test-bfs-directed")
    with pytest.raises(WrongResult, match="other vertices"):
        graphalytics.reference(FOLDER / "test-bfs-directed-BFS", "bfs", data.ids[1:])
    away = graphalytics.Dataset("x", data.A, data.ids, True, {"bfs.source-vertex": "77"})
    with pytest.raises(ValueError, match=r"x: bfs\.source-vertex 77 is not a vertex"):
        away.source("bfs")
    assert cli.main(["graphalytics", str(FOLDER), "--kernels", "dfs"]) == 2
    assert "unknown dfs" in capsys.readouterr().err


def test_vertices_in_any_order(tmp_path):
    """Identifiers, not positions in the file, decide between labels."""
    for path in FOLDER.glob("test-cdlp-undirected*"):
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        (tmp_path / path.name).write_text("".join(reversed(lines)) if path.suffix == ".v" else text)
    (data,) = graphalytics.datasets(tmp_path)
    expected = graphalytics.reference(tmp_path / "test-cdlp-undirected-CDLP", "cdlp", data.ids)
    assert graphalytics.measure(data, "cdlp", 1, expected)["validated"]


def test_command(capsys):
    command = ["graphalytics", str(FOLDER), "--kernels", "bfs,wcc", "--trials", "1", "--backend", "numpy"]
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert out.count(" yes") == 8 and "commit " in out
    assert cli.main([*command, "--json"]) == 0
    assert all(row["validated"] for row in json.loads(capsys.readouterr().out)["rows"])


@pytest.mark.slow
@pytest.mark.parametrize("kernel", graphalytics.KERNELS)
@pytest.mark.parametrize("graph", ["example-directed", "example-undirected"])
def test_reference_outputs_of_a_device(to_device, graph, kernel):
    """On a GPU where there is one, otherwise on the emulated CUDA engine."""
    data = data_of(graph)
    moved = graphalytics.Dataset(graph, to_device(data.A.to("cpu")), data.ids, data.directed, data.parameters)
    found = graphalytics.output(moved, kernel, graphalytics.KERNELS[kernel].run(moved))
    graphalytics.check(
        data, kernel, found, graphalytics.reference(FOLDER / f"{graph}-{kernel.upper()}", kernel, data.ids)
    )


def test_two_ranks():
    pytest.importorskip("mpi4py")
    command = ["-m", "grblas_gpu", "graphalytics", str(FOLDER), "--trials", "1", "--backend", "mpi"]
    done = launch(2, sys.executable, *command)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count(" yes") == 24 and "no reference" not in done.stdout


def test_program(capsys, tmp_path):
    assert program.main(f"graphalytics --backend cpu --scale 6 --trials 1 --out {tmp_path}".split()) == 0
    assert "published 2023" in capsys.readouterr().out
    rows = json.loads((tmp_path / "graphalytics.json").read_text())["rows"]
    assert [row["kernel"] for row in rows] == list(generated.KERNELS) and all(row["verified"] for row in rows)


@pytest.mark.parametrize("kernel", generated.KERNELS)
def test_changed_results_are_rejected(kernel):
    case = generated.Case(BenchmarkGraph("small", generated.graph500, 7), "cpu")
    assert case.degrees.min() > 0  # LDBC's graphs have no vertex without an edge
    source = case.graph.sources(1)[0]
    A = case.weighted if kernel == "sssp" else case.A
    given = {f"{name}.source-vertex": str(source) for name in ("bfs", "sssp")}
    given |= {"pr.damping-factor": "0.85", "pr.num-iterations": "10", "cdlp.max-iterations": "10"}
    data = generated.Dataset("small", A, np.arange(A.nrows), False, given)
    result = generated.KERNELS[kernel].run(data)
    generated.CHECKS[kernel](case, result, source)
    where, values = result.to_coo()
    changed = values.copy()
    last = len(values) - 1 - (where[-1] == source)
    changed[last] = changed[last] * 1.01 + 0.01 if changed.dtype.kind == "f" else changed[last] + 1
    with pytest.raises(WrongResult):
        generated.CHECKS[kernel](case, gb.Vector.from_coo(where, changed, size=result.size), source)
