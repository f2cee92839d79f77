"""The asynchronous pull of the CUDA engine: one pass of a kernel, against what rows may see of each other.

On a GPU where there is one; otherwise the kernel runs in an emulation, which shows that it computes the right thing.
"""

from __future__ import annotations

import numpy as np
import pytest
from checkers import serial_bfs
from emulated_engine import engine_fixture, moved
from graphs import TRAPS
from random_objects import random_matrix, random_vector

from grblas_gpu import generators, semiring
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import MaskView, MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

MODULES = ("eager.mxv_pull", "eager.vectors", "runtime.workspace")
SEMIRINGS = {
    "min_plus": (semiring.min_plus["INT64"], 3),
    "min_plus fp32": (semiring.min_plus["FP32"], 2),
    "max_min": (semiring.max_min["INT8"], 60),
    "max_first": (semiring.max_first["UINT16"], 90),
    "lor_land": (semiring.lor_land["BOOL"], True),
    "min_secondi": (semiring.ss.min_secondi["INT64"], 4),
}


engine = engine_fixture(*MODULES)


def levels_after_each_pass(engine, a: MatrixStore, source: int) -> list[dict[int, int]]:
    """A search of asynchronous pulls only."""
    on_device = moved(a, engine.to_device)
    on_device._transpose = moved(a.transposed(), engine.to_device)
    levels = moved(VectorStore(a.nrows, np.zeros(1, np.int64), indices=np.array([source])), engine.to_device)
    step = semiring.min_plus["INT64"]
    found = [{source: 0}]
    for depth in range(1, a.nrows + 2):
        gaps = MaskView(levels, True, True)
        t = engine.mxv_pull.pull_in_place(on_device, levels, step, gaps, transposed=True, flip=True, final=depth)
        levels = engine.vectors.fill_gaps(levels, t)
        keys, values = entries(moved(levels, engine.to_host))
        found.append(dict(zip(keys.tolist(), values.tolist(), strict=True)))
        if found[-1] == found[-2]:
            break
    return found


def graphs() -> dict[str, MatrixStore]:
    found = {name: trap.matrix()._store for name, trap in TRAPS.items()}
    found["path"] = generators.path(70)._store
    found["kronecker"] = generators.kronecker(8, 4, seed=2).pattern()._store
    return found


@pytest.mark.parametrize("name", [*TRAPS, "path", "kronecker"])
def test_the_lemma_holds_after_every_pass(engine, name):
    a = graphs()[name]
    if not a.iso:
        a = MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, np.ones(1, np.int64))
    rows = np.repeat(np.arange(a.nrows), np.diff(a.indptr))
    source = int(rows[0])
    expected = serial_bfs(rows, a.indices, a.nrows, source)
    passes = levels_after_each_pass(engine, a, source)
    for depth, now in enumerate(passes):
        assert {vertex: expected[vertex] for vertex in now} == now
        assert {vertex for vertex, level in expected.items() if level <= depth} <= now.keys()
        assert max(now.values()) <= depth + 1
    assert passes[-1] == expected
    if name == "path" and engine.name == "emulated":
        assert len(passes) < 71  # rows of a warp look at the same time, but the next warp sees what they settled


@pytest.mark.parametrize("kind", ["sparse", "bitmap", "full"])
@pytest.mark.parametrize("name", SEMIRINGS)
def test_values_lie_between_what_no_row_and_every_row_sees(engine, name, kind):
    """As the operand alone gives them, or improved by rows of the same pass that reached the final value."""
    op, final = SEMIRINGS[name]
    number = list(SEMIRINGS).index(name) * 3 + ["sparse", "bitmap", "full"].index(kind)
    rng = np.random.default_rng(number)
    size = 150
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    a = random_matrix(rng, size, size, types[0], 0.03)
    a.values = np.abs(a.values)
    u = random_vector(rng, size, kind, types[1], 0.2)
    u.values = np.abs(u.values)
    flags = random_vector(rng, size, ["bitmap", "sparse"][number % 2], bool, 0.6)
    mask = [None, MaskView(flags, True, False), MaskView(u, True, True)][number % 3]
    transposed, flip = bool(number % 2), bool(number // 2 % 2)
    on_device = moved(a, engine.to_device)
    on_device._transpose = moved(a.transposed(), engine.to_device)
    operand = moved(u, engine.to_device)
    given = mask and MaskView(operand if mask.store is u else moved(flags, engine.to_device), True, mask.complement)
    result = engine.mxv_pull.pull_in_place(on_device, operand, op, given, transposed=transposed, flip=flip, final=final)
    result = moved(result, engine.to_host)
    assert result.values.dtype == op.return_type.np_type

    definition = Definitions()
    plan = Plan("pull.thread", "")
    alone = definition.mxv(a, u, op, mask, transposed=transposed, flip=flip, plan=plan)
    keys, values = entries(result)
    settled = VectorStore(size, values[values == final], indices=keys[values == final])
    others = definition.mxv(a, settled, op, mask, transposed=transposed, flip=flip, plan=plan)
    everything = definition.ewise_add(alone, others, op.monoid.binaryop)
    low, high = dense(alone, op), dense(everything, op)
    now = dense(result, op)
    add = op.monoid.binaryop.numpy
    final_rows = now == np.asarray(final, now.dtype)
    np.testing.assert_array_equal(add(low, now)[~final_rows], now[~final_rows])  # at least what the operand gives
    np.testing.assert_array_equal(add(now, high), high)  # and at most what all settled rows add to it
    assert set(entries(alone)[0]) <= set(keys) <= set(entries(everything)[0])
    assert result.nvals == len(keys)


def dense(store: VectorStore, op) -> np.ndarray:
    values = np.full(store.size, op.monoid.identity, op.return_type.np_type)
    keys, found = entries(store)
    values[keys] = found
    return values


@pytest.mark.parametrize("kind", ["sparse", "bitmap", "full", "empty"])
def test_gaps_are_filled_in_place(engine, kind):
    rng = np.random.default_rng(5)
    c = random_vector(rng, 60, "bitmap", np.int64, 0.5)
    c = VectorStore(60, rng.integers(0, 9, 60), present=c.present)
    t = random_vector(rng, 60, "bitmap" if kind == "empty" else kind, np.float32, 0.0 if kind == "empty" else 0.4)
    present = np.ones(60, bool) if t.kind == "full" else np.isin(np.arange(60), entries(t)[0])
    t = VectorStore(60, rng.random(60).astype(np.float32) * 9, present=present & ~c.present)
    t = Definitions().with_kind(t, "sparse") if kind == "sparse" else t
    expected = Definitions().write(c, t, MaskView(c, True, True), None, False, True)
    found = moved(engine.vectors.fill_gaps(moved(c, engine.to_device), moved(t, engine.to_device)), engine.to_host)
    np.testing.assert_array_equal(entries(found)[0], entries(expected)[0])
    np.testing.assert_array_equal(entries(found)[1], entries(expected)[1])
    assert found.nvals == expected.nvals
