"""binsparse: a JSON descriptor and arrays with fixed names, in HDF5 or Zarr (extra ``files``).

Specification: https://graphblas.org/binsparse-specification, version 0.1.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..api.matrix import Matrix
from ..api.tables import descriptor
from ..api.vector import Vector
from ..foundation.border import border
from ..foundation.suggestions import needed, type_text
from ..foundation.types import PathLike
from .replacing import replacing
from .text_files import name_of

#: Arrays of each format besides the values; column-wise formats are transposes of row-wise ones.
FORMATS: dict[str, tuple[str, ...]] = {
    "CSR": ("pointers_to_1", "indices_1"),
    "DCSR": ("indices_0", "pointers_to_1", "indices_1"),
    "COOR": ("indices_0", "indices_1"),
    "DMATR": (),
    "CVEC": ("indices_0",),
    "DVEC": (),
}
ALIASES = {"COO": "COOR", "DMAT": "DMATR", "VEC": "CVEC"}
TRANSPOSED = {"CSC": "CSR", "DCSC": "DCSR", "COOC": "COOR", "DMATC": "DMATR"}
NOT_BINSPARSE = "not a binsparse object: "
NUMBERS = {f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
NUMBERS |= {name: np.dtype(name) for name in ("float32", "float64")}


def from_descriptor(described: object, arrays: Mapping[str, object], name: str) -> Matrix | Vector:
    """The object that a descriptor and its arrays describe; ValueError if they do not fit together."""
    with border(name, what=NOT_BINSPARSE, foreign="missing or malformed: "):
        return _object(described, arrays)


def _object(described: Any, arrays: Mapping[str, Any]) -> Matrix | Vector:
    form, shape = described["format"], [int(size) for size in described["shape"]]
    if not isinstance(form, str):
        raise ValueError("custom formats are not supported")
    if described.get("fill"):
        raise ValueError("a fill value has no place in a Matrix")
    form = ALIASES.get(form, form)
    transposed = form in TRANSPOSED
    form = TRANSPOSED.get(form, form)
    if form not in FORMATS:
        raise ValueError(f"unknown format {form!r}")
    if len(shape) != (1 if form.endswith("VEC") else 2):
        raise ValueError(f"format {form} with the shape {shape}")
    parts = [_indices(arrays[name]) for name in FORMATS[form]]
    values = _values(np.asarray(arrays["values"][:]), described["data_types"]["values"])
    if form == "DVEC":
        return Vector.from_dense(_full(values, shape))
    if form == "CVEC":
        return Vector.from_coo(parts[0], values, values.dtype, size=shape[0])
    nrows, ncols = reversed(shape) if transposed else shape
    if form == "DMATR":
        found = Matrix.from_dense(_full(values, (nrows, ncols)))
    elif form == "CSR":
        found = Matrix.from_csr(parts[0], parts[1], values, values.dtype, nrows=nrows, ncols=ncols)
    elif form == "DCSR":
        found = Matrix.from_dcsr(parts[0], parts[1], parts[2], values, values.dtype, nrows=nrows, ncols=ncols)
    else:
        found = Matrix.from_coo(parts[0], parts[1], values, values.dtype, nrows=nrows, ncols=ncols)
    found = found.T.new() if transposed else found
    return _completed(found, described.get("structure"))


def _completed(half: Matrix, structure: str | None) -> Matrix:
    """The whole of a matrix of which one triangle is stored."""
    from .. import binary, unary

    if structure is None:
        return half
    kind, _, part = structure.rpartition("_")
    other: dict[str, Any] = {"symmetric": None, "hermitian": unary.conj, "skew_symmetric": unary.ainv}
    if kind not in other or part not in ("lower", "upper"):
        raise ValueError(f"unknown structure {structure!r}")
    mirrored = half.T.new() if other[kind] is None else other[kind](half.T).new()
    return binary.first(half | mirrored).new()


def _indices(array: np.ndarray) -> np.ndarray:
    found = np.asarray(array[:])
    if found.dtype.kind not in "iu":
        raise ValueError(f"indices of type {found.dtype}")
    return found.astype(np.int64)


def _values(stored: np.ndarray, kind: str) -> np.ndarray | np.generic:
    """Values of a type; an iso type stores one."""
    iso = kind.startswith("iso[") and kind.endswith("]")
    kind = kind[4:-1] if iso else kind
    if kind == "bint8":
        stored = stored.astype(bool)
    elif kind in ("complex[float32]", "complex[float64]"):
        stored = np.ascontiguousarray(stored, kind[8:-1]).view(f"c{int(kind[13:-1]) // 4}")
    elif kind in NUMBERS:
        stored = stored.astype(NUMBERS[kind], copy=False)
    else:
        raise ValueError(f"unknown type {kind!r}")
    return stored[0] if iso else stored


def _full(values: np.ndarray | np.generic, shape: list[int] | tuple[int, int]) -> np.ndarray:
    return np.broadcast_to(values, shape).copy() if np.ndim(values) == 0 else np.reshape(values, shape)


def from_binsparse(x: Any) -> Matrix | Vector:
    """A Matrix or Vector from an object of another library with ``__binsparse__``.

    Parameters
    ----------
    x : object with ``__binsparse__`` and ``__binsparse_descriptor__``
        A sparse array in one of the predefined formats of binsparse.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.from_binsparse(Matrix.from_coo([0, 1], [1, 0], [5, 6])).to_dicts()
    {0: {1: 5}, 1: {0: 6}}
    """
    if not hasattr(x, "__binsparse__") or not hasattr(x, "__binsparse_descriptor__"):
        raise TypeError(f"from_binsparse: expected an object with __binsparse__; got {type_text(x)}")
    return from_descriptor(x.__binsparse_descriptor__()["binsparse"], x.__binsparse__(), "from_binsparse")


# --- HDF5 and Zarr ---------------------------------------------------------------------------------------------------


def read_hdf5(path: PathLike) -> Matrix | Vector:
    """The object in an HDF5 file: the attribute ``binsparse`` of its root is the descriptor."""
    h5py = needed("h5py", "a binsparse file in HDF5", "'grblas_gpu[files]'")
    with border(name_of(path), what=NOT_BINSPARSE), h5py.File(path, "r") as file:
        described = json.loads(file.attrs["binsparse"])
        arrays = {key: file[key] for key in file}
        return from_descriptor(described.get("binsparse", described), arrays, name_of(path))


def write_hdf5(path: PathLike, x: Matrix | Vector) -> None:
    """Write a Matrix or Vector to an HDF5 file."""
    h5py = needed("h5py", "a binsparse file in HDF5", "'grblas_gpu[files]'")
    described, arrays = descriptor(x)
    with replacing(path) as unfinished, h5py.File(unfinished, "w") as file:
        file.attrs["binsparse"] = json.dumps({"binsparse": described})
        for key, array in arrays.items():
            file.create_dataset(key, data=array)


def read_zarr(path: PathLike) -> Matrix | Vector:
    """The object in a Zarr group: its attribute ``binsparse`` is the descriptor."""
    zarr = needed("zarr", "a binsparse file in Zarr", "'grblas_gpu[files]'")
    name = name_of(path)
    if not os.path.exists(path):
        raise FileNotFoundError(2, "No such file or directory", name)
    with border(name, what=NOT_BINSPARSE):
        group = zarr.open_group(os.fspath(path), mode="r")
        return from_descriptor(group.attrs["binsparse"], dict(group.arrays()), name)


def write_zarr(path: PathLike, x: Matrix | Vector) -> None:
    """Write a Matrix or Vector to a folder with a Zarr group, in place of an older one."""
    zarr = needed("zarr", "a binsparse file in Zarr", "'grblas_gpu[files]'")
    described, arrays = descriptor(x)
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    group = zarr.open_group(str(unfinished), mode="w")
    group.attrs["binsparse"] = described
    for key, array in arrays.items():
        group.create_array(key, data=array)
    if (target / "zarr.json").exists():
        shutil.rmtree(target)
    unfinished.rename(target)
