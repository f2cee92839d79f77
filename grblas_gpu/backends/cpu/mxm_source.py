"""The text of the matrix times matrix kernels.

Gustavson's method. *Before* counts the products in front of each row, and its room in the result. *Structure* finds the
sorted pattern of each row of the result; it uses no operator, so it is compiled once for all of them. *Numeric* sums
the products at the positions of a given pattern. *Whole* does both at once, for results of which two copies fit into
memory. All mark columns of the current row in a dense array of stamps, which never needs clearing: row ``r`` of a chunk
owns the stamps ``2 r + 2`` (listed) and ``2 r + 3`` (touched).

Whether a product is the first of its column is unpredictable, so a branch on it would be mispredicted. With values, a
row with many products relative to the number of columns avoids it: it marks every product, and then reads every column.
"""

from __future__ import annotations

import math
from textwrap import indent

import numpy as np

from ..programs.reading import Reading
from .compile import Source
from .inline import literal, static_cast, where
from .masks import BYTES, BYTES_COMPLEMENT, NO_MASK
from .mxv_source import Body

MANY_PRODUCTS = 8  # a row has many from columns / MANY_PRODUCTS on
FAR_LONGER = 64  # times as long as the row is a column in which its entries are searched, not all read
TO_LEAVE = 8  # ... times that, where reading ends at the first common entry

POSITIONS = {"firsti": "i", "firstj": "k", "secondi": "k", "secondj": "j"}

SORT = '''\
@numba.njit
def sort_slice(a, low, high):
    """Quicksort of a[low:high] (signed positions), with insertion sort for what is short."""
    stack = np.empty((64, 2), np.int64)
    depth = 0
    while True:
        while high - low > 24:
            middle = (low + high) >> 1
            x, y, z = a[low], a[middle], a[high - 1]
            pivot = max(min(x, y), min(max(x, y), z))
            i, j = low, high - 1
            while i <= j:
                while a[i] < pivot:
                    i += 1
                while a[j] > pivot:
                    j -= 1
                if i <= j:
                    a[i], a[j] = a[j], a[i]
                    i += 1
                    j -= 1
            if j + 1 - low > high - i:
                stack[depth, 0], stack[depth, 1] = low, j + 1
                low = i
            else:
                stack[depth, 0], stack[depth, 1] = i, high
                high = j + 1
            depth += 1
        for i in range(low + 1, high):
            value = a[i]
            j = i - 1
            while j >= low and a[j] > value:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = value
        if depth == 0:
            return
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]


'''


PRODUCTS = """\
for p in range(U(a_indptr[i]), U(a_indptr[i + U(1)])):
    k = U(a_indices[p])
    for q in range(U(b_indptr[k]), U(b_indptr[k + U(1)])):
        j = U(b_indices[q])
"""
MANY = f"if (products[i + U(1)] - products[i]) * {MANY_PRODUCTS} > len(stamps):\n"
IN_ORDER = """\
if n - first > U(len(stamps) >> 4):
    n = first
    for j in range(U(len(stamps))):
        if stamps[j] == touched:
            out_indices[n] = j
            n += U(1)
elif n - first > U(1):
    sort_slice(out_indices, np.int64(first), np.int64(n))
"""


def _all_products(add: str) -> str:
    """A loop over the products of row ``i``: ``add`` is done for each."""
    return PRODUCTS + indent(add, " " * 8)


def _first_touch(allowed: str, first: str = "", more: str = "") -> str:
    """Mark column ``j`` if this is its first product; the statements for the first and for later ones."""
    return (
        f"stamp = stamps[j]\nif {allowed}:\n    stamps[j] = touched\n    out_indices[n] = j\n    n += U(1)\n"
        + indent(first, "    ")
        + (f"elif stamp == touched:\n{indent(more, '    ')}" if more else "")
    )


# The touched columns; there is room for one more, which is not.
COLLECT = """\
for j in range(U(len(stamps))):
    out_indices[n] = j
    out_values[n] = dense[j]
    n += U(stamps[j] == touched)
"""
ROW_STAMPS = """\
        listed = np.int32(2 * (np.int64(i) - lo) + 2)
        touched = np.int32(listed + 1)
"""
ROWS = f"""\
    n = U(0)
    for i in range(U(lo), U(hi)):
        first = n
{ROW_STAMPS}"""
ALLOWED = {
    NO_MASK: "stamp != touched",
    BYTES: "stamp == listed",
    BYTES_COMPLEMENT: "stamp != touched and stamp != listed",
}
MARK = """\
        for t in range(U(mask_indptr[i]), U(mask_indptr[i + U(1)])):
            stamps[U(mask_indices[t])] = listed
"""


