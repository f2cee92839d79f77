"""Regular path queries: the vertices that are joined by paths whose edges spell a word of a regular expression.

Returns a BOOL Matrix with the rows of the sources. Method: every name in the expression is a state of an automaton; the
pairs of sources and vertices that reach a state are multiplied by the edges of the states that may follow, until
no state has new pairs. Invariant: pairs of a state are joined by the beginning of a word that ends there.
Cost: O(m) for each state and source, in as many rounds as the longest of the shortest words has edges.
Reference: W3C, SPARQL 1.1 Query Language (property paths).
"""

from __future__ import annotations

from functools import partial

from .. import Matrix, monoid, semiring
from .checks import Sources, check_vertices, graph_algorithm, vertex_set
from .expressions import Automaton
from .named_edges import Others, by_name, with_same_vertices


@partial(graph_algorithm, others=with_same_vertices)
def regular_reachability(
    A: Matrix, expression: str, sources: Sources | None = None, *, others: Others = None
) -> Matrix:
    """True at (i, j) if a path from the source i to j spells a word of the expression.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    expression : str
        Names of edges with ``/`` for one after the other, ``|`` for a choice, ``*``, ``+``, ``?`` for repetition, and
        parentheses. Edges of the graph are called A, and ``^A`` goes from their ends to their beginnings.
    sources : list of int, array or Vector, optional
        The vertices to start from; by default all.
    others : dict, optional
        More graphs of the same vertices, by the names of their edges.

    Raises
    ------
    DimensionMismatch
        A Matrix is not square, or has another shape.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        The expression is incomplete, or has the name of no edges.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import regular_reachability
    >>> knows = Matrix.from_coo([0, 1], [1, 2], True, nrows=4, ncols=4)
    >>> works = Matrix.from_coo([1, 2], [3, 3], True, nrows=4, ncols=4)
    >>> regular_reachability(knows, "A+/works", [0], others={"works": works}).to_dicts()
    {0: {3: True}}
    """
    edges, automaton = by_name(A, others), Automaton(expression)
    matrices = [edges(name) for name in automaton.names]
    # start_ii = true for every source
    sources = range(A.nrows) if sources is None else sources
    start = vertex_set(check_vertices(A, sources, "sources"), A.nrows).diag()
    reached = [start.dup(clear=True) for _ in matrices]
    latest, follow = {-1: start}, {-1: automaton.whole.first, **dict(enumerate(automaton.follow))}
    while latest:
        arriving: dict[int, Matrix] = {}
        for state, found in latest.items():
            for after in follow[state]:
                new = arriving.setdefault(after, start.dup(clear=True))
                # new<!reached> |= latest any.pair A
                new(~reached[after].S, monoid.lor) << semiring.any_pair[bool](found @ matrices[after])
        latest = {state: found for state, found in arriving.items() if found.nvals}
        for state, found in latest.items():
            # reached<latest> = true
            reached[state](found.S) << True
    result = start if automaton.whole.empty else start.dup(clear=True)
    for state in automaton.whole.last:
        # result |= reached, where words end
        result(monoid.lor) << reached[state]
    return result
