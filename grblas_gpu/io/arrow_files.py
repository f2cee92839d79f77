"""Tables in Parquet and Feather files (extra ``arrow``)."""

from __future__ import annotations

from typing import Any

from ..suggestions import needed


def write_arrow_file(path: Any, table: Any, kind: str) -> None:
    """Write a ``pyarrow.Table``: ``.parquet``, or ``.feather`` and ``.arrow`` (the Arrow file format)."""
    if kind == ".parquet":
        needed("pyarrow.parquet", "a .parquet file", "'grblas_gpu[arrow]'").write_table(table, path)
    else:
        needed("pyarrow.feather", f"a {kind} file", "'grblas_gpu[arrow]'").write_feather(table, path)
