"""What a matrix keeps for searches: right, kept while it stays right, and made anew when it is not."""

import numpy as np
import pytest
from graphs import SMALL, graph

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, generators, semiring, unary


def weighted(name: str) -> Matrix:
    found = graph(name)
    return Matrix.from_coo(found.rows, found.cols, np.arange(len(found.rows)) * 0.5, nrows=found.n, ncols=found.n)


@pytest.mark.parametrize("name", SMALL)
def test_by_degree(backend: str, name: str) -> None:
    found = graph(name)
    A = weighted(name)
    edges, S, numbers = A.by_degree()
    degrees = np.bincount(found.cols, minlength=found.n)
    rows, cols, _ = S.to_coo()
    vertices = rows[np.argsort(cols)].astype(int)
    assert sorted(vertices) == np.flatnonzero(degrees).tolist()
    assert (np.diff(degrees[vertices]) <= 0).all()
    assert numbers.to_dict() == {vertex: number for number, vertex in enumerate(vertices.tolist())}
    # S' A S, by the library's own products
    expected = semiring.any_pair[bool](semiring.any_pair[bool](S.T @ A.pattern()).new() @ S).new()
    assert edges.isequal(expected, check_dtype=True)
    assert edges.backend == S.backend == numbers.backend == A.backend


@pytest.mark.parametrize("form", ["csr", "hypercsr", "bitmapr"])
def test_symmetry_does_not_depend_on_the_form(backend: str, form: str) -> None:
    for edges, symmetric in (([], True), ([(2, 2)], True), ([(0, 1), (1, 0)], True), ([(0, 1), (2, 0)], False)):
        rows, cols = np.array(edges, int).reshape(-1, 2).T
        A = Matrix.from_coo(rows, cols, 2.5, nrows=4, ncols=4, dtype=float)
        A = Matrix.ss.import_any(**A.ss.export(form))
        assert A.is_symmetric() == symmetric
        assert A.T.new().is_symmetric() == symmetric


def test_a_pattern_is_its_own_pattern(backend: str) -> None:
    A = generators.path(4)
    assert A.pattern() is A
    assert Matrix.from_coo([0, 1], [1, 0], [True, False]).pattern().reduce_scalar(gb.monoid.plus[int]).new() == 2
    assert Matrix(int, 3, 3).pattern().nvals == 0


@pytest.mark.parametrize("name", ["karate", "random directed"])
def test_patterns_without_loops_or_directions(backend: str, name: str) -> None:
    A = weighted(name) if name == "karate" else graph(name).matrix()
    for diagonal in ((), (0, 3)):
        B = A.dup()
        for i in diagonal:
            B[i, i] = 2
        both_ways = gb.monoid.lor(B.pattern() | B.pattern().T).new()
        for loops in (True, False):
            kept = (lambda x: x) if loops else (lambda x: gb.select.offdiag(x).new())
            assert B.pattern(loops=loops).isequal(kept(B.pattern()), check_dtype=True)
            edges = B.pattern(loops=loops, undirected=True)
            assert edges.isequal(kept(both_ways), check_dtype=True) and edges.is_symmetric()
            assert B.pattern(loops=loops, undirected=True) is edges  # made once
            assert edges._store._transpose is edges._store  # known, not found by another transpose


def test_a_copy_of_a_symmetric_matrix_is_known_as_one(backend: str) -> None:
    A = generators.path(9)
    B = A.dup()
    assert B._store._transpose is B._store and B.is_symmetric()
    B[0, 5] = True
    assert A.is_symmetric() and not B.is_symmetric()
    assert B.T.new()[5, 0].value is True and A.get(5, 0) is None


def test_nothing_is_made_where_nothing_is_left_out(backend: str) -> None:
    A = weighted("karate")
    assert A.pattern(loops=False, undirected=True) is A.pattern(loops=False) is A.pattern()
    with pytest.raises(gb.exceptions.DimensionMismatch, match="square"):
        Matrix(bool, 2, 3).pattern(undirected=True)


def test_kept_until_the_structure_changes(backend: str) -> None:
    A = weighted("karate")
    pattern, order, statistics = A.pattern(), A.by_degree(), A.degree_statistics()
    A << gb.binary.times(A, 3)
    B = A.dup()
    A(gb.binary.plus) << A
    assert A.by_degree().graph.isequal(order.graph)
    assert A.pattern().isequal(pattern)
    A[0, 33] = 1.0
    A[33, 33] = 1.0
    assert A.pattern().nvals == pattern.nvals + 2
    assert A.by_degree().graph.nvals == order.graph.nvals + 2
    assert A.degree_statistics() != statistics
    assert B.pattern().isequal(pattern)
    del A[0, 33]
    A.clear()
    assert A.by_degree().graph.shape == (0, 0)


def test_by_degree_is_for_graphs() -> None:
    with pytest.raises(gb.exceptions.DimensionMismatch, match="square"):
        Matrix(bool, 2, 3).by_degree()


@pytest.mark.parametrize("name", SMALL)
def test_side_by_side(backend: str, name: str) -> None:
    """Copies along the diagonal, in every operation; and what happens to one of the matrices leaves the other alone."""
    A = weighted(name)
    identity = Matrix.from_coo(range(3), range(3), 1.0)
    expected = identity.kronecker(A).new()
    copies = A.side_by_side(3)
    assert (copies.shape, copies.nvals, copies.backend) == (expected.shape, expected.nvals, A.backend)
    x = Vector.from_coo(range(0, copies.nrows, 2), 1.5, size=copies.nrows)
    for transposed in (copies, copies.T):
        wanted = expected if transposed is copies else expected.T
        product = semiring.plus_times(x @ transposed).new()
        assert product.isclose(semiring.plus_times(x @ wanted).new())
    assert copies.isequal(expected)
    assert copies.is_symmetric() == A.is_symmetric()
    A(binary.plus) << A
    assert copies.isequal(expected)
    copies << unary.ainv(copies)
    assert copies.isequal(unary.ainv(expected).new())


def test_side_by_side_needs_a_copy() -> None:
    with pytest.raises(gb.exceptions.InvalidValue, match="at least one copy"):
        Matrix(bool, 2, 2).side_by_side(0)
