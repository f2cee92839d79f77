"""Engines do what the protocol says, and say so."""

import ast
import inspect
import os
from pathlib import Path
from types import FunctionType
from typing import ClassVar

import pytest
from running import printed_by

from grblas_gpu import backends
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.engine import GUARDED, Engine
from grblas_gpu.backends.mpi.engine import MpiBackend
from grblas_gpu.backends.protocol import Backend, Primitives
from grblas_gpu.backends.reference import Definitions

PROTOCOL = [ast.parse(inspect.getsource(each)) for each in (Primitives, Backend)]
METHODS = {
    node.name: ast.unparse(node.body[-1])
    for tree in PROTOCOL
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef)
}
REQUIRED = {name for name, body in METHODS.items() if body == "..."}  # the others have a default


@pytest.mark.parametrize("engine", [Definitions, MpiBackend])
def test_an_engine_has_every_operation(engine: type) -> None:
    assert Backend in engine.__mro__
    assert {name for name in REQUIRED if getattr(engine, name) is getattr(Backend, name)} == set()


def test_the_layers_above_ask_for_nothing_else() -> None:
    """Of what is called an engine there, they ask for what the protocol has."""
    backend_files = Path(backends.__path__[0])
    folders = [backend_files / name for name in ("stores", "interpreter", "forms", "../api")]
    above = [*backend_files.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))]
    called = {
        (file.name, node.attr)
        for file in above
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).rpartition(".")[2] in ("engine", "_engine")
    }
    assert len(called) > 100
    assert {
        each for each in called if not hasattr(Backend, each[1]) and each[1] not in Primitives.__annotations__
    } == set()


def test_every_operation_that_takes_memory_is_guarded() -> None:
    assert REQUIRED - {"empty_vector"} <= GUARDED  # which the CUDA engine guards by itself


class Definition:
    def apply(self, x: object, op: object) -> str:
        return "definition"

    def select(self, x: object, op: object, thunk: object) -> str:
        return "definition"

    def tuples(self, x: object) -> str:
        return "definition"


class Kernels:
    @staticmethod
    def apply(x: int, op: object) -> str | None:
        return "kernel" if x > 0 else None

    def select(self, x: object, op: object, thunk: object) -> str:
        return "kernel, or " + Definition.select(self, x, op, thunk)


class Forms:
    def apply(self, x: int, op: object) -> str:
        return "form" if x > 9 else NotImplemented

    def tuples(self, x: object) -> None:
        return None


class Composed(Engine, definitions=(Definition,), kernels=(Kernels,), forms=Forms):
    left_to_others = "c"
    failures: ClassVar[list[str]] = []

    def other_engine(self, kind: str, name: str) -> tuple:
        return (lambda *arguments: f"other engine: {kind}"), "", ""

    def failed(self, name: str, error: BaseException) -> None:
        self.failures.append(name)


def test_a_call_goes_to_the_first_part_that_takes_it() -> None:
    """Types, forms, kernels, definition."""
    engine = Composed()
    assert [engine.apply(x, None) for x in (1j, 10, 1, 0)] == ["other engine: c", "form", "kernel", "definition"]
    assert engine.select(1, None, None) == "kernel, or definition"
    assert engine.tuples(1) is None
    with pytest.raises(TypeError, match="not supported"):
        engine.apply("1", None)
    assert engine.failures == ["apply"]


def test_an_engine_has_thirty_primitives() -> None:
    """All other operations have a definition (`test_an_engine_has_every_operation`), and engines are composed."""
    primitives = [name for name, each in vars(Primitives).items() if isinstance(each, FunctionType)]
    assert len([name for name in primitives if not name.startswith("_")]) == 30
    assert len(CpuBackend.__mro__) <= 7  # five of them: the protocol and Python's own


FORKING = """
import os
import grblas_gpu as gb
from grblas_gpu.backends import registry

gb.set_backend("numpy")
v = gb.Vector.from_dense([1, 2])
registry.refuse_in_children(registry.get_engine("numpy"))
if os.fork() == 0:
    for use in (v.to_coo, v.apply(gb.unary.ainv).new, lambda: gb.Vector(int, 3)):
        try:
            use()
        except RuntimeError as error:
            assert "forked" in str(error)
        else:
            os._exit(1)
    gb.set_backend("cpu")
    os._exit(0 if gb.Vector.from_dense([1, 2]).reduce().new() == 3 else 2)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
assert v.to_coo()[1].tolist() == [1, 2]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_says_that_it_has_no_device() -> None:
    """Tried on another engine: that of a device would fail within its driver."""
    printed_by("-c", FORKING)
