"""User-defined functions that have no translation to C++: compiled by numba-cuda and linked with kernels.

Compiling and linking need no GPU, only the packages.
"""

import importlib.util

import numpy as np
import nvrtc
import pytest

import grblas_gpu as gb
from grblas_gpu.backends.cuda.fusion.emit_one_step import operator_pieces
from grblas_gpu.backends.cuda.runtime import compile as cuda, link
from grblas_gpu.backends.cuda.runtime.nvrtc import OPTIONS
from grblas_gpu.exceptions import UdfParseError
from grblas_gpu.operators import BinaryOp

has_packages = importlib.util.find_spec("numba_cuda") is not None
needs_packages = pytest.mark.skipif(not has_packages, reason="needs numba-cuda and cuda-core")
INT = np.dtype("int64")


def steps_down(x, y):
    """How often y can be taken away from x."""
    count = 0
    while x > y > 0:
        x -= y
        count += 1
    return count


def raising(x, y):
    if x > y:
        raise ValueError("too large")
    return x


def with_a_dictionary(x, y):
    return {"a": x}["a"] + y


def program(op) -> str:
    return cuda.render("step.cu", operator_pieces(op, 2))


def test_the_program_declares_the_function():
    op = BinaryOp.register_anonymous(steps_down)["INT8"]
    text = cuda.binary("op", op)
    (symbol,) = link.declared_in(text)
    assert text.splitlines()[0] == f'extern "C" __device__ int8 {symbol}(int8, int8);'
    assert f"return {symbol}(x, y);" in text
    assert link.declared_in(cuda.product("multiply", op)) == [symbol]
    other = BinaryOp.register_anonymous(steps_down)["FP64"]
    assert link.declared_in(cuda.binary("op", other)) != [symbol]
    assert not link.declared_in(cuda.binary("op", BinaryOp.register_anonymous(lambda x, y: x + y)["INT8"]))
    both = program(op) + cuda.product("multiply", op)
    assert link.declared_in(both) == [symbol]


@pytest.mark.nvrtc
def test_the_declaration_compiles():
    text = program(BinaryOp.register_anonymous(steps_down)["BOOL"])
    assert nvrtc.compile_cuda(text, "sm_90", (*OPTIONS, "--relocatable-device-code=true"))


@pytest.mark.skipif(has_packages, reason="numba-cuda is installed")
def test_missing_packages_are_named():
    symbol, _ = link.declare(steps_down, (INT, INT), INT, "`while x > y > 0:` (While) has no translation")
    with pytest.raises(UdfParseError, match="cannot compile steps_down for the GPU") as caught:
        link.lto_ir(symbol, "90")
    message = str(caught.value)
    assert 'pip install "numba-cuda[cu13]" cuda-core' in message
    assert "(While) has no translation" in message
    assert "        while x > y > 0:" in message


@needs_packages
@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT16", "INT64", "UINT64", "FP32", "FP64"])
def test_compiled_and_linked_for_every_architecture(dtype):
    op = BinaryOp.register_anonymous(steps_down)[dtype]
    text = program(op)
    for capability in ("80", "90", "100"):
        path = link.linked_file(text, link.declared_in(text), capability)
        machine_code = path.read_bytes()
        assert machine_code.startswith(b"\x7fELF") and b"compute" in machine_code
        before = path.stat().st_mtime_ns
        assert link.linked_file(text, link.declared_in(text), capability).stat().st_mtime_ns == before


@needs_packages
@pytest.mark.parametrize(
    ("function", "reason"),
    [(raising, "it may raise an exception"), (with_a_dictionary, "numba-cuda cannot compile it")],
)
def test_what_cannot_be_compiled_is_shown_with_the_reason(function, reason):
    symbol, _ = link.declare(function, (INT, INT), INT, "the translator's reason")
    with pytest.raises(UdfParseError, match=reason) as caught:
        link.lto_ir(symbol, "90")
    assert f"    def {function.__name__}(x, y):" in str(caught.value)
    assert "the translator's reason" in str(caught.value)


@pytest.mark.gpu
@needs_packages
def test_an_error_changes_nothing():
    with gb.using("cuda"):
        w = gb.Vector.from_coo([0, 1], [5, 6])
        before = w.dup()
        with pytest.raises(UdfParseError, match="may raise an exception"):
            w << BinaryOp.register_anonymous(raising)(w & w)
        assert w.isequal(before)
