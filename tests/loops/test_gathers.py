"""Gathers and scatters in loops: fused, the same as one after another, and clear errors for wrong indices."""

import importlib

import numpy as np
import pytest
from emulated_engine import CUDA, FewBlocks
from gather_bodies import GATHERS
from loop_cases import check_fused, check_recorded, graphs, made_of

import grblas_gpu as gb
from grblas_gpu import Scalar, Vector, binary, monoid, select
from grblas_gpu.exceptions import EmptyObject, IndexOutOfBound, InvalidValue


@pytest.mark.parametrize("graph", ["directed", "path"])
@pytest.mark.parametrize("name", GATHERS)
def test_a_loop_with_gathers_is_a_loop(to_device, name: str, graph: str) -> None:
    check_fused(GATHERS[name], graphs()[graph], to_device, runs=2)


@pytest.mark.parametrize("name", GATHERS)
def test_a_recorded_loop_is_the_same(backend: str, name: str) -> None:
    check_recorded(GATHERS[name], graphs()["directed"].to(backend))


@gb.program
def gathered_again(source: Vector, index: Vector) -> tuple[Vector, Vector]:
    """Into a new vector, and then into the same one, which has entries now."""
    out, seen = source[index].new(), Vector(int, index.size)
    for _ in gb.loop(source, 3):
        seen(binary.plus) << out
        source << select.valuegt(source, 50)
        out << source[index]
    return out, seen


