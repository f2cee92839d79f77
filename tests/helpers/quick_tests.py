"""Which tests are quick: ``make test`` runs these, ``make test-all`` runs all. The others have the marker ``slow``:

1. what is marked where it is written;
2. cases that compile kernels, if their file is not in ``COMPILING`` or their test is in ``LONG``;
3. of the cases of one test on one engine all but the first and every so many after it (``EVERY``). What has found
   faults comes first in a list of parameters.
"""

from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
#: Files whose cases for a compiler are quick: they exercise each family of kernels.
COMPILING = {
    "compiled": {
        "algorithms/test_searches.py",
        *(f"api/test_{name}.py" for name in ("differential", "forms", "fuzz", "gather")),
        *(f"loops/test_{name}.py" for name in ("gathers", "loops", "matrices", "nested", "program")),
        *("backends/test_asynchronous.py", "backends/test_kernel_cache.py", "operators/test_user_operators.py"),
        "test_tiny.py",
    },
    "emulated": {
        *(f"cuda/test_{name}.py" for name in ("assign_few", "counters", "later", "matrices_small", "mxm_sort")),
        *(f"cuda/test_{name}.py" for name in ("mxv", "search", "vectors")),
        *(f"loops/test_{name}.py" for name in ("gathers", "loops", "nested")),
        *("backends/test_kernel_cache.py", "faults/test_allocations.py"),
    },
}
#: Tests in these files of which one emulated case takes more than five seconds: they run on a GPU, and are slow here.
LONG = {
    "test_algorithms_are_fused",
    "test_casts_are_those_of_the_definitions",
    "test_deterministic_means_bit_equal",
    "test_full_vectors_times_rows_of_any_length",
    "test_loops_follow_each_other",
    "test_loops_inside_of_what_iterates_run_as_a_whole",
    "test_one_program_for_graphs_that_come_and_go",
    "test_ranks_in_32_bits_are_added_up_in_64_on_the_device",
    "test_rows_and_columns_that_are_scaled",
    "test_sorted_pushes_do_not_depend_on_the_number_of_threads",
    "test_what_calls_itself_idempotent_may_change_a_sign",
    "test_what_is_left_to_tables",
}
#: One case of so many is quick, by engine; primes, so that every value of every parameter takes part.
EVERY = {"compiled": 7, "emulated": 11, "numba": 5, "cpu": 3, "numpy": 11}
#: ... and by file, where cases start processes.
EVERY_IN = {"mpi/": 5, "backends/test_cpu_": 3}
#: Small objects are computed by the same definitions on "numpy" and "cpu": a few cases are all quick.
CHEAP, FEW = ("cpu", "numpy"), 8


def engine_of(item: pytest.Item) -> str:
    """The parameter that says what a case runs on, whichever fixture has it."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    return next((kind for kind in EVERY if any(isinstance(x, str) and x == kind for x in parameters)), "")


def file_of(item: pytest.Item) -> str:
    """Its path in the folder of tests; that of an example in a docstring is no path in it."""
    return item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""


def is_random(item: pytest.Item) -> bool:
    return hasattr(item.obj, "hypothesis")  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases = defaultdict(list)
    for item in items:
        engine, file = engine_of(item), file_of(item)
        compiles = engine in COMPILING
        if compiles and (file not in COMPILING[engine] or (engine == "emulated" and item.name.split("[")[0] in LONG)):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") is None and not is_random(item):
            cases[file, item.nodeid.partition("[")[0], engine].append(item)
    for (file, _, engine), test in cases.items():
        every = next((n for start, n in EVERY_IN.items() if file.startswith(start)), EVERY.get(engine, 1))
        for number, item in enumerate(test if engine not in CHEAP or len(test) >= FEW else ()):
            if number % every:
                item.add_marker(pytest.mark.slow)
