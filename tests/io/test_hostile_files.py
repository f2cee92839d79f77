"""Files that lie about themselves are a ValueError that names them, and ask for no more memory than they can fill."""

import gzip
import json
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from running import printed_by

from grblas_gpu import Graph, Matrix, Vector, binary, io
from grblas_gpu.exceptions import InvalidObject, OutOfMemory

VECTOR = {"kind": "Vector", "dtype": "INT64", "shape": [4], "name": "v"}


def own_file(path: Path, arrays: dict[str, np.ndarray], **fields) -> Path:
    described = [[name, array.dtype.str, len(array), zlib.crc32(array.tobytes())] for name, array in arrays.items()]
    header = json.dumps({"arrays": described, **fields}).encode()
    return with_header(path, header, *arrays.values())


def with_header(path: Path, header: bytes, *arrays: np.ndarray) -> Path:
    content = b"GRBLAS\x00\x02" + len(header).to_bytes(8, "little") + zlib.crc32(header).to_bytes(8, "little") + header
    for array in arrays:
        content += b"\x00" * (-len(content) % 64) + array.tobytes()
    path.write_bytes(content)
    return path


MATRIX = {"kind": "Matrix", "dtype": "INT64", "name": "A"}


@pytest.mark.parametrize(
    ("arrays", "fields"),
    [
        ({"indices": np.array([0.0, 2.5]), "values": np.array([5, 6])}, VECTOR),
        ({"indices": np.array([0, 2j]), "values": np.array([5, 6])}, VECTOR),
        ({"indices": np.array([0, 9]), "values": np.array([5, 6])}, VECTOR),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "shape": [10**30]}),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "shape": [-4]}),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "shape": [4.5]}),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "shape": 4}),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "name": ["v"]}),
        ({"indices": np.array([0, 2]), "values": np.array([5, 6])}, {**VECTOR, "dtype": "INT65"}),
        (
            {"indptr": np.array([0.0, 1.0]), "indices": np.array([0]), "values": np.array([5])},
            {**MATRIX, "shape": [1, 1]},
        ),
        (
            {"indptr": np.array([0, 1]), "indices": np.array([0.5]), "values": np.array([5])},
            {**MATRIX, "shape": [1, 1]},
        ),
        (
            {"indptr": np.array([0, 1]), "indices": np.array([0]), "values": np.array([5])},
            {**MATRIX, "shape": [1, 10**30]},
        ),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_own_format_that_contradicts_itself(tmp_path: Path, arrays, fields, mmap: bool) -> None:
    path = own_file(tmp_path / "x.grb", arrays, **fields)
    with pytest.raises(ValueError, match=r"x\.grb: "):
        io.load(path, mmap=mmap)


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 900_000,
        b'{"arrays": [["values", "<i8", Infinity]]}',
        b'{"arrays": [["values", "<i8", 4611686018427387904]]}',
        b'{"arrays": [["values", "<i8", -1]]}',
        b'{"arrays": [["values", "<i8", true]]}',
        b'{"arrays": [["values", "|O", 1]]}',
        b'{"arrays": [["values", "(9999999999,)<i8", 1]]}',
        b'{"arrays": [["values", [["f", "<i8"]], 1]]}',
        b'{"arrays": 7}',
        b"[]",
        b"\xff\xfe",
        b"",
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_headers(tmp_path: Path, header: bytes, version: int) -> None:
    path = with_header(tmp_path / "x.grb", header, np.arange(4))
    if version == 1:
        path.write_bytes(b"GRBLAS\x00\x01" + len(header).to_bytes(8, "little") + header + b"\x00" * 100)
    with pytest.raises(ValueError, match=r"x\.grb: ") as caught:
        io.load(path)
    assert len(str(caught.value)) < 500


def test_names_too_long_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the name has 2000000 characters"):
        io.save(tmp_path / "v.grb", Vector(int, 3, name="v" * 2_000_000))
    assert not list(tmp_path.iterdir())


# --- archives of NumPy -----------------------------------------------------------------------------------------------


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def members_of(**changed) -> dict[str, bytes]:
    target = BytesIO()
    sparse.save_npz(target, sparse.csr_array(np.eye(3)))
    with zipfile.ZipFile(target) as file:
        return {**{name: file.read(name) for name in file.namelist()}, **changed}


def header_of(shape: tuple[int, ...], dtype: str) -> bytes:
    target = BytesIO()
    np.lib.format.write_array_header_1_0(target, {"shape": shape, "fortran_order": False, "descr": dtype})
    return target.getvalue()


