"""Names and behaviours of python-graphblas that programs rely on: the same line in both libraries."""

import subprocess
import sys
from importlib import import_module

import graphblas as ss
import numpy as np
import pytest

import grblas_gpu as gb

RECORD = np.dtype([("x", np.int32), ("y", np.float64)])


def matrix(lib):
    return lib.Matrix.from_coo([0, 1], [1, 2], [5, 6], nrows=3, ncols=3)


def concatenated(lib):
    C = lib.Matrix(int, 3, 6)
    C.ss.concat(tiles=[[matrix(lib), matrix(lib)]])
    return [part.tolist() for part in C.to_coo()]


def record(lib):
    v = lib.Vector(lib.dtypes.register_anonymous(RECORD), 3)
    v[1] = (7, 2.5)
    value, element = v[1].new().value, v.get(1)
    return type(value), value["x"], element["y"]


def by_column(lib):
    A = matrix(lib)
    A.ss.config["format"] = "by_col"
    return A.ss.config["format"], matrix(lib).ss.config["format"]


def module(name: str):
    return lambda lib: import_module(f"{lib.__name__}.{name}")


LINES = {
    "by_col": by_column,
    "concat(tiles=)": concatenated,
    "config of a matrix": lambda lib: sorted(matrix(lib).ss.config),
    "config of a vector": lambda lib: sorted(lib.Vector(int, 3).ss.config),
    "core.operator.agg.Aggregator": lambda lib: module("core.operator.agg")(lib).Aggregator.__name__,
    "core.ss": lambda lib: module("core.ss")(lib).__name__.rpartition(".")[2],
    "core.utils": lambda lib: module("core.utils")(lib).ints_to_numpy_buffer([1, 2], np.uint64).tolist(),
    "name in C of a record": lambda lib: lib.dtypes.lookup_dtype({"a": int}).gb_name,
    "truth value as an index": lambda lib: list(range(lib.Scalar.from_value(True))),
    "check_status": lambda lib: [lib.exceptions.check_status(0, [])],
    "networkx": lambda lib: (lib.Matrix.__networkx_backend__, matrix(lib).T.__networkx_plugin__),
    "keys of exports": lambda lib: [
        [*matrix(lib).ss.export(format)] for format in ("csr", "csc", "hypercsr", "bitmapr")
    ],
    "record": record,
}
ERRORS = {
    "falling offsets": lambda lib: lib.Matrix.from_csr([0, 2, 1], [0, 1], [1, 2]),
    "first offset": lambda lib: lib.Matrix.from_csr([1, 1, 2], [0, 1], [1, 2]),
    "too many": lambda lib: lib.Matrix.from_csr([0, 1, 3], [0, 1], [1, 2]),
    "size of a vector": lambda lib: lib.Vector(int, 2**61),
    "size of a matrix": lambda lib: lib.Matrix(int, 2**61, 2),
}


@pytest.mark.parametrize("line", LINES)
def test_the_same_results(line: str) -> None:
    assert LINES[line](gb) == LINES[line](ss)


@pytest.mark.parametrize("line", ERRORS)
def test_the_same_exceptions(line: str) -> None:
    raised = []
    for lib in (gb, ss):
        with pytest.raises(Exception) as found:
            ERRORS[line](lib)
        raised.append(found.type.__name__)
    assert raised[0] == raised[1]


def test_codes_of_the_c_library() -> None:
    with pytest.raises(gb.exceptions.DimensionMismatch):
        gb.exceptions.check_status(-6, [])


def test_names_of_the_next_version() -> None:
    """Of python-graphblas's main branch, which has C source for operators on user-defined types."""
    from grblas_gpu.core import recorder, ss

    assert ss.matrix.ss is gb.Matrix.ss and ss.vector.ss is gb.Vector.ss
    assert ss.context.global_context is gb.ss.global_context and recorder.Recorder is gb.Recorder
    udt = gb.dtypes.register_anonymous({"a": int, "b": float})
    assert udt.jit_c_name is udt.jit_c_definition is gb.dtypes.INT64.jit_c_name is None
    for op in (gb.binary.plus[udt], gb.semiring.plus_times[int], gb.agg.sum[udt]):
        assert op.jit_c_source is op.jit_c_name is None
    assert gb.ss.fix_jit_config(probe=False) is gb.ss.jit_compiler_is_usable() is False
    assert issubclass(gb.exceptions.NoJITWarning, UserWarning)
    program = "from grblas_gpu import install_as_graphblas; print(install_as_graphblas().__file__)"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == gb.__file__


def test_spawned_processes_use_this_library(tmp_path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import multiprocessing, graphblas\n"
        "def where(number):\n    return graphblas.Vector(int, number).backend\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(pool.map(where, [3, 4]))\n"
    )
    command = [sys.executable, "-m", "grblas_gpu.run", "--backend", "cpu", str(script)]
    assert subprocess.check_output(command, text=True, timeout=300).strip() == "['cpu', 'cpu']"


def test_the_end_of_a_process_is_silent() -> None:
    """Arrays that outlive the module that lent them."""
    program = (
        "import builtins, numpy\nfrom grblas_gpu.backends.cpu import buffers\n"
        "builtins.late = buffers.empty(10**6, float)\nnumpy.late = buffers.empty(10**6, float)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    assert done.stderr == ""
