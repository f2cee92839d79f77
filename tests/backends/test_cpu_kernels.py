"""The compiled kernels against the NumPy definitions, over every kind of store, mask and strategy."""

import threading
import weakref
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
from running import in_threads

from grblas_gpu import binary, monoid, operators, semiring, unary
from grblas_gpu.backends.cpu import assign, ewise, extract, mxv, mxv_push, pool, workspace
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

pytestmark = pytest.mark.usefixtures("numba_tier")
PUSHES = ["push.sort", "push.scatter", "push.scan"]
PULLS = ["pull.thread", "pull.warp", "pull.hybrid", "pull.compact", "pull.edge"]


def workspace_is_clean():
    arrays = getattr(workspace._local, "arrays", {})
    return not any(array.any() for name, array in arrays.items() if isinstance(name, str))


# Compiling is what costs: two semirings meet everything, the others one mask kind and one strategy of each form, of
# which the quick tests run one: a push or a pull.
THOROUGH = ["plus_times", "any_pair"]
CASES = [(name, strategy) for name in THOROUGH for strategy in PUSHES + PULLS]
for number, name in enumerate(name for name in SEMIRINGS if name not in THOROUGH):
    some = ["push.sort", "pull.thread", "push.scatter", "pull.edge"]
    CASES.append((name, some.pop(number % 4)))
    CASES += [pytest.param(name, strategy, marks=pytest.mark.slow) for strategy in some]


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_mxv(rng, trials, monkeypatch, name, strategy):
    monkeypatch.setattr(mxv_push, "TINY_DENSE", 10)
    op, dtype = SEMIRINGS[name]
    op = op[dtype]
    stored = op.binaryop.type.np_type
    many = name in THOROUGH
    for trial in trials(40 if many else 8):
        transposed, flip = bool(rng.integers(2)), bool(rng.integers(2))
        if not many:
            transposed = flip = trial % 2 == 0
        iso = many and trial % 5 == 0
        a = random_matrix(rng, 23, 17, stored, iso)
        rows, cols = (17, 23) if transposed else (23, 17)
        u = random_vector(rng, cols, KINDS[trial % 4] if many else "unordered", stored, iso)
        mask = MaskView(random_vector(rng, rows, "bitmap", "bool"), True, True)
        if many:
            mask = random_mask(rng, lambda: random_vector(rng, rows, rng.choice(KINDS), "bool", rng.random() < 0.2))  # noqa: B023
        plan = Plan(strategy, "test", bool(rng.integers(2)) or not many, bool(rng.integers(2)))
        options = {"transposed": transposed, "flip": flip, "plan": plan}
        result = ENGINE.mxv(a, u, op, mask, **options)
        expected = DEFINITIONS.mxv(a, u, op, mask, **options)
        same(result, expected, values=not op.monoid.any_value or name == "any_pair")
        assert workspace_is_clean()


@pytest.mark.parametrize("strategy", PUSHES + PULLS)
@pytest.mark.parametrize("name", ["plus_times", "any_pair"])
def test_mxv_large_enough_for_threads(rng, monkeypatch, name, strategy):
    """Chunks, ranges of outputs, dense and queued pushes: with the limits lowered so that small graphs reach them."""
    for module in (mxv, mxv_push):
        monkeypatch.setattr(module, "PARALLEL_WORK", 10)
    monkeypatch.setattr(mxv, "BLEND_EDGES", 10)
    monkeypatch.setattr(mxv_push, "TINY_SIZE", 10)
    monkeypatch.setattr(mxv_push, "TINY_DENSE", 10)
    monkeypatch.setattr(mxv_push, "PART_DEGREE", 0)
    op, dtype = SEMIRINGS[name]
    op = op[dtype]
    pool.set_threads(3)
    try:
        for dense_push, fill in product((1, 10**9), (0.01, 0.5)):
            monkeypatch.setattr(mxv_push, "DENSE_PUSH", dense_push)
            a = random_matrix(rng, 300, 300, op.binaryop.type.np_type, iso=name == "any_pair", fill=0.05)
            u = random_vector(rng, 300, "sparse", op.binaryop.type.np_type, iso=name == "any_pair", fill=fill)
            mask = MaskView(random_vector(rng, 300, "bitmap", "bool"), True, True)
            options = {"transposed": True, "flip": True, "plan": Plan(strategy, "test")}
            same(ENGINE.mxv(a, u, op, mask, **options), DEFINITIONS.mxv(a, u, op, mask, **options))
            assert workspace_is_clean()
    finally:
        pool.set_threads(None)


def test_a_slow_helper_keeps_nothing_alive():
    """A job that was done without a helper is still in its queue, but the arrays of the job are not."""

    class Array:
        pass

    pool.set_threads(2)
    gate, begun = threading.Event(), threading.Barrier(3)
    busy = threading.Thread(target=pool.run, args=(lambda chunk: (begun.wait(30), gate.wait(30)), [0, 1]))
    busy.start()
    begun.wait(30)  # the helper and the thread that it helps
    try:
        array = Array()
        alive = weakref.ref(array)
        assert pool.run(lambda chunk, array=array: chunk + 1, [5, 6]) == [6, 7]
        del array
        assert alive() is None
    finally:
        gate.set()
        busy.join()
        pool.set_threads(None)


