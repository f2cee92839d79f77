"""Messages between ranks: vectors that are cut into parts, packed, and put together again."""

from __future__ import annotations

import numpy as np
import pytest
from message_cases import CUTS, FILLS, FOLDS, KINDS, check_fold, check_numbered, check_parts, check_short_parts, vector

from grblas_gpu.backends.cpu.engine import CpuBackend, get_tier, set_tier


@pytest.fixture(params=["numba", "numpy"])
def engine(request):
    before = get_tier()
    set_tier(request.param)
    yield CpuBackend()
    set_tier(before)


def here(x):
    return x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.int8])
def test_parts_come_back(engine, kind, dtype):
    for cut in CUTS:
        for fill in FILLS if kind != "full" else [1.0]:
            for iso in (False, True):
                u = vector(sum(cut), fill, dtype, iso, kind, seed=len(cut))
                check_parts(engine, cut, u, here, here, not (iso and fill == 0.02))


def test_parts_of_a_few_positions(engine):
    check_short_parts(engine, here, here)


def test_long_parts_have_wider_indices(engine):
    cut = [70_000, 65_536]
    for fill in (0.00003, 0.03):
        check_parts(engine, cut, vector(sum(cut), fill, np.int32, False, "bitmap", seed=4), here, here, True)


@pytest.mark.parametrize("reduction, dtype", FOLDS)
def test_results_are_combined_in_the_order_of_their_senders(engine, reduction, dtype):
    for fills in ([0.0, 0.0], [0.001, 0.0], [0.001, 0.002, 0.001], [0.02, 0.5, 1.0, 0.0], [0.3, 0.3]):
        for iso in (False, True):
            stores = [vector(1500, fill, dtype, iso, "bitmap", seed) for seed, fill in enumerate(fills)]
            check_fold(engine, stores, reduction, here, here)


def test_positions_in_blocks_become_global(engine):
    check_numbered(engine, here, here)
