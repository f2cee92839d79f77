"""Kernels that avoid unpredictable branches agree with the definitions, on long and short rows."""

import numpy as np
import pytest
from cpu_kernel_cases import DEFINITIONS, ENGINE, same

from grblas_gpu import operators, select, semiring
from grblas_gpu.backends.cpu import masks, mxv, mxv_push, select as select_kernels
from grblas_gpu.backends.cpu.inline import kept_end
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

pytestmark = pytest.mark.usefixtures("numba_tier")


def hubs(rng, nrows, ncols, dtype=np.int64, iso=False):
    """A matrix whose rows have from no to nearly all columns."""
    share = rng.random(nrows) ** 6
    present = rng.random((nrows, ncols)) < share[:, None]
    rows, cols = np.nonzero(present)
    indptr = np.searchsorted(rows, np.arange(nrows + 1)).astype(INDEX)
    values = rng.integers(1, 9, 1 if iso else len(rows)).astype(dtype)
    return MatrixStore(nrows, ncols, indptr, cols.astype(np.int32), values)


def bitmap(rng, size, fill, dtype=np.int64):
    return VectorStore(size, rng.integers(1, 9, size).astype(dtype), present=rng.random(size) < fill)


# ---- select -------------------------------------------------------------------------------------------------------


def test_which_end_of_a_row_is_kept():
    names = ("tril", "triu", "diag", "offdiag", "colle", "colgt", "rowle", "rowgt", "valuegt")
    ends = {name: kept_end(getattr(select, name)["INT64"].source) for name in names}
    assert {name for name, end in ends.items() if end == "first"} == {"tril", "colle", "rowle", "rowgt"}
    assert {name for name, end in ends.items() if end == "last"} == {"triu", "colgt"}
    assert ends["diag"] is ends["offdiag"] is ends["valuegt"] is None
    assert kept_end(None) is kept_end("j < j + y") is kept_end("i < j") is kept_end("0 < j <= y") is None
    assert kept_end("j <= x") is None


@pytest.mark.parametrize("iso", [False, True])
@pytest.mark.parametrize("name", ["tril", "triu", "offdiag", "colgt", "rowle"])
def test_select_of_long_and_short_rows(rng, name, iso):
    A = hubs(rng, 150, 180, iso=iso)
    assert np.diff(A.indptr).max() > select_kernels.LONG_ROW
    op = getattr(select, name)["INT64"]
    for thunk in (-500, -20, 0, 3, 60, 500):
        same(ENGINE.select(A, op, np.int64(thunk)), DEFINITIONS.select(A, op, np.int64(thunk)))


def test_a_function_is_not_called_where_there_is_no_entry(rng):
    def smaller(x, i, j, y):
        if x == 0:
            raise ZeroDivisionError
        return 10 // x > y

    x = bitmap(rng, 500, 0.5)
    x.values[~x.present] = 0
    op = operators.SelectOp.register_anonymous(smaller, "smaller")["INT64"]
    kept = ENGINE.select(x, op, np.int64(2))
    assert entries(kept)[0].tolist() == np.flatnonzero(x.present & (x.values <= 3)).tolist()


# ---- matrix times vector ------------------------------------------------------------------------------------------


def product(A, u, op, mask, strategy):
    plan = Plan(strategy, "")
    arguments = {"transposed": False, "flip": False, "plan": plan}
    return ENGINE.mxv(A, u, op, mask, **arguments), DEFINITIONS.mxv(A, u, op, mask, **arguments)


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("listed_mask", [False, True])
@pytest.mark.parametrize("name", ["plus_times", "min_first", "any_pair"])
def test_push_through_a_mask_that_is_hard_to_predict(rng, name, listed_mask, complement):
    n = 1500
    A, u = hubs(rng, n, n), bitmap(rng, n, 0.9)
    assert A.nvals > mxv.PARALLEL_WORK  # or it would not be divided between threads
    mask = bitmap(rng, n, 0.3 if complement else 0.7)
    if listed_mask:
        mask = VectorStore(n, np.ones(1, bool), indices=rng.permutation(np.flatnonzero(mask.present)), ordered=False)
    view = MaskView(mask, True, complement)
    kind = masks.BYTES_COMPLEMENT if complement else masks.BYTES
    assert mxv_push._guesswork(kind, *masks.resolve(view), n)
    same(*product(A, u, getattr(semiring, name)["INT64"], view, "push.scatter"))


@pytest.mark.parametrize("fill", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("name", ["plus_times", "min_second", "any_second"])
def test_pull_of_a_few_long_rows(rng, name, fill):
    n = 1500
    A, u = hubs(rng, n, n), bitmap(rng, n, fill)
    longest = np.argsort(np.diff(A.indptr))[-300:]
    view = MaskView(VectorStore(n, np.ones(1, bool), indices=longest, ordered=False), True, False)
    assert len(mxv._listed_chunks(longest, A)) > 1
    got, expected = product(A, u, getattr(semiring, name)["INT64"], view, "pull.compact")
    if name == "any_second":  # whichever comes first
        assert np.array_equal(entries(got)[0], entries(expected)[0])
    else:
        same(got, expected)


# ---- matrix times matrix ------------------------------------------------------------------------------------------
