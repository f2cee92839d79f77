"""The kernel that counts the triangles of edges and of vertices, against products of matrices by the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from scipy import sparse

from grblas_gpu import semiring
from grblas_gpu.backends.stores.storage import MatrixStore

count = semiring.plus_pair["INT64"]


engine = engine_fixture("eager.mxm_masked", "eager.mxm_operands", params=SLOW_ENGINES)


def below_the_diagonal(graph: sparse.csr_array, columns, offsets, turned: bool = False) -> MatrixStore:
    lower = sparse.tril(graph, -1, format="csr")
    lower = lower.T.tocsr() if turned else lower
    lower.sort_indices()
    n = graph.shape[0]
    return MatrixStore(n, n, lower.indptr.astype(offsets), lower.indices.astype(columns), np.ones(1, bool))


def graphs() -> Iterator[tuple[str, sparse.csr_array]]:
    rng = np.random.default_rng(5)
    for name, n, density in (("sparse", 300, 0.02), ("dense", 260, 0.5), ("complete", 40, 1.0)):
        yield name, sparse.csr_array(rng.random((n, n)) < density)
    # Rows for warps, for blocks and in several pieces; columns that are short, long, and far longer than the row.
    n = 1400
    hubs = np.zeros((n, n), bool)
    hubs[n - 2 :, :] = rng.random((2, n)) < 0.95
    hubs[1200:1210, :1200] = rng.random((10, 1200)) < 0.6
    hubs[1210:1300, 1200:1210] = rng.random((90, 10)) < 0.2
    hubs[600, :140] = True
    hubs[1211, 1200:1205] = True
    yield "hubs", sparse.csr_array(hubs)


@pytest.mark.parametrize("columns, offsets, many", [(np.int32, np.int64, 0), (np.int64, np.int64, 2**16)])
def test_triangles_of_edges_and_vertices(engine, monkeypatch, columns, offsets, many):
    """By rows, and by which of two rows is longer."""
    monkeypatch.setattr(engine.mxm_masked, "MANY", many)
    for name, graph in graphs():
        store = below_the_diagonal(graph, columns, offsets)
        L = sparse.csr_array((np.ones(store.nvals, np.int64), store.indices, store.indptr), shape=graph.shape)
        # L o (L L' + L L + L' L): the third vertex comes first, between, or last
        of_edges = (L * (L @ L.T + L @ L + L.T @ L)).toarray()
        rows = np.repeat(np.arange(L.shape[0]), np.diff(L.indptr))
        of_vertices = (of_edges.sum(axis=0) + of_edges.sum(axis=1)) // 2
        assert of_vertices.any(), name
        lower = engine.there(store)
        lower._transpose = engine.there(below_the_diagonal(graph, columns, np.int32, turned=True))
        product = engine.mxm_operands.Product(lower, lower, count, True)
        for wanted, all_edges in ((of_edges[rows, L.indices], True), (of_vertices, False)):
            counts = engine.to_host(engine.mxm_masked.triangle_counts(lower, product, all_edges))
            np.testing.assert_array_equal(counts, wanted, err_msg=name)


def test_dot_products_by_the_longer_row(engine, monkeypatch):
    """``L L'`` inside of a mask, whose transpose is at hand, or not."""
    monkeypatch.setattr(engine.mxm_masked, "MANY", 0)
    for name, graph in list(graphs())[:: 1 if engine.name == "gpu" else 3]:
        store = below_the_diagonal(graph, np.int32, np.int64)
        L = sparse.csr_array((np.ones(store.nvals, np.int64), store.indices, store.indptr), shape=graph.shape)
        mask = sparse.csr_array(graph.astype(bool))
        mask.sort_indices()
        wanted = (mask * (L @ L.T)).tocsr()
        wanted.eliminate_zeros()
        wanted.sort_indices()
        turned = mask.T.tocsr()
        turned.sort_indices()
        pattern, other = (
            MatrixStore(*graph.shape, x.indptr.astype(np.int64), x.indices.astype(np.int32), np.ones(1, bool))
            for x in (mask, turned)
        )
        lower, allowed = engine.there(store), engine.there(pattern)
        inside = engine.mxm_operands.MatrixMask(engine.mxm_operands.INSIDE, allowed)
        for operator, at_hand in ((count, True), (semiring.any_pair["BOOL"], True), (count, False)):
            allowed._transpose = engine.there(other) if at_hand else None
            product = engine.mxm_operands.Product(lower, lower, operator, True)
            found = engine.mxm_masked.masked_dot(lower, lower, product, inside)
            np.testing.assert_array_equal(engine.to_host(found.indptr), wanted.indptr, err_msg=name)
            np.testing.assert_array_equal(engine.to_host(found.indices), wanted.indices, err_msg=name)
            if not found.iso:
                np.testing.assert_array_equal(engine.to_host(found.values), wanted.data, err_msg=name)
