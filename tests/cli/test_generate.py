"""``generate``, every format that graphs are written in, and whether they fit into memory."""

import json

import pytest
from command_line import one_line_error, run

from grblas_gpu import algorithms, generators, io
from grblas_gpu.cli import memory, parser

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
    "hyperbolic": "30 4",
    "noisy_kronecker": "4 3",
    "lfr": "300 0.1 --seed 2",
    "path": "4",
    "star": "4",
    "complete": "4",
    "bipartite": "3 4 2",
    "complete_bipartite": "3 4",
}


def test_every_generator_has_a_command():
    lists = {"configuration_model", "stochastic_block_model"}  # arguments that a command line does not have
    made = (
        set(generators.__all__)
        - {"Edges", "edge_list"}
        - lists
        - {name for name in generators.__all__ if "_edges" in name}
    )
    assert set(memory.SIZES) == made == set(KIND_ARGUMENTS)


@pytest.mark.parametrize("kind", memory.SIZES)
def test_generate(capsys, tmp_path, kind):
    file = tmp_path / "g.grb"
    code, out, _ = run(capsys, f"generate {kind} {KIND_ARGUMENTS[kind]} --json -o", file)
    assert code == 0
    A = io.load(str(file))
    found = json.loads(out)
    assert (found["vertices"], found["entries"]) == (A.nrows, A.nvals)
    assert A.nvals > 0


def test_the_time_of_writing_counts(capsys, tmp_path):
    found = json.loads(run(capsys, "generate kronecker 5 4 --json -o", tmp_path / "g.mtx")[1])
    assert found["write_seconds"] > 0
    assert found["seconds"] == pytest.approx(found["generate_seconds"] + found["write_seconds"], rel=1e-3)


def test_generate_hands_arguments_on(capsys, tmp_path):
    run(capsys, "generate kronecker 5 4 --seed 3 -o", tmp_path / "g.npz")
    assert io.load_npz(str(tmp_path / "g.npz")).isequal(generators.kronecker(5, 4, seed=3))


def test_generated_communities(capsys, tmp_path):
    files = [tmp_path / "g.npz", tmp_path / "c.csv"]
    assert run(capsys, "generate lfr 300 0.1 --seed 2 -o", files[0], "--communities", files[1])[0] == 0
    matrix, labels = generators.lfr(300, 0.1, seed=2)
    assert io.load_npz(str(files[0])).isequal(matrix)
    rows = [f"{vertex},{label}" for vertex, label in labels.to_dict().items()]
    assert files[1].read_text().split() == ["vertex,community", *rows]


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
    one_line_error(capsys, "generate path 3 -o", tmp_path / "g.docx", match="unknown suffix", exit_code=2)
    one_line_error(capsys, "generate path 3 -o", tmp_path / "none" / "g.mtx", match="no such folder")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", memory.SIZES)
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
    one_line_error(capsys, "generate kronecker 31", match="needs about 1.9 TiB of memory, but ")
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000.0)
    one_line_error(capsys, "generate path 100", match="needs about 8.8 KiB of memory, but 1000 bytes are free")
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
