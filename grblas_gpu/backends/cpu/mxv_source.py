"""The text of the matrix times vector kernels.

A :class:`Reading` says how a product ``mult(m[i, k], u[k])`` is formed and added. Without it (structure only) a kernel
looks for the existence of a product and reads no values. All loops use unsigned indices: Numba then leaves out the
handling of negative ones.
"""

from __future__ import annotations

from textwrap import indent
from typing import Any

from ..programs.reading import EACH, ISO, UNUSED, Reading
from .inline import Inliner, literal, static_cast

Source = tuple[str, dict[str, Any]]

NO_MASK, MASK, COMPLEMENT = 0, 1, 2
BLOCK = 128  # entries examined at a time by a blending pull
EXIT_BLOCK = 16  # entries combined between two looks at whether a row is decided
ALLOWED = {NO_MASK: "", MASK: "if mask[i]:\n", COMPLEMENT: "if not mask[i]:\n"}
ALSO_OPEN = {NO_MASK: "", MASK: " & mask[i]", COMPLEMENT: " & (not mask[i])"}


class Body:
    """Fragments of text for one kernel: products, sums, exits."""

    def __init__(
        self,
        reading: Reading | None,
        vector_at: str,
        positions: dict[str, str] | None = None,
        inliner: Inliner | None = None,
    ) -> None:
        self.positions = positions
        self.inliner = inliner or Inliner()
        self.reading = reading
        self.arguments = ""
        self.prologue = ""
        self.exit_at_first = reading is None
        self.exit_test = ""
        if reading is None:
            return
        semiring, monoid = reading.semiring, reading.semiring.monoid
        self.dtype = semiring.return_type.np_type
        matrix, vector = "m_value", "u_value"
        left, right = semiring.binaryop.type, semiring.binaryop.type2
        if reading.flip:
            left, right = right, left
        for mode, name, stored, wanted in (
            (reading.first, "m", reading.first_type, left),
            (reading.second, "u", reading.second_type, right),
        ):
            if mode == UNUSED:
                continue
            self.arguments += f", {name}_values"
            if mode == ISO:
                value = self.inliner.load(f"{name}_values[0]", stored, wanted.np_type)
                self.prologue += f"    {name}_value = {value}\n"
        if reading.first == EACH:
            matrix = self.inliner.load("m_values[p]", reading.first_type, left.np_type)
        if reading.second == EACH:
            vector = self.inliner.load(f"u_values[{vector_at}]", reading.second_type, right.np_type)
        self.zero = static_cast(self.dtype, "0")
        self.product = self._product(matrix, vector)
        self.sum = self.inliner.call(monoid.binaryop, x="acc", y="z")
        if reading.early_exit:
            self.exit_at_first = bool(monoid.any_value)
            if monoid.terminal is not None and not self.exit_at_first:
                self.exit_test = f"if acc == {literal(monoid.terminal, self.dtype)}:\n    break\n"

    def _product(self, matrix: str, vector: str) -> str:
        assert self.reading is not None
        op, flip = self.reading.semiring.binaryop, self.reading.flip
        if op.positional is not None:
            place = position(op.positional, flip) if self.positions is None else self.positions[op.positional]
            value = f"np.int64({place}) + {op.offset}"
            text = static_cast(op.return_type.np_type, value)
        else:
            # An operand that the operator ignores has no value to read; any constant of its type will do.
            unused_left = static_cast(op.type.np_type, "1")
            unused_right = static_cast(op.type2.np_type, "1")
            left, right = (vector, matrix) if flip else (matrix, vector)
            modes = (self.reading.second, self.reading.first) if flip else (self.reading.first, self.reading.second)
            lines = [
                f"left = {left if modes[0] != UNUSED else unused_left}",
                f"right = {right if modes[1] != UNUSED else unused_right}",
            ]
            text = self.inliner.call(op, x="left", y="right")
            if op.return_type.np_type != self.dtype:
                text = static_cast(self.dtype, text)
            return "\n".join([*lines, f"z = {text}\n"])
        if op.return_type.np_type != self.dtype:
            text = static_cast(self.dtype, text)
        return f"z = {text}\n"

    def finish(self, text: str, kernel: str = "@summing_kernel") -> Source:
        """A row has no order in which it is added up: several sums at a time keep the processor busy."""
        return f"{self.inliner.header()}{kernel}\n{text}", self.inliner.functions


