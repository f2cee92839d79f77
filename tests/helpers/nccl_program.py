"""The program of the ranks in tests/mpi/test_nccl.py: the NCCL transport, with its calls emulated by MPI."""

from __future__ import annotations

import os
import re
import sys
import threading
from types import SimpleNamespace

import numpy as np
from nccl_by_mpi import Nccl, NcclError, cupy_with, install, uninstall

from grblas_gpu import trace
from grblas_gpu.backends.mpi.attempts import try_together
from grblas_gpu.backends.mpi.faults import PeerTimeout
from grblas_gpu.backends.mpi.nccl import Link, NcclMessages, link_of
from grblas_gpu.backends.mpi.transports import choose_transport, open_transport
from grblas_gpu.distributed import DistMatrix, Grid, hybrid_bfs, validate_tree

GRID = Grid()
RANK, RANKS = GRID.rank, GRID.size
OTHERS = [rank for rank in range(RANKS) if rank != RANK]


def case_who_can() -> None:
    """All ranks agree, with the reason: each needs a device and NCCL, and numbers must arrive."""
    last = RANKS - 1
    here = RANKS - 1 == RANK
    assert refusal(Nccl()) == ""
    assert refusal(Nccl(), "0000:0") == ("ranks share a device" if RANKS > 1 else "")
    assert refusal(Nccl(available=not here)) == f"rank {last}: CuPy has no NCCL"
    assert refusal(None if here else Nccl()) == f"rank {last}: CuPy has no NCCL"
    assert refusal(Nccl(fails="get_unique_id")) == "rank 0: NcclError: unhandled system error"


def case_it_fails_to_start() -> None:
    """One rank fails, and the others would wait for ever. All continue, with the reason of the failed rank."""
    last = RANKS - 1
    here = RANKS - 1 == RANK
    said = f"rank {last}: NcclError: unhandled system error" if RANKS > 1 else "NcclError: unhandled system error"
    assert refusal(Nccl(fails="NcclCommunicator") if here else Nccl(stuck=True)) == said
    nccl = Nccl(fails="groupEnd") if here else Nccl()
    assert refusal(nccl) == said
    assert nccl.aborted == 1  # the owner of a communicator aborts pending calls
    # No call fails, but wrong numbers arrive, or a call never ends.
    nccl = Nccl(carries=False)
    wrong = "RuntimeError: other numbers than those that ranks sent have arrived"
    assert refusal(nccl) == (wrong if RANKS > 1 else "")
    assert nccl.aborted == (RANKS > 1)
    result, why = try_together(GRID.everyone, threading.Event().wait, 0.1)
    assert result is None
    assert re.fullmatch(r"(rank \d: )?not done after 0.1 s", why), why
    # The next start works like the first.
    assert refusal(Nccl()) == ""


def case_another_transport() -> None:
    """Ranks without NCCL and without shared memory use MPI, and the trace has the reason."""
    install(Nccl(fails="NcclCommunicator") if RANK == RANKS - 1 else Nccl(stuck=True), f"0000:{RANK}")
    name, why = choose_transport(Grid(), True)
    uninstall()
    if RANKS == 1:
        assert (name, why) == ("alone", "")
        return
    assert name == "mpi"
    assert why == (
        "not led (ranks do not share a device), "
        f"not nccl (rank {RANKS - 1}: NcclError: unhandled system error), "
        "not ipc (cannot open the memory of others), "
        "not cuda-aware (MPI does not read the memory of devices)"
    )
    A = DistMatrix.kronecker(8)
    engine = A._engine
    before = engine.transport, engine.why_transport
    engine.transport, engine.why_transport = name, why
    engine.exchanges.clear()
    with trace() as t:
        assert validate_tree(A, 3, hybrid_bfs(A, 3)).ok
    records = [record for record in t.records if record.op == "search"]
    assert {record.transport for record in records} == {"mpi"}
    assert [record.reason.endswith(why) for record in records] == [True] + [False] * (len(records) - 1)
    engine.transport, engine.why_transport = before
    engine.exchanges.clear()


