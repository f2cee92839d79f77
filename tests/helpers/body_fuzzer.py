"""Random bodies of loops as Python programs: each with ``gb.loop``, and as a plain Python loop over single calls.

A program may rebind names, swap objects, keep them in attributes, lists and dictionaries, count, branch, draw random
numbers, look at values, hold loops and ``when``, and leave with ``break``. With ``gb.loop`` it must give the plain
loop's answer, or raise a LoopError.
"""

import random
import re
import types
from collections.abc import Iterator

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, select, semiring
from grblas_gpu.exceptions import LoopError

N = 6
VECTORS = ["x", "y", "f", "o.f", "st['v']"]
ROWS, COLUMNS = [0, 1, 2, 3, 4, 5, 2, 0], [1, 2, 3, 4, 5, 0, 0, 4]

SIMPLE = [  # statements that a loop may run in one kernel
    "{v} << binary.plus({w}, {c})",
    "{v} << binary.plus({w}, {d})",
    "{v} << monoid.max({v} | {w})",
    "{v}({w}.S) << {d}",
    "{v}(~{w}.S, replace=True) << {v}",
    "{v}(binary.plus) << {w}",
    "{v}(~{w}.V, replace=True) << semiring.min_plus({v} @ A)",
    "{v} << semiring.plus_first({w} @ A)",
    "{v} << select.valuelt({v}, {c})",
    "{v} << binary.minus({v} & {w})",
    "z = binary.plus({v}, {c}).new()\n{w} << z",
    "z = {v}.dup()\nz(binary.plus) << {w}\n{v} << z",
    "s << {v}.reduce(monoid.plus)",
    "s << binary.plus(s & 1)\n{v} << binary.plus({v}, s)",
    "m = Vector.from_coo([0, 3], [2, 1], size=6)\nm(binary.plus) << {v}\n{w} << m",
    "q = Scalar.from_value(1)\nq << binary.plus(q & 2)\n{v} << binary.plus({v}, q)",
]
STATE = [  # statements that only Python sees, or sees first
    "{n} = binary.plus({n}, {c}).new()",
    "{n} = monoid.min({n} | {w}).new()",
    "{n} = {n} + {c}",
    "{n} = {n}.dup()",
    "{n}, {p} = {p}, {n}",
    "x, y, f = y, f, x",
    "{n}, {p} = {p}, monoid.plus({n} | {p}).new()",
    "{n} = {p}",
    "o.f = binary.plus(o.f, {c}).new()",
    "o.f, {n} = {n}, o.f",
    "o.n += 1",
    "{v} << binary.plus({v}, o.n)",
    "st['k'] += 1",
    "{v} << binary.plus({v}, st['k'])",
    "st['v'] = binary.max(st['v'], {c}).new()",
    "hist.append({v}.dup())",
    "hist.append({d})",
    "hist.append({v})",
    "{v} << hist[-1]",
    "k += 1",
    "k = {d}",
    "k = k * 2 + 1",
    "{v} << binary.plus({v}, k)",
    "{v} << k",
    "s = (s + 1).new()",
    "s = Scalar.from_value(s.value + 1)",
    "s = Scalar.from_value({d})",
    "{v} << binary.plus({v}, int(rng.integers(0, 1000)))",
    "{v} << binary.plus({v}, next(it))",
    "last = {d}",
    "if k == 2: break",
    "if k % 2: {v} << binary.plus({v}, 7)",
    "if {v}.nvals > 4: {v} << 1",
    "if {d} > 1: break",
    "if flag: {v} << binary.plus({v}, 3)",
    "if st['k'] > 1: break",
    "if o.n == 1: continue",
    "if s.value == 3: break",
    "k = len(hist)",
    "g = lambda a: a + k\n{v} << binary.plus({v}, g({c}))",
    "helper({v})",
    "count()",
    "{v} << table[k % 3]",
    "{v} << binary.plus({v}, table[{d} % 3])",
    "{v} << {v}.reduce(monoid.max).new()",
    "break",
]
CONDITIONS = ["x", "y", "s", "s < 9", "o.f", "ABOVE(x)"]


def write(seed: int) -> str:
    """The source of a program."""
    draw = random.Random(seed)
    lines = [f"w = {draw.choice(['x', 'y', 'None'])}"]
    lines += _loop(draw, "d", 0, draw.choice([0.1, 0.3, 0.5]))
    return "\n".join(lines)


def _loop(draw: random.Random, number: str, depth: int, share: float) -> list[str]:
    condition, limit = draw.choice(CONDITIONS), draw.choice([0, 1, 2, 3, 4, 7, 12] if depth == 0 else [1, 2, 3])
    head = f"for {number} in LOOP({condition}, {limit}):"
    if depth == 0 and draw.random() < 0.06:
        head = f"for {number}, _ in enumerate(LOOP({condition}, {limit})):"
    elif depth and draw.random() < 0.4:
        head = f"for _ in WHEN({condition}):"
    body: list[str] = []
    for _ in range(draw.randint(1, 4 if depth == 0 else 2)):
        if depth < 2 and draw.random() < 0.15:
            body += _loop(draw, draw.choice("eeed"), depth + 1, share)
            continue
        template = draw.choice(STATE if draw.random() < share else SIMPLE)
        body += _fill(draw, template, "d" if depth == 0 else draw.choice("d" + number)).split("\n")
    return [head, *("    " + line for line in body)]


