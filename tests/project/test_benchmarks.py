"""The harness finds wrong results and counts right; experiments run at their small size; reports need no other file."""

import importlib
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from checkers import serial_bfs, serial_dependencies
from html_pages import BalancedPage

import grblas_gpu as gb
from benchmarks import (
    __main__ as program,
    cases_gpu,
    cold,
    common,
    gpu_operations,
    gpu_speed,
    overhead,
    papers,
    speed_checks,
)
from benchmarks.papers import EXPERIMENTS, common as experiments, reproduce, xbfs
from docs import pages
from grblas_gpu import algorithms, generators
from grblas_gpu.backends import registry
from grblas_gpu.bench import compare, contenders, graphs, harness, report, svg, verify
from grblas_gpu.bench.tables import Table, shown
from grblas_gpu.cli import main


@pytest.fixture(params=["iterated", pytest.param("auto", marks=pytest.mark.slow)])
def loops(request):
    """What is measured matters less than that it is: the quick tests do not compile a dozen loops for it."""
    with gb.config.set(loops=request.param):
        yield request.param


@pytest.fixture(scope="module")
def graph():
    return graphs.BenchmarkGraph("kronecker 6", generators.kronecker, 6, 3, seed=4)


def levels_of(graph, source):
    rows, cols, n = generators.edge_list(generators.kronecker, 6, 3, seed=4)
    levels = np.full(n, -1)
    for vertex, level in serial_bfs(rows, cols, n, source).items():
        levels[vertex] = level
    return levels


# ---- verifiers ----------------------------------------------------------------------------------------------------


def test_right_levels_pass(graph):
    for source in graph.sources(3):
        verify.check_levels(*graph.csr, levels_of(graph, source), source)


def test_wrong_levels_are_found(graph):
    source = graph.sources(1)[0]
    right = levels_of(graph, source)
    deepest, reached = int(np.argmax(right)), np.flatnonzero(right > 0)
    for vertex, level in [(source, 1), (deepest, right[deepest] + 1), (deepest, -1), *((v, 0) for v in reached[:3])]:
        wrong = right.copy()
        wrong[vertex] = level
        with pytest.raises(verify.WrongResult):
            verify.check_levels(*graph.csr, wrong, source)
    isolated = np.flatnonzero(right < 0)
    assert len(isolated)
    wrong = right.copy()
    wrong[isolated[0]] = 2
    with pytest.raises(verify.WrongResult, match=r"no neighbour one level above|was reached"):
        verify.check_levels(*graph.csr, wrong, source)


def test_levels_are_checked_in_pieces(graph, monkeypatch):
    monkeypatch.setattr(graphs, "PIECE", 7)
    test_right_levels_pass(graph)
    test_wrong_levels_are_found(graph)


def test_dependencies_are_those_of_brandes(graph):
    from scipy.sparse import csr_array

    indptr, indices = graph.csr
    A = csr_array((np.ones(len(indices)), indices, indptr), shape=(graph.n, graph.n))
    rows = np.repeat(np.arange(graph.n), np.diff(indptr))
    for source in graph.sources(2):
        levels = levels_of(graph, source)
        expected = np.array(serial_dependencies(rows, indices, graph.n, [source]))
        for found in (
            verify.product_dependencies(A, source, levels),
            verify.edge_dependencies(indptr, indices, source, levels),
        ):
            verify.check_dependencies(found, expected)
            wrong = found.copy()
            wrong[np.argmax(found)] *= 1.01
            with pytest.raises(verify.WrongResult, match="dependency on vertex"):
                verify.check_dependencies(wrong, expected)


# ---- speed on a GPU: verifiers of more kernels, rows that fail, limits ------------------------------------------


@pytest.fixture(scope="module")
def case(graph):
    return cases_gpu.Case(graph, "cpu")


def wrong_ones(right, *changes):
    for position, value in changes:
        wrong = right.copy()
        wrong[position] = value
        yield wrong


