"""Loops and conditions inside of loops: recorded on every engine, the same as iterating, and clear errors."""

import numpy as np
import pytest
from loop_cases import check_fused, check_recorded, graphs, made_of, same
from nested_bodies import NESTED

import grblas_gpu as gb
from grblas_gpu import Scalar, Vector, binary, monoid
from grblas_gpu.exceptions import LoopError
from grblas_gpu.ir import recording


@pytest.mark.parametrize("name", NESTED)
def test_a_recorded_loop_is_the_same(backend: str, name: str) -> None:
    check_recorded(NESTED[name], graphs()["directed"].to(backend))


@pytest.mark.parametrize("name", NESTED)
def test_a_loop_on_the_device_is_a_loop(to_device, name: str) -> None:
    check_fused(NESTED[name], graphs()["directed"], to_device)


@pytest.fixture
def recorded():
    with gb.using("numpy"), gb.config.set(loops="recorded"):
        yield


def test_the_text_of_a_program(recorded: None) -> None:
    v, w, s = Vector.from_dense([3, 1, 2]), Vector(int, 3), Scalar.from_value(0)
    loop = gb.loop(v, 2)
    for outer in loop:
        w << v
        for inner in gb.loop(w):
            w << gb.select.valuegt(w, 10 * outer + inner)
        for _ in gb.when(s < 1):
            s << v.reduce(monoid.plus)
    assert str(loop.program) == (
        "program(v0: INT64[3], v1: INT64[3], s0: INT64)\n"
        "while v0.nvals, at most 2 times:\n"
        "    v1 = copy (v0)\n"
        "    while v1.nvals:\n"
        "        v1 = select select.valuegt[INT64] (v1, ((int64(10ll) * step) + step1))\n"
        "    when binary.lt[INT64](s0, 1):\n"
        "        s0 = reduce monoid.plus[INT64] (v0)"
    )


def test_when_outside_of_a_loop(backend: str) -> None:
    v = Vector.from_dense([1, 2, 3])
    for _ in gb.when(Scalar.from_value(3) > 2):
        v << binary.plus(v, 1)
    for _ in gb.when(Scalar.from_value(3) > 4):
        v << binary.plus(v, 100)
    for _ in gb.when(Vector(int, 3)):
        v << binary.plus(v, 1000)
    assert v.to_dense().tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="when: the condition is"):
        gb.when(3)


def test_a_break_inside(recorded: None) -> None:
    """The order of Python's statement among the recorded operations is unknown."""
    v, w = Vector.from_dense([1, 2, 3]), Vector.from_dense([1, 2, 3])
    with pytest.raises(LoopError, match=r"test_nested\.py:\d+: `break` in a loop inside"):
        for _ in gb.loop(v, 2):
            v << binary.plus(v, 1)
            for _ in gb.loop(w, 5):
                w << binary.plus(w, 1)
                break
    assert recording.current() is None
    assert v.to_dense().tolist() == [1, 2, 3]


def test_what_happened_before_an_error_inside(recorded: None) -> None:
    v, w = Vector.from_dense([1, 2, 3]), Vector.from_dense([1, 2, 3])
    with pytest.raises(gb.exceptions.DimensionMismatch):
        for _ in gb.loop(v, 2):
            v << binary.plus(v, 1)
            for _ in gb.loop(w, 5):
                w << binary.plus(w, 1)
                w << Vector(int, 7)
    assert recording.current() is None
    assert (v.to_dense().tolist(), w.to_dense().tolist()) == ([2, 3, 4], [2, 3, 4])


def test_a_loop_inside_that_cannot_end(recorded: None) -> None:
    v, w = Vector.from_dense([1, 2, 3]), Vector.from_dense([1, 2, 3])
    with pytest.raises(LoopError, match="nothing in the body changes the condition"):
        for _ in gb.loop(v, 2):
            for _ in gb.loop(w):
                v << binary.plus(v, 1)
    assert recording.current() is None


def test_a_fallback_with_a_loop_inside(recorded: None) -> None:
    v, w = Vector.from_dense([1, 2, 3]), Vector.from_dense(np.arange(3))
    rounds = gb.loop(v, 2, fallback=True)
    for _ in rounds:
        v << binary.plus(v, 1)
        for _ in gb.loop(w, 2):
            w << binary.plus(w, v.to_dense()[0])
    assert (rounds.steps, rounds.mode) == (2, "iterated")
    assert w.to_dense().tolist() == [10, 11, 12]


