"""Graphs in files, of the format that the name tells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import io

if TYPE_CHECKING:
    from ..api.matrix import Matrix

COMPRESSED = (".gz", ".bz2", ".xz")
EDGE_LISTS = {".txt": None, ".el": None, ".edges": None, ".edgelist": None, ".tsv": "\t", ".csv": ","}
FORMATS = f".mtx and {', '.join(EDGE_LISTS)} (also with {', '.join(COMPRESSED)}), .npz, .grb"


def suffix(name: str) -> str:
    """The suffix that tells the format, without that of a compression.

    >>> suffix("graph.mtx.gz"), suffix("a.b.npz"), suffix("edges")
    ('.mtx', '.npz', '')
    """
    path = Path(name)
    return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix


def read_graph(name: str, *, undirected: bool = False, base: int = 0) -> Matrix:
    """The adjacency Matrix in a file; without a known suffix it is an edge list.

    ``undirected`` enters every edge in both directions, ``base`` is the number of the first vertex of an edge list.
    """
    kind = suffix(name)
    if kind == ".mtx":
        A = io.mmread(name)
    elif kind == ".npz":
        A = io.load_npz(name)
    elif kind == ".grb":
        A = io.load(name)
    else:
        return io.read_edgelist(name, delimiter=EDGE_LISTS.get(kind), base=base, directed=not undirected)
    return _symmetric(A) if undirected else A


def write_graph(name: str, A: Matrix) -> None:
    """Write a Matrix in the format that the name asks for."""
    kind = suffix(name)
    if kind == ".mtx":
        io.mmwrite(name, A)
    elif kind == ".npz":
        io.save_npz(name, A)
    elif kind == ".grb":
        io.save(name, A)
    elif kind in EDGE_LISTS:
        io.write_edgelist(name, A, delimiter=EDGE_LISTS[kind] or " ")
    else:
        raise ValueError(f"{name}: no format for this suffix; there are: {FORMATS}")


def check_writable(name: str) -> None:
    """Before work begins: a name whose format is known, in a folder that is there."""
    if suffix(name) not in (".mtx", ".npz", ".grb", *EDGE_LISTS):
        raise ValueError(f"{name}: no format for this suffix; there are: {FORMATS}")
    check_folder(name)


def check_folder(name: str) -> None:
    if not Path(name).absolute().parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(Path(name).parent))


def write_values(name: str, vector: Any) -> None:
    """A line with index and value for each entry of a Vector."""
    with open(name, "w", encoding="utf-8") as file:
        index, values = (array.tolist() for array in vector.to_coo())
        file.writelines(f"{i} {value}\n" for i, value in zip(index, values, strict=True))


def _symmetric(A: Matrix) -> Matrix:
    from .. import monoid

    pattern = A.pattern()
    return pattern if pattern.is_symmetric() else pattern.ewise_add(pattern.T, monoid.lor).new()
