"""Steps of a loop that run in one pass: which they are, and that they do what they do one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import nvrtc
import pytest
from chain_bodies import CHAINS
from emulated_engine import ENGINES, loaded, moved
from loop_cases import graphs, made_of, same

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, binary, indexunary, monoid, select, semiring, unary
from grblas_gpu.backends import registry as backends


@pytest.fixture(params=ENGINES)
def to_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """How a matrix gets to the engine, whose lists are short here: many vectors have too many entries for theirs."""
    with loaded(request.param, monkeypatch, "engine", "fusion.run", "fusion.workspace") as device:
        monkeypatch.setattr(device.workspace, "LEAST_LIST", 4)
        if request.param == "gpu":
            device.run._programs.clear()
        else:
            monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())

        def move(A: Matrix) -> Matrix:
            B = A.to("cuda")
            if request.param != "gpu":
                B._store._transpose = moved(A._store.transposed(), device.to_device)
                B._store._transpose._transpose = B._store
            return B

        with gb.using("cuda"):
            yield move


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_is_its_steps(to_device: Any, name: str, direction: str) -> None:
    A, body = graphs()["directed"], CHAINS[name]
    with gb.using("cpu"):
        expected, results = body(A, 5, direction=direction)
    B = to_device(A)
    for _ in range(2):  # what a loop leaves in its buffers must not show in the next
        loop, found = body(B, 5, direction=direction)
        assert (loop.mode, loop.steps) == ("fused", expected.steps)
        assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found)


# --- any steps at all ------------------------------------------------------------------------------------------------

Operation = Callable[[dict[str, Any], Any], None]
NAMES = tuple("abcdef")


RINGS = ("plus_times", "min_plus", "any_pair", "max_first", "lor_land", "plus_pair", "min_first", "plus_second")


def target(random: np.random.Generator, out: str) -> tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]:
    """Some mask, accumulator and ``replace``, as text and as options."""
    m = str(random.choice(NAMES, p=[0.5, 0.3, 0.05, 0.05, 0.05, 0.05]))  # most steps are about what a product found
    mask = str(random.choice(["", "", "S", "V", "~S", "~V"]))
    accum = str(random.choice(["", "", "", "", "plus", "second"]))
    replace = bool(mask and random.random() < 0.5)

    def options(v: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"accum": getattr(binary, accum)} if accum else {}
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

    def run(v: dict[str, Any], step: Any) -> None:
        A = v["A"].T if transposed else v["A"]
        v[out](**options(v), direction=direction) << getattr(semiring, ring)(v[x] @ A if left else A @ v[x])

    return f"{text} << {ring} of {x}, {left=}, {transposed=}, {direction}", run


def total(random: np.random.Generator) -> tuple[str, Operation]:
    """Some sum of a vector, or of nothing, which may be empty."""
    x, accum = str(random.choice(NAMES)), str(random.choice(["", "", "plus", "min"]))
    name, allow_empty = str(random.choice(["plus", "min", "max"])), bool(random.random() < 0.5)

    def run(v: dict[str, Any], step: Any) -> None:
        out = v["k"](getattr(binary, accum)) if accum else v["k"]
        out << v[x].reduce(getattr(monoid, name), allow_empty=allow_empty)

    return f"k({accum}) << {name} of {x}, {allow_empty=}", run


def operation(random: np.random.Generator) -> tuple[str, Operation]:
    """Some step that runs position by position, and how it reads."""
    x, y = random.choice(NAMES, 2, p=[0.5, 0.3, 0.05, 0.05, 0.05, 0.05])
    out = str(random.choice(NAMES, p=[0.1, 0.4, 0.2, 0.1, 0.1, 0.1]))
    parts, options = target(random, out)
    number = int(random.integers(-2, 4))
    expressions: dict[str, Callable[[dict[str, Any], Any], Any]] = {
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

    def run(v: dict[str, Any], step: Any) -> None:
        v[out](**options(v)) << expressions[text](v, step)

    def clear(v: dict[str, Any], step: Any) -> None:
        v[out].clear()

    if random.random() < 0.05:
        return f"{out}.clear()", clear
    return f"{parts} << {text} with x={x}, y={y}, number={number}", run


def gather(random: np.random.Generator) -> tuple[str, Operation]:
    """``x[index]``, for an index with all entries or with gaps."""
    x, out, index = (str(random.choice(list(names))) for names in (NAMES, NAMES, "ij"))
    text, options = target(random, out)

    def run(v: dict[str, Any], step: Any) -> None:
        v[out](**options(v)) << v[x][v[index]]

    return f"{text} << {x}[{index}]", run


def scatter(random: np.random.Generator) -> tuple[str, Operation]:
    """``out[index] << x`` or a number; where a position may be named twice, accumulated."""
    x, out, index = (str(random.choice(list(names))) for names in (NAMES, NAMES, "ij"))
    m, mask = str(random.choice(NAMES)), str(random.choice(["", "", "S", "V", "~S"]))
    accum = str(random.choice(["plus", "min", "max", "times", *(["any", "minus"] if index == "i" else [])]))
    plain, replace = bool(index == "i" and random.random() < 0.5), bool(mask and random.random() < 0.2)
    number = None if random.random() < 0.7 else int(random.integers(-2, 4))

    def run(v: dict[str, Any], step: Any) -> None:
        options: dict[str, Any] = {} if plain else {"accum": getattr(binary, accum)}
        if mask:
            shape = getattr(v[m], mask[-1])
            options |= {"mask": ~shape if mask[0] == "~" else shape, "replace": replace}
        v[out](**options)[v[index]] << (v[x] if number is None else number)

    how = f"mask={mask} {m}, accum={'' if plain else accum}, {replace=}"
    return f"{out}({how})[{index}] << {x if number is None else number}", run


def inside(random: np.random.Generator) -> tuple[str, Operation]:
    """A loop or a decision with some steps inside, which may be such a thing again."""
    kinds = [operation, operation, product, total, gather, scatter, inside]
    made = [kinds[int(random.integers(len(kinds)))](random) for _ in range(int(random.integers(1, 4)))]
    x, number, limit = str(random.choice(NAMES)), int(random.integers(-2, 20)), int(random.integers(0, 4))
    kind = str(random.choice(["loop", "entries", "when", "when entries"]))

    def run(v: dict[str, Any], step: Any) -> None:
        if kind.startswith("when"):
            again = gb.when(v["k"] > number if kind == "when" else v[x])
        else:
            again = gb.loop(v["always"] if kind == "loop" else v[x], limit)
        for count in again:
            for _, do in made:
                do(v, step if kind.startswith("when") else 2 * count + step)

    head = f"{kind} {x if 'entries' in kind else ''}, k > {number}, limit {limit}:"
    return "\n".join([head, *(f"    {line}" for text, _ in made for line in text.splitlines())]), run


def random_body(seed: int, kinds_of_steps: list[Any]) -> tuple[str, Callable[[Matrix], tuple[Any, list[Any], Any]]]:
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

    def body(A: Matrix) -> tuple[Any, list[Any], Any]:
        v: dict[str, Any] = {name: start(kind, A.nrows) for name, kind in zip(NAMES, kinds, strict=True)}
        v["A"] = A
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
        return loop, [v[name] for name in NAMES], v["k"]

    text = [line for line, _ in operations]
    text.insert(first, f"a << a @ A, {direction}")
    return "\n".join([str(kinds), f"sum before {summed}", *text]), body


@pytest.mark.parametrize("seed", range(6))
def test_any_positions(to_device: Any, seed: int) -> None:
    mode, _ = compare(to_device, seed, [operation])
    assert mode == "fused"


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 100))])
def test_any_steps(to_device: Any, seed: int) -> None:
    """With products and sums between them. What cannot be fused is repeated."""
    compare(to_device, seed, [operation, operation, product, total])


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 100))])
def test_any_gathers(to_device: Any, seed: int) -> None:
    """With gathers and scatters between them."""
    compare(to_device, seed, [operation, product, total, gather, scatter, gather, scatter])


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 100))])
def test_any_loops_inside(to_device: Any, seed: int) -> None:
    """With loops and decisions between them."""
    compare(to_device, seed, [operation, product, total, gather, scatter, inside, inside])


@pytest.mark.parametrize("tens", [0, *(pytest.param(tens, marks=pytest.mark.slow) for tens in range(1, 100))])
def test_any_program_from_its_recording(backend: str, tens: int) -> None:
    """On every engine, ten programs at a time: as a program, and iterated."""
    A = graphs()["directed"].to(backend)
    for seed in range(10 * tens, 10 * tens + 10):
        text, body = random_body(seed, [operation, product, total, gather, scatter, inside])
        with gb.config.set(loops="iterated"):
            _, results, expected = body(A)
        with gb.config.set(loops="recorded"):
            _, found, scalar = body(A)
        assert [x.isclose(y) for x, y in zip(results, found, strict=True)] == [True] * len(found), text
        assert scalar.is_empty == expected.is_empty and (scalar.is_empty or same(expected, scalar)), text


def compare(to_device: Any, seed: int, kinds_of_steps: list[Any]) -> tuple[str, str]:
    """A body of such steps on the device and on the CPU, which iterates: how it ran, and what it was."""
    A = graphs()["directed"]
    text, body = random_body(seed, kinds_of_steps)
    with gb.using("cpu"):
        _, results, expected = body(A)
    loop, found, scalar = body(to_device(A))
    assert [same(x, y) for x, y in zip(results, found, strict=True)] == [True] * len(found), text
    assert scalar.is_empty == expected.is_empty and (scalar.is_empty or same(expected, scalar)), text
    return loop.mode, text


# --- their text ------------------------------------------------------------------------------------------------------


@pytest.fixture
def schedules(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The schedule of every body."""
    return made_of(CHAINS, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body)))


