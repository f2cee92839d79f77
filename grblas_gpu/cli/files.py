"""Graphs in files, of the format that the name tells; ``-`` is standard input or output."""

from __future__ import annotations

import bz2
import gzip
import io as streams
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np

from .. import io
from ..api.conversions import MAX_SIZE
from ..api.tables import arrow_table
from ..config import config
from ..foundation.progress import elapsed
from ..foundation.suggestions import needed
from ..foundation.types import Json, Source
from ..io.archives import SUFFIXES as ARCHIVES, is_archive, matrix_in
from ..io.arrow_files import write_arrow_file
from ..io.formats import FORMATS as FILE_FORMATS, SUFFIXES, format_of
from ..io.replacing import replacing
from ..io.text_files import opened
from .memory import check_file

if TYPE_CHECKING:
    from ..api.matrix import Matrix

STANDARD = "-"
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
EDGE_LISTS = {".txt": None, ".el": None, ".wel": None, ".edges": None, ".edgelist": None, ".tsv": "\t", ".csv": ","}
OTHERS = {suffix: kind for suffix, kind in SUFFIXES.items() if kind not in ("edge list", "Matrix Market", "NPZ", "grb")}
FORMATS = f".mtx and {', '.join(EDGE_LISTS)} (also with {', '.join(COMPRESSED)}), .npz, .grb, {', '.join(OTHERS)}"
LONGEST_BANNER = 200  # bytes
_OPENERS = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress, b"\xfd7": lzma.decompress}  # by their first bytes


class UsageError(ValueError):
    """Arguments that contradict each other or this graph: exit code 2."""


class Loaded(NamedTuple):
    """An adjacency Matrix, the labels of its vertices (None: vertices are numbers), and whether edges lead one way."""

    matrix: Matrix
    labels: list | None = None
    directed: bool = True

    def vertex(self, text: str) -> int:
        """The number of the vertex that a user means: its label, or its number."""
        if self.labels is not None and text in self.labels:
            return self.labels.index(text)
        try:
            number = int(text)
        except ValueError:
            known = "" if self.labels is None else f"; some labels: {', '.join(map(str, self.labels[:5]))}"
            raise UsageError(f"no vertex has the label {text!r}{known}") from None
        if self.labels is not None:
            if number in self.labels:
                return self.labels.index(number)
            raise UsageError(f"no vertex has the label {text!r}; some labels: {', '.join(map(str, self.labels[:5]))}")
        if not 0 <= number < self.matrix.nrows:
            vertices = f"vertices 0 to {self.matrix.nrows - 1}" if self.matrix.nrows else "no vertices"
            raise UsageError(f"{number} is not a vertex: the graph has {vertices}")
        return number

    def same_vertices(self, other: Loaded) -> Matrix:
        """The Matrix of another graph, with the vertices in the order of this one."""
        from .. import Matrix

        n = self.matrix.nrows
        rows, columns, values = other.matrix.to_coo()
        place = [self.vertex(str(other.label(vertex))) for vertex in range(other.matrix.nrows)]
        order = np.array(place, np.int64)
        return Matrix.from_coo(order[rows], order[columns], values, nrows=n, ncols=n)

    def label(self, vertex: int) -> object:
        return vertex if self.labels is None else self.labels[vertex]


def suffix(name: str) -> str:
    """The suffix of the format, without the suffix of a compression.

    >>> suffix("graph.mtx.gz"), suffix("a.b.npz"), suffix("edges"), suffix("HB.tar.gz")
    ('.mtx', '.npz', '', '.mtx')
    """
    path = Path(name)
    if name.lower().endswith(ARCHIVES):
        return ".mtx"
    return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix


