"""Tables through the Arrow interface: of every library here, with labels of every type, beside plain Python."""

import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from grblas_gpu import Graph, Matrix, Vector
from grblas_gpu.api.arrow_streams import Text
from grblas_gpu.io.arrow_edges import TextCodes

pa = pytest.importorskip("pyarrow")

TEXT = st.one_of(st.sampled_from(["", "ann", "Ünï", "a label of more than twelve bytes", '"1"', "1"]), st.text())
EDGES = {
    "text": st.lists(st.tuples(TEXT, TEXT)),
    "integers": st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5))),
    "large": st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))),
}


def column(values: list, kind: str, form: str):
    plain = pa.array(values, pa.int64() if kind != "text" else pa.string())
    return {
        "plain": lambda: plain,
        "large": lambda: plain.cast(pa.large_string()) if kind == "text" else plain,
        "view": lambda: plain.cast(pa.string_view()) if kind == "text" else plain,
        "dictionary": plain.dictionary_encode,
        "chunks": lambda: pa.chunked_array([plain[:1], plain[1:1], plain[1:]]),
        "slice": lambda: pa.concat_arrays([plain[:0], pa.array(["x"] * 3 if kind == "text" else [7] * 3), plain])[3:],
    }[form]()


@pytest.mark.parametrize("form", ["plain", "large", "view", "dictionary", "chunks", "slice"])
@pytest.mark.parametrize("kind", EDGES)
@given(data=st.data())
def test_edges_are_those_of_python(kind: str, form: str, data: st.DataObject) -> None:
    edges = data.draw(EDGES[kind])
    try:
        "".join(str(end) for edge in edges for end in edge).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which Arrow refuses
        return
    table = pa.table(
        {"source": column([u for u, _ in edges], kind, form), "target": column([v for _, v in edges], kind, form)}
    )
    graph = Graph.from_arrow(table)
    assert set(graph.edges(data=False)) == set(edges) and graph.matrix.nvals == len(set(edges))
    assert len(set(graph.labels)) == len(graph) == len({end for edge in edges for end in edge})
    if kind != "text":
        assert graph.labels == sorted(graph.labels)
    elif form != "dictionary":
        assert graph.labels == list(dict.fromkeys(end for edge in edges for end in edge))


def libraries() -> list:
    return ["pyarrow", "pandas", "polars", "duckdb"]


@pytest.mark.parametrize("library", libraries())
def test_tables_of_every_library(library: str) -> None:
    held = {"source": ["ann", "bob", "ann"], "target": ["bob", "cid", "a name of many bytes"], "w": [1.5, 2.5, 3.5]}
    if library == "pyarrow":
        table = pa.table(held)
    elif library == "pandas":
        table = pd.DataFrame(held)
    else:
        module = pytest.importorskip(library)
        table = module.DataFrame(held) if library == "polars" else module.from_arrow(pa.table(held))
    graph = Graph.from_arrow(table, weight="w")
    assert sorted(graph.edges(data=True)) == sorted(zip(*held.values(), strict=True))
    assert Graph.from_arrow(table, 0, 1, 2).matrix.isequal(graph.matrix)


def test_out_and_in_again() -> None:
    graph = Graph.from_edges([("ann", "bob", 2), ("ü", "", 3)], directed=False)
    again = Graph.from_arrow(graph, weight="weight", directed=False)
    assert sorted(again.edges(data=True)) == sorted(graph.edges(data=True))
    numbers = Graph.from_edges([(30, 10), (10, 20)])
    assert numbers.to_arrow().to_pydict() == {"source": [30, 10], "target": [10, 20], "weight": [True, True]}
    assert graph.to_pandas().values.tolist() == [["ann", "bob", 2], ["ü", "", 3]]
    A = Matrix.from_coo([0, 5], [3, 1], [1.5, 2.5], nrows=7, ncols=4)
    assert Matrix.from_arrow(A.to_arrow(), nrows=7, ncols=4).isequal(A)
    assert Matrix.from_arrow(A.to_pandas(), value=None).to_dicts() == {0: {3: True}, 5: {1: True}}
    v = Vector.from_coo([1, 4], [5, 6], size=9)
    assert v.to_arrow().to_pydict() == {"index": [1, 4], "value": [5, 6]}
    assert graph.table(Vector.from_coo([1, 3], [5, 6], size=4)).to_pydict() == {"node": ["bob", ""], "value": [5, 6]}
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(A).rows() == [(0, 3, 1.5), (5, 1, 2.5)] == A.to_polars().rows()


