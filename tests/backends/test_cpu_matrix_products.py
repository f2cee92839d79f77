"""Compiled products of two matrices, with a diagonal, and Kronecker products, against the NumPy definitions."""

from itertools import product

import numpy as np
import pytest
from cpu_kernel_cases import (
    DEFINITIONS,
    ENGINE,
    KINDS,
    SEMIRINGS,
    random_mask,
    random_matrix,
    random_vector,
    same,
    user_times,
)

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, operators, semiring
from grblas_gpu.backends.cpu import kronecker, mxm_source
from grblas_gpu.backends.interpreter import products
from grblas_gpu.backends.stores.matrix_forms import with_form
from grblas_gpu.backends.stores.storage import MaskView
from grblas_gpu.plan.rules import Plan

pytestmark = pytest.mark.usefixtures("numba_tier")


@pytest.mark.parametrize("strategy", ["mxm.gustavson", "mxm.masked_dot"])
@pytest.mark.parametrize("name", ["plus_times", "plus_times int8", "min_plus", "any_pair", "plus_pair", "plus_firsti1"])
def test_mxm(rng, trials, name, strategy):
    op, dtype = SEMIRINGS[name]
    op = op[dtype]
    stored = op.binaryop.type.np_type
    for trial in trials(12):
        a = random_matrix(rng, 20, 50, stored, iso=trial % 4 == 0)
        b = random_matrix(rng, 50, 40, stored, iso=trial % 4 == 0, fill=0.1 if trial % 2 else 0.6)
        mask = random_mask(rng, lambda: random_matrix(rng, 20, 40, "bool", rng.random() < 0.2, fill=0.4))
        plan = Plan(strategy, "test")
        same(ENGINE.mxm(a, b, op, mask, plan=plan), DEFINITIONS.mxm(a, b, op, mask, plan=plan))


@pytest.mark.parametrize("name", ["plus_times", "any_pair", "plus_pair", "plus_firsti1"])
def test_dots_of_short_rows_and_long_columns(rng, name):
    """The row's entries are searched in the column; some are at its ends, between entries, or behind the last one."""
    op, dtype = SEMIRINGS[name]
    op, inner = op[dtype], 4_000
    stored = op.binaryop.type.np_type
    a = random_matrix(rng, 40, inner, stored, fill=1 / inner)
    b = random_matrix(rng, inner, 6, stored, fill=0.6)
    mask = MaskView(random_matrix(rng, 40, 6, "bool", fill=0.8), False, True)
    assert b.nvals / b.ncols > mxm_source.FAR_LONGER * mxm_source.TO_LEAVE
    plan = Plan("mxm.masked_dot", "test")
    same(ENGINE.mxm(a, b, op, mask, plan=plan), DEFINITIONS.mxm(a, b, op, mask, plan=plan))


def test_mxm_sorts_long_rows(rng):
    a = random_matrix(rng, 3, 400, "int64", fill=0.5)
    b = random_matrix(rng, 400, 20_000, "int64", fill=0.002)
    op, plan = semiring.plus_times["INT64"], Plan("mxm.gustavson", "test")
    same(ENGINE.mxm(a, b, op, None, plan=plan), DEFINITIONS.mxm(a, b, op, None, plan=plan))


@pytest.mark.parametrize("name", ["times", "minus", "lt", "pair"])
def test_large_outer_products(rng, monkeypatch, name):
    monkeypatch.setattr(kronecker, "MANY", 10)
    op = getattr(binary, name)["INT64"]
    for trial, (left, right) in enumerate(product(KINDS, KINDS)):
        u = random_vector(rng, 30, left, "int16", iso=trial % 3 == 0)
        v = random_vector(rng, 20, right, "int16", iso=trial % 2 == 0)
        same(ENGINE.outer(u, v, op), DEFINITIONS.outer(u, v, op))


