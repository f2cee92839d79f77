"""Kernels for a sparse matrix times a dense one, on plain arrays, against NumPy and the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

import numpy as np
import pytest
from emulated_engine import GPU, SLOW_ENGINES, engine_fixture
from mxm_cases import moved
from mxv_cases import SEMIRINGS
from random_objects import random_matrix, random_values, same_product

from grblas_gpu.backends.forms.dense_products import EVERYWHERE, INSIDE, OUTSIDE, Allowed, Side, Words
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.matrix_forms import moved as to_memory, with_form
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, column_type
from grblas_gpu.plan.rules import Plan

MODULES = ("eager.bits", "eager.spmm", "eager.mxm")
NAMES = ["plus_times", "any_pair", "min_plus uint16", "any_second", "plus_firsti1"]


engine = engine_fixture(*MODULES)
slow_engine = engine_fixture(*MODULES, params=SLOW_ENGINES)


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
        packed = engine.bits.scatter(moved(a, engine.to_device, np.int32), by_columns, valued)
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
    result = engine.bits.unions(moved(a, engine.to_device, np.int32), words, Allowed(where, side if where else None))
    np.testing.assert_array_equal(engine.to_host(result.words), bits_of(expected))


def bitmap(engine, values: np.ndarray, present: np.ndarray, iso: bool = False) -> MatrixStore:
    stored = values.reshape(-1)[:1] if iso else values.reshape(-1)
    arrays = engine.to_device(np.ascontiguousarray(present).reshape(-1)), engine.to_device(stored)
    return MatrixStore.bitmap(*values.shape, *arrays, int(present.sum()))


def in_form(engine, rng: np.random.Generator, shape: tuple[int, int], dtype, form: str):
    """A random matrix on the device, and the same on the host."""
    host = skewed_matrix(rng, *shape, dtype)
    if form == "full":
        iso = rng.random() < 0.3
        host = MatrixStore.full(*shape, random_values(rng, 1 if iso else shape[0] * shape[1], np.dtype(dtype)))
    elif form == "bitmap":
        host = with_form(host, form)
    elif rng.random() < 0.3:
        host.values = host.values[:1].copy()
    store = to_memory(host, engine.to_device)
    if form == "sparse":
        store = moved(host, engine.to_device, rng.choice([np.int32, INDEX]))
        store._transpose = to_memory(host.transposed(), engine.to_device)
    return store, host


FORMS = ["sparse bitmap", "bitmap sparse", "full full", "sparse full", "full sparse", "sparse sparse"]
#: Rows, inner positions and columns; whether there is a mask, and whether operands are cast.
TRIALS = [
    ((60, 50, 1), False, False),
    ((1, 40, 67), True, False),
    ((40, 3, 130), True, True),
    ((60, 50, 64), True, False),
    ((67, 5, 6), True, True),
    ((130, 40, 3), False, True),
]


@pytest.mark.parametrize("strategy", ["mxm.spmm", "mxm.bits"])
@pytest.mark.parametrize("forms", FORMS)
@pytest.mark.parametrize("name", list(SEMIRINGS) if GPU else NAMES)
def test_whole_products(slow_engine, monkeypatch, name, forms, strategy):
    """Rows in many chunks, with and without a mask, with operands of other types, and one value for all."""
    monkeypatch.setattr(slow_engine.spmm, "LEAST_CHUNK", 8)
    monkeypatch.setattr(slow_engine.spmm, "MOST_CHUNKS", 1000)
    op = SEMIRINGS[name]
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    for seed, ((nrows, inner, ncols), masked, cast) in enumerate(TRIALS):
        rng = np.random.default_rng([seed, len(name)])
        given = (np.dtype(np.float32), np.dtype(np.int16)) if cast else types
        a, host_a = in_form(slow_engine, rng, (nrows, inner), given[0], forms.split()[0])
        b, host_b = in_form(slow_engine, rng, (inner, ncols), given[1], forms.split()[1])
        mask, host_mask = None, None
        if masked:
            both = in_form(slow_engine, rng, (nrows, ncols), "int8", str(rng.choice(["sparse", "bitmap", "full"])))
            kind = bool(rng.integers(2)), bool(rng.integers(2))
            mask, host_mask = (MaskView(store, *kind) for store in both)
        pattern = name == "any_pair" or (host_a.iso and host_b.iso and op.monoid.is_idempotent)
        if strategy == "mxm.bits" and not pattern:
            continue
        result = slow_engine.mxm.mxm(a, b, op, mask, plan=Plan(strategy, ""))
        expected = Definitions().mxm(host_a, host_b, op, host_mask, plan=Plan("", ""))
        found = to_memory(result, slow_engine.to_host)
        same_product(found, expected, op)
        if op.monoid.any_value:
            assert set(found.values.tolist()) <= {*host_b.values.astype(found.dtype).tolist(), 1}
