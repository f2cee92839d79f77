"""Searches in which a level is one round: the same trees on every transport, and a clear end when a rank fails."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from mpi_jobs import PROGRAM, launch, program

from grblas_gpu.backends.mpi.search_layout import Layout, closed_bits, lists_to_pull
from grblas_gpu.backends.stores.storage import MatrixStore

pytest.importorskip("mpi4py")

CASES = (
    "case_tree_of_graph500",
    "case_graph500",
    "case_searches",
    "case_rounds_of_searches",
    "case_many_ranks_in_several_rows",
)
TRANSPORTS = [("shared", "shared memory"), ("mpi", "mpi")]
ON_GPU = [("led", "led by rank 0"), ("ipc", "cuda ipc"), ("mpi", "mpi")]

SEARCHES = """
import os
from grblas_gpu.distributed import DistMatrix, hybrid_bfs
TIMEOUT = "1000"
A = DistMatrix.kronecker(7)
for number in range(100000):
    hybrid_bfs(A, number % 100)
    if number == 6:  # by now all kernels are loaded and compiled
        os.environ["GRBLAS_GPU_MPI_TIMEOUT"] = TIMEOUT
"""


def slow(*given):
    return pytest.param(*given, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "ranks, grid, transport, name",
    [
        (2, "1x2", *TRANSPORTS[0]),
        (2, "2x1", *TRANSPORTS[1]),
        slow(3, "1x3", *TRANSPORTS[0]),
        slow(4, "2x2", *TRANSPORTS[1]),
        slow(3, "1x3", *TRANSPORTS[1]),
        slow(3, "3x1", *TRANSPORTS[0]),
        slow(4, "2x2", *TRANSPORTS[0]),
        *(slow(1, "1x1", *transport) for transport in TRANSPORTS),
    ],
)
def test_trees(ranks, grid, transport, name):
    settings = {"GRBLAS_GPU_CPU_TIER": "numba", "GRBLAS_GPU_MPI_TRANSPORT": transport, "GRBLAS_GPU_MPI_GRID": grid}
    done = launch(ranks, sys.executable, str(PROGRAM), *CASES, **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    assert [line.split()[0] for line in done.stdout.splitlines()] == sorted(CASES, key=done.stdout.index)
    assert done.stderr.count(f"[carried by {name if ranks > 1 else 'alone'}]") == ranks


@pytest.mark.gpu
@pytest.mark.parametrize("grid", ["1x4", "2x2"])
@pytest.mark.parametrize("transport, name", ON_GPU)
def test_trees_of_ranks_that_share_a_gpu(transport, name, grid):
    settings = {"GRBLAS_GPU_BACKEND": "cuda", "GRBLAS_GPU_MPI_TRANSPORT": transport, "GRBLAS_GPU_MPI_GRID": grid}
    done = launch(4, sys.executable, str(PROGRAM), *CASES, **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr.count(f"[carried by {name}]") == 4


# --- faults ----------------------------------------------------------------------------------------------------------


STOPS = "import signal; os.kill(os.getpid(), signal.SIGSTOP)"


def failing(what: str, transport: str, rank: int = 1, ranks: int = 3, **settings: str):
    """A job of which a rank does something else between two searches; how it ended.

    Long before the others are tired of waiting, unless that is how they are to find out.
    """
    settings = {"GRBLAS_GPU_MPI_TRANSPORT": transport, **settings}
    text = SEARCHES.replace("1000", "5") if what == STOPS else SEARCHES
    done = launch(ranks, *program(text + f"    if number == 7 and RANK == {rank}:\n        {what}\n"), **settings)
    assert done.returncode != 0
    return done


FAULTS = {
    "raise RuntimeError('out of luck')": r"\[rank [01]\] RuntimeError: out of luck",
    STOPS: r"\[rank [012]\] .*PeerTimeout: a level of a search: .* waited \d+ s for the others: one of them is dead",
    "import signal; os.kill(os.getpid(), signal.SIGKILL)": "",  # the launcher says it in its own words
    "hybrid_bfs(A, 33)": "RanksDiffer: a search: rank 1 was given another source or graph than rank 0",
}

NAMES = ["raises", "stops", "dies", "differs"]


@pytest.mark.parametrize(("transport", "ranks"), [("shared", 2), slow("shared", 3), slow("mpi", 3)])
@pytest.mark.parametrize("what", FAULTS, ids=NAMES)
def test_a_rank_that_fails_ends_the_job(what, transport, ranks):
    done = failing(what, transport, ranks=ranks, GRBLAS_GPU_CPU_TIER="numba")
    assert re.search(FAULTS[what], done.stderr)


@pytest.mark.gpu
@pytest.mark.parametrize(("transport", "rank"), [("led", 0), ("led", 1), ("ipc", 1), ("mpi", 1)])
@pytest.mark.parametrize("what", FAULTS, ids=NAMES)
def test_a_rank_that_fails_on_a_gpu_ends_the_job(what, transport, rank):
    assert re.search(FAULTS[what], failing(what, transport, rank, GRBLAS_GPU_BACKEND="cuda").stderr)


# --- layout ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 150), min_size=1, max_size=5))
def test_every_vertex_has_a_position(sizes):
    bounds = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    layouts = [Layout(bounds, rank) for rank in range(len(sizes))]
    positions = layouts[0].positions()
    assert len(set(positions.tolist())) == bounds[-1]
    for layout in layouts:
        low, high = bounds[layout.rank : layout.rank + 2]
        assert layout.size == high - low <= layout.stride
        mine = positions[low:high]
        assert (mine // layout.stride == layout.rank).all()
        assert [layout.position(vertex) for vertex in range(low, high)] == mine.tolist()


def test_lists_begin_with_the_vertices_of_most_edges():
    dense = np.random.default_rng(2).random((90, 40)) < 0.3
    dense[:, 7] = False
    rows, columns = np.nonzero(dense)
    part = MatrixStore(90, 40, np.searchsorted(rows, np.arange(91)), columns.astype(np.int32), np.ones(1, bool))
    degrees = np.random.default_rng(3).permutation(90)
    layout = Layout([0, 50, 90], 1)
    starts, neighbours = lists_to_pull(part, degrees, layout)
    vertices = {position: vertex for vertex, position in enumerate(layout.positions().tolist())}
    for v in range(40):
        found = [vertices[position] for position in neighbours[starts[v] : starts[v + 1]].tolist()]
        assert found == sorted(np.flatnonzero(dense[:, v]).tolist(), key=lambda u: -degrees[u])
    closed = np.unpackbits(closed_bits(starts, layout.stride), bitorder="little")
    assert np.flatnonzero(closed).tolist() == [7, *range(40, layout.stride)]
