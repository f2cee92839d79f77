"""Matrix times matrix: Gustavson's method row by row, dot products at the positions of a mask, and diagonals."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ...foundation.types import Plan, TypedSemiring
from ...ir.descriptor import DENSE_STRATEGIES
from ...plan.storage_rules import DENSE_LIMIT
from ..engine import Declined
from ..forms import dense_products
from ..machine.memory_limits import check_entries, check_positions
from ..stores.entries import allowed, cast, expand, matrix_keys
from ..stores.matrix_forms import flat
from ..stores.matrix_storage import FULL, SPARSE
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore, column_type
from ..stores.vector_storage import shortened
from . import buffers, ewise, mxm_source as text, pool
from .masks import BYTES, BYTES_COMPLEMENT, NO_MASK, NOTHING
from .mxv_call import Call, prepared
from .parallel import PARALLEL_WORK, Chunks, edge_chunks, lengths
from .spmm import DenseKernels, times_full
from .spread import spread
from .tier import KernelTable

MANY = 2**24  # positions of a dense result from which free memory is checked
FEW = 8  # positions of a dense mask per product: with more, the mask is not listed
EVEN = 4  # rows of up to so many times the mean number of entries count as equal
COPIED_BYTES = 2**28  # values of a result that may temporarily exist twice

_table = KernelTable()


def mxm(
    a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan
) -> MatrixStore | None:
    """The product with sorted rows, or None when the definitions should compute it."""
    if not _table.enabled:
        return None
    if plan.strategy == "mxm.scale" and mask is None:
        with suppress(Declined):
            if (found := scaled(a, b, semiring)) is not None:
                return found
    if a.nvals == 0 or b.nvals == 0:
        return MatrixStore.empty(a.nrows, b.ncols, semiring.return_type.np_type)
    if plan.strategy in DENSE_STRATEGIES:
        if a.nrows * b.ncols > MANY:
            check_positions(
                a.nrows, b.ncols, 1 if plan.strategy == "mxm.bits" else 1 + semiring.return_type.np_type.itemsize
            )
        if mask is None and b.form == FULL and a.dense is None and plan.strategy == "mxm.spmm":
            dense = times_full(a, b.dense, b.ncols, semiring, False, plan.early_exit)
            return None if dense is None else dense_products.result(a.nrows, b.ncols, *dense)
        return dense_products.multiply(DenseKernels(), a, b, semiring, mask, plan)
    if mask is None and b.form == FULL:  # too large to be dense: a list of its entries
        filled = a.nrows if a.form == FULL else a.filled_rows
        check_entries(filled * b.ncols, semiring.return_type.np_type.itemsize)
    if max(a.ncols, b.ncols) > max(DENSE_LIMIT, a.nvals, b.nvals):
        return None  # no scratch of such a length for a few entries
    call = prepared(a.values, b.values, semiring, False, plan.early_exit)
    if mask is not None and plan.strategy == "mxm.gustavson" and _is_cheaper_than_listing(a, b, mask.store):
        unmasked = _gustavson(a, b, call, NO_MASK, None)
        return _where_flagged(unmasked, mask.store, mask)
    kind, pattern = resolve(mask)
    if kind == NOTHING:
        return MatrixStore.empty(a.nrows, b.ncols, semiring.return_type.np_type)
    if plan.strategy == "mxm.masked_dot" and kind == BYTES:
        return _masked_dot(a, b.transposed(), call, pattern)
    return _gustavson(a, b, call, kind, pattern)


def resolve(mask: MaskView | None) -> tuple[int, MatrixStore | None]:
    """The open positions of a matrix mask, as a pattern whose entries all count."""
    if mask is None:
        return NO_MASK, None
    store = mask.store
    assert type(store) is MatrixStore
    if not mask.structure:
        if len(store.values) == 1:
            if not store.values[0]:
                return (NO_MASK, None) if mask.complement else (NOTHING, None)
        else:
            store = _filtered(store, store.values != 0, np.ones(1, bool))
    if len(store.indices) == 0:
        return (NO_MASK, None) if mask.complement else (NOTHING, None)
    return (BYTES_COMPLEMENT if mask.complement else BYTES), store


def _filtered(store: MatrixStore, keep: Array, values: Array) -> MatrixStore:
    """The entries marked by ``keep``, with these values."""
    kept = np.zeros(len(keep) + 1, INDEX)
    np.cumsum(keep, out=kept[1:])
    return MatrixStore(store.nrows, store.ncols, kept[store.indptr], store.indices[keep], values)


def _is_cheaper_than_listing(a: MatrixStore, b: MatrixStore, mask: Any) -> bool:
    """Whether there are few products for the positions of a dense mask: reading a flag for each is then cheap."""
    if mask.dense is None:
        return False
    return int(lengths(b.indptr)[a.indices].sum()) * FEW <= mask.nrows * mask.ncols


def _where_flagged(t: MatrixStore, flags: Any, mask: MaskView) -> MatrixStore:
    """The entries where a dense mask, which has these flags, is open."""
    keep = allowed(MaskView(flat(flags), mask.structure, mask.complement), matrix_keys(t))
    return _filtered(t, keep, t.values[: int(keep.any())] if t.iso else t.values[keep])


def _gustavson(a: MatrixStore, b: MatrixStore, call: Call, kind: int, pattern: MatrixStore | None) -> MatrixStore:
    mask = () if pattern is None else (pattern.indptr, pattern.indices)
    types = (a.indices.dtype.char, b.indices.dtype.char, "" if pattern is None else pattern.indices.dtype.char)
    work = len(a.indices) * (1 + len(b.indices) // max(1, b.nrows))
    structure = ("structure", kind, *types), work, lambda: text.structure(kind)
    whole = ("whole", kind, call.key, *types), work, lambda: text.whole(_terms(call), kind)
    kernel = _table.find(*(structure if call.constant is not None else whole))
    before = _table.also(("before", types[0], kind == BYTES), work, lambda: text.before(kind == BYTES))
    products, room = np.empty(a.nrows + 1, INDEX), np.empty(a.nrows + 1, INDEX)
    before(a.indptr, a.indices, b.indptr, *mask[: kind == BYTES], b.ncols, products, room)
    dtype, index_type = call.semiring.return_type.np_type, column_type(b.ncols)
    valued = call.constant is None
    if valued and int(room[-1]) * dtype.itemsize > COPIED_BYTES:  # values follow, in their place
        valued, kernel = False, _table.also(*structure)
    matrices = (a.indptr, a.indices, b.indptr, b.indices)
    given = (*matrices, *(call.value_arguments(a.values, b.values) if valued else ()), *mask, products)
    indptr = np.zeros(a.nrows + 1, INDEX)

    def make(part: tuple[int, int]) -> list[Array]:
        lo, hi = part
        space = int(room[hi] - room[lo]) + 1
        stamps, made = np.zeros(b.ncols, np.int32), [buffers.empty(space, index_type)]
        values: tuple[Array, ...] = ()
        if valued:
            made.append(buffers.empty(space, dtype))
            values = np.empty(b.ncols, dtype), made[1]
        n = kernel(*given, stamps, *values, made[0], indptr, lo, hi)
        return [shortened(each, n) for each in made]

    parts = edge_chunks(products, 4) if products[-1] > PARALLEL_WORK else [(0, a.nrows)]
    pieces = pool.run(make, parts)
    for lo, hi in parts[1:]:
        indptr[lo + 1 : hi + 1] += indptr[lo]
    found = [buffers.joined(column) for column in zip(*pieces, strict=True)]
    indices = found[0]
    if valued:
        values = found[1]
    elif call.constant is not None:
        values = call.constant.copy() if len(indices) else call.constant[:0]
    else:
        values = _numeric(a, b, call, indptr, indices, parts)
    return MatrixStore(a.nrows, b.ncols, indptr, indices, values)


def _numeric(a: MatrixStore, b: MatrixStore, call: Call, indptr: Array, indices: Array, parts: Chunks) -> Array:
    """The values at the positions of a pattern."""
    key = ("numeric", call.key, a.indices.dtype.char, b.indices.dtype.char)
    numeric = _table.also(key, len(indices), lambda: text.numeric(_terms(call)))
    dtype = call.semiring.return_type.np_type
    values = buffers.empty(len(indices), dtype)
    given = (a.indptr, a.indices, b.indptr, b.indices, *call.value_arguments(a.values, b.values), indptr, indices)

    def fill(part: tuple[int, int]) -> None:
        numeric(*given, np.zeros(b.ncols, np.int32), np.empty(b.ncols, dtype), values, *part)

    pool.run(fill, parts)
    return values


def _terms(call: Call) -> Any:
    terms = call.added
    assert terms is not None
    return terms


def _dot_chunks(a: MatrixStore, b: MatrixStore, pattern: MatrixStore) -> Chunks:
    """Rows of the mask for the threads: by the entries of b's rows that dot products read there."""
    if b.max_degree * b.nrows <= EVEN * b.nvals:  # they are all alike
        work = len(pattern.indices) * b.nvals // max(1, b.nrows)
        return edge_chunks(pattern.indptr) if work > PARALLEL_WORK else [(0, pattern.nrows)]
    most = np.repeat(text.FAR_LONGER * lengths(a.indptr), lengths(pattern.indptr))
    reads = np.zeros(len(pattern.indices) + 1, INDEX)
    np.cumsum(np.minimum(lengths(b.indptr)[pattern.indices], most), out=reads[1:])
    return edge_chunks(reads[pattern.indptr]) if reads[-1] > PARALLEL_WORK else [(0, pattern.nrows)]


