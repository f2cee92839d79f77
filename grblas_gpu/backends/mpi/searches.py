"""Breadth-first searches in which a level is one round: a local step over bit maps, then an allgather.

A rank searches all entries that lead to its vertices, so that it owns all vertices it finds, and sends only frontiers.
On a grid of one row of ranks, these entries are its block; other grids distribute the entries a second time. The
exchange includes the numbers of found vertices and of their edges, so all ranks select the same direction. In a level,
the host waits for its kernels and in the exchange.

The loop of products in ``distributed.hybrid_bfs`` is the definition. Searches stay apart from products because these
have two or three exchanges in a level, and every rank launches kernels of its own: ranks that share a device would wait
for each other. Rank 0 launches those of all of them (:mod:`.single_launcher`).
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from ...plan.rules import ALPHA, BETA
from ...trace.records import Record, current as current_trace
from ..stores.formats import choose_format
from ..stores.matrix_storage import HYPERSPARSE
from ..stores.storage import MatrixStore
from .faults import RanksDiffer, known_everywhere
from .grid import Grid
from .host_transports import WORDS, Transport
from .products import Products
from .routing import route
from .search_layout import Layout
from .stores import DistMatrixStore, DistVectorStore
from .transports import choose_transport, open_transport

MOST_RANKS = 16  # on grids of several rows: with more, the bits and a second partition of the graph cost too much


def search_setting() -> str:
    """GRBLAS_GPU_MPI_SEARCH: ``bits`` (one round per level on any grid), ``products``, or empty: by MOST_RANKS.

    >>> search_setting()
    ''
    """
    wanted = os.environ.get("GRBLAS_GPU_MPI_SEARCH", "")
    if wanted not in ("", "bits", "products"):
        raise ValueError(f"GRBLAS_GPU_MPI_SEARCH must be bits or products, not {wanted!r}")
    return wanted


class Searches(Products):
    """Level-synchronous searches for a tree of parents."""

    transport: str | None = None
    why_transport = ""  # the reason for it, if a better one exists
    search_by: str

    def search_tree(self, a: DistMatrixStore, source: int) -> DistVectorStore | None:
        """The parent of every vertex reachable from ``source``; None: the caller must use products.

        All ranks go bottom-up while the frontier grows and its edges exceed those of unvisited vertices over alpha, and
        top-down again when it shrinks and has fewer than n / beta vertices (``plan.rules``).
        """
        if "search" not in a.kept:
            a.kept["search"] = self._prepared(a)
        if a.kept["search"] is None:
            return None
        local, transport = self._ready(a)
        levels = _Levels(self.grid, transport, source, a.nrows, self.why_transport)
        unvisited, before, turn = self.degrees(a).total, 0, 0
        here, edges = local.begin(source, transport.mine(turn))
        found, edges = levels.end(turn, here, edges)
        reached = found
        while found:
            unvisited -= edges
            pulls = found * BETA >= a.nrows if edges < before else edges * ALPHA > unvisited
            begun, last, before = time.perf_counter(), found, edges
            frontier, turn = transport.all(turn), 1 - turn
            found, edges = (local.pull if pulls else local.push)(frontier, transport.mine(turn))
            here += found
            found, edges = levels.end(turn, found, edges)
            levels.record(begun, "pull" if pulls else "push", last, before, found, a.nrows - reached)
            reached += found
        result = DistVectorStore(self, a.nrows, local.result(here))
        result.count.set(reached, 0)
        return result

    def _layout(self, a: DistMatrixStore) -> Layout:
        return Layout(self.grid.line(a.nrows).bounds, self.grid.rank)

    def _prepared(self, a: DistMatrixStore) -> Any:
        """The local engine's prepared search on this matrix; None if some rank has none."""
        layout, several_rows = self._layout(a), self.grid.shape[0] > 1
        if self.search_by == "products" or a.nrows != a.ncols or not layout.fits:
            return None
        if several_rows and self.grid.size > MOST_RANKS and self.search_by != "bits":
            return None
        part = a.part
        for step in range(1 + several_rows):
            part = self._leading_here(a) if step else part
            # If some part is hypersparse, a pointer for every vertex would need more memory than the entries.
            if self.grid.everyone.add_up([int(part.form == HYPERSPARSE)])[0] > 0:
                return None
        degrees = self.degrees(a)
        everywhere = self.local.array(self.grid.everyone.gather_arrays(self.local.host(degrees.here)))
        return self.local.search(part, layout, everywhere, degrees.here)

    def _leading_here(self, a: DistMatrixStore) -> MatrixStore:
        """All entries that lead to this rank's vertices: the columns of its chunk of a vector."""
        rows, columns, _ = self.global_entries(a)
        owners = self.grid.line(a.ncols).owner(columns)
        short = rows.astype(np.int32), columns.astype(np.int32)  # ``layout.fits``
        rows, columns = route(self.grid.everyone, owners, *short)
        low, high = self.chunk(a.ncols)
        places = self.local.array(rows.astype(np.int64)), self.local.array(columns.astype(np.int64) - low)
        true = np.broadcast_to(self.local.array(np.ones(1, bool)), rows.shape)
        return choose_format(self.local, self.local.build_matrix(a.nrows, high - low, *places, true, None))

    def _ready(self, a: DistMatrixStore) -> tuple[Any, Transport]:
        """The object that runs the steps of a search on this matrix, and the transport between its ranks."""
        if self.transport is None:
            self.transport, self.why_transport = choose_transport(self.grid, self.local.sizes_on_device)
        layout, own = self._layout(a), a.kept["search"]
        if self.transport == "led":
            if "led" not in a.kept:
                from .single_launcher import SingleLauncher

                if "led" not in self.exchanges:
                    self.exchanges["led"] = SingleLauncher(self.grid.everyone)
                a.kept["led"] = self.exchanges["led"].search(layout, own)
            if a.kept["led"] is not None:  # rank 0 can open the memory of all ranks
                return a.kept["led"], a.kept["led"]
        if layout.length not in self.exchanges:  # kept for the next search
            self.exchanges[layout.length] = open_transport(self.transport, self.grid, self.local, layout.length)
        return own, self.exchanges[layout.length]


