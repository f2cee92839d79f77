"""Options that several commands have, and how results are shown."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

BACKENDS = ("auto", "cpu", "cuda", "numpy")


def add_command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], help: str, backends: tuple[str, ...] = BACKENDS
) -> argparse.ArgumentParser:
    """A command with the options that all have."""
    command = commands.add_parser(name, help=help, description=help)
    command.set_defaults(run=run)
    if backends:
        command.add_argument("--backend", choices=backends, help="where to compute (default: the library's choice)")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    return command


def backend_of(options: argparse.Namespace) -> AbstractContextManager[None]:
    """While a command runs, new objects belong to the backend asked for, if any."""
    from .. import using

    chosen = getattr(options, "backend", None)
    return nullcontext() if chosen is None else using(chosen)


def current_backend() -> str:
    from ..backends.registry import current_engine

    return current_engine().name


def show(options: argparse.Namespace, result: dict[str, Any], text: str) -> None:
    """The result as JSON if asked for, else as text."""
    print(json.dumps(result) if options.json else text)


def pairs(result: dict[str, Any]) -> str:
    """A line for each item.

    >>> print(pairs({"vertices": 4000, "file": None}))
    vertices  4,000
    file      -
    """
    width = max(map(len, result))
    return "\n".join(f"{name.replace('_', ' '):{width}}  {_value(value)}" for name, value in result.items())


def positive(text: str) -> int:
    """A number from 1 on, for argparse.

    >>> positive("3")
    3
    """
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def _value(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
