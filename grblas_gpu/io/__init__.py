"""Input and output: graphs, matrices, tensors and tables of other libraries, and files.

Functions of python-graphblas have the same names here. Each function imports the other library when it is called.

>>> import grblas_gpu as gb
>>> A = gb.Matrix.from_coo([0, 1], [1, 0], [5, 6])
>>> gb.io.to_scipy_sparse(A).toarray()
array([[0, 5],
       [6, 0]])
"""

from ..foundation.suggestions import public_only as _public_only
from .awkward_arrays import from_awkward, to_awkward
from .binary_files import load, save
from .binsparse_files import from_binsparse
from .dense_arrays import from_array, to_array
from .edge_list_files import read_edgelist, write_edgelist
from .entry_vectors import from_vectors, to_vectors
from .formats import formats, read, write
from .graph import Graph
from .ldbc import read_ldbc
from .matrix_market import mmread, mmwrite
from .networkx_graphs import from_networkx, to_networkx
from .node_values import NodeValues
from .npz_files import load_npz, save_npz
from .pandas_frames import from_pandas_edgelist, to_pandas_edgelist
from .pydata_sparse import from_pydata_sparse, to_pydata_sparse
from .python_graphblas import from_graphblas, to_graphblas
from .scipy_sparse import from_scipy_sparse, to_cupyx_sparse, to_scipy_sparse
from .torch_tensors import from_torch, to_torch

__all__ = [
    "Graph",
    "NodeValues",
    "formats",
    "from_array",
    "from_awkward",
    "from_binsparse",
    "from_graphblas",
    "from_networkx",
    "from_pandas_edgelist",
    "from_pydata_sparse",
    "from_scipy_sparse",
    "from_torch",
    "from_vectors",
    "load",
    "load_npz",
    "mmread",
    "mmwrite",
    "read",
    "read_edgelist",
    "read_ldbc",
    "save",
    "save_npz",
    "to_array",
    "to_awkward",
    "to_cupyx_sparse",
    "to_graphblas",
    "to_networkx",
    "to_pandas_edgelist",
    "to_pydata_sparse",
    "to_scipy_sparse",
    "to_torch",
    "to_vectors",
    "write",
    "write_edgelist",
]

_public_only(globals())
