"""Algorithms of the library on files: the same as in Python, with labels, in every form of output."""

import json
from pathlib import Path

import pytest
from command_line import one_line_error, run

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.cli import main
from grblas_gpu.cli.library import COMMANDS
from grblas_gpu.cli.library_tables import LAYOUTS

#: For each argument: on the command line, and in Python.
GIVEN = {
    "source": ("--source ann", {"source": "ann"}),
    "target": ("--target dot", {"target": "dot"}),
    "sources": ("-s ann -s dot", {"sources": ["ann", "dot"]}),
    "some": ("-s bob", {"sources": ["bob"]}),
    "normalized": ("--no-normalize", {"normalized": False}),
    "personalization": ("-s ann -s bob", {"personalization": {"ann": 1, "bob": 1}}),
    "vertices": ("--vertex ann --vertex cid", {"vertices": ["ann", "cid"]}),
    "fanouts": ("--fanouts 2,1", {"fanouts": [2, 1]}),
    "weighted": ("--weighted", {"weighted": True}),
    "k": ("--k 3", {"k": 3}),
    "radius": ("--radius 3", {"radius": 3}),
    "length": ("--length 4", {"length": 4}),
    "damping": ("--damping 0.7", {"damping": 0.7}),
    "alpha": ("--alpha 0.05", {"alpha": 0.05}),
    "resolution": ("--resolution 0.9", {"resolution": 0.9}),
    "seed": ("--seed 3", {"seed": 3}),
    "p": ("--p 0.5", {"p": 0.5}),
    "q": ("--q 2", {"q": 2.0}),
}
#: Commands for graphs without cycles, for those of two sides, and for those in which everything is reached.
FORWARD, JOINED = {"topological", "generations"}, {"sides", "bipartite-matching", "diameter", "eccentricity"}
#: What no command of its own runs, and which one does.
ELSEWHERE = {
    "bfs": "bfs", "dobfs": "bfs --algorithm", "turbobfs": "bfs --algorithm", "hybrid_bfs": "bfs --algorithm",
    "xbfs": "bfs --algorithm", "bfs_multi": "bfs, once for each source",
    "triangle_count": "triangles", "k_core": "core", "bellman_ford": "sssp", "delta_stepping": "sssp",
    "diameter_estimate": "diameter", "personalized_pagerank": "ppr", "modularity": "louvain and leiden print it",
    "sample_non_edges": "pairs without an edge",
    "k_shortest_paths": "path", "voterank": "a list", "rich_club": "by degree", "densest_subgraph": "two results",
    "NotConverged": "an exception", "coarsen": "three results", "forceatlas2": "two results",
    "spectral_layout": "two results", "maximum_matching_bounds": "two numbers", "motif_counts": "nine numbers",
    "graphlet_degrees": "a row of numbers", "partition_quality": "as modularity",
    "astar": "takes bounds", "context_free_reachability": "takes a grammar",
    "regular_reachability": "takes several graphs",
    "subgraph_count": "takes a pattern", "subgraph_matches": "takes a pattern",
}  # fmt: skip


def graph_for(command: str, folder: Path) -> tuple[str, Path, gb.Graph]:
    """Options, a file, and the same graph in Python."""
    text = "ann,bob,2\nbob,cid,3\ncid,ann,4\ncid,dot,1\neve,fay,5\n"
    if command in FORWARD | JOINED:
        text = "ann,bob,2\nann,cid,3\nbob,dot,4\ncid,dot,1\n"
    file = folder / "graph.csv"
    file.write_text(text)
    edges = [(u, v, float(w)) for u, v, w in (line.split(",") for line in text.split())]
    return "" if command in FORWARD else "--undirected", file, gb.Graph.from_edges(edges, directed=command in FORWARD)


def as_rows(found) -> list[tuple]:
    """A result by labels as the command prints it."""
    if isinstance(found, dict):
        return list(found.items())
    if isinstance(found, gb.Graph):
        A = found.matrix if found.directed else gb.select.triu(found.matrix).new()
        entries = zip(*(part.tolist() for part in A.to_coo()), strict=True)
        return [(found.labels[i], found.labels[j], x) for i, j, x in entries]
    if hasattr(found, "length"):
        return list(enumerate(found.vertices))
    return [(walk, step, vertex) for walk, vertices in enumerate(found) for step, vertex in enumerate(vertices)]