def test_wrong_distances_are_found(case):
    from scipy.sparse.csgraph import dijkstra

    source = case.graph.sources(1)[0]
    weights = case.weighted.to_csr()[2]
    A = case.ones.copy()
    A.data = weights.astype(float)
    found = dijkstra(A, indices=source)
    right = np.where(np.isfinite(found), found, -1).astype(np.int64)
    speed_checks.check_distances(*case.structure, weights, right, source)
    far, isolated = int(np.argmax(right)), int(np.argmin(right))
    assert right[isolated] == -1
    changes = [(source, 1), (far, right[far] + 1), (far, right[far] - 1), (far, -1), (far, 0), (isolated, 3)]
    for wrong in wrong_ones(right, *changes):
        with pytest.raises(verify.WrongResult):
            speed_checks.check_distances(*case.structure, weights, wrong, source)


def test_wrong_components_are_found():
    pairs = np.array([[0, 1], [1, 2], [2, 3], [5, 6], [7, 8]])  # 4 is alone
    rows, cols = np.concatenate([pairs, pairs[:, ::-1]]).T
    A = gb.Matrix.from_coo(rows, cols, True, nrows=9, ncols=9)
    indptr, indices, _ = A.to_csr()
    levels = np.array([0, 1, 2, 3, -1, -1, -1, -1, -1])
    right = np.array([0, 0, 0, 0, 4, 5, 5, 7, 7])
    speed_checks.check_components(indptr, indices, right, 0, levels)
    for wrong in (
        [0, 0, 0, 1, 4, 5, 5, 7, 7],  # an edge joins two
        [1, 1, 1, 1, 4, 5, 5, 7, 7],  # not the lowest
        [0, 0, 0, 0, 0, 5, 5, 7, 7],  # more than the search reaches
        [0, 0, 0, 0, 4, 5, 5, 5, 5],  # two in one
        [0, 0, 0, 0, 4, 4, 4, 7, 7],
    ):
        with pytest.raises(verify.WrongResult):
            speed_checks.check_components(indptr, indices, np.array(wrong), 0, levels)


def test_ranks_and_triangles_are_those_of_networkx(case):
    networkx = pytest.importorskip("networkx")
    G = networkx.from_scipy_sparse_array(case.ones)
    ranks, changes = speed_checks.power_iteration(case.ones, case.degrees, 60)
    expected = networkx.pagerank(G, tol=1e-12)
    np.testing.assert_allclose(ranks, [expected[v] for v in range(len(ranks))], rtol=1e-8)
    assert changes[:20] == sorted(changes[:20], reverse=True)
    speed_checks.check_ranks(ranks, ranks.copy())
    for wrong in wrong_ones(ranks, (5, ranks[5] * 1.001)):
        with pytest.raises(verify.WrongResult, match="rank of vertex 5"):
            speed_checks.check_ranks(wrong, ranks)
    count = speed_checks.count_triangles(*speed_checks.by_degree(*case.structure))
    assert count == sum(networkx.triangles(G).values()) // 3 > 100


@pytest.mark.slow
def test_speed_of_all_rows(capsys, tmp_path, monkeypatch):
    pytest.importorskip("graphblas")
    monkeypatch.setenv("GRBLAS_GPU_COMMIT", "a" * 40)
    line = f"--backend cpu --small --time-limit 2 --out {tmp_path}"
    assert gpu_speed.main(line.split()) == 0
    out = capsys.readouterr().out
    result = json.loads((tmp_path / "gpu_speed.json").read_text())
    assert result["commit"] == "a" * 40
    assert [row["name"] for row in result["measurements"]] == [work.name for work in gpu_speed.WORKS]
    for row in result["measurements"]:
        assert "error" not in row
        assert row["verified"]
        assert row["milliseconds"]["median"] > row["floor_ms"] > 0
        assert row["name"] in out
        assert (row["gteps_entries"] or 1) > 0
        assert ("graphblas_ms" in row) == (row["name"].count("Kronecker 21") == 1)
    assert pages.experiments(tmp_path) == []  # not one of the papers' experiments


