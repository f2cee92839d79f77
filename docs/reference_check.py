"""The build fails when a public name is in none of the pages."""

from __future__ import annotations

import inspect
from typing import Any

from sphinx.util import logging

import grblas_gpu as gb
from grblas_gpu import algorithms, distributed, generators, io, viz

CLASSES = (gb.Matrix, gb.Vector, gb.Scalar, gb.Graph)
MODULES = (algorithms, distributed, generators, io, viz)
#: Numbers and types are named in a sentence.
SIMPLE = {"MAX_SIZE", "BOOL", "FP32", "FP64"} | {name for name in gb.__all__ if name.startswith(("INT", "UINT"))}


def public_names() -> set[str]:
    """Everything that the built pages have to describe, by its last two names."""
    names = {f"grblas_gpu.{name}" for name in gb.__all__ if name not in SIMPLE}
    for cls in CLASSES:
        members = [name for name, _ in inspect.getmembers_static(cls) if not name.startswith("_")]
        names |= {f"{cls.__name__}.{name}" for name in members if not is_slot(cls, name)}
    for module in MODULES:
        short = module.__name__.rpartition(".")[2]
        names |= {f"{short}.{name}" for name in module.__all__ if name not in {"Graph", "Edges"}}
    return names


def is_slot(cls: type, name: str) -> bool:
    """Attributes without a description of their own, and what is declared for type checkers only."""
    member = inspect.getattr_static(cls, name)
    return not (callable(member) or isinstance(member, (property, classmethod, staticmethod)))


def missing_names(described: set[str]) -> list[str]:
    """The public names that the objects of the built pages do not have."""
    short = {".".join(name.split(".")[-2:]) for name in described}
    return sorted(name for name in public_names() if name not in short and name not in described)


def check(app: Any, env: Any) -> None:
    described = {name for name, *_ in env.get_domain("py").get_objects()}
    for name in missing_names(described):
        logging.getLogger(__name__).warning("public, but in none of the pages: %s", name, type="reference")


def setup(app: Any) -> dict[str, bool]:
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
