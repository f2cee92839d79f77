"""Arguments of all algorithms, found by their names in the signatures: vertices in any form, labels, their weights.

A new algorithm is tested by being public. It fails here until ``ARGUMENTS`` knows what its arguments are.
"""

import inspect
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Graph, Matrix, Vector, algorithms

SIZE = 8
ALL = sorted(set(algorithms.__all__) - {"NotConverged"})
ENGINES = pytest.mark.parametrize("backend", ["cpu", "numpy"], indirect=True)
WITHOUT_CYCLES = {"topological_generations", "topological_order"}
Forms = dict[str, Callable[[], Any]]


def weights_of_vertices() -> Forms:
    dense = [0.5, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0]
    return {
        "Vector": lambda: Vector.from_dense(dense),
        "array": lambda: np.array(dense),
        "list": lambda: dense,
        "dict": lambda: {0: 0.5, 3: 2.0, 5: 1.0},
        "integers": lambda: {0: 1, 3: 4, 5: 2},
    }


#: Every argument that says something about vertices, in all forms that mean the same; the first is the plainest.
VERTICES: dict[str, Forms] = {
    "source": {
        "int": lambda: 3,
        "NumPy integer": lambda: np.uint16(3),
        "array of no dimensions": lambda: np.array(3),
        "unsigned": lambda: np.uint64(3),
        "Scalar": lambda: gb.Scalar.from_value(3),
    },
    "target": {"int": lambda: 6, "NumPy integer": lambda: np.int64(6), "Scalar": lambda: gb.Scalar.from_value(6)},
    "sources": {
        "list": lambda: [3, 5],
        "tuple": lambda: (3, 5),
        "range": lambda: range(3, 6, 2),
        "iterator": lambda: iter([3, 5]),
        "dictionary": lambda: {3: "three", 5: "five"},
        "array": lambda: np.array([3, 5], np.uint8),
        "arrays of no dimensions": lambda: [np.array(3), np.array(5)],
        "Scalars": lambda: [gb.Scalar.from_value(3), np.int16(5)],
        "Vector": lambda: Vector.from_coo([3, 5], [0.0, 7.5], size=SIZE),
        "BOOL Vector": lambda: Vector.from_coo([3, 5], [True, False], size=SIZE),
    },
    "pairs": {
        "list": lambda: [(0, 2), (3, 4)],
        "array": lambda: np.array([[0, 2], [3, 4]]),
        "iterator": lambda: iter([(0, 2), (3, 4)]),
        "Matrix": lambda: Matrix.from_coo([0, 3], [2, 4], [1.5, 0.0], nrows=SIZE, ncols=SIZE),
    },
    "personalization": weights_of_vertices(),
    "dangling": weights_of_vertices(),
    "start": weights_of_vertices(),
    "labels": {
        "Vector": lambda: Vector.from_dense([0, 0, 0, 1, 1, 1, 1, 0]),
        "array": lambda: np.array([0, 0, 0, 1, 1, 1, 1, 0]),
        "list": lambda: [0, 0, 0, 1, 1, 1, 1, 0],
        "dict": lambda: {0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 1, 7: 0},
    },
}
VERTICES["vertices"], VERTICES["heuristic"] = VERTICES["sources"], VERTICES["start"]
#: What the same is with labels; a vertex is called by its number and a letter.
LABELLED = {
    "source": "v3",
    "target": "v6",
    "sources": ["v3", "v5"],
    "vertices": ["v3", "v5"],
    "pairs": [("v0", "v2"), ("v3", "v4")],
    "personalization": {"v0": 0.5, "v3": 2.0, "v5": 1.0},
    "dangling": {"v0": 0.5, "v3": 2.0, "v5": 1.0},
    "start": {"v0": 0.5, "v3": 2.0, "v5": 1.0},
    "heuristic": {"v0": 0.5, "v3": 2.0, "v5": 1.0},
    "labels": {f"v{i}": "left" if i in (0, 1, 2, 7) else "right" for i in range(SIZE)},
}
#: Others that have no default.
ARGUMENTS = {"k": 2, "length": 3, "fanouts": 2, "count": 2, "pattern": [(0, 1), (1, 2)]}
ARGUMENTS |= {"expression": "A/^A|A", "rules": [("S", "A S"), ("S", "A")]}