@pytest.mark.parametrize("name", ["connected_components", "strongly_connected_components", "minimum_spanning_forest"])
def test_algorithms_are_the_same_recorded(backend: str, name: str) -> None:
    algorithm = getattr(gb.algorithms, name)
    for graph in ("directed", "path"):
        A = graphs()[graph].to(backend)
        with gb.config.set(loops="iterated"):
            expected = algorithm(A)
        with gb.config.set(loops="recorded"):
            assert algorithm(A).isequal(expected)


LATER = ["core_number", "maximal_independent_set", "vertex_colouring"]  # g++ takes long for each


@pytest.mark.parametrize(
    "name",
    ["connected_components", "strongly_connected_components", "minimum_spanning_forest"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in LATER],
)
def test_algorithms_are_fused(to_device, name: str) -> None:
    """Without a loop that iterates."""
    A, algorithm = graphs()["directed"], getattr(gb.algorithms, name)
    with gb.using("cpu"):
        expected = algorithm(A)
    B = to_device(A)
    with gb.trace() as trace:
        found = algorithm(B)
    assert [record.reason for record in trace.records if record.op == "loop"] == []
    assert found.to("cpu").isequal(expected)


PARTS = """
part 0
    grid barrier: the end of the round; notes the round ends
part 1
    positions 1 by the entries of s0, fused epilogue of step 2
    product 2 of s0, planned at the end of the round before, rows of s0 closed
    grid barrier: the result of step 2 is complete; notes s1 changed, s5 overwritten
    clean the old buffer of s5
    positions 3 by the entries of s5
    grid barrier: the end of the round; notes s0 overwritten, the round ends
    clean the old buffer of s0
part 2
    positions 5 by all positions
    grid barrier: the end of the round; notes s2 changed, the round ends
part 3
    product 7 of s2, planned at the end of the round before
    grid barrier: the result of step 7 is complete; notes s2 overwritten
    clean the old buffer of s2
    scatter 8 by the entries of s2
    grid barrier: the next step may read the list; notes s6 overwritten
    clean the old buffer of s6
    positions 9 by the entries of s6
    grid barrier: the end of the round; notes s4 changed, the round ends
part 4
    chain 11, 12 by all positions
    positions 13 by all positions
    grid barrier: step 14 may read what others wrote; notes s1 changed, s0 changed, s7 changed
    positions 14 by all positions
    positions 15 by all positions
    grid barrier: before step 16, of Scalars; notes s4 changed, s1 changed
    scalar 16
    grid barrier: the end of the round; notes the round ends
"""


def test_the_parts_of_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """From one decision to the next; the first one is empty, so that the loop inside has somewhere to come from."""
    bodies = {"phases": NESTED["phases"]}
    made = made_of(bodies, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body)))
    assert f"\n{made['phases']}\n" == PARTS


def test_what_is_selected_from_all_positions_has_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to the other buffer, as what goes by a list does: no pass that lists it, none that cleans its buffer."""
    made = made_of(
        {"peeled": NESTED["peeled"]}, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body))
    )
    selects, rounds = str(made["peeled"]).split("part ")[1:3]
    assert "notes s1 overwritten" in selects
    assert rounds.count("grid barrier") == 2


def test_loops_inside_of_what_iterates_run_as_a_whole(to_device) -> None:
    """An aggregator keeps the body from being one kernel, but not the loops inside, which know the count outside."""

    def search(A):
        seen, frontier, mean = Vector(int, A.nrows), Vector.from_coo([5], [True], size=A.nrows), Scalar(float)
        loop = gb.loop(frontier, 3)
        for outer in loop:
            for _ in gb.loop(frontier, 2):
                seen(frontier.S) << 10 * outer
                frontier(~seen.S, replace=True) << gb.semiring.any_pair[bool](frontier @ A)
            mean << seen.reduce(gb.agg.mean)
        return loop, [seen, frontier, mean]

    A = graphs()["directed"]
    with gb.using("cpu"), gb.config.set(loops="iterated"):
        expected, results = search(A)
    B = to_device(A)
    with gb.trace() as trace:
        loop, found = search(B)
    assert (loop.mode, loop.steps) == ("iterated", expected.steps)
    (reason,) = [record.reason for record in trace.records if record.op == "loop"]
    assert reason.endswith(": an aggregator")
    assert any("of a loop on the device" in record.reason for record in trace.records)
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)
