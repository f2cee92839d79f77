"""The text of a program: one kernel in which a team of blocks repeats the steps of a schedule.

Products are the functions of ``kernels/loop_mxv.cuh``, everything else runs position by position
(``kernels/slot.cuh``), over the list of an operand where one has few entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ....ir.descriptor import Counted
from ...programs.lower import Body, BodyStep, MaskUse
from ...programs.requests import Sides, direction_of, reuses_mask
from ...programs.steps import product_operands
from ..eager.mxv_balanced import lane_row
from ..eager.mxv_product import EACH
from ..eager.mxv_product import Product as Kind
from ..eager.rows import MOST_CHUNKS
from ..runtime import compile as programs
from ..runtime.compile import constant, using
from ..runtime.translate import literal
from . import emit_flow, emit_kernel, emit_sums, emit_teams
from .analyse import Analysis, SlotFacts, analyse
from .direction import STRATEGIES, policy_of, rule_text
from .emit_barriers import barrier, cleaning, noted
from .emit_chains import Rows, chain
from .emit_context import PER_STEP, Context, counters_of
from .emit_flow import COUNT
from .emit_kernel import COMMON
from .emit_positions import position
from .emit_reading import values_needed
from .emit_scatters import scatter
from .emit_traced import noted_begin, noted_end, noted_settling, row_of
from .items import Barrier, Clean, Item, Part, Positions, Product, Reduce, Row, Scatter, Schedule, Settle
from .layout import ROW, Layout
from .schedule import schedule

FEW = 64  # edges for so many rows that a search has not seen: what a pull finds then is listed
MASK_FLAGS = ("MASKED", "MASK_PRESENT", "MASK_VALUED", "MASK_ISO", "COMPLEMENT")
SORT_PARTS = ("capacity", "keys", "products", "counts")
MATRIX_WORDS = "columns rows hub_neighbours order row_ids nvals nrows once longest all_short".split()


@dataclass(frozen=True, eq=False)
class LoopKernel:
    """The text of a kernel, and the words that it wants. It outlives the objects that it was made for."""

    text: str
    layout: Layout
    slots: Sequence[SlotFacts]
    initial_values: dict[int, Any]
    copied: Sequence[int]  # whose sizes the hidden vectors have
    products: Sequence[tuple[BodyStep, Kind, Sides]]
    counters: int
    reductions: int
    starts: Sequence[int]  # words that say where each vector's entries come from
    matrix_words: Sequence[tuple[int, str, str, int, bool]]  # words that belong to matrices
    sorted_bytes: tuple[int, int]  # of a key and a product, for pushes that sort; or (0, 0)
    shape: tuple[int, int, int]  # threads in a block, blocks in a processor, blocks in a cluster
    whole_rows: Sequence[tuple[int, bool]]  # matrices whose rows are added up whole, and whether these are columns
    team_words: Sequence[int]  # the longest rows of matrices: clusters are for short ones ...
    lists_in_teams: bool  # ... and for short lists: where loops are in loops, it is in shared memory only that they pay


def kernel_of(body: Body) -> LoopKernel:
    return emit(schedule(analyse(body)))


def emit(order: Schedule) -> LoopKernel:
    facts = order.facts
    loops = max((step.op.number for step in facts.steps if step.kind == "begin"), default=0)
    layout = Layout(len(facts.slots), len(facts.variables), loops)
    context = Context(facts, layout)
    counters = max(PER_STEP * (len(facts.steps) + 1), len(facts.slots) + 1)
    if len(order.parts) == 1:
        flow, (plan, text) = emit_flow.one_part(context), _part(context, order.parts[0])
        parts = [text]
    else:
        flow, rounds = emit_flow.several_parts(context, order), []
        for number, part in enumerate(order.parts):
            rounds.append(_part(replace(context, part=number), part))
        parts = [text for _, text in rounds]
        plan = "".join(
            f"        if (S.part == {n}) {{\n{ahead}        }}\n" for n, (ahead, _) in enumerate(rounds) if ahead
        )
    shared = {
        number: (_fits_shared(context, item), f"p{item.step}::TEAM_EDGES")
        for number, part in enumerate(order.parts)
        for item in part.items
        if isinstance(item, Product) and item.in_shared
    }
    small = emit_teams.small(order, shared)
    text = emit_kernel.kernel_text(
        context, flow, plan, parts, counters, loops, bool(shared), small, _first_bits(context, order)
    )
    names = layout.names
    return LoopKernel(
        text,
        layout,
        facts.slots,
        facts.initial_values,
        facts.copied,
        [(facts.steps[at], kind, facts.strategies[at]) for at, kind in facts.products.items()],
        counters,
        order.reductions,
        [names.get(("start", number), 0) for number in range(len(facts.slots))],
        [(at, side, *_matrix_word(side, rest)) for (side, *rest), at in names.items() if side in MATRIX_WORDS],
        _sorted_bytes(context),
        emit_kernel.shape_of(facts, small),
        [context.columns_of(at) for at in sorted(facts.balanced)],
        _team_words(context, order),
        len(order.parts) == 1,
    )


def _first_bits(context: Context, order: Schedule) -> str:
    """Bits of frontiers as they are before the first round; later ones are written by pulls."""
    kept = [item for item in order.items if isinstance(item, Product) and item.keeps_bits]
    bits = f"(unsigned*){context.word('frontier_bits')}" if kept else ""
    first = (f"    p{item.step}::write_bits(S.s{item.operand}, {bits});\n" for item in kept)
    return f"{''.join(first)}    grid_barrier([] {{}});\n" if kept else ""


def _team_words(context: Context, order: Schedule) -> list[int]:
    """The longest rows of matrices whose products a cluster may go on with in shared memory."""
    shared = (item for item in order.items if isinstance(item, Product) and item.in_shared)
    return [context.layout.word("longest", *context.columns_of(item.step)) for item in shared]


def _sorted_bytes(context: Context) -> tuple[int, int]:
    keys = products = 0
    for at, product in context.facts.products.items():
        if "push.sort" in context.facts.strategies[at]:
            keys = max(keys, context.row_type(at).itemsize)
            products = max(products, 0 if product.structure else product.dtype.itemsize)
    return keys, products


def _part(context: Context, part: Part) -> tuple[str, str]:
    """The plan of the product that comes first, and everything in a round; of two versions, by the matrices."""
    plan, text = _round(context, part.items)
    if part.settling:
        settle = part.settling[0]
        assert isinstance(settle, Settle)
        fits, space = _fits_shared(context, settle.product), f"p{settle.product.step}"
        _, other = _round(context, part.settling)
        ends = noted_end(context.facts, settle.product, f"S.s{settle.frontier}.count", True)
        other += f"        if (thread() == 0) {{\n{ends}        }}\n"
        short = f"{fits} && {space}::is_short(S.s{settle.frontier})"
        return plan, f"        if ({short}) {{\n{other}        }} else {{\n{text}        }}\n"
    if not part.short_rows:
        return plan, text
    firsts = (item.steps[0] for item in part.short_rows if isinstance(item, Positions))
    short = " && ".join(_has_short_rows(context, at) for at in firsts if at in context.facts.products)
    _, other = _round(context, part.short_rows)
    plan = f"            if (!({short})) {{\n{plan}            }}\n" if plan else ""
    return plan, f"        if ({short}) {{\n{other}        }} else {{\n{text}        }}\n"


def _has_short_rows(context: Context, at: int) -> str:
    matrix, transposed = context.columns_of(at)
    return f"{context.word('longest', matrix, not transposed)} <= SHORT_ROW"


def _round(context: Context, items: Sequence[Item]) -> tuple[str, str]:
    """The plan of the product that comes first, for the end of the round before; and everything in a round."""
    ahead, texts = "", []
    sums: dict[int, str] = {}
    for item in items:
        texts.append(_comments(context, item))
        if isinstance(item, Product):
            made = _product(context, item)
            texts.append(made.text)
            if item.planned_ahead:
                ahead = made.plan
        elif isinstance(item, Reduce):
            parts = emit_sums.parts(context, item)
            texts.append(emit_sums.sum_of_entries(context, item, parts))
            sums[item.step] = emit_sums.sum_of_blocks(context, item.step, parts)
        elif isinstance(item, Barrier):
            texts.append(barrier(context, item, sums))
        elif isinstance(item, Clean):
            texts.append(cleaning(context, item.slot))
        elif isinstance(item, Positions):
            texts += [values_needed(context.facts.steps[at]) for at in item.steps]
            texts.append(
                position(context, item) if len(item.steps) == 1 else chain(context, item, _rows(context, item))
            )
        elif isinstance(item, Scatter):
            texts.append(scatter(context, item))
        elif isinstance(item, Row):
            texts.append(emit_sums.row(context, item))
        elif isinstance(item, Settle):
            texts.append(_settle(context, item))
        else:
            texts.append(emit_sums.scalar_step(context, item))
    return ahead, "".join(texts)


def _rows(context: Context, item: Positions) -> Rows | None:
    """The matrix and the operand of the product that a chain begins with, if it does."""
    at, step = item.steps[0], context.facts.steps[item.steps[0]]
    if at not in context.facts.products:
        return None
    operand = product_operands(step)[1].number
    names = _names(context, Product(at, operand, step.out, False, None, (), (), False), step)
    return Rows(at, operand, names.rows, names.nvals)


def _comments(context: Context, item: Item) -> str:
    lines = [f"        // {line}\n" for line in str(item).splitlines()]
    steps = item.steps if isinstance(item, Positions) else (getattr(item, "step", None),)
    for at in steps:
        if at is not None:
            step = context.facts.steps[at]
            lines.append(f"        // step {at}, line {step.line}: {step.kind}\n")
    return "".join(lines)


def _matrix_word(side: str, rest: list[Any]) -> tuple[str, int, bool]:
    """Field, matrix and orientation of a word's name."""
    if side in ("nvals", "once"):
        *field, number = rest
        return "".join(field), number, False
    field, number, transposed = ("", *rest) if side in ("nrows", "longest") else rest
    return field, number, transposed


