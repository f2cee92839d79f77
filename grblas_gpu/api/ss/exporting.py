"""Export of objects as the arrays of a storage format: dictionaries with the keys of python-graphblas."""

from __future__ import annotations

import numpy as np

from ...backends.machine.memory_limits import check_entries, check_positions
from ...exceptions import InvalidValue
from ...foundation.types import Matrix, Parts, Tensor, Vector
from ..conversions import row_order
from .lines import host_lines

VECTOR_FORMATS = ("sparse", "bitmap", "full")
MATRIX_FORMATS = ("csr", "csc", "hypercsr", "hypercsc", "bitmapr", "bitmapc", "fullr", "fullc", "coo", "coor", "cooc")


def is_iso(x: Tensor) -> bool:
    """Whether all entries have one value."""
    return x._engine.has_one_value(x._store)


def export_vector(v: Vector, format: str, raw: bool) -> dict[str, object]:
    if format not in VECTOR_FORMATS:
        raise ValueError(f"Invalid format: {format}")
    iso, size = is_iso(v), v._size
    index, values = v.to_coo()
    parts: Parts
    if format == "sparse":
        parts = {"size": size, "indices": index, "sorted_index": True} | ({"nvals": len(index)} if raw else {})
    elif format == "bitmap":
        check_positions(size, 1, values.itemsize + 1)
        bitmap = np.zeros(size, bool)
        bitmap[index] = True
        parts = {"bitmap": bitmap, "nvals": len(index)} | ({"size": size} if raw else {})
        values = _spread(values, index, size)
    else:
        _check_full(v)
        parts = {"size": size} if raw or iso else {}
    return parts | {"is_iso": iso, "format": format, "values": v.to_coo()[1][:1] if iso else values}


def matrix_format(stored: str, requested: str | None) -> str:
    """The name of a format; "rowwise" and "columnwise" mean the stored format by rows or by columns."""
    if requested is None:
        return stored
    requested = requested.lower()
    if requested in MATRIX_FORMATS:
        return requested
    try:
        return f"{stored[:-1]}{'r' if row_order(requested) else 'c'}"
    except ValueError:
        raise ValueError(f"Invalid format: {requested}") from None


def export_matrix(a: Matrix, format: str, sort: bool, raw: bool) -> dict[str, object]:
    iso, (nrows, ncols) = is_iso(a), a.shape
    if format.startswith("full"):
        _check_full(a)
        if iso:  # one value, for any number of entries
            one = a._engine.host(a._store.stored_values[:1])
            return {"nrows": nrows, "ncols": ncols, "is_iso": True, "format": format, "values": one}
    by_rows = not format.endswith("c")
    order = "rowwise" if by_rows else "columnwise"
    shape = {"nrows": nrows, "ncols": ncols}
    lines, across = ("rows", "cols") if by_rows else ("cols", "rows")
    indices, in_order = ("col_indices", "sorted_cols") if by_rows else ("row_indices", "sorted_rows")
    parts: Parts
    if format.startswith("cs"):
        check_entries(nrows if by_rows else ncols, instead='"hypercsr" and "coo" go by the entries')
        indptr, index, values = a.to_csr() if by_rows else a.to_csc()
        parts = {"indptr": indptr, indices: index, in_order: True} | shape
        return parts | {"is_iso": iso, "format": format, "values": values[:1] if iso else values}
    line, index, values, _ = host_lines(a, order)
    if format.startswith("coo"):
        # Sorted "coo" entries get the name of their order.
        known = format != "coo" or sort
        parts = shape | {lines: line, across: index, f"sorted_{lines}": known, f"sorted_{across}": known}
        format = "coor" if format == "coo" and sort else format
    elif format.startswith("hyper"):
        present, counts = np.unique(line, return_counts=True)
        parts = {"indptr": _pointers(counts), lines: present, indices: index, in_order: True} | shape
        parts |= {"nvec": len(present)} if raw else {}
    else:
        place = line * np.uint64(ncols if by_rows else nrows) + index
        check_positions(nrows, ncols, values.itemsize + 1)
        size = nrows * ncols
        parts = shape if raw else {}
        if format.startswith("bitmap"):
            bitmap = np.zeros(size, bool)
            bitmap[place] = True
            shaped = bitmap if raw else bitmap.reshape(a.shape, order="C" if by_rows else "F")
            parts = parts | {"bitmap": shaped, "nvals": len(place)}
        values = _spread(values, place, size)
        values = values if raw else _shaped(values, a.shape, by_rows)
    return parts | {"is_iso": iso, "format": format, "values": a.to_coo()[2][:1] if iso else values}


def _pointers(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)


def _spread(values: np.ndarray, place: np.ndarray, size: int) -> np.ndarray:
    everywhere = np.zeros((size, *values.shape[1:]), values.dtype)
    everywhere[place] = values
    return everywhere


def _shaped(values: np.ndarray, shape: tuple[int, ...], by_rows: bool) -> np.ndarray:
    """The values as a matrix; the dimensions of a value stay together."""
    lines = values.reshape(*(shape if by_rows else shape[::-1]), *values.shape[1:])
    return lines if by_rows else lines.swapaxes(0, 1)


def _check_full(x: Tensor) -> None:
    if x._nvals != np.prod(x.shape, dtype=object):
        raise InvalidValue(f"{x.name} has {x._nvals} entries, and is not full")