def before(masked: bool) -> Source:
    """The products of all earlier rows, and the most entries that these have in the result."""
    mask, most = (
        ("mask_indptr, ", "min(most, U(mask_indptr[i + U(1)]) - U(mask_indptr[i]))") if masked else ("", "most")
    )
    return (
        f"@kernel\ndef kernel(a_indptr, a_indices, b_indptr, {mask}most, products, room):\n"
        "    most, total, space = U(most), U(0), U(0)\n"
        "    products[0] = room[0] = 0\n"
        "    for i in range(U(len(a_indptr) - 1)):\n"
        "        n = U(0)\n"
        "        for p in range(U(a_indptr[i]), U(a_indptr[i + U(1)])):\n"
        "            k = U(a_indices[p])\n"
        "            n += U(b_indptr[k + U(1)]) - U(b_indptr[k])\n"
        "        total += n\n"
        f"        space += min(n, {most})\n"
        "        products[i + U(1)] = total\n"
        "        room[i + U(1)] = space\n",
        {},
    )


def structure(mask: int) -> Source:
    """The pattern of rows ``lo`` to ``hi``: column indices one row after the other, and where each row ends."""
    body = _all_products(_first_touch(ALLOWED[mask])) + IN_ORDER
    return SORT + "@kernel\n" + _rows(mask, "", "", "", body), {}


def whole(reading: Reading, mask: int) -> Source:
    """Structure and values of rows ``lo`` to ``hi`` at once."""
    body = Body(reading, "q", POSITIONS)
    more = "" if body.exit_at_first else body.product + f"acc = dense[j]\ndense[j] = {body.sum}\n"
    rows = _all_products(_first_touch(ALLOWED[mask], body.product + "dense[j] = z\n", more)) + IN_ORDER
    rows += "for t in range(first, n):\n    out_values[t] = dense[U(out_indices[t])]\n"
    start = None if body.exit_at_first or mask != NO_MASK else neutral(reading)
    if start is not None:
        many = f"for j in range(U(len(stamps))):\n    dense[j] = {start}\n"
        many += _all_products(body.product + f"acc = dense[j]\ndense[j] = {body.sum}\nstamps[j] = touched\n")
        rows = f"{MANY}{indent(many + COLLECT, '    ')}else:\n{indent(rows, '    ')}"
    text, functions = body.finish(_rows(mask, body.arguments, "dense, out_values, ", body.prologue, rows))
    return SORT + text, functions


def _rows(mask: int, operands: str, values: str, prologue: str, body: str) -> str:
    """The function of structure and whole: ``body`` for each row."""
    given, mark = ("", "") if mask == NO_MASK else ("mask_indptr, mask_indices, ", MARK)
    return (
        f"def kernel(a_indptr, a_indices, b_indptr, b_indices{operands}, {given}products, stamps, {values}out_indices, "
        f"out_indptr, lo, hi):\n{prologue}{ROWS}{mark}"
        + indent(body + "out_indptr[i + U(1)] = n\n", " " * 8)
        + "    return np.int64(n)\n"
    )


PROBES = {"f": (0.0, 1.5, -2.5, math.inf, -math.inf, math.nan), "b": (False, True)}


def neutral(reading: Reading) -> str | None:
    """The identity of the monoid as text; None if it has none.

    Of floats that need not be the identity: the least of infinity and NaN is infinity, that of NaN and NaN is NaN.
    """
    monoid, dtype = reading.semiring.monoid, reading.semiring.return_type.np_type
    if monoid.binaryop.source is None or monoid.identity is None or dtype.kind == "c":
        return None
    others = np.array(PROBES.get(dtype.kind, (0, 1, 2, np.iinfo(dtype).max if dtype.kind in "iu" else 0)), dtype)
    for text in (literal(monoid.identity, dtype), *(["np.nan"] if dtype.kind == "f" else [])):
        value = np.full(len(others), np.nan if text == "np.nan" else monoid.identity, dtype)
        with np.errstate(all="ignore"):
            result = monoid.binaryop.numpy(value, others)
        if np.array_equal(result, others, equal_nan=dtype.kind == "f"):
            return static_cast(dtype, text)
    return None


