"""What a descriptor asks for inside of a loop is done, or the loop is not fused; the trace says what ran, and why."""

import re

import pytest
from loop_bodies import levels_by
from loop_cases import graphs, same
from loop_options import FUSED, ON_A_DEVICE, REFUSED, words

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.ir import ops
from grblas_gpu.ir.descriptor import OPTIONS


def test_every_option_is_tried() -> None:
    tried = {name for options, *_ in (*FUSED, *ON_A_DEVICE, *REFUSED) for name in options}
    assert tried | {"settles_at", "any_order"} == OPTIONS  # which have tests of their own


#: g++ takes a second for each: emulations of these are left to the slow tests.
COMBINED = [
    pytest.param(*each, id=words(each[0]), marks=[pytest.mark.slow] if number % 3 else [])
    for number, each in enumerate([*FUSED, *ON_A_DEVICE])
]


@pytest.mark.parametrize(("options", "strategies", "reason"), COMBINED)
def test_what_a_fused_loop_does(to_device, options, strategies: set[str], reason: str) -> None:
    A = graphs()["kronecker"]
    with gb.using("cpu"):
        expected, results = levels_by()(A, 5)
    with gb.trace() as trace:
        loop, found = levels_by(**options)(to_device(A), 5)
    assert (loop.mode, loop.steps) == ("fused", expected.steps)
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True, True]
    steps = trace.steps()
    assert len(steps) == loop.steps and {step.strategy for step in steps} <= strategies
    for step in steps:
        assert re.search(reason, step.reason)
        assert step.direction == step.strategy.partition(".")[0]


@pytest.mark.parametrize(("options", "field", "strategies"), REFUSED, ids=[words(options) for options, *_ in REFUSED])
def test_what_a_fused_loop_does_not_do(to_device, options, field: str, strategies: set[str]) -> None:
    A = graphs()["kronecker"]
    with gb.using("cpu"):
        _, results = levels_by()(A, 5)
    with gb.trace() as trace:
        loop, found = levels_by(**options)(to_device(A), 5)
    assert loop.mode == "iterated"
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True, True]
    first = trace.records[0]
    assert (first.op, first.strategy) == ("loop", "iterated")
    assert first.reason.startswith("line ") and field in first.reason
    assert {step.strategy for step in trace.steps()} <= strategies


@pytest.mark.parametrize("policy", ["cost", "edge-check"])
@pytest.mark.parametrize("reuse", [True, "auto"])
def test_searches_that_reuse_what_they_have_visited(to_device, policy: str, reuse: bool | str) -> None:
    """They are fused, and their pulls read the visited vertices if they must."""
    A = graphs()["kronecker"]
    with gb.using("cpu"):
        expected = algorithms.bfs(A, 5)
    with gb.trace() as trace:
        found = algorithms.dobfs(to_device(A), 5, policy=policy, operand_reuse=reuse)
    assert same(expected, found)
    steps = trace.steps()
    assert {step.strategy for step in steps} == {"push.scatter", "pull.hybrid"}
    assert "iterated" not in {record.strategy for record in trace.records}
    for step in steps:
        if step.direction == "pull" and reuse is True:
            assert step.input_nvals == A.nrows - step.allowed


def test_former_names_warn() -> None:
    chosen = gb.Descriptor(direction="pull")
    assert chosen.non_default_fields == "direction='pull'"
    with pytest.warns(DeprecationWarning, match="non_default_fields"):
        assert chosen.asked == chosen.non_default_fields
    with pytest.warns(DeprecationWarning, match="ignored_options"):
        assert chosen.in_vain(ops.OUTER) == chosen.ignored_options(ops.OUTER) == "direction='pull'"
