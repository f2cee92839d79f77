"""The path of a masked product with a vector, from ``<<`` to the launch of its kernel: Python files and calls."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from emulated_engine import backends  # noqa: F401  the fixture "backend"

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, semiring

PACKAGE = str(Path(gb.__file__).parent) + "/"
FIRST = "Updater.__lshift__"
#: By engine: the function that launches a kernel, and how many files and calls lead there at most. The CPU engine looks
#: at types once records were used.
PATHS = {"cpu": ("_push_dense", 11, 18), "cuda": ("Scratch.launch", 12, 34)}


def calls_between(first: str, last: str, line) -> list[str]:
    """The file of each function of this package that Python calls between two functions."""
    files: list[str] = []
    names: list[str] = []

    def note(frame: FrameType, event: str, argument) -> None:
        code = frame.f_code
        inside = (names or code.co_qualname == first) and last not in names
        if event == "call" and inside and code.co_filename.startswith(PACKAGE):
            names.append(code.co_qualname)
            files.append(code.co_filename.removeprefix(PACKAGE))

    sys.setprofile(note)
    try:
        line()
    finally:
        sys.setprofile(None)
    assert names[-1] == last, names
    return files


def test_a_masked_product_takes_a_short_path(backend: str, set_tier: Callable[[str], None]) -> None:
    if backend == "numpy":  # has no kernels
        return
    n = 10
    A = Matrix.from_coo(range(n), [(i + 1) % n for i in range(n)], True, nrows=n, ncols=n)
    levels, frontier = Vector.from_coo([0], [0], size=n), Vector.from_coo([0], [True], size=n)

    def line() -> None:
        frontier(~levels.S, replace=True) << semiring.any_pair[bool](frontier @ A)

    last, most_files, most_calls = PATHS[backend]
    set_tier("numba")
    for _ in range(2):  # kernels are compiled, and the matrix is transposed
        line()
    files = calls_between(FIRST, last, line)
    assert frontier.to_coo()[0].tolist() == [3]
    assert len(set(files)) <= most_files, sorted(set(files))
    assert len(files) <= most_calls, "\n".join(files)
