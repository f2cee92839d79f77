"""The text of the matrix times vector kernels.

A :class:`Reading` says how a product ``mult(m[i, k], u[k])`` is formed and added. Without it (structure only) a kernel
looks for the existence of a product and reads no values. All loops use unsigned indices: Numba then leaves out the
handling of negative ones.
"""

from __future__ import annotations

from textwrap import indent
from typing import Any, NamedTuple

from ..programs.reading import EACH, UNUSED, Reading
from .compile import Source
from .inline import Inliner, literal, static_cast, where
from .masks import BYTES, OPENED
from .operands import Form, Text, prologue

BLOCK = 128  # entries read at a time by a blending pull
EXIT_BLOCK = 16  # entries combined between two exit tests of a row


#: Rows and columns of the operands. A vector on the right is a column, (k, 0); one on the left a row, (0, k).
RIGHT_VECTOR = {"firsti": "i", "firstj": "k", "secondi": "k", "secondj": "0"}
LEFT_VECTOR = {"firsti": "0", "firstj": "k", "secondi": "k", "secondj": "i"}


class Names(NamedTuple):
    """The names of a product's arrays in a kernel."""

    indptr: str = "indptr"
    indices: str = "indices"
    present: str = "present"  # flags of the vector
    first: str = "m_values"
    second: str = "u_values"


class Body:
    """Fragments of text for one kernel: products, sums, exits."""

    def __init__(
        self,
        reading: Reading | None,
        vector_at: str,
        positions: dict[str, str] | None = None,
        inliner: Inliner | None = None,
        names: Names = Names(),  # noqa: B008 (it does not change)
    ) -> None:
        self.positions = positions
        self.inliner = inliner or Inliner()
        self.reading = reading
        self.names = names
        self.arguments = ""
        self.prologue = ""
        self.exit_at_first = reading is None
        self.decided = ""  # whether further products change nothing
        if reading is None:
            return
        semiring, monoid = reading.semiring, reading.semiring.monoid
        self.dtype = semiring.return_type.np_type
        left, right = semiring.binaryop.type.np_type, semiring.binaryop.type2.np_type
        self._types = (right, left) if reading.flip else (left, right)
        modes, stored = (reading.first, reading.second), (reading.first_type, reading.second_type)
        for mode, name, array, held, wanted in zip(modes, "mu", names[-2:], stored, self._types, strict=True):
            self.arguments += "" if mode == UNUSED else f", {array}"
            self.prologue += prologue(self.inliner, array, mode, held, wanted, f"{name}_value")
        self.zero = static_cast(self.dtype, "0")
        self.product = self.product_of(f"{names.first}[p]", f"{names.second}[{vector_at}]")
        self.sum = self.inliner.call(monoid.binaryop, x="acc", y="z")
        if reading.early_exit:
            self.exit_at_first = bool(monoid.any_value)
            if monoid.terminal is not None and not self.exit_at_first:
                self.decided = f"acc == {literal(monoid.terminal, self.dtype)}"

    @property
    def exit_test(self) -> str:
        return f"if {self.decided}:\n    break\n" if self.decided else ""

    def product_of(self, first: str, second: str) -> str:
        """The lines that set ``z``; these are the stored values of operands whose values are read one by one."""
        reading = self.reading
        assert reading is not None
        op = reading.semiring.binaryop
        places = self.positions or (LEFT_VECTOR if reading.flip else RIGHT_VECTOR)
        if op.positional is not None and not op.indexed:
            place = places[op.positional]
            lines, text = "", static_cast(op.return_type.np_type, f"np.int64({place}) + {op.offset}")
        else:
            load, types = self.inliner.load, self._types
            first = load(first, reading.first_type, types[0]) if reading.first == EACH else "m_value"
            second = load(second, reading.second_type, types[1]) if reading.second == EACH else "u_value"
            left, right = (second, first) if reading.flip else (first, second)
            call = self.inliner.indexed(op, "left", "right", places) if op.indexed else None
            text = call or self.inliner.call(op, x="left", y="right")
            lines = f"left = {left}\nright = {right}\n"
        if op.return_type.np_type != self.dtype:
            text = static_cast(self.dtype, text)
        return f"{lines}z = {text}\n"

    def finish(self, text: str, kernel: str = "@summing_kernel") -> Source:
        """The order of additions in a row is free: several sums at a time keep the processor busy."""
        return f"{self.inliner.header()}{kernel}\n{text}", self.inliner.functions


