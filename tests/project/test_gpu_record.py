"""The record of what was tested on a GPU, and what compute-sanitizer said."""

import json
import re
import sys
from pathlib import Path

import gpu_record
import pytest
from hardware import has_gpu
from running import module_at


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
    assert {"push_scatter.cu", "prelude.cuh", "translate.py", "rules.py", "prelude.py", "tables.py"} <= names
    assert all(path.is_file() for path in map(gpu_record.ROOT.joinpath, gpu_record.SOURCES) if path.suffix)


def test_what_it_says(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree / "record.json"
    monkeypatch.delenv(gpu_record.WITHOUT, raising=False)
    assert "no record of tests" in (gpu_record.problem(path, tree) or "")
    found = gpu_record.sources(tree)
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: found)
    record = gpu_record.write({"passed": 5, "failed": 0}, {"name": "some GPU"}, path)
    assert set(record) == {"commit", "date", "device", "tests", "failing", "sanitizer", "sources"}
    assert record["sanitizer"] == "not run"
    assert gpu_record.problem(path, tree) is None
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: "another")
    said = gpu_record.problem(path, tree)
    assert said is not None
    assert "make test-gpu" in said
    assert "\n" not in said
    monkeypatch.setenv(gpu_record.WITHOUT, "none at hand")
    assert gpu_record.problem(path, tree) is None
    assert json.loads(path.read_text())["went_on_without_a_gpu"] == {"sources": "another", "why": "none at hand"}
    monkeypatch.delenv(gpu_record.WITHOUT)
    assert gpu_record.problem(path, tree) is None  # as the record says
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: "a third")
    assert gpu_record.problem(path, tree) is not None


CLEAN = {"memcheck": {"clean": ["bfs"], "found": {}}, "racecheck": {"clean": ["bfs"], "found": {}}}
FOUND = {**CLEAN, "racecheck": {"clean": [], "found": {"bfs": "1 hazard"}}}


def test_what_a_sanitizer_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, now = tree / "record.json", gpu_record.sources()
    monkeypatch.delenv(gpu_record.WITHOUT, raising=False)
    monkeypatch.setenv(gpu_record.COMMIT, "0123456789abcdef")
    gpu_record.note_sanitizer(CLEAN, path)
    assert gpu_record.problem(path) is not None  # the tests have not run
    record = gpu_record.write({"passed": 5}, {}, path)
    assert record["commit"] == "0123456789abcdef"
    assert record["sanitizer"] == {"sources": now, **CLEAN}
    assert gpu_record.problem(path) is None
    gpu_record.note_sanitizer(FOUND, path)
    assert "failed" in (gpu_record.problem(path) or "")
    monkeypatch.setattr(gpu_record, "sources", lambda root=None: "another")
    assert gpu_record.write({"passed": 5}, {}, path)["sanitizer"] == "not run"  # it was about others


HEAD = "========= COMPUTE-SANITIZER\n"
NONE = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
RACE = "========= Error: Race reported between Write access at loop_kernel\n=========\n"


@pytest.mark.parametrize(
    ("said", "bfs", "components"),
    [
        (f"{HEAD}right: bfs\nright: components\n{NONE}", "", ""),
        (f"{HEAD}right: bfs\nright: components\n========= ERROR SUMMARY: 0 errors\n", "", ""),
        (
            f"{HEAD}{RACE}right: bfs\nright: components\n========= RACECHECK SUMMARY: 1 hazard",
            "Race reported",
            "1 hazard",
        ),
        (f"{HEAD}right: bfs\n{RACE}right: components\n", "", "Race reported"),
        (f"{HEAD}right: bfs\nAssertionError: components: not the", "", "AssertionError"),
        (
            f"{HEAD}right: bfs\nAssertionError: components: not the\n========= Target application returned an error",
            "",
            "AssertionError.*Target",
        ),
        (f"{HEAD}right: bfs\nkilled\n", "", "^unfinished$"),
        (f"{HEAD}right: bfs\n{RACE}killed\n", "", "Race reported"),
        ("compute-sanitizer: not found", "not found", "unfinished"),
    ],
)
def test_how_a_sanitizer_is_understood(said: str, bfs: str, components: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[1] / "sanitize"
    monkeypatch.syspath_prepend(str(folder))
    module = module_at(folder / "__main__.py")
    monkeypatch.delitem(sys.modules, "cases")
    found = module.verdicts(said, ["bfs", "components"], "killed" not in said)
    for case, wanted in (("bfs", bfs), ("components", components)):
        assert re.search(wanted, found[case], re.DOTALL) if wanted else found[case] == ""


def test_the_record_speaks_for_these_sources() -> None:
    problem = gpu_record.problem()
    if problem is not None:
        pytest.fail(problem, pytrace=False)  # one line


def test_only_what_this_machine_runs_is_collected(request: pytest.FixtureRequest) -> None:
    other = "emulated" if has_gpu() else "gpu"
    assert not [item.nodeid for item in request.session.items if item.get_closest_marker(other)]
