"""A square matrix by groups of positions: numbers of groups as positions, a sort, and one entry of every run."""

from __future__ import annotations

import cupy
import numpy as np

from ....exceptions import IndexOutOfBound
from ....foundation.types import TypedMonoid
from ...stores.entries import cast, expand
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, VectorStore, column_type
from ..runtime.compile import specialized
from ..runtime.counters import EDGES, LISTED
from ..runtime.launch import BLOCK, TILES
from ..runtime.workspace import current
from .building import LINES_OF_A_BLOCK
from .operating import reduce_runs
from .radix import SMALL, Work, bits_for, sort_apart
from .rows import chunks_of

_NAMES = "mark_groups count_groups number_groups number_members pack_groups count_runs list_runs list_rows mirror"
_KERNELS = [f"{name}_kernel" for name in _NAMES.split()]
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def contracted(
    a: MatrixStore, groups: Array, monoid: TypedMonoid, symmetric: bool
) -> tuple[MatrixStore, VectorStore] | None:
    """None for values of more than a word, and for two numbers that need more bits."""
    n, entries, column_bits, dtype = a.nrows, a.nvals, bits_for(a.nrows), monoid.return_type.np_type
    if dtype.kind not in "iuf" or 2 * column_bits > 63:
        return None
    key, line = np.dtype(np.uint32 if 2 * column_bits <= 32 else np.uint64), np.dtype(column_type(n))
    work = Work(entries, 2 * column_bits, counted=entries > SMALL)
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    types = {
        "Offset": a.indptr.dtype,
        "Column": a.indices.dtype,
        "OutOffset": offset,
        "OutRow": line,
        "OutColumn": line,
    }
    types |= {"Word": np.dtype(_WORDS[dtype.itemsize]), "Key": key, "Place": work.place}
    mark, count_groups, number_groups, number_members, *rest = specialized("contract.cu", _KERNELS, types)
    pack, count_runs, list_runs, list_rows, mirror = rest
    scratch = current()
    slots, tiles = scratch.slots(), scratch.tile_sums.data.ptr
    used, numbers, parts = cupy.zeros(n, bool), cupy.empty(n, INDEX), cupy.empty(n, INDEX)
    scratch.launch(mark, n, (groups.data.ptr, n, used.data.ptr, slots.address))
    scratch.launch(count_groups, TILES, (used.data.ptr, n, tiles), 1)
    scratch.launch(number_groups, TILES, (used.data.ptr, n, tiles, numbers.data.ptr, slots.address), 1)
    scratch.launch(number_members, n, (groups.data.ptr, numbers.data.ptr, n, parts.data.ptr))
    if entries:
        keys, values = cupy.empty(entries, key), cast(a.values, dtype)
        given = (a.indptr.data.ptr, a.indices.data.ptr, parts.data.ptr, n, entries, column_bits, keys.data.ptr)
        bits, width, workspace, per_pass = work.given
        words = (*given, bits, width, workspace.data.ptr, per_pass)
        scratch.launch(pack, chunks_of(entries), words, BLOCK // 32)
        lines, columns, sums = sort_apart(keys, None if a.iso else values, bits, column_bits, line, line, work)
        out_lines, out_columns, starts = (
            cupy.empty(entries, line),
            cupy.empty(entries, line),
            cupy.empty(entries, INDEX),
        )
        pairs = (lines.data.ptr, columns.data.ptr, entries, tiles)
        scratch.launch(count_runs, TILES, pairs, 1)
        made = (out_lines.data.ptr, out_columns.data.ptr, starts.data.ptr, slots.address + 8 * LISTED)
        scratch.launch(list_runs, TILES, (*pairs, *made), 1)
    count = slots.counter().read()  # synchronizes: the result must be sized
    if slots.counter(EDGES).read():
        raise IndexOutOfBound(f"contracted: the groups of {n} columns have numbers below that")
    whole, indptr = VectorStore(n, parts), cupy.zeros(count + 1, offset)
    if not entries:
        return MatrixStore(count, count, indptr, cupy.empty(0, line), cupy.empty(0, dtype)), whole
    runs = slots.counter(LISTED).read()
    result = reduce_runs(monoid, expand(values, entries) if a.iso else sums, starts[:runs])
    scratch.launch(list_rows, count + 1, (out_lines.data.ptr, runs, count, indptr.data.ptr), LINES_OF_A_BLOCK)
    indices = out_columns[:runs]
    if symmetric and dtype.kind == "f":
        entry = (out_lines.data.ptr, indices.data.ptr, runs, result.data.ptr)
        scratch.launch(mirror, runs, (indptr.data.ptr, *entry))
    found = MatrixStore(count, count, indptr, indices.copy(), result)  # whose memory is no larger than its entries
    if symmetric:
        found._transpose = found
    return found, whole
