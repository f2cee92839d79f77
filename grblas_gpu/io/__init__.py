"""Input and output: graphs, matrices, tensors and tables of other libraries, and files.

Functions of python-graphblas have the same names here. Each function imports the other library when it is called.

>>> import grblas_gpu as gb
>>> A = gb.Matrix.from_coo([0, 1], [1, 0], [5, 6])
>>> gb.io.to_scipy_sparse(A).toarray()
array([[0, 5],
       [6, 0]])
"""

from ..foundation.suggestions import public_only as _public_only
from .binary_files import load as load, save as save
from .binsparse_files import from_binsparse as from_binsparse
from .dense_arrays import from_array as from_array, to_array as to_array
from .edge_list_files import read_edgelist as read_edgelist, write_edgelist as write_edgelist
from .entry_vectors import from_vectors as from_vectors, to_vectors as to_vectors
from .formats import formats as formats, read as read, write as write
from .graph import Graph as Graph
from .graph_libraries import (
    from_dgl as from_dgl,
    from_igraph as from_igraph,
    from_torch_geometric as from_torch_geometric,
    to_dgl as to_dgl,
    to_igraph as to_igraph,
    to_torch_geometric as to_torch_geometric,
)
from .matrix_market import mmread as mmread, mmwrite as mmwrite
from .networkx_graphs import from_networkx as from_networkx, to_networkx as to_networkx
from .node_values import NodeValues as NodeValues
from .other_arrays import (
    from_awkward as from_awkward,
    from_pydata_sparse as from_pydata_sparse,
    to_awkward as to_awkward,
    to_pydata_sparse as to_pydata_sparse,
)
from .pandas_frames import from_pandas_edgelist as from_pandas_edgelist, to_pandas_edgelist as to_pandas_edgelist
from .python_graphblas import from_graphblas as from_graphblas, to_graphblas as to_graphblas
from .scipy_sparse import (
    from_scipy_sparse as from_scipy_sparse,
    load_npz as load_npz,
    save_npz as save_npz,
    to_cupyx_sparse as to_cupyx_sparse,
    to_scipy_sparse as to_scipy_sparse,
)
from .text_graphs import read_ldbc as read_ldbc
from .torch_tensors import from_torch as from_torch, to_torch as to_torch

_public_only(globals())
