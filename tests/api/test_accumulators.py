"""Accumulators of other types than the output's, against python-graphblas: what they do not combine stays as it is."""

from itertools import product

import graphblas
import numpy as np
import pytest
from pairs import MASK_KINDS, Pair, assert_same

import grblas_gpu
from grblas_gpu.backends.cpu.tier import get_tier

LIBRARIES = (grblas_gpu, graphblas)
DTYPES = ("BOOL", "INT8", "INT64", "UINT64", "FP32", "FP64")
ACCUMS = [(name, None) for name in "gt eq truediv first second minus land pair".split()]
ACCUMS += [("gt", "FP64"), ("minus", "FP64"), ("plus", "INT8"), ("second", "BOOL"), ("truediv", "FP64")]
SHAPE = (3, 4)
REGIONS = {
    1: [..., [2, 0], slice(1, 3), 1],
    2: [..., ([0, 2], [3, 1]), (slice(1, None), slice(None, 2)), (1, 2), (1, slice(None)), (slice(None), 2)],
}
VALUES = {
    "BOOL": [False, True],
    "INT8": [-128, -3, 0, 2, 127],
    "INT64": [-(2**63), 2**62 + 1, 0, 2, 300],
    "UINT64": [2**63 + 1, 2**53 + 1, 0, 2, 300],
    "FP32": [-2.5, 0.0, 0.25, 3.0, 1e10],
    "FP64": [-2.5, 0.0, 0.1, 3.0, 1e300],
}


def values(dtype: str) -> np.ndarray:
    return np.array(VALUES[dtype], grblas_gpu.dtypes.lookup_dtype(dtype).np_type)


def scattered(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Pair:
    """Some entries, all of them, or one value for some."""
    keep = np.flatnonzero(rng.random(np.prod(shape)) < rng.choice([0.3, 0.6, 1.0]))
    given = rng.choice(values(dtype), len(keep))
    if rng.random() < 0.2:
        given[:] = given[:1]
    places = np.unravel_index(keep, shape)
    sizes = {"size": shape[0]} if len(shape) == 1 else {"nrows": shape[0], "ncols": shape[1]}
    kind = "Vector" if len(shape) == 1 else "Matrix"
    return Pair(*[getattr(library, kind).from_coo(*places, given, dtype, **sizes) for library in LIBRARIES])


def region_shape(key, shape: tuple[int, ...]) -> tuple[int, ...]:
    return np.zeros(shape)[np.ix_(*key) if type(key) is tuple and type(key[0]) is list else key].shape


@pytest.mark.parametrize("ndim", [1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_only_what_is_combined_takes_the_types(backend: str, ndim: int, dtype: str, rng: np.random.Generator) -> None:
    shape = SHAPE[-ndim:]
    cases = [(*accum, key) for accum, key in product(ACCUMS, REGIONS[ndim])]
    if get_tier() == "numba":  # a second or so to compile
        cases = [cases[rng.integers(len(cases))]]
    for name, typed, key in cases:
        region = region_shape(key, shape)
        # Theirs of two integers takes whatever it is given as FP64.
        of = dtype if (name, typed) == ("truediv", None) else rng.choice(DTYPES)
        kind = MASK_KINDS[rng.integers(len(MASK_KINDS))] if region else None
        replace = kind is not None and bool(rng.integers(2))
        out, mask = scattered(rng, shape, dtype), scattered(rng, shape, "INT8")
        number = rng.choice(values(of))
        value = scattered(rng, region, of) if region and rng.random() < 0.7 else Pair(number, number)
        sides = zip(LIBRARIES, (out.ours, out.theirs), mask.mask(kind), (value.ours, value.theirs), strict=True)
        for library, obj, view, what in sides:
            accum = getattr(library.binary, name)
            update = obj(mask=view, accum=accum if typed is None else accum[typed], replace=replace)
            if key is ...:
                update << what
            else:
                update[key] << what
        assert_same(out.ours, out.theirs)


@pytest.mark.parametrize(("name", "typed"), ACCUMS)
def test_scalars(name: str, typed: str | None, rng: np.random.Generator) -> None:
    for dtype in DTYPES:
        of = dtype if (name, typed) == ("truediv", None) else rng.choice(DTYPES)
        given, before = scattered(rng, (3,), of), rng.choice([*values(dtype), None])
        outs = []
        for library, what in zip(LIBRARIES, (given.ours, given.theirs), strict=True):
            out = library.Scalar(dtype) if before is None else library.Scalar.from_value(before, dtype)
            accum = getattr(library.binary, name)
            out(accum if typed is None else accum[typed]) << what.reduce(library.monoid.max)
            outs.append(out)
        assert_same(*outs)


def test_integers_beyond_floats_stay(backend: str) -> None:
    v = grblas_gpu.Vector.from_coo([0, 1], [2**62 + 1, 5], size=3)
    v(grblas_gpu.binary.truediv)[[2]] << 3
    v(grblas_gpu.binary.gt)[1] << 2
    assert dict(zip(*(x.tolist() for x in v.to_coo()), strict=True)) == {0: 2**62 + 1, 1: 1, 2: 3}