def edges(name: str) -> Matrix:
    """An even cycle: joined, with two sides; or a graph without cycles."""
    n = SIZE - 1 if name in WITHOUT_CYCLES else SIZE
    rows, columns = np.arange(n), (np.arange(n) + 1) % SIZE
    weights = np.arange(1.0, n + 1)
    if name not in WITHOUT_CYCLES:
        rows, columns, weights = np.r_[rows, columns], np.r_[columns, rows], np.r_[weights, weights]
    return Matrix.from_coo(rows, columns, weights, nrows=SIZE, ncols=SIZE)


def parameters(name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(algorithms, name)).parameters.values())[1:]


#: Old results that algorithms repair; those of searches are upper bounds, with 0 at the source.
OLD = {"bfs": [99, 99, 99, 0, 99, 99, 99, 99], "connected_components": [0, 1, 2, 3, 4, 5, 6, 7], "triangle_count": 0}
OLD["sssp"] = OLD["bfs"]


def forms_of(name: str, parameter: str) -> Forms:
    old = OLD.get(name) if parameter == "start" else None
    if old is None:
        return VERTICES.get(parameter, {}) | ({"Matrix": lambda: edges(name)} if parameter == "costs" else {})
    if isinstance(old, int):  # a number
        return {}
    forms: Forms = {"Vector": lambda: Vector.from_dense(old), "array": lambda: np.array(old)}
    return forms | {"list": lambda: old, "dict": lambda: dict(enumerate(old))}


def labelled(name: str, parameter: str, value: Any) -> Any:
    """An argument for a Graph: ``value`` if it says nothing about vertices."""
    if parameter == "costs":
        return Graph(edges(name), [f"v{i}" for i in range(SIZE)], directed=False)
    old = OLD.get(name) if parameter == "start" else None
    if isinstance(old, list):
        return {f"v{i}": f"v{x}" if name == "connected_components" else x for i, x in enumerate(old)}
    return LABELLED.get(parameter, value) if old is None else old


def given(name: str, **more):
    """Arguments for all that need one."""
    found = {}
    for parameter in parameters(name):
        if parameter.default is parameter.empty and forms_of(name, parameter.name):
            found[parameter.name] = next(iter(forms_of(name, parameter.name).values()))()
        elif parameter.default is parameter.empty:
            assert parameter.name in ARGUMENTS, f"{name}: say in ARGUMENTS what {parameter.name!r} may be"
            found[parameter.name] = ARGUMENTS[parameter.name]
    known = {parameter.name for parameter in parameters(name)}
    found |= {option: value for option, value in {"reproducible": True, "directed": False}.items() if option in known}
    return found | more


def plain(result):
    """Python's own: a dictionary by vertex or pair, a list of rows, numbers; of a part by the vertices of the whole."""
    if isinstance(result, Vector):
        return result.to_dict()
    if isinstance(result, Matrix):
        rows = result.to_dicts()
        if result.shape == (SIZE, SIZE):
            return {(i, j): x for i, row in rows.items() for j, x in row.items()}
        return [rows.get(i, {}) for i in range(result.nrows)]
    if hasattr(result, "vertices") and hasattr(result, "matrix"):
        names = result.vertices.to_dense().tolist()
        pairs = {(names[i], names[j]): x for i, row in result.matrix.to_dicts().items() for j, x in row.items()}
        if hasattr(result, "parts"):
            return [pairs, {i: names[part] for i, part in result.parts.to_dict().items()}, names]
        return pairs
    if isinstance(result, (tuple, list)):
        return [plain(part) for part in result]
    return result


def without_labels(result):
    """The same of a result by labels."""
    if isinstance(result, str):
        return int(result[1:])
    if isinstance(result, Vector):  # by number, not by vertex
        return result.to_dict()
    if isinstance(result, dict):
        return {without_labels(vertex): without_labels(x) for vertex, x in result.items()}
    if isinstance(result, Graph):
        names = without_labels(result.labels)
        return {(names[i], names[j]): x for i, row in result.matrix.to_dicts().items() for j, x in row.items()}
    if isinstance(result, (tuple, list)):
        return [without_labels(part) for part in result]
    return result