def row_text(body: Body, full: bool, blend: bool = False, leave: bool = True) -> str:
    """Combine the products of row ``i``: sets ``found`` and ``acc``.

    With ``blend`` a block's present entries are first listed without a branch, because the flags are unpredictable.
    Structure alone ends a row at the first hit, unless ``leave`` is False.
    """
    indptr, indices, present, *_ = body.names
    bounds = f"start = U({indptr}[i])\nstop = U({indptr}[i + U(1)])\n"
    if body.reading is None:
        if full:
            return bounds + "found = start < stop\n"
        return bounds + (
            f"for p in range(start, stop):\n    if {present}[U({indices}[p])]:\n        found = True\n"
            + ("        break\n" if leave else "")
        )
    if full:
        # All entries are present, so the first needs no test, and the exit test runs once per block.
        first = f"p = start\nk = U({indices}[p])\n" + body.product + "acc = z\nfound = True\n"
        entries = "base, last" if body.decided else "start + U(1), stop"
        rest = f"for p in range({entries}):\n    k = U({indices}[p])\n"
        rest += indent(body.product + f"acc = {body.sum}\n", "    ")
        if body.decided:
            # The exit test comes before the test for more entries: rows that are decided skip the latter.
            blocks = "base = start + U(1)\nwhile True:\n" + indent(body.exit_test, "    ")
            blocks += f"    if base >= stop:\n        break\n    last = min(base + U({EXIT_BLOCK}), stop)\n"
            rest = blocks + indent(rest, "    ") + "    base = last\n"
        text = first if body.exit_at_first else first + rest
        return bounds + "if start < stop:\n" + indent(text, "    ")
    if blend:
        combine = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n"
        exit_test = f"if found and {body.decided}:\n    break\n" if body.decided else ""
        return (
            bounds
            + f"for base in range(start, stop, U({BLOCK})):\n"
            + f"    n = U(0)\n    for p in range(base, min(base + U({BLOCK}), stop)):\n"
            + f"        hits[n] = p\n        n += U({present}[U({indices}[p])])\n"
            + f"    for h in range(n):\n        p = hits[h]\n        k = U({indices}[p])\n"
            + indent(combine, " " * 8)
            + indent(exit_test, "    ")
        )
    if body.exit_at_first:
        combine = body.product + "acc = z\nfound = True\nbreak\n"
    else:
        combine = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n"
        combine += body.exit_test
    inner = f"if {present}[k]:\n" + indent(combine, "    ")
    return bounds + f"for p in range(start, stop):\n    k = U({indices}[p])\n" + indent(inner, "    ")


PROBED_ROWS = 1024  # open rows that are listed at a time: the lists stay in the first-level cache
PROBE_TURNS = 8  # entries of each that are probed without a branch on the result


class Rows(NamedTuple):
    """The rows of a pull, and where it stores the result of row ``i``; all of it text."""

    at: str = "t"  # row number t
    opened: str = ""  # whether a mask leaves row i open, if there is one
    before: str = ""  # for every row that is listed, ``here`` or not
    keep: str = ""  # ``hit`` or not, where there is no branch on it
    after: str = ""  # for every row, ``found`` or not

    @property
    def also_open(self) -> str:
        return f" & {self.opened}" if self.opened else ""


