"""Mutated files for every reader, in a separate process: readers may only return or raise ValueError.

python tests/helpers/file_fuzzer.py mmread 50000 7
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import signal
import sys
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from grblas_gpu import Graph, Matrix, Vector, binary, config, io

H = b"%%MatrixMarket matrix coordinate real general\n"
LONGEST = 20  # processor seconds for one file


def written(write, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        write(str(path))
        return path.read_bytes()


def matrices() -> list[Matrix]:
    return [
        Matrix.from_coo([0, 1, 2, 2], [1, 0, 2, 1], [1.5, -2.0, 3.0, 4.0], nrows=4, ncols=3),
        Matrix.from_coo([0, 1], [1, 2], [5, 6], nrows=3, ncols=3),
        Matrix.from_coo([0, 1], [1, 2], True, nrows=3, ncols=3),
    ]


def market() -> list[bytes]:
    seeds = [written(lambda path, A=A: io.mmwrite(path, A), ".mtx") for A in matrices()]
    seeds += [H + b"1 1 1\n1 1 2 ", H + b"1 1 1\n1 1 2\t", H + b"1 1 1\n1 1 2\r", H + b"1 1 1\n1 1 2 x"]
    seeds += [H.replace(b"general", b"symmetric") + b"% x\n3 3 2\n1 1 1e3\n3 2 .5\n"]
    seeds += [
        H.replace(b"real", b"pattern") + b"3 3 2\n1 1\n3 2\n",
        H.replace(b"real", b"integer") + b"2 2 1\n1 2 2.9\n",
    ]
    array = H.replace(b"coordinate", b"array")
    return [*seeds, array + b"2 2\n1\n2\n3\n4\n", array.replace(b"general", b"symmetric") + b"2 2\n1\n2\n3\n"]


def lists() -> list[bytes]:
    seeds = [written(lambda path, A=A: io.write_edgelist(path, A), ".txt") for A in matrices()]
    return [
        *seeds,
        b"# from,to\n0,1,2.5\n1,2,1e3\n",
        b"source;target\n0;1\n1;2\n",
        b"0 1\n1 \0 2\n",
        b"0\t1\n\n% x\n7 8\n",
    ]


def own() -> list[bytes]:
    objects = [*matrices(), Vector.from_coo([0, 2], [5, 6], size=4), Vector.from_scalar(1.5, 9)]
    objects += [Vector.from_dense(np.arange(6.0)), Graph.from_edges([("a", "b"), ("b", "c")])]
    return [written(lambda path, x=x: io.save(path, x), ".grb") for x in objects]


def archives() -> list[bytes]:
    seeds = []
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        for compressed in (False, True):
            target = BytesIO()
            sparse.save_npz(target, sparse.csr_array(np.eye(4) + 2).asformat(kind), compressed=compressed)
            seeds.append(target.getvalue())
    target = BytesIO()
    np.savez(target, format=b"csr", shape=[3, 3], indptr=[0, 10**9, 1, 2], indices=[0, 2], data=[1.5, 2.5])
    return [*seeds, target.getvalue()]


def part_of(path: str):
    from grblas_gpu.distributed.files import edges_of_file

    parts = [edges_of_file(path, rank, 3) for rank in range(3)]
    return sum(len(part.rows) for part in parts)


#: The reader, the suffix of its files, and whole files.
READERS = {
    "mmread": (lambda path: io.mmread(path, dup_op=binary.plus).nvals, ".mtx", market),
    "read_edgelist": (lambda path: io.read_edgelist(path, dup_op=binary.plus).nvals, ".txt", lists),
    "Graph.read_edgelist": (lambda path: Graph.read_edgelist(path).matrix.nvals, ".txt", lists),
    "load": (lambda path: str(io.load(path)), ".grb", own),
    "load mapped": (lambda path: str(io.load(path, mmap=True)), ".grb", own),
    "load_npz": (lambda path: io.load_npz(path, dup_op=binary.plus).nvals, ".npz", archives),
    "parts of text": (part_of, ".txt", lists),
    "parts of Matrix Market": (part_of, ".mtx", market),
    "parts of own files": (part_of, ".grb", own),
}
WORDS = [b"0", b"-1", b"1e999", b"9" * 30, b"99999999999", b"2147483648", b"nan", b"inf", b"\xff", b"\0", b"\r", b"\n"]
WORDS += [
    b"{",
    b"[" * 50,
    b'"',
    b"null",
    b"true",
    b"1e400",
    b"0x10",
    b"1_0",
    b" ",
    b",",
    b";",
    b"%",
    b"#",
    b"\xe2\x80\xa8",
]


def mutated(content: bytes, others: list[bytes], source: random.Random) -> bytes:
    """The content with a few bytes changed, inserted, deleted, repeated or taken from another file; perhaps cut."""
    data = bytearray(content)
    for _ in range(source.choice((1, 1, 1, 2, 4, 8))):
        at = source.randrange(len(data) + 1)
        length = source.choice((0, 1, 1, 2, 8))
        kind = source.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            data[at : at + length] = source.choice(WORDS)
        elif kind == 2:
            data[at : at + length] = source.randbytes(length)
        elif kind == 3:
            data[at : at + length] = b""
        elif kind == 4:
            data[at:at] = data[at : at + 20] * source.choice((1, 3))
        else:
            other = source.choice(others)
            start = source.randrange(len(other))
            data[at : at + length] = other[start : start + source.randrange(40)]
    return bytes(data[: source.choice((None, None, None, None, source.randrange(len(data) + 1)))])


def rezipped(content: bytes, others: list[bytes], source: random.Random) -> bytes:
    """A valid archive with a mutated member: its checksum matches the mutation."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = source.choice(list(members))
    members[name] = mutated(members[name], [*members.values()], source)
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for each, data in members.items():
            archive.writestr(each, data)
    return target.getvalue()


