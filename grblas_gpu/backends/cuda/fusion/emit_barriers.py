"""The text of grid barriers: what thread 0 of every block looks up, all at once, and what it notes."""

from __future__ import annotations

from collections.abc import Sequence

from .emit_context import Context, counters_of, filled
from .items import Barrier, Changed, Note, Overwritten


def noted(context: Context, notes: Sequence[Note]) -> tuple[str, str]:
    """What is looked up, and what is done with it."""
    looks: list[str] = []

    def look(counter: str) -> str:
        looks.append(f"int64 look{len(looks)} = fresh({counter});")
        return f"look{len(looks) - 1}"

    def edges(note: Overwritten | Changed) -> str:
        counted = context.facts.slots[note.slot].edges_of is not None
        return look(f"{counters_of(note.step)} + EDGES_NEXT") if counted else "0"

    texts = []
    for note in notes:
        if isinstance(note, Overwritten):
            counter = f"{counters_of(note.step)} + ({note.listed} ? LISTED_ENTRIES : ENTRIES)"
            arguments = f"{note.count or look(counter)}, {edges(note)}, {note.listed}"
            texts.append(f"S.s{note.slot}.overwritten<{filled(context.facts.slots[note.slot])}>({arguments});")
        elif isinstance(note, Changed):
            texts.append(f"S.s{note.slot}.changed({look(f'{counters_of(note.step)} + ENTRIES')}, {edges(note)});")
        else:
            texts.append(f"{context.round_ends} S.stop = {look('counters + STOP')};")
    return " ".join(looks), " ".join(texts)


def barrier(context: Context, item: Barrier, sums_of: dict[int, str]) -> str:
    if not (item.notes or item.sums):
        return "        grid_barrier([] {});\n"
    looks, notes = noted(context, item.notes)
    sums = "".join(sums_of[at] for at in item.sums)
    if item.decides and item.sums:  # what is decided depends on them
        sums += f"        if (thread() == 0) {{ {context.decide} }}\n        __syncthreads();\n"
    elif item.decides:
        notes += f" {context.decide}"
    return f"        grid_barrier([&] {{ {looks} {notes} }});\n{sums}"


def cleaning(context: Context, number: int) -> str:
    slot = context.facts.slots[number]
    return f"        clean_by_list<{filled(slot)}>(S.s{number}, {slot.initial}, {1 + number % 5});\n"


def others_clean(context: Context, numbers: Sequence[int], condition: str = "true") -> str:
    """Where the condition holds, the other buffers of vectors are clean from here on: they may be written by a list."""
    dirty = {number: f"S.s{number}.other_is_dirty()" for number in numbers}
    texts = [f"        if ({condition} && ({' || '.join(dirty.values())})) {{\n"]
    for number, is_dirty in dirty.items():
        slot, name = context.facts.slots[number], f"S.s{number}"
        call = f"clean_all<{filled(slot)}>({name}, {name}.next_buffer(), {slot.initial});"
        texts.append(f"            if ({is_dirty}) {call}\n")
    clean = " ".join(f"S.s{number}.other_is_clean();" for number in numbers)
    return "".join([*texts, f"            grid_barrier([&] {{ {clean} }});\n        }}\n"])
