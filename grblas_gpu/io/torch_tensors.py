"""PyTorch's tensors: dense and sparse, on the host and on a CUDA device. The functions import PyTorch if needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..foundation.suggestions import needed, type_text
from ..foundation.types import Array, Store, Tensor, TorchTensor
from ..ir import recording
from .dense_arrays import from_array, to_array


def from_torch(tensor: TorchTensor, *, copy: bool = True, name: str | None = None) -> Any:
    """A Matrix (two dimensions) or Vector (one) from a PyTorch tensor of any layout.

    Dense tensors give an entry for every element; sparse ones for every stored element (COO tensors are coalesced
    first, so values at duplicate positions are added). Tensors on a CUDA device need backend "cuda". They share their
    memory if they are dense or CSR and have the stored types; with ``copy=False`` tensors on the host do, too.

    Parameters
    ----------
    tensor : torch.Tensor
        Dense or sparse, of one or two dimensions.
    copy : bool
        Whether to copy memory of the host that could be shared.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> from grblas_gpu import io  # doctest: +SKIP
    >>> io.from_torch(torch.eye(2).to_sparse_csr()).to_dicts()  # doctest: +SKIP
    {0: {0: 1.0}, 1: {1: 1.0}}
    """
    if not hasattr(tensor, "layout") or not hasattr(tensor, "detach"):
        raise TypeError(f"from_torch: expected a PyTorch tensor; got {type_text(tensor)}")
    if tensor.ndim not in (1, 2):
        raise ValueError(f"from_torch: the tensor must have one or two dimensions; got {tensor.ndim}")
    tensor = tensor.detach()
    layout = str(tensor.layout).removeprefix("torch.")
    if layout == "strided":
        return from_array(_array(tensor), copy=copy, name=name)
    if layout == "sparse_csr":
        parts = tensor.crow_indices(), tensor.col_indices(), tensor.values()
        return Matrix.from_csr(*map(_array, parts), ncols=tensor.shape[1], name=name)
    if layout == "sparse_csc":
        parts = tensor.ccol_indices(), tensor.row_indices(), tensor.values()
        return Matrix.from_csc(*map(_array, parts), nrows=tensor.shape[0], name=name)
    if layout != "sparse_coo":  # blocks
        tensor = tensor.to_sparse_coo()
    tensor = tensor.coalesce()
    if tensor.dense_dim():
        raise ValueError("from_torch: the sparse tensor has dense dimensions; use tensor.to_dense()")
    indices, values = _array(tensor.indices()), _array(tensor.values())
    if tensor.ndim == 1:
        return Vector.from_coo(indices[0], values, size=tensor.shape[0], name=name)
    return Matrix.from_coo(indices[0], indices[1], values, nrows=tensor.shape[0], ncols=tensor.shape[1], name=name)


def to_torch(x: Tensor, layout: str | None = None, *, copy: bool = True) -> TorchTensor:
    """A PyTorch tensor on the device of the object. A Matrix becomes a sparse "csr" (default) or "coo" tensor, a Vector
    "coo"; an object with all entries can become "strided", a dense tensor.

    Parameters
    ----------
    x : Vector or Matrix
        The object to convert.
    layout : {"csr", "coo", "strided"}
        The storage format of the tensor.
    copy : bool
        Whether to copy: a "strided" tensor of a full Matrix can share its memory.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_torch(Matrix.from_coo([0, 1], [1, 0], [5, 6])).to_dense().tolist()  # doctest: +SKIP
    [[0, 5], [6, 0]]
    """
    x = ensure_type(x, (Matrix, TransposedMatrix, Vector))
    layout = layout or ("coo" if isinstance(x, Vector) else "csr")
    layouts = ("coo", "strided") if isinstance(x, Vector) else ("csr", "coo", "strided")
    if layout not in layouts:
        raise ValueError(
            f"to_torch: unknown layout {layout!r} of a {type(x).__name__}; choose one of {', '.join(layouts)}"
        )
    torch = needed("torch", "io.to_torch")
    if layout == "strided":
        return torch.from_dlpack(to_array(x, copy=copy))
    if isinstance(x, Vector):
        recording.read("the entries", x)
        store = x._engine.with_kind(x._store, "sparse")
        indices = torch.from_dlpack(store.indices.copy()).reshape(1, -1)
        # coalesced: a sparse store may be in any order
        return torch.sparse_coo_tensor(indices, torch.from_dlpack(_spread(store)), x.shape).coalesce()
    matrix = x.new() if isinstance(x, TransposedMatrix) else x
    store = matrix._store
    columns = torch.from_dlpack(store.indices.astype(np.int64))
    values = torch.from_dlpack(_spread(store))
    if layout == "csr":
        pointers = torch.from_dlpack(store.indptr.astype(np.int64))
        return torch.sparse_csr_tensor(pointers, columns, values, x.shape, check_invariants=False)  # already valid
    rows = torch.from_dlpack(store.row_ids.astype(np.int64))
    return torch.sparse_coo_tensor(
        torch.stack([rows, columns]), values, x.shape, is_coalesced=True, check_invariants=False
    )


def _array(tensor: TorchTensor) -> Array:
    """A tensor on the host as a NumPy array that shares its memory; a tensor on a CUDA device stays as it is."""
    return tensor if tensor.is_cuda else tensor.numpy()


def _spread(store: Store) -> Array:
    """A value for every entry, as a copy."""
    values = store.values
    return values.copy() if len(values) == store.nvals else np.broadcast_to(values, (store.nvals,)).copy()
