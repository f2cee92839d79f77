"""What a matrix-vector kernel must know of its product: how values are read, multiplied and added."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....foundation.types import Kernels, TypedMonoid, TypedSemiring, Value
from ...programs.reading import EACH, UNUSED, Reading, Values
from ...stores.storage import Array, MatrixStore, VectorStore
from ..runtime.compile import binary, compiled, constant, functions, product, using, value

if TYPE_CHECKING:  # programs are rendered without CuPy
    from ..runtime.counters import Slots
    from ..runtime.workspace import Scratch
    from .masks import VectorMask

#: Operators that the processor can apply atomically, by their source; the numbers are those of kernels/atomics.cuh.
NATIVE_ADD, NATIVE_MIN = 1, 2
_NATIVE = {
    "x + y": NATIVE_ADD,
    "x if x < y else y": NATIVE_MIN,
    "smaller(x, y)": NATIVE_MIN,
    "x if x > y else y": 3,
    "x & y": 4,
    "x | y": 5,
    "x ^ y": 6,
}


def read_type(mode: int, values: Values) -> np.dtype:
    """The type of values for a kernel; that of values that it does not read does not matter."""
    return np.dtype(bool) if mode == UNUSED else values.dtype


_numbers: dict[Hashable, int] = {}


class Product(Reading):
    """One kind of product ``m u`` or ``u m``: flags and types, as pieces of a program and the key of its compiled form.

    There is one object for each kind (:func:`product_of`), so that finding its kernels takes no time.
    """

    __slots__ = ("initial", "key", "one_value", "over_bus")

    def __init__(
        self,
        semiring: TypedSemiring,
        first: Values,
        second: Values,
        flip: bool,
        early_exit: bool,
        in_loop: bool = False,
    ) -> None:
        super().__init__(semiring, first, second, flip, early_exit)
        monoid = semiring.monoid
        self.one_value = False
        self.over_bus = False  # in a loop: whether the columns of its matrix lie on the host
        self.initial: Value | None = None if self.exit_at_first else initial_value(monoid)
        if not in_loop:  # whose vectors have their types
            self.first_type, self.second_type = read_type(self.first, first), read_type(self.second, second)
        types = self.first_type.char, self.first, self.second_type.char, self.second
        kind = (semiring.key, flip, *types, self.exit_at_first, self.has_terminal, early_exit)
        self.key = _numbers.setdefault(kind, len(_numbers))  # a number is looked up faster

    def asynchronous(self) -> Product:
        """Equal values of the operand do not make equal products: rows that settle have another value.

        But what settles may have ``one_value`` as its product, whatever row that is for.
        """
        self.structure = self.exit_at_first = self.has_terminal = False
        self.one_value = self.semiring.binaryop.positional is None and self.first != EACH
        self.initial = initial_value(self.semiring.monoid)
        return self

    @property
    def any_hit(self) -> bool:
        """Whether a row is done at its first entry that hits, whatever value the matrix has there."""
        return self.structure or (self.exit_at_first and self.first != EACH)

    @property
    def adds_up_whole_rows(self) -> bool:
        """Whether sums hardly end early, and no product depends on its row."""
        ends_early = self.exit_at_first or (self.has_terminal and self.dtype.kind == "b")
        return not ends_early and self.semiring.binaryop.positional is None

    def pieces(self, m: MatrixStore, repeated: bool = False, marked: bool = False) -> list[str]:
        """For ``kernels/mxv.cuh``, with the index types of this matrix.

        If it is ``repeated``, the kernel is given the arrays of one copy; ``marked``: it may have the vector's flags in
        its values.
        """
        return [
            using("MatrixValue", self.first_type),
            using("VectorValue", self.second_type),
            using("Column", (m.once if repeated else m).indices.dtype),
            using("Offset", m.indptr.dtype),
            constant("MATRIX", self.first),
            constant("VECTOR", self.second),
            constant("FLIP", self.flip),
            constant("REPEATED", repeated),
            constant("OPERAND_MARKED", marked),
            *sum_pieces(self, self.initial),
        ]


def sum_pieces(done: Reading, initial: Value | None) -> list[str]:
    """For ``kernels/products.cuh``; ``initial`` is what sums hold before their first product."""
    op, monoid = done.semiring.binaryop, done.semiring.monoid
    return [
        using("Left", op.type.np_type),
        using("Right", op.type2.np_type),
        using("Value", done.dtype),
        constant("STRUCTURE", done.structure),
        constant("EXIT_AT_FIRST", done.exit_at_first),
        constant("HAS_TERMINAL", done.has_terminal),
        constant("EARLY_EXIT", done.early_exit),
        constant("NATIVE", native_atomic(monoid, done.dtype)),
        product("multiply", op),
        binary("add", monoid.binaryop),
        value("terminal", 0 if monoid.terminal is None else monoid.terminal, done.dtype),
        value("initial", 0 if initial is None else initial, done.dtype),
    ]


_products: dict[Hashable, Product] = {}


def product_of(a: MatrixStore, u: VectorStore, semiring: TypedSemiring, flip: bool, early_exit: bool) -> Product:
    """The product of these operands."""
    values = u.stored_values
    key = (semiring.key, a.values.dtype.char, len(a.values) == 1, values.dtype.char, len(values) == 1, flip, early_exit)
    found = _products.get(key)
    if found is None:
        found = _products[key] = Product(
            semiring, Values(a.dtype, a.iso), Values(values.dtype, u.iso), flip, early_exit
        )
    return found


def index_types(m: MatrixStore) -> dict[str, np.dtype]:
    """The types of a matrix's arrays."""
    return {"Column": m.indices.dtype, "Offset": m.indptr.dtype}