@pytest.mark.slow
@pytest.mark.usefixtures("loops")
def test_speed_rows_are_independent(capsys, monkeypatch):
    """A graph that cannot be made, and a result that is wrong, are lines in the table."""

    def too_large():
        def kronecker():
            raise MemoryError("16 GiB are not there")

        return graphs.BenchmarkGraph("too large", kronecker)

    monkeypatch.setattr(common, "too_large", too_large, raising=False)
    monkeypatch.setitem(cases_gpu.GRAPHS, "kron27", {"make": "too_large", "size": [], "small": []})
    wrong = replace(gpu_speed.KERNELS["bfs"], run=lambda case, source: algorithms.bfs(case.A, source, max_depth=2))
    monkeypatch.setitem(gpu_speed.KERNELS, "bfs", wrong)
    line = "--backend cpu --small --others= --profile --only"
    assert gpu_speed.main([*line.split(), "Kronecker 2[78]|^BFS grid"]) == 0
    out = capsys.readouterr().out
    table = out[out.index(gpu_speed.TITLE) :].splitlines()
    by_name = {work.name: line for line in table for work in gpu_speed.WORKS if line.startswith(work.name)}
    assert len(by_name) == 3
    errors = [line for line in by_name.values() if "Error" in line or "WrongResult" in line]
    assert len(errors) == 2
    assert any("MemoryError: 16 GiB are not there" in line for line in errors)
    assert any("WrongResult: an edge leads from" in line for line in errors)
    assert "Kronecker 28, edge factor 16, from" in out and "push.scatter" in out  # its profile


def test_bad_arguments_of_the_speed_benchmark(capsys):
    for arguments in (["--only", "no such row"], ["--only", "("], ["--others", "boost"]):
        with pytest.raises(SystemExit) as exit_:
            gpu_speed.main(["--backend", "cpu", "--small", *arguments])
        assert exit_.value.code == 2
    assert "there are: DOBFS Kronecker 21" in capsys.readouterr().err


# ---- harness ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["bfs", "bc"])
def test_all_contenders_agree_and_are_measured(graph, kernel):
    pytest.importorskip("graphblas")
    session = harness.Session("a test")
    everything = contenders.contenders()
    rows = session.measure(graph, kernel, everything, sources=2, trials=2)
    names = {row["contender"] for row in rows}
    assert {"grblas_gpu cpu", "python-graphblas"} <= names
    assert names | {item["contender"] for item in session.left_out} == {contender.name for contender in everything}
    for row in rows:
        ms = row["milliseconds"]
        assert 0 < ms["min"] <= ms["q1"] <= ms["median"] <= ms["q3"] <= ms["max"]
        assert row["over_floor"] > 1
        assert row["verified"]
        assert row["sources"] == 2
        # An undirected edge is two entries, and some are outside the component.
        assert 0 < 2 * row["gteps_graph500"] <= row["gteps_entries"] * 1.0001
    suitesparse = next(row for row in rows if row["contender"] == "python-graphblas")
    assert re.search(r"\d+ threads", suitesparse["note"])
    result = json.loads(json.dumps(session.result()))
    assert result["machine"]["cores"] >= 1
    assert result["versions"]["numpy"] == np.__version__
    assert result["copy_gb_per_s"]["host"] > 0.1


@pytest.mark.parametrize("kernel", ["bfs", "bc"])
def test_a_wrong_result_is_not_timed(graph, kernel):
    honest = contenders.grblas("cpu")
    run, show = honest.kernels[kernel]

    def tampered(result, n):
        found = show(result, n)
        found[np.argmax(found)] += 1
        return found

    liar = replace(honest, name="liar", kernels={**honest.kernels, kernel: (run, tampered)})
    for order in ([liar, honest], [honest, liar]):
        session = harness.Session("a test")
        with pytest.raises(verify.WrongResult, match=f"liar: {kernel} on kronecker 6"):
            session.measure(graph, kernel, order, sources=1, trials=1)
        assert session.measurements == []


