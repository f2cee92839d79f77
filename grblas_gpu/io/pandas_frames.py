"""pandas tables of edges."""

from __future__ import annotations

import numpy as np

from ..api.matrix import Matrix
from ..foundation.suggestions import needed
from ..foundation.types import DataFrame, DTypeLike, OperatorLike
from .duplicates import combining
from .graph import Graph


def from_pandas_edgelist(
    df: DataFrame,
    source: object = "source",
    target: object = "target",
    edge_attr: object = None,
    *,
    directed: bool = True,
    dtype: DTypeLike | None = None,
    duplicates: OperatorLike | None = None,
    dup_op: OperatorLike | None = None,
) -> Graph:
    """A Graph from a table with a row for every edge; the columns ``source`` and ``target`` hold node labels.

    ``edge_attr`` names the column of weights; without it all values are True. Nodes are numbered in the order in which
    they appear. Edges that are listed twice need ``duplicates`` if they have weights.

    Parameters
    ----------
    df : pandas.DataFrame
        A row for every edge.
    source : column
        The column of the sources.
    target : column
        The column of the targets.
    edge_attr : column, optional
        The column of the weights; without it values are True.
    directed : bool
        Whether an edge leads one way (the default) or, with False, both ways.
    dtype : dtype, optional
        The type of the weights; by default their own.
    duplicates : {"error", "sum", "max", "min", "first", "last"} or operator, optional
        How to combine the weights of an edge that is listed twice; an error by default.
    dup_op : operator, optional
        The older name of ``duplicates``.

    Examples
    --------
    >>> import pandas as pd
    >>> from grblas_gpu import io
    >>> table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [3, 4]})
    >>> graph = io.from_pandas_edgelist(table, edge_attr="km")
    >>> graph.labels, graph.matrix.to_dicts()
    (['a', 'b', 'c'], {0: {1: 3}, 1: {2: 4}})
    """
    pd = needed("pandas", "io.from_pandas_edgelist")
    missing = [column for column in (source, target, edge_attr) if column is not None and column not in df.columns]
    if missing:
        raise KeyError(f"from_pandas_edgelist: the table has no column {missing[0]!r}; it has {list(df.columns)}")
    ends = pd.concat([df[source], df[target]], ignore_index=True)
    if ends.isna().any():
        row = int(np.flatnonzero(ends.isna().to_numpy())[0]) % len(df)
        raise ValueError(f"from_pandas_edgelist: row {row} has a missing source or target")
    codes, labels = pd.factorize(ends)
    weights = None if edge_attr is None else df[edge_attr].to_numpy()
    numbers = codes.astype(np.int64)
    rows, cols = numbers[: len(df)], numbers[len(df) :]
    combined = combining(duplicates, dup_op)
    return Graph._of_edges(rows, cols, weights, list(labels), directed, dtype, combined, "row {}".format)


def to_pandas_edgelist(
    graph: Graph | Matrix, source: object = "source", target: object = "target", edge_attr: object = "weight"
) -> DataFrame:
    """A DataFrame with a row for every edge of a Graph or entry of a Matrix (whose labels are row and column).

    An undirected edge is listed once. ``edge_attr=None`` leaves the weights out.

    Parameters
    ----------
    graph : Graph or Matrix
        The object to list.
    source : str
        The name of the column of sources.
    target : str
        The name of the column of targets.
    edge_attr : str or None
        The name of the column of weights; None leaves them out.

    Examples
    --------
    >>> from grblas_gpu import Graph, io
    >>> io.to_pandas_edgelist(Graph.from_edges([("a", "b", 3), ("b", "c", 4)])).values.tolist()
    [['a', 'b', 3], ['b', 'c', 4]]
    """
    pd = needed("pandas", "io.to_pandas_edgelist")
    if not isinstance(graph, Graph):
        graph = Graph(graph, directed=True)
    rows, cols, values = graph.edges()
    labels = np.empty(len(graph.labels), object)
    labels[:] = graph.labels
    labels = pd.Series(labels).infer_objects().to_numpy()
    columns = {source: labels[rows], target: labels[cols]}
    if edge_attr is not None:
        columns[edge_attr] = values
    return pd.DataFrame(columns)
