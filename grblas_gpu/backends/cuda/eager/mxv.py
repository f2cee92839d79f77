"""Matrix times vector on the device: the planner's strategy, by the kernel of that name. Pushes are in ``mxv_push.py``.

In a pull every row of the result that the mask allows looks for its products.
"""

from __future__ import annotations

from typing import Any

import cupy

from ...programs.monoids import is_idempotent
from ...programs.reading import EACH
from ...protocol import Backend
from ...reference import Definitions
from ...stores.matrix_storage import HYPERSPARSE
from ...stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list
from ..runtime.compile import constant, functions, using
from ..runtime.counters import EDGES, LISTED, Slots
from ..runtime.launch import BLOCK, launch
from ..runtime.workspace import Scratch
from . import (
    matrix_facts,  # noqa: F401  what stores ask about matrices
    mxv_asynchronous,
    vectors,
)
from .collect import collect
from .masks import KEPT_FLAGS, NO_MASK, VectorMask, address, as_flags, clear, flags_of, list_of, mark, resolve
from .mxv_balanced import pull_balanced, suits
from .mxv_product import Product, index_key, native_atomic, product_of
from .mxv_push import push
from .mxv_results import dense_result, fresh_sums

_by_swapping: dict[Any, bool] = {}  # by monoid
ATOMIC = ("push.scatter", "push.scan", "pull.edge")  # add up in any order
_FLAGS = constant("LISTED_ROWS", False), constant("LISTED_RESULT", False)
_BY = {f"pull.{name}": (constant("BY", at), *_FLAGS) for at, name in enumerate(("thread", "warp", "hybrid"))}
_COMPACT = {
    listed: (constant("BY", 2), constant("LISTED_ROWS", True), constant("LISTED_RESULT", listed))
    for listed in (False, True)
}
_ROWS_PER_BLOCK = {"pull.thread": BLOCK, "pull.warp": BLOCK // 32, "pull.hybrid": BLOCK}


class VectorProducts(Backend):
    """The engine's products of a matrix and a vector."""

    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: Any,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Any,
    ) -> VectorStore:
        """``t[i] = add_k mult(m[i, k], u[k])`` with ``m = a'`` if transposed; operands of mult swapped if ``flip``."""
        if a.form == HYPERSPARSE or a.ncols > vectors.MOST_DENSE:
            return Definitions.mxv(self, a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        return _mxv(a, u, semiring, mask, transposed, flip, plan)

    def compares_and_swaps(self, monoid: Any) -> bool:
        found = _by_swapping.get(monoid.key)
        if found is None:
            keeps = monoid.any_value or is_idempotent(monoid)  # hardly any product changes a sum
            found = _by_swapping[monoid.key] = not keeps and not native_atomic(monoid, monoid.return_type.np_type)
        return found

    def pull_in_place(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: Any,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Any,
        final: Any,
    ) -> VectorStore:
        if u.size > vectors.MOST_DENSE:
            return Definitions.pull_in_place(
                self, a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan, final=final
            )
        return mxv_asynchronous.pull_in_place(a, u, semiring, mask, transposed=transposed, flip=flip, final=final)

    def count_edges(self, columns: MatrixStore, u: VectorStore) -> int:
        return vectors.count_edges(columns, u)


def _mxv(
    a: MatrixStore, u: VectorStore, semiring: Any, mask: MaskView | None, transposed: bool, flip: bool, plan: Any
) -> VectorStore:
    """The product of a matrix that has row offsets and a vector that may be dense."""
    size = a.ncols if transposed else a.nrows
    allowed = resolve(mask)
    if u.known_nvals == 0 or len(a.indices) == 0 or allowed is None:
        return empty_list(size, semiring.return_type.np_type)
    strategy = plan.strategy
    product = product_of(a, u, semiring, flip, plan.early_exit)
    balanced = strategy == "pull.edge" and suits(product, a, u, allowed)
    if plan.deterministic and product.order_dependent and strategy in ATOMIC and not balanced:
        raise ValueError(f"strategy={strategy!r} adds up in no fixed order here: not with deterministic=True")
    scratch = scratch_arrays.current()
    # A traversal multiplies the result with the same matrix again: count its edges while we are at it.
    columns = a if transposed else a._transpose
    following = columns.indptr if columns is not None and a.nrows == a.ncols else None
    if strategy.startswith("push"):
        columns = a if transposed else a.transposed()
        return push(product, columns, u, allowed, strategy, following, scratch)
    rows = a.transposed() if transposed else a
    if balanced:
        return pull_balanced(product, rows, u, following, scratch)
    return pull(product, rows, u, allowed, strategy, following, scratch)


def pull(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    scratch: Scratch,
) -> VectorStore:
    """``following``: the offsets of the matrix that the result is likely to be multiplied with next."""
    vector, listed = _as_dense(product, u, scratch)
    slots = scratch.slots()
    if strategy == "pull.compact":
        result = _pull_compact(product, m, u, vector, mask, following, slots, scratch)
    else:
        flags = as_flags(mask, scratch, m.nrows)
        run = _pull_edge if strategy == "pull.edge" else _pull_rows
        result = run(product, m, u, vector, flags, strategy, following, slots, scratch)
        clear(mask, scratch, m.nrows)
    if listed is not None:
        mark(listed, vector[0], False)
    if following is not None:
        result.edges = following, slots.published(EDGES)
    return result


def _listed(mask: VectorMask) -> bool:
    return mask.indices is not None and not mask.complement


def _as_dense(product: Product, u: VectorStore, scratch: Scratch) -> tuple[tuple[Any, Any], VectorMask | None]:
    """Flags and values of the vector by position; a list spread out in the scratch is returned, to be cleared."""
    if u.kind != "sparse":
        return (u.present, u.values), None
    indices, values, length, count_at = list_of(u)
    if product.second != EACH and u.size <= KEPT_FLAGS:
        return (flags_of(u), values), None
    listed = VectorMask(indices=indices, length=length, count_at=count_at)
    flags = scratch.flags("vector", u.size)
    if product.second != EACH:
        mark(listed, flags)
        return (flags, values), listed
    dense = scratch.values("vector", values.dtype, u.size)
    each = VectorMask(values=values)  # only names the type
    (kernel,) = functions("marks.cu", ("spread", each.key), ["spread_kernel"], each.pieces)
    launch(kernel, length, (indices, count_at, length, flags, values, dense))
    return (flags, dense), listed


def _kernel(
    file: str, name: str, product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask, *more: str
) -> Any:
    full = u.kind == "full"
    (kernel,) = functions(
        file,
        (product.key, index_key(m), full, mask.key, more),
        [name],
        lambda: [*product.pieces(m), constant("FULL", full), *mask.pieces(), *more],
    )
    return kernel


def _operands(m: MatrixStore, vector: tuple[Array | None, Array], mask: VectorMask) -> tuple[int, ...]:
    present, values = vector
    matrix = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr)
    return *matrix, address(present), values.data.ptr, *mask.addresses