def list_rows(rows: Rows, names: Names, also: str = "") -> str:
    """Open rows from ``base`` to ``last`` that have entries go to ``rows[:waiting]``, without a branch, which would be
    mispredicted."""
    return (
        f"for t in range(base, last):\n    i = {rows.at}\n"
        f"    here = ({names.indptr}[i] < {names.indptr}[i + U(1)]){rows.also_open}\n{indent(rows.before, '    ')}"
        f"    rows[waiting] = i\n{indent(also, '    ')}    waiting += U(here)\n"
    )


PROBE = f"""\
    rows = np.empty({PROBED_ROWS}, np.uint64)
    probes = np.empty({PROBED_ROWS}, np.uint64)
    for base in range(U(lo), U(hi), U({PROBED_ROWS})):
        waiting = U(0)
        last = min(base + U({PROBED_ROWS}), U(hi))
{{listed}}\
        for turn in range({PROBE_TURNS}):
            left = U(0)
            for t in range(waiting):
                i = rows[t]
                p = probes[t]
                hit = {{present}}[U({{indices}}[p])]
{{keep}}\
                rows[left] = i
                probes[left] = p + U(1)
                left += U((not hit) & (p + U(1) < U({{indptr}}[i + U(1)])))
            waiting = left
        for t in range(waiting):
            i = rows[t]
            for p in range(probes[t], U({{indptr}}[i + U(1)])):
                hit = {{present}}[U({{indices}}[p])]
                if hit:
{{keep_one}}\
                    break
"""
#: A hub of every row, or -1, is looked up first: it decides most rows, also long ones.
LED = """\
if len({hubs}) > 0:
    for t in range(base, last):
        i = {at}
        rows[waiting] = i
        waiting += U(({hubs}[i] >= 0){opened})
    left = U(0)
    for t in range(waiting):
        i = rows[t]
        hit = {present}[U({hubs}[i])]
{keep}\
        rows[left] = i
        left += U(not hit)
    waiting = left
    for t in range(waiting):
        probes[t] = {indptr}[rows[t]]
else:
"""


def probing(rows: Rows, names: Names, hubs: str = "") -> str:
    """Structure alone, in rows ``lo`` to ``hi``.

    Whether a probe hits is unpredictable, so a branch on it is mispredicted half of the time, and costs more than the
    probe. So all open rows of a block take turns: every turn probes one entry of each row and keeps the undecided rows,
    without a branch, and the processor has many reads in flight. The remaining rows are searched to their ends.
    """
    listed = list_rows(rows, names, f"probes[waiting] = {names.indptr}[i]\n")
    array = {"indptr": names.indptr, "indices": names.indices, "present": names.present}
    if hubs:
        led = LED.format(hubs=hubs, at=rows.at, opened=rows.also_open, keep=indent(rows.keep, " " * 8), **array)
        listed = led + indent(listed, "    ")
    keep = {"keep": indent(rows.keep, " " * 16), "keep_one": indent(rows.keep, " " * 20)}
    return PROBE.format(listed=indent(listed, " " * 8), **keep, **array)


def pull_probing(mask: int) -> Source:
    """Structure alone: rows ``lo`` to ``hi`` as a bitmap; returns the number of entries, and of the edges they have."""
    keep = "out_present[i] = hit\ncount += hit\nedges += hit * (indptr[i + U(1)] - indptr[i])\n"
    rows = Rows(opened=OPENED[mask], before="out_present[i] = False\n", keep=keep)
    return (
        f"@kernel\ndef kernel(indptr, indices, present{', mask' if mask else ''}, out_present, lo, hi):\n"
        f"    count = edges = 0\n{probing(rows, Names())}    return count, edges\n"
    ), {}


def summing_full(body: Body, rows: Rows) -> str:
    """With an operand that is full, a row has a result if it has an entry: these are listed first."""
    return (
        f"    rows = np.empty({PROBED_ROWS}, np.uint64)\n{body.prologue}"
        f"    for base in range(U(lo), U(hi), U({PROBED_ROWS})):\n        waiting = U(0)\n"
        f"        last = min(base + U({PROBED_ROWS}), U(hi))\n{indent(list_rows(rows, body.names), ' ' * 8)}"
        f"        for t in range(waiting):\n            i = rows[t]\n            acc = {body.zero}\n"
        + indent(row_text(body, True) + rows.keep, " " * 12)
    )


