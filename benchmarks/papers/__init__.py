"""The papers' tables and figures, one experiment each, with the papers' numbers beside ours.

``python -m benchmarks.papers 004.table2 --backend cuda``, or ``grblas-gpu bench 004.table2``.
"""

from __future__ import annotations

from typing import Any

from ..harness import Session
from ..machine import copy_rate, describe
from ..text_tables import Table
from . import hybrid, push_pull, turbobc, turbobfs, xbfs
from .common import Experiment, Options

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (turbobfs, hybrid, turbobc, xbfs, push_pull)
    for experiment in module.EXPERIMENTS
}


def reproduce(name: str, options: Options) -> tuple[list[Table], dict[str, Any]]:
    """Run one experiment: its tables, and everything for a JSON file."""
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment called {name!r}; there are: {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    session = Session(experiment.title)
    tables = experiment.run(options, session)
    if options.small:
        for table in tables:
            table.notes.append("small graphs in place of the paper's: its numbers are not comparable")
    return tables, {
        "experiment": name,
        "title": experiment.title,
        "paper": experiment.paper,
        "backend": options.backend,
        "small": options.small,
        **describe(),
        "copy_gb_per_s": copy_rate(options.backend) / 1e9,
        "tables": [table.as_dict() for table in tables],
        "measurements": session.measurements,
        "left_out": session.left_out,
    }
