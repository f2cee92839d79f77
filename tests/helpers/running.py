"""Running code in tests: modules outside of the package, and functions in concurrent threads."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path


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
