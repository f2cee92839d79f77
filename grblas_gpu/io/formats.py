"""One ``read`` and one ``write`` for all formats of files, which are rows of a table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..foundation.suggestions import did_you_mean, type_text
from ..foundation.types import DTypeLike, OperatorLike, PathLike, Source
from .archives import is_archive
from .arrow_files import read_table, write_table
from .binary_files import load, save
from .binary_graphs import read_ecl, read_gapbs, write_ecl, write_gapbs
from .binsparse_files import read_hdf5, read_zarr, write_hdf5, write_zarr
from .duplicates import combining
from .edge_lists import read_edges, write_edges
from .graph import Graph
from .matrix_market import mmread, mmwrite
from .networkx_files import reader, writer
from .node_values import NodeValues
from .scipy_sparse import load_npz, save_npz
from .text_files import compressed_suffix, pieces
from .text_graphs import read_dimacs, read_ldbc, read_metis, write_dimacs, write_ldbc, write_metis

HEAD = 2**12  # bytes that are looked at


class Format(NamedTuple):
    """A format: its suffixes, its functions, the options of its reader, and what it stores."""

    suffixes: str
    read: Callable[..., object]
    write: Callable[..., None]
    options: str = ""  # of: columns directed dtype duplicates
    stores: str = "Graph"  # the types that it writes
    labels: bool = False  # whether it has a place for labels
    start: str = ""  # a regular expression that matches the beginning of its files, and of no others
    compressed: bool = True  # whether the file may be compressed
    extra: str = ""  # the packages to install
    bits: int | None = None  # of the integers that it stores, with other real numbers; None: all types


def _matrix_market(path: Source, *, duplicates: OperatorLike | None = None) -> Matrix:
    return mmread(path, dup_op=combining(duplicates))


TABLES = "columns directed dtype duplicates"
OBJECTS = "Graph Matrix Vector"
EDGES = ".txt .el .wel .edges .edgelist .tsv .csv .konect"
DIMACS = r"(c[^\n]*\n)*p[ \t]+\w+[ \t]+\d"
GML = r"(Creator[^\n]*\n|\s|#[^\n]*\n)*graph\s*\["
GRAPHML = r"\s*(<\?xml[^>]*>\s*)?<graphml"
PAJEK = r"(?i)(%[^\n]*\n|\s)*\*(vertices|network)"
#: All formats; of those without a known suffix or beginning, the last one.
# fmt: off
FORMATS: dict[str, Format] = {
    "Matrix Market": Format(
        ".mtx", _matrix_market, mmwrite, "duplicates", "Graph Matrix", start="%%MatrixMarket"),
    "grb": Format(".grb", load, save, stores=OBJECTS, labels=True, start="GRBLAS", compressed=False),
    "NPZ": Format(".npz", load_npz, save_npz, stores="Graph Matrix", start="PK\x03\x04", compressed=False),
    "Parquet": Format(
        ".parquet", read_table, write_table, TABLES, f"{OBJECTS} NodeValues", True, "PAR1", False, "arrow"),
    "Feather": Format(
        ".feather .arrow", read_table, write_table, TABLES, f"{OBJECTS} NodeValues", True, "ARROW1", False, "arrow"),
    "binsparse, HDF5": Format(".h5 .hdf5", read_hdf5, write_hdf5, "", OBJECTS, False, "\x89HDF", False, "files"),
    "binsparse, Zarr": Format(".zarr", read_zarr, write_zarr, "", OBJECTS, compressed=False, extra="files"),
    "METIS": Format(".graph .metis", read_metis, write_metis, "directed", bits=53),
    "DIMACS": Format(".gr .sp .col .dimacs", read_dimacs, write_dimacs, "directed duplicates", start=DIMACS, bits=53),
    "GML": Format(".gml", reader("gml"), writer("gml"), labels=True, start=GML, extra="networkx", bits=53),
    "GraphML": Format(
        ".graphml .xml", reader("graphml"), writer("graphml"), labels=True, start=GRAPHML, extra="networkx", bits=53),
    "Pajek": Format(
        ".net .pajek", reader("pajek"), writer("pajek"), labels=True, start=PAJEK, extra="networkx", bits=53),
    "LDBC": Format(".v .e .properties", read_ldbc, write_ldbc, "directed dtype duplicates", labels=True, bits=53),
    "GAPBS": Format(".sg .wsg", read_gapbs, write_gapbs, bits=31),
    "ECL": Format(".egr", read_ecl, write_ecl, bits=31),
    "edge list": Format(EDGES, read_edges, write_edges, TABLES, labels=True, bits=53),
}
# fmt: on
SUFFIXES = {suffix: name for name, each in FORMATS.items() for suffix in each.suffixes.split()}


def format_of(path: PathLike, format: str | None = None, *, exists: bool = True) -> str:
    """The name of the format of a file: as given, by its beginning, or by its suffix.

    >>> format_of("roads.gr.gz", exists=False), format_of("out.petster", exists=False)
    ('DIMACS', 'edge list')
    """
    if format is not None:
        if format not in FORMATS:
            hint = did_you_mean(format, FORMATS) or f"; there are {', '.join(FORMATS)}"
            raise ValueError(f"unknown format {format!r}{hint}")
        return format
    if is_archive(path):
        return "Matrix Market"
    suffix = plain_suffix(path)
    named = SUFFIXES.get(suffix)
    if not exists:
        if named is None and not _is_konect(path):
            raise ValueError(f"{os.fspath(path)}: unknown suffix {suffix!r}; there are {', '.join(SUFFIXES)}")
        return named or "edge list"
    if named == "LDBC":
        return named
    if named == "binsparse, Zarr" or any(os.path.exists(os.path.join(path, file)) for file in ("zarr.json", ".zgroup")):
        return "binsparse, Zarr"
    if not os.path.exists(path) and any(os.path.exists(f"{os.fspath(path)}{end}") for end in (".e", ".v")):
        return "LDBC"
    head = next(pieces(path), b"")[:HEAD].decode("latin-1")
    found = next((name for name, each in FORMATS.items() if each.start and re.match(each.start, head)), None)
    return found or named or "edge list"


def plain_suffix(path: PathLike) -> str:
    """The suffix of a name, without that of a compression, in lower case.

    >>> plain_suffix("A.MTX.gz")
    '.mtx'
    """
    name = os.fspath(path)
    name = name.removesuffix(compressed_suffix(name))
    return os.path.splitext(name)[1].lower()


def _is_konect(path: PathLike) -> bool:
    return os.path.basename(os.fspath(path)).startswith("out.")


def read(
    path: PathLike,
    format: str | None = None,
    *,
    columns: Sequence[str | int] | None = None,
    directed: bool | None = None,
    dtype: DTypeLike | None = None,
    duplicates: OperatorLike | None = None,
) -> Any:
    """The object in a file of any supported format, which its beginning and its name tell.

    Files of graphs give a Graph, files of matrices (Matrix Market, .npz, .grb, binsparse) the object that was written.

    Parameters
    ----------
    path : str or path
        The file; text may be compressed (.gz, .bz2, .xz, .zst).
    format : str, optional
        The name of the format, if the file does not tell: one of ``gb.io.formats()``.
    columns : sequence of two or three, optional
        The columns of source, target and weight in a table or an edge list, by name or number.
    directed : bool, optional
        Whether an edge leads one way; by default as the file says, and True if it does not.
    dtype : dtype, optional
        The type of the weights of a table or an edge list.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.

    Returns
    -------
    Graph, Matrix or Vector

    Raises
    ------
    ValueError
        If the file is malformed; the message has its name and, for text, the line.
    TypeError
        If the format has no such option.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import grblas_gpu as gb
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "trips.csv").write_text("from,to,km\\nann,bob,2.5\\n")
    ...     gb.io.read(f"{folder}/trips.csv").edges(data=True)
    [('ann', 'bob', 2.5)]
    """
    name = format_of(path, format)
    found = FORMATS[name]
    given = {"columns": columns, "directed": directed, "dtype": dtype, "duplicates": duplicates}
    given = {option: value for option, value in given.items() if value is not None}
    unknown = next((option for option in given if option not in found.options.split()), None)
    if unknown is not None:
        raise TypeError(f"io.read: {name} has no option {unknown!r}: {os.fspath(path)}")
    return found.read(path, **given)


def write(path: PathLike, x: Any, format: str | None = None) -> None:
    """Write a Graph, Matrix or Vector to a file in the format of its suffix.

    A format without a place for labels accepts a Graph whose nodes are 0, 1, 2, ... or 1, 2, 3, ...

    Parameters
    ----------
    path : str or path
        The file; text is compressed if the name ends in .gz, .bz2, .xz or .zst.
    x : Graph, Matrix, Vector or NodeValues
        The object to write.
    format : str, optional
        The name of the format: one of ``gb.io.formats()``.

    Raises
    ------
    TypeError
        If the format does not store objects of this type.
    ValueError
        If the suffix is unknown, or the format cannot store the labels or values.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import grblas_gpu as gb
    >>> with TemporaryDirectory() as folder:
    ...     gb.io.write(f"{folder}/path.gr.gz", gb.generators.path(3))
    ...     gb.io.read(f"{folder}/path.gr.gz")
    Graph(directed, 3 nodes, 4 entries, INT64)
    """
    name = format_of(path, format, exists=False)
    found = FORMATS[name]
    x = x.new() if isinstance(x, TransposedMatrix) else x
    kind = type(x).__name__
    if isinstance(x, Matrix) and "Matrix" not in found.stores:
        x, kind = Graph(x, directed=not x.is_symmetric()), "Graph"
    if kind not in found.stores.split() or not isinstance(x, (Graph, Matrix, Vector, NodeValues)):
        raise TypeError(f"io.write: {name} stores {found.stores.replace(' ', ', ')}; got {type_text(x)}")
    if compressed_suffix(path) and not found.compressed:
        raise ValueError(f"{os.fspath(path)}: {name} files are not compressed again")
    if isinstance(x, Graph) and not found.labels:
        if not numbered(x):
            said = f"{name} has no place for labels; write x.matrix, or a format with labels"
            raise ValueError(f"{os.fspath(path)}: {said}, such as .parquet or .graphml")
        x = x.matrix if "Matrix" in found.stores else x
    found.write(path, x if found.bits is None else _real(x, found.bits, f"{os.fspath(path)}: {name}"))


def _real(graph: Graph, bits: int, what: str) -> Graph:
    """The graph for a format of real numbers: values that would come back as others are an error, False becomes 0."""
    values = graph.matrix.to_coo()[2]
    if values.dtype == bool and not values.all():
        return Graph._trusted(graph.matrix.dup("INT8"), graph._stored_labels, graph.directed)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{what} stores real numbers, not {graph.matrix.dtype}; write .grb")
    if values.dtype.kind in "iu" and len(values) and max(int(values.max()), -int(values.min())) > 2**bits:
        raise ValueError(f"{what} stores integers up to 2**{bits}; write .grb or .parquet")
    return graph


def numbered(graph: Graph) -> bool:
    """Whether the labels are consecutive numbers from 0 or 1 on."""
    labels = graph._stored_labels
    first = labels[0] if len(labels) else 0
    if isinstance(labels, range):
        return labels.start in (0, 1)
    return first in (0, 1) and all(type(label) is int and label == k for k, label in enumerate(graph.labels, first))


def formats() -> dict[str, str]:
    """The names of all formats, and their suffixes.

    Examples
    --------
    >>> import grblas_gpu as gb
    >>> gb.io.formats()["METIS"]
    '.graph .metis'
    """
    return {name: each.suffixes for name, each in FORMATS.items()}
