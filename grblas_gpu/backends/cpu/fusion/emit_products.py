"""The text of a product in a loop: its plan, a push, the part of a push by one thread, and a pull."""

from __future__ import annotations

import inspect
from textwrap import indent
from typing import NamedTuple

from ....foundation.types import Udf
from ....plan import rules, storage_rules
from ...machine.calibration import costs_of
from ...programs.reading import UNUSED
from ...programs.requests import direction_of, requested_direction, reuses_mask
from ...programs.terms import BodyStep, MaskUse
from ..mxv_push import PART_DEGREE
from ..mxv_source import Body, Rows, edges_of, probing, reached, summing, summing_full
from .analyse import Analysis, Product
from .context import ALLOWED, EDGES, LOAD, PUSH, TRACED, Context, listing
from .emit_positions import swapped


class ProductText(NamedTuple):
    """The functions of a product, how to call them, and the statements after it."""

    plan: str
    push: list[str]  # arguments, to be followed by the list, whether it is one, and a range of it
    pull: list[str]
    after: str


def product(context: Context, at: int, step: BodyStep) -> ProductText:
    done = context.facts.products[at]
    w, slot = step.out, context.facts.slots[step.out]
    push, pull = _functions(context, at, step, done)
    value = _value(context, at, done, w) if slot.iso else ""
    checked = f"S[{EDGES}]" if step.desc is not None and step.desc.remembers else "0"
    return ProductText(_plan(context, at, step, done), push, pull, value + swapped(context, w, checked))


def _value(context: Context, at: int, done: Product, w: int) -> str:
    """The one value that all results have."""
    body, given = Body(done, "k", inliner=context.inliner), []
    if done.first != UNUSED:
        given.append(f"x{done.matrix}_0")
    if done.second != UNUSED:
        given.append(f"v{done.operand}")
    parameters = body.arguments.removeprefix(", ")
    context.functions.append(
        f"@kernel\ndef value{at}({parameters}):\n{body.prologue}{indent(body.product, '    ')}    return z\n\n\n"
    )
    return f"w{w}[0] = value{at}({', '.join(given)})\n"


def _functions(context: Context, at: int, step: BodyStep, done: Product) -> tuple[list[str], list[str]]:
    w, slot = step.out, context.facts.slots[step.out]
    operand = context.facts.slots[done.operand]
    opened = context.opened(step.mask)
    mask = [] if step.mask is None else context.arrays(step.mask.vector)
    out = context.arrays(w, "gm" if slot.iso else "gwm")
    names = context.side(done, True)
    body = Body(done.added, "k", inliner=context.inliner, names=names)
    push = listing(["S", "F", *filter(None, names), *mask, *out])
    skip = "" if operand.full else f"if not listed and not {names.present}[k]:\n    continue\n"
    for part in (False, True):
        name, limits = (f"part{at}", ", low, high") if part else (f"push{at}", "")
        add = reached(body, f"g{w}", f"w{w}", f"m{w}")
        if part and done.structure:  # of a large frontier: whether it is the first one is unpredictable, so no branch
            add = f"if n < U(high):\n    m{w}[n] = i\n    n += U(not g{w}[i])\n    g{w}[i] = True\n"
        edges = edges_of("U(L[t]) if listed else t", add, opened, names, not part, skip)
        context.functions.append(
            f"@summing_kernel\ndef {name}({', '.join(push)}, L, listed{limits}, lo, hi):\n"
            f"    n = U({'low' if part else '0'})\n{body.prologue}{edges}"
            f"    return np.int64(n){' - low' if part else ''}\n\n\n"
        )
    return push, _pull(context, at, step, done)


