"""Both strategies of the CUDA engine's matrix-matrix product against the definitions.

On a GPU where there is one; otherwise the kernels run in an emulation, which shows that they compute the right thing.
"""

import importlib
import itertools

import numpy as np
import pytest
from emulated_engine import CUDA, GPU, SLOW_ENGINES, loaded
from mxm_cases import Case, check, run
from mxv_cases import SEMIRINGS
from random_objects import random_matrix

from grblas_gpu import semiring
from grblas_gpu.backends.cuda.eager.mxm_operands import Product
from grblas_gpu.backends.cuda.eager.mxm_programs import sum_bytes, table_slots
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, column_type

STRATEGIES = ("mxm.gustavson", "mxm.masked_dot")
# A program takes seconds to compile for the emulation: there every third one has to do.
NAMES = list(SEMIRINGS)[:: 1 if GPU else 3]


@pytest.fixture(params=SLOW_ENGINES)
def engine(request, monkeypatch):
    """``mxm`` of the CUDA engine, and how arrays get there."""
    parts = ("mxm", "mxm_programs", "mxm_gustavson", "mxm_hashed")
    with loaded(request.param, monkeypatch, *(f"eager.{name}" for name in parts)) as found:
        found.mxm, found.programs = found.mxm.mxm, found.mxm_programs
        found.gustavson, found.hashed = found.mxm_gustavson, found.mxm_hashed
        found.seeds = 3 if request.param == "gpu" else 1
        yield found


def random_case(name: str, seed: int, masked: bool | None = None) -> Case:
    """A product whose shapes, types, fills and mask are drawn from the seed."""
    rng = np.random.default_rng(seed)
    op = SEMIRINGS[name]
    nrows, inner, ncols = (int(n) for n in rng.choice([1, 7, 60, 300], 3, p=[0.05, 0.15, 0.4, 0.4]))
    types = op.binaryop.type.np_type, op.binaryop.type2.np_type
    if rng.random() < 0.2:  # the operands are cast
        types = np.dtype(np.float32), np.dtype(np.int16)
    a = random_matrix(rng, nrows, inner, types[0], float(rng.choice([0.01, 0.1, 0.3])))
    b = random_matrix(rng, inner, ncols, types[1], float(rng.choice([0.01, 0.1, 0.3])))
    mask = None
    if masked or (masked is None and rng.random() < 0.7):
        dtype = rng.choice(["bool", "int64", "float32"])
        pattern = random_matrix(rng, nrows, ncols, dtype, float(rng.choice([0.02, 0.5])))
        mask = MaskView(pattern, bool(rng.integers(2)), bool(rng.integers(2)) and not masked)
    return Case(a, b, op, mask)


@pytest.mark.parametrize("name", NAMES)
def test_gustavson_agrees_with_the_definition(engine, name):
    number = list(SEMIRINGS).index(name)
    for seed in range(engine.seeds):
        check(engine, random_case(name, 1000 * seed + number), "mxm.gustavson", early_exit=seed % 3 < 2)


@pytest.mark.parametrize("name", NAMES)
def test_masked_dot_agrees_with_the_definition(engine, name):
    number = list(SEMIRINGS).index(name)
    for seed in range(engine.seeds):
        check(engine, random_case(name, 1000 * seed + number, True), "mxm.masked_dot", early_exit=seed % 3 < 2)


@pytest.mark.parametrize("name", ["plus_pair", "plus_times", "any_pair", "min_plus", "any_second", "longest_gap"])
def test_dot_products_of_every_length(engine, name):
    """Rows for warps and blocks, in pieces; columns that are looked up together, alone, or searched."""
    rng = np.random.default_rng(3)
    inner, dtype = 5000, SEMIRINGS[name].binaryop.type.np_type
    row_lengths = [0, 1, 8, 9, 127, 128, 129, 1024, 1025, 2500, 3]
    column_lengths = [0, 1, 5, 31, 63, 64, 129, 700, 4900] * 30
    a = row_matrix([np.sort(rng.choice(inner, n, replace=False)).tolist() for n in row_lengths], inner, dtype)
    b = row_matrix([np.sort(rng.choice(inner, n, replace=False)).tolist() for n in column_lengths], inner, dtype)
    every = list(range(len(column_lengths)))
    pattern = row_matrix([every if i % 3 < 2 else every[::7] for i in range(a.nrows)], b.nrows, np.int8)
    for structure in (True, False):
        check(engine, Case(a, transposed(b), SEMIRINGS[name], MaskView(pattern, structure, False)), "mxm.masked_dot")