def test_a_gather_into_memory_that_holds_anything(
    to_device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flags may be any until it is the first to write to a vector, and only then. Several blocks have its positions."""
    one_run, run = (importlib.import_module(f"{CUDA}.fusion.{name}") for name in ("one_run", "run"))
    made, texts, kernel_of = one_run.two_arrays, [], run.kernel_of

    def used(*what):
        flags, values = made(*what)
        flags.fill(True)
        return flags, values

    monkeypatch.setattr(FewBlocks, "blocks", 3)
    monkeypatch.setattr(one_run, "two_arrays", used)
    monkeypatch.setattr(run, "kernel_of", lambda body: texts.append(kernel_of(body)) or texts[-1])
    monkeypatch.setattr(run, "_programs", {})
    n = 9000 if request.node.callspec.params["to_device"] == "gpu" else 300
    places, index = np.arange(0, n, 3), Vector.from_dense(np.arange(n) * 7 % n)
    with gb.using("cpu"):
        given = Vector.from_coo(places, places, size=n), index.to("cpu")
        expected = gathered_again(*given)
    for _ in range(3):
        found = gathered_again(Vector.from_coo(places, places, size=n), index)
        assert [x.isequal(y.to("cpu")) for x, y in zip(expected, found, strict=True)] == [True, True]
    calls = [line for line in texts[0].text.splitlines() if "gather_all<" in line]
    assert [call.split(", ")[2] for call in calls] == ["true", "false"]  # FIRST


def test_an_index_out_of_range_in_a_loop(to_device) -> None:
    v, index = Vector.from_dense([5, 6, 7, 8]), Vector.from_dense([3, 1, 0, 1])
    with pytest.raises(IndexOutOfBound, match="range"):
        for _ in gb.loop(v, 5):
            index << binary.plus(index, 1)
            v << v[index]
    assert v.size == 4
    with pytest.raises(IndexOutOfBound, match="range"):
        for _ in gb.loop(v, 5):
            v(binary.plus)[index] << 1
    w = Vector.from_dense([0, 1, 2, 3])
    for _ in gb.loop(w, 2):
        w << w[w]
    assert w.to_dense().tolist() == [0, 1, 2, 3]  # nothing is left of the errors


def test_a_position_that_is_named_twice_in_a_loop(to_device) -> None:
    v, index = Vector.from_dense([5, 6, 7, 8]), Vector.from_dense([3, 1, 0, 1])
    for accum in (None, binary.minus):
        with pytest.raises(InvalidValue, match="more than once"):
            for _ in gb.loop(v, 5):
                v(accum=accum)[index] << index


@pytest.mark.parametrize("needs", ["apply", "select", "union"])
def test_an_empty_scalar_in_a_loop(to_device, needs: str) -> None:
    """As outside of a loop: an error where its value is needed."""
    v, w, none = Vector.from_dense([5, 6, 7, 8]), Vector(int, 4), Scalar(int)
    with pytest.raises(EmptyObject, match="empty"):
        for _ in gb.loop(v, 5):
            none << w.reduce(monoid.plus)
            if needs == "apply":
                v << binary.plus(v, none)
            elif needs == "select":
                v << select.valuegt(v, none)
            else:
                v << binary.plus(v | w, left_default=1, right_default=none)


JUMPING = """
chain 0, 1 by all positions
grid barrier: step 2 changes what others gather; notes s0 changed, s3 changed
chain 2, 3 by all positions
reduce 4 of s2, by blocks
grid barrier: the end of the round; notes s1 changed, s2 changed, the round ends, sum of step 4
"""
FAST_SV = """
product 0 of s1, planned at the end of the round before
grid barrier: the result of step 0 is complete; notes s0 overwritten
clean the old buffer of s0
scatter 1 by the entries of s0
grid barrier: the next step may read the list; notes s5 overwritten
clean the old buffer of s5
positions 2 by the entries of s5
grid barrier: step 3 may read what others wrote; notes s2 changed
chain 3, 4, 5 by all positions
grid barrier: step 6 gathers what others wrote; notes s2 changed, s3 changed
chain 6, 7 by all positions
reduce 8 of s4, by blocks
grid barrier: the end of the round; notes s1 changed, s4 changed, the round ends, sum of step 8
"""


def test_barriers_are_where_gathers_need_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """``parents[parents]`` and what changes the parents are two passes."""
    bodies = {name: GATHERS[name] for name in ("jumping", "components")}
    made = made_of(bodies, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body)))
    assert [f"\n{schedule}\n" for schedule in made.values()] == [JUMPING, FAST_SV]


@gb.program
def gathered(v: Vector, index: Vector, w: Vector) -> None:
    # w = v(index)
    w << v[index]


@pytest.mark.parametrize("full", ["index", pytest.param("source", marks=pytest.mark.slow), "neither"])
def test_a_gather_alone_overwrites_everything(to_device, full: str) -> None:
    """Whatever the output held before; also by an index that names a position twice, or has no entry."""
    size = 1500  # more than a thread has at once
    places = [i * 7 % 50 for i in range(size) if full == "index" or i % 3]
    index = Vector.from_coo([i for i in range(size) if full == "index" or i % 3], places, size=size)
    v = Vector.from_coo(
        [i for i in range(50) if full == "source" or i % 4],
        [i for i in range(50) if full == "source" or i % 4],
        size=50,
    )
    expected = {i: place for i, place in index.to_dict().items() if place in v.to_dict()}
    for before in ({}, dict.fromkeys(range(0, size, 2), 9), dict.fromkeys(range(size), 9)):
        w = Vector.from_dict(before, size=size, dtype=float)
        gathered(v, index, w)
        assert w.nvals == len(expected) and w.to_dict() == expected
    index[7] << 50
    with pytest.raises(IndexOutOfBound, match="range"):
        gathered(v, index, w)


@gb.program
def copied(v: Vector, index: Vector) -> tuple[Vector, Vector]:
    """Copies and gathers, of which some have nothing to read."""
    left, found = v.dup(), v[index].new()
    for _ in gb.loop(left, 2):
        # left = found, through nothing
        left(found.S, replace=True) << found
    return left, found


@pytest.mark.parametrize("size", [0, 3])
def test_one_value_for_all_of_no_entries(to_device, size: int) -> None:
    """Such a vector may have no memory for that value."""
    for v in (Vector("FP64", size), Vector.from_scalar(2.5, size)):
        left, found = copied(v, Vector.from_dense([0] * size, dtype=int) if size else Vector(int, 0))
        assert left.to_dict() == found.to_dict() == v.to_dict()
