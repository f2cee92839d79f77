"""Tables of edges in Parquet and Feather files (extra ``arrow``), read batch by batch."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from ..api.tables import Tabular
from ..foundation.border import border
from ..foundation.suggestions import needed
from ..foundation.types import ArrowTable, DTypeLike, OperatorLike, PathLike
from .edge_table import known_columns
from .graph import Graph
from .replacing import replacing
from .text_files import name_of

INSTALL = "'grblas_gpu[arrow]'"


def read_table(
    path: PathLike,
    *,
    columns: Sequence[str | int] | None = None,
    directed: bool = True,
    dtype: DTypeLike | None = None,
    duplicates: OperatorLike | None = None,
) -> Graph:
    """The Graph of a table; without ``columns``, by their usual names, else the first two or three."""
    with border(name_of(path)), _as_value_errors():
        reader = _Parquet(path) if _is_parquet(path) else _feather(path)
        names = reader.schema.names
        chosen = list(columns or known_columns(names) or range(min(3, len(names))))
        if len(chosen) not in (2, 3):
            raise ValueError(f"expected columns of source, target and perhaps weight; there are {names}")
        wanted = [column if isinstance(column, str) else names[column] for column in chosen]
        return Graph.from_arrow(reader.select(wanted), *wanted, directed=directed, dtype=dtype, duplicates=duplicates)


@contextlib.contextmanager
def _as_value_errors() -> Iterator[None]:
    """A damaged file may ask for any memory: the error is about the file."""
    error = needed("pyarrow", "a table file", INSTALL).ArrowMemoryError
    try:
        yield
    except error as found:
        raise ValueError(str(found)) from None


class _Parquet:
    """The row groups of a Parquet file, some megabytes at a time."""

    def __init__(self, path: PathLike) -> None:
        parquet = needed("pyarrow.parquet", "a .parquet file", INSTALL)
        self._file = parquet.ParquetFile(path, pre_buffer=False)  # or the whole file stays in memory
        self.schema = self._file.schema_arrow

    def select(self, columns: list[str]) -> object:
        pa = needed("pyarrow", "a .parquet file", INSTALL)
        batches = self._file.iter_batches(2**20, columns=columns)
        return pa.RecordBatchReader.from_batches(pa.schema([self.schema.field(name) for name in columns]), batches)


def _feather(path: object) -> ArrowTable:
    return needed("pyarrow.feather", "a .feather file", INSTALL).read_table(path, memory_map=True)


def _is_parquet(path: PathLike) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def write_table(path: PathLike, x: Tabular) -> None:
    """Write the table of a Graph, Matrix, Vector or NodeValues."""
    with replacing(path) as unfinished:
        write_arrow_file(unfinished, x.to_arrow(), os.path.splitext(os.fspath(path))[1])


def write_arrow_file(path: str, table: object, kind: str) -> None:
    """Write a ``pyarrow.Table``: ``.parquet``, or ``.feather`` and ``.arrow`` (the Arrow file format)."""
    if kind == ".parquet":
        needed("pyarrow.parquet", "a .parquet file", INSTALL).write_table(table, path)
    else:
        needed("pyarrow.feather", f"a {kind} file", INSTALL).write_feather(table, path)
