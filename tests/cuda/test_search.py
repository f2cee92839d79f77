"""A rank's part of a search on the CUDA engine next to the CPU engine's, level by level."""

import ctypes
import gc
import importlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from emulated_engine import ENGINES, engine_fixture, moved

from grblas_gpu.backends.cpu.search import CpuSearch
from grblas_gpu.backends.mpi.search_layout import Layout
from grblas_gpu.backends.stores.storage import MatrixStore

engine = engine_fixture("search")


def test_parts_are_collected(engine):
    random = np.random.default_rng(3)
    parts = [engine.to_device(random.integers(0, 256, 2 * 136, np.uint8)) for _ in range(3)]
    places = engine.to_device(np.array([part.data.ptr for part in parts], np.uint64))
    for first in (0, 136):
        target = engine.to_device(np.zeros(3 * 136, np.uint8))
        engine.search.collect(places, first, 136, target)
        wanted = np.concatenate([engine.to_host(part)[first : first + 136] for part in parts])
        assert np.array_equal(engine.to_host(target), wanted)


def block(n: int, low: int, high: int, entries: int, seed: int) -> tuple[MatrixStore, np.ndarray]:
    """All rows and some columns of a random matrix with a few long rows, and how many entries its rows have."""
    random = np.random.default_rng(seed)
    rows = np.concatenate([random.integers(0, n, entries), np.repeat(random.integers(0, n, 3), n)])
    columns = np.concatenate([random.integers(0, n, entries), np.tile(np.arange(n), 3)])
    keys = np.unique(rows * n + columns)
    rows, columns = keys // n, keys % n
    mine = (columns >= low) & (columns < high)
    indptr = np.searchsorted(rows[mine], np.arange(n + 1))
    part = MatrixStore(n, high - low, indptr, (columns[mine] - low).astype(np.int32), np.ones(1, bool))
    return part, np.bincount(rows, minlength=n)


@pytest.mark.parametrize("bounds, rank", [([0, 400], 0), ([0, 301, 900, 901], 1), ([0, 7, 7, 600], 2)])
def test_levels(engine, bounds, rank):
    n, low, high = bounds[-1], bounds[rank], bounds[rank + 1]
    layout = Layout(bounds, rank)
    part, degrees = block(n, low, high, 3 * n, seed=n)
    here = degrees[low:high].copy()
    mine = CpuSearch(part, layout, degrees, here)
    move = engine.to_device
    other = engine.search.CudaSearch(moved(part, move), layout, move(degrees), move(here))
    random = np.random.default_rng(1)
    out, out_there = np.zeros(layout.length, np.uint8), move(np.zeros(layout.length, np.uint8))
    for source in (low, 0):
        assert mine.begin(source, out) == other.begin(source, out_there)
        found = 1 if low <= source < high else 0
        for turn, direction in enumerate(("push", "pull", "push", "pull")):
            bits = np.zeros(layout.ranks * layout.stride, bool)
            bits[random.choice(layout.positions(), 1 + 4 * turn, replace=False)] = True
            frontier = np.packbits(bits, bitorder="little")
            counts = getattr(mine, direction)(frontier, out)
            assert counts == getattr(other, direction)(move(frontier), out_there)
            assert np.array_equal(out, engine.to_host(out_there))
            found += counts[0]
        assert found > 1
        results = [mine.result(found), other.result(found)]
        present = results[0].present
        assert np.array_equal(present, engine.to_host(results[1].present))
        assert np.count_nonzero(present) == found
        # Any vertex of the frontier may be the parent that was found first: what counts is that the edge exists.
        edges = set(zip(np.repeat(np.arange(n), np.diff(part.indptr)).tolist(), part.indices.tolist(), strict=True))
        for result in results:
            parents = engine.to_host(result.values) if result is results[1] else result.values
            for v in np.flatnonzero(present).tolist():
                assert (int(parents[v]), v) in edges or int(parents[v]) == v + low == source


def test_one_launch_for_the_parts_of_several_ranks(engine):
    bounds = [0, 301, 901, 902, 1100]
    n, ranks = bounds[-1], len(bounds) - 1
    layouts = [Layout(bounds, rank) for rank in range(ranks)]
    length, move = layouts[0].length, engine.to_device
    mine, parts = [], []
    for layout in layouts:
        low, high = bounds[layout.rank], bounds[layout.rank + 1]
        part, degrees = block(n, low, high, 4 * n, seed=5)
        mine.append(CpuSearch(part, layout, degrees, degrees[low:high].copy()))
        parts.append(engine.search.CudaSearch(moved(part, move), layout, move(degrees), move(degrees[low:high].copy())))
    together = engine.search.Steps([each.part for each in parts], layouts[0], 0)
    random = np.random.default_rng(4)
    out, out_there = np.zeros(ranks * length, np.uint8), move(np.zeros(ranks * length, np.uint8))
    places = [slice(rank * length, (rank + 1) * length) for rank in range(ranks)]
    for source in (901, 700):
        counts = [each.begin(source, out[place]) for each, place in zip(mine, places, strict=True)]
        assert tuple(np.sum(counts, axis=0)) == together.begin(source, out_there)
        found = np.array([count for count, _ in counts])
        for turn, direction in enumerate(("push", "pull", "pull", "push")):
            bits = np.zeros(ranks * layouts[0].stride, bool)
            bits[random.choice(layouts[0].positions(), 1 + 3 * turn, replace=False)] = True
            frontier = np.packbits(bits, bitorder="little")
            counts = [getattr(each, direction)(frontier, out[place]) for each, place in zip(mine, places, strict=True)]
            assert tuple(np.sum(counts, axis=0)) == getattr(together, direction)(move(frontier), out_there)
            assert np.array_equal(out, engine.to_host(out_there))
            found += [count for count, _ in counts]
        for each, other, count in zip(mine, parts, found.tolist(), strict=True):
            tree = other.result(None)
            assert tree.nvals == count
            assert np.array_equal(each.result(count).present, engine.to_host(tree.present))


