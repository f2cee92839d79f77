"""Files of LDBC Graphalytics: its own examples, and malformed ones."""

import gzip
from pathlib import Path

import pytest

from grblas_gpu import algorithms, io
from grblas_gpu.io.text_graphs import properties_of

EXAMPLES = Path(__file__).parents[1] / "data" / "ldbc"
UNREACHED = 2**63 - 1


def expected(name: str) -> dict[int, float]:
    lines = (EXAMPLES / name).read_text().split("\n")
    return {int(line.split()[0]): float(line.split()[1]) for line in lines if line}


@pytest.mark.parametrize("name", ["example-directed", "example-undirected"])
def test_examples(name: str) -> None:
    graph = io.read_ldbc(EXAMPLES / f"{name}.properties")
    stated = properties_of(EXAMPLES / name)
    assert len(graph) == int(stated["meta.vertices"])
    assert len(graph.edges()[0]) == int(stated["meta.edges"])
    assert graph.directed == (name == "example-directed")
    levels = algorithms.bfs(graph, int(stated["bfs.source-vertex"]))
    assert levels == {vertex: level for vertex, level in expected(f"{name}-BFS").items() if level < UNREACHED}
    if not graph.directed:
        distances = algorithms.sssp(graph, int(stated["sssp.source-vertex"]))
        assert distances == pytest.approx(expected(f"{name}-SSSP"))


@pytest.mark.parametrize("start", ["g", "g.v", "g.e.gz", "g.properties"])
def test_every_file_names_the_graph(start: str, tmp_path: Path) -> None:
    (tmp_path / "g.v").write_text("5\n-7\n900000000000\n")
    (tmp_path / "g.e.gz").write_bytes(gzip.compress(b"5 -7\n900000000000 5\n"))
    graph = io.read_ldbc(tmp_path / start)
    assert graph.labels == [5, -7, 900000000000] and graph.directed
    assert graph.matrix.to_dicts() == {0: {1: True}, 2: {0: True}}


@pytest.mark.parametrize(
    ("vertices", "edges", "said"),
    [
        ("1\nx\n", "", r"g\.v: line 2: expected the number of a vertex, found 'x'"),
        ("1\n2\n1\n", "", r"g\.v: vertex 1 is listed twice"),
        ("1\n900000000000000\n1\n", "", r"g\.v: vertex 1 is listed twice"),
        ("1\n2\n", "1 2\n2 3\n", r"g\.e: edge 2: 3 is not a vertex"),
        ("1\n2\n", "1 2 0.5\n2 1\n", r"g\.e: line 2: expected source target weight, found '2 1'"),
        ("1\n2\n", "1 2 0.5\n2 1 x\n", r"g\.e: line 2: expected source target weight, found '2 1 x'"),
    ],
)
def test_malformed(vertices: str, edges: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "g.v").write_text(vertices)
    (tmp_path / "g.e").write_text(edges)
    with pytest.raises(ValueError, match=said):
        io.read_ldbc(tmp_path / "g")
