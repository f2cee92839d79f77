"""The engine "mpi": the Backend protocol over the ranks of a job.

Vectors and matrices of this backend are partitioned over a grid of ranks. Every rank runs the same program, written
for one machine. Each operation is collective, and its scalar results (``nvals``, reductions) are the same on all
ranks, so all ranks take the same branches. Each rank computes on its part with a local engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ...foundation.types import Accum, Array, ArrayLike, TypedOperator
from ..protocol import Backend, Index
from ..reference import Definitions
from ..stores.storage import MaskView
from .building import Building
from .graphs import Graphs
from .grid import Grid, parse_shape
from .indirect import Indexed
from .local_engine import local_engine_of
from .matrix_products import MatrixProducts
from .moving import Moving
from .parts import DISTRIBUTED, AnyStore, Parts, Store, warn_of_gathering
from .searches import Searches, search_setting
from .stores import Counts, DistMatrixStore, DistVectorStore


def part_by_part(name: str) -> Callable[..., Store]:
    """An operation on entries at the same position: each rank uses its parts, unless the operator reads positions."""

    def method(self: Parts, x: AnyStore, *given: object) -> AnyStore:
        if any(getattr(each, "positional", None) is not None for each in given):
            return self.gathered(name, x, *given)
        parts = (each.part if isinstance(each, DISTRIBUTED) else each for each in given)
        return self.like(x, getattr(self.local, name)(x.part, *parts))

    return method


class MpiBackend(Searches, MatrixProducts, Indexed, Graphs, Building, Moving):
    """The distributed engine."""

    keeps_dense = True

    def __init__(self, grid: Grid, local: Backend, name: str) -> None:
        self.grid = grid
        self.local = local
        self.name = name
        # Parts of a vector are not full, and every rank has a transpose of its part.
        self.costs = local.costs._replace(whole_rows=None, transpose=0.0)
        self.counts = Counts(grid)
        self.exchanges: dict[str | int, Any] = {}
        self.search_by = grid.together(search_setting)

    # ---- memory ---------------------------------------------------------------------------------------------------

    def array(self, values: ArrayLike, dtype: np.dtype | None = None) -> np.ndarray:
        return np.asarray(values, dtype)

    def host(self, array: np.ndarray) -> np.ndarray:
        return np.asarray(array)

    def share(self, array: Array) -> np.ndarray:
        return self.local.host(self.local.share(array))

    def copy(self, store: AnyStore) -> AnyStore:
        return self.like(store, self.local.copy(store.part))

    def empty_vector(self, size: int, dtype: np.dtype) -> DistVectorStore:
        low, high = self.chunk(size)
        return self.vector(size, self.local.empty_vector(high - low, dtype))

    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> DistMatrixStore:
        rows, cols = self.grid.rows_of(nrows), self.grid.columns_of(ncols)
        return self.matrix(nrows, ncols, self.local.empty_matrix(rows.size, cols.size, dtype))

    def cast(self, x: AnyStore, dtype: np.dtype) -> AnyStore:
        if x.dtype == dtype:
            return x
        return self.like(x, self.local.cast(x.part, dtype))

    def with_kind(self, u: DistVectorStore, kind: str) -> DistVectorStore:
        return DistVectorStore(self, u.size, self.local.with_kind(u.part, kind))

    def with_form(self, a: DistMatrixStore, form: str) -> DistMatrixStore:
        return DistMatrixStore(self, a.nrows, a.ncols, self.local.with_form(a.part, form))

    # ---- element-wise, part by part ---------------------------------------------------------------------------------

    ewise_add = part_by_part("ewise_add")
    ewise_mult = part_by_part("ewise_mult")
    ewise_union = part_by_part("ewise_union")
    apply = part_by_part("apply")
    apply_bind = part_by_part("apply_bind")

    # ---- without a distributed form -------------------------------------------------------------------------------

    def pull_in_place(self, *operands: object, **options: object) -> DistVectorStore:
        return self.gathered("pull_in_place", *operands, **options)

    def kronecker(self, a: DistMatrixStore, b: DistMatrixStore, op: TypedOperator) -> DistMatrixStore:
        return self.gathered("kronecker", a, b, op)

    def positions(self, index: DistVectorStore, size: int) -> tuple[Array, Array | None]:
        """The positions on the host of every rank."""
        self.check_gatherable(index, "an index")
        warn_of_gathering("positions")
        return Definitions().positions(self.export(index), size)

    # ---- the output -------------------------------------------------------------------------------------------------

    def write(
        self, c: AnyStore, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> AnyStore:
        """Owners write, and apply the mask again: a push ignores it, even if ``masked`` is true."""
        c = self.mine(c)
        part = self.local.write(c.part, t.part, self.view(mask), accum, replace, masked and mask is None)
        result = self.like(c, part)
        if isinstance(t, DistVectorStore) and t.leads_by is not None and accum is None and (mask is None or replace):
            result.count.along(t.leads_by, part)
        if isinstance(result, DistVectorStore) and mask is not None and mask.complement and mask.structure and replace:
            kept_out: Any = mask.store
            result.apart_from = kept_out.count
        return result

    def assign(
        self, c: AnyStore, value: Any, index: Index, mask: MaskView | None, accum: Accum, replace: bool, submask: bool
    ) -> AnyStore:
        c, value = self.mine(c), self.mine(value)
        is_store = isinstance(value, DISTRIBUTED)
        if all(part is None for part in index):
            what = value.part if is_store else value
            result = self.like(c, self.local.assign(c.part, what, index, self.view(mask), accum, replace, submask))
            if mask is not None and mask.structure and not (mask.complement or replace):
                new: Any = mask.store
                if new is value or not is_store:
                    _count_added(result, c, new)
            return result
        if isinstance(c, DistVectorStore):
            return self.assign_to_list(c, value, np.asarray(index[0]), mask, accum, replace, submask)
        places = tuple(None if part is None else self.local.array(part) for part in index)
        return self.gathered("assign", c, value, places, mask, accum, replace, submask)


def _count_added(result: Store, c: Store, new: Store) -> None:
    """Set the count of ``result``, the union of both. A frontier has no visited vertices: the counts add up."""
    if isinstance(new, DistVectorStore) and new.apart_from is not None and new.apart_from is c.count:
        before, added = new.apart_from.known, new.count.known
        if before is not None and added is not None:
            result.count.set(before + added, 0)


# ---- names of engines -----------------------------------------------------------------------------------------------


def make_engine(name: str, get_engine: Callable[[str], Backend]) -> MpiBackend:
    """The engine of a name: ``mpi``, with a grid ``mpi:4x2``, with a local engine ``mpi:cuda`` or ``mpi:4x2:cuda``."""
    shape, local = None, None
    for word in name.split(":")[1:]:
        if "x" in word and word[0].isdigit():
            shape = parse_shape(word)
        else:
            local = word
    grid = Grid(shape=shape)
    engine = grid.together(lambda: local_engine_of(local, grid, get_engine))
    grid.check_same(local_engine=engine.name, search=os.environ.get("GRBLAS_GPU_MPI_SEARCH"))
    return MpiBackend(grid, engine, name)