def _pull(context: Context, at: int, step: BodyStep, done: Product) -> list[str]:
    w, slot = step.out, context.facts.slots[step.out]
    operand, opened = context.facts.slots[done.operand], context.opened(step.mask)
    mask = [] if step.mask is None else context.arrays(step.mask.vector)
    names, searches = context.side(done, False), context.facts.searches(done)
    if step.mask is not None and reuses(context.facts, step, done):
        names = names._replace(present=f"f{step.mask.vector}")
    arguments = listing(["S", "F", *filter(None, names), *mask, *context.arrays(w, "gm" if slot.iso else "gwm")])
    hubs = context.hubs(done) if searches else ""
    arguments += [hubs] if searches else []
    body = Body(done.added, "k", inliner=context.inliner, names=names)
    store = "" if slot.iso else f"w{w}[i] = acc\n"
    one = f"g{w}[i] = True\nm{w}[n] = i\nn += U(1)\n{store}"
    rows = Rows("U(L[t]) if listed else t", "" if opened == "True" else opened, keep=one)
    if searches:
        text = probing(rows._replace(keep=f"g{w}[i] = hit\nm{w}[n] = i\nn += U(hit)\n"), names, hubs)
    elif operand.full and not done.structure:
        text = summing_full(body, rows)
    else:
        text = summing(body, rows, operand.full, leave=done.early_exit)
    context.functions.append(
        f"@{'kernel' if searches else 'summing_kernel'}\ndef pull{at}({', '.join(arguments)}, L, listed, lo, hi):\n"
        f"    n = U(lo)\n{text}    return np.int64(n) - lo\n\n\n"
    )
    return arguments


def reuses(facts: Analysis, step: BodyStep, done: Product) -> bool:
    """Whether pulls look entries up in the mask's vector: if required, or if allowed and more lookups hit."""
    if step.mask is None or step.desc is None or not done.structure:
        return False
    slots = facts.slots
    if slots[done.operand].full or slots[step.mask.vector].full or not step.mask.structure:
        return False
    return reuses_mask(step.desc, True) or (step.desc.reuse_mask == "auto" and requested_direction(step.desc) != "push")


# --- push or pull ----------------------------------------------------------------------------------------------------

PLAN = """\
@kernel
def plan{at}(S, indptr{arrays}):
    rows = {rows}
    nvals = {nvals}
    size = {size}
    entries = {entries}
    allowed = {allowed}
    pull_rows = {pull_rows}
    S[{ALLOWED}] = allowed
    edges = min(nvals, entries * {max_degree})
    if {may_guess} and edges * {push_edge} <= pull_rows * {pull_row}:
        S[{PUSH}] = 1
        S[{EDGES}] = edges
        S[{LOAD}] = 0
        return
{count}    S[{EDGES}] = edges
    push = entries == 0 or ({rule})
    S[{PUSH}] = push
    if push:
        S[{LOAD}] = edges if edges > {part_degree} * entries else 0
    else:
        probes = nvals / max(rows, 1)
        if {terminal} and edges > 0:
            probes = min(probes, nvals / edges)
        S[{LOAD}] = np.int64(allowed * probes) + pull_rows // 4


"""

COUNT_EDGES = """\
    if entries == size:
        edges = nvals
    else:
        edges = 0
        if {listed}:
            counted = 0
            while counted < entries:
                last = min(counted + 512, entries)
                for t in range(U(counted), U(last)):
                    k = U({entries_of}[t])
                    edges += indptr[k + U(1)] - indptr[k]
                counted = last
                if {may_stop} and not ({rule}):
                    edges = min(nvals, edges * entries // counted)
                    break
        else:
            for k in range(U(size)):
                if {flags}[k]:
                    edges += indptr[k + U(1)] - indptr[k]
"""