@pytest.mark.parametrize("engine", ENGINES[1:], indirect=True)
def test_rank_0_launches_the_steps_of_all(engine, monkeypatch):
    """Searches by one rank in the memory of all, which is opened here as if it were another process's."""
    for name in ("cuda_ipc", "single_launcher"):
        monkeypatch.delitem(sys.modules, f"grblas_gpu.backends.mpi.{name}", raising=False)
    launcher = importlib.import_module("grblas_gpu.backends.mpi.single_launcher")
    ipc = importlib.import_module("grblas_gpu.backends.mpi.cuda_ipc")
    closed: list[int] = []
    monkeypatch.setattr(ipc, "_allocation", lambda address: address - address % 4096)
    monkeypatch.setattr(launcher, "patience", lambda wire: 0)
    monkeypatch.setattr(launcher, "Window", lambda *given: SimpleNamespace(allgather=lambda numbers: []))
    monkeypatch.setattr(ipc, "cupy", opening_cupy(ipc.cupy))
    known = SimpleNamespace(
        ipcGetMemHandle=lambda base: base.to_bytes(8, "little"),
        ipcOpenMemHandle=lambda handle, flags: int.from_bytes(handle, "little"),
        ipcCloseMemHandle=closed.append,
    )
    for module in (ipc, launcher):
        monkeypatch.setattr(module, "runtime", known)
    bounds = [0, 120, 120, 301, 420]  # a rank without vertices
    n, layouts, move = bounds[-1], [Layout(bounds, rank) for rank in range(4)], engine.to_device
    own, edges = [], set()
    for layout in layouts:
        low, high = bounds[layout.rank], bounds[layout.rank + 1]
        part, degrees = block(n, low, high, n // 2, seed=8)
        rows = np.repeat(np.arange(n), np.diff(part.indptr)).tolist()
        edges |= set(zip(rows, (part.indices + low).tolist(), strict=True))
        here = move(degrees[low:high].copy())
        own.append(engine.search.CudaSearch(moved(part, move), layout, move(degrees), here))
    told = [([], ipc.handles_of(each.part)) for each in own]
    wires = [SimpleNamespace(rank=rank, size=4, gather_objects=lambda mine: told) for rank in range(4)]
    groups = [launcher.SingleLauncher(wire) for wire in wires]
    searches = [group.search(layout, each) for group, layout, each in zip(groups, layouts, own, strict=True)]
    lead = searches[0]
    for source in (125, 3):
        assert [each.begin(source, each.mine(0))[0] for each in searches] == [1, 0, 0, 0]
        count, turn = 1, 0
        while count:
            turn = 1 - turn
            step = lead.pull if count > 20 else lead.push
            count, _ = step(lead.all(1 - turn), lead.mine(turn))
        trees = [each.result(0) for each in searches]
        assert all(tree.known_nvals == np.count_nonzero(tree.present) for tree in trees)
        wanted, new = {source}, {source}
        while new:
            new = {v for u, v in edges if u in new} - wanted
            wanted |= new
        found = {
            low + v for low, tree in zip(bounds, trees, strict=False) for v in np.flatnonzero(tree.present).tolist()
        }
        assert found == wanted
        for low, tree in zip(bounds, trees, strict=False):
            for v in np.flatnonzero(tree.present).tolist():
                assert (int(tree.values[v]), low + v) in edges or low + v == source == tree.values[v]
    del lead, searches, step
    gc.collect()
    assert closed  # the other ranks free memory that is no longer used
    told = [(groups[0]._closed.copy(), None)] * 4
    assert [group.search(layout, each) for group, layout, each in zip(groups, layouts, own, strict=True)] == [None] * 4
    assert all(not group._shared for group in groups)


def opening_cupy(cupy):
    """CuPy with arrays at addresses."""

    def array_at(shape: tuple[int], dtype: np.dtype, address: int) -> np.ndarray:
        memory = (ctypes.c_uint8 * (shape[0] * dtype.itemsize)).from_address(address)
        return (
            np.frombuffer(memory, dtype, shape[0]).view(cupy.ndarray)
            if shape[0]
            else np.zeros(0, dtype).view(cupy.ndarray)
        )

    at = {"UnownedMemory": lambda at, size, owner: at, "MemoryPointer": lambda at, offset: at + offset}
    cuda = SimpleNamespace(**{**vars(cupy.cuda), **at})
    return SimpleNamespace(**{**vars(cupy), "cuda": cuda, "ndarray": array_at})
