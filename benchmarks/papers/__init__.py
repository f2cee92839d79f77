"""The papers' tables and figures, one experiment each, with the papers' numbers beside ours.

python -m benchmarks papers                                # what there is
python -m benchmarks papers 004.table2 --backend cuda --out benchmarks/results
python -m benchmarks papers all --small
"""

import sys
import time
from functools import partial

from ..common import Session, copy_rate, describe, parser, side_by_side, write
from . import hybrid, push_pull, turbobc, turbobfs, xbfs
from .common import Experiment, Options

RUNS = {name: run for paper in (turbobfs, hybrid, turbobc, xbfs, push_pull) for name, run in paper.EXPERIMENTS.items()}
EXPERIMENTS = {name: Experiment(name) for name in RUNS}


def reproduce(name: str, options: Options):
    """Run one experiment: its tables, and everything for a JSON file."""
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment called {name!r}; there are: {', '.join(EXPERIMENTS)}")
    data = EXPERIMENTS[name].data
    session = Session(data["title"])
    tables = RUNS[name](EXPERIMENTS[name], options, session)
    if options.small:
        for table in tables:
            table.notes.append("small graphs in place of the paper's: its numbers are not comparable")
    about = {"experiment": name, "title": data["title"], "paper": data["paper"], "backend": options.backend}
    about |= {"small": options.small, **describe(), "copy_gb_per_s": copy_rate(options.backend) / 1e9}
    measured = {"measurements": session.measurements, "left_out": session.left_out}
    return tables, {**about, "tables": [table.as_dict() for table in tables], **measured}


def main(arguments: list[str] | None = None) -> int:
    own = {
        "backend": {"choices": ["cpu", "cuda"], "default": "", "help": "default: cuda where there is a GPU"},
        "sources": 3,
        "trials": 5,
        "others": {"help": "libraries to compare with, by name, with commas; '' for none"},
        "jobs": {"type": int, "metavar": "N", "help": "compile first: all at the small size, N at a time"},
        "seconds": {"type": float, "help": "begin no experiment after so many: the rest is left as it was"},
    }
    command = parser("papers", __doc__, "small", "out", **own)
    command.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of: {', '.join(EXPERIMENTS)}")
    options = command.parse_args(arguments)
    if not options.names:
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:20}{experiment.data['title']}: {experiment.data['paper']}")
    names = list(EXPERIMENTS) if options.names == ["all"] else options.names
    if unknown := [name for name in names if name not in EXPERIMENTS]:
        command.error(f"no experiment called {', '.join(unknown)}; there are: {', '.join(EXPERIMENTS)}")
    others = None if options.others is None else [name for name in options.others.split(",") if name]
    settings = Options(options.backend, options.small, options.sources, options.trials, others)
    begin, say = time.perf_counter(), partial(print, flush=True, file=sys.stderr)
    if options.jobs:  # run small sizes first: the kernels are the same, and cached on disk
        words = f"papers --backend {settings.backend} --small --sources 1 --trials 1 --others".split()
        side_by_side([[*words, "", name] for name in names], options.jobs)
        say(f"compiled in {time.perf_counter() - begin:.1f} s\n")
    for name in names:
        start = time.perf_counter()
        if options.seconds is not None and start - begin > options.seconds:
            say(f"{name}: left out, {options.seconds:g} s are over")
            continue
        tables, result = reproduce(name, settings)
        print(f"{name}: {result['title']} ({result['paper']})\n")
        print(*tables, sep="\n\n", end="\n\n", flush=True)
        say(f"{time.perf_counter() - start:.1f} s\n")
        write(options.out, name, result)
    return 0
