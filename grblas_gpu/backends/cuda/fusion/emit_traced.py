"""What a loop's products write to the trace: thread 0 of block 0, a row of numbers for each (``layout.ROW``)."""

from __future__ import annotations

from .analyse import Analysis
from .direction import STRATEGIES
from .items import Product
from .layout import ROW
from .trace import SETTLES, TRACED


def row_of(facts: Analysis, at: int, step: str = "") -> str:
    """Where the trace has the row of a product of this step."""
    number = list(facts.products).index(at)
    return f"trace + ({f'({step})' if step else 'S.tick'} * {len(facts.products)} + {number}) * {ROW.size}"


def noted_begin(facts: Analysis, item: Product, space: str, dense: str, allowed: str) -> str:
    """What is known of a product that begins; there are ``edges``, ``edges_before`` and ``unseen``."""
    U, row = f"S.s{item.operand}", row_of(facts, item.step)
    words = {"start": "int64(nanoseconds()) | 1", "push": "plan().push", "strategy": f"{space}::strategy()"}
    words |= {"entries": f"{U}.count", "edges": "int64(edges)", "allowed": allowed, "in_shared": "plan().in_shared"}
    words |= {"edges_before": "int64(edges_before)", "entries_before": f"{U}.entries_before"}
    return _noted(row, f"blockIdx.x == 0 && S.tick < {TRACED}", unseen="int64(unseen)", dense=dense, **words)


def noted_end(facts: Analysis, item: Product, result: str, ended: bool) -> str:
    """A product's result in the trace; of the round that has just ``ended``, or of this one."""
    row = row_of(facts, item.step, "S.tick - 1" if ended else "")
    condition = f"blockIdx.x == 0 && S.tick <= {TRACED - 1 + ended}"
    return _noted(row, condition, end="int64(nanoseconds())", result=result)


def noted_settling(facts: Analysis, item: Product) -> str:
    """Several rounds at once."""
    condition = f"thread_in_grid() == 0 && S.tick < {TRACED}"
    return _noted(row_of(facts, item.step), condition, in_shared=str(SETTLES))


def _noted(row: str, condition: str, **words: str) -> str:
    return (
        f"            if (trace && {condition}) {{\n"
        f"                int64* row = {row};\n"
        f"                {_noted_row(**words)}\n"
        f"            }}\n"
    )


def noted_rows(facts: Analysis, at: int, operand: int, nvals: str) -> tuple[str, str]:
    """What a product in a chain notes before and after the pass; ``rows{at}`` is how many rows a thread has found."""
    U, mask = f"S.s{operand}", facts.steps[at].mask
    assert mask is not None
    first = _noted_row(start="int64(nanoseconds()) | 1", strategy=str(STRATEGIES.index("pull.thread")), in_chain="1")
    sizes = _noted_row(entries=f"{U}.count", edges=f"{U}.edges", allowed=f"S.s{mask.vector}.count", unseen=nvals)
    before = _noted_row(edges_before=f"{U}.edges_before", entries_before=f"{U}.entries_before", dense=f"!{U}.listed")
    begin = (
        f"            int64 rows{at} = 0, *row = trace && S.tick < {TRACED} ? {row_of(facts, at)} : nullptr;\n"
        f"            if (row && thread_in_grid() == 0) {{\n"
        f"                {first}\n                {sizes}\n                {before}\n"
        f"            }}\n"
    )
    end = (
        f"            if (row) {{\n"
        f"                add_to_counter(row + {ROW.at['result']}, rows{at});\n"
        f"                if (thread_in_grid() == 0) {_noted_row(end='int64(nanoseconds())')}\n"
        f"            }}\n"
    )
    return begin, end


def _noted_row(**words: str) -> str:
    return ", ".join(f"row[{ROW.at[name]}] = {value}" for name, value in words.items()) + ";"