class Job(NamedTuple):
    """A product to compute, with what its kernels count with."""

    product: Product
    m: MatrixStore  # by rows for a pull, by columns for a push
    u: VectorStore
    mask: VectorMask
    following: Array | None  # the offsets of the matrix that the result is likely to be multiplied with next
    slots: Slots
    scratch: Scratch

    def kernels(self, file: str, names: Sequence[str], key: Hashable, pieces: Callable[[], Sequence[str]]) -> Kernels:
        """The functions of a kernel file for this product, matrix and mask, and for ``pieces`` with this key."""
        product, m, mask = self.product, self.m, self.mask
        whole = (product.key, m.indices.dtype.char, m.indptr.dtype.char, mask.key, key)
        found = compiled.get((file, whole))
        if found is not None:
            return found
        return functions(file, whole, names, lambda: [*product.pieces(m), *mask.pieces(), *pieces()])


def native_atomic(monoid: TypedMonoid, dtype: np.dtype) -> int:
    """The processor's own atomic for this monoid, or 0."""
    number = _NATIVE.get(monoid.binaryop.source, 0)
    if dtype.itemsize < 4 or (dtype.kind == "f" and number > NATIVE_MIN):
        return 0
    return number


_initials: dict[str, Value] = {}


def initial_value(monoid: TypedMonoid) -> Value | None:
    """What a sum holds before its first product, or None if nothing will do.

    The identity of a float monoid need not be neutral to the last bit: 0.0 turns -0.0 into 0.0, and infinity hides a
    NaN from `min`. NaN and -0.0 are better where they are neutral.
    """
    if monoid.binaryop.source is None or monoid.return_type.np_type.kind != "f":
        return monoid.identity
    found = _initials.get(monoid.key)
    if found is None:
        dtype = monoid.return_type.np_type
        probes = np.array([np.nan, -np.inf, np.inf, -1.0, 1.0, -0.0, 0.0], dtype)
        found = monoid.identity
        for candidate in (np.nan, -0.0):
            sums = np.asarray(monoid.binaryop.numpy(np.full(len(probes), candidate, dtype), probes), dtype)
            if np.array_equal(sums, probes, equal_nan=True) and (np.signbit(sums) == np.signbit(probes))[1:].all():
                found = candidate
                break
        _initials[monoid.key] = found
    return found
