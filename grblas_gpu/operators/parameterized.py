"""Operators made from Python functions: by registering one, or from parameters each time they are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

from ..dtypes import lookup_dtype
from ..foundation.types import DTypeLike, Operator, Udf
from . import registry
from .documented import Documented


def _deserialize_parameterized(op: ParameterizedUdf, args: tuple[object, ...], kwargs: dict[str, object]) -> Operator:
    """Unpickle an operator that was made from parameters."""
    return op(*args, **kwargs)


def with_options(function: Udf, options: dict[str, object]) -> Udf:
    """The function for a pickle; python-graphblas's readers expect it as it is where there are no options."""
    return partial(function, **options) if options else function


if TYPE_CHECKING:
    import inspect


class ParameterizedUdf(Documented):
    """Makes operators from parameters: ``op(*args, **kwargs)`` is an operator."""

    __slots__ = ("__weakref__", "_anonymous", "_cached_call", "name")
    is_positional = False
    _modname: ClassVar[str] = ""
    __signature__: inspect.Signature

    if TYPE_CHECKING:

        def _call(self, *args: object, **kwargs: object) -> Operator: ...
        def _recipe(self) -> tuple[object, ...]: ...

    def __init__(self, name: str, anonymous: bool) -> None:
        self.name = name
        self._anonymous = anonymous
        self._cached_call = lru_cache(maxsize=1024)(self._call)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._cached_call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{self._modname}.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        if not self._anonymous and registry.is_standard(self):
            return registry.find, (self._modname, self.name)
        return with_options(type(self)._deserialize, self._options()), (self.name, *self._recipe(), self._anonymous)

    def _options(self) -> dict[str, object]:
        return {}

    @classmethod
    def _deserialize(cls: Any, name: str, *recipe_and_anonymous: object, **options: object) -> Operator:
        """As python-graphblas calls it, so that its pickles are read."""
        *recipe, anonymous = recipe_and_anonymous
        found = None if anonymous else registry.find(cls._modname, name)
        if found is not None:
            return found
        op = cls(name, *recipe, anonymous=anonymous, **options)
        if not anonymous:
            registry.install(cls._modname, name, op)
        return op


class ParameterizedFunction(ParameterizedUdf):
    """Parameterized by a Python function that returns the function to compile."""

    __slots__ = ("__signature__", "_is_udt", "func")
    _op_class: ClassVar[Any]

    def __init_subclass__(cls, of: type[Registered]) -> None:
        """``of`` is the class of the operators that it makes."""
        super().__init_subclass__()
        cls._op_class, cls._modname = of, of._modname
        of._parameterized_class = cls

    def __init__(self, name: str | None, func: Udf, *, anonymous: bool = False, is_udt: bool = False) -> None:
        import inspect

        self.func = func
        self.__signature__ = inspect.signature(func)
        self._is_udt = is_udt
        super().__init__(name or str(getattr(func, "__name__", f"<anonymous_{self._modname}>")), anonymous)

    def _call(self, *args: object, **kwargs: object) -> Operator:
        op = self._op_class.register_anonymous(self.func(*args, **kwargs), self.name, is_udt=self._is_udt)
        op._parameterized_info = (self, args, kwargs)
        return op

    def _recipe(self) -> tuple[object, ...]:
        return (self.func,)

    def _options(self) -> dict[str, object]:
        return {"is_udt": True} if self._is_udt else {}


class InNamespace:
    """An operator that a namespace holds."""

    _modname: ClassVar[str]
    _in_op: ClassVar[bool] = True

    @classmethod
    def _register(cls, name: str, make: Callable[[], Operator], lazy: bool) -> Operator | None:
        """Make an operator, now or when it is looked up, and add it to the namespace."""
        registry.check_free(cls._modname, name)
        if lazy:
            registry.install_lazy(cls._modname, name, lambda: cls._register(name, make, False), cls._in_op)
            return None
        op = make()
        registry.install(cls._modname, name, op, cls._in_op)
        return op


class Registered(InNamespace):
    """``register_new`` and ``register_anonymous`` for operators that are one Python function."""

    _parameterized_class: ClassVar[type[ParameterizedFunction]]
    _build: ClassVar[Any]

    @classmethod
    def register_anonymous(
        cls,
        func: Udf,
        name: str | None = None,
        *,
        parameterized: bool = False,
        is_udt: bool = False,
        ret_dtype: DTypeLike | None = None,
    ) -> Any:
        """Make an operator from a Python function without adding it to a namespace.

        Parameters
        ----------
        func : function
            A function of values, compiled by Numba; see the page on user-defined operators.
        name : str, optional
            The name to show; by default the function's.
        parameterized : bool
            Whether ``func`` takes parameters and returns the function to compile.
        is_udt : bool
            Whether to compile for the exact types of the operands when it is used, user-defined types among them.
        ret_dtype : dtype, optional
            With ``is_udt``, the type of the result; by default what the function returns for its operands.

        Raises
        ------
        UdfParseError
            Numba compiles the function for none of the types.
        """
        make = cls._parameterized_class if parameterized else cls._build
        return make(name, func, anonymous=True, is_udt=is_udt, **_returns(ret_dtype, parameterized, is_udt))

    @classmethod
    def register_new(
        cls,
        name: str,
        func: Udf,
        *,
        parameterized: bool = False,
        is_udt: bool = False,
        lazy: bool = False,
        ret_dtype: DTypeLike | None = None,
    ) -> Any:
        """Make an operator from a Python function and add it to the namespace.

        Parameters
        ----------
        name : str
            Where to find it from then on; dots nest it: ``binary.mine.gap``.
        func : function
            A function of values, compiled by Numba; see the page on user-defined operators.
        parameterized : bool
            Whether ``func`` takes parameters and returns the function to compile.
        is_udt : bool
            Whether to compile for the exact types of the operands when it is used, user-defined types among them.
        ret_dtype : dtype, optional
            With ``is_udt``, the type of the result; by default what the function returns for its operands.
        lazy : bool
            Whether to compile nothing until the operator is looked up.

        Raises
        ------
        AttributeError
            The name is taken.
        UdfParseError
            Numba compiles the function for none of the types.
        """
        make = cls._parameterized_class if parameterized else cls._build
        returns = _returns(ret_dtype, parameterized, is_udt)
        return cls._register(name, lambda: make(name, func, is_udt=is_udt, **returns), lazy)


def _returns(ret_dtype: DTypeLike | None, parameterized: bool, is_udt: bool) -> dict[str, Any]:
    """The keyword for the type of results, if it is given."""
    if ret_dtype is None:
        return {}
    if parameterized:
        raise ValueError("ret_dtype does not work with parameterized=True: register the function that is made with it")
    if not is_udt:
        raise ValueError("ret_dtype requires is_udt=True: other operators return a type for each type of operands")
    try:
        return {"ret_dtype": lookup_dtype(ret_dtype)}
    except (TypeError, ValueError):
        raise ValueError(f"ret_dtype={ret_dtype!r} is not a recognized dtype") from None
