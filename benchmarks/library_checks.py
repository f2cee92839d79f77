"""Checks of the library's results by other means: SciPy, arrays, what a result must fulfil; else an AssertionError."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import grblas_gpu as gb

Arrays = Any  # scipy.sparse.csr_array


def as_scipy(A: gb.Matrix) -> Arrays:
    return sparse.csr_array(gb.io.to_scipy_sparse(A.to("cpu").dup(float)))


def undirected(S: Arrays) -> Arrays:
    """Both directions, without loops."""
    both = (S + S.T).tocsr()
    both.setdiag(0)
    both.eliminate_zeros()
    return both


def residual(step: np.ndarray, x: np.ndarray) -> float:
    """How far x is from the direction of step."""
    return float(np.abs(step / np.linalg.norm(step) - x / np.linalg.norm(x)).sum())


def pagerank(S: Arrays, ranks: Any) -> None:
    x, out = ranks.to_dense(), np.asarray(S.sum(axis=1)).ravel()
    share = np.divide(x, out, out=np.zeros_like(x), where=out > 0)
    after = 0.15 / len(x) + 0.85 * (share @ S + x[out == 0].sum() / len(x))
    assert np.abs(after - x).sum() < len(x) * 1e-5 and abs(x.sum() - 1) < 1e-9


def eigenvector(S: Arrays, x: Any) -> None:
    dense = x.to_dense()
    assert residual(dense + dense @ S, dense) < len(dense) * 1e-4


def katz(S: Arrays, x: Any, alpha: float) -> None:
    """x - alpha x A is the same everywhere."""
    dense = x.to_dense()
    beta = dense - alpha * (dense @ S)
    assert np.abs(beta - beta.mean()).max() < 1e-3 * beta.mean()


def hits(S: Arrays, found: Any) -> None:
    hubs = found[0].to_dense()
    assert residual(S @ (S.T @ hubs), hubs) < 1e-2


def sssp(S: Arrays, distances: Any, source: int) -> None:
    np.testing.assert_allclose(distances.to_dense(np.inf), csgraph.dijkstra(S, indices=source))


def shortest_paths(S: Arrays, found: Any, source: int) -> None:
    """Every vertex that is reached is as far as the one before it and the edge between them."""
    sssp(S, found.distances, source)
    distances, before = found.distances.to_dense(np.inf), found.predecessors.to_dense(-1)
    reached = np.flatnonzero(before >= 0)
    assert len(reached) == np.isfinite(distances).sum() and before[source] == source
    reached = reached[reached != source]
    lengths = np.asarray(S[before[reached], reached]).ravel()
    assert (lengths > 0).all()
    np.testing.assert_allclose(distances[before[reached]] + lengths, distances[reached])


def levels(S: Arrays, found: Any, source: int) -> None:
    expected = csgraph.dijkstra(S, indices=source, unweighted=True)
    np.testing.assert_array_equal(found.to_dense(np.inf, dtype=float), expected)


def parents(S: Arrays, found: Any, source: int) -> None:
    """Every vertex that is reached has one that is a step nearer, and an edge from it."""
    distances = csgraph.dijkstra(S, indices=source, unweighted=True)
    before = found.to_dense(-1)
    reached = np.flatnonzero(before >= 0)
    assert len(reached) == np.isfinite(distances).sum() and before[source] == source
    reached = reached[reached != source]
    assert (distances[before[reached]] + 1 == distances[reached]).all()
    assert (np.asarray(S[before[reached], reached]).ravel() != 0).all()


def dependencies(S: Arrays, scores: Any, source: int) -> None:
    """The dependencies of a source add up to the vertices between it and all others."""
    distances = csgraph.dijkstra(S, indices=source, unweighted=True)
    between = (distances[np.isfinite(distances) & (distances > 0)] - 1).sum()
    assert abs(scores.reduce().new().get(0.0) - between) <= 1e-6 * max(1.0, between)


def components(S: Arrays, found: Any, strong: bool) -> None:
    count, label = csgraph.connected_components(S, directed=True, connection="strong" if strong else "weak")
    ours = found.to_dense()
    assert len(np.unique(ours)) == count == len(np.unique(ours * np.int64(count) + label))


def forest(S: Arrays, found: Any) -> None:
    expected = csgraph.minimum_spanning_tree(S).sum()
    assert abs(found.reduce_scalar().new().get(0.0) / 2 - expected) <= 1e-9 * max(1.0, expected)


def triangles(found: Any, count: int) -> None:
    assert found.reduce().new().get(0) == 3 * count


def cores(S: Arrays, found: Any) -> None:
    """As many neighbours as its core number says are in a core as high."""
    core, edges = found.to_dense(), undirected(S).tocoo()
    high = core[edges.col] >= core[edges.row]
    assert (np.bincount(edges.row[high], minlength=len(core)) >= core).all()


def core(numbers: Any, found: Any, k: int) -> None:
    """The vertices whose core number is as high."""
    np.testing.assert_array_equal(found.to_dense(False), numbers.to_dense() >= k)


def truss(found: Any, k: int) -> None:
    rows, columns, support = found.to_coo()
    pattern = sparse.csr_array((np.ones(len(rows)), (rows, columns)), found.shape)
    some = np.arange(0, len(rows), max(1, len(rows) // 1000))
    for i in some.tolist():
        common = np.intersect1d(
            pattern.indices[slice(*pattern.indptr[rows[i] : rows[i] + 2])],
            pattern.indices[slice(*pattern.indptr[columns[i] : columns[i] + 2])],
        )
        assert len(common) == support[i] >= k - 2


def independent(S: Arrays, found: Any) -> None:
    member, edges = found.to_dense(False), undirected(S).tocoo()
    assert not (member[edges.row] & member[edges.col]).any()
    assert (member | (np.bincount(edges.row, member[edges.col], len(member)) > 0)).all()


def colouring(S: Arrays, found: Any) -> None:
    colour, edges = found.to_dense(), undirected(S).tocoo()
    assert (colour[edges.row] != colour[edges.col]).all()


def matching(S: Arrays, found: Any) -> None:
    partner, edges = found.to_dense(-1), undirected(S).tocoo()
    matched = np.flatnonzero(partner >= 0)
    assert (partner[partner[matched]] == matched).all()
    assert ((partner[edges.row] >= 0) | (partner[edges.col] >= 0)).all()


def communities(S: Arrays, found: Any) -> None:
    edges = undirected(S).tocoo()
    label = found.labels.to_dense()
    degree = np.bincount(edges.row, edges.data, len(label))
    inside = edges.data[label[edges.row] == label[edges.col]].sum() / edges.data.sum()
    expected = inside - ((np.bincount(label, degree) / edges.data.sum()) ** 2).sum()
    assert abs(found.modularity - expected) < 1e-6


def same_component(S: Arrays, found: Any) -> None:
    _, label = csgraph.connected_components(S, directed=False)
    assert (label[found.to_dense()] == label).all()


def coefficients(S: Arrays, found: Any, count: int) -> None:
    """For undirected graphs: weighted by pairs of neighbours they add up to three times the triangles."""
    degree = np.diff(undirected(S).indptr)
    assert abs((found.to_dense() * degree * (degree - 1) / 2).sum() - 3 * count) <= 1e-6 * max(1, count)


def walks(S: Arrays, found: Any) -> None:
    rows, columns, vertices = (part.astype(np.int64) for part in found.to_coo())
    steps = (np.diff(rows) == 0) & (np.diff(columns) == 1)
    u, v = vertices[:-1][steps], vertices[1:][steps]
    some = slice(None, None, max(1, len(u) // 20_000))
    assert (np.asarray(S[u[some], v[some]]).ravel() != 0).all()


def part_of(S: Arrays, found: Any, fanout: int) -> None:
    rows, columns, _ = found.to_coo()
    assert np.bincount(rows.astype(np.int64)).max(initial=0) <= fanout
    some = slice(None, None, max(1, len(rows) // 20_000))
    assert (np.asarray(S[rows[some], columns[some]]).ravel() != 0).all()


def similarity(S: Arrays, found: Any) -> None:
    rows, columns, values = found.to_coo()
    for i in range(0, len(rows), max(1, len(rows) // 300)):
        own, other = (S.indices[slice(*S.indptr[v : v + 2])] for v in (int(rows[i]), int(columns[i])))
        assert abs(values[i] - len(np.intersect1d(own, other)) / max(1, len(np.union1d(own, other)))) < 1e-9
