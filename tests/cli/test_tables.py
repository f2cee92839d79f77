"""Edges that repeat, and results as tables: nothing is cut off, dropped, or written in another format than named."""

import csv
import json

import numpy as np
import pytest
from command_line import one_line_error, run

from grblas_gpu import algorithms, generators, io


@pytest.fixture
def repeated(tmp_path):
    file = tmp_path / "twice.csv"
    file.write_text("from,to,km\nann,bob,1\nbob,cid,2\nann,bob,3\n")
    return file


@pytest.mark.parametrize(("policy", "distance"), [("sum", 4), ("max", 3), ("min", 1), ("first", 1), ("last", 3)])
def test_repeated_edges_are_combined(capsys, repeated, policy, distance):
    out = run(capsys, f"sssp -s ann --csv --duplicates {policy}", repeated)[1]
    assert out.splitlines()[2] == f"bob,{distance}.0"


def test_repeated_edges_are_named(capsys, repeated, tmp_path):
    one_line_error(capsys, "sssp -s ann", repeated, match="'ann' to 'bob': 1.0 (line 2) and 3.0 (line 4)")
    (tmp_path / "numbers.txt").write_text("# x\n1 2 5\n\n3 1 6\n2 1 7\n1 2 8\n")
    match = "numbers.txt: Duplicate edge from 1 to 2: 5.0 (line 2) and 8.0 (line 6)"
    one_line_error(capsys, "sssp -s 1", tmp_path / "numbers.txt", match=match)
    one_line_error(capsys, "sssp -s 1", tmp_path / "numbers.txt", match="--duplicates")


def test_repeated_entries_of_matrix_market(capsys, tmp_path):
    file = tmp_path / "m.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n1 2 6\n")
    assert run(capsys, "sssp -s 0 --csv --duplicates sum", file)[1].splitlines()[2] == "1,11.0"


def test_a_path_is_whole(capsys, tmp_path):
    io.write_edgelist(str(tmp_path / "p.txt"), generators.path(26))
    found = json.loads(run(capsys, "path -s 0 --target 25 --json", tmp_path / "p.txt")[1])
    assert [row["vertex"] for row in found["top"]] == list(range(26))
    text = run(capsys, "path -s 0 --target 25", tmp_path / "p.txt")[1]
    assert text.splitlines()[-1].split() == ["25", "25"]


def test_what_is_left_out_is_counted(capsys, graph):
    text = run(capsys, "pagerank --top 3", graph[1])[1]
    assert f"... and {graph[0].nrows - 3} more" in text.splitlines()[-1]
    assert "more" not in run(capsys, f"pagerank --top {graph[0].nrows}", graph[1])[1]


@pytest.mark.parametrize("command", ["pagerank", "bfs -s 0", "bc"])
@pytest.mark.parametrize("suffix", ["csv", "json", "npz", "parquet", "feather"])
def test_outputs_by_suffix(capsys, graph, tmp_path, suffix, command):
    file = tmp_path / f"out.{suffix}"
    if suffix in ("parquet", "feather"):
        pytest.importorskip("pyarrow")
    assert run(capsys, command, graph[1], "-o", file)[0] == 0
    name = {"pagerank": "rank", "bc": "centrality"}.get(command, "level")
    if suffix == "csv":
        rows = list(csv.DictReader(file.open()))
    elif suffix == "json":
        rows = json.loads(file.read_text())
    elif suffix == "npz":
        held = np.load(file)
        rows = [{"vertex": i, name: x} for i, x in zip(held["vertex"], held[name], strict=True)]
    else:
        from pyarrow import feather, parquet

        rows = (parquet if suffix == "parquet" else feather).read_table(file).to_pylist()
    A = graph[0]
    expected = {"rank": algorithms.pagerank, "centrality": algorithms.betweenness_centrality}.get(name)
    values = (algorithms.bfs(A, 0) if expected is None else expected(A)).to_dict()
    found = {int(row["vertex"]): float(row[name]) for row in rows}
    assert found == pytest.approx({i: x for i, x in values.items() if i in found}) and len(found) == len(values)


def test_one_format_is_printed(capsys, graph):
    for options in ("--csv --json", "--json --csv"):
        with pytest.raises(SystemExit):
            run(capsys, f"pagerank {options}", graph[1])
        assert "not allowed with argument" in capsys.readouterr().err


def test_unknown_outputs_are_refused_before_work(capsys, graph, tmp_path):
    one_line_error(capsys, "pagerank", graph[1], "-o", tmp_path / "out.xlsx", match="unknown suffix", exit_code=2)
