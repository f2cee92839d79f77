"""Protocols of interchange: binsparse, a descriptor of the format and the arrays that it names; and DLPack."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..foundation.types import Json
from .dense_arrays import dense_array

VERSION = "0.1"


class Interchange:
    """``__binsparse_descriptor__`` and ``__binsparse__`` of the Python array API's draft."""

    __slots__ = ()

    def __binsparse_descriptor__(self) -> dict[str, object]:
        return {"binsparse": descriptor(self)[0]}

    def __binsparse__(self) -> dict[str, np.ndarray]:
        return descriptor(self)[1]

    def __dlpack__(self, **options: object) -> object:
        """The memory of a full object for another library: ``np.from_dlpack(v)``, ``torch.from_dlpack(A)``.

        NumPy copies from a GPU where that is requested: ``np.from_dlpack(v, device="cpu")``.

        >>> from grblas_gpu import Vector
        >>> np.from_dlpack(Vector.from_dense([1.5, 2.5]))
        array([1.5, 2.5])
        """
        return exported(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return exported(self).__dlpack_device__()


def exported(x: Any) -> Any:
    """The array of a full object, without a copy if its values are stored one by one."""
    positions = math.prod(x.shape)
    if x.nvals != positions:
        raise BufferError(
            f"__dlpack__: {x.name} has {x.nvals} entries at {positions} positions; DLPack exports full objects only; "
            "use gb.io.to_array(x, fill_value)"
        )
    return dense_array(x, copy=False)


def descriptor(x: Any) -> tuple[Json, dict[str, np.ndarray]]:
    """The descriptor of a Matrix (CSR) or Vector (CVEC), and its arrays.

    >>> from grblas_gpu import Vector
    >>> descriptor(Vector.from_coo([1], [2.5], size=3))[0]["data_types"]
    {'indices_0': 'uint64', 'values': 'float64'}
    """
    if x.dtype._is_udt:
        raise TypeError(f"binsparse stores numbers, not records of dtype {x.dtype}")
    if x.ndim == 1:
        indices, values = x.to_coo()
        form, arrays = "CVEC", {"indices_0": indices.astype(np.uint64)}
    else:
        indptr, indices, values = x.to_csr()
        form, arrays = "CSR", {"pointers_to_1": indptr.astype(np.uint64), "indices_1": indices.astype(np.uint64)}
    stored = len(indices)
    kind = {"b": "bint8", "c": f"complex[float{values.itemsize * 4}]"}.get(values.dtype.kind, values.dtype.name)
    if stored > 1 and values.dtype.kind != "c" and (values == values[0]).all():
        kind, values = f"iso[{kind}]", values[:1]
    types = {name: array.dtype.name for name, array in arrays.items()}
    arrays["values"] = _on_disk(values)
    described = {"version": VERSION, "format": form, "shape": list(x.shape), "number_of_stored_values": stored}
    return described | {"data_types": types | {"values": kind}}, arrays


def _on_disk(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    return values.view(f"f{values.itemsize // 2}") if values.dtype.kind == "c" else values
