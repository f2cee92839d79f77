"""Run graphblas-algorithms, a program for python-graphblas, on grblas_gpu: its tests, and NetworkX's tests with it.

    python tests/conformance/graphblas_algorithms_suite.py               # exits with 1 if an expected item fails
    python tests/conformance/graphblas_algorithms_suite.py --reference   # on python-graphblas; rewrites the list

graphblas-algorithms 2023.10 needs an older NetworkX than ours: both are put into `.conformance/`, next to nothing else.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FOLDER = ROOT / ".conformance"
PASSES = HERE / "graphblas_algorithms_passes.txt"  # with python-graphblas
PACKAGES = ("graphblas-algorithms==2023.10.0", "networkx==3.2.1")


def main() -> int:
    if sys.version_info >= (3, 14):
        print("no tests of graphblas-algorithms: the NetworkX that it needs is older than this Python")
        return 0
    if not (FOLDER / "graphblas_algorithms").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "--no-deps", f"--target={FOLDER}", *PACKAGES], check=True)
    reference = "--reference" in sys.argv
    expected = PASSES.read_text().splitlines()
    files = sorted({line.partition("::")[0] for line in expected})
    program = [sys.executable, "-m", *([] if reference else ["grblas_gpu.run", "--backend", "cpu", "-m"]), "pytest"]
    options = ["-q", "-rA", "--tb=short", "-W", "ignore", "-c", os.devnull, "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(FOLDER)}
    environment |= dict.fromkeys(("NETWORKX_TEST_BACKEND", "NETWORKX_GRAPH_CONVERT"), "graphblas")
    environment |= {"NETWORKX_FALLBACK_TO_NX": "True"}
    command = [*program, *options, f"--rootdir={FOLDER}", *files]
    output = subprocess.run(command, cwd=FOLDER, env=environment, check=False, stdout=subprocess.PIPE, text=True).stdout
    passed = re.findall(r"^PASSED (\S+::.*)$", output, re.MULTILINE)
    if reference:
        PASSES.write_text("".join(f"{name}\n" for name in sorted(passed)))
    missing = sorted(set(expected) - set(passed))
    print(f"graphblas-algorithms: {len(passed)} passed, of {len(expected)} that pass with python-graphblas")
    if missing:
        print(output)
    for name in missing:
        print(f"EXPECTED TO PASS: {name}")
    return bool(missing)


if __name__ == "__main__":
    raise SystemExit(main())