def _plan(context: Context, at: int, step: BodyStep, done: Product) -> str:
    """``plan(S, ...)`` sets the direction by the planner's rule, and how much there is to do; the call of it."""
    u, mask, desc = done.operand, step.mask, step.desc
    allowed, pull_rows = "rows", "rows"
    if mask is not None:
        allowed = f"rows - {context.count(mask.vector)}" if mask.complement else context.count(mask.vector)
        if drives(context, mask):
            pull_rows = f"(allowed if {context.word('listed', mask.vector)} != 0 else rows)"
    arrays = context.arrays(u, "fl")
    direction = direction_of(step)
    policy = "cost" if desc is None else desc.policy
    # So few edges that no further facts are needed: most steps of long searches.
    may_guess = f"S[{TRACED}] == 0"
    remembers = desc is not None and desc.remembers
    if direction == "pull" or (direction is None and policy != "cost") or remembers:
        may_guess = "False"
    by_cost = direction is None and policy == "cost" and not remembers
    if direction is not None:
        rule = str(direction == "push")
    elif policy == "cost":
        rule = _cost_rule(context, step, done)
        rule = f"nvals <= {rules.SMALL_EDGES} or {rule}" if desc is None else rule
    else:
        rule = _policy_rule(context, step, done, policy)
    count = "    edges = nvals\n"
    if done.by_rows:
        count = "    edges = nvals * entries // max(size, 1)\n"
    elif not context.facts.slots[u].full:
        # More edges make a push no cheaper and a pull no dearer, unless the mask names rows that may be as long: once
        # some edges select a pull, the rest need not be counted.
        count = COUNT_EDGES.format(
            listed=f"{context.word('listed', u)} != 0",
            entries_of=f"l{u}",
            flags=f"f{u}",
            may_stop=f"S[{TRACED}] == 0" if by_cost and not _names_rows(step) else "False",
            rule=rule if by_cost else "True",
        )
    context.functions.append(
        PLAN.format(
            at=at,
            arrays="".join(f", {name}" for name in arrays),
            rows=context.word("rows", at),
            nvals=context.word("nvals", at),
            max_degree=context.word("max_degree", at),
            size=context.word("size", u),
            entries=context.count(u),
            allowed=allowed,
            pull_rows=pull_rows,
            may_guess=may_guess,
            push_edge=costs_of("cpu").push_edge,
            pull_row=costs_of("cpu").pull_row,
            count=count,
            rule=rule,
            part_degree=PART_DEGREE,
            terminal=done.terminal,
            ALLOWED=ALLOWED,
            PUSH=PUSH,
            EDGES=EDGES,
            LOAD=LOAD,
        )
    )
    return f"plan{at}({', '.join(['S', context.side(done, True).indptr, *arrays])})"


def drives(context: Context, mask: MaskUse) -> bool:
    """Whether a pull may follow the list of a mask."""
    return not mask.complement and context.facts.slots[mask.vector].listed


def _names_rows(step: BodyStep) -> bool:
    return step.mask is not None and not step.mask.complement


def _cost_rule(context: Context, step: BodyStep, done: Product) -> str:
    """The source of the planner's own rule."""
    _paste(context, rules.row_length)
    _paste(context, rules.pull_cost)
    reused = "0.0"
    if step.mask is not None and reuses(context.facts, step, done):
        reused = f"nvals * {'(rows - allowed)' if step.mask.complement else 'allowed'} / max(1, rows)"
    costs = costs_of("cpu")
    values = (
        f"max(float(edges), {reused}), float(allowed), "
        f"row_length(float(edges), float(entries), float(rows), float(nvals), {_names_rows(step)}), "
        f"float(nvals), float(pull_rows), {done.terminal}, "
        f"{costs.pull_row}, {costs.pull_probe}, float(nvals)"
    )
    return f"edges * {rules.push_edge(costs, done.terminal)} <= pull_cost({values})"


def _policy_rule(context: Context, step: BodyStep, done: Product, policy: str) -> str:
    function = rules.PULLS[policy]
    _paste(context, function)
    dense, checked = context.word("dense", done.operand), context.word("checked", done.operand)
    limit = f"({storage_rules.SPARSE_BELOW} if {dense} else {storage_rules.DENSE_ABOVE})"
    given = {
        "edges_before": f"float({checked})",
        "switchpoint": repr(step.desc.switchpoint),
        "dense": f"({dense} != 0)",
        "nrows": "float(rows)",
    }
    values = ", ".join(given.get(name, f"float({name})") for name in inspect.signature(function).parameters)
    dense_now = f"keep_dense(S, {context.words[('dense', done.operand)]}, entries > {limit} * size)"
    return f"{dense_now} and not {function.__name__}({values})"


def _paste(context: Context, function: Udf) -> None:
    """A rule of the planner as source text, with the constants that it names."""
    text = f"@kernel\n{inspect.getsource(function)}\n\n"
    if text not in context.functions:
        context.functions.insert(0, text)


CONSTANTS = "".join(f"{name} = {getattr(rules, name)!r}\n" for name in ("ALPHA", "BETA", "EDGE_RATIO", "VERTEX_RATIO"))
KEEP_DENSE = """\
@kernel
def keep_dense(S, word, dense):
    S[word] = dense
    return True


"""
