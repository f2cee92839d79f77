"""The program itself: its help, ``info``, and what long work says."""

import importlib
import json
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import numpy as np
import pytest
from command_line import run

import grblas_gpu as gb
from grblas_gpu.cli import main
from grblas_gpu.foundation import progress


def program(*arguments):
    command = [sys.executable, "-m", "grblas_gpu.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_program(tmp_path):
    done = program("generate", "path", "5", "-o", tmp_path / "p.mtx")
    assert (done.returncode, done.stderr) == (0, "")
    done = program("bfs", tmp_path / "p.mtx", "--source", "0", "--json")
    assert json.loads(done.stdout)["level_sizes"] == [1] * 5
    done = program("bfs", tmp_path / "q.mtx", "--source", "0")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    done = program("bfs", tmp_path / "p.mtx")
    assert done.returncode == 2
    assert "--source" in done.stderr


def test_the_program_is_named_in_the_project():
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    module, _, function = project["project"]["scripts"]["grblas-gpu"].partition(":")
    assert getattr(importlib.import_module(module), function) is main


def test_a_long_compilation_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """However long the machine takes between two lines of this."""
    show, appeared = progress.show_line, threading.Semaphore(0)

    def show_line(text: str) -> None:
        show(text)
        appeared.release()

    monkeypatch.setattr(progress, "show_line", show_line)
    for shown in (False, True):
        monkeypatch.setattr(progress, "is_shown", lambda shown=shown: shown)
        monkeypatch.setattr(progress, "_spent", 0.0)
        monkeypatch.setattr(progress, "PATIENCE", 3600.0)
        with progress.busy("compiling quickly"):
            pass
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "PATIENCE", 0.01)
        with progress.busy("compiling a kernel"):
            assert appeared.acquire(timeout=60) if shown else not appeared.acquire(timeout=0.1)
            assert ("compiling a kernel" in capsys.readouterr().err) == shown
        with progress.busy("compiling another"):  # by now the waiting time has passed
            assert ("compiling another" in capsys.readouterr().err) == shown
        capsys.readouterr()


def test_what_the_benchmark_compares_is_listed(capsys):
    code, out, _ = run(capsys, "bench --list")
    rows = [re.split(" {2,}", line) for line in out.splitlines()]
    assert code == 0 and rows[0][:2] == ["grblas_gpu cpu", "host"] and {len(row) for row in rows} == {3}


def test_info(capsys):
    code, out, _ = run(capsys, "info")
    assert code == 0
    assert gb.__version__ in out
    assert "backend cpu   ready" in out and "backend mpi   " in out
    found = json.loads(run(capsys, "info --json")[1])
    assert found["backends"]["numpy"] == "ready"
    assert found["packages"]["numpy"] == np.__version__
    assert found["cache"]["folder"]
    assert found["optional"]["networkx"] is True
    if found["backends"]["cuda"] != "ready":
        assert "pip install" in found["backends"]["cuda"] or "device" in found["backends"]["cuda"]
