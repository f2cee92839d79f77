"""Dense arrays and tensors of any library: NumPy, CuPy, PyTorch, JAX and every other library with DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.conversions import is_device_array
from ..api.dense_arrays import dense_array
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..foundation.types import Array, DTypeLike, Tensor


def from_array(
    array: Array,
    missing_value: object = None,
    *,
    dtype: DTypeLike | None = None,
    copy: bool = True,
    name: str | None = None,
) -> Any:
    """A Vector (one dimension) or a Matrix (two) from a dense array or tensor.

    Every element becomes an entry, except those equal to ``missing_value``. Arrays on a CUDA device (with
    ``__cuda_array_interface__`` or DLPack) need backend "cuda" and are shared. Other arrays are copied once. With
    ``copy=False`` they are shared if they have the stored type and are C-contiguous and writable.

    Parameters
    ----------
    array : array
        An array of NumPy, CuPy or any library with DLPack, of one or two dimensions.
    missing_value : scalar, optional
        Positions with this value get no entry.
    dtype : dtype, optional
        The type of the values; by default their own.
    copy : bool
        Whether to copy memory of the host that could be shared.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> import numpy as np
    >>> from grblas_gpu import io
    >>> io.from_array(np.array([0, 5, 6]), missing_value=0).to_dict()
    {1: 5, 2: 6}
    >>> io.from_array([[0, 5], [6, 0]], missing_value=0).to_dicts()
    {0: {1: 5}, 1: {0: 6}}
    """
    if not is_device_array(array):
        array = host_array(array)
    if array.ndim not in (1, 2):
        raise ValueError(f"from_array: the array must have one or two dimensions; got {array.ndim}")
    kind: Any = Vector if array.ndim == 1 else Matrix
    return kind.from_dense(array, missing_value, dtype=dtype, copy=copy, name=name)


def to_array(x: Tensor, fill_value: object = None, *, dtype: DTypeLike | None = None, copy: bool = True) -> Array:
    """A dense array of a Vector or Matrix in the memory of its backend: NumPy's, or CuPy's on backend "cuda".

    Positions without an entry get ``fill_value``, which is required if there are such positions. With ``copy=False``
    the array of a full object shares its memory, unless one value is stored for all entries: a change of one changes
    the other. Other libraries take a full object itself by DLPack, also without a copy: ``torch.from_dlpack(A)``.

    Parameters
    ----------
    x : Vector or Matrix
        The object to convert.
    fill_value : scalar, optional
        The value at positions without an entry; required if there are such positions.
    dtype : dtype, optional
        The type of the array.
    copy : bool
        Whether to copy memory that could be shared.

    Examples
    --------
    >>> from grblas_gpu import Vector, io
    >>> io.to_array(Vector.from_coo([0, 2], [5, 6]), fill_value=0)
    array([5, 0, 6])
    """
    x = ensure_type(x, (Vector, Matrix, TransposedMatrix))
    if isinstance(x, TransposedMatrix):
        return to_array(x.T, fill_value, dtype=dtype, copy=copy).T
    return dense_array(x, fill_value, dtype, copy=copy)


def host_array(array: Array) -> np.ndarray:
    """An array of any library as a NumPy array, without a copy where memory can be shared."""
    if isinstance(array, np.ndarray) or hasattr(array, "__array__") or not hasattr(array, "__dlpack__"):
        return np.asarray(array)
    return np.from_dlpack(array)
