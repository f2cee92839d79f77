"""Error messages name the operation, the operand as the user knows it, the mistake, and what to write instead."""

import inspect
import sys

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import grblas_gpu as gb
from grblas_gpu import Graph, Matrix, algorithms
from grblas_gpu.cli import main
from grblas_gpu.exceptions import IndexOutOfBound, InvalidValue, NoValue

ROADS = Graph.from_edges([("ann", "bob", 1), ("cid", "dan", 2)])
A = ROADS.matrix
NAMES = vars(gb) | {"gb": gb, "algorithms": algorithms, "Graph": Graph, "nx": nx, "np": np, "scipy": scipy}
NAMES |= {"ROADS": ROADS, "A": A}
MESSAGES: list[tuple[str, type, str]] = [
    # objects of other libraries
    ("algorithms.pagerank(nx.path_graph(3))", TypeError, "pagerank: .* got networkx Graph; Graph.from_networkx"),
    ("algorithms.bfs(np.eye(3), 0)", TypeError, "bfs: .* got numpy ndarray; Matrix.from_dense"),
    ("algorithms.bfs(scipy.sparse.eye_array(3), 0)", TypeError, "got scipy dia_array; io.from_scipy_sparse"),
    ("algorithms.bfs(A.T, 0)", TypeError, "got TransposedMatrix; .new\\(\\) makes a Matrix"),
    ("Matrix([[1, 2], [3, 4]])", ValueError, "^Matrix: .* got list; use Matrix.from_dense"),
    ("Vector([1, 2])", ValueError, "^Vector: .* got list; use Vector.from_dense"),
    ("Matrix(nx.path_graph(3))", ValueError, "got networkx Graph; use io.from_networkx"),
    ("Matrix(scipy.sparse.eye_array(3))", ValueError, "got scipy dia_array; use io.from_scipy_sparse"),
    ("Matrix(A)", ValueError, "got Matrix; use x.dup"),
    ("Vector({0: 1.5})", ValueError, "got dict; use Vector.from_dict"),
    ("Matrix(5)", ValueError, r"got int; use Matrix\(float, ...\)"),
    # vertices
    ("algorithms.shortest_path(ROADS, 'dan', 'ann')", NoValue, "no path leads from 'dan' to 'ann'$"),
    ("algorithms.shortest_path(A, 3, 0)", NoValue, "no path leads from 3 to 0$"),
    ("algorithms.shortest_path(ROADS, 'ann', 'dn')", KeyError, "shortest_path: target 'dn' .* did you mean dan?"),
    ("algorithms.shortest_path(A, 0, 9)", IndexOutOfBound, "shortest_path: target 9 is not a vertex"),
    ("algorithms.maximum_flow(ROADS, 'ann', 'bob2')", KeyError, "maximum_flow: target 'bob2'"),
    ("algorithms.maximum_flow(ROADS, 'ann', 'ann')", InvalidValue, "both are 'ann'"),
    ("algorithms.bfs(A, 'ann')", TypeError, "bfs: source .* got str; labels need a Graph"),
    ("algorithms.bfs_multi(A, [0, 9])", IndexOutOfBound, "bfs_multi: sources: 9 is not a vertex"),
    ("algorithms.pagerank(ROADS, personalization={'bo': 1})", KeyError, "pagerank: personalization 'bo'"),
    ("algorithms.sssp(Graph.from_edges([('a', 'b', -1), ('b', 'a', -1)]), 'b')", InvalidValue, "sssp: .* from 'b'$"),
    # edges
    ("Graph.from_edges([('a', 'b', 1), ('c', 'd')])", ValueError, r"edge 1 is \('c', 'd'\), .* edge 0 has 3"),
    ("Graph.from_edges([('a',)])", ValueError, r"from_edges: .* \(source, target, weight\)"),
    ("Graph.from_edges(5)", TypeError, "Graph.from_edges: .* got int"),
    # unknown names
    ("algorithms.pagerank(ROADS, alpha=0.85)", TypeError, "pagerank: unknown argument 'alpha'; did you mean damping?"),
    ("algorithms.pagerank(A, dampin=0.85)", TypeError, "pagerank: unknown argument 'dampin'; did you mean damping?"),
    ("algorithms.pagerank(A, colour=1)", TypeError, "it takes A, damping, "),
    ("algorithms.bfs(ROADS)", TypeError, "bfs: missing a required argument: 'source'"),
    ("algorithms.page_rank", AttributeError, "algorithms' has no attribute 'page_rank'; did you mean pagerank?"),
    ("algorithms.shortest_paths(A, 0)", AttributeError, "did you mean sssp or shortest_path?"),
    ("algorithms.components(A)", AttributeError, "call connected_components$"),
    ("gb.Matirx", AttributeError, "did you mean Matrix?"),
    ("gb.io.from_numpy", AttributeError, "did you mean from_array?"),
    ("gb.generators.kroneker", AttributeError, "did you mean kronecker"),
    ("gb.viz.sppy", AttributeError, "did you mean spy?"),
    ("gb.semiring.plus_tims", AttributeError, "did you mean plus_times"),
]


