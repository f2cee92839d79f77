"""What all graph algorithms ask of their input, and the engine that they run on."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .. import INT32, INT64, Matrix, using
from ..exceptions import DimensionMismatch, IndexOutOfBound

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def graph_algorithm(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function of a graph ``A``: check that it is one, and make new objects where it lives.

    >>> from grblas_gpu import Matrix
    >>> @graph_algorithm
    ... def count_vertices(A):
    ...     return A.nrows
    >>> count_vertices(Matrix(bool, 2, 3))
    Traceback (most recent call last):
        ...
    grblas_gpu.errors.DimensionMismatch: count_vertices: a graph has a square adjacency matrix; got shape (2, 3)
    """

    @wraps(function)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        A = args[0] if args else kwargs.get("A")
        if type(A) is not Matrix:
            hint = "; use .new() to make one" if hasattr(A, "new") else ""
            raise TypeError(f"{function.__name__}: the graph must be a Matrix; got {type(A).__name__}{hint}")
        if A.nrows != A.ncols:
            raise DimensionMismatch(f"{function.__name__}: a graph has a square adjacency matrix; got shape {A.shape}")
        with using(A.backend):
            return function(*args, **kwargs)

    return checked


def level_type(A: Matrix) -> Any:
    """The type of a search's levels: 32 bits, which are less to write than 64, unless there could be more levels.

    >>> level_type(Matrix(bool, 9, 9))
    INT32
    """
    return INT32 if A.nrows <= 2**31 else INT64


def check_source(A: Matrix, source: int) -> int:
    """The source as an int, if it is a vertex of the graph.

    >>> check_source(Matrix(bool, 3, 3), 3)
    Traceback (most recent call last):
        ...
    grblas_gpu.errors.IndexOutOfBound: source 3 is not a vertex: the graph has vertices 0 to 2
    """
    vertex = operator.index(source)
    if not 0 <= vertex < A.nrows:
        vertices = f"vertices 0 to {A.nrows - 1}" if A.nrows else "no vertices"
        raise IndexOutOfBound(f"source {vertex} is not a vertex: the graph has {vertices}")
    return vertex


def check_sources(A: Matrix, sources: Iterable[int]) -> list[int]:
    """All of them, in their order.

    >>> check_sources(Matrix(bool, 3, 3), (2, 0))
    [2, 0]
    """
    return [check_source(A, source) for source in sources]