# --- products --------------------------------------------------------------------------------------------------------


class _ProductText(NamedTuple):
    plan: str  # for thread 0 of every block, at the barrier before the product
    text: str


class _Names(NamedTuple):
    """How the text of a product calls things."""

    space: str
    columns: str
    rows: str
    hub_neighbours: str
    row_ids: str  # of the entries, for pull.edge
    carries: str  # where chunks leave values and rows, for pull.edge that is balanced
    order: str  # of the columns, and where the operand is written in that order, for the same
    all_short: str  # whether no row has more entries than a lane takes, for the same
    open_list: str  # where the open rows are listed, for pull.compact
    filter: str  # where bits of columns are, for pull.edge, or for pull.thread that keeps them
    sort_workspace: str  # where products are sorted, for push.sort
    nvals: str
    nrows: str
    open_rows: str


def _product(context: Context, item: Product) -> _ProductText:
    facts, step = context.facts, context.facts.steps[item.step]
    names = _names(context, item, step)
    _namespace(context, item, step, names.hub_neighbours != "nullptr")
    plan = _plan(context, item, step, names)
    planned = ""
    if not item.planned_ahead:
        planned = f"            if (thread() == 0) {{\n{plan}            }}\n            __syncthreads();\n"
    space, U, W = names.space, f"S.s{item.operand}", f"S.s{item.out}"
    done = facts.products[item.step]
    initial = literal(0 if done.initial is None else done.initial, done.dtype)
    looks, notes = noted(context, item.notes)
    marked = ""
    if step.desc is not None and step.desc.settles_at is not None:
        marked = f"{{(uint8*){context.word('marks')}, {_final(step.desc.settles_at, space, done)}}}, "
    multiply = f"{'pull_asynchronously' if marked else 'multiply'}_into(operands, {U}, {W}, {marked}{initial}, "
    text = (
        f"        {{\n"
        f"{_operands(context, item, step, names)}"
        f"{planned}"
        f"            auto then = [&] {{\n"
        f"{noted_end(facts, item, f'{W}.count', item.decides)}"
        f"                {context.decide if item.decides else ''}\n"
        f"            }};\n"
        f"{_advance(context, item, step, names)}"
        f"            {space}::{multiply}{counters_of(item.step)}, parts, {_changes(item.epilogue)}, "
        f"{_rounds_left(context, item)}, advance, stays, "
        f"[&] {{ {looks} return [=, &S] {{ {notes} }}; }}, then);\n"
        f"        }}\n"
    )
    return _ProductText(plan, text)