def test_who_cannot_take_part_is_named(graph):
    session = harness.Session("a test")
    honest = contenders.grblas("cpu")
    small = replace(honest, name="small", limit=3)
    unable = replace(honest, name="unable", kernels={})
    session.measure(graph, "bfs", [honest, small, unable], sources=1, trials=1)
    assert [(item["contender"], item["why"]) for item in session.left_out] == [
        ("small", "limited to 3 entries"),
        ("unable", "has no such function"),
    ]
    with pytest.raises(ValueError, match="no contender called 'boost'"):
        contenders.contenders(["boost"])


def test_sources_of_roads_are_in_the_large_component():
    road = common.Road("road", 30, 0.6)
    A = road.matrix("cpu")
    assert all(2 * algorithms.bfs(A, source).nvals >= A.nrows for source in road.sources(5))
    with pytest.raises(ValueError, match="no component has half"):
        common.Road("ruins", 20, 0.2).sources(1)


def test_path_counts_beyond_range_are_not_asked_for():
    session = harness.Session("a test")
    grid = graphs.grid(600)
    assert session.measure(grid, "bc", [contenders.grblas("cpu")], sources=1, trials=1) == []
    assert session.left_out[0]["why"] == "more shortest paths than FP64 can count"
    assert graphs.grid(512).countable


# ---- tables and pages ---------------------------------------------------------------------------------------------


def test_tables():
    table = Table("numbers", ["name", "value"], notes=["a note"])
    table.add("one", 1)
    table.add("many", 12345.6)
    assert str(table).splitlines() == [
        "numbers",
        "-" * 12,
        "name   value",
        "-" * 12,
        "one        1",
        "many  12,346",
        "  a note",
    ]
    assert [shown(x) for x in (None, 0.12345, 1.2345, 12.345, 123.45, True, "x")] == [
        "",
        "0.123",
        "1.23",
        "12.3",
        "123",
        "True",
        "x",
    ]
    with pytest.raises(ValueError, match="3 cells for 2 columns"):
        table.add(1, 2, 3)


def check_page(text):
    assert BalancedPage(text).tags > 20
    for reference in ("http", "src=", "href=", "@import", "url(", "<script"):
        assert reference not in text
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("chart_width", [svg.WIDTH, svg.NARROW])
def test_labels_of_a_chart_are_inside_and_apart(chart_width):
    groups = ["a group with a long name", "b"]
    series = {"one": [0.0003, 5.0], "two": [2.0, None], "three": [300.0, 0.5]}
    tree = ElementTree.fromstring(svg.bars(groups, series, "unit", line_at=1.0, width=chart_width))
    _, _, width, height = map(float, tree.attrib["viewBox"].split())
    bars, texts = tree.findall("rect"), tree.findall("text")
    assert len(bars) == 5
    places = set()
    for text in texts:
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        long = len(text.text) * svg.LABEL
        left = {"end": x - long, "middle": x - long / 2, "start": x}[text.attrib["text-anchor"]]
        assert left >= -5
        assert left + long <= width + 5
        assert 0 < y <= height
        assert all(line != y or left >= end or left + long <= start for line, start, end in places)
        places.add((y, left, left + long))
    assert all(float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width for bar in bars)
    assert svg.bars(["a"], {"one": [None]}, "unit") == ""


def test_compare_command(capsys, tmp_path):
    pytest.importorskip("graphblas")
    page, file = tmp_path / "report.html", tmp_path / "report.json"
    line = "bench --small --sources 1 --trials 1 --kernels bfs --contenders cpu,python-graphblas --report"
    assert main([*line.split(), str(page), "--output", str(file)]) == 0
    out = capsys.readouterr().out
    assert "GTEPS (Graph500)" in out
    check_page(page.read_text())
    result = json.loads(file.read_text())
    assert {row["graph"] for row in result["measurements"]} == {g.name for g in compare.standard_graphs(True)}
    reference = [row for row in result["measurements"] if row["contender"] == compare.REFERENCE]
    assert [compare.speed_up(result["measurements"], row) for row in reference] == [1.0] * 3
    assert page.read_text().count("<svg") == 2 * 3  # each wide and narrow
    assert report.page(json.loads(file.read_text())) == page.read_text()