def position(positional: str, flip: bool) -> str:
    """Row or column of an operand. A vector on the right is a column, (k, 0); one on the left a row, (0, k)."""
    if flip:
        return {"firsti": "0", "firstj": "k", "secondi": "k", "secondj": "i"}[positional]
    return {"firsti": "i", "firstj": "k", "secondi": "k", "secondj": "0"}[positional]


def row_text(body: Body, full: bool, blend: bool = False, leave: bool = True) -> str:
    """Combine the products of row ``i``: sets ``found`` and ``acc``.

    With ``blend`` a block's present entries are first listed without a branch, for flags that nobody can predict.
    Structure alone ends a row at the first hit, unless ``leave`` is False.
    """
    bounds = "start = U(indptr[i])\nstop = U(indptr[i + U(1)])\n"
    if body.reading is None:
        if full:
            return bounds + "found = start < stop\n"
        return bounds + (
            "for p in range(start, stop):\n    if present[U(indices[p])]:\n        found = True\n"
            + ("        break\n" if leave else "")
        )
    if full:
        # Every entry counts, so the first needs no test of its own, and whether to leave is asked once in a while.
        first = "p = start\nk = U(indices[p])\n" + body.product + "acc = z\nfound = True\n"
        rest = "for p in range(start + U(1), stop):\n    k = U(indices[p])\n"
        rest += indent(body.product + f"acc = {body.sum}\n", "    ")
        if body.exit_test:
            # Asked before whether there is more: in a row that is decided, which may be all, nobody needs to know that.
            blocks = "base = start + U(1)\nwhile True:\n" + indent(body.exit_test, "    ")
            blocks += f"    if base >= stop:\n        break\n    last = min(base + U({EXIT_BLOCK}), stop)\n"
            rest = rest.replace("range(start + U(1), stop)", "range(base, last)")
            rest = blocks + indent(rest, "    ") + "    base = last\n"
        text = first if body.exit_at_first else first + rest
        return bounds + "if start < stop:\n" + indent(text, "    ")
    if blend:
        combine = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n"
        exit_test = body.exit_test.replace("if ", "if found and ", 1)
        return (
            bounds
            + f"for base in range(start, stop, U({BLOCK})):\n"
            + f"    n = U(0)\n    for p in range(base, min(base + U({BLOCK}), stop)):\n"
            + "        hits[n] = p\n        n += U(present[U(indices[p])])\n"
            + "    for h in range(n):\n        p = hits[h]\n        k = U(indices[p])\n"
            + indent(combine, " " * 8)
            + indent(exit_test, "    ")
        )
    if body.exit_at_first:
        combine = body.product + "acc = z\nfound = True\nbreak\n"
    else:
        combine = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n"
        combine += body.exit_test
    inner = combine if full else "if present[k]:\n" + indent(combine, "    ")
    return bounds + "for p in range(start, stop):\n    k = U(indices[p])\n" + indent(inner, "    ")


PROBE = """\
def kernel(indptr, indices, present{mask}, out_present, lo, hi):
    count = edges = 0
    rows = np.empty({rows}, np.uint64)
    probes = np.empty({rows}, np.uint64)
    for base in range(U(lo), U(hi), U({rows})):
        n = U(0)
        for i in range(base, min(base + U({rows}), U(hi))):
            out_present[i] = False
            rows[n] = i
            probes[n] = indptr[i]
            n += U((indptr[i] < indptr[i + U(1)]){allowed})
        for turn in range({turns}):
            left = U(0)
            for t in range(n):
                i = rows[t]
                p = probes[t]
                hit = present[U(indices[p])]
                out_present[i] = hit
                count += hit
                edges += hit * (indptr[i + U(1)] - indptr[i])
                rows[left] = i
                probes[left] = p + U(1)
                left += U((not hit) & (p + U(1) < U(indptr[i + U(1)])))
            n = left
        for t in range(n):
            i = rows[t]
            for p in range(probes[t], U(indptr[i + U(1)])):
                if present[U(indices[p])]:
                    out_present[i] = True
                    count += 1
                    edges += indptr[i + U(1)] - indptr[i]
                    break
    return count, edges
"""
PROBED_ROWS = 1024  # open rows that are listed at a time: the lists stay in the first-level cache
PROBE_TURNS = 8  # entries of each that are probed without a branch on what is found


