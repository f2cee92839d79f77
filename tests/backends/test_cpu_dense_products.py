"""Products with bitmap and full matrices, compiled, against the definitions; and what the planner makes of them."""

from itertools import product

import numpy as np
import pytest
from mxv_cases import SEMIRINGS
from random_objects import random_matrix, random_values, same_product

import grblas_gpu as gb
from grblas_gpu import Matrix, semiring
from grblas_gpu.backends.cpu import dense_arrays
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.forms.dense_products import Side
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.matrix_forms import with_form
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore
from grblas_gpu.plan.rules import Plan

pytestmark = pytest.mark.usefixtures("numba_tier")
ENGINE, DEFINITIONS = CpuBackend(), Definitions()
NAMES = ["plus_times fp32", "any_second", "plus_firsti1", "lor_land"]
MORE = [pytest.param(name, marks=pytest.mark.slow) for name in SEMIRINGS if name not in NAMES]
MORE_SUMS = [pytest.param(name, marks=pytest.mark.slow) for name in ("min_plus", "plus_gap", "lor_land")]


def in_form(rng: np.random.Generator, nrows: int, ncols: int, dtype, form: str) -> MatrixStore:
    if form == "full":
        iso = rng.random() < 0.3
        return MatrixStore.full(nrows, ncols, random_values(rng, 1 if iso else nrows * ncols, np.dtype(dtype)))
    return with_form(random_matrix(rng, nrows, ncols, dtype, 0.2), form)


def random_mask(rng: np.random.Generator, nrows: int, ncols: int, trial: int) -> MaskView | None:
    if trial % 3 == 0:
        return None
    form = ("sparse", "bitmap", "full")[trial % 5 % 3]
    store = in_form(rng, nrows, ncols, ("bool", "int8")[trial % 2], form)
    return MaskView(store, bool(rng.integers(2)), bool(rng.integers(2)))


@pytest.mark.parametrize("forms", [("sparse", "full"), ("sparse", "bitmap"), ("full", "sparse"), ("bitmap", "bitmap")])
@pytest.mark.parametrize("name", [*NAMES, *MORE])
def test_spmm(rng, trials, name: str, forms: tuple[str, str]) -> None:
    op = SEMIRINGS[name]
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    for trial in trials(6):
        shape = [(30, 20, 7), (5, 40, 70), (1, 3, 130)][trial % 3]
        a, b = in_form(rng, *shape[:2], types[0], forms[0]), in_form(rng, *shape[1:], types[1], forms[1])
        mask = random_mask(rng, shape[0], shape[2], trial)
        plan = Plan("mxm.spmm", "test", early_exit=trial % 2 > 0)
        same_product(ENGINE.mxm(a, b, op, mask, plan=plan), DEFINITIONS.mxm(a, b, op, mask, plan=plan), op)


@pytest.mark.parametrize("name", ["plus_times fp32", "any_second", "max_first", *MORE_SUMS])
def test_sums_in_registers(rng, name: str) -> None:
    """8 to 32 columns are a few sums in registers each, by either factor; what has no such kernel has the others."""
    op, plan = SEMIRINGS[name], Plan("mxm.spmm", "test")
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    for columns in (8, 24, 32):
        a, b = random_matrix(rng, 30, 20, types[0], 0.2), random_values(rng, 20 * columns, np.dtype(types[1]))
        full = MatrixStore.full(20, columns, b)
        same_product(ENGINE.mxm(a, full, op, None, plan=plan), DEFINITIONS.mxm(a, full, op, None, plan=plan), op)
    left = MatrixStore.full(16, 30, random_values(rng, 16 * 30, np.dtype(types[0])))
    right = random_matrix(rng, 30, 20, types[1], 0.2)
    same_product(ENGINE.mxm(left, right, op, None, plan=plan), DEFINITIONS.mxm(left, right, op, None, plan=plan), op)


