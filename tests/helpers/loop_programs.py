"""Random bodies of loops: steps with masks and accumulators, products, sums, gathers, scatters, loops and decisions."""

from collections.abc import Callable
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, indexunary, monoid, select, semiring, unary

Operation = Callable[[dict[str, Any], Any], None]
NAMES = tuple("abcdef")


RINGS = ("plus_times", "min_plus", "any_pair", "max_first", "lor_land", "plus_pair", "min_first", "plus_second")


def target(random: np.random.Generator, out: str, masks: tuple[str, ...] = NAMES):
    """Some mask, accumulator and ``replace``, as text and as options."""
    shares = [0.5, 0.3, 0.05, 0.05, 0.05, 0.05] if masks is NAMES else None  # most steps use the result of a product
    m = str(random.choice(masks, p=shares))
    mask = str(random.choice(["", "", "S", "V", "~S", "~V"]))
    accum = str(random.choice(["", "", "", "", "plus", "second"]))
    replace = bool(mask and random.random() < 0.5)

    def options(v):
        found = {"accum": getattr(binary, accum)} if accum else {}
        if mask:
            shape = getattr(v[m], mask[-1])
            found |= {"mask": ~shape if mask[0] == "~" else shape, "replace": replace}
        return found

    return f"{out}(mask={mask} {m if mask else ''}, accum={accum}, {replace=})", options


def product(random: np.random.Generator) -> tuple[str, Operation]:
    """Some product of a vector and the matrix, or its transpose."""
    x, out = (str(name) for name in random.choice(NAMES, 2))
    text, options = target(random, out)
    ring, direction = str(random.choice(RINGS)), str(random.choice(["push", "pull", "auto"]))
    transposed, left = bool(random.random() < 0.3), bool(random.random() < 0.5)

    def run(v, step) -> None:
        A = v["A"].T if transposed else v["A"]
        v[out](**options(v), direction=direction) << getattr(semiring, ring)(v[x] @ A if left else A @ v[x])

    return f"{text} << {ring} of {x}, {left=}, {transposed=}, {direction}", run


def total(random: np.random.Generator) -> tuple[str, Operation]:
    """Some sum of a vector, which may be empty."""
    x, accum = str(random.choice(NAMES)), str(random.choice(["", "", "plus", "min"]))
    name, allow_empty = str(random.choice(["plus", "min", "max"])), bool(random.random() < 0.5)

    def run(v, step) -> None:
        out = v["k"](getattr(binary, accum)) if accum else v["k"]
        out << v[x].reduce(getattr(monoid, name), allow_empty=allow_empty)

    return f"k({accum}) << {name} of {x}, {allow_empty=}", run


def operation(random: np.random.Generator) -> tuple[str, Operation]:
    """Some step that runs position by position, and how it reads."""
    x, y = random.choice(NAMES, 2, p=[0.5, 0.3, 0.05, 0.05, 0.05, 0.05])
    out = str(random.choice(NAMES, p=[0.1, 0.4, 0.2, 0.1, 0.1, 0.1]))
    parts, options = target(random, out)
    number = int(random.integers(-2, 4))
    expressions = {
        "x": lambda v, step: v[x],
        "number": lambda v, step: number,
        "step + number": lambda v, step: step + number,
        "k": lambda v, step: v["k"],
        "x & y": lambda v, step: binary.plus(v[x] & v[y]),
        "x <= y": lambda v, step: binary.le(v[x] & v[y]),
        "x | y": lambda v, step: monoid.max(v[x] | v[y]),
        "x - y": lambda v, step: binary.minus(v[x] | v[y], left_default=number, right_default=step),
        "-x": lambda v, step: unary.ainv(v[x]),
        "x - number": lambda v, step: binary.minus(v[x], number),
        "step - x": lambda v, step: binary.minus(step, v[x]),
        "i + number": lambda v, step: indexunary.rowindex(v[x], number),
        "x where x > number": lambda v, step: select.valuegt(v[x], number),
        "x where i <= 20": lambda v, step: select.rowle(v[x], 20),
    }
    text = str(random.choice(list(expressions)))

    def run(v, step) -> None:
        v[out](**options(v)) << expressions[text](v, step)

    def clear(v, step) -> None:
        v[out].clear()

    if random.random() < 0.05:
        return f"{out}.clear()", clear
    return f"{parts} << {text} with x={x}, y={y}, number={number}", run


def gather(random: np.random.Generator) -> tuple[str, Operation]:
    """``x[index]``, for an index with all entries or with gaps."""
    x, out, index = (str(random.choice(list(names))) for names in (NAMES, NAMES, "ij"))
    text, options = target(random, out)

    def run(v, step) -> None:
        v[out](**options(v)) << v[x][v[index]]

    return f"{text} << {x}[{index}]", run