def numeric(reading: Reading) -> Source:
    """The values at the positions of a pattern of rows ``lo`` to ``hi``; every one of them has a product.

    Sums start at the identity, so products need no test: those outside of the pattern are added to positions that are
    never read.
    """
    body = Body(reading, "q", POSITIONS)
    start = None if body.exit_at_first else neutral(reading)
    more = f"acc = dense[j]\ndense[j] = {body.sum}\n"
    if start is not None:
        stamps, begin, add = "", f"dense[U(indices[t])] = {start}", body.product + more
    else:
        stamps, begin = ROW_STAMPS, "stamps[U(indices[t])] = listed"
        add = where("stamp == listed", f"stamps[j] = touched\n{body.product}dense[j] = z\n")
        if not body.exit_at_first:
            add += f"elif stamp == touched:\n{indent(body.product + more, '    ')}"
        add = f"stamp = stamps[j]\n{add}"
    return body.finish(
        f"def kernel(a_indptr, a_indices, b_indptr, b_indices{body.arguments}, indptr, indices, stamps, dense, "
        f"out_values, lo, hi):\n{body.prologue}    for i in range(U(lo), U(hi)):\n{stamps}"
        "        start, stop = U(indptr[i]), U(indptr[i + U(1)])\n        if start == stop:\n            continue\n"
        f"        for t in range(start, stop):\n            {begin}\n{indent(_all_products(add), ' ' * 8)}"
        "        for t in range(start, stop):\n            out_values[t] = dense[U(indices[t])]\n"
    )


LOWER_BOUND = '''\
@numba.njit
def lower_bound(a, low, high, value):
    """The first place in a[low:high], which is sorted, that is not less."""
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if np.uint64(a[middle]) < value:
            low = middle + np.uint64(1)
        else:
            high = middle
    return low
'''


def masked_dot(reading: Reading | None) -> Source:
    """At each position (i, j) of the mask: row i of a, spread into a dense array, against row j of b's transpose. Where
    that is far longer, the entries of the row are searched in it: positions of hubs are read by few entries."""
    body = Body(reading, "q", POSITIONS)
    values = "" if reading is None else ", out_values"
    if reading is None:
        hit = "found = True\nbreak\n"
    elif body.exit_at_first:
        hit = body.product + "acc = z\nfound = True\nbreak\n"
    else:
        hit = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n" + body.exit_test
    far_longer = FAR_LONGER * (TO_LEAVE if reading is None or body.exit_at_first else 1)
    zero = "" if reading is None else f"            acc = {body.zero}\n"
    store = "" if reading is None else "            if found:\n                out_values[t] = acc\n"
    source, functions = body.finish(
        f"def kernel(a_indptr, a_indices, b_indptr, b_indices{body.arguments}, mask_indptr, mask_indices, spread, "
        f"out_present{values}, lo, hi):\n{body.prologue}"
        "    for i in range(U(lo), U(hi)):\n"
        "        start, stop = U(a_indptr[i]), U(a_indptr[i + U(1)])\n"
        "        if mask_indptr[i] == mask_indptr[i + U(1)]:\n            continue\n"
        "        for p in range(start, stop):\n            spread[U(a_indices[p])] = np.int32(p - start + U(1))\n"
        "        for t in range(U(mask_indptr[i]), U(mask_indptr[i + U(1)])):\n"
        f"            j = U(mask_indices[t])\n            found = False\n{zero}"
        "            first, last = U(b_indptr[j]), U(b_indptr[j + U(1)])\n"
        f"            if U({far_longer}) * (stop - start) < last - first:\n"
        "                for p in range(start, stop):\n"
        "                    k = U(a_indices[p])\n"
        "                    q = first = lower_bound(b_indices, first, last, k)\n"
        "                    if q == last:\n                        break\n"
        "                    if U(b_indices[q]) == k:\n" + indent(hit, " " * 24) + "            else:\n"
        "                for q in range(first, last):\n"
        "                    k = U(b_indices[q])\n                    at = spread[k]\n"
        "                    if at != 0:\n                        p = start + U(at - 1)\n"
        + indent(hit, " " * 24)
        + f"            out_present[t] = found\n{store}"
        "        for p in range(start, stop):\n            spread[U(a_indices[p])] = np.int32(0)\n"
    )
    return LOWER_BOUND + source, functions
