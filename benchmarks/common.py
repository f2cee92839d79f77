"""What the benchmarks share: their options, result files, further graphs, and arrays on the host."""

import argparse
import contextlib
import json
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from grblas_gpu import algorithms, generators
from grblas_gpu.bench.graphs import BenchmarkGraph
from grblas_gpu.bench.harness import Session, compiling, interleaved, spread
from grblas_gpu.bench.machine import copy_rate, describe, has_cuda, machine_text, seconds, synchronize
from grblas_gpu.bench.tables import Table
from grblas_gpu.bench.verify import WrongResult

__all__ = ["Session", "Table", "WrongResult", "compiling", "copy_rate", "describe", "interleaved", "seconds", "spread"]
__all__ += ["synchronize"]  # of the harness, for all benchmarks
HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
CASES = tomllib.loads((HERE / "cases.toml").read_text(encoding="utf-8"))
OPTIONS = {
    "backend": {"choices": ("cpu", "cuda"), "default": "cuda" if has_cuda() else "cpu"},
    "small": {"action": "store_true", "help": "tiny graphs: whether it works, not how fast"},
    "only": {"default": "", "metavar": "REGEX", "help": "rows whose name has a match"},
    "out": {"type": Path, "metavar": "FOLDER", "help": "write NAME.json there"},
}


def parser(name: str, text: str | None, *shared: str, **own) -> argparse.ArgumentParser:
    """Shared options, and the benchmark's own: a default, or the arguments of argparse."""
    found = argparse.ArgumentParser(prog=f"python -m benchmarks {name}", description=(text or "").splitlines()[0])
    for option, given in {**{option: OPTIONS[option] for option in shared}, **own}.items():
        settings = given if isinstance(given, dict) else {"type": type(given), "default": given}
        found.add_argument(f"--{option.replace('_', '-')}", **settings)
    return found


def write(folder: Path | None, name: str, result) -> None:
    """Write a result file, if a folder is given."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def report(folder: Path | None, name: str, table: Table, rows: list) -> None:
    """Print a table with commit and device, and write it with its rows."""
    about = describe()
    table.notes.append(machine_text(about))
    print(table)
    write(folder, name, {**about, "tables": [table.as_dict()], "rows": rows})


def side_by_side(commands: list[list[str]], jobs: int, limit: float | None = None) -> None:
    """Run benchmarks in up to ``jobs`` processes, to compile; report failures, and end late ones."""

    def run(words: list[str]) -> None:
        command = [sys.executable, "-m", "benchmarks", *words]
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, cwd=HERE.parent)
            if done.returncode:
                print(f"{' '.join(words)}: {done.stderr[-500:]}", flush=True, file=sys.stderr)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, commands))


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"


def host(array) -> np.ndarray:
    return array.get() if hasattr(array, "get") else np.asarray(array)


# Graphs ----------------------------------------------------------------------------------------------------------


def strip(nrows: int, ncols: int) -> BenchmarkGraph:
    """A narrow grid: many levels, and a moderate number of paths."""
    return BenchmarkGraph(f"grid {nrows} x {ncols}", generators.grid_2d, nrows, ncols)


def mycielskian(k: int) -> BenchmarkGraph:
    return BenchmarkGraph(f"mycielskian {k}", generators.mycielskian, k)


class Road(BenchmarkGraph):
    """A grid without some of its edges, with several components."""

    def __init__(self, name: str, side: int, keep: float = 0.7) -> None:
        super().__init__(name, generators.road, side, side, keep)

    def candidates(self):
        """The component of the first tried vertex that reaches half of all vertices."""
        for vertex in np.argsort(-self.degrees, kind="stable")[:100].tolist():
            found = algorithms.dobfs(self.any_matrix, vertex)
            if 2 * found.nvals >= self.n:
                return found.to_coo()[0].astype(np.int64)
        raise ValueError(f"{self.name}: no component has half of the vertices")
