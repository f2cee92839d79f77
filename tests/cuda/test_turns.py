"""A process waits for a program that another process compiles, but not for a process that has ended."""

import errno
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from emulated_engine import loaded

from grblas_gpu.backends.cuda.runtime import turns

pytest.importorskip("fcntl", reason="there are no turns without it")

HOLDER = """
import sys
from grblas_gpu.backends.cuda.runtime.turns import turn
with turn("a program"):
    print("compiling", flush=True)
    sys.stdin.read()
"""


def test_a_turn_ends_with_its_process(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    had_turn = threading.Event()

    def wants_the_same() -> None:
        with turns.turn("a program"):
            had_turn.set()

    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "compiling\n"
        with turns.turn("another program"):
            pass
        waiting = threading.Thread(target=wants_the_same)
        waiting.start()
        waited = not had_turn.wait(0.3)
        holder.kill()
    assert had_turn.wait(60)
    waiting.join()
    assert waited


def test_programs_are_compiled_in_their_turn(monkeypatch) -> None:
    """So another process that needs one finds it in the cache afterwards."""
    holds: list[str] = []
    compiled: list[tuple[str, list[str]]] = []

    @contextmanager
    def noted(text: str) -> Iterator[None]:
        holds.append(text)
        yield
        holds.remove(text)

    with loaded("recorded", monkeypatch, "runtime.tiers") as found:
        cupy = sys.modules["cupy"]
        make = cupy.RawModule

        def module(code: str, options: tuple[str, ...]) -> Any:
            compiled.append((code, list(holds)))
            return make(code=code, options=options)

        monkeypatch.setattr(cupy, "RawModule", module)
        monkeypatch.setattr(found.tiers, "turn", noted)
        found.tiers.functions_of("a program", ["function"])
    assert compiled == [("a program", ["a program"])]


def test_patience_ends(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(turns, "PATIENCE", 0.1)
    with turns.turn("a program"), turns.turn("a program"):
        pass


def test_there_may_be_no_folder(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "file"))
    with turns.turn("a program"), turns.turn("a program"):  # no wait
        pass


def test_nobody_waits_for_what_stays_in_another_process(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CUPY_CACHE_IN_MEMORY", "1")
    with turns.turn("a program"), turns.turn("a program"):
        pass


def test_an_error_ends_a_turn(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(SyntaxError), turns.turn("a program"):
        raise SyntaxError("what a compiler says")
    monkeypatch.setattr(turns.time, "sleep", lambda seconds: pytest.fail("another thread still holds the turn"))
    with turns.turn("a program"):
        pass


def test_file_systems_may_have_no_locks(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(turns.fcntl, "flock", refuse)
    with turns.turn("a program"), turns.turn("a program"):
        pass
