"""Operations that are interrupted leave the old value or the new one, and scratch memory that the next may use."""

import random
import signal
import threading
import time
from collections.abc import Iterator

import pytest
from fault_operations import MATRICES, VECTORS, Operation, matrix, same, vector
from grblas_gpu.algorithms import bellman_ford

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, select
from grblas_gpu.api.bodies import RecordedBody
from grblas_gpu.api.recorder import Recorder
from grblas_gpu.foundation import atomic_updates
from grblas_gpu.ir import recording
from grblas_gpu.ir.recording import Count

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")


class Interrupted(BaseException):
    """Like Ctrl-C, but raised by these tests only."""


class Alarm:
    """A handler that raises while it is armed: an alarm at the very end may be handled after the timer was stopped."""

    armed = False

    def __call__(self, number: int, frame) -> None:
        if self.armed:
            raise Interrupted


ALARM = Alarm()


@pytest.fixture
def alarms() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, ALARM)
    atomic_updates.forget_threads()  # another test may have used some
    yield
    ALARM.armed = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def interrupted(run: Operation, objects, after: float) -> bool:
    """Run, and interrupt after so many seconds; whether that was before the end."""
    try:
        ALARM.armed = True
        signal.setitimer(signal.ITIMER_REAL, after)
        run(*objects)
        ALARM.armed = False
    except Interrupted:
        ALARM.armed = False  # one alarm, one exception: it is over
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


def check(run: Operation, given, times: int, source: random.Random) -> int:
    """Interrupt at random moments; how often that happened within the operation."""
    expected = [x.dup() for x in given]
    run(*expected)
    trial = [x.dup() for x in given]
    started = time.perf_counter()
    run(*trial)
    duration = time.perf_counter() - started
    caught = 0
    for _ in range(times):
        objects = [x.dup() for x in given]
        caught += interrupted(run, objects, max(1e-6, source.uniform(0, 1.1 * duration)))
        if same(objects, given) and not same(given, expected):
            run(*objects)  # scratch memory is as it should be
        assert same(objects, expected) or same(objects, given)
    return caught


FAST = 3  # interrupts of each case


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(alarms: None, numba_tier: None, name: str) -> None:
    source = random.Random(name)
    for size, fill in ((3000, 2900), (150_000, 140_000)):
        objects = [vector(1, size, fill), vector(2, size, size // 2), vector(3, size, size // 3)]
        check(VECTORS[name], objects, FAST, source)


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(alarms: None, numba_tier: None, name: str) -> None:
    source = random.Random(name)
    check(MATRICES[name], [matrix(3000), vector(1, 3000, 2900), vector(2, 3000, 400)], FAST, source)


@pytest.mark.slow
def test_thousands(alarms: None, numba_tier: None) -> None:
    """At least 2,000 that came within an operation."""
    source, caught = random.Random(1), 0
    while caught < 2000:
        for size in (3000, 150_000, 1_100_000):
            for fill in (0, size // 100, size - 7):
                objects = [vector(1, size, fill), vector(2, size, size // 2), vector(3, size, size // 3)]
                caught += sum(check(run, objects, 5, source) for run in VECTORS.values())
        for size in (3000, 60_000):
            objects = [matrix(size), vector(1, size, size - 5), vector(2, size, size // 7)]
            caught += sum(check(run, objects, 10, source) for run in MATRICES.values())
    print(f"{caught} interrupts")


def test_signals_wait(alarms: None) -> None:
    reached = False
    ALARM.armed = True
    with pytest.raises(Interrupted), atomic_updates.uninterrupted():
        signal.raise_signal(signal.SIGALRM)
        time.sleep(0)
        reached = True
    assert reached
    with pytest.raises(Interrupted):
        signal.raise_signal(signal.SIGALRM)  # its handler is back


def test_a_second_thread_makes_changes_to_copies(alarms: None, numba_tier: None) -> None:
    w, m = vector(1, 3000, 2900), vector(3, 3000, 1000)
    store = w._store
    w(m.S) << 5
    assert w._store is store
    looked: list[int] = []
    thread = threading.Thread(target=lambda: looked.append(len(w.to_coo()[0])))
    thread.start()
    thread.join()
    before = w._store.values.copy()
    w(m.S) << 6
    assert w._store is not store
    assert (store.values == before).all()
    atomic_updates.forget_threads()


def test_a_reader_sees_the_old_value_or_the_new_one(alarms: None, numba_tier: None) -> None:
    """Every write sets all entries to one value, in place while no thread reads: a partial write would show two."""
    size = 300_000
    w, m = Vector.from_scalar(0.0, size), vector(3, size, size - 1)
    w[0] << 1.0
    stop, looked, wrong = threading.Event(), threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            index, values = w.to_coo()
            if len(index) != size or values[m_index].min() != values[m_index].max():
                wrong.append(values)
            looked.set()

    m_index = m.to_coo()[0]
    w(m.S) << 0.0
    atomic_updates.forget_threads()
    thread = threading.Thread(target=read)
    for step in range(60):
        w(m.S) << float(step)
        if step == 10:
            thread.start()
        if step == 40:
            looked.wait()
    stop.set()
    thread.join()
    atomic_updates.forget_threads()
    assert not wrong


def test_a_recording_whose_end_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next loop works, and values can be read again."""
    A = Matrix.from_coo([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.0], nrows=4, ncols=4)

    def interrupted(recorder: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "stop", interrupted)
        with pytest.raises(Interrupted):
            bellman_ford(A, 0)
    assert A.nvals == 3
    assert bellman_ford(A, 0).to_dict() == {0: 0, 1: 1, 2: 3, 3: 6}
    assert recording.current() is None


def test_an_inner_loop_that_was_interrupted_before_its_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt reaches the caller, not an error of the recorder."""
    begin = RecordedBody.begin_round

    def interrupted(body: RecordedBody, count: Count) -> None:
        if body.number:
            raise Interrupted
        begin(body, count)

    def halved() -> list[int]:
        left = Vector.from_dense([3, 9, 4])
        for _ in gb.loop(left, 3):
            more = left.dup()
            for _ in gb.loop(more, 2):
                more << select.valuegt(more, 3)
            left << more
        return left.to_coo()[1].tolist()

    with monkeypatch.context() as patch:
        patch.setattr(RecordedBody, "begin_round", interrupted)
        with pytest.raises(Interrupted):
            halved()
    assert halved() == [9, 4]
