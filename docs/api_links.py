"""Inline code that names something public becomes a link to its page of the reference.

``name_of`` decides what a piece of inline code names; tests/project/test_pages.py uses it to find dead names. The build
fails when a public name has no entry in the reference.
"""

import inspect
import re
from functools import cache

import grblas_gpu as gb
from grblas_gpu import algorithms, distributed, exceptions, generators, io, operations, sampling, torch, viz
from grblas_gpu.api.explain import Explanation
from grblas_gpu.api.loop import Loop
from grblas_gpu.trace.records import Record, Trace

PACKAGE = "grblas_gpu"
CLASSES = (gb.Matrix, gb.Vector, gb.Scalar, gb.Graph, gb.Descriptor, gb.Recorder, distributed.DistMatrix)
INTERNAL = (Trace, Record, Loop, Explanation)  # public by what returns them
MODULES = (algorithms, distributed, exceptions, generators, io, operations, sampling, torch, viz)
NAMESPACES = {module.__name__.rpartition(".")[2] for module in MODULES} | {owner.__name__ for owner in CLASSES}
#: What the pages call objects in their examples.
VARIABLES = {"A": gb.Matrix, "B": gb.Matrix, "C": gb.Matrix, "L": gb.Matrix, "matrix": gb.Matrix, "obj": gb.Matrix}
VARIABLES |= {"u": gb.Vector, "v": gb.Vector, "w": gb.Vector, "graph": gb.Graph, "t": Trace, "loop": Loop}
#: Types have one sentence in common, not an entry each.
SIMPLE = {"MAX_SIZE", "BOOL", "FP32", "FP64"} | {name for name in gb.__all__ if name.startswith(("INT", "UINT"))}
#: On these pages a name without a dot is a command or a function of NetworkX.
OTHER_NAMES = {"command-line", "networkx"}
CALL = re.compile(r"(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?", re.DOTALL)


def members(owner: type) -> list[str]:
    """Methods and properties; attributes without a description of their own are left out."""
    found = []
    for name, member in inspect.getmembers_static(owner):
        described = callable(member) or isinstance(member, (property, classmethod, staticmethod))
        if described and not name.startswith("_"):
            found.append(name)
    return found


@cache
def entries() -> dict[str, str]:
    """The full names of what the reference describes, by how pages write them."""
    found = {name: f"{PACKAGE}.{name}" for name in gb.__all__ if name not in SIMPLE}
    for module in MODULES:
        short = module.__name__.rpartition(".")[2]
        own = [n for n, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        for name in getattr(module, "__all__", None) or [
            n for n in own if inspect.isfunction(vars(module)[n]) and n[0] != "_"
        ]:
            found[f"{short}.{name}"] = f"{PACKAGE}.{short}.{name}"
    found |= {"io.Graph": f"{PACKAGE}.Graph"}
    for owner in INTERNAL:
        found[owner.__name__] = f"{owner.__module__}.{owner.__qualname__}"
    found |= {name: found[f"distributed.{name}"] for name in ("DistMatrix", "DistVector")}
    for owner in CLASSES:
        found |= {f"{owner.__name__}.{name}": f"{found[owner.__name__]}.{name}" for name in members(owner)}
    for name in algorithms.__all__:
        found.setdefault(name, f"{algorithms.__name__}.{name}")
    for name in exceptions.__all__:
        found.setdefault(name, f"{exceptions.__name__}.{name}")
    return found


def name_of(code: str, page: str = "") -> str | None:
    """The full name of what a piece of inline code names; "" if it should name something public and does not.

    None if it is no name of this library: an expression, an argument, a file.
    """
    match = CALL.fullmatch(code)
    if match is None or code.endswith((".py", ".md", ".json")):
        return None
    parts = match["name"].split(".")
    public = parts[0] in ("gb", PACKAGE) and len(parts) > 1
    if public:
        parts = parts[1:]
    if len(parts) == 1 and not public and page in OTHER_NAMES:
        return None
    if len(parts) > 1 and parts[0] in VARIABLES:
        return entries().get(f"{VARIABLES[parts[0]].__name__}.{parts[1]}")
    if len(parts) > 1 and parts[0] in NAMESPACES:
        return entries().get(".".join(parts[:2]), "")
    return entries().get(parts[0], "" if public and parts[0] not in SIMPLE else None)


def setup(app) -> dict[str, bool]:
    from docutils import nodes
    from sphinx import addnodes
    from sphinx.transforms import SphinxTransform
    from sphinx.util import logging

    class Links(SphinxTransform):
        default_priority = 500

        def apply(self, **kwargs) -> None:
            linked = (nodes.reference, addnodes.pending_xref, nodes.title)
            for node in list(self.document.findall(nodes.literal)):
                within = node.parent
                while within is not None and not isinstance(within, linked):
                    within = within.parent
                target = None if within is not None else name_of(node.astext(), self.env.docname)
                if target:
                    link = addnodes.pending_xref("", refdomain="py", reftype="obj", reftarget=target, api_link=True)
                    link["refdoc"] = self.env.docname
                    node.replace_self(link)
                    link += node

    def missing(app, env, node, content) -> None:
        if node.get("api_link"):
            logging.getLogger(__name__).warning("not in the reference: %s", node["reftarget"], location=node)

    def check(app, env) -> None:
        described = {name for name, *_ in env.get_domain("py").get_objects()}
        for name in sorted(set(entries().values()) - described):
            logging.getLogger(__name__).warning("public, but not in the reference: %s", name, type="reference")

    app.add_transform(Links)
    app.connect("env-check-consistency", check)
    app.connect("missing-reference", missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
