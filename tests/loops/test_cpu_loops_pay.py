"""When a loop on the CPU is loaded, and when it is compiled: the account that it keeps, without running anything."""

from __future__ import annotations

import math

import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, binary, indexunary
from grblas_gpu.backends.cpu import compile
from grblas_gpu.backends.cpu.fusion import run, tier
from grblas_gpu.backends.programs.lower import Body
from grblas_gpu.ir.ops import CONTROL
from grblas_gpu.ir.program import Program


def calls_until(program: Program, wanted: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """How many calls of a loop pay for this, with an account of its own; infinity if it takes thousands."""
    monkeypatch.setattr(tier, "_done", {})
    monkeypatch.setattr(tier, "LOAD_WORK", 100_000)
    monkeypatch.setattr(tier, "COMPILE_WORK", 2_000_000)
    return next((call for call in range(1, 2_000) if tier.level(program, 0) >= wanted), math.inf)


def jumps(size: int, gathers: int) -> Program:
    """Pointers that are followed: as many nodes as there are gathers."""
    x, ahead = Vector.from_scalar(0, size), indexunary.index(Vector.from_scalar(0, size)).new()
    loop = gb.loop(x, 1)
    for _ in loop:
        for _ in range(gathers):
            x << ahead[ahead]
    return loop.program


def test_gathers_are_loaded_as_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with gb.using("cpu"):
        assert calls_until(jumps(100_000, 10), tier.LOAD, monkeypatch) == 1
        assert calls_until(jumps(1_000, 10), tier.LOAD, monkeypatch) == math.inf  # short, and of little


def test_what_compiling_gathers_takes_is_paid_for_by_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code saves what Python takes for a node, however large it is; that of many nodes takes long to make."""
    with gb.using("cpu"):
        some = calls_until(jumps(100_000, 10), tier.COMPILE, monkeypatch)
        assert 2_000_000 / (10 * tier.NODE_WORK) < some < 100
        assert calls_until(jumps(200_000, 10), tier.COMPILE, monkeypatch) == some
        assert some < calls_until(jumps(100_000, 40), tier.COMPILE, monkeypatch) < math.inf
        assert calls_until(jumps(100_000, 60), tier.COMPILE, monkeypatch) == math.inf  # would be minutes
        assert calls_until(jumps(100_000, 60), tier.LOAD, monkeypatch) == 1


def test_loops_inside_are_work_of_the_loop_around_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with gb.using("cpu"):
        x = Vector.from_coo([0], [1], size=100_000)
        loop = gb.loop(x, 1)
        for _ in loop:
            for _ in gb.loop(x, 2):
                x << binary.plus(x, 1)
    (inside,) = [node.operands[0] for node in loop.program.nodes if node.op in CONTROL]
    alone = calls_until(loop.program, tier.COMPILE, monkeypatch)
    monkeypatch.setattr(tier, "_done", {})
    calls = 1
    while tier.level(loop.program, 0) < tier.COMPILE:
        tier.level(inside, 0)
        tier.level(inside, 0)
        calls += 1
    assert calls < alone / 2


def test_machine_code_that_is_not_there_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until compiling pays: a pass over a long body takes as long as some of its nodes."""
    lowered = []

    def lower(program: Program, **options: bool) -> Body:
        lowered.append(program)
        return lowering(program, **options)

    @gb.program
    def added_up(x: Vector) -> Vector:
        total = x.dup()
        for _ in gb.loop(total, 3):
            total << binary.plus(total & x)
        return total

    lowering = run.lower
    monkeypatch.setattr(run, "lower", lower)
    monkeypatch.setattr(run, "level", lambda program, first, before=0: tier.LOAD)
    monkeypatch.setattr(compile, "on_disk", lambda text, functions: False)
    with gb.using("cpu"):
        for _ in range(3):
            assert added_up(Vector.from_coo([0], [2], size=3)).to_dict() == {0: 8}
    assert len(lowered) == 1
