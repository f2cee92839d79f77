"""compute-sanitizer over loops on the device; what it says goes to tests/gpu_record.json.

python tests/sanitize --groups 4

It takes seconds to begin with, so a process runs several cases; a case that hangs costs those after it in its group.
Processes share the device by turns, so there are few. Before that all cases run once without being watched, on all
cores: their kernels are compiled then, and the watched processes find them on disk.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gpu_record
from cases import CASES, RIGHT, TOOK

HERE = Path(__file__).resolve().parent
TOOLS = ("racecheck", "memcheck")
ONLY = ("--kernel-name", "kne=loop_kernel")  # the kernels of loops; with CuPy's own it would take minutes
UNFINISHED = "unfinished"
HARMLESS = re.compile(r"=========\s*(COMPUTE-SANITIZER|(ERROR|RACECHECK) SUMMARY: 0 |$)")


def verdicts(said: str, cases: list[str], ended: bool) -> dict[str, str]:
    """What was said about each case up to the line that it is right; nothing if all is well."""
    found, lines = dict.fromkeys(cases, UNFINISHED), []
    for line in said.splitlines():
        case = line.removeprefix(RIGHT)
        if case != line and case in found:
            found[case] = " | ".join(lines)[:600]
            lines = []
        elif line.startswith("=========") and not HARMLESS.match(line):
            lines.append(line.strip("= "))
    last = next((case for case in cases if found[case] == UNFINISHED), cases[-1])  # where it ended
    if lines or (ended and found[last] == UNFINISHED):
        own = [line for line in said.splitlines() if line.strip() and not line.startswith("=========")]
        found[last] = " | ".join([*own[-1:], *lines])[-600:]  # an exception's last line says what was wrong
    return found


def dealt(cases: list[str], groups: int) -> list[list[str]]:
    return [group for group in (cases[number::groups] for number in range(groups)) if group]


def watch(tool: str, groups: list[list[str]], seconds: float) -> dict[str, str]:
    """All groups side by side, for so long; without a tool they only run."""
    folders = [str(HERE.parent / "helpers"), str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "GRBLAS_GPU_CPU_TIER": "numpy"}
    deadline, found = time.monotonic() + seconds, {}
    with tempfile.TemporaryDirectory() as folder:
        outputs = [open(Path(folder, str(number)), "w+", encoding="utf-8") for number in range(len(groups))]  # noqa: SIM115
        watched = ["compute-sanitizer", "--tool", tool, *ONLY] if tool else []
        command = [*watched, sys.executable, "-u", str(HERE / "cases.py")]
        running = [
            subprocess.Popen(
                [*command, *group], stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )
            for group, output in zip(groups, outputs, strict=True)
        ]
        for group, process, output in zip(groups, running, outputs, strict=True):
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
                ended = True
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the program with the sanitizer
                ended = False
            output.seek(0)
            said = output.read()
            found |= verdicts(said, group, ended)
            print(*(f"{tool} {line}" for line in said.splitlines() if tool and line.startswith(TOOK)), sep="\n")
            output.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=4, help="processes at a time")
    parser.add_argument("--seconds", type=float, default=600, help="for each tool")
    parser.add_argument("--only", default="", help="cases whose names match this regular expression; nothing is noted")
    parser.add_argument("--tools", nargs="+", default=TOOLS, choices=TOOLS)
    given = parser.parse_args()
    if shutil.which("compute-sanitizer") is None:
        parser.error("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")
    cases = [case for case in CASES if re.search(given.only, case)]
    results = {}
    watch("", dealt(cases, os.cpu_count() or 1), given.seconds)
    for tool in given.tools:
        said = watch(tool, dealt(cases, given.groups), given.seconds)
        clean, unfinished = ([case for case in cases if said[case] == what] for what in ("", UNFINISHED))
        found = {case: said[case] for case in cases if case not in (*clean, *unfinished)}
        results[tool] = {"clean": clean, "found": found, "unfinished": unfinished}
    print(json.dumps(results, indent=1))
    for tool, result in results.items():
        print(
            f"{tool}: {len(result['clean'])} clean, {len(result['found'])} not, {len(result['unfinished'])} unfinished"
        )
    if not given.only:
        gpu_record.note_sanitizer(results)
    return int(any(result["found"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
