"""What all parts of a program's text are written with: the facts, the numbers of words, and names for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...programs.steps import CONTROL, product_operands
from ...programs.terms import Arithmetic, Kind, Operand, counted
from ...stores.storage import column_type
from ..runtime.translate import c_type
from .analyse import Analysis, SlotFacts
from .layout import Layout

PER_STEP = 8  # counters
MOST_BLOCKS = 4096  # that a sum may have parts for
#: Loops inside of loops with more steps are compiled as many functions: one with all of them takes a compiler minutes.
MANY_STEPS = 24


@dataclass(frozen=True)
class Context:
    facts: Analysis
    layout: Layout
    pieces: list[str] = field(default_factory=list)  # namespaces, one for each operator or product
    _spaces: dict[str, str] = field(default_factory=dict)  # what each has, and its name
    part: int | None = None  # of the body that is written, if there are several

    @property
    def slots(self) -> Sequence[SlotFacts]:
        return self.facts.slots

    def word(self, *name: str | int) -> str:
        return f"given.word[{self.layout.word(*name)}]"

    def matrix_word(self, side: str, matrix: int, transposed: bool = False, field: str = "") -> int:
        """The number of a word that belongs to a matrix; :mod:`.one_run` says what it has for which side."""
        return self.layout.word("matrix", side, field, matrix, transposed)

    def of_matrix(self, side: str, matrix: int, transposed: bool = False, field: str = "") -> str:
        return f"given.word[{self.matrix_word(side, matrix, transposed, field)}]"

    @property
    def round_ends(self) -> str:
        """What thread 0 of every block does at the end of a round, or of a part, before it decides."""
        step = "++S.step; " if self.part is None else ""
        return step + "++S.tick; S.turn = S.turn == SETS_OF_COUNTERS - 1 ? 0 : S.turn + 1;"

    @property
    def decide(self) -> str:
        return "decide();" if self.part is None else f"after{self.part}(); decide();"

    @property
    def calls(self) -> bool:
        """Whether parts are functions of their own (:mod:`.emit_calls`)."""
        kinds = [step.kind for step in self.facts.steps]
        return Kind.BEGIN in kinds and sum(kind not in CONTROL for kind in kinds) > MANY_STEPS

    def namespace(self, name: str, text: str) -> None:
        """What is called is compiled once for all namespaces that have the same in them."""
        first = self._spaces.setdefault(text, name) if self.calls else name
        piece = f"namespace {name} {{\n{text}\n}}\n" if first == name else f"namespace {name} = {first};\n"
        if piece not in self.pieces:  # a step may be in two versions of a part
            self.pieces.append(piece)

    def scalar(self, operand: Operand, dtype: np.dtype) -> str:
        """A constant, a Scalar of the loop or arithmetic on the count, as a value of a type."""
        name = c_type(dtype)
        if operand.kind == "count":
            return f"cast<{name}>(cast<{c_type(operand.dtype)}>(int64({arithmetic(operand.arithmetic)})))"
        if operand.kind == "variable":
            return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(S.c{operand.number}.bits))"
        word = self.word("constant", operand.number)
        return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(uint64({word})))"

    def columns_of(self, at: int) -> tuple[int, bool]:
        """The matrix of a product as a push reads it: its number, and whether that is the transpose of the store."""
        step = self.facts.steps[at]
        matrix, _, _ = product_operands(step)
        return matrix.number, matrix.transposed == (step.kind == Kind.MXV)

    def is_asynchronous(self, at: int) -> bool:
        """Whether rows of a product see each other's results."""
        desc = self.facts.steps[at].desc
        return desc is not None and desc.settles_at is not None

    def row_type(self, at: int) -> np.dtype:
        """The type for numbers of rows of a product's result."""
        matrix, transposed = self.columns_of(at)
        store = self.facts.matrices[matrix]
        return np.dtype(column_type(store.ncols if transposed else store.nrows))

    def next_offsets(self, number: int, missing: str = "(const int*)nullptr") -> str:
        """The offsets of the matrix that a vector is multiplied by next, for counting its edges."""
        at = self.facts.slots[number].edges_of
        if at is None:
            return missing
        matrix, transposed = self.columns_of(at)
        offset = c_type(self.facts.matrices[matrix].indptr.dtype)
        return f"(const {offset}*){self.of_matrix('columns', matrix, transposed, 'indptr')}"


def arithmetic(tree: Arithmetic) -> str:
    """Arithmetic on the counts of a loop."""
    return counted(tree, "S.{}".format, "int64({}ll)".format)


def counters_of(at: int) -> str:
    return f"counters + {PER_STEP * at}"


def truth(value: bool) -> str:
    return str(value).lower()


def valued(slot: SlotFacts) -> str:
    return truth(not slot.iso)


def filled(slot: SlotFacts) -> str:
    """Whether positions without an entry hold what sums begin with."""
    return truth(slot.filled and not slot.iso)
