"""Objects as tables: columns by name, for Arrow, pandas and Polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..foundation.suggestions import needed
from ..foundation.types import ArrowTable, DataFrame, PolarsFrame


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