def scatter(random: np.random.Generator) -> tuple[str, Operation]:
    """``out[index] << x`` or a number; accumulated if positions may repeat."""
    x, out, index = (str(random.choice(list(names))) for names in (NAMES, NAMES, "ij"))
    m, mask = str(random.choice(NAMES)), str(random.choice(["", "", "S", "V", "~S"]))
    accum = str(random.choice(["plus", "min", "max", "times", *(["any", "minus"] if index == "i" else [])]))
    plain, replace = bool(index == "i" and random.random() < 0.5), bool(mask and random.random() < 0.2)
    number = None if random.random() < 0.7 else int(random.integers(-2, 4))

    def run(v, step) -> None:
        options = {} if plain else {"accum": getattr(binary, accum)}
        if mask:
            shape = getattr(v[m], mask[-1])
            options |= {"mask": ~shape if mask[0] == "~" else shape, "replace": replace}
        v[out](**options)[v[index]] << (v[x] if number is None else number)

    how = f"mask={mask} {m}, accum={'' if plain else accum}, {replace=}"
    return f"{out}({how})[{index}] << {x if number is None else number}", run


def inside(random: np.random.Generator, more=()) -> tuple[str, Operation]:
    """A loop or a decision with some steps inside, which may be nested."""
    kinds = [operation, operation, product, total, gather, scatter, inside, *more]
    made = [kinds[int(random.integers(len(kinds)))](random) for _ in range(int(random.integers(1, 4)))]
    x, number, limit = str(random.choice(NAMES)), int(random.integers(-2, 20)), int(random.integers(0, 4))
    kind = str(random.choice(["loop", "entries", "when", "when entries"]))

    def run(v, step) -> None:
        if kind.startswith("when"):
            again = gb.when(v["k"] > number if kind == "when" else v[x])
        else:
            again = gb.loop(v["always"] if kind == "loop" else v[x], limit)
        for count in again:
            for _, do in made:
                do(v, step if kind.startswith("when") else 2 * count + step)

    head = f"{kind} {x if 'entries' in kind else ''}, k > {number}, limit {limit}:"
    return "\n".join([head, *(f"    {line}" for text, _ in made for line in text.splitlines())]), run


def random_body(seed: int, kinds_of_steps, others=lambda A: {}):
    """Steps of some kinds as text and as a body, whose results are its vectors and the ``others``, by name."""
    random = np.random.default_rng(seed)
    made = [kinds_of_steps[int(random.integers(len(kinds_of_steps)))] for _ in range(int(random.integers(3, 10)))]
    operations = [make(random) for make in made]
    direction = str(random.choice(["push", "pull", "auto"]))
    first, summed = int(random.integers(0, 2)), int(random.integers(0, len(operations)))
    starts = ["full", "alike", "some", "some alike", "empty", "floats"]
    kinds = [str(kind) for kind in random.choice(starts, len(NAMES))]

    def start(kind: str, n: int) -> Vector:
        if kind in ("full", "floats"):
            return Vector.from_dense(np.arange(n) % 5 * (0.5 if kind == "floats" else 1))
        if kind == "alike":
            return Vector.from_scalar(2, n)
        there = np.arange(0, n, 3) if kind.startswith("some") else []
        return Vector.from_coo(there, np.arange(len(there)) % 4 if kind == "some" else 1, int, size=n)

    def body(A: Matrix):
        v = {name: start(kind, A.nrows) for name, kind in zip(NAMES, kinds, strict=True)}
        v |= {"A": A, **(more := others(A))}
        v["a"] = Vector.from_coo([5], [1], int, size=A.nrows)
        always = v["always"] = Vector.from_scalar(1, 3)
        v["k"] = gb.Scalar.from_value(1)
        places = np.arange(A.nrows)
        v["i"] = Vector.from_dense((places * 5 + 2) % A.nrows)  # every position once
        v["j"] = Vector.from_coo(places[::2], places[::2] % 7, size=A.nrows)
        loop = gb.loop(always, 5)
        for step in loop:
            always << step
            for at, (_, run) in enumerate(operations):
                if at == first:
                    v["a"](direction=direction) << semiring.min_first[int](v["a"] @ A)
                if at == summed:
                    v["k"] << v["a"].reduce(monoid.plus, allow_empty=False)
                run(v, step)
        return loop, [v[name] for name in (*NAMES, *more)], v["k"]

    text = [line for line, _ in operations]
    text.insert(first, f"a << a @ A, {direction}")
    return "\n".join([str(kinds), f"sum before {summed}", *text]), body
