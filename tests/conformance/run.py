"""Run python-graphblas's own tests against grblas_gpu and compare with what is expected of us.

    python tests/conformance/run.py                 # exits with 1 when an item of expected_passes.txt does not pass
    python tests/conformance/run.py -k test_vector  # anything else goes to pytest: only what was selected is judged
    python tests/conformance/run.py --update        # also rewrites expected_passes.txt with what passed now
    python tests/conformance/run.py --all           # also runs the single items that are out of scope
    python tests/conformance/run.py --autocompute   # with autocompute on, as it is by default
    GRAPHBLAS_TESTS=folder python tests/conformance/run.py  # the tests of a checkout of python-graphblas

The report (every failed, skipped and out-of-scope item with its reason) is written to build/conformance.txt.
"""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

import alias

HERE = Path(__file__).parent
EXPECTED = "expected_passes_of_checkout.txt" if alias.CHECKOUT else "expected_passes.txt"
REPORT = HERE.parent.parent / "build" / "conformance.txt"
OUTCOMES = ("passed", "failed", "out of scope", "skipped", "missing")
Results = dict[str, dict[str, str]]


def main() -> int:
    if importlib.util.find_spec("graphblas") is None and sys.version_info >= (3, 14):
        print("no conformance tests: python-graphblas 2025.2 cannot be installed on this Python")
        return 0
    flags = {flag for flag in ("--update", "--all", "--autocompute") if flag in sys.argv}
    if "--autocompute" in flags:
        os.environ["CONFORMANCE_AUTOCOMPUTE"] = "1"
    arguments = [argument for argument in sys.argv[1:] if argument not in flags]
    scope = tomllib.loads((HERE / "out_of_scope.toml").read_text())
    results = run_pytest(arguments, scope["files"], everything="--all" in flags)
    yardstick = sorted(results) if alias.CHECKOUT else read_list("yardstick.txt")
    for name in [*scope["files"], *yardstick]:
        if reason := scope["files"].get(name.partition("::")[0]):
            results[name] = {"outcome": "out of scope", "why": reason}

    expected = read_list(EXPECTED)
    if "--autocompute" in flags:  # some tests are about what happens without it
        without = set(read_list("only_without_autocompute.txt"))
        expected, yardstick = ([name for name in names if name not in without] for names in (expected, yardstick))
    missing = {"outcome": "missing", "why": "not collected"}
    broken = [] if arguments else [name for name in expected if results.get(name, missing)["outcome"] != "passed"]
    broken += [name for name in expected if arguments and name in results and results[name]["outcome"] == "failed"]
    counts = Counter(results.get(name, missing)["outcome"] for name in yardstick)

    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report(results, yardstick, missing))
    version = alias.CHECKOUT or importlib.metadata.version("python-graphblas")
    passing = "" if alias.CHECKOUT else f" that pass with its own {alias.BACKEND} backend"
    print(f"\npython-graphblas {version}: of the {len(yardstick)} items{passing}")
    for outcome in OUTCOMES:
        if counts[outcome]:
            print(f"  {counts[outcome]:4d}  {outcome}")
    own_words = sum(result["outcome"] == "passed" and bool(result["why"]) for result in results.values())
    if own_words:
        print(f"  of those that pass, {own_words} say something else where python-graphblas says XXX")
    extra = sum(result["outcome"] == "skipped" for name, result in results.items() if name not in yardstick)
    print(f"and {extra} items that it skips there too. Names and reasons: {REPORT.relative_to(HERE.parent.parent)}")

    if "--update" in flags and not arguments:
        passed = [name for name in yardstick if results.get(name, missing)["outcome"] == "passed"]
        (HERE / EXPECTED).write_text("".join(f"{name}\n" for name in passed))
        print(f"{EXPECTED}: {len(passed)} items")
        return 0
    for name in broken:
        print(f"EXPECTED TO PASS: {name}: {results.get(name, missing)['why']}")
    return 1 if broken else 0


def run_pytest(arguments: list[str], files: dict[str, str], everything: bool) -> Results:
    folder = alias.find_tests()
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / "result.json"
        environment = os.environ | {"CONFORMANCE_RESULT": str(result), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))
        if everything:
            environment["CONFORMANCE_ALL"] = "1"
        # Our pytest configuration must not apply to these tests.
        command = [sys.executable, "-m", "pytest", "-p", "plugin", "-p", "no:cacheprovider", "-c", os.devnull]
        command += [f"--rootdir={folder}", f"--confcutdir={folder}", "--tb=short", "-q", "--no-header", "--no-summary"]
        command += ["--continue-on-collection-errors"]
        command += [f"--ignore={folder / name}" for name in files]
        command += ["-W", "ignore", *arguments, str(folder)]
        done = subprocess.run(command, cwd=scratch, env=environment, check=False)
        if not result.exists():
            raise SystemExit(f"pytest did not finish (exit status {done.returncode}); see its output above")
        return json.loads(result.read_text())


def read_list(name: str) -> list[str]:
    path = HERE / name
    return [line for line in path.read_text().splitlines() if line and line[0] != "#"] if path.exists() else []


def report(results: Results, yardstick: list[str], missing: dict[str, str]) -> str:
    everything = {name: results.get(name, missing) for name in [*yardstick, *results]}
    lines = []
    for outcome in OUTCOMES:
        names = [name for name, result in everything.items() if result["outcome"] == outcome]
        lines.append(f"{outcome}: {len(names)}, {len(set(names) & set(yardstick))} of them in the yardstick")
        lines += [f"  {name}  {everything[name]['why']}".rstrip() for name in names]
    texts = [f"---- {name}\n{result['text']}" for name, result in results.items() if "text" in result]
    return "\n".join([*lines, "", *texts]) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
