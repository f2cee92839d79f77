"""The text of the kernels for a sparse matrix times a dense one.

Both by rows: a row of the result is a combination of rows of the dense factor. Where only the pattern matters, 64
columns are the bits of one word, and a row of the result is a union.
"""

from __future__ import annotations

from textwrap import indent

from ..forms.dense_products import EVERYWHERE, OUTSIDE
from ..programs.reading import EACH, Reading
from .compile import Source
from .mxm_source import neutral
from .mxv_source import Body

AT_A_TIME = 4  # entries of a row that are added in one pass over the columns
BLOCK = 2048  # columns of a matrix of flags that are packed while they are in a core's cache

POSITIONS = {"firsti": "i", "firstj": "k", "secondi": "k", "secondj": "c"}
FLIPPED = {"firsti": "c", "firstj": "k", "secondi": "k", "secondj": "i"}


def whole(reading: Reading) -> Source:
    """Rows ``lo`` to ``hi`` of the product with a full matrix, without a mask: every product counts, so that a row has
    all entries or none; flags say which, if some rows have none."""
    body = Body(reading, "q", FLIPPED if reading.flip else POSITIONS)
    text = "start, stop = U(indptr[i]), U(indptr[i + U(1)])\nbase = i * columns\n"
    text += "if len(out_flags):\n    for c in range(columns):\n        out_flags[base + c] = start < stop\n"
    text += "if start < stop:\n" + indent(_full_row(body, reading), "    ")
    text += f"else:\n    for c in range(columns):\n        out_values[base + c] = {body.zero}\n"
    return body.finish(
        f"def kernel(indptr, indices{body.arguments}, width, out_flags, out_values, lo, hi):\n"
        f"    columns = U(width)\n{body.prologue}    for i in range(U(lo), U(hi)):\n" + indent(text, " " * 8),
        "@fused_kernel",
    )


def some(reading: Reading, full: bool, mask: int) -> Source:
    """The same with words of the positions that have an entry, or may have one: one test decides 64 columns.

    A full word is a loop over its columns, another one a loop over its set bits.
    """
    body = Body(reading, "q", FLIPPED if reading.flip else POSITIONS)
    start = None if body.exit_at_first else neutral(reading)
    own, opened = "" if full else "words[k * W + w] & ", OPEN.get(mask, "mask[i * W + w]")
    text = "start, stop = U(indptr[i]), U(indptr[i + U(1)])\n"
    text += f"for w in range(W):\n    every = all_columns(width, w)\n    wanted, found = every & {opened}, U(0)\n"
    text += "    first = w << U(6)\n    last, base = min(first + U(64), columns), i * columns\n"
    text += f"    for c in range(first, last):\n        out_values[base + c] = {start or body.zero}\n"
    entry = f"k = U(indices[p])\nactive = {own}wanted\n"
    if body.exit_at_first:
        entry += "active &= ~found\n"
    read = f"acc = out_values[base + c]\n{_product(body)}out_values[base + c] = "
    add = f"{read}{body.sum}\n"
    if start is None:
        first = _product(body) + "out_values[base + c] = z\n"
        more = "" if body.exit_at_first else f"if found >> (c & U(63)) & U(1):\n{indent(add, '    ')}else:\n"
        add = more + indent(first, "    " if more else "")
    bits = "c, rest = first, active\nwhile rest != U(0):\n"
    bits += "    while rest & U(255) == U(0):\n        rest >>= U(8)\n        c += U(8)\n"
    bits += "    if rest & U(1):\n        q = at + c\n" + indent(add, " " * 8)
    bits += "    rest >>= U(1)\n    c += U(1)\n"
    if start is not None:
        every = "for c in range(first, last):\n    q = at + c\n"
        if not body.inliner.functions:  # a choice of values has no branch: those of absent entries are left out
            chosen = f"{read}{body.sum} if active >> (c - first) & U(1) else acc\n"
            bits = every + indent(chosen, "    ")
        bits = f"if active == every:\n{indent(every + indent(add, '    '), '    ')}else:\n{indent(bits, '    ')}"
    entry += "if active != U(0):\n    at = k * columns\n" + indent(_held(body) + bits, "    ")
    entry += "    found |= active\n"
    if body.exit_at_first:
        entry += "    if found == wanted:\n        break\n"
    text += "    if wanted != U(0):\n        for p in range(start, stop):\n" + indent(entry, " " * 12)
    text += "    out_words[i * W + w] = found\n    if found != every:\n        for c in range(first, last):\n"
    text += f"            if not (found >> (c & U(63))) & U(1):\n                out_values[base + c] = {body.zero}\n"
    return _finished(body, ("" if full else ", words"), text, ", mask" if mask else "")


ALL_COLUMNS = """\
@numba.njit
def all_columns(width, w):
    left = width - 64 * np.int64(w)
    return ~U(0) if left >= 64 else (U(1) << U(left)) - U(1)


"""


def _finished(body: Body, dense: str, row: str, mask: str = "") -> Source:
    text, functions = body.finish(
        f"def kernel(indptr, indices{dense}{body.arguments}{mask}, width, out_words, out_values, lo, hi):\n"
        f"    columns, W = U(width), U((width + 63) // 64)\n{body.prologue}    for i in range(U(lo), U(hi)):\n"
        + indent(row, " " * 8)
    )
    return ALL_COLUMNS + text, functions


