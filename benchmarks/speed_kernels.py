"""What gpu_speed.py times on a graph, how a result is verified, and how many bytes must move for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grblas_gpu import algorithms

from . import contenders, floors, graphblas_kernels, speed_checks, verify
from .speed_case import WEIGHT, Case
from .verify import WrongResult

ITERATIONS = 20  # of PageRank
CLOSE_32 = 1e-5, 1e-3  # relative differences of FP32 ranks from ours in FP64, and from those added up in FP32
VERIFIED = 24  # sources of exact betweenness: more than one batch


@dataclass(frozen=True)
class Kernel:
    """``run`` is what is timed; the others get the case, then the result or the source.

    ``check`` raises WrongResult; ``floor`` gives bytes; ``traversed`` the entries that are counted for one run (None
    where nobody counts them); ``other`` is the same work by python-graphblas, and ``same`` whether two results agree.
    """

    run: Callable[[Case, int], Any]
    check: Callable[[Case, Any, int], None]
    floor: Callable[[Case, Any], int]
    traversed: Callable[[Case], int] | None = None
    prepare: Callable[[Case], Any] = lambda case: None
    other_prepare: Callable[[Case], Any] = lambda case: case.graphblas
    other: Callable[[Case, int], Any] | None = None
    same: Callable[[Any, Any], bool] | None = None
    levels: bool = False  # whether a trace of it has a line per level


def _same_levels(ours: Any, theirs: Any) -> bool:
    dense = (x.to_dense(fill_value=-1, dtype=np.int64) for x in (ours, theirs))
    return bool(np.array_equal(*dense))


def _close(ours: Any, theirs: Any, rtol: float = 1e-6) -> bool:
    x, y = (v.to_dense(fill_value=0.0, dtype=np.float64) for v in (ours, theirs))
    return bool(np.allclose(x, y, rtol=rtol, atol=1e-9 * float(np.abs(y).max(initial=0.0))))


# Breadth-first search --------------------------------------------------------------------------------------------


def _check_bfs(case: Case, levels: Any, source: int) -> None:
    verify.check_levels(*case.structure, case.dense(levels, -1, np.int64), source)


def _bfs(search: Callable[..., Any]) -> Kernel:
    return Kernel(
        run=lambda case, source: search(case.A, source),
        check=_check_bfs,
        floor=lambda case, levels: floors.bfs_floor(levels.nvals, case.A.nvals, case.backend),
        traversed=lambda case: case.A.nvals,
        other=lambda case, source: graphblas_kernels.bfs(case.graphblas, source),
        same=_same_levels,
        levels=True,
    )


# Betweenness -----------------------------------------------------------------------------------------------------


def betweenness(case: Case, sources: Any) -> Any:
    return algorithms.betweenness_centrality(case.A, sources, normalized=False, directed=True)


def _check_bc(case: Case, scores: Any, source: int) -> None:
    levels = case.levels(source)
    verify.check_levels(*case.structure, levels, source)
    if int(levels.max()) > verify.FEW_LEVELS:
        expected = verify.edge_dependencies(*case.graph.csr, source, speed_checks.host(levels))
    else:
        expected = speed_checks.host(verify.product_dependencies(case.ones, source, levels))
    verify.check_dependencies(scores.to_dense(fill_value=0.0), expected)


def check_some_scores(case: Case, count: int = VERIFIED) -> None:
    """Betweenness of several sources at once is right; as many batches as all sources need would take too long."""
    sources = list(dict.fromkeys(case.graph.sources(count)))
    scores = betweenness(case, sources).to_dense(fill_value=0.0)
    searches = [(source, case.levels(source)) for source in sources]
    speed_checks.check_scores(scores, case.ones, case.structure, searches)


def _bc_floor(case: Case, scores: Any) -> int:
    return floors.bc_floor(case.A.nrows, case.A.nvals, case.backend)


# The others ------------------------------------------------------------------------------------------------------


def _prepare_pagerank(case: Case) -> None:
    """Ranks after 20 steps by products of another library, and a tolerance that is met in the last of them."""
    ranks, changes = speed_checks.power_iteration(case.ones, case.degrees, ITERATIONS)
    tolerance = (changes[-1] * changes[-2]) ** 0.5 / case.A.nrows
    case.kept["pagerank"] = ranks, tolerance


def _pagerank(dtype: Any, close: float, same: Callable[[Any, Any], bool]) -> Kernel:
    """PageRank in one type, ``close`` to ranks in FP64. Changes in FP32 do not tell which step is the last to take."""
    size, exact = np.dtype(dtype).itemsize, dtype is np.float64

    def run(case: Case, source: int) -> Any:
        tol = case.kept["pagerank"][1] if exact else 0.0
        return algorithms.pagerank(case.A, weighted=False, tol=tol, max_iterations=ITERATIONS, dtype=dtype)

    def check(case: Case, ranks: Any, source: int) -> None:
        speed_checks.check_ranks(case.dense(ranks, 0.0, np.float64), case.kept["pagerank"][0], close)

    return Kernel(
        run=run,
        check=check,
        floor=lambda case, ranks: floors.pagerank_floor(case.A.nrows, case.A.nvals, case.backend, ITERATIONS, size),
        prepare=_prepare_pagerank,
        other=lambda case, source: graphblas_kernels.pagerank(case.graphblas, ITERATIONS, dtype),
        same=same,
    )


def _check_sssp(case: Case, distances: Any, source: int) -> None:
    dense = case.dense(distances, -1, np.int64)
    speed_checks.check_distances(*case.structure, case.weighted._store.values, dense, source)


def _check_triangles(case: Case, count: int, source: int) -> None:
    expected = int(speed_checks.count_triangles(*case.directed))
    if count != expected:
        raise WrongResult(f"{count} triangles instead of {expected}")


def _check_components(case: Case, labels: Any, source: int) -> None:
    hub = int(np.argmax(case.degrees))
    levels = case.levels(hub)
    verify.check_levels(*case.structure, levels, hub)
    speed_checks.check_components(*case.structure, case.dense(labels, -1, np.int64), hub, levels)


KERNELS: dict[str, Kernel] = {
    "dobfs": _bfs(algorithms.dobfs),
    "bfs": _bfs(algorithms.bfs),
    "bc": Kernel(
        run=betweenness,
        check=_check_bc,
        floor=_bc_floor,
        traversed=lambda case: case.A.nvals,
        other=lambda case, source: contenders._graphblas_bc(case.graphblas, source),
        same=_close,
        levels=True,
    ),
    "exact": Kernel(
        run=lambda case, count: betweenness(case, range(count)),  # gpu_speed.py says of how many
        check=lambda case, scores, source: check_some_scores(case),
        floor=lambda case, scores: floors.exact_floor(case.A.nrows, case.A.nvals, case.backend),
        traversed=lambda case: case.A.nrows * case.A.nvals,
    ),
    "pagerank": _pagerank(np.float64, speed_checks.CLOSE, _close),
    "pagerank32": _pagerank(np.float32, CLOSE_32[0], lambda ours, theirs: _close(ours, theirs, CLOSE_32[1])),
    "sssp": Kernel(
        run=lambda case, source: algorithms.sssp(case.weighted, source),
        check=_check_sssp,
        floor=lambda case, found: floors.sssp_floor(found.nvals, case.A.nvals, case.backend, np.dtype(WEIGHT).itemsize),
        traversed=lambda case: case.A.nvals,
        prepare=lambda case: case.weighted,
        other_prepare=lambda case: case.graphblas_weighted,
        other=lambda case, source: graphblas_kernels.sssp(case.graphblas_weighted, source),
        same=_same_levels,
    ),
    "triangles": Kernel(
        run=lambda case, source: algorithms.triangle_count(case.A),
        check=_check_triangles,
        floor=lambda case, count: floors.triangles_floor(case.A.nrows, case.A.nvals, case.backend),
        other_prepare=lambda case: case.graphblas_directed,
        other=lambda case, source: graphblas_kernels.triangle_count(case.graphblas_directed),
        same=lambda ours, theirs: ours == theirs,
    ),
    "components": Kernel(
        run=lambda case, source: algorithms.connected_components(case.A),
        check=_check_components,
        floor=lambda case, labels: floors.components_floor(case.A.nrows, case.A.nvals, case.backend),
        other=lambda case, source: graphblas_kernels.connected_components(case.graphblas),
        same=_same_levels,
    ),
}
