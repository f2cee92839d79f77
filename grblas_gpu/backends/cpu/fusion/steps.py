"""Steps of a loop that the host runs: those with enough work for several threads, and those that are traced.

Every function of a step takes a range of its items. It writes its list to the part that begins where its range does, so
no two threads write to one place; the parts are moved together afterwards.
"""

from __future__ import annotations

import numpy as np

from ....trace import records as trace
from ...programs.steps import REDUCTIONS, overwrites
from ...stores.storage import INDEX
from .. import pool
from ..compile import Kernel, function_of
from ..mxv import chunks
from ..mxv_push import output_ranges
from ..parallel import Chunks, even_chunks
from . import context as c
from .emit_products import reuses
from .memory import Memory
from .trace import record


class Steps:
    """The functions of a loop's steps, on its memory."""

    def __init__(self, memory: Memory, kernel: Kernel) -> None:
        self.memory, self.S, self.arrays = memory, memory.S, memory.arrays
        self.text, self.facts = memory.text, memory.facts
        self._kernel = kernel

    def run(self, at: int) -> None:
        """Run the work of a step; the loop continues after it."""
        if at in self.facts.products:
            self._multiply(at)
        elif self.facts.steps[at].kind in REDUCTIONS:
            self._reduce(at)
        else:
            self._go_over(at)
        self.S[c.AT] += 1

    def _go_over(self, at: int) -> None:
        S, step, done = self.S, self.facts.steps[at], self.text.passes[at]
        by, n, out = int(S[c.BY]), int(S[c.N]), step.out
        if f"l{out}" in done.arguments:  # threads cannot append to one list
            self.memory.set(0, "listed", out)
        arguments = self._arguments(done.arguments, by)
        function, parts = function_of(self._kernel, done.name), even_chunks(n)
        counts = pool.launch(function, parts, *arguments)
        S[c.ALSO] = sum(also for _, also in counts)
        if any(count < 0 for count, _ in counts):  # an index is wrong
            S[c.COUNT] = -1
            return
        entries = self.arrays.get(f"m{out}" if f"m{out}" in done.arguments else f"l{out}")
        if overwrites(step) and entries is not None:
            S[c.COUNT] = _joined(entries, parts, [count for count, _ in counts])
        else:
            S[c.COUNT] = sum(count for count, _ in counts)

    def _arguments(self, names: list[str], by: int) -> list[object]:
        """The arrays of these names; L is the list of the driving vector, and ``listed`` whether there is one."""
        given = dict(self.arrays, L=self.arrays.get(f"l{by}", self.S), listed=by >= 0)
        return [given[name] for name in names]

    def _reduce(self, at: int) -> None:
        S, step, done = self.S, self.facts.steps[at], self.text.passes[at]
        arguments = self._arguments(done.arguments, int(S[c.BY]))
        function = function_of(self._kernel, done.name)
        found = pool.launch(function, even_chunks(int(S[c.N])), *arguments)
        kind = step.op.type.np_type
        totals = [np.array([total], kind) for count, total in found if count]
        S[c.COUNT] = sum(count for count, _ in found)
        if totals:
            total = totals[0]
            for other in totals[1:]:
                total = step.op.binaryop.numpy(total, other)
            if kind.kind == "f":
                self.memory.F[0] = total[0]
            else:
                S[c.RESULT] = total.astype(INDEX)[0]

    def _multiply(self, at: int) -> None:
        S, product, text = self.S, self.facts.products[at], self.text.products[at]
        started = trace.clock()
        heavy = S[c.LOAD] > S[c.HEAVY]
        if S[c.PUSH]:
            self._push(at, text.push, heavy)
        else:
            if not self.memory.get("both", at):
                self.memory.transpose(product.matrix)
            self._pull(at, text.pull, heavy)
        if S[c.TRACED]:
            record(self.memory, at, trace.clock() - started, reuses(self.facts, self.facts.steps[at], product))

    def _push(self, at: int, names: list[str], heavy: bool) -> None:
        product, out = self.facts.products[at], self.facts.steps[at].out
        listed = bool(self.memory.get("listed", product.operand))
        n = self.memory.count(product.operand) if listed else self.memory.sizes[product.operand]
        arguments = [
            *(self.arrays[name] for name in names),
            self.arrays.get(f"l{product.operand}", self.arrays[f"m{out}"]),
        ]
        if not heavy:
            self.S[c.COUNT] = function_of(self._kernel, f"push{at}")(*arguments, listed, 0, n)
            return
        if not listed:  # every thread visits all of it: a list is shorter
            flags = self.arrays.get(f"f{product.operand}")
            arguments[-1] = np.arange(n, dtype=INDEX) if flags is None else np.flatnonzero(flags)
            n = len(arguments[-1])
        store = self.memory.body.matrices[product.matrix]
        ranges = output_ranges(store.transposed() if product.transposed else store, arguments[-1][:n], pool.threads())
        function = function_of(self._kernel, f"part{at}")
        counts = pool.run(lambda part: function(*arguments, True, *part, 0, n), ranges)
        self.S[c.COUNT] = _joined(self.arrays[f"m{out}"], ranges, counts)

    def _pull(self, at: int, names: list[str], heavy: bool) -> None:
        product, step = self.facts.products[at], self.facts.steps[at]
        entries, listed, n = self.arrays[f"m{step.out}"], False, self.memory.get("rows", at)
        if step.mask is not None and not step.mask.complement and self.memory.get("listed", step.mask.vector):
            entries, listed, n = self.arrays[f"l{step.mask.vector}"], True, self.memory.count(step.mask.vector)
        arguments = [*(self.arrays[name] for name in names), entries, listed]
        function = function_of(self._kernel, f"pull{at}")
        parts = [(0, n)]
        if heavy and n:
            side = f"{product.matrix}_{int(not product.transposed)}"
            if len(self.arrays.get(f"h{side}", ())):  # one lookup decides most rows, also long ones
                parts = even_chunks(n)
            else:
                parts = even_chunks(n, 16) if listed else chunks(self.arrays[f"p{side}"], "pull.hybrid")
        counts = pool.launch(function, parts, *arguments)
        self.S[c.COUNT] = _joined(self.arrays[f"m{step.out}"], parts, counts)
        self.memory.set(self.memory.get("pulls", at) + 1, "pulls", at)


def _joined(entries: np.ndarray, parts: Chunks, counts: list[int]) -> int:
    """Parts of a list, each written where its range begins, moved together; the length of all."""
    end = 0
    for (begin, _), count in zip(parts, counts, strict=True):
        if begin != end:
            entries[end : end + count] = entries[begin : begin + count]
        end += count
    return end
