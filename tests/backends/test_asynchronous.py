"""The asynchronous pull: what rows may see of each other, and that XBFS's lemma 2 holds after every pass."""

import pytest
from checkers import serial_bfs
from graphs import SMALL, TRAPS, Graph, from_edges, graph
from grblas_gpu.algorithms import xbfs
from hypothesis import given, strategies as st

import grblas_gpu as gb
from grblas_gpu import Descriptor, Matrix, Vector, generators, operations, semiring


def passes(
    A: Matrix, source: int, expected: dict[int, int], step=lambda levels, A: semiring.min_plus(levels @ A)
) -> list[int]:
    """A search of asynchronous pulls only, checked after each; the number of vertices that each settled."""
    levels = Vector(int, A.nrows)
    levels[source] = 0
    counts = []
    for depth in range(1, A.nrows + 2):
        before = levels.nvals
        levels(~levels.S, settles_at=depth) << step(levels, A)
        now = levels.to_dict()
        # Lemma 2: no level is wrong, none up to depth is missing, and none beyond the next one is there.
        assert {vertex: expected[vertex] for vertex in now} == now
        assert {vertex for vertex, level in expected.items() if level <= depth} <= now.keys()
        assert max(now.values()) <= depth + 1
        counts.append(levels.nvals - before)
        if levels.nvals == before:
            break
    assert levels.to_dict() == expected
    return counts


@pytest.mark.parametrize("name", SMALL)
def test_the_lemma_holds_after_every_pass(backend: str, name: str) -> None:
    found = graph(name)
    for source in found.sources():
        passes(found.matrix(), source, serial_bfs(found.rows, found.cols, found.n, source))


def naive(found: Graph, source: int) -> dict[int, int]:
    """What a pull does that lets every new level be seen at once, whatever it is."""
    levels = {source: 0}
    while True:
        before = len(levels)
        for vertex in range(found.n):
            near = [levels[i] for i in found.rows[found.cols == vertex].tolist() if i in levels]
            if vertex not in levels and near:
                levels[vertex] = min(near) + 1
        if len(levels) == before:
            return levels


@pytest.mark.parametrize("name", TRAPS)
def test_graphs_built_to_break_it(backend: str, name: str) -> None:
    found = TRAPS[name]
    expected = serial_bfs(found.rows, found.cols, found.n, 0)
    assert naive(found, 0) != expected, "this graph is no trap"
    passes(found.matrix(), 0, expected)
    assert xbfs(found.matrix(), 0, asynchronous=True).to_dict() == expected


edges = st.integers(2, 14).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=50))
)


@given(graph=edges)
def test_random_graphs(backend: str, graph: tuple) -> None:
    found = from_edges(*graph)
    expected = serial_bfs(found.rows, found.cols, found.n, 0)
    passes(found.matrix(), 0, expected)
    assert xbfs(found.matrix(), 0, asynchronous=True).to_dict() == expected


def test_other_semirings_masks_and_types(backend: str) -> None:
    """The widest path: max_min, where a width of 9 cannot be improved on."""
    widths = [[0, 9, 3, 0], [0, 0, 9, 2], [0, 0, 0, 9], [0, 0, 0, 0]]
    A = Matrix.from_dense(widths, missing_value=0)
    reach = Vector.from_coo([0], [9], size=4)
    reach(~reach.S, settles_at=9) << semiring.max_min(reach @ A)
    found = reach.to_dict()
    assert found[1] == 9  # from the operand
    assert found[2] in (3, 9)  # 3 by itself, 9 by way of 1
    for dtype in ("INT8", "FP32", "FP64"):
        levels = Vector.from_coo([0], [0], size=4, dtype=dtype)
        levels(~levels.S, settles_at=1) << semiring.min_plus(levels @ A.pattern())
        assert levels.to_dict() == {0: 0, 1: 1, 2: 1, 3: 2}
    only = Vector.from_coo([1, 3], [True, True], size=4)
    w = Vector(int, 4)
    w(only.S, settles_at=1) << semiring.min_plus(Vector.from_coo([0], [0], size=4) @ A.pattern())
    assert w.to_dict() == {1: 1, 3: 2}
    w = Vector(int, 4)
    w(settles_at=1) << semiring.min_plus(A.pattern().T @ Vector.from_coo([0], [0], size=4))
    assert w.to_dict() == {1: 1, 2: 1, 3: 2}


def test_what_it_refuses(backend: str) -> None:
    A, v = Matrix.from_coo([0], [1], [1], nrows=2, ncols=2), Vector.from_coo([0], [0], size=2)
    before = v.dup()
    for options in ({"direction": "push"}, {"strategy": "pull.thread"}, {"deterministic": True}):
        with pytest.raises(ValueError, match="settles_at"):
            v(~v.S, settles_at=1, **options) << semiring.min_plus(v @ A)
    with pytest.raises(ValueError, match="picks one of its operands"):
        v(~v.S, settles_at=1) << semiring.plus_times(v @ A)
    with pytest.raises(ValueError, match="no value of type INT64"):
        v(~v.S, settles_at=1.5) << semiring.min_plus(v @ A)
    with pytest.raises(gb.exceptions.DimensionMismatch, match="square"):
        w = Vector(int, 3)
        w(settles_at=1) << semiring.min_plus(v @ Matrix(int, 2, 3))
    assert v.isequal(before)


def test_products_of_matrices_refuse_it(backend: str) -> None:
    """By a call, by a descriptor, through a mask, and in a loop, which is not run at all."""
    A, v = Matrix.from_coo([0, 1], [1, 0], [1, 2], nrows=2, ncols=2), Vector.from_coo([0], [0], size=2)
    C = A.dup()
    with pytest.raises(ValueError, match="mxm: settles_at"):
        semiring.min_plus(A @ A).new(settles_at=1)
    with pytest.raises(ValueError, match="mxm: settles_at"):
        C(A.S, settles_at=1) << semiring.min_plus(A @ A.T)
    with pytest.raises(ValueError, match="mxm: settles_at"):
        operations.mxm(C, A, A, semiring.min_plus, desc=Descriptor(settles_at=1))
    with pytest.raises(ValueError, match="mxm: settles_at"):
        for step in gb.loop(v, 2):
            C(settles_at=step + 1) << semiring.min_plus(A @ A)
    assert C.isequal(A)
    C(strategy="mxm.gustavson") << semiring.min_plus(A @ A)  # which asks for nothing of the kind
    assert C.to_dicts() == {0: {0: 3}, 1: {1: 3}}


def test_it_is_traced(backend: str) -> None:
    A = generators.kronecker(8)
    levels = Vector.from_coo([int(A.to_coo()[0][0])], [0], size=A.nrows)
    with gb.trace() as trace:
        levels(~levels.S, settles_at=1) << semiring.min_plus(levels @ A)
    assert "in place" in str(trace)
    assert trace.records[0].output_nvals == levels.nvals
