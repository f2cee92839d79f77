"""Random lines of programs and their objects, the same in grblas_gpu and in python-graphblas.

A line is text, so that a difference can be read, and pasted. Operators, types, masks, accumulators of other types,
regions, positional semirings, aggregators and functions of users meet expressions that compute themselves; vectors and
matrices are stored in every form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from pairs import FORMS, STORAGES, with_form, with_storage

REAL = ("BOOL", "INT8", "INT32", "INT64", "UINT8", "UINT64", "FP32", "FP64")
SIZES = (6, 6, 6, 70)  # 70 flags exceed one word
FILLS = (0.35, 0.35, 0.35, 0.05, 0.8, 1.0)


@dataclass(frozen=True)
class Palette:
    """The operators and types of lines. Kernels are compiled for each, so that many lines must share a few."""

    dtypes: tuple[str, ...] = REAL
    numbers: tuple[str, ...] = ("0", "1", "2", "3", "0.5", "True", "v.reduce(monoid.max)", "u[0]")
    binary: tuple[str, ...] = tuple("plus minus times min max first second eq lt ge land lor truediv rminus".split())
    unary: tuple[str, ...] = tuple("identity ainv abs one lnot".split())
    semirings: tuple[str, ...] = tuple(
        "plus_times min_plus max_first lor_land any_pair plus_pair min_second plus_min max_plus".split()
    )
    positional: tuple[str, ...] = tuple("ss.min_secondi ss.max_secondj ss.min_firstj ss.plus_firsti1".split())
    aggregators: tuple[str, ...] = tuple(
        "sum min max count mean count_nonzero exists L1norm ss.first ss.last_index ss.argmin".split()
    )
    accums: tuple[str, ...] = tuple("plus min first second minus times gt truediv max".split())

    def few(self, rng: np.random.Generator) -> Palette:
        """A subset for one run of lines."""

        def some(choices: tuple[str, ...], count: int) -> tuple[str, ...]:
            return tuple(rng.choice(sorted(set(choices)), min(count, len(set(choices))), replace=False).tolist())

        complex_too = tuple(dtype for dtype in self.dtypes if dtype.startswith("FC"))
        return replace(
            self,
            dtypes=(*some(complex_too, 1), *some(self.dtypes, 2 - bool(complex_too))),
            binary=some(self.binary, 3),
            unary=some(self.unary, 2),
            semirings=some(self.semirings, 2),
            positional=some(self.positional, 1),
            aggregators=some(self.aggregators, 2),
            accums=some(self.accums, 2),
        )


NUMBERS = Palette()
COMPLEX = replace(
    NUMBERS,
    dtypes=("FC32", "FC64", "FC64", "FP64", "INT64", "BOOL"),
    numbers=(*NUMBERS.numbers, "2j", "1 - 1j", "v.reduce(monoid.plus)"),
    unary=(*NUMBERS.unary, "conj", "creal", "cimag", "carg", "abs", "sqrt", "minv"),
)


class Lines:
    """Draws lines: each method gives the text of one sort of expression."""

    def __init__(self, rng: np.random.Generator, palette: Palette = NUMBERS) -> None:
        self.rng = rng
        self.palette = palette

    def one(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def vector(self, depth: int = 2) -> str:
        if depth == 0:
            return self.one("u", "v", "A[1, :]", "A[:, 2]", "u[P]", "v[::-1]")
        x, y, of = self.vector(depth - 1), self.vector(depth - 1), self.palette
        return self.one(
            f"({x} {self.one('+', '-', '*')} {y})",
            f"binary.{self.one(*of.binary)}(({x}) {self.one('|', '&')} ({y}))",
            f"binary.any(({x}) {self.one('|', '&')} ({x}))",  # equal operands, so that the result is unique
            f"unary.{self.one(*of.unary)}({x})",
            f"binary.{self.one(*of.binary)}({x}, {self.number()})",
            f"({x}).ewise_union({y}, binary.{self.one('plus', 'minus', 'max')}, {self.number()}, {self.number()})",
            f"semiring.{self.one(*of.semirings, *of.positional)}({self.product(x)})",
            f"({self.matrix(depth - 1)}).reduce_{self.one('row', 'column')}wise(agg.{self.one(*of.aggregators)})",
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
            f"semiring.{self.one(*self.palette.semirings)}(({x}) @ ({y}))",
            f"unary.{self.one(*self.palette.unary)}({x})",
            f"select.{self.one('tril', 'triu', 'offdiag')}({x})",
            x,
        )

    def number(self) -> str:
        return self.one(*self.palette.numbers)

    def mask(self) -> str:
        return self.one("", "", "m.S", "m.V", "~m.S", "~m.V", "(u > 1).V", "~(v.S)", "(u.S | v.S)", "(m.V & u.S)")

    def line(self) -> str:
        of = self.palette
        mask, accum = self.mask(), self.one("", *(f"binary.{name}" for name in of.accums))
        replaced = self.one("", "replace=True") if mask else ""
        given = ", ".join(filter(None, (mask, accum, replaced)))
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
            f"r = ({x}).reduce(agg.{self.one(*of.aggregators)})",
            f"r = ({self.matrix()}).reduce_scalar(agg.{self.one('sum', 'count', 'max', 'mean', 'L1norm')})",
            f"r = ({x}).nvals, ({x}).dtype.name",
            f"r = {x}",
        )


RECORD = np.dtype([("x", np.int32), ("y", np.float64), ("near", np.int16, (2,))], align=True)


class RecordLines(Lines):
    """The same with records, which have no arithmetic: only user-defined functions, and moves of values."""

    def vector(self, depth: int = 2) -> str:
        if depth == 0:
            return super().vector(0)
        x, y = self.vector(depth - 1), self.vector(depth - 1)
        return self.one(
            f"lower(({x}) {self.one('|', '&')} ({y}))",
            f"binary.{self.one('first', 'second')}(({x}) {self.one('|', '&')} ({y}))",
            f"lower({x}, {self.number()})",
            f"lowest_left({self.product(x)})",
            f"({self.matrix(depth - 1)}).reduce_{self.one('row', 'column')}wise(lowest)",
            f"unary.identity({x})",
            x,
        )

    def matrix(self, depth: int = 1) -> str:
        if depth == 0:
            return super().matrix(0)
        x, y = self.matrix(depth - 1), self.matrix(depth - 1)
        return self.one(
            f"lower(({x}) {self.one('|', '&')} ({y}))",
            f"lowest_left(({x}) @ ({y}))",
            f"select.{self.one('tril', 'triu', 'offdiag')}({x})",
            x,
        )

    def number(self) -> str:
        return self.one("(1, 2.5, (3, 4))", "(7, 0.5, (0, 1))", "u[0]", "v.reduce(lowest)")

    def mask(self) -> str:
        return self.one("", "", "m.S", "~m.S", "~(v.S)", "(u.S | v.S)", "(m.S & u.S)")

    def line(self) -> str:
        mask, accum, x = self.mask(), self.one("", "", "lower"), self.vector()
        given = ", ".join(filter(None, (mask, accum, self.one("", "replace=True") if mask else "")))
        call = f"w({given})" if given else "w"
        return self.one(
            f"{call} << {x}",
            f"{call} << {x}",
            f"{call}[:] << {self.number()}",
            f"w({accum})[[4, 0, 2]] << ({x})[[1, 3, 5]]",
            f"w({accum})[1:5] << {self.number()}",
            f"w[[5, 2]](m[[5, 2]].S) << ({x})[:2]",
            f"C({accum}) << {self.matrix(2)}",
            f"C(A.S, {accum or 'replace=True'}) << {self.matrix(2)}",
            f"C({accum})[0, :] << {x}",
            f"C({accum})[[0, 3], 1:4] << ({self.matrix()})[[5, 1], 2:5]",
            f"r = {self.one('height', 'unary.one')}({x})",
            f"r = semiring.any_pair({self.product(x)})",
            f"r = ({x}).reduce(lowest)",
            f"r = ({x}).reduce(agg.{self.one('count', 'exists', 'ss.first', 'ss.last')})",
            f"r = ({x}).nvals, ({x}).dtype.name",
        )


def world(library, seed: int, dtypes, of_types: int | None = None):
    """The objects of a line, of random types and sizes: the same in both libraries, here in a random form.

    With the same ``of_types`` they have the same types for every seed.
    """
    rng = np.random.default_rng(seed)
    types = np.random.default_rng(seed if of_types is None else of_types)
    ours = library.__name__ == "grblas_gpu"
    size = int(rng.choice(SIZES))
    names = "Matrix Vector Scalar binary monoid semiring unary agg select indexunary ss".split()
    found = {name: getattr(library, name) for name in names} | functions(library)
    for name in "uvwm":
        dtype, index = dtypes[types.integers(len(dtypes))], np.flatnonzero(rng.random(size) < 0.6)[: size - 1]
        vector = library.Vector.from_coo(index, values(rng, len(index), dtype), dtype, size=size)
        storage = str(rng.choice(STORAGES))
        found[name] = with_storage(vector, storage) if ours else vector
    for name in "ABCM":
        dtype = dtypes[types.integers(len(dtypes))]
        rows, cols = np.nonzero(rng.random((size, size)) < rng.choice(FILLS))
        matrix = library.Matrix.from_coo(rows, cols, values(rng, len(rows), dtype), dtype, nrows=size, ncols=size)
        form = str(rng.choice(FORMS))
        found[name] = with_form(matrix, form) if ours else matrix
    return found | {"r": None, "P": rng.integers(0, size, size)}


def values(rng: np.random.Generator, count: int, dtype) -> np.ndarray:
    """Small values, some of them equal; sometimes all are equal."""
    if isinstance(dtype, np.dtype):
        found = np.zeros(count, dtype)
        found["x"], found["y"], found["near"] = rng.integers(0, 9, count), rng.integers(0, 4, count), [[7, 8]]
        found["y"] += found["x"] / 16  # equal values of y occur only in equal records
        return found
    found = rng.integers(0, 5, count) if rng.random() < 0.85 else np.full(count, 2)
    return found + 1j * rng.integers(-2, 3, count) if dtype.startswith("FC") else found


_functions = {}


def functions(library):
    """User-defined operators, created and compiled once."""
    if library.__name__ not in _functions:
        library.dtypes.register_anonymous(RECORD, "RecordOfLines")
        made = {
            "halve": library.unary.register_anonymous(lambda x: x / 2),
            "apart": library.binary.register_anonymous(lambda x, y: x - y if x > y else y - x),
            "height": library.unary.register_anonymous(lambda p: p["y"] + 1, is_udt=True),
            "lower": library.binary.register_anonymous(lambda p, q: p if p["y"] <= q["y"] else q, is_udt=True),
        }
        made["lowest"] = library.monoid.register_anonymous(made["lower"], (2**30, 1e300, 0))
        made["lowest_left"] = library.semiring.register_anonymous(made["lowest"], made["lower"])
        _functions[library.__name__] = made
    return _functions[library.__name__]
