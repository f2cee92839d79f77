"""``grblas-gpu graphalytics FOLDER``: the six kernels of LDBC Graphalytics on its data sets, with validated outputs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .files import UsageError
from .options import BACKENDS, add_command, positive


def add_commands(commands: object) -> None:
    help_ = "LDBC Graphalytics: its six kernels on the data sets of a folder, checked against their reference outputs"
    command = add_command(commands, "graphalytics", run, help_, (*BACKENDS, "mpi"))
    command.add_argument("folder", metavar="FOLDER", help="contains NAME.properties, NAME.v, NAME.e, and NAME-BFS, ...")
    command.add_argument("--kernels", metavar="NAMES", help="only these, with commas: bfs,pr,wcc,cdlp,lcc,sssp")
    command.add_argument("--trials", type=positive, default=3, help="timed runs per kernel (default: 3)")


def run(options: argparse.Namespace) -> int:
    from ..bench import graphalytics
    from ..bench.machine import describe, machine_text
    from ..bench.tables import Table
    from ..config import config

    wanted = options.kernels.split(",") if options.kernels else list(graphalytics.KERNELS)
    if unknown := [name for name in wanted if name not in graphalytics.KERNELS]:
        raise UsageError(f"--kernels: unknown {', '.join(unknown)}; there are {', '.join(graphalytics.KERNELS)}")
    rows = []
    with config.set(compile="wait"):  # measure compiled loops
        for data in graphalytics.datasets(options.folder):
            for name in (name for name in graphalytics.kernels_of(data) if name in wanted):
                path = Path(options.folder, f"{data.name}-{name.upper()}")
                expected = graphalytics.reference(path, name, data.ids) if path.exists() else None
                rows.append(graphalytics.measure(data, name, options.trials, expected))
    if options.backend == "mpi":
        from ..backends.mpi.grid import load_mpi

        if load_mpi().COMM_WORLD.Get_rank() != 0:
            return 0
    about = describe()
    if options.json:
        print(json.dumps({**about, "rows": rows}))
        return 0
    table = Table("LDBC Graphalytics", "graph,kernel,vertices,edges,first s,s,EVPS,validated".split(","))
    for row in rows:
        shape = [row[key] for key in ("graph", "kernel", "vertices", "edges", "first_s")]
        table.add(*shape, row["seconds"]["median"], row["evps"], "yes" if row["validated"] else "no reference")
    table.notes = [f"s: median of {options.trials}; EVPS: vertices and edges per second; {machine_text(about)}"]
    print(table)
    return 0
