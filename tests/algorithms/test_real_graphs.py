"""Every algorithm of the library on real graphs, against SciPy and NetworkX. tests/data/README.md has their sources.

``GRBLAS_GPU_GRAPHS`` names a folder with more Matrix Market files.
"""

import lzma
import os
from functools import cache
from pathlib import Path

import pytest

import grblas_gpu as gb
from benchmarks import cases_library

FOLDER = Path(__file__).resolve().parents[1] / "data" / "graphs"
MORE = sorted(Path(os.environ["GRBLAS_GPU_GRAPHS"]).glob("*.mtx*")) if "GRBLAS_GPU_GRAPHS" in os.environ else []
FILES = {path.name.partition(".")[0]: path for path in [*sorted(FOLDER.iterdir()), *MORE]}
QUICK = ("karate", "jazz")
SEVERAL_SECONDS = ("louvain", "leiden", "cheapest flow")  # loops of many shapes, each compiled; or many rounds
NOT_CONVERGING = {("airfoil1", "hits")}  # its largest singular values are nearly equal
SMALL = 2**cases_library.SMALL


@cache
def matrix(name: str) -> gb.Matrix:
    with gb.using("numpy"):
        return gb.io.mmread(FILES[name])


@cache
def case(name: str) -> cases_library.Case:
    pattern = gb.select.offdiag(matrix(name)).new().pattern()
    return cases_library.with_weights(name, max(1, pattern.nrows.bit_length() - 1), pattern, "cpu")


def works(name: str) -> list:
    """The algorithms for a graph; those with a number for each pair of vertices only if it is small."""
    opened = lzma.open if FILES[name].suffix == ".xz" else open
    with opened(FILES[name], "rt") as file:  # the header is enough: tests are collected often
        directed = "symmetric" not in file.readline()
        vertices = int(next(line for line in file if not line.startswith("%")).split()[0])
    return [
        pytest.param(name, work, marks=() if name in QUICK and work not in SEVERAL_SECONDS else pytest.mark.slow)
        for work, (_, _, undirected_only, of_small) in cases_library.WORKS.items()
        if not (undirected_only and directed)
        and not (of_small and vertices > SMALL)
        and (name, work) not in NOT_CONVERGING
    ]


@pytest.mark.parametrize(("name", "work"), [each for name in FILES for each in works(name)])
def test_every_algorithm(name: str, work: str) -> None:
    found = cases_library.WORKS[work]
    found.check(case(name), found.run(case(name)))