def test_which_steps_are_a_chain(schedules: dict[str, Any]) -> None:
    lengths = {name: [len(chain) for chain in schedule.chains] for name, schedule in schedules.items()}
    assert lengths["relaxed"] == [1, 3]
    assert lengths["buckets"] == [1, 1, 4]
    assert lengths["accumulated"] == [1, 7]
    assert lengths["one_value"] == [1, 6]
    assert lengths["by_position"] == [1, 4, 1, 2]
    assert lengths["levels_backward"] == [4, 1, 2]
    assert lengths["everywhere"] == [1, 8, 1]
    assert lengths["two_sizes"] == [1, 2, 1]
    assert lengths["other_entries"] == [1, 1, 1, 1, 2]
    assert lengths["rows"] == [1, 2, 1, 1, 1]
    assert lengths["complements"] == [1, 1, 1]


def test_a_chain_has_one_barrier(schedules: dict[str, Any]) -> None:
    kinds = [type(item).__name__ for item in schedules["relaxed"].items]
    assert kinds.count("Barrier") == 1  # and one in the product


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
def test_every_chain_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    for program in made_of(CHAINS, monkeypatch, lambda passes, body: passes.kernel_of(body)).values():
        nvrtc.compile_cuda(program.text, nvrtc.ARCHITECTURES[-1], ("-std=c++17",))