def _fill(draw: random.Random, template: str, number: str) -> str:
    v, w = draw.choice(VECTORS), draw.choice(VECTORS)
    n, p = draw.sample(["x", "y", "f"], 2)
    return template.format(v=v, w=w, n=n, p=p, c=draw.randint(0, 5), d=number)


class Plain:
    """``gb.loop`` as a plain Python loop: it checks the condition before every step, for at most ``limit`` steps."""

    def __init__(self, condition, limit: int | None = None) -> None:
        self.condition, self.limit = condition, limit

    def __iter__(self) -> Iterator[int]:
        step = 0
        while (self.limit is None or step < self.limit) and _holds(self.condition):
            yield step
            step += 1


def _holds(condition) -> bool:
    if callable(condition) and not isinstance(condition, (Vector, Matrix, Scalar)):
        return bool(condition())
    now = condition.new() if hasattr(condition, "new") else condition
    return bool(now.nvals) if now.ndim else bool(now.value)


class Loops:
    """``gb.loop``, or plain loops; it notes the loops that it creates, unseen by the recorder."""

    __slots__ = ("kind", "made")

    def __init__(self, kind=gb.loop) -> None:
        self.kind, self.made = kind, []  # type: ignore[var-annotated]

    def __call__(self, *arguments):
        self.made.append(self.kind(*arguments))
        return self.made[-1]


def run(source: str, loop: Loops):
    """The variables of a program after it has run, as plain values; or the error that it raised."""
    loops = loop.kind is gb.loop
    calls = [0]

    def count() -> None:
        calls[0] += 1

    def helper(v) -> None:
        v(binary.plus) << 1

    x = Vector.from_coo([0, 2, 3], [1, 4, 2], int, size=N)
    variables = {
        "A": Matrix.from_coo(ROWS, COLUMNS, [1, 2, 1, 3, 1, 2, 1, 1], nrows=N, ncols=N),
        "x": x,
        "y": Vector.from_scalar(2, N, int),
        "f": Vector.from_coo([1, 5], [3, 0], int, size=N),
        "o": types.SimpleNamespace(f=Vector.from_coo([4], [5], int, size=N), n=0),
        "st": {"k": 0, "v": Vector.from_dense([3, 1, 2, 0, 5, 4])},
        "hist": [Vector.from_scalar(1, N, int)],
        "k": 0,
        "s": Scalar.from_value(2),
        "rng": np.random.default_rng(1),
        "it": iter(range(5, 100)),
        "flag": True,
        "table": [4, 4, 9],
        "last": None,
        "count": count,
        "helper": helper,
        "calls": calls,
        "LOOP": loop,
        "WHEN": gb.when if loops else lambda condition: Plain(condition, 1),
        "ABOVE": lambda v: (
            v.reduce(monoid.max) < 30 if loops else lambda: bool((v.reduce(monoid.max).new() < 30).new())
        ),
        "Vector": Vector,
        "Scalar": Scalar,
        "binary": binary,
        "monoid": monoid,
        "semiring": semiring,
        "select": select,
    }
    names = ["x", "y", "f", "w", "o", "st", "hist", "k", "s", "last", "d", "e", "rng", "it", "calls"]
    text = f"def program({', '.join(variables)}):\n"
    text += "".join(f"    {line}\n" for line in ["d = e = 0", *source.split("\n")])
    text += f"    return {', '.join(names)}\n"
    namespace = {}
    exec(compile(text, f"<{'gb.loop' if loops else 'plain'}>", "exec"), namespace)
    try:
        return [_plain(value) for value in namespace["program"](**variables)]
    except LoopError as error:
        return error
    except Exception as error:
        return type(error)


def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, types.SimpleNamespace):
        return _plain(vars(value))
    if isinstance(value, np.random.Generator):
        return value.integers(0, 1 << 30)
    if hasattr(value, "__next__"):
        return next(value)
    role = getattr(value, "_role", None)
    if role is not None:
        now = value.new() if role != "object" else value
        return (str(now.dtype), now.to_dict() if now.ndim else now.value)
    return value if value is None else int(value)


def differs(seed: int, *backends: str) -> tuple[str | None, list[str]]:
    """The error of a program, or None; and how its loops ran or were refused."""
    source = write(seed)
    with gb.using("numpy"):
        expected = run(source, Loops(Plain))
    ways = []
    for backend in backends:
        with gb.using(backend):
            loops = Loops()
            found = run(source, loops)
        if isinstance(found, LoopError):
            ways.append("refused")
            if not re.match(r"[^:]+:[1-9]\d*: ", str(found)):
                return f"seed {seed} on {backend}: no line in {found}\n{source}", ways
            continue
        ways.append(loops.made[0].mode)
        if found != expected:
            return f"seed {seed} on {backend}:\n{source}\nplain   {expected}\ngb.loop {found}", ways
    return None, ways
