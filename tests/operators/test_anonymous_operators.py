"""Operators from functions without a name of their own: programs may make new ones for ever, so they are let go."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable

import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, unary
from grblas_gpu.backends.cpu import tier


@pytest.mark.parametrize("name", ["numpy", "numba"])
def test_few_are_kept(monkeypatch: pytest.MonkeyPatch, set_tier: Callable[[str], None], name: str) -> None:
    monkeypatch.setattr(tier, "MOST_USER_KERNELS", 1)
    v = Vector.from_dense([1.0, 2.0])
    functions, modules = [], set(sys.modules)
    set_tier(name)
    for k in range(4):
        function = eval(f"lambda x: x * {k} + 1")
        assert v.apply(unary.register_anonymous(function)).new().to_dict() == {0: k + 1, 1: 2 * k + 1}
        functions.append(weakref.ref(function))
        del function
    gc.collect()
    assert sum(function() is not None for function in functions) <= 1
    assert sum(name.startswith("grblas_gpu_kernel") for name in set(sys.modules) - modules) <= 1


def test_types_are_found_without_compiling() -> None:
    """The result of an operator is looked up in many types, most of which are never used."""
    op = unary.register_anonymous(lambda x: x + 1)
    assert [op[each].return_type.name for each in ("BOOL", "INT8", "FP32")] == ["INT8", "INT8", "FP32"]
    assert not op._numba_func.overloads


def test_equal_functions_share_machine_code() -> None:
    """LLVM frees no machine code: operators that a loop makes again must not compile again."""
    v, cache = gb.Vector.from_dense([1.0, 2.0]), "user-defined functions on arrays"

    def applied(k: float) -> list[float]:
        return v.apply(gb.unary.register_anonymous(lambda x: x * 3 + k)).new().to_dense().tolist()

    assert applied(0.5) == [3.5, 6.5]
    before = gb.config.caches()[cache].entries
    for _ in range(20):
        assert applied(0.5) == [3.5, 6.5]
    assert gb.config.caches()[cache].entries == before
    assert applied(1.5) == [4.5, 7.5]
    assert applied(1) == [4.0, 7.0]
    assert all(size.entries <= size.most for size in gb.config.caches().values())


def test_anonymous_operators_are_freed() -> None:
    operator = gb.unary.register_anonymous(lambda x: x * 5 + 1)
    known = weakref.ref(operator)
    gb.Vector.from_dense([1.0]).apply(operator).new()
    del operator
    gc.collect()
    assert known() is None