@pytest.mark.parametrize("call, kind, match", MESSAGES, ids=[call for call, *_ in MESSAGES])
def test_message(call: str, kind: type[BaseException], match: str) -> None:
    with pytest.raises(kind, match=match):
        eval(call, dict(NAMES))


def test_nested_calls_name_the_outer_one() -> None:
    with pytest.raises(InvalidValue, match=r"^shortest_path: a cycle of negative length is reachable from 1$"):
        algorithms.shortest_path(Matrix.from_coo([0, 1], [1, 0], [-1, -1]), 1, 0)
    with pytest.raises(IndexOutOfBound, match=r"^bfs: "):  # the call before left nothing behind
        algorithms.bfs(A, 7)


@pytest.mark.parametrize(
    "line, said",
    [
        ("bsf", "unknown command 'bsf'; did you mean bfs?"),
        ("page-rank", "unknown command 'page-rank'; did you mean pagerank?"),
        ("generate kroneker 3", "unknown kind 'kroneker'; did you mean kronecker?"),
        ("bfs graph.mtx --sorce 3", "unknown option --sorce; did you mean --source"),
    ],
)
def test_commands(capsys: pytest.CaptureFixture, line: str, said: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(line.split())
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


NEEDED = {
    "pandas": ("io.from_pandas_edgelist", lambda: gb.io.from_pandas_edgelist(object())),
    "networkx": ("io.to_networkx", lambda: gb.io.to_networkx(A)),
    "graphblas": ("io.to_graphblas", lambda: gb.io.to_graphblas(A)),
    "awkward": ("io.to_awkward", lambda: gb.io.to_awkward(A)),
    "sparse": ("io.to_pydata_sparse", lambda: gb.io.to_pydata_sparse(A)),
    "torch": ("io.to_torch", lambda: gb.io.to_torch(A)),
    "matplotlib": ("viz.spy", lambda: gb.viz.spy(A, show=False)),
}


@pytest.mark.parametrize("package", NEEDED)
def test_missing_packages(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    caller, call = NEEDED[package]
    with pytest.raises(ImportError, match=f"{caller} needs .*: pip install "):
        call()


@pytest.mark.parametrize("name", "algorithms distributed generators io sampling ss torch viz".split())
def test_completion_shows_public_names(name: str) -> None:
    module = getattr(gb, name)
    assert dir(module) == sorted(module.__all__)
    for public in module.__all__:
        found = getattr(module, public)
        assert not inspect.ismodule(found)


def test_show_versions(capsys: pytest.CaptureFixture) -> None:
    gb.show_versions()
    shown = capsys.readouterr().out
    assert shown.startswith(f"grblas_gpu {gb.__version__}, Python {sys.version.split()[0]}, numpy {np.__version__}")
    assert f"networkx {nx.__version__}" in shown and "backend cpu   ready" in shown
    assert main(["info"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == shown.splitlines()[0]
