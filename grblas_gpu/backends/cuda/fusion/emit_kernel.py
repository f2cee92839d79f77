"""The kernel around the steps of a loop: how it begins, goes on and ends, and what it publishes to the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...programs.reading import EACH
from ..runtime import compile as programs
from ..runtime.compile import constant
from ..runtime.translate import c_type
from . import emit_calls
from .analyse import Analysis
from .emit_context import MOST_BLOCKS, Context, filled, truth, valued
from .emit_flow import FlowText
from .emit_teams import LONGEST_SHARED, NEVER
from .layout import HEAD, REPORT, SOURCE, VARIABLE, WORDS, Layout, declarations

#: Threads in a block, and blocks in a processor: more of them make barriers slower, and have fewer registers.
SHAPE = 512, 2
WIDE = 1024, 1  # of loops whose products keep elements of their operands in shared memory: there is one copy of them
MOST_WORDS_WIDE = 512  # of a loop's state, which is in shared memory as the queues of all warps are
CLUSTER = 8  # blocks, as in kernels/grid_barrier.cuh, where a device has clusters
TIME_SLICE = 200_000_000  # nanoseconds after which the host gets a chance to interrupt
#: Pasted once; the others once for each product.
COMMON = (
    *("prelude.cuh", "grid_barrier.cuh", "grid.cuh", "slot.cuh", "loop_positions.cuh", "loop_sums.cuh"),
    "lists.cuh",
)


class KernelText(NamedTuple):
    """The text of a kernel, complete but for what a run decides that sees its matrices and the device."""

    before: str
    after: str
    has_plain_form: bool

    def of(self, teams: bool, short_rows: bool, plain: bool = False) -> str:
        """``teams``: a cluster may go on alone; ``short_rows``: rows may be so short that a lane takes one; ``plain``:
        one way to push, one to pull, and no short cuts, for the time until another kernel is compiled."""
        macros = f"#define TEAMS {int(teams)}\n#define PLAIN {int(plain and self.has_plain_form)}\n"
        return f"{self.before}{macros}{constant('SHORT_ROWS', short_rows)}\n{self.after}"


def kernel_text(
    context: Context,
    flow: FlowText,
    plan: str,
    parts: Sequence[str],
    counters: int,
    loops: int,
    shares: bool,
    small: str,
    bits: str,
) -> KernelText:
    """The whole text; ``parts`` are what a round has to do, ``plan`` is for the end of the round before, and ``shares``
    says whether frontiers may be in shared memory. ``bits``: what makes those of frontiers that have some."""
    facts, layout = context.facts, context.layout
    shape = shape_of(facts, layout, small)
    begins = prologue(context)  # words are numbered at their first use
    words = {name: context.word(name) for name in WORDS}
    deciding = DECIDING.format(goes_on=flow.goes_on, small=small, plan=plan)
    if context.calls:
        calls = emit_calls.of_parts(flow, deciding, parts, words, (layout.state_words, layout.size))
        functions, keeps, steps, decides = *calls, ""
    else:
        functions = keeps = ""
        decides = DECIDES.format(deciding=deciding, **words)
        steps = parts[0] if len(parts) == 1 else in_cases(parts)
    kernel = KERNEL.format(
        functions=functions,
        keeps=keeps,
        decides=decides,
        threads=shape[0],
        blocks=shape[1],
        begins_shared="    begin_shared_frontier();\n" if shares else "",
        prologue=begins,
        bits=bits,
        first=flow.first,
        after="" if context.calls else "".join(flow.following),
        steps=steps,
        finish=epilogue(facts),
        at_home=at_home(facts),
        counters=counters,
        state_words=layout.state_words,
        report_text=report(layout),
        **words,
    )
    slots = "".join(f"    Slot<{c_type(slot.dtype)}> s{n};\n" for n, slot in enumerate(facts.slots))
    variables = "".join(f"    Variable c{n};\n" for n in range(len(facts.variables)))
    counts = "".join(f"    int64 step{number + 1};\n" for number in range(loops))
    head = (
        f"constexpr int64 SETS_OF_COUNTERS = 3, COUNTERS_IN_SET = {counters}, STOP = COUNTERS_IN_SET - 1;\n"
        f"constexpr int64 MOST_BLOCKS = {MOST_BLOCKS};\n"
        f"constexpr uint64 TIME_SLICE = {TIME_SLICE};\n"
        f"struct State {{\n{HEAD.members}{counts}{slots}{variables}}};\n"
        f"struct Words {{\n    int64 word[{layout.size}];\n}};\n"
    )
    pasted: set[str] = set()
    first, *others = (programs.paste(name, pasted) for name in COMMON)  # in this order
    common = f"constexpr int BLOCK_THREADS = {shape[0]};\n{declarations()}{''.join(others)}"
    after = f'{common}#line 1 "generated for a loop"\n{head}{"".join(context.pieces)}{kernel}'
    return KernelText(f"{first}{emit_calls.CALLING if context.calls else ''}", after, has_plain_form(facts))


def has_plain_form(facts: Analysis) -> bool:
    """Not for products with a requested strategy, or that settle or sort: other kernels would change results."""
    requests = [facts.steps[at].desc for at in facts.products if "push.sort" not in facts.strategies[at]]
    if facts.settling or len(requests) < len(facts.products):
        return False
    return all(desc is None or (desc.strategy is None and desc.settles_at is None) for desc in requests)


def in_cases(parts: Sequence[str]) -> str:
    """The part that comes next."""
    cases = "".join(f"        case {number}: {{\n{text}        }} break;\n" for number, text in enumerate(parts))
    return f"        switch (S.part) {{\n{cases}        }}\n"


def shape_of(facts: Analysis, layout: Layout, small: str) -> tuple[int, int, int]:
    """Threads in a block, blocks in a processor, and in a cluster if one ever goes on alone: ``small`` says when."""
    keeps = any(facts.products[at].second == EACH for at in facts.balanced)
    shape = WIDE if keeps and layout.state_words <= MOST_WORDS_WIDE else SHAPE
    return *shape, 1 if small == NEVER else CLUSTER


def prologue(context: Context) -> str:
    """The vectors as they enter the loop."""
    first, second, notes = [], [], []
    for number, slot in enumerate(context.facts.slots):
        if not slot.written and slot.edges_of is None:
            continue
        start, source, distinct_values, values = (context.word(name, number) for name in SOURCE.at)
        values = f"(const {c_type(slot.dtype)}*){values}"
        fill = filled(slot) if slot.buffers > 1 else "false"
        later = filled_later(context, number) if slot.written else ""
        settles = next((found for found in context.facts.settling.values() if found.values == number), None)
        left = later
        if settles is not None:  # positions without an entry hold what can be lowered, if the rows are short
            longest = context.of_matrix("longest", *context.columns_of(settles.product))
            fill, left = "true", f"{longest} > {LONGEST_SHARED}"
        if slot.written:
            given = f"S.s{number}, {start}, {values}, {slot.initial}{f', {left}' if left else ''}"
            first.append(f"        prepare<{truth(slot.iso)}, {fill}>({given});\n")
        if settles is not None:  # arrays that the vector had, or that prepare filled with the value of all entries
            absent = f"p{settles.product}::fill_where_absent(S.s{number}, {slot.initial})"
            first.append(f"        if (({start} == AS_IT_IS || {start} == ONE_VALUE) && !({left})) {absent};\n")
        if later:
            notes.append(f" if ({later} && {start} != AS_IT_IS && {start} != ONE_VALUE) S.s{number}.dirty |= 1;")
        counter = f"first_counters + {number}"
        second.append(
            f"        enter<{truth(slot.iso)}>(S.s{number}, {start}, (const int64*){source}, {values}, "
            f"{distinct_values}, {context.next_offsets(number)}, {counter});\n"
        )
        if slot.edges_of is not None:
            notes.append(f" S.s{number}.edges = fresh({counter});")
    between = "        grid_barrier([] {});\n" if first else ""
    return f"{''.join(first)}{between}{''.join(second)}        grid_barrier([&] {{{''.join(notes)} }});\n"


def filled_later(context: Context, number: int) -> str:
    """Whether the first buffer is left dirty until a push goes there: in an asynchronous search of a graph with long
    rows a pull comes there first, mostly."""
    products = context.facts.products
    found = (at for at in products if context.facts.steps[at].out == number and context.is_asynchronous(at))
    at = next(found, None)
    return "" if at is None else f"({context.of_matrix('longest', *context.columns_of(at))} > {LONGEST_SHARED})"


def epilogue(facts: Analysis) -> str:
    """The vectors in their first buffers, and the others clean."""
    vectors = [
        (slot, f"(S.s{number}, {slot.initial});\n") for number, slot in enumerate(facts.slots) if slot.buffers > 1
    ]
    first = "".join(f"    leave_clean<{filled(slot)}>{given}" for slot, given in vectors)
    second = "".join(f"    move_to_primary_buffer<{valued(slot)}, {filled(slot)}>{given}" for slot, given in vectors)
    return f"{first}    grid_barrier([] {{}});\n{second}"


def at_home(facts: Analysis) -> str:
    """Whether results need not be moved."""
    moved = (f"S.s{number}" for number, slot in enumerate(facts.slots) if slot.buffers > 1)
    return "".join(f" && ({vector}.now == 0 || {vector}.count == 0)" for vector in moved)


def report(layout: Layout) -> str:
    """What is published to the host."""
    published = {REPORT.at[name]: f"S.{name}" for name in ("stop", "step", "tick")}
    published |= {layout.reported_count(n): f"S.s{n}.count" for n in range(layout.vectors)}
    for n in range(layout.variables):
        base = layout.reported_variable(n)
        published[base + VARIABLE.at["bits"]] = f"int64(S.c{n}.bits)"
        published[base + VARIABLE.at["present"]] = f"S.c{n}.present"
    return "".join(f"        report[{at}] = {value};\n" for at, value in published.items())


#: Thread 0 of every block, at the end of a round.
DECIDING = """        bool goes_on = {goes_on} && S.step < limit && !S.stop;
        bool other_team = false;
