"""Runs one node: the operation on the engine of its output, then the write. Inputs are read, never changed.

:func:`execute` runs every single call, and every node of a recorded program that is not fused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any

from ...exceptions import OutOfMemory
from ...foundation import atomic_updates
from ...foundation.memory import explained, memory_after
from ...foundation.types import Engine, Store, Tensor
from ...ir import ops
from ...ir.node import Node
from ...ir.ops import Op
from ...ir.program import Program
from ...trace import records as trace
from ..machine.memory_limits import NAMED
from ..programs.unfusable import unfusable_reason
from ..stores.formats import choose_format
from ..stores.storage import MaskView, MatrixStore, VectorStore, view_of
from . import assignment, operations, products
from .changes import Changes
from .operands import empty_store, engine_of

AGAIN = 32  # steps after which an engine may take over a loop as a whole

#: Operations with a result: a store, or the value of a scalar output.
COMPUTE: dict[Op, Callable[[Node, MaskView | None], Any]] = {
    ops.MXV: products.matvec,
    ops.VXM: products.matvec,
    ops.MXM: products.mxm,
    ops.INNER: products.inner,
    ops.OUTER: products.outer,
    ops.KRONECKER: products.kronecker,
    ops.POWER: products.power,
    ops.EWISE_ADD: operations.ewise_add,
    ops.EWISE_MULT: operations.ewise_mult,
    ops.EWISE_UNION: operations.ewise_union,
    ops.APPLY: operations.apply,
    ops.APPLY_LEFT: operations.apply_left,
    ops.APPLY_RIGHT: operations.apply_right,
    ops.APPLY_INDEX: operations.apply_index,
    ops.SELECT: operations.select,
    ops.SELECT_MASK: operations.select_mask,
    ops.REDUCE: operations.reduce,
    ops.REDUCE_OR_IDENTITY: operations.reduce_or_identity,
    ops.REDUCE_ROWWISE: operations.reduce_rowwise,
    ops.REDUCE_COLUMNWISE: operations.reduce_columnwise,
    ops.HEAVIEST_GROUPS: operations.heaviest_groups,
    ops.TRANSPOSE: operations.transpose,
    ops.EXTRACT: operations.extract,
    ops.GATHER: operations.gather,
    ops.EXTRACT_ROW: operations.extract_row,
    ops.REPOSITION: operations.reposition,
    ops.COPY: operations.copy,
}
#: Operations that change the output themselves.
CHANGE: dict[Op, Callable[[Node], None]] = {
    ops.ASSIGN: assignment.assign,
    ops.SUBASSIGN: assignment.assign,
    ops.SCATTER: assignment.scatter,
    ops.SET_ELEMENT: assignment.set_element,
    ops.REMOVE_ELEMENT: assignment.remove_element,
    ops.CLEAR: assignment.clear,
    ops.LOOP: lambda node: _control(node),
    ops.WHEN: lambda node: _control(node),
}


def execute(node: Node, tracing: bool = True) -> None:
    """``out<mask, replace> (accum)= op(operands)``. If anything fails, every object is as it was."""
    if tracing and trace.current() is not None and node.op not in ops.CONTROL:
        _execute_traced(node)
        return
    if not atomic_updates.multithreaded and get_ident() != atomic_updates.first_thread:
        atomic_updates.notice_thread()
    try:
        op, out = node.op, node.out
        compute = COMPUTE.get(op)
        if compute is None:
            CHANGE[op](node)
            return
        accum = node.accum
        if out.ndim:
            mask, replace, desc = node.mask, node.replace, node.descriptor
            view = None
            if mask is not None:
                parent = mask.parent
                store = parent._store if type(parent._stored) is Changes else parent._stored
                view = view_of((store, mask.structure, mask.complement))
            t = store = compute(node, view)
            if t is None:  # the operation has written the output
                return
            engine = out._engine
            whole = accum is None and (view is None or (replace and op.masked))
            kept = whole and t.dtype is out.dtype.np_type and (type(t) is VectorStore or _is_kept(t))
            if not kept:  # otherwise the result becomes the output store
                store = engine.write(_contents(out), t, view, accum, replace, op.masked)
            out._stored = store = choose_format(engine, store)  # changes that waited are overwritten
            if desc is not None and desc.remembers:
                store.checked = t.checked
        else:
            value = compute(node, None)
            if type(value) is VectorStore:  # of one position
                value = engine_of(node.operands[0]).get_element(value, (0,))
            assignment.set_scalar(out, value, accum)
    except OutOfMemory:
        raise
    except MemoryError as error:
        more = memory_after(f"{node.op}", error)  # for what plans an operation: an engine repeats its own
        if more is None:
            message = str(error) if NAMED in str(error) else f"{explained(error)}; or {NAMED}"
            raise OutOfMemory(f"{node.op} into {node.out.name} of shape {node.out.shape}: {message}") from None
    else:
        return
    with more:
        execute(node)


def _is_kept(t: Store) -> bool:
    """Whether a result can become the output store as is. Complex numbers and records are written by another engine,
    for the trace."""
    return type(t) is MatrixStore and t.dtype.kind not in "cV"


def _contents(out: Tensor) -> Store:
    """The store of an output; None for a new object."""
    try:
        return out._store
    except AttributeError:
        return empty_store(out._engine, out.shape, out.dtype.np_type)


def _control(node: Node) -> None:
    runner(node)()


class Repeated:
    """Runs a program node by node while its condition holds, from a list that is made once.

    Fusing pays off in a long loop: every ``AGAIN`` steps the ``engine`` may take over the rest as a whole. A call
    returns the number of steps, and whether the engine took over.
    """

    __slots__ = ("_engine", "_program", "_steps")

    def __init__(self, program: Program, engine: Engine | None = None) -> None:
        self._program, self._engine = program, engine
        self._steps: list[Callable[[], object]] | None = None

    def __call__(self) -> tuple[int, bool]:
        program, engine, steps = self._program, self._engine, self._steps
        if steps is None:
            steps = self._steps = [runner(node) for node in program.nodes]
        count = program.count
        count.step = 0
        while (program.limit is None or count.step < program.limit) and holds(program.condition):
            for step in steps:
                step()
            count.step += 1
            if engine is not None and count.step % AGAIN == 0:
                made = engine.run_loop(program, count.step)
                if made is not None:
                    count.step = made
                    return made, True
        if engine is not None:
            engine.ran_one_by_one(program)
        return int(count.step), False


def may_run_whole(program: Program, engine: Engine) -> bool:
    """Whether an engine may run a loop as a whole; the trace contains the reason if not."""
    reason = unfusable_reason(program) if engine.runs_loops else None
    trace.iterated(reason)
    return engine.runs_loops and reason is None


def runner(node: Node) -> Callable[[], object]:
    """A function that runs a node repeatedly. An engine runs a loop as a whole if it can."""
    if node.op not in ops.CONTROL:
        return partial(execute, node)
    (program,) = node.operands
    if node.op is ops.WHEN:
        return Repeated(program)
    condition = program.condition
    engine: Engine = condition._engine if condition._role == "object" else condition.engine
    reason = unfusable_reason(program) if engine.runs_loops else None
    whole = engine.runs_loops and reason is None
    prepared = engine.prepare(program) if whole else None
    repeated = Repeated(program, engine if whole else None)

    def run() -> None:
        steps = None if prepared is None else prepared()
        if steps is None:
            trace.iterated(reason)
            steps, _ = repeated()
        program.count.step = max(0, steps - 1)  # as Python's loops leave their variable

    return run


def holds(condition: Any) -> bool:
    """Whether a condition is true now: entries of a vector or matrix, or a scalar, or an expression of either."""
    now = (
        condition if condition._role in ("object", "transposed") else condition.new()
    )  # which would keep a first value
    return bool(now.nvals if now.ndim else now)


def _execute_traced(node: Node) -> None:
    collector = trace.current()
    assert collector is not None
    out, mask = node.out, node.mask
    started, before = trace.clock(), len(collector.records)
    mask_store = None if mask is None else mask.parent._store  # not counted yet: the plan must not depend on the trace
    execute(node, tracing=False)
    output_nvals = out.nvals
    if len(collector.records) == before:
        mask_nvals = None if mask_store is None else mask_store.nvals
        collector.records.append(trace.Record(node.op.name, 0.0, output_nvals, mask_nvals=mask_nvals))
    record = collector.records[-1]  # of a product: with its plan. The time includes the write
    record.seconds, record.output_nvals = trace.clock() - started, output_nvals
    if node.descriptor is not None and (ignored := node.descriptor.ignored_options(node.op)):
        record.reason = "; ".join(filter(None, (record.reason, f"without effect: {ignored}")))