def _full_row(body: Body, reading: Reading) -> str:
    """Every product counts, so the first begins the sum."""
    text = "p = start\nk = U(indices[p])\nat = k * columns\n" + _held(body)
    text += "for c in range(columns):\n    q = at + c\n" + indent(_product(body), "    ")
    text += "    out_values[base + c] = z\n"
    if body.exit_at_first:
        return text
    text += "p = start + U(1)\n"
    if reading.semiring.binaryop.positional is None:
        unrolled, each = "", ""
        for n in range(AT_A_TIME):
            unrolled += f"at{n} = U(indices[p + U({n})]) * columns\n" + _held(body, f"p + U({n})", str(n))
            each += f"q{n} = at{n} + c\n" + _product(body, str(n))
            each += f"acc = {body.sum}\n"
        text += f"while p + U({AT_A_TIME}) <= stop:\n" + indent(unrolled, "    ")
        text += "    for c in range(columns):\n        acc = out_values[base + c]\n" + indent(each, " " * 8)
        text += f"        out_values[base + c] = acc\n    p += U({AT_A_TIME})\n"
    text += "while p < stop:\n    k = U(indices[p])\n    at = k * columns\n" + indent(_held(body), "    ")
    text += "    for c in range(columns):\n        q = at + c\n        acc = out_values[base + c]\n"
    return text + indent(_product(body), " " * 8) + f"        out_values[base + c] = {body.sum}\n    p += U(1)\n"


def _held(body: Body, at: str = "p", number: str = "") -> str:
    """The value of an entry of the sparse factor, read once for all columns."""
    each = body.reading is not None and body.reading.first == EACH
    return f"held{number} = m_values[{at}]\n" if each else ""


def _product(body: Body, number: str = "") -> str:
    return body.product_of(f"held{number}", f"u_values[q{number}]")


UNIONS = """\
@kernel
def kernel(indptr, indices, words{mask}, width, columns, out, lo, hi):
    W = U(width)
    for i in range(U(lo), U(hi)):
        for w in range(W):
            wanted = all_columns(columns, w) & {allowed}
            found = U(0)
            if wanted != U(0):
                for p in range(U(indptr[i]), U(indptr[i + U(1)])):
                    found |= words[U(indices[p]) * W + w]
                    if found & wanted == wanted:
                        break
            out[i * W + w] = found & wanted
"""
OPEN = {EVERYWHERE: "~U(0)", OUTSIDE: "~mask[i * W + w]"}


def unions(mask: int) -> Source:
    """Rows ``lo`` to ``hi``: the union of words, until every column that the mask leaves open is in it."""
    return ALL_COLUMNS + UNIONS.format(mask=", mask" if mask else "", allowed=OPEN.get(mask, "mask[i * W + w]")), {}


PACK_ROWS = """\
@kernel
def kernel(flags, nrows, ncols, width, words, lo, hi):
    for i in range(U(lo), U(hi)):
        for w in range(U(width)):
            word = U(0)
            for c in range(U(64) * w, min(U(64) * w + U(64), U(ncols))):
                word |= U(flags[i * U(ncols) + c]) << (c & U(63))
            words[i * U(width) + w] = word
"""
PACK_COLUMNS = f"""\
@kernel
def kernel(flags, nrows, ncols, width, words, lo, hi):
    some = np.empty({BLOCK}, np.uint64)
    for block in range(U(lo), U(hi), U({BLOCK})):
        count = min(U({BLOCK}), U(hi) - block)
        for w in range(U(width)):
            for j in range(count):
                some[j] = U(0)
            for i in range(U(64) * w, min(U(64) * w + U(64), U(nrows))):
                at, bit = i * U(ncols) + block, i & U(63)
                for j in range(count):
                    some[j] |= U(flags[at + j]) << bit
            for j in range(count):
                words[(block + j) * U(width) + w] = some[j]
"""
UNPACK_COLUMNS = f"""\
@kernel
def kernel(words, nrows, ncols, width, flags, lo, hi):
    count = 0
    some = np.empty({BLOCK}, np.uint64)
    for block in range(U(lo), U(hi), U({BLOCK})):
        length = min(U({BLOCK}), U(hi) - block)
        for w in range(U(width)):
            for j in range(length):
                some[j] = words[(block + j) * U(width) + w]
            for i in range(U(64) * w, min(U(64) * w + U(64), U(nrows))):
                at, bit = i * U(ncols) + block, i & U(63)
                for j in range(length):
                    flag = (some[j] >> bit) & U(1) != U(0)
                    flags[at + j] = flag
                    count += flag
    return count
"""
SCATTER = """\
@kernel
def kernel(indptr, indices, flags, by_columns, width, words):
    for i in range(len(indptr) - 1):
        for p in range(U(indptr[i]), U(indptr[i + 1])):
            if len(flags) == 0 or flags[p]:
                line, bit = (U(indices[p]), U(i)) if by_columns else (U(i), U(indices[p]))
                words[line * U(width) + (bit >> U(6))] |= U(1) << (bit & U(63))
"""
TRANSPOSE = """\
@kernel
def kernel(values, nrows, ncols, out, lo, hi):
    for left in range(U(lo), U(hi), U(16)):
        right = min(left + U(16), U(hi))
        for top in range(U(0), U(nrows), U(16)):
            for i in range(top, min(top + U(16), U(nrows))):
                for j in range(left, right):
                    out[j * U(nrows) + i] = values[i * U(ncols) + j]
"""
