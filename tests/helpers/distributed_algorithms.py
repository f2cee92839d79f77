"""Cases of distributed_program.py: algorithms and searches."""

import sys
from functools import partial

import numpy as np
from distributed_objects import EVERY, GRIDS, LOCAL, RANK, RANKS, check, graphs
from library_algorithms import ALGORITHMS as LIBRARY

import grblas_gpu as gb
from grblas_gpu import Vector, algorithms, generators, monoid
from grblas_gpu.backends.mpi import searches
from grblas_gpu.distributed import graph500, hybrid_bfs, validate_tree

ALGORITHMS = {
    "bfs": lambda A, s: algorithms.bfs(A, s),
    "bfs, two steps": lambda A, s: algorithms.bfs(A, s, max_depth=2),
    "bfs_parents": lambda A, s: algorithms.bfs_parents(A, s, reproducible=True),
    "dobfs": lambda A, s: algorithms.dobfs(A, s),
    "dobfs, push": lambda A, s: algorithms.dobfs(A, s, direction="push"),
    "dobfs, pull": lambda A, s: algorithms.dobfs(A, s, direction="pull"),
    "dobfs, values": lambda A, s: algorithms.dobfs(A, s, structure_only=False, operand_reuse=False),
    "betweenness of one": lambda A, s: algorithms.betweenness_centrality(A, s),
    "betweenness of some": lambda A, s: algorithms.betweenness_centrality(A, range(min(5, A.nrows)), endpoints=True),
    "pagerank": lambda A, s: algorithms.pagerank(A, tol=1e-3),
    "connected_components": lambda A, s: algorithms.connected_components(A),
    "hybrid_bfs": lambda A, s: algorithms.hybrid_bfs(A, s),
    "bfs_multi": lambda A, s: algorithms.bfs_multi(A, [0, s]),
}


def case_algorithms() -> None:
    for number, (name, A, source) in enumerate(graphs()):
        D = A.to("mpi")
        for what, algorithm in list(ALGORITHMS.items())[number % EVERY :: EVERY]:
            try:
                check(algorithm(D, source), partial(algorithm, A, source))
            except Exception as error:
                error.add_note(f"{what} on the graph {name}")
                raise


def case_one_dimension() -> None:
    for backend in GRIDS[1:]:
        for name, A, source in graphs():
            if name not in ("kronecker", "directed", "one vertex")[RANKS > 4 or EVERY > 1 :]:
                continue
            D = A.to(backend)
            for what in ("bfs", "dobfs, pull", "bfs_parents", "betweenness of some", "connected_components"):
                check(ALGORITHMS[what](D, source), partial(ALGORITHMS[what], A, source))


MANY_STEPS = ("edge_betweenness_centrality", "leiden", "louvain")  # half a minute each on four ranks of two cores
PAPERS = {name: partial(getattr(algorithms, name), source=5) for name in ("turbobfs", "xbfs")}


def case_the_rest_of_the_library() -> None:
    if RANKS not in (1, 4):
        return
    with gb.using(LOCAL):
        A = generators.kronecker(5, 4, seed=2).dup(float)
    D = A.to("mpi")
    for name, algorithm in list((LIBRARY | PAPERS).items())[::EVERY]:
        if name in MANY_STEPS and RANKS > 1:
            continue
        try:
            with gb.trace() as t:
                found = algorithm(D)
            assert not [record.op for record in t.records if record.strategy == "gathered"]
            wanted = algorithm(A) if RANK == 0 else found  # saves cores
            for mine, other in zip(*([x] if not isinstance(x, tuple) else x for x in (found, wanted)), strict=True):
                if hasattr(mine, "nvals"):
                    check(mine, lambda other=other: other)
                else:
                    assert mine == other or np.isclose(mine, other).all()
        except Exception as error:
            error.add_note(name)
            raise


def case_exact_betweenness() -> None:
    with gb.using(LOCAL):
        A = generators.grid_2d(3, 4)
    for batch in (1, 5)[EVERY > 1 :]:
        check(
            algorithms.betweenness_centrality(A.to("mpi"), batch=batch, normalized=False),
            algorithms.betweenness_centrality(A, normalized=False),
        )


def case_tree_of_graph500() -> None:
    for _, A, source in graphs():
        if not A.pattern().is_symmetric():
            continue
        D = A.to("mpi")
        parents = hybrid_bfs(D, source)
        result = validate_tree(D, source, parents)
        assert result.ok, result
        levels = algorithms.bfs(A, source)
        assert result.vertices == levels.nvals
        assert result.depth == levels.reduce(monoid.max).new().value + 1


def case_wrong_trees_are_found() -> None:
    with gb.using(LOCAL):
        A = generators.path(6)
    D = A.to("mpi")
    right = [0, 0, 1, 2, 3, 4]
    wrong = [  # the checks that must fail, and a tree with such a mistake
        ([], right),
        ([0], [0, 0, 3, 2, 3, 4]),  # a cycle of 2 and 3
        ([0], [1, 0, 1, 2, 3, 4]),  # the source has another parent
        ([3, 4], [0, 0, 1, 1, 3, -1]),  # 3 hangs on 1; 5 is missing
        ([3], [0, 0, 1, 2, 3, -1]),
        ([2, 4], [0, 0, 1, 2, 0, 4]),  # 4 hangs on 0, and is two levels above 3
    ]
    for failing, parents in wrong:
        places = [v for v, parent in enumerate(parents) if parent >= 0]
        tree = Vector.from_coo(places, [parents[v] for v in places], size=6).to("mpi")
        found = validate_tree(D, 0, tree).failed
        assert all(found[k] for k in failing), (failing, found)
        assert bool(failing) == any(found), (failing, found)