@pytest.mark.parametrize("name", ["times", "minus", "lt", "pair", "user"])
def test_kronecker(rng, trials, name):
    op = (operators.BinaryOp.register_anonymous(user_times) if name == "user" else getattr(binary, name))["INT64"]
    for trial in trials(6):
        x = random_matrix(rng, 5, 7, "int16", iso=trial % 3 == 0, fill=0.4)
        y = with_form(random_matrix(rng, 4, 6, "int16", iso=trial % 2 == 0, fill=0.5), ("sparse", "bitmap")[trial % 2])
        assert kronecker.kronecker(x, y, op) is not None  # the definitions are not what runs
        same(ENGINE.kronecker(x, y, op), DEFINITIONS.kronecker(x, y, op))


def test_products_of_equal_sizes_share_a_plan(rng, monkeypatch):
    """A diagonal has a strategy of its own, which other factors of its size must not get."""
    planned = []
    choose = products.dense_rules.choose
    monkeypatch.setattr(products.dense_rules, "choose", lambda *facts: planned.append(facts) or choose(*facts))
    monkeypatch.setattr(products, "_plans", {})
    n = 12
    other = Matrix.from_coo(range(n), [(i + 1) % n for i in range(n)], rng.random(n), nrows=n, ncols=n)
    diagonal = Matrix.from_coo(range(n), range(n), rng.random(n), nrows=n, ncols=n)
    dense = {each: each.to_dense(0) for each in (diagonal, other)}
    for left in (diagonal, other, other):
        for mask in (None, diagonal.S):
            found = left.mxm(other).new(mask=mask)
            wanted = dense[left] @ dense[other] * (1 if mask is None else np.eye(n))
            np.testing.assert_allclose(found.to_dense(0), wanted, rtol=1e-12)
    assert len(planned) == 3  # that of the diagonal is not kept; with the mask, and without


NUMBERS = ["plus_times", "min_plus", "plus_minus", "max_min"]
ANYTHING = ["any_first", "any_second", "lor_eq", "plus_pair"]  # truth values, too
TYPES = [("FP64", "FP64"), ("INT8", "INT64"), ("FP32", "INT16")]
CASES = [(name, types) for name in NUMBERS + ANYTHING for types in TYPES] + [
    (name, ("BOOL", "BOOL")) for name in ANYTHING
]
N, M = 300, 170


def some_rows(nrows: int, ncols: int, dtype: str, seed: int) -> Matrix:
    """Some rows without entries, and some long ones."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, nrows, 2000) ** 2 // nrows
    cols = random.integers(0, ncols, 2000)
    values = random.integers(-5, 6, 2000).astype(bool if dtype == "BOOL" else np.float64)
    return Matrix.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols, dup_op=gb.binary.second)


def diagonal(n: int, dtype: str) -> Matrix:
    """With zeros, which are entries as others are."""
    values = np.random.default_rng(n).integers(-2, 3, n)
    return Vector.from_dense(values.astype(bool) if dtype == "BOOL" else values).dup(dtype).diag()


def check(x: Matrix, y: Matrix, name: str, strategy: str) -> None:
    op = getattr(semiring, name)
    with gb.trace() as trace:
        found = op(x @ y).new()
    assert trace.records[-1].strategy == strategy
    expected = op(x.to("numpy") @ y.to("numpy")).new()
    assert found.isequal(expected.to("cpu"), check_dtype=True)


@pytest.mark.parametrize(("name", "dtypes"), CASES)
def test_both_sides(name: str, dtypes: tuple[str, str]) -> None:
    with gb.using("cpu"):
        A = some_rows(N, M, dtypes[1], 1)
        check(diagonal(N, dtypes[0]), A, name, "mxm.scale")
        check(A, diagonal(M, dtypes[0]), name, "mxm.scale")


def test_two_diagonals_and_one_value_for_all() -> None:
    with gb.using("cpu"):
        A, D = some_rows(N, N, "FP64", 2), diagonal(N, "FP64")
        ones = Vector.from_scalar(2.0, N).diag()
        check(D, D, "plus_times", "mxm.scale")
        check(ones, A, "plus_times", "mxm.scale")
        check(A.pattern(), D, "plus_times", "mxm.scale")
        check(D, A.T.new(), "plus_times", "mxm.scale")
