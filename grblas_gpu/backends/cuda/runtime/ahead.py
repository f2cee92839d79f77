"""What the first call of an algorithm is going to compile: begun with its first program, on all cores.

A table has the programs of operations that such calls compiled (tools/first_programs.py), by kernel file and pieces.
With other types or sizes a call needs others, too. Then, or if kernels have changed since, compiling one costs time.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from ....config import config
from .tiers import Tiers

TABLE = Path(__file__).with_name("first_programs.json")
ALGORITHMS = "grblas_gpu.algorithms."
_KERNEL = re.compile(r"\b(\w+_kernel)\(")
_begun: set[str] = set()  # algorithms

Render = Callable[[str, Sequence[str]], str]


def begin(program: Tiers, render: Render) -> None:
    """Compile what the algorithm on the stack is going to need, unless this program is on disk."""
    if program.on_disk or config["compile"] not in ("auto", "background"):
        return
    name = _algorithm()
    if name is None or name in _begun:
        return
    _begun.add(name)
    for text in programs_of(name, program.text, render):
        if text != program.text:
            Tiers.begin_ahead(text, _KERNEL.findall(text)[:1])


def programs_of(name: str, first: str, render: Render) -> list[str]:
    """The programs of an algorithm, in the order of use: of the recorded calls with this one, or else of all calls."""
    programs, calls = _table()
    used = {number: programs[number] for call in calls[name] for number in call}
    texts = {number: render(kernel, pieces.splitlines()) for number, (kernel, pieces) in used.items()}
    chosen = [call for call in calls[name] if first in map(texts.__getitem__, call)] or calls[name]
    return [texts[number] for number in dict.fromkeys(number for call in chosen for number in call)]


def _algorithm() -> str | None:
    """The outermost function of the library that the table knows, of those that are running."""
    frame, found, known = sys._getframe(), None, _table()[1]
    while frame is not None:
        name = frame.f_code.co_name
        if name in known and str(frame.f_globals.get("__name__")).startswith(ALGORITHMS):
            found = name
        frame = frame.f_back  # type: ignore[assignment]
    return found


@cache
def _table() -> tuple[list[tuple[str, str]], dict[str, list[list[int]]]]:
    found = json.loads(TABLE.read_text())
    return found["programs"], found["calls"]
