"""The cache of compiled kernels: no code of other users, no damaged files, and no operation fails without a cache."""

import os
import resource
import signal
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import emulated_cupy
import numpy as np
import pytest

from grblas_gpu.backends.cpu import compile
from grblas_gpu.backends.machine import kernel_cache

TEXT = "@kernel\ndef kernel(x):\n    return x[0] + 40\n"
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and modes")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")

Compiled = Callable[[Path], int]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiled]:
    """Use a kernel as a new process would, with its cache in a folder; how often it was compiled."""

    def use(folder: Path) -> int:
        monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(folder))
        monkeypatch.setattr(compile, "_loaded", {})
        kernel_cache.folder.cache_clear()
        kernel = compile.load(TEXT)
        assert kernel(np.array([2])) == 42
        return sum(kernel.stats.cache_misses.values())

    yield use
    kernel_cache.folder.cache_clear()


def kept(folder: Path) -> Path:
    """The one kernel in a cache."""
    (file,) = (path for path in folder.rglob("k*") if path.is_file())
    return file


@posix
def test_of_the_user_alone(tmp_path: Path, compiled: Compiled) -> None:
    folder = tmp_path / "new"
    assert compiled(folder) == 1
    made = [folder, kept(folder).parent, kept(folder)]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700, 0o700, 0o600]
    assert compiled(folder) == 0


def test_damaged_files_are_compiled_again(tmp_path: Path, compiled: Compiled) -> None:
    assert compiled(tmp_path) == 1
    whole = kept(tmp_path).read_bytes()
    for damaged in (b"", whole[:10], whole[:60], whole[:-1], whole[:-1] + b"x", b"cos\nsystem\n(S'true'\ntR."):
        kept(tmp_path).write_bytes(damaged)
        assert compiled(tmp_path) == 1
    assert compiled(tmp_path) == 0


def test_what_numba_does_not_understand_is_compiled_again(tmp_path: Path, compiled: Compiled) -> None:
    assert compiled(tmp_path) == 1
    kernel_cache.write(kept(tmp_path).name, b"a pickle of something else")
    assert compiled(tmp_path) == 1
    assert compiled(tmp_path) == 0


@posix
def test_a_folder_that_others_may_write_is_not_read(tmp_path: Path, compiled: Compiled) -> None:
    folder = tmp_path / "cache"
    assert compiled(folder) == 1
    for open_to_all in (folder, kept(folder).parent):
        open_to_all.chmod(0o702)
        with pytest.warns(UserWarning, match="others may write"):
            assert compiled(folder) == 1
        assert kernel_cache.folder() is None
        open_to_all.chmod(0o700)
    assert compiled(folder) == 0


@as_root
def test_owners_and_groups(tmp_path: Path, compiled: Compiled) -> None:
    folder = tmp_path / "cache"
    assert compiled(folder) == 1
    inner = kept(folder).parent
    for owner, group, mode, trusted in [(12345, 0, 0o700, False), (0, 12345, 0o770, False), (0, 0, 0o770, True)]:
        os.chown(inner, owner, group)
        inner.chmod(mode)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert compiled(folder) == (not trusted)
        assert bool(said) != trusted


@posix
def test_within_a_folder_as_tmp(tmp_path: Path, compiled: Compiled) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    assert [compiled(tmp_path / "tmp" / "cache") for _ in range(2)] == [1, 0]


def test_a_full_disk(tmp_path: Path, compiled: Compiled) -> None:
    """No file may grow: the system refuses as it does without space."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        found = compiled(tmp_path), compiled(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert found == (1, 1)
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_cache_that_cannot_be_written_is_read(
    tmp_path: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args, **options):
        raise PermissionError(13, "read-only")

    assert compiled(tmp_path) == 1
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    assert compiled(tmp_path) == 0
    assert compiled(tmp_path / "another") == 1


def test_without_a_cache_nothing_is_left_behind(
    tmp_path: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked, temporary = tmp_path / "a file, not a folder", tmp_path / "temporary"
    blocked.write_text("")
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert [compiled(blocked) for _ in range(2)] == [1, 1]
    assert kernel_cache.folder() is None
    assert not list(temporary.iterdir())


@posix
def test_emulated_kernels_are_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests load libraries from there, and its name is easy to guess."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = emulated_cupy._folder.__wrapped__()
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert emulated_cupy._folder.__wrapped__() == own
    own.chmod(0o777)  # as if another user had made it
    other = emulated_cupy._folder.__wrapped__()
    assert other != own
    assert stat.S_IMODE(other.stat().st_mode) == 0o700
