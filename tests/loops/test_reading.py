"""A body that is recorded must not see old values: every way to look at what changes in the loop ends recording."""

import copy
import functools
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, generators, io, monoid, semiring
from grblas_gpu.backends import registry as backends
from grblas_gpu.backends.protocol import Backend, Primitives
from grblas_gpu.exceptions import LoopError
from grblas_gpu.ir import recording as recorded

N = 12


@pytest.fixture(params=[True, False], ids=["engine that reports", "engine that does not"])
def recording(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An engine on the host, whose methods end recording, as the one of a device does; or that has none of this."""
    with gb.using("numpy"):
        engine = type(backends.current_engine())
        for name in vars(Primitives) | vars(Backend) if request.param else ():
            if not name.startswith("_") and name != "empty_vector" and callable(method := getattr(engine, name, None)):
                monkeypatch.setattr(engine, name, ending(method))
        monkeypatch.setattr(engine, "runs_loops", True)
        monkeypatch.setattr(engine, "run_loop", lambda self, *recording: None, raising=False)
        yield


def ending(method):
    @functools.wraps(method)
    def call(*args, **kwargs):
        recorded.refuse(method.__name__)
        return method(*args, **kwargs)

    return call


VECTORS = {
    "nvals": lambda v: v.nvals,
    "to_coo": lambda v: v.to_coo()[0].tolist(),
    "to_dict": lambda v: v.to_dict(),
    "to_dense": lambda v: v.to_dense(0).tolist(),
    "device_arrays": lambda v: {name: array.tolist() for name, array in v.device_arrays().items()},
    "iter": lambda v: [int(i) for i in v],
    "contains": lambda v: 5 in v,
    "get": lambda v: v.get(5),
    "element": lambda v: v[5].new().value,
    "isequal": lambda v: v.isequal(OTHER),
    "isclose": lambda v: v.isclose(OTHER),
    "copy": lambda v: copy.copy(v).to_dict(),
    "dup": lambda v: v.dup().to_dict(),
    "diag": lambda v: v.diag().to_dicts(),
    "as matrix": lambda v: v._as_matrix().to_dicts(),
    "to": lambda v: v.to("cpu").to_dict(),
    "sizeof": lambda v: v.__sizeof__() > 0,
    "reduce": lambda v: v.reduce().new().value,
    "explain": lambda v: gb.explain(semiring.plus_times(v @ PATH), policy="fraction").reason,
    "to_array": lambda v: io.to_array(v, 0).tolist(),
}
SCALARS = {
    "value": lambda s: s.value,
    "is_empty": lambda s: s.is_empty,
    "nvals": lambda s: s.nvals,
    "get": lambda s: s.get(7),
    "bool": lambda s: bool(s),
    "int": lambda s: int(s),
    "float": lambda s: float(s),
    "index": lambda s: range(N)[s],
    "array": lambda s: np.asarray(s).tolist(),
    "isequal": lambda s: s.isequal(2),
    "isclose": lambda s: s.isclose(2),
    "equals": lambda s: s == 2,
    "isequal of another": lambda s: Scalar.from_value(2).isequal(s),
    "dup": lambda s: s.dup().value,
    "copy": lambda s: copy.copy(s).value,
    "as vector": lambda s: s._as_vector().to_dict(),
    "apply": lambda s: s.apply(gb.unary.ainv).new().value,
}
MATRICES = {
    "nvals": lambda A: A.nvals,
    "nvals of the transpose": lambda A: A.T.nvals,
    "to_coo": lambda A: [x.tolist() for x in A.to_coo()],
    "to_coo of the transpose": lambda A: [x.tolist() for x in A.T.to_coo()],
    "to_csr": lambda A: A.to_csr()[1].tolist(),
    "to_csc": lambda A: A.to_csc()[1].tolist(),
    "to_dcsr": lambda A: A.to_dcsr()[2].tolist(),
    "to_dcsc": lambda A: A.to_dcsc()[2].tolist(),
    "to_dense": lambda A: A.to_dense(0).tolist(),
    "to_dense without a copy": lambda A: A.to_dense(0, copy=False).tolist(),
    "to_dicts": lambda A: A.to_dicts(),
    "to_edgelist": lambda A: A.to_edgelist()[0].tolist(),
    "device_arrays": lambda A: {name: array.tolist() for name, array in A.device_arrays().items()},
    "iter": lambda A: [(int(i), int(j)) for i, j in A],
    "contains": lambda A: (4, 5) in A,
    "get": lambda A: A.get(4, 5),
    "element": lambda A: A[4, 5].new().value,
    "element of the transpose": lambda A: A.T[4, 5].new().value,
    "isequal": lambda A: A.isequal(PATH),
    "isclose": lambda A: A.isclose(PATH),
    "copy": lambda A: copy.copy(A).to_dicts(),
    "pickle": lambda A: pickle.loads(pickle.dumps(A)).to_dicts(),
    "dup": lambda A: A.dup().to_dicts(),
    "diag": lambda A: A.diag(1).to_dict(),
    "setdiag": lambda A: A.setdiag(OTHER),
    "as vector": lambda A: A[:, 3:4].new()._as_vector().to_dict(),
    "to": lambda A: A.to("cpu").to_dicts(),
    "form": lambda A: A.to(form="bitmap").to_dicts(),
    "sizeof": lambda A: A.__sizeof__() > 0,
    "reduce": lambda A: A.reduce_scalar().new().value,
    "pattern": lambda A: A.pattern().to_dicts(),
    "is_symmetric": lambda A: A.is_symmetric(),
    "degree_statistics": lambda A: A.degree_statistics(),
    "by_degree": lambda A: A.by_degree().graph.to_dicts(),
    "side_by_side": lambda A: A.side_by_side(2).to_dicts(),
    "value_range": lambda A: A.value_range(),
    "storage": lambda A: A.ss.format,
    "explain": lambda A: gb.explain(semiring.plus_times(OTHER @ A), policy="fraction").reason,
    "to_array": lambda A: io.to_array(A, 0).tolist(),
    "to_scipy_sparse": lambda A: io.to_scipy_sparse(A).toarray().tolist(),
    "bool": lambda A: bool(A.nvals),
}
CASES = [("vector", name, look) for name, look in VECTORS.items()]
CASES += [("scalar", name, look) for name, look in SCALARS.items()]
CASES += [("matrix", name, look) for name, look in MATRICES.items()]
with gb.using("numpy"):
    PATH: Matrix = generators.path(N)
    OTHER = Vector.from_coo([4], [1], size=N)


def walk(kind: str, look, seen, before: bool, **options) -> Vector:
    walkers, total, ways = Vector.from_coo([4], [1], size=N), Scalar.from_value(1), PATH.dup(int)
    looked_at = {"vector": walkers, "scalar": total, "matrix": ways}[kind]
    for _ in gb.loop(walkers, 3, **options):
        if before:
            seen.append(look(looked_at))
        walkers << semiring.plus_times(walkers @ PATH)
        total << walkers.reduce(monoid.plus)
        ways << semiring.plus_times(ways @ PATH)
        if not before:
            seen.append(look(looked_at))
    return walkers


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("before", [True, False], ids=["before it changes", "after it has changed"])
@pytest.mark.parametrize(
    ("kind", "look"), [pytest.param(kind, look, id=f"{kind} {name}") for kind, name, look in CASES]
)
def test_what_changes_is_not_read(kind: str, look, before: bool) -> None:
    with pytest.raises(LoopError, match=r"test_reading\.py:\d+: .*fallback=True"):
        walk(kind, look, [], before)
    assert recorded.current() is None
    expected = []
    with gb.config.set(loops="iterated"):
        walkers = walk(kind, look, expected, before)
    found = []
    assert walk(kind, look, found, before, fallback=True).isequal(walkers)
    assert found == expected


@pytest.mark.usefixtures("recording")
def test_what_does_not_change_is_read() -> None:
    walkers, weights, rate = Vector.from_coo([4], [1], size=N), Vector.from_coo([3], [2], size=N), Scalar.from_value(3)
    for _ in gb.loop(walkers, 2):
        assert (weights.nvals, weights.device_arrays()["values"].tolist()) == (1, [2])
        assert (rate.value, rate.is_empty, rate.nvals, rate.get(1)) == (3, False, 1, 3)
        walkers << semiring.plus_times(walkers @ PATH)
    assert walkers.to_dict() == {2: 1, 4: 2, 6: 1}


WRITES = {
    "element": lambda v: v.__setitem__(0, 7),
    "part": lambda v: v.__setitem__([0, 1], 7),
    "list": lambda v: v.__setitem__([0, 1], [7, 8]),
    "removal": lambda v: v.__delitem__(4),
    "removal of a part": lambda v: v.__delitem__([4, 5]),
}
NOT_RECORDED = {"resize": lambda v: v.resize(N), "build": lambda v: v.build([0], [7], clear=True)}


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("name", WRITES)
def test_parts_are_recorded(name: str) -> None:
    write = WRITES[name]

    def body() -> Vector:
        walkers = Vector.from_coo([4], [1], size=N)
        for _ in gb.loop(walkers, 3):
            walkers << semiring.plus_times(walkers @ PATH)
            write(walkers)
        return walkers

    with gb.config.set(loops="iterated"):
        expected = body()
    assert body().isequal(expected)


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("name", NOT_RECORDED)
def test_what_cannot_be_recorded_goes_on_from_what_was(name: str) -> None:
    write = NOT_RECORDED[name]

    def body(**options) -> Vector:
        walkers = Vector.from_coo([4], [1], size=N)
        for _ in gb.loop(walkers, 3, **options):
            walkers << semiring.plus_times(walkers @ PATH)
            write(walkers)
        return walkers

    with pytest.raises(LoopError):
        body()
    with gb.config.set(loops="iterated"):
        expected = body()
    assert body(fallback=True).isequal(expected)


@pytest.mark.usefixtures("recording")
def test_scalars_are_changed_at_every_step() -> None:
    def body():
        walkers, last, kept, total = Vector.from_coo([4], [1], size=N), Scalar(int), Scalar(int), Scalar(int)
        empty = Scalar.from_value(3)
        for step in gb.loop(walkers, 3):
            kept.value = total.dup()
            total.value = step
            walkers << semiring.plus_times(walkers @ PATH)
            last << walkers.reduce(monoid.plus)
            empty.clear()
        return [x.value for x in (last, kept, total, empty)]

    with gb.config.set(loops="iterated"):
        expected = body()
    assert body() == expected == [8, 1, 2, None]
