"""Programs that say `import graphblas`, run as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

import grblas_gpu as gb
from grblas_gpu.compat.drop_in import install_as_graphblas
from grblas_gpu.exceptions import GraphblasException

PROGRAM = """
import sys
import graphblas as gb
import graphblas.binary.numpy as names_of_numpy
from graphblas import Matrix, Vector, binary, replace
from graphblas.core.matrix import TransposedMatrix
from graphblas.core.operator import Semiring
from graphblas.core.utils import output_type
from graphblas.semiring import plus_times
import graphblas.core.operator.monoid

gb.init(blocking=True)
A = Matrix.from_coo([0, 1], [1, 2], [3, 4], nrows=3, ncols=3)
v = Vector.from_coo([0, 1, 2], [1, 2, 3])
v(v > 2, nthreads=1) << 0
assert names_of_numpy.add is binary.plus and isinstance(plus_times, Semiring)
assert output_type(A.T) is TransposedMatrix and output_type(v + v) is Vector
assert gb.backend == "suitesparse" and gb.__version__.startswith("2025.2")
assert binary.__spec__.name == "grblas_gpu.binary"
try:
    import graphblas.absent
except ModuleNotFoundError as error:
    assert error.name == "graphblas.absent"
else:
    raise AssertionError
print(type(v).__module__, (A @ v).to_dict(), sys.argv[1:], __name__)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(PROGRAM)
    return path


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grblas_gpu.run", "--backend", "cpu", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_a_script(script: Path) -> None:
    done = run(str(script), "--size", "3")
    assert done.stdout == "grblas_gpu.api.vector {0: 6, 1: 0} ['--size', '3'] __main__\n", done.stderr


def test_a_module(script: Path) -> None:
    done = run("-m", "script", "x", cwd=script.parent)
    assert done.stdout == "grblas_gpu.api.vector {0: 6, 1: 0} ['x'] __main__\n", done.stderr


def test_mistakes(tmp_path: Path) -> None:
    assert "no such file" in run(str(tmp_path / "absent.py")).stderr
    pytest.importorskip("graphblas")
    with pytest.raises(RuntimeError, match="imported already"):
        install_as_graphblas()


def test_init(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grblas_gpu.compat.drop_in._started", None)
    assert gb.backend == "suitesparse"
    with pytest.raises(ValueError, match="Bad backend name"):
        gb.init("cuda")
    gb.init("suitesparse-vanilla", blocking=True)
    gb.init("suitesparse-vanilla", blocking=True)
    assert gb.backend == "suitesparse-vanilla"
    with pytest.raises(GraphblasException, match="multiple times"):
        gb.init("suitesparse", blocking=True)


def test_names_of_core() -> None:
    from grblas_gpu.core.matrix import TransposedMatrix

    from grblas_gpu.core import utils

    assert utils.output_type(gb.Matrix(int, 2, 2).T) is TransposedMatrix
    assert "TransposedMatrix" in dir(gb.core.matrix)
    with pytest.raises(AttributeError, match="absent"):
        gb.core.matrix.absent
