"""A user's program: type checkers find nothing wrong, and know what things are."""

from typing import Any, assert_type

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, agg, binary, indexunary, monoid, select, semiring, unary
from grblas_gpu.api.expressions import MatrixExpression, ScalarExpression, VectorExpression


def search(A: Matrix, source: int) -> Vector:
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    for depth in gb.loop(frontier):
        assert_type(depth, int)
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    return levels


A = Matrix.from_coo([0, 1], [1, 2], [1.0, 2.0], nrows=3, ncols=3)
v = Vector.from_dense([1.0, 2.0, 3.0])

# products
assert_type(semiring.plus_times(v @ A).new(), Vector)
assert_type(semiring.min_plus["FP64"](A @ v).new(), Vector)
assert_type(semiring.any_pair(A @ A.T).new(mask=A.S), Matrix)
assert_type(semiring.plus_times(v @ v).new(), Scalar)
assert_type((A @ A).new(), Matrix)
assert_type(semiring.ss.any_secondi(v @ A).new(), Vector)

# element by element
assert_type(binary.plus(v | v).new(), Vector)
assert_type(binary.times(A & A).new(), Matrix)
assert_type(binary.minus(v | v, left_default=0, right_default=0).new(), Vector)
assert_type(binary.minus(v, 1).new(), Vector)
assert_type(binary.minus(1, A).new(), Matrix)
assert_type(monoid.max(v | v).new(), Vector)
assert_type(unary.sqrt(A).new(), Matrix)
assert_type(unary.numpy.exp(v).new(), Vector)
assert_type(indexunary.rowindex(A).new(), Matrix)
assert_type(select.tril(A, -1).new(), Matrix)
assert_type(select.valuegt(v, 1.5).new(), Vector)
assert_type(A.apply(unary.abs).new(), Matrix)
assert_type(v.apply(binary.plus, 1).new(), Vector)
assert_type(A.select("tril").new(), Matrix)
assert_type(v.select(">", 1).new(), Vector)
assert_type(A.ewise_add(A).new(), Matrix)
assert_type(A.T.ewise_mult(A).new(), Matrix)

# signs
assert_type(A + A, MatrixExpression)
assert_type((A + A.T) * 2 - A, MatrixExpression)
assert_type((v + A).new(), Matrix)
assert_type(1 - v, VectorExpression)
assert_type(A @ v + v, VectorExpression)
assert_type(np.float64(2) * v, VectorExpression)
assert_type(v < 2, VectorExpression)
assert_type(A > 2, MatrixExpression)
assert_type(v == v, VectorExpression)
assert_type(v != A, MatrixExpression)
assert_type(abs(-v), VectorExpression)
assert_type(A[0, :] ** 2, VectorExpression)
assert_type(v[0] + 1, ScalarExpression)
assert_type(Scalar.from_value(1) + v, VectorExpression)
assert_type(Scalar.from_value(1) == 1, bool)

# reductions
assert_type(v.reduce(monoid.plus).new(), Scalar)
assert_type(A.reduce_rowwise(agg.mean).new(), Vector)
assert_type(A.reduce_scalar().new(), Scalar)
assert_type(agg.sum(v).new(), Scalar)

# indices
assert_type(v[0].new(), Scalar)
assert_type(v[1:].new(), Vector)
assert_type(v[[0, 2]].new(), Vector)
assert_type(v[np.array([0, 2])].new(), Vector)
assert_type(A[0, 1].new(), Scalar)
assert_type(A[0, :].new(), Vector)
assert_type(A[:, [0, 1]].new(), Matrix)
A[0, :] = v
v[0] << 3

# out again
assert_type(v.to_dict(), dict[int, Any])
assert_type(A.to_dicts(), dict[int, dict[int, Any]])
ranks = gb.algorithms.pagerank(A)
with gb.trace() as t:
    search(gb.generators.kronecker(5), 0)
print(t, ranks.nvals)

# graphs with labels
G = gb.Graph.from_edges([("Valjean", "Javert", 17)], directed=False)
levels = gb.algorithms.bfs(G, "Valjean")
assert_type(levels, gb.io.NodeValues)
assert_type(levels.top(3), gb.io.NodeValues)
assert_type(gb.algorithms.bfs(A, 0), Vector)
assert_type(gb.algorithms.k_truss(G, 3), gb.Graph)
assert_type(gb.algorithms.bfs_parents(G, "Valjean"), gb.io.NodeValues)
assert_type(G.degree("Valjean"), int)
assert_type(G.degree(), gb.io.NodeValues)
assert_type(G.edges(data=True), list[tuple[Any, Any, Any]])
assert_type(v.top(3), dict[int, Any])
assert_type(gb.algorithms.triangle_count(G), int)
assert_type(gb.algorithms.diameter(A), float)
assert_type(gb.algorithms.is_bipartite(G), bool)
assert_type(gb.algorithms.sssp(A, 0), Vector)
assert_type(gb.algorithms.sssp(A, 0, predecessors=True).predecessors, Vector)
assert_type(gb.algorithms.sssp(G, "Valjean"), gb.io.NodeValues)
assert_type(gb.algorithms.louvain(G).labels, gb.io.NodeValues)
assert_type(gb.algorithms.hits(A).hubs, Vector)
assert_type(gb.algorithms.hits(G).hubs, gb.io.NodeValues)
assert_type(gb.algorithms.sssp(G, "Valjean", predecessors=True).distances, gb.io.NodeValues)