def refusal(nccl: Nccl | None, device: str = f"0000:{RANK}") -> str:
    """The reason why NCCL does not connect these ranks, or an empty string."""
    install(nccl, device)
    try:
        link, why = link_of(GRID, sys.modules["cupy"])
        assert (link is None) == bool(why)
        return why
    finally:
        uninstall()


def exchange(nccl: Nccl, length: int):
    cupy = cupy_with(nccl, f"0000:{RANK}")
    bits = cupy.zeros((2, RANKS * length), np.uint8)
    return NcclMessages(GRID.everyone, bits, Link(GRID.everyone, cupy, nccl, nccl.get_unique_id())), cupy


def case_allgather() -> None:
    nccl = Nccl()
    place, _ = exchange(nccl, 24)
    for number in range(6):
        turn = number % 2
        place.mine(turn)[:] = 10 * number + RANK
        rows = place.allgather(turn, [RANK, number])
        assert [row[:2] for row in rows] == [[rank, number] for rank in range(RANKS)]
        wanted = np.repeat(np.arange(RANKS) + 10 * number, 24)
        assert place.all(turn).tolist() == wanted.tolist()
    # One group for each exchange, with a call each way for every other rank.
    assert len(nccl.groups) == 6
    for group in nccl.groups:
        assert sorted(group) == sorted((kind, 24, rank) for rank in OTHERS for kind in ("send", "recv"))


def case_forced() -> None:
    """GRBLAS_GPU_MPI_TRANSPORT=nccl: ranks with a device each use it, once connected; others get an error."""
    os.environ["GRBLAS_GPU_MPI_TRANSPORT"] = "nccl"
    install(Nccl(), f"0000:{RANK}")
    assert choose_transport(GRID, True) == ("nccl" if RANKS > 1 else "alone", "")
    engine = SimpleNamespace(array=sys.modules["cupy"].asarray)
    place = open_transport("nccl", GRID, engine, 16)
    place.mine(0)[:] = RANK
    place.allgather(0, [0])
    assert place.all(0).tolist() == np.repeat(np.arange(RANKS), 16).tolist()
    assert open_transport("nccl", GRID, engine, 8)._link is place._link
    shared = Grid()
    install(Nccl(), "0000:0")
    try:
        assert choose_transport(shared, True) == ("alone", "")
    except ValueError as error:
        assert str(error) == "GRBLAS_GPU_MPI_TRANSPORT=nccl: not nccl (ranks share a device)"
    else:
        assert RANKS == 1
    uninstall()
    del os.environ["GRBLAS_GPU_MPI_TRANSPORT"]


def case_searches() -> None:
    A = DistMatrix.kronecker(8)
    engine = A._engine
    hybrid_bfs(A, 3)
    (length,) = engine.exchanges
    engine.exchanges[length], _ = exchange(Nccl(), length)
    for source in (3, 77):
        with trace() as t:
            tree = hybrid_bfs(A, source)
        assert validate_tree(A, source, tree).ok
        assert {record.transport for record in t.records if record.op == "search"} == {"nccl"}


def case_a_rank_is_missing() -> None:
    """Rank 0 sends its numbers, but its bits never arrive; NCCL reports that, or the time limit ends the run."""
    for lost, error, text in ((True, NcclError, "remote process"), (False, PeerTimeout, "a level of a search")):
        nccl = Nccl(carries=RANK != 0)
        nccl.lost = lost
        place, _ = exchange(nccl, 8)
        if not lost:
            os.environ["GRBLAS_GPU_MPI_TIMEOUT"] = "1"
        if RANK == 0:
            place.allgather(0, [0])
            continue
        try:
            place.allgather(0, [0])
        except error as raised:
            assert text in str(raised), raised
        else:
            raise AssertionError("no error was raised")


def main() -> None:
    for name in sys.argv[1:]:
        globals()[name]()
        if RANK == 0:
            print(name, flush=True)


if __name__ == "__main__":
    main()
