"""What differs between the papers' results and those in ``benchmarks/results/``; and why, as far as one can tell.

Written by hand, and of no number in particular: they are true of every run since loops run on the device.
"""

from __future__ import annotations

REMARKS: dict[str, list[str]] = {
    "000.table1": [
        "All levels of a search run in one kernel, whose three ways to multiply are the paper's: every level looks "
        "at every vertex, or every entry. `dobfs`, which goes by lists, is faster where there are many levels.",
        "These graphs have up to 2,000 levels of a few thousand entries: a level is a chain of reads that wait for "
        "each other, and barriers. Eight times the paper's bandwidth does not shorten that.",
    ],
    "000.table2": [
        "A thread for each entry is the fastest nearly everywhere: a level of few vertices reads the entries of rows "
        "that are open, until one is found, and looks them up in bits in shared memory. From 300 million entries on "
        "that takes little longer than to read them; below ten million half of a call is its launch and Python.",
    ],
    "001.figure4": [
        "The paper compares with another program, this table with the same one without bottom-up steps.",
        "The hybrid search also takes the source to the renumbered graph and the levels back, inside of its "
        "program; top-down does without.",
    ],
    "002.table1": [
        "Path counts and dependencies have eight bytes, the paper's four. A level of a small graph takes some "
        "microseconds, however little there is to do: a chain of reads that wait for each other, and barriers.",
    ],
    "002.table4": [
        "The graph is a stand-in, a Kronecker graph with about as many vertices and entries; it has 8 levels, the "
        "paper's 15.",
    ],
    "002.table5": [
        "The time for all is that of the measured sources, in proportion. Sources are rows of matrices, or stand "
        "side by side in one vector over copies of the graph that share its entries.",
    ],
    "003.asynchronous": [
        "Rows see each other's results inside of one kernel, and all of a search is one loop. On these graphs it "
        "brings a pass less, and little else: an unvisited vertex reads about one entry before it finds a visited "
        "neighbour, so that there are few checks to save, and the synchronous pass needs no values. "
        "The paper's graphs are social networks and crawls, which no recipe makes.",
    ],
    "003.frontiers": [
        "The paper's order holds: scan-free while there are few edges to check, double-scan, which pulls, when "
        "there are many. Single-scan is nowhere the fastest: with many edges it takes as long as scan-free, with "
        "few its scan costs more than it saves.",
        "These are single calls, of which none takes less than some 0.05 ms: launches, and waiting for the size.",
    ],
    "003.scheduling": [
        "A thread per row is the fastest, and handing out rows does not pay: an unvisited vertex of these graphs "
        "reads about one entry before it finds a visited neighbour, so rows are alike. A warp per row leaves most "
        "of its threads without work. The paper's baseline is a program of its own; ours is the first column.",
    ],
    "004.figure2": [
        "As in the paper: the row-based product costs about the same for every operand, the column-based ones grow "
        "with it, and both meet at a fifth to a quarter of the vertices. `push.sort` and `pull.compact` are asked "
        "for here.",
    ],
    "004.figure5": [
        "The rule of the paper (switchpoint) changes direction where the paper says: pull from level 3, push again "
        "at 6. Where the rules differ, both sides take about as long as a call with nothing to do.",
    ],
    "004.figure7-meshes": [
        "The two road graphs are stand-ins with about as many vertices and entries. Ours have more levels than the "
        "real ones: 000.table1 gives 555 for roadNet-CA.",
    ],
    "004.table2": [
        "Pushes sort their products, as the paper's do, up to 33 million of them; a push of more scatters them.",
        "Change of direction alone changes nothing as long as there is no masking, because an unmasked pull "
        "computes all rows. Operand reuse does nothing in a loop on the device: it saves converting the frontier "
        "for a pull, and a vector of a loop has flags by position in any case.",
    ],
}
