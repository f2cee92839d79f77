"""Every reader against mutated files: an answer or a ValueError that names the file; no crash, hang or other exception.

``tests/helpers/file_fuzzer.py`` reads in a process of its own, and has the files that once ended one among its seeds.
"""

import json
from pathlib import Path

import pytest
from file_fuzzer import READERS
from running import printed_by

FUZZER = Path(__file__).parents[1] / "helpers" / "file_fuzzer.py"


def fuzz(names: list[str], count: int, seed: int, timeout: float) -> int:
    arguments = str(FUZZER), ",".join(names), str(count), str(seed)
    said = printed_by(*arguments, timeout=timeout, GRBLAS_GPU_BACKEND="cpu", GRBLAS_GPU_CPU_TIER="numpy")
    total = 0
    for line in said.splitlines():
        for tally in json.loads(line).values():
            assert tally["accepted"]
            assert tally["refused"]
            total += sum(tally.values())
    return total


def test_some_of_each() -> None:
    assert fuzz(list(READERS), 100, 1, 600) == 100 * len(READERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_million(name: str) -> None:
    count = 1_000_000 // len(READERS) + 1
    assert fuzz([name], count, 2, 7200) == count
