"""Cases of distributed_program.py: construction of objects, files, and faults that all ranks notice."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from distributed_objects import GRIDS, LOCAL, RANK, RANKS, WORLD, check, expect, graphs, some_matrices, some_vectors

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, distributed, generators, select, version
from grblas_gpu.backends.mpi.engine import MpiBackend
from grblas_gpu.backends.mpi.transports import choose_transport
from grblas_gpu.distributed import DistMatrix, DistVector, Grid, RanksDiffer, hybrid_bfs
from grblas_gpu.exceptions import IndexOutOfBound, InvalidValue, OutOfMemory
from grblas_gpu.io.binary_files import MAGIC


def case_partition() -> None:
    """Every entry is on one rank, at its position."""
    for backend in GRIDS:
        for _, A, _ in graphs():
            block, rows, cols = DistMatrix.local(A.to(backend))
            i, j, _ = block.to_coo()
            mine = set(zip(rows[i].tolist(), cols[j].tolist(), strict=True))
            everyone = WORLD.allgather(mine)
            i, j, _ = A.to_coo()
            assert sum(map(len, everyone)) == A.nvals
            assert set().union(*everyone) == set(zip(i.tolist(), j.tolist(), strict=True))


def case_hypersparse_blocks() -> None:
    """Few of many vertices have edges: memory depends on the entries, indices have 32 bits, searches work."""
    if RANKS != 2:  # vectors of many vertices take a while
        return
    n = 2**24
    ends = np.random.default_rng(4).choice(n, 40, replace=False)
    with gb.using(LOCAL):
        A = Matrix.from_coo(ends[:-1], ends[1:], True, nrows=n, ncols=n)
    D = DistMatrix.from_parts(*((ends[:-1], ends[1:]) if RANK == 0 else ([], [])), nrows=n, ncols=n)
    for x in (D, A.to("mpi")):
        part = x._store.part
        assert part.form == "hypersparse"
        assert sum(array.nbytes for array in part.arrays.values()) < 10_000
        assert part.indices.dtype == np.int32
    check(algorithms.bfs(D, int(ends[3])), partial(algorithms.bfs, A, int(ends[3])))
    assert hybrid_bfs(D, int(ends[3])).to("cpu").to_dict()[int(ends[9])] == ends[8]
    assert D._store.part.form == "hypersparse"


def case_memory_goes_by_entries() -> None:
    """On every grid, also wide ones: a block has all rows of its grid row, without memory for empty rows."""
    n, entries = 2**26, 4000
    random = np.random.default_rng(6)
    rows, columns = random.integers(0, n, (2, entries))
    with gb.using(LOCAL):
        A = Matrix.from_coo(rows, columns, True, nrows=n, ncols=n)
    for backend in dict.fromkeys([*GRIDS, f"mpi:1x{RANKS}", f"mpi:{RANKS}x1"]):
        part = A.to(backend)._store.part
        taken = sum(array.nbytes for array in part.arrays.values())
        assert taken <= 32 * part.nvals + 1000, (backend, part, taken)
        assert sum(WORLD.allgather(part.nvals)) == entries
        assert max(WORLD.allgather(part.nvals)) < 1.5 * entries / RANKS


def case_kronecker() -> None:
    for scale, factor, seed in ((0, 4, 1), (1, 4, 2), (3, 16, 3), (9, 6, 4)):
        with gb.using(LOCAL):
            wanted = generators.kronecker(scale, factor, seed=seed)
        found = DistMatrix.kronecker(scale, factor, seed=seed)
        check(found, wanted)
        assert found.is_symmetric()


def case_parts() -> None:
    random = np.random.default_rng(7)
    rows, cols, values = random.integers(0, 19, 80), random.integers(0, 31, 80), random.random(80)
    mine = slice(RANK, None, RANKS)
    with gb.using(LOCAL):
        wanted = Matrix.from_coo(rows, cols, values, nrows=19, ncols=31, dup_op=binary.plus)
        pattern = Matrix.from_coo(rows, cols, True, nrows=31, ncols=31)
        vector = Vector.from_coo(rows, values, size=19, dup_op=binary.max)
    check(DistMatrix.from_parts(rows[mine], cols[mine], values[mine], nrows=19, ncols=31, dup_op="plus"), wanted)
    check(DistVector.from_parts(rows[mine], values[mine], size=19, dup_op=binary.max), vector)
    both = pattern.dup()
    both << binary.lor(pattern | pattern.T)
    found = DistMatrix.from_pieces(
        lambda rank, size: (([r], [c]) for r, c in zip(rows[mine], cols[mine], strict=True)),
        nrows=31, ncols=31, undirected=True,
    )  # fmt: skip
    check(found, select.offdiag(both).new())
    only_first = ([0, 1], [1, 2]) if RANK == 0 else ([], [])
    assert DistMatrix.from_parts(*only_first, nrows=3, ncols=3).nvals == 2


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder of all ranks."""
    folder = WORLD.bcast(Path(tempfile.mkdtemp()) if RANK == 0 else None)
    yield folder
    WORLD.barrier()
    if RANK == 0:
        shutil.rmtree(folder)


