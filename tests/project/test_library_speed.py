"""The benchmark of the library: what is wrong stops it, what does not converge is said; the page shows what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from grblas_gpu.algorithms.sssp import ShortestPaths
from grblas_gpu.benchmarks import library_page, library_speed

import grblas_gpu as gb
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
    assert "`hits` does not converge" in library_page.page([json.loads(text)])


def test_all_algorithms_or_those_of_loops_iterated_too(tmp_path, capsys):
    few = "--scale 4 --graphs grid --only ^(components|triangles)$ --trials 1 --others -1 --out"
    for which, expected in {"all": {"components", "triangles"}, "loops": {"components"}}.items():
        assert library_speed.main([*few.split(), str(tmp_path), "--iterated", which]) == 0
        rows = json.loads((tmp_path / "library_speed.cpu.json").read_text())["rows"]
        assert {row["algorithm"] for row in rows} == expected
        assert all(("iterated" in row) == (row["algorithm"] == "components") for row in rows)


def test_the_page_shows_what_is_kept():
    root = Path(__file__).resolve().parents[2]
    found = library_page.results(root / "benchmarks" / "results")
    assert {result["backend"] for result in found} == {"cpu", "cuda"}
    text = (root / "docs" / "library-speed.md").read_text()
    assert text == library_page.page(found), "make it again: python -m benchmarks.library_page"
    for result in found:
        cells = [row["algorithm"] for row in result["rows"] if row["graph"] == "rmat"]
        assert all(f"| {name} |" in text for name in cells)
