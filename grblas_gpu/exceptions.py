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

#: The error codes of the GraphBLAS C API, and of SuiteSparse.
_CODES: dict[int, type[Exception]] = {
    1: NoValue,
    7089: StopIteration,
    -1: UninitializedObject,
    -2: NullPointer,
    -3: InvalidValue,
    -4: InvalidIndex,
    -5: DomainMismatch,
    -6: DimensionMismatch,
    -7: OutputNotEmpty,
    -8: NotImplementedException,
    -101: Panic,
    -102: OutOfMemory,
    -103: InsufficientSpace,
    -104: InvalidObject,
    -105: IndexOutOfBound,
    -106: EmptyObject,
    -1001: JitError,
}


def check_status(code: int, args: object = ()) -> type[Exception] | None:
    """What a code of the GraphBLAS C API means: None for success, the class NoValue (or StopIteration) for its codes;
    any other is raised.

    >>> check_status(0), check_status(1).__name__
    (None, 'NoValue')
    >>> check_status(-6)
    Traceback (most recent call last):
    ...
    grblas_gpu.errors.DimensionMismatch: error -6 of the GraphBLAS C API
    """
    if code == 0:
        return None
    kind = _CODES.get(code, GraphblasException)
    if code > 0 and code in _CODES:
        return kind
    raise kind(f"error {code} of the GraphBLAS C API")


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
    "check_status",
]
