"""A line of a program in grblas_gpu and in python-graphblas: the results of both, and their differences.

python-graphblas crashes on some lines, which ends the process. Many lines are therefore compared in a separate process.
It prints each line before it runs, so that the parent knows the line and the library of a crash.
"""

import multiprocessing
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import graphblas
import numpy as np
from fuzzed_lines import NUMBERS, Lines, Palette, world

import grblas_gpu as gb
from grblas_gpu.api import indexing
from grblas_gpu.backends.cpu import tier
from grblas_gpu.backends.cpu.fusion import run, tier as loop_tier
from grblas_gpu.backends.stores import formats

CRASHED = "crashed"
WAIT = 900  # seconds for one line: kernels may have to be compiled


def outcome(library, line: str, seed: int, dtypes=NUMBERS.dtypes, of_types: int | None = None):
    names = world(library, seed, dtypes, of_types)
    try:
        exec(line, names)
        return {name: shown(names[name]) for name in "uvwABCr"}
    except Exception as error:
        return type(error).__name__


def shown(x):
    if isinstance(x, tuple | list):
        return [shown(part) for part in x]
    kind = type(x).__name__
    if kind not in ("Vector", "Matrix", "Scalar") and hasattr(x, "new"):
        x = x.new()
        kind = type(x).__name__
    if kind == "Scalar":
        return kind, x.dtype.name, [] if x.is_empty else [plain(x.value)]
    if kind in ("Vector", "Matrix"):
        *places, values = x.to_coo()
        order = np.lexsort(places[::-1])
        return kind, x.dtype.name, x.shape, [part[order].tolist() for part in places], plain(values[order])
    return x


def plain(values):
    """Any values as lists and numbers: arrays inside of records have no truth value."""
    if getattr(getattr(values, "dtype", None), "names", None):
        values = values.tolist()
    if isinstance(values, (tuple, list)):
        return [plain(each) for each in values]
    return values.tolist() if isinstance(values, np.ndarray) else values


def same(ours, theirs) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all(same(mine, theirs[name]) for name, mine in ours.items())
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    either_nan = isinstance(ours, float) and isinstance(theirs, float) and ours != ours and theirs != theirs
    return either_nan or ours == theirs or same_values(ours, theirs)


def same_values(mine, other) -> bool:
    if not isinstance(mine, tuple) or mine[:-1] != other[:-1] or len(mine[-1]) != len(other[-1]):
        return False
    if mine[1] == "RecordOfLines":
        return False
    kind = complex if mine[1].startswith("FC") else float
    values = np.array(mine[-1], kind), np.array(other[-1], kind)
    # a part that is negligible beside the other may have any value, and at poles either part may be NaN
    lost = 1e-5 * np.abs(values[1]).max(initial=0) if kind is complex else 0
    if kind is complex:
        values = tuple(np.where(np.isfinite(value), value, np.nan) for value in values)
    return np.allclose(*values, rtol=1e-5, atol=lost if lost < np.inf else 0, equal_nan=True)


@dataclass(frozen=True)
class Task:
    """Lines to compare: ``repeats`` calls of each, with operands of other sizes, values and forms."""

    calls: int
    seed: int
    palette: Palette = NUMBERS
    make: Callable[..., Lines] = Lines
    repeats: int = 1
    first: int = 0  # the number of lines compared before

    def lines(self):
        """The arguments of :func:`outcome` for every call."""
        lines, line = self.make(np.random.default_rng(self.seed), self.palette), ""
        for number in range(self.calls):
            named = 1000 * self.seed + number
            line = line if named % self.repeats else lines.line()
            if number >= self.first:
                yield line, named, self.palette.dtypes, named // self.repeats


def differences(task: Task, tell=lambda _: None):
    """The differences between the libraries; ``tell`` gets every line before it runs, and every difference."""
    found = {}
    with graphblas.config.set(autocompute=True, mapnumpy=True), np.errstate(all="ignore"):
        for count, given in enumerate(task.lines(), start=task.first):
            outcomes = []
            for library in (gb, graphblas):
                tell((count, given, library.__name__))
                outcomes.append(outcome(library, *given))
            if not same(*outcomes) and not known(given[0], *outcomes):
                found[str(given)] = tuple(outcomes)
                tell({str(given): tuple(outcomes)})
    return found


def guarded_differences(task: Task, backend: str, forms_change: bool = False):
    """The same in separate processes: after a crash of python-graphblas, the next one continues after that line."""
    found = {}
    settings = backend, tier.get_tier(), forms_change
    while task.first < task.calls:
        last = _in_a_process(task, settings, found)
        if last is None:
            break
        count, given, library = last
        if library == "grblas_gpu" and _crashes(given, settings):
            found[str(given)] = (CRASHED, None)
        task = replace(task, first=count + 1)
    return found


def _crashes(given, settings) -> bool:
    """Whether a line crashes a fresh process."""
    process = multiprocessing.get_context("spawn").Process(target=_alone, args=(given, settings))
    process.start()
    process.join()
    return process.exitcode != 0


def _in_a_process(task: Task, settings, found):
    """Add to ``found``; return the last line if the process crashed, else None."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_compare, args=(task, settings, theirs))
    process.start()
    theirs.close()
    last = None
    try:
        while ours.poll(WAIT):
            told = ours.recv()
            if told is None:
                return None
            if isinstance(told, dict):
                found |= told
            else:
                last = told
        raise TimeoutError(f"{last} takes more than {WAIT} seconds")
    except EOFError:
        if last is None:
            raise RuntimeError(f"the process that compares lines did not begin, exit code {process.exitcode}") from None
        return last
    finally:
        process.kill()
        process.join()


def _compare(task: Task, settings, connection) -> None:
    _settle(*settings)
    with gb.using(settings[0]):
        differences(task, connection.send)
    connection.send(None)


def _alone(given, settings) -> None:
    _settle(*settings)
    with gb.using(settings[0]):
        outcome(gb, *given)


def _settle(backend: str, of_tier: str, forms_change: bool) -> None:
    """Apply the settings of the parent process: see tests/conftest.py and the fixture ``forms_change``."""
    tier.set_tier(of_tier)
    if of_tier == "numba":
        run.level = lambda program, first, before=0: loop_tier.NOT_YET
    if forms_change:
        formats.TINY = indexing.LONG_SLICE = 0


def known(line: str, ours, theirs) -> bool:
    """Whether docs/differences.md lists this difference.

    An element may be assigned to a whole Vector. If a mask leaves nothing open, SuiteSparse ignores its operands, while
    here an empty Scalar is always an error. We assign repositioned values of python-graphblas to a part of the output.
    """
    if re.search(r"<< \w(\.T)?\.reposition\(", line):
        return True
    if line.endswith(" << u[0]") and theirs == "TypeError" and ours != theirs:
        return True
    return ours == "EmptyObject" and "u[0]" in line and ".V" in line
