"""Lines of programs, made at random, next to python-graphblas: what calls mean when they come together."""

import os
from collections.abc import Callable

import graphblas
import numpy as np
import pytest
from compared_lines import Task, differences, guarded_differences, outcome, same
from fuzzed_lines import COMPLEX, NUMBERS, RECORD, Lines, Palette, RecordLines
from matrix_lines import MatrixLines

import grblas_gpu as gb
from grblas_gpu.api import indexing
from grblas_gpu.backends.cpu.tier import get_tier
from grblas_gpu.backends.stores import formats

CALLS = int(os.environ.get("FUZZ_CALLS", "2000"))
SEED = int(os.environ.get("FUZZ_SEED", "2"))
OF_ONE_PALETTE = 1000  # calls that share operators and types, and so kernels
RECORDS = Palette(dtypes=(RECORD,))
REPEATS = 40  # calls of one line there, with operands of other sizes, values and forms


def many(backend: str, palette: Palette, make: Callable[..., Lines] = Lines, forms_change: bool = False):
    """Where kernels are compiled for operators and types, some hundred lines have some of each."""
    if get_tier() != "numba" and backend != "cuda":
        return guarded_differences(Task(CALLS, SEED, palette, make), backend, forms_change)
    found = {}
    for seed in range(SEED, SEED + -(-CALLS // OF_ONE_PALETTE)):
        few = palette.few(np.random.default_rng(seed)) if palette.dtypes != (RECORD,) else palette
        task = Task(min(CALLS, OF_ONE_PALETTE), seed, few, make, REPEATS)
        found |= guarded_differences(task, backend, forms_change)
    return found


def test_a_sample() -> None:
    with gb.using("cpu"):
        assert not differences(Task(50, 1))


def test_a_sample_with_complex_numbers() -> None:
    with gb.using("cpu"):
        assert not differences(Task(30, 1, COMPLEX))


def test_a_sample_with_records() -> None:
    with gb.using("cpu"):
        assert not differences(Task(30, 1, RECORDS, RecordLines))


def test_what_was_found() -> None:
    """Lines that once differed: a division that accumulates casts neither operand to integers; large UINT64."""
    lines = [f"w(binary.{name}) << {value}" for name in ("truediv", "rtruediv") for value in ("0.5", "2", "u")]
    lines += ["r = unary.ainv(v).reduce(agg.mean)", "r = unary.ainv(B).reduce_scalar(agg.mean)"]
    with gb.using("cpu"), graphblas.config.set(autocompute=True, mapnumpy=True):
        different = [
            line for line in lines for n in range(25) if not same(outcome(gb, line, n), outcome(graphblas, line, n))
        ]
    assert not different


@pytest.mark.parametrize("join", "|&")
def test_any_is_one_of_its_operands(backend: str, join: str, trials: Callable[[int], list[int]]) -> None:
    for number in trials(20):
        line = f"w << binary.any(u {join} v)"
        ours, *either = (
            outcome(library, line.replace("any", name), number)["w"]
            for library, name in ((gb, "any"), (graphblas, "first"), (graphblas, "second"))
        )
        assert all(ours[:-1] == other[:-1] for other in either)
        assert all(value in others for value, *others in zip(ours[-1], *(other[-1] for other in either), strict=True))


@pytest.mark.slow
def test_many(backend: str) -> None:
    assert not many(backend, NUMBERS)


@pytest.mark.slow
def test_many_with_complex_numbers(backend: str) -> None:
    assert not many(backend, COMPLEX)


@pytest.mark.slow
def test_many_with_records(backend: str) -> None:
    assert not many(backend, RECORDS, RecordLines)


@pytest.fixture
def forms_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small matrices, too, change their form by themselves, and short slices are taken for long ones."""
    monkeypatch.setattr(formats, "TINY", 0)
    monkeypatch.setattr(indexing, "LONG_SLICE", 0)


@pytest.mark.usefixtures("forms_change")
def test_a_sample_of_matrices() -> None:
    """In every form: operands, outputs and masks."""
    with gb.using("cpu"):
        assert not differences(Task(60, 1, make=MatrixLines))


@pytest.mark.slow
@pytest.mark.parametrize("palette", [NUMBERS, COMPLEX], ids=["real", "complex"])
def test_many_matrices(backend: str, palette: Palette) -> None:
    assert not many(backend, palette, MatrixLines, forms_change=True)