def _operands(context: Context, item: Product, step: BodyStep, names: _Names) -> str:
    """What a product is given (kernels/loop_operands.cuh)."""
    space, U, mask = names.space, f"S.s{item.operand}", "{nullptr, nullptr}"
    if step.mask is not None:
        M = f"S.s{step.mask.vector}"
        mask = f"{{{M}.flags(), (const {space}::MaskValue*){M}.values()}}"
    closing = "nullptr" if item.closing is None else f"S.s{item.closing}.flags()"
    return (
        f"            {space}::Operands operands = {{{names.columns}, {names.rows}, {{{U}.flags(), {U}.values()}}, "
        f"{mask}, {closing}, {context.next_offsets(item.out, 'nullptr')}, {names.hub_neighbours}, "
        f"{names.row_ids}, {names.open_list}, {names.filter}, {names.carries}, {names.order}, {names.all_short}, "
        f"{names.nvals}, {names.sort_workspace}}};\n"
    )


def _settle(context: Context, item: Settle) -> str:
    """Several rounds at once, which are one in the trace."""
    facts, step = context.facts, context.facts.steps[item.product.step]
    found, names = facts.settling[item.product.step], _names(context, item.product, step)
    limit = context.scalar(found.limit, facts.products[item.product.step].dtype)
    counters = f"{counters_of(found.selecting)}, {counters_of(found.lowering)}"
    return (
        f"{values_needed(facts.steps[found.selecting])}"
        f"        {{\n"
        f"{_operands(context, item.product, step, names)}"
        f"{noted_settling(facts, item.product)}"
        f"            {names.space}::settle(operands, S.s{item.frontier}, S.s{item.values}, {limit}, {counters});\n"
        f"        }}\n"
    )