class _Levels:
    """The exchanges of one search, and their records in the trace."""

    def __init__(self, grid: Grid, transport: Transport, source: int, size: int, why: str) -> None:
        self._grid, self._transport, self._given = grid, transport, [source, size]
        self._note = f"; {why}" if why else ""  # in the first level that is recorded
        self._before = grid.traffic.copy()

    def end(self, turn: int, found: int, edges: int) -> tuple[int, int]:
        """Exchange the found vertices; return the numbers of vertices and edges of all ranks."""
        transport, traffic, others = self._transport, self._grid.traffic, self._grid.size - 1
        self._before = traffic.copy()
        rows = transport.allgather(turn, [found, edges, *self._given])
        traffic.bytes += others * (transport.length + 8 * WORDS)
        traffic.messages += others * transport.messages
        for rank, row in enumerate(rows):
            if row[2:4] != rows[0][2:4]:
                said = f"a search: rank {rank} was given another source or graph than rank 0; all must give the same"
                raise known_everywhere(RanksDiffer(said))
        return sum(row[0] for row in rows), sum(row[1] for row in rows)

    def record(self, begun: float, direction: str, frontier: int, edges: int, found: int, open_: int) -> None:
        collector = current_trace()
        if collector is None:
            return
        sent = self._grid.traffic.since(self._before)
        note, self._note = self._note, ""
        collector.records.append(
            Record(
                "search",
                time.perf_counter() - begun,
                found,
                strategy=f"{direction}.bits",
                reason=f"{edges} edges, {frontier} vertices against alpha {ALPHA:g}, beta {BETA:g}{note}",
                direction=direction,
                input_nvals=frontier,
                input_edges=edges,
                allowed=open_,
                bytes_sent=sent.bytes,
                messages=sent.messages,
                results_sent=0,
                waited=sent.seconds,
                transport=self._transport.name,
            )
        )
