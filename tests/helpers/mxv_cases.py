"""Random matrix-vector products on stores of NumPy arrays, drawn from a number."""

from typing import NamedTuple

import numpy as np
from random_objects import KINDS, random_matrix, random_vector

from grblas_gpu import monoid, semiring
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, VectorStore
from grblas_gpu.operators import BinaryOp, Monoid, Semiring

STRATEGIES = "pull.thread pull.warp pull.hybrid pull.compact pull.edge push.scatter push.scan push.sort".split()


def gap(x, y):
    distance = x - y
    if distance < 0:
        distance = -distance
    return distance * 2 if distance > 3 else distance + 1


def _user(monoid, name: str):
    return Semiring.register_anonymous(monoid, BinaryOp.register_anonymous(gap, "gap"), name)


_longest = Monoid.register_anonymous(BinaryOp.register_anonymous(lambda x, y: x if x > y else y, "longest"), -1)
SEMIRINGS = {
    "plus_times int8": semiring.plus_times["INT8"],
    "plus_times": semiring.plus_times["FP64"],
    "plus_times fp32": semiring.plus_times["FP32"],
    "min_plus": semiring.min_plus["FP64"],
    "min_plus uint16": semiring.min_plus["UINT16"],
    "max_second": semiring.max_second["FP32"],
    "max_first": semiring.max_first["INT64"],
    "times_plus": semiring.times_plus["INT32"],
    "lor_land": semiring.lor_land["BOOL"],
    "lxor_land": semiring.lxor_land["BOOL"],
    "any_pair": semiring.any_pair["BOOL"],
    "any_second": semiring.any_second["INT64"],
    "plus_pair": semiring.plus_pair["INT64"],
    "bxor_band": semiring.bxor_band["UINT8"],
    "min_secondi": semiring.ss.min_secondi["INT64"],
    "plus_firsti1": semiring.ss.plus_firsti1["INT64"],
    "max_secondj": semiring.ss.max_secondj["INT32"],
    "plus_gap": _user(monoid.plus, "plus_gap")["INT64"],
    "longest_gap": _user(_longest, "longest_gap")["FP64"],
}


class Case(NamedTuple):
    """``t<mask> = m u``, as an engine sees it."""

    a: MatrixStore
    u: VectorStore
    semiring: object
    mask: MaskView | None
    transposed: bool
    flip: bool


def random_case(name: str, seed: int) -> Case:
    """A product with this semiring whose shapes, stores, types and mask are drawn from the seed."""
    rng = np.random.default_rng(seed)
    op = SEMIRINGS[name]
    nrows, ncols = (int(n) for n in rng.choice([1, 5, 60, 1500], 2, p=[0.05, 0.15, 0.4, 0.4]))
    transposed = bool(rng.integers(2))
    inner, size = (nrows, ncols) if transposed else (ncols, nrows)
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    if rng.random() < 0.2:  # the operands are cast
        types = np.dtype(np.float32), np.dtype(np.int16)
    fill = float(rng.choice([0.004, 0.05, 0.3]))
    a = random_matrix(rng, nrows, ncols, types[0], fill)
    kind = str(rng.choice(KINDS))
    u = random_vector(rng, inner, kind, types[1], float(rng.choice([0.01, 0.1, 0.9])))
    mask = None
    if rng.random() < 0.8:
        kind = str(rng.choice(KINDS))
        dtype = rng.choice(["bool", "int64", "float32"])
        flags = random_vector(rng, size, kind, dtype, float(rng.choice([0.02, 0.5])))
        mask = MaskView(flags, bool(rng.integers(2)), bool(rng.integers(2)))
    return Case(a, u, op, mask, transposed, bool(rng.integers(2)))


def star(size: int) -> Case:
    """One vertex with edges to all others."""
    indptr = np.full(size + 1, size - 1, INDEX)
    indptr[0] = 0
    a = MatrixStore(size, size, indptr, np.arange(1, size, dtype=np.int32), np.array([2.0]))
    u = VectorStore(size, np.array([3.0]), indices=np.zeros(1, INDEX))
    return Case(a, u, SEMIRINGS["plus_times"], None, True, True)


def funnel(size: int) -> Case:
    """This many vertices with one edge each, all to a few vertices."""
    a = MatrixStore(size, size, np.arange(size + 1), (np.arange(size) % 3).astype(np.int32), np.array([2.0]))
    u = VectorStore(size, np.arange(size) % 7.0, indices=np.arange(size))
    return Case(a, u, SEMIRINGS["plus_times"], None, True, True)
