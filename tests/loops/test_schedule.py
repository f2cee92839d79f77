"""The schedules of some loops: their passes, and why there is a barrier where there is one."""

from pathlib import Path

import pytest
from chain_bodies import CHAINS
from loop_bodies import BODIES
from loop_cases import made_of

SCHEDULES = {
    "levels": """
positions 0 by the entries of s1, fused epilogue of step 1
product 1 of s1, planned at the end of the round before, rows of s1 closed, in shared memory while short
grid barrier: the result of step 1 is complete; notes s0 changed, the round ends, s1 overwritten
clean the old buffer of s1
""",
    "ranks": """
chain 0, 1, 2, 3 by all positions
grid barrier: before the product of step 4; notes s1 changed, s3 changed, s0 changed
product 4 of s3, planned here
grid barrier: the result of step 4 is complete; notes s6 overwritten
clean the old buffer of s6
chain 5, 6, 7 by all positions
reduce 8 of s5, by blocks
grid barrier: the end of the round; notes s0 changed, s1 changed, s5 changed, the round ends, sum of step 8
""",
    "levels_backward": """
chain 0, 1, 2, 3 by all positions
grid barrier: before the product of step 4; notes s1 changed, s3 changed
product 4 of s3, planned here
grid barrier: the result of step 4 is complete; notes s3 overwritten
clean the old buffer of s3
chain 5, 6 by all positions
grid barrier: the end of the round; notes s2 changed, s4 changed, the round ends
with short rows instead
    chain 0, 1, 2, 3 by all positions
    grid barrier: step 4 may read what others wrote; notes s1 changed, s3 changed
    chain 4, 5, 6 by all positions
    grid barrier: the end of the round; notes s3 overwritten, s2 changed, s4 changed, the round ends
""",
    "cores": """
reduce 0 of s0, by blocks
grid barrier: before step 1, of Scalars; notes sum of step 0
scalar 1
chain 2, 3, 4 by all positions
grid barrier: before the product of step 5; notes s1 changed, s2 changed, s0 changed
product 5 of s1, planned here
grid barrier: the result of step 5 is complete; notes s3 overwritten
clean the old buffer of s3
positions 6 by the entries of s3
grid barrier: the end of the round; notes s0 changed, the round ends
""",
}


def test_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = {name: (BODIES | CHAINS)[name] for name in SCHEDULES}
    made = made_of(bodies, monkeypatch, lambda passes, body: passes.schedule(passes.analyse(body)))
    assert {name: f"\n{schedule}\n" for name, schedule in made.items()} == SCHEDULES


def test_the_page_has_the_schedule_of_a_search() -> None:
    page = Path(__file__).parents[2] / "docs" / "architecture.md"
    assert SCHEDULES["levels"] in page.read_text()
