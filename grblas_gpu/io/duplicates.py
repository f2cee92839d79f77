"""What happens to edges that are listed twice: one policy for all readers, by name or by operator."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np

from ..backends.registry import current_engine
from ..foundation.suggestions import did_you_mean
from ..foundation.types import OperatorLike

#: Policies, and the operators that combine the values of an edge.
POLICIES = {"error": None, "sum": "plus", "max": "max", "min": "min", "first": "first", "last": "second"}


def combining(duplicates: OperatorLike | None, dup_op: OperatorLike | None = None) -> OperatorLike | None:
    """The operator of a policy; None if duplicates are an error. ``dup_op`` is its older name.

    >>> combining("sum"), combining(None), combining("error")
    (binary.plus, None, None)
    >>> combining("summ")
    Traceback (most recent call last):
    ValueError: duplicates: 'error', 'sum', 'max', 'min', 'first', 'last' or an operator; got 'summ'; did you mean sum?
    """
    if duplicates is not None and dup_op is not None:
        raise TypeError("duplicates and dup_op are two names of one argument; pass one of them")
    given = dup_op if duplicates is None else duplicates
    if not isinstance(given, str) or dup_op is not None:
        return given
    if given in POLICIES:
        name = POLICIES[given]
        return None if name is None else getattr(_binary(), name)
    try:
        return getattr(_binary(), given)
    except AttributeError:
        known = ", ".join(map(repr, POLICIES))
        said = f"duplicates: {known} or an operator; got {given!r}{did_you_mean(given, POLICIES)}"
        raise ValueError(said) from None


def _binary() -> ModuleType:
    from .. import binary

    return binary


def both_directions(
    rows: np.ndarray, cols: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Undirected edges as entries in both directions; a loop is one entry.

    Those with weights follow each other, so that the weights of a repeated edge are combined in one order.

    >>> both_directions(*np.array([[0, 1, 2], [1, 0, 2], [5, 6, 7]]))
    (array([0, 1, 1, 0, 2]), array([1, 0, 0, 1, 2]), array([5, 5, 6, 6, 7]))
    """
    proper = rows != cols
    if weights is None:
        return np.concatenate([rows, cols[proper]]), np.concatenate([cols, rows[proper]]), None
    if type(weights) is not type(rows):  # nodes were numbered on a device
        weights = current_engine().array(weights)
    kept = np.stack([np.ones_like(proper), proper], 1).ravel()
    i, j, x = (np.stack(ends, 1).ravel()[kept] for ends in ((rows, cols), (cols, rows), (weights, weights)))
    return i, j, x


def refusal(
    rows: np.ndarray,
    cols: np.ndarray,
    weights: np.ndarray,
    label: Callable[[int], object],
    place: Callable[[int], str] = "edge {}".format,
    *,
    directed: bool = True,
) -> ValueError | None:
    """The error that names the first repeated edge, its ends and its places; None if there is none.

    >>> ends = np.array([0, 1, 0]), np.array([1, 2, 1])
    >>> print(refusal(*ends, np.array([5, 6, 7]), ["ann", "bob", "cid"].__getitem__))  # doctest: +ELLIPSIS
    Duplicate edge from 'ann' to 'bob': 5 (edge 0) and 7 (edge 2); duplicates="sum" or another of ...
    """
    if not directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    order = np.lexsort((cols, rows))
    same = (rows[order[1:]] == rows[order[:-1]]) & (cols[order[1:]] == cols[order[:-1]])
    if not same.any():
        return None
    places = np.flatnonzero(same)
    at = places[np.argmin(order[places + 1])]  # the repetition that comes first
    first, again = int(order[at]), int(order[at + 1])
    ends = f"Duplicate edge from {label(int(rows[first]))!r} to {label(int(cols[first]))!r}"
    listed = f"{weights[first]} ({place(first)}) and {weights[again]} ({place(again)})"
    ways = ", ".join(map(repr, list(POLICIES)[1:]))
    said = f'duplicates="sum" or another of {ways} combines them (--duplicates on the command line)'
    return ValueError(f"{ends}: {listed}; {said}")
