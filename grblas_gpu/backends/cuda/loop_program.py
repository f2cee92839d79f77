"""The program of a loop: one kernel in which a team of blocks repeats the steps of a body (``loop_layout.py``).

Products are the functions of ``kernels/loop_mxv.cuh``, everything else runs position by position
(``kernels/slot.cuh``), over the list of an operand where one has few entries. Steps that read what others wrote are
separated by a meeting of all blocks; passes over all positions need none between them, since the same thread has the
same positions.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np

from ... import planner
from ..storage import MatrixStore
from . import compile as programs
from .compile import binary, constant, index_unary, unary, using
from .loop_layout import Body, BodyStep, Layout, MaskUse, Operand, Unfusable, VectorUse
from .mxv_product import Product
from .translate import body as translated
from .translate import c_type, literal

THREADS = 512  # in a block
BLOCKS = 2  # in a processor: more make meetings slower, and have fewer registers
SOLO_ENTRIES, SOLO_EDGES = 512, 1024  # up to here one block is faster than all, which have to meet
PER_STEP = 8  # counters
MOST_BLOCKS = 4096  # that a sum may have parts for
TIME_SLICE = 200_000_000  # nanoseconds after which the host gets a chance to interrupt
TRACED = 65536  # steps of which a trace tells
COMMON = ("prelude.cuh", "team.cuh", "grid.cuh", "slot.cuh")


class SlotFacts(NamedTuple):
    """How a program stores a vector."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool
    hidden: bool  # nobody sees it outside of the loop
    buffers: int  # 1; 2 if something overwrites it; 3 if its old entries are cleaned meanwhile
    listable: bool
    initial: str  # what its values are where there is no entry, for products that add to them
    edges_of: int | None  # the product whose operand it is


