"""Engines are composed: types and forms of the operands are resolved here, once, in front of kernels and definitions.

A call of an operation goes to the first of these that takes it:

1. another engine, for values of a type that this engine's kernels do not have (``other_engine``);
2. the form: matrices that are not CSR (``every_form.py``), unless it returns NotImplemented;
3. the engine's kernel: a static function declines with None or :class:`Declined`, a method replaces the definition;
4. the definition, in array code (``reference/``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

import numpy as np

from ..operators import TypedOpBase
from ..trace import records as trace
from .protocol import Backend, Primitives
from .stores.storage import MaskView, MatrixStore, VectorStore

Function = Callable[..., Any]

#: Operations that read or write values: the types of their arguments decide which engine runs them.
TYPED = frozenset(
    "mxv pull_in_place mxm inner outer kronecker ewise_add ewise_mult ewise_union union apply apply_bind apply_index "
    "select reduce_scalar reduce_rowwise reduce_columnwise transpose cast extract_vector gather extract_matrix "
    "extract_rows extract_row extract_column diagonal diagonal_matrix as_matrix spread resize_vector resize_matrix "
    "with_kind with_form write assign replace_row replace_column get_element set_element remove_element "
    "change_elements has_one_value build_vector build_matrix tuples to_dense empty_matrix".split()
)
#: Operations that take memory: an engine says why they failed.
GUARDED = TYPED | frozenset(
    "array listed host share adopt export copy triangle_counts heaviest_groups contracted matching search pack_parts "
    "join_parts fold_parts checked_positions extract_given by_degree positions join_tiles pattern degree_statistics "
    "count_edges reduce_later count_rowwise assign_block assign_few largest_flow shortest_distances".split()
)
#: Types of arguments without a NumPy type of one of these kinds.
_NEITHER = frozenset((type(None), bool, int, float, str, *(np.dtype(char).type for char in "?bhilqBHILQefdg")))


class Declined(Exception):
    """Raised by a kernel that cannot run now, before it changed anything: the definition does the work."""


_Backend: Any = Backend  # to a type checker, methods that are composed exist


class Engine(_Backend):
    """Derive an engine from this with its parts: classes whose methods have the engine as ``self``."""

    #: Kinds of NumPy types, as in ``dtype.kind``: a call that has one of them runs on another engine.
    left_to_others = ""

    def __init_subclass__(
        cls, definitions: tuple[type, ...] = (), kernels: tuple[type, ...] = (), forms: type | None = None
    ) -> None:
        defined, own = _members((Primitives, Backend, *definitions)), _members(kernels)
        in_front = {} if forms is None else _members((forms,))
        for name, definition in (own | defined).items() if definitions else ():
            if name not in vars(cls):
                given = own.get(name, definition)
                is_operation = isinstance(given, (FunctionType, staticmethod)) and not name.startswith("_")
                setattr(cls, name, _composed(cls, name, given, in_front, definition) if is_operation else given)

    def other_engine(self, kind: str, name: str) -> tuple[Function, str, str]:
        """The method of this name that takes values of this kind; its strategy and the reason for a trace."""
        raise AssertionError(kind)

    def failed(self, name: str, error: BaseException) -> AbstractContextManager[None] | None:
        """An operation raised an error, which this may replace; or the context in which the operation is repeated."""
        return None


def _members(parts: Iterable[type]) -> dict[str, Any]:
    """All that is written in classes; later ones replace earlier ones."""
    hidden = ("__", "_abc", "_is_protocol", "_is_runtime")
    return {name: what for part in parts for name, what in vars(part).items() if not name.startswith(hidden)}


def _composed(
    cls: type[Engine], name: str, given: Any, in_front: Mapping[str, Function], definition: Function
) -> Function:
    """The method of an engine for an operation."""
    kernel = given.__func__ if isinstance(given, staticmethod) else None
    last: Function = given if kernel is None else definition
    form = in_front.get(name)
    typed, guarded = name in TYPED, name in GUARDED and cls.failed is not Engine.failed
    typed = typed and cls.other_engine is not Engine.other_engine
    if not (typed or guarded or form or kernel):
        return last

    def method(self: Engine, *arguments: object, **options: object) -> object:
        try:
            if typed and self.left_to_others and (kind := kind_among(self.left_to_others, arguments)):
                elsewhere, strategy, reason = self.other_engine(kind, name)
                collector = trace.current()
                if collector is not None:
                    collector.records.append(trace.Record(name, 0.0, 0, strategy, reason))
                return elsewhere(*arguments, **options)
            if form is not None:
                found = form(self, *arguments, **options)
                if found is not NotImplemented:
                    return found
            if kernel is not None:
                try:
                    found = kernel(*arguments, **options)
                except Declined:
                    found = None
                if found is not None:
                    return found
            return last(self, *arguments, **options)
        except BaseException as error:
            more = self.failed(name, error) if guarded else None
            if more is None:
                raise
        with more:  # without the arrays that the error kept alive
            return method(self, *arguments, **options)

    method.__name__, method.__doc__ = name, getattr(definition, "__doc__", None)
    return method


def kind_among(kinds: str, arguments: Any) -> str:
    """The first of these kinds of NumPy types ("c" complex, "V" records) that arguments or their operators have.

    Every call tests its arguments, so the most frequent types come first.
    """
    for each in arguments:
        what = type(each)
        if what is VectorStore or what is MatrixStore:
            if each.dtype.kind in kinds:
                return str(each.dtype.kind)
        elif what in _NEITHER:
            continue
        elif what is MaskView:
            if each.store.dtype.kind in kinds:
                return str(each.store.dtype.kind)
        elif isinstance(each, TypedOpBase):
            for kind in each.odd_kinds:
                if kind in kinds:
                    return kind
        elif what is tuple:
            if kind := kind_among(kinds, each):
                return kind
        elif what is complex:
            if "c" in kinds:
                return "c"
        else:
            dtype = each if isinstance(each, np.dtype) else getattr(each, "dtype", None)
            if dtype is not None and dtype.kind in kinds:
                return str(dtype.kind)
    return ""
