"""Protocols of interchange: tables for Arrow, pandas and Polars; binsparse; DLPack."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..foundation.suggestions import needed
from ..foundation.types import ArrowTable, DataFrame, Json, PolarsFrame
from .dense_arrays import dense_array


class LabelColumn(NamedTuple):
    """A column of labels: each row has the number of one. It is dictionary-encoded in Arrow."""

    labels: Sequence[object]
    numbers: np.ndarray

    def values(self) -> np.ndarray:
        labels = np.empty(len(self.labels), object)
        labels[:] = self.labels
        return labels[self.numbers]


class Tabular:
    """An object that is a table. A class defines ``_columns``."""

    __slots__ = ()

    def _columns(self) -> Mapping[str, object]:
        """Arrays or lists by name."""
        raise TypeError(f"{type(self).__name__} has no columns")

    def to_arrow(self) -> ArrowTable:
        """A ``pyarrow.Table`` (needs the extra ``arrow``); numbers are not copied.

        Examples
        --------
        >>> from grblas_gpu import Vector
        >>> Vector.from_coo([1, 4], [0.5, 2.5], size=9).to_arrow().to_pydict()
        {'index': [1, 4], 'value': [0.5, 2.5]}
        """
        return arrow_table(self._columns(), f"{type(self).__name__}.to_arrow")

    def to_pandas(self) -> DataFrame:
        """A ``pandas.DataFrame``.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_pandas().to_dict("list")
        {'row': [0, 1], 'column': [1, 0], 'value': [5, 6]}
        """
        pd = needed("pandas", f"{type(self).__name__}.to_pandas")
        return pd.DataFrame(_expanded(self._columns()))

    def to_polars(self) -> PolarsFrame:
        """A ``polars.DataFrame``.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_polars()["value"].to_list()  # doctest: +SKIP
        [5, 6]
        """
        pl = needed("polars", f"{type(self).__name__}.to_polars")
        return pl.DataFrame(_expanded(self._columns()))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for any library that reads Arrow streams (needs the extra ``arrow``)."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def arrow_table(columns: Mapping[str, object], caller: str) -> ArrowTable:
    """A ``pyarrow.Table``; a column of several types is an error."""
    pa = needed("pyarrow", caller, "'grblas_gpu[arrow]'")
    arrays = {}
    for name, column in columns.items():
        try:
            if isinstance(column, LabelColumn):
                arrays[name] = pa.DictionaryArray.from_arrays(column.numbers, pa.array(column.labels))
            else:
                arrays[name] = pa.array(column)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise TypeError(f"{caller}: column {name!r} has no Arrow type: {error}") from None
    return pa.table(arrays)


def plain(labels: Sequence[object] | np.ndarray) -> Sequence[object] | np.ndarray:
    """Labels as an array of numbers if all are integers; otherwise as they are.

    >>> plain([3, 5]), plain(["ann", 5])
    (array([3, 5]), ['ann', 5])
    """
    if isinstance(labels, range):
        return np.arange(labels.start, labels.stop, labels.step)
    if isinstance(labels, np.ndarray) or not set(map(type, labels)) <= {int}:
        return labels
    try:
        return np.fromiter(labels, np.int64, len(labels))
    except OverflowError:
        return labels


def taken(labels: Sequence[object] | np.ndarray, numbers: np.ndarray) -> np.ndarray | LabelColumn:
    """The labels of some nodes: an array if labels are integers, else a column that refers to them."""
    known = plain(labels)
    return known[numbers] if isinstance(known, np.ndarray) else LabelColumn(known, numbers)


def _expanded(columns: Mapping[str, object]) -> dict[str, object]:
    return {name: list(c.values()) if isinstance(c, LabelColumn) else c for name, c in columns.items()}


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
