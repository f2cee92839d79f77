"""Operators from functions without a name of their own: programs may make new ones for ever, so they are let go."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

from grblas_gpu import Vector, unary
from grblas_gpu.backends.cpu import tier


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_few_are_kept(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = tier.get_tier()
    monkeypatch.setattr(tier, "MOST_USER_KERNELS", 1)
    v = Vector.from_dense([1.0, 2.0])
    functions, modules = [], set(sys.modules)
    tier.set_tier(name)
    try:
        for k in range(4):
            function = eval(f"lambda x: x * {k} + 1")
            assert v.apply(unary.register_anonymous(function)).new().to_dict() == {0: k + 1, 1: 2 * k + 1}
            functions.append(weakref.ref(function))
            del function
    finally:
        tier.set_tier(before)
    gc.collect()
    assert sum(function() is not None for function in functions) <= 1
    assert sum(name.startswith("grblas_gpu_kernel") for name in set(sys.modules) - modules) <= 1


def test_types_are_found_without_compiling() -> None:
    """The result of an operator is looked up in many types, most of which are never used."""
    op = unary.register_anonymous(lambda x: x + 1)
    assert [op[each].return_type.name for each in ("BOOL", "INT8", "FP32")] == ["INT8", "INT8", "FP32"]
    assert not op._numba_func.overloads
