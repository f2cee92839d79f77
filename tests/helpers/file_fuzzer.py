"""Mutated files for every reader, in a separate process: readers may only return or raise ValueError.

python tests/helpers/file_fuzzer.py mmread 50000 7
python tests/helpers/file_fuzzer.py all 50000 7 count     # go on after findings, and count them
"""

import bz2
import faulthandler
import gzip
import json
import lzma
import os
import random
import signal
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from grblas_gpu import Graph, Matrix, Vector, binary, config, io
from grblas_gpu.exceptions import InvalidObject

H = b"%%MatrixMarket matrix coordinate real general\n"
LONGEST = 20  # processor seconds for one file
MOST = 2**20  # positions of objects that the fuzzer computes with


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
    objects += [Graph(Matrix.from_coo([0, 2], [1, 1], 2.5, nrows=2**10, ncols=2**10)), Matrix.from_dense(np.eye(3))]
    objects += [Matrix.from_coo([7], [8], 1, nrows=2**40, ncols=2**40), Matrix.from_scalar(True, 3, 4)]
    objects += [Vector.from_coo(range(0, 64, 2), True, size=64)]
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


def used(x: Graph | Matrix | Vector) -> int:
    """Operations that touch every array of an object. An object that a reader accepts must be consistent."""
    str(x)
    if isinstance(x, Graph):
        assert len(x.labels) == x.matrix.nrows
        x = x.matrix
    if x.nvals > MOST:  # iso values, which a small file can have
        return x.nvals
    *indices, values = x.to_coo()
    for index, size in zip(indices, x.shape, strict=True):
        assert len(index) == len(values) == x.nvals
        assert not len(index) or 0 <= index.min() <= index.max() < size
    if max(x.shape, default=0) > MOST:
        return x.nvals
    assert binary.second(x & x).new().nvals == x.nvals
    x.reduce("count").new() if x.ndim == 1 else x.reduce_rowwise("count").new()
    if x.ndim == 2:
        assert x.T.new().T.new().isequal(x) or not np.all(values == values)
        binary.first(x | x).new()
    if x.ndim == 2 and x.dtype.np_type.kind != "b":
        (x @ Vector.from_scalar(1, x.ncols, x.dtype)).new()
    return x.nvals


def serialized(kind: type) -> list[bytes]:
    objects = [x for x in [*matrices(), Matrix.from_dense(np.eye(3)), Matrix(float, 2**40, 2**40)] if kind is Matrix]
    objects += [Vector.from_coo([0, 2], [5, 6], size=4), Vector.from_dense(np.arange(6.0))] if kind is Vector else []
    return [x.ss.serialize(way).tobytes() for x in objects for way in ("default", None)]


def deserialized(kind: type, path: str) -> int:
    content = Path(path).read_bytes()
    try:
        return used(kind.ss.deserialize(np.frombuffer(content, np.uint8) if len(content) % 2 else content))
    except InvalidObject as error:  # the class of python-graphblas; there is no file to name
        raise ValueError(f"fuzzed: {error}") from error


def open_file(path: str) -> Any:
    """The file as a program may have opened it: for bytes, for text, or by a decompressor."""
    if path.endswith(".gz"):
        return gzip.open(path)
    content = Path(path).read_bytes()
    if len(content) % 3 == 0:
        return open(path, "rb")
    return open(path, encoding="utf-8") if len(content) % 3 == 1 else StringIO(content.decode("latin-1"))


def edges_of_open_file(path: str, read: Callable[..., Any]) -> int:
    with open_file(path) as given:
        if isinstance(given, StringIO):
            given.name = "fuzzed"  # type: ignore[attr-defined]
        length = os.path.getsize(path)
        kind = (int, float, bool, complex, "INT8", None)[length % 6]
        options = ({}, {"columns": (0, 1)}, {"columns": (1, 0, 2)}, {"header": True}, {"delimiter": ","})[length % 5]
        combine = binary.lor if kind is bool else binary.any
        return used(read(given, dup_op=combine, dtype=kind, directed=bool(length % 2), **options))


def market_of_open_file(path: str) -> int:
    with open_file(path) as given:
        if isinstance(given, StringIO):
            given.name = "fuzzed"  # type: ignore[attr-defined]
        return used(io.mmread(given, dup_op=binary.plus))


def compressed(seeds: Callable[[], list[bytes]], compress: Callable[[bytes], bytes]) -> Callable[[], list[bytes]]:
    return lambda: [compress(content) for content in seeds()]


def tarred(content: bytes) -> bytes:
    target = BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        member = tarfile.TarInfo("fuzzed/fuzzed.mtx")
        member.size = len(content)
        archive.addfile(member, BytesIO(content))
    return target.getvalue()


def market_of(path: str) -> int:
    return used(io.mmread(path, dup_op=binary.plus))