@pytest.mark.parametrize("name", ["plus_pair", "plus_times", "any_pair", "min_plus", "any_second", "plus_times int8"])
def test_rows_of_a_mask_of_every_length(engine, name):
    """Products looked up in rows of the mask: by warps and blocks, in pieces, of long and short rows of the factor."""
    rng = np.random.default_rng(8)
    ncols, dtype = 6000, SEMIRINGS[name].binaryop.type.np_type
    lengths = [0, 1, 5, 63, 64, 200, 2100, 4500] * 4
    b = row_matrix([np.sort(rng.choice(ncols, n, replace=False)).tolist() for n in lengths], ncols, dtype)
    a = row_matrix([list(range(32))] * 6 + [[7], [], [0], [1, 2, 3], list(range(0, 32, 8))], 32, dtype)
    mask_lengths = [1, 127, 128, 129, 2048, 5000, 3000, 50, 40, 2049, 7]
    columns = [np.sort(rng.choice(ncols, n, replace=False)).tolist() for n in mask_lengths]
    pattern = row_matrix(columns, ncols, np.int8)
    for structure in (True, False):
        check(engine, Case(a, b, SEMIRINGS[name], MaskView(pattern, structure, False)), "mxm.gustavson")


def transposed(store: MatrixStore) -> MatrixStore:
    rows = np.repeat(np.arange(store.nrows), np.diff(store.indptr))
    order = np.lexsort((rows, store.indices))
    indptr = np.searchsorted(store.indices[order], np.arange(store.ncols + 1)).astype(INDEX)
    return MatrixStore(store.ncols, store.nrows, indptr, rows[order].astype(np.int32), store.values[order])


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("structure, iso", [(True, False), (False, False), (False, True)])
def test_masks(engine, structure, complement, iso):
    rng = np.random.default_rng(5)
    a, b = (random_matrix(rng, 40, 40, np.int64, 0.2) for _ in range(2))
    pattern = random_matrix(rng, 40, 40, np.int8, 0.3)
    pattern.values = np.zeros(1, np.int8) if iso else (np.arange(pattern.nvals) % 3).astype(np.int8)
    case = Case(a, b, SEMIRINGS["plus_pair"], MaskView(pattern, structure, complement))
    for strategy in STRATEGIES:  # a complemented mask has no dot products: gustavson runs in both cases
        check(engine, case, strategy)


def only_hashed(engine, monkeypatch) -> None:
    """Every row is made in a table."""
    monkeypatch.setattr(engine.gustavson, "MOST_SORTED", 0)
    monkeypatch.setattr(engine.gustavson, "MOST_WINDOWS", 0)


def rows_with_products(products: list[int], ncols: int, distinct: int, dtype) -> tuple[MatrixStore, MatrixStore]:
    """Factors whose result has rows with so many products, in about so many columns near the last one."""
    rng = np.random.default_rng(ncols)
    lengths = [0, 1, 2, 3, 5, 16, 40]
    b = [np.sort(ncols - 1 - rng.choice(max(distinct, 40), length, replace=False)).tolist() for length in lengths * 300]
    rows = []
    for wanted in products:
        row, left = [], wanted
        for k, columns in enumerate(b):
            if left and len(columns) <= left and rng.random() < 0.3:
                row.append(k)
                left -= len(columns)
        ones = [k for k in range(len(b)) if len(b[k]) == 1 and k not in row]
        rows.append(sorted(row + ones[:left]))
        assert sum(len(b[k]) for k in rows[-1]) == wanted
    return row_matrix(rows, len(b), dtype), row_matrix(b, ncols, dtype)


@pytest.mark.parametrize("name", ["plus_times", "min_plus", "any_pair", "plus_times int8", "longest_gap"])
@pytest.mark.parametrize("ncols", [700, 2**24, 2**35])
def test_rows_of_every_size(engine, monkeypatch, name, ncols):
    """Products in registers: every number of them at which something changes, with few and with many that are added."""
    near = [n + d for n in (8, 16, 32, 64, 128, 256, 512) for d in (-1, 0, 1)]
    sizes = [0, 1, 2, *near, 3, 0, 500, 300, 100]
    dtype = SEMIRINGS[name].binaryop.type.np_type
    for distinct in (40, 600):
        a, b = rows_with_products(sizes, ncols, distinct, dtype)
        columns = [sorted({ncols - 1 - n for n in range(0, 40, 1 + i)}) for i in range(a.nrows)]
        pattern = row_matrix(columns, ncols, bool)
        case = Case(a, b, SEMIRINGS[name])
        masks = (None, MaskView(pattern, True, False), MaskView(pattern, True, True))
        for mask in masks if engine.name == "gpu" else masks[:1] if ncols > 700 else masks[:2]:
            check(engine, case._replace(mask=mask), "mxm.gustavson")
    monkeypatch.setattr(engine.gustavson, "MOST_BYTES", 0)  # counted first, then made in place
    check(engine, case, "mxm.gustavson")


