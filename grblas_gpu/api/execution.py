"""From an expression to a store: check the output's parameters, ask the planner, run the engine, write the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.entries import cast
from ..backends.storage import MaskView, VectorStore
from ..config import config
from ..errors import DimensionMismatch, InvalidObject, OutOfMemory
from ..ir import record as recording
from ..ir.descriptor import Descriptor
from ..plan import rules as planner
from ..trace import records as trace
from . import kinds
from .kinds import output_type
from .mask import Mask, check_mask

# --------------------------------------------------------------------------------------------------------------
# The update  C<mask> (accum)= expression


def update(
    out: Any,
    expr: Any,
    mask: Any = None,
    accum: Any = None,
    replace: bool = False,
    input_mask: Any = None,
    desc: Descriptor | None = None,
) -> None:
    """``out(mask, accum, replace) << expr`` for whatever may stand on the right."""
    role = getattr(expr, "_role", None)
    if role == "expression":
        pass
    elif role == "infix":
        expr = expr._to_expr()
    elif role == "index":
        if expr._is_scalar and out._is_scalar:
            if accum is not None:  # reads the element: an automatic computation
                expr._get_value("value")
            return _write_scalar(out, get_element(expr.parent, expr.indexes), expr.dtype, accum)
        if expr._is_scalar:
            return update(out, expr.new(), mask, accum, replace, input_mask, desc)
        if input_mask is not None:
            mask, input_mask = expr._mask_of_result(check_mask(input_mask, expr.parent)), None
        expr = expr._to_expr()
    elif role == "transposed" and out.ndim == 2:
        expr = expr._as_expression()
    else:
        return _update_plain(out, expr, mask, accum, replace, input_mask, desc)
    if input_mask is not None:
        raise TypeError("`input_mask` argument may only be used for extract")
    if expr._output_type is not type(out):
        if expr._is_scalar and config["autocompute"]:
            return update(out, expr.new(), mask, accum, replace, None, desc)
        allowed = (type(out),) if out._is_scalar else (type(out), kinds.Scalar)
        out._expect_type(expr, allowed, within="update")
    execute(out, expr, mask, accum, replace, desc)
    return None


def _update_plain(
    out: Any, value: Any, mask: Any, accum: Any, replace: bool, input_mask: Any, desc: Descriptor | None
) -> None:
    """The right side is an object or a literal: assign it to the whole output."""
    if input_mask is not None:
        raise TypeError("`input_mask` argument may only be used for extract")
    if recording.active and (recorder := recording.current()) is not None:
        alike = type(value) is type(out)
        if alike and out.ndim:
            check_shapes_equal("update", out, value)
        if alike or not getattr(value, "ndim", 0):
            noted = None if mask is None or out._is_scalar else _fitting_mask(mask, out)
            if recorder.plain(out, value, noted, accum, replace):
                return
    if out._is_scalar:
        if accum is not None:
            scalar = _as_scalar(out, value)
            _write_scalar(out, scalar._get(), scalar.dtype, accum)
        else:
            out.value = value
        return
    if type(value) is type(out):
        check_shapes_equal("update", out, value)
        if value._engine is not out._engine:
            raise InvalidObject(f"{value.name} and {out.name} are on different backends; use .to({out.backend!r})")
        view = mask_view(mask, out)
        t = value._engine.copy(value._store)
        _finish(out, t, view, accum, replace, False)
        return
    if getattr(value, "ndim", 0) and hasattr(value, "_engine"):
        out._expect_type(value, (type(out), kinds.Scalar), within="update")
    scalar = scalar_value(out, value)
    view = mask_view(mask, out)
    whole = (None,) * out.ndim
    started = trace.clock() if trace.current() is not None else 0.0
    _assign_value(out, scalar, whole, view, accum, replace, False)
    if started:
        _record("assign", started, out._store.nvals, view)


def execute(out: Any, expr: Any, mask: Any, accum: Any, replace: bool, desc: Descriptor | None) -> None:
    """Run one expression and write it to ``out``."""
    if recording.active and (recorder := recording.current()) is not None:
        _check_shape(out, expr)
        noted = None if mask is None or out._is_scalar else _fitting_mask(mask, out)
        if recorder.expression(out, expr, noted, accum, replace, desc):
            return
    try:
        if out._is_scalar:
            _execute_scalar(out, expr, accum, desc)
            return
        _check_shape(out, expr)
        view = None if mask is None else mask_view(mask, out)
        if trace.current() is not None:
            _execute_traced(out, expr, view, accum, replace, desc)
            return
        t = expr.run(expr, view, desc)
        _finish(out, t, view, accum, replace, expr.masks)
        if desc is not None and desc.remembers:
            out._store.checked = t.checked
    except MemoryError as error:
        raise _out_of_memory(expr.method_name, out, error) from None


def _out_of_memory(method: str, out: Any, error: MemoryError) -> OutOfMemory:
    return OutOfMemory(f"{method} into {out.name} of shape {out.shape}: {error or 'no memory left'}")


def _execute_scalar(out: Any, expr: Any, accum: Any, desc: Descriptor | None) -> None:
    started = trace.clock() if trace.current() is not None else 0.0
    value = expr.run(expr, None, desc)
    if started:
        _record(expr.method_name, started, int(value is not None), None)
    _write_scalar(out, value, expr.dtype, accum)


def _execute_traced(
    out: Any, expr: Any, view: MaskView | None, accum: Any, replace: bool, desc: Descriptor | None
) -> None:
    collector = trace.current()
    assert collector is not None
    started = trace.clock()
    before = len(collector.records)
    t = expr.run(expr, view, desc)
    _finish(out, t, view, accum, replace, expr.masks)
    if desc is not None and desc.remembers:
        out._store.checked = t.checked
    if len(collector.records) == before:
        _record(expr.method_name, started, out._store.nvals, view)
    else:  # a product recorded its plan; its time includes the write
        collector.records[-1].seconds = trace.clock() - started
        collector.records[-1].output_nvals = out._store.nvals


def _check_shape(out: Any, expr: Any) -> None:
    if expr.shape != out.shape:
        raise DimensionMismatch(
            f"{expr.method_name}: result of shape {expr.shape} does not fit output {out.name} of shape {out.shape}"
        )


def _finish(out: Any, t: Any, view: MaskView | None, accum: Any, replace: bool, masked: bool) -> None:
    store = out._engine.write(out._store, t, view, accum, replace, masked)
    out._store = settle(out._engine, store)


def settle(engine: Any, store: Any) -> Any:
    """Store a vector the way its fill suggests, or leave it as it is if there is no room for that.

    Without an error: the engine may have written into the arrays of the output, so its old state is gone.
    """
    if type(store) is VectorStore and store.size > planner.TINY:
        nvals = store.nvals if store.pending is None else store.known_nvals
        if nvals is None:  # only the device knows, and need not be asked
            return store
        kind = store.kind
        better = planner.storage_kind(nvals, store.size, kind)
        if better != kind and not (better == "sparse" and engine.keeps_dense):
            try:
                return engine.with_kind(store, better)
            except (MemoryError, OutOfMemory):
                return store
    return store


def _write_scalar(out: Any, value: Any, dtype: Any, accum: Any) -> None:
    if accum is not None and not out._is_empty:
        if value is None:
            return
        old = cast(np.asarray(out._get()).reshape(1), accum.type.np_type)
        new = cast(np.asarray(value, dtype.np_type).reshape(1), accum.type2.np_type)
        value = accum.numpy(old, new)[0]
    out._set(value)


def mask_view(mask: Any, out: Any) -> MaskView | None:
    """The engine's view of a mask, checked against the output."""
    return None if mask is None else _fitting_mask(mask, out).view()


