"""``.. operators:: binary``: the operators of a namespace with meaning and types, from the tables they are made of."""

from collections.abc import Iterator

import grblas_gpu as gb
from grblas_gpu.operators.meanings import meaning, types_text


def names(kind: str) -> list[str]:
    """All operators of a namespace and of its part ``ss``; those of ``numpy`` have the names of NumPy."""
    module = getattr(gb, kind)
    own = sorted(module._namespace.builtin_names() - {"numpy", "ss"})
    part = vars(module).get("ss")
    return own + [f"ss.{name}" for name in sorted(part._namespace.builtin_names())] if part is not None else own


def find(kind: str, name: str):
    found = getattr(gb, kind)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def rows_of(kind: str) -> Iterator[list[str]]:
    """The cells of a table, its head first."""
    if kind == "semiring":
        yield ["add", "multiply: semiring.add_multiply"]
        families: dict[str, list[str]] = {}
        for name in names(kind):
            if not name.startswith("ss."):  # by another name
                families.setdefault(find(kind, name).monoid.name, []).append(name.partition("_")[2])
        for monoid in sorted(families):
            yield [monoid, " ".join(families[monoid])]
        return
    if kind == "monoid":
        yield ["name", "meaning", "identity", "types"]
        for name in names(kind):
            op = find(kind, name)
            typed = op[next(iter(op.types))]
            yield [name, meaning(op), f"{typed.identity} of {typed.type}", types_text(op)]
        return
    yield ["name", "meaning", "types"]
    for name in names(kind):
        op = find(kind, name)
        yield [name, meaning(op), types_text(op)]


def directive() -> type:
    """A function, because tests read the tables without docutils."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Operators(Directive):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            head, *body = rows_of(self.arguments[0])
            group = nodes.tgroup(cols=len(head))
            group += [nodes.colspec(colwidth=1) for _ in head]
            for part, lines in ((nodes.thead(), [head]), (nodes.tbody(), body)):
                for line in lines:
                    row = nodes.row()
                    for number, cell in enumerate(line):
                        code = number == 0 or (self.arguments[0] == "semiring" and number == 1)
                        text = nodes.literal(text=cell) if code and part.tagname == "tbody" else nodes.Text(cell)
                        row += nodes.entry("", nodes.paragraph("", "", text))
                    part += row
                group += part
            return [nodes.table("", group, classes=["operators"])]

    return Operators


def setup(app) -> dict[str, bool]:
    app.add_directive("operators", directive())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
