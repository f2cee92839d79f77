"""The command line: ``grblas-gpu info | calibrate | kernels | generate | bfs | ... | bench | graph500 | graphalytics``.

Exit codes: 0 all went well, 1 it did not (one line on standard error says why), 2 the arguments make no sense (alone,
together, or for this graph), 130 it was interrupted. Results go to standard output, as text or with ``--json`` as one
JSON object.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
import zlib
from collections.abc import Sequence

from . import bench, calibrate, generate, graph500, graphalytics, info, kernels, library, search
from .files import UsageError
from .options import Parser, backend_of

PROGRAM = "grblas-gpu"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    >>> main(["generate", "path", "3", "--json", "--backend", "cpu"])  # doctest: +ELLIPSIS
    {"kind": "path", "vertices": 3, "entries": 4, "backend": "cpu", "file": null, "seconds": ...}
    0
    """
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(), backend_of(options):
            warnings.showwarning = _show_warning
            return options.run(options)
    except KeyboardInterrupt:
        print(f"\n{PROGRAM}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, `head` for example, closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UsageError as error:
        print(f"{PROGRAM}: error: {_one_line(error)}", file=sys.stderr)
        return 2
    except expected_errors() as error:
        print(f"{PROGRAM}: error: {_one_line(error)}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    top = Parser(prog=PROGRAM, description="GraphBLAS for Python: graphs on CPU and GPU.")
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (info, calibrate, kernels, generate, search, library, bench, graph500, graphalytics):
        module.add_commands(commands)
    return top


def expected_errors() -> tuple[type[BaseException], ...]:
    """Errors that users can act on: bad files, bad values, a missing library or device, too little memory."""
    from ..exceptions import GraphblasException

    return (
        GraphblasException,
        OSError,
        ValueError,
        IndexError,
        EOFError,
        zlib.error,
        ImportError,
        RuntimeError,
        MemoryError,
    )


def _show_warning(message: Warning | str, *where: object, **more: object) -> None:
    """Also in one line, and without the place in the source."""
    print(f"{PROGRAM}: warning: {' '.join(str(message).split())}", file=sys.stderr)


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    text = " ".join(str(error).split())
    return text or type(error).__name__


def _version() -> str:
    from .. import __version__

    return f"{PROGRAM} {__version__}"
