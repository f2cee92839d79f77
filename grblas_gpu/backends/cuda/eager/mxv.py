"""Matrix times vector on the device: the planner's strategy, by the kernels of that name (``mxv_*.py``)."""

from __future__ import annotations

from collections.abc import Hashable

from ....foundation.types import Plan, TypedMonoid, TypedSemiring
from ...programs.monoids import is_idempotent
from ...protocol import Backend
from ...reference import Definitions
from ...stores.matrix_storage import HYPERSPARSE
from ...stores.storage import MaskView, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list
from ..runtime.counters import EDGES
from . import (
    matrix_facts,  # noqa: F401  what stores ask about matrices
    mxv_pull,
    vectors,
)
from .masks import as_flags, clear, resolve
from .mxv_balanced import pull_balanced, suits
from .mxv_product import Job, native_atomic, product_of
from .mxv_push import push

_by_swapping: dict[Hashable, bool] = {}  # by monoid
ATOMIC = ("push.scatter", "push.scan", "pull.edge")  # add up in any order


class VectorProducts(Backend):
    """The engine's products of a matrix and a vector."""

    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
    ) -> VectorStore:
        """``t[i] = add_k mult(m[i, k], u[k])`` with ``m = a'`` if transposed; operands of mult swapped if ``flip``."""
        if a.form == HYPERSPARSE or a.ncols > vectors.MOST_DENSE:
            return Definitions.mxv(self, a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)
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
        pushes = strategy.startswith("push")
        m = a if pushes == transposed else a.transposed()
        listed = allowed.indices is not None and strategy != "pull.compact"  # which lists the rows itself
        flags = as_flags(allowed, scratch, size) if listed else allowed
        job = Job(product, m, u, flags, following, scratch.slots(), scratch)
        if balanced:
            result = pull_balanced(job)
        else:
            result = push(job, strategy) if pushes else mxv_pull.pull(job, strategy)
        if listed:
            clear(allowed, scratch, size)
        if following is not None and strategy != "push.sort":
            result.edges = following, job.slots.published(EDGES)
        return result

    def compares_and_swaps(self, monoid: TypedMonoid) -> bool:
        found = _by_swapping.get(monoid.key)
        if found is None:
            keeps = monoid.any_value or is_idempotent(monoid)  # hardly any product changes a sum
            found = _by_swapping[monoid.key] = not keeps and not native_atomic(monoid, monoid.return_type.np_type)
        return found
