"""Bad files and bad arguments are one line on standard error, and change nothing."""

import gzip
import json
import subprocess
import sys

import pytest
from command_line import one_line_error, run

from grblas_gpu import algorithms
from grblas_gpu.cli import main


def test_bad_files(capsys, tmp_path):
    def file(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    header = "%%MatrixMarket matrix coordinate pattern general\n"
    one_line_error(capsys, "bfs -s 0", tmp_path / "missing.mtx", match="missing.mtx")
    one_line_error(capsys, "bfs -s 0", file("a.mtx", "nothing of the kind\n"), match="a.mtx")
    one_line_error(capsys, "bfs -s 0", file("e.txt", "0 1\n1 x\n"), match="line 2: vertex 'x' is not an integer; ")
    one_line_error(capsys, "bfs -s 0", file("e4.txt", "0 1 2 3\n"), match="(--columns) says which")
    one_line_error(capsys, "bfs -s 0", file("g.grb", "no such file"), match="g.grb")
    one_line_error(capsys, "bfs -s 0", file("h.mtx", f"{header}2 3 1\n1 2\n"), match="square")
    one_line_error(capsys, "bfs -s 0", tmp_path, match=f"{tmp_path}: Is a directory")
    whole = gzip.compress(f"{header}3 3 2\n1 2\n2 3\n".encode() * 50)
    (tmp_path / "i.mtx.gz").write_bytes(whole[: len(whole) // 2])
    one_line_error(capsys, "bc", tmp_path / "i.mtx.gz", match="i.mtx.gz: line ")


def test_bad_sources(capsys, graph):
    _, file, _ = graph
    one_line_error(capsys, "bfs -s 64", file, match="vertices 0 to 63", exit_code=2)
    one_line_error(capsys, "bfs -s one", file, match="no vertex has the label 'one'", exit_code=2)
    one_line_error(capsys, "bc -s 99", file, match="not a vertex", exit_code=2)


def test_labels_in_messages(capsys, tmp_path):
    (tmp_path / "roads.csv").write_text("from,to,km\nann,bob,2\ncid,dan,3\n")
    one_line_error(
        capsys, "path --source dan --target ann", tmp_path / "roads.csv", match="no path leads from 'dan' to 'ann'"
    )


def test_nothing_is_written_when_something_fails(capsys, graph, tmp_path):
    _, file, _ = graph
    one_line_error(capsys, "bfs -s 99", file, "-o", tmp_path / "levels.txt", match="not a vertex", exit_code=2)
    assert not (tmp_path / "levels.txt").exists()
    one_line_error(capsys, "bfs -s 0", file, "-o", tmp_path / "none" / "levels.txt", match="no such folder")
    wrong = ("-o", tmp_path / "levels.txt", "--plot", tmp_path / "levels.movie")
    one_line_error(capsys, "bfs -s 0", file, *wrong, match="unknown picture format; choose one of ", exit_code=2)
    assert not (tmp_path / "levels.txt").exists()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "fly",
        "bfs",
        "bfs g.mtx",
        "bfs g.mtx --source -1",
        "bfs g.mtx --source 1 --columns a",
        "bfs g.mtx --source 1 --header --no-header",
        "bc g.mtx --source -3",
        "bfs g.mtx --source 1 --algorithm dijkstra",
        "bfs g.mtx --source 1 --repeat 0",
        "bfs g.mtx --source 1 --backend fpga",
        "bc g.mtx --top 0",
        "generate",
        "generate tree 3",
        "generate path",
        "generate path three",
        "generate kronecker -5",
        "katz g.mtx --alpha much",
        "bench --sources 0",
    ],
)
def test_bad_arguments(capsys, line):
    with pytest.raises(SystemExit) as exit_:
        main(line.split())
    assert exit_.value.code == 2
    assert capsys.readouterr().err.startswith("usage: grblas-gpu")


def test_a_missing_device_is_one_line(capsys, graph):
    if json.loads(run(capsys, "info --json")[1])["backends"]["cuda"] == "ready":
        pytest.skip("there is a device")
    _, file, source = graph
    one_line_error(capsys, f"bfs -s {source} --backend cuda", file, match="backend 'cuda'")
    one_line_error(capsys, "bench --small --backend cuda", match="backend 'cuda'")


def test_interruption(capsys, graph, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    _, file, source = graph
    monkeypatch.setattr(algorithms, "dobfs", interrupted)
    code, out, err = run(capsys, f"bfs -s {source}", file)
    assert (code, out) == (130, "")
    assert "interrupted" in err


def test_a_reader_that_leaves(graph):
    _, file, source = graph
    command = f"{sys.executable} -m grblas_gpu.cli bfs {file} -s {source} --trace | head -c 5"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
