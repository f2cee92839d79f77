"""Lines of programs, made at random, next to python-graphblas: what calls mean when they come together.

A line is text, so that a difference can be read, and pasted. Operators, types, masks, accumulators of other types,
regions, positional semirings, aggregators and functions of users meet expressions that compute themselves.
"""

from __future__ import annotations

import os
from typing import Any

import graphblas
import numpy as np
import pytest

import grblas_gpu as gb

SIZE = 6
DTYPES = ("BOOL", "INT8", "INT32", "INT64", "UINT8", "UINT64", "FP32", "FP64")
COMPLEX_DTYPES = ("FC32", "FC64", "FC64", "FP64", "INT64", "BOOL")
BINARY = "plus minus times min max first second eq lt ge land lor any truediv rminus".split()
UNARY = "identity ainv abs one lnot".split()
SEMIRINGS = "plus_times min_plus max_first lor_land any_pair plus_pair min_second plus_min max_plus".split()
POSITIONAL = "ss.min_secondi ss.max_secondj ss.min_firstj ss.plus_firsti1".split()
AGGREGATORS = "sum min max count mean count_nonzero exists L1norm ss.first ss.last_index ss.argmin".split()
ACCUMS = ["", *(f"binary.{name}" for name in "plus min first second minus times gt truediv max".split())]
CALLS = int(os.environ.get("FUZZ_CALLS", "2000"))


