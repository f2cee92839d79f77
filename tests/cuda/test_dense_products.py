"""Kernels for a sparse matrix times a dense one, on plain arrays, against NumPy and the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

from __future__ import annotations

import numpy as np
import pytest
from emulated_engine import GPU, SLOW_ENGINES, engine_fixture
from mxv_cases import SEMIRINGS
from random_objects import random_matrix, random_values

from grblas_gpu.backends.forms.dense_products import EVERYWHERE, INSIDE, OUTSIDE, Allowed, Side, Words
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.matrix_forms import moved as to_memory
from grblas_gpu.backends.stores.matrix_forms import with_form
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, column_type
from grblas_gpu.plan.rules import Plan

MODULES = ("eager.bits", "eager.spmm", "eager.mxm")
VALUED = [name for name in SEMIRINGS if name != "any_pair"]  # which is all pattern
NAMES = VALUED if GPU else ["plus_times", "min_plus uint16", "any_second", "plus_firsti1"]


engine = engine_fixture(*MODULES)
slow_engine = engine_fixture(*MODULES, params=SLOW_ENGINES)


def moved(store: MatrixStore, to, offsets=np.int32) -> MatrixStore:
    indptr = to(store.indptr.astype(offsets))
    return MatrixStore(store.nrows, store.ncols, indptr, to(store.indices), to(store.values))


def bits_of(flags: np.ndarray) -> np.ndarray:
    """Words of 64 columns, as NumPy packs them."""
    padded = np.zeros((flags.shape[0], -(-flags.shape[1] // 64) * 64), bool)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64).reshape(-1)


@pytest.mark.parametrize("shape", [(1, 1), (3, 64), (70, 65), (5, 200), (130, 31), (130, 32)])
def test_flags_become_words_and_flags_again(engine, shape):
    flags = np.random.default_rng(sum(shape)).random(shape) < 0.4
    given = engine.to_device(flags.reshape(-1))
    for by_columns, expected in ((False, flags), (True, flags.T)):
        packed = engine.bits.pack(given, *shape, by_columns)
        np.testing.assert_array_equal(engine.to_host(packed.words), bits_of(expected))
        again, count = engine.bits.unpack(packed, by_columns)
        assert count.read() == engine.bits.count(given).read() == flags.sum()
        np.testing.assert_array_equal(engine.to_host(again), flags.reshape(-1))


@pytest.mark.parametrize("valued", [False, True])
def test_entries_become_words(engine, valued):
    rng = np.random.default_rng(3)
    a = random_matrix(rng, 70, 90, np.int8, 0.2)
    a.values = (np.arange(a.nvals) % 3).astype(np.int8)
    flags = np.zeros((70, 90), bool)
    flags[a.row_ids, a.indices] = a.values != 0 if valued else True
    for by_columns, expected in ((False, flags), (True, flags.T)):
        packed = engine.bits.scatter(moved(a, engine.to_device), by_columns, valued)
        np.testing.assert_array_equal(engine.to_host(packed.words), bits_of(expected))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 40), (33, 64), (100, 7)])
def test_transposes(engine, shape, dtype):
    values = random_values(np.random.default_rng(1), shape[0] * shape[1], np.dtype(dtype))
    result = engine.spmm.turn(engine.to_device(values), *shape)
    np.testing.assert_array_equal(engine.to_host(result), values.reshape(shape).T.reshape(-1))


def skewed_matrix(rng: np.random.Generator, nrows: int, ncols: int, dtype) -> MatrixStore:
    """Some rows without entries, many short ones, and one with nearly all columns."""
    where = rng.random((nrows, ncols)) < rng.choice([0.0, 0.02, 0.2], nrows)[:, None]
    where[nrows // 2] = rng.random(ncols) < 0.9
    indptr = np.zeros(nrows + 1, INDEX)
    np.cumsum(where.sum(axis=1), out=indptr[1:])
    indices = np.nonzero(where)[1].astype(column_type(ncols))
    return MatrixStore(nrows, ncols, indptr, indices, random_values(rng, len(indices), np.dtype(dtype)))


@pytest.mark.parametrize("where", [EVERYWHERE, INSIDE, OUTSIDE])
@pytest.mark.parametrize("columns", [1, 64, 100])
def test_unions(engine, monkeypatch, columns, where):
    monkeypatch.setattr(engine.bits, "ROW_PART", 16)  # the longest row is shared by several warps
    rng = np.random.default_rng(columns)
    a = skewed_matrix(rng, 90, 80, bool)
    flags, mask = rng.random((80, columns)) < 0.1, rng.random((90, columns)) < 0.5
    counts = np.zeros((90, 80), int)
    counts[a.row_ids, a.indices] = 1
    expected = counts @ flags > 0
    expected &= [True, mask, ~mask][where]
    words = Words(engine.to_device(bits_of(flags)), 80, columns)
    side = Side(bitmap(engine, np.ones((90, columns)), mask), False)
    result = engine.bits.unions(moved(a, engine.to_device), words, Allowed(where, side if where else None))
    np.testing.assert_array_equal(engine.to_host(result.words), bits_of(expected))


def sparse(values: np.ndarray, present: np.ndarray) -> MatrixStore:
    """A dense matrix as entries, for the definitions."""
    indptr = np.zeros(len(values) + 1, INDEX)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return MatrixStore(*values.shape, indptr, np.nonzero(present)[1].astype(np.int32), values[present])


def bitmap(engine, values: np.ndarray, present: np.ndarray, iso: bool = False) -> MatrixStore:
    stored = values.reshape(-1)[:1] if iso else values.reshape(-1)
    arrays = engine.to_device(np.ascontiguousarray(present).reshape(-1)), engine.to_device(stored)
    return MatrixStore.bitmap(*values.shape, *arrays, int(present.sum()))


def check(engine, name: str, columns: int, where: int, full: bool, flip: bool, seed: int = 0) -> None:
    """``t<mask> = a d``, or if ``flip`` ``t = d' a'``, which is given and made as its transpose."""
    rng = np.random.default_rng([columns, where, full, flip, seed])
    op = SEMIRINGS[name]
    nrows, inner = 60, 50
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    if seed % 3 == 2:  # the operands are cast
        types = np.dtype(np.float32), np.dtype(np.int16)
    sparse_type, dense_type = types[::-1] if flip else types
    a = skewed_matrix(rng, nrows, inner, sparse_type)
    iso = seed % 4 == 3
    values = random_values(rng, 1 if iso else inner * columns, np.dtype(dense_type))
    present = np.ones((inner, columns), bool) if full else rng.random((inner, columns)) < 0.3
    mask = rng.random((nrows, columns)) < 0.5
    spread = np.broadcast_to(values, inner * columns).reshape(inner, columns)
    d = sparse(spread, present)
    pattern = sparse(mask.T, mask.T) if flip else sparse(mask, mask)
    view = None if where == EVERYWHERE else MaskView(pattern, True, where == OUTSIDE)
    factors = (d.transposed(), a.transposed()) if flip else (a, d)
    expected = Definitions().mxm(*factors, op, view, plan=Plan("", ""))

    dense = Side(bitmap(engine, spread, present, iso), flip)
    if flip:  # stored the other way round
        dense = Side(bitmap(engine, spread.T, present.T, iso), True)
    if full:
        dense = dense._replace(store=MatrixStore.full(dense.store.nrows, dense.store.ncols, dense.store.dense))
    shown = mask.T if flip else mask
    allowed = Allowed(where, Side(bitmap(engine, shown, shown), flip) if where else None)
    held = moved(a, engine.to_device)
    out, found, count = engine.spmm.multiply(held, dense, op, flip, True, allowed)
    shape = (columns, nrows) if flip else (nrows, columns)
    out, found = (engine.to_host(x).reshape(shape) for x in (out, found))
    assert count == found.sum()
    wanted = np.zeros(out.shape, bool)
    wanted[expected.row_ids, expected.indices] = True
    np.testing.assert_array_equal(found, wanted)
    assert not out[~found].any()
    if op.monoid.any_value:
        assert set(out[found].tolist()) <= set(np.concatenate([values, a.values]).astype(out.dtype).tolist()) | {1}
    else:
        rtol = 1e-5 if out.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(out[found], np.broadcast_to(expected.values, expected.nvals), rtol=rtol, atol=1e-4)


@pytest.mark.parametrize("columns", [1, 6, 64, 67, 130])
@pytest.mark.parametrize("full", [True, False])
def test_shapes(engine, monkeypatch, columns, full):
    monkeypatch.setattr(engine.spmm, "LEAST_CHUNK", 8)  # rows in many chunks
    monkeypatch.setattr(engine.spmm, "MOST_CHUNKS", 1000)
    check(engine, "plus_times", columns, EVERYWHERE if full else OUTSIDE, full, False)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("where", [EVERYWHERE, INSIDE, OUTSIDE])
@pytest.mark.parametrize("name", NAMES)
def test_semirings_masks_and_forms(slow_engine, monkeypatch, name, where, flip):
    monkeypatch.setattr(slow_engine.spmm, "LEAST_CHUNK", 8)
    for seed in (2, 3):  # casts, and one value
        for full in (True, False):
            check(slow_engine, name, 16, where, full, flip, seed)


def in_form(engine, rng: np.random.Generator, shape: tuple[int, int], dtype, form: str):
    """A random matrix on the device, and the same on the host."""
    host = random_matrix(rng, *shape, dtype, float(rng.choice([0.1, 0.4])))
    if form == "full":
        iso = rng.random() < 0.3
        host = MatrixStore.full(*shape, random_values(rng, 1 if iso else shape[0] * shape[1], np.dtype(dtype)))
    elif form == "bitmap":
        host = with_form(host, form)
    store = to_memory(host, engine.to_device)
    if form == "sparse":
        store._transpose = to_memory(host.transposed(), engine.to_device)
    return store, host


@pytest.mark.parametrize("strategy", ["mxm.spmm", "mxm.bits"])
@pytest.mark.parametrize("forms", [("sparse", "bitmap"), ("bitmap", "sparse"), ("full", "full"), ("sparse", "sparse")])
@pytest.mark.parametrize("name", ["max_second", "any_pair", "min_secondi"] if not GPU else list(SEMIRINGS))
def test_whole_products(slow_engine, name, forms, strategy):
    op = SEMIRINGS[name]
    for seed in range(3):
        rng = np.random.default_rng([seed, len(name)])
        nrows, inner, ncols = (int(n) for n in rng.choice([1, 3, 5, 40], 3))
        a, host_a = in_form(slow_engine, rng, (nrows, inner), op.binaryop.type.np_type, forms[0])
        b, host_b = in_form(slow_engine, rng, (inner, ncols), op.binaryop.type2.np_type, forms[1])
        mask, host_mask = None, None
        if seed % 3:
            given = in_form(slow_engine, rng, (nrows, ncols), "int8", str(rng.choice(["sparse", "bitmap", "full"])))
            kind = bool(rng.integers(2)), bool(rng.integers(2))
            mask, host_mask = (MaskView(store, *kind) for store in given)
        pattern = name == "any_pair" or (host_a.iso and host_b.iso and op.monoid.is_idempotent)
        if strategy == "mxm.bits" and not pattern:
            continue
        result = slow_engine.mxm.mxm(a, b, op, mask, plan=Plan(strategy, ""))
        found = to_memory(result, slow_engine.to_host)
        expected = Definitions().mxm(host_a, host_b, op, host_mask, plan=Plan("", ""))
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        assert found.dtype == expected.dtype
        assert found.nvals == expected.nvals
        if not op.monoid.any_value:
            values, wanted = (np.broadcast_to(x.values, x.nvals) for x in (found, expected))
            np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-4)
