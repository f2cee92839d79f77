"""How each kind of expression computes its store: ``run(expr, mask_view, desc)``. Inputs are read, never changed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..ir.descriptor import Descriptor
from ..plan import rules as planner
from ..plan.rules import Facts, Plan
from ..trace import records as trace
from .asynchronous import pull_in_place
from .storage import MaskView, MatrixStore, VectorStore


def matrix_store(a: Any) -> MatrixStore:
    """The store of a Matrix, or the (cached) transpose for ``A.T``."""
    return a._matrix._store.transposed() if a._is_transposed else a._store


# --------------------------------------------------------------------------------------------------------------
# Products


def run_mxv(expr: Any, view: MaskView | None, desc: Descriptor | None) -> VectorStore:
    a, u = expr.args
    return _matvec("mxv", a, u, expr.op, view, a._is_transposed, False, desc)


def run_vxm(expr: Any, view: MaskView | None, desc: Descriptor | None) -> VectorStore:
    u, a = expr.args
    return _matvec("vxm", a, u, expr.op, view, not a._is_transposed, True, desc)


def _matvec(
    name: str,
    a: Any,
    u: Any,
    semiring: Any,
    view: MaskView | None,
    transposed: bool,
    flip: bool,
    desc: Descriptor | None,
) -> VectorStore:
    store = a._matrix._store if a._is_transposed else a._store
    operand = u._store
    if desc is not None and desc.settles_at is not None:
        return pull_in_place(name, store, u, semiring, view, transposed, flip, desc.settles_at)
    tracing = trace.current() is not None
    if desc is None and not tracing and store.nvals <= planner.SMALL_EDGES:
        plan = planner.SMALL_PUSH
    elif desc is not None and desc.strategy is not None and not tracing:  # nothing to decide
        plan = planner.chosen(desc)
    elif (desc is None or desc.plain) and not tracing and few_edges(u._engine, store, operand, view, transposed):
        plan = planner.CHEAP_PUSH
    else:
        facts = matvec_facts(u._engine, store, operand, semiring, view, transposed, desc)
        if desc is not None and desc.remembers:
            facts = facts._replace(edges_before=operand.checked, u_edges=cache(facts.u_edges))
        plan = planner.choose_matvec(facts, desc)
        reuses = desc is not None and desc.reuse_mask and view is not None and plan.strategy.startswith("pull")
        if tracing:
            _record_plan(name, plan, facts._replace(u_nvals=view.store.nvals) if reuses else facts, view)  # type: ignore[union-attr]
        if reuses:
            operand = view.store  # type: ignore[union-attr]
        result = u._engine.mxv(store, operand, semiring, view, transposed=transposed, flip=flip, plan=plan)
        if desc is not None and desc.remembers:
            result.checked = facts.u_edges()
        return result
    return u._engine.mxv(store, operand, semiring, view, transposed=transposed, flip=flip, plan=plan)


def few_edges(engine: Any, store: MatrixStore, u: VectorStore, view: MaskView | None, transposed: bool) -> bool:
    """Whether there can be so few edges to push that nothing else needs to be known: most steps of long searches."""
    columns = store if transposed else store._transpose
    if columns is None:
        return False
    rows = store.ncols if transposed else store.nrows
    mask: Any = None if view is None or view.complement else view.store
    if mask is not None and mask.kind == "sparse":
        rows = mask.nvals_at_most
    return planner.few_edges(u.nvals_at_most * columns.max_degree, rows, engine.costs)


def matvec_facts(
    engine: Any,
    store: MatrixStore,
    u: VectorStore,
    semiring: Any,
    view: MaskView | None,
    transposed: bool,
    desc: Descriptor | None,
) -> Facts:
    """What the planner wants to know of ``t<mask> = M u`` with ``M`` the store or its transpose."""
    nrows = store.ncols if transposed else store.nrows
    allowed, mask_sparse, reused = nrows, False, 0
    if view is not None:
        mask: Any = view.store
        allowed = nrows - (mask.known_nvals or 0) if view.complement else mask.nvals_at_most
        mask_sparse = not view.complement and mask.kind == "sparse"
        if desc is not None and desc.reuse_mask:
            reused = nrows - allowed if view.complement else allowed
    monoid = semiring.monoid
    columns = store if transposed else store._transpose
    u_nvals = u.nvals_at_most
    at_most = store.nvals if columns is None else min(store.nvals, u_nvals * columns.max_degree)
    return Facts(
        nrows=nrows,
        nvals=store.nvals,
        u_size=u.size,
        u_nvals=u_nvals,
        u_dense=u.kind != "sparse",
        u_edges=lambda: count_edges(engine, store, u, transposed),
        u_edges_at_most=at_most,
        allowed=allowed,
        mask_sparse=mask_sparse,
        terminal=monoid.terminal is not None or monoid.any_value or u.iso,
        costs=engine.costs,
        by_columns=columns is not None,
        reused=reused,
    )


def count_edges(engine: Any, store: MatrixStore, u: VectorStore, transposed: bool) -> int:
    """Entries of ``M`` in the columns of u's entries; an estimate where counting them would cost too much."""
    columns = store if transposed else store._transpose
    nvals = u.nvals_at_most
    if nvals == u.size:
        return store.nvals
    if columns is None:
        return int(store.nvals * (nvals / max(1, u.size)))
    if u.edges is not None and u.edges[0] is columns.indptr:  # counted when u was computed
        known = u.edges[1].known()
        if known is not None:
            return known
    if engine.sizes_on_device:  # planning is no reason to wait for an answer: as many as entries have on average
        return min(store.nvals, -(-nvals * store.nvals // max(1, columns.nrows)), nvals * columns.max_degree)
    return engine.count_edges(columns, u)


def _record_plan(name: str, plan: Plan, facts: Facts, view: MaskView | None) -> None:
    collector = trace.current()
    assert collector is not None
    collector.records.append(
        trace.Record(
            op=name,
            seconds=0.0,
            output_nvals=0,
            strategy=plan.strategy,
            reason=collector.reason_of(plan),
            direction=plan.direction,
            input_nvals=facts.u_nvals,
            input_edges=facts.u_edges(),
            mask_nvals=None if view is None else view.store.nvals,
            allowed=trace.open_positions(facts.nrows, view),
        )
    )


def run_mxm(expr: Any, view: MaskView | None, desc: Descriptor | None) -> MatrixStore:
    a, b = matrix_store(expr.args[0]), matrix_store(expr.args[1])
    mask_nvals = None if view is None or view.complement else view.store.nvals
    engine = expr.args[0]._engine
    plan = planner.choose_mxm(a.nvals, b.nvals, a.ncols, mask_nvals, desc, lambda: engine.estimate_products(a, b))
    collector = trace.current()
    if collector is not None:
        collector.records.append(
            trace.Record("mxm", 0.0, 0, plan.strategy, plan.reason, plan.direction, a.nvals, mask_nvals=mask_nvals)
        )
    return engine.mxm(a, b, expr.op, view, plan=plan)


def run_inner(expr: Any, view: None, desc: Any) -> Any:
    u, v = expr.args
    return u._engine.inner(u._store, v._store, expr.op)


def run_outer(expr: Any, view: MaskView | None, desc: Any) -> MatrixStore:
    u, v = expr.args
    return u._engine.outer(u._store, v._store, expr.op)


def run_kronecker(expr: Any, view: MaskView | None, desc: Any) -> MatrixStore:
    a, b = expr.args
    return a._engine.kronecker(matrix_store(a), matrix_store(b), _binary(expr.op))


def run_power(expr: Any, view: MaskView | None, desc: Any) -> MatrixStore:
    """``A^n`` by repeated squaring; ``A^0`` is the identity matrix of the semiring."""
    a, n = expr.args
    engine, semiring = a._engine, expr.op
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


def _multiply(engine: Any, a: MatrixStore, b: MatrixStore, semiring: Any) -> MatrixStore:
    plan = planner.choose_mxm(a.nvals, b.nvals, a.ncols, None)
    return engine.mxm(a, b, semiring, None, plan=plan)


# --------------------------------------------------------------------------------------------------------------
# Element-wise


def _binary(op: Any) -> Any:
    return op.binaryop if op.opclass == "Monoid" else op


def _store(x: Any) -> Any:
    return matrix_store(x) if x.ndim == 2 else x._store


def run_ewise_add(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, y = expr.args
    return x._engine.ewise_add(_store(x), _store(y), _binary(expr.op))


def run_ewise_mult(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, y = expr.args
    return x._engine.ewise_mult(_store(x), _store(y), _binary(expr.op))


def run_ewise_union(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, left, y, right = expr.args
    if left._is_empty or right._is_empty:
        from ..errors import EmptyObject

        raise EmptyObject("ewise_union: a default value is an empty Scalar; give it a value")
    return x._engine.ewise_union(_store(x), _store(y), _binary(expr.op), left._get(), right._get())


def run_apply(expr: Any, view: MaskView | None, desc: Any) -> Any:
    (x,) = expr.args
    return x._engine.apply(_store(x), expr.op)


def run_apply_left(expr: Any, view: MaskView | None, desc: Any) -> Any:
    scalar, x = expr.args
    return x._engine.apply_bind(_store(x), expr.op, _given(scalar, "left"), "left")


def run_apply_right(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, scalar = expr.args
    return x._engine.apply_bind(_store(x), expr.op, _given(scalar, "right"), "right")


def run_apply_index(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, thunk = expr.args
    return x._engine.apply_index(_store(x), expr.op, _given(thunk, "right"))


def run_select(expr: Any, view: MaskView | None, desc: Any) -> Any:
    x, thunk = expr.args
    return x._engine.select(_store(x), expr.op, _given(thunk, "thunk"))


def _given(scalar: Any, name: str) -> Any:
    value = scalar._get()
    if value is None:
        from ..errors import EmptyObject

        raise EmptyObject(f"the {name} argument is an empty Scalar; give it a value")
    return value


def run_select_mask(expr: Any, view: MaskView | None, desc: Any) -> Any:
    """The entries of x that the mask lets through."""
    x, mask = expr.args
    store = _store(x)
    make = x._engine.empty_matrix if x.ndim == 2 else x._engine.empty_vector
    empty = make(*x.shape, store.dtype)
    return x._engine.write(empty, store, mask.view(), None, True)


# --------------------------------------------------------------------------------------------------------------
# Reductions


def run_reduce(expr: Any, view: None, desc: Any) -> Any:
    (x,) = expr.args
    if expr.op.opclass == "Aggregator":
        return _aggregate(expr, x, "scalar")._get()
    store = x._matrix._store if x._is_transposed else x._store
    value = x._engine.reduce_scalar(store, expr.op)
    if value is None and expr._is_cscalar:  # allow_empty=False: the reduction of nothing is the identity
        return np.asarray(expr.op.identity, expr.op.return_type.np_type)[()]
    return value


def run_reduce_rowwise(expr: Any, view: MaskView | None, desc: Any) -> VectorStore:
    (a,) = expr.args
    if expr.op.opclass == "Aggregator":
        return _aggregate(expr, a, "rowwise")._store
    return a._engine.reduce_rowwise(matrix_store(a), _monoid(expr.op))


def run_reduce_columnwise(expr: Any, view: MaskView | None, desc: Any) -> VectorStore:
    (a,) = expr.args
    if expr.op.opclass == "Aggregator":
        return _aggregate(expr, a, "columnwise")._store
    return a._engine.reduce_rowwise(matrix_store(a.T), _monoid(expr.op))


def _monoid(op: Any) -> Any:
    if op.opclass == "Monoid":
        return op
    from ..errors import NotImplementedException

    raise NotImplementedException(f"reduce needs a monoid: {op} is a BinaryOp that belongs to none")


def _aggregate(expr: Any, x: Any, mode: str) -> Any:
    from ..operators.aggregators import compute

    return compute(expr.op, x, mode)


# --------------------------------------------------------------------------------------------------------------
# Structure


def run_transpose(expr: Any, view: MaskView | None, desc: Any) -> MatrixStore:
    (a,) = expr.args
    return a._engine.transpose(a._matrix._store)


def run_extract(expr: Any, view: MaskView | None, desc: Any) -> Any:
    parent, indexes = expr.args
    engine = parent._engine
    if parent.ndim == 1:
        return engine.extract_vector(parent._store, indexes.axes[0].on(engine))
    rows, cols = indexes.axes
    store = parent._matrix._store if parent._is_transposed else parent._store
    if parent._is_transposed and (rows.size is None or cols.size is None):
        rows, cols = cols, rows
    elif parent._is_transposed:
        store = store.transposed()
    if rows.size is None:
        return engine.extract_row(store, int(rows.index), cols.on(engine))
    if cols.size is None:
        return engine.extract_column(store, cols.index, rows.on(engine))
    if rows.index is None and cols.index is None:
        return engine.copy(store)
    return engine.extract_matrix(store, rows.on(engine), cols.on(engine))


def run_reposition(expr: Any, view: MaskView | None, desc: Any) -> Any:
    """Entries moved by an offset; what leaves the shape is dropped."""
    x, offsets, shape = expr.args
    engine = x._engine
    rows, cols, values = engine.tuples(_store(x))
    rows, cols = rows.astype(np.int64) + offsets[0], cols.astype(np.int64)
    keep = (rows >= 0) & (rows < shape[0])
    if x.ndim == 1:
        return engine.build_vector(shape[0], rows[keep], values[keep], None)
    cols = cols + offsets[1]
    keep &= (cols >= 0) & (cols < shape[1])
    return engine.build_matrix(shape[0], shape[1], rows[keep], cols[keep], values[keep], None)


# --------------------------------------------------------------------------------------------------------------
# A vector meets a matrix: from the left it stands for every column, from the right for every row


class _Expanded:
    """A vector spread over the shape of a matrix, as an operand."""

    __slots__ = ("_store", "_engine")
    ndim = 2
    _is_transposed = False

    def __init__(self, engine: Any, store: MatrixStore) -> None:
        self._engine = engine
        self._store = store


class WithArgs:
    """The operands and operator of an expression, for a ``run`` function."""

    __slots__ = ("args", "op")

    def __init__(self, args: list, op: Any) -> None:
        self.args = args
        self.op = op


def broadcasting(run: Any) -> Any:
    """``run`` for a vector and a matrix."""

    def run_broadcast(expr: Any, view: MaskView | None, desc: Any) -> MatrixStore:
        x, y = expr.args[0], expr.args[-1 if len(expr.args) == 2 else 2]
        vector, matrix = (x, y) if x.ndim == 1 else (y, x)
        # An intersection needs the vector only where the matrix has entries; a union needs it everywhere.
        other = matrix_store(matrix)
        pattern = other if run is run_ewise_mult else None
        store = vector._engine.spread(vector._store, other.nrows, other.ncols, x.ndim == 1, pattern)
        expanded = _Expanded(vector._engine, store)
        args = [expanded if arg is vector else arg for arg in expr.args]
        return run(WithArgs(args, expr.op), view, desc)

    return run_broadcast
