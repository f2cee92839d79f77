"""What a round of a loop is made of: passes, and the grid barriers between them, as data.

``print(schedule(analyse(body)))`` shows all of it, one line for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent

from ...programs.terms import Operand
from .analyse import Analysis


@dataclass(frozen=True)
class Overwritten:
    """Noted at a barrier: the other buffer is the vector from here on."""

    slot: int
    step: int  # whose counters say so
    listed: str  # C++: whether there is a list
    count: str = ""  # C++, if it need not be looked up

    def __str__(self) -> str:
        return f"s{self.slot} overwritten"


@dataclass(frozen=True)
class Changed:
    """Noted at a barrier: entries came or went in place."""

    slot: int
    step: int

    def __str__(self) -> str:
        return f"s{self.slot} changed"


@dataclass(frozen=True)
class RoundEnds:
    """Noted at a barrier: another round (or part of one), unless the kernel has run for long enough."""

    def __str__(self) -> str:
        return "the round ends"


Note = Overwritten | Changed | RoundEnds


@dataclass(frozen=True)
class Barrier:
    """All blocks wait for each other; then what the notes say holds, and sums are complete."""

    why: str
    notes: tuple[Note, ...] = ()
    sums: tuple[int, ...] = ()  # steps: every block adds up the parts that the blocks have
    decides: bool = False  # on another round

    def __str__(self) -> str:
        said = [*map(str, self.notes), *(f"sum of step {at}" for at in self.sums)]
        return f"grid barrier: {self.why}{'; notes ' if said else ''}{', '.join(said)}"


@dataclass(frozen=True)
class Clean:
    """The old buffer of a vector is cleaned by its list, while what comes next runs."""

    slot: int

    def __str__(self) -> str:
        return f"clean the old buffer of s{self.slot}"


@dataclass(frozen=True)
class Positions:
    """A step that runs position by position, or a chain of them in one pass."""

    steps: tuple[int, ...]
    driver: int | None  # by whose entries; or by all positions
    swapped: tuple[int, ...]  # vectors that go to their other buffers
    one_value: bool = False  # stands for all, also in the copy
    epilogue: int = 0  # the product inside of which it runs, if it does
    overwritten: tuple[int, ...] = ()  # vectors that go there position by position, where a product is the first step
    unwritten: frozenset[int] = frozenset()  # vectors that no other step reads

    @property
    def in_place(self) -> bool:
        """Whether one step changes entries where they are."""
        return len(self.steps) == 1 and not self.swapped and not self.one_value

    def __str__(self) -> str:
        kind = "positions" if len(self.steps) == 1 else "chain"
        by = "all positions" if self.driver is None else f"the entries of s{self.driver}"
        fused = f", fused epilogue of step {self.epilogue}" if self.epilogue else ""
        without = "".join(f", without s{number}" for number in sorted(self.unwritten))
        return f"{kind} {', '.join(map(str, self.steps))} by {by}{fused}{without}"


@dataclass(frozen=True)
class Product:
    """A product. It ends with a barrier of its own, at which the result becomes the vector."""

    step: int
    operand: int
    out: int
    planned_ahead: bool  # push or pull is decided at the barrier before, at the end of the last round
    closing: int | None  # a vector whose entries the mask gets meanwhile
    epilogue: tuple[int, ...]  # the steps that run inside of it, two at most
    notes: tuple[Note, ...]
    decides: bool
    in_shared: bool = False  # a round is nothing else: a short frontier stays in shared memory (lists.cuh)
    keeps_bits: bool = False  # a round is nothing else: a pull leaves bits for the next one (loop_pull_bits.cuh)
    between: tuple[int, ...] = ()  # Scalars that are computed between two levels there
    loop: int = 0  # the number of the loop inside whose rounds these are; 0: the whole
    limit: Operand | None = None  # of that loop

    def __str__(self) -> str:
        when = "at the end of the round before" if self.planned_ahead else "here"
        closing = "" if self.closing is None else f", rows of s{self.closing} closed"
        in_shared = ", in shared memory while short" if self.in_shared else ""
        in_shared += ", with bits" if self.keeps_bits else ""
        notes = ", ".join(map(str, (*self.notes, Overwritten(self.out, self.step, ""))))
        return (
            f"product {self.step} of s{self.operand}, planned {when}{closing}{in_shared}\n"
            f"grid barrier: the result of step {self.step} is complete; notes {notes}"
        )


@dataclass(frozen=True)
class Settle:
    """Several rounds of a loop that may follow edges in any order, from a short frontier (:mod:`.settling`)."""

    product: Product  # that the rounds are made of
    frontier: int
    values: int

    def __str__(self) -> str:
        return f"settle s{self.values} from s{self.frontier}, some hops at once"


@dataclass(frozen=True)
class Reduce:
    step: int
    slot: int
    number: int  # of the sums of a round

    def __str__(self) -> str:
        return f"reduce {self.step} of s{self.slot}, by blocks"


@dataclass(frozen=True)
class Scatter:
    """Entries go where an index says, into the other buffer of a vector; by atomics if several go to one position."""

    step: int
    driver: int | None  # by whose entries; or by all positions
    length: int  # of which vector they are

    def __str__(self) -> str:
        by = "all positions" if self.driver is None else f"the entries of s{self.driver}"
        return f"scatter {self.step} by {by}"


@dataclass(frozen=True)
class Groups:
    """The heaviest groups of rows go to the other buffer of a vector."""

    step: int
    driver: int | None  # whose entries are the rows; or all of them

    def __str__(self) -> str:
        return f"heaviest groups {self.step} of {'all rows' if self.driver is None else f'rows in s{self.driver}'}"


@dataclass(frozen=True)
class Row:
    """A row of a matrix is a list already."""

    step: int

    def __str__(self) -> str:
        return f"row {self.step}"


@dataclass(frozen=True)
class ScalarStep:
    """Every block computes it for itself."""

    step: int

    def __str__(self) -> str:
        return f"scalar {self.step}"


Item = Barrier | Clean | Groups | Positions | Product | Reduce | Row | ScalarStep | Scatter | Settle


def _lines(items: Sequence[Item]) -> str:
    return "\n".join(map(str, items))


@dataclass(frozen=True)
class Part:
    """What runs from one decision to the next: the whole of a loop without others inside, or a piece of it."""

    begins: int  # the step
    ends: int  # the step after it: the "begin" or "end" of a loop inside, or the end of the body
    items: list[Item]
    short_rows: Sequence[Item] = ()  # what runs instead if the matrices have short rows only (chains.with_rows)
    settling: Sequence[Item] = ()  # and from a short frontier, if edges may be followed in any order (settling.py)

    def __str__(self) -> str:
        others = {"with short rows": self.short_rows, "from a short frontier, with short rows,": self.settling}
        instead = (f"\n{name} instead\n{indent(_lines(items), '    ')}" for name, items in others.items() if items)
        return _lines(self.items) + "".join(instead)


@dataclass(frozen=True)
class Schedule:
    facts: Analysis
    chains: Sequence[Sequence[int]]
    parts: Sequence[Part]

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0])
        return "\n".join(f"part {number}\n{indent(str(part), '    ')}" for number, part in enumerate(self.parts))

    @property
    def items(self) -> list[Item]:
        return [item for part in self.parts for item in part.items]

    @property
    def reductions(self) -> int:
        return sum(isinstance(item, Reduce) for item in self.items)
