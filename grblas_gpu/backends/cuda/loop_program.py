"""The program of a loop: one kernel in which a team of blocks repeats the steps of a body (``loop_layout.py``).

Products are the functions of ``kernels/loop_mxv.cuh``, everything else runs position by position
(``kernels/slot.cuh``), over the list of an operand where one has few entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import compile as programs
from .compile import binary
from .loop_analysis import POSITIONWISE, PRODUCTS
from .loop_fusion import PER_STEP, Chains
from .loop_layout import Body, BodyStep
from .loop_products import COMMON, TRACED, forced
from .loop_steps import valued
from .translate import c_type

__all__ = ["BLOCKS", "MOST_BLOCKS", "THREADS", "TRACED", "Program"]

THREADS = 512  # in a block
BLOCKS = 2  # in a processor: more make meetings slower, and have fewer registers
SOLO_ENTRIES, SOLO_EDGES = 512, 2048  # up to here one block is faster than all, which have to meet
MOST_BLOCKS = 4096  # that a sum may have parts for
TIME_SLICE = 200_000_000  # nanoseconds after which the host gets a chance to interrupt
#: Words that every program has.
WORDS = ("limit", "barrier", "saved", "counter_sets", "parts", "report", "stamp", "resumes", "trace")
#: It takes a while to look at the clock.
_TIME = (
    "        if (thread_in_grid() == 0 && S.tick % 8 == 0 && nanoseconds() - started > TIME_SLICE)\n"
    "            *(volatile int64*)(counters + COUNTERS_IN_SET - 1) = 1;\n"
)


class Program(Chains):
    """The text of a kernel, and the words that it wants."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.condition = body.condition
        self.text = self._render()
        #: Words for the run to fill: where each vector's entries come from, and what belongs to matrices.
        self.starts = [self.layout.names.get(("start", number), 0) for number in range(len(self.slots))]
        self.matrix_words = [
            (at, side, *_matrix_word(side, rest))
            for (side, *rest), at in self.layout.names.items()
            if side in ("columns", "rows", "likeliest", "nvals", "nrows", "once")
        ]

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
            f"struct State {{\n    int64 step, tick, stop, turn;\n{state}{variables}}};\n"
            f"struct Words {{\n    int64 word[{self.layout.size}];\n}};\n"
        )
        return f'{common}#line 1 "generated for a loop"\n{head}{"".join(self.pieces)}{kernel}'

    def _solo_condition(self) -> str:
        """Whether one block may go on alone: everything left to do is on short lists."""
        if self.condition[0] != "entries":
            return "false"
        listed: set[int] = set()
        for step in self.body_steps:
            if step.kind in PRODUCTS:
                _, vector, _ = self._product_operands(step)
                if vector.number not in self.listable or (step.desc is not None and forced(step.desc) == "pull"):
                    return "false"
                listed.add(vector.number)
            elif step.kind in POSITIONWISE:
                driver = self._driver(step, self.listable)
                if driver is None:
                    return "false"
                listed.add(driver)
            elif step.kind.startswith("reduce") and step.args[0].number not in self.listable:
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

    def _emit_body(self) -> None:
        last = len(self.body_steps) - 1
        ends_with_product = last >= 0 and self.body_steps[last].kind in PRODUCTS
        for chain in self.chains:
            for at in chain:
                step = self.body_steps[at]
                self.lines.append(f"        // step {at}, line {step.line}: {step.kind}\n")
            if len(chain) > 1:
                self._emit_chain(chain, chain[-1] == last)
            else:
                self._emit_step(at, step, at == last)
        if not ends_with_product:
            self.lines.append(_TIME)
            self._flush(last=True)
        for chain in self.chains:  # may the next round begin before the old buffers are clean?
            if any(self.slots[number].buffers == 2 for number in self._swapped(chain) & self.cleans_now):
                self.lines.append("        meet([] {});\n")
                break
            scalars = self.body_steps[chain[0]].kind.startswith("scalar")
            if not scalars and chain[-1] + 1 not in self.closing:
                break  # there is a meeting before anything else is overwritten

    def _emit_step(self, at: int, step: BodyStep, last: bool) -> None:
        counters = f"counters + {PER_STEP * at}"
        if step.kind in PRODUCTS:
            if at not in self.closing or len(self.notes) > 1 or self.posts:
                if self.riding is not None:
                    self.lines.append(self.riding[1])
                    self.riding = None
                self._flush()
                self.closing.pop(at, None)
            if step.out in self.cleans_now and self.slots[step.out].buffers == 2:
                self.lines.append("        meet([] {});\n")
            if last:
                self.lines.append(_TIME)
                self._note_round()
            change = "NoChange{}" if self.riding is None else self.riding[0]
            note = f"{' '.join(self.looks)} return [=, &S] {{ {' '.join(self.notes)} }};"
            self._emit_product(at, step, counters, change, note)
            self.riding = None
            self.cleans.append(step.out)
            self._posts()
        elif step.kind.startswith("reduce"):
            self._emit_reduce(at, step)
        elif step.kind == "row":
            self._emit_row(at, step, counters)
        elif step.kind.startswith("scalar"):
            self._flush()
            self._emit_scalar(at, step)
        else:
            self._emit_positions(at, step, counters, last)

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
            f"    leave_clean<{valued(slot)}>(S.s{number}, {slot.initial});\n"
            for number, slot in enumerate(self.slots)
            if slot.buffers > 1
        )
        second = "".join(
            f"    move_home<{valued(slot)}>(S.s{number}, {slot.initial});\n"
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


def _matrix_word(side: str, rest: list[Any]) -> tuple[str, int, bool]:
    """Field, matrix and orientation of a word's name."""
    if side in ("nvals", "once"):
        *field, number = rest
        return "".join(field), number, False
    field, number, transposed = ("", *rest) if side == "nrows" else rest
    return field, number, transposed


_KERNEL = """
DEVICE State& state() {{
    __shared__ State shared;
    return shared;
}}
DEVICE void copy_words(const int64* from, int64* to, int64 count) {{
    for (int64 at = thread(); at < count; at += blockDim.x) to[at] = from[at];
}}

// A block that is alone counts in its own memory.
DEVICE int64* own_counters() {{
    __shared__ int64 sets[SETS_OF_COUNTERS * COUNTERS_IN_SET];
    return sets;
}}
DEVICE void clear_counters(int64* sets) {{
    for (int64 at = thread(); at < SETS_OF_COUNTERS * COUNTERS_IN_SET; at += blockDim.x) sets[at] = 0;
}}

extern "C" __global__ void __launch_bounds__({threads}, {blocks}) loop_kernel(const Words given) {{
    State& S = state();
    constexpr int64 STATE_WORDS = {state_words};
    int64* saved = (int64*){saved};
    int64* first_counters = (int64*){counter_sets} + SETS_OF_COUNTERS * COUNTERS_IN_SET;
    int64* parts = (int64*){parts};
    int64* trace = (int64*){trace};
    int64 limit = {limit};
    uint64 started = nanoseconds();
    clear_counters(own_counters());
    begin_team((unsigned*){barrier});
    copy_words({resumes} ? saved : given.word, (int64*)&S, STATE_WORDS);
    __syncthreads();
    if (thread() == 0) S.stop = 0;
    __syncthreads();
    if (!{resumes}) {{
{prologue}    }}
    while (true) {{
        bool goes_on = ({condition}) && S.step < limit && !S.stop;
        bool small = goes_on && ({solo});
        if (small && team_blocks() > 1) {{
            meet([] {{}});  // old buffers are clean from here on
            if (blockIdx.x != 0) {{  // wait for the first block, and go on where it stops
                if (thread() == 0) barrier().wait();
                __syncthreads();
                copy_words(saved, (int64*)&S, STATE_WORDS);
                __syncthreads();
                continue;
            }}
            if (thread() == 0) team_blocks() = 1;
            clear_counters(own_counters());
            __syncthreads();
        }} else if (!small && team_blocks() < gridDim.x) {{  // what the first block did alone, for all
            __syncthreads();
            copy_words((int64*)&S, saved, STATE_WORDS);
            clear_counters((int64*){counter_sets});
            __syncthreads();
            if (thread() == 0) {{
                team_blocks() = gridDim.x;
                barrier().wait();
            }}
            __syncthreads();
            continue;
        }}
        if (!goes_on) break;
        int64* sets = team_blocks() == 1 ? own_counters() : (int64*){counter_sets};
        int64* counters = sets + S.turn * COUNTERS_IN_SET;
        if (thread_in_grid() < COUNTERS_IN_SET) {{
            int64* next = S.turn == SETS_OF_COUNTERS - 1 ? sets : counters + COUNTERS_IN_SET;
            for (int64 at = thread_in_grid(); at < COUNTERS_IN_SET; at += threads_in_grid()) next[at] = 0;
        }}
{steps}
    }}
    if (!S.stop) {{
{finish}    }}
    meet([] {{}});
    if (blockIdx.x == 0) {{
        copy_words((int64*)&S, saved, STATE_WORDS);
        for (int64 at = thread(); at < (SETS_OF_COUNTERS + 1) * COUNTERS_IN_SET; at += blockDim.x)
            if (!S.stop) ((int64*){counter_sets})[at] = 0;
        int64* report = (int64*){report};
        if (thread() == 0) {{
            report[1] = S.stop;
            report[2] = S.step;
{report_text}        }}
        __syncthreads();
        if (thread() == 0) {{
            __threadfence_system();
            *(volatile int64*)report = {stamp};
        }}
    }}
    end_team((unsigned*){barrier});
}}
"""
