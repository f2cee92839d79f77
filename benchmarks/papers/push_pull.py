"""004: C. Yang, A. Buluc, J. Owens, Implementing push-pull efficiently in GraphBLAS, ICPP 2018. Tesla K40c."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Vector, algorithms, explain, generators, semiring

from .. import graphs
from ..contenders import grblas
from ..graphs import BenchmarkGraph
from ..harness import Session
from ..text_tables import Table
from ..verify import WrongResult
from .common import Experiment, Options, finished, median_ms, release, verified_levels

PAPER = "Yang, Buluc, Owens, ICPP 2018 (Tesla K40c)"

# In the paper's order: our switch, its name there, GTEPS on kron_g500-logn21 with it and those before it.
ABLATION = {
    "": ("baseline", 0.874),
    "structure_only": ("structure only", 1.411),
    "change_direction": ("change of direction", 1.527),
    "masking": ("masking", 3.932),
    "early_exit": ("early exit", 15.83),
    "operand_reuse": ("operand reuse", 42.44),
}

# Milliseconds of figure 7: SuiteSparse (1 thread), CuSha, baseline, Ligra, Gunrock, the paper's.
FIGURE7: dict[str, tuple[float | None, ...]] = {
    "kron_g500-logn21": (1694, 237.9, 108.7, 18.5, 4.546, 4.088),
    "rmat_s22_e64": (4226, 1354, None, 22.6, 3.943, 4.781),
    "rmat_s23_e32": (6033, 1423, None, 45.6, 7.997, 8.655),
    "rmat_s24_e16": (8193, 1234, None, 89.6, 16.74, 16.59),
    "rgg_n_24": (230602, 68202, 9147, 918, 593.9, 2991),
    "roadNet_CA": (342, 288.5, 284.9, 82.1, 130.9, 214.4),
    "road_USA": (9413, 36194, 26594, 978, 676.2, 7155),
}
FIGURE7_GTEPS = dict(zip(FIGURE7, (44.55, 101.038, 58.417, 31.327, 0.09259, 0.02575, 0.008065), strict=True))
FRAMEWORKS = ("SuiteSparse", "CuSha", "baseline", "Ligra", "Gunrock", "paper")
VARIANTS = {"row-based": "O(d M)", "row, mask": "O(d nnz(m))", "column-based": "O(d nnz(f) log nnz(f))"}
VARIANTS["column, mask"] = VARIANTS["column-based"]


def kron21(options: Options) -> BenchmarkGraph:
    """kron_g500-logn21 has the recipe of Graph500 with 48 edges per vertex."""
    return graphs.kronecker(10, 16) if options.small else graphs.kronecker(21, 48, "kron_g500-logn21")


def table2(options: Options, session: Session) -> list[Table]:
    """What each optimisation is worth, one added after the other, and with all but one."""
    graph = kron21(options)
    structure = graph.matrix(options.backend)
    sources = graph.sources(options.sources)
    with gb.using(options.backend):
        # Values of their own for all entries: without them there is nothing that structure-only could leave out.
        A = gb.indexunary.colindex(structure, 1).new("FP32")
        expected = [verified_levels(structure, algorithms.bfs, source) for source in sources]

    def rate(on: set[str]) -> float:
        """Billions of entries per second with these optimisations and without the others."""
        switches = {name: name in on for name in ABLATION if name}
        times = []
        for source, levels in zip(sources, expected, strict=True):
            search = partial(algorithms.dobfs, A, source, policy="switchpoint", **switches)
            if not search().isequal(levels):
                raise WrongResult(f"wrong levels from {source} with {sorted(on)}")
            times.append(median_ms({"": partial(finished, search)}, options.trials)[""])
        return A.nvals / statistics.median(times) / 1e6

    added = Table(
        f"Added one after the other: {graph.name}, {A.nvals:,} entries, {options.backend}",
        ["optimisation", "paper GTEPS", "paper speed-up", "GTEPS", "speed-up", "over the paper"],
    )
    on: set[str] = set()
    before = paper_before = None
    for name, (label, paper) in ABLATION.items():
        on |= {name} - {""}
        now = rate(on)
        added.add(label, paper, paper_before and paper / paper_before, now, before and now / before, now / paper)
        before, paper_before = now, paper
    without = Table("With all but one", ["left out", "GTEPS", "of all"])
    everything = set(ABLATION) - {""}
    whole = rate(everything)
    without.add("nothing", whole, 1.0)
    for name in ABLATION:
        if name:
            now = rate(everything - {name})
            without.add(ABLATION[name][0], now, now / whole)
    release(graph)
    return [added, without]


def figure2(options: Options, session: Session) -> list[Table]:
    """Four products against the sparsity of the operand, or of the mask for the masked row-based one."""
    graph = kron21(options)
    A = graph.matrix(options.backend)
    n, rng = A.nrows, np.random.default_rng(1)
    pull, push, points = "pull.compact", "push.sort", 4 if options.small else 9

    def some(count: int) -> Vector:
        indices = np.sort(rng.choice(n, count, replace=False))
        return Vector.from_coo(indices, rng.random(count, np.float32), size=n)

    def product(operand: Vector, mask: Vector | None, strategy: str) -> Callable[[], Any]:
        expr = semiring.plus_first(operand @ A)
        return lambda: expr.new(mask=None if mask is None else mask.S, strategy=strategy).nvals

    table = Table(
        f"Milliseconds of a product: {graph.name}, {A.nvals:,} entries, {options.backend}", ["entries", *VARIANTS]
    )
    with gb.using(options.backend):
        everything = some(n)
        for size in sorted({round(n * (k / points) ** 2) for k in range(1, points + 1)} - {0}):
            operand, mask = some(size), some(max(1, size * 2 // 3))
            _same(operand, mask, A, pull, push)
            times = median_ms(
                {
                    "row-based": product(operand, None, pull),
                    "row, mask": product(everything, some(size), pull),
                    "column-based": product(operand, None, push),
                    "column, mask": product(operand, mask, push),
                },
                options.trials,
            )
            table.add(size, *times.values())
    table.notes = [
        "the paper's costs: " + "; ".join(f"{name} {cost}" for name, cost in VARIANTS.items()),
        "entries: of the operand, or of the mask (row, mask), whose operand is full; a column mask has two thirds",
        f"row-based: {pull}, column-based: {push}, values of type FP32, (plus, first)",
    ]
    release(graph)
    return [table]


def _same(operand: Vector, mask: Vector, A: gb.Matrix, *strategies: str) -> None:
    """Both directions compute the same."""
    pulled, pushed = (semiring.plus_first(operand @ A).new(mask=mask.S, strategy=s) for s in strategies)
    if not pulled.isclose(pushed, rel_tol=1e-3):
        raise WrongResult("push and pull differ")


def figure5(options: Options, session: Session) -> list[Table]:
    """Push and pull at every level of a search, and which of them the rules choose."""
    graph = kron21(options)
    A = graph.matrix(options.backend)
    source = graph.sources(1)[0]
    expected = verified_levels(A, algorithms.bfs, source)
    table = Table(
        f"Levels of a search: {graph.name}, {A.nvals:,} entries, {options.backend}",
        ["level", "frontier", "unvisited", "edges", "push ms", "pull ms", "faster", "switchpoint", "cost"],
    )
    step = semiring.any_pair[bool]
    with gb.using(options.backend):
        levels, frontier, depth = Vector(int, A.nrows), Vector.from_coo([source], [True], size=A.nrows), 0
        while frontier.nvals:
            levels(frontier.S) << depth
            pushed, pulled, mask = step(frontier @ A), step(levels @ A), ~levels.S
            runs = {
                direction: partial(finished, partial(expr.new, mask=mask, direction=direction))
                for direction, expr in (("push", pushed), ("pull", pulled))
            }
            times = median_ms(runs, options.trials)
            chosen = [explain(pushed, mask, policy=policy) for policy in ("switchpoint", "cost")]
            table.add(
                depth + 1,
                frontier.nvals,
                A.nrows - levels.nvals,
                chosen[0].edges,
                *times.values(),
                min(times, key=lambda side: times[side]),
                *(plan.direction for plan in chosen),
            )
            frontier = pushed.new(mask=mask)
            depth += 1
        if not levels.isequal(expected):
            raise WrongResult("wrong levels")
    table.notes = ["the paper's scale 21 search: push in iterations 1 and 2, pull, push again from iteration 6 on"]
    release(graph)
    return [table]


def scale_free(options: Options) -> dict[str, BenchmarkGraph]:
    if options.small:
        return {"kron_g500-logn21": graphs.kronecker(9)}
    return {
        "kron_g500-logn21": graphs.kronecker(21, 48, "kron_g500-logn21"),
        "rmat_s22_e64": graphs.kronecker(22, 64, "rmat_s22_e64"),
        "rmat_s23_e32": graphs.kronecker(23, 32, "rmat_s23_e32"),
        "rmat_s24_e16": graphs.kronecker(24, 16, "rmat_s24_e16"),
    }


def meshes(options: Options) -> dict[str, BenchmarkGraph]:
    """Thousands of levels each; the roads are grids with the vertices and entries of the networks."""
    if options.small:
        return {"roadNet_CA": graphs.road("road 30 x 30", 30, 30)}
    return {
        "roadNet_CA": graphs.road("roadNet_CA (stand-in)", 1404, 1404, 0.7),
        "rgg_n_24": BenchmarkGraph("rgg_n_24", generators.random_geometric, 2**24),
        "road_USA": graphs.road("road_USA (stand-in)", 4894, 4894, 0.603),
    }


def frameworks(datasets: dict[str, BenchmarkGraph], options: Options, session: Session) -> list[Table]:
    """Direction-optimising search on the graphs of the paper that can be made, beside its frameworks."""
    times = Table(
        f"Milliseconds of a breadth-first search, {options.backend}",
        ["graph", "vertices", "entries", "depth", *FRAMEWORKS, "python-graphblas", "grblas_gpu", "paper / ours"],
    )
    rates = Table("Billions of entries per second", ["graph", "paper", "grblas_gpu", "Graph500's count", "x floor"])
    for name, graph in datasets.items():
        rows = session.measure(
            graph,
            "bfs",
            [grblas(options.backend), *options.others("python-graphblas")],
            sources=options.sources,
            trials=options.trials,
        )
        ours = rows[0]
        theirs = next((r["milliseconds"]["median"] for r in rows if r["contender"] == "python-graphblas"), None)
        ms, paper = ours["milliseconds"]["median"], FIGURE7[name][-1]
        assert paper is not None
        times.add(graph.name, graph.n, graph.entries, ours["depth"], *FIGURE7[name], theirs, ms, paper / ms)
        rates.add(graph.name, FIGURE7_GTEPS[name], ours["gteps_entries"], ours["gteps_graph500"], ours["over_floor"])
        release(graph)
    times.notes = [
        "columns SuiteSparse to paper: figure 7 of the paper, on a K40c (288 GB/s) and an E5-2637 v2",
        "stand-ins have the vertices and entries of the road networks, not their roads",
    ]
    return [times, rates]


def figure7(options: Options, session: Session) -> list[Table]:
    return frameworks(scale_free(options), options, session)


def figure7_meshes(options: Options, session: Session) -> list[Table]:
    return frameworks(meshes(options), options, session)


EXPERIMENTS = [
    Experiment("004.table2", "What each optimisation is worth", PAPER, table2),
    Experiment("004.figure2", "Four matrix-vector products against sparsity", PAPER, figure2),
    Experiment("004.figure5", "Push and pull at every level", PAPER, figure5),
    Experiment("004.figure7", "Frameworks on scale-free graphs", PAPER, figure7),
    Experiment("004.figure7-meshes", "Frameworks on meshes and roads", PAPER, figure7_meshes),
]