def read_graph(
    name: str,
    *,
    undirected: bool = False,
    weighted: bool = True,
    base: int = 0,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    duplicates: str = "error",
    labels: bool = False,
    force: bool = False,
) -> Loaded:
    """The graph in a file; files without a known suffix are edge lists, of numbers or of labels.

    ``undirected`` enters every edge in both directions, ``base`` is the number of the first vertex of an edge list.
    ``labels`` means that all vertices are labels, even if those of the first edge look like numbers.
    ``duplicates`` is the policy for an edge that is listed twice; without ``weighted``, it may have several weights.
    """
    if not weighted and duplicates == "error":
        duplicates = "first"
    table: Json = {"header": header, "columns": columns, "duplicates": duplicates}
    if name == STANDARD:
        kind, source = _standard_input()
    else:
        check_file(name, suffix(name), compressed=Path(name).suffix in (*COMPRESSED, ".tgz"), force=force)
        kind, source = "edge list" if suffix(name) in EDGE_LISTS else format_of(name), name
    trusted = config.set(read_limit=MAX_SIZE) if force else nullcontext()
    with trusted, elapsed(f"reading {name}"):
        if kind == "edge list":
            found: Any = _edge_list(source, base, labels, table)
        else:
            given = {"columns": columns, "duplicates": None if duplicates == "error" else duplicates}
            options = FILE_FORMATS[kind].options.split()
            found = FILE_FORMATS[kind].read(source, **{name: given[name] for name in options if given.get(name)})
    graph = _loaded(found)
    if kind == "Matrix Market":
        graph = graph._replace(directed=not _is_announced_symmetric(source))
    return graph._replace(matrix=_undirected(graph, weighted), directed=False) if undirected else graph


def _is_announced_symmetric(source: Source) -> bool:
    """Whether the banner of a Matrix Market file says that it has each edge once, for both directions."""
    if hasattr(source, "seek"):
        source.seek(0)
    with matrix_in(source) if is_archive(source) else opened(source, "rb") as file:
        banner = file.read(LONGEST_BANNER).partition(b"\n")[0]
    return banner.lower().split()[4:5] in ([b"symmetric"], [b"hermitian"])


def _loaded(found: Matrix | io.Graph) -> Loaded:
    if not isinstance(found, io.Graph):
        return Loaded(found)
    labels: Any = found._stored_labels
    if isinstance(labels, list):
        numbered = all(type(label) is int and label == i for i, label in enumerate(labels))
    else:
        numbered = np.array_equal(labels, np.arange(len(labels)))
    return Loaded(found.matrix, None if numbered else found.labels, found.directed)


def _edge_list(source: Source, base: int, labels: bool, table: Json) -> Matrix | io.Graph:
    """Vertices are numbers if those of the first edge are numbers and ``labels`` is false."""
    from ..io.edge_table import data_lines, layout_of
    from ..io.text_files import name_of, text_of

    text, name = text_of(source), name_of(source)
    layout = layout_of(text, name, header=table["header"], columns=table["columns"], labels=labels)
    first = next((layout.fields(line) for number, line in data_lines(text) if number != layout.header), [])
    ends = [first[k].strip() for k in (layout.columns or (0, 1))[:2] if k < len(first)]
    given = _Text(text, name)
    if not labels and all(end.lstrip("+-").isdigit() for end in ends):
        return io.read_edgelist(given, delimiter=layout.delimiter, base=base, **table)
    return io.Graph.read_edgelist(given, delimiter=layout.delimiter, **table)


