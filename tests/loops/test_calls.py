"""Loops of many steps are compiled as many functions, and compute the same; those of few are one function."""

import importlib

import emulated_engine
import pytest
from emulated_engine import CUDA
from loop_cases import check_fused, graphs, made_of
from nested_bodies import NESTED

LATER = [pytest.param(name, marks=pytest.mark.slow) for name in NESTED if name not in ("decided", "phases")]


@pytest.mark.parametrize("name", ["decided", "phases", *LATER])
def test_functions_that_are_called_compute_the_same(to_device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    context, run = (importlib.import_module(f"{CUDA}.fusion.{module}") for module in ("emit_context", "run"))
    monkeypatch.setattr(context, "MANY_STEPS", 0)
    monkeypatch.setattr(run, "_programs", {})
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 2)
    check_fused(NESTED[name], graphs()["directed"], to_device)


def texts(name: str, monkeypatch: pytest.MonkeyPatch, many_steps: int | None = None) -> list[str]:
    def text(passes, body) -> str:
        if many_steps is not None:
            monkeypatch.setattr(importlib.import_module(f"{CUDA}.fusion.emit_context"), "MANY_STEPS", many_steps)
        return passes.kernel_of(body).text

    return list(made_of({name: NESTED[name]}, monkeypatch, text).values())


def test_many_steps_are_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in texts("decided", monkeypatch, many_steps=0):
        assert "#define CALLS true" in text and "part0()" in text
