"""Messages between ranks: each engine writes the same bytes and reads the same entries as the definition."""

from types import SimpleNamespace

import device_arrays
import emulated_cupy
import numpy as np
import pytest
from emulated_engine import ENGINES, loaded
from message_cases import CUTS, FILLS, FOLDS, KINDS, check_fold, check_numbered, check_parts, check_short_parts, vector

from grblas_gpu.backends.cpu.engine import CpuBackend


@pytest.fixture(params=["cpu", *ENGINES])
def engine(request, monkeypatch):
    """An engine with memory of its own, or that of the CPU, where nothing moves."""
    if request.param == "cpu":
        yield SimpleNamespace(messages=CpuBackend(), there=lambda u: u, to_device=lambda x: x, to_host=lambda x: x)
        return
    if request.param == "emulated":
        monkeypatch.setattr(emulated_cupy, "module", lambda runs: device_arrays.module())
    with loaded(request.param, monkeypatch, "engine") as found:
        found.messages = found.engine.CudaBackend()
        yield found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.int8])
def test_parts_come_back(engine, kind, dtype):
    for cut in CUTS:
        for fill in FILLS if kind != "full" else [1.0]:
            for iso in (False, True):
                u = vector(sum(cut), fill, dtype, iso, kind, seed=len(cut))
                check_parts(engine.messages, cut, u, engine.there, engine.to_host, not (iso and fill == 0.02))


def test_parts_of_a_few_positions(engine):
    check_short_parts(engine.messages, engine.there, engine.to_host)


def test_long_parts_have_wider_indices(engine):
    cut = [70_000, 65_536]
    for fill in (0.00003, 0.03):
        u = vector(sum(cut), fill, np.int32, False, "bitmap", seed=4)
        check_parts(engine.messages, cut, u, engine.there, engine.to_host, True)


@pytest.mark.parametrize("reduction, dtype", FOLDS)
def test_results_are_combined_in_the_order_of_their_senders(engine, reduction, dtype):
    for fills in ([0.0, 0.0], [0.001, 0.0], [0.001, 0.002, 0.001], [0.02, 0.5, 1.0, 0.0], [0.3, 0.3]):
        for iso in (False, True):
            stores = [vector(1500, fill, dtype, iso, "bitmap", seed) for seed, fill in enumerate(fills)]
            check_fold(engine.messages, stores, reduction, engine.there, engine.to_host)


def test_positions_in_blocks_become_global(engine):
    check_numbered(engine.messages, engine.there, engine.to_host)