def _advance(context: Context, item: Product, step: BodyStep, names: _Names) -> str:
    """What thread 0 of every block does between two levels in shared memory (kernels/loop_shared_frontier.cuh)."""
    if not item.in_shared:
        return "            auto advance = [](int64, int64) {};\n            NoRule stays;\n"
    facts, U = context.facts, f"S.s{item.operand}"
    # What was reached was open, and is closed now: the counts of mask and operand are not there before the last level.
    allowed = f"({row_of(facts, item.step, 'S.tick - 1')})[{ROW.at['allowed']}] - reached"
    begins = noted_begin(facts, item, names.space, _dense(item, step), allowed)
    return (
        f"            auto advance = [&](int64 reached, int64 following) {{\n"
        f"{noted_end(facts, item, 'reached', False)}"
        f"                {U}.advanced(reached, following);\n"
        f"                ++{_rounds(item)}, ++S.tick;\n"
        f"{''.join(f'                {emit_sums.scalar_text(context, at)}{chr(10)}' for at in item.between)}"
        f"                if (trace) {{\n{_facts(context, item, step, names)}{begins}                }}\n"
        f"            }};\n"
        f"{_stays(item, step, names)}"
    )


def _rounds(item: Product) -> str:
    """The count of rounds of the loop that these levels are."""
    return f"S.step{item.loop}" if item.loop else "S.step"


def _rounds_left(context: Context, item: Product) -> str:
    if not item.loop:
        return "limit - S.step"
    return "int64(1) << 62" if item.limit is None else f"{context.scalar(item.limit, COUNT)} - {_rounds(item)}"


def _stays(item: Product, step: BodyStep, names: _Names) -> str:
    """Whether a level that fits shared memory is pushed there. By cost it always is: a pull takes longer."""
    if policy_of(step) == "cost":
        return "            NoRule stays;\n"
    space, nvals, size = names.space, f"double({names.nvals})", f"double(S.s{item.operand}.size)"
    return (
        f"            auto stays = [&](double entries, double edges, double entries_before, double edges_before) {{\n"
        f"                return {space}::pushes(edges, edges_before, 0.0, entries, entries_before, {size}, false, "
        f"{nvals}, 0.0, double({names.nrows})) && !{space}::scans(edges, edges_before, {nvals});\n"
        f"            }};\n"
    )


def _fits_shared(context: Context, item: Product) -> str:
    """Whether a push may go on through several levels."""
    return f"({context.word('longest', *context.columns_of(item.step))} <= LONGEST_SHARED)"


def _changes(steps: Sequence[int]) -> str:
    """What a product does at every entry of its operand."""
    names = [f"change{at}" for at in steps]
    return f"both({', '.join(names)})" if len(names) > 1 else "".join(names) or "NoChange{}"