@pytest.mark.parametrize("name", ["plus_times", "any_second", "any_pair", "min_plus", "plus_times int8"])
def test_windows_of_columns(engine, monkeypatch, name):
    """A sum for every column, in one window or several, with masks and long rows of the right factor."""
    monkeypatch.setattr(engine.gustavson, "MOST_SORTED", 0)
    rng = np.random.default_rng(9)
    dtype = SEMIRINGS[name].binaryop.type.np_type
    ncols = 3000
    lengths = [0, 1, 63, 64, 2049, 2500, 5, 40] * 5
    columns = [np.sort(rng.choice(ncols, length, replace=False)).tolist() for length in lengths]
    b = row_matrix(columns, ncols, dtype)
    a = row_matrix([list(range(40)), [4], [], [0], list(range(0, 40, 3)), [1, 2, 3]], 40, dtype)
    pattern = row_matrix([columns[2], columns[4], [1], [2], [0, 31, 32, 33, 2999], []], ncols, np.int8)
    masks = [None, MaskView(pattern, True, False), MaskView(pattern, False, True)]
    for limit in (64 * 1024, 8192) if engine.name == "gpu" else (8192,):
        monkeypatch.setattr(engine.gustavson, "shared_limit", lambda device, limit=limit: limit)
        for mask in masks:
            check(engine, Case(a, b, SEMIRINGS[name], mask), "mxm.gustavson")


@pytest.mark.parametrize("shared_bytes", [512, 4096, 16384] if GPU else [512, 4096])
@pytest.mark.parametrize("name", ["plus_times", "any_pair", "plus_times int8", "lor_land"][: 4 if GPU else 2])
def test_tables_of_every_size(engine, monkeypatch, name, shared_bytes):
    """With little shared memory rows of any length end up in tables of blocks and in scratch memory."""
    only_hashed(engine, monkeypatch)
    monkeypatch.setattr(engine.programs, "SHARED_BYTES", shared_bytes)
    clear_compiled()
    dtype = SEMIRINGS[name].binaryop.type.np_type
    rng = np.random.default_rng(shared_bytes)
    for ncols in (90, 5000):  # one slot for every column, and hash tables
        a, b = random_matrix(rng, 12, 50, dtype, 0.1), random_matrix(rng, 50, ncols, dtype, 0.05)
        pattern = random_matrix(rng, 12, ncols, bool, 0.3)
        for mask in (None, MaskView(pattern, True, False), MaskView(pattern, True, True)):
            check(engine, Case(a, b, SEMIRINGS[name], mask), "mxm.gustavson")
    clear_compiled()


def clear_compiled() -> None:
    importlib.import_module(f"{CUDA}.runtime.compile").compiled.clear()


def test_little_scratch_memory(engine, monkeypatch):
    """One table after the other, if there is room for one only."""
    only_hashed(engine, monkeypatch)
    monkeypatch.setattr(engine.programs, "SHARED_BYTES", 512)
    monkeypatch.setattr(engine.hashed, "SCRATCH_BYTES", 1)
    clear_compiled()
    rng = np.random.default_rng(1)
    a, b = random_matrix(rng, 12, 50, np.float64, 0.1), random_matrix(rng, 50, 5000, np.float64, 0.05)
    check(engine, Case(a, b, SEMIRINGS["plus_times"]), "mxm.gustavson")
    clear_compiled()


def row_matrix(rows: list[list[int]], ncols: int, dtype=np.float64) -> MatrixStore:
    indptr = np.cumsum([0, *(len(row) for row in rows)]).astype(INDEX)
    indices = np.array([k for row in rows for k in row], column_type(ncols))
    return MatrixStore(len(rows), ncols, indptr, indices, (np.arange(len(indices)) % 7).astype(dtype))


def test_one_dense_row(engine):
    size = 20_000 if engine.name == "gpu" else 300
    rng = np.random.default_rng(0)
    a = row_matrix([list(range(size)) if i == 3 else [i] for i in range(size)], size)
    b = row_matrix([sorted(set(rng.integers(0, size, 20).tolist())) for _ in range(size)], size)
    for first, second in ((a, b), (b, a)):
        check(engine, Case(first, second, SEMIRINGS["plus_times"]), "mxm.gustavson")
        mask = MaskView(b, True, False)
        for strategy in STRATEGIES:
            check(engine, Case(first, second, SEMIRINGS["plus_times"], mask), strategy)


