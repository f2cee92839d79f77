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

OPTIONAL = {"estimate_products", "build_entry", "run_loop", "kronecker_keys"}  # the protocol has a default
METHODS = {name for name, value in vars(Backend).items() if inspect.isfunction(value) and not name.startswith("_")}
UNREPORTED = OPTIONAL | {"empty_vector", "pattern", "degree_statistics", "by_degree"}


@pytest.mark.parametrize("engine", [Definitions, MpiBackend])
def test_an_engine_has_every_operation(engine: type) -> None:
    assert Backend in engine.__mro__
    inherited = {name for name in METHODS if getattr(engine, name) is getattr(Backend, name)}
    assert inherited <= OPTIONAL


def test_the_cuda_engine_reports_its_operations() -> None:
    """By its text: this machine may have no CuPy."""
    tree = ast.parse((Path(backends.__path__[0]) / "cuda" / "engine.py").read_text(encoding="utf-8"))
    engine = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    reported = {node.targets[0].id for node in engine.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    assert reported == METHODS - UNREPORTED
