"""Make the table of what first calls compile: ``python tools/first_programs.py FOLDER ...``.

Each folder has what one call of an algorithm wrote with ``GRBLAS_GPU_RECORD_KERNELS=FOLDER``, and is named like it:
``louvain-16-FP64``. Loops are left out: their text is long, and known before they run.
"""

import json
import re
import sys
from pathlib import Path

from grblas_gpu.backends.cuda.runtime.ahead import TABLE

GENERATOR = "kronecker.cu"  # of the graph
PIECES = re.compile(r'#line 1 "generated for ([\w.]+)"\n(.*?)\n?#line 1 "[^"]*/\1"', re.DOTALL)


def main(folders: list[str]) -> None:
    programs: dict[tuple[str, str], int] = {}
    calls: dict[str, list[list[int]]] = {}
    for folder in map(Path, sorted(folders)):
        files = sorted(folder.glob("*.cu"), key=lambda path: path.stat().st_mtime_ns)
        found = [match.groups() for path in files if (match := PIECES.search(path.read_text()))]
        found = [each for each in found if each[0] != GENERATOR]
        numbers = [programs.setdefault((kernel, pieces), len(programs)) for kernel, pieces in found]
        known = calls.setdefault(folder.name.partition("-")[0], [])
        if set(numbers) not in map(set, known):
            known.append(numbers)
    lines = ",\n".join(json.dumps(program) for program in programs)
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in sorted(calls.items()))
    TABLE.write_text(f'{{"programs": [\n{lines}\n],\n"calls": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