def _fitting_mask(mask: Any, out: Any) -> Mask:
    if not isinstance(mask, Mask):
        mask = check_mask(mask, out)
    parent = mask.parent
    if parent.shape != out.shape:
        if out.ndim == 1 and parent.ndim != 1:
            raise TypeError(f"Mask object must be type Vector; got {type(parent)}")
        if parent.ndim != out.ndim:
            raise TypeError(f"Mask for a {type(out).__name__} of shape {out.shape} is a {type(parent).__name__}")
        raise DimensionMismatch(f"mask {mask.name} has shape {parent.shape}, output {out.name} has shape {out.shape}")
    if parent._engine is not out._engine:
        raise InvalidObject(f"mask {mask.name} and output {out.name} are on different backends")
    return mask


def check_shapes_equal(within: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise DimensionMismatch(f"{within}: {a.name} has shape {a.shape}, {b.name} has shape {b.shape}")


def _record(op: str, started: float, output_nvals: int, view: MaskView | None) -> None:
    collector = trace.current()
    if collector is not None:
        seconds = trace.clock() - started
        mask_nvals = None if view is None else view.store.nvals
        collector.records.append(trace.Record(op, seconds, output_nvals, mask_nvals=mask_nvals))


def _as_scalar(out: Any, value: Any) -> Any:
    if type(value) is kinds.Scalar:
        return value
    try:
        return kinds.Scalar.from_value(value, is_cscalar=None, name="")
    except TypeError:
        kind = type(out).__name__
        raise TypeError(
            f"Assignment value must be a valid expression type, not {type(value)}.\n\n"
            f"Valid expression types include {kind}, {kind}Expression, AmbiguousAssignOrExtract, and scalars."
        ) from None


def scalar_value(out: Any, value: Any) -> Any:
    """A literal or Scalar as a NumPy scalar of its own type; None for an empty Scalar."""
    kind = type(value)
    if kind is bool:
        return np.bool_(value)
    if kind is float:
        return np.float64(value)
    if kind is int and -(2**63) <= value < 2**63:
        return np.int64(value)
    return _as_scalar(out, value)._get()


# --------------------------------------------------------------------------------------------------------------
# Single elements, and what assignment to a region ends in


def get_element(parent: Any, indexes: Any) -> Any:
    recording.read("an entry", parent)
    index = tuple(axis.index for axis in indexes.axes)
    if parent._is_transposed:
        index = index[::-1]
    return parent._engine.get_element(parent._store, index)


def set_element(out: Any, indexes: Any, value: Any) -> None:
    if type(value) is not kinds.Scalar:
        if output_type(value) in kinds.COLLECTIONS:
            out._expect_type(
                value,
                kinds.Scalar,
                within="__setitem__",
                argname="value",
                extra_message="Literal scalars also accepted.",
            )
        try:
            value = kinds.Scalar.from_value(value, is_cscalar=None, name="")
        except TypeError:
            out._expect_type(
                value,
                kinds.Scalar,
                within="__setitem__",
                argname="value",
                extra_message="Literal scalars also accepted.",
            )
    scalar = value._get()
    index = tuple(axis.index for axis in indexes.axes)
    if scalar is None:
        out._store = out._engine.remove_element(out._store, index)
    else:
        scalar = cast(np.asarray(scalar).reshape(1), out.dtype.np_type)[0]
        out._store = settle(out._engine, out._engine.set_element(out._store, index, scalar))


def remove_element(out: Any, indexes: Any) -> None:
    out._store = out._engine.remove_element(out._store, tuple(axis.index for axis in indexes.axes))


def _assign_value(
    out: Any, value: Any, index: tuple, view: MaskView | None, accum: Any, replace: bool, submask: bool
) -> None:
    """``value`` is a store, a NumPy scalar, or None: assigning nothing deletes (or, accumulated, changes nothing)."""
    engine = out._engine
    if value is None:
        shape = tuple(n if part is None else len(part) for part, n in zip(index, out.shape, strict=True))
        value = type(out)(out.dtype, *shape, name="")._store
    elif accum is None and value.dtype != out._store.dtype and isinstance(value, np.generic):
        value = cast(value.reshape(1), out._store.dtype)[0]
    try:
        store = engine.assign(out._store, value, index, view, accum, replace, submask)
        out._store = settle(engine, store)
    except MemoryError as error:
        raise _out_of_memory("assign", out, error) from None
