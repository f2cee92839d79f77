"""Products, from nodes: facts about the operands, the planner's choice, the engine's strategy.

The asynchronous pull ``w<m> = u A``, enabled by ``settles_at=value``: rows that reach a final value are seen by later
rows of the same pass. The breadth-first search of Gaihre et al. (XBFS, 2019) settles two levels in one pass this way:
with the levels as operand, min as monoid and ``value`` the next level, a row that has a neighbour of the last level
reaches ``value``; one that has none, but has a neighbour settled before it, gets the level after.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ...exceptions import DimensionMismatch
from ...foundation.caches import Bounded
from ...foundation.types import DataType, Engine, TypedOperator, TypedSemiring, Value
from ...ir.descriptor import DENSE_STRATEGIES, SHAPED_STRATEGIES, Descriptor
from ...ir.node import Node
from ...ir.ops import VXM
from ...plan import dense_rules
from ...plan.facts import mxm_facts, plan_matvec
from ...plan.rules import Facts, Plan
from ...trace import records as trace
from ...trace.records import ON_HOST, Record, current, open_positions
from ..programs.monoids import keeps_order
from ..stores.entries import cast
from ..stores.matrix_storage import SPARSE
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .changes import Changes
from .operands import matrix_store

FEW_PRODUCTS = 2**16  # of sparse matrices: planning their products takes longer than the gain of the better plan
_plans: dict[Hashable, Plan] = Bounded("plans of dense or short products", 1000)


def matvec(node: Node, view: MaskView | None) -> VectorStore | None:
    """``t<mask> = M u`` with ``M`` the matrix or its transpose; ``flip`` says that the vector is the left operand.
    None: it has been accumulated into the output."""
    semiring, desc, flip = node.operator, node.descriptor, node.op is VXM
    a, u = node.operands
    if flip:
        a, u = u, a
    if node.accum is None and semiring.return_type.np_type is not node.out.dtype.np_type:
        semiring = _as_written(semiring, node.out.dtype)
    transposed = a._is_transposed
    engine, operand, store = u._engine, u._stored, (a._matrix if transposed else a)._stored
    if type(operand) is Changes or type(store) is Changes:  # `_store` without a call, for the most frequent operation
        operand, store = u._store, (a._matrix if transposed else a)._store
    transposed = transposed is not flip
    final = None
    if desc is not None:
        if desc.any_order:
            check_any_order(node)
        if desc.settles_at is not None:
            final = final_value(node, store)
        if desc.pulls_in_place:
            return pull_in_place(node, store, view, transposed, flip, final, None)
    tracing = trace.current() is not None
    plan, facts = plan_matvec(engine, store, operand, semiring, view, transposed, desc, tracing)
    if facts is not None and desc is not None and plan.bottom_up:
        if final is not None:
            result = pull_in_place(node, store, view, transposed, flip, final, facts.u_edges())
            return _remembering(result, desc, facts)
        if desc.reuse_mask and view is not None:
            operand = view.store
            facts = facts._replace(u_nvals=operand.nvals) if tracing else facts
    if tracing:
        assert facts is not None
        _record_plan(node.op.name, plan, facts, view, ON_HOST * engine.has_columns_on_host(store))
    accum = node.accum
    if accum is not None and desc is None and not node.replace and plan.strategy.startswith("pull"):
        out = node.out._store
        if out.kind != "sparse" and engine.pull_into(
            out, accum, store, operand, semiring, view, transposed=transposed, flip=flip, plan=plan
        ):
            return None
    result = engine.mxv(store, operand, semiring, view, transposed=transposed, flip=flip, plan=plan)
    return result if desc is None or facts is None else _remembering(result, desc, facts)


_written: dict[Hashable, TypedSemiring] = Bounded("semirings by type of output", 1000)


def _as_written(semiring: TypedSemiring, dtype: DataType) -> TypedSemiring:
    """``any_pair`` gives ones of any type: in the type of the output they need no cast."""
    if not semiring.cacheable:
        return semiring
    key = semiring.key, dtype.np_type
    found = _written.get(key)
    if found is None:
        finds_ones = semiring.binaryop.source == "1" and semiring.monoid.any_value
        fits = finds_ones and dtype.np_type.kind != "c" and dtype in semiring.parent.types
        found = _written[key] = semiring.parent[dtype] if fits else semiring
    return found


def _remembering(result: VectorStore, desc: Descriptor, facts: Facts) -> VectorStore:
    """The result, with the number that the rule of the next product looks back at."""
    if desc.remembers:
        result.checked = facts.u_nvals if desc.policy == "switchpoint" else facts.u_edges()
    return result


def _record_plan(name: str, plan: Plan, facts: Facts, view: MaskView | None, where: str) -> None:
    collector = trace.current()
    assert collector is not None
    collector.records.append(
        trace.Record(
            op=name,
            seconds=0.0,
            output_nvals=0,
            strategy=plan.strategy,
            reason=collector.reason_of(plan) + where,
            direction=plan.direction,
            input_nvals=facts.u_nvals,
            input_edges=facts.u_edges(),
            mask_nvals=None if view is None else view.store.nvals,
            allowed=trace.open_positions(facts.nrows, view),
        )
    )


def mxm(node: Node, view: MaskView | None) -> MatrixStore:
    semiring, (left, right), desc = node.operator, node.operands, node.descriptor
    a, b = matrix_store(left), matrix_store(right)
    engine, collector = left._engine, trace.current()
    if desc is not None:
        check_product_of_matrices(node)
    if desc is None and collector is None and engine.dense_products:
        return engine.mxm(a, b, semiring, view, plan=_known_plan(engine, a, b, semiring, view))
    facts = mxm_facts(engine, a, b, semiring, view)
    plan = dense_rules.choose(facts, desc)
    if collector is not None:
        where = ON_HOST * any(map(engine.has_columns_on_host, (a, b)))
        known = (plan.strategy, plan.reason + where, plan.direction, a.nvals)
        collector.records.append(trace.Record("mxm", 0.0, 0, *known, mask_nvals=facts.mask_nvals))
    return engine.mxm(a, b, semiring, view, plan=plan)


def _known_plan(engine: Engine, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, view: MaskView | None) -> Plan:
    """The planner's choice without options. For a dense factor that the strategy reads by rows it depends on forms and
    sizes only, and for a few products it matters little: it is cached, since small products are often repeated."""
    x, y = a.stored_values, b.stored_values
    mask = None if view is None else (view.store.form, view.store.known_nvals, view.structure, view.complement)
    sizes = (a.nrows, a.ncols, b.ncols, a.nvals, b.nvals)
    key = (engine.name, semiring.key, a.form, b.form, x.dtype, y.dtype, len(x) == 1, len(y) == 1, sizes, mask)
    plan = _plans.get(key)
    if plan is None:
        plan = dense_rules.choose(mxm_facts(engine, a, b, semiring, view))
        by_sizes = view is None and plan.strategy in DENSE_STRATEGIES and not a.form == b.form == SPARSE
        if by_sizes or (a.nvals * b.nvals <= FEW_PRODUCTS and plan.strategy not in SHAPED_STRATEGIES):
            _plans[key] = plan
    return plan


def inner(node: Node, view: MaskView | None) -> Value | None:
    u, v = node.operands
    return u._engine.inner(u._store, v._store, node.operator)


def outer(node: Node, view: MaskView | None) -> MatrixStore:
    u, v = node.operands
    return u._engine.outer(u._store, v._store, node.operator)


def kronecker(node: Node, view: MaskView | None) -> MatrixStore:
    a, b = node.operands
    return a._engine.kronecker(matrix_store(a), matrix_store(b), binary_of(node.operator))


def power(node: Node, view: MaskView | None) -> MatrixStore:
    """``A^n`` by repeated squaring; ``A^0`` is the identity matrix of the semiring."""
    a, n = node.operands
    engine, semiring = a._engine, node.operator
    base = matrix_store(a)
    if n == 0:
        identity = semiring.binaryop.monoid.identity
        ones = VectorStore(base.nrows, engine.array([identity], semiring.return_type.np_type))
        return engine.diagonal_matrix(ones, 0)
    result: Any = None
    while True:
        if n & 1:
            result = base if result is None else _multiply(engine, result, base, semiring)
        n >>= 1
        if not n:
            return result.copy() if result is matrix_store(a) else result
        base = _multiply(engine, base, base, semiring)


def _multiply(engine: Engine, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> MatrixStore:
    plan = dense_rules.choose(mxm_facts(engine, a, b, semiring, None))
    return engine.mxm(a, b, semiring, None, plan=plan)


def binary_of(op: TypedOperator) -> TypedOperator:
    """The binary operator of a monoid, or the operator itself."""
    return op.binaryop if op.opclass == "Monoid" else op


def final_value(node: Node, a: MatrixStore) -> Value:
    """The value at which rows settle, in the type of the result; raises if the product does not support it."""
    name, semiring = node.op.name, node.operator
    assert node.descriptor is not None
    value = node.descriptor.final
    if a.nrows != a.ncols:
        raise DimensionMismatch(
            f"{name}: settles_at lets rows of the result be part of the operand, so the matrix must be square; "
            f"its shape is {(a.nrows, a.ncols)}"
        )
    given = np.asarray([value])
    final = cast(given, semiring.return_type.np_type)
    if final[0] != given[0]:
        raise ValueError(f"{name}: settles_at={value!r} is no value of type {semiring.return_type}")
    if semiring.monoid.binaryop.numpy(final, final)[0] != final[0]:
        raise ValueError(f"{name}: settles_at needs a monoid that picks one of its operands; {semiring.monoid} adds up")
    return final[0]


def check_any_order(node: Node) -> None:
    """Raise if a product depends on the order in which edges are followed; single products have no order."""
    if not keeps_order(node.operator):
        raise ValueError(
            f"{node.op.name}: any_order=True needs a monoid that takes the least or the largest, and an operator that "
            f"keeps that order (min_plus, max_min); {node.operator} is none such"
        )


def check_product_of_matrices(node: Node) -> None:
    """Raise if options of a product of matrices apply to products with vectors only."""
    desc = node.descriptor
    assert desc is not None
    if desc.settles_at is not None:
        raise ValueError(
            f"{node.op.name}: settles_at lets rows of a product with a vector see each other's results; a product of "
            "matrices has no such pass: leave it out, or multiply the rows one by one"
        )
    if desc.any_order:
        check_any_order(node)


def pull_in_place(
    node: Node, a: MatrixStore, view: MaskView | None, transposed: bool, flip: bool, final: object, edges: int | None
) -> VectorStore:
    """Run it on the engine; the trace gets the edges of the operand if a rule has counted them."""
    u = node.operands[0 if flip else 1]
    plan = Plan("pull.compact", f"in place: rows that reach {final} are visible at once")
    collector = current()
    if collector is not None:
        mask_nvals = None if view is None else view.store.nvals
        record = Record(node.op.name, 0.0, 0, plan.strategy, plan.reason, "pull", u._store.nvals, mask_nvals=mask_nvals)
        record.allowed = open_positions(a.nrows, view)
        record.input_edges = edges
        collector.records.append(record)
    return u._engine.pull_in_place(
        a, u._store, node.operator, view, transposed=transposed, flip=flip, plan=plan, final=final
    )
