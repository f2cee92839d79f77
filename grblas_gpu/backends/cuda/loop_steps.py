"""The text of every other step of a loop: position by position, sums, rows of matrices, Scalars; and meetings between.

Steps that read what others wrote are separated by a meeting of all blocks. Passes over all positions need none between
them, since the same thread has the same positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import compile as programs
from .compile import binary, index_unary, unary
from .loop_analysis import POSITIONWISE, PRODUCTS, SlotFacts
from .loop_layout import Body, BodyStep, MaskUse, Operand, Unfusable
from .loop_products import Products
from .translate import c_type, literal


class Steps(Products):
    """Writes steps, and keeps account of what is waiting for a meeting."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.variable_types = [scalar.dtype.np_type for scalar in body.variables]
        self.notes: list[str] = []  # for thread 0 of every block at the next meeting
        self.posts: list[str] = []  # for all threads after it
        self.cleans: list[int] = []  # slots whose old buffers are to be cleaned after the next meeting
        self.cleans_now: set[int] = set()  # those that are being cleaned since the last one
        self.dense_before = False
        self.reductions = 0
        self.riding: tuple[str, str] | None = None  # a change that the next product may make on the way, and its call

    def _scalar(self, operand: Operand, dtype: np.dtype) -> str:
        name = c_type(dtype)
        if operand.kind == "count":
            return f"cast<{name}>(cast<{c_type(operand.dtype)}>(int64({operand.text.replace('step', 'S.step')})))"
        if operand.kind == "variable":
            return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(S.c{operand.number}.bits))"
        word = self.layout.word("constant", operand.number)
        return f"cast<{name}>(value_of<{c_type(operand.dtype)}>(uint64(given.word[{word}])))"

    def _writes_other(self, step: BodyStep) -> int | None:
        if step.kind in (*PRODUCTS, "row"):
            return step.out
        if step.kind in POSITIONWISE and self.slots[step.out].buffers > 1 and self._overwrites(step):
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
            self.lines.append(f"        clean_by_list<{valued(slot)}>(S.s{number}, {slot.initial});\n")
        self.notes, self.posts, self.cleans = [], [], []
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
            f"            clean_all<{valued(out)}>({W}, {W}.next_buffer(), {out.initial});\n"
            f"            meet([&] {{ {W}.other_is_clean(); }});\n"
            f"        }}\n"
            f"        overwrite_by_row<{valued(out)}, {each}>({W}, {indices} + start{at}, "
            f"{values} + {'0' if store.iso else f'start{at}'}, length{at}, {self._next(step.out)}, {counters});\n"
        )
        self.notes.append(f"{W}.overwritten<{valued(out)}>(length{at}, fresh({counters} + EDGES_NEXT), true);")
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
            self.notes.append(f"S.s{step.out}.overwritten<{has_values}>({counters}, listed{at});")
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


def valued(slot: SlotFacts) -> str:
    return "false" if slot.iso else "true"
