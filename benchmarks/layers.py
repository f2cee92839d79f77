"""Where the microseconds of one level of a search go on the CPU: the same step entered at every layer, bottom to top.

A level is an assignment through the frontier and a masked product. The frontier is the diagonal of a grid, a few
hundred vertices: little work, so that what surrounds it shows.

    python -m benchmarks layers
"""

from __future__ import annotations

from functools import partial

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Vector, generators, semiring
from grblas_gpu.api import updates
from grblas_gpu.backends import interpreter, products
from grblas_gpu.backends.cpu import mxv_call
from grblas_gpu.ir.node import Node
from grblas_gpu.plan import rules

from .common import Table, interleaved, parser

CALLS, ROUNDS = 100, 100


def kernel_of(run):
    """The compiled kernel that ``run`` calls, with its arguments."""
    seen = []

    def watched(kernel, *arguments):
        seen.append((kernel, arguments))
        return kernel(*arguments)

    kernels = dict(mxv_call.kernels)
    mxv_call.kernels.update({key: partial(watched, kernel) for key, kernel in kernels.items()})
    try:
        run()
    finally:
        mxv_call.kernels.update(kernels)
    kernel, arguments = seen[-1]
    return partial(kernel, *arguments)


def layers(side: int = 1000) -> list[tuple[str, float]]:
    """The layers, and the microseconds of a step that enters at each."""
    A, depth = generators.grid_2d(side), side // 2
    distance = np.add.outer(np.arange(side), np.arange(side)).ravel()
    levels = Vector.from_dense(np.where(distance <= depth, distance, -1), missing_value=-1)
    frontier = Vector.from_coo(np.flatnonzero(distance == depth), True, bool, size=side * side)
    after, step = Vector(bool, side * side), semiring.lor_land
    mask, expression = ~levels.S, step(frontier @ A)
    engine, store, typed, view = A._engine, A._store, expression.op, mask.view()
    node = Node(expression.ir_op, after, typed, expression.args, mask, None, True)

    def product():
        plan = rules.CHEAP_PUSH
        return engine.mxv(store, frontier._store, typed, view, transposed=True, flip=True, plan=plan)

    def statement() -> None:
        after(~levels.S, replace=True) << step(frontier @ A)

    def assignment() -> None:
        levels(frontier.S) << depth

    for _ in range(CALLS):  # kernels are compiled after some calls, also for small graphs
        statement()
        assignment()
    calls = {
        "kernel of the product": kernel_of(product),
        "engine: buffers, choice of the kernel, result": product,
        "planner: facts, direction": lambda: products.matvec(node, view),
        "interpreter: write, storage": lambda: interpreter.execute(node),
        "update: checks, the node": lambda: updates.update(after, expression, mask, None, True),
        "statement: mask, infix, operator, expression": statement,
        "assignment, whole": assignment,
        "nvals": lambda: after.nvals,
    }
    times = interleaved(calls, ROUNDS, times=CALLS)
    return [(name, min(found) * 1e6) for name, found in times.items()]


def table(found: list[tuple[str, float]]) -> Table:
    shown = Table("One level of a search, CPU", ["entered at", "us", "of which here"])
    below = 0.0
    for name, taken in found[:6]:
        shown.add(name, taken, taken - below)
        below = taken
    for name, taken in found[6:]:
        shown.add(name, taken, taken)
    shown.add("a level", found[5][1] + sum(taken for _, taken in found[6:]), None)
    return shown


def main(arguments: list[str] | None = None) -> int:
    side = {"type": int, "default": 1000, "help": "vertices on a side of the grid"}
    options = parser("layers", __doc__, side=side).parse_args(arguments)
    with gb.using("cpu"):
        print(table(layers(options.side)))
    return 0