def test_bad_bench_arguments(capsys):
    for line in ("bench --small --kernels dfs", "bench --small --contenders boost"):
        assert main(line.split()) == 2
        assert capsys.readouterr().err.count("\n") == 1


# ---- the papers ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if number % 4 else ()) for number, name in enumerate(EXPERIMENTS)],
)
def test_experiments(name):
    tables, result = reproduce(
        name, experiments.Options("cpu", small=True, sources=1, trials=1, names=["python-graphblas"])
    )
    assert tables
    for table in tables:
        assert table.rows
        assert str(table)
        times = [k for k, column in enumerate(table.columns) if column.split()[-1] in ("ms", "s", "GTEPS")]
        assert all(row[k] is None or row[k] >= 0 for row in table.rows for k in times)
    result = json.loads(json.dumps(result))
    assert result["experiment"] == name
    assert result["tables"][0]["rows"]
    assert all(row["verified"] for row in result["measurements"])


def test_experiments_as_a_program(capsys, tmp_path):
    arguments = ["papers", "004.figure5", "--small", "--backend", "cpu", "--trials", "1", "--out", str(tmp_path)]
    assert program.main(arguments) == 0
    assert "push ms" in capsys.readouterr().out
    assert json.loads((tmp_path / "004.figure5.json").read_text())["backend"] == "cpu"
    with pytest.raises(SystemExit) as exit_:
        papers.main(["004.table99"])
    assert exit_.value.code == 2
    assert papers.main([]) == 0
    assert "001.figure4" in capsys.readouterr().out


def test_one_program_has_all_benchmarks(capsys):
    assert program.main([]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"^{name} +\w", out, re.MULTILINE) for name in program.NAMES)
    assert program.main(["no such benchmark"]) == 2
    for name in program.NAMES:
        with pytest.raises(SystemExit) as exit_:
            program.main([name, "--help"])
        assert exit_.value.code == 0 and f"usage: python -m benchmarks {name}" in capsys.readouterr().out


def test_pages_of_results_are_up_to_date():
    """The papers' results, those of the library, and what was measured of ranks with the model next to it."""
    for name, text in pages.pages().items():
        assert (pages.RESULTS / name).read_text(encoding="utf-8") == text, f"{name}: run python -m docs.pages"
    found = pages.experiments()
    text = pages.papers_page(found)
    for result in found:
        assert not pages.slower(result) or "remarks" in EXPERIMENTS[result["experiment"]].data, "what differs, and why?"
        assert f"## {result['experiment']}" in text
    missing = set(EXPERIMENTS) - {result["experiment"] for result in found}
    assert all(f"`{name}`" in text.split("##")[0] for name in missing)
    ranks = (pages.RESULTS / "scaling.md").read_text(encoding="utf-8")
    assert pages.ranks_markdown(pages.ranks_tables()["weak scaling"]) in ranks


def test_rows_of_results_are_rows_of_benchmarks():
    """A new run can be compared with what is kept: same names, same columns."""
    kept = json.loads((common.RESULTS / "gpu_speed.json").read_text())
    assert {row["name"] for row in kept["measurements"]} <= {work.name for work in cases_gpu.WORKS}
    assert kept["tables"][0]["columns"] == gpu_speed.table_of([], "cuda", False).columns
    kept = json.loads((common.RESULTS / "gpu_operations.json").read_text())
    assert {row["operation"] for row in kept["rows"]} == {operation.name for operation in gpu_operations.OPERATIONS}
    assert {row["graph"] for row in kept["rows"]} == set(gpu_operations.STRUCTURES)
    for result in pages.experiments():
        experiment = EXPERIMENTS[result["experiment"]]
        assert result["tables"][0]["columns"] == experiment.table("").columns
        assert (result["title"], result["paper"]) == (experiment.data["title"], experiment.data["paper"])