def same(text: str, value) -> bool:
    return text == str(value) or (not isinstance(value, str) and float(text) == pytest.approx(float(value)))


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=pytest.mark.slow if number % 3 else ()) for number, name in enumerate(COMMANDS)],
)
def test_the_same_as_in_python(capsys, tmp_path, command):
    what = COMMANDS[command]
    options, file, graph = graph_for(command, tmp_path)
    keywords = dict(what.more or {})
    for name in what.arguments.split():
        of_graph = {"edges": ("--edges", {"pairs": graph}), "costs": (f"--costs {file}", {"costs": graph})}
        option, more = of_graph[name] if name in of_graph else GIVEN[name]
        options, keywords = f"{options} {option}", keywords | more
    expected = getattr(algorithms, what.algorithm)(graph, **keywords)
    code, out, _ = run(capsys, f"{command} {options} --json --top 3", file)
    found = json.loads(out)
    assert code == 0 and found["vertices"] == len(graph) and found["entries"] == graph.matrix.nvals
    code, out, _ = run(capsys, f"{command} {options}", file)
    assert code == 0 and what.value in out
    if what.layout == "number":
        assert found[what.value] == pytest.approx(expected)
        return
    assert len(found["top"]) <= 3
    code, out, _ = run(capsys, f"{command} {options} --csv", file)
    header, *lines = [line.split(",") for line in out.splitlines()]
    rows = as_rows(what.table_of(expected))
    assert code == 0 and header == LAYOUTS[what.layout].columns(what.value) and rows
    assert len(lines) == len(rows) and all(all(map(same, line, row)) for line, row in zip(lines, rows, strict=True))
    assert run(capsys, f"{command} {options} -o", tmp_path / "found.csv", file)[0] == 0
    assert (tmp_path / "found.csv").read_text() == out
    if what.first in ("highest", "lowest"):
        best = (max if what.first == "highest" else min)(row[-1] for row in rows)
        assert found["top"][0][what.value] == pytest.approx(best)


def test_every_algorithm_has_a_command():
    run_by_commands = {what.algorithm for what in COMMANDS.values()}
    assert run_by_commands.isdisjoint(ELSEWHERE)
    assert run_by_commands | ELSEWHERE.keys() == set(algorithms.__all__)
    page = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text()
    assert [name for name in COMMANDS if f"`{name}`" not in page] == []


def test_values_of_algorithms(capsys, friends):
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
    one_line_error(capsys, "sssp --source zoe", friends, match="no vertex has the label", exit_code=2)


def test_numbers_for_algorithms(capsys, friends):
    ranks = [json.loads(run(capsys, f"pagerank --json --damping {d}", friends)[1])["top"][0]["rank"] for d in (0, 0.9)]
    assert ranks[0] == pytest.approx(1 / 6) and ranks[1] > 0.2
    one_line_error(capsys, "katz -u --alpha 2", friends, match="alpha = 2.0 must be below")
    assert run(capsys, "katz -u --alpha 0.01", friends)[0] == 0
    with pytest.raises(SystemExit):
        main(["generate", "kronecker", "3.5"])
    assert "argument scale: must be an integer; got 3.5" in capsys.readouterr().err


def test_what_a_table_has_more_to_say(capsys, friends):
    def found(line):
        return json.loads(run(capsys, f"{line} --undirected --json", friends)[1])

    assert found("forest")["weight"] == 11.0
    assert found("path -s ann --target dot")["length"] == 5.0
    assert found("flow -s ann --target dot")["value"] == 1.0
    assert found("bipartite")["bipartite"] is False and found("transitivity")["transitivity"] == pytest.approx(0.6)
    one_line_error(capsys, "diameter -u", friends, match="it is infinite")
    one_line_error(capsys, "topological -u", friends, match="has a cycle")
    one_line_error(capsys, "path -u -s ann --target fay", friends, match="no path")