def summing(body: Body, rows: Rows, full: bool, blend: bool = False, leave: bool = True) -> str:
    """The products of each row at present entries of the vector are summed."""
    zero = "" if body.reading is None else f"        acc = {body.zero}\n"
    work = row_text(body, full, blend, leave) + where("found", rows.keep)
    return (
        f"{_hits(blend)}{body.prologue}    for t in range(U(lo), U(hi)):\n        i = {rows.at}\n"
        f"        found = False\n{zero}{indent(where(rows.opened, work) + rows.after, ' ' * 8)}"
    )


def pull(
    reading: Reading | None, full: bool, mask: int, blend: bool = False, leave: bool = True, into: Any = None
) -> Source:
    """Rows ``lo`` to ``hi`` of the result as a bitmap; returns the number of entries. With a dense vector and an
    accumulator they are added to it; returns the number of new entries."""
    body = Body(reading, "k")
    arguments = "indptr, indices" + ("" if full else ", present") + body.arguments + (", mask" if mask else "")
    values, store = ("", "") if reading is None else (", out_values", "out_values[i] = acc\n")
    present, before, after = ", out_present", "out_present[i] = here\ncount += here\n", "out_present[i] = found\n"
    keep = f"count += 1\n{store}"
    if into is not None:
        dtype, filled, accum = into
        form = Form(accum, (dtype, body.dtype), EACH, EACH, dtype)
        sums = Text(form, "out_values[i]", "acc", "out_values[i]", body.inliner)
        first = f"{sums.only_y}out_present[i] = True\ncount += 1\n"
        keep = store = sums.both if filled else where("out_present[i]", sums.both, first)
        present, before, after = "" if filled else present, "", ""
    if full and reading is not None:
        text = summing_full(body, Rows("t", OPENED[mask], before, keep=store))
    else:
        rows = Rows("t", OPENED[mask], keep=keep, after=after)
        text = summing(body, rows, full, blend, leave)
    return body.finish(f"def kernel({arguments}{present}{values}, lo, hi):\n    count = 0\n{text}    return count\n")


def _hits(blend: bool) -> str:
    return f"    hits = np.empty({BLOCK}, np.uint64)\n" if blend else ""


def pull_rows(reading: Reading | None, full: bool, blend: bool = False, leave: bool = True) -> Source:
    """The rows listed at ``lo`` to ``hi``: entries are written from ``lo`` on; returns their number."""
    body = Body(reading, "k")
    arguments = "indptr, indices" + ("" if full else ", present") + body.arguments
    values, store = ("", "") if reading is None else (", out_values", "out_values[entries] = acc\n")
    rows = Rows("U(rows[t])", keep=f"out_indices[entries] = rows[t]\n{store}entries += U(1)\n")
    return body.finish(
        f"def kernel({arguments}, rows, out_indices{values}, lo, hi):\n    entries = U(lo)\n"
        f"{summing(body, rows, full, blend, leave)}    return np.int64(entries) - lo\n"
    )


SEEK = """\
        bottom, top = start, stop
        while bottom < top:
            middle = (bottom + top) >> U(1)
            if {indices}[middle] < {limit}:
                bottom = middle + U(1)
            else:
                top = middle
        {bound} = bottom
"""


def seek_range(indices: str = "indices") -> str:
    """The part of a sorted row, from ``start`` to ``stop``, that leads to outputs from ``low`` to ``high``."""
    return "".join(
        SEEK.format(indices=indices, limit=limit, bound=bound) for limit, bound in (("low", "start"), ("high", "stop"))
    )


