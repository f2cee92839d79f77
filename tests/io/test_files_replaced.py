"""Writers replace a file as a whole: readers find the old file or the new one."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from running import in_threads

from grblas_gpu import Matrix, io
from grblas_gpu.io import replacing as module

WRITERS = {
    "a.grb": io.save,
    "a.mtx": io.mmwrite,
    "a.mtx.gz": io.mmwrite,
    "a.npz": io.save_npz,
    "a.txt": io.write_edgelist,
    "a.txt.xz": io.write_edgelist,
}
READERS = {
    ".grb": io.load,
    ".mtx": io.mmread,
    ".npz": io.load_npz,
    ".txt": lambda path: io.read_edgelist(path, nrows=6, ncols=6),
}
REPLACING = module.replacing.__wrapped__.__code__
SMALL, LARGE = (Matrix.from_coo(range(n), range(n), [1.5] * n, nrows=6, ncols=6) for n in (2, 6))


def read(path: Path) -> Matrix:
    return READERS["".join(path.suffixes[:1])](path)


@pytest.mark.parametrize("name", WRITERS)
def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    WRITERS[name](path, SMALL)
    before = path.read_bytes()

    def interrupted(*names) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WRITERS[name](path, LARGE)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [name]
    WRITERS[name](path, LARGE)
    assert read(path).isequal(LARGE)


@pytest.mark.parametrize("name", WRITERS)
def test_modes_links_and_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / name, tmp_path / name
    WRITERS[name](path, SMALL)
    plain = tmp_path / "plain"
    plain.write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)  # as any new file
    path.chmod(0o640)
    link.symlink_to(path)
    WRITERS[name](link, LARGE)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert read(link).isequal(LARGE)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        WRITERS[name](tmp_path / "nowhere" / name, SMALL)


@pytest.mark.parametrize("name", ["a.grb", "a.npz", "a.txt"])
def test_threads_that_write_one_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path, SMALL)

    def work(number: int) -> None:
        for _ in range(10):
            WRITERS[name](path, (SMALL, LARGE)[number % 2])
            assert read(path).nvals in (2, 6)

    in_threads(work, 8)
    assert os.listdir(tmp_path) == [name]


def test_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    io.write_edgelist("/dev/null", LARGE)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_versions(tmp_path: Path) -> None:
    path = tmp_path / "a.grb"
    io.save(path, SMALL)
    whole = path.read_bytes()
    assert whole[:8] == b"GRBLAS\x00\x02"
    path.write_bytes(whole[:7] + b"\x09" + whole[8:])
    with pytest.raises(ValueError, match="format version 9 is newer"):
        io.load(path)


def test_files_of_the_first_version(tmp_path: Path) -> None:
    """Without checksums."""
    header = (
        b'{"kind": "Vector", "dtype": "INT64", "shape": [4], "name": "v", '
        b'"arrays": [["indices", "<i8", 2], ["values", "<i8", 2]]}'
    )
    start = b"GRBLAS\x00\x01" + len(header).to_bytes(8, "little") + header
    start += b"\x00" * (-len(start) % 64)
    indices = np.array([0, 2], "<i8").tobytes()
    path = tmp_path / "old.grb"
    path.write_bytes(start + indices + b"\x00" * (-len(indices) % 64) + np.array([5, 6], "<i8").tobytes())
    assert io.load(path).to_dict() == {0: 5, 2: 6}


def test_an_interrupt_at_any_line_leaves_no_partial_file(tmp_path: Path) -> None:
    """The interrupts come at every line of ``replacing`` in turn, by a trace function."""
    path, lines = tmp_path / "a.grb", 0
    io.save(path, SMALL)
    while True:
        left = lines

        def at_lines(frame, event: str, _):
            nonlocal left
            if event == "line":
                left -= 1
                if left == -1:
                    raise KeyboardInterrupt
            return at_lines

        sys.settrace(lambda frame, event, _: at_lines if frame.f_code is REPLACING else None)
        try:
            io.save(path, LARGE)
            break
        except KeyboardInterrupt:
            lines += 1
        finally:
            sys.settrace(None)
        assert os.listdir(tmp_path) == ["a.grb"]
        assert any(read(path).isequal(A) for A in (SMALL, LARGE))
    assert lines > 10
