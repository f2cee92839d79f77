"""The sort of the CUDA engine against NumPy's: on a GPU where there is one, otherwise in an emulation."""

import emulated_cupy
import numpy as np
import pytest
from emulated_engine import engine_fixture

from grblas_gpu.backends.cuda.runtime import compile as cuda

engine = engine_fixture("eager.radix")


def random_keys(seed: int, count: int, bits: int, dtype) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2**bits, count, np.uint64).astype(dtype)


@pytest.mark.parametrize("count, bits", [(0, 5), (1, 1), (1000, 9), (5000, 1), (20_000, 17), (40_000, 8)])
def test_keys_alone(engine, count, bits):
    keys = random_keys(count, count, bits, np.uint32)
    for overwrite in (False, True):
        given = engine.to_device(keys.copy())
        assert np.array_equal(engine.radix.sort(given, None, bits, overwrite=overwrite)[0].get(), np.sort(keys))
        assert overwrite or np.array_equal(given.get(), keys)


@pytest.mark.parametrize(
    "dtype, bits, payload",
    [
        (np.int32, 13, np.float32),
        (np.int64, 40, np.uint8),
        (np.int64, 40, np.float64),
        pytest.param(np.int32, 13, np.uint8, marks=pytest.mark.slow),
        pytest.param(np.int32, 13, np.float64, marks=pytest.mark.slow),
        pytest.param(np.int64, 40, np.float32, marks=pytest.mark.slow),
    ],
)
def test_a_payload_keeps_the_order_of_equal_keys(engine, dtype, bits, payload):
    for count in (700, 9000):
        keys = random_keys(bits, count, bits, dtype) >> 3 << 3  # with equal ones among them
        values = np.arange(count).astype(payload)
        order = np.argsort(keys, kind="stable")
        found = engine.radix.sort(engine.to_device(keys.copy()), engine.to_device(values.copy()), bits)
        assert found[0].dtype == dtype
        assert np.array_equal(found[0].get(), keys[order])
        assert np.array_equal(found[1].get(), values[order])
        given = engine.to_device(keys.copy()), engine.to_device(values.copy())
        found = engine.radix.sort(*given, bits, overwrite=True)
        assert np.array_equal(found[1].get(), values[order])


@pytest.mark.parametrize("bits, lower_bits", [(5, 5), (14, 6), (20, 20)])
@pytest.mark.parametrize("payload", [None, np.float32])
@pytest.mark.parametrize("count", [900, 9000])
def test_keys_of_two_numbers_are_taken_apart(engine, bits, lower_bits, payload, count):
    radix = engine.radix
    keys = random_keys(bits, count, bits + 9, np.uint64)
    lower = keys & np.uint64(2**bits - 1)
    order = np.argsort(lower, kind="stable")
    work = radix.Work(count, bits, counted=True)
    digits = work.given[2][8 : 8 + 8 * 256].reshape(8, 256)  # as in kernels/radix_digits.cuh
    for number in range(work.passes):
        shift, width = number * work.given[1], min(work.given[1], bits - number * work.given[1])
        found = np.bincount((lower >> np.uint64(shift)).astype(int) & (2**width - 1), minlength=256)
        digits[number] = engine.to_device(found.astype(np.uint32))
    values = None if payload is None else engine.to_device(np.arange(count).astype(payload))
    types = np.dtype(np.int64), np.dtype(np.int32)
    high, low, moved = radix.sort_apart(engine.to_device(keys.copy()), values, bits, lower_bits, *types, work)
    assert low.dtype == np.int32 and high.dtype == np.int64
    assert np.array_equal(low.get(), keys[order] & np.uint64(2**lower_bits - 1))
    assert np.array_equal(high.get(), keys[order] >> np.uint64(lower_bits))
    assert values is None or np.array_equal(moved.get(), order.astype(payload))


@pytest.mark.parametrize("value", [0, 3, 300])
def test_equal_keys_stay_as_they_are(engine, value):
    keys = np.full(9000, value, np.uint32)
    found, positions = engine.radix.sort_positions(engine.to_device(keys.copy()), 12)
    assert np.array_equal(found.get(), keys)
    assert np.array_equal(positions.get(), np.arange(9000))


@pytest.mark.parametrize("capacity", [4000, 30_000])
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_the_device_knows_how_many(engine, capacity, count):
    keys = random_keys(2, capacity, 20, np.uint32)
    number = engine.to_device(np.array([count]))
    found = engine.radix.sort(engine.to_device(keys.copy()), None, 20, count=number)[0].get()
    assert np.array_equal(found[:count], np.sort(keys[:count]))
    equal = engine.to_device(np.full(capacity, 5, np.uint32))
    assert np.array_equal(engine.radix.sort(equal, None, 3, count=number)[0].get()[:count], np.full(count, 5))


LOOKING = """
extern "C" __global__ void look_back_kernel(Place* notes, int64 tiles, Place* before) {
    for_own_digits({0, 8}, [&](int d) { before[d] = look_back(notes + tiles * MOST_DIGITS, tiles, d, Place(7)); });
}
"""


@pytest.mark.emulated
@pytest.mark.parametrize("tiles", [0, 1, 7, 8, 9, 40])
def test_a_tile_adds_up_what_those_before_it_noted(tiles):
    """Tiles of one block see their predecessors finished; those of others do not, which needs a GPU or such notes."""
    pieces = [cuda.using(name, np.dtype(np.uint32)) for name in ("Key", "Payload", "Place")]
    pieces.append(cuda.constant("SORTERS", 256))
    text = cuda.render("radix_sort.cuh", [*pieces, cuda.constant("HAS_PAYLOAD", False)]) + LOOKING
    program = emulated_cupy.RawModule(code=text)
    rng = np.random.default_rng(tiles)
    counts = rng.integers(0, 3000, (tiles, 256), np.uint32)
    finished = rng.integers(0, max(tiles, 1), 256) * (np.arange(256) > 9)  # the last tile that is; or the first
    order = np.arange(tiles)[:, None]
    notes = np.where(order > finished, counts | 1 << 30, counts.cumsum(0) | 1 << 31)
    notes = np.where(order < finished, 0, notes).astype(np.uint32)  # never read
    notes, before = np.vstack([notes, np.zeros((1, 256), np.uint32)]), np.zeros(256, np.uint32)
    program.get_function("look_back_kernel")((1,), (emulated_cupy.THREADS,), (notes, tiles, before))
    assert np.array_equal(before, counts.sum(0))
    assert np.array_equal(notes[tiles], counts.sum(0) + 7 | 1 << 31)
