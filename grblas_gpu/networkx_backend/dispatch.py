"""The calls that can and should run here: NetworkX checks before it converts a graph, and logs the reasons."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from ..foundation.types import NetworkXGraph
from .graph import NAME, Graph

Choice = Callable[..., str | None]

SINCE_3_7 = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)

# A search takes as many steps as the longest shortest path. Graphs with hardly more edges than a tree may be chains.
FEWEST_NEIGHBOURS = 2.4


class Entry(NamedTuple):
    """A function of the backend with NetworkX's signature, and the rules for its use."""

    function: Callable
    signature: inspect.Signature
    pays: str | Choice
    refuse: Choice | None


FUNCTIONS: dict[str, Entry] = {}


def define(*, pays: str | Choice = "large", refuse: Choice | None = None, **rows: Callable) -> None:
    """Make functions available to NetworkX: a row for each, as ``name=lambda G, weight: ...``.

    A function names the arguments that it uses. NetworkX's function of that name has the others, and the defaults.

    ``pays`` says when this backend is faster. "large": unless the graph is small. "search": unless it is small or has
    many levels. "converted": if the graph is converted already. "one search": if both hold. "on request": never, since
    NetworkX is as fast. A function of some arguments may return one of these. ``refuse``, also a function of some
    arguments, returns the reason why this backend cannot handle them, or None.
    """
    for name, function in rows.items():
        signature = inspect.signature(own(name))
        FUNCTIONS[name] = Entry(functools.partial(_run, function, signature), signature, pays, refuse)


def _as_it_is(x: object) -> object:
    return x


def compose(
    names: str,
    *,
    pays: str | Choice = "converted",
    refuse: Choice | None = None,
    before: Callable[[object], object] = _as_it_is,
    then: Callable[[object], object] = _as_it_is,
) -> None:
    """Functions that NetworkX composes of others: its code runs on the converted graph, and its steps run here.

    ``before`` converts the arguments, and ``then`` the result.
    """
    for name in names.split():
        function = functools.partial(_run_theirs, own(name), before, then)
        FUNCTIONS[name] = Entry(function, inspect.signature(own(name)), pays, refuse)


def own(name: str) -> Callable:
    """NetworkX's own function: the calls that it makes are dispatched, the function itself is not."""
    return _registered_algorithms[name].__wrapped__.orig_func


def _run(function: Callable, signature: inspect.Signature, /, *args: object, **kwargs: object) -> object:
    return _apply(function, _arguments(signature, args, kwargs))


def _run_theirs(theirs: Callable, before: Callable, then: Callable, /, *args: object, **kwargs: object) -> object:
    return then(theirs(*map(before, args), **{name: before(value) for name, value in kwargs.items()}))


def _apply(function: Callable, arguments: Mapping[str, object]) -> Any:
    """The result of a function for the arguments that it names; names that NetworkX does not have keep defaults."""
    return function(**{name: arguments[name] for name in _names(function) if name in arguments})


@functools.cache
def _names(function: Callable) -> Iterable[str]:
    return tuple(inspect.signature(function).parameters)


def _arguments(signature: inspect.Signature, args: tuple, kwargs: dict) -> dict[str, object]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def directed(G: nx.Graph) -> str | None:
    """The reason to refuse directed graphs."""
    return "the graph is directed" if G.is_directed() else None


def parallel(G: nx.Graph) -> str | None:
    """The reason to refuse multigraphs."""
    return "the graph is a multigraph" if G.is_multigraph() else None


def can_run(name: str, args: tuple, kwargs: dict) -> bool | str:
    """True, or the reason why the call cannot run here.

    >>> from grblas_gpu.networkx_backend.interface import can_run
    >>> can_run("pagerank", (nx.path_graph(3),), {})
    True
    >>> can_run("pagerank", (nx.path_graph(3),), {"weight": lambda u, v, data: 1})
    'weight is a function, not the name of an edge attribute'
    """
    entry = FUNCTIONS.get(name)
    if entry is None:
        return f"{name} is not among the functions of this backend"
    try:
        arguments = _arguments(entry.signature, args, kwargs)
    except TypeError:
        return True  # NetworkX raises the error about the arguments
    for argument in ("weight", "distance"):
        if callable(arguments.get(argument)):
            return f"{argument} is a function, not the name of an edge attribute"
    return (entry.refuse is not None and _apply(entry.refuse, arguments)) or True


def should_run(name: str, args: tuple, kwargs: dict) -> bool | str:
    """True, or why NetworkX is likely to be faster. ``nx.config.backends.grblas_gpu.min_edges`` sets the minimum.

    >>> from grblas_gpu.networkx_backend.interface import should_run
    >>> should_run("pagerank", (nx.path_graph(3),), {})
    'the graph is small: fewer than 1000 edges'
    """
    graph: NetworkXGraph = args[0] if args else next(iter(kwargs.values()), None)  # G, or flowG
    if isinstance(graph, Graph):
        return True
    entry = FUNCTIONS[name]
    pays = entry.pays if isinstance(entry.pays, str) else _apply(entry.pays, _arguments(entry.signature, args, kwargs))
    if pays == "on request":
        return "NetworkX is about as fast, and needs no conversion"
    if not _is_converted(graph):
        if pays in ("converted", "one search"):
            return "converting the graph takes longer than the computation, and it has not been converted before"
        least = nx.config.backends[NAME].min_edges
        if not _has_entries(graph, least if graph.is_directed() else 2 * least):
            return f"the graph is small: fewer than {least} edges"
    if pays in ("search", "one search") and not _has_entries(
        graph, FEWEST_NEIGHBOURS * len(graph) / (1 + graph.is_directed())
    ):
        return "the graph is nearly a tree: long paths need many iterations"
    return True


def _is_converted(graph: object) -> bool:
    cache = getattr(graph, "__networkx_cache__", None)
    return bool(cache and cache.get("backends", {}).get(NAME))


def _has_entries(graph: NetworkXGraph, least: float) -> bool:
    """Whether the lists of neighbours have at least this many items."""
    count = 0
    for neighbours in graph._adj.values():
        count += len(neighbours)
        if count >= least:
            return True
    return count >= least
