"""The text of every other step of a loop: position by position, sums, rows of matrices, Scalars; and meetings between.

Steps that read what others wrote are separated by a meeting of all blocks. Passes over all positions need none between
them, since the same thread has the same positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..runtime import compile as programs
from ..runtime.compile import binary, index_unary, unary
from ..runtime.translate import c_type, literal
from .analyse import SlotFacts, may_be_empty
from .layout import Body, BodyStep, MaskUse, Operand, Unfusable
from .products import Products


class Steps(Products):
    """Writes steps, and keeps account of what is waiting for a meeting."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.variable_types = [scalar.dtype.np_type for scalar in body.variables]
        self.looks: list[str] = []  # numbers that thread 0 of every block looks up at the next meeting, all at once
        self.notes: list[str] = []  # what it does with them
        self.posts: list[str] = []  # for all threads after it
        self.cleans: list[int] = []  # slots whose old buffers are to be cleaned after the next meeting
        self.cleans_now: set[int] = set()  # those that are being cleaned since the last one
        self.dense_before = False
        self.reductions = 0
        self.riding: tuple[str, str] | None = None  # a change that the next product may make on the way, and its call
        self.registers: dict[int, tuple[str, str]] = {}  # vectors of which position i is in variables just now
        self.loaded: dict[str, str] | None = None  # variables for what is read at position i, if that is read first

    def _scalar(self, operand: Operand, dtype: np.dtype) -> str:
        name = c_type(dtype)
        if operand.kind == "count":
            return f"cast<{name}>(cast<{c_type(operand.dtype)}>(int64({operand.text.replace('step', 'S.step')})))"
        if operand.kind == "variable":
            return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(S.c{operand.number}.bits))"
        word = self.layout.word("constant", operand.number)
        return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(uint64(given.word[{word}])))"

    def _swaps(self, step: BodyStep) -> bool:
        """Whether a step that runs position by position writes to the other buffer of its vector."""
        out = self.slots[step.out]
        overwrites = out.buffers > 1 and self._overwrites(step) and not out.full and step.kind != "clear"
        return overwrites and self._driver(step, self.listable) is not None

    def _look(self, counter: str) -> str:
        """A variable that has a counter's value when the notes are made."""
        self.looks.append(f"int64 look{len(self.looks)} = fresh({counter});")
        return f"look{len(self.looks) - 1}"

    def _note_overwritten(self, number: int, counters: str, listed: str, count: str = "") -> None:
        count = count or self._look(f"{counters} + ({listed} ? LISTED_ENTRIES : ENTRIES)")
        has_values = valued(self.slots[number])
        self.notes.append(
            f"S.s{number}.overwritten<{has_values}>({count}, {self._edge_count(number, counters)}, {listed});"
        )
        self.cleans.append(number)

    def _note_changed(self, number: int, counters: str) -> None:
        count = self._look(f"{counters} + ENTRIES")
        self.notes.append(f"S.s{number}.changed({count}, {self._edge_count(number, counters)});")

    def _edge_count(self, number: int, counters: str) -> str:
        return "0" if self.slots[number].edges_of is None else self._look(f"{counters} + EDGES_NEXT")

    def _flush(self, last: bool = False) -> None:
        """A meeting of all blocks, if anything is waiting for one, or at the end of a round."""
        if not (self.notes or self.posts or last):
            return
        self.untouched = False
        if last:
            self._note_round()
            if not self.posts:
                self.notes.append("decide();")
            else:  # what is decided depends on them
                self.posts.append("        if (thread() == 0) decide();\n        __syncthreads();\n")
        notes = " ".join([*self.looks, *self.notes])
        self.lines.append(f"        meet([&] {{ {notes} }});\n")
        self._posts()

    def _note_round(self) -> None:
        """Another round, unless the kernel has run for long enough; all blocks see the same answer."""
        turn = "S.turn = S.turn == SETS_OF_COUNTERS - 1 ? 0 : S.turn + 1;"
        stop = self._look("counters + COUNTERS_IN_SET - 1")
        self.notes.append(f"++S.step; ++S.tick; {turn} S.stop = {stop};")

    def _posts(self) -> None:
        self.lines += self.posts
        self.cleans_now = set(self.cleans)
        for number in self.cleans:
            slot = self.slots[number]
            self.lines.append(f"        clean_by_list<{valued(slot)}>(S.s{number}, {slot.initial});\n")
        self.looks, self.notes, self.posts, self.cleans = [], [], [], []
        self.dense_before = False

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
        self.notes.append("")
        cell = f"S.c{step.out}"
        lines = [f"auto total = sum_blocks({partial}, {add});"]
        if step.kind == "reduce.identity":
            lines.append(f"if (!total.present) total = {{{literal(monoid.identity, monoid.type.np_type)}, true}};")
        value = f"cast<{result}>(total.value)"
        if step.accum is None:
            lines.append(f"if (threadIdx.x == 0) {cell} = {{total.present ? bits_of({value}) : 0, total.present}};")
        else:  # nothing is added to a sum if there is nothing
            accum = getattr(step.accum, "binaryop", step.accum)
            self.pieces.append(f"namespace a{at} {{\n{binary('op', accum)}\n}}\n")
            left, right = c_type(accum.type.np_type), c_type(accum.type2.np_type)
            both = f"a{at}::op(cast<{left}>(value_of<{result}>({cell}.bits)), cast<{right}>(total.value))"
            chosen = f"{cell}.present ? cast<{result}>({both}) : {value}"
            lines.append(f"if (threadIdx.x == 0 && total.present) {cell} = {{bits_of({chosen}), true}};")
        lines.append("__syncthreads();")
        self.posts.append("        {\n" + "".join(f"            {line}\n" for line in lines) + "        }\n")

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
            f"            clean_all<{valued(out)}>({W}, {W}.next_buffer(), {out.initial});\n"
            f"            meet([&] {{ {W}.other_is_clean(); }});\n"
            f"        }}\n"
            f"        overwrite_by_row<{valued(out)}, {each}>({W}, {indices} + start{at}, "
            f"{values} + {'0' if store.iso else f'start{at}'}, length{at}, {self._next(step.out)}, {counters});\n"
        )
        self._note_overwritten(step.out, counters, "true", f"length{at}")
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
        self.untouched = False
        self.lines.append(
            f"        __syncthreads();\n"
            f"        if (threadIdx.x == 0) {{ {cell}.bits = bits_of({text}); {cell}.present = {present}; }}\n"
            f"        __syncthreads();\n"
        )

    def _begin_pass(self, steps: list[BodyStep], swapped: Iterable[int], dense: bool) -> None:
        """A meeting before a pass over positions, if one is needed."""
        read = {number for step in steps for number in vectors_of(step)}
        alone = dense and self.dense_before and not read & self.listable
        if not alone or (self.posts and any(arg.kind == "variable" for step in steps for arg in step.args)):
            self._flush()
        if self.cleans_now & set(swapped):
            self.lines.append("        meet([] {});\n")
            self.cleans_now = set()
        self.dense_before = dense

    def _emit_positions(self, at: int, step: BodyStep, counters: str, last: bool) -> None:
        out = self.slots[step.out]
        driver = self._driver(step, self.listable)
        swaps = self._swaps(step)
        one_value = out.iso and step.kind == "copy"  # stands for all, also in the copy; others may be reading it
        dense = driver is None and step.out not in self.listable and not one_value
        self._begin_pass([step], [step.out] if swaps else [], dense)
        found, computed = self._computed(at, step)
        if one_value:
            target = f"S.s{step.out}.{'other_values' if swaps else 'values'}()"
            self.lines.append(
                f"        if (thread_in_grid() == 0) {target}[0] = S.s{step.args[0].number}.values()[0];\n"
            )
        opened = self._opened(step.mask)
        kind = c_type(out.dtype)
        has_values = valued(out)
        following = self._next(step.out)
        if swaps:
            self.lines.append(
                f"        if (S.s{step.out}.other_is_dirty() && S.s{driver}.listed) {{\n"
                f"            clean_all<{has_values}>(S.s{step.out}, S.s{step.out}.next_buffer(), {out.initial});\n"
                f"            meet([&] {{ S.s{step.out}.other_is_clean(); }});\n"
                f"        }}\n"
                f"        bool listed{at} = S.s{driver}.listed;\n"
                f"        overwrite<{has_values}>(S.s{driver}, S.s{step.out}, {following}, {counters}, "
                f"[&](int64 i, {kind}& value) -> bool {{\n"
                f"            if (!({opened}) || !({found})) return false;\n"
                f"            value = {computed};\n"
                f"            return true;\n"
                f"        }});\n"
            )
            self._note_overwritten(step.out, counters, f"listed{at}")
            if not last:
                self._flush()  # whoever comes next may read its list
            return
        pointer = f"&S.s{driver}" if driver is not None else f"(const Slot<{kind}>*)nullptr"
        if driver is not None and step.mask == MaskUse(driver, structure=True, complement=False):
            opened = "true"  # at all entries of the driver
        closed = "found = false;" if step.replace else ""
        inside = self._changed(at, step, found, computed, "found", "value")
        self.lines.append(
            f"        auto change{at} = change<{has_values}>(S.s{step.out}, {following}, {counters}, "
            f"[&](int64 i, bool& found, {kind}& value) {{\n"
            f"            if ({opened}) {{ {inside} }} else {{ {closed} }}\n"
            f"        }});\n"
        )
        call = f"        change{at}.visit_all({pointer});\n        change{at}.publish();\n"
        if driver is not None and self.closing.get(at + 1) == driver == self._operand_of(at + 1):
            self.riding = f"change{at}", call
        else:
            self.lines.append(call)
        self._note_changed(step.out, counters)

    def _changed(self, at: int, step: BodyStep, found: str, computed: str, has: str, value: str, also: str = "") -> str:
        """What a step does where its mask is open, to the variables that say whether there is an entry, and which.

        ``also`` is done where it computes a value.
        """
        if step.kind == "clear":
            return f"{has} = false;"
        if step.accum is None:
            return f"{has} = {found}; if ({has}) {value} = {computed};{also}"
        accum = getattr(step.accum, "binaryop", step.accum)
        self.pieces.append(f"namespace a{at} {{\n{programs.product('op', accum)}\n}}\n")
        kind = c_type(self.slots[step.out].dtype)
        left, right = c_type(accum.type.np_type), c_type(accum.type2.np_type)
        both = f"cast<{kind}>(a{at}::op(cast<{left}>({value}), cast<{right}>(t), i, 0, i, 0))"
        return (
            f"if ({found}) {{ auto t = {computed}; {value} = {has} ? {both} : cast<{kind}>(t); {has} = true;{also} }}"
        )

    def _has(self, number: int) -> str:
        """Whether a vector has an entry at position i."""
        if number in self.registers:
            return self.registers[number][0]
        return "true" if self.slots[number].full else self._loaded(f"bool has{number}", f"S.s{number}.has(i)")

    def _at(self, number: int) -> str:
        """The value of a vector at position i."""
        if number in self.registers:
            return self.registers[number][1]
        if self.slots[number].iso:
            return f"S.s{number}.values()[0]"
        return self._loaded(f"{c_type(self.slots[number].dtype)} at{number}", f"S.s{number}.values()[i]")

    def _loaded(self, variable: str, text: str) -> str:
        if self.loaded is None:
            return text
        self.loaded[variable] = text
        return variable.rpartition(" ")[2]

    def _opened(self, mask: MaskUse | None) -> str:
        if mask is None:
            return "true"
        inside = self._has(mask.vector)
        if not mask.structure:
            inside = f"({inside} && {self._at(mask.vector)} != {c_type(self.slots[mask.vector].dtype)}(0))"
        return f"!({inside})" if mask.complement else inside

    def _computed(self, at: int, step: BodyStep) -> tuple[str, str]:
        """Whether there is a result at position i, and what it is, as C++: for an accumulator in a type of its own."""
        out = c_type(self.slots[step.out].dtype)
        if step.kind == "clear":
            return "false", f"{out}()"
        found, result = self._result(at, step)
        return found, result if step.accum is not None else f"cast<{out}>({result})"

    def _result(self, at: int, step: BodyStep) -> tuple[str, str]:
        if step.kind == "assign":
            found = f"bool(S.c{step.args[0].number}.present)" if may_be_empty(step) else "true"
            return found, self._scalar(step.args[0], step.args[0].dtype)
        vectors = [arg for arg in step.args if arg.kind == "vector"]
        has = [self._has(arg.number) for arg in vectors]

        def read(arg: Operand, dtype: Any) -> str:
            return f"cast<{c_type(dtype)}>({self._at(arg.number)})"

        if step.kind == "copy":
            return has[0], self._at(vectors[0].number)
        op = getattr(step.op, "binaryop", step.op)
        space = f"e{at}"
        if step.kind in ("add", "mult", "union"):
            self.pieces.append(f"namespace {space} {{\n{programs.product('op', op)}\n}}\n")
            left, right = op.type.np_type, op.type2.np_type
            x, y = read(vectors[0], left), read(vectors[1], right)
            both = f"{space}::op({x}, {y}, i, 0, i, 0)"
            if step.kind == "mult":
                return f"({has[0]} && {has[1]})", both
            if step.kind == "union":
                scalars = [arg for arg in step.args if arg.kind != "vector"]
                x = f"({has[0]} ? {x} : {self._scalar(scalars[0], left)})"
                y = f"({has[1]} ? {y} : {self._scalar(scalars[1], right)})"
                return f"({has[0]} || {has[1]})", f"{space}::op({x}, {y}, i, 0, i, 0)"
            alone = [read(arg, op.return_type.np_type) for arg in vectors]
            return f"({has[0]} || {has[1]})", f"({has[0]} && {has[1]} ? {both} : {has[0]} ? {alone[0]} : {alone[1]})"
        if step.kind == "apply":
            self.pieces.append(f"namespace {space} {{\n{unary('op', op)}\n}}\n")
            return has[0], f"{space}::op({read(vectors[0], op.type.np_type)})"
        if step.kind in ("apply_left", "apply_right"):
            self.pieces.append(f"namespace {space} {{\n{binary('op', op)}\n}}\n")
            types = (op.type.np_type, op.type2.np_type)
            x, y = (
                read(arg, dtype) if arg.kind == "vector" else self._scalar(arg, dtype)
                for arg, dtype in zip(step.args, types, strict=True)
            )
            return has[0], f"{space}::op({x}, {y})"
        if step.kind in ("apply_index", "select"):
            self.pieces.append(f"namespace {space} {{\n{index_unary('op', op)}\n}}\n")
            x = read(vectors[0], op.type.np_type)
            call = f"{space}::op({x}, i, 0, {self._scalar(step.args[1], op.type2.np_type)})"
            if step.kind == "select":
                return f"({has[0]} && cast<bool>({call}))", self._at(vectors[0].number)
            return has[0], call
        raise Unfusable(step.kind)


def valued(slot: SlotFacts) -> str:
    return "false" if slot.iso else "true"


def vectors_of(step: BodyStep) -> set[int]:
    """The vectors that a step reads, without the one that it changes."""
    read = {arg.number for arg in step.args if arg.kind == "vector"}
    return read if step.mask is None else read | {step.mask.vector}
