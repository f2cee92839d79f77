"""How long ``import grblas_gpu`` takes, next to ``import numpy``: the time of the processor, each in new processes.

python -m benchmarks.import_time
"""

from __future__ import annotations

import statistics
import subprocess
import sys

RUNS = 9
CODE = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"


def seconds(module: str) -> float:
    """Of one import in a process of its own."""
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    times: dict[str, list[float]] = {"numpy": [], "grblas_gpu": []}
    for run in range(RUNS + 1):  # the first one may write bytecode
        for module, found in times.items():
            taken = seconds(module)
            if run:
                found.append(taken)
    numpy, ours = (statistics.median(found) for found in times.values())
    print(f"numpy {numpy * 1e3:.0f} ms, grblas_gpu {ours * 1e3:.0f} ms (with NumPy): {ours / numpy:.2f} times")


if __name__ == "__main__":
    main()
