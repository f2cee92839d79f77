"""How the text of a product calls what it reads: arrays of its matrix, and the memory that strategies work in.

Whatever is named here gets a word of the kernel's arguments, so a strategy that cannot be taken asks for no memory.
"""

from __future__ import annotations

from typing import NamedTuple

from ...programs.reading import EACH
from ...programs.requests import reuses_mask
from ...programs.terms import BodyStep
from ..eager.mxv_balanced import lane_row
from ..eager.rows import MOST_CHUNKS
from .analyse import Analysis
from .emit_context import Context
from .items import Product

SORT_PARTS = ("capacity", "keys", "products", "counts")


class Names(NamedTuple):
    """How the text of a product calls things."""

    space: str
    columns: str
    rows: str
    hub_neighbours: str
    workspaces: str  # where strategies work, as the members of Operands follow each other
    nvals: str
    nrows: str
    open_rows: str


def adds_up_marked(facts: Analysis, item: Product, step: BodyStep) -> bool:
    """Whether pulls may have the operand's flags in its values (kernels/loop_operands.cuh)."""
    done = facts.products[item.step]
    if facts.strategies[item.step].pull != "pull.hybrid" or reuses_mask(step.desc, step.mask is not None):
        return False
    if done.second != EACH or done.second_type.char not in "fd" or facts.slots[item.operand].full:
        return False  # there is a NaN to spare in floats
    return not done.structure and done.adds_up_whole_rows and not (done.early_exit and done.has_terminal)


def names_of(context: Context, item: Product, step: BodyStep) -> Names:
    at, space = item.step, f"p{item.step}"
    matrix, transposed = context.columns_of(at)
    store, done = context.facts.matrices[matrix], context.facts.products[at]
    sides = []
    for side in ("rows" if at in context.facts.by_rows else "columns", "rows"):
        indptr, indices, values = (
            context.of_matrix(side, matrix, transposed, f) for f in ("indptr", "indices", "values")
        )
        arrays = f"(const {space}::Offset*){indptr}, (const {space}::Column*){indices}, "
        sides.append(f"{arrays}(const {space}::MatrixValue*){values}")
    once = "".join(f", {context.of_matrix('once', matrix, field=f)}" for f in ("nrows", "nvals") if store.copies > 1)
    # Where one entry of a row is enough and all count the same, a pull may begin with any of them.
    hub_neighbours = "nullptr"
    if (done.any_hit or done.one_value) and done.early_exit and store.copies == 1:
        hub_neighbours = f"(const {space}::Column*){context.of_matrix('hub_neighbours', matrix, transposed)}"
    nvals, nrows = context.of_matrix("nvals", matrix), context.of_matrix("nrows", matrix, transposed)
    open_rows = "rows"
    if step.mask is not None:
        count = f"double(S.s{step.mask.vector}.count)"
        open_rows = f"rows - {count}" if step.mask.complement else count
    if item.closing is not None:
        open_rows = f"{open_rows} - double(S.s{item.closing}.count)"
    columns, rows = (f"{{{side}{once}}}" for side in sides)
    workspaces = _workspaces(context, item, step, nvals)
    return Names(space, columns, rows, hub_neighbours, workspaces, nvals, nrows, open_rows)


def _workspaces(context: Context, item: Product, step: BodyStep, nvals: str) -> str:
    """Arrays of the matrix and memory for one strategy or another; null where it cannot be taken."""
    at, space, done = item.step, f"p{item.step}", context.facts.products[item.step]
    strategies, (matrix, transposed) = context.facts.strategies[at], context.columns_of(at)
    found = {"row_ids": "nullptr", "open_list": "nullptr", "filter": "nullptr", "marked": "nullptr"}
    found |= {"carries": "nullptr, nullptr", "order": "{}", "all_short": "false", "nvals": nvals, "sort": "{0}"}
    if at in context.facts.balanced:  # chunks leave values and rows; the operand may be in the order of the columns
        word = context.word("carries")
        found["carries"] = f"({space}::Value*){word}, (int64*){word} + {MOST_CHUNKS}"
        found["all_short"] = f"{context.of_matrix('all_short', matrix, transposed, str(lane_row(done.dtype)))} != 0"
        if done.second == EACH:
            columns, indices = (context.of_matrix("order", matrix, transposed, f) for f in ("columns", "indices"))
            arrays = ", ".join(f"(const {space}::Column*){word}" for word in (columns, indices))
            found["order"] = f"{{{arrays}, ({space}::VectorValue*){context.word('ordered')}}}"
    elif "pull.edge" in strategies:
        found["row_ids"] = f"(const {space}::RowId*){context.of_matrix('row_ids', matrix, transposed)}"
        found["filter"] = f"(unsigned*){context.word('filter')}"
    if item.keeps_bits:
        found["filter"] = f"(unsigned*){context.word('frontier_bits')}"
    if adds_up_marked(context.facts, item, step):
        found["marked"] = f"({space}::VectorValue*){context.word('marked')}"
    if "pull.compact" in strategies:
        found["open_list"] = f"({space}::RowId*){context.word('open_list')}"
    if "push.sort" in strategies:
        capacity, keys, products, counts = (context.word("sort", part) for part in SORT_PARTS)
        keys, products = f"({space}::Key*){keys}", f"({space}::Payload*){products}"
        pairs = f"{{{keys}, {keys} + {capacity}}}, {{{products}, {products} + {capacity}}}"
        found["sort"] = f"{{{capacity}, {pairs}, (unsigned*){counts}, (unsigned*){counts} + 32 * {space}::MOST_SPANS}}"
    return ", ".join(found.values())


def operands_text(context: Context, item: Product, step: BodyStep, names: Names) -> str:
    """What a product is given (kernels/loop_operands.cuh)."""
    space, U, mask = names.space, f"S.s{item.operand}", "{nullptr, nullptr}"
    if step.mask is not None:
        M = f"S.s{step.mask.vector}"
        mask = f"{{{M}.flags(), (const {space}::MaskValue*){M}.values()}}"
    closing = "nullptr" if item.closing is None else f"S.s{item.closing}.flags()"
    return (
        f"            {space}::Operands operands = {{{names.columns}, {names.rows}, {{{U}.flags(), {U}.values()}}, "
        f"{mask}, {closing}, {context.next_offsets(item.out, 'nullptr')}, {names.hub_neighbours}, "
        f"{names.workspaces}}};\n"
    )