def random_pair(rng, dtype, trial):
    iso_x, iso_y = trial % 3 == 0, trial % 5 == 0
    if trial % 2:
        return random_matrix(rng, 15, 12, dtype, iso_x, 0.4), random_matrix(rng, 15, 12, dtype, iso_y, 0.4)
    kinds = KINDS[(trial // 2) % 4], KINDS[(trial // 8) % 4]
    return random_vector(rng, 25, kinds[0], dtype, iso_x), random_vector(rng, 25, kinds[1], dtype, iso_y)


def test_apply_large():
    x = VectorStore(300_000, np.arange(300_000))
    same(ENGINE.apply(x, unary.ainv["INT64"]), DEFINITIONS.apply(x, unary.ainv["INT64"]))
    for side in ("left", "right"):
        op = binary.minus["INT64"]
        same(ENGINE.apply_bind(x, op, 3, side), DEFINITIONS.apply_bind(x, op, 3, side))


def test_sums_of_a_bitmap_keep_their_digits(rng):
    """One by one, FP32 loses the last of them: 4,000 values to 1.4e-5, which a fuzz has found."""
    present = rng.random(100_000) < 0.8
    values = (rng.random(100_000) + 0.5).astype(np.float32)
    exact = values[present].astype(float).sum()
    found = CpuBackend().reduce_scalar(VectorStore(100_000, values, present=present), monoid.plus["FP32"])
    assert abs(found - exact) <= 4e-7 * exact


def test_reduce_large(rng):
    op = monoid.plus["FP64"]
    values = rng.integers(0, 9, 500_000).astype(float)
    full = VectorStore(len(values), values)
    bitmap = VectorStore(len(values), values, present=values > 3)
    assert ENGINE.reduce_scalar(full, op) == values.sum()
    assert ENGINE.reduce_scalar(bitmap, op) == values[values > 3].sum()


@pytest.mark.parametrize("name", [None, "plus", "min", "user"])
@pytest.mark.parametrize("replace", [False, True])
def test_write(rng, trials, name, replace):
    accum = None
    if name is not None:
        accum = operators.BinaryOp.register_anonymous(user_times) if name == "user" else getattr(binary, name)
        accum = accum["INT64"]
    for trial, masked in product(trials(8 if name in ("user", "min") else 32), (False, True)):
        c, t = random_pair(rng, "int64", trial)
        shape = (lambda: random_matrix(rng, 15, 12, "bool", fill=0.5)) if trial % 2 else None
        mask = random_mask(rng, shape or (lambda: random_vector(rng, 25, rng.choice(KINDS), "bool")))
        if masked:
            if mask is None:
                continue
            t = DEFINITIONS.write(type(t).empty(*shape_of(t), t.dtype), t, mask, None, True)
        expected = DEFINITIONS.write(c.copy(), t, mask, accum, replace, masked)
        result = ENGINE.write(c.copy(), t, mask, accum, replace, masked)
        same(result, expected)
        assert workspace_is_clean()


@pytest.mark.parametrize("name", ["plus", "pow", "pair"])
def test_pairs_of_matrices_and_vectors_large_enough_for_threads(rng, trials, monkeypatch, name):
    """Threads write pieces, some of them empty, which are joined."""
    for limit in ("PARALLEL_WORK", "LIGHT_WORK"):
        monkeypatch.setattr(ewise, limit, 10)
    op = getattr(binary, name)["INT64"]
    pool.set_threads(3)
    try:
        for trial in trials(40):
            fills = rng.choice([0.02, 0.3, 1], 2)
            make = (lambda fill: random_matrix(rng, 40, 12, "int64", rng.random() < 0.3, fill)) if trial % 4 else None
            x, y = (random_vector(rng, 60, "bitmap", "int64") if make is None else make(fill) for fill in fills)
            same(ENGINE.ewise_mult(x, y, op), DEFINITIONS.ewise_mult(x, y, op))
            same(ENGINE.union(x, y, op), DEFINITIONS.union(x, y, op))
    finally:
        pool.set_threads(None)


@pytest.mark.parametrize("name", [None, "plus"])
def test_masked_write_of_a_matrix(rng, trials, monkeypatch, name):
    """Of any types, with one value for all entries, empty, and by several threads."""
    monkeypatch.setattr(ewise, "PARALLEL_WORK", 10)
    ewise._table.clear()
    accum = None if name is None else binary.plus["FP64"]
    for trial in trials(40):
        c, t, m = (
            random_matrix(
                rng, 15, 12, rng.choice(["int64", "float32", "bool"]), rng.random() < 0.2, rng.choice([0, 0.3, 1])
            )
            for _ in range(3)
        )
        m = t if trial % 5 == 0 else m
        mask, replace = MaskView(m, bool(trial & 1), bool(trial & 2)), bool(rng.integers(2))
        before = c.values.copy(), t.values.copy()
        result = ENGINE.write(c, t, mask, accum, replace)
        same(result, DEFINITIONS.write(c.copy(), t, mask, accum, replace))
        if result is not t and result is not c:
            result.values[:] = 0  # shared with neither
            assert all(map(np.array_equal, before, (c.values, t.values)))
    assert ewise._table


def test_extract_columns_in_any_order(rng, trials):
    extract._table.clear()
    for trial in trials(20):
        a = random_matrix(rng, 15, 12, rng.choice(["int64", "bool"]), rng.random() < 0.2, rng.choice([0.1, 0.5]))
        rows = None if trial % 3 == 0 else rng.permutation(15)[: rng.integers(1, 15)]
        cols = rng.integers(0, 12, 9) if trial % 4 == 0 else rng.permutation(12)[: rng.integers(1, 12)]
        same(ENGINE.extract_matrix(a, rows, cols), DEFINITIONS.extract_matrix(a, rows, cols))
    assert extract._table


def shape_of(store):
    return (store.nrows, store.ncols) if type(store) is MatrixStore else (store.size,)


def test_assign_scalar_through_dense_mask(rng):
    for kind, iso, complement, structure in product(("bitmap", "full"), (True, False), (True, False), (True, False)):
        c = random_vector(rng, 40, kind, "int64", iso)
        mask = MaskView(random_vector(rng, 40, "bitmap", "bool"), structure, complement)
        for value in (np.int64(7), c.values[0]):
            expected = DEFINITIONS.assign(c.copy(), value, (None,), mask, None, False, False)
            same(ENGINE.assign(c.copy(), value, (None,), mask, None, False, False), expected)


def test_several_threads_at_once(rng):
    """Each Python thread has its own workspaces; helpers are shared."""
    a = random_matrix(rng, 2000, 2000, "int64", fill=0.05)
    op = semiring.plus_times["INT64"]
    vectors = [random_vector(rng, 2000, kind, "int64") for kind in KINDS]
    plans = [Plan(strategy, "test") for strategy in ("push.scatter", "push.scan", "pull.hybrid", "pull.compact")]
    mask = MaskView(random_vector(rng, 2000, "bitmap", "bool"), True, True)
    options = {"transposed": True, "flip": True}
    expected = [DEFINITIONS.mxv(a, u, op, mask, **options, plan=plans[0]) for u in vectors]
    a.transposed()

    def work(number):
        for step in range(20):
            which = (number + step) % 4
            result = ENGINE.mxv(a, vectors[which], op, mask, **options, plan=plans[(number + step // 4) % 4])
            same(result, expected[which])

    in_threads(work, 4)


@pytest.mark.parametrize("threads", [False, True])
def test_assign_to_a_region(rng, monkeypatch, threads):
    """With the entries that the region has, with others, with one value for all, and with lists that do not ascend."""
    if threads:
        monkeypatch.setattr(assign, "LIGHT_WORK", 40)
    for trial in range(24):
        c = random_matrix(rng, 30, 20, "float64", iso=trial % 6 == 0)
        rows = np.sort(rng.choice(30, 12, replace=False)) if trial % 3 else None
        cols = np.sort(rng.choice(20, 9, replace=False)) if trial % 4 else None
        t = DEFINITIONS.extract_matrix(c, rows, cols)
        if trial % 2:
            t = random_matrix(rng, t.nrows, t.ncols, "float64", iso=trial % 5 == 0)
        else:
            t.values = t.values * 2
        if trial % 8 == 7:
            rows = rng.permutation(np.arange(30) if rows is None else rows)
        before = c.values.copy()
        same(
            ENGINE.assign(c, t, (rows, cols), None, None, False, False),
            DEFINITIONS.assign(c, t, (rows, cols), None, None, False, False),
        )
        np.testing.assert_array_equal(c.values, before)


@pytest.mark.parametrize("kind", ["full", "bitmap", "sparse"])
def test_full_outputs_stay_full(rng, kind):
    """With an accumulator, and where the result is full; flags are needed otherwise."""
    accums = (None, binary.plus["FP64"], binary.minus["FP64"])
    for trial, (accum, replace) in enumerate(product(accums, (False, True))):
        c, t = random_vector(rng, 40, "full", "float64"), random_vector(rng, 40, kind, "float64")
        mask = MaskView(random_vector(rng, 40, "bitmap", "bool"), True, bool(trial % 2)) if replace else None
        wanted = DEFINITIONS.write(c.copy(), t, mask, accum, replace)
        found = ENGINE.write(c.copy(), t, mask, accum, replace)
        same(found, wanted)
        assert (found.kind == "full") == (wanted.nvals == 40 or found.nvals == 40)