@pytest.mark.parametrize("dtype", "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split())
def test_every_type_of_weight(dtype: str) -> None:
    weights = np.array([0, 1, 1], dtype)
    A = Matrix.from_arrow(pa.table({"row": [0, 1, 2], "column": [0, 1, 2], "value": pa.array(weights)}))
    assert A.dtype.np_type == np.dtype(dtype) and A.to_coo()[2].tolist() == weights.tolist()
    assert A.to_arrow()["value"].to_pylist() == weights.tolist()


@pytest.mark.parametrize(
    ("table", "error", "said"),
    [
        ({"source": [1, None], "target": [1, 2]}, ValueError, "row 1 has no value in the column 'source'"),
        ({"source": ["a", "b"], "target": ["a", None]}, ValueError, "row 1 has no value in the column 'target'"),
        ({"source": [1.5], "target": [1.0]}, TypeError, "labels must be integers .* column 'source' has float64"),
        ({"source": ["a"], "target": [1]}, TypeError, "column 'source' has text, column 'target' has int64"),
        ({"sources": [1], "target": [1]}, KeyError, "no column 'source'; .* did you mean sources"),
        ({"source": [[1]], "target": [[1]]}, TypeError, "has the Arrow type"),
    ],
)
def test_bad_tables(table: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        Graph.from_arrow(pa.table(table))


def test_other_objects() -> None:
    with pytest.raises(TypeError, match=r"expected a table with __arrow_c_stream__ .* got list"):
        Graph.from_arrow([("ann", "bob")])
    with pytest.raises(TypeError, match="expected a table with columns"):
        Graph.from_arrow(pa.chunked_array([[1, 2]]))
    with pytest.raises(ValueError, match="larger than 2"):
        Graph.from_arrow(pa.table({"source": pa.array([2**63], pa.uint64()), "target": pa.array([1], pa.uint64())}))
    with pytest.raises(TypeError, match="weights must be numbers"):
        Graph.from_arrow(pa.table({"source": [1], "target": [2], "w": ["x"]}), weight="w")
    assert (
        Graph.from_arrow(pa.table({"source": pa.array([], pa.int64()), "target": pa.array([], pa.int64())})).labels
        == []
    )
    with pytest.raises(TypeError, match="column 'node' has no Arrow type"):
        Graph.from_edges([("ann", 1)]).table(Vector.from_dense([1, 2]))


def test_the_table_of_labels_grows() -> None:
    labels = [f"{'x' * (k % 40)}{k}" for k in range(3000)]
    known = TextCodes(bits=4, length=8)
    for start in range(0, 3000, 500):
        some = [label.encode() for label in labels[start : start + 500]]
        starts = np.concatenate([[0], np.cumsum([len(label) for label in some])])
        text = Text(starts, np.frombuffer(b"".join(some), np.uint8))
        numbers = known.encode(text, text)
        assert numbers[0].tolist() == numbers[1].tolist() == list(range(start, start + 500))
    assert known.labels() == labels


def test_batches_go_back_when_their_labels_have_numbers() -> None:
    source = np.random.default_rng(1)
    given: list[weakref.ref] = []
    alive = []

    def batches():
        for _ in range(8):
            labels = source.integers(-(2**62), 2**62, 2**17)
            given.append(weakref.ref(labels))
            yield pa.record_batch({"source": labels, "target": labels})
            del labels
            alive.append(sum(array() is not None for array in given))

    schema = pa.schema({"source": pa.int64(), "target": pa.int64()})
    graph = Graph.from_arrow(pa.RecordBatchReader.from_batches(schema, batches()))
    assert graph.number_of_edges() == 2**20
    assert max(alive) <= 3 and not any(array() is not None for array in given)
