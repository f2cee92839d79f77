"""``bfs``, and files of graphs."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from command_line import run

import grblas_gpu as gb
from grblas_gpu import algorithms, io


@pytest.mark.parametrize("algorithm", ["bfs", "dobfs", "turbobfs", "hybrid_bfs", "xbfs"])
def test_bfs(capsys, graph, algorithm):
    A, file, source = graph
    levels = algorithms.bfs(A, source)
    code, out, err = run(capsys, f"bfs --source {source} --algorithm {algorithm} --json", file)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["level_sizes"] == np.bincount(levels.to_coo()[1]).tolist()
    assert found["reached"] == levels.nvals
    assert found["milliseconds"] > 0


def test_bfs_shows_and_writes(capsys, graph, tmp_path):
    A, file, source = graph
    code, out, _ = run(capsys, f"bfs -s {source} --trace", file, "-o", tmp_path / "levels.txt")
    assert code == 0
    assert "reached" in out
    assert "strategy" in out
    assert "vxm" in out
    written = np.loadtxt(tmp_path / "levels.txt", dtype=np.int64)
    index, values = algorithms.bfs(A, source).to_coo()
    np.testing.assert_array_equal(written, np.stack([index, values], axis=1))


def test_bfs_trace_as_json_and_plot(capsys, graph, tmp_path):
    pytest.importorskip("matplotlib")
    _, file, source = graph
    code, out, _ = run(capsys, f"bfs -s {source} --trace --json", file, "--plot", tmp_path / "p.svg")
    assert code == 0
    assert any(record["direction"] for record in json.loads(out)["trace"])
    assert "<svg" in (tmp_path / "p.svg").read_text()


def test_directions_and_numbers_of_an_edge_list(capsys, tmp_path):
    file = tmp_path / "g.txt"
    file.write_text("# a comment\n1 2\n2 3\n")
    reached = [
        json.loads(run(capsys, f"bfs -s {source} {options} --json", file)[1])["reached"]
        for source, options in ((3, ""), (3, "-u"), (2, "-u --base 1"))
    ]
    assert reached == [1, 3, 3]


def test_undirected_matrix_market(capsys, tmp_path):
    io.mmwrite(str(tmp_path / "g.mtx"), gb.Matrix.from_coo([0, 1], [1, 2], [5, 6], nrows=3, ncols=3))
    sizes = [json.loads(run(capsys, f"bfs -s 2 {u} --json", tmp_path / "g.mtx")[1])["reached"] for u in ("", "-u")]
    assert sizes == [1, 3]


@pytest.mark.parametrize("file", ["g.mtx", "g.txt", "g.npz", "g.grb", "labels.csv"])
def test_undirected_edges_keep_their_weights(capsys, tmp_path, file):
    """Of 0 -> 1 -> 2 and 1 -> 0 all but one is entered the other way round."""
    A = gb.Matrix.from_coo([0, 1, 1], [1, 0, 2], [1.5, 1.5, 2], nrows=3, ncols=3)
    writers = {".mtx": io.mmwrite, ".txt": io.write_edgelist, ".npz": io.save_npz, ".grb": io.save}
    if file == "labels.csv":
        (tmp_path / file).write_text("a,b,1.5\nb,a,1.5\nb,c,2\n")
    else:
        writers[Path(file).suffix](str(tmp_path / file), A)
    source = "c" if file == "labels.csv" else 2
    found = run(capsys, f"sssp -s {source} -u --csv", tmp_path / file)[1].split()
    assert [line.split(",")[1] for line in found] == ["distance", "3.5", "2.0", "0.0"]
    assert json.loads(run(capsys, f"bfs -s {source} -u --json", tmp_path / file)[1])["depth"] == 2


@pytest.mark.parametrize("lines", ["0 1 2\n1 0 3\n", "0 1 2\n0 1 3\n"])
def test_an_edge_with_two_weights(capsys, tmp_path, lines):
    (tmp_path / "e.txt").write_text(lines)
    code, out, err = run(capsys, "sssp -s 0 -u", tmp_path / "e.txt")
    assert code and not out and re.search("equal weights; the one between .* has 2.0 and 3.0|Duplicate edge", err)
    for command in ("bfs -s 0", "core", "components"):  # to which weights do not matter
        assert run(capsys, f"{command} -u", tmp_path / "e.txt")[0] == 0


@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_backend(capsys, graph, backend):
    _, file, source = graph
    before = gb.Vector(int, 1).backend
    found = json.loads(run(capsys, f"bfs -s {source} --backend {backend} --json", file)[1])
    assert found["backend"] == backend
    assert gb.Vector(int, 1).backend == before


def test_long_searches_are_shown_in_part(capsys, tmp_path):
    run(capsys, "generate path 200 -o", tmp_path / "p.mtx")
    code, out, _ = run(capsys, "bfs -s 0", tmp_path / "p.mtx")
    assert code == 0
    assert "..." in out
    assert out.count("\n") < 70


def test_warnings_are_one_line(capsys, tmp_path, monkeypatch):
    centrality = algorithms.betweenness_centrality

    def warning(*args, **options):
        warnings.warn("this takes a while", RuntimeWarning, 2)
        return centrality(*args, **options)

    monkeypatch.setattr(algorithms, "betweenness_centrality", warning)
    run(capsys, "generate grid_2d 4 -o", tmp_path / "g.mtx")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, _, err = run(capsys, "bc -s 0", tmp_path / "g.mtx")
    assert code == 0
    assert err == "grblas-gpu: warning: this takes a while\n"
