"""Steps of random loops in which matrices change: products, element-wise steps, parts and elements, new matrices."""

from typing import Any

import numpy as np
from loop_programs import NAMES, Operation, gather, inside, operation, product, scatter, target, total

import grblas_gpu as gb
from grblas_gpu import Matrix, binary, monoid, select, semiring, unary

Objects = dict[str, Any]
MATRICES = ("M", "N")
RINGS = ("min_plus", "any_pair", "plus_pair", "max_first", "plus_times")  # independent of the order of operands


def matrices(A: Matrix) -> Objects:
    """The matrices that the steps change: a copy of the graph, and some of its entries."""
    return {"M": A.dup(int), "N": select.valuegt(A, 5).new(int)}


def changed(random: np.random.Generator) -> tuple[str, Operation]:
    """``out(mask, accum) << expression``, of matrices."""
    x, y, out = (str(name) for name in random.choice(MATRICES, 3))
    text, options = target(random, out, MATRICES)
    number, ring = int(random.integers(-2, 4)), str(random.choice(RINGS))
    expressions = {
        "x": lambda v, step: v[x],
        "x'": lambda v, step: v[x].T,
        "number": lambda v, step: number,
        "step + number": lambda v, step: step + number,
        "k": lambda v, step: v["k"],
        "x y": lambda v, step: getattr(semiring, ring)(v[x] @ v[y]),
        "x y'": lambda v, step: getattr(semiring, ring)(v[x] @ v[y].T),
        "A x": lambda v, step: getattr(semiring, ring)(v["A"] @ v[x]),
        "x & y": lambda v, step: binary.minus(v[x] & v[y]),
        "x | y'": lambda v, step: monoid.max(v[x] | v[y].T),
        "x - y": lambda v, step: binary.minus(v[x] | v[y], left_default=number, right_default=step),
        "i & x": lambda v, step: binary.min(v["i"] & v[x]),
        "-x": lambda v, step: unary.ainv(v[x]),
        "step - x": lambda v, step: binary.minus(step, v[x]),
        "x where x > number": lambda v, step: select.valuegt(v[x], number),
        "x below the diagonal": lambda v, step: select.tril(v[x], number),
        "x of other rows": lambda v, step: v[x][v["i"], :],
        "x of other columns": lambda v, step: v[x][:, ::-1],
        "x moved": lambda v, step: v[x].reposition(number, 1),
        "i times j": lambda v, step: v["j"].outer(v["i"], binary.min),
    }
    name = str(random.choice(list(expressions)))

    def run(v: Objects, step) -> None:
        value = expressions[name](v, step)
        if name in ("number", "step + number", "k") and "mask" not in options(v):
            return  # a full matrix makes all steps slow
        v[out](**options(v)) << value

    return f"{text} << {name} with {x=}, {y=}, {number=}, {ring}", run


def part(random: np.random.Generator) -> tuple[str, Operation]:
    """A line, an element or a block."""
    out, x = (str(name) for name in random.choice(MATRICES, 2))
    row, number = int(random.integers(0, 40)), int(random.integers(-2, 4))
    rows = sorted({int(place) for place in random.integers(0, 40, 3)})
    kinds: dict[str, Operation] = {
        "a row": lambda v, step: v[out][row, :].__lshift__(v["j"]),
        "a row of another": lambda v, step: v[out][row, :].__lshift__(v[x][step, :].new()),
        "a column": lambda v, step: v[out](binary.plus)[:, step].__lshift__(number),
        "an element": lambda v, step: v[out].__setitem__((row, step), number),
        "no element": lambda v, step: v[out].__delitem__((row, rows[0])),
        "no rows": lambda v, step: v[out].__delitem__((rows, slice(None))),
        "a block": lambda v, step: v[out][rows, rows].__lshift__(v[x][rows, rows].new()),
        "a list": lambda v, step: v[out].__setitem__((row, rows), [number] * len(rows)),
        "nothing": lambda v, step: v[out].clear(),
    }
    name = str(random.choice(list(kinds)))
    return f"{out}: {name}, {x=} {row=} {rows=} {number=}", kinds[name]


def read(random: np.random.Generator) -> tuple[str, Operation]:
    """A vector or a Scalar from a changed matrix."""
    x, out, u = str(random.choice(MATRICES)), str(random.choice(NAMES)), str(random.choice(NAMES))
    ring = str(random.choice(RINGS))
    kinds: dict[str, Operation] = {
        "rows": lambda v, step: v[out].__lshift__(v[x].reduce_rowwise(monoid.max)),
        "columns": lambda v, step: v[out].__lshift__(v[x].reduce_columnwise(monoid.plus)),
        "all": lambda v, step: v["k"].__lshift__(v[x].reduce_scalar(monoid.min, allow_empty=False)),
        "product": lambda v, step: v[out].__lshift__(getattr(semiring, ring)(v[u] @ v[x])),
        "pull": lambda v, step: v[out](binary.plus).__lshift__(getattr(semiring, ring)(v[x] @ v[u])),
        "a row": lambda v, step: v[out].__lshift__(v[x][step, :]),
        "a column": lambda v, step: v[out].__lshift__(v[x][:, step]),
    }
    name = str(random.choice(list(kinds)))
    return f"{out} << {name} of {x}, {u=}, {ring}", kinds[name]


def new(random: np.random.Generator) -> tuple[str, Operation]:
    """A matrix that the body creates in every step."""
    x, y, out = (str(name) for name in random.choice(MATRICES, 3))
    masked, empty = bool(random.random() < 0.5), bool(random.random() < 0.3)

    def run(v: Objects, step) -> None:
        made = v[x].dup(clear=empty)
        made(binary.plus) << v[y]
        other = binary.plus(made | v[x]).new(mask=v[y].S if masked else None)
        v[out] << monoid.min(other | made)

    return f"{out} << made of {x}, {y}, {masked=}, {empty=}", run


def decided(random: np.random.Generator) -> tuple[str, Operation]:
    """A loop while a matrix has entries, or a decision by that."""
    x, limit = str(random.choice(MATRICES)), int(random.integers(0, 3))
    once = bool(random.random() < 0.5)
    steps = [STEPS[int(random.integers(len(STEPS)))](random) for _ in range(int(random.integers(1, 3)))]

    def run(v: Objects, step) -> None:
        for count in gb.when(v[x]) if once else gb.loop(v[x], limit):
            for _, do in steps:
                do(v, step if once else count)

    return "\n".join([f"{x} has entries, {once=}, {limit=}:", *(f"    {text}" for text, _ in steps)]), run


def nested(random: np.random.Generator) -> tuple[str, Operation]:
    return inside(random, (changed, part, read, new, decided))


STEPS = [changed, changed, part, read, new, operation]
KINDS_OF_STEPS = [changed, changed, part, read, new, decided, nested, operation, product, total, gather, scatter]