def alike(x, y) -> bool:
    if isinstance(x, dict) and isinstance(y, list):  # a walk: its vertices in order
        return list(x.values()) == y
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(alike(x[key], y[key]) for key in x)
    if isinstance(x, list) and isinstance(y, dict):  # a row for each vertex
        y = list(y.values())
    if isinstance(x, list):
        return len(x) == len(y) and all(map(alike, x, y))
    return x == pytest.approx(y, nan_ok=True)


@ENGINES
@pytest.mark.parametrize("name", ALL)
def test_vertices_in_any_form(name: str, backend: str) -> None:
    algorithm, A = getattr(algorithms, name), edges(name)
    for parameter in parameters(name):
        forms = forms_of(name, parameter.name)
        results = {form: plain(algorithm(A, **given(name, **{parameter.name: make()}))) for form, make in forms.items()}
        for form, found in results.items():
            assert alike(next(iter(results.values())), found), (parameter.name, form)


@ENGINES
@pytest.mark.parametrize("name", ALL)
def test_labels_in_and_out(name: str, backend: str) -> None:
    algorithm, A = getattr(algorithms, name), edges(name)
    graph = Graph(A, [f"v{i}" for i in range(SIZE)], directed=name in WITHOUT_CYCLES)
    required = given(name)
    named = {key: labelled(name, key, value) for key, value in required.items()}
    assert alike(plain(algorithm(A, **required)), without_labels(algorithm(graph, **named)))
    for parameter in parameters(name):
        if parameter.name in LABELLED and parameter.name not in required and forms_of(name, parameter.name):
            first = next(iter(forms_of(name, parameter.name).values()))()
            expected = plain(algorithm(A, **required, **{parameter.name: first}))
            found = algorithm(graph, **named, **{parameter.name: labelled(name, parameter.name, first)})
            assert alike(expected, without_labels(found)), parameter.name


@pytest.mark.parametrize("name", ALL)
def test_unknown_labels(name: str) -> None:
    graph = Graph(edges(name), [f"v{i}" for i in range(SIZE)], directed=name in WITHOUT_CYCLES)
    strange = {"source": "x", "target": "x", "sources": ["v0", "x"], "vertices": ["x"], "pairs": [("v0", "x")]}
    strange |= {key: {"x": 1} for key in ("personalization", "dangling", "start", "labels")}
    named = {key: labelled(name, key, value) for key, value in given(name).items()}
    for parameter in parameters(name):
        if parameter.name in strange and forms_of(name, parameter.name):
            with pytest.raises(KeyError, match=f"{name}: {parameter.name} 'x' is not a vertex"):
                getattr(algorithms, name)(graph, **named | {parameter.name: strange[parameter.name]})


@pytest.mark.parametrize("name", ALL)
def test_all_are_documented_the_same_way(name: str) -> None:
    text = inspect.getdoc(getattr(algorithms, name)) or ""
    assert "\nParameters\n----------\nA : Matrix or Graph\n" in text and "\nExamples\n--------\n>>> " in text
    described = text[text.index("Parameters\n") : text.index("Examples\n")]
    missing = [p.name for p in parameters(name) if f"\n{p.name} : " not in described]
    assert not missing and "With a Graph," in described


NAMES = ["ann", "bob", ("c", 3), 4.5, 7, "dot"]
EDGES = [("ann", "bob", 2), ("bob", ("c", 3), 3), (("c", 3), "ann", 1), (("c", 3), 4.5, 5), (4.5, 7, 1)]


def people(*, directed: bool = False) -> Graph:
    return Graph.from_edges(EDGES, nodes=NAMES, directed=directed)


def test_vertices_go_by_label(backend: str) -> None:
    graph = people()
    G = graph.to_networkx()
    assert algorithms.bfs(graph, "ann") == nx.single_source_shortest_path_length(G, "ann")
    assert algorithms.bfs(graph, ("c", 3))[7] == 2
    distances, before = algorithms.sssp(graph, "ann", predecessors=True)
    assert distances == nx.single_source_dijkstra_path_length(G, "ann")
    assert before == {"ann": "ann", "bob": "ann", ("c", 3): "ann", 4.5: ("c", 3), 7: 4.5}
    assert algorithms.shortest_path(graph, "bob", 7) == (9, ["bob", "ann", ("c", 3), 4.5, 7])
    for label in ("cid", 0):
        with pytest.raises(KeyError, match="is not a vertex of the graph"):
            algorithms.bfs(graph, label)