@pytest.mark.parametrize("forms", [("sparse", "sparse"), ("sparse", "bitmap"), ("full", "sparse"), ("bitmap", "full")])
def test_bits(rng, trials, forms: tuple[str, str]) -> None:
    op, plan = semiring.any_pair["BOOL"], Plan("mxm.bits", "test")
    for trial in trials(6):
        shape = [(64, 30, 40), (3, 40, 130), (90, 50, 1)][trial % 3]
        a, b = in_form(rng, *shape[:2], "int8", forms[0]), in_form(rng, *shape[1:], "float64", forms[1])
        mask = random_mask(rng, shape[0], shape[2], trial)
        result = ENGINE.mxm(a, b, op, mask, plan=plan)
        assert result.form in ("bitmap", "full") and result.iso
        same_product(result, DEFINITIONS.mxm(a, b, op, mask, plan=plan), op)


@pytest.mark.parametrize("form", ["bitmap", "full"])
@pytest.mark.parametrize("name", ["plus_times fp32", "any_pair"])
def test_few_products_through_flags(rng, name: str, form: str) -> None:
    """A dense mask with many positions per product is not listed."""
    op = semiring.any_pair["BOOL"] if name == "any_pair" else semiring.plus_times["FP32"]
    stored, plan = op.binaryop.type.np_type, Plan("mxm.gustavson", "test")
    for structure, complement, dtype in product((True, False), (True, False), ("bool", "int8")):
        a, b = random_matrix(rng, 20, 30, stored, 0.02), random_matrix(rng, 30, 200, stored, 0.05)
        mask = MaskView(in_form(rng, 20, 200, dtype, form), structure, complement)
        result = ENGINE.mxm(a, b, op, mask, plan=plan)
        with pytest.raises(AttributeError):
            object.__getattribute__(mask.store, "indices")
        same_product(result, DEFINITIONS.mxm(a, b, op, mask, plan=plan), op)


def test_words_and_flags(rng) -> None:
    for shape in ((1, 1), (3, 64), (70, 65), (5, 2100)):
        store = in_form(rng, *shape, "int8", "bitmap")
        for side in (Side(store, False), Side(store, True), Side(store, True, valued=True)):
            words = dense_arrays.words_of(side)
            sparse = dense_arrays.words_of(side._replace(store=with_form(store, "sparse")))
            np.testing.assert_array_equal(words.words, sparse.words)
            flags, count = dense_arrays.unpack(words, side.turned)
            assert count == flags.sum()
            np.testing.assert_array_equal(flags, side.flags)


@pytest.mark.parametrize("shape", [(3, 5), (1, 7), (70, 90), (5, 2100)])
def test_turned(rng, shape: tuple[int, int]) -> None:
    values = rng.random(shape)
    np.testing.assert_array_equal(dense_arrays.turn(values.reshape(-1), *shape), values.T.reshape(-1))


@pytest.mark.parametrize("dtype", ["FP32", "FP64"])
def test_full_matrices_go_to_blas(rng, dtype: str) -> None:
    x, y = rng.random((30, 20)), rng.random((20, 40))
    a, b = (Matrix.from_dense(z, dtype=dtype) for z in (x, y))
    for each in (a, b):
        each._store = with_form(each._store, "full")
    mask = Matrix.from_coo([0, 3], [1, 2], True, nrows=30, ncols=40)
    with gb.trace() as told:
        product = semiring.plus_times(a @ b).new()
        outside = semiring.plus_times(a @ b).new(mask=~mask.S)
        inside = semiring.plus_times(a @ b).new(mask=mask.S)
    assert [record.strategy for record in told.records] == ["mxm.blas", "mxm.blas", "mxm.masked_dot"]
    np.testing.assert_allclose(product.to_dense(), x @ y, rtol=1e-5)
    assert outside.nvals == 1198
    assert inside.nvals == 2
    np.testing.assert_allclose(outside.to_dense(fill_value=0) + inside.to_dense(fill_value=0), x @ y, rtol=1e-5)


def test_what_is_asked_for_is_done_or_refused() -> None:
    a = Matrix.from_coo([0, 1], [1, 0], [1.0, 2.0])
    with pytest.raises(ValueError, match="pattern"):
        a.dup()(strategy="mxm.bits") << semiring.plus_times(a @ a)
    with pytest.raises(ValueError, match="full"):
        a.dup()(strategy="mxm.blas") << semiring.plus_times(a @ a)
    c = Matrix(float, 2, 2)
    c(strategy="mxm.spmm") << semiring.plus_times(a @ a)
    assert c.to_dicts() == {0: {0: 2.0}, 1: {1: 2.0}}
