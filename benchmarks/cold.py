"""The first call of every algorithm in a fresh process with empty caches: seconds and compilations.

python -m benchmarks cold --backend cuda                        # every algorithm, one after the other
python -m benchmarks cold --backend cpu --only "^(bfs|pagerank)$" --scale 16
python -m benchmarks cold --backend cuda --archive kernels-sm_90.zip
python -m benchmarks cold --warm --only "^dobfs$"               # with the caches of this machine
"""

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

LONGEST = 600.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    from grblas_gpu.backends.machine import kernel_cache
    from grblas_gpu.bench import machine
    from grblas_gpu.bench.tables import shown
    from grblas_gpu.cli import first_calls

    from .common import parser

    own: dict[str, Any] = {
        "only": {"default": "", "metavar": "REGEX", "help": "names of algorithms and operations"},
        "scale": {"type": int, "default": 16, "help": "2**scale vertices of a Kronecker graph"},
        "type": {"choices": first_calls.TYPES, "default": "BOOL", "help": "of the values of the graph"},
        "archive": {"metavar": "FILE", "help": "kernels that are compiled ahead of time"},
        "warm": {"action": "store_true", "help": "caches are not empty, but as they are"},
        "out": {"metavar": "FILE", "help": "write a JSON file with the results"},
    }
    given = parser("cold", __doc__, "backend", **own)
    options = given.parse_args(arguments)
    if options.archive and not kernel_cache.trusted_file(Path(options.archive)):
        given.error(f"--archive: others may write to {options.archive} or its folders, so no process loads it")
    names = [name for name in first_calls.names() if re.search(options.only, name)]
    results: list[dict[str, Any]] = []

    def show(*cells: Any) -> None:
        print("{:36}{:>9}{:>12}{:>9}{:>9}  {}".format(*map(shown, cells)).rstrip(), flush=True)

    print(f"First calls with {'full' if options.warm else 'empty'} caches, {options.backend}")
    show("algorithm", "seconds", "of threads", "process", "kernels", "remark")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            call = (options.scale,), (options.type,), options.backend, Path(folder), not options.warm, LONGEST
            found = first_calls.in_process(name, *call, archive=options.archive or "")
        results.append(found)
        times = *(found.get(what, [None])[0] for what in ("seconds", "processor")), found.get("process")
        show(name, *times, found.get("compilations", 0), "; ".join(found["errors"]))
    total = (sum(sum(found.get(what, [])) for found in results) for what in ("seconds", "processor"))
    show("all", *total, None, None, "")
    if options.out:
        content = {"where": machine.describe(), "cores": os.cpu_count(), "scale": options.scale, "results": results}
        Path(options.out).write_text(json.dumps(content, indent=1) + "\n")
    return int(any(found["errors"] for found in results))