def count_edges() -> Source:
    """How many entries there are in the frontier's columns."""
    return (
        "@kernel\ndef kernel(indptr, frontier):\n    edges = 0\n    for t in range(U(len(frontier))):\n"
        "        k = U(frontier[t])\n        edges += indptr[k + U(1)] - indptr[k]\n    return edges\n"
    ), {}


def edges_of(
    k: str, add: str, opened: str, names: Names, whole: bool, skip: str = "", items: str = "U(lo), U(hi)"
) -> str:
    """Statements for every entry ``p`` in the columns ``k`` that a mask allows; unless ``whole``, with outputs from
    ``low`` to ``high`` only."""
    return (
        f"    for t in range({items}):\n        k = {k}\n{indent(skip, ' ' * 8)}"
        f"        start = U({names.indptr}[k])\n        stop = U({names.indptr}[k + U(1)])\n"
        f"{'' if whole else seek_range(names.indices)}"
        f"        for p in range(start, stop):\n            i = U({names.indices}[p])\n"
        + indent(where(opened, add), " " * 12)
    )


def _blended_edges(add: str, mask: int, whole: bool) -> str:
    """The same, but open entries of a block are first listed without a branch, as in :func:`row_text`."""
    is_open = "mask[U(indices[p])]" if mask == BYTES else "not mask[U(indices[p])]"
    return (
        f"{_hits(True)}    for t in range(len(frontier)):\n        k = U(frontier[t])\n"
        f"        start = U(indptr[k])\n        stop = U(indptr[k + U(1)])\n{'' if whole else seek_range()}"
        f"        for base in range(start, stop, U({BLOCK})):\n"
        f"            found = U(0)\n            for p in range(base, min(base + U({BLOCK}), stop)):\n"
        f"                hits[found] = p\n                found += U({is_open})\n"
        "            for h in range(found):\n                p = hits[h]\n                i = U(indices[p])\n"
        + indent(add, " " * 16)
    )


def reached(body: Body, flags: str, sums: str, entries: str = "") -> str:
    """The statements for a product of output ``i``: the first one sets a flag, and may append to a list."""
    first = f"{flags}[i] = True\n" + (f"{entries}[n] = i\n" if entries else "") + "n += U(1)\n"
    if body.reading is None:
        return f"if not {flags}[i]:\n{indent(first, '    ')}"
    more = "" if body.exit_at_first else f"else:\n    acc = {sums}[i]\n    {sums}[i] = {body.sum}\n"
    return f"{body.product}if not {flags}[i]:\n{indent(first, '    ')}    {sums}[i] = z\n{more}"


def push(
    reading: Reading | None, dense_values: bool, mask: int, lists: bool, whole: bool, blend: bool = False
) -> Source:
    """Scatter into flags and sums, for outputs from ``low`` to ``high`` only unless ``whole``; returns how many entries
    there are. They are the result, or a clean workspace if the push ``lists`` its entries: the list is the result, in
    order of discovery, and the workspace is left clean.

    Rows are sorted, so a thread finds its part of a long list of neighbours by bisection. Each output belongs to one
    thread and is added up in the order of the frontier: no atomics, and the same result with any number of threads.
    """
    body = Body(reading, "k" if dense_values else "t")
    values = reading is not None
    arguments = f"indptr, indices{body.arguments}, frontier{', mask' if mask else ''}, present{', sums' * values}"
    arguments += (", out_indices" + ", out_values" * values) * lists + ("" if whole else ", low, high")
    add, collect = reached(body, "present", "sums", "out_indices" if lists else ""), ""
    if lists:
        collect = "    for t in range(n):\n        present[U(out_indices[t])] = False\n"
        collect += "        out_values[t] = sums[U(out_indices[t])]\n" * values
    k, items = "U(frontier[t])", "len(frontier)"
    edges = (
        _blended_edges(add, mask, whole) if blend else edges_of(k, add, OPENED[mask], body.names, whole, items=items)
    )
    return body.finish(
        f"def kernel({arguments}):\n    n = U(0)\n{body.prologue}{edges}{collect}    return np.int64(n)\n"
    )
