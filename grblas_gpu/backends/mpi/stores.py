"""A rank's part of a distributed vector or matrix: a store of the local engine, and the properties of the whole.

The layers above read its sizes and types like those of any store. A reduction computes the total number of entries
when it is needed. It includes the counts of recent results, so that a step of a search needs one reduction.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ..stores.entries import values_of
from ..stores.storage import MatrixStore, VectorStore

if TYPE_CHECKING:
    import numpy as np

    from .grid import Grid
    from .parts import Parts
    from .products import Degrees

RECENT = 6  # counts that one reduction includes


class Counts:
    """The numbers of entries that are still unknown on some ranks.

    Only operations that all ranks do in the same order select the counts to reduce; object lifetimes never do.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._recent: deque[Count] = deque(maxlen=RECENT)

    def new(self, part: VectorStore | MatrixStore) -> Count:
        count = Count(self, part)
        self._recent.append(count)
        return count

    def ask(self, wanted: Count) -> None:
        """Reduce the wanted count together with the recent ones, except those that all ranks know from a search."""
        unknown = [count for count in self._recent if count.known is None]
        if wanted not in unknown:
            unknown.append(wanted)
        self._recent.clear()
        local = [number for count in unknown for number in count.local()]
        total = iter(self._grid.everyone.add_up(local))
        for count in unknown:
            count.set(next(total), next(total))


class Count:
    """The total number of entries of a store, and of the edges of a matrix that leave them."""

    __slots__ = ("_counts", "_part", "_here", "degrees", "_nvals", "_edges")

    def __init__(self, counts: Counts, part: VectorStore | MatrixStore) -> None:
        self._counts = counts
        self._here: int | None = part.nvals if type(part) is MatrixStore else part.known_nvals
        self._part: Any = part if self._here is None else None  # only the device knows
        self.degrees: Degrees | None = None
        self._nvals: int | None = None
        self._edges: int | None = None

    def along(self, degrees: Degrees, part: VectorStore) -> None:
        """Count edges, too: ``degrees.edges(part)`` is the number of edges of this rank's entries."""
        if self._nvals is None:
            self.degrees, self._part = degrees, part

    def local(self) -> tuple[int, int]:
        """The entries of this rank, and their edges."""
        edges = 0 if self.degrees is None else self.degrees.edges(self._part)
        return self._part.nvals if self._here is None else self._here, edges  # one wait for the device covers both

    def set(self, nvals: int, edges: int) -> None:
        self._nvals, self._edges = nvals, edges
        self._part = None

    @property
    def nvals(self) -> int:
        if self._nvals is None:
            self._counts.ask(self)
            assert self._nvals is not None
        return self._nvals

    @property
    def known(self) -> int | None:
        """The number of entries, if all ranks know it already."""
        return self._nvals

    def remember(self, degrees: Degrees, edges: int) -> None:
        """Set the number of edges, counted after the entries."""
        self.degrees, self._edges = degrees, edges

    def edges_of(self, degrees: Degrees) -> int | None:
        """The number of edges, if they were counted with these degrees."""
        return self._edges if self.degrees is degrees and self._nvals is not None else None


class DistVectorStore:
    """A vector: ``part`` has the entries of this rank's chunk, numbered from 0."""

    __slots__ = ("size", "part", "count", "checked", "leads_by", "apart_from", "_engine")

    def __init__(self, engine: Parts, size: int, part: VectorStore) -> None:
        self.size = size
        self.apart_from: Count | None = None  # the count of a vector without entries at our positions
        self.checked = 0  # edges of the product that made this vector, for planners that use its history
        self.leads_by: Degrees | None = None  # degrees of the matrix that made it: the next product may need its edges
        self.part = part
        self.count = engine.counts.new(part)
        self._engine = engine

    edges = None  # the layers above ask the engine for edges
    pending = None
    flags = None
    ordered = True
    present = None

    @property
    def dtype(self) -> np.dtype:
        return self.part.dtype

    @property
    def nvals(self) -> int:
        return self.count.nvals

    known_nvals = nvals_at_most = nvals

    @property
    def shape(self) -> tuple[int]:
        return (self.size,)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return {"indices": self.indices, "values": self.values}

    @property
    def kind(self) -> str:
        """Full, bitmap or sparse by the total number of entries, so that all ranks agree."""
        return "full" if self.nvals == self.size else "bitmap" if self.nvals * 100 > self.size else "sparse"

    @property
    def iso(self) -> bool:
        return False  # iso parts of two ranks may have different values

    # All entries, for the few callers that need them: gathered on every rank.

    @property
    def indices(self) -> np.ndarray:
        return self._engine.tuples(self)[0]

    @property
    def values(self) -> np.ndarray:
        return self._engine.tuples(self)[2]

    def __repr__(self) -> str:
        return f"DistVectorStore(size={self.size}, {self.dtype}, here: {self.part!r})"


class DistMatrixStore:
    """A matrix: ``part`` is this rank's block, rows and columns numbered from 0.

    ``kept`` caches properties of the matrix (degrees, pattern). Like all stores, the matrix never changes.
    """

    __slots__ = (
        "nrows",
        "ncols",
        "part",
        "count",
        "kept",
        "value_range",
        "mean_value",
        "spared",
        "_engine",
        "_transpose",
    )

    def __init__(self, engine: Any, nrows: int, ncols: int, part: MatrixStore) -> None:
        self.spared = 0
        self.nrows = nrows
        self.ncols = ncols
        self.part = part
        self.count = engine.counts.new(part)
        self.kept: dict[str, Any] = {}
        self._engine = engine
        self._transpose: DistMatrixStore | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.nrows, self.ncols

    @property
    def dtype(self) -> np.dtype:
        return self.part.dtype

    @property
    def nvals(self) -> int:
        return self.count.nvals

    @property
    def iso(self) -> bool:
        return False

    @property
    def max_degree(self) -> int:
        return self._engine.degrees(self).largest

    def transposed(self) -> DistMatrixStore:
        """The transpose, made once; a symmetric matrix is its own."""
        if self._transpose is None:
            self._transpose = self._engine.make_transpose(self)
            if self._transpose is not self:
                self._transpose._transpose = self
        return self._transpose

    def copy(self) -> DistMatrixStore:
        return self._engine.copy(self)

    @property
    def structure(self) -> tuple[DistMatrixStore]:
        """The object that identifies the positions of the entries."""
        return (self,)

    dense = None  # the layers above see no array of all positions

    @property
    def form(self) -> str:
        """The storage format of this rank's block; other ranks may use other formats."""
        return self.part.form

    def __getattr__(self, name: str) -> object:
        """The stored arrays of the whole matrix, for the few callers that need them: gathered on every rank."""
        if name not in ("indptr", "indices", "rows", "starts", "arrays"):
            raise AttributeError(f"DistMatrixStore has no attribute {name!r}")
        return getattr(self._engine.export(self), name)

    @property
    def values(self) -> np.ndarray:
        return values_of(self._engine.export(self))

    stored_values = values

    def __repr__(self) -> str:
        return f"DistMatrixStore({self.nrows}x{self.ncols}, {self.dtype}, here: {self.part!r})"