#if !PLAIN
        bool small = goes_on && ({small});
        other_team = small ? team_blocks() > CLUSTER : team_blocks() < gridDim.x;
#endif
        S.then = other_team ? OTHER_TEAM : goes_on ? GO_ON : END;
        if (S.then != GO_ON) return;
        bool looks = blockIdx.x == 0 && S.tick % 8 == 0;  // at the clock, which takes a while
        if (looks && nanoseconds() - started > TIME_SLICE) stop_because(counters_of(S.turn) + STOP, OUT_OF_TIME);
{plan}"""
DECIDES = """    auto counters_of = [&](int64 turn) -> int64* {{
        return (int64*){counter_sets} + turn * COUNTERS_IN_SET;
    }};
    // Thread 0 of every block, at the end of a round: is there another one, whose is it, and how does it begin?
    auto decide = [&] {{
{deciding}    }};
"""
KERNEL = """
DEVICE State& state() {{
    __shared__ State shared;
    return shared;
}}
DEVICE void copy_words(const int64* from, int64* to, int64 count) {{
    for (int64 at = thread(); at < count; at += blockDim.x) to[at] = from[at];
}}

constexpr int64 GO_ON = 0, OTHER_TEAM = 1, END = 2, UNDECIDED = 3;
{functions}
extern "C" __global__ void __launch_bounds__({threads}, {blocks}) CLUSTERS loop_kernel(const Words given) {{
    State& S = state();
    constexpr int64 STATE_WORDS = {state_words};
    static_assert(sizeof(State) == STATE_WORDS * sizeof(int64), "as fusion/layout.py numbers the words");
    int64* saved = (int64*){saved};
    int64* first_counters = (int64*){counter_sets} + SETS_OF_COUNTERS * COUNTERS_IN_SET;
    int64* parts = (int64*){parts};
    int64* trace = (int64*){trace};
    int64 limit = {limit};
    uint64 started = nanoseconds();
    begin_team((unsigned*){barrier});
{begins_shared}    copy_words({resumes} ? saved : given.word, (int64*)&S, STATE_WORDS);
{keeps}    __syncthreads();
    if (thread() == 0) S.stop = 0, S.then = UNDECIDED;
    __syncthreads();
    if (!{resumes}) {{
{prologue}    }}
{bits}{after}    if (!{resumes} && thread() == 0) {{ {first} }}
    __syncthreads();
{decides}    while (true) {{
        if (S.then != GO_ON) {{
            if (S.then == END) break;
#if !PLAIN
            bool changes = S.then == OTHER_TEAM, all = team_blocks() == gridDim.x;
            __syncthreads();
            if (changes && all) {{
                grid_barrier([] {{}});  // old buffers are clean from here on
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
#endif
            __syncthreads();
            if (thread() == 0) decide();
            __syncthreads();
            continue;
        }}
        int64* counters = counters_of(S.turn);
        if (blockIdx.x == team_blocks() - 1) {{
            int64* next = counters_of(S.turn == SETS_OF_COUNTERS - 1 ? 0 : S.turn + 1);
            for (int64 at = thread(); at < COUNTERS_IN_SET; at += blockDim.x) next[at] = 0;
        }}
{steps}
    }}
    auto publish = [&] {{
        int64* report = (int64*){report};
{report_text}        __threadfence_system();
        *(volatile int64*)report = {stamp};
    }};
    // Where every vector is in its first buffer, or empty, the host does not wait for others to be cleaned.
    bool complete = !S.stop{at_home};
    if (complete && thread_in_grid() == 0) publish();
    if (!S.stop) {{
{finish}    }}
    grid_barrier([] {{}});
    if (blockIdx.x == 0) {{
        copy_words((int64*)&S, saved, STATE_WORDS);
        for (int64 at = thread(); at < (SETS_OF_COUNTERS + 1) * COUNTERS_IN_SET; at += blockDim.x)
            if (!S.stop) ((int64*){counter_sets})[at] = 0;
        if (!complete && thread() == 0) publish();
    }}
    end_team((unsigned*){barrier});
}}
"""
