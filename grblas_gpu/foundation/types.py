"""The vocabulary of annotations, one name per idea, for type checkers; when a program runs, each is ``typing.Any``."""

# ruff: noqa: F401
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import IO, TypeAlias

    import awkward
    import cupy
    import dgl
    import graphblas
    import igraph
    import matplotlib.figure
    import networkx
    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars
    import pyarrow
    import scipy.sparse
    import sparse
    import torch

    from ..api.base import BaseType
    from ..api.computed import Computed
    from ..api.elementwise import Elementwise
    from ..api.expressions import BaseExpression as Expression
    from ..api.indexing import Axis, Indexes
    from ..api.loop import Loop
    from ..api.mask import Mask
    from ..api.matrix import Matrix, TransposedMatrix
    from ..api.scalar import Scalar
    from ..api.vector import Vector
    from ..backends.mpi.search_layout import Layout as SearchLayout
    from ..backends.protocol import Backend as Engine
    from ..backends.stores.later import Later
    from ..backends.stores.storage import MaskView, MatrixStore, VectorStore
    from ..backends.stores.vector_storage import Counter
    from ..dtypes import DataType
    from ..generators.kronecker_graphs import Recipe
    from ..ir.descriptor import Descriptor
    from ..ir.node import Node
    from ..ir.program import Program
    from ..operators.aggregators import Aggregator, TypedAggregator
    from ..operators.base import OpBase, TypedOpBase as TypedOperator
    from ..operators.binary import TypedBuiltinBinaryOp as TypedBinary
    from ..operators.monoid import TypedBuiltinMonoid as TypedMonoid
    from ..operators.parameterized import ParameterizedUdf
    from ..operators.semiring import TypedBuiltinSemiring as TypedSemiring
    from ..plan.rules import Costs, Plan

    #: The path of a file or folder.
    PathLike: TypeAlias = str | os.PathLike[str]
    #: A file: its path, or an open one.
    Source: TypeAlias = PathLike | IO[Any]
    #: An object of JSON: facts, options, the rows of a benchmark.
    Json: TypeAlias = dict[str, Any]
    #: Arrays, sizes and flags of a storage format, by name.
    Parts: TypeAlias = dict[str, Any]
    #: Objects of other libraries.

    AwkwardArray: TypeAlias = awkward.Array
    ArrowTable: TypeAlias = pyarrow.Table
    DataFrame: TypeAlias = pandas.DataFrame
    DglGraph: TypeAlias = dgl.DGLGraph
    Figure: TypeAlias = matplotlib.figure.Figure
    IGraph: TypeAlias = igraph.Graph
    GraphblasObject: TypeAlias = graphblas.Scalar | graphblas.Vector | graphblas.Matrix
    NetworkXGraph: TypeAlias = networkx.Graph
    PolarsFrame: TypeAlias = polars.DataFrame
    PydataSparse: TypeAlias = sparse.SparseArray
    SciPySparse: TypeAlias = scipy.sparse.sparray
    TorchTensor: TypeAlias = torch.Tensor

    Array: TypeAlias = np.ndarray | cupy.ndarray
    #: A function of a compiled CUDA program.
    Kernel: TypeAlias = cupy.RawKernel
    Kernels: TypeAlias = tuple[Kernel, ...]
    Memory: TypeAlias = cupy.cuda.MemoryPointer
    Stream: TypeAlias = cupy.cuda.Stream
    #: Input of an array: a NumPy or CuPy array, or a list.
    ArrayLike: TypeAlias = npt.ArrayLike | cupy.ndarray
    Tensor: TypeAlias = Vector | Matrix
    #: What operations read: also ``A.T``.
    AnyMatrix: TypeAlias = Matrix | TransposedMatrix
    AnyTensor: TypeAlias = Vector | AnyMatrix
    #: An object that operations change.
    Handle: TypeAlias = Vector | Matrix | Scalar
    Store: TypeAlias = VectorStore | MatrixStore
    #: One value of a vector or matrix: a number, or a record.
    Value: TypeAlias = complex | np.generic | np.ndarray
    #: What is assigned: a store, a NumPy scalar, or None, which deletes.
    Assigned: TypeAlias = Store | np.generic | None
    #: Argument of :func:`grblas_gpu.dtypes.lookup_dtype`.
    DTypeLike: TypeAlias = DataType | np.dtype | type | str | Mapping[str, object]
    #: A type, or None for the own one.
    MaybeDType: TypeAlias = DTypeLike | None
    #: Index of ``op[...]``: the type of all operands, or a pair of types.
    DTypeKey: TypeAlias = DTypeLike | tuple[DTypeLike, DTypeLike]
    #: A function of arrays.
    Function: TypeAlias = Callable[..., Array]
    #: A Python function of single values.
    Udf: TypeAlias = Callable[..., object]
    #: An operator, for all its types or one of them; or a factory of operators with parameters.
    Operator: TypeAlias = OpBase | TypedOperator | ParameterizedUdf | Aggregator | TypedAggregator
    #: A reference to an operator: itself, its name, or a Python function.
    OperatorLike: TypeAlias = Operator | str | Udf
    #: Operand of an operation: an object, an expression, or a value.
    Operand: TypeAlias = Handle | TransposedMatrix | Computed | Value
    MaskLike: TypeAlias = Mask | Vector | Matrix | Computed
    #: How a result is combined with the old value of the output; None: it takes the place of that.
    Accum: TypeAlias = TypedOperator | None

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if not name[0].isupper():
            raise AttributeError(name)
        return Any
