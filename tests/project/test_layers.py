"""The import graph of the package, lazy imports included: no cycles, and layers that point one way."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "grblas_gpu"
FOLDERS = {PACKAGE: PACKAGE, "algorithms": f"{PACKAGE}.algorithms"}

#: From top to bottom; a module imports from its own layer and from those below. "" is the package itself.
LAYERS = {
    "applications": "__main__ bench cli networkx_backend run",
    "libraries": "algorithms compat core distributed generators io sampling ss torch viz",
    "package": "",
    "api": "api",
    "backends": "backends",
    "plan": "plan",
    "trace": "trace",
    "ir": "ir",
    "operators": "operators agg binary indexbinary indexunary monoid op select semiring unary",
    "foundation": "config dtypes exceptions foundation version",
}
LEVELS = {part: level for level, parts in enumerate(LAYERS.values()) for part in parts.split(" ")}


class Import(NamedTuple):
    importer: str
    line: int
    imported: str


@cache
def modules() -> dict[str, Path]:
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join((package, *(part for part in parts if part != "__init__")))] = path
    return found


@cache
def imports() -> list[Import]:
    return [
        Import(name, line, imported)
        for name, path in modules().items()
        for line, imported in imports_of(name, path)
        if imported != name
    ]


def imports_of(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """The modules of the package that this one imports, at its top or within functions, but not for types only."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in modules())
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join(filter(None, (*start, node.module)))
            for alias in node.names:
                full = f"{origin}.{alias.name}"
                if full in modules() or origin in modules():
                    yield node.lineno, full if full in modules() else origin


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        yield node
        yield from nodes(node)


def layer(module: str) -> str:
    """The first part of a module's name below the package."""
    return module.removeprefix(PACKAGE).lstrip(".").partition(".")[0]


def test_every_module_has_a_layer() -> None:
    assert {layer(module) for module in modules()} <= LEVELS.keys()


def test_layers_point_one_way() -> None:
    names = list(LAYERS)
    wrong = []
    for importer, line, imported in imports():
        above, below = LEVELS[layer(importer)], LEVELS[layer(imported)]
        if above > below:
            where = modules()[importer].relative_to(ROOT)
            wrong.append(f"{where}:{line}: {names[above]} imports {imported}, of {names[below]}, which is above it")
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_module_imports_itself_through_others() -> None:
    graph: dict[str, set[str]] = {}
    for importer, _, imported in imports():
        graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None


def test_files_from_a_line_to_a_kernel() -> None:
    """The page names at most six for a call and eight for a loop, and they are there."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    call, _, loop = page.partition("## From a line to a kernel")[2].partition("The same line in a `gb.loop`")
    rows = re.findall(r"^\| `([\w/.]+)`", call, re.MULTILINE)
    chain = re.findall(r"`([\w/]+\.\w+)`", loop.partition("(its strategies")[0])
    assert (len(rows), len(chain)) == (6, 8)
    paths = [path.as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
    assert [name for name in (*rows, *chain) if not any(path.endswith(f"/{name}") for path in paths)] == []
