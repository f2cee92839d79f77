"""Every public name has a docstring, an example that runs (as a doctest) and types."""

import inspect

import grblas_gpu as gb
from grblas_gpu import algorithms, distributed, generators
from grblas_gpu.api import operations


def public_names():
    """Public names and what they stand for: a module, a class, a function or an object.

    A property stands for its getter. Plain numbers and text have no docstring of their own and are left out.
    """
    names = {name: getattr(gb, name) for name in gb.__all__}
    names = {name: value for name, value in names.items() if not isinstance(value, (int, str))}
    for cls in (gb.Vector, gb.Matrix, gb.Scalar, gb.Graph):
        for name, member in inspect.getmembers_static(cls):
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(function) and not name.startswith("_"):
                names[f"{cls.__name__}.{name}"] = function
    for module in (operations, generators):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__.startswith(module.__name__) and not name.startswith("_"):
                names[f"{module.__name__}.{name}"] = value
    for kind in (gb.UnaryOp, gb.BinaryOp, gb.IndexUnaryOp, gb.SelectOp, gb.Monoid, gb.Semiring):
        names |= {f"{kind.__name__}.{name}": getattr(kind, name) for name in ("register_new", "register_anonymous")}
    settings = type(gb.config)
    names |= {f"Config.{name}": getattr(settings, name) for name in ("get", "set", "update", "refresh", "to_dict")}
    names |= {f"{algorithms.__name__}.{name}": getattr(algorithms, name) for name in algorithms.__all__}
    names |= {f"{gb.io.__name__}.{name}": getattr(gb.io, name) for name in gb.io.__all__}
    names |= {f"{distributed.__name__}.{name}": getattr(distributed, name) for name in distributed.__all__}
    return names


def unannotated(value) -> list[str]:
    """The parameters of a function or class that lack a type, and ``return`` for a function that lacks one."""
    if not (inspect.isfunction(value) or inspect.isclass(value)):
        return []
    if inspect.isclass(value) and issubclass(value, BaseException) and "__init__" not in vars(value):
        return []  # exceptions take anything
    signature = inspect.signature(value)
    missing = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
    ]
    if inspect.isfunction(value) and signature.return_annotation is signature.empty:
        missing.append("return")
    return missing


NAMES = public_names()


def test_docstrings():
    without = [name for name, value in NAMES.items() if not inspect.getdoc(value)]
    assert not without, f"without a docstring: {', '.join(without)}"


def test_examples():
    of_a_class = ("Config.", ".register_")  # whose own example has them, and the pages
    some = {name: value for name, value in NAMES.items() if not any(part in name for part in of_a_class)}
    without = [name for name, value in some.items() if ">>>" not in (inspect.getdoc(value) or "")]
    assert not without, f"without an example: {', '.join(without)}"


def test_examples_fit_the_page():
    """Without scrolling, in a window of 1400 pixels."""
    wide = [
        f"{name}: {line}"
        for name, value in NAMES.items()
        for line in (inspect.getdoc(value) or "").splitlines()
        if line.startswith((">>> ", "... ")) and len(line) > 100
    ]
    assert not wide, "\n".join(wide)


def test_types():
    without = [f"{name}({', '.join(missing)})" for name, value in NAMES.items() if (missing := unannotated(value))]
    assert not without, f"without types: {', '.join(without)}"


def undescribed(value) -> list[str]:
    """The parameters of a function that its docstring has no line for."""
    function = inspect.unwrap(value)
    if not inspect.isfunction(function):
        return []
    lines = (inspect.getdoc(function) or "").splitlines()
    heads = [line.partition(" : ")[0] for line in lines if not line.startswith(" ")]
    described = {name.lstrip("*") for head in heads for name in head.split(", ")}
    parameters = inspect.signature(function).parameters
    given = [name for name in parameters if name not in ("self", "cls")]
    if given and parameters[given[-1]].annotation == "Unpack[Writing]":
        given[-1:] = operations.Writing.__annotations__
    return [name for name in given if name not in described]


def test_parameters():
    """Those of ``Graph.read_edgelist`` are those of ``io.read_edgelist``; operators of a class have none."""
    without = {name: missing for name, value in NAMES.items() if (missing := undescribed(value))}
    assert not without, "\n".join(f"{name}: {', '.join(missing)}" for name, missing in without.items())
