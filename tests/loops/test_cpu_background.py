"""Loops on the CPU are compiled by another process: calls run node by node until machine code is on disk."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, binary
from grblas_gpu.backends.cpu import background, tier
from grblas_gpu.backends.cpu.fusion import run
from grblas_gpu.backends.cpu.fusion.tier import COMPILE
from grblas_gpu.backends.machine import kernel_cache

LONG = 120.0  # seconds


@pytest.fixture(autouse=True)
def worth_compiling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Every loop pays at once; no machine code is there, neither in memory nor on disk."""
    monkeypatch.setattr(run, "level", lambda program, first, before=0: COMPILE)
    monkeypatch.setattr(run, "_loops", {})
    monkeypatch.setattr(importlib.import_module("grblas_gpu.backends.cpu.compile"), "_loaded", {})
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    kernel_cache.folder.cache_clear()
    assert tier.get_tier() == "auto"
    with gb.using("cpu"), gb.config.set(compile="auto", loops="recorded"):
        yield
    background.stop()
    kernel_cache.folder.cache_clear()


def doubled(steps: int = 5) -> tuple[list[int], list[str]]:
    """A vector that doubles in each step, and what a trace says about the loop."""
    x = Vector.from_dense(np.arange(6))
    with gb.trace() as trace:
        for _ in gb.loop(x, steps):
            x << binary.plus(x & x)
    return x.to_dense().tolist(), [record.reason for record in trace.records if record.op == "loop"]


EXPECTED = [32 * number for number in range(6)]
NOT_YET = "its machine code is not compiled yet"


def compilation():
    (compiled,) = run._loops.values()
    return compiled.compilation


def test_calls_do_not_wait_and_take_machine_code_over() -> None:
    assert doubled() == (EXPECTED, [NOT_YET])
    end = time.monotonic() + LONG
    while not compilation().done():
        assert time.monotonic() < end
        assert doubled() == (EXPECTED, [NOT_YET]) or compilation().done()
        time.sleep(0.2)
    result, reasons = doubled()
    assert result == EXPECTED and NOT_YET not in reasons
    (compiled,) = run._loops.values()
    assert sum(compiled.kernel.stats.cache_hits.values()) == 1
    assert sum(compiled.kernel.stats.cache_misses.values()) == 0


def test_a_failure_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = background.begin
    monkeypatch.setattr(background, "begin", lambda source, arrays: begin("raise ValueError('an odd program')", arrays))
    assert doubled() == (EXPECTED, [NOT_YET])
    compilation().wait()
    with pytest.warns(UserWarning, match="cannot be compiled in the background: ValueError: an odd program") as warned:
        for _ in range(3):
            assert doubled() == (EXPECTED, [NOT_YET])
    assert len(warned) == 1


def test_calls_wait_if_they_are_told_to() -> None:
    with gb.config.set(compile="wait"):
        result, reasons = doubled()
    assert result == EXPECTED and NOT_YET not in reasons
    (compiled,) = run._loops.values()
    assert compiled.compilation is None and compiled.kernel is not None


def test_there_may_be_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.sys, "executable", "/nowhere/python")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert doubled() == (EXPECTED, [])
    (compiled,) = run._loops.values()
    assert compiled.kernel is not None


def test_one_core_compiles_one_text_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.pool, "threads", lambda: 1)
    assert doubled() == (EXPECTED, [NOT_YET])
    background.begin("kernel = None", [np.zeros(1)])
    assert len(background._compilers) == 1
