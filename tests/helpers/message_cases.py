"""Vectors cut into parts, packed, and joined again: by an engine, and by the definition."""

from functools import reduce

import numpy as np

from grblas_gpu import monoid
from grblas_gpu.backends.forms.every_form import NumpyBackend
from grblas_gpu.backends.stores.messages import Numbering
from grblas_gpu.backends.stores.storage import VectorStore

DEFINITION = NumpyBackend()
#: Lengths of the parts: tiles of 1,024 positions that end anywhere, parts without any.
CUTS = [[2500], [1024, 0, 1025, 7], [3, 2048, 640]]
FILLS = [0.0, 0.0004, 0.02, 0.4, 1.0]
KINDS = ["list", "bitmap", "full"]
FOLDS = [
    (monoid.plus["INT64"], np.int64),
    (monoid.max["INT16"], np.int16),
    (monoid.lor["BOOL"], np.bool_),
    (monoid.min["FP32"], np.float32),
    (monoid.any["FP64"], np.float64),
]


def vector(size: int, fill: float, dtype: type, iso: bool, kind: str, seed: int) -> VectorStore:
    """A vector of this kind, full only if requested."""
    random = np.random.default_rng(seed)
    present = np.ones(size, bool) if kind == "full" else random.random(size) < fill
    values = np.ones(1, dtype) if iso else random.integers(0, 100, size).astype(dtype)
    if kind == "full":
        return VectorStore(size, values)
    if kind == "bitmap":
        return VectorStore(size, values, present=present)
    keys = np.flatnonzero(present)
    return VectorStore(size, values[: len(keys)] if iso else values[keys], indices=keys)


def entries_of(store: VectorStore, to_host):
    """Positions and values, in order."""
    nvals, present, indices = store.nvals, to_host(store.present), to_host(store.indices)
    values = to_host(store.values)
    if indices is None:
        indices = np.arange(store.size) if present is None else np.flatnonzero(present)
        values = np.broadcast_to(values, (store.size,))[indices] if len(values) in (1, store.size) else values
    else:
        values = np.broadcast_to(values, (len(indices),)) if len(values) == 1 else values
    assert nvals == len(indices)
    return indices.tolist(), values.tolist()


def check_parts(engine, cut: list[int], u: VectorStore, moved, to_host, with_values: bool) -> None:
    """Check that the bytes match the definition, and that the joined vector has the same entries."""
    dtype = u.dtype if with_values else None
    wanted = DEFINITION.pack_parts(u, cut, dtype, 0)
    found = engine.pack_parts(moved(u), cut, dtype, 0)
    others = range(1 if len(cut) > 1 else 0, len(cut))
    for part in others:
        assert to_host(found.sent(part)).tobytes() == wanted.sent(part).tobytes(), (cut, part)
        assert found.count(part) == wanted.count(part)
    sent = [found.kept if part == 0 else found.sent(part) for part in range(len(cut))]
    places, values = entries_of(u, _same)
    expected = places, values if with_values else [True] * len(places)
    for dense in (False, True):
        joined = engine.join_parts(sent, cut, u.dtype, dense)
        assert joined.dtype == u.dtype
        assert entries_of(joined, to_host) == expected
        assert not dense or joined.indices is None


def check_short_parts(engine, moved, to_host) -> None:
    """Parts of one entry, for which bits are shorter than an index."""
    present = np.isin(np.arange(12), [2, 9])
    u = VectorStore(12, np.arange(12) + 0.5, present=present)
    check_parts(engine, [5, 7], u, moved, to_host, True)


def check_fold(engine, stores: list[VectorStore], reduction, moved, to_host) -> None:
    """Several results for 1,500 positions, each from one sender."""
    size, dtype = stores[0].size, stores[0].dtype
    cut = [0, size]
    kept = engine.pack_parts(moved(stores[0]), [size, 0], dtype, 0).kept
    sent = [kept, *(engine.pack_parts(moved(u), cut, dtype, 0).sent(1) for u in stores[1:])]
    expected = reduce(lambda x, y: DEFINITION.ewise_add(x, y, reduction.binaryop), stores)
    found = engine.fold_parts(sent, size, dtype, reduction, None)
    assert found.dtype == expected.dtype
    assert entries_of(found, to_host) == entries_of(expected, _same)


def check_numbered(engine, moved, to_host) -> None:
    """Positions in two blocks, of which one has two pieces and begins at 1; the lowest counts."""
    numbering = [Numbering([701, 1501], [99, 2000]), Numbering([1501], [7])]
    size, short = 1500, np.dtype(np.uint16)
    for fill in (0.003, 0.5):
        stores = [vector(size, fill, np.int64, False, "bitmap", seed) for seed in (5, 6)]
        for store, values in zip(stores, (np.arange(size) + 1, np.arange(size)[::-1].copy()), strict=True):
            store.values = values
        wanted = [DEFINITION.pack_parts(u, [0, size], short, 0).sent(1) for u in stores]
        sent = [engine.pack_parts(moved(u), [0, size], short, 0).sent(1) for u in stores]
        assert [to_host(each).tobytes() for each in sent] == [each.tobytes() for each in wanted]
        given = size, short, monoid.min["INT64"], numbering
        found, expected = engine.fold_parts(sent, *given), DEFINITION.fold_parts(wanted, *given)
        assert entries_of(found, to_host) == entries_of(expected, _same)


def _same(array):
    return None if array is None else np.asarray(array)
