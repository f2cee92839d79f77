"""``grblas-gpu kernels list | build | warm``: CUDA kernels that are compiled before a program needs them."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

from ..foundation.types import Json
from .files import UsageError, check_folder
from .options import add_command, pairs, positive, show

Item = TypeVar("Item")
Result = TypeVar("Result")

ACTIONS = {
    "list": "run every algorithm on the GPU, and write the programs that they compile to a file",
    "build": "compile the programs of such a file for an architecture; needs no GPU",
    "warm": "compile what every algorithm needs for the GPU of this machine, on all cores",
}
SECONDS = 900.0  # time limit of one algorithm with empty caches


def add_commands(commands: object) -> None:
    command = add_command(commands, "kernels", run, "compile CUDA kernels before programs need them", backends=())
    help = "; ".join(f"{name}: {what}" for name, what in ACTIONS.items())
    command.add_argument("action", choices=tuple(ACTIONS), metavar="ACTION", help=help)
    command.add_argument("--arch", metavar="SM", help="build: the architecture, such as sm_90")
    command.add_argument("--programs", metavar="FILE", help="build: the file that `kernels list` wrote")
    command.add_argument("--output", "-o", metavar="FILE", help="the file to write")
    command.add_argument("--only", metavar="REGEX", default="", help="list, warm: names of algorithms")
    command.add_argument("--jobs", type=positive, default=_cores(), help="how many to run at once (default: all cores)")
    command.add_argument("--wheel", action="store_true", help="build: also a package for pip, beside the file")
    command.add_argument("--newest", action="store_true", help="build: with the newest NVRTC, not the oldest")


def run(options: argparse.Namespace) -> int:
    found = _build(options) if options.action == "build" else _run_all(options)
    show(options, found, pairs(found))
    return 0


def _build(options: argparse.Namespace) -> dict[str, object]:
    """Build an archive. Machine code of an older NVRTC runs with drivers of that version and all later ones."""
    from ..backends.cuda.runtime import archive, nvrtc

    if not options.arch or not re.fullmatch(r"sm_\d+[af]?", options.arch):
        raise UsageError(f"kernels build: --arch must be an architecture such as sm_90; got {options.arch}")
    if not options.programs:
        raise UsageError("kernels build: --programs must be a file that `kernels list` wrote")
    path = Path(options.output or archive.name_of(options.arch))
    check_folder(str(path))
    oldest = not options.newest
    version = nvrtc.version(oldest)
    with zipfile.ZipFile(options.programs) as file:
        texts = [file.read(name).decode() for name in file.namelist() if name.endswith(".cu")]
        of_cupy = [
            (name, file.read(name)) for name in file.namelist() if name.startswith(f"{archive.CUPY}{options.arch}/")
        ]

    def compiled(text: str) -> tuple[str, bytes]:
        given = (*nvrtc.OPTIONS, *nvrtc.OF_CUPY)
        return archive.member(text), nvrtc.compile_program(text, options.arch, given, oldest=oldest)

    archive.write(path, [*_at_once(compiled, texts, options.jobs, f"compiling for {options.arch}"), *of_cupy])
    size = round(path.stat().st_size / 2**20, 1)
    found = {"architecture": options.arch, "kernels": len(texts), "nvrtc": version, "file": str(path)}
    if options.wheel:
        wheel = path.with_name(archive.wheel_name(options.arch))
        archive.write_wheel(wheel, options.arch, path)
        found["wheel"] = str(wheel)
    return found | {"mebibytes": size}


def _run_all(options: argparse.Namespace) -> dict[str, object]:
    """Run every algorithm in a process of its own. CuPy caches the compiled kernels; a list has the sources of ours."""
    from ..backends.cuda.runtime import archive, tiers
    from .first_calls import SCALES, TYPES, in_process, names

    chosen = [name for name in names() if re.search(options.only, name)]
    if not chosen:
        raise UsageError(f"kernels {options.action}: no algorithm matches {options.only!r}")
    if options.action == "list" and not options.output:
        raise UsageError("kernels list: --output must be the file to write, such as programs.zip")
    if options.output:
        check_folder(options.output)
    with tempfile.TemporaryDirectory() as place:
        folder, cupy_cache = Path(place), Path(place, "cupy") if options.output else None

        def first_calls(name: str) -> Json:
            return in_process(name, SCALES, TYPES, "cuda", folder, False, SECONDS, cupy_cache=cupy_cache)

        results = _at_once(first_calls, chosen, options.jobs, "running")
        failed = {each["name"]: each["errors"][0] for each in results if "seconds" not in each}
        if failed:
            raise RuntimeError("; ".join(f"{name} fails: {error}" for name, error in sorted(failed.items())))
        programs = sorted(folder.glob("*.cu"))
        if cupy_cache is not None:
            of_cupy = archive.from_cupy(tiers.architecture(), cupy_cache)
            archive.write(Path(options.output), [*((path.name, path.read_bytes()) for path in programs), *of_cupy])
    return {"algorithms": len(chosen), "kernels": len(programs), "file": options.output}


def _at_once(function: Callable[[Item], Result], items: Iterable[Item], jobs: int, label: str) -> list[Result]:
    """The results of ``jobs`` threads, in any order; a bar shows how many are done."""
    from ..foundation.progress import Meter

    with ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(function, item) for item in items]
        results: list[Result] = []
        try:
            with Meter(label, len(running)) as meter:
                for each in as_completed(running):
                    results.append(each.result())
                    meter.reach(len(results))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return results


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
