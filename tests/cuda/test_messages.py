"""Messages between ranks: each engine writes the same bytes and reads the same entries as the definition."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded, moved
from message_cases import (
    CUTS,
    DEFINITION,
    FILLS,
    FOLDS,
    KINDS,
    check_fold,
    check_numbered,
    check_parts,
    check_short_parts,
    entries_of,
    vector,
)

from grblas_gpu import monoid
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.cpu.tier import get_tier, set_tier


@pytest.fixture
def device(request, monkeypatch):
    """The CUDA engine."""
    with loaded(request.param, monkeypatch, "messages", "runtime.counters") as found:
        found.move = lambda u: moved(u, found.to_device)
        yield found


on_devices = pytest.mark.parametrize("device", ENGINES, indirect=True)


@pytest.fixture(params=["numba", "numpy", *ENGINES])
def engine(request, monkeypatch):
    """... or that of a tier of the CPU engine, where nothing moves."""
    if request.param not in ("numba", "numpy"):
        with loaded(request.param, monkeypatch, "messages") as found:
            found.move = lambda u: moved(u, found.to_device)
            yield found
        return
    before = get_tier()
    set_tier(request.param)
    yield SimpleNamespace(messages=CpuBackend(), move=lambda u: u, to_host=lambda x: x)
    set_tier(before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.int8])
def test_parts_come_back(engine, kind, dtype):
    for cut in CUTS:
        for fill in FILLS if kind != "full" else [1.0]:
            for iso in (False, True):
                u = vector(sum(cut), fill, dtype, iso, kind, seed=len(cut))
                check_parts(engine.messages, cut, u, engine.move, engine.to_host, not (iso and fill == 0.02))


def test_parts_of_a_few_positions(engine):
    check_short_parts(engine.messages, engine.move, engine.to_host)


def test_long_parts_have_wider_indices(engine):
    cut = [70_000, 65_536]
    for fill in (0.00003, 0.03):
        u = vector(sum(cut), fill, np.int32, False, "bitmap", seed=4)
        check_parts(engine.messages, cut, u, engine.move, engine.to_host, True)


@pytest.mark.parametrize("reduction, dtype", FOLDS)
def test_results_are_combined_in_the_order_of_their_senders(engine, reduction, dtype):
    for fills in ([0.0, 0.0], [0.001, 0.0], [0.001, 0.002, 0.001], [0.02, 0.5, 1.0, 0.0], [0.3, 0.3]):
        for iso in (False, True):
            stores = [vector(1500, fill, dtype, iso, "bitmap", seed) for seed, fill in enumerate(fills)]
            check_fold(engine.messages, stores, reduction, engine.move, engine.to_host)


def test_positions_in_blocks_become_global(engine):
    check_numbered(engine.messages, engine.move, engine.to_host)


@on_devices
def test_a_device_that_mpi_reads(device):
    """Nothing goes through the host but headers."""
    u = vector(1500, 0.4, np.float32, False, "bitmap", seed=1)
    parcel = device.messages.pack_parts(device.move(u), [1000, 500], u.dtype, 1, False)
    wanted = DEFINITION.pack_parts(u, [1000, 500], u.dtype, 1, True)
    assert type(parcel.sent(0)) is not np.ndarray
    assert device.to_host(parcel.sent(0)).tobytes() == wanted.sent(0).tobytes()
    joined = device.messages.join_parts([parcel.sent(0), parcel.kept], [1000, 500], u.dtype, True)
    assert entries_of(joined, device.to_host) == entries_of(u, lambda x: None if x is None else np.asarray(x))


@on_devices
def test_the_host_waits_once_for_what_it_sends_and_never_for_what_arrived(device, monkeypatch):
    waits = []
    number_at = device.counters.Block.number_at

    def counted(self, place: int) -> int:
        if self.seen <= place:
            waits.append(place)
        return number_at(self, place)

    monkeypatch.setattr(device.counters.Block, "number_at", counted)
    u = vector(3000, 0.3, np.int64, False, "bitmap", seed=2)
    parcel = device.messages.pack_parts(device.move(u), [1500, 1500], u.dtype, 0, True)
    assert not waits
    sent = [parcel.kept, parcel.sent(1)]
    assert parcel.count(1) > 0
    assert len(waits) == 1
    device.messages.join_parts(sent, [1500, 1500], u.dtype, True)
    folded = device.messages.fold_parts(sent, 1500, u.dtype, monoid.plus["INT64"], None)
    assert len(waits) == 1
    assert folded.nvals > parcel.count(1)  # and now it does
    assert len(waits) == 2
