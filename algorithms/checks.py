"""Checks of the arguments of graph algorithms, and the choice of their engine."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, SupportsIndex, TypeAlias, TypeGuard, TypeVar, overload

import numpy as np

from .. import INT32, INT64, Graph, Matrix, Vector, binary, get_backend, io, using
from ..dtypes import DataType
from ..exceptions import DimensionMismatch, IndexOutOfBound
from ..foundation.memory import more_or_raise, reports_memory
from ..foundation.suggestions import conversion, did_you_mean, type_text
from ..foundation.types import Array
from ..io import NodeValues
from .labels import Labelled, by_label, called, calling, current_call, numbered

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)
ByLabel = TypeVar("ByLabel", covariant=True)  # the result with a Graph
Number = TypeVar("Number", bool, int, float)
Sources: TypeAlias = SupportsIndex | Iterable[SupportsIndex] | Vector
Pairs: TypeAlias = Matrix | np.ndarray | Iterable[tuple[SupportsIndex, SupportsIndex]]
#: Arguments of the same meaning in NetworkX, SciPy and cuGraph.
KEYWORDS_ELSEWHERE = dict(
    pair.split("=")
    for pair in (
        "G=A alpha=damping cutoff=radius max_iter=max_iterations nstart=start s=source sink=target t=target "
        "tolerance=tol weight=weighted weights=weighted"
    ).split()
)


class GraphAlgorithm(Protocol[Parameters, Result, ByLabel]):
    """A function of a graph: of a Matrix, or of a Graph with vertices and results by label."""

    __name__: str

    @overload
    def __call__(self, A: Matrix, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result: ...
    @overload
    def __call__(self, A: Graph, *args: object, **kwargs: object) -> ByLabel: ...


Function: TypeAlias = Callable[Concatenate[Matrix, Parameters], Result]


@overload
def graph_algorithm(
    function: Function[Parameters, Vector], labelled: Labelled = ..., **meanings: Labelled
) -> GraphAlgorithm[Parameters, Vector, NodeValues]: ...
@overload
def graph_algorithm(
    function: Function[Parameters, Matrix], labelled: Labelled = ..., **meanings: Labelled
) -> GraphAlgorithm[Parameters, Matrix, Graph]: ...
@overload
def graph_algorithm(
    function: Function[Parameters, Number], labelled: Labelled = ..., **meanings: Labelled
) -> GraphAlgorithm[Parameters, Number, Number]: ...
@overload
def graph_algorithm(
    function: Function[Parameters, Result], labelled: Labelled = ..., **meanings: Labelled
) -> GraphAlgorithm[Parameters, Result, Any]: ...
def graph_algorithm(function: Callable[..., object], labelled: Labelled = by_label, **meanings: Labelled) -> object:
    """A decorator for functions of a graph ``A``: it checks A, and creates new objects on the engine of A.

    A may also be a Graph. Then arguments name vertices by label, and ``labelled`` converts the result to labels.
    ``meanings`` has functions that convert arguments for which the common ones do not fit.

    >>> from grblas_gpu import Graph, Matrix
    >>> @graph_algorithm
    ... def out_degrees(A):
    ...     return A.reduce_rowwise("count").new()
    >>> out_degrees(Graph.from_edges([("ann", "bob"), ("cid", "bob")]))
    {'ann': 1, 'cid': 1}
    >>> out_degrees(Matrix(bool, 2, 3))
    Traceback (most recent call last):
        ...
    grblas_gpu.exceptions.DimensionMismatch: out_degrees: a graph has a square adjacency matrix; got shape (2, 3)
    """
    name = function.__name__
    signature = inspect.signature(function)
    keywords = frozenset(signature.parameters)

    @wraps(function)
    def checked(*args: Any, **kwargs: object) -> object:
        if kwargs and not keywords.issuperset(kwargs):
            raise unknown_keyword(name, next(word for word in kwargs if word not in keywords), signature)
        A = args[0] if args else kwargs.get("A")
        if type(A) is not Matrix:
            return of_graph(A, args, kwargs)
        nrows, ncols = A.shape
        if nrows != ncols:
            raise DimensionMismatch(f"{name}: a graph has a square adjacency matrix; got shape {A.shape}")
        # as in ``calling`` and ``reports_memory``, without their cost, which is noticeable on small graphs
        outer = current_call.get()[0]
        token = None if outer else current_call.set((name, None))
        try:
            if get_backend() == A.backend:
                return function(*args, **kwargs)
            with using(A.backend):
                return function(*args, **kwargs)
        except (MemoryError, ValueError) as error:
            more = more_or_raise(name, error)
        finally:
            if token is not None:
                current_call.reset(token)
        with more:  # without the arrays that the error kept alive
            return checked(*args, **kwargs)

    @reports_memory
    @wraps(function)
    def of_graph(A: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        if not isinstance(A, Graph):
            raise TypeError(f"{name}: the graph must be a Matrix or a Graph; got {type_text(A)}{way_to_a_graph(A)}")
        try:
            call = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        with calling(name, A), using(A.matrix.backend):
            numbered(A, call, meanings)
            return labelled(A, function(*call.args, **call.kwargs))

    return checked


def unknown_keyword(name: str, keyword: str, signature: inspect.Signature) -> TypeError:
    """The error for an unknown keyword argument of an algorithm, with the names of the known ones."""
    others = [word for word in signature.parameters if word != "A"]
    hint = did_you_mean(keyword, others, KEYWORDS_ELSEWHERE)
    return TypeError(f"{name}: unknown argument {keyword!r}{hint or '; it takes A, ' + ', '.join(others)}")


def way_to_a_graph(A: object) -> str:
    """The end of an error message: the call that converts an object of another library to a graph."""
    if type(A).__module__.startswith("networkx"):
        return "; Graph.from_networkx(G) makes one, with results by node"
    if hasattr(A, "new"):
        return "; .new() makes a Matrix of an expression"
    call = conversion(A)
    return f"; {call} makes a Matrix" if call else ""


def with_labels(
    labelled: Callable[[Graph, Result], ByLabel], **meanings: Labelled
) -> Callable[[Function[Parameters, Result]], GraphAlgorithm[Parameters, Result, ByLabel]]:
    """A graph algorithm whose results contain vertex numbers; ``labelled`` converts these to labels."""
    return lambda function: graph_algorithm(function, labelled, **meanings)


def level_type(A: Matrix) -> DataType:
    """The type of a search's levels: INT32, because it halves the memory traffic, if the number of levels fits.

    >>> level_type(Matrix(bool, 9, 9))
    INT32
    """
    return INT32 if A.nrows <= 2**31 else INT64


def check_source(A: Matrix, source: SupportsIndex, argument: str = "source") -> int:
    """A vertex as an int, if the graph has it; ``argument`` is its name in the algorithm's signature.

    >>> check_source(Matrix(bool, 3, 3), 3)
    Traceback (most recent call last):
        ...
    grblas_gpu.exceptions.IndexOutOfBound: source 3 is not a vertex: the graph has vertices 0 to 2
    """
    vertex = source if type(source) is int else as_index(source)
    if vertex is None:
        shape = f" of shape {tuple(source.shape)}" if getattr(source, "ndim", 0) else ""
        labels = "; labels need a Graph instead of a Matrix" if isinstance(source, str) else ""
        raise TypeError(f"{called()}{argument} must be the number of a vertex; got {type_text(source)}{shape}{labels}")
    if not 0 <= vertex < A.nrows:
        vertices = f"vertices 0 to {A.nrows - 1}" if A.nrows else "no vertices"
        raise IndexOutOfBound(f"{called()}{argument} {vertex} is not a vertex: the graph has {vertices}")
    return vertex


def check_sources(A: Matrix, sources: Sources, argument: str = "sources") -> list[int]:
    """The sources as a list, in their order: one vertex, or several in a list, range, array or Vector.

    A Vector has an entry of any value at every source.

    >>> A = Matrix(bool, 3, 3)
    >>> check_sources(A, (2, 0)), check_sources(A, 1), check_sources(A, Vector.from_coo([0, 2], True, size=3))
    ([2, 0], [1], [0, 2])
    """
    if as_index(sources) is not None:
        return [check_source(A, sources, argument)]  # type: ignore[arg-type]
    if isinstance(sources, Vector) or (is_array_for(A, sources) and sources.ndim == 1):
        return check_vertices(A, sources, argument).to_dense().tolist()
    listed = sources.tolist() if hasattr(sources, "tolist") else sources  # an array on any device
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        labels = "; labels need a Graph instead of a Matrix" if isinstance(listed, str) else ""
        said = f"{called()}{argument} must be vertex numbers, or a Vector with entries there; got {sources!r}{labels}"
        raise TypeError(said)
    return [check_source(A, source, f"{argument}:") for source in listed]


def check_vertices(A: Matrix, vertices: Sources, argument: str = "vertices") -> Vector:
    """The vertices as values of an INT64 Vector on the engine of the graph; arrays and Vectors never become lists.

    >>> check_vertices(Matrix(bool, 3, 3), np.array([2, 0])).to_dense().tolist()
    [2, 0]
    """
    if isinstance(vertices, Vector):
        if vertices.size != A.nrows:
            said = f"{called()}{argument}: the Vector has size {vertices.size}, the graph {A.nrows} vertices"
            raise DimensionMismatch(said)
        return io.to_vectors(vertices.to(A.backend))[0]
    if isinstance(vertices, range):
        vertices = np.arange(vertices.start, vertices.stop, vertices.step)
    if not is_array_for(A, vertices) or vertices.ndim != 1:
        return Vector.from_dense(check_sources(A, vertices, argument), dtype=int)
    for vertex in extremes(vertices):
        check_source(A, vertex, f"{argument}:")
    return Vector.from_dense(vertices.astype(np.int64))


def vertex_set(vertices: Vector | Array, n: int) -> Vector:
    """The Vector with an entry at each vertex of a Vector or an array, which may repeat.

    >>> vertex_set(Vector.from_dense([2, 0, 2]), 3).to_dict()
    {0: True, 2: True}
    """
    found = Vector(bool, n)
    # found[vertices] = true
    found(binary.lor)[vertices] << True
    return found


def check_pairs(A: Matrix, pairs: Pairs) -> Matrix | tuple[Vector, Vector]:
    """Pairs of vertices: a Matrix becomes its pattern, a list or an array of two columns becomes two Vectors.

    >>> [ends.to_dense().tolist() for ends in check_pairs(Matrix(bool, 3, 3), [(0, 2), (1, 0)])]
    [[0, 1], [2, 0]]
    """
    if isinstance(pairs, Matrix):
        if pairs.shape != A.shape:
            raise DimensionMismatch(f"{called()}pairs: the Matrix has shape {pairs.shape}, the graph {A.shape}")
        return pairs.pattern()
    ends = pairs if is_array_for(A, pairs) else np.asarray(pairs.tolist() if hasattr(pairs, "tolist") else list(pairs))
    if ends.size and (ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu"):
        said = "pairs must be (vertex, vertex) tuples of numbers, or a Matrix with an entry for each pair"
        raise TypeError(f"{called()}{said}")
    for vertex in extremes(ends):
        if not 0 <= vertex < A.nrows:
            said = f"pairs: {vertex} is not a vertex: the graph has {A.nrows} vertices"
            raise IndexOutOfBound(f"{called()}{said}")
    first, second = ends.reshape(-1, 2).astype(np.int64).T.copy()
    return Vector.from_dense(first), Vector.from_dense(second)


def is_array_for(A: Matrix, x: object) -> TypeGuard[np.ndarray]:
    """Whether x is an array of integers that the engine of A reads: of NumPy, or of the device that stores A.

    >>> A = Matrix(bool, 3, 3)
    >>> is_array_for(A, np.arange(3)), is_array_for(A, np.array([True])), is_array_for(A, [1])
    (True, False, False)
    """
    return (isinstance(x, np.ndarray) or (A.backend == "cuda" and hasattr(x, "astype"))) and x.dtype.kind in "iu"


def extremes(array: Array) -> list[int]:
    """The smallest and the largest number of an array on any device; an empty list for an empty array."""
    return [int(array.min()), int(array.max())] if array.size else []


def as_index(value: object) -> int | None:
    """An integer of any type as an int; None for other objects, such as arrays with dimensions.

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