def _final(value: Any, space: str, done: Kind) -> str:
    """The value at which rows settle."""
    if isinstance(value, Counted):
        return f"cast<{space}::Value>(int64({value.text.replace('step', 'S.step')}))"
    return literal(value, done.dtype)


def _names(context: Context, item: Product, step: BodyStep) -> _Names:
    at, space = item.step, f"p{item.step}"
    matrix, transposed = context.columns_of(at)
    store, done = context.facts.matrices[matrix], context.facts.products[at]
    sides = []
    for side in ("rows" if at in context.facts.by_rows else "columns", "rows"):
        indptr, indices, values = (context.word(side, f, matrix, transposed) for f in ("indptr", "indices", "values"))
        arrays = f"(const {space}::Offset*){indptr}, (const {space}::Column*){indices}, "
        sides.append(f"{arrays}(const {space}::MatrixValue*){values}")
    once = "".join(f", {context.word('once', f, matrix)}" for f in ("nrows", "nvals") if store.copies > 1)
    # Where one entry of a row is enough and all count the same, a pull may begin with any of them.
    hub_neighbours = "nullptr"
    if (done.structure or done.one_value) and done.early_exit and store.copies == 1:
        hub_neighbours = f"(const {space}::Column*){context.word('hub_neighbours', '', matrix, transposed)}"
    strategies = context.facts.strategies[at]
    row_ids, carries, order, open_list, bits = "nullptr", "nullptr, nullptr", "{}", "nullptr", "nullptr"
    all_short = "false"
    if at in context.facts.balanced:
        word = context.word("carries")
        carries = f"({space}::Value*){word}, (int64*){word} + {MOST_CHUNKS}"
        all_short = f"{context.word('all_short', str(lane_row(done.dtype)), matrix, transposed)} != 0"
        if done.vector == EACH:
            columns, indices = (context.word("order", f, matrix, transposed) for f in ("columns", "indices"))
            arrays = ", ".join(f"(const {space}::Column*){word}" for word in (columns, indices))
            order = f"{{{arrays}, ({space}::VectorValue*){context.word('ordered')}}}"
    elif "pull.edge" in strategies:
        row_ids = f"(const {space}::RowId*){context.word('row_ids', '', matrix, transposed)}"
        bits = f"(unsigned*){context.word('filter')}"
    if item.keeps_bits:
        bits = f"(unsigned*){context.word('frontier_bits')}"
    if "pull.compact" in strategies:
        open_list = f"({space}::RowId*){context.word('open_list')}"
    sort_workspace = "{0}"
    if "push.sort" in strategies:
        capacity, keys, products, counts = (context.word("sort", part) for part in SORT_PARTS)
        keys, products = f"({space}::Key*){keys}", f"({space}::Payload*){products}"
        pairs = f"{{{keys}, {keys} + {capacity}}}, {{{products}, {products} + {capacity}}}"
        sort_workspace = f"{{{capacity}, {pairs}, (unsigned*){counts}, (unsigned*){counts} + 32 * {space}::MOST_SPANS}}"
    nvals, nrows = context.word("nvals", matrix), context.word("nrows", matrix, transposed)
    open_rows = "rows"
    if step.mask is not None:
        count = f"double(S.s{step.mask.vector}.count)"
        open_rows = f"rows - {count}" if step.mask.complement else count
    if item.closing is not None:
        open_rows = f"{open_rows} - double(S.s{item.closing}.count)"
    columns, rows = (f"{{{side}{once}}}" for side in sides)
    return _Names(
        space,
        columns,
        rows,
        hub_neighbours,
        row_ids,
        carries,
        order,
        all_short,
        open_list,
        bits,
        sort_workspace,
        nvals,
        nrows,
        open_rows,
    )


