"""A rank's part of a search on the CUDA engine next to the CPU engine's, level by level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import nvrtc
import pytest
from emulated_engine import ENGINES, loaded, moved

from grblas_gpu.backends.cpu.search import CpuSearch
from grblas_gpu.backends.cuda.runtime import compile as cuda
from grblas_gpu.backends.search_layout import Layout
from grblas_gpu.backends.storage import MatrixStore


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch) -> Iterator[Any]:
    with loaded(request.param, monkeypatch, "search") as found:
        yield found


@pytest.mark.parametrize("architecture", nvrtc.ONE_OR_ALL)
@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
def test_kernels_compile(architecture):
    types = {"Offset": np.int64, "Start": np.int32, "Column": np.int32}
    pieces = [cuda.using(name, np.dtype(dtype)) for name, dtype in types.items()]
    nvrtc.compile_cuda(cuda.render("search_level.cu", pieces), architecture, cuda.OPTIONS)
    nvrtc.compile_cuda(cuda.render("collect_parts.cu"), architecture, cuda.OPTIONS)


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