def pull_probing(mask: int) -> Source:
    """Structure alone: rows ``lo`` to ``hi`` as a bitmap; returns the number of entries, and of the edges they have.

    Whether a probe hits is as good as random, so a branch on it is mispredicted half of the time, and each costs more
    than the probe. So all open rows of a block take turns: every turn probes one entry of each row and keeps those that
    go on, without a branch, and the processor has many reads under way at once. What is left is searched to its end.
    """
    names = {"mask": ", mask" if mask else "", "allowed": ALSO_OPEN[mask], "rows": PROBED_ROWS, "turns": PROBE_TURNS}
    return "@kernel\n" + PROBE.format(**names), {}


def pull(reading: Reading | None, full: bool, mask: int, blend: bool = False, leave: bool = True) -> Source:
    """Rows ``lo`` to ``hi`` of the result as a bitmap; returns the number of entries."""
    body = Body(reading, "k")
    arguments = "indptr, indices" + ("" if full else ", present") + body.arguments + (", mask" if mask else "")
    if full and reading is not None:
        return _pull_full(body, arguments, mask)
    store = "" if reading is None else "\n    out_values[i] = acc"
    work = row_text(body, full, blend, leave) + f"if found:\n    count += 1{store}\n"
    if mask:
        work = ALLOWED[mask] + indent(work, "    ")
    zero = "" if reading is None else f"        acc = {body.zero}\n"
    values = "" if reading is None else ", out_values"
    return body.finish(
        f"def kernel({arguments}, out_present{values}, lo, hi):\n    count = 0\n{_hits(blend)}{body.prologue}"
        f"    for i in range(U(lo), U(hi)):\n        found = False\n{zero}"
        + indent(work, " " * 8)
        + "        out_present[i] = found\n    return count\n"
    )


def _pull_full(body: Body, arguments: str, mask: int) -> Source:
    """With an operand that is full, a row has a result if it has an entry: such rows are listed first, without a branch
    on which they are. Nobody could predict that either."""
    return body.finish(
        f"def kernel({arguments}, out_present, out_values, lo, hi):\n    count = 0\n"
        f"    rows = np.empty({PROBED_ROWS}, np.uint64)\n{body.prologue}"
        f"    for block in range(U(lo), U(hi), U({PROBED_ROWS})):\n        n = U(0)\n"
        f"        for i in range(block, min(block + U({PROBED_ROWS}), U(hi))):\n"
        f"            here = (indptr[i] < indptr[i + U(1)]){ALSO_OPEN[mask]}\n"
        "            out_present[i] = here\n            rows[n] = i\n            n += U(here)\n"
        "        count += np.int64(n)\n        for t in range(n):\n            i = rows[t]\n"
        f"            acc = {body.zero}\n"
        + indent(row_text(body, True), " " * 12)
        + "            out_values[i] = acc\n    return count\n"
    )


def _hits(blend: bool) -> str:
    return f"    hits = np.empty({BLOCK}, np.uint64)\n" if blend else ""


