"""Binary files of this library: the stored arrays without conversion, so reading is as fast as the disk, or mapped.

A file is the magic bytes (the last of them is the version of the format), the length and the checksum of the header,
the header (JSON: kind, type, shape, name, and the arrays with their checksums) and the arrays, each at a multiple of 64
bytes from the start of the file. Everything is little-endian; checksums are CRC-32. Version 1 had no checksums, and
version 2 only sparse matrices, which are still written as such.
"""

from __future__ import annotations

import json
import mmap as mapping
import os
import sys
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..api.base import ensure_type
from ..api.conversions import MAX_SIZE
from ..api.matrix import Matrix
from ..api.matrix_formats import compressed_store
from ..api.vector import Vector
from ..backends.registry import current_engine
from ..backends.stores.storage import INDEX, MatrixStore, VectorStore
from ..dtypes import lookup_dtype
from ..foundation.border import border, check_arrays, check_fields, check_memory, length_of, shown
from ..foundation.types import DataType, Json, PathLike
from .graph import Graph
from .replacing import replacing

#: The fields of a header, the arrays of a Matrix or a Vector in each storage format, and the kinds of their types.
FIELDS = {"kind": str, "dtype": str, "shape": list, "name": str, "arrays": list}
FORMATS = {
    "Matrix": {
        "sparse": "indptr indices values",
        "hypersparse": "rows starts indices values",
        "bitmap": "present values",
        "full": "values",
    },
    "Vector": {"sparse": "indices values", "bitmap": "present values", "full": "values"},
}
KINDS = dict.fromkeys(("indptr", "indices", "rows", "starts"), "iu") | {"present": "b", "labels": "u"}
BYTES_PER_LABEL = 100  # of a Graph in memory: a number, its place in a list and in a dictionary

MAGIC = b"GRBLAS\x00"
VERSION = 3
SPARSE_VERSION = 2  # the version for matrices by compressed rows and for vectors, which earlier releases read, too
_ALIGNMENT = 64
MAP_NORESERVE = 0x4000  # of Linux on x86-64 and ARM; the module mmap has it from Python 3.13
_LONGEST_HEADER = 1 << 20


def save(path: PathLike, x: Any) -> None:
    """Write a Matrix, Vector or Graph in this library's own format; an interrupted write leaves no partial file.

    Parameters
    ----------
    path : str or path
        The file; ``.grb`` is the usual suffix. The complete new file replaces an existing one.
    x : Matrix, Vector, Graph or expression
        A Graph is stored with its labels: text, numbers, None, and tuples of these.

    Raises
    ------
    TypeError
        If ``x`` is something else, or a label cannot be stored.

    Examples
    --------
    >>> import tempfile, os
    >>> from grblas_gpu import Vector, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "v.grb")
    ...     io.save(path, Vector.from_coo([0, 2], [5, 6], size=4))
    ...     io.load(path).to_dict()
    {0: 5, 2: 6}
    """
    graph = x if isinstance(x, Graph) else None
    labels = None if graph is None else labels_to_bytes(graph.labels)
    x = ensure_type(x if graph is None else graph.matrix, (Matrix, Vector))
    if x.dtype._is_udt:
        raise TypeError(f"save: a .grb file stores numbers, not records of dtype {x.dtype}; use pickle")
    host = x._engine.host
    arrays = {name: np.ascontiguousarray(host(array)) for name, array in x.device_arrays().items()}
    if isinstance(x, Vector) and not x._store.ordered:
        order = np.argsort(arrays["indices"])
        arrays["indices"] = arrays["indices"][order]
        if len(arrays["values"]) > 1:
            arrays["values"] = arrays["values"][order]
    if labels is not None:
        arrays["labels"] = labels
    arrays = {name: array.astype(array.dtype.newbyteorder("<"), copy=False) for name, array in arrays.items()}
    described = [[name, array.dtype.str, len(array), _checksum(array)] for name, array in arrays.items()]
    kind = "Graph" if graph is not None else "Matrix" if isinstance(x, Matrix) else "Vector"
    fields = {"kind": kind, "dtype": x.dtype.name, "shape": list(x.shape), "name": x.name, "arrays": described}
    if graph is not None:
        fields["directed"] = graph.directed
    header = json.dumps(fields).encode()
    if len(header) > _LONGEST_HEADER:
        raise ValueError(
            f"save: the name has {len(x.name)} characters, too many for a file; set x.name to a shorter one"
        )
    with replacing(path) as unfinished, open(unfinished, "wb") as file:
        version = VERSION if kind != "Vector" and "indptr" not in arrays else SPARSE_VERSION
        start = MAGIC + bytes([version]) + len(header).to_bytes(8, "little")
        file.write(start + zlib.crc32(header).to_bytes(8, "little") + header)
        for array in arrays.values():
            file.write(b"\x00" * (-file.tell() % _ALIGNMENT))
            array.tofile(file)


