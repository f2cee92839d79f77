"""The context of a loop's text: the facts, and where its numbers are.

A loop and the host share two arrays: ``S`` has all integers (the progress of the loop, sizes, Scalars and constants),
``F`` the floats. The name of a vector's array is a letter and the number of the vector: ``f0`` flags, ``v0`` values,
``l0`` list, and the other ones ``g0``, ``w0``, ``m0``. Matrices have ``p0_0`` offsets, ``j0_0`` columns, ``x0_0``
values, ``h0_0`` hubs of rows, and the same with ``_1`` for the transpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...programs.terms import MaskUse, Operand, counted
from ..inline import Inliner, static_cast
from ..mxv_source import Names
from .analyse import Analysis, Product

INT64 = np.dtype(np.int64)

#: The first words of S. ``AT`` is the place in the body: 0 at its beginning, then two for each step, before and after
#: its work. The rest is about that work: how many entries to go over and by whose list, what came of it, the plan.
AT, STEP, LIMIT, WORK, BUDGET, LIGHT, HEAVY, TRACED, N, BY, COUNT, ALSO, PUSH, EDGES, ALLOWED, LOAD, RESULT = range(17)
FIRST = 17

#: Return values of a loop, besides the number of a step (from 1 on) that the host has to run.
DONE, PAUSED = 0, -1
INTERPRET = -2  # and less: the node of that number
TRANSPOSE = 2**20  # and more: the step whose pull needs the other side of its matrix

BUFFERS = (("f", "g"), ("v", "w"), ("l", "m"))


@dataclass
class Context:
    facts: Analysis
    words: dict[tuple, int] = field(default_factory=dict)
    floats: dict[tuple, int] = field(default_factory=lambda: {("result",): 0})
    inliner: Inliner = field(default_factory=Inliner)
    functions: list[str] = field(default_factory=list)

    def word(self, *name: str | int) -> str:
        return f"S[{self.words.setdefault(name, FIRST + len(self.words))}]"

    def cell(self, dtype: np.dtype, *name: str | int) -> str:
        """Where a number of a type is."""
        if dtype.kind == "f":
            return f"F[{self.floats.setdefault(name, len(self.floats))}]"
        return self.word(*name)

    def typed(self, dtype: np.dtype, *name: str | int) -> str:
        """The number, in its type."""
        cell = self.cell(dtype, *name)
        return f"({cell} != 0)" if dtype == bool else static_cast(dtype, cell)

    def stored(self, dtype: np.dtype, value: str, *name: str | int) -> str:
        """The statement that keeps a number of this type."""
        return f"{self.cell(dtype, *name)} = {value if dtype.kind == 'f' else f'np.int64({value})'}"

    def scalar(self, operand: Operand, dtype: np.dtype) -> str:
        """A constant, a Scalar of the loop or arithmetic on the count, in a type."""
        if operand.kind == "count":
            text = counted(operand.arithmetic, lambda name: self.steps(int(name[4:] or 0)), "np.int64({})".format)
            return self.inliner.load(self.inliner.load(f"({text})", INT64, operand.dtype), operand.dtype, dtype)
        return self.inliner.load(self.typed(operand.dtype, operand.kind, operand.number), operand.dtype, dtype)

    def steps(self, number: int) -> str:
        """The count of the loop, or of one inside."""
        return self.word("steps", number) if number else f"S[{STEP}]"

    def present(self, operand: Operand) -> str:
        """Whether there is such a number."""
        return f"({self.word('present', operand.number)} != 0)" if operand.kind == "variable" else "True"

    # ---- vectors -----------------------------------------------------------------------------------------------------

    def count(self, number: int) -> str:
        return self.word("size" if self.facts.slots[number].full else "count", number)

    def has(self, number: int) -> str:
        """Whether a vector has an entry at position i."""
        return "True" if self.facts.slots[number].full else f"f{number}[i]"

    def at(self, number: int) -> str:
        """The value of a vector at position i."""
        return f"v{number}[{'0' if self.facts.slots[number].iso else 'i'}]"

    def opened(self, mask: MaskUse | None) -> str:
        """Whether a mask is open at position i."""
        if mask is None:
            return "True"
        inside = self.has(mask.vector)
        if not mask.structure:
            valued = f"({self.at(mask.vector)} != 0)"
            inside = valued if inside == "True" else f"({inside} and {valued})"
        return f"(not {inside})" if mask.complement else inside

    def arrays(self, number: int, letters: str = "fv") -> list[str]:
        """The arrays that a vector has, of these."""
        slot = self.facts.slots[number]
        missing = ("fglm" if slot.full else "") + ("" if slot.listed else "lm") + ("" if slot.other else "gwm")
        return [f"{letter}{number}" for letter in letters if letter not in missing]

    def side(self, product: Product, push: bool) -> Names:
        """The arrays that a push or a pull reads; those that it does not read have no name."""
        end, u = f"{product.matrix}_{int(product.transposed == push)}", product.operand
        added = product.added is not None
        return Names(
            f"p{end}",
            f"j{end}",
            "" if self.facts.slots[u].full else f"f{u}",
            f"x{end}" if added and product.first else "",
            f"v{u}" if added and product.second else "",
        )

    def hubs(self, product: Product) -> str:
        """The hubs of the rows that a pull reads."""
        return f"h{product.matrix}_{int(not product.transposed)}"


def listing(names: list[str]) -> list[str]:
    """The names, each once."""
    return list(dict.fromkeys(names))
