"""GML, GraphML and Pajek files, with the parsers of NetworkX (extra ``networkx``)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from ..foundation.border import border
from ..foundation.suggestions import needed
from ..foundation.types import PathLike
from .graph import Graph
from .text_files import opened, text_of

_INTEGER = re.compile("0|-?[1-9][0-9]*")


def reader(kind: str) -> Callable[..., Graph]:
    """The reader of "gml", "graphml" or "pajek"; parallel edges become one with the sum of their weights.

    Labels are integers if all are.
    """

    def read(path: PathLike) -> Graph:
        nx = needed("networkx", f"a {kind} file", "'grblas_gpu[networkx]'")
        text = text_of(path)
        with border(os.fspath(path), what=f"not {kind}: "):
            if kind == "gml":
                G = nx.parse_gml(text.splitlines(), label="label" if "label" in text else "id")
            elif kind == "graphml":
                G = nx.parse_graphml(text)
            else:
                G = nx.parse_pajek(text.splitlines())
            graph = Graph.from_networkx(G)
        if all(isinstance(label, str) and _INTEGER.fullmatch(label) for label in graph.labels):
            return Graph._trusted(graph.matrix, list(map(int, graph.labels)), graph.directed)
        return graph

    return read


def writer(kind: str) -> Callable[..., None]:
    """The writer of "gml", "graphml" or "pajek"; values other than True are weights."""

    def write(path: PathLike, graph: Graph) -> None:
        nx = needed("networkx", f"a {kind} file", "'grblas_gpu[networkx]'")
        values = graph.matrix.to_coo()[2]
        if kind == "gml" and values.dtype.kind in "iu" and (abs(values.astype(float)) >= 2**31).any():
            graph = Graph._trusted(graph.matrix.dup(float), graph.labels, graph.directed)  # integers have 32 bits there
        G = graph.to_networkx(None if graph.matrix.dtype == bool else "weight")
        odd = next((x for x in graph.labels if kind == "pajek" and set(str(x)) & set("\"'\\\n\t")), None)
        if odd is not None:
            raise ValueError(f"{os.fspath(path)}: the label {odd!r} has a mark that Pajek files do not store")
        generate = {"gml": nx.generate_gml, "graphml": nx.generate_graphml, "pajek": nx.generate_pajek}[kind]
        lines = list(generate(G))  # labels that the format does not store raise an error before the file is touched
        with opened(path, "wt") as file:
            file.writelines(f"{line}\n" for line in lines)

    return write
