"""Formulas as MathML, made by the build: browsers draw it without scripts or a network."""

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def inline(self, node) -> None:
    self.body.append(convert(node.astext()))
    raise SkipNode  # the children of the node are the source of the formula


def block(self, node) -> None:
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