def _namespace(context: Context, item: Product, step: BodyStep, hub_neighbours: bool) -> None:
    facts, done = context.facts, context.facts.products[item.step]
    matrix, _, _ = product_operands(step)
    store, strategies = facts.matrices[matrix.number], facts.strategies[item.step]
    row_type = context.row_type(item.step)
    pieces = [
        *done.pieces(store, store.copies > 1),
        constant("FULL", facts.slots[item.operand].full),
        constant("CLOSING", item.closing is not None),
        constant("HUB_NEIGHBOURS", hub_neighbours),
        constant("SHARED_FRONTIER", item.in_shared),
        constant("KEEPS_BITS", item.keeps_bits),
        using("RowId", row_type),
        constant("PUSH_BY", STRATEGIES.index(strategies.push)),
        constant("PULL_BY", STRATEGIES.index(strategies.pull)),
        constant("BALANCED", item.step in facts.balanced),
        constant("REUSES_MASK", reuses_mask(step.desc, step.mask is not None)),
        constant("ONE_VALUE", done.one_value),
        constant("MAY_PUSH", direction_of(step) != "pull"),
        *_mask_pieces(facts, step.mask),
        *rule_text(step, done, strategies),
    ]
    name = "loop_asynchronous.cuh" if context.is_asynchronous(item.step) else "loop_mxv.cuh"
    name = "loop_settling.cuh" if item.step in facts.settling else name
    text = programs.paste(name, set(COMMON))
    context.namespace(f"p{item.step}", "\n".join(pieces) + f"\n{text}")


def _mask_pieces(facts: Analysis, mask: MaskUse | None) -> list[str]:
    if mask is None:
        return [using("MaskValue", np.dtype(bool)), *(constant(name, False) for name in MASK_FLAGS)]
    slot = facts.slots[mask.vector]
    return [
        using("MaskValue", slot.dtype),
        constant("MASKED", True),
        constant("MASK_PRESENT", not slot.full),
        constant("MASK_VALUED", not mask.structure),
        constant("MASK_ISO", slot.iso),
        constant("COMPLEMENT", mask.complement),
    ]


def _facts(context: Context, item: Product, step: BodyStep, names: _Names) -> str:
    """The edges that the rule goes by."""
    U, nvals = f"S.s{item.operand}", names.nvals
    # What a search has seen is closed: the open rows have the rest of the edges (if rows have as many as columns).
    unseen = f"::fmax(0.0, double({nvals} - {U}.edges_seen) - edges)" if _searches(step) else f"double({nvals})"
    return (
        f"            double edges = double({_edges(context, item, nvals)});\n"
        f"            double edges_before = double({U}.edges_before);\n"
        f"            double unseen = {unseen};\n"
    )


def _searches(step: BodyStep) -> bool:
    return step.mask is not None and step.mask.complement and step.mask.structure


def _dense(item: Product, step: BodyStep) -> str:
    """Whether the operand counts as a dense one."""
    by_fill = step.desc is not None and step.desc.policy == "switchpoint"
    return f"(S.s{item.operand}.pulled != 0)" if by_fill else f"!S.s{item.operand}.listed"


def _plan(context: Context, item: Product, step: BodyStep, names: _Names) -> str:
    """Push or pull, and how."""
    space, U, W, nvals = names.space, f"S.s{item.operand}", f"S.s{item.out}", names.nvals
    few = f"unseen * {FEW} < rows" if _searches(step) else "false"
    sortable = context.word("sort", "capacity") if "push.sort" in context.facts.strategies[item.step] else "0"
    scans = f"{space}::scans(edges, edges_before, double({nvals}))"
    in_shared = _fits_shared(context, item) if item.in_shared else "false"
    if item.in_shared and policy_of(step) != "cost":  # of which a pull takes longer than any of these levels
        in_shared += f" && push && !{scans}"
    idle = "" if direction_of(step) == "pull" else "entries == 0 || "  # a push of nothing costs nothing
    return (
        f"            double rows = double({names.nrows}), entries = double({U}.count), size = double({U}.size);\n"
        f"{_facts(context, item, step, names)}"
        f"            bool push = {idle}{space}::pushes(edges, edges_before, unseen, entries, "
        f"double({U}.entries_before), size, {_dense(item, step)}, double({nvals}), {names.open_rows}, rows);\n"
        f"            {space}::make_plan({U}, {W}, int64(edges), {sortable}, push, "
        f"{scans}, {few}, {in_shared});\n"
        f"{noted_begin(context.facts, item, space, _dense(item, step), f'int64({names.open_rows})')}"
    )


def _edges(context: Context, item: Product, nvals: str) -> str:
    """Edges of the operand, counted when it was written, for the first product that reads it; else a guess."""
    first, U = context.facts.slots[item.operand].edges_of, f"S.s{item.operand}"
    if first is not None and context.columns_of(first) == context.columns_of(item.step):
        return f"{U}.edges"
    return f"({U}.count * ({nvals} / ({U}.size + 1) + 1))"
