"""The entry point ``networkx.backends``: NetworkX looks functions up here by their names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from .conversion import convert_from_nx, convert_to_nx
from .dispatch import FUNCTIONS, can_run, should_run
from .graph import Graph

__all__ = ["Graph", "can_run", "convert_from_nx", "convert_to_nx", "should_run"]

AREAS = (
    "all_paths centrality clusters components composed construction cuts degrees link_prediction matrices "
    "path_lengths path_trees subgraphs"
).split()
for area in AREAS:
    import_module(f".{area}", __package__)  # registers its functions


def __getattr__(name: str) -> Callable:
    if name in FUNCTIONS:
        return FUNCTIONS[name].function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *FUNCTIONS]