def _pull_rows(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    kernel = _kernel("pull_rows.cu", "pull_rows_kernel", product, m, u, mask, *_BY[strategy])
    nrows = m.nrows
    result = Result(nrows, product.dtype, product.structure)
    outputs = (0, 0, nrows, 0, *result.addresses, address(following), slots.address, slots.host)
    scratch.launch(kernel, nrows, (*_operands(m, vector, mask), *outputs), _ROWS_PER_BLOCK[strategy])
    return result.store(slots)


def _pull_edge(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    row_ids = m.row_ids
    kernel = _kernel("pull_edge.cu", "pull_edge_kernel", product, m, u, mask, using("RowId", row_ids.dtype))
    present, values = fresh_sums(product, m.nrows)
    walk = (row_ids.data.ptr, m.nvals)
    outputs = (present.data.ptr, values.data.ptr, address(following), slots.address, slots.host)
    scratch.launch(kernel, m.nvals, (*_operands(m, vector, mask), *walk, *outputs))
    return dense_result(m.nrows, present, values, slots)


def _pull_compact(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    listed = _listed(mask)
    found = present = None
    if listed:  # the mask's own list: the result is a list of at most that length
        rows, row_count, count_at = mask.indices, mask.length, mask.count_at
        each = mask._replace(indices=None)
        found, length = cupy.empty(row_count, INDEX), row_count
    else:
        flags = as_flags(mask, scratch, m.nrows)
        rows, row_count, count_at = cupy.empty(m.nrows, INDEX), m.nrows, slots.address + 8 * LISTED
        collect(flags, m.nrows, rows, scratch, count_at)
        clear(mask, scratch, m.nrows)
        each = NO_MASK
        present, length = cupy.zeros(m.nrows, bool), m.nrows
    kernel = _kernel("pull_rows.cu", "pull_rows_kernel", product, m, u, each, *_COMPACT[listed])
    values = cupy.empty(1 if product.structure else length, product.dtype)
    walk = (address(rows), count_at, row_count)
    outputs = (address(found), address(present), values.data.ptr, address(following), slots.address, slots.host)
    scratch.launch(kernel, row_count, (*_operands(m, vector, each), *walk, *outputs))
    if present is not None:
        return dense_result(m.nrows, present, values, slots)
    return VectorStore.counted_list(m.nrows, values, found, slots.published())