def case_graph500() -> None:
    result = graph500(7, roots=5, seed=4)
    assert result.validated
    assert len(result.teps) == len(set(result.roots)) == 5
    assert min(result.teps) <= result.harmonic_mean_teps <= max(result.teps)
    assert result.ranks == RANKS
    sent = sum(level.bytes_all for level in result.levels)
    assert (sent > 0) == (RANKS > 1)


def case_searches() -> None:
    """Trees of level-synchronous searches, also on directed graphs; and their traces."""
    for _, A, source in graphs():
        D = A.to("mpi")
        levels = algorithms.bfs(A, source)
        for _ in range(2):  # the second one uses the caches of the first
            parents = hybrid_bfs(D, source).to("cpu")
            assert parents.dtype == gb.dtypes.INT64
            known, found = levels.to_dict(), parents.to_dict()
            assert known.keys() == found.keys()
            edges = A.to_dicts()
            for v, parent in found.items():
                assert v == parent == source or (known[v] == known[parent] + 1 and v in edges[parent])
    with gb.using(LOCAL):
        A = generators.kronecker(9, seed=2)
    D = A.to("mpi")
    with gb.trace() as t:
        hybrid_bfs(D, 3)
    assert {record.direction for record in t.steps()} == {"push", "pull"}
    assert sum(record.output_nvals for record in t.steps()) + 1 == algorithms.bfs(A, 3).nvals
    carried = {record.transport for record in t.steps()}
    assert len(carried) == 1, carried
    print(f"[carried by {carried.pop()}]", file=sys.stderr, flush=True)
    for record in t.steps():
        assert (record.bytes_sent > 0) == (RANKS > 1)


SHAPES = [*GRIDS[1:], *([f"mpi:2x{RANKS // 2}"] if RANKS % 2 == 0 else [])]
LEVELED = {
    "push": partial(algorithms.dobfs, direction="push"),
    "pull": partial(algorithms.dobfs, direction="pull"),
    "levels": algorithms.bfs,
    "parents": algorithms.bfs_parents,
}


def five_levels(D, search) -> tuple[int, int]:
    """Rounds and messages of five levels: the difference of two searches on a path."""
    sent = []
    for source in (5, 0, 5, 0):  # the first ones prepare
        before = D._engine.grid.traffic.copy()
        assert search(D, source).nvals == 12
        sent.append(D._engine.grid.traffic.since(before))
    return sent[3].rounds - sent[2].rounds, sent[3].messages - sent[2].messages


def case_rounds_of_searches() -> None:
    """One round per level on any grid, with the bits and counts of all ranks."""
    with gb.using(LOCAL):
        path = generators.path(12)
    for backend in SHAPES:
        D = path.to(backend)
        found = five_levels(D, hybrid_bfs)
        if D._store.kept["search"] is not None:  # the engine has kernels for it
            messages = 2 if D._engine.transport == "mpi" else 1
            assert found == (5 * (RANKS > 1), 5 * (RANKS - 1) * messages), (backend, found)


def case_many_ranks_in_several_rows() -> None:
    """Ranks search by products, unless the setting is bits; the trees are the same."""
    with gb.using(LOCAL):
        path = generators.path(12)
    most, searches.MOST_RANKS = searches.MOST_RANKS, RANKS - 1
    compiled = path.to(f"mpi:1x{RANKS}")
    hybrid_bfs(compiled, 0)
    for by in ("", "bits", "products"):
        D = path.to(f"mpi:{RANKS}x1")
        engine = D._engine
        told, engine.search_by = engine.search_by, by
        assert hybrid_bfs(D, 4).to("cpu").to_dict() == {v: v + (v < 4) - (v > 4) for v in range(12)}
        in_bits = by == "bits" or (by == "" and RANKS == 1)  # one row
        assert (D._store.kept["search"] is not None) == (in_bits and compiled._store.kept["search"] is not None)
        engine.search_by = told
    searches.MOST_RANKS = most


def case_rounds_of_products() -> None:
    """Rounds of expand, fold, and one sum for the next decision; no round exchanges sizes or another number."""
    with gb.using(LOCAL):
        path = generators.path(12)
    for backend in SHAPES:
        D = path.to(backend)
        down, across = D._engine.grid.shape
        many_rows, sums = down > 1, (RANKS - 1).bit_length()
        push = 5 * ((across > 1) + many_rows + (RANKS > 1)), 5 * (across - 1 + down - 1 + sums)
        # Unvisited vertices go along columns, at the same time as the frontier along rows.
        pull = 5 * ((RANKS > 1) + many_rows + (RANKS > 1)), push[1] + 5 * (down - 1)
        found = {name: five_levels(D, search) for name, search in LEVELED.items()}
        assert found["push"] == push, (backend, found)
        assert found["pull"] == pull, (backend, found)
        for name in ("levels", "parents"):  # in both directions, not the same levels in the two searches
            assert abs(found[name][0] - push[0]) <= 2, (backend, found)
            assert push[1] - 2 <= found[name][1] <= pull[1] + 2 * RANKS, (backend, found)
