"""The kinds of objects, for modules that come before the ones that define them.

Vectors, Matrices and Scalars make each other, and so does every operation that lies below them. Were each module to
import the others, all would import all; instead each kind is put here by the module that defines it.
"""

from __future__ import annotations

from typing import Any

from ..ir import recording

Scalar: Any
Vector: Any
Matrix: Any
TransposedMatrix: Any
MATRICES: tuple  # Matrix, TransposedMatrix
COLLECTIONS: tuple  # Vector, Matrix, TransposedMatrix
VectorStorage: Any  # ``v.ss``
MatrixStorage: Any  # ``A.ss``


def output_type(value: object) -> type:
    """The type an object stands for: an expression of a Vector counts as a Vector."""
    kind = type(value)
    return getattr(kind, "_output_type", kind)


def stands_for(kind: Any, *classes: Any) -> None:
    """Say that these classes count as ``kind`` for :func:`output_type`."""
    for cls in classes:
        cls._output_type = kind
        if not hasattr(cls, "output_type"):  # an infix expression becomes another expression first
            cls.output_type = kind


class StorageOf:
    """The attribute ``ss``: of an object its storage, of the class the way to make objects of stored arrays."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __get__(self, obj: object, owner: type) -> Any:
        storage = globals()[self._kind]
        if obj is None:
            return storage
        recording.read("the storage", obj)
        return storage(obj)
