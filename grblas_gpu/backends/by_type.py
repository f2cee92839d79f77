"""Values for which an engine has no kernels, records and complex numbers, go to an engine that takes any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..operators import TypedOpBase
from ..trace import records as trace
from .protocol import Backend
from .storage import MaskView, MatrixStore, VectorStore

#: Types that cannot be of any of these kinds.
_NEITHER = frozenset((type(None), bool, int, float, str, *(np.dtype(char).type for char in "?bhilqBHILQefdg")))


def kind_among(kinds: str, arguments: Any) -> str:
    """The first of these kinds of NumPy types ("c" complex, "V" records) that arguments or their operators have.

    Called for every operation, so the most common arguments are tested first.
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


def _by_type(name: str) -> Any:
    kernels: dict[type, Callable[..., Any]] = {}  # the method of each engine, which super() would look up at every call

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        kinds = self.left_to_others
        if kinds and (kind := kind_among(kinds, arguments)):
            elsewhere, strategy, reason = self.other_engine(kind, name)
            collector = trace.current()
            if collector is not None:
                collector.records.append(trace.Record(name, 0.0, 0, strategy, reason))
            return elsewhere(*arguments, **options)
        kernel = kernels.get(type(self))
        if kernel is None:
            kernel = kernels[type(self)] = getattr(super(ByType, type(self)), name)
        return kernel(self, *arguments, **options)

    method.__name__ = name
    return method


class ByType(Backend):
    """Derive an engine from this and from its kernels, in this order: methods that read values check their types."""

    #: Kinds of NumPy types, as in ``dtype.kind``: a call that has one of them runs on another engine.
    left_to_others = ""

    def other_engine(self, kind: str, name: str) -> tuple[Callable[..., Any], str, str]:
        """The method of this name that takes values of this kind; its strategy and the reason for a trace."""
        raise AssertionError(kind)

    mxv = _by_type("mxv")
    pull_in_place = _by_type("pull_in_place")
    mxm = _by_type("mxm")
    inner = _by_type("inner")
    outer = _by_type("outer")
    kronecker = _by_type("kronecker")
    ewise_add = _by_type("ewise_add")
    ewise_mult = _by_type("ewise_mult")
    ewise_union = _by_type("ewise_union")
    union = _by_type("union")
    apply = _by_type("apply")
    apply_bind = _by_type("apply_bind")
    apply_index = _by_type("apply_index")
    select = _by_type("select")
    reduce_scalar = _by_type("reduce_scalar")
    reduce_rowwise = _by_type("reduce_rowwise")
    transpose = _by_type("transpose")
    cast = _by_type("cast")
    extract_vector = _by_type("extract_vector")
    gather = _by_type("gather")
    extract_matrix = _by_type("extract_matrix")
    extract_rows = _by_type("extract_rows")
    extract_row = _by_type("extract_row")
    extract_column = _by_type("extract_column")
    diagonal = _by_type("diagonal")
    diagonal_matrix = _by_type("diagonal_matrix")
    as_matrix = _by_type("as_matrix")
    spread = _by_type("spread")
    resize_vector = _by_type("resize_vector")
    resize_matrix = _by_type("resize_matrix")
    with_kind = _by_type("with_kind")
    with_form = _by_type("with_form")
    write = _by_type("write")
    assign = _by_type("assign")
    replace_row = _by_type("replace_row")
    replace_column = _by_type("replace_column")
    get_element = _by_type("get_element")
    set_element = _by_type("set_element")
    remove_element = _by_type("remove_element")
    has_one_value = _by_type("has_one_value")
    build_vector = _by_type("build_vector")
    build_matrix = _by_type("build_matrix")
    tuples = _by_type("tuples")
    to_dense = _by_type("to_dense")
    empty_vector = _by_type("empty_vector")
    empty_matrix = _by_type("empty_matrix")
