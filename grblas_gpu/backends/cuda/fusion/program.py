"""The program of a loop: one kernel in which a team of blocks repeats the steps of a body (``loop_layout.py``).

Products are the functions of ``kernels/loop_mxv.cuh``, everything else runs position by position
(``kernels/slot.cuh``), over the list of an operand where one has few entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import compile as programs
from ..runtime.compile import binary
from ..runtime.translate import c_type
from .analyse import POSITIONWISE, PRODUCTS
from .chains import PER_STEP, Chains
from .layout import Body, BodyStep
from .products import COMMON
from .requests import asked_direction
from .steps import valued
from .trace import TRACED

__all__ = ["BLOCKS", "CLUSTER", "MOST_BLOCKS", "THREADS", "TRACED", "Program"]

THREADS = 512  # in a block
BLOCKS = 2  # in a processor: more make meetings slower, and have fewer registers
CLUSTER = 8  # blocks, as in kernels/team.cuh, where a device has clusters
MOST_BLOCKS = 4096  # that a sum may have parts for
TIME_SLICE = 200_000_000  # nanoseconds after which the host gets a chance to interrupt
#: Words that every program has.
WORDS = ("limit", "barrier", "saved", "counter_sets", "parts", "report", "stamp", "resumes", "trace")


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
        small = self._small()
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
            small=small,
            plan=self.plan_ahead,
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
            f"struct State {{\n    int64 step, tick, stop, turn, then;\n{state}{variables}}};\n"
            f"struct Words {{\n    int64 word[{self.layout.size}];\n}};\n"
        )
        return f'{common}#line 1 "generated for a loop"\n{head}{"".join(self.pieces)}{kernel}'

    def _small(self) -> str:
        """Whether a cluster may go on alone: everything left to do is on short lists."""
        if self.condition[0] != "entries":
            return "false"
        listed: set[int] = set()
        for step in self.body_steps:
            if step.kind in PRODUCTS:
                _, vector, _ = self._product_operands(step)
                if vector.number not in self.listable or asked_direction(step.desc) == "pull":
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
        tests = [f"S.s{number}.count <= SMALL_ENTRIES"]
        tests += [f"S.s{n}.edges <= SMALL_EDGES" for n, slot in enumerate(self.slots) if slot.edges_of is not None]
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
                self._note_round()
            change = "NoChange{}" if self.riding is None else self.riding[0]
            note = f"{' '.join(self.looks)} return [=, &S] {{ {' '.join(self.notes)} }};"
            self._emit_product(at, step, counters, change, note, "decide();" if last else "")
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

constexpr int64 GO_ON = 0, OTHER_TEAM = 1, END = 2, UNDECIDED = 3;

extern "C" __global__ void __launch_bounds__({threads}, {blocks}) CLUSTERS loop_kernel(const Words given) {{
    State& S = state();
    constexpr int64 STATE_WORDS = {state_words};
    int64* saved = (int64*){saved};
    int64* first_counters = (int64*){counter_sets} + SETS_OF_COUNTERS * COUNTERS_IN_SET;
    int64* parts = (int64*){parts};
    int64* trace = (int64*){trace};
    int64 limit = {limit};
    uint64 started = nanoseconds();
    begin_team((unsigned*){barrier});
    copy_words({resumes} ? saved : given.word, (int64*)&S, STATE_WORDS);
    __syncthreads();
    if (thread() == 0) S.stop = 0, S.then = UNDECIDED;
    __syncthreads();
    if (!{resumes}) {{
{prologue}    }}
    auto counters_of = [&](int64 turn) -> int64* {{
        return (int64*){counter_sets} + turn * COUNTERS_IN_SET;
    }};
    // Thread 0 of every block, at the end of a round: is there another one, whose is it, and how does it begin?
    auto decide = [&] {{
        bool goes_on = ({condition}) && S.step < limit && !S.stop;
        bool small = goes_on && ({small});
        bool other_team = small ? team_blocks() > CLUSTER : team_blocks() < gridDim.x;
        S.then = other_team ? OTHER_TEAM : goes_on ? GO_ON : END;
        if (S.then != GO_ON) return;
        if (blockIdx.x == team_blocks() - 1) {{  // the counters after the next ones
            int64* next = counters_of(S.turn == SETS_OF_COUNTERS - 1 ? 0 : S.turn + 1);
            for (int64 at = 0; at < COUNTERS_IN_SET; ++at) next[at] = 0;
        }}
        bool looks = blockIdx.x == 0 && S.tick % 8 == 0;  // at the clock, which takes a while
        if (looks && nanoseconds() - started > TIME_SLICE) counters_of(S.turn)[COUNTERS_IN_SET - 1] = 1;
{plan}    }};
    while (true) {{
        if (S.then != GO_ON) {{
            if (S.then == END) break;
            bool changes = S.then == OTHER_TEAM, all = team_blocks() == gridDim.x;
            __syncthreads();
            if (changes && all) {{
                meet([] {{}});  // old buffers are clean from here on
                if (blockIdx.x >= CLUSTER) {{  // wait for the cluster, and go on where it stops
                    if (thread() == 0) barrier().wait(true);
                    __syncthreads();
                    copy_words(saved, (int64*)&S, STATE_WORDS);
                }} else {{
                    if (thread() == 0) team_blocks() = CLUSTER;
                }}
            }} else if (changes) {{  // what the cluster did alone, for all
                if (blockIdx.x == 0) {{
                    copy_words((int64*)&S, saved, STATE_WORDS);
                    __syncthreads();
                }}
                if (thread() == 0) {{
                    team_blocks() = gridDim.x;
                    barrier().wait();
                }}
            }}
            __syncthreads();
            if (thread() == 0) decide();
            __syncthreads();
            continue;
        }}
        int64* counters = counters_of(S.turn);
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
