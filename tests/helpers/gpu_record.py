"""What was tested on a GPU, for machines that have none: ``tests/gpu_record.json``, written by ``make test-gpu``."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "gpu_record.json"
#: What runs on a device, or writes the text that does.
SOURCES = [
    "grblas_gpu/backends/cuda",
    "grblas_gpu/backends/programs",
    "grblas_gpu/plan",
    "grblas_gpu/operators/prelude.py",
]
WITHOUT = "GRBLAS_GPU_WITHOUT_RECORD"
SANITIZER = "GRBLAS_GPU_SANITIZER"  # what compute-sanitizer said, if it was run


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


def write(counts: dict[str, int], device: dict[str, Any], path: Path = RECORD) -> dict[str, Any]:
    """Note a run on a device."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    record = {
        "commit": commit.stdout.strip() or "unknown",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "device": device,
        "tests": counts,
        "sanitizer": os.environ.get(SANITIZER, "not run"),
        "sources": sources(),
    }
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return record


def problem(path: Path = RECORD, root: Path = ROOT) -> str | None:
    """Why the record does not speak for the sources as they are, in one line; None if it does.

    With the variable ``GRBLAS_GPU_WITHOUT_RECORD`` the record notes that somebody went on without a GPU.
    """
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = sources(root)
    if record.get("sources") == now and not record.get("tests", {}).get("failed"):
        return None
    if os.environ.get(WITHOUT):
        record["went_on_without_a_gpu"] = now
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return None
    since = "and there is no record of tests on a GPU"
    if "commit" in record:
        since = f"since the tests ran on a GPU ({record['commit'][:12]})"
    return (
        f"CUDA sources have changed {since}: run `make test-gpu` on a machine with one and commit "
        f"tests/gpu_record.json, or go on without by {WITHOUT}=1, which the record will note"
    )


def device() -> dict[str, Any]:
    """The first device, and what drives it."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return {
        "name": properties["name"].decode(),
        "capability": f"{properties['major']}.{properties['minor']}",
        "driver": cupy.cuda.runtime.driverGetVersion(),
        "runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "cupy": cupy.__version__,
    }
