"""What all graph algorithms ask of their input, and the engine that they run on."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from .. import INT32, INT64, Matrix, Vector, using
from ..exceptions import DimensionMismatch, IndexOutOfBound

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Sources: TypeAlias = SupportsIndex | Iterable[SupportsIndex] | Vector


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


def check_source(A: Matrix, source: SupportsIndex) -> int:
    """The source as an int, if it is a vertex of the graph.

    >>> check_source(Matrix(bool, 3, 3), 3)
    Traceback (most recent call last):
        ...
    grblas_gpu.errors.IndexOutOfBound: source 3 is not a vertex: the graph has vertices 0 to 2
    """
    vertex = as_index(source)
    if vertex is None:
        shape = f" of shape {tuple(source.shape)}" if getattr(source, "ndim", 0) else ""
        raise TypeError(f"a source is the number of a vertex; got {type(source).__name__}{shape}")
    if not 0 <= vertex < A.nrows:
        vertices = f"vertices 0 to {A.nrows - 1}" if A.nrows else "no vertices"
        raise IndexOutOfBound(f"source {vertex} is not a vertex: the graph has {vertices}")
    return vertex


def check_sources(A: Matrix, sources: Sources) -> list[int]:
    """All of them, in their order: one vertex, several in a list, range, array or the like, or in a Vector.

    A Vector has an entry at every source, of whatever value.

    >>> A = Matrix(bool, 3, 3)
    >>> check_sources(A, (2, 0)), check_sources(A, 1), check_sources(A, Vector.from_coo([0, 2], True, size=3))
    ([2, 0], [1], [0, 2])
    """
    if as_index(sources) is not None:
        return [check_source(A, sources)]  # type: ignore[arg-type]
    if isinstance(sources, Vector):
        if sources.size != A.nrows:
            raise DimensionMismatch(f"the Vector of sources has size {sources.size}, the graph {A.nrows} vertices")
        return sources.to_coo(values=False)[0].tolist()
    listed = sources.tolist() if hasattr(sources, "tolist") else sources  # an array, on whatever device
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise TypeError(f"sources are numbers of vertices, or a Vector with entries there; got {sources!r}")
    return [check_source(A, source) for source in listed]


def as_index(value: Any) -> int | None:
    """An integer of any kind as an int; None for everything else. An array of several has ``__index__``, but no index.

    >>> import numpy as np
    >>> as_index(np.uint8(3)), as_index(np.array(3)), as_index(np.array([3])), as_index(3.0), as_index(True)
    (3, 3, None, None, None)
    """
    if isinstance(value, (bool, np.bool_)) or getattr(value, "ndim", 0):
        return None
    try:
        return operator.index(value)
    except (AttributeError, TypeError):
        return None
