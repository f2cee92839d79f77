"""A registry of the object kinds, for modules that are imported before the kinds are defined.

Vectors, Matrices, Scalars and their operations create each other, which would make their imports circular. Instead,
each module registers its kind here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir import recording

if TYPE_CHECKING:
    from ..foundation import types as t
    from .ss import matrix, vector

Scalar: type[t.Scalar]
Vector: type[t.Vector]
Matrix: type[t.Matrix]
TransposedMatrix: type[t.TransposedMatrix]
MATRICES: tuple[type[t.Matrix], type[t.TransposedMatrix]]
COLLECTIONS: tuple[type[t.Vector], type[t.Matrix], type[t.TransposedMatrix]]
VectorStorage: type[vector.VectorStorage]
MatrixStorage: type[matrix.MatrixStorage]


def output_type(value: object) -> type:
    """The type of the result: an expression of a Vector counts as a Vector."""
    kind = type(value)
    return getattr(kind, "_output_type", kind)


def stands_for(kind: object, *classes: Any) -> None:
    """Register these classes as ``kind`` for :func:`output_type`."""
    for cls in classes:
        cls._output_type = kind
        if not hasattr(cls, "output_type"):  # an infix expression becomes another expression first
            cls.output_type = kind


class StorageOf:
    """The attribute ``ss``: the storage of an object; on the class, the constructors from stored arrays."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __get__(self, obj: object, owner: type) -> Any:
        storage = globals()[self._kind]
        if obj is None:
            return storage
        recording.read("the storage", obj)
        return storage(obj)