class _Text(streams.StringIO):
    """Text with the name of its file."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


class _StandardInput(streams.BytesIO):
    """The content of standard input, with that name in messages."""

    name = "standard input"


def _standard_input() -> tuple[str, Any]:
    """The format of standard input, and its content."""
    content = sys.stdin.buffer.read()
    for start, decompress in _OPENERS.items():
        if content.startswith(start):
            try:
                content = decompress(content)
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                raise ValueError(f"{_StandardInput.name}: {error}") from None
    if content[257:262] == b"ustar":
        with matrix_in(_StandardInput(content)) as file:
            return "Matrix Market", _StandardInput(file.read())
    if content.startswith(b"PK"):
        return "NPZ", _StandardInput(content)
    if content.startswith(b"GRBLAS"):
        raise UsageError("a .grb file is memory-mapped and cannot come from standard input; give its name")
    if content[:14].lower() == b"%%matrixmarket":
        return "Matrix Market", _StandardInput(content)
    return "edge list", _StandardInput(content)


def write_graph(name: str, A: Matrix) -> None:
    """Write a Matrix in the format of the suffix; to standard output as an edge list."""
    kind = suffix(name)
    with elapsed(f"writing {name}"):
        if name == STANDARD:
            io.write_edgelist(sys.stdout, A)
        elif kind in EDGE_LISTS:
            io.write_edgelist(name, A, delimiter=EDGE_LISTS[kind] or " ")
        else:
            io.write(name, A)


def check_writable(name: str) -> None:
    """Check the output name before work begins: a known format, and a folder that exists."""
    if name == STANDARD:
        return
    if suffix(name) not in (".mtx", ".npz", ".grb", *EDGE_LISTS, *OTHERS) or name.lower().endswith(ARCHIVES):
        raise UsageError(f"{name}: unknown suffix; formats: {FORMATS}")
    check_folder(name)


def check_folder(name: str) -> None:
    if name != STANDARD and not Path(name).absolute().parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(Path(name).parent))


def write_table(name: str, columns: Sequence[str], rows: Iterable[tuple], delimiter: str | None = None) -> None:
    """Write a table in the format of the suffix; text has a line for each row, with commas and a header in .csv."""
    kind = suffix(name)
    if kind in TABLES:
        TABLES[kind](name, dict(zip(columns, zip(*rows, strict=True), strict=False)) or dict.fromkeys(columns, ()))
        return
    delimiter = delimiter or EDGE_LISTS.get(kind) or " "
    with _output(name) as file:
        if delimiter == ",":
            file.write(",".join(columns) + "\n")
        file.writelines(delimiter.join(_quoted(cell, delimiter) for cell in row) + "\n" for row in rows)


def check_table(name: str) -> None:
    """Check the name of a table before work begins: a known format, and a folder that exists."""
    if name != STANDARD and suffix(name) not in (*TABLES, *EDGE_LISTS, ""):
        raise UsageError(f"{name}: unknown suffix; formats: {', '.join((*TABLES, *EDGE_LISTS))}")
    if suffix(name) in ARROW_TABLES:
        needed("pyarrow", f"a {suffix(name)} file", "'grblas_gpu[arrow]'")
    check_folder(name)


def _write_json(name: str, columns: dict[str, Sequence]) -> None:
    """A list with an object for each row."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    with opened(name, "wt") as file:
        json.dump(rows, file)
        file.write("\n")


def _write_npz(name: str, columns: dict[str, Sequence]) -> None:
    with replacing(name) as path, open(path, "wb") as file:
        np.savez(file, allow_pickle=False, **{title: np.array(column) for title, column in columns.items()})


def _write_arrow(name: str, columns: dict[str, Sequence]) -> None:
    table = arrow_table({title: list(column) for title, column in columns.items()}, suffix(name))
    with replacing(name) as path:
        write_arrow_file(path, table, suffix(name))


#: Formats of tables that are not lines of text.
ARROW_TABLES = (".parquet", ".feather", ".arrow")
TABLES: dict[str, Callable[[str, dict[str, Sequence]], None]] = {
    ".json": _write_json,
    ".npz": _write_npz,
    **dict.fromkeys(ARROW_TABLES, _write_arrow),
}


@contextmanager
def _output(name: str) -> Iterator[TextIO]:
    if name == STANDARD:
        yield sys.stdout
        return
    with opened(name, "wt") as file:
        yield file


def _quoted(label: object, delimiter: str) -> str:
    text = str(label)
    if any(mark in text for mark in f'{delimiter}"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _undirected(graph: Loaded, weighted: bool) -> Matrix:
    """Every edge in both directions. If both directions have a weight in the file, the two must be equal."""
    from .. import binary, select

    A = graph.matrix if weighted else graph.matrix.pattern()
    if A.nrows != A.ncols:
        raise UsageError(f"the adjacency matrix of a graph must be square; got {A.nrows} x {A.ncols}")
    if A.is_symmetric():
        return A
    # i and j are joined both ways, and A_ij != A_ji
    rows, cols, _ = select.valueeq(binary.ne(A & A.T).new(), True).new().to_coo()
    if len(rows):
        i, j = int(rows[0]), int(cols[0])
        ends = f"between {graph.label(i)} and {graph.label(j)}"
        said = "an edge listed in both directions must have equal weights"
        raise UsageError(f"--undirected: {said}; the one {ends} has {A.get(i, j)} and {A.get(j, i)}")
    return binary.first(A | A.T).new()