def pull_rows(reading: Reading | None, full: bool, blend: bool = False, leave: bool = True) -> Source:
    """The rows listed at ``lo`` to ``hi``: entries are written from ``lo`` on; returns their number."""
    body = Body(reading, "k")
    arguments = "indptr, indices" + ("" if full else ", present") + body.arguments
    store = "" if reading is None else "\n    out_values[entries] = acc"
    work = row_text(body, full, blend, leave)
    work += f"if found:\n    out_indices[entries] = rows[t]{store}\n    entries += U(1)\n"
    zero = "" if reading is None else f"        acc = {body.zero}\n"
    values = "" if reading is None else ", out_values"
    return body.finish(
        f"def kernel({arguments}, rows, out_indices{values}, lo, hi):\n    entries = U(lo)\n"
        f"{_hits(blend)}{body.prologue}"
        f"    for t in range(U(lo), U(hi)):\n        i = U(rows[t])\n        found = False\n{zero}"
        + indent(work, " " * 8)
        + "    return np.int64(entries) - lo\n"
    )


def pull_edge(reading: Reading | None, full: bool, mask: int) -> Source:
    """One loop over the entries of rows ``lo`` to ``hi``, each adding itself to its row's result."""
    body = Body(reading, "k")
    arguments = "indptr, row_ids, indices" + ("" if full else ", present") + body.arguments
    arguments += ", mask" if mask else ""
    values = "" if reading is None else ", out_values"
    if reading is None:
        add = "if not out_present[i]:\n    out_present[i] = True\n    count += 1\n"
    else:
        first = "out_present[i] = True\ncount += 1\nout_values[i] = z\n"
        more = "" if body.exit_at_first else f"acc = out_values[i]\nout_values[i] = {body.sum}\n"
        add = body.product + "if not out_present[i]:\n" + indent(first, "    ")
        add += "else:\n" + indent(more, "    ") if more else ""
    if not full:
        add = "if present[k]:\n" + indent(add, "    ")
    if mask:
        add = ALLOWED[mask] + indent(add, "    ")
    return body.finish(
        f"def kernel({arguments}, out_present{values}, lo, hi):\n    count = 0\n{body.prologue}"
        "    for row in range(U(lo), U(hi)):\n        out_present[row] = False\n"
        "    for p in range(U(indptr[lo]), U(indptr[hi])):\n        i = U(row_ids[p])\n        k = U(indices[p])\n"
        + indent(add, " " * 8)
        + "    return count\n"
    )


SEEK = """\
        bottom, top = start, stop
        while bottom < top:
            middle = (bottom + top) >> U(1)
            if indices[middle] < {limit}:
                bottom = middle + U(1)
            else:
                top = middle
        {bound} = bottom
"""
SEEK_RANGE = SEEK.format(limit="low", bound="start") + SEEK.format(limit="high", bound="stop")


def count_edges() -> Source:
    """How many entries there are in the frontier's columns."""
    return (
        "@kernel\ndef kernel(indptr, frontier):\n    edges = 0\n    for t in range(U(len(frontier))):\n"
        "        k = U(frontier[t])\n        edges += indptr[k + U(1)] - indptr[k]\n    return edges\n"
    ), {}


def _frontier_loop(add: str, mask: int, whole: bool, blend: bool = False) -> str:
    """Every entry ``p`` in the frontier's columns that the mask allows; unless ``whole``, with outputs from ``low`` to
    ``high`` only. With ``blend`` those of a block are first listed without a branch, as in :func:`row_text`."""
    text = (
        "    for t in range(len(frontier)):\n        k = U(frontier[t])\n"
        f"        start = U(indptr[k])\n        stop = U(indptr[k + U(1)])\n{'' if whole else SEEK_RANGE}"
    )
    if not blend:
        add = ALLOWED[mask] + indent(add, "    ") if mask else add
        return text + "        for p in range(start, stop):\n            i = U(indices[p])\n" + indent(add, " " * 12)
    is_open = "mask[U(indices[p])]" if mask == MASK else "not mask[U(indices[p])]"
    return (
        _hits(True)
        + text
        + f"        for base in range(start, stop, U({BLOCK})):\n"
        + f"            found = U(0)\n            for p in range(base, min(base + U({BLOCK}), stop)):\n"
        + f"                hits[found] = p\n                found += U({is_open})\n"
        + "            for h in range(found):\n                p = hits[h]\n                i = U(indices[p])\n"
        + indent(add, " " * 16)
    )


