"""When a loop on the CPU is loaded, and when it is compiled: the account that it keeps, without running anything."""

import math

import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, binary, indexunary
from grblas_gpu.backends.cpu import compile
from grblas_gpu.backends.cpu.fusion import run, tier
from grblas_gpu.backends.programs.lower import Body
from grblas_gpu.ir.program import Program


class Clock:
    """Of a new account: it goes on when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        for name in ("_done", "_began", "_spent"):
            monkeypatch.setattr(tier, name, {})
        monkeypatch.setattr(tier, "LOAD_WORK", 100_000)
        monkeypatch.setattr(tier, "perf_counter", lambda: self.now)


def calls_until(program: Program, wanted: int, monkeypatch: pytest.MonkeyPatch, seconds: float = 0.0) -> float:
    """How many calls of a loop, each of so many seconds, pay for this, with an account of its own; infinity if it takes
    thousands."""
    clock = Clock(monkeypatch)
    for call in range(1, 2_000):
        if tier.level(program, 0) >= wanted:
            return call
        clock.now += seconds
        tier.end(program)
        clock.now += 1000.0  # between two calls
    return math.inf


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


def test_compiling_is_paid_for_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share of what it takes, and that grows faster than nodes do; the first call waits for other things as well."""
    with gb.using("cpu"):
        some = 1.01 * tier.SHARE * tier.seconds_to_compile(10)
        assert calls_until(jumps(100_000, 10), tier.COMPILE, monkeypatch, some) == 3
        assert calls_until(jumps(100_000, 10), tier.COMPILE, monkeypatch, some / 4.5) == 7
        assert calls_until(jumps(100_000, 40), tier.COMPILE, monkeypatch, some) > 2 + 4
        assert calls_until(jumps(5_000_000, 10), tier.COMPILE, monkeypatch) == math.inf  # large, and done in no time
        assert calls_until(jumps(100_000, 60), tier.COMPILE, monkeypatch, 100.0) == math.inf  # would be minutes
        assert calls_until(jumps(100_000, 60), tier.LOAD, monkeypatch) == 1


def test_a_long_loop_pays_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with gb.using("cpu"):
        program = jumps(100_000, 4)
    clock, answers = Clock(monkeypatch), []
    for first in (0, 32, 64):
        answers.append(tier.level(program, first))
        clock.now += 1.01 * tier.SHARE * tier.FEW_SECONDS
    assert answers == [tier.LOAD, tier.LOAD, tier.COMPILE]


def test_waiting_for_kernels_does_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time for their machine code is not what a loop would save."""
    with gb.using("cpu"):
        program = jumps(100_000, 4)
    clock = Clock(monkeypatch)
    monkeypatch.setattr(compile, "seconds", lambda: clock.now)
    for _ in range(5):
        assert tier.level(program, 0) == tier.LOAD
        clock.now += tier.FEW_SECONDS
        tier.end(program)


def test_what_happens_once_does_not_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as an import. Of a graph that is a hundred times as large the fourth run counts as what it is."""
    with gb.using("cpu"):
        program = jumps(100_000, 4)
    clock = Clock(monkeypatch)
    for seconds in (0.01, 0.01, 100.0, 0.01, 0.01, 1.0, 1.0, 1.0):
        assert tier.level(program, 0) == tier.LOAD
        clock.now += seconds
        tier.end(program)
    assert tier.level(program, 0) == tier.COMPILE


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
