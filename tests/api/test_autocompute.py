"""Expressions that compute themselves: lines of programs for python-graphblas, as they stand, mean the same here."""

from pathlib import Path

import graphblas
import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, binary, config
from grblas_gpu.ir import ops

#: One line each, of the objects that `objects` makes; `r` is what is compared, next to the objects themselves.
LINES = (Path(__file__).parent / "autocompute_lines.txt").read_text().splitlines()


def objects(library):
    names = "Matrix Vector Scalar binary monoid semiring unary agg select".split()
    return {name: getattr(library, name) for name in names} | {
        "gb": library,
        "A": library.Matrix.from_coo([0, 0, 1, 2, 3], [1, 2, 3, 0, 2], [1, 2, 3, 4, 5], nrows=4, ncols=4),
        "B": library.Matrix.from_coo([0, 1, 1, 2, 3], [1, 2, 3, 3, 0], [1.5, 2, 3, 4, 5], nrows=4, ncols=4),
        "v": library.Vector.from_coo([0, 1, 3], [3, 1, 2], size=4),
        "w": library.Vector.from_coo([1, 2, 3], [10, 1, 4], size=4),
        "s": library.Scalar.from_value(3),
        "r": None,
    }


def shown(x):
    """An object of either library as something to compare."""
    kind = type(x).__name__
    if kind in ("Vector", "Matrix"):
        return kind, x.shape, x.dtype.name, [part.tolist() for part in x.to_coo()]
    if kind == "Scalar":
        return kind, x.dtype.name, x.value
    if hasattr(x, "new"):
        return shown(x.new())
    return (kind, shown(x.parent)) if hasattr(x, "parent") else repr(x)


def outcome(library, line: str):
    world = objects(library)
    try:
        exec(line, world)
    except Exception as error:
        return type(error).__name__
    return [shown(world[name]) for name in ("A", "B", "v", "w", "s", "r")]


@pytest.fixture
def defaults():
    """python-graphblas as `import graphblas` gives it."""
    with graphblas.config.set(autocompute=True, mapnumpy=True):
        yield


@pytest.mark.backends("numpy", "cpu", "cuda")  # nothing here depends on how a kernel is made
def test_lines_mean_the_same(backend: str, defaults: None) -> None:
    different = {}
    for line in LINES:
        ours, theirs = outcome(gb, line), outcome(graphblas, line)
        if ours != theirs and theirs != "ModuleNotFoundError":  # python-graphblas needs more for some of them
            different[line] = {"ours": ours, "theirs": theirs}
    assert not different


def body(library, v, w) -> None:
    v << (v + w) * 2
    v(v > 50) << 1
    w << library.select.valuegt(w - 1, 0)


def operands(library):
    return objects(library)["v"], objects(library)["w"]


def run_loop(mode: str, condition):
    v, w = operands(gb)
    rounds = gb.loop(condition(w), limit=20)
    with config.set(loops=mode):
        for _ in rounds:
            body(gb, v, w)
    return v.to_dict(), w.to_dict(), rounds.steps, rounds.program


def test_expressions_in_a_loop_are_recorded_as_temporaries(backend: str, defaults: None) -> None:
    v, w = operands(graphblas)
    while w.nvals:
        body(graphblas, v, w)
    *iterated, no_program = run_loop("iterated", lambda w: w)
    *recorded, program = run_loop("recorded", lambda w: w)
    assert recorded == iterated == [v.to_dict(), {}, 10]
    assert no_program is None
    assert sum(node.op is ops.CLEAR for node in program.nodes) == 3


def test_a_condition_that_is_an_expression_is_computed_before_every_step(backend: str) -> None:
    for mode in ("iterated", "recorded"):
        assert run_loop(mode, lambda w: binary.minus(w, 1))[2] == 10
        assert run_loop(mode, lambda w: w[[1, 2]])[2] == 10
    with pytest.raises(TypeError, match="condition"):
        gb.loop(Vector(int, 3).S)
