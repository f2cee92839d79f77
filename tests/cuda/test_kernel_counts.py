"""How many programs algorithms compile: what machine code does not depend on is no part of a kernel's key."""

from pathlib import Path

import pytest
from emulated_engine import backend

import grblas_gpu as gb
from grblas_gpu.backends.cuda.runtime import ahead, archive
from grblas_gpu.backends.cuda.runtime.compile import render
from grblas_gpu.cli import first_calls

SCALE = 6  # small graphs have dense coarse graphs, which need kernels of their own
#: The largest number of programs. docs/performance.md has the table.
MOST = {
    "bfs": 2,
    "pagerank": 4,
    "connected_components": 3,
    "triangle_count": 12,
    "betweenness_centrality": 3,
    "louvain": 20,
    "leiden": 47,
}
QUICK = ("triangle_count",)


@pytest.mark.emulated
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MOST]
)
def test_programs_of_an_algorithm(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with backend("emulated", monkeypatch) as engine, gb.using(engine):
        A = first_calls.graph(name, SCALE, "BOOL").dup()  # a copy without what the generator has computed
        monkeypatch.setenv(archive.RECORDED, str(tmp_path))
        getattr(first_calls.call(name, A), "nvals", None)
    compiled = {path.read_text() for path in tmp_path.glob("*.cu")}
    known = ahead.programs_of(name, "", render) if name != "leiden" else compiled
    assert sum("loop_kernel(" not in text for text in compiled.difference(known)) <= 2, "run tools/first_programs.py"
    programs = len(compiled)
    assert programs <= MOST[name], f"{name} compiles {programs} programs"
    assert programs > MOST[name] - 4, f"{name} compiles {programs} programs only: lower the bound and change the table"
