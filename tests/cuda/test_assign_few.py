"""``c<m>[positions] (accum)= value`` with a few positions: the CUDA engine's kernel against the definitions."""

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import SIZE, SMALL_KINDS, definitions, same, small_vector

from grblas_gpu import binary
from grblas_gpu.backends.stores.storage import HostList, MaskView, VectorStore

POSITIONS = [7, 3, SIZE - 1, 0, 4, 12, 9, 5, 20, 21]
ACCUMS = [None, binary.minus["FP64"], binary.gt["INT64"], binary.second["INT64"]]
MASKS = [
    (kind, structure, complement)
    for kind in ("sparse", "bitmap", "full", "empty")
    for structure in (True, False)
    for complement in (True, False)
]


engine = engine_fixture("eager.assign_few")
thorough = engine_fixture("eager.assign_few", params=SLOW_ENGINES)


def check(engine, c: VectorStore, value, few: list[int], view=None, *how) -> VectorStore:
    """The kernel's result, twice: its count is still on the device when it is read again."""
    accum, replace, submask = how or (None, False, False)
    wanted, (result, given, there) = c, map(engine.there, (c, value, view))
    plain = VectorStore.empty(len(few), c.dtype) if value is None else value
    for _ in range(2):
        wanted = definitions.assign(wanted.copy(), plain, (np.array(few),), view, accum, replace, submask)
        result = engine.assign_few.assign_few(result, given, few, there, accum, replace, submask)
    same(engine.here(result), wanted)
    return result


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_scalar(engine, kind: str) -> None:
    """Some of the positions twice, and as many as a launch can tell; values of another type."""
    for dtype in [np.int64, np.float32, bool] if engine.name == "gpu" else [np.float32]:
        c, value = small_vector(kind, dtype, 4), np.dtype(dtype).type(1)
        check(engine, c, value, [SIZE - 1, 0, 3, 3])
        check(engine, c, value, list(range(5, 5 + engine.assign_few.MOST_FEW)))
    check(engine, small_vector(kind, np.float32, 5), np.int64(7), POSITIONS)


def test_what_an_empty_vector_is_given_stays_on_the_host(engine) -> None:
    empty = engine.there(small_vector("empty", np.float64, 1))
    found = engine.assign_few.assign_few(empty, np.float64(2), [5, 3, 5], None, None, False, False)
    assert isinstance(found.pending, HostList)
    np.testing.assert_array_equal(found.pending.on_host.indices, [3, 5])


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_deletion(engine, kind: str) -> None:
    check(engine, small_vector(kind, np.int64, 6), None, [3, 0, 3, 17])


@pytest.mark.parametrize("given", ["scalar", "sparse", "bitmap", "full", "empty"])
@pytest.mark.parametrize("accum", range(len(ACCUMS)))
def test_accumulators(thorough, given: str, accum: int) -> None:
    value = np.float32(2.5) if given == "scalar" else small_vector(given, np.int16, 3, len(POSITIONS))
    for kind in SMALL_KINDS if thorough.name == "gpu" else [SMALL_KINDS[(accum + len(given)) % len(SMALL_KINDS)]]:
        check(thorough, small_vector(kind, np.int64, 8), value, POSITIONS, None, ACCUMS[accum], False, False)


@pytest.mark.parametrize("submask", [False, True])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("number", range(len(MASKS)))
def test_masks(thorough, number: int, replace: bool, submask: bool) -> None:
    check_mask(thorough, number, replace, submask)


@pytest.mark.parametrize(("number", "replace", "submask"), [(1, False, False), (6, True, False), (3, True, True)])
def test_some_masks(engine, number: int, replace: bool, submask: bool) -> None:
    check_mask(engine, number, replace, submask)


def check_mask(engine, number: int, replace: bool, submask: bool) -> None:
    kind, structure, complement = MASKS[number]
    store = small_vector(kind, np.int8, 2, len(POSITIONS)) if submask else small_vector(kind, np.int8, 9)
    view = MaskView(store, structure, complement)
    values = [
        np.float64(3),
        small_vector("bitmap", np.float64, 5, len(POSITIONS)),
        small_vector("full", np.float64, 5, len(POSITIONS)),
    ]
    for turn, value in enumerate(values):
        if engine.name == "gpu" or turn == number % 3:
            accum = ACCUMS[(number + turn) % 2]
            c = small_vector(SMALL_KINDS[(number + turn) % len(SMALL_KINDS)], np.float64, 4)
            check(engine, c, value, POSITIONS, view, accum, replace, submask)


def test_a_vector_may_be_its_own_mask_and_value(engine) -> None:
    c = small_vector("bitmap", np.int64, 3)
    few = list(range(SIZE))[:16]
    mine = VectorStore(16, c.values[:16].copy(), present=c.present[:16].copy())
    wanted = definitions.assign(
        mine.copy(), mine.copy(), (np.arange(16)[::-1],), MaskView(mine.copy(), True, True), None, False, False
    )
    there = engine.there(mine)
    found = engine.assign_few.assign_few(there, there, few[::-1], MaskView(there, True, True), None, False, False)
    same(engine.here(found), wanted)


def test_what_is_left_to_others(engine) -> None:
    """More positions than a launch can tell, and values for a position that is named twice."""
    c = engine.there(small_vector("bitmap", np.int64, 3))
    plain = (None, None, False, False)
    assign_few, most = engine.assign_few.assign_few, engine.assign_few.MOST_FEW
    assert assign_few(c, np.int64(1), list(range(most + 1)), *plain) is None
    assert assign_few(c, np.int64(1), [], *plain) is None
    assert assign_few(c, np.int64(1), [1, 1], None, binary.plus["INT64"], False, False) is None
    assert assign_few(c, engine.there(small_vector("full", np.int64, 1, 2)), [1, 1], *plain) is None
    assert assign_few(c, np.complex128(1), [1], None, binary.plus["FC64"], False, False) is None
