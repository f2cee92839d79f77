"""The text of a product in a loop: its plan, a push, the part of a push that a thread makes, and a pull."""

from __future__ import annotations

import inspect
from textwrap import indent
from typing import Any, NamedTuple

from ....plan import rules, storage_rules
from ...calibration import costs_of
from ...programs.reading import UNUSED
from ...programs.requests import asked_direction, direction_of, reuses_mask
from ...programs.terms import BodyStep, MaskUse
from ..mxv_push import PART_DEGREE
from ..mxv_source import PROBE_TURNS, PROBED_ROWS, SEEK_RANGE, Body, row_text
from .analyse import Analysis, Product
from .context import ALLOWED, EDGES, LOAD, PUSH, TRACED, Context, listing
from .emit_positions import swapped


class ProductText(NamedTuple):
    """The functions of a product, and how to call them; what is to be done after it."""

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
    body = Body(done.added, "k", inliner=context.inliner)
    u_values = [f"v{done.operand}"] if done.added is not None and done.second else []
    # push
    structure, values = context.side(done, True)
    flags = context.arrays(done.operand, "f")
    push = listing(["S", "F", *structure, *values, *flags, *u_values, *mask, *out])
    skip = "" if operand.full else f"        if not listed and not {flags[0]}[k]:\n            continue\n"
    for part in (False, True):
        name, limits = (f"part{at}", ", low, high") if part else (f"push{at}", "")
        add = _reached(w, done, body, part)
        add = add if opened == "True" else f"if {opened}:\n{indent(add, '    ')}"
        text = (
            f"@summing_kernel\ndef {name}({', '.join(push)}, L, listed{limits}, lo, hi):\n"
            f"    n = U({'low' if part else '0'})\n{body.prologue}"
            f"    for t in range(U(lo), U(hi)):\n        k = U(L[t]) if listed else t\n{skip}"
            f"        start = U({structure[0]}[k])\n        stop = U({structure[0]}[k + U(1)])\n"
            + (SEEK_RANGE.replace("indices", structure[1]) if part else "")
            + f"        for p in range(start, stop):\n            i = U({structure[1]}[p])\n{indent(add, ' ' * 12)}"
            f"    return np.int64(n){' - low' if part else ''}\n\n\n"
        )
        context.functions.append(_named(text, done.operand, values))
    return push, _pull(context, at, step, done, body, u_values)


def _reached(w: int, done: Product, body: Body, part: bool) -> str:
    """A push has found a product for position i."""
    if done.structure and part:  # of a large frontier: whether it is the first one is as good as random, so no branch
        return f"if n < U(high):\n    m{w}[n] = i\n    n += U(not g{w}[i])\n    g{w}[i] = True\n"
    first, add, more = f"g{w}[i] = True\nm{w}[n] = i\nn += U(1)\n", "", ""
    if not done.structure:
        first, add = f"{first}w{w}[i] = z\n", body.product
        more = "" if body.exit_at_first else f"else:\n    acc = w{w}[i]\n    w{w}[i] = {body.sum}\n"
    return f"{add}if not g{w}[i]:\n{indent(first, '    ')}{more}"


PROBED = f"""\
@kernel
def pull{{at}}({{arguments}}, L, listed, lo, hi):
    n = U(lo)
    rows = np.empty({PROBED_ROWS}, np.uint64)
    probes = np.empty({PROBED_ROWS}, np.uint64)
    led = len({{hubs}}) > 0
    for base in range(U(lo), U(hi), U({PROBED_ROWS})):
        waiting = U(0)
        last = min(base + U({PROBED_ROWS}), U(hi))
        if led:
            for t in range(base, last):
                i = U(L[t]) if listed else t
                rows[waiting] = i
                waiting += U(({{hubs}}[i] >= 0) & {{opened}})
            left = U(0)
            for t in range(waiting):
                i = rows[t]
                hit = {{present}}[U({{hubs}}[i])]
                {{flags}}[i] = hit
                {{entries}}[n] = i
                n += U(hit)
                rows[left] = i
                left += U(not hit)
            waiting = left
            for t in range(waiting):
                probes[t] = {{indptr}}[rows[t]]
        else:
            for t in range(base, last):
                i = U(L[t]) if listed else t
                rows[waiting] = i
                probes[waiting] = {{indptr}}[i]
                waiting += U(({{indptr}}[i] < {{indptr}}[i + U(1)]) & {{opened}})
        for turn in range({PROBE_TURNS}):
            left = U(0)
            for t in range(waiting):
                i = rows[t]
                p = probes[t]
                hit = {{present}}[U({{indices}}[p])]
                {{flags}}[i] = hit
                {{entries}}[n] = i
                n += U(hit)
                rows[left] = i
                probes[left] = p + U(1)
                left += U((not hit) & (p + U(1) < U({{indptr}}[i + U(1)])))
            waiting = left
        for t in range(waiting):
            i = rows[t]
            for p in range(probes[t], U({{indptr}}[i + U(1)])):
                if {{present}}[U({{indices}}[p])]:
                    {{flags}}[i] = True
                    {{entries}}[n] = i
                    n += U(1)
                    break
    return np.int64(n) - lo


"""


