"""Every command, run as a user would; bad files and bad arguments are one line on standard error and change nothing."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io as streams
import json
import lzma
import re
import subprocess
import sys
import tarfile
import threading
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import algorithms, generators, io, progress
from grblas_gpu.cli import library, main, memory, parser
from grblas_gpu.cli.generate import KINDS

KIND_ARGUMENTS = {
    "kronecker": "5 4 --seed 3 --a 0.5",
    "mycielskian": "4",
    "delaunay": "20 --seed 2",
    "random_geometric": "30 0.3",
    "watts_strogatz": "20 4 0.2",
    "grid_2d": "3 4",
    "road": "5 5 0.8",
    "uniform_random": "20 4",
    "preferential_attachment": "20 2",
    "path": "4",
    "star": "4",
    "complete": "4",
    "bipartite": "3 4 2",
    "complete_bipartite": "3 4",
}


def run(capsys, line, *more):
    """Exit code, standard output and standard error of a command."""
    code = main([*line.split(), *map(str, more)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def one_line_error(capsys, line, *more, match, exit_code=1):
    code, out, err = run(capsys, line, *more)
    assert code == exit_code
    assert out == ""
    assert err.startswith("grblas-gpu: error: ")
    assert err.count("\n") == 1
    assert match in err


@pytest.fixture
def graph(tmp_path):
    """A graph in a Matrix Market file."""
    A = generators.kronecker(6, 4, seed=2)
    io.mmwrite(str(tmp_path / "g.mtx"), A)
    return A, tmp_path / "g.mtx", int(A.to_coo()[0][0])


# ---- as a program -------------------------------------------------------------------------------------------------


def program(*arguments):
    command = [sys.executable, "-m", "grblas_gpu.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_program(tmp_path):
    done = program("generate", "path", "5", "-o", tmp_path / "p.mtx")
    assert (done.returncode, done.stderr) == (0, "")
    done = program("bfs", tmp_path / "p.mtx", "--source", "0", "--json")
    assert json.loads(done.stdout)["level_sizes"] == [1] * 5
    done = program("bfs", tmp_path / "q.mtx", "--source", "0")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    done = program("bfs", tmp_path / "p.mtx")
    assert done.returncode == 2
    assert "--source" in done.stderr


def test_the_program_is_named_in_the_project():
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    module, _, function = project["project"]["scripts"]["grblas-gpu"].partition(":")
    assert getattr(importlib.import_module(module), function) is main


def test_help_and_version(capsys):
    for arguments in (["--help"], ["--version"], ["generate", "--help"], ["generate", "kronecker", "--help"]):
        with pytest.raises(SystemExit) as exit_:
            main(arguments)
        assert exit_.value.code == 0
    assert gb.__version__ in capsys.readouterr().out


# ---- info ---------------------------------------------------------------------------------------------------------


def test_info(capsys):
    code, out, _ = run(capsys, "info")
    assert code == 0
    assert gb.__version__ in out
    assert "backend cpu   ready" in out
    found = json.loads(run(capsys, "info --json")[1])
    assert found["backends"]["numpy"] == "ready"
    assert found["packages"]["numpy"] == np.__version__
    assert found["cache"]["folder"]
    assert found["optional"]["networkx"] is True
    if found["backends"]["cuda"] != "ready":
        assert "pip install" in found["backends"]["cuda"] or "device" in found["backends"]["cuda"]


# ---- generate -----------------------------------------------------------------------------------------------------


def test_every_generator_has_a_command():
    made = set(generators.__all__) - {"Edges", "edge_list"} - {name for name in generators.__all__ if "_edges" in name}
    assert set(KINDS) == made == set(KIND_ARGUMENTS)


@pytest.mark.parametrize("kind", KINDS)
def test_generate(capsys, tmp_path, kind):
    file = tmp_path / "g.grb"
    code, out, _ = run(capsys, f"generate {kind} {KIND_ARGUMENTS[kind]} --json -o", file)
    assert code == 0
    A = io.load(str(file))
    found = json.loads(out)
    assert (found["vertices"], found["entries"]) == (A.nrows, A.nvals)
    assert A.nvals > 0


def test_generate_hands_arguments_on(capsys, tmp_path):
    run(capsys, "generate kronecker 5 4 --seed 3 -o", tmp_path / "g.npz")
    assert io.load_npz(str(tmp_path / "g.npz")).isequal(generators.kronecker(5, 4, seed=3))


@pytest.mark.parametrize("name", ["g.mtx", "g.mtx.gz", "g.txt", "g.el.gz", "g.tsv", "g.csv", "g.npz", "g.grb"])
def test_formats(capsys, tmp_path, name):
    A = generators.kronecker(5, 4)
    assert run(capsys, "generate kronecker 5 4 -o", tmp_path / name)[0] == 0
    source = int(A.to_coo()[0][0])
    code, out, _ = run(capsys, f"bfs --source {source} --json", tmp_path / name)
    assert code == 0
    assert json.loads(out)["reached"] == algorithms.bfs(A, source).nvals


def test_generate_in_vain(capsys, tmp_path):
    one_line_error(capsys, "generate kronecker 99", match="scale must be from 0 to 31", exit_code=2)
    one_line_error(capsys, "generate watts_strogatz 10 4 1.5", match="from 0 to 1", exit_code=2)
    one_line_error(capsys, "generate path 3 -o", tmp_path / "g.docx", match="no format for this suffix", exit_code=2)
    one_line_error(capsys, "generate path 3 -o", tmp_path / "none" / "g.mtx", match="no such folder")
    assert not list(tmp_path.iterdir())


def test_generate_says_how_long_it_took(capsys):
    assert json.loads(run(capsys, "generate path 5 --json")[1])["seconds"] > 0


# ---- memory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_are_estimated(capsys, kind):
    """Never far too small, and not so large that what fits is refused."""
    arguments = {"kronecker": "9 8", "mycielskian": "9", "delaunay": "800", "random_geometric": "800"}
    line = f"generate {kind} {arguments.get(kind, KIND_ARGUMENTS[kind])} --json"
    found = json.loads(run(capsys, line)[1])
    options = parser().parse_args(line.split())
    vertices, entries = memory.SIZES[kind](vars(options))
    assert vertices == pytest.approx(found["vertices"], rel=0.05, abs=1)
    assert found["entries"] * 0.75 - 10 <= entries <= found["entries"] * 2 + 20


def test_what_does_not_fit_is_refused(capsys, monkeypatch, tmp_path):
    one_line_error(capsys, "generate kronecker 31", match="needs about 1.9 TiB of memory, and ")
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000.0)
    one_line_error(capsys, "generate path 100", match="needs about 8.8 KiB of memory, and 1000 bytes are free")
    assert run(capsys, "generate path 100 --force -o", tmp_path / "p.mtx")[0] == 0
    one_line_error(capsys, "calibrate --backend cpu", match="kronecker with 131,072 vertices")
    for command in ("bfs -s 0", "bc"):
        one_line_error(capsys, command, tmp_path / "p.mtx", match="of memory")
        assert run(capsys, f"{command} --force", tmp_path / "p.mtx")[0] == 0


def test_a_share_of_graph500_must_fit(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 2.0**30)
    memory.check_graph500(20, 16, 0.5, force=False)
    with pytest.raises(memory.TooLarge, match=r"50% of scale 22, needs about 1\.9 GiB"):
        memory.check_graph500(22, 16, 0.5, force=False)
    memory.check_graph500(22, 16, 0.5, force=True)


def test_there_is_memory():
    assert 2**20 < memory.available_bytes() < 2**60


# ---- standard input and output, tables, labels --------------------------------------------------------------------


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
    one_line_error(capsys, "bfs -s dan", tmp_path / "e.csv", match="some are: ann, bob, cid, junior", exit_code=2)


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


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("u,v\n0,1\n1,2\n", ""),
        ("a,b\n0,1\n1,2\n", "--header"),
        ("0,1\n1,2\n", "--no-header"),
        ("id,dst,src\n7,1,0\n8,2,1\n", "--columns src,dst"),
        ("7,1,0\n8,2,1\n", "--columns 2,1"),
        ("w;from;to\n7;0;1\n8;1;2\n", "--columns from,to,w"),
        ("0\t1\n1\t2\n", ""),
        ("Id,Source,Target,Type\n7,0,1,road\n8,1,2,rail\n", ""),
        ("\ufefffrom,to\n0,1\n1,2\n", "--columns from,to"),
        ("\ufeff0,1\n1,2\n", ""),
        ("\ufefffrom,to\n0,1\n1,x\n", "--labels"),
    ],
)
def test_tables(capsys, tmp_path, text, options):
    (tmp_path / "e.csv").write_text(text)
    code, out, _ = run(capsys, f"bfs -s 0 --json {options}", tmp_path / "e.csv")
    assert code == 0
    assert json.loads(out)["level_sizes"] == [1, 1, 1]


def test_labels_come_with_the_graph(capsys, tmp_path):
    io.save(tmp_path / "g.grb", gb.Graph.from_edges([("ann", "bob"), ("bob", "cid")]))
    assert json.loads(run(capsys, "bfs -s bob --json", tmp_path / "g.grb")[1])["reached"] == 2


def test_only_edges_that_were_reached_count(capsys, tmp_path):
    (tmp_path / "e.txt").write_text("0 1\n" + "".join(f"{i} {i + 1}\n" for i in range(2, 90)))
    found = json.loads(run(capsys, "bfs -s 0 --json", tmp_path / "e.txt")[1])
    assert (found["edges_traversed"], found["entries"]) == (1, 89)
    found = json.loads(run(capsys, "bfs -s 0 -u --json", tmp_path / "e.txt")[1])
    assert found["edges_traversed"] == 1
    assert found["gteps"] == pytest.approx(1e-6 / found["milliseconds"])


def test_long_work_shows_that_it_goes_on(capsys, monkeypatch, tmp_path):
    from grblas_gpu import progress

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    monkeypatch.setattr(progress, "is_shown", lambda: True)
    shown = run(capsys, "generate kronecker 12 -o", tmp_path / "g.mtx")[2]
    assert "generating kronecker: 0 s" in shown
    assert shown.endswith("\r\x1b[K")
    monkeypatch.setattr(progress, "is_shown", lambda: False)
    assert run(capsys, "generate kronecker 12 -o", tmp_path / "g.mtx")[2] == ""


# ---- bfs ----------------------------------------------------------------------------------------------------------


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
    assert code and not out and re.search("two weights, 2.0 and 3.0|Duplicate indices", err)
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


# ---- bc -----------------------------------------------------------------------------------------------------------


def test_bc(capsys, graph, tmp_path):
    networkx = pytest.importorskip("networkx")
    A, file, source = graph
    code, out, _ = run(capsys, "bc --top 3 --json", file, "-o", tmp_path / "scores.txt")
    assert code == 0
    G = networkx.empty_graph(A.nrows)
    G.add_edges_from(zip(*(array.tolist() for array in A.to_coo()[:2]), strict=True))
    expected = networkx.betweenness_centrality(G)
    written = np.loadtxt(tmp_path / "scores.txt")
    np.testing.assert_allclose(written[:, 1], list(expected.values()), rtol=1e-9, atol=1e-12)
    best = sorted(expected.values(), reverse=True)[:3]
    np.testing.assert_allclose([item["centrality"] for item in json.loads(out)["top"]], best)
    code, out, _ = run(capsys, f"bc -s {source} --no-normalize", file)
    assert code == 0
    assert "centrality" in out


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


# ---- bad input ----------------------------------------------------------------------------------------------------


def test_bad_files(capsys, tmp_path):
    def file(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    header = "%%MatrixMarket matrix coordinate pattern general\n"
    one_line_error(capsys, "bfs -s 0", tmp_path / "missing.mtx", match="missing.mtx")
    one_line_error(capsys, "bfs -s 0", tmp_path / "missing.txt", match="missing.txt")
    one_line_error(capsys, "bfs -s 0", file("a.mtx", "nothing of the kind\n"), match="a.mtx")
    one_line_error(capsys, "bfs -s 0", file("b.mtx", f"{header}3 3 2\n1 2\n"), match="ine 3")  # truncated
    one_line_error(capsys, "bfs -s 0", file("c.mtx", f"{header}3 3 2\n1 2\n9 1\n"), match="ine 4")
    one_line_error(capsys, "bfs -s 0", file("d.txt", "0 1\n1\n"), match="line 2")
    one_line_error(capsys, "bfs -s 0", file("e.txt", "0 1\n1 x\n"), match="line 2: vertex 'x' is no integer; ")
    one_line_error(capsys, "bfs -s 0", file("e4.txt", "0 1 2 3\n"), match="(--columns) says which")
    one_line_error(capsys, "bfs -s 0", file("f.npz", "no archive"), match="f.npz")
    one_line_error(capsys, "bfs -s 0", file("g.grb", "no such file"), match="g.grb")
    one_line_error(capsys, "bfs -s 0", file("h.mtx", f"{header}2 3 1\n1 2\n"), match="square")
    one_line_error(capsys, "bfs -s 0", tmp_path, match=f"{tmp_path}: Is a directory")
    whole = gzip.compress(f"{header}3 3 2\n1 2\n2 3\n".encode() * 50)
    (tmp_path / "i.mtx.gz").write_bytes(whole[: len(whole) // 2])
    one_line_error(capsys, "bc", tmp_path / "i.mtx.gz", match="i.mtx.gz: line ")
    (tmp_path / "j.txt").write_bytes(b"0 1\n\xff 2\n")
    one_line_error(capsys, "bfs -s 0", tmp_path / "j.txt", match="j.txt: line 2: not text")
    (tmp_path / "k.el.gz").write_bytes(whole[:-1])
    one_line_error(capsys, "bfs -s 0", tmp_path / "k.el.gz", match="k.el.gz: line ")


def test_bad_sources(capsys, graph):
    _, file, _ = graph
    one_line_error(capsys, "bfs -s 64", file, match="vertices 0 to 63", exit_code=2)
    one_line_error(capsys, "bfs -s one", file, match="no vertex is called 'one'", exit_code=2)
    one_line_error(capsys, "bc -s 99", file, match="not a vertex", exit_code=2)


def test_nothing_is_written_when_something_fails(capsys, graph, tmp_path):
    _, file, _ = graph
    one_line_error(capsys, "bfs -s 99", file, "-o", tmp_path / "levels.txt", match="not a vertex", exit_code=2)
    assert not (tmp_path / "levels.txt").exists()
    one_line_error(capsys, "bfs -s 0", file, "-o", tmp_path / "none" / "levels.txt", match="no such folder")
    wrong = ("-o", tmp_path / "levels.txt", "--plot", tmp_path / "levels.movie")
    one_line_error(capsys, "bfs -s 0", file, *wrong, match="no picture has this suffix; there are: ", exit_code=2)
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


# --- algorithms of the library ----------------------------------------------------------------------------------


@pytest.fixture
def friends(tmp_path):
    file = tmp_path / "friends.csv"
    file.write_text("who,whom,times\nann,bob,2\nbob,cid,3\ncid,ann,4\ncid,dot,1\neve,fay,5\n")
    return file


@pytest.mark.parametrize("command", library.COMMANDS)
def test_algorithms_on_files_with_labels(capsys, friends, command):
    what = library.COMMANDS[command]
    line = f"{command} --undirected" + (" --source ann" if "source" in what.arguments else "")
    code, out, _ = run(capsys, f"{line} --json --top 3", friends)
    found = json.loads(out)
    assert code == 0 and found["vertices"] == 6 and len(found["top"]) <= 3
    code, out, _ = run(capsys, f"{line} --csv", friends)
    lines = out.splitlines()
    assert code == 0 and lines[0] == f"vertex,{what.value}" and lines[1].startswith("ann,")
    code, out, _ = run(capsys, line, friends)
    assert code == 0 and what.value in out


def test_values_of_algorithms(capsys, friends):
    assert run(capsys, "sssp --undirected --source ann --csv", friends)[1].split() == [
        "vertex,distance", "ann,0.0", "bob,2.0", "cid,4.0", "dot,5.0"
    ]  # fmt: skip
    found = json.loads(run(capsys, "triangles --undirected --json", friends)[1])
    assert found["triangles"] == 1 and found["top"][0] == {"vertex": "ann", "triangles": 1}
    found = json.loads(run(capsys, "components --undirected --json", friends)[1])
    assert found["components"] == 2 and found["top"][0] == {"component": "ann", "size": 4}
    found = json.loads(run(capsys, "louvain --undirected --json --seed 4", friends)[1])
    assert found["communities"] == 2 and 0 < found["modularity"] < 1
    few, many = (
        json.loads(run(capsys, f"louvain --undirected --json --resolution {resolution}", friends)[1])["communities"]
        for resolution in (0.01, 20)
    )
    assert few < many
    one_line_error(capsys, "sssp --source zoe", friends, match="no vertex is called", exit_code=2)


def test_groups_go_by_labels(capsys, friends, tmp_path):
    expected = ["ann,ann", "bob,ann", "cid,ann", "dot,ann", "eve,eve", "fay,eve"]
    assert run(capsys, "components --undirected --csv", friends)[1].split() == ["vertex,component", *expected]
    assert run(capsys, "louvain --undirected -o", tmp_path / "groups.csv", friends)[0] == 0
    rows = [row.split(",") for row in (tmp_path / "groups.csv").read_text().splitlines()[1:]]
    assert {group for _, group in rows} <= {vertex for vertex, _ in rows} == set("ann bob cid dot eve fay".split())


def test_hubs_and_authorities(capsys, tmp_path):
    (tmp_path / "links.csv").write_text("ann,bob\nann,cid\ndot,cid\n")
    found = [json.loads(run(capsys, f"{which} --json", tmp_path / "links.csv")[1]) for which in ("hubs", "authorities")]
    assert [each["top"][0]["vertex"] for each in found] == ["ann", "cid"]


def test_numbers_for_algorithms(capsys, friends):
    ranks = [json.loads(run(capsys, f"pagerank --json --damping {d}", friends)[1])["top"][0]["rank"] for d in (0, 0.9)]
    assert ranks[0] == pytest.approx(1 / 6) and ranks[1] > 0.2
    one_line_error(capsys, "katz -u --alpha 2", friends, match="alpha = 2.0 is too large")
    assert run(capsys, "katz -u --alpha 0.01", friends)[0] == 0
    with pytest.raises(SystemExit):
        main(["generate", "kronecker", "3.5"])
    assert "argument scale: must be a whole number, not 3.5" in capsys.readouterr().err


def test_values_to_a_file(capsys, friends, tmp_path):
    assert run(capsys, "pagerank --undirected -o", tmp_path / "ranks.csv", friends)[0] == 0
    rows = (tmp_path / "ranks.csv").read_text().splitlines()
    assert rows[0] == "vertex,rank" and sum(float(row.split(",")[1]) for row in rows[1:]) == pytest.approx(1)


def test_a_long_compilation_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """However long the machine takes between two lines of this."""
    show, appeared = progress.show_line, threading.Semaphore(0)

    def show_line(text: str) -> None:
        show(text)
        appeared.release()

    monkeypatch.setattr(progress, "show_line", show_line)
    for shown in (False, True):
        monkeypatch.setattr(progress, "is_shown", lambda shown=shown: shown)
        monkeypatch.setattr(progress, "_spent", 0.0)
        monkeypatch.setattr(progress, "PATIENCE", 3600.0)
        with progress.busy("compiling quickly"):
            pass
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "PATIENCE", 0.01)
        with progress.busy("compiling a kernel"):
            assert appeared.acquire(timeout=60) if shown else not appeared.acquire(timeout=0.1)
            assert ("compiling a kernel" in capsys.readouterr().err) == shown
        with progress.busy("compiling another"):  # by now everybody has waited long enough
            assert ("compiling another" in capsys.readouterr().err) == shown
        capsys.readouterr()


# ---- calibrate ----------------------------------------------------------------------------------------------------


@pytest.fixture
def cache_folder(monkeypatch, tmp_path):
    """Nothing is measured yet, and what is stays in this test."""
    from grblas_gpu.backends import calibration

    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(calibration, "_current", dict(calibration.DEFAULTS))
    return tmp_path


def test_calibrate(capsys, cache_folder):
    from grblas_gpu.backends import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    assert calibration.start("cpu") == CPU_COSTS
    code, out, _ = run(capsys, "calibrate --backend cpu --scale 8 --json")
    found = json.loads(out)
    assert code == 0 and found["backend"] == "cpu" and Path(found["file"]) == cache_folder / "costs.json"
    names = ("push_edge", "pull_row", "pull_probe", "mxm_product")
    assert all(calibration.LEAST <= found[name] <= calibration.MOST for name in names)
    started = calibration.start("cpu")  # as the next process does
    assert {name: getattr(started, name) for name in names} == {name: found[name] for name in names}
    assert started.batch_size == CPU_COSTS.batch_size
    shown = json.loads(run(capsys, "calibrate --backend cpu --show --json")[1])
    assert {name: shown[name] for name in names} == {name: found[name] for name in names}
    assert run(capsys, "calibrate --backend cpu --reset")[0] == 0
    assert json.loads((cache_folder / "costs.json").read_text()) == {}


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", '{"cpu:%s": 7}', '{"cpu:%s": {"push_edge": NaN, "pull_row": "x"}}']
)
def test_damaged_costs_are_ignored(cache_folder, content):
    from grblas_gpu.backends import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    (cache_folder / "costs.json").write_text(content.replace("%s", calibration.hardware("cpu")))
    assert calibration.start("cpu") == CPU_COSTS


def test_costs_of_other_hardware_are_ignored(cache_folder):
    from grblas_gpu.backends import calibration
    from grblas_gpu.plan.rules import CPU_COSTS

    (cache_folder / "costs.json").write_text('{"cpu:another": {"push_edge": 9.0}}')
    assert calibration.start("cpu") == CPU_COSTS
    calibration.keep("cpu", {"push_edge": 9.0})
    assert calibration.start("cpu").push_edge == 9.0
    assert "cpu:another" in json.loads((cache_folder / "costs.json").read_text())
