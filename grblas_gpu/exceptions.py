"""The exceptions, spelled as python-graphblas spells them.

Every error that GraphBLAS itself defines derives from :class:`GraphblasException`, so one ``except`` catches them all.

>>> issubclass(DimensionMismatch, GraphblasException)
True
"""

from __future__ import annotations

import sys


class GraphblasException(Exception):
    """Base of every GraphBLAS error."""


class NoValue(GraphblasException):
    """There is no entry at the requested position."""


class UninitializedObject(GraphblasException):
    """An object was used before it was made."""


class InvalidObject(GraphblasException):
    """An object is unusable because an earlier operation on it failed."""


class NullPointer(GraphblasException):
    """A required argument was not given."""


class InvalidValue(GraphblasException):
    """An argument has a value that the operation cannot accept."""


class InvalidIndex(GraphblasException):
    """An index given directly to a method lies outside the object."""


class DomainMismatch(GraphblasException):
    """The data types of operands, operator and output do not fit together."""


class DimensionMismatch(GraphblasException):
    """The shapes of operands, mask and output do not fit together."""


class OutputNotEmpty(GraphblasException):
    """``build`` was called on an object that already has entries."""


class OutOfMemory(GraphblasException, MemoryError):
    """The result does not fit in memory; objects are left as they were. Also a MemoryError, as Python's own is."""


class InsufficientSpace(GraphblasException):
    """An output buffer is too small."""


class IndexOutOfBound(GraphblasException):
    """An index in a list of indices lies outside the object."""


class Panic(GraphblasException):
    """An internal error: a bug in this library."""


class EmptyObject(GraphblasException):
    """A Scalar without a value was given where a value is required."""


class NotImplementedException(GraphblasException):
    """The operation is not available for these inputs."""


class LoopError(GraphblasException):
    """The body of a loop cannot run on the device as it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class JitError(GraphblasException):
    """Compiling a kernel failed."""


class UdfParseError(GraphblasException):
    """Numba cannot compile a user-defined function for any data type."""


class NoJITWarning(UserWarning):
    """For programs that silence a warning of python-graphblas's: nothing here gives it."""


def user_place() -> str:
    """The file and line of the innermost caller outside of this package."""
    frame = sys._getframe(1)
    while (
        frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]
    ):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


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
    grblas_gpu.exceptions.DimensionMismatch: error -6 of the GraphBLAS C API
    """
    if code == 0:
        return None
    kind = _CODES.get(code, GraphblasException)
    if code > 0 and code in _CODES:
        return kind
    raise kind(f"error {code} of the GraphBLAS C API")


__all__ = [name for name, each in globals().items() if isinstance(each, type)] + ["check_status"]