# Every entry counts, so a row has a result if it is not empty: such rows are listed first, without a branch on which.
FULL = f"""\
    rows = np.empty({PROBED_ROWS}, np.uint64)
    for base in range(U(lo), U(hi), U({PROBED_ROWS})):
        waiting = U(0)
        for t in range(base, min(base + U({PROBED_ROWS}), U(hi))):
            i = U(L[t]) if listed else t
            rows[waiting] = i
            waiting += U(({{indptr}}[i] < {{indptr}}[i + U(1)]) & {{opened}})
        for t in range(waiting):
            i = rows[t]
            found = False
            acc = {{zero}}
{{row}}    return np.int64(n) - lo


"""


def _pull(context: Context, at: int, step: BodyStep, done: Product, body: Body, u_values: list[str]) -> list[str]:
    w, slot = step.out, context.facts.slots[step.out]
    operand, opened = context.facts.slots[done.operand], context.opened(step.mask)
    mask = [] if step.mask is None else context.arrays(step.mask.vector)
    structure, values = context.side(done, False)
    present = _present(context, step, done)
    flags = [] if operand.full else [present]
    arguments = listing(
        ["S", "F", *structure, *values, *flags, *u_values, *mask, *context.arrays(w, "gm" if slot.iso else "gwm")]
    )
    if context.facts.searches(done):
        arguments.append(context.hubs(done))
        text = PROBED.format(
            at=at,
            arguments=", ".join(arguments),
            indptr=structure[0],
            indices=structure[1],
            present=present,
            opened=opened,
            flags=f"g{w}",
            entries=f"m{w}",
            hubs=context.hubs(done),
        )
        context.functions.append(text)
        return arguments
    names = {"present[": f"{present}[", "indices[": f"{structure[1]}[", "indptr[": f"{structure[0]}["}
    row = row_text(body, operand.full, False, done.early_exit)
    for name, ours in names.items():
        row = row.replace(name, ours)
    store = "" if slot.iso else f"w{w}[i] = acc\n"
    found = f"if found:\n    g{w}[i] = True\n    m{w}[n] = i\n    n += U(1)\n{indent(store, '    ')}"
    head = f"@summing_kernel\ndef pull{at}({', '.join(arguments)}, L, listed, lo, hi):\n    n = U(lo)\n{body.prologue}"
    if operand.full and not done.structure:
        text = head + FULL.format(indptr=structure[0], opened=opened, zero=body.zero, row=indent(row + found, " " * 12))
    else:
        work = f"found = False\n{'' if done.structure else f'acc = {body.zero}{chr(10)}'}{row}{found}"
        work = work if opened == "True" else f"if {opened}:\n{indent(work, '    ')}"
        text = (
            f"{head}    for t in range(U(lo), U(hi)):\n        i = U(L[t]) if listed else t\n{indent(work, ' ' * 8)}"
            "    return np.int64(n) - lo\n\n\n"
        )
    context.functions.append(_named(text, done.operand, values))
    return arguments


def _named(text: str, operand: int, values: list[str]) -> str:
    """The arrays of values by the names that the loop has for them."""
    text = text.replace("u_values[", f"v{operand}[")
    return text.replace("m_values[", f"{values[0]}[") if values else text


def _present(context: Context, step: BodyStep, done: Product) -> str:
    """The flags in which a pull looks entries up: the operand's, or in their place the mask's."""
    if step.mask is not None and reuses(context.facts, step, done):
        return f"f{step.mask.vector}"
    return f"f{done.operand}"


def reuses(facts: Analysis, step: BodyStep, done: Product) -> bool:
    """Whether pulls look entries up in the mask's vector: if they must; or may, for more of the lookups are hits."""
    if step.mask is None or step.desc is None or not done.structure:
        return False
    slots = facts.slots
    if slots[done.operand].full or slots[step.mask.vector].full or not step.mask.structure:
        return False
    return reuses_mask(step.desc, True) or (step.desc.reuse_mask == "auto" and asked_direction(step.desc) != "push")


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
    asked = direction_of(step)
    policy = "cost" if desc is None else desc.policy
    # So few edges that nothing else needs to be known: most steps of long searches.
    may_guess = f"S[{TRACED}] == 0"
    remembers = desc is not None and desc.remembers
    if asked == "pull" or (asked is None and policy != "cost") or remembers:
        may_guess = "False"
    by_cost = asked is None and policy == "cost" and not remembers
    if asked is not None:
        rule = str(asked == "push")
    elif policy == "cost":
        rule = _cost_rule(context, step, done)
        rule = f"nvals <= {rules.SMALL_EDGES} or {rule}" if desc is None else rule
    else:
        rule = _policy_rule(context, step, done, policy)
    count = "    edges = nvals\n"
    if done.by_rows:
        count = "    edges = nvals * entries // max(size, 1)\n"
    elif not context.facts.slots[u].full:
        # More edges make a push no cheaper and a pull no dearer, unless the mask names rows that may be as long: where
        # some say that it is a pull, the rest need not be counted.
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
    structure, _ = context.side(done, True)
    return f"plan{at}({', '.join(['S', structure[0], *arrays])})"


def drives(context: Context, mask: MaskUse) -> bool:
    """Whether a pull may go by the list of a mask."""
    return not mask.complement and context.facts.slots[mask.vector].listed


def _names_rows(step: BodyStep) -> bool:
    return step.mask is not None and not step.mask.complement


def _cost_rule(context: Context, step: BodyStep, done: Product) -> str:
    """The planner's own rule, pasted."""
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


def _paste(context: Context, function: Any) -> None:
    """A rule of the planner as it is written there, with the constants that it names."""
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
