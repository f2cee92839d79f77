"""What a loop's products write to the trace: thread 0 of block 0, a row of numbers for each (``layout.ROW``)."""

from __future__ import annotations

from .analyse import Analysis
from .items import Product
from .layout import ROW
from .trace import TRACED


def row_of(facts: Analysis, item: Product, step: str = "") -> str:
    """Where the trace has the row of a product of this step."""
    number = list(facts.products).index(item.step)
    return f"trace + ({f'({step})' if step else 'S.tick'} * {len(facts.products)} + {number}) * {ROW.size}"


def noted_begin(facts: Analysis, item: Product, space: str, dense: str, allowed: str) -> str:
    """What is known of a product that begins; there are ``edges``, ``edges_before`` and ``unseen``."""
    U = f"S.s{item.operand}"
    when = _noted_row(start="int64(nanoseconds()) | 1", push="plan().push", strategy=f"{space}::strategy()")
    what = _noted_row(entries=f"{U}.count", edges="int64(edges)", allowed=allowed, in_shared="plan().in_shared")
    before = {"edges_before": "int64(edges_before)", "entries_before": f"{U}.entries_before"}
    also = _noted_row(unseen="int64(unseen)", dense=dense, **before)
    return (
        f"            if (trace && blockIdx.x == 0 && S.tick < {TRACED}) {{\n"
        f"                int64* row = {row_of(facts, item)};\n"
        f"                {when}\n"
        f"                {what}\n"
        f"                {also}\n"
        f"            }}\n"
    )


def noted_end(facts: Analysis, item: Product, result: str, ended: bool) -> str:
    """A product's result in the trace; of the round that has just ``ended``, or of this one."""
    return (
        f"                if (trace && blockIdx.x == 0 && S.tick <= {TRACED - 1 + ended}) {{\n"
        f"                    int64* row = {row_of(facts, item, 'S.tick - 1' if ended else '')};\n"
        f"                    {_noted_row(end='int64(nanoseconds())', result=result)}\n"
        f"                }}\n"
    )


def _noted_row(**words: str) -> str:
    return ", ".join(f"row[{ROW.at[name]}] = {value}" for name, value in words.items()) + ";"
