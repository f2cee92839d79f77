"""The generated code of loops, run by Python: every statement, without the time of a compilation."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from grblas_gpu.backends.cpu.fusion import run

sources: list[str] = []


def interpret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python run the generated code of the CPU engine's loops."""
    monkeypatch.setattr(run, "_loops", {})
    monkeypatch.setattr(run.compile, "load", _load)


def _decorate(function=None, **options):
    return (lambda given: given) if function is None else function


def _load(text: str, functions=None):
    sources.append(text)
    text = text.replace("@summing_kernel", "@kernel")
    namespace = {
        "math": math,
        "np": np,
        "numba": SimpleNamespace(njit=_decorate),
        "kernel": _decorate,
        "U": np.uint64,
        **(functions or {}),
    }
    exec(text, namespace)
    kernel = namespace["kernel"]

    def call(*arguments):
        with np.errstate(all="ignore"):
            return kernel(*arguments)

    call.py_func = kernel  # type: ignore[attr-defined]
    return call
