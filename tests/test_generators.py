"""The generators' arrays, and that the matrices hold what the arrays say."""

from __future__ import annotations

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import generators as g

GRAPHS = {
    "kronecker": (g.kronecker, g.kronecker_edges, (7, 8)),
    "grid_2d": (g.grid_2d, g.grid_2d_edges, (4, 7)),
    "path": (g.path, g.path_edges, (9,)),
    "star": (g.star, g.star_edges, (9,)),
    "complete": (g.complete, g.complete_edges, (6,)),
    "uniform_random": (g.uniform_random, g.uniform_random_edges, (50, 5.0)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_edges_are_sorted_symmetric_and_simple(name):
    _, edges, arguments = GRAPHS[name]
    rows, cols, n = edges(*arguments)
    assert rows.dtype == cols.dtype == np.int64
    pairs = list(zip(rows.tolist(), cols.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert {(j, i) for i, j in pairs} == set(pairs)
    assert all(i != j and 0 <= i < n for i, j in pairs)


@pytest.mark.parametrize("name", GRAPHS)
def test_matrix_holds_the_edges(name):
    matrix, edges, arguments = GRAPHS[name]
    rows, cols, n = edges(*arguments)
    A = matrix(*arguments)
    assert A.shape == (n, n)
    assert A.dtype == gb.dtypes.BOOL
    I, J, values = A.to_coo()
    np.testing.assert_array_equal(I, rows)
    np.testing.assert_array_equal(J, cols)
    assert values.all()


def test_known_counts():
    def edges(result):
        return len(result[0]) // 2

    assert edges(g.grid_2d_edges(4, 7)) == 4 * 6 + 3 * 7
    assert edges(g.grid_2d_edges(5)) == 2 * 5 * 4
    assert edges(g.path_edges(9)) == 8
    assert edges(g.star_edges(9)) == 8
    assert edges(g.complete_edges(6)) == 15


@pytest.mark.parametrize("edges", [g.path_edges, g.star_edges, g.complete_edges, g.grid_2d_edges])
def test_one_vertex_has_no_edges(edges):
    rows, cols, n = edges(1)
    assert (len(rows), len(cols), n) == (0, 0, 1)


def test_kronecker_is_reproducible_and_skewed():
    rows, cols, n = g.kronecker_edges(10, seed=5)
    again = g.kronecker_edges(10, seed=5)
    np.testing.assert_array_equal(rows, again[0])
    np.testing.assert_array_equal(cols, again[1])
    other, _, _ = g.kronecker_edges(10, seed=6)
    assert len(rows) != len(other) or (rows != other).any()
    degrees = np.bincount(rows, minlength=n)
    assert degrees.max() > 5 * degrees.mean()
    assert 0.3 * 2 * 16 * n < len(rows) < 2 * 16 * n


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (g.kronecker, (-1,)),
        (g.kronecker, (40,)),
        (g.kronecker, (3, -1)),
        (g.path, (0,)),
        (g.star, (-2,)),
        (g.complete, (0,)),
        (g.grid_2d, (3, 0)),
        (g.uniform_random, (10, -1.0)),
    ],
)
def test_bad_arguments(function, arguments):
    with pytest.raises(ValueError, match=function.__name__):
        function(*arguments)
