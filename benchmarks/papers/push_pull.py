"""004: C. Yang, A. Buluc, J. Owens, Implementing push-pull efficiently in GraphBLAS, ICPP 2018. Tesla K40c."""

import statistics
from functools import partial

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Vector, algorithms, explain, generators, semiring
from grblas_gpu.bench import graphs
from grblas_gpu.bench.contenders import grblas

from ..common import BenchmarkGraph, Road, Session, Table, WrongResult
from .common import Experiment, Options, median_ms, shape, steps_of_search, verified_levels, waiting

PULL, PUSH = "pull.compact", "push.sort"


def kron21(options: Options) -> BenchmarkGraph:
    """kron_g500-logn21 has the recipe of Graph500 with 48 edges per vertex."""
    return graphs.kronecker(10, 16) if options.small else graphs.kronecker(21, 48, "kron_g500-logn21")


def of_kron21(experiment: Experiment, options: Options) -> tuple[BenchmarkGraph, gb.Matrix, Table]:
    graph = kron21(options)
    A = graph.matrix(options.backend)
    return graph, A, experiment.table(f":{graph.name}, {A.nvals:,} entries, {options.backend}")


def table2(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """The gain of each optimisation: added one after the other, and all but one."""
    graph, structure, added = of_kron21(experiment, options)
    sources = graph.sources(options.sources)
    with gb.using(options.backend):
        # A value for each entry: structure-only gains nothing on an iso matrix.
        A = gb.indexunary.colindex(structure, 1).new("FP32")
        expected = [verified_levels(structure, source) for source in sources]
    everything = set(experiment.rows) - {""}

    def rate(on: set[str]) -> float:
        """Billions of entries per second with these optimisations and without the others."""
        switches = {name: name in on for name in everything}
        times = []
        for source, levels in zip(sources, expected, strict=True):
            search = partial(algorithms.dobfs, A, source, policy="switchpoint", **switches)
            if not search().isequal(levels):
                raise WrongResult(f"wrong levels from {source} with {sorted(on)}")
            times.append(median_ms({"": waiting(search)}, options.trials)[""])
        return A.nvals / statistics.median(times) / 1e6

    on: set[str] = set()
    before = paper_before = None
    for name, (label, paper) in experiment.rows.items():
        on |= {name} - {""}
        now = rate(on)
        added.add(label, paper, paper_before and paper / paper_before, now, before and now / before, now / paper)
        before, paper_before = now, paper
    without = Table("With all but one", ["left out", "GTEPS", "of all"])
    whole = rate(everything)
    without.add("nothing", whole, 1.0)
    for name, (label, _) in experiment.rows.items():
        if name:
            now = rate(everything - {name})
            without.add(label, now, now / whole)
    graph.forget()
    return [added, without]


def figure2(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Four products against the sparsity of the operand, or of the mask for the masked row-based one."""
    graph, A, table = of_kron21(experiment, options)
    n, rng, points = A.nrows, np.random.default_rng(1), 4 if options.small else 9

    def some(count: int) -> Vector:
        indices = np.sort(rng.choice(n, count, replace=False))
        return Vector.from_coo(indices, rng.random(count, np.float32), size=n)

    def product(operand: Vector, mask: Vector | None, strategy: str):
        return semiring.plus_first(operand @ A).new(mask=None if mask is None else mask.S, strategy=strategy)

    with gb.using(options.backend):
        everything = some(n)
        for size in sorted({round(n * (k / points) ** 2) for k in range(1, points + 1)} - {0}):
            operand, mask = some(size), some(max(1, size * 2 // 3))
            if not product(operand, mask, PULL).isclose(product(operand, mask, PUSH), rel_tol=1e-3):
                raise WrongResult("push and pull differ")
            runs = {
                "row-based": waiting(product, operand, None, PULL),
                "row, mask": waiting(product, everything, some(size), PULL),
                "column-based": waiting(product, operand, None, PUSH),
                "column, mask": waiting(product, operand, mask, PUSH),
            }
            table.add(size, *median_ms(runs, options.trials).values())
    graph.forget()
    return [table]


def figure5(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Push and pull at every level of a search, and the one that the rules select."""
    graph, A, table = of_kron21(experiment, options)
    for depth, frontier, levels, pushed, pulled, mask in steps_of_search(A, graph.sources(1)[0]):
        runs = {
            "push": waiting(pushed.new, mask=mask, direction="push"),
            "pull": waiting(pulled.new, mask=mask, direction="pull"),
        }
        times = median_ms(runs, options.trials)
        chosen = [explain(pushed, mask, policy=policy) for policy in ("switchpoint", "cost")]
        sizes = depth + 1, frontier.nvals, A.nrows - levels.nvals, chosen[0].edges
        faster = min(times, key=lambda side: times[side])
        table.add(*sizes, *times.values(), faster, *(plan.direction for plan in chosen))
    graph.forget()
    return [table]


def scale_free(options: Options) -> dict[str, BenchmarkGraph]:
    if options.small:
        return {"kron_g500-logn21": graphs.kronecker(9)}
    sizes = {"rmat_s22_e64": (22, 64), "rmat_s23_e32": (23, 32), "rmat_s24_e16": (24, 16)}
    return {"kron_g500-logn21": kron21(options)} | {name: graphs.kronecker(*k, name) for name, k in sizes.items()}


def meshes(options: Options) -> dict[str, BenchmarkGraph]:
    """Thousands of levels each; the roads are grids with the vertices and entries of the networks."""
    if options.small:
        return {"roadNet_CA": Road("road 30 x 30", 30)}
    return {
        "roadNet_CA": Road("roadNet_CA (stand-in)", 1404),
        "rgg_n_24": BenchmarkGraph("rgg_n_24", generators.random_geometric, 2**24),
        "road_USA": Road("road_USA (stand-in)", 4894, 0.603),
    }


def figure7(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Direction-optimising search on the graphs of the paper that can be made, beside its frameworks."""
    times = experiment.table(options.backend)
    rates = Table("Billions of entries per second", ["graph", "paper", "grblas_gpu", "Graph500's count", "x floor"])
    datasets = meshes if experiment.name.endswith("meshes") else scale_free
    for name, graph in datasets(options).items():
        (ours,), theirs = options.measure(session, graph, "bfs", [grblas(options.backend)], "python-graphblas")
        *papers, gteps = (None if cell == "-" else cell for cell in experiment.rows[name])
        ms = ours["milliseconds"]["median"]
        times.add(*shape(graph), ours["depth"], *papers, theirs, ms, papers[-1] / ms)
        rates.add(graph.name, gteps, ours["gteps_entries"], ours["gteps_graph500"], ours["over_floor"])
        graph.forget()
    return [times, rates]


EXPERIMENTS = {"004.table2": table2, "004.figure2": figure2, "004.figure5": figure5}
EXPERIMENTS |= {"004.figure7": figure7, "004.figure7-meshes": figure7}
