"""The transport by NCCL: what the host does, between ranks whose NCCL is carried by MPI; and NCCL itself on one GPU.

NCCL between two devices is not tested: no machine here has two.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mpi_jobs import launch

pytest.importorskip("mpi4py")

PROGRAM = Path(__file__).resolve().parents[1] / "helpers" / "nccl_program.py"
CASES = (
    "case_who_can",
    "case_it_fails_to_start",
    "case_another_transport",
    "case_allgather",
    "case_forced",
    "case_searches",
    "case_a_rank_is_missing",
)


@pytest.mark.parametrize("ranks", [2, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (1, 3, 4))])
def test_ranks_exchange(ranks):
    done = launch(ranks, sys.executable, str(PROGRAM), *CASES, GRBLAS_GPU_CPU_TIER="numba")
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.split() == list(CASES)


@pytest.mark.gpu
def test_one_rank_and_its_device():
    """NCCL itself: a communicator of one rank, which sends to itself."""
    import cupy

    from grblas_gpu.backends.mpi.nccl import Link, NcclMessages, link_of, load_nccl
    from grblas_gpu.distributed import Grid

    nccl = load_nccl()
    if nccl is None:
        pytest.skip("there is no NCCL here")
    grid = Grid()
    link, why = link_of(grid, cupy)
    assert link is not None, why
    link = Link(grid.everyone, cupy, nccl, nccl.get_unique_id())
    sent, received = cupy.arange(1000, dtype=cupy.uint8), cupy.zeros(1000, cupy.uint8)
    link.finish(link.start_swap(sent.data.ptr, {0: received.data.ptr}, 1000))
    assert bool((sent == received).all())
    # A level of a search: bits on the stream of kernels, after those that write them; numbers by MPI.
    place = NcclMessages(grid.everyone, cupy.zeros((2, 64), cupy.uint8), link)
    for number in range(4):
        place.mine(number % 2)[:] = number
        assert place.allgather(number % 2, [number, 7])[0][:2] == [number, 7]
        assert place.all(number % 2).get().tolist() == [number] * 64
