"""``grblas-gpu generate KIND ...``: the generators, with the arguments that they have."""

from __future__ import annotations

import argparse
import inspect
import time
from typing import Any

from ..foundation.progress import elapsed
from .files import FORMATS, UsageError, check_writable, write_graph, write_table
from .memory import SIZES, check_generator
from .options import BACKENDS, current_backend, not_negative, pairs, show

PLANTED = ("lfr",)  # generators that know the communities of their graphs


def add_commands(commands: argparse._SubParsersAction) -> None:
    """A command for each generator, with the arguments of its signature."""
    from .. import generators

    help_ = "make a graph, and write it to a file"
    command = commands.add_parser("generate", help=help_, description=help_)
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name in SIZES:
        function = getattr(generators, name)
        first_line = (inspect.getdoc(function) or "").splitlines()[0].replace("``", "").replace("%", "%%")
        kind = kinds.add_parser(name, help=first_line, description=first_line)
        kind.set_defaults(run=run)
        for parameter in inspect.signature(function).parameters.values():
            _add_argument(kind, parameter)
        kind.add_argument("--output", "-o", metavar="FILE", help=f"by its suffix: {FORMATS}; - is an edge list")
        if name in PLANTED:
            kind.add_argument("--communities", metavar="FILE", help="write the community of each vertex")
        kind.add_argument("--backend", choices=BACKENDS)
        kind.add_argument("--json", action="store_true", help="print one JSON object")
        kind.add_argument("--force", action="store_true", help="even if memory seems to be too small")


def run(options: argparse.Namespace) -> int:
    from .. import generators

    if options.output:
        check_writable(options.output)
    function = getattr(generators, options.kind)
    positional, keywords = [], {}
    for parameter in inspect.signature(function).parameters.values():
        value = getattr(options, parameter.name)
        if parameter.kind is parameter.KEYWORD_ONLY:
            keywords[parameter.name] = value
        else:
            positional.append(value)
    start = time.perf_counter()
    try:
        check_generator(options.kind, vars(options), on_device=current_backend() == "cuda", force=options.force)
        with elapsed(f"generating {options.kind}"):
            found = function(*positional, **keywords)
            A = getattr(found, "matrix", found)
            entries = A.nvals
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OverflowError:
        raise UsageError(f"{options.kind}: the graph is too large for 64-bit vertex numbers") from None
    made = time.perf_counter()
    if options.output:
        write_graph(options.output, A)
    if getattr(options, "communities", None):
        write_table(options.communities, ["vertex", "community"], list(enumerate(found.labels.to_dense().tolist())))
    done = time.perf_counter()
    result: dict[str, object] = {
        "kind": options.kind,
        "vertices": A.nrows,
        "entries": entries,
        "backend": current_backend(),
        "file": options.output,
        "seconds": done - start,
    }
    if options.output:
        result |= {"generate_seconds": made - start, "write_seconds": done - made}
    show(options, result, pairs(result))
    return 0


def _add_argument(kind: argparse.ArgumentParser, parameter: inspect.Parameter) -> None:
    """An argument of a generator: positional parameters are positional, keywords are options."""
    type_: Any = float if "float" in str(parameter.annotation) else int if parameter.name == "seed" else not_negative
    if parameter.kind is parameter.KEYWORD_ONLY:
        kind.add_argument(f"--{parameter.name}", type=type_, default=parameter.default, help="default: %(default)s")
    elif parameter.default is parameter.empty:
        kind.add_argument(parameter.name, type=type_)
    else:
        kind.add_argument(parameter.name, type=type_, nargs="?", default=parameter.default, help="default: %(default)s")
