"""The strategy of a product, without computing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..backends.interpreter.operands import matrix_store
from ..exceptions import DimensionMismatch
from ..ir import recording
from ..ir.descriptor import descriptor_from_options
from ..plan import dense_rules, rules
from ..plan.facts import matvec_facts, mxm_facts
from ..trace import records as trace
from .mask import check_mask


class Explanation(NamedTuple):
    """A strategy, its direction ("push", "pull" or "mxm"), and why it was chosen."""

    plan: rules.Plan
    count_edges: Callable[[], int] | None = None

    @property
    def strategy(self) -> str:
        return self.plan.strategy

    @property
    def direction(self) -> str:
        return self.plan.direction

    @property
    def reason(self) -> str:
        """The reason in words, formatted at the first read."""
        return self.plan.reason

    @property
    def edges(self) -> int | None:
        """The number of edges that a push checks, counted at the first read; None for a product of matrices."""
        return None if self.count_edges is None else self.count_edges()


def explain(expr: Any, mask: object = None, **options: object) -> Explanation:
    """The strategy that ``w(mask, **options) << expr`` selects for a matrix product, and why; nothing is computed.

    An algorithm whose formula depends on the direction calls this first, then passes ``direction=`` or ``strategy=``.

    Parameters
    ----------
    expr : expression
        The product to explain.
    mask : Mask, optional
        The positions to write: ``m.S``, ``m.V``, ``~m.S`` or ``~m.V``.
    **options : keywords
        Fields of a Descriptor, as in the call to explain.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector, explain, semiring
    >>> A, v = Matrix.from_dense([[1, 2], [3, 4]]), Vector.from_coo([0], [True], size=2)
    >>> plan = explain(semiring.any_pair(v @ A), policy="fraction")
    >>> plan.strategy, plan.reason, plan.edges
    ('pull.thread', '0.5 of the vertices against 0.1', 2)
    """
    if getattr(expr, "_role", None) == "infix":
        expr = expr._to_expr()
    method = getattr(expr, "method_name", None)
    if method not in ("vxm", "mxv", "mxm"):
        raise TypeError(f"explain: expected a product such as semiring.any_pair(v @ A); got {type(expr).__name__}")
    for arg in expr.args:
        recording.read("the number of entries", arg)
    view = None
    if mask is not None:
        mask = check_mask(mask, expr)
        if mask.parent.shape != expr.shape:
            raise DimensionMismatch(f"explain: mask {mask.name} has shape {mask.parent.shape}, {method} {expr.shape}")
        recording.read("the number of entries", mask.parent)
        view = mask.view()
    desc = descriptor_from_options(options)
    if method == "mxm":
        a, b = (matrix_store(arg) for arg in expr.args)
        return Explanation(dense_rules.choose(mxm_facts(expr.args[0]._engine, a, b, expr.op, view), desc))
    matrix, vector = expr.args if method == "mxv" else reversed(expr.args)
    store = matrix._matrix._store if matrix._is_transposed else matrix._store
    transposed = matrix._is_transposed == (method == "mxv")
    facts = matvec_facts(vector._engine, store, vector._store, expr.op, view, transposed, desc)
    plan = rules.choose_matvec(facts, desc)
    explanation = Explanation(plan, facts.u_edges)
    collector = trace.current()
    if collector is not None:
        collector.remember(explanation)
    return explanation
