"""How tests run code: the module of a file that is no part of the package, and functions in threads at once."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path


def module_at(path: Path):
    """The module of a file, run anew."""
    spec = importlib.util.spec_from_file_location(path.stem.strip("_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_threads(work, count: int) -> None:
    """``work(number)`` in as many threads at once; the first error of one is raised here."""
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