@pytest.mark.parametrize("name", ["plus_times", "min_plus", "any_second", "any_pair", "plus_gap", "longest_gap"])
@pytest.mark.parametrize("masked", [False, True])
def test_rows_that_all_blocks_share(engine, monkeypatch, name, masked):
    """Long and short rows of the right factor, tables that are hashed and that have a slot for every column."""
    only_hashed(engine, monkeypatch)
    monkeypatch.setattr(engine.hashed, "SHARED_PRODUCTS", 8192)
    written = []
    write = engine.hashed._Batch.write
    monkeypatch.setattr(engine.hashed._Batch, "write", lambda *given: (written.append(1), write(*given)))
    rng = np.random.default_rng(6)
    inner = 400
    dtype = SEMIRINGS[name].binaryop.type.np_type
    for ncols in (60, 100_000):
        lengths = np.where(rng.random(inner) < 0.05, 50, 25)
        columns = [np.unique(rng.integers(0, min(ncols, 4000), n)).tolist() for n in lengths]
        b = row_matrix(columns, ncols, dtype)
        a = row_matrix([list(range(inner)), [3], [], list(range(5, inner)), [1, 2]], inner, dtype)
        pattern = row_matrix([columns[0], columns[1], columns[2], [0, 1, 5], []], ncols, bool)
        mask = MaskView(pattern, True, True) if masked else None
        for scratch_bytes in (2**30, 1):  # both at once, one after the other
            monkeypatch.setattr(engine.hashed, "SCRATCH_BYTES", scratch_bytes)
            check(engine, Case(a, b, SEMIRINGS[name], mask), "mxm.gustavson")
    assert len(written) == 6


def test_wide_columns(engine):
    """64-bit column indices, and a shape with more positions than 64-bit keys can number."""
    ncols = 2**60
    rows = [[0, 5, 2**31, 2**59 + 3], [1, 2**59 + 3], [ncols - 1]]
    b = row_matrix(rows, ncols)
    a = row_matrix([[0, 1], [], [0, 1, 2], [2]], 3)
    result = run(engine, Case(a, b, SEMIRINGS["plus_times"]), "mxm.gustavson")
    assert result.indices.dtype == np.int64
    pieces = np.split(result.indices, result.indptr[1:-1])
    assert [piece.tolist() for piece in pieces] == [
        [0, 1, 5, 2**31, 2**59 + 3],
        [],
        [0, 1, 5, 2**31, 2**59 + 3, ncols - 1],
        [ncols - 1],
    ]
    a.indices = a.indices.astype(np.int64)  # wider than it needs to be
    narrow = row_matrix([[0, 2], [1], [0]], 3)
    mask = MaskView(row_matrix([[0, 1], [2], [0, 1, 2], [0]], 3), True, False)
    for strategy in STRATEGIES:
        check(engine, Case(a, narrow, SEMIRINGS["plus_times"], mask), strategy)


@pytest.mark.parametrize("shape", [(0, 0, 0), (3, 0, 4), (0, 3, 4), (3, 4, 0), (3, 4, 5)])
def test_empty(engine, shape):
    nrows, inner, ncols = shape
    a, b = MatrixStore.empty(nrows, inner, np.dtype(float)), MatrixStore.empty(inner, ncols, np.dtype(float))
    for strategy in STRATEGIES:
        mask = MaskView(MatrixStore.empty(nrows, ncols, np.dtype(bool)), True, False)
        assert check(engine, Case(a, b, SEMIRINGS["plus_times"]), strategy).nvals == 0
        assert check(engine, Case(a, b, SEMIRINGS["any_pair"], mask), strategy).nvals == 0


def test_deterministic_means_bit_equal(engine):
    rng = np.random.default_rng(4)
    size = 200 if engine.name == "gpu" else 30
    a, b = (random_matrix(rng, size, size, np.float64, 0.4) for _ in range(2))
    for x in (a, b):
        x.values = rng.random(x.nvals)
    case = Case(a, b, SEMIRINGS["plus_times"])
    first = check(engine, case, "mxm.gustavson", deterministic=True)
    for _ in range(3):
        assert np.array_equal(run(engine, case, "mxm.gustavson", deterministic=True).values, first.values)
    mask = MaskView(first, True, False)
    assert np.array_equal(run(engine, case._replace(mask=mask), "mxm.masked_dot").values, first.values)


def test_tables_fit_shared_memory() -> None:
    for column, dtype in itertools.product((np.int32, np.int64), "?bBhHiIqQfd"):
        a = MatrixStore(1, 9, np.array([0, 2]), np.zeros(2, column), np.ones(2, dtype))
        word = sum_bytes(Product(a, a, semiring.any_first[np.dtype(dtype)], True))
        assert table_slots(np.dtype(column), word) * (np.dtype(column).itemsize + word) <= 40 * 1024


def test_nan_survives(engine):
    """A sum whose only product is NaN keeps it: the identity of `min` would hide it."""
    a = row_matrix([[0], [0, 1]], 2)
    a.values = np.array([np.nan, np.nan, 1.0])
    b = row_matrix([[0], [0]], 1)
    b.values = np.zeros(1)
    for name in ("min_plus", "plus_times"):
        result = check(engine, Case(a, b, SEMIRINGS[name]), "mxm.gustavson")
        assert np.isnan(result.values[0])