def case_files() -> None:
    with gb.using(LOCAL):
        A = generators.kronecker(6, 4, seed=9)
    rows, cols, _ = A.to_coo()
    with shared_folder() as folder:
        grb, mtx, txt, one, short = (folder / name for name in ("g.grb", "g.mtx", "g.txt", "one.txt", "short.txt"))
        if RANK == 0:
            gb.io.save(grb, A)
            gb.io.mmwrite(mtx, A)
            txt.write_text("# from 0\n" + "".join(f"{i}\t{j}\n" for i, j in zip(rows, cols, strict=True)))
            # its last line does not end
            one.write_text("\n".join(f"{i + 1} {j + 1} 0.5" for i, j in zip(rows, cols, strict=True)))  # as is
            short.write_text("0 1\n1 2\nthree\n2 0\n")
        WORLD.barrier()
        check(DistMatrix.from_file(grb), A)
        check(DistMatrix.from_file(mtx), A)
        check(DistMatrix.from_file(txt, nrows=64), A)
        check(DistMatrix.from_file(one, nrows=64, base=1), A)
        check(DistMatrix.from_file(one, nrows=64, base=1, undirected=True), A)
        expect(ValueError, lambda: DistMatrix.from_file(short), "'three'")
        expect(FileNotFoundError, lambda: DistMatrix.from_file(folder / "nothing.txt"), "nothing.txt")
        expect(ValueError, lambda: DistMatrix.from_file(f"{txt}.gz"), "decompress")


def case_many_files() -> None:
    """A list of files or a folder of them is one graph."""
    with gb.using(LOCAL):
        A = generators.kronecker(6, seed=2)
    rows, columns, _ = A.to_coo()
    with shared_folder() as folder, shared_folder() as binaries:
        texts = [folder / f"{number}.txt" for number in range(5)]
        for number, path in enumerate(texts if RANK == 0 else []):
            some = rows[number::5], columns[number::5]
            path.write_text("".join(f"{i} {j}\n" for i, j in zip(*some, strict=True)))
            with gb.using(LOCAL):
                gb.io.save(binaries / f"{number}.grb", Matrix.from_coo(*some, True, nrows=64, ncols=64))
        WORLD.barrier()
        check(DistMatrix.from_file(binaries), A)
        check(DistMatrix.from_file(folder, nrows=64), A)
        check(DistMatrix.from_file(texts, nrows=64), A)
        expect(FileNotFoundError, lambda: DistMatrix.from_file([texts[0], folder / "9.txt"]), "9.txt")


FIRST, LAST = 2, 3  # ranks


