"""How the host learns what kernels count: from the kernels themselves, or by asking.

On a GPU where there is one; otherwise the kernels run in an emulation.
"""

import numpy as np
import pytest
from emulated_engine import ENGINES, engine_fixture, loaded

from grblas_gpu import select
from grblas_gpu.backends.stores.storage import VectorStore

engine = engine_fixture("runtime.counters", "eager.matrix_facts", "runtime.workspace", "eager.vectors")


def selected(engine, count: int) -> VectorStore:
    """A result with so many entries, which the device has counted."""
    x = VectorStore(60, engine.to_device(np.arange(60)))
    return engine.vectors.filtered(x, select.valuelt["INT64"], count, True)


def test_what_was_seen_says_that_everything_before_it_is_there(engine):
    first, second, third = (selected(engine, count) for count in (7, 0, 31))
    assert [v.known_nvals for v in (first, second, third)] == [None] * 3
    assert second.nvals == 0
    assert first.known_nvals == 7
    assert third.known_nvals is None
    assert third.nvals_at_most == 60
    assert third.nvals == 31


def test_numbers_of_kernels_that_do_not_tell_are_asked_for(engine):
    scratch = engine.workspace.current()
    slots = scratch.slots()
    offsets = engine.to_device(np.array([0, 2, 9, 9], np.int32))
    longest, *_ = engine.matrix_facts._kernels(offsets.dtype, np.dtype(np.uint8))
    scratch.launch(longest, 3, (offsets.data.ptr, 3, slots.address))
    counter = slots.counter()
    later = selected(engine, 5)
    assert later.nvals == 5
    assert counter.known() is None  # not read yet
    assert counter.read() == 7
    assert counter.known() == 7


def test_slots_are_never_used_twice(engine):
    """More calls than a block has slots for: counts stay what they were."""
    calls = engine.counters.SLOTS // engine.counters.SLOTS_PER_CALL + 10
    results = [selected(engine, number % 60) for number in range(calls)]
    assert results[-1].nvals == (calls - 1) % 60
    assert [v.nvals for v in results] == [number % 60 for number in range(calls)]
    assert len(engine.counters.Block._retired) <= 1


@pytest.mark.parametrize("kind", ENGINES)
def test_streams_share_no_offsets(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a matrix without entries are written on one stream; another one would not wait for that."""
    with loaded(kind, monkeypatch, "runtime.arrays", "runtime.workspace") as engine:
        import cupy

        mine = engine.arrays.no_offsets(5)
        assert engine.arrays.no_offsets(5) is mine
        other = cupy.cuda.Stream(non_blocking=True)
        if kind == "emulated":
            other.ptr = 1
        monkeypatch.setattr(engine.workspace, "_current_stream", lambda: other)
        theirs = engine.arrays.no_offsets(5)
        assert theirs is not mine and engine.to_host(theirs).tolist() == [0] * 6
