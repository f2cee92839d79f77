"""The text of a program: one kernel in which a team of blocks repeats the steps of a schedule.

Here are its parts and rounds, step after step. Products (``emit_product.py``) are the functions of
``kernels/loop_mxv.cuh``, everything else runs position by position (``kernels/loop_positions.cuh``), over the list of
an operand where one has few entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....foundation.types import Value
from ...programs.lower import Body
from ...programs.requests import Sides
from ...programs.steps import product_operands
from ...programs.terms import BodyStep, Kind
from ..eager.mxv_product import Product as ProductKind
from . import emit_flow, emit_kernel, emit_sums, emit_teams
from .analyse import SlotFacts, analyse
from .emit_barriers import barrier, cleaning
from .emit_chains import Rows, chain
from .emit_context import PER_STEP, Context
from .emit_groups import groups
from .emit_kernel import KernelText
from .emit_positions import position
from .emit_product import product_text, settling_text
from .emit_product_names import names_of
from .emit_product_plan import fits_shared
from .emit_reading import values_needed
from .emit_scatters import scatter
from .emit_traced import noted_end
from .items import Barrier, Clean, Groups, Item, Part, Positions, Product, Reduce, Row, Scatter, Schedule, Settle
from .layout import Layout
from .schedule import schedule


@dataclass(frozen=True, eq=False)
class LoopKernel:
    """The text of a kernel, and the words that it wants. It outlives the objects that it was made for."""

    parts: KernelText
    layout: Layout
    slots: Sequence[SlotFacts]
    initial_values: dict[int, Value | None]
    copied: Sequence[int]  # whose sizes the hidden vectors have
    products: Sequence[tuple[BodyStep, ProductKind, Sides]]
    counters: int
    reductions: int
    starts: Sequence[int]  # words that say where each vector's entries come from
    matrix_words: Sequence[tuple[int, str, str, int, bool]]  # words that belong to matrices
    sorted_bytes: tuple[int, int]  # of a key and a product, for pushes that sort; or (0, 0)
    shape: tuple[int, int, int]  # threads in a block, blocks in a processor, blocks in a cluster
    whole_rows: Sequence[tuple[int, bool]]  # matrices whose rows are added up whole, and whether these are columns
    team_words: Sequence[int]  # the longest rows of matrices: clusters are for short ones ...
    lists_in_teams: bool  # ... and for short lists: where loops are in loops, it is in shared memory only that they pay

    @property
    def text(self) -> str:
        """As it is for most matrices."""
        return self.parts.of(self.shape[2] > 1, False)


def kernel_of(body: Body) -> LoopKernel:
    return emit(schedule(analyse(body)))


def emit(order: Schedule) -> LoopKernel:
    facts = order.facts
    loops = max((step.op.number for step in facts.steps if step.kind == Kind.BEGIN), default=0)
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
        number: (fits_shared(context, item), f"p{item.step}::TEAM_EDGES")
        for number, part in enumerate(order.parts)
        for item in part.items
        if isinstance(item, Product) and item.in_shared
    }
    small = emit_teams.small(order, shared)
    whole = emit_kernel.kernel_text(
        context, flow, plan, parts, counters, loops, bool(shared), small, _first_bits(context, order)
    )
    names = layout.names
    return LoopKernel(
        whole,
        layout,
        facts.slots,
        facts.initial_values,
        facts.copied,
        [(facts.steps[at], kind, facts.strategies[at]) for at, kind in facts.products.items()],
        counters,
        order.reductions,
        [names.get(("start", number), 0) for number in range(len(facts.slots))],
        [(at, *rest) for (kind, *rest), at in names.items() if kind == "matrix"],
        _sorted_bytes(context),
        emit_kernel.shape_of(facts, layout, small),
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
    return [context.matrix_word("longest", *context.columns_of(item.step)) for item in shared]


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
        fits, space = fits_shared(context, settle.product), f"p{settle.product.step}"
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
    return f"{context.of_matrix('longest', matrix, not transposed)} <= SHORT_ROW"


def _round(context: Context, items: Sequence[Item]) -> tuple[str, str]:
    """The plan of the product that comes first, for the end of the round before; and everything in a round."""
    ahead, texts = "", []
    sums: dict[int, str] = {}
    for item in items:
        texts.append(_comments(context, item))
        if isinstance(item, Product):
            made = product_text(context, item)
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
        elif isinstance(item, Groups):
            texts.append(groups(context, item))
        elif isinstance(item, Row):
            texts.append(emit_sums.row(context, item))
        elif isinstance(item, Settle):
            texts.append(settling_text(context, item))
        else:
            texts.append(emit_sums.scalar_step(context, item))
    return ahead, "".join(texts)


def _rows(context: Context, item: Positions) -> Rows | None:
    """The matrix and the operand of the product that a chain begins with, if it does."""
    at, step = item.steps[0], context.facts.steps[item.steps[0]]
    if at not in context.facts.products:
        return None
    operand = product_operands(step)[1].number
    names = names_of(context, Product(at, operand, step.out, False, None, (), (), False), step)
    return Rows(at, operand, names.rows, names.nvals)


def _comments(context: Context, item: Item) -> str:
    lines = [f"        // {line}\n" for line in str(item).splitlines()]
    steps = item.steps if isinstance(item, Positions) else (getattr(item, "step", None),)
    for at in steps:
        if at is not None:
            step = context.facts.steps[at]
            lines.append(f"        // step {at}, line {step.line}: {step.kind}\n")
    return "".join(lines)
