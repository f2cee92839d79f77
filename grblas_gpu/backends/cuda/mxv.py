"""Matrix times vector on the device: the planner's strategy, by the kernels of that name."""

from __future__ import annotations

from typing import Any

import cupy

from ..storage import INDEX, MaskView, MatrixStore, VectorStore
from . import scratch as scratch_arrays
from .masks import resolve
from .mxv_product import Product
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
    if u.nvals == 0 or len(a.indices) == 0 or allowed is None:
        return VectorStore(size, cupy.empty(0, semiring.return_type.np_type), indices=cupy.empty(0, INDEX))
    product = Product(a, u, semiring, flip, plan.early_exit)
    strategy = plan.strategy
    if strategy == "pull.edge" and (not product.can_scatter or (plan.deterministic and product.timing_matters)):
        strategy = "pull.warp"  # the same rows, added up without atomics
    scratch = scratch_arrays.current()
    try:
        if strategy.startswith("push"):
            columns = a if transposed else a.transposed()
            return push(product, columns, u, allowed, strategy, plan.deterministic, scratch)
        rows = a.transposed() if transposed else a
        return pull(product, rows, u, allowed, strategy, scratch)
    except BaseException:
        scratch_arrays.forget()
        raise
