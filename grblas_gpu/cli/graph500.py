"""``grblas-gpu graph500 --scale 18``: Graph500 on one device, or with ``mpiexec -n 4`` over the ranks of a job."""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import TYPE_CHECKING

from .files import UsageError
from .library_tables import table
from .memory import check_graph500
from .options import add_command, current_backend, pairs, positive

if TYPE_CHECKING:
    from ..distributed.graph500 import Graph500Result, Level

SIZES_OF_JOBS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")  # set for the processes of a job


def add_commands(commands: object) -> None:
    help_ = "the Graph500 benchmark: a Kronecker graph, searches, shortest paths, checked trees, TEPS"
    command = add_command(commands, "graph500", run, help_)
    command.add_argument("--scale", type=positive, default=16, help="2**SCALE vertices (default: 16)")
    command.add_argument("--edge-factor", type=positive, default=16, help="edges per vertex (default: 16)")
    command.add_argument("--roots", type=positive, default=64, help="searches (default: 64)")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--kernels", choices=("bfs", "sssp", "both"), default="both", help="ranks run bfs only")
    command.add_argument("--grid", metavar="RxC", help="rows and columns of ranks; 4x1 is 1-D (default: a wide one)")
    command.add_argument("--local", choices=("auto", "cpu", "cuda", "numpy"), help="what each rank computes with")
    command.add_argument("--no-validation", action="store_true", help="do not check the trees")
    command.add_argument("--force", action="store_true", help="even if memory seems to be too small")
    command.add_argument("--levels", action="store_true", help="show bytes, messages and time of every level")


def run(options: argparse.Namespace) -> int:
    ranks = max(int(os.environ.get(name, 1)) for name in SIZES_OF_JOBS)
    return run_on_ranks(options) if ranks > 1 or options.grid or options.local or options.levels else run_here(options)


def run_here(options: argparse.Namespace) -> int:
    from ..bench import graph500
    from ..bench.machine import machine_text
    from ..config import config

    check_graph500(options.scale, options.edge_factor, 1.0, options.force or current_backend() == "cuda")
    with config.set(compile="wait"):  # measure compiled loops
        result = graph500.graph500(
            options.scale,
            options.edge_factor,
            roots=options.roots,
            seed=options.seed,
            kernels=graph500.KERNELS if options.kernels == "both" else (options.kernels,),
            validate=not options.no_validation,
        )
    if options.json:
        print(json.dumps(result))
        return 0
    shown = {name: result[name] for name in ("scale", "vertices", "entries", "construction_seconds", "validated")}
    for kernel in (name for name in graph500.KERNELS if name in result):
        found = {name: value for name, value in result[kernel].items() if name not in ("seconds", "edges")}
        shown |= {f"{kernel}_{name}": value for name, value in found.items()}
    print(f"{pairs(shown)}\n{machine_text(result)}")
    return 0


def run_on_ranks(options: argparse.Namespace) -> int:
    from ..backends.mpi.faults import PATIENCE, abort
    from ..backends.mpi.grid import load_mpi
    from ..distributed import graph500

    if options.backend or options.kernels == "sssp":
        raise UsageError("the ranks of a job compute by --local, and run kernel bfs only")
    comm = load_mpi().COMM_WORLD
    name = ":".join(word for word in ("mpi", options.grid, options.local) if word)
    try:
        neighbours = comm.Split_type(load_mpi().COMM_TYPE_SHARED).Get_size()  # ranks that share this machine's memory
        check_graph500(options.scale, options.edge_factor, neighbours / comm.Get_size(), options.force)
        result = graph500(
            options.scale,
            options.edge_factor,
            roots=options.roots,
            seed=options.seed,
            validate=not options.no_validation,
            backend=name,
        )
    except Exception as error:
        if comm.Get_size() == 1:
            raise
        if getattr(error, "everywhere", False) and comm.Get_rank() != 0:
            time.sleep(PATIENCE)  # rank 0 reports it
        abort(comm, f"grblas-gpu: error: {type(error).__name__}: {error}")
        return 1
    if comm.Get_rank() == 0:
        print(json.dumps(result.as_dict()) if options.json else _text(result, options.levels))
    return 0


def _text(result: Graph500Result, with_levels: bool) -> str:
    shown = {
        name: value
        for name, value in result.as_dict().items()
        if name not in ("roots", "seconds", "edges", "depths", "levels")
    }
    shown["grid"] = f"{result.grid[0]} x {result.grid[1]}"
    shown["searches"] = len(result.roots)
    text = pairs(shown)
    return f"{text}\n\n{levels_table(result.levels)}" if with_levels else text


def levels_table(levels: list[Level]) -> str:
    """A line for every level; bytes and messages are the maximum over the ranks."""
    rows = [
        {
            "level": number,
            "direction": level.direction,
            "frontier": f"{level.frontier:,}",
            "edges": f"{level.edges:,}",
            "found": f"{level.found:,}",
            "bytes": f"{level.bytes_most:,}",
            "messages": level.messages_most,
            "ms": f"{level.seconds * 1e3:.2f}",
            "waited": f"{level.waited * 1e3:.2f}",
        }
        for number, level in enumerate(levels)
    ]
    return table(rows)
