"""User-defined types: records are for the definitions, whose arrays may hold anything.

The kernels of an engine are made for numbers. Until the first record type is registered engines know nothing of this,
and calls cost nothing; then their methods look at their operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import when_records_are_used
from ..operators import TypedOpBase
from ..trace import records as trace
from .every_form import NumpyBackend
from .storage import MaskView

REASON = "records of a user-defined type: by the definitions, kernels are for numbers"
#: What may touch values; the rest of the protocol looks at structure only.
METHODS = (
    "mxv pull_in_place mxm inner outer kronecker ewise_add ewise_mult ewise_union union apply apply_bind apply_index "
    "select reduce_scalar reduce_rowwise transpose cast extract_vector gather extract_matrix extract_row "
    "extract_column diagonal diagonal_matrix as_matrix spread resize_vector resize_matrix with_kind with_form write "
    "assign replace_row replace_column get_element set_element remove_element has_one_value build_vector "
    "build_matrix tuples to_dense empty_vector empty_matrix"
).split()


def has_records(arguments: Any) -> bool:
    """Whether one of the arguments of an engine's method holds records, or is an operator on some."""
    for each in arguments:
        if isinstance(each, TypedOpBase):
            if each.type._is_udt or each.type2._is_udt or each.return_type._is_udt:
                return True
        elif type(each) is MaskView:
            if each.store.dtype.kind == "V":
                return True
        elif each is not None:
            dtype = each if isinstance(each, np.dtype) else getattr(each, "dtype", None)
            if (dtype is not None and dtype.kind == "V") or (type(each) is tuple and has_records(each)):
                return True
    return False


def by_definitions(engine: Any) -> Any:
    """An engine class that leaves records to the definitions."""
    definitions = NumpyBackend()

    def left(name: str) -> Callable[..., Any]:
        method = getattr(definitions, name)

        def call(*arguments: Any, **options: Any) -> Any:
            collector = trace.current()
            if collector is not None:
                collector.records.append(trace.Record(name, 0.0, 0, "definitions", REASON))
            return method(*arguments, **options)

        return call

    when_records_are_used(lambda: _change(engine, left))
    return engine


def refused(engine: Any) -> Any:
    """An engine class that has no records, and says so."""

    def left(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            raise TypeError(f'records of a user-defined type are not on backend {engine.name!r}; use backend "cpu"')

        return call

    when_records_are_used(lambda: _change(engine, left, "adopt"))
    return engine


def _change(engine: Any, left: Callable[[str], Callable[..., Any]], *more: str) -> None:
    for name in (*METHODS, *more):
        setattr(engine, name, _either(getattr(engine, name), left(name)))


def _either(kernels: Callable[..., Any], others: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        return others(*arguments, **options) if has_records(arguments) else kernels(self, *arguments, **options)

    return method
