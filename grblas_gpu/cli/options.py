"""Options that several commands have, and how results are shown."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..foundation.suggestions import did_you_mean
from ..foundation.types import Json
from ..io.duplicates import POLICIES

BACKENDS = ("auto", "cpu", "cuda", "numpy")


class Parser(argparse.ArgumentParser):
    """Suggests a command or an option in place of an unknown one."""

    def parse_known_args(self, args: Any = None, namespace: object = None) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        for text in [] if self._subparsers is not None else given[: given.index("--") if "--" in given else None]:
            option = text.partition("=")[0]
            if option.startswith("--") and not any(known.startswith(option) for known in self._option_string_actions):
                self.error(f"unknown option {option}{did_you_mean(option, self._option_string_actions)}")
        return super().parse_known_args(given, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action.choices, dict) and value not in action.choices:  # commands
            hint = did_you_mean(value, action.choices) or f"; there are {', '.join(action.choices)}"
            raise argparse.ArgumentError(None, f"unknown {str(action.metavar).lower()} {value!r}{hint}")
        super()._check_value(action, value)


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    help: str,
    backends: tuple[str, ...] = BACKENDS,
    csv: str = "",
) -> argparse.ArgumentParser:
    """A command with the common options; ``csv`` describes its other form of output."""
    command = commands.add_parser(name, help=help, description=help)
    command.set_defaults(run=run)
    if backends:
        command.add_argument("--backend", choices=backends, help="where to compute (default: the library's choice)")
    output = command.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON object")
    if csv:
        output.add_argument("--csv", action="store_true", help=csv)
    return command


def add_file(command: argparse.ArgumentParser, formats: str) -> None:
    """The graph that a command works on, and how to read it."""
    command.add_argument("file", metavar="FILE", help=f"a graph: {formats}; - is standard input")
    command.add_argument("--undirected", "-u", action="store_true", help="enter every edge in both directions")
    command.add_argument("--base", type=int, default=0, choices=(0, 1), help="first vertex number of an edge list")
    header = command.add_mutually_exclusive_group()
    header.add_argument("--header", action="store_true", default=None, help="the first line of an edge list is one")
    header.add_argument("--no-header", dest="header", action="store_false", help="it is not (default: look at it)")
    command.add_argument(
        "--columns", type=columns, metavar="S,T[,W]", help="of source, target, weight: names or numbers"
    )
    command.add_argument(
        "--duplicates", choices=list(POLICIES), default="error", help="an edge with several weights (default: error)"
    )
    command.add_argument("--labels", action="store_true", help="vertices are labels, even if they look like numbers")
    command.add_argument("--force", action="store_true", help="even if memory seems to be too small")


def reading(options: argparse.Namespace) -> Json:
    """The options of :func:`add_file`, as arguments of ``read_graph``."""
    names = ("undirected", "base", "header", "columns", "duplicates", "labels", "force")
    return {name: getattr(options, name) for name in names}


def columns(text: str) -> list[str | int]:
    """Columns of a table, by name or by number from 0.

    >>> columns("src,dst,2")
    ['src', 'dst', 2]
    """
    found: list[str | int] = [int(part) if part.isdigit() else part for part in text.split(",")]
    if len(found) not in (2, 3):
        raise argparse.ArgumentTypeError(f"must be SOURCE,TARGET or SOURCE,TARGET,WEIGHT; got {text!r}")
    return found


def vertex(text: str) -> str:
    """A vertex by its number or label, for argparse; negative numbers are errors.

    >>> vertex("17"), vertex("ann")
    ('17', 'ann')
    """
    if text.startswith("-") and text[1:].isdigit():
        raise argparse.ArgumentTypeError(f"must be a number from 0 on, or a label; got {text}")
    return text


def backend_of(options: argparse.Namespace) -> AbstractContextManager[None]:
    """A context with the backend of ``--backend``, if it is given."""
    from .. import using

    chosen = getattr(options, "backend", None)
    return nullcontext() if chosen is None else using(chosen)


def current_backend() -> str:
    from ..backends.registry import current_engine

    return current_engine().name


def show(options: argparse.Namespace, result: dict[str, object], text: str) -> None:
    """Print the result as text, or as JSON with ``--json``; to standard error if standard output has the data."""
    busy = getattr(options, "output", None) == "-"
    print(json.dumps(result) if options.json else text, file=sys.stderr if busy else sys.stdout)


def pairs(result: dict[str, object]) -> str:
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
    return _whole(text, 1, "must be at least 1")


def not_negative(text: str) -> int:
    """A number from 0 on, for argparse.

    >>> not_negative("0")
    0
    """
    return _whole(text, 0, "must not be negative")


def _whole(text: str, least: int, rule: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer; got {text}") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"{rule}; got {value}")
    return value


def _value(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
