"""The memory of a loop while it runs: its numbers, the arrays of its vectors and matrices, and how they get there.

The arrays of a vector are those of its store, or copies where the loop changes them; at the end they are its store.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ....foundation.types import Array
from ....ir.ops import CONTROL
from ....ir.program import Program
from ....plan.storage_rules import storage_kind
from ...programs.lower import Body
from ...stores.storage import INDEX, MatrixStore, VectorStore
from ..hubs import count_pulls, hubs_of
from . import context as c
from .emit import LoopText

SPARSE = 100  # a list of fewer entries for so many positions stays a list
FEW = 2**18  # positions; scratch arrays of so many are kept for the next run
SCRATCH = "wlgm"  # arrays that no result has


class Memory:
    """The data of a run of a loop; ``arrays`` have the names of its text.

    It may serve one run after another: words about matrices are set again when these change.
    """

    def __init__(self, text: LoopText, body: Body) -> None:
        self.text, self.body, self.facts, self._words = text, body, text.facts, text.words
        self.S = np.zeros(c.FIRST + len(text.words), INDEX)
        self.F = np.zeros(len(text.floats), np.float64)
        self.arrays: dict[str, Array] = {}
        self._spare: dict[str, Array] = {}  # scratch arrays of the last run
        self.sizes = [*body.sizes, *(body.sizes[number] for number in self.facts.copied)]
        words = ("count", "listed", "checked", "dense")
        self._of_vectors = [[self._words.get((word, n)) for word in words] for n in range(len(self.sizes))]
        slots = list(enumerate(self.facts.slots))
        swaps = {n: self._words.get(("swapped", n)) for n, slot in slots if slot.other}
        self._swapping = [(at, _buffers(n, self.facts.slots[n].full)) for n, at in swaps.items() if at is not None]
        self._scratch_names = [
            f"{kind}{n}" for n, slot in slots if slot.written and self.sizes[n] <= FEW for kind in SCRATCH
        ]
        self._stores: list[weakref.ref[MatrixStore]] = []  # the matrices that the words were set for
        self._sides: list[tuple[int, bool]] = []  # the objects as the loop sees them
        searches = [(at, product) for at, product in self.facts.products.items() if self.facts.searches(product)]
        self._searches = [(at, product.matrix, not product.transposed) for at, product in searches]
        self._hubs = {(number, transposed) for _, number, transposed in self._searches}
        self._begun = self.S

    def load(self) -> Memory:
        """Load the objects for a run."""
        self.arrays = {"S": self.S, "F": self.F}
        matrices = self.body.matrices
        if self._stores and [store() for store in self._stores] == matrices:
            self.S[:] = self._begun
            for number, transposed in self._sides:
                store = matrices[number]
                self._show(number, transposed, store.transposed() if transposed else store)
        else:
            self.S[:] = 0
            for number, size in enumerate(self.sizes):
                self.set(size, "size", number)
            self._matrices()
            self._begun, self._stores = self.S.copy(), [weakref.ref(store) for store in matrices]
        self._fill_in()
        for number, vector in enumerate(self.body.vectors):
            self._load(number, self.sizes[number], vector._store)
        for number in range(len(self.body.vectors), len(self.sizes)):
            self._load(number, self.sizes[number], None)
        self._scalars()
        return self

    def release(self, complete: bool) -> None:
        """Drop references to objects; scratch arrays stay, without flags, as a complete run leaves them."""
        arrays, self.arrays = self.arrays, {}
        self._spare = {name: arrays[name] for name in self._scratch_names if name in arrays} if complete else {}

    def _scratch(self, name: str, size: int, dtype: np.dtype | type) -> Array:
        array = self._spare.pop(name, None)
        return np.empty(size, dtype) if array is None or len(array) != size else array

    def set(self, value: int | np.ndarray, *name: str | int) -> None:
        """Set a word of the loop, if the loop has it."""
        at = self._words.get(name)
        if at is not None:
            self.S[at] = value

    def get(self, *name: str | int) -> int:
        return int(self.S[self._words[name]]) if name in self._words else 0

    def count(self, number: int) -> int:
        """The entries of a vector."""
        return self.sizes[number] if self.facts.slots[number].full else self.get("count", number)

    # ---- from the objects --------------------------------------------------------------------------------------------

    def load_again(self) -> None:
        """Read the outputs of the loop again after other operations changed them."""
        for number, vector in enumerate(self.body.vectors):
            if self.facts.slots[number].written:
                self._load(number, self.sizes[number], vector._store)
        self._scalars()

    def _load(self, number: int, size: int, store: VectorStore | None) -> None:
        """The arrays of a vector: those of its store, or copies where the loop changes them."""
        slot, arrays = self.facts.slots[number], self.arrays
        nvals = 0 if store is None else store.nvals
        values = np.empty(0, slot.dtype) if store is None else store.values
        indices = None if store is None else store.indices
        if slot.iso:
            arrays[f"v{number}"] = values[:1].copy() if nvals else np.zeros(1, slot.dtype)
        elif nvals and indices is None and len(values) == size and size > 1:
            shared = not slot.written and values.flags.c_contiguous and values.flags.writeable
            arrays[f"v{number}"] = values if shared else values.copy()
        else:
            arrays[f"v{number}"] = own = np.empty(size, slot.dtype)
            if nvals and indices is not None:
                own[indices] = values
            elif nvals:
                own[:] = values
        if slot.other:
            arrays[f"w{number}"] = self._scratch(f"w{number}", 1 if slot.iso else size, slot.dtype)
        if slot.full:
            return
        listed = nvals == 0 or indices is not None
        if listed:
            flags = np.zeros(size, bool)
            if nvals:
                flags[indices] = True
        elif store is not None and store.present is not None:
            flags = store.present
            if slot.written or not (flags.flags.c_contiguous and flags.flags.writeable):
                flags = flags.copy()
        else:
            flags = np.ones(size, bool)
        arrays[f"f{number}"] = flags
        if slot.listed:
            short = not listed and nvals * 8 < size
            there_may_be = slot.written or listed or short  # a list; for read-only vectors it is made now
            arrays[f"l{number}"] = entries = self._scratch(f"l{number}", size if there_may_be else 0, INDEX)
            if indices is not None and nvals:
                entries[:nvals] = indices
            elif short:
                entries[:nvals], listed = np.flatnonzero(flags), True
        if slot.other:
            clean = self._spare.pop(f"g{number}", None)
            arrays[f"g{number}"] = np.zeros(size, bool) if clean is None or len(clean) != size else clean
            arrays[f"m{number}"] = self._scratch(f"m{number}", size, INDEX)
        found = nvals, listed and slot.listed, 0 if store is None else store.checked, not listed
        for at, value in zip(self._of_vectors[number], found, strict=True):
            if at is not None:
                self.S[at] = value

    def _scalars(self) -> None:
        for number, (value, dtype) in enumerate(self.body.constants):
            self._give(value, dtype, "constant", number)
        for number, scalar in enumerate(self.body.variables):
            value = scalar._get()
            self.set(value is not None, "present", number)
            if value is not None:
                self._give(value, scalar.dtype.np_type, "variable", number)

    def _give(self, value: Any, dtype: np.dtype, *name: str | int) -> None:
        if dtype.kind == "f":
            if name in self.text.floats:
                self.F[self.text.floats[name]] = value
        else:
            self.set(np.array(value, dtype).astype(INDEX), *name)

    def _matrices(self) -> None:
        self._sides = []
        for number, store in enumerate(self.body.matrices):
            self._side(number, False, store)
            self.set(store.nrows, "nrows", number)
            self.set(store.nvals // max(1, store.nrows) + 1, "per_row", number)
            if ("longest", number) in self._words:
                self.set(store.max_degree + 1, "longest", number)
        for at, product in self.facts.products.items():
            store = self.body.matrices[product.matrix]
            if product.transposed and not product.by_rows:  # a push reads the columns; a pull does not need them
                self._side(product.matrix, True, store.transposed())
            elif store._transpose is not None:
                self._side(product.matrix, True, store._transpose)
            self.set(product.by_rows or f"p{product.matrix}_1" in self.arrays, "both", at)
            self.set(store.nrows if product.transposed else store.ncols, "rows", at)
            self.set(store.nvals, "nvals", at)
            if not product.by_rows:
                self.set((store.transposed() if product.transposed else store).max_degree, "max_degree", at)

    def _fill_in(self) -> None:
        """Placeholders for the arrays of transposes, which are made at their first use."""
        for number in range(len(self.body.matrices)):
            if f"p{number}_1" not in self.arrays:
                for array in "pjx":
                    self.arrays[f"{array}{number}_1"] = self.arrays[f"{array}{number}_0"]
                self.arrays[f"h{number}_1"] = self.arrays[f"j{number}_0"][:0]

    def transpose(self, number: int) -> None:
        """Make the other side of a matrix, which a pull needs."""
        self._side(number, True, self.body.matrices[number].transposed())
        self._stores = []  # the next run knows it from the beginning
        for at, product in self.facts.products.items():
            if product.matrix == number:
                self.set(1, "both", at)

    def _side(self, number: int, transposed: bool, store: MatrixStore) -> None:
        self._sides.append((number, transposed))
        self._show(number, transposed, store)

    def _show(self, number: int, transposed: bool, store: MatrixStore) -> None:
        end = f"{number}_{int(transposed)}"
        self.arrays[f"p{end}"], self.arrays[f"j{end}"] = store.indptr, store.indices
        self.arrays[f"x{end}"] = store.values if len(store.values) else np.zeros(1, store.dtype)
        if (number, transposed) in self._hubs:
            self.arrays[f"h{end}"] = hubs_of(store)

    def steps_inside(self, program: Program) -> None:
        """Set the counts of inner loops, which may be read now."""
        for node in program.flat:
            if node.op in CONTROL:
                count = node.operands[0].count
                count.step = self.get("steps", self.body.number_of(count))

    # ---- to the objects ----------------------------------------------------------------------------------------------

    def follow_swaps(self) -> None:
        """Exchange the arrays of vectors that the loop has left in their other arrays."""
        arrays, S = self.arrays, self.S
        for at, buffers in self._swapping:
            if S[at]:
                S[at] = 0
                for one, other in buffers:
                    arrays[one], arrays[other] = arrays[other], arrays[one]

    def count_pulls(self) -> None:
        """Prepare matrices that pulls often search."""
        for at, number, transposed in self._searches:
            if pulls := self.get("pulls", at):
                store = self.body.matrices[number]
                count_pulls(store.transposed() if transposed else store, pulls)

    def take(self, complete: bool) -> None:
        """Store the vectors and scalars as the loop left them; entries are counted if it stopped within a step."""
        for number, vector in enumerate(self.body.vectors):
            slot, size = self.facts.slots[number], self.sizes[number]
            if not slot.written:
                continue
            values = self.arrays[f"v{number}"]
            if slot.full:
                vector._store = VectorStore(size, values)
                continue
            flags, listed = self.arrays[f"f{number}"], bool(self.get("listed", number))
            count = self.get("count", number)
            if not complete:
                count, listed = int(np.count_nonzero(flags)), False
            entries = self.arrays[f"l{number}"] if listed else None
            vector._store = store = _store(size, flags, values, entries, count, slot.iso)
            store.checked = self.get("checked", number)
        for number, scalar in enumerate(self.body.variables):
            dtype = scalar.dtype.np_type
            at = (self.text.floats if dtype.kind == "f" else self._words).get(("variable", number))
            if not self.get("present", number):
                scalar._content = None
            elif at is not None:
                value = (self.F if dtype.kind == "f" else self.S)[at]
                scalar._content = value.astype(dtype)


def _buffers(number: int, full: bool) -> list[tuple[str, str]]:
    """The arrays of a vector, and the ones that it exchanges them with."""
    return [(f"{one}{number}", f"{other}{number}") for one, other in ((("v", "w"),) if full else c.BUFFERS)]


def _store(size: int, flags: Array, values: Array, entries: Array, count: int, iso: bool) -> VectorStore:
    """A vector as a store: a list, flags, or neither, by the rule for its fill."""
    if count == 0:
        return VectorStore.empty(size, values.dtype)
    if count == size:
        return VectorStore(size, values)
    kind = "sparse" if entries is not None and (size <= SPARSE or count * SPARSE < size) else "bitmap"
    if storage_kind(count, size, kind) == "sparse":
        where = np.flatnonzero(flags) if entries is None else entries[:count].copy()
        return VectorStore(size, values if iso else values[where], indices=where, ordered=entries is None or count < 2)
    return VectorStore(size, values, present=flags, nvals=count)
