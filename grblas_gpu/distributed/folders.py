"""Distributed objects in folders: every rank writes a file of its own, any number of ranks reads them.

A folder has ``part-0.npz``, ``part-1.npz`` and so on (positions, values, a checksum) and ``parts.json``. Rank 0
writes the latter after all parts. A folder without it, or with fewer parts than it lists, is incomplete.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..backends.mpi.faults import known_everywhere
from ..backends.mpi.grid import Grid
from ..foundation.types import Json, PathLike
from ..io.replacing import replacing

FORMAT = 1
DESCRIPTION = "parts.json"
Arrays = tuple[np.ndarray, ...]  # rows, columns and values of a matrix; indices and values of a vector


def write_parts(folder: PathLike, grid: Grid, description: dict[str, object], arrays: Arrays) -> None:
    """Write this rank's entries, then (rank 0) the description of the object; collective."""
    place = Path(folder)
    grid.check_same(folder=str(place))

    def begin() -> None:
        if grid.rank == 0:
            place.mkdir(parents=True, exist_ok=True)
            (place / DESCRIPTION).unlink(missing_ok=True)

    def write() -> None:
        named: Any = {f"array{number}": array for number, array in enumerate(arrays)}
        with replacing(_part(place, grid.rank)) as file, open(file, "wb") as stream:
            np.savez(stream, checksum=np.array([_checksum(arrays)], np.int64), **named)

    def finish() -> None:
        if grid.rank == 0:
            with replacing(place / DESCRIPTION) as file, open(file, "w", encoding="utf-8") as stream:
                json.dump({**description, "format": FORMAT, "parts": grid.size}, stream)

    for step in (begin, write, finish):
        grid.together(step)


def read_description(folder: PathLike, grid: Grid, kind: str) -> Json:
    """The description of a folder's content; the same on all ranks, or an error on all of them."""
    place = Path(folder)
    grid.check_same(folder=str(place))

    def read() -> Json:
        try:
            found = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))
            parts, shape = found["parts"], found["shape"]
            numbers = [found["format"], parts, *shape]
            if not all(type(number) is int and number >= 0 for number in numbers) or found["format"] != FORMAT:
                raise ValueError(f"format {found['format']}")
            if found["kind"] != kind or len(shape) != (2 if kind == "Matrix" else 1):
                raise ValueError(f"a {found['kind']}, not a {kind}")
            str(found["dtype"])
        except FileNotFoundError:
            said = f"no {DESCRIPTION}: not a folder of parts, or one that is not finished"
            raise FileNotFoundError(2, said, str(place)) from None
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{place}: damaged {DESCRIPTION}: {error}") from None
        return found

    found = grid.together(read)
    grid.check_same(**{DESCRIPTION: sorted(found.items(), key=str)})
    return found


def read_parts(folder: PathLike, parts: int, count: int, rank: int, ranks: int) -> Iterator[Arrays]:
    """The arrays of this rank's share of the parts; ranks take parts in turn."""
    for number in range(rank, parts, ranks):
        file = _part(Path(folder), number)
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = tuple(stored[f"array{k}"] for k in range(count))
                checksum = int(stored["checksum"][0])
        except FileNotFoundError:
            raise
        except Exception as error:  # reading a file of another kind may raise anything
            raise ValueError(f"{file}: damaged: {error}") from None
        if checksum != _checksum(arrays):
            raise ValueError(f"{file}: damaged: the checksum is another one")
        yield arrays


def files_of(path: PathLike | list[PathLike]) -> list[PathLike]:
    """The files of a graph: those of a list, or those of a folder in the order of their names."""
    if isinstance(path, (list, tuple)):
        files: list[PathLike] = list(path)
    elif Path(path).is_dir():
        files = [*sorted(file for file in Path(path).iterdir() if file.is_file() and not file.name.startswith("."))]
    else:
        return [path]
    if not files:
        raise known_everywhere(ValueError(f"{path}: no files"))
    return files


def _part(folder: Path, number: int) -> Path:
    return folder / f"part-{number}.npz"


def _checksum(arrays: Arrays) -> int:
    value = 0
    for array in arrays:
        value = zlib.crc32(str(array.dtype).encode(), value)
        value = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, value)
    return value
