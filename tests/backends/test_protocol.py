"""Engines do what the protocol says, and say so."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from grblas_gpu import backends
from grblas_gpu.backends.mpi.engine import MpiBackend
from grblas_gpu.backends.protocol import Backend
from grblas_gpu.backends.reference import Definitions

PROTOCOL = ast.parse(inspect.getsource(Backend)).body[0]
METHODS = {node.name: ast.unparse(node.body[-1]) for node in ast.walk(PROTOCOL) if isinstance(node, ast.FunctionDef)}
REQUIRED = {name for name, body in METHODS.items() if body == "..."}  # the others have a default


@pytest.mark.parametrize("engine", [Definitions, MpiBackend])
def test_an_engine_has_every_operation(engine: type) -> None:
    assert Backend in engine.__mro__
    assert {name for name in REQUIRED if getattr(engine, name) is getattr(Backend, name)} == set()


def test_the_layers_above_ask_for_nothing_else() -> None:
    """Of what is called an engine there, they ask for what the protocol has."""
    backend_files = Path(backends.__path__[0])
    above = [*backend_files.glob("*.py"), *(backend_files.parent / "api").rglob("*.py")]
    called = {
        (file.name, node.attr)
        for file in above
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).rpartition(".")[2] in ("engine", "_engine")
    }
    assert len(called) > 100
    assert {
        each for each in called if not hasattr(Backend, each[1]) and each[1] not in Backend.__annotations__
    } == set()


def test_the_cuda_engine_says_what_did_not_fit() -> None:
    """By its text: this machine may have no CuPy."""
    sized = set()
    for file in "engine.py memory.py building.py elementwise.py writing.py eager/mxv.py".split():
        tree = ast.parse((Path(backends.__path__[0]) / "cuda" / file).read_text(encoding="utf-8"))
        for node in next(node for node in tree.body if isinstance(node, ast.ClassDef)).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("sized("):
                sized.add(ast.unparse(node.targets[0]))
            elif isinstance(node, ast.FunctionDef):
                decorated, last = "sized" in map(ast.unparse, node.decorator_list), node.body[-1]
                if decorated or (type(last) is ast.Try and f"failed({node.name!r}" in ast.unparse(last)):
                    sized.add(node.name)
    assert sized >= REQUIRED
