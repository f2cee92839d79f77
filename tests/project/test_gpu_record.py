"""The record of what was tested on a GPU."""

from __future__ import annotations

import json
from pathlib import Path

import gpu_record
import pytest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A few sources."""
    for name in ("grblas_gpu/backends/cuda/kernels/a.cu", "grblas_gpu/plan/rules.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("one")
    return tmp_path


def test_hash(tree: Path) -> None:
    before = gpu_record.sources(tree)
    assert gpu_record.sources(tree) == before
    (tree / "grblas_gpu/backends/cuda/kernels/a.cu").write_text("two")
    changed = gpu_record.sources(tree)
    (tree / "grblas_gpu/backends/cuda/kernels/b.cuh").write_text("")
    assert len({before, changed, gpu_record.sources(tree)}) == 3
    (tree / "grblas_gpu/api.py").write_text("something else")
    (tree / "grblas_gpu/backends/cuda/kernels/a.pyc").write_text("something else")
    assert len({before, changed, gpu_record.sources(tree)}) == 3


def test_every_kernel_is_in_it() -> None:
    names = {path.name for path in gpu_record.files()}
    assert {"push_scatter.cu", "prelude.cuh", "translate.py", "rules.py", "prelude.py"} <= names


def test_what_it_says(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree / "record.json"
    monkeypatch.delenv(gpu_record.WITHOUT, raising=False)
    assert "no record of tests on a GPU" in (gpu_record.problem(path, tree) or "")
    found = gpu_record.sources(tree)
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: found)
    record = gpu_record.write({"passed": 5, "failed": 0}, {"name": "some GPU"}, path)
    assert record["sanitizer"] == "not run"
    assert gpu_record.problem(path, tree) is None
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: "another")
    said = gpu_record.problem(path, tree)
    assert said is not None
    assert "make test-gpu" in said
    assert "\n" not in said
    monkeypatch.setenv(gpu_record.WITHOUT, "1")
    assert gpu_record.problem(path, tree) is None
    assert json.loads(path.read_text())["went_on_without_a_gpu"] == "another"


def test_failures_do_not_count(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree / "record.json"
    monkeypatch.delenv(gpu_record.WITHOUT, raising=False)
    gpu_record.write({"passed": 5, "failed": 1}, {}, path)
    assert gpu_record.problem(path) is not None
