"""Loops of many steps as many functions: parts, decisions and what runs once in a step are called, not inlined.

What a compiler needs grows faster than a function does. What runs once for an entry stays inlined, and all functions
read the kernel's words in shared memory: a parameter is in reach of the kernel alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .emit_flow import FlowText

CALLING = "#undef CALLABLE\n#undef CALLS\n#define CALLABLE __device__ __noinline__\n#define CALLS true\n"


class Calls(NamedTuple):
    functions: str  # before the kernel
    keeps: str  # what the kernel writes for them
    steps: str  # a round


def of_parts(
    flow: FlowText, deciding: str, parts: Sequence[str], words: Mapping[str, str], numbers: tuple[int, int]
) -> Calls:
    """``numbers`` are those of the words of the state, which comes first, and of all."""
    state, size = numbers
    names = NAMES.format(**words)
    functions = KEPT.format(state_words=state, kept=size - state, **words)
    functions += f"CALLABLE void decide() {{\n{names}    uint64 started = given.started;\n{deciding}}}\n"
    for number, (text, after) in enumerate(zip(parts, flow.following, strict=True)):
        counters = "    int64 *counters = counters_of(S.turn), *parts = (int64*){parts};\n".format(**words)
        functions += f"CALLABLE void part{number}() {{\n{names}{counters}{after}{text}}}\n"
    cases = "".join(f"        case {number}: part{number}(); break;\n" for number in range(len(parts)))
    return Calls(
        functions,
        KEEPS.format(state_words=state, kept=size - state),
        f"        switch (S.part) {{\n{cases}        }}\n",
    )


KEPT = """
// The words after the state, by their numbers.
struct KeptWords {{
    int64 words[{kept}];
    DEVICE int64 operator[](int at) const {{ return words[at - {state_words}]; }}
}};
struct Kept {{
    KeptWords word;
    uint64 started;
}};
DEVICE Kept& kept() {{
    __shared__ Kept shared;
    return shared;
}}
DEVICE int64* counters_of(int64 turn) {{
    const Kept& given = kept();
    return (int64*){counter_sets} + turn * COUNTERS_IN_SET;
}}
"""
NAMES = """    State& S = state();
    const Kept& given = kept();
    int64 limit = {limit}, *trace = (int64*){trace};
"""
KEEPS = """    copy_words(given.word + {state_words}, kept().word.words, {kept});
    if (thread() == 0) kept().started = started;
"""