def _checksum(array: np.ndarray) -> int:
    return zlib.crc32(array.view(np.uint8).data)


def load(path: PathLike, *, mmap: bool = False, name: str | None = None) -> Any:
    """A Matrix, Vector or Graph from a file that :func:`save` wrote; its entry has an example.

    Parameters
    ----------
    path : str or path
        The file.
    mmap : bool
        Whether the arrays stay in the file and are read on demand; changes in memory do not reach the file. The
        structure is always checked, checksums of arrays only without ``mmap``.
    name : str, optional
        The name of the object; the saved name by default.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, or not written by :func:`save`.

    Examples
    --------
    >>> from grblas_gpu import io
    >>> io.load("nowhere.grb")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.grb'
    """
    fields, arrays = read_arrays(Path(path), mmap)
    with border(os.fspath(path), what="damaged: "):
        kind, dtype, shape = fields["kind"], lookup_dtype(fields["dtype"]), [_size(size) for size in fields["shape"]]
        name = fields["name"] if name is None else name
        labels = arrays.pop("labels", None) if kind == "Graph" else None
        form = check_arrays(arrays, FORMATS["Matrix" if kind == "Graph" else kind], KINDS)
        if arrays["values"].dtype != dtype.np_type:
            raise ValueError(f"values have dtype {arrays['values'].dtype}, but the header says {dtype.name}")
        if kind == "Vector":
            (size,) = shape
            return _vector(dtype, size, arrays, name)
        nrows, ncols = shape
        if kind == "Graph" and labels is None:
            check_memory(os.fspath(path), BYTES_PER_LABEL * nrows, length_of(path))
        engine = current_engine()
        matrix = Matrix._from_store(engine, dtype, engine.adopt(_matrix(form, dtype, nrows, ncols, arrays)), name)
        if kind == "Matrix":
            return matrix
        check_fields(fields, {"directed": bool})
        return Graph(matrix, None if labels is None else labels_from_bytes(labels), directed=fields["directed"])


def _size(number: object) -> int:
    if type(number) is not int or not 0 <= number <= MAX_SIZE:
        raise ValueError(f"size {shown(str(number))} is out of range")
    return number


def _matrix(form: str, dtype: DataType, nrows: int, ncols: int, arrays: dict[str, np.ndarray]) -> MatrixStore:
    values = arrays["values"]
    if form in ("bitmap", "full"):
        return _dense_matrix(nrows, ncols, arrays.get("present"), values)
    one = len(values) == 1 and len(arrays["indices"]) != 1
    rows, pointers = arrays.get("rows"), arrays["starts" if form == "hypersparse" else "indptr"]
    parts = pointers, arrays["indices"], values.reshape(()) if one else values
    lines, label = (nrows, "nrows") if rows is None else (len(rows), "rows")
    store, _ = compressed_store(*parts, dtype, lines, ncols, label, "column indices", copy=False)
    if rows is None:
        return store
    ascending = bool(np.all(rows[1:] > rows[:-1]))
    if not ascending or (len(rows) and (rows[0] < 0 or rows[-1] >= nrows)) or bool(np.any(np.diff(store.indptr) == 0)):
        raise ValueError("row numbers do not ascend within the shape, or a row has no entry")
    return MatrixStore.hypersparse(nrows, ncols, rows.astype(INDEX), store.indptr, store.indices, store.values)


def _dense_matrix(nrows: int, ncols: int, present: np.ndarray | None, values: np.ndarray) -> MatrixStore:
    positions = nrows * ncols
    if len(values) not in {1 if positions else 0, positions}:
        raise ValueError(f"{len(values)} values for {positions} positions")
    if present is None:
        return MatrixStore.full(nrows, ncols, values)
    if len(present) != positions:
        raise ValueError(f"{len(present)} flags for {positions} positions")
    return MatrixStore.bitmap(nrows, ncols, present, values)


def _vector(dtype: DataType, size: int, arrays: dict[str, np.ndarray], name: str) -> Vector:
    new = Vector(dtype, size, name=name)
    values, indices, present = arrays["values"], arrays.get("indices"), arrays.get("present")
    if indices is not None:
        ascending = bool(np.all(indices[1:] > indices[:-1]))
        if not ascending or (len(indices) and (indices[0] < 0 or indices[-1] >= size)):
            raise ValueError("indices do not ascend within the size")
    wanted = size if indices is None else len(indices)
    if len(values) not in {1 if wanted else 0, wanted}:
        raise ValueError(f"{len(values)} values for {wanted} entries")
    if present is not None and len(present) != size:
        raise ValueError(f"{len(present)} flags for {size} positions")
    new._store = new._engine.adopt(VectorStore(size, values, indices=indices, present=present))
    return new


