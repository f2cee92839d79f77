"""Semiring: a Monoid that adds what a BinaryOp multiplies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..dtypes import BOOL, INT64, DataType
from ..foundation.types import DTypeKey, Function, OperatorLike
from . import registry
from .base import OpBase, TypedOpBase, caller
from .binary import BinaryOp, ParameterizedBinaryOp, TypedBuiltinBinaryOp
from .call_types import SemiringCall
from .indexbinary import BoundIndexBinaryOp, OneTypeBinaryOp
from .monoid import Monoid, ParameterizedMonoid, TypedBuiltinMonoid
from .opclass import find_opclass
from .parameterized import InNamespace, ParameterizedUdf
from .strings import binary_from_string, monoid_from_string
from .typing_rules import Signature


class TypedBuiltinSemiring(TypedOpBase):
    """A Semiring for one type; ``monoid`` and ``binaryop`` are typed too.

    >>> from grblas_gpu import semiring
    >>> semiring.min_plus["INT64"].monoid, semiring.min_plus["INT64"].binaryop
    (monoid.min[INT64], binary.plus[INT64])
    """

    __slots__ = ("binaryop", "monoid")
    parent: Semiring
    opclass = "Semiring"
    _modname = "semiring"
    __call__: SemiringCall = caller("semiring_call")

    def __init__(self, parent: Semiring, monoid: TypedBuiltinMonoid, binaryop: TypedBuiltinBinaryOp) -> None:
        super().__init__(parent, binaryop.type, monoid.return_type, binaryop.type2)
        self.monoid = monoid
        self.binaryop = binaryop
        self.positional = binaryop.positional
        self.offset = binaryop.offset
        self.cacheable = monoid.cacheable and binaryop.cacheable
        self.key = f"{monoid.key}.{binaryop.key}"

    def _make_numpy(self) -> Function | None:
        return self.binaryop.numpy

    def _make_source(self) -> str | None:
        return self.binaryop.source

    @property
    def commutes_to(self) -> TypedBuiltinSemiring | None:
        return _commutes_to(self)

    @property
    def is_commutative(self) -> bool:
        return self.binaryop.is_commutative


Either = TypeVar("Either", TypedBuiltinSemiring, "Semiring")


class TypedUserSemiring(TypedBuiltinSemiring):
    """A user-defined Semiring for one type."""

    __slots__ = ()


def _commutes_to(semiring: Either) -> Either | None:
    """The semiring that gives the transposed result for exchanged and transposed operands, or None."""
    binaryop = semiring.binaryop
    other = binaryop._semiring_commutes_to or binaryop.commutes_to
    if other is None:
        return None
    if other is binaryop:
        return semiring
    return get_semiring(semiring.monoid, other)


class Semiring(InNamespace, OpBase):
    """A monoid and a binary operator.

    >>> from grblas_gpu import semiring
    >>> semiring.plus_times.monoid, semiring.plus_times.binaryop
    (monoid.plus, binary.times)
    """

    __slots__ = ("_binaryop", "_monoid")
    _modname = "semiring"
    _typed_class = TypedBuiltinSemiring
    _typed_user_class = TypedUserSemiring
    _for_truth_values = "for truth values there are lor_land and any_pair, and plus_pair counts"
    __call__: SemiringCall = caller("semiring_call")

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedBuiltinSemiring: ...

    def __init__(
        self, name: str, monoid: Monoid | None = None, binaryop: BinaryOp | None = None, *, anonymous: bool = False
    ) -> None:
        super().__init__(name, anonymous=anonymous)
        self._monoid = monoid
        self._binaryop = binaryop
        self._is_udt = binaryop is not None and binaryop._is_udt

    @property
    def monoid(self) -> Monoid:
        """The Monoid of this semiring."""
        if self._monoid is None:
            self._monoid = registry.builtin("monoid", self._row.monoid)
        return self._monoid

    @property
    def binaryop(self) -> BinaryOp:
        """The BinaryOp of this semiring."""
        if self._binaryop is None:
            self._binaryop = registry.builtin("binary", self._row.binaryop)
        return self._binaryop

    @property
    def is_positional(self) -> bool:
        return self.binaryop.is_positional

    @property
    def commutes_to(self) -> Semiring | None:
        return _commutes_to(self)

    @property
    def is_commutative(self) -> bool:
        return self.binaryop.is_commutative

    def _signature(self) -> Signature:
        given: Signature | None = None if self._row is None else self._row.signature
        if given is not None:
            results = {used: self._result(used) for used, _ in given.values()}
            return self._with_bool({t: (used, results[used]) for t, (used, _) in given.items()})
        if self._is_udt:
            return {}
        signature = {}
        for dtype in self.binaryop.types:
            if self._fits(dtype):
                signature[dtype] = (self.binaryop[dtype].type, self._result(dtype))
        return signature

    @property
    def coercions(self) -> dict[DataType, DataType]:
        return {} if self._row is None else super().coercions

    def _result(self, dtype: DataType) -> DataType:
        return self.monoid[self.binaryop[dtype].return_type].return_type

    def _fits(self, dtype: DataType) -> bool:
        """Whether the monoid takes what the operator returns, without a cast that would change the result."""
        product = self.binaryop[dtype].return_type
        monoid = self.monoid
        return product in monoid.types and monoid.coercions.get(product, product) is product

    def _make(self, dtype: DataType) -> TypedOpBase:
        row = self._row
        if dtype._is_udt and not self.is_positional:
            found = self._beside_a_record(dtype, dtype)
            if found is None:
                raise KeyError(f"{self.name} does not work with {dtype}")
            return found
        if dtype is BOOL and (instead := self._for_bool()) is not None:
            return instead
        if row is not None and row.signature is not None:
            used = row.signature.get(dtype, (None, None))[0]
            if used is None:
                raise KeyError(f"{self.name} does not work with {dtype}{self._why(dtype, dtype)}")
            if used is not dtype:
                return self[used]
        elif dtype not in self.binaryop or not self._fits(dtype):
            raise KeyError(f"{self.name} does not work with {dtype}")
        binaryop = self.binaryop[dtype]
        if row is not None and binaryop.type is not dtype:
            return self[binaryop.type]
        typed_class = TypedUserSemiring if row is None else TypedBuiltinSemiring
        return typed_class(self, self.monoid[binaryop.return_type], binaryop)

    def _compile_udt(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        dtype2 = dtype if dtype2 is None else dtype2
        if (dtype, dtype2) not in self._cache:
            binaryop = self.binaryop._compile_udt(dtype, dtype2)
            self._cache[dtype, dtype2] = TypedUserSemiring(self, self.monoid[binaryop.return_type], binaryop)
        return self._cache[dtype, dtype2]

    def _beside_a_record(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        binaryop = self.binaryop._for_types(dtype, dtype2)
        if binaryop.return_type not in self.monoid:
            return None
        return TypedBuiltinSemiring(self, self.monoid[binaryop.return_type], binaryop)

    def _for_two(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        is_record = dtype._is_udt or dtype2._is_udt
        return self[INT64] if self.binaryop._ignores_operands() and not is_record else None

    @classmethod
    def _of_parts(
        cls, name: str | None, monoid: object, binaryop: object, *, anonymous: bool = False
    ) -> ParameterizedSemiring | Semiring:
        if isinstance(monoid, str):
            monoid = monoid_from_string(monoid)
        if isinstance(binaryop, str):
            binaryop = binary_from_string(binaryop)
        if type(monoid) is ParameterizedMonoid or type(binaryop) is ParameterizedBinaryOp:
            return ParameterizedSemiring(name, monoid, binaryop, anonymous=anonymous)
        if type(monoid) is not Monoid:
            raise TypeError(f"monoid must be a Monoid, not {type(monoid)}")
        if isinstance(binaryop, BoundIndexBinaryOp):
            if binaryop.return_type not in monoid:
                raise TypeError(f"{monoid!r} does not take {binaryop.return_type}, which {binaryop!r} returns")
            binaryop = OneTypeBinaryOp(binaryop)
        if not isinstance(binaryop, BinaryOp):
            raise TypeError(
                f"binaryop must be a BinaryOp, or a bound IndexBinaryOp, ibo[dtype](theta), not {type(binaryop)}"
            )
        return cls(name or f"{monoid.name}_{binaryop.name}".replace(".", "_"), monoid, binaryop, anonymous=anonymous)

    @classmethod
    def register_anonymous(cls, monoid: OperatorLike, binaryop: OperatorLike, name: str | None = None) -> Any:
        """Make a Semiring without adding it to the namespace.

        Parameters
        ----------
        monoid : Monoid
            What adds.
        binaryop : BinaryOp
            What multiplies.
        name : str, optional
            The name to show; by default that of its parts.
        """
        return cls._of_parts(name, monoid, binaryop, anonymous=True)

    @classmethod
    def register_new(cls, name: str, monoid: OperatorLike, binaryop: OperatorLike, *, lazy: bool = False) -> Any:
        """Make a Semiring and add it to the namespace.

        Parameters
        ----------
        name : str
            Where to find it from then on; dots nest it: ``semiring.mine.gap``.
        monoid : Monoid
            What adds.
        binaryop : BinaryOp
            What multiplies.
        lazy : bool
            Whether to make nothing until it is looked up.
        """
        return cls._register(name, lambda: cls._of_parts(name, monoid, binaryop), lazy)

    def _recipe(self) -> tuple[object, ...]:
        return self._monoid, self._binaryop, self.name

    def _options(self) -> dict[str, object]:
        return {}


class ParameterizedSemiring(ParameterizedUdf):
    """Makes Semirings from parameters."""

    __slots__ = ("__signature__", "binaryop", "monoid")
    _modname = "semiring"

    def __init__(self, name: str | None, monoid: Any, binaryop: Any, *, anonymous: bool = False) -> None:
        if type(monoid) not in {ParameterizedMonoid, Monoid}:
            raise TypeError("monoid must be of type Monoid or ParameterizedMonoid")
        if type(binaryop) not in {ParameterizedBinaryOp, BinaryOp}:
            raise TypeError("binaryop must be of type BinaryOp or ParameterizedBinaryOp")
        parameterized = [op for op in (binaryop, monoid) if isinstance(op, ParameterizedUdf)]
        if not parameterized:
            raise TypeError("At least one of monoid or binaryop must be parameterized")
        self.__signature__ = parameterized[0].__signature__
        if any(op.__signature__ != self.__signature__ for op in parameterized):
            raise ValueError(
                f"Signatures of monoid and binaryop passed to {type(self).__name__} must be the same.  "
                f"Got: monoid{monoid.__signature__} and binaryop{binaryop.__signature__}.  "
                "Perhaps call monoid or binaryop with parameters before creating the semiring."
            )
        self.monoid = monoid
        self.binaryop = binaryop
        super().__init__(name or f"{monoid.name}_{binaryop.name}", anonymous)

    def _call(self, *args: object, **kwargs: object) -> Semiring:
        monoid = self.monoid(*args, **kwargs) if type(self.monoid) is ParameterizedMonoid else self.monoid
        binaryop = self.binaryop(*args, **kwargs) if type(self.binaryop) is ParameterizedBinaryOp else self.binaryop
        op = Semiring.register_anonymous(monoid, binaryop, self.name)
        op._parameterized_info = (self, args, kwargs)
        return op

    def _recipe(self) -> tuple[object, ...]:
        return self.monoid, self.binaryop


def semiring_name(monoid: Monoid, binaryop: BinaryOp) -> str:
    """The name under which a semiring is registered: parts of a namespace stay in it."""
    *monoid_path, monoid_name = monoid.name.rsplit(".", 1)
    *binary_path, binary_name = binaryop.name.rsplit(".", 1)
    paths = {*monoid_path, *binary_path}
    if len(paths) == 1 and (monoid_path == binary_path or paths <= set(registry.PARTS)):
        return f"{paths.pop()}.{monoid_name}_{binary_name}"
    return f"{monoid.name}_{binaryop.name}".replace(".", "_")


def get_semiring(monoid: Any, binaryop: Any, name: str | None = None) -> Any:
    """Get or create the semiring of a monoid and a binary operator; typed if either is.

    >>> from grblas_gpu import binary, monoid
    >>> get_semiring(monoid.min, binary.plus)
    semiring.min_plus
    """
    monoid, opclass = find_opclass(monoid)
    switched = False
    if opclass == "BinaryOp" and monoid.monoid is not None:
        switched = True
        monoid = monoid.monoid
    elif opclass != "Monoid":
        raise TypeError(f"Expected a Monoid for the monoid argument.  Got type: {type(monoid)}")
    binaryop, opclass = find_opclass(binaryop)
    if opclass == "Monoid":
        if switched:
            raise TypeError(
                "Got a BinaryOp for the monoid argument and a Monoid for the binaryop argument.  "
                "Are the arguments switched?  Hint: `mymonoid.binaryop` is the binaryop of a monoid."
            )
        binaryop = binaryop.binaryop
    elif opclass != "BinaryOp":
        raise TypeError(f"Expected a BinaryOp for the binaryop argument.  Got type: {type(binaryop)}")
    types = [op.type for op in (binaryop, monoid) if isinstance(op, TypedOpBase)]
    monoid = monoid.parent if isinstance(monoid, TypedOpBase) else monoid
    if isinstance(binaryop, TypedOpBase) and not binaryop.indexed:
        binaryop = binaryop.parent
    semiring = _untyped_semiring(monoid, binaryop, name)
    return semiring[types[0]] if types else semiring


def _untyped_semiring(monoid: Monoid, binaryop: BinaryOp, name: str | None) -> Semiring:
    if monoid._anonymous or isinstance(binaryop, BoundIndexBinaryOp) or binaryop._anonymous:
        return Semiring.register_anonymous(monoid, binaryop, name=name)
    canonical = semiring_name(monoid, binaryop)
    semiring = registry.find("semiring", canonical)
    if semiring is None and name is not None:
        semiring = registry.find("semiring", name)
    if semiring is None:
        semiring = Semiring.register_new(canonical, monoid, binaryop)
    elif semiring.monoid is not monoid or semiring.binaryop is not binaryop:
        semiring = Semiring.register_anonymous(monoid, binaryop, name=name)
    if name is not None and registry.find("semiring", name) is None:
        registry.install("semiring", name, semiring)
    return semiring
