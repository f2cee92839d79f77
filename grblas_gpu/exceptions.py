"""The exceptions under python-graphblas's module name; they live in :mod:`grblas_gpu.errors`.

>>> from grblas_gpu.exceptions import DimensionMismatch
>>> DimensionMismatch.__module__
'grblas_gpu.errors'
"""

from .errors import (
    DimensionMismatch,
    DomainMismatch,
    EmptyObject,
    GraphblasException,
    IndexOutOfBound,
    InsufficientSpace,
    InvalidIndex,
    InvalidObject,
    InvalidValue,
    JitError,
    LoopError,
    NotImplementedException,
    NoValue,
    NullPointer,
    OutOfMemory,
    OutputNotEmpty,
    Panic,
    UdfParseError,
    UninitializedObject,
)

__all__ = [
    "DimensionMismatch",
    "DomainMismatch",
    "EmptyObject",
    "GraphblasException",
    "IndexOutOfBound",
    "InsufficientSpace",
    "InvalidIndex",
    "InvalidObject",
    "InvalidValue",
    "JitError",
    "LoopError",
    "NoValue",
    "NotImplementedException",
    "NullPointer",
    "OutOfMemory",
    "OutputNotEmpty",
    "Panic",
    "UdfParseError",
    "UninitializedObject",
]
