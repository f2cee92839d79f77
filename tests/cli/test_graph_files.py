"""Graphs from files and standard input: tables, labels, archives."""

import bz2
import gzip
import io as streams
import json
import lzma
import subprocess
import sys
import tarfile

import pytest
from command_line import one_line_error, run

import grblas_gpu as gb
from grblas_gpu import io
from grblas_gpu.foundation import progress


def piped(content: bytes, *arguments):
    command = [sys.executable, "-m", "grblas_gpu", *map(str, arguments)]
    return subprocess.run(command, input=content, capture_output=True, check=False)


def test_standard_output_is_an_edge_list(capsys):
    code, out, err = run(capsys, "generate path 3 -o -")
    assert (code, out) == (0, "0 1\n1 0\n1 2\n2 1\n")
    assert "vertices" in err


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_standard_input(pack):
    for text in (b"0 1\n1 2\n", b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"):
        done = piped(pack(text), "bfs", "-", "-s", "0", "-o", "-")
        assert (done.returncode, done.stdout) == (0, b"0 0\n1 1\n2 2\n"), done.stderr
        if pack is not bytes:
            break


def collection_archive() -> bytes:
    """As the SuiteSparse Matrix Collection packs a matrix and what belongs to it."""
    whole = streams.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        for name, text in {
            "way/way_b.mtx": "%%MatrixMarket matrix array real general\n1 1\n1.0\n",
            "way/way.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
        }.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, streams.BytesIO(text.encode()))
    return whole.getvalue()


@pytest.mark.parametrize("name", ["way.tar.gz", "downloaded.tar.gz"])
def test_archives_of_the_collection(capsys, tmp_path, name):
    (tmp_path / name).write_bytes(collection_archive())
    assert json.loads(run(capsys, "bfs -s 0 --json", tmp_path / name)[1])["level_sizes"] == [1, 1, 1]


class Pipe:
    """What `main` reads from standard input."""

    def __init__(self, content: bytes) -> None:
        self.buffer = streams.BytesIO(content)


@pytest.mark.parametrize("command", ["bfs -s 0", "bc -s 0", "sssp -s 0", "pagerank", "components -u"])
def test_commands_read_standard_input(capsys, monkeypatch, command):
    for content in (collection_archive(), b"\xef\xbb\xbfsrc,dst\r\n0,1\r\n1,2\r\n"):
        monkeypatch.setattr(sys, "stdin", Pipe(content))
        code, out, err = run(capsys, f"{command} - --json")
        assert code == 0, err
        assert json.loads(out)["entries"] == (4 if "-u" in command else 2)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (collection_archive()[:60], "standard input: Compressed file ended"),
        (b"0 1\n\xff 2\n", "standard input: line 2: not text"),
        (b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n9 1\n", "standard input: Line 3"),
    ],
    ids=["cut off", "not text", "wrong index"],  # the archive has the time in it, and workers must agree on names
)
def test_standard_input_is_named_in_messages(capsys, monkeypatch, content, match):
    monkeypatch.setattr(sys, "stdin", Pipe(content))
    one_line_error(capsys, "bfs -s 0 -", match=match)


def test_csv_means_commas(capsys, tmp_path):
    (tmp_path / "e.csv").write_text('from,to\nann,bob\nbob,"cid, junior"\n')
    code, out, _ = run(capsys, "bfs -s ann --json", tmp_path / "e.csv", "-o", tmp_path / "levels.csv")
    assert code == 0
    assert json.loads(out)["source"] == "ann"
    assert (tmp_path / "levels.csv").read_text() == 'vertex,level\nann,0\nbob,1\n"cid, junior",2\n'
    run(capsys, "bc -u --top 1 --json", tmp_path / "e.csv", "-o", tmp_path / "scores.tsv")
    assert (tmp_path / "scores.tsv").read_text().splitlines()[1] == "bob\t1.0"
    assert run(capsys, "bfs -s ann -o -", tmp_path / "e.csv")[1] == 'ann 0\nbob 1\n"cid, junior" 2\n'
    one_line_error(capsys, "bfs -s dan", tmp_path / "e.csv", match="some labels: ann, bob, cid, junior", exit_code=2)


def test_weights_that_are_no_real_numbers(capsys, tmp_path):
    """A search needs none; shortest paths say so."""
    file = tmp_path / "c.mtx"
    file.write_text("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3.0 4.0\n")
    assert json.loads(run(capsys, "bfs -s 0 -a bfs --json", file)[1])["reached"] == 2
    one_line_error(capsys, "sssp -s 0", file, match="sssp: weights must be real numbers, not FC64")


def test_force_reads_what_asks_for_much_memory(capsys, tmp_path):
    file = tmp_path / "wide.txt"
    file.write_text("0 30000000\n")
    with gb.config.set(read_limit=10**6):
        one_line_error(capsys, "bfs -s 0", file, match="--force on the command line")
        assert json.loads(run(capsys, "bfs -s 0 --json --force", file)[1])["reached"] == 2


def test_labels_come_with_the_graph(capsys, tmp_path):
    io.save(tmp_path / "g.grb", gb.Graph.from_edges([("ann", "bob"), ("bob", "cid")]))
    assert json.loads(run(capsys, "bfs -s bob --json", tmp_path / "g.grb")[1])["reached"] == 2


def test_long_work_shows_that_it_goes_on(capsys, monkeypatch, tmp_path):

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    monkeypatch.setattr(progress, "is_shown", lambda: True)
    shown = run(capsys, "generate kronecker 12 -o", tmp_path / "g.mtx")[2]
    assert "generating kronecker: 0 s" in shown
    assert shown.endswith("\r\x1b[K")
    monkeypatch.setattr(progress, "is_shown", lambda: False)
    assert run(capsys, "generate kronecker 12 -o", tmp_path / "g.mtx")[2] == ""
