"""Hypersparse matrices as small ones: the rows and columns that have an entry are numbered, and engines compute with
the CSR matrix of these numbers. Work and memory are proportional to the entries.

Numbers ascend as the rows and columns do, so entries stay in order. For operators that read positions, the definitions
compute with the original ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import Accum, Engine, Plan, TypedOperator, TypedSemiring
from ..reference import Definitions
from ..stores.counting import pointers
from ..stores.entries import runs
from ..stores.matrix_storage import from_lines
from ..stores.storage import INDEX, INT32_LIMIT, Array, MaskView, MatrixStore, column_type

POINTER_SHARE = 4  # row pointers per entry: more would be most of the memory
SMALL = 2**20  # fewer rows or columns are not numbered

_HOST = Definitions()


class Numbering:
    """The rows or columns in use, in order; all of them if they are few, or if none are named."""

    def __init__(self, size: int, *used: Array) -> None:
        self.size = size
        self.lines: Array | None = None
        self._known: list[tuple[Array, Array]] = []  # arrays of lines, and their numbers
        if size > SMALL and used:
            every = np.concatenate([some.astype(INDEX, copy=False) for some in used])
            if isinstance(every, np.ndarray):
                self.lines, numbers = _numbered(every)
                ends = np.cumsum([len(some) for some in used[:-1]])
                self._known = list(zip(used, np.split(numbers, ends), strict=True))
            else:
                lines = np.sort(every)  # quicker than hashing
                self.lines = lines[runs(lines)]

    @property
    def count(self) -> int:
        return self.size if self.lines is None else len(self.lines)

    def numbers(self, lines: Array) -> Array:
        if self.lines is None:
            return lines
        for known, numbers in self._known:
            if known is lines:
                return numbers
        return np.searchsorted(self.lines, lines)

    def back(self, numbers: Array) -> Array:
        return numbers if self.lines is None else self.lines[numbers]


def _numbered(every: Array) -> tuple[Array, Array]:
    """The distinct ones in order, and the number of each: on a host two thirds faster than searching for all."""
    order = np.argsort(every)
    lines = every[order]
    first = np.ones(len(lines), bool)
    np.not_equal(lines[1:], lines[:-1], out=first[1:])
    numbers = np.empty(len(lines), INDEX)
    numbers[order] = np.cumsum(first) - 1
    return lines[first], numbers


def pointers_fit(*stores: MatrixStore) -> bool:
    """Whether row pointers take no more memory than the operands: numbering all of these takes longer.

    Not if there are too many columns for arrays of their length.
    """
    if any(store.ncols > INT32_LIMIT for store in stores):
        return False
    has = sum(store.nvals + (store.nrows if store.rows is None else len(store.rows)) for store in stores)
    return all(store.rows is None or store.nrows <= POINTER_SHARE * has for store in stores)


def compact(a: MatrixStore, rows: Numbering, cols: Numbering) -> MatrixStore:
    """The matrix of the numbered rows and columns."""
    if a.rows is not None:
        starts = np.zeros(rows.count + 1, INDEX, like=a.indices)
        starts[rows.numbers(a.rows) + 1] = np.diff(a.starts)
        starts = np.cumsum(starts)
    else:
        starts = pointers(rows.numbers(a.row_ids), rows.count)
    indices = cols.numbers(a.indices).astype(column_type(cols.count), copy=False)
    return MatrixStore(rows.count, cols.count, starts, indices, a.values)


def original(t: MatrixStore, rows: Numbering, cols: Numbering) -> MatrixStore:
    """The matrix whose numbered rows and columns are ``t``."""
    return from_lines(rows.size, cols.size, rows.back(t.row_ids), cols.back(t.indices), t.values)


def view_of(mask: MaskView | None, rows: Numbering, cols: Numbering) -> MaskView | None:
    if mask is None:
        return None
    store: Any = mask.store
    return MaskView(compact(store, rows, cols), mask.structure, mask.complement)


def numberings(*stores: MatrixStore | None) -> tuple[Numbering, Numbering]:
    """Of matrices of one shape."""
    some = [store for store in stores if store is not None]
    rows = Numbering(some[0].nrows, *(_rows(store) for store in some))
    return rows, Numbering(some[0].ncols, *(store.indices for store in some))


def _rows(a: MatrixStore) -> Array:
    return a.row_ids if a.rows is None else a.rows


def _columns(a: MatrixStore) -> Array:
    return a.indices


def _store(mask: MaskView | None) -> Any:
    return None if mask is None else mask.store


def mxm(
    engine: Engine, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, plan: Plan
) -> MatrixStore:
    if semiring.binaryop.positional is not None:
        return on_host(engine, "mxm", a, b, semiring, mask, plan=plan)
    rows, inner = Numbering(a.nrows, _rows(a)), Numbering(a.ncols, a.indices, _rows(b))
    cols = Numbering(b.ncols, b.indices)
    left, right, view = compact(a, rows, inner), compact(b, inner, cols), mask
    if mask is not None:  # it may be far larger than the factors: only their rows and columns matter
        cut = engine.extract_matrix(_store(mask), rows.lines, cols.lines)
        view = MaskView(cut, mask.structure, mask.complement)
    t = engine.mxm(left, right, semiring, view, plan=plan)
    return original(t, rows, cols)


def ewise(engine: Engine, method: str, x: MatrixStore, y: MatrixStore, op: TypedOperator, *more: object) -> MatrixStore:
    if op.positional is not None:
        return on_host(engine, method, x, y, op, *more)
    rows, cols = numberings(x, y)
    return original(getattr(engine, method)(compact(x, rows, cols), compact(y, rows, cols), op, *more), rows, cols)


def write(
    engine: Engine, c: MatrixStore, t: MatrixStore, mask: MaskView | None, accum: Accum, replace: bool, masked: bool
) -> MatrixStore:
    if accum is not None and accum.positional is not None:
        return on_host(engine, "write", c, t, mask, accum, replace, masked)
    rows, cols = numberings(c, t, _store(mask))
    small = compact(c, rows, cols), compact(t, rows, cols), view_of(mask, rows, cols)
    return original(engine.write(*small, accum, replace, masked), rows, cols)


def assign(
    engine: Engine,
    c: MatrixStore,
    value: Any,
    index: tuple,
    mask: MaskView | None,
    accum: Accum,
    replace: bool,
    submask: bool,
) -> MatrixStore:
    """``c<m>(I, J) (+)= value``. The value has the shape of the region: its lines are those of an index, or all."""
    if accum is not None and accum.positional is not None:
        return on_host(engine, "assign", c, value, index, mask, accum, replace, submask)
    is_store = type(value) is MatrixStore
    sizes = c.nrows, c.ncols
    if not is_store and (mask is None or mask.complement):
        for part, size in zip(index, sizes, strict=True):
            if part is None and size > SMALL:
                raise MemoryError(f"a value at each of {size} positions of a line")
    whole: list[Any] = [c] if mask is None or submask else [c, mask.store]
    given = ([value] if is_store else []) + ([mask.store] if mask is not None and submask else [])
    axes, region, places = [], [], []
    for lines_of, part, size in zip((_rows, _columns), index, sizes, strict=True):
        used = [lines_of(x) for x in whole]
        axis = Numbering(size, *used, *([lines_of(x) for x in given] if part is None else [part]))
        axes.append(axis)
        region.append(axis if part is None else Numbering(len(part)))
        places.append(None if part is None else axis.numbers(part))
    small_value = compact(value, *region) if is_store else value
    small_mask = view_of(mask, *(region if submask else axes))
    done = engine.assign(compact(c, *axes), small_value, tuple(places), small_mask, accum, replace, submask)
    return original(done, *axes)


def on_host(engine: Engine, method: str, *given: object, **named: object) -> Any:
    """By the definitions, whose keys may have more bits than those of a device."""

    def exported(x: Any) -> Any:
        if type(x) is MatrixStore:
            return engine.export(x)
        if type(x) is MaskView:
            return MaskView(exported(x.store), x.structure, x.complement)
        return tuple(None if part is None else engine.host(part) for part in x) if type(x) is tuple else x

    return engine.adopt(getattr(_HOST, method)(*map(exported, given), **named))
