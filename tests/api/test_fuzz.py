"""Lines of programs, made at random, next to python-graphblas: what calls mean when they come together."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import graphblas
import numpy as np
import pytest
from fuzzed_lines import COMPLEX, NUMBERS, RECORD, Lines, Palette, RecordLines, world
from matrix_lines import MatrixLines

import grblas_gpu as gb
from grblas_gpu.api import indexing
from grblas_gpu.backends import formats
from grblas_gpu.backends.cpu.tier import get_tier

CALLS = int(os.environ.get("FUZZ_CALLS", "2000"))
SEED = int(os.environ.get("FUZZ_SEED", "2"))
OF_ONE_PALETTE = 1000  # calls that share operators and types, and so kernels
REPEATS = 40  # calls of one line there, with operands of other sizes, values and forms


def outcome(
    library: Any, line: str, seed: int, dtypes: tuple[Any, ...] = NUMBERS.dtypes, of_types: int | None = None
) -> Any:
    names = world(library, seed, dtypes, of_types)
    try:
        exec(line, names)
        return {name: shown(names[name]) for name in "uvwABCr"}
    except Exception as error:
        return type(error).__name__


def shown(x: Any) -> Any:
    if isinstance(x, tuple | list):
        return [shown(part) for part in x]
    kind = type(x).__name__
    if kind not in ("Vector", "Matrix", "Scalar") and hasattr(x, "new"):
        x = x.new()
        kind = type(x).__name__
    if kind == "Scalar":
        return kind, x.dtype.name, [] if x.is_empty else [plain(x.value)]
    if kind in ("Vector", "Matrix"):
        *places, values = x.to_coo()
        order = np.lexsort(places[::-1])
        return kind, x.dtype.name, x.shape, [part[order].tolist() for part in places], plain(values[order])
    return x


def plain(values: Any) -> Any:
    """Lists and numbers, whatever the values are: arrays inside of records have no truth value."""
    if getattr(values, "dtype", None) == RECORD:
        values = values.tolist()
    if isinstance(values, (tuple, list)):
        return [plain(each) for each in values]
    return values.tolist() if isinstance(values, np.ndarray) else values


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all(same(mine, theirs[name]) for name, mine in ours.items())
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    either_nan = isinstance(ours, float) and isinstance(theirs, float) and ours != ours and theirs != theirs
    return either_nan or ours == theirs or same_values(ours, theirs)


def same_values(mine: Any, other: Any) -> bool:
    if not isinstance(mine, tuple) or mine[:-1] != other[:-1] or len(mine[-1]) != len(other[-1]):
        return False
    if mine[1] == "RecordOfLines":
        return False
    kind = complex if mine[1].startswith("FC") else float
    values = np.array(mine[-1], kind), np.array(other[-1], kind)
    # of a part that is lost beside the other one nothing can be said, and at poles either part may be NaN
    lost = 1e-5 * np.abs(values[1]).max(initial=0) if kind is complex else 0
    if kind is complex:
        values = tuple(np.where(np.isfinite(value), value, np.nan) for value in values)
    return np.allclose(*values, rtol=1e-5, atol=lost if lost < np.inf else 0, equal_nan=True)


def differences(
    calls: int, seed: int, palette: Palette = NUMBERS, make: Callable[..., Lines] = Lines, repeats: int = 1
) -> dict[str, Any]:
    lines = make(np.random.default_rng(seed), palette)
    found, line = {}, ""
    with graphblas.config.set(autocompute=True, mapnumpy=True), np.errstate(all="ignore"):
        for number in range(1000 * seed, 1000 * seed + calls):
            line = line if number % repeats else lines.line()
            given = line, number, palette.dtypes, number // repeats
            ours, theirs = (outcome(library, *given) for library in (gb, graphblas))
            if not same(ours, theirs) and not known(line, ours, theirs):
                found[str(given)] = (ours, theirs)
    return found


def known(line: str, ours: Any, theirs: Any) -> bool:
    """Differences that docs/differences.md tells of.

    An element may be assigned to a whole Vector; and where a mask leaves nothing open, SuiteSparse does not look at its
    operands, while here an empty Scalar is an error in any case. What python-graphblas repositions is assigned to a
    part of the output.
    """
    if re.search(r"<< \w(\.T)?\.reposition\(", line):
        return True
    if line.endswith(" << u[0]") and theirs == "TypeError" and ours != theirs:
        return True
    return ours == "EmptyObject" and "u[0]" in line and ".V" in line


def many(backend: str, palette: Palette, make: Callable[..., Lines] = Lines) -> dict[str, Any]:
    """Where kernels are compiled for operators and types, some hundred lines have some of each."""
    if get_tier() != "numba" and backend != "cuda":
        return differences(CALLS, SEED, palette, make)
    found = {}
    for seed in range(SEED, SEED + -(-CALLS // OF_ONE_PALETTE)):
        few = palette.few(np.random.default_rng(seed))
        found |= differences(min(CALLS, OF_ONE_PALETTE), seed, few, make, REPEATS)
    return found


def test_a_sample() -> None:
    with gb.using("cpu"):
        assert not differences(90, seed=1)


def test_a_sample_with_complex_numbers() -> None:
    with gb.using("cpu"):
        assert not differences(60, 1, COMPLEX)


def test_a_sample_with_records() -> None:
    with gb.using("cpu"):
        assert not differences(60, 1, Palette(dtypes=(RECORD,)), RecordLines)


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
    assert not differences(CALLS, SEED, Palette(dtypes=(RECORD,)), RecordLines)


@pytest.fixture
def forms_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small matrices, too, change their form by themselves, and short slices are taken for long ones."""
    monkeypatch.setattr(formats, "TINY", 0)
    monkeypatch.setattr(indexing, "LONG_SLICE", 0)


@pytest.mark.usefixtures("forms_change")
def test_a_sample_of_matrices() -> None:
    """In every form: operands, outputs and masks."""
    with gb.using("cpu"):
        assert not differences(60, 1, make=MatrixLines)


@pytest.mark.slow
@pytest.mark.usefixtures("forms_change")
@pytest.mark.parametrize("palette", [NUMBERS, COMPLEX], ids=["real", "complex"])
def test_many_matrices(backend: str, palette: Palette) -> None:
    assert not many(backend, palette, MatrixLines)
