"""Repeat experiments of the papers.

python -m benchmarks.papers 004.table2 --backend cuda --out benchmarks/results
python -m benchmarks.papers all --small
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..text_tables import Table
from . import EXPERIMENTS, reproduce
from .common import Options
from .plots import plot_table


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.papers", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="", help="default: cuda where there is a GPU")
    parser.add_argument("--small", action="store_true", help="a size that takes seconds on a CPU")
    parser.add_argument("--sources", type=int, default=3)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--others", help="libraries to compare with, by name, with commas; '' for none")
    parser.add_argument("--out", metavar="FOLDER", help="write NAME.json there")
    parser.add_argument("--jobs", type=int, metavar="N", help="compile first: all at the small size, N at a time")
    parser.add_argument("--seconds", type=float, help="begin no experiment after so many: the rest is left as it was")
    parser.add_argument("--plot", metavar="FILE", help="draw the (last) table as lines (needs matplotlib)")
    options = parser.parse_args(arguments)
    if not options.names:
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:18}{experiment.title}: {experiment.paper}")
        return 0
    names = list(EXPERIMENTS) if options.names == ["all"] else options.names
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"no experiment called {', '.join(unknown)}; there are: {', '.join(EXPERIMENTS)}")
    others = None if options.others is None else [name for name in options.others.split(",") if name]
    settings = Options(options.backend, options.small, options.sources, options.trials, others)
    tables: list[Table] = []
    begin = time.perf_counter()
    if options.jobs:
        compile_first(names, settings.backend, options.jobs)
        print(f"compiled in {time.perf_counter() - begin:.1f} s\n", flush=True, file=sys.stderr)
    for name in names:
        start = time.perf_counter()
        if options.seconds is not None and start - begin > options.seconds:
            print(f"{name}: left out, {options.seconds:g} s are over", flush=True, file=sys.stderr)
            continue
        tables, result = reproduce(name, settings)
        print(f"{name}: {EXPERIMENTS[name].title} ({EXPERIMENTS[name].paper})\n")
        for table in tables:
            print(table, end="\n\n", flush=True)
        print(f"{time.perf_counter() - start:.1f} s\n", flush=True, file=sys.stderr)
        if options.out:
            folder = Path(options.out)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    if options.plot:
        plot_table(tables[-1], options.plot)
    return 0


def compile_first(names: list[str], backend: str, jobs: int) -> None:
    """Run everything at a size that takes no time, several at once: kernels are the same, and kept on disk."""
    command = [sys.executable, "-m", str(__package__), "--backend", backend, *"--small --sources 1 --trials 1".split()]

    def run(name: str) -> None:
        done = subprocess.run([*command, "--others", "", name], capture_output=True, text=True)
        if done.returncode:
            print(f"{name} at the small size: {done.stderr[-500:]}", flush=True, file=sys.stderr)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, names))


if __name__ == "__main__":
    raise SystemExit(main())