def read_arrays(path: Path, mmap: bool) -> tuple[Json, dict[str, np.ndarray]]:
    """The header and the arrays, after a check that the file has all of them and (unless mapped) of their checksums."""
    arrays = {}
    with path.open("rb") as file:
        with border(os.fspath(path)):
            fields, described = _header(file)
        place, available = file.tell(), os.fstat(file.fileno()).st_size
        for name, dtype, count, checksum in described:
            place += -place % _ALIGNMENT
            if dtype.kind not in "biufc" or not 0 <= count <= available or place + count * dtype.itemsize > available:
                raise ValueError(f"{path}: ends within the array {shown(name)} ({count} x {dtype})")
            if mmap and count:
                arrays[name] = _mapped(file, place, dtype, count)
            else:
                file.seek(place)
                arrays[name] = np.fromfile(file, dtype, count)
                if checksum is not None and _checksum(arrays[name]) != checksum:
                    raise ValueError(f"{path}: damaged: wrong checksum of the array {shown(name)}")
            place += count * dtype.itemsize
    return fields, arrays


def _mapped(file: IO[bytes], place: int, dtype: np.dtype, count: int) -> np.ndarray:
    """An array in the file, copied page by page where the engine changes values; no memory is reserved for that, so the
    file may be larger than the memory."""
    start = place - place % mapping.ALLOCATIONGRANULARITY
    size = place - start + count * dtype.itemsize
    access: dict[str, int] = {"access": mapping.ACCESS_COPY}
    if sys.platform == "linux":
        access = {"flags": mapping.MAP_PRIVATE | MAP_NORESERVE, "prot": mapping.PROT_READ | mapping.PROT_WRITE}
    pages = mapping.mmap(file.fileno(), size, offset=start, **access)
    return np.frombuffer(pages, dtype, count, place - start)


def _header(file: IO[bytes]) -> tuple[Json, list[tuple[str, np.dtype, int, int | None]]]:
    """The fields, and the name, type, length and checksum of every array."""
    start = file.read(len(MAGIC) + 1 + 8)
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + 9:
        raise ValueError("not a file written by grblas_gpu.io.save")
    version, length = start[len(MAGIC)], int.from_bytes(start[len(MAGIC) + 1 :], "little")
    if not 1 <= version <= VERSION:
        raise ValueError(
            f"format version {version} is newer than {VERSION}, the latest that this release reads; update grblas_gpu"
        )
    checksum = int.from_bytes(file.read(8), "little") if version > 1 else None
    text = file.read(min(length, _LONGEST_HEADER))
    if len(text) != length or checksum not in (None, zlib.crc32(text)):
        raise ValueError("damaged header")
    fields = json.loads(text)
    check_fields(fields, FIELDS)
    if fields["kind"] not in ("Graph", *FORMATS):
        raise ValueError(f"damaged header: kind {shown(fields['kind'])}")
    described: dict[str, tuple[str, np.dtype, int, int | None]] = {}
    for entry in fields["arrays"]:
        if type(entry) is not list or [*map(type, entry[:3])] != [str, str, int] or entry[0] in described:
            raise ValueError(f"damaged header: malformed description of an array: {shown(str(entry))}")
        name, dtype, count, *more = entry
        described[name] = name, np.dtype(dtype), count, more[0] if more else None
    return fields, list(described.values())


# ---- labels as bytes, without pickle: loading an untrusted file can only create values -----------------------


def labels_to_bytes(labels: list) -> np.ndarray | None:
    """Labels in JSON as an array of bytes; None if every label is the number of its node.

    Text, numbers, None and tuples of these can be stored; other labels raise TypeError.

    >>> bytes(labels_to_bytes(["ann", ("x", 1)]))
    b'["ann",{"tuple":["x",1]}]'
    >>> labels_to_bytes([0, 1, 2]) is None
    True
    """
    if all(type(label) is int and label == i for i, label in enumerate(labels)):
        return None
    text = json.dumps([_plain(label) for label in labels], separators=(",", ":"), ensure_ascii=False)
    return np.frombuffer(text.encode(), np.uint8)


def labels_from_bytes(array: np.ndarray) -> list:
    """The stored labels; ValueError if they cannot be read.

    >>> labels_from_bytes(labels_to_bytes(["ann", ("x", 1)]))
    ['ann', ('x', 1)]
    """
    stored = json.loads(array.tobytes().decode())
    if not isinstance(stored, list):
        raise ValueError("labels are not a list")
    return [_restored(label) for label in stored]


def _plain(label: object) -> object:
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, tuple):
        return {"tuple": [_plain(part) for part in label]}
    if label is None or isinstance(label, (str, int, float)):
        return label
    raise TypeError(
        f"save: a label must be text, a number, None or a tuple of these; got {label!r} of type {type(label).__name__}"
    )


def _restored(label: object) -> object:
    if isinstance(label, dict):
        (parts,) = label.values()
        return tuple(_restored(part) for part in parts)
    if isinstance(label, list):
        raise ValueError("a label is a list")
    return label
