"""Every strategy of the CUDA engine's matrix-vector product against the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

import importlib

import emulated_cupy
import numpy as np
import pytest
from emulated_engine import CUDA, ENGINES, loaded
from mxv_cases import SEMIRINGS, STRATEGIES, Case, funnel, random_case, star
from random_objects import rows_of

from grblas_gpu import semiring
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

QUICK = ("push.sort", "pull.hybrid")  # every program takes the emulator's compiler some seconds


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    """``mxv`` of the CUDA engine and how stores get to it and back."""
    with loaded(request.param, monkeypatch, "eager.mxv", "runtime.workspace") as found:
        found.mxv = found.mxv.VectorProducts().mxv
        yield found


def run(engine, case: Case, strategy: str, **options) -> VectorStore:
    """The product on the device, back on the host. What CuPy would compute (transposes, row numbers) is given."""
    a = engine.there(case.a)
    a._transpose = engine.there(case.a.transposed())
    a._row_ids = engine.to_device(case.a.row_ids)
    a._transpose._row_ids = engine.to_device(case.a.transposed().row_ids)
    u, mask = engine.there(case.u), engine.there(case.mask)
    plan = Plan(strategy, "", **options)
    result = engine.mxv(a, u, case.semiring, mask, transposed=case.transposed, flip=case.flip, plan=plan)
    return engine.here(result)


def check(engine, case: Case, strategy: str, **options) -> VectorStore:
    result = run(engine, case, strategy, **options)
    plan = Plan(strategy, "")
    expected = Definitions().mxv(
        case.a, case.u, case.semiring, case.mask, transposed=case.transposed, flip=case.flip, plan=plan
    )
    keys, values = entries(result)
    wanted_keys, wanted = entries(expected)
    np.testing.assert_array_equal(keys, wanted_keys)
    assert result.nvals == len(keys)
    assert result.values.dtype == expected.values.dtype
    if result.indices is not None:
        assert result.indices.dtype == INDEX
        assert len(result.values) in (result.nvals, min(1, result.nvals))
        assert not result.ordered or np.all(np.diff(result.indices) > 0)
    if case.semiring.monoid.any_value:
        check_any(case, keys, values)
    elif values.dtype == np.float32:
        np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-4)
    else:
        np.testing.assert_allclose(values, wanted, rtol=1e-12)
    assert scratch_is_clean(engine)
    return result


def check_any(case: Case, keys: np.ndarray, values: np.ndarray) -> None:
    """Each value is one of the products of its row: here, one of the values of the right operand or 1."""
    right = case.a if case.flip else case.u
    source = set(np.asarray(right.values).astype(values.dtype).tolist()) | {1}
    assert set(values.tolist()) <= source


def scratch_is_clean(engine) -> bool:
    for scratch in engine.workspace._local.sets.values() if hasattr(engine.workspace._local, "sets") else ():
        for name in ("mask", "vector", "touched"):
            if name in scratch._arrays and scratch._arrays[name].get().any():
                return False
        for key, array in scratch._arrays.items():
            if isinstance(key, tuple) and key[0] in np.typecodes["All"] and key[0] != "vector":
                values = array.get()
                if len(np.unique(values[values == values])) + bool((values != values).any()) > 1:
                    return False
    return True


def strategies_for(engine, seed: int) -> list[str]:
    """All of them on a GPU; compiling them for an emulation takes time, so there each case has its share."""
    return STRATEGIES if engine.name == "gpu" else [STRATEGIES[(seed + step) % 8] for step in (0, 3)]


@pytest.mark.parametrize("name", SEMIRINGS)
def test_strategies_agree_with_the_definition(engine, name):
    number = list(SEMIRINGS).index(name)
    for seed in range(4 if engine.name == "gpu" else 1):
        for strategy in strategies_for(engine, number + seed):
            check(engine, random_case(name, 1000 * seed + number), strategy, early_exit=seed % 3 < 2)


@pytest.mark.parametrize("strategy", ["push.scatter", "push.scan", "push.sort"])
@pytest.mark.parametrize("make", [star, funnel])
def test_pushes_balance_any_degrees(engine, make, strategy):
    """One vertex of a high degree, and as many vertices of degree 1."""
    check(engine, make(400_001 if engine.name == "gpu" else 3000), strategy)


@pytest.mark.parametrize(
    "strategy", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in STRATEGIES]
)
def test_deterministic_means_bit_equal(engine, strategy):
    case = random_case("plus_times", 7)
    case = case._replace(mask=None)
    if strategy in ("push.scatter", "push.scan", "pull.edge"):  # by atomics: refused, not replaced
        with pytest.raises(ValueError, match=f"strategy='{strategy}'.*deterministic=True"):
            run(engine, case, strategy, deterministic=True)
        assert run(engine, case._replace(semiring=semiring.min_plus["INT64"]), strategy, deterministic=True).nvals
        return
    first = run(engine, case, strategy, deterministic=True)
    for _ in range(3 if engine.name == "gpu" else 1):
        again = run(engine, case, strategy, deterministic=True)
        assert np.array_equal(entries(first)[1], entries(again)[1])


@pytest.mark.parametrize(
    "name",
    [
        "plus_times INT64",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("min_plus FP64", "plus_times FP32", "plus_times UINT16", "lxor_land BOOL", "plus_times FC64")
        ),
    ],
)
def test_full_vectors_times_rows_of_any_length(engine, name):
    """Rows that are empty, short, as long as a chunk of entries or longer, at the end and in between."""
    rng = np.random.default_rng(5)
    operator, dtype = name.split()
    op = getattr(semiring, operator)[dtype]
    ncols = 5000
    for lengths in (
        [3],
        [0, 0, ncols, 0],
        [ncols] * 3,
        rng.integers(0, 3, 900),
        np.where(rng.random(300) < 0.02, ncols, 3),
        [0] * 70 + [33, 32, 31] + [0] * 40 + [1100, 1] + [0] * 100,
        [0, 1, 5, 6, 7, 8, 9, 12, 13, 16, 17, 0, 2] * 20,  # as long as lanes take them by themselves, and longer
        [5] * 900 + [ncols] + [3, 4] * 300,  # chunks begin within short rows, too
        [0] * 2500 + [7, 2100, 3] + [0] * 1023 + [1] + [0] * 2100,  # runs of empty rows are shared, too
    ):
        a = rows_of(lengths, ncols, op.monoid.type.np_type)
        u = VectorStore(ncols, rng.integers(1, 9, ncols).astype(a.dtype))
        check(engine, Case(a, u, op, None, False, False), "pull.edge")


@pytest.mark.parametrize("name", ["plus_times", pytest.param("plus_times fp32", marks=pytest.mark.slow)])
def test_full_vectors_times_short_rows_only(engine, monkeypatch, name):
    """Rows as long as a lane takes them, and one more; empty ones, at the end, too."""
    module = importlib.import_module(f"{CUDA}.eager.mxv_balanced")
    monkeypatch.setattr(module, "WORTH_A_LOOK", 0)
    rng, op = np.random.default_rng(6), SEMIRINGS[name]
    dtype = op.monoid.type.np_type
    limit, ncols = module.lane_row(dtype), 40
    for longest in (1, limit, limit + 1):
        lengths = [*rng.integers(0, min(longest, 8) + 1, 1500), longest, *[0] * 37]
        a = rows_of(lengths, ncols, dtype)
        u = VectorStore(ncols, rng.integers(1, 9, ncols).astype(dtype))
        assert module.has_only_short_rows(a, limit) == (longest <= limit)
        check(engine, Case(a, u, op, None, False, False), "pull.edge")


@pytest.mark.parametrize("name", ["plus_times", "any_second", "any_pair"])
def test_sorted_pushes_do_not_depend_on_the_number_of_threads(engine, monkeypatch, name):
    rng = np.random.default_rng(11)
    indices = rng.integers(0, 40, 6000).astype(np.int32)  # products of 300 vertices to 40 outputs
    a = MatrixStore(300, 40, np.arange(0, 6001, 20), indices, rng.random(6000))
    u = VectorStore(300, rng.random(300), indices=np.arange(300))
    mask = MaskView(VectorStore(40, np.ones(1, bool), present=np.arange(40) % 3 > 0), True, False)
    op = SEMIRINGS[name] if name != "any_second" else semiring.any_second["FP64"]
    for allowed in (None, mask):
        case = Case(a, u, op, allowed, True, True)
        first = entries(run(engine, case, "push.sort"))
        for threads in (32, 96):
            with monkeypatch.context() as patch:
                patch.setattr(emulated_cupy, "BLOCKS", 5)
                patch.setattr(emulated_cupy, "THREADS", threads)
                patch.setattr(importlib.import_module(f"{CUDA}.runtime.launch"), "most_blocks", lambda device: 5)
                again = entries(run(engine, case, "push.sort"))
            assert np.array_equal(first[0], again[0])
            assert np.array_equal(first[1], again[1])


@pytest.mark.parametrize("strategy", ["pull.edge", "push.scatter"])
def test_nan_and_negative_zero_survive_atomics(engine, strategy):
    """A row whose only product is NaN (or -0.0) keeps it: the identity of `min` would hide it."""
    a = MatrixStore(2, 2, np.arange(3), np.array([0, 1], np.int32), np.array([np.nan, -0.0]))
    u = VectorStore(2, np.array([0.0, -0.0]))
    for name in ("min_plus", "plus_times"):
        case = Case(a, u, SEMIRINGS[name], None, False, False)
        _, values = entries(check(engine, case, strategy))
        assert np.isnan(values[0])
    _, values = entries(run(engine, case._replace(semiring=SEMIRINGS["min_plus"]), strategy))
    assert np.signbit(values[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_least_float_by_its_bits(engine, dtype):
    numbers = np.random.default_rng(5)
    values = np.where(numbers.random(400) < 0.5, numbers.choice([np.nan, -np.inf, np.inf, -0.0, 0.0], 400), 0)
    values = np.where(numbers.random(400) < 0.5, values, numbers.standard_normal(400)).astype(dtype)
    columns = (np.arange(400) % 4 * 5 + np.arange(400) // 4 % 5).astype(np.int32)
    a = MatrixStore(100, 20, np.arange(0, 404, 4), columns, values)
    u = VectorStore(20, np.zeros(20, dtype))
    expected = np.fmin.reduce(values.reshape(100, 4), axis=1)
    _, found = entries(run(engine, Case(a, u, semiring.min_plus[dtype], None, False, False), "push.scatter"))
    assert np.array_equal(found, expected, equal_nan=True)
