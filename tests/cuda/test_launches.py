"""How many kernels an operation launches, and how often the host waits for a count: nothing runs here."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from emulated_engine import loaded
from random_objects import with_degrees

from grblas_gpu import binary, monoid, semiring
from grblas_gpu.backends.stores.storage import VectorStore

MODULES = "assign_block extracting kronecker masks merging mxv_balanced mxv_product operating positions rows".split()
Call = Callable[[Any, Any, Any], Any]

#: Of the engine's modules, a matrix, and two positions: the call, its launches, its waits.
CALLS: dict[str, tuple[Call, int, int]] = {
    "rows that follow each other": (lambda e, a, i: e.extracting.rows_between(a, 0, 1), 1, 1),
    "rows by number": (lambda e, a, i: e.extracting.rows_at(a, i), 3, 1),
    "a diagonal": (lambda e, a, i: e.extracting.diagonal(a, 0), 1, 0),
    "lengths of rows": (lambda e, a, i: e.rows.count_rows(a), 1, 0),
    "an index is checked": (lambda e, a, i: e.positions.checked_positions(i, 3), 1, 1),
    "a full vector": (lambda e, a, i: e.positions.taken(VectorStore(3, a.values), i), 1, 0),
    "an index as it is given": (lambda e, a, i: e.positions.taken_if_inside(VectorStore(3, a.values), i), 1, 1),
    "a block": (lambda e, a, i: e.assign_block.assign_block(a, np.float64(1), range(1, 2), range(1, 2)), 3, 1),
    "a Kronecker product": (lambda e, a, i: e.kronecker.kronecker_product(a, a, binary.plus["FP64"]), 2, 0),
    "a union": (lambda e, a, i: e.merging.merge(a, a, binary.plus["FP64"], e.merging.UNION, a.values.dtype), 3, 1),
    "one value for all": (lambda e, a, i: e.operating.one_combined(monoid.plus["FP64"], a.values[:1], 6), 1, 0),
    "all values": (lambda e, a, i: e.operating.reduce_all(monoid.plus["FP64"], a.values), 1, 1),
    "all values, unread": (lambda e, a, i: e.operating.all_combined(monoid.plus["FP64"], a.values), 1, 0),
}


@pytest.fixture
def engine(monkeypatch):
    modules = [f"eager.{name}" for name in MODULES]
    with loaded("recorded", monkeypatch, *modules, "runtime.workspace", "runtime.counters") as found:
        yield found


@pytest.fixture
def seen(engine, monkeypatch) -> list[str]:
    """A word for every launch."""
    launches: list[str] = []
    launch = engine.workspace.Scratch.launch

    def counted_launch(*given, **options) -> None:
        launches.append("launch")
        launch(*given, **options)

    monkeypatch.setattr(engine.workspace.Scratch, "launch", counted_launch)
    return launches


@pytest.mark.parametrize("name", CALLS)
def test_launches_and_waits(engine, seen, monkeypatch, name: str) -> None:
    call, launches, waits = CALLS[name]

    def waited(block, place: int) -> int:
        calls.add(place // engine.counters.SLOTS_PER_CALL)
        return 1

    calls: set[int] = set()  # what they count arrives together
    monkeypatch.setattr(engine.counters.Block, "number_at", waited)
    a = engine.there(with_degrees([1, 2, 3]))
    call(engine, a, engine.to_device(np.array([2, 0])))
    assert (len(seen), len(calls)) == (launches, waits)


@pytest.mark.parametrize(("longest", "launches"), [(12, 1), (13, 2)])
def test_nothing_is_left_over_of_short_rows(engine, seen, monkeypatch, longest: int, launches: int) -> None:
    """Rows that chunks share are completed by a second kernel: a lane that takes whole rows needs none."""
    monkeypatch.setattr(engine.mxv_balanced, "WORTH_A_LOOK", 0)
    a = engine.there(with_degrees([2] * 1000))
    a.max_degree = longest
    u = VectorStore(a.ncols, engine.to_device(np.ones(a.ncols)))
    product = engine.mxv_product.product_of(a, u, semiring.plus_times["FP64"], False, True)
    scratch = engine.workspace.current()
    job = engine.mxv_product.Job(product, a, u, engine.masks.NO_MASK, None, scratch.slots(), scratch)
    engine.mxv_balanced.pull_balanced(job)
    assert len(seen) == launches
