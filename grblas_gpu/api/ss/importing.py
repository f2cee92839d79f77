"""Import of the arrays of a storage format as objects: the inverse of ``exporting``.

All arrays are checked, and copied if they do not have the stored types. They may be longer than their entries
(like those of SuiteSparse's ``export(raw=True)``).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...dtypes import lookup_dtype
from ...exceptions import InvalidValue
from ...foundation.types import DataType, DTypeLike, Parts
from ..conversions import values_to_array
from ..formatting import FORMATS
from ..matrix import Matrix
from ..vector import Vector

#: The parts of a format, in addition to ``values``; names in brackets are optional.
VECTOR_PARTS = {"sparse": "indices size [nvals]", "bitmap": "bitmap [size] [nvals]", "full": "[size]"}
MATRIX_PARTS = {
    "csr": "indptr col_indices [nrows] [ncols]",
    "csc": "indptr row_indices [nrows] [ncols]",
    "hypercsr": "rows indptr col_indices [nrows] [ncols] [nvec]",
    "hypercsc": "cols indptr row_indices [nrows] [ncols] [nvec]",
    "bitmapr": "bitmap [nrows] [ncols] [nvals]",
    "bitmapc": "bitmap [nrows] [ncols] [nvals]",
    "fullr": "[nrows] [ncols]",
    "fullc": "[nrows] [ncols]",
    "coo": "rows cols [nrows] [ncols]",
    "coor": "rows cols nrows [ncols]",
    "cooc": "rows cols ncols [nrows]",
}
#: Claims about arrays, which are checked anyway.
CLAIMS = {"take_ownership", "secure_import", "sorted_index", "sorted_rows", "sorted_cols"}


def vector_format(parts: dict[str, object]) -> str:
    """The format that matches the given arrays."""
    if parts.get("indices") is not None and parts.get("bitmap") is not None:
        raise TypeError("Cannot provide both `indptr` and `bitmap`")
    return "sparse" if parts.get("indices") is not None else "full" if parts.get("bitmap") is None else "bitmap"


def matrix_format(parts: dict[str, object]) -> str:
    """The format that matches the given arrays."""
    given = {name for name, part in parts.items() if part is not None}
    both = [("indptr", "bitmap"), ("row_indices", "col_indices"), *(("bitmap", x) for x in ("rows", "cols"))]
    both += [("bitmap", "col_indices"), ("bitmap", "row_indices")]
    if "indptr" in given:
        both.append(("rows", "cols"))
    for one, other in both:
        if {one, other} <= given:
            raise TypeError(f"Cannot provide both `{one}` and `{other}`")
    if "indptr" in given:
        if not given & {"row_indices", "col_indices"}:
            raise TypeError("Must provide either `row_indices` or `col_indices`")
        by_rows = "col_indices" in given
        if "rows" in given and not by_rows:
            raise TypeError("HyperCSR requires col_indices, not row_indices")
        if "cols" in given and by_rows:
            raise TypeError("HyperCSC requires row_indices, not col_indices")
        return f"{'hyper' if given & {'rows', 'cols'} else ''}cs{'r' if by_rows else 'c'}"
    if "bitmap" in given:
        return f"bitmap{_layout(parts['values'], parts['bitmap'])}"
    if given & {"rows", "cols"}:
        if not given >= {"rows", "cols"}:
            raise ValueError("coo requires both `rows` and `cols`")
        return "coo"
    return f"full{_layout(parts['values'])}"


def _layout(*arrays: object) -> str:
    for array in arrays:
        if isinstance(array, np.ndarray) and array.ndim >= 2:
            return "c" if array.flags.f_contiguous else "r"
    return "r"


def checked_parts(format: str, known: dict[str, str], parts: Parts, is_pack: bool) -> Parts:
    """Check the parts of a format: all required ones, and no others."""
    if format not in known:
        raise ValueError(f"Invalid format: {format}")
    claimed = parts.pop("format", None)
    if claimed is not None and claimed.lower() != format:
        raise ValueError(f"Invalid format: {claimed!r}.  Must be None or {format!r}.")
    if format in ("coor", "cooc") and parts.get(f"sorted_{'rows' if format == 'coor' else 'cols'}") is False:
        raise ValueError(
            f"sorted_{'rows' if format == 'coor' else 'cols'} must be True when importing {format!r} format"
        )
    given = {name: part for name, part in parts.items() if name not in CLAIMS and part is not None}
    allowed = known[format].replace("[", "").replace("]", "").split() + ["values", "is_iso", "dtype", "name"]
    needed = {name for name in known[format].split() if name[0] != "["} | {"values"}
    if is_pack:  # the object determines the sizes
        needed -= {"size", "nrows", "ncols"}
    if wrong := given.keys() - set(allowed):
        raise TypeError(f"{format} has no {', '.join(sorted(wrong))}; it consists of {', '.join(allowed)}")
    if missing := needed - given.keys():
        raise TypeError(f"{format} needs {', '.join(sorted(missing))}")
    return given


def _values(given: dict[str, object], count: int, dtype: DTypeLike, ndim: int = 1) -> tuple[np.ndarray, DataType]:
    """One value per entry; a single value is repeated."""
    values, dtype = values_to_array(given["values"], dtype, ndim=1 if given.get("is_iso") else ndim)
    values = np.asarray(values)
    if given.get("is_iso") or values.ndim == 0:
        if values.size < 1:
            raise InvalidValue("is_iso needs one value")
        return np.broadcast_to(values.reshape(-1)[:1], (count,)), dtype
    if values.size < count:
        raise InvalidValue(f"{count} entries have {values.size} values")
    return values.reshape(-1)[:count] if values.ndim == 1 else values, dtype


def import_vector(format: str, given: Parts, size: int | None, dtype: DTypeLike, name: str | None) -> Vector:
    size = given.get("size") if size is None else size
    if format == "sparse":
        index = np.asarray(given["indices"])[: given.get("nvals")]
        values, dtype = _values(given, len(index), dtype)
        return _stored(Vector.from_coo(index, values, dtype, size=size, name=name), format)
    if format == "bitmap":
        bitmap = np.asarray(given["bitmap"], bool)
        if size is None:  # the shorter of the two arrays counts
            one = given.get("is_iso") or np.ndim(given["values"]) == 0
            size = len(bitmap) if one else min(len(bitmap), len(given["values"]))
        values, dtype = _values(given, size, dtype)
        index = np.flatnonzero(bitmap[:size])
        return _stored(Vector.from_coo(index, values[index], dtype, size=size, name=name), format)
    if size is None:
        size = len(values_to_array(given["values"], dtype)[0])
    if given.get("is_iso") and size:
        values, dtype = _values(given, 1, dtype)
        return Vector.from_scalar(values[0], size, dtype, name=name)
    values, dtype = _values(given, size, dtype)
    return _stored(Vector.from_coo(np.arange(size), values, dtype, size=size, name=name), format)


def import_matrix(
    format: str, given: Parts, shape: tuple[int, int] | None, dtype: DTypeLike, name: str | None
) -> Matrix:
    nrows, ncols = (given.get("nrows"), given.get("ncols")) if shape is None else shape
    if format.startswith("coo"):
        i, j = np.asarray(given["rows"]), np.asarray(given["cols"])
        values, dtype = _values(given, len(i), dtype)
        return Matrix.from_coo(i, j, values, dtype, nrows=nrows, ncols=ncols, name=name)
    if "cs" in format:
        make: Any = Matrix.from_csr if format.endswith("r") else Matrix.from_csc
        indptr = np.asarray(given["indptr"])
        if given.get("nvec") is not None:
            indptr = indptr[: given["nvec"] + 1]
        count = int(indptr[-1]) if len(indptr) else 0
        indices = np.asarray(given["col_indices" if format.endswith("r") else "row_indices"])[:count]
        arrays = [indptr, indices, _values(given, len(indices), dtype)[0]]
        if format.startswith("hyper"):
            make = Matrix.from_dcsr if format.endswith("r") else Matrix.from_dcsc
            arrays.insert(0, np.asarray(given["rows" if format.endswith("r") else "cols"])[: given.get("nvec")])
        return _in_form(make(*arrays, dtype=dtype, nrows=nrows, ncols=ncols, name=name), format)
    layout: Literal["C", "F"] = "C" if format.endswith("r") else "F"
    ndim = 1
    for array in (given.get("bitmap"), given["values"]):
        if (array := np.asarray(array)).ndim >= 2:  # further dimensions belong to a value
            sizes = zip(array.shape[:2], (nrows, ncols), strict=True)
            nrows, ncols = (n if known is None else known for n, known in sizes)
            ndim = 2
            break
    if nrows is None or ncols is None:
        raise ValueError("Either nrows and ncols must be provided, or one of the arrays must be 2d")
    if format.startswith("full") and given.get("is_iso") and nrows * ncols:
        values, dtype = _values(given, 1, dtype)
        return Matrix.from_scalar(values[0], nrows, ncols, dtype, name=name)
    values, dtype = _values(given, nrows * ncols, dtype, ndim)
    values = values.reshape(-1, order=layout)[: nrows * ncols]
    bitmap = np.asarray(given.get("bitmap", np.True_), bool)
    place = np.arange(nrows * ncols)
    if bitmap.ndim:
        place = np.flatnonzero(bitmap.reshape(-1, order=layout)[: nrows * ncols])
    i, j = np.divmod(place, ncols) if layout == "C" else np.divmod(place, nrows)[::-1]
    made = Matrix.from_coo(i, j, values[place], dtype, nrows=nrows, ncols=ncols, name=name)
    return _in_form(made, format)


def _in_form(a: Matrix, format: str) -> Matrix:
    """Convert to the storage format of the given arrays, until the Matrix changes."""
    forms = {formats[0]: form for form, formats in FORMATS.items()}
    if format in forms:
        a._store = a._engine.with_form(a._store, forms[format])
    return a


def _stored(v: Vector, format: str) -> Vector:
    """Convert to the storage format of the given arrays, until the Vector changes."""
    v._store = v._engine.with_kind(v._store, format)
    return v


def type_of(given: dict[str, object]) -> DataType | None:
    return None if given.get("dtype") is None else lookup_dtype(given["dtype"])
