"""Interrupts at random times, and random small calls with their times, against the CPU engine.

python tests/soak/attack.py --interrupts 5000 --calls 10000 --seed 1        # with the kernels cached so far
python tests/soak/attack.py --interrupts 500 --cold                         # with an empty cache of kernels

After every interrupt, the interrupted call is repeated and compared with the result of the NumPy engine.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

LONGEST = 2.0  # seconds of a small call
DELAYS = (0.0005, 0.005, 0.05, 0.5)  # seconds until an interrupt comes, at most


class Alarm:
    """A handler that raises while it is armed: an alarm at the very end may be handled after the timer was stopped."""

    armed = False

    def __call__(self, number: int, frame: Any) -> None:
        if self.armed:
            raise KeyboardInterrupt


ALARM = Alarm()


def calls() -> dict[str, Callable[[Any, random.Random], Any]]:
    """Calls on a Matrix of a small graph with lengths; each returns an object, a number or a tuple of these."""
    from grblas_gpu import Vector, agg, algorithms, binary, monoid, select, semiring, unary

    def ones(A: Any) -> Any:
        return Vector.from_scalar(1.0, A.nrows).to(A.backend)

    def found(name: str, *arguments: Any, **options: Any) -> Callable[[Any, random.Random], Any]:
        return lambda A, source: getattr(algorithms, name)(A, *arguments, **options)

    with_source = "bfs bfs_parents bellman_ford delta_stepping sssp dobfs hybrid_bfs xbfs turbobfs bfs_multi".split()
    of_graphs = "connected_components strongly_connected_components pagerank core_numbers triangle_count closeness"
    of_graphs += " betweenness_centrality edge_betweenness_centrality clustering louvain label_propagation hits"
    of_graphs += " minimum_spanning_forest maximal_matching greedy_colouring eccentricity apsp transitive_closure"
    known = [name for name in of_graphs.split() if hasattr(algorithms, name)]
    return {
        **{name: found(name, 0) for name in with_source},
        **{name: found(name) for name in known},
        "betweenness with lengths": found("betweenness_centrality", weighted=True),
        "k_truss": found("k_truss", 3),
        "mxv": lambda A, source: semiring.plus_times(A @ ones(A)).new(),
        "mxm": lambda A, source: semiring.min_plus(A @ A).new(),
        "masked mxm": lambda A, source: semiring.plus_pair(A @ A.T).new(mask=A.S),
        "add": lambda A, source: binary.plus(A | A.T).new(),
        "multiply": lambda A, source: binary.times(A & A.T).new(),
        "apply": lambda A, source: unary.sqrt(A).new(),
        "select": lambda A, source: select.tril(A).new(),
        "reduce": lambda A, source: A.reduce_scalar(monoid.plus).new().value,
        "count": lambda A, source: A.reduce_rowwise(agg.count).new(),
        "transpose": lambda A, source: A.T.new(),
        "extract": lambda A, source: A[: A.nrows // 2, :].new(),
        "kronecker": lambda A, source: A.kronecker(A, binary.times).new(),
        "user-defined": lambda A, source: A.apply(unary.register_anonymous(lambda x: x + 1.5)).new(),
    }


def graph(source: random.Random) -> Any:
    from grblas_gpu import Matrix

    n = source.choice((1, 2, 5, 9, 9, 40))
    ends = [(source.randrange(n), source.randrange(n)) for _ in range(source.randrange(3 * n))]
    entries = {end: float(source.randrange(1, 6)) for edge in ends for end in (edge, edge[::-1])}
    rows, columns = ([end[k] for end in entries] for k in (0, 1))
    return Matrix.from_coo(rows, columns, list(entries.values()), float, nrows=n, ncols=n)


def shown(found: Any) -> Any:
    """A result as plain values, with rounded floats: engines add in different orders."""
    import numpy as np

    if isinstance(found, tuple):
        return [shown(part) for part in found]
    if hasattr(found, "to_coo"):
        return [np.round(part.astype(float), 6).tolist() for part in found.to_coo()]
    return None if found is None else round(float(found), 6)


def interrupt(count: int, source: random.Random) -> int:
    """Interrupt so many calls; the number of interrupts that came within a call."""
    table, caught, tried = calls(), 0, 0
    names = [name for name in table if name not in ("louvain", "label_propagation", "bfs_parents")]  # may differ
    while tried < count:
        name, A = source.choice(names), graph(source)
        tried += 1
        outcome = None
        try:
            ALARM.armed = True
            signal.setitimer(signal.ITIMER_REAL, source.uniform(1e-5, source.choice(DELAYS)))
            outcome = attempt(table[name], A, source)
            ALARM.armed = False
        except KeyboardInterrupt:
            ALARM.armed = False  # one alarm, one exception: it is over
            caught += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        again = attempt(table[name], A, source)
        assert outcome is None or outcome == again, (name, outcome, again)
        expected = attempt(table[name], A.to("numpy"), source)
        assert again == expected, (name, A, again, expected)
    return caught


def attempt(call: Callable, A: Any, source: random.Random) -> Any:
    """The result of a call; documented errors, such as those about sources in graphs without edges, are results."""
    from grblas_gpu.exceptions import GraphblasException

    try:
        return shown(call(A, source))
    except (GraphblasException, ValueError) as error:
        return type(error).__name__


def timed(count: int, source: random.Random) -> list[tuple[float, float, int, str]]:
    """The slowest of so many calls: seconds, those of the processor, the number of the call, and its name."""
    table, slowest = calls(), []
    for number in range(count):
        name, A = source.choice(list(table)), graph(source)
        start, worked = time.perf_counter(), time.process_time()
        attempt(table[name], A, source)
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        slowest = sorted([*slowest, (seconds, worked, number, name)], reverse=True)[:5]
    return slowest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interrupts", type=int, default=0)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="with an empty cache of kernels")
    options = parser.parse_args()
    os.environ["GRBLAS_GPU_BACKEND"] = "cpu"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # other processes still write kernels
        if options.cold:
            os.environ["GRBLAS_GPU_CACHE_DIR"] = folder
        signal.signal(signal.SIGALRM, ALARM)
        caught = interrupt(options.interrupts, random.Random(options.seed))
        print(f"{options.interrupts} interrupts, {caught} within a call: no call failed afterwards", flush=True)
        slowest = timed(options.calls, random.Random(options.seed))
        for seconds, worked, number, name in slowest:
            print(f"{seconds:.3f} s, {worked:.3f} of a processor: call {number}, {name}")
    return int(any(seconds > LONGEST for seconds, *_ in slowest))


if __name__ == "__main__":
    sys.exit(main())