class Program:
    """The text of a kernel, and the words that it wants."""

    def __init__(self, body: Body) -> None:
        self.body_steps = list(body.steps)
        self.uses = list(body.key[2])
        self.layout_vectors = len(self.uses)
        self.matrices = body.matrices
        self.products: dict[int, Product] = {}
        self.pieces: list[str] = []
        self.notes: list[str] = []
        self.posts: list[str] = []
        self.cleans: list[int] = []  # slots whose old buffers are to be cleaned after the next meeting
        self.cleans_now: set[int] = set()  # those that are being cleaned since the last one
        self.lines: list[str] = []
        self.dense_before = False
        self.reductions = 0
        self._lower()
        self.slots = self._analyse()
        self.layout = Layout(len(self.slots), len(body.variables))
        self.variable_types = [scalar.dtype.np_type for scalar in body.variables]
        self.constant_types = [dtype for _, dtype in body.constants]
        self.condition = body.condition
        self.text = self._render()
        #: Words for the run to fill: where each vector's entries come from, and what belongs to matrices.
        self.starts = [self.layout.names.get(("start", number), 0) for number in range(len(self.slots))]
        self.matrix_words = [
            (at, side, *_matrix_word(side, rest))
            for (side, *rest), at in self.layout.names.items()
            if side in ("columns", "rows", "nvals", "nrows")
        ]

    # ---- what the steps need ---------------------------------------------------------------------------------------

    def _lower(self) -> None:
        """Products that do not simply overwrite their output go to a vector of their own first."""
        steps: list[BodyStep] = []
        self.copied: list[int] = []  # where the results of such products go
        for step in self.body_steps:
            if step.kind in ("vxm", "mxv"):
                product = self._product(step, self.uses)
                direct = step.accum is None and (step.mask is None or step.replace)
                if (
                    not direct
                    or product.dtype != self.uses[step.out].dtype
                    or self._other_product(step, steps, product)
                ):
                    temporary = len(self.uses)
                    self.copied.append(step.out)
                    self.uses.append(VectorUse(product.dtype, False, True, True))
                    steps.append(step._replace(out=temporary, accum=None, replace=True))
                    copied = (Operand("vector", temporary),)
                    steps.append(step._replace(kind="copy", op=None, args=copied, desc=None))
                    continue
            steps.append(step)
        self.body_steps = [step for at, step in enumerate(steps) if not _useless(step, steps[at + 1 :])]

    def _other_product(self, step: BodyStep, before: list[BodyStep], product: Product) -> bool:
        """Whether another product, whose sums begin with something else, writes to the same vector."""
        return any(
            other.kind in ("vxm", "mxv")
            and other.out == step.out
            and repr(self._product(other, self.uses).initial) != repr(product.initial)
            for other in before
        )

    def _product(self, step: BodyStep, uses: list[VectorUse], iso: bool | None = None) -> Product:
        matrix, vector, flip = self._product_operands(step)
        store = self.matrices[matrix.number]
        use = uses[vector.number]
        early = True if step.desc is None else step.desc.early_exit
        vector_iso = use.iso if iso is None else iso
        return Product(step.op, store.dtype, store.iso, use.dtype, vector_iso, flip, early)

    @staticmethod
    def _product_operands(step: BodyStep) -> tuple[Operand, Operand, bool]:
        first, second = step.args
        return (first, second, False) if step.kind == "mxv" else (second, first, True)

    def _analyse(self) -> list[SlotFacts]:
        uses, visible = self.uses, len(self.uses) - len(self.copied)
        full = [use.full for use in uses]
        iso = [use.iso for use in uses]
        settled = False
        while not settled:  # take back what a step does not keep, until every step keeps the rest
            settled = True
            for step in self.body_steps:
                if step.kind.startswith("scalar") or step.kind == "reduce":
                    continue
                w = step.out
                if full[w] and not self._keeps_full(step, full):
                    full[w], settled = False, False
                if iso[w] and not self._keeps_iso(step, uses, iso):
                    iso[w], settled = False, False
        products = {at: step for at, step in enumerate(self.body_steps) if step.kind in ("vxm", "mxv")}
        edges_of: dict[int, int] = {}
        initial: dict[int, str] = {}
        self.initial_values: dict[int, Any] = {}
        listable = {step.out for step in self.body_steps if step.kind in ("vxm", "mxv", "row")}
        for at, step in products.items():
            _, vector, _ = self._product_operands(step)
            edges_of.setdefault(vector.number, at)
            product = self.products[at] = self._product(step, uses, iso[vector.number])
            if product.timing_matters and step.desc is not None and step.desc.deterministic:
                raise Unfusable("deterministic=True asks for sums in a fixed order")
            if product.initial is not None:
                initial[step.out] = literal(product.initial, product.dtype)
                self.initial_values[step.out] = product.initial
        double = set(listable)
        grew = True
        while grew:
            grew = False
            for step in self.body_steps:
                swaps = step.kind in _POSITIONWISE and self._overwrites(step) and not full[step.out]
                if swaps and step.out not in double and self._driver(step, listable) is not None:
                    double.add(step.out)
                    listable.add(step.out)
                    grew = True
        self.listable = listable
        self.closing = {at: before for at in products if (before := self._closing(at, full)) is not None}
        self.thirds = {self.body_steps[at].out for at in self.closing}
        return [
            SlotFacts(
                use.dtype,
                full[number],
                iso[number],
                use.written,
                number >= visible,
                (3 if number in self.thirds else 2) if number in double else 1,
                number in listable,
                initial.get(number, f"{c_type(use.dtype)}()"),
                edges_of.get(number),
            )
            for number, use in enumerate(uses)
        ]

    def _keeps_full(self, step: BodyStep, full: list[bool]) -> bool:
        vectors = [full[arg.number] for arg in step.args if arg.kind == "vector"]
        if step.kind in ("vxm", "mxv", "select", "clear", "row"):
            result = False
        elif step.kind in ("add", "union"):
            result = any(vectors)
        else:
            result = all(vectors)  # of nothing for a scalar: it is everywhere
        if step.accum is not None:
            return not (step.replace and step.mask is not None)
        if step.mask is not None:
            return result and not step.replace
        return result

    def _keeps_iso(self, step: BodyStep, uses: list[VectorUse], iso: list[bool]) -> bool:
        """Whether one value still stands for all: what a structural product writes has one value of its own."""
        if step.kind == "clear":
            return True
        if step.accum is not None or (step.mask is not None and not step.replace):
            return False
        if step.kind == "copy":
            source = step.args[0].number
            return iso[source] and uses[source].dtype == uses[step.out].dtype
        if step.kind in ("vxm", "mxv"):
            _, vector, _ = self._product_operands(step)
            return self._product(step, uses, iso[vector.number]).structure
        if step.kind == "row":
            store = self.matrices[step.args[0].number]
            return store.iso and store.dtype == uses[step.out].dtype
        return False

    def _closing(self, at: int, full: list[bool]) -> int | None:
        """The vector whose entries the step before gives to this product's complemented mask.

        ``levels(frontier.S) << depth`` and then ``frontier(~levels.S) << frontier @ A``: the product need not wait for
        the assignment, if it takes the frontier's entries for closed as well.
        """
        step, before = self.body_steps[at], self.body_steps[at - 1] if at else None
        if before is None or before.kind not in ("assign", "copy") or before.accum is not None or before.replace:
            return None
        if step.mask is None or not (step.mask.structure and step.mask.complement) or step.mask.vector != before.out:
            return None
        if before.mask is None or not before.mask.structure or before.mask.complement or full[before.mask.vector]:
            return None
        if before.kind == "copy" and before.args[0].number != before.mask.vector:
            return None
        return None if before.mask.vector == before.out else before.mask.vector

    @staticmethod
    def _overwrites(step: BodyStep) -> bool:
        return step.accum is None and (step.mask is None or step.replace)

    def _driver(self, step: BodyStep, listable: set[int]) -> int | None:
        """A vector outside of whose entries the step changes nothing (or, overwriting, writes nothing)."""
        candidates: list[int] = []
        if step.kind == "clear":
            return step.out if step.out in listable else None
        if step.kind in ("copy", "apply", "apply_left", "apply_right", "apply_index", "select", "mult"):
            candidates = [arg.number for arg in step.args if arg.kind == "vector"]
        masked = [] if step.mask is None or step.mask.complement else [step.mask.vector]
        if self._overwrites(step):
            usable = candidates + masked
        elif step.accum is not None:
            usable = [] if step.replace and step.mask is not None else candidates + masked
        else:
            usable = masked
        return next((number for number in usable if number in listable), None)

    # ---- text ------------------------------------------------------------------------------------------------------

    def _render(self) -> str:
        solo = self._solo_condition()
        self._emit_body()
        pasted: set[str] = set()
        common = "".join(programs.paste(name, pasted) for name in COMMON)
        state = "".join(f"    Slot<{c_type(slot.dtype)}> s{n};\n" for n, slot in enumerate(self.slots))
        variables = "".join(f"    Variable c{n};\n" for n in range(len(self.variable_types)))
        self.counters = max(PER_STEP * (len(self.body_steps) + 1), len(self.slots) + 1)
        prologue, finish = self._prologue(), self._epilogue()
        condition = self._condition()
        kernel = _KERNEL.format(
            threads=THREADS,
            blocks=BLOCKS,
            prologue=prologue,
            condition=condition,
            solo=solo,
            steps="".join(self.lines),
            finish=finish,
            counters=self.counters,
            state_words=self.layout.state_words,
            report_text=self._report(),
            **{name: f"given.word[{self.layout.word(name)}]" for name in WORDS},
        )
        head = (
            f"constexpr int64 SETS_OF_COUNTERS = 3, COUNTERS_IN_SET = {self.counters};\n"
            f"constexpr int64 MOST_BLOCKS = {MOST_BLOCKS};\n"
            f"constexpr uint64 TIME_SLICE = {TIME_SLICE};\n"
            f"struct State {{\n    int64 step, tick, stop, solo;\n{state}{variables}}};\n"
            f"struct Words {{\n    int64 word[{self.layout.size}];\n}};\n"
        )
        return f'{common}#line 1 "generated for a loop"\n{head}{"".join(self.pieces)}{kernel}'

    def _solo_condition(self) -> str:
        """Whether one block may go on alone: everything left to do is on short lists."""
        if self.condition[0] != "entries":
            return "false"
        listed: set[int] = set()
        for step in self.body_steps:
            if step.kind in ("vxm", "mxv"):
                _, vector, _ = self._product_operands(step)
                if vector.number not in self.listable or (step.desc is not None and _forced(step.desc) == "pull"):
                    return "false"
                listed.add(vector.number)
            elif step.kind in _POSITIONWISE:
                driver = self._driver(step, self.listable)
                if driver is None:
                    return "false"
                listed.add(driver)
            elif step.kind == "reduce" and step.args[0].number not in self.listable:
                return "false"
        number = self.condition[1]
        tests = [f"S.s{number}.count <= {SOLO_ENTRIES}"]
        tests += [f"S.s{n}.edges <= {SOLO_EDGES}" for n, slot in enumerate(self.slots) if slot.edges_of is not None]
        tests += [f"(S.s{n}.listed || S.s{n}.count == 0)" for n in sorted(listed)]
        tests += [f"!S.s{n}.dirty" for n, slot in enumerate(self.slots) if slot.buffers > 1]
        return " && ".join(tests)

    def _condition(self) -> str:
        kind, *parts = self.condition
        if kind == "entries":
            return f"S.s{parts[0]}.count > 0"
        if kind == "true":
            return f"{self._scalar(parts[0], np.dtype(bool))}"
        op, (left, right) = parts
        op = getattr(op, "binaryop", op)
        self.pieces.append(f"namespace condition {{\n{binary('op', op)}\n}}\n")
        x, y = self._scalar(left, op.type.np_type), self._scalar(right, op.type2.np_type)
        present = "".join(f" && S.c{part.number}.present" for part in (left, right) if part.kind == "variable")
        return f"(cast<bool>(condition::op({x}, {y})){present})"

    def _scalar(self, operand: Operand, dtype: np.dtype) -> str:
        name = c_type(dtype)
        if operand.kind == "count":
            return f"cast<{name}>(cast<{c_type(operand.dtype)}>(int64({operand.text.replace('step', 'S.step')})))"
        if operand.kind == "variable":
            return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(S.c{operand.number}.bits))"
        word = self.layout.word("constant", operand.number)
        return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(uint64(given.word[{word}])))"

    # steps

    def _emit_body(self) -> None:
        last = len(self.body_steps) - 1
        ends_with_product = last >= 0 and self.body_steps[last].kind in ("vxm", "mxv")
        for at, step in enumerate(self.body_steps):
            self._emit_step(at, step, at == last)
        if not ends_with_product:
            self.lines.append(_TIME)
            self._flush(_ONE_MORE, last=True)
        for step in self.body_steps:  # may the next round begin before the old buffers are clean?
            written = self._writes_other(step)
            if written in self.cleans_now and self.slots[written].buffers == 2:
                self.lines.append("        meet([] {});\n")
                break
            if (step.kind in _POSITIONWISE or step.kind == "reduce") and not self.closing:
                break  # there is a meeting before anything is overwritten

    def _writes_other(self, step: BodyStep) -> int | None:
        if step.kind in ("vxm", "mxv", "row"):
            return step.out
        if step.kind in _POSITIONWISE and self.slots[step.out].buffers > 1 and self._overwrites(step):
            return step.out
        return None

    def _flush(self, note: str = "", last: bool = False) -> None:
        """A meeting of all blocks, if anything is waiting for one."""
        if not (self.notes or self.posts or last):
            return
        notes = " ".join([*self.notes, note])
        self.lines.append(f"        meet([&] {{ {notes} }});\n")
        self._posts()

    def _posts(self) -> None:
        self.lines += self.posts
        self.cleans_now = set(self.cleans)
        for number in self.cleans:
            slot = self.slots[number]
            self.lines.append(f"        clean_by_list<{_valued(slot)}>(S.s{number}, {slot.initial});\n")
        self.notes, self.posts, self.cleans = [], [], []
        self.dense_before = False

    def _emit_step(self, at: int, step: BodyStep, last: bool) -> None:
        self.lines.append(f"        // step {at}, line {step.line}: {step.kind}\n")
        counters = f"counters + {PER_STEP * at}"
        if step.kind in ("vxm", "mxv"):
            if at not in self.closing or len(self.notes) > 1 or self.posts:
                self._flush()
                self.closing.pop(at, None)
            if step.out in self.cleans_now and self.slots[step.out].buffers == 2:
                self.lines.append("        meet([] {});\n")
            if last:
                self.lines.append(_TIME)
            notes = " ".join(self.notes)
            self._emit_product(at, step, counters, f"{notes} {_ONE_MORE if last else ''}")
            self.notes = []
            self.cleans.append(step.out)
            self._posts()
        elif step.kind == "reduce":
            self._emit_reduce(at, step)
        elif step.kind == "row":
            self._emit_row(at, step, counters)
        elif step.kind.startswith("scalar"):
            self._flush()
            self._emit_scalar(at, step)
        else:
            self._emit_positions(at, step, counters)

    def _emit_product(self, at: int, step: BodyStep, counters: str, note: str) -> None:
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
        rule = self._rule(step, product, store)
        pieces = [
            *product.pieces(store),
            constant("FULL", u.full),
            constant("CLOSING", at in self.closing),
            constant("CAN_SCATTER", product.can_scatter),
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
                f"(const {space}::MatrixValue*){values}}}"
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
        initial = literal(0 if product.initial is None else product.initial, product.dtype)
        self.lines.append(
            f"        {{\n"
            f"            {space}::Operands operands = {{{arrays('columns')}, {arrays('rows')}, "
            f"{{{U}.flags(), {U}.values()}}, {mask_text}, {closing}, {self._next(step.out, space)}}};\n"
            f"            double rows = double({nrows}), entries = double({U}.count), size = double({U}.size);\n"
            f"            double edges = double({self._edges(vector.number, at, nvals)});\n"
            f"            double edges_before = double({U}.edges_before);\n"
            f"            bool push = entries == 0 || {space}::pushes(edges, edges_before, entries, size, !{U}.listed, "
            f"double({nvals}), {allowed}, rows);\n"
            f"            bool traced = trace && thread_in_grid() == 0 && S.step < {TRACED};\n"
            f"            int64* row = trace + (S.step * {len(self.products)} + {list(self.products).index(at)}) * 8;\n"
            f"            if (traced) {{\n"
            f"                row[0] = int64(nanoseconds()), row[1] = push, row[2] = {U}.count;\n"
            f"                row[3] = int64(edges);\n"
            f"                row[4] = int64({allowed});\n"
            f"            }}\n"
            f"            {space}::multiply_into(operands, push, {U}, {W}, {initial}, {counters}, hubs, "
            f"[&] {{ {note} }});\n"
            f"            if (traced) row[5] = int64(nanoseconds()), row[6] = {W}.count;\n"
            f"        }}\n"
        )

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

    def _rule(self, step: BodyStep, product: Product, store: MatrixStore) -> list[str]:
        """``pushes(...)``: the planner's rule, in C++."""
        parameters = "double edges, double edges_before, double entries, double size, bool dense, double nvals"
        head = f"DEVICE bool pushes({parameters}, double allowed, double nrows) {{\n"
        forced = None if step.desc is None else _forced(step.desc)
        if not product.can_scatter:
            forced = "pull"
        if forced is not None:
            return [f"{head}    return {'true' if forced == 'push' else 'false'};\n}}"]
        policy = "cost" if step.desc is None else step.desc.policy
        monoid = step.op.monoid
        terminal = product.structure or monoid.terminal is not None or monoid.any_value
        costs = planner.LOOP_COSTS if product.structure or monoid.any_value else planner.CUDA_COSTS
        if policy == "cost":
            names = list(inspect.signature(planner.pull_cost).parameters)
            types = {"terminal": "bool"}
            declared = ", ".join(f"{types.get(name, 'double')} {name}" for name in names)
            given = {
                "pull_rows": "nrows",
                "terminal": str(bool(terminal)).lower(),
                "pull_row": repr(costs.pull_row),
                "pull_probe": repr(costs.pull_probe),
            }
            values = ", ".join(given.get(name, name) for name in names)
            rule = f"DEVICE double pull_cost({declared}) {{\n{translated(planner.pull_cost, names, 'double')}}}"
            return [rule, f"{head}    return edges * {costs.push_edge!r} <= pull_cost({values});\n}}"]
        function = planner.PULLS[policy]
        names = list(inspect.signature(function).parameters)
        switchpoint = planner.SWITCHPOINT if step.desc is None else step.desc.switchpoint
        declared = ", ".join(f"{'bool' if name == 'dense' else 'double'} {name}" for name in names)
        values = ", ".join(repr(switchpoint) if name == "switchpoint" else name for name in names)
        rule = f"DEVICE bool pulls({declared}) {{\n{translated(function, names, 'bool')}}}"
        return [rule, f"{head}    return !pulls({values});\n}}"]

    def _mask_pieces(self, mask: MaskUse | None) -> list[str]:
        if mask is None:
            return [using("MaskValue", np.dtype(bool)), *(constant(name, False) for name in _MASK_FLAGS)]
        slot = self.slots[mask.vector]
        return [
            using("MaskValue", slot.dtype),
            constant("MASKED", True),
            constant("MASK_PRESENT", not slot.full),
            constant("MASK_VALUED", not mask.structure),
            constant("MASK_ISO", slot.iso),
            constant("COMPLEMENT", mask.complement),
        ]

    def _emit_reduce(self, at: int, step: BodyStep) -> None:
        number = step.args[0].number
        slot = self.slots[number]
        dense = number not in self.listable
        if not (dense and self.dense_before):
            self._flush()
        monoid = step.op
        kind, result = c_type(monoid.type.np_type), c_type(self.variable_types[step.out])
        self.pieces.append(f"namespace r{at} {{\n{binary('add', monoid.binaryop)}\n}}\n")
        partial = f"(Cell<{kind}>*)({self._word('partial')} + {self.reductions} * MOST_BLOCKS * 16)"
        self.reductions += 1
        add = f"[]({kind} x, {kind} y) {{ return r{at}::add(x, y); }}"
        index = "0" if slot.iso else "i"
        self.lines.append(
            f"        sum_entries(S.s{number}, {partial}, {add}, "
            f"[&](int64 i) {{ return cast<{kind}>(S.s{number}.values()[{index}]); }});\n"
        )
        self.dense_before = dense
        empty = (
            ""
            if monoid.identity is None
            else f" : bits_of(cast<{result}>({literal(monoid.identity, monoid.type.np_type)}))"
        )
        self.notes.append("")
        cell = f"S.c{step.out}"
        chosen = f"total.present ? bits_of(cast<{result}>(total.value)){empty or ' : 0'}"
        self.posts.append(
            f"        {{\n"
            f"            auto total = sum_blocks({partial}, {add});\n"
            f"            if (threadIdx.x == 0) {{ {cell}.bits = {chosen}; {cell}.present = total.present; }}\n"
            f"            __syncthreads();\n"
            f"        }}\n"
        )

    def _emit_row(self, at: int, step: BodyStep, counters: str) -> None:
        """A row of a matrix is a list already."""
        if step.accum is not None or step.mask is not None:
            raise Unfusable("a row of a Matrix through a mask or an accumulator")
        self._flush()
        if step.out in self.cleans_now:
            self.lines.append("        meet([] {});\n")
        matrix, row = step.args
        store, out, W = self.matrices[matrix.number], self.slots[step.out], f"S.s{step.out}"
        types = (store.indptr.dtype, store.indices.dtype, store.dtype)
        indptr, indices, values = (
            f"(const {c_type(dtype)}*){self._word('rows', field, matrix.number, False)}"
            for field, dtype in zip(("indptr", "indices", "values"), types, strict=True)
        )
        each = str(not store.iso).lower()
        self.lines.append(
            f"        int64 row{at} = {self._scalar(row, np.dtype(np.int64))};\n"
            f"        int64 start{at} = ({indptr})[row{at}], length{at} = int64(({indptr})[row{at} + 1]) - start{at};\n"
            f"        if ({W}.other_is_dirty()) {{\n"
            f"            clean_all<{_valued(out)}>({W}, {W}.next_buffer(), {out.initial});\n"
            f"            meet([&] {{ {W}.other_is_clean(); }});\n"
            f"        }}\n"
            f"        overwrite_by_row<{_valued(out)}, {each}>({W}, {indices} + start{at}, "
            f"{values} + {'0' if store.iso else f'start{at}'}, length{at}, {self._next(step.out)}, {counters});\n"
        )
        self.notes.append(f"{W}.overwritten(length{at}, fresh({counters} + EDGES_NEXT), true);")
        self.cleans.append(step.out)
        self._flush()

    def _emit_scalar(self, at: int, step: BodyStep) -> None:
        """Every block computes it for itself."""
        if step.accum is not None:
            raise Unfusable("a Scalar with an accumulator")
        result = self.variable_types[step.out]
        kind = step.kind.partition(".")[2]
        has = [f"S.c{arg.number}.present" if arg.kind == "variable" else "true" for arg in step.args]
        if kind == "assign":
            text, present = self._scalar(step.args[0], result), has[0]
        elif kind in ("add", "mult"):
            op = getattr(step.op, "binaryop", step.op)
            self.pieces.append(f"namespace e{at} {{\n{binary('op', op)}\n}}\n")
            x, y = (self._scalar(arg, t.np_type) for arg, t in zip(step.args, (op.type, op.type2), strict=True))
            text, present = f"cast<{c_type(result)}>(e{at}::op({x}, {y}))", f"({has[0]} && {has[1]})"
            if kind == "add":
                left, right = (self._scalar(arg, result) for arg in step.args)
                text, present = f"({present} ? {text} : {has[0]} ? {left} : {right})", f"({has[0]} || {has[1]})"
        else:
            raise Unfusable(f"{kind} of Scalars")
        cell = f"S.c{step.out}"
        self.lines.append(
            f"        __syncthreads();\n"
            f"        if (threadIdx.x == 0) {{ {cell}.bits = bits_of({text}); {cell}.present = {present}; }}\n"
            f"        __syncthreads();\n"
        )

    def _emit_positions(self, at: int, step: BodyStep, counters: str) -> None:
        out = self.slots[step.out]
        driver = self._driver(step, self.listable)
        swaps = (
            out.buffers > 1 and self._overwrites(step) and not out.full and step.kind != "clear" and driver is not None
        )
        dense = driver is None and step.out not in self.listable
        read = [arg.number for arg in step.args if arg.kind == "vector"]
        read += [] if step.mask is None else [step.mask.vector]
        alone = dense and self.dense_before and not any(number in self.listable for number in read)
        if not alone or (self.posts and any(arg.kind == "variable" for arg in step.args)):
            self._flush()
        if swaps and step.out in self.cleans_now:
            self.lines.append("        meet([] {});\n")
            self.cleans_now = set()
        found, computed = self._computed(at, step)
        if out.iso and step.kind == "copy":  # one value stands for all, also in the copy
            target = f"S.s{step.out}.{'other_values' if swaps else 'values'}()"
            self.lines.append(
                f"        if (thread_in_grid() == 0) {target}[0] = S.s{step.args[0].number}.values()[0];\n"
            )
        opened = self._opened(step.mask)
        kind = c_type(out.dtype)
        valued = _valued(out)
        following = self._next(step.out)
        if swaps:
            self.lines.append(
                f"        if (S.s{step.out}.other_is_dirty() && S.s{driver}.listed) {{\n"
                f"            clean_all<{valued}>(S.s{step.out}, S.s{step.out}.next_buffer(), {out.initial});\n"
                f"            meet([&] {{ S.s{step.out}.other_is_clean(); }});\n"
                f"        }}\n"
                f"        bool listed{at} = S.s{driver}.listed;\n"
                f"        overwrite<{valued}>(S.s{driver}, S.s{step.out}, {following}, {counters}, "
                f"[&](int64 i, {kind}& value) -> bool {{\n"
                f"            if (!({opened}) || !({found})) return false;\n"
                f"            value = {computed};\n"
                f"            return true;\n"
                f"        }});\n"
            )
            self.notes.append(f"S.s{step.out}.overwritten({counters}, listed{at});")
            self.cleans.append(step.out)
            self._flush()  # whoever comes next may read its list
            return
        pointer = f"&S.s{driver}" if driver is not None else f"(const Slot<{kind}>*)nullptr"
        closed = "found = false;" if step.replace else ""
        if step.kind == "clear":
            inside = "found = false;"
        elif step.accum is None:
            inside = f"found = {found}; if (found) value = {computed};"
        else:
            accum = getattr(step.accum, "binaryop", step.accum)
            self.pieces.append(f"namespace a{at} {{\n{programs.product('op', accum)}\n}}\n")
            left, right = c_type(accum.type.np_type), c_type(accum.type2.np_type)
            both = f"cast<{kind}>(a{at}::op(cast<{left}>(value), cast<{right}>(t), i, 0, i, 0))"
            inside = (
                f"if ({found}) {{ auto t = {computed}; "
                f"value = found ? {both} : cast<{kind}>(cast<{c_type(accum.return_type.np_type)}>(t)); found = true; }}"
            )
        self.lines.append(
            f"        change<{valued}>({pointer}, S.s{step.out}, {following}, {counters}, "
            f"[&](int64 i, bool& found, {kind}& value) {{\n"
            f"            if ({opened}) {{ {inside} }} else {{ {closed} }}\n"
            f"        }});\n"
        )
        self.notes.append(f"S.s{step.out}.changed({counters});")
        self.dense_before = dense

    def _opened(self, mask: MaskUse | None) -> str:
        if mask is None:
            return "true"
        slot, S = self.slots[mask.vector], f"S.s{mask.vector}"
        inside = "true" if slot.full else f"{S}.has(i)"
        if not mask.structure:
            inside = f"({inside} && {S}.values()[{'0' if slot.iso else 'i'}] != {c_type(slot.dtype)}(0))"
        return f"!({inside})" if mask.complement else inside

    def _computed(self, at: int, step: BodyStep) -> tuple[str, str]:
        """Whether there is a result at position i, and what it is, as C++."""
        out = c_type(self.slots[step.out].dtype)
        if step.kind == "clear":
            return "false", f"{out}()"
        if step.kind == "assign":
            return "true", self._scalar(step.args[0], self.slots[step.out].dtype)
        vectors = [arg for arg in step.args if arg.kind == "vector"]
        has = ["true" if self.slots[arg.number].full else f"S.s{arg.number}.has(i)" for arg in vectors]

        def read(arg: Operand, dtype: Any) -> str:
            slot = self.slots[arg.number]
            return f"cast<{c_type(dtype)}>(S.s{arg.number}.values()[{'0' if slot.iso else 'i'}])"

        if step.kind == "copy":
            return has[0], read(vectors[0], self.slots[step.out].dtype)
        op = getattr(step.op, "binaryop", step.op)
        space = f"e{at}"
        if step.kind in ("add", "mult", "union"):
            self.pieces.append(f"namespace {space} {{\n{programs.product('op', op)}\n}}\n")
            left, right = op.type.np_type, op.type2.np_type
            result = c_type(op.return_type.np_type)
            x, y = read(vectors[0], left), read(vectors[1], right)
            both = f"cast<{out}>({space}::op({x}, {y}, i, 0, i, 0))"
            if step.kind == "mult":
                return f"({has[0]} && {has[1]})", both
            if step.kind == "union":
                scalars = [arg for arg in step.args if arg.kind != "vector"]
                x = f"({has[0]} ? {x} : {self._scalar(scalars[0], left)})"
                y = f"({has[1]} ? {y} : {self._scalar(scalars[1], right)})"
                return f"({has[0]} || {has[1]})", f"cast<{out}>({space}::op({x}, {y}, i, 0, i, 0))"
            alone = [f"cast<{out}>({read(arg, op.return_type.np_type)})" for arg in vectors]
            del result
            return f"({has[0]} || {has[1]})", f"({has[0]} && {has[1]} ? {both} : {has[0]} ? {alone[0]} : {alone[1]})"
        if step.kind == "apply":
            self.pieces.append(f"namespace {space} {{\n{unary('op', op)}\n}}\n")
            return has[0], f"cast<{out}>({space}::op({read(vectors[0], op.type.np_type)}))"
        if step.kind in ("apply_left", "apply_right"):
            self.pieces.append(f"namespace {space} {{\n{binary('op', op)}\n}}\n")
            types = (op.type.np_type, op.type2.np_type)
            x, y = (
                read(arg, dtype) if arg.kind == "vector" else self._scalar(arg, dtype)
                for arg, dtype in zip(step.args, types, strict=True)
            )
            return has[0], f"cast<{out}>({space}::op({x}, {y}))"
        if step.kind in ("apply_index", "select"):
            self.pieces.append(f"namespace {space} {{\n{index_unary('op', op)}\n}}\n")
            x = read(vectors[0], op.type.np_type)
            call = f"{space}::op({x}, i, 0, {self._scalar(step.args[1], op.type2.np_type)})"
            if step.kind == "select":
                return f"({has[0]} && cast<bool>({call}))", read(vectors[0], self.slots[step.out].dtype)
            return has[0], f"cast<{out}>({call})"
        raise Unfusable(step.kind)

    # before and after

    def _prologue(self) -> str:
        first, second, notes = [], [], []
        for number, slot in enumerate(self.slots):
            if not slot.written and slot.edges_of is None:
                continue
            names = ("start", "source", "several", "source_values")  # in this order
            start, source, several, values = (self._word(name, number) for name in names)
            values = f"(const {c_type(slot.dtype)}*){values}"
            iso, fill = str(slot.iso).lower(), str(slot.buffers > 1 and not slot.iso).lower()
            if slot.written:
                first.append(f"        prepare<{iso}, {fill}>(S.s{number}, {start}, {values}, {slot.initial});\n")
            counter = f"first_counters + {number}"
            second.append(
                f"        enter<{iso}>(S.s{number}, {start}, (const int64*){source}, {values}, {several}, "
                f"{self._next(number)}, {counter});\n"
            )
            if slot.edges_of is not None:
                notes.append(f" S.s{number}.edges = fresh({counter});")
        meeting = "        meet([] {});\n" if first else ""
        return f"{''.join(first)}{meeting}{''.join(second)}        meet([&] {{{''.join(notes)} }});\n"

    def _epilogue(self) -> str:
        first = "".join(
            f"    leave_clean<{_valued(slot)}>(S.s{number}, {slot.initial});\n"
            for number, slot in enumerate(self.slots)
            if slot.buffers > 1
        )
        second = "".join(
            f"    move_home<{_valued(slot)}>(S.s{number}, {slot.initial});\n"
            for number, slot in enumerate(self.slots)
            if slot.buffers > 1
        )
        return f"{first}    meet([] {{}});\n{second}"

    def _report(self) -> str:
        lines = [f"        report[{3 + n}] = S.s{n}.count;\n" for n in range(len(self.slots))]
        base = 3 + len(self.slots)
        for n in range(len(self.variable_types)):
            lines.append(f"        report[{base + 2 * n}] = int64(S.c{n}.bits);\n")
            lines.append(f"        report[{base + 2 * n + 1}] = S.c{n}.present;\n")
        return "".join(lines)


#: At the end of a round: another one, unless the kernel has run for long enough (all blocks see the same answer).
_ONE_MORE = "++S.step; ++S.tick; S.stop = fresh(counters + COUNTERS_IN_SET - 1);"
_TIME = (
    "        if (thread_in_grid() == 0 && nanoseconds() - started > TIME_SLICE)\n"
    "            *(volatile int64*)(counters + COUNTERS_IN_SET - 1) = 1;\n"
)
_MASK_FLAGS = ("MASKED", "MASK_PRESENT", "MASK_VALUED", "MASK_ISO", "COMPLEMENT")
_POSITIONWISE = frozenset("copy assign add mult union apply apply_left apply_right apply_index select clear".split())
#: Words that every program has.
WORDS = ("limit", "barrier", "saved", "counter_sets", "hubs", "report", "stamp", "resumes", "trace")


def _matrix_word(side: str, rest: list[Any]) -> tuple[str, int, bool]:
    """Field, matrix and orientation of a word's name."""
    if side == "nvals":
        return "", rest[0], False
    field, number, transposed = ("", *rest) if side == "nrows" else rest
    return field, number, transposed


def _valued(slot: SlotFacts) -> str:
    return "false" if slot.iso else "true"


def _forced(desc: Any) -> str | None:
    """The direction that a descriptor asks for."""
    if desc.strategy is not None:
        return str(desc.strategy).partition(".")[0]
    return None if desc.direction == "auto" else str(desc.direction)


def _useless(step: BodyStep, after: list[BodyStep]) -> bool:
    """Whether this clears a vector that is overwritten before anybody reads it."""
    if step.kind != "clear":
        return False
    for other in after:
        vectors = [arg.number for arg in other.args if arg.kind == "vector"]
        masked = [] if other.mask is None else [other.mask.vector]
        if step.out in vectors + masked:
            return False
        if other.kind not in ("reduce",) and not other.kind.startswith("scalar") and other.out == step.out:
            return other.accum is None and (other.mask is None or other.replace)
    return False


_KERNEL = """
DEVICE State& state() {{
    __shared__ State shared;
    return shared;
}}
DEVICE void copy_words(const int64* from, int64* to, int64 count) {{
    for (int64 at = threadIdx.x; at < count; at += blockDim.x) to[at] = from[at];
}}

// A block that is alone counts in its own memory.
DEVICE int64* own_counters() {{
    __shared__ int64 sets[SETS_OF_COUNTERS * COUNTERS_IN_SET];
    return sets;
}}
DEVICE void clear_counters(int64* sets) {{
    for (int64 at = threadIdx.x; at < SETS_OF_COUNTERS * COUNTERS_IN_SET; at += blockDim.x) sets[at] = 0;
}}

extern "C" __global__ void __launch_bounds__({threads}, {blocks}) loop_kernel(const Words given) {{
    State& S = state();
    constexpr int64 STATE_WORDS = {state_words};
    int64* saved = (int64*){saved};
    int64* first_counters = (int64*){counter_sets} + SETS_OF_COUNTERS * COUNTERS_IN_SET;
    int64* hubs = (int64*){hubs};
    int64* trace = (int64*){trace};
    int64 limit = {limit};
    uint64 started = nanoseconds();
    clear_counters(own_counters());
    if (threadIdx.x == 0) chunk_of_block().queued = 0;
    begin_team((unsigned*){barrier});
    if ({resumes}) {{
        copy_words(saved, (int64*)&S, STATE_WORDS);
        __syncthreads();
        if (threadIdx.x == 0) S.stop = 0;
        __syncthreads();
    }} else {{
        copy_words(given.word, (int64*)&S, STATE_WORDS);
        __syncthreads();
{prologue}    }}
    while (true) {{
        bool goes_on = ({condition}) && S.step < limit && !S.stop;
        bool small = goes_on && ({solo});
        if (small && team_blocks() > 1) {{
            __syncthreads();
            if (blockIdx.x != 0) {{  // wait for the first block, and go on where it stops
                if (threadIdx.x == 0) barrier().wait();
                __syncthreads();
                copy_words(saved, (int64*)&S, STATE_WORDS);
                __syncthreads();
                continue;
            }}
            if (threadIdx.x == 0) team_blocks() = 1;
            clear_counters(own_counters());
            __syncthreads();
        }} else if (!small && team_blocks() < gridDim.x) {{  // what the first block did alone, for all
            __syncthreads();
            copy_words((int64*)&S, saved, STATE_WORDS);
            clear_counters((int64*){counter_sets});
            __syncthreads();
            if (threadIdx.x == 0) {{
                team_blocks() = gridDim.x;
                barrier().wait();
            }}
            __syncthreads();
            continue;
        }}
        if (!goes_on) break;
        int64* sets = team_blocks() == 1 ? own_counters() : (int64*){counter_sets};
        int64* counters = sets + S.tick % SETS_OF_COUNTERS * COUNTERS_IN_SET;
        int64* next_counters = sets + (S.tick + 1) % SETS_OF_COUNTERS * COUNTERS_IN_SET;
        for (int64 at = thread_in_grid(); at < COUNTERS_IN_SET; at += threads_in_grid()) next_counters[at] = 0;
{steps}
    }}
    if (!S.stop) {{
{finish}    }}
    meet([] {{}});
    if (blockIdx.x == 0) {{
        copy_words((int64*)&S, saved, STATE_WORDS);
        for (int64 at = threadIdx.x; at < (SETS_OF_COUNTERS + 1) * COUNTERS_IN_SET; at += blockDim.x)
            if (!S.stop) ((int64*){counter_sets})[at] = 0;
        int64* report = (int64*){report};
        if (threadIdx.x == 0) {{
            report[1] = S.stop;
            report[2] = S.step;
{report_text}        }}
        __syncthreads();
        if (threadIdx.x == 0) {{
            __threadfence_system();
            *(volatile int64*)report = {stamp};
        }}
    }}
    end_team((unsigned*){barrier});
}}
"""
