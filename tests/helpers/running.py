"""Running code in tests: in another process, modules outside of the package, and functions in concurrent threads."""

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path


def printed_by(*arguments: str, cwd: Path | None = None, timeout: float = 300, **settings: str) -> str:
    """What Python, run with these arguments and variables of the environment, prints; it must end without an error."""
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, **settings}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd, env=environment)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}"
    return done.stdout


def module_at(path: Path):
    """The module of a file, freshly executed."""
    spec = importlib.util.spec_from_file_location(path.stem.strip("_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_threads(work, count: int) -> None:
    """Run ``work(number)`` in ``count`` concurrent threads, and raise the first error."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
