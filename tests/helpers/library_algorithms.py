"""Every algorithm of the library as a function of the graph alone."""

import inspect

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, select


def size(A) -> int:
    return getattr(A, "nrows", 0)


def upper_part(A):
    """A graph without cycles; other objects unchanged."""
    return select.triu(A, 1).new() if isinstance(A, Matrix) else A


def bipartite_part(A):
    """The edges between even and odd vertices."""
    if not isinstance(A, Matrix) or A.nrows != A.ncols:
        return A
    with gb.using(A.backend):
        side = Vector.from_dense(np.arange(A.nrows) % 2)
    return A.dup(mask=binary.ne(binary.first(side & A).new() & binary.second(A & side).new()).new().V)


def some_non_edges(A) -> int:
    """At most three, and no more than the graph has."""
    A = getattr(A, "matrix", A)
    if not isinstance(A, Matrix) or A.nrows != A.ncols:
        return 0
    return min(3, A.nrows * (A.nrows - 1) - select.offdiag(A).new().nvals)


#: Required arguments by name; functions take the graph.
REQUIRED = {
    "source": 0,
    "target": 0,
    "sources": lambda A: range(size(A)),
    "vertices": lambda A: range(size(A) // 2),
    "labels": lambda A: Vector.from_scalar(0, size(A)),
    "costs": lambda A: A,
    "count": some_non_edges,
    "k": 2,
    "length": 3,
    "fanouts": 2,
    "heuristic": {},
    "pattern": [(0, 1), (1, 2)],
    "expression": "A/A*",
    "rules": [("S", "A"), ("S", "A S A")],
}


def last(A) -> int:
    return max(1, size(A) - 1)


#: Other arguments, and options that shorten a call.
OPTIONS = {
    "clique_count": {"k": 4},
    "ecg": {"ensemble": 3},
    "eigenvector_centrality": {"max_iterations": 2000},
    "fiedler_vector": {"tol": 1e-2},
    "forceatlas2": {"iterations": 3},
    "k_truss": {"k": 3},
    "katz": {"alpha": 0.01},
    "maximum_flow": {"target": last},
    "minimum_cost_flow": {"target": last},
    "personalized_pagerank": {"sources": lambda A: range(min(2, size(A)))},
    "spectral_layout": {"max_iterations": 3},
    "subgraph_matches": {"limit": 5},
}
PARTS = dict.fromkeys(("topological_generations", "topological_order"), upper_part)
PARTS |= dict.fromkeys(("bipartite_sides", "maximum_bipartite_matching"), bipartite_part)


def of_graph(name: str, **more):
    """The algorithm as a function of the graph; ``more`` are further arguments."""
    function, part = getattr(algorithms, name), PARTS.get(name, lambda A: A)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    given = {one.name: REQUIRED[one.name] for one in parameters if one.default is one.empty}
    given |= OPTIONS.get(name, {}) | more

    def call(A):
        return function(part(A), **{key: value(A) if callable(value) else value for key, value in given.items()})

    return call


SEARCHES = {name: of_graph(name) for name in "bfs bfs_parents dobfs hybrid_bfs turbobfs xbfs".split()}
SEARCHES |= {name: of_graph(name, sources=[0]) for name in ("betweenness_centrality", "bfs_multi")}
ALGORITHMS = {
    name: of_graph(name) for name in sorted(set(algorithms.__all__) - {"NotConverged", "diameter"} - set(SEARCHES))
}
