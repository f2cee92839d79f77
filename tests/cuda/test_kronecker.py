"""The kernel that makes the edges of Kronecker graphs, against the array code that it stands for.

On a GPU where there is one; otherwise the kernel runs in an emulation.
"""

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.backends import registry as backends
from grblas_gpu.generators import structure
from grblas_gpu.generators.kronecker_graphs import Recipe, kronecker_keys, quadrant_limits
from grblas_gpu.generators.randomness import Stream

RECIPES = {
    "graph500": (6, 5, 1, (0.57, 0.19, 0.19)),
    "odd scale, negative seed": (7, 3, -4, (0.57, 0.19, 0.19)),
    "flat": (5, 9, 2**63 + 5, (0.25, 0.25, 0.25)),
    "one quadrant": (4, 3, 3, (0.0, 1.0, 0.0)),
    "two vertices": (1, 40, 2, (0.25, 0.25, 0.25)),
    "one vertex": (0, 3, 1, (0.57, 0.19, 0.19)),
    "no edges": (3, 0, 1, (0.57, 0.19, 0.19)),
}


@pytest.fixture(params=ENGINES)
def device(request, monkeypatch):
    with loaded(request.param, monkeypatch, "engine", "eager.kronecker") as found:
        if request.param != "gpu":
            monkeypatch.setitem(backends._engines, "cuda", found.engine.CudaBackend())
        yield found


def recipe_of(name: str) -> Recipe:
    scale, factor, seed, quadrants = RECIPES[name]
    permutation = Stream(seed, 1).permutation(1 << scale, np.zeros(0)).astype(np.uint32)
    return Recipe(scale, factor << scale, seed, quadrant_limits(*quadrants), permutation)


def keys_on(device, recipe: Recipe, low: int, high: int, room: int) -> tuple[int, list[int]]:
    """How many keys the kernel finds, and those for which there was room, in order; nothing else is written."""
    there = recipe._replace(permutation=device.to_device(recipe.permutation))
    keys = device.to_device(np.full(room + 3, structure.NOTHING))
    found = device.kronecker.kronecker_keys(there, low, high, keys[:room])
    written = device.to_host(keys)
    assert (written[min(found, room) :] == structure.NOTHING).all()
    return found, sorted(written[: min(found, room)].tolist())


@pytest.mark.parametrize("name", RECIPES)
def test_the_kernel_finds_what_the_definition_finds(device, name):
    recipe = recipe_of(name)
    n, most = 1 << recipe.scale, 2 * recipe.edges
    for low, high in {(0, n), (0, n // 2), (n // 3, n // 2 + 1), (n - 1, n)}:
        keys = np.full(most, structure.NOTHING)
        found = kronecker_keys(recipe, low, high, keys)
        assert keys_on(device, recipe, low, high, most) == (found, sorted(keys[:found].tolist()))


@pytest.mark.parametrize("room", [0, 1, 100])
def test_what_has_no_room_is_counted(device, room):
    recipe = recipe_of("graph500")
    keys = np.empty(2 * recipe.edges, np.uint64)
    found = kronecker_keys(recipe, 10, 50, keys)
    count, written = keys_on(device, recipe, 10, 50, room)
    assert count == found > len(written) == room
    assert set(written) <= set(keys[:found].tolist())
    short = keys[:room].copy()
    assert kronecker_keys(recipe, 10, 50, short) == found  # the definition counts on, too


@pytest.mark.parametrize("at_once", [2**29, 300, 40])
def test_the_engine_makes_the_same_graph(device, monkeypatch, at_once):
    rows, cols, n = generators.kronecker_edges(7, 5, seed=3)
    monkeypatch.setattr(structure, "HOST_KEYS", at_once)  # of the emulation
    monkeypatch.setattr(structure, "DEVICE_KEYS", at_once)
    with gb.using("cuda"):
        store = generators.kronecker(7, 5, seed=3)._store
    assert (store.nrows, store.nvals, store.indices.dtype) == (n, len(cols), np.int32)
    np.testing.assert_array_equal(np.diff(device.to_host(store.indptr)), np.bincount(rows, minlength=n))
    np.testing.assert_array_equal(device.to_host(store.indices), cols)
