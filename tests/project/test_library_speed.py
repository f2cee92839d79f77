"""The benchmark of the library: what is wrong stops it, what does not converge is said; the page shows what is kept."""

import json
import signal
import time

import numpy as np
import pytest
from grblas_gpu.algorithms.sssp import ShortestPaths

import grblas_gpu as gb
from benchmarks import cases_library, library_peers, library_speed
from docs import pages
from grblas_gpu import algorithms


def test_results_are_checked_before_they_are_timed(tmp_path, capsys, monkeypatch):
    few = "--scale 5 --graphs rmat|web --only ^(bfs|parents|katz|cores|matching|components)$ --trials 1 --out"
    assert library_speed.main([*few.split(), str(tmp_path)]) == 0
    found = json.loads((tmp_path / "library_speed.cpu.json").read_text())
    assert {row["algorithm"] for row in found["rows"]} == set("bfs parents katz cores matching components".split())
    assert all(row["ms"] > 0 for row in found["rows"]) and "rmat" in capsys.readouterr().out
    loops = "--scale 5 --graphs rmat --trials 1 --iterated --others -1 --out"
    assert library_speed.main([*loops.split(), str(tmp_path)]) == 0
    found = json.loads((tmp_path / "library_speed.cpu.json").read_text())
    assert {row["algorithm"] for row in found["rows"]} == library_speed.LOOPS <= library_speed.WORKS.keys()
    assert all(row["ms"] > 0 and row["iterated"] > 0 for row in found["rows"])
    for name, wrong in {
        "bfs": lambda case: algorithms.bfs(case.A, case.source, max_depth=1),
        "sssp with parents": lambda case: ShortestPaths(
            algorithms.sssp(case.A, case.source), algorithms.bfs_parents(case.A, case.source)
        ),
        "core": lambda case: algorithms.k_core(case.A, 1),
        "katz": lambda case: algorithms.pagerank(case.A),
        "cores": lambda case: gb.Vector.from_scalar(9, case.A.nrows),
    }.items():
        work = library_speed.WORKS[name]._replace(run=wrong)
        monkeypatch.setitem(library_speed.WORKS, name, work)
        with pytest.raises(AssertionError):
            library_speed.main(["--scale", "5", "--graphs", "rmat", "--only", f"^{name}$"])


class Noting:
    """The algorithms, and the selected ones."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getattr__(self, name):
        self.names.add(name)
        return getattr(algorithms, name)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "rmat" else pytest.mark.slow) for kind in cases_library.KINDS]
)
def test_every_algorithm_of_the_library_is_there_and_checked(kind, monkeypatch):
    noting = Noting()
    monkeypatch.setattr(cases_library, "a", noting)
    case = cases_library.graph(kind, 5, "cpu")
    for name, work in cases_library.WORKS.items():
        seconds = name in ("louvain", "leiden") and kind != "rmat"  # each takes some
        if not seconds and not (case.directed and work.undirected_only):
            work.check(case, work.run(case))
    if kind == "rmat":
        assert noting.names >= {*algorithms.__all__} - {"NotConverged"}


def test_what_takes_too_long_is_stopped_and_said(tmp_path, capsys, monkeypatch):
    with pytest.raises(library_speed.TimeIsUp), library_speed.time_limit(0.01):
        time.sleep(60)
    too_long = cases_library.WORKS["cores"]._replace(run=lambda case: signal.raise_signal(signal.SIGALRM))
    monkeypatch.setitem(cases_library.WORKS, "cores", too_long)
    few = "--scale 5 --graphs rmat --only ^(cores|core|matching)$ --trials 1 --others -1 --limit 500 --out"
    assert library_speed.main([*few.split(), str(tmp_path)]) == 0
    found = json.loads((tmp_path / "library_speed.cpu.json").read_text())
    times = {row["algorithm"]: row["ms"] is not None for row in found["rows"]}
    assert times == {"cores": False, "core": True, "matching": True}
    assert "was stopped after 500 s" in capsys.readouterr().out and "was stopped" in pages.library_page([found])
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.setitimer(signal.ITIMER_REAL, 0)[0] == 0


@pytest.mark.parametrize("check", [[], ["--check-scale", "4"]], ids=["checked", "timed"])
def test_a_row_that_does_not_converge_is_said_and_the_rest_runs(check, tmp_path, capsys, monkeypatch):
    def hits(case):  # of the smaller graph, if results are checked there
        return algorithms.hits(case.A, tol=1e-5, max_iterations=1000 if check and case.A.nrows < 32 else 2)

    monkeypatch.setitem(library_speed.WORKS, "hits", library_speed.WORKS["hits"]._replace(run=hits))
    few = "--scale 5 --graphs rmat --only ^(hits|components|cores)$ --trials 1 --clock processor --out"
    assert library_speed.main([*few.split(), str(tmp_path), *check]) == 0
    text = (tmp_path / "library_speed.cpu.json").read_text()
    rows = {row["algorithm"]: row for row in json.loads(text, parse_constant=pytest.fail)["rows"]}
    assert list(rows) == ["hits", "components", "cores"]
    assert rows["hits"]["ms"] is None and "2 iterations" in rows["hits"]["remark"]
    assert rows["components"]["ms"] > 0 and rows["components"]["networkx"] > 0 and rows["components"]["scipy"] > 0
    assert "does not converge: hits" in capsys.readouterr().out
    assert "`hits` does not converge" in pages.library_page([json.loads(text)])


def test_the_page_shows_what_is_kept():
    found = pages.results("library_speed.*.json")
    assert {result["backend"] for result in found} == {"cpu", "cuda"}
    text = (pages.RESULTS / "library_speed.md").read_text()
    for result in found:
        cells = [row["algorithm"] for row in result["rows"] if row["graph"] == "rmat"]
        assert all(f"| {name} |" in text for name in cells)
        assert {row["algorithm"] for row in result["rows"]} <= cases_library.WORKS.keys()


def test_what_others_find_is_compared_before_it_is_timed(tmp_path, monkeypatch):
    few = "--scale 5 --graphs rmat|web --only ^(components|sssp)$ --trials 1 --peers scipy networkx --out"
    assert library_speed.main([*few.split(), str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "library_speed.cpu.json").read_text())["rows"]
    assert all({"scipy", "networkx", "ms"} <= row.keys() and row["medians"].keys() <= row.keys() for row in rows)
    right = library_peers.SCIPY["components"]
    all_apart = right._replace(shown=lambda graph, found: np.arange(graph.n))
    monkeypatch.setitem(library_peers.SCIPY, "components", all_apart)
    with pytest.raises(AssertionError):
        library_speed.main(["--scale", "5", "--graphs", "rmat", "--only", "^components$", "--peers", "scipy"])


@pytest.mark.parametrize("library", library_peers.LIBRARIES)
def test_every_task_of_another_library_agrees(library):
    pytest.importorskip(library)
    for case in (cases_library.graph(kind, 5, "cpu") for kind in ("rmat", "web")):
        graph = library_peers.LIBRARIES[library][0](case)
        for name, work in library_speed.WORKS.items():
            task = library_peers.task(library, name, case.directed)
            if task is not None and not (case.directed and work.undirected_only):
                found = library_speed.quiet(task.run, graph)
                if task.shown is not None:
                    library_peers.compare(case, name, work.run(case), task.shown(graph, found))