def first_version(content: bytes, others: list[bytes], source: random.Random) -> bytes:
    """A file of ours without checksums, which would find every change."""
    length = int.from_bytes(content[8:16], "little")
    fields = json.loads(content[24 : 24 + length])
    ends, place = [], 24 + length
    for array in fields["arrays"]:
        place += -place % 64
        size = np.dtype(array[1]).itemsize * array[2]
        ends.append(content[place : place + size])
        place += size
        del array[3]
    header = (
        mutated(json.dumps(fields).encode(), others, source) if source.random() < 0.6 else json.dumps(fields).encode()
    )
    data = b"GRBLAS\0\1" + len(header).to_bytes(8, "little") + header
    for array in ends:
        changed = mutated(array, [array or b"x"], source) if source.random() < 0.3 else array
        data += b"\0" * (-len(data) % 64) + changed
    return data


def run(name: str, count: int, seed: int) -> dict[str, int]:
    """Read ``count`` mutations; the numbers of accepted and refused ones. Any other error than ValueError ends it."""
    read, suffix, make = READERS[name]
    source, seeds = random.Random(f"{name} {seed}"), make()
    tally = {"accepted": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"fuzzed{suffix}")
        for number in range(count):
            seed_file = source.choice(seeds)
            change = mutated
            if number >= len(seeds) and source.random() < 0.6:
                change = {".npz": rezipped, ".grb": first_version}.get(suffix, mutated)
            content = seed_file if number < len(seeds) else change(seed_file, seeds, source)
            content = seeds[number] if number < len(seeds) else content
            Path(path).write_bytes(content)
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, LONGEST)  # its signal ends the process
            try:
                read(path)
                tally["accepted"] += 1
            except ValueError as error:
                tally["refused"] += 1
                said = str(error)
                if "fuzzed" not in said or len(said) > 1000:
                    raise AssertionError(f"{name}: {content[:2000]!r}: no name, or too long: {said[:300]}") from error
            except BaseException as error:
                raise AssertionError(f"{name}: {content[:2000]!r}: {type(error).__name__}: {error}") from error
    return tally


if __name__ == "__main__":
    faulthandler.enable()
    config.set(read_limit=2**24)
    for which in sys.argv[1].split(","):
        print(json.dumps({which: run(which, int(sys.argv[2]), int(sys.argv[3]))}), flush=True)
