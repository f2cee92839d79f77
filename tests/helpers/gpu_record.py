"""The record of tests on a GPU, for machines without one: ``tests/gpu_record.json``, written by ``make test-gpu``."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "gpu_record.json"
ALL = ROOT / "tests" / "all_record.json"  # the last pass of `make test-all`
PASSED = ROOT / "tests" / ".gpu_passed"  # a hash of the sources, and the tests that passed with them, one per line
DONE = ROOT / "tests" / ".gpu_done"  # the same, as it was before this run
#: Sources that run on a device, or generate code for it.
SOURCES = [
    "grblas_gpu/backends/cuda",
    "grblas_gpu/backends/programs",
    "grblas_gpu/plan",
    *(f"grblas_gpu/operators/{name}.py" for name in ("prelude", "tables", "monoid_tables", "numpy_tables")),
]
WITHOUT = "GRBLAS_GPU_WITHOUT_RECORD"
COMMIT = "GRBLAS_GPU_COMMIT"  # of the sources, if they are a copy without Git


def files(root: Path = ROOT) -> Iterator[Path]:
    for name in SOURCES:
        path = root / name
        found = path.rglob("*") if path.is_dir() else [path]
        yield from sorted(each for each in found if each.suffix in (".py", ".cu", ".cuh") and each.is_file())


def sources(root: Path = ROOT) -> str:
    """A hash of names and contents."""
    digest = hashlib.sha256()
    for path in files(root):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def read(path: Path = RECORD):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(counts: dict[str, int], device, path: Path = RECORD, failing: Sequence[str] = ()):
    """Note a run on a device; keep the results of compute-sanitizer if they are about the same sources."""
    now, before = sources(), read(path).get("sanitizer")
    record = {
        "commit": os.environ.get(COMMIT) or _commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "device": device,
        "tests": counts,
        "failing": list(failing),
        "sanitizer": before if isinstance(before, dict) and before["sources"] == now else "not run",
        "sources": now,
    }
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return record


def begin(anew: bool) -> None:
    """Start a run: with no passed tests (``anew``), or with those of earlier runs with the same sources."""
    before = PASSED.read_text(encoding="utf-8") if PASSED.exists() else ""
    if anew or before.partition("\n")[0] != sources():
        before = f"{sources()}\n"
        PASSED.write_text(before, encoding="utf-8")
    DONE.write_text(before, encoding="utf-8")


def note_passed(name: str) -> None:
    with PASSED.open("a", encoding="utf-8") as file:
        file.write(f"{name}\n")


def done() -> frozenset[str]:
    """The tests that passed before this run."""
    return frozenset(DONE.read_text(encoding="utf-8").splitlines()[1:])


def repeat(passed: list[str], path: Path = RECORD):
    """Note that failed tests passed in a second run with the same sources: the cause lay elsewhere."""
    record = read(path)
    if record.get("sources") != sources():
        raise ValueError(f"{path.name} is about other sources: all tests have to run")
    mended = [name for name in record.get("failing", []) if name in passed]
    record["failing"] = [name for name in record.get("failing", []) if name not in passed]
    record["tests"]["failed"] -= len(mended)
    record["tests"]["passed"] += len(mended)
    commit = os.environ.get(COMMIT) or _commit()
    record["again"] = {**record.get("again", {}), **dict.fromkeys(mended, commit)}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return record


def _commit() -> str:
    try:
        said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return said.stdout.strip() or "unknown"


def note_sanitizer(results, path: Path = RECORD) -> None:
    """Note the results of each tool of compute-sanitizer for the current sources."""
    record = read(path)
    record["sanitizer"] = {"sources": sources(), **results}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _failed(record) -> bool:
    tests, sanitizer = record.get("tests", {}), record.get("sanitizer")
    tools = [said for said in sanitizer.values() if isinstance(said, dict)] if isinstance(sanitizer, dict) else []
    return bool(tests.get("failed") or tests.get("error") or any(said["found"] for said in tools))


def problem(path: Path = RECORD, root: Path = ROOT) -> str | None:
    """The reason, in one line, why the record does not cover the current sources; None if it does.

    With the variable ``GRBLAS_GPU_WITHOUT_RECORD`` the record notes that tests ran without a GPU, and why; with
    that note, the record is accepted for these sources, also in CI, which has no GPU.
    """
    record, now = read(path), sources(root)
    if record.get("sources") == now and not _failed(record):
        return None
    if reason := os.environ.get(WITHOUT):
        record["went_on_without_a_gpu"] = {"sources": now, "why": reason}
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if record.get("went_on_without_a_gpu", {}).get("sources") == now:
        return None
    why = "there is no record of tests of the CUDA sources on a GPU"
    if record.get("sources") == now:
        why = f"tests on a GPU failed ({record['commit'][:12]})"
    elif "commit" in record:
        why = f"CUDA sources have changed since the tests ran on a GPU ({record['commit'][:12]})"
    return (
        f"{why}: run `make test-gpu` on a machine with one and commit "
        f"tests/gpu_record.json, or go on without one by {WITHOUT}='why', which the record will note"
    )


def device():
    """The first device and its driver."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return {
        "name": properties["name"].decode(),
        "capability": f"{properties['major']}.{properties['minor']}",
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }


if __name__ == "__main__":
    passed = {"commit": os.environ.get(COMMIT) or _commit(), "date": datetime.now(UTC).strftime("%Y-%m-%d")}
    ALL.write_text(json.dumps(passed) + "\n", encoding="utf-8")