class Lines:
    """Draws lines: each method gives the text of one sort of expression."""

    def __init__(self, rng: np.random.Generator, complex_too: bool = False) -> None:
        self.rng = rng
        self.numbers = ["0", "1", "2", "3", "0.5", "True", "v.reduce(monoid.max)", "u[0]"]
        self.unary = UNARY
        if complex_too:
            self.numbers += ["2j", "1 - 1j", "v.reduce(monoid.plus)"]
            self.unary = [*UNARY, "conj", "creal", "cimag", "carg", "abs", "sqrt", "minv"]

    def one(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def vector(self, depth: int = 2) -> str:
        if depth == 0:
            return self.one("u", "v", "A[1, :]", "A[:, 2]", "u[[3, 1, 0, 5, 2, 2]]", "v[::-1]")
        x, y = self.vector(depth - 1), self.vector(depth - 1)
        return self.one(
            f"({x} {self.one('+', '-', '*')} {y})",
            f"binary.{self.one(*BINARY)}(({x}) {self.one('|', '&')} ({y}))",
            f"unary.{self.one(*self.unary)}({x})",
            f"binary.{self.one(*BINARY)}({x}, {self.number()})",
            f"({x}).ewise_union({y}, binary.{self.one('plus', 'minus', 'max')}, {self.number()}, {self.number()})",
            f"semiring.{self.one(*SEMIRINGS, *POSITIONAL)}({self.product(x)})",
            f"({self.matrix(depth - 1)}).reduce_{self.one('row', 'column')}wise(agg.{self.one(*AGGREGATORS)})",
            f"indexunary.{self.one('index', 'valuegt')}({x}, {self.one(0, 1)})",
            f"halve({x})",
            f"apart(({x}) {self.one('|', '&')} ({y}))",
            x,
        )

    def product(self, x: str) -> str:
        return self.one(f"{self.matrix(0)} @ ({x})", f"({x}) @ {self.matrix(0)}")

    def matrix(self, depth: int = 1) -> str:
        if depth == 0:
            return self.one("A", "A.T", "B", "B.T")
        x, y = self.matrix(depth - 1), self.matrix(depth - 1)
        return self.one(
            f"({x} {self.one('+', '*')} {y})",
            f"semiring.{self.one(*SEMIRINGS)}(({x}) @ ({y}))",
            f"unary.{self.one(*self.unary)}({x})",
            f"select.{self.one('tril', 'triu', 'offdiag')}({x})",
            x,
        )

    def number(self) -> str:
        return self.one(*self.numbers)

    def mask(self) -> str:
        return self.one("", "", "m.S", "m.V", "~m.S", "~m.V", "(u > 1).V", "~(v.S)", "(u.S | v.S)", "(m.V & u.S)")

    def line(self) -> str:
        mask, accum = self.mask(), self.one(*ACCUMS)
        replace = self.one("", "replace=True") if mask else ""
        given = ", ".join(filter(None, (mask, accum, replace)))
        call = f"w({given})" if given else "w"
        x = self.vector()
        return self.one(
            f"{call} << {x}",
            f"{call} << {x}",
            f"{call} << {self.number()}",
            f"w({accum})[[4, 0, 2]] << ({x})[[1, 3, 5]]",
            f"w({accum})[1:5] << {self.number()}",
            f"w[[5, 2]](m[[5, 2]].S) << ({x})[:2]",
            f"{call}[:] << {x}",
            f"C({accum}) << {self.matrix(2)}",
            f"C(A.S, {accum or 'replace=True'}) << {self.matrix(2)}",
            f"C({accum})[0, :] << {x}",
            f"C({accum})[[0, 3], 1:4] << ({self.matrix()})[[5, 1], 2:5]",
            f"r = ({x}).reduce(agg.{self.one(*AGGREGATORS)})",
            f"r = ({self.matrix()}).reduce_scalar(agg.{self.one('sum', 'count', 'max', 'mean', 'L1norm')})",
            f"r = ({x}).nvals, ({x}).dtype.name",
            f"r = {x}",
        )


def world(library: Any, seed: int, dtypes: tuple[str, ...] = DTYPES) -> dict[str, Any]:
    """The objects of a line, of random types: the same in both libraries."""
    rng = np.random.default_rng(seed)
    names = "Matrix Vector Scalar binary monoid semiring unary agg select indexunary".split()
    found = {name: getattr(library, name) for name in names} | functions(library)
    for name in "uvwm":
        dtype, index = str(rng.choice(dtypes)), np.flatnonzero(rng.random(SIZE) < 0.6)[: SIZE - 1]
        values = np.array(rng.integers(0, 5, len(index)).tolist()).astype(int)
        values = values + 1j * rng.integers(-2, 3, len(index)) if dtype.startswith("FC") else values
        found[name] = library.Vector.from_coo(index, values, dtype, size=SIZE)
    for name in "ABC":
        dtype, (rows, cols) = str(rng.choice(dtypes)), np.nonzero(rng.random((SIZE, SIZE)) < 0.35)
        values = rng.integers(0, 5, len(rows))
        values = values + 1j * rng.integers(-2, 3, len(rows)) if dtype.startswith("FC") else values
        found[name] = library.Matrix.from_coo(rows, cols, values, dtype, nrows=SIZE, ncols=SIZE)
    return found | {"r": None}


_functions: dict[str, dict[str, Any]] = {}


def functions(library: Any) -> dict[str, Any]:
    """Operators of a user: made once, so that they are compiled once."""
    if library.__name__ not in _functions:
        _functions[library.__name__] = {
            "halve": library.unary.register_anonymous(lambda x: x / 2),
            "apart": library.binary.register_anonymous(lambda x, y: x - y if x > y else y - x),
        }
    return _functions[library.__name__]


def outcome(library: Any, line: str, seed: int, dtypes: tuple[str, ...] = DTYPES) -> Any:
    names = world(library, seed, dtypes)
    try:
        exec(line, names)
        return {name: shown(names[name]) for name in "uvwABCr"}
    except Exception as error:
        return type(error).__name__


def shown(x: Any) -> Any:
    kind = type(x).__name__
    if kind not in ("Vector", "Matrix", "Scalar") and hasattr(x, "new"):
        x = x.new()
        kind = type(x).__name__
    if kind == "Scalar":
        return kind, x.dtype.name, [] if x.is_empty else [x.value]
    if kind in ("Vector", "Matrix"):
        *places, values = x.to_coo()
        order = np.lexsort(places[::-1])
        return kind, x.dtype.name, x.shape, [part[order].tolist() for part in places], values[order].tolist()
    return x


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    for name, mine in ours.items():
        other = theirs[name]
        if mine == other:
            continue
        if not isinstance(mine, tuple) or mine[:-1] != other[:-1] or len(mine[-1]) != len(other[-1]):
            return False
        kind = complex if mine[1].startswith("FC") else float
        values = np.array(mine[-1], kind), np.array(other[-1], kind)
        # of a part that is lost beside the other one nothing can be said, and at poles either part may be NaN
        lost = 1e-5 * np.abs(values[1]).max(initial=0) if kind is complex else 0
        if kind is complex:
            values = tuple(np.where(np.isfinite(value), value, np.nan) for value in values)
        if not np.allclose(*values, rtol=1e-5, atol=lost if lost < np.inf else 0, equal_nan=True):
            return False
    return True


def differences(calls: int, seed: int, dtypes: tuple[str, ...] = DTYPES) -> dict[str, Any]:
    lines = Lines(np.random.default_rng(seed), dtypes is COMPLEX_DTYPES)
    found = {}
    with graphblas.config.set(autocompute=True, mapnumpy=True):
        for number in range(calls):
            line = lines.line()
            ours, theirs = outcome(gb, line, number, dtypes), outcome(graphblas, line, number, dtypes)
            if not same(ours, theirs) and not known(line, ours, theirs):
                found[f"{number}: {line}"] = (ours, theirs)
    return found


def known(line: str, ours: Any, theirs: Any) -> bool:
    """Differences that docs/differences.md tells of, and what is free to be either.

    An element may be assigned to a whole Vector; `any` is one of its operands; and where a mask leaves nothing open,
    SuiteSparse does not look at its operands, while here an empty Scalar is an error in any case.
    """
    if line.endswith(" << u[0]") and theirs == "TypeError" and ours != theirs:
        return True
    return "binary.any(" in line or (ours == "EmptyObject" and "u[0]" in line and ".V" in line)


def test_a_sample() -> None:
    with gb.using("cpu"):
        assert not differences(150, seed=1)


def test_what_was_found() -> None:
    """Lines that once differed: a division that accumulates casts neither operand to integers; large UINT64."""
    lines = [f"w(binary.{name}) << {value}" for name in ("truediv", "rtruediv") for value in ("0.5", "2", "u")]
    lines += ["r = unary.ainv(v).reduce(agg.mean)", "r = unary.ainv(B).reduce_scalar(agg.mean)"]
    with gb.using("cpu"), graphblas.config.set(autocompute=True, mapnumpy=True):
        different = [
            line for line in lines for n in range(25) if not same(outcome(gb, line, n), outcome(graphblas, line, n))
        ]
    assert not different


@pytest.mark.slow
def test_many(backend: str) -> None:
    assert not differences(CALLS, seed=int(os.environ.get("FUZZ_SEED", "2")))


def test_a_sample_with_complex_numbers() -> None:
    with gb.using("cpu"):
        assert not differences(60, 1, COMPLEX_DTYPES)


@pytest.mark.slow
def test_many_with_complex_numbers(backend: str) -> None:
    assert not differences(CALLS, int(os.environ.get("FUZZ_SEED", "2")), COMPLEX_DTYPES)