#: The reader, the suffix of its files, and whole files.
READERS = {
    "mmread": (market_of, ".mtx", market),
    "mmread .gz": (market_of, ".mtx.gz", compressed(market, gzip.compress)),
    "mmread .bz2": (market_of, ".mtx.bz2", compressed(market, bz2.compress)),
    "mmread .xz": (market_of, ".mtx.xz", compressed(market, lzma.compress)),
    "mmread .tar.gz": (market_of, ".tar.gz", compressed(market, tarred)),
    "read_edgelist": (lambda path: used(io.read_edgelist(path, dup_op=binary.plus)), ".txt", lists),
    "read_edgelist .gz": (
        lambda path: used(io.read_edgelist(path, dup_op=binary.plus)),
        ".txt.gz",
        compressed(lists, gzip.compress),
    ),
    "read_edgelist of an open file": (lambda path: edges_of_open_file(path, io.read_edgelist), ".txt", lists),
    "Graph.read_edgelist of an open file": (
        lambda path: edges_of_open_file(path, Graph.read_edgelist),
        ".txt.gz",
        compressed(lists, gzip.compress),
    ),
    "mmread of an open file": (market_of_open_file, ".mtx", market),
    "mmread of an open .gz": (market_of_open_file, ".mtx.gz", compressed(market, gzip.compress)),
    "Graph.read_edgelist": (lambda path: used(Graph.read_edgelist(path)), ".txt", lists),
    "load": (lambda path: used(io.load(path)), ".grb", own),
    "load mapped": (lambda path: used(io.load(path, mmap=True)), ".grb", own),
    "load_npz": (lambda path: used(io.load_npz(path, dup_op=binary.plus)), ".npz", archives),
    "Matrix.ss.deserialize": (lambda path: deserialized(Matrix, path), ".npz", lambda: serialized(Matrix)),
    "Vector.ss.deserialize": (lambda path: deserialized(Vector, path), ".npz", lambda: serialized(Vector)),
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
    """A file of ours without checksums, or with checksums of the changed parts: others would find every change."""
    length = int.from_bytes(content[8:16], "little")
    fields = json.loads(content[24 : 24 + length])
    ends, place = [], 24 + length
    for array in fields["arrays"]:
        place += -place % 64
        size = np.dtype(array[1]).itemsize * array[2]
        ends.append(content[place : place + size])
        place += size
    ends = [mutated(end, [end or b"x"], source) if source.random() < 0.3 else end for end in ends]
    if source.random() < 0.6:
        misdescribed(fields, source)
    version = source.choice((1, 2, 3))
    for array, end in zip(fields["arrays"], ends, strict=False):
        array[3:] = [] if version == 1 else [zlib.crc32(end)]
    header = json.dumps(fields).encode()
    header = mutated(header, others, source) if source.random() < 0.3 else header
    data = b"GRBLAS\0" + bytes([version]) + len(header).to_bytes(8, "little")
    data += b"" if version == 1 else zlib.crc32(header).to_bytes(8, "little")
    data += header
    for end in ends:
        data += b"\0" * (-len(data) % 64) + end
    return data


def misdescribed(fields: dict, source: random.Random) -> None:
    """Change one field of a header, or one in the description of an array, to another plausible or odd value."""
    names = "indptr indices rows starts values present labels".split()
    types = "<i8 >i8 <i4 <u4 <u8 |b1 |u1 <f8 >f8 <f4 <c16 <i2 |i1 |S8 |O <M8[s] <U2 i8,i8 2i8 int".split()
    numbers = [-1, 0, 1, 2, 3, 4, 64, 2**30, 2**31, 2**60, 2**63, 10**30, 1.5, "3", None, True, [3]]
    kind = source.randrange(6)
    if kind == 0 and fields["shape"]:
        fields["shape"][source.randrange(len(fields["shape"]))] = source.choice(numbers)
    elif kind == 1:
        array = source.choice(fields["arrays"])
        array[source.randrange(3)] = source.choice(source.choice((names, types, numbers)))
    elif kind == 2:
        source.choice(fields["arrays"])[1] = source.choice(types)
    elif kind == 3:
        fields["kind"] = source.choice(("Matrix", "Vector", "Graph", "Scalar", None, 7, []))
    elif kind == 4:
        fields["dtype"] = source.choice(("INT64", "FP64", "BOOL", "UINT8", "FC64", "INT64[3]", "int", ">f8", None, "O"))
    else:
        fields["arrays"].append(list(source.choice(fields["arrays"])))


def run(name: str, count: int, seed: int, counting: bool = False) -> dict[str, int]:
    """Read ``count`` mutations; the numbers of accepted and refused ones.

    Any other error than ValueError ends it, or is counted.
    """
    read, suffix, make = READERS[name]
    source, seeds = random.Random(f"{name} {seed}"), make()
    tally, found = {"accepted": 0, "refused": 0}, Counter[str]()
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
            fault: Exception | None = None
            try:
                read(path)
                tally["accepted"] += 1
            except ValueError as error:
                tally["refused"] += 1
                said = str(error)
                if "fuzzed" not in said or len(said) > 1000:
                    fault = AssertionError(f"no name, or too long: {said[:300]}")
            except Exception as error:
                fault = error
            if fault is not None:
                if not counting:
                    raise AssertionError(f"{name}: {content[:2000]!r}: {type(fault).__name__}: {fault}") from fault
                found[f"{type(fault).__name__}: {str(fault)[:60]}"] += 1
    return tally | dict(found)


if __name__ == "__main__":
    faulthandler.enable()
    config.set(read_limit=2**24)
    for which in READERS if sys.argv[1] == "all" else sys.argv[1].split(","):
        print(json.dumps({which: run(which, int(sys.argv[2]), int(sys.argv[3]), "count" in sys.argv[4:])}), flush=True)
