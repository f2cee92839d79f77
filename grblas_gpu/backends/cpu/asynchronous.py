"""The asynchronous pull, in place: operand and result share their arrays, and settled rows are seen at once.

Open rows are listed, and the list is processed in waves of chunks, one chunk per thread at a time. A row sees the rows
that its own chunk settled before it, and those that earlier waves settled. So no thread reads values that another one
may be writing, and the result is the same in every run with the same number of threads.
"""

from __future__ import annotations

from functools import partial
from textwrap import indent
from typing import Any

import numpy as np

from ...foundation.types import Plan, TypedSemiring, Value
from ..programs.reading import UNUSED, Reading, Values
from ..stores.entries import expand
from ..stores.storage import MaskView, MatrixStore, VectorStore
from . import pool
from .compile import Kernel, Source
from .mxv_call import prepared
from .mxv_push import average_degree
from .mxv_source import Body
from .parallel import PARALLEL_WORK, even_chunks
from .tier import KernelTable

OPEN, GIVEN, SETTLED, FOUND = range(4)  # status of a row; other rows may use SETTLED, but not FOUND ones
WAVES = 8  # more of them make more rows visible, and more often wait for the slowest thread

_table = KernelTable()


def pull_in_place(
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    mask: MaskView | None,
    *,
    transposed: bool,
    flip: bool,
    plan: Plan,
    final: Value,
) -> VectorStore | None:
    """The result, or None for the definition to compute it: the kernel's rows are not open and in ``u`` at once."""
    searches = mask is not None and mask.complement and mask.structure
    if not searches or not _table.enabled or u.nvals == 0 or a.nvals == 0 or u.nvals == u.size:
        return None
    call = prepared(a.values, u.values, semiring, flip, False)
    if call.second == UNUSED or u.dtype != semiring.return_type.np_type:
        return None
    m = a.transposed() if transposed else a
    reading = Reading(semiring, Values.of(a.values), Values(u.dtype, False), flip, False)
    # The final value is an argument: one kernel serves every level of a search.
    key = (semiring.key, flip, a.values.dtype.char, call.first, u.dtype.char, m.indices.dtype.char)
    kernel = _table.find(key, m.nvals, lambda: _source(reading))
    status = np.zeros(u.size, np.uint8)
    values = np.zeros(u.size, u.dtype)
    if u.indices is not None:
        status[u.indices] = GIVEN
        values[u.indices] = u.values
    else:
        assert u.present is not None
        status[u.present] = GIVEN
        np.copyto(values, expand(u.values, u.size), where=u.present)
    open_rows = status == OPEN
    if mask is not None and mask.store is not u:
        open_rows = _without(mask.store, u.size)
        if np.any(status[open_rows] == GIVEN):
            return None
    rows = np.flatnonzero(open_rows)
    matrix_values = () if call.first == UNUSED else (m.values,)
    arguments = (m.indptr, m.indices, *matrix_values, values, status, rows, np.array([final], u.dtype))
    if len(rows) * average_degree(m) < PARALLEL_WORK or pool.threads() == 1:
        count = kernel(*arguments, 0, 0, len(rows))
    else:
        count, together = 0, pool.threads()
        chunks = even_chunks(len(rows), WAVES)
        for wave in (chunks[start : start + together] for start in range(0, len(chunks), together)):
            done = wave[0][0]  # rows listed before this are settled, or will not be in this pass
            count += sum(pool.run(partial(_run_chunk, kernel, arguments, done), wave))
    present = status >= SETTLED
    return VectorStore(u.size, values, present=present, nvals=count)


def _without(store: Any, size: int) -> np.ndarray:
    """True where a vector has no entry."""
    if store.kind == "sparse":
        gaps = np.ones(size, bool)
        gaps[store.indices] = False
        return gaps
    return np.zeros(size, bool) if store.present is None else ~store.present


def _run_chunk(kernel: Kernel, arguments: tuple, done: int, chunk: tuple[int, int]) -> int:
    return kernel(*arguments, done, *chunk)


def _source(reading: Reading) -> Source:
    """Rows listed at ``lo`` to ``hi``; those listed before ``done`` are done. Returns how many got a value."""
    body = Body(reading, "k")
    combine = body.product + f"if found:\n    acc = {body.sum}\nelse:\n    acc = z\n    found = True\n"
    combine += "if acc == final[0]:\n    break\n"
    return body.finish(
        f"def kernel(indptr, indices{body.arguments}, status, rows, final, done, lo, hi):\n    count = 0\n"
        f"{body.prologue}"
        "    before = U(rows[done]) if done < len(rows) else U(0)\n"
        "    first = U(rows[lo]) if lo < hi else U(0)\n    last = U(rows[hi - 1]) if lo < hi else U(0)\n"
        "    for t in range(U(lo), U(hi)):\n        i = U(rows[t])\n        found = False\n"
        f"        acc = {body.zero}\n"
        "        for p in range(U(indptr[i]), U(indptr[i + U(1)])):\n            k = U(indices[p])\n"
        "            state = status[k]\n"
        f"            if state == {GIVEN} or (state == {SETTLED} and (k < before or (first <= k and k <= last))):\n"
        + indent(combine, " " * 16)
        + "        if found:\n            u_values[i] = acc\n"
        f"            status[i] = {SETTLED} if acc == final[0] else {FOUND}\n            count += 1\n"
        "    return count\n"
    )