def test_an_array_that_says_it_is_longer(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", members_of(**{"data.npy": header_of((500_000_000,), "<f8") + b"\x00" * 24}))
    with pytest.raises(
        ValueError, match=r"a\.npz: data\.npy: shape \(500000000,\) and dtype float64 do not fit its \d+ bytes"
    ):
        io.load_npz(path)


def test_a_bomb(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", members_of(**{"more.npy": b"\x00" * (400 * 2**20)}))
    assert path.stat().st_size < 2**20
    with pytest.raises(ValueError, match=r"a\.npz: the file has \d+ bytes, but its header asks for"):
        io.load_npz(path)


def test_objects_are_not_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", format=b"csr", shape=[1, 1], data=np.array([print], object))
    with pytest.raises(ValueError, match=r"a\.npz: data\.npy: contains Python objects"):
        io.load_npz(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    with pytest.raises(ValueError, match=r"a\.npz: "):
        io.load_npz(tmp_path / "a.npz")


def test_rows_without_entries(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", format=b"coo", shape=[10**12, 3], row=[0], col=[0], data=[1.0])
    assert io.load_npz(tmp_path / "a.npz").to_dicts() == {0: {0: 1.0}}  # which take no memory
    np.savez(tmp_path / "a.npz", format=b"csr", shape=[10**12, 3], indptr=[0, 1], indices=[0], data=[1.0])
    with pytest.raises(ValueError, match=r"a\.npz: "):
        io.load_npz(tmp_path / "a.npz")


def test_open_files(tmp_path: Path) -> None:
    target = BytesIO()
    io.save_npz(target, Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    target.seek(0)
    assert io.load_npz(target).nvals == 2
    with pytest.raises(ValueError, match="<BytesIO>: "):
        io.load_npz(BytesIO(b"no archive"))


# --- edge lists ------------------------------------------------------------------------------------------------------


def test_a_vertex_far_away(tmp_path: Path) -> None:
    path = tmp_path / "far.txt"
    path.write_text("0 200000000\n")
    with pytest.raises(ValueError, match=r"far\.txt: the file has 12 bytes, but its header asks for 1600000008 bytes"):
        io.read_edgelist(path)
    assert io.read_edgelist(path, nrows=1, ncols=200000001).nvals == 1


@pytest.mark.parametrize("text", ["0 1\n1 \0 2\n", "0 1\n1 2 \0\n", "0\0 1\n"])
def test_nul_bytes(text: str, tmp_path: Path) -> None:
    line = text.count("\n", 0, text.index("\0")) + 1
    for read in (io.read_edgelist, Graph.read_edgelist):
        with pytest.raises(ValueError, match=f"line {line}: not text: it has a NUL byte"):
            read(StringIO(text))


@pytest.mark.parametrize("line", ["x" * 500_000, "0 " + "9" * 500_000, "0 1 " + "x" * 500_000])
def test_long_lines_are_shortened_in_messages(line: str) -> None:
    with pytest.raises(ValueError, match="line 2") as caught:
        io.read_edgelist(StringIO(f"{'0 1 1' if line.count(' ') == 2 else '0 1'}\n{line}\n"))
    assert len(str(caught.value)) < 300


def test_one_class_for_too_little_memory() -> None:
    assert issubclass(OutOfMemory, MemoryError)
    for make in (
        lambda: Vector.from_scalar(1.0, 2**59).to_dense(),
        lambda: Matrix.from_scalar(1.0, 2**40, 2**20).to_dense(),
        lambda: Matrix(float, 2**55, 3).to_csr(),
        lambda: Vector.from_coo([0], [1.0], size=2**59).to_dense(0),
    ):
        with pytest.raises(OutOfMemory):
            make()


ONE = ("indptr", np.array([0, 1])), ("indices", np.array([0]))
INCONSISTENT = {
    "big-endian values": ("Matrix", "FP64", [1, 1], *ONE, ("values", np.ones(1, ">f8"))),
    "big-endian indices": ("Vector", "FP64", [1], ("indices", np.zeros(1, ">i8")), ("values", np.ones(1))),
    "a Graph of 2**30 labels": ("Graph", "BOOL", [2**30, 2**30], ("values", np.ones(1, bool))),
    "a flag of 2": ("Vector", "FP64", [1], ("present", np.array([2], np.uint8).view(bool)), ("values", np.ones(1))),
    "a truth of 2": ("Matrix", "BOOL", [1, 1], *ONE, ("values", np.array([2], np.uint8).view(bool))),
    "two formats": ("Vector", "FP64", [1], *ONE, ("values", np.ones(1))),
    "labels of a Matrix": ("Matrix", "FP64", [1, 1], *ONE, ("values", np.ones(1)), ("labels", np.ones(1, np.uint8))),
    "values of another type": ("Matrix", "INT64", [1, 1], *ONE, ("values", np.ones(1))),
    "an unknown kind": ("Tensor", "FP64", [1], ("values", np.ones(1))),
}


@pytest.mark.parametrize("case", INCONSISTENT)
@pytest.mark.parametrize("mmap", [False, True])
def test_inconsistent_own_files(tmp_path: Path, case: str, mmap: bool) -> None:
    kind, dtype, shape, *arrays = INCONSISTENT[case]
    fields = {"kind": kind, "dtype": dtype, "shape": shape, "directed": True}
    with pytest.raises(ValueError, match=r"a\.grb: "):
        io.load(own_file(tmp_path / "a.grb", dict(arrays), name="x", **fields), mmap=mmap)


@pytest.mark.parametrize("read", [io.mmread, io.read_edgelist, Graph.read_edgelist])
def test_damage_in_open_files(tmp_path: Path, read: Callable) -> None:
    """A decompressor or decoder that the caller opened fails as one of ours does: with name and line."""
    path = tmp_path / "a.mtx.gz"
    path.write_bytes(gzip.compress(b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2.5\n" * 9)[:-9])
    with gzip.open(path) as file, pytest.raises(ValueError, match=r"a\.mtx\.gz: line 1: Compressed file ended"):
        read(file)
    (tmp_path / "a.txt").write_bytes(b"0 1\n1 \xff\n")
    with open(tmp_path / "a.txt", encoding="utf-8") as file, pytest.raises(ValueError, match=r"a\.txt: line 1: .utf-8"):
        read(file)


@pytest.mark.parametrize("cut", [0, 10, 200])
def test_bytes_that_are_not_serialized(cut: int) -> None:
    whole = Matrix.from_coo([0], [1], [2.5]).ss.serialize(None).tobytes()
    other = BytesIO()
    np.savez(other, format="csr", values=[1.0])
    strange = BytesIO()
    np.savez(strange, dtype="(", format="csr")
    for content in (whole[:cut], other.getvalue(), strange.getvalue(), Vector(int, 3).ss.serialize().tobytes()):
        with pytest.raises(InvalidObject):
            Matrix.ss.deserialize(content)


@pytest.mark.parametrize("text", ['0,"1"\r2,3\n', '0,"' + "1" * 140_000 + '"\n'])
def test_quotation_marks_that_the_csv_module_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="StringIO>: line 1: vertex"):
        io.read_edgelist(StringIO(text))


READ = """
import sys
from grblas_gpu import binary, io
for path in sys.argv[1:]:
    for dup_op in (None, binary.plus):
        print(path, dup_op, file=sys.stderr)  # the last one is what it ended with
        try:
            print(io.load_npz(path, dup_op=dup_op).to_coo())
        except ValueError as error:
            print("ValueError:", error)
"""
ENVIRONMENT = {"GRBLAS_GPU_BACKEND": "cpu", "GRBLAS_GPU_CPU_TIER": "numpy"}
COMPRESSED = {"shape": [3, 3], "indptr": [0, 1, 2, 2], "indices": [0, 2], "data": [1.5, 2.5]}
WHOLE = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": {**COMPRESSED, "shape": [6, 6], "data": np.ones((2, 2, 2))},
    "coo": {"shape": [3, 3], "row": [0, 2], "col": [1, 1], "data": [1.5, 2.5]},
    "dia": {"shape": [3, 3], "offsets": [0, 1], "data": np.ones((2, 3))},
}
POINTERS = ([0, 10**9, 1, 2], [0, 2, 1, 2], [0, 1, 2, 10**9], [1, 1, 2, 2], [0, -5, 2, 2], [0, 1, 2], [0, 1, 2, -2], [])
INDICES = ([0, 3], [0, -1], [0, 10**12], [0], [0, 1, 2])


def faults():
    found = []
    for kind in ("csr", "csc", "bsr"):
        found += [(kind, {"indptr": np.array(pointers, np.int64)}) for pointers in POINTERS]
        found += [(kind, {"indices": indices}) for indices in INDICES if not (kind == "bsr" and len(indices) == 3)]
        found += [(kind, {"shape": shape}) for shape in ([2, 3], [-3, 3], [3], [3, 1], [10**30, 3])]
    found += [("coo", {end: indices}) for end in ("row", "col") for indices in INDICES if indices[0] == 0]
    found += [("coo", {"shape": shape}) for shape in ([2, 1], [-3, 3])]
    found += [("dia", {"offsets": offsets}) for offsets in ([0], [0, 0], [0, 1, 2])]
    return found


def test_arrays_that_contradict(tmp_path: Path) -> None:
    cases = faults()
    paths = [str(tmp_path / f"{number}.npz") for number in range(len(cases))]
    for path, (kind, wrong) in zip(paths, cases, strict=True):
        np.savez(path, format=kind.encode(), **{**WHOLE[kind], **wrong})
    found = printed_by("-c", READ, *paths, **ENVIRONMENT).splitlines()
    accepted = [(cases[k // 2], line) for k, line in enumerate(found) if f"ValueError: {paths[k // 2]}: " not in line]
    assert not accepted
    assert len(found) == 2 * len(cases)


@pytest.mark.parametrize("kind", WHOLE)
def test_arrays_that_agree(tmp_path: Path, kind: str) -> None:
    np.savez(tmp_path / "a.npz", format=kind.encode(), **WHOLE[kind])
    for dup_op in (None, binary.plus):
        found = io.load_npz(tmp_path / "a.npz", dup_op=dup_op).to_dense(0)
        assert (found == sparse.load_npz(tmp_path / "a.npz").toarray()).all()


def test_a_shape_beyond_all_indices(tmp_path: Path) -> None:
    path = tmp_path / "wide.npz"
    np.savez(path, row=np.array([0]), col=np.array([1]), data=np.array([1.5]), format=b"coo", shape=[4, 2**61])
    with pytest.raises(ValueError, match=r"wide\.npz: .*2\*\*60"):
        io.load_npz(path)