def folder_of_parts() -> None:
    """The first job writes objects; later jobs with other numbers of ranks read them."""
    folder = os.environ["FOLDER_OF_PARTS"]
    for number, x in enumerate([*some_matrices(), *some_vectors()]):
        place = f"{folder}/{number}"
        kind = DistMatrix if x.ndim == 2 else DistVector
        if RANKS == FIRST:
            kind.save(x.to("mpi"), place)
        check(kind.load(place), x)
    expect(ValueError, lambda: DistVector.load(f"{folder}/0"), "a Matrix, not a Vector")
    expect(FileNotFoundError, lambda: DistVector.load(f"{folder}/99"), "not a folder of parts")
    WORLD.barrier()
    if RANKS == LAST:
        if RANK == 0:
            part = Path(folder, "0", "part-1.npz")
            data = bytearray(part.read_bytes())
            data[len(data) // 2] ^= 255
            part.write_bytes(data)
        WORLD.barrier()
        expect(ValueError, lambda: DistMatrix.load(f"{folder}/0"), "part-1.npz: damaged")


def case_damaged_files() -> None:
    """All ranks get the error of the rank that reads the damage, and continue together."""
    banner = "%%MatrixMarket matrix coordinate real "
    three = "1 2 1\n2 3 1\n3 1 1\n"
    with shared_folder() as folder:
        for text, message in {
            f"general\n3 3 8\n{three}": "8 entries announced, 3 found",
            f"general\n3 3 3\n{three[:-6]}": "3 entries announced, 2 found",
            f"general\n3 3 2\n{three}": "2 entries announced, 3 found",
            f"general\n2 3 3\n{three}": "row 3 is not from 1 to 2",
            f"general\n3 2 3\n{three}": "column 3 is not from 1 to 2",
            f"general\n0 0 3\n{three}": "is not from 1 to 0",
            f"general\n3 3 1\n{10**30} 1 1\n": "beyond 64 bits",
            f"general\n-3 3 3\n{three}": "three sizes",
            f"general\n3 3 -3\n{three}": "three sizes",
            f"general\n{10**30} 3 3\n{three}": "three sizes",
            f"symmetric\n4 3 3\n{three}": "symmetric, but 4 x 3",
            f"other\n3 3 3\n{three}": "not a Matrix Market file",
        }.items():
            expect_damaged(folder / "a.mtx", (banner + text).encode(), message)
        for part, wrong, message in (
            ("indptr", [0, 3, 1, 4], "row pointers"),
            ("indptr", [1, 1, 3, 4], "row pointers"),
            ("indptr", [0, 1, 3, 9], "row pointers"),
            ("indices", [0, 1, 2, 3], "column 3 is not from 0 to 2"),
            ("indices", [-1, 1, 2, 0], "column -1 is not from 0 to 2"),
            ("shape", [-3, 3], "damaged"),
            ("shape", [4, 3], "row pointers"),
            ("kind", "Vector", "not a Matrix"),
        ):
            stored = {"indptr": [0, 1, 3, 4], "indices": [0, 1, 2, 0], "shape": [3, 3], "kind": "Matrix"}
            expect_damaged(folder / "a.grb", own_format({**stored, part: wrong}), message)
        # One rank has a different file.
        other = RANK == RANKS - 1
        mine = folder / (f"{RANK}" if other else "all")
        mine.mkdir(exist_ok=True)
        WORLD.barrier()
        (mine / "a.mtx").write_text(f"{banner}general\n3 3 3\n{three[:6] if other else three}")
        WORLD.barrier()
        if RANKS > 1:
            with chdir(mine):
                expect(ValueError, lambda: DistMatrix.from_file("a.mtx"), "a.mtx: the ranks see different files")


def expect_damaged(path: Path, data: bytes, message: str) -> None:
    if RANK == 0:
        path.write_bytes(data)
    WORLD.barrier()
    for text in (str(path), message):
        expect(ValueError, lambda: DistMatrix.from_file(path), text)
    WORLD.barrier()


def own_format(stored) -> bytes:
    """A file like those of ``io.save``, of these arrays."""
    arrays = {name: np.array(stored[name], np.int64) for name in ("indptr", "indices")}
    described = [[name, "<i8", len(array)] for name, array in arrays.items()]
    fields = {"kind": stored["kind"], "dtype": "BOOL", "shape": stored["shape"], "name": "", "arrays": described}
    header = json.dumps(fields).encode()
    data = MAGIC + b"\x01" + len(header).to_bytes(8, "little") + header  # version 1: without checksums
    for array in arrays.values():
        data += b"\0" * (-len(data) % 64) + array.tobytes()
    return data


def case_errors_are_everybodys() -> None:
    last = RANK == RANKS - 1
    expect(
        IndexOutOfBound,
        lambda: DistMatrix.from_parts([7 if last else 0], [0], nrows=3, ncols=3),
        "row indices: 7 is out of range for size 3",
    )
    expect(InvalidValue, lambda: DistMatrix.from_parts([0, 1], [0], nrows=3, ncols=3), "same length")
    with gb.using("mpi"):
        expect(ValueError, lambda: Vector.from_coo([2, 2], [1, 2], size=4), "Duplicate")
        expect(IndexOutOfBound, lambda: Vector.from_coo([9], [1], size=4), "9")
        expect(ValueError, lambda: Matrix.from_coo([2, 2], [1, 1], [1, 2], nrows=4, ncols=4), "Duplicate")
        # One rank's failure leaves all of them in step.
        A = Matrix.from_coo([0, 2], [1, 3], [1, 2], nrows=4, ncols=4)
        assert A.nvals == 2
        assert A.isequal(A.dup())
    expect(ValueError, lambda: gb.Vector(int, 3).to(f"mpi:{RANKS + 1}x1"), "ranks")
    expect(ValueError, lambda: gb.Vector(int, 3).to("mpi:mpi"), "one machine")
    if RANKS > 1:
        grid = Grid()
        expect(RanksDiffer, lambda: grid.check_same(seed=RANK), "seed: rank 0 has 0, rank 1 has 1")
        with gb.using("mpi"):
            expect(RanksDiffer, lambda: Vector.from_coo([RANK], [1], size=RANKS), "rank 1")
        expect(RanksDiffer, lambda: DistMatrix.kronecker(4, seed=RANK), "seed")
        search = partial(algorithms.bfs, DistMatrix.kronecker(6), RANK)
        expect(RanksDiffer, search, "a vector: rank 1 was given other entries than rank 0")
        version.__version__ = "9.9" if last else gb.__version__
        expect(RanksDiffer, Grid, f"grblas_gpu: rank 0 has '{gb.__version__}', rank {RANKS - 1} has '9.9'")
        version.__version__ = gb.__version__


def case_another_job_is_refused() -> None:
    """Another job refuses the restart folder of a long job."""
    A = DistMatrix.kronecker(4)
    with shared_folder() as folder:
        distributed.pagerank(A, restart=folder)
        expect(InvalidValue, lambda: distributed.pagerank(A, restart=folder, damping=0.5), "left by another job")


def case_settings() -> None:
    """Errors name invalid settings."""
    engine = gb.Vector(int, 3).to("mpi")._engine
    again = partial(MpiBackend, engine.grid, engine.local, "mpi")
    expect_setting("SEARCH", "quickly", again, "must be bits or products, not 'quickly'")
    expect_setting("TIMEOUT", "soon", Grid, "must be a number of seconds, not 'soon'")
    if RANKS > 1:
        choose = partial(choose_transport, engine.grid, False)
        expect_setting("TRANSPORT", "ipc", choose, "must be one of shared, mpi on these ranks, not 'ipc'")


def expect_setting(name: str, value: str, work, text: str) -> None:
    name = f"GRBLAS_GPU_MPI_{name}"
    with mock.patch.dict(os.environ, {name: value}):
        expect(ValueError, work, f"{name} {text}")


def case_too_much_to_gather() -> None:
    D = some_matrices()[0].to("mpi")
    with mock.patch.dict(os.environ, GRBLAS_GPU_MPI_GATHER="10"):
        expect(OutOfMemory, lambda: D.kronecker(D).new(), "kronecker has no distributed form")


def case_trace() -> None:
    with gb.using(LOCAL):
        A = generators.kronecker(9, seed=2)
    D = A.to("mpi")
    algorithms.dobfs(D, 3)
    with gb.trace() as t:
        algorithms.dobfs(D, 3)
    assert {record.direction for record in t.steps()} == {"push", "pull"}
    for record in t.steps():
        assert (record.bytes_sent > 0) == (RANKS > 1)
        assert record.messages is not None
    assert "sent" in str(t).splitlines()[0]
    WORLD.barrier()
