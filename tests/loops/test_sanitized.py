"""What the cases of tests/sanitize run: small as they are, they take the ways that they are there for."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import emulated_engine
import pytest
from emulated_engine import CUDA
from gather_bodies import GATHERS
from running import module_at

import grblas_gpu as gb


@pytest.fixture
def cases(to_device, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the cases, with loops as it makes them, but for threads and blocks: an emulation has fewer."""
    module = module_at(Path(__file__).parents[1] / "sanitize" / "cases.py")
    names = ("runtime.tiers", "fusion.run", "fusion.workspace")
    tiers, run, workspace = (importlib.import_module(f"{CUDA}.{name}") for name in names)
    functions_of = tiers.functions_of
    monkeypatch.setattr(tiers, "functions_of", lambda text, *how: functions_of(module.shrunk(text), *how))
    monkeypatch.setattr(workspace, "LEAST_PART", module.LEAST_PART)
    monkeypatch.setattr(run, "_programs", {})  # of other sizes
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 3)  # of which one is a cluster
    return module


def steps_of(cases: ModuleType, to_device, name: str):
    with gb.using("cpu"):
        expected = cases.CASES[name](cases.hubs())
    cases.like = lambda A, B: to_device(B) if A.backend == "cuda" else B
    with gb.trace() as trace:
        found = cases.CASES[name](to_device(cases.hubs()))
    assert cases.same(found, expected)
    assert "iterated" not in {record.strategy for record in trace.records}
    return trace.steps()


def test_searches(cases: ModuleType, to_device) -> None:
    steps = steps_of(cases, to_device, "bfs")
    assert {step.strategy for step in steps} == {"push.scatter", "push.scan", "pull.hybrid"}
    few = [step.input_nvals <= 64 and step.input_edges <= 128 for step in steps]  # for a cluster, or for all
    assert few[0] and few[-1] and not all(few)
    assert cases.hubs()._store.max_degree > 2 * 16


def test_any_order(cases: ModuleType, to_device) -> None:
    """In all rounds where the sizes of cases.py are emulated; on a device as it is, some frontiers count as long."""
    at_once = [step.reason.startswith("in any order") for step in steps_of(cases, to_device, "SSSP, in any order")]
    assert len(at_once) > 20 and sum(at_once) > len(at_once) / 3


def test_short_frontiers(cases: ModuleType, to_device) -> None:
    assert cases.even()._store.max_degree <= 31
    near = [step.reason.startswith("short") for step in steps_of(cases, to_device, "bfs, short frontiers")]
    assert near[:3] == [True] * 3 and not all(near)


@pytest.mark.parametrize(
    "name", ["other_sizes", *(pytest.param(name, marks=pytest.mark.slow) for name in GATHERS if name != "other_sizes")]
)
def test_gathers(cases: ModuleType, to_device, name: str) -> None:
    """All passes use the same thread-to-index mapping: without a barrier between them many blocks agree."""
    steps_of(cases, to_device, f"gathers: {name}")


@pytest.mark.slow
def test_betweenness(cases: ModuleType, to_device) -> None:
    """Pulls that add up, with the operand's flags in its values: there are as many entries as that takes."""
    steps = steps_of(cases, to_device, "betweenness")
    assert "pull.hybrid" in {step.strategy for step in steps}
    assert cases.hubs().nvals > cases.hubs().nrows  # LOOKS_OF_EACH


@pytest.mark.slow
def test_sums_of_rows(cases: ModuleType, to_device) -> None:
    steps = steps_of(cases, to_device, "HITS")
    assert {step.strategy for step in steps} == {"pull.edge"} and 4 <= len(steps) <= 12
    assert cases.hubs().nvals > 10 * 256  # chunks