def _masked_dot(a: MatrixStore, b: MatrixStore, call: Call, pattern: MatrixStore | None) -> MatrixStore | None:
    """``b`` is the transpose of the second factor."""
    assert pattern is not None
    types = (a.indices.dtype.char, b.indices.dtype.char, pattern.indices.dtype.char)
    work = len(pattern.indices) * (len(b.indices) // max(1, b.nrows) + 1)
    kernel = _table.find(("dot", call.key, *types), work, lambda: text.masked_dot(call.added))
    parts = _dot_chunks(a, b, pattern)
    present = np.zeros(len(pattern.indices), bool)
    dtype = call.semiring.return_type.np_type
    values = np.empty(len(present), dtype) if call.constant is None else call.constant
    out = (present,) if call.constant is not None else (present, values)
    operands = call.value_arguments(a.values, b.values)
    matrices = (a.indptr, a.indices, b.indptr, b.indices, *operands, pattern.indptr, pattern.indices)

    def run(part: tuple[int, int]) -> None:
        kernel(*matrices, np.zeros(a.ncols, np.int32), *out, *part)

    pool.run(run, parts)
    if not present.any():
        return MatrixStore.empty(a.nrows, b.nrows, dtype)
    found = _filtered(pattern, present, values[present] if call.constant is None else call.constant.copy())
    found.indices = found.indices.astype(column_type(b.nrows), copy=False)
    return found


_NUMBERS = "biuf"


def shaped_product(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, masked: bool) -> tuple[str, str] | None:
    """A product with a diagonal without gaps scales: every entry of the other factor makes a product."""
    plain = a.form == b.form == SPARSE and semiring.binaryop.positional is None
    numbers = all(dtype.kind in _NUMBERS for dtype in (semiring.return_type.np_type, a.dtype, b.dtype))
    is_scaling = plain and numbers and not masked and (a.is_diagonal or b.is_diagonal)
    return ("mxm.scale", "a factor is a diagonal") if is_scaling else None


def scaled(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> MatrixStore | None:
    """``t[i, j] = mult(a[i, i], b[i, j])``, or ``mult(a[i, j], b[j, j])``; or None for other methods."""
    rows = a.is_diagonal
    diagonal, other = (a, b) if rows else (b, a)
    numbers = np.ascontiguousarray(expand(diagonal.values, diagonal.nrows))
    factors = spread(VectorStore(diagonal.nrows, numbers), other.nrows, other.ncols, rows, other)
    if factors is None:
        return None
    left, right = (factors, other) if rows else (other, factors)
    found = ewise.ewise_mult(left, right, semiring.binaryop)
    if found is None:
        return None
    values = cast(found.values, semiring.return_type.np_type)
    return MatrixStore(found.nrows, found.ncols, found.indptr, found.indices, values)
