"""Context-free reachability: pairs of vertices that paths join whose edges spell a word of a grammar.

Returns a BOOL Matrix. Method: rules become rules of at most two symbols; every symbol has the matrix of its pairs. In
each round the pairs found last are multiplied by those of the other symbol of a rule, until there are none.
Invariant: every pair of a symbol is joined by a word of it. Cost: a product for each rule and round, of at most n^2
pairs in all; O(n^3 rules) operations if products are dense.
Reference: R. Azimov, S. Grigorev, Context-free path querying by matrix multiplication, GRADES-NDA 2018.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from .. import Matrix, Vector, monoid, semiring
from .checks import graph_algorithm
from .named_edges import Others, by_name, with_same_vertices


@partial(graph_algorithm, others=with_same_vertices)
def context_free_reachability(
    A: Matrix, rules: Iterable[tuple[str, str]], symbol: str = "S", *, others: Others = None
) -> Matrix:
    """True at (i, j) if a path from i to j spells a word that the grammar derives from ``symbol``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    rules : list of (str, str)
        A symbol and what it may become: symbols and names of edges, separated by spaces, or nothing. Edges of the graph
        are called A, and ``^A`` goes from their ends to their beginnings.
    symbol : str
        The symbol of the wanted paths.
    others : dict, optional
        More graphs of the same vertices, by the names of their edges.

    Raises
    ------
    DimensionMismatch
        A Matrix is not square, or has another shape.
    InvalidValue
        A rule has a symbol that is neither on the left of a rule nor the name of edges.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import context_free_reachability
    >>> up, down = (Matrix.from_coo([i], [i + 1], True, nrows=4, ncols=4) for i in (0, 1))
    >>> found = context_free_reachability(up, [("S", "A b"), ("S", "A S b")], others={"b": down})
    >>> found.to_dicts()
    {0: {2: True}}
    """
    edges, short = by_name(A, others), list(of_two(rules))
    left = {symbol, *(each for each, _ in short)}
    found = {part: edges(part) for _, right in short for part in right if part not in left}
    found |= {each: Matrix(bool, *A.shape) for each in left}
    for each, right in short:
        if not right:
            # found_ii = true, by the empty word
            found[each] = Vector.from_scalar(True, A.nrows).diag()
    latest = found
    while any(M.nvals for M in latest.values()):
        arriving = {each: Matrix(bool, *A.shape) for each in left}
        for each, right in short:
            for place in range(len(right)):
                if right[place] in latest:
                    pairs = [(latest if at == place else found)[part] for at, part in enumerate(right)]
                    product = pairs[0] if len(pairs) == 1 else semiring.any_pair[bool](pairs[0] @ pairs[1])
                    # arriving<!found> |= latest any.pair found, and found any.pair latest
                    arriving[each](~found[each].S, monoid.lor) << product
        latest = arriving
        for each, new in latest.items():
            # found<latest> = true
            found[each](new.S) << True
    return found[symbol]


def of_two(rules: Iterable[tuple[str, str]]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The rules with at most two symbols on the right.

    >>> list(of_two([("S", "a S b"), ("S", "")]))
    [('S 0 3', ('S', 'b')), ('S', ('a', 'S 0 3')), ('S', ())]
    """
    for number, (symbol, text) in enumerate(rules):
        right = text.split()
        while len(right) > 2:
            rest = f"{symbol} {number} {len(right)}"
            yield rest, tuple(right[-2:])
            right[-2:] = [rest]
        yield symbol, tuple(right)