@pytest.mark.slow  # Numba compiles it
def test_edge_checks():
    """On the path 0 - 1 - 2 - 3 - 4 from 0, bottom-up from level 1 on: one pass settles two levels."""
    indptr, indices = graphs.BenchmarkGraph("path", generators.path, 5).csr
    levels, lasts = np.arange(5), (1, 2, 3, 4)
    # Pass 1 reads 0 for 1; 1, 3 for 2; 2, 4 for 3; 3 for 4. Pass 2 reads 1 for 2; 2, 4 for 3; 3 for 4. And so on.
    checks = [xbfs.count_checks(indptr, indices, levels, 1, last, False) for last in lasts]
    assert checks == [6, 10, 12, 13]
    # Asynchronously pass 1 also settles 2, as 1 was before it. Pass 2 reads 2, 4 for 3 and 3 for 4; pass 3, 3 for 4.
    checks = [xbfs.count_checks(indptr, indices, levels, 1, last, True) for last in lasts]
    assert checks == [6, 9, 10, 10]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows"),
    [("host_columns", r"^bfs .*\npagerank, 20 rounds "), ("changes", r"^insert, bfs .*\npagerank, repaired ")],
)
def test_tables_of_one_graph(name, rows, capsys):
    main = importlib.import_module(f"benchmarks.{name}").main
    assert main("--scale 6 --backend cpu --trials 1".split()) == 0
    assert re.search(rows, capsys.readouterr().out, re.MULTILINE)


def test_dense_products(capsys, monkeypatch, loops):
    pytest.importorskip("graphblas")
    from benchmarks import dense_products

    monkeypatch.setattr(dense_products, "SOURCES", 4)
    small = ["--backend", "cpu", "--scale", "5", "--columns", "3", "--trials", "1"]
    assert dense_products.main(small) == 0
    shown = capsys.readouterr().out
    assert all(row in shown for row in ("SciPy", "plus_times into a Matrix", "bfs_multi", "as by default"))


def test_every_operation_of_a_gpu_runs_on_small_graphs(tmp_path, capsys):
    options = ["--backend", "cpu", "--small", "--budget", "0", "--out", str(tmp_path)]
    assert gpu_operations.main([*options, "--graphs", "one_full_row", "rmat15_16", "--types", "FP32", "iso"]) == 0
    rows = json.loads((tmp_path / "gpu_operations.json").read_text())["rows"]
    assert {row["operation"] for row in rows} == {operation.name for operation in gpu_operations.OPERATIONS}
    assert not [row for row in rows if "error" in row]
    assert "A + A'" in capsys.readouterr().out


@pytest.mark.slow
def test_operations_of_a_gpu_in_parts(tmp_path, capsys):
    options = ["--backend", "cpu", "--small", "--budget", "0", "--out", str(tmp_path), "--only", "tril|apply"]
    options += ["--graphs", "grid_2000", "--types"]
    for kind in ("FP32", "INT64", "INT64"):  # what is measured again replaces what was
        assert gpu_operations.main([*options, kind]) == 0
    rows = json.loads((tmp_path / "gpu_operations.json").read_text())["rows"]
    assert sorted((row["type"], row["operation"]) for row in rows) == [
        (kind, name) for kind in ("FP32", "INT64") for name in ("apply times 2", "select tril")
    ]
    assert all(row["ms"] > 0 for row in rows)
    capsys.readouterr()
    gpu_operations.main([*options, "FP32", "INT64", "--seconds", "0"])
    assert capsys.readouterr().out.count("TimeoutError: no time left") == 4


@pytest.mark.slow
def test_cold(capsys, tmp_path):
    path = tmp_path / "cold.json"
    given = ["--backend", "cpu", "--scale", "6", "--only", "^(transitivity|selections)$", "--out", str(path)]
    assert cold.main(given) == 0
    shown = capsys.readouterr().out
    assert "transitivity" in shown and "selections" in shown and "all" in shown
    assert [found["errors"] for found in json.loads(path.read_text())["results"]] == [[], []]


def test_overhead(capsys, monkeypatch):
    pytest.importorskip("graphblas")
    monkeypatch.setattr(registry, "_default", registry.current_engine())  # it chooses others
    assert overhead.main(["--rounds", "2", "--calls", "2"]) == 0
    assert re.search(r"^masked vxm( +[\d.,]+){3}", capsys.readouterr().out, re.MULTILINE)
