"""The text of a product in a loop: its operands, the planner's rule for its direction, and the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import compile as programs
from ..runtime.compile import constant, using
from ..runtime.translate import c_type, literal
from .analyse import Analysis
from .direction import rule_text
from .layout import Body, BodyStep, Layout, MaskUse
from .requests import reuses_mask
from .trace import ROW, TRACED

#: Pasted once; the others once for each product.
COMMON = ("prelude.cuh", "team.cuh", "grid.cuh", "slot.cuh", "lists.cuh", "chain.cuh")
FEW = 64  # edges for so many rows that a search has not seen: what a pull finds then is listed
MASK_FLAGS = ("MASKED", "MASK_PRESENT", "MASK_VALUED", "MASK_ISO", "COMPLEMENT")


class Products(Analysis):
    """Writes products."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.layout = Layout(len(self.slots), len(body.variables))
        self.pieces: list[str] = []  # namespaces, one for each operator or product
        self.lines: list[str] = []  # of the body
        self.untouched = True  # nothing that products depend on has changed since the round began
        self.plan_ahead = ""  # of the product that comes first

    def _emit_product(self, at: int, step: BodyStep, counters: str, change: str, note: str, then: str) -> None:
        """A product, and its plan: at the end of the round before, or here if anything comes before it in a round."""
        matrix, vector, _ = self._product_operands(step)
        product = self.products[at]
        u = self.slots[vector.number]
        store = self.matrices[matrix.number]
        mask = self._mask_pieces(step.mask)
        transposed = matrix.transposed == (step.kind == "mxv")  # as runs.py names it: m is the transpose of the store
        names = {
            side: [self._word(side, field, matrix.number, transposed) for field in ("indptr", "indices", "values")]
            for side in ("columns", "rows")
        }
        once = "".join(f", {self._word('once', f, matrix.number)}" for f in ("nrows", "nvals") if store.copies > 1)
        # Where one entry of a row is enough and all count the same, a pull may begin with any of them.
        likeliest = product.structure and product.early_exit and store.copies == 1
        likely = "nullptr"
        if likeliest:
            likely = f"(const p{at}::Column*){self._word('likeliest', '', matrix.number, transposed)}"
        rule = rule_text(step.op, step.desc, product)
        pieces = [
            *product.pieces(store, store.copies > 1),
            constant("FULL", u.full),
            constant("CLOSING", at in self.closing),
            constant("CAN_SCATTER", product.can_scatter),
            constant("LIKELIEST", likeliest),
            constant("REUSES_MASK", reuses_mask(step.desc, step.mask is not None)),
            *mask,
            *rule,
        ]
        pasted = set(COMMON)
        text = programs.paste("loop_mxv.cuh", pasted)
        self.pieces.append(f"namespace p{at} {{\n" + "\n".join(pieces) + f"\n{text}\n}}\n")
        space = f"p{at}"
        U, W = f"S.s{vector.number}", f"S.s{step.out}"

        def arrays(side: str) -> str:
            indptr, indices, values = names[side]
            return (
                f"{{(const {space}::Offset*){indptr}, (const {space}::Column*){indices}, "
                f"(const {space}::MatrixValue*){values}{once}}}"
            )

        mask_text = "{nullptr, nullptr}"
        if step.mask is not None:
            M = f"S.s{step.mask.vector}"
            mask_text = f"{{{M}.flags(), (const {space}::MaskValue*){M}.values()}}"
        nvals, nrows = self._word("nvals", matrix.number), self._word("nrows", matrix.number, transposed)
        allowed = "rows"
        if step.mask is not None:
            count = f"double(S.s{step.mask.vector}.count)"
            allowed = f"rows - {count}" if step.mask.complement else count
        closing = "nullptr"
        if at in self.closing:
            closing = f"S.s{self.closing[at]}.flags()"
            allowed = f"{allowed} - double(S.s{self.closing[at]}.count)"
        # What a search has seen is closed: the open rows have the rest of the edges (if rows have as many as columns).
        searches = step.mask is not None and step.mask.complement and step.mask.structure
        unseen = f"::fmax(0.0, double({nvals} - {U}.edges_seen) - edges)" if searches else f"double({nvals})"
        row = f"trace + (S.step * {len(self.products)} + {list(self.products).index(at)}) * {len(ROW)}"
        few = f"unseen * {FEW} < rows" if searches else "false"
        initial = literal(0 if product.initial is None else product.initial, product.dtype)
        plan = (
            f"            double rows = double({nrows}), entries = double({U}.count), size = double({U}.size);\n"
            f"            double edges = double({self._edges(vector.number, at, nvals)});\n"
            f"            double edges_before = double({U}.edges_before);\n"
            f"            double unseen = {unseen};\n"
            f"            bool push = entries == 0 || {space}::pushes(edges, edges_before, unseen, entries, size, "
            f"!{U}.listed, double({nvals}), {allowed}, rows);\n"
            f"            {space}::make_plan({arrays('columns')}, {U}, {W}, int64(edges), push, {few});\n"
            f"            if (trace && blockIdx.x == 0 && S.step < {TRACED}) {{\n"
            f"                int64* row = {row};\n"
            f"                row[0] = int64(nanoseconds()), row[1] = push, row[2] = {U}.count;\n"
            f"                row[3] = int64(edges), row[4] = int64({allowed});\n"
            f"                row[7] = int64(unseen), row[8] = int64(edges_before), row[9] = !{U}.listed;\n"
            f"            }}\n"
        )
        if self.untouched:
            self.plan_ahead = plan
            planned = ""
        else:
            planned = f"            if (thread() == 0) {{\n{plan}            }}\n            __syncthreads();\n"
        self.untouched = False
        last = at == len(self.body_steps) - 1
        row = row.replace("S.step", "(S.step - 1)") if last else row
        self.lines.append(
            f"        {{\n"
            f"            {space}::Operands operands = {{{arrays('columns')}, {arrays('rows')}, "
            f"{{{U}.flags(), {U}.values()}}, {mask_text}, {closing}, {self._next(step.out, space)}, {likely}}};\n"
            f"{planned}"
            f"            auto then = [&] {{\n"
            f"                if (trace && blockIdx.x == 0 && S.step <= {TRACED - 1 + last}) {{\n"
            f"                    int64* row = {row};\n"
            f"                    row[5] = int64(nanoseconds()), row[6] = {W}.count;\n"
            f"                }}\n"
            f"                {then}\n"
            f"            }};\n"
            f"            {space}::multiply_into(operands, {U}, {W}, {initial}, {counters}, parts, {change}, "
            f"[&] {{ {note} }}, then);\n"
            f"        }}\n"
        )

    def _operand_of(self, at: int) -> int:
        return self._product_operands(self.body_steps[at])[1].number

    def _word(self, *name: Any) -> str:
        return f"given.word[{self.layout.word(*name)}]"

    def _edges(self, vector: int, at: int, nvals: str) -> str:
        """Edges of a vector, counted when it was written, for the first product that it meets; else a guess."""
        if self.slots[vector].edges_of == at or self._same_matrix(self.slots[vector].edges_of, at):
            return f"S.s{vector}.edges"
        return f"(S.s{vector}.count * ({nvals} / (S.s{vector}.size + 1) + 1))"

    def _same_matrix(self, first: int | None, second: int) -> bool:
        return first is not None and self._columns_of(first) == self._columns_of(second)

    def _columns_of(self, at: int) -> Any:
        step = self.body_steps[at]
        matrix, _, _ = self._product_operands(step)
        return matrix.number, matrix.transposed == (step.kind == "mxv")

    def _next(self, number: int, space: str = "") -> str:
        """The offsets of the matrix that a vector meets next, for counting its edges."""
        at = self.slots[number].edges_of
        if at is None:
            return "nullptr" if space else "(const int*)nullptr"
        matrix, transposed = self._columns_of(at)
        offset = c_type(self.matrices[matrix].indptr.dtype)
        return f"(const {offset}*){self._word('columns', 'indptr', matrix, transposed)}"

    def _mask_pieces(self, mask: MaskUse | None) -> list[str]:
        if mask is None:
            return [using("MaskValue", np.dtype(bool)), *(constant(name, False) for name in MASK_FLAGS)]
        slot = self.slots[mask.vector]
        return [
            using("MaskValue", slot.dtype),
            constant("MASKED", True),
            constant("MASK_PRESENT", not slot.full),
            constant("MASK_VALUED", not mask.structure),
            constant("MASK_ISO", slot.iso),
            constant("COMPLEMENT", mask.complement),
        ]
