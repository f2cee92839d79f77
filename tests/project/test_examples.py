"""The examples in docstrings of algorithms/, and the programs in examples/, do what they say.

algorithms/ is a folder beside the package it installs into, so pytest's own collection of docstrings would import it
under the wrong name.
"""

import doctest
import importlib
import importlib.util
import json
import pkgutil
import re
import runpy
import sys
from pathlib import Path

import pytest
from running import module_at, printed_by

from grblas_gpu import algorithms, viz
from grblas_gpu.backends import registry

ROOT = Path(__file__).resolve().parents[2]
MODULES = [f"{algorithms.__name__}.{module.name}" for module in pkgutil.iter_modules(algorithms.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_program_of_the_page_is_the_example():
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        program = importlib.import_module("bfs_two_libraries").PROGRAM
    finally:
        sys.path.remove(str(ROOT / "examples"))
    assert program in (ROOT / "docs" / "coming-from.md").read_text()


QUICK = {
    "examples/demo.py": "--scale 8 --repeat 1",
    "examples/dobfs.py": "--scale 9",
    "examples/xbfs.py": "--scale 8",
    "examples/hybrid_bfs.py": "--vertices 400",
    "examples/direction_trace.py": "--scale 9 --repeat 1",
    "examples/streaming.py": "--scale 8 --batches 4 --size 20",
    "examples/compare_suitesparse.py": "--scale 8 --repeat 1",
}
EXAMPLES = sorted(f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py"))


def skip_without_libraries(program):
    """python-graphblas has no wheels for the newest Python, and torch is large."""
    if program == "examples/graphsage.py":
        pytest.importorskip("torch")
    if program != "examples/demo.py" and re.search(
        'import graphblas|"graphblas"', (ROOT / program).read_text(encoding="utf-8")
    ):
        pytest.importorskip("graphblas")


@pytest.mark.parametrize("program", sorted({*EXAMPLES, *QUICK}))
def test_programs(program, monkeypatch, capsys):
    """In this process, which has loaded what they need; the test of their plots starts them as users do."""
    skip_without_libraries(program)
    monkeypatch.setattr(sys, "argv", [program, *QUICK.get(program, "").split()])
    monkeypatch.syspath_prepend(str(ROOT / program.partition("/")[0]))
    monkeypatch.setattr(registry, "_default", registry.current_engine())  # a program may choose another one
    runpy.run_path(str(ROOT / program), run_name="__main__")
    assert capsys.readouterr().out


def notebooks():
    return module_at(ROOT / "tools" / "notebooks.py")


@pytest.mark.parametrize("path", notebooks().NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, monkeypatch):
    """They run, and show what is stored in them: pictures, tables and text in the same cells."""
    monkeypatch.setattr(viz, "_program_has_pyplot", lambda: False)  # another test may have loaded it
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    networkx = pytest.importorskip("networkx")
    priority, ignored = list(networkx.config.backend_priority.algos), set(networkx.config.warnings_to_ignore)
    try:
        done = notebooks().run(path)
    finally:
        networkx.config.backend_priority.algos, networkx.config.warnings_to_ignore = priority, ignored
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert any(cell.get("outputs") for cell in stored["cells"])
    for now, before in zip(done["cells"], stored["cells"], strict=True):
        kinds = [
            [sorted(output.get("data", {"stream": 0})) for output in cell.get("outputs", ())] for cell in (now, before)
        ]
        assert kinds[0] == kinds[1], "run python tools/notebooks.py"
        assert words(now) == words(before), "run python tools/notebooks.py"


def words(cell):
    """The first line of what a cell shows, without numbers and formats: those depend on what ran before."""
    shown = [output.get("data", {}).get("text/plain", [""])[0] for output in cell.get("outputs", ())]
    return [word for word in re.findall(r"[a-z]{3,}", " ".join(shown)) if word not in ("sparse", "bitmap", "full")]


@pytest.mark.parametrize(
    "program",
    [
        "streaming",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("direction_trace", "betweenness", "compare_suitesparse")),
    ],
)
def test_plots(program, tmp_path):
    """Drawn without a display; a picture of one colour would be an empty one."""
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    path = f"examples/{program}.py"
    skip_without_libraries(path)
    file = tmp_path / "plot.png"
    arguments = [*QUICK.get(path, "").split(), "--plot", str(file)]
    printed_by(str(ROOT / path), *arguments)
    assert imread(file)[..., :3].std() > 0.01
