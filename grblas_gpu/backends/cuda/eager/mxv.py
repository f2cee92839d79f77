"""Matrix times vector on the device: the planner's strategy, by the kernels of that name."""

from __future__ import annotations

from typing import Any

from ...storage import MaskView, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list
from . import matrix_facts  # noqa: F401  what stores ask about matrices
from .masks import resolve
from .mxv_product import product_of
from .mxv_pull import pull
from .mxv_push import push


def mxv(
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
    size = a.ncols if transposed else a.nrows
    allowed = resolve(mask)
    if u.known_nvals == 0 or len(a.indices) == 0 or allowed is None:
        return empty_list(size, semiring.return_type.np_type)
    product = product_of(a, u, semiring, flip, plan.early_exit)
    strategy = plan.strategy
    if strategy == "pull.edge" and (not product.can_scatter or (plan.deterministic and product.order_dependent)):
        strategy = "pull.warp"  # the same rows, added up without atomics
    scratch = scratch_arrays.current()
    # A traversal multiplies the result with the same matrix again: count its edges while we are at it.
    columns = a if transposed else a._transpose
    following = columns.indptr if columns is not None and a.nrows == a.ncols else None
    try:
        if strategy.startswith("push"):
            columns = a if transposed else a.transposed()
            return push(product, columns, u, allowed, strategy, plan.deterministic, following, scratch)
        rows = a.transposed() if transposed else a
        return pull(product, rows, u, allowed, strategy, following, scratch)
    except BaseException:
        scratch_arrays.forget()
        raise
