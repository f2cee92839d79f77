"""``c<m>[positions] (accum)= value`` with positions on the device: kernels of CUDA against the definitions."""

import numpy as np
import pytest
from emulated_engine import SLOW_ENGINES, engine_fixture
from random_objects import SIZE, SMALL_KINDS, definitions, same, small_vector

from grblas_gpu import binary
from grblas_gpu.backends.stores.storage import MaskView, VectorStore
from grblas_gpu.exceptions import InvalidValue

POSITIONS = np.random.default_rng(2).permutation(SIZE)[:12]
VALUES = ["scalar", "sparse", "bitmap", "full", "iso full", "empty"]
MASKS = [None, ("sparse", True, True), ("bitmap", False, False), ("full", False, True)]


engine = engine_fixture("engine")
thorough = engine_fixture("engine", params=SLOW_ENGINES)


def given(kind: str, dtype, seed: int):
    """What is assigned to the positions."""
    vector = small_vector(kind.replace("scalar", "full"), dtype, seed, len(POSITIONS))
    return vector.values[0] if kind == "scalar" else vector


def check(engine, c_kind: str, kind: str, mask, accum, replace: bool, positions=POSITIONS) -> None:
    c, value = small_vector(c_kind, np.float32, 3), given(kind, np.float32 if accum is None else np.int16, 5)
    view = None if mask is None else MaskView(small_vector(mask[0], np.int8, 9), *mask[1:])
    wanted = definitions.assign(c.copy(), value, (positions,), view, accum, replace, False)
    before, on_device, index, there = map(engine.there, (c, value, positions, view))
    result = engine.engine.CudaBackend().assign(before, on_device, (index,), there, accum, replace, False)
    same(engine.here(result), wanted)
    if result is not before and kind != "scalar":
        same(engine.here(before), c)  # what was there before is as it was


@pytest.mark.parametrize("c_kind", SMALL_KINDS)
@pytest.mark.parametrize("kind", VALUES)
def test_regions(thorough, c_kind: str, kind: str) -> None:
    turn = SMALL_KINDS.index(c_kind) + VALUES.index(kind)
    accums = None, binary.minus["FP64"]
    everything = thorough.name == "gpu"
    for mask in MASKS if everything else MASKS[turn % len(MASKS) :][:1]:
        for accum in accums if everything else accums[turn // 2 % 2 :][:1]:
            check(thorough, c_kind, kind, mask, accum, bool(turn % 2))


@pytest.mark.parametrize(("c_kind", "kind"), [("sparse", "full"), ("bitmap", "sparse")])
def test_some_regions(engine, c_kind: str, kind: str) -> None:
    check(engine, c_kind, kind, None, None, False)
    check(engine, c_kind, kind, MASKS[1], None, True)


def test_repeated_positions_are_combined(engine) -> None:
    """By the definitions: what is given to one position several times is added up."""
    repeated = POSITIONS.copy()
    repeated[3] = repeated[7]
    check(engine, "sparse", "full", None, binary.plus["FP32"], False, repeated)
    operands = small_vector("sparse", np.float32, 3), given("full", np.float32, 5), repeated
    c, value, index = map(engine.there, operands)
    with pytest.raises(InvalidValue, match="more than once"):
        engine.engine.CudaBackend().assign(c, value, (index,), None, None, False, False)


def test_an_index_of_one_value_is_a_position_for_each(engine) -> None:
    """Kernels go from a position to the next one in memory: after a single one there is anything."""
    backend = engine.engine.CudaBackend()
    index = VectorStore(len(POSITIONS), np.full(1, 3, np.int64))
    positions, there = backend.positions(engine.there(index), SIZE)
    assert there is None and positions.strides == (8,)
    check(engine, "full", "full", None, binary.plus["FP32"], False, engine.to_host(positions))
