"""Which strategy products of matrices get, by their forms, sizes and masks."""

from __future__ import annotations

import pytest

import grblas_gpu as gb
from grblas_gpu import Descriptor, Matrix, generators, semiring
from grblas_gpu.plan.dense_rules import MxmFacts, choose
from grblas_gpu.plan.rules import CUDA_COSTS, Plan

N, M = 10**6, 3 * 10**7
SEARCHES = MxmFacts(64, N, N, 10**6, M, products=lambda: 3e7)


def strategy(facts: MxmFacts, **options: object) -> str:
    return choose(facts, Descriptor(**options) if options else None).strategy


def test_dense_factors_are_read_by_rows() -> None:
    assert strategy(SEARCHES._replace(a_dense=True)) == "mxm.spmm"
    assert strategy(SEARCHES._replace(a_dense=True, pattern=True)) == "mxm.bits"
    assert strategy(MxmFacts(N, N, 64, M, 64 * N, b_dense=True)) == "mxm.spmm"
    assert strategy(MxmFacts(50, 50, 50, 2500, 2500, a_dense=True, b_dense=True, blas=True)) == "mxm.blas"
    assert strategy(MxmFacts(50, 50, 50, 2500, 2500, a_dense=True, b_dense=True)) == "mxm.spmm"


def test_which_factor_is_the_dense_one() -> None:
    assert SEARCHES._replace(a_dense=True).left_is_dense
    assert SEARCHES.left_is_dense  # both are sparse: the thinner one
    assert not SEARCHES._replace(b_dense=True).left_is_dense
    assert not SEARCHES._replace(a_dense=True, b_dense=True).left_is_dense


def test_few_rows_do_not_make_a_dense_result() -> None:
    assert strategy(MxmFacts(N, 100, 100, 50, 10_000, b_dense=True)) == "mxm.gustavson"


def test_a_sparse_mask_is_worth_dot_products() -> None:
    full = MxmFacts(N, 64, N, 64 * N, 64 * N, a_dense=True, b_dense=True, blas=True, mask_nvals=M)
    assert strategy(full) in ("mxm.masked_dot", "mxm.gustavson")  # a full result would be 8 TB
    dense = SEARCHES._replace(a_dense=True, mask_nvals=1000, mask_dense=True)
    assert strategy(dense) == "mxm.spmm"  # as words it costs nothing


def test_two_sparse_factors_by_cost() -> None:
    few = SEARCHES._replace(pattern=True, a_nvals=64, products=lambda: 2e3)
    many = few._replace(a_nvals=10**6, products=lambda: 3e7)
    assert strategy(few) == "mxm.gustavson"
    assert strategy(many) == "mxm.bits"
    assert strategy(few._replace(costs=CUDA_COSTS)) == "mxm.bits"  # tables take longer to make
    assert strategy(few._replace(mask_dense=True)) == "mxm.bits"  # and so does a list of a dense mask
    assert strategy(many._replace(nrows=N)) == "mxm.gustavson"  # as many words as vertices
    assert strategy(SEARCHES._replace(costs=CUDA_COSTS)) == "mxm.spmm"
    assert strategy(SEARCHES) == "mxm.gustavson"
    assert "dense rows" in choose(many).reason


def test_asked_for() -> None:
    assert strategy(SEARCHES, strategy="mxm.spmm") == "mxm.spmm"
    assert strategy(SEARCHES._replace(a_dense=True), strategy="mxm.gustavson") == "mxm.gustavson"
    with pytest.raises(ValueError, match="pattern"):
        choose(SEARCHES, Descriptor(strategy="mxm.bits"))
    with pytest.raises(ValueError, match="full"):
        choose(SEARCHES, Descriptor(strategy="mxm.blas"))
    with pytest.raises(ValueError, match="matrix-vector"):
        choose(SEARCHES, Descriptor(strategy="push.sort"))
    with pytest.raises(ValueError, match="shape"):
        choose(SEARCHES, Descriptor(strategy="mxm.sort"))


def test_what_an_engine_has_for_a_shape() -> None:
    shaped = SEARCHES._replace(shaped=lambda: ("mxm.sort", "long rows"))
    assert choose(shaped) == Plan("mxm.sort", "long rows")
    assert strategy(shaped, strategy="mxm.sort") == "mxm.sort"
    assert strategy(shaped, strategy="mxm.gustavson") == "mxm.gustavson"
    with pytest.raises(ValueError, match="shape"):
        choose(shaped, Descriptor(strategy="mxm.scale"))


def test_explained_and_traced(backend: str) -> None:
    A = generators.kronecker(8, 8, seed=1)
    X = Matrix.from_dense([[1.0, 2.0, 3.0]] * A.nrows)
    X._store = X._engine.with_form(X._store, "full")
    product = semiring.plus_times(A @ X)
    assert gb.explain(product).strategy == "mxm.spmm"
    with gb.trace() as told:
        product.new()
    assert [(record.strategy, record.reason) for record in told.records] == [("mxm.spmm", "the right factor is dense")]
