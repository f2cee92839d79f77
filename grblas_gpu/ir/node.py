"""Nodes: one operation each, with its operands and its output.

Operands are *handles*, an engine's view of an object. A handle has ``dtype``, ``shape``, ``ndim``, ``name``,
``_engine``, and ``_store`` (of a vector or matrix) or ``_content`` (of a scalar). The objects of :mod:`grblas_gpu.api`
are handles with methods for users; lower layers use only these attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from .descriptor import Descriptor
from .ops import Op

Handle = Any


class Node(NamedTuple):
    """``out<mask, replace> (accum)= op(operands)``."""

    op: Op
    out: Handle
    operator: Any = None  # typed: a semiring, monoid, binary or unary operator, ...
    operands: Sequence[Any] = ()
    mask: Any = None  # its parent is a handle; ``view()`` is what an engine sees
    accum: Any = None
    replace: bool = False
    descriptor: Descriptor | None = None
    place: int = 0  # of the operation in the code around a loop


#: ``Node(*fields)``, from all fields at once: every call makes one, and this is how Python makes it fastest.
node_of: Callable[[Iterable[object]], Node] = partial(tuple.__new__, Node)