def push_queue(reading: Reading | None, dense_values: bool, mask: int, whole: bool) -> Source:
    """Scatter into a clean workspace, queueing each entry at its first touch; leaves the workspace clean.

    The queue is the result: indices in order of discovery, and their values. Returns their number.
    """
    limits = "" if whole else ", low, high"
    body = Body(reading, "k" if dense_values else "t")
    arguments = "indptr, indices" + body.arguments + ", frontier" + (", mask" if mask else "")
    if reading is None:
        workspace, first, more, collect = ", seen", "", "", ""
    else:
        workspace, first = ", seen, dense", "\n    dense[i] = z"
        more = "" if body.exit_at_first else f"else:\n    acc = dense[i]\n    dense[i] = {body.sum}\n"
        collect = "\n        out_values[t] = dense[out_indices[t]]"
    add = "" if reading is None else body.product
    add += f"if not seen[i]:\n    seen[i] = True\n    out_indices[n] = i\n    n += U(1){first}\n{more}"
    values = "" if reading is None else ", out_values"
    return body.finish(
        f"def kernel({arguments}{workspace}, out_indices{values}{limits}):\n    n = U(0)\n{body.prologue}"
        + _frontier_loop(add, mask, whole)
        + f"    for t in range(n):\n        seen[U(out_indices[t])] = False{collect}\n    return np.int64(n)\n"
    )


def push_dense(reading: Reading | None, dense_values: bool, mask: int, whole: bool, blend: bool = False) -> Source:
    """Scatter into the result itself, for outputs from ``low`` to ``high`` only; returns the number of entries.

    Rows are sorted, so a thread finds its part of a long list of neighbours by bisection. Each output belongs to one
    thread and is added up in the order of the frontier: no atomics, and the same result with any number of threads.
    """
    body = Body(reading, "k" if dense_values else "t")
    arguments = "indptr, indices" + body.arguments + ", frontier" + (", mask" if mask else "")
    if reading is None:
        values, first, more = "", "", ""
    else:
        values, first = ", out_values", "\n    out_values[i] = z"
        more = "" if body.exit_at_first else f"else:\n    acc = out_values[i]\n    out_values[i] = {body.sum}\n"
    add = "" if reading is None else body.product
    add += f"if not out_present[i]:\n    out_present[i] = True\n    count += 1{first}\n{more}"
    limits = "" if whole else ", low, high"
    return body.finish(
        f"def kernel({arguments}, out_present{values}{limits}):\n    count = 0\n{body.prologue}"
        + _frontier_loop(add, mask, whole, blend)
        + "    return count\n"
    )


def push_gather(reading: Reading | None, dense_values: bool, mask: int) -> Source:
    """All products of the frontier, unsorted: output index and value of each; returns their number."""
    body = Body(reading, "k" if dense_values else "t")
    arguments = "indptr, indices" + body.arguments + ", frontier" + (", mask" if mask else "")
    values = "" if reading is None else ", out_values"
    add = "out_indices[n] = i\n" if reading is None else body.product + "out_indices[n] = i\nout_values[n] = z\n"
    add += "n += U(1)\n"
    return body.finish(
        f"def kernel({arguments}, out_indices{values}):\n    n = U(0)\n{body.prologue}"
        + _frontier_loop(add, mask, True)
        + "    return np.int64(n)\n"
    )


def sorted_sums(reading: Reading) -> Source:
    """Combine runs of equal sorted keys, the values being taken in ``order``; returns the number of runs."""
    body = Body(reading, "k")
    same = "" if body.exit_at_first else f"            acc = out_values[n]\n            out_values[n] = {body.sum}\n"
    return body.finish(
        "def kernel(keys, order, values, out_indices, out_values):\n    n = -1\n"
        "    for t in range(len(keys)):\n        z = values[order[t]]\n"
        "        if n < 0 or keys[t] != out_indices[n]:\n"
        "            n += 1\n            out_indices[n] = keys[t]\n            out_values[n] = z\n"
        + (f"        else:\n{same}" if same else "")
        + "    return n + 1\n"
    )
