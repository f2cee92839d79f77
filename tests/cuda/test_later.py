"""Sums that a device computes: the first read waits for them. On a GPU, or emulated."""

import copy
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, binary, monoid, unary


class Waits:
    """How often the host has waited for a number so far."""

    count = 0


@pytest.fixture(params=emulated_engine.BACKENDS[2:])
def waits(request, monkeypatch) -> Iterator[Waits]:
    with emulated_engine.backend(request.param, monkeypatch) as name, gb.using(name):
        from grblas_gpu.backends.cuda.runtime import counters

        number_at, seen = counters.Block.number_at, Waits()

        def counted(block, place: int) -> int:
            seen.count += 1
            return number_at(block, place)

        monkeypatch.setattr(counters.Block, "number_at", counted)
        yield seen


def one_to_ten(dtype=float) -> Matrix:
    return Matrix.from_coo(np.arange(10), np.arange(10) * 3 % 10, np.arange(1, 11), dtype, nrows=1000, ncols=1000)


SUMS: dict[str, tuple[Callable[[], Scalar], float]] = {
    "a matrix": (lambda: one_to_ten().reduce_scalar(monoid.plus).new(), 55),
    "without the empty case": (lambda: one_to_ten().reduce_scalar(monoid.max, allow_empty=False).new(), 10),
    "one value": (lambda: Matrix.from_coo([0, 1], [1, 5], 2.5, nrows=999, ncols=999).reduce_scalar().new(), 5),
    "a full vector": (lambda: Vector.from_dense(np.arange(1.0, 11)).reduce().new(), 55),
}


@pytest.mark.parametrize("name", SUMS)
def test_nobody_waits_for_what_nobody_reads(waits: Waits, name: str) -> None:
    make, expected = SUMS[name]
    make()
    before = waits.count
    found = make()
    assert waits.count == before
    assert found.value == expected and waits.count > before
    before = waits.count
    assert found.value == expected and not found.is_empty and waits.count == before  # it is known now


#: Possible first uses of a sum of one to ten.
LOOKS = {
    "value": (lambda s: s.value, 55),
    "float": (float, 55),
    "nvals": (lambda s: s.nvals, 1),
    "is_empty": (lambda s: s.is_empty, False),
    "repr": (lambda s: "55" in repr(s), True),
    "dup": (lambda s: s.dup(int).value, 55),
    "pickle": (lambda s: pickle.loads(pickle.dumps(s)).value, 55),
    "compare": (lambda s: s == 55, True),
    "arithmetic": (lambda s: (s + 1).new().value, 56),
    "apply": (lambda s: s.apply(unary.ainv).new().value, -55),
    "bound": (
        lambda s: Vector.from_dense([1.0, 2.0]).apply(binary.times, right=s).new().to_dense().tolist(),
        [55, 110],
    ),
    "assigned": (lambda s: _assigned(s).to_dict(), {1: 55, 2: 55}),
    "one element": (lambda s: _element(s).to_dict(), {1: 55}),
    "overwritten": (lambda s: _overwritten(s).value, 7),
    "cleared": (lambda s: _cleared(s).value, None),
    "accumulated": (lambda s: _accumulated(s).value, 110),
    "of another type": (lambda s: one_to_ten().reduce_scalar().new(int).value, 55),
    "no such attribute": (lambda s: hasattr(s, "nothing"), False),
}


def _assigned(s: Scalar) -> Vector:
    v = Vector(float, 4)
    v[[1, 2]] << s
    return v


def _element(s: Scalar) -> Vector:
    v = Vector(float, 4)
    v[1] << s
    return v


def _overwritten(s: Scalar) -> Scalar:
    s << 7
    return s


def _cleared(s: Scalar) -> Scalar:
    s.clear()
    return s


def _accumulated(s: Scalar) -> Scalar:
    s(binary.plus) << one_to_ten().reduce_scalar()
    return s


@pytest.mark.parametrize("name", LOOKS)
def test_every_look_finds_it(waits: Waits, name: str) -> None:
    look, expected = LOOKS[name]
    assert look(one_to_ten().reduce_scalar().new()) == expected


def test_it_is_that_of_the_call(waits: Waits) -> None:
    """What is changed afterwards, in place or not, is not in it."""
    v, A = Vector.from_dense(np.arange(1.0, 11)), one_to_ten()
    of_v, of_A, again = v.reduce().new(), A.reduce_scalar().new(), Scalar(float)
    again << v.reduce()
    v[[0, 1]] << 1000.0
    A[0, 0] << 1000.0
    again << v.reduce()
    assert (of_v.value, of_A.value, again.value) == (55, 55, 52 + 2000)


def test_without_entries_and_in_other_types(waits: Waits) -> None:
    assert Matrix(float, 100, 100).reduce_scalar().new().value is None
    assert Matrix(float, 100, 100).reduce_scalar(allow_empty=False).new().value == 0
    assert one_to_ten("INT8").reduce_scalar(monoid.plus["FP64"]).new().value == 55
    assert one_to_ten(complex).reduce_scalar().new().value == 55
    assert Vector.from_coo([3, 900], [1.5, 2], size=1000).reduce().new().value == 3.5


def test_thousands_wait_for_somebody_to_look(waits: Waits) -> None:
    """More than a block of counters has room for, read backwards, and some not at all."""
    v, expected = Vector.from_dense(np.arange(1.0, 11)), []
    found = []
    for number in range(1200):
        v[0] << number
        found.append(v.reduce().new())
        expected.append(number + 54)
    assert [s.value for s in found[::-3]] == expected[::-3]
    assert all(s._later is None for s in found[::-3])  # memory of blocks that were read can be freed


def test_another_thread_looks(waits: Waits) -> None:
    found = [one_to_ten().reduce_scalar().new() for _ in range(40)]
    with ThreadPoolExecutor(8) as threads:
        for each in found[::2]:
            assert set(threads.map(lambda s: s.value, [each] * 8)) == {55}
        assert set(threads.map(lambda s: s.value, found)) == {55}


def test_sums_of_other_streams(waits: Waits) -> None:
    import cupy

    streams, found = [cupy.cuda.Stream(non_blocking=True) for _ in range(3)], []
    for stream in streams:
        with stream:
            found.append(one_to_ten().reduce_scalar().new())
    del streams
    assert [s.value for s in found] == [55] * 3


def test_conditions_read_it(waits: Waits) -> None:
    total, v, steps = one_to_ten(bool).reduce_scalar(monoid.lor).new(), Vector.from_dense([1.0, 2.0]), Scalar(int)
    steps << 0
    for _ in gb.loop(Vector.from_coo([0], [True], size=1), 3):
        for _ in gb.when(total):
            v << v.apply(binary.plus, right=1.0)
            steps(binary.plus) << 1
    assert v.to_dense().tolist() == [4, 5] and steps.value == 3 and total


def test_a_loop_changes_it(waits: Waits) -> None:
    total, v = one_to_ten().reduce_scalar().new(), Vector.from_dense([1.0, 2.0])
    for _ in gb.loop(Vector.from_coo([0], [True], size=1), 2):
        total(binary.plus) << v.reduce()
    assert total.value == 61


def test_copies(waits: Waits) -> None:
    for copied in (copy.copy, copy.deepcopy, lambda s: s.dup(), lambda s: Scalar.from_value(s)):
        total = one_to_ten().reduce_scalar().new()
        found = copied(total)
        total << 3
        assert found.value == 55 and found == 55 and bool(found) and found.isclose(55.0)
