"""What differs between a paper's result and that in ``benchmarks/results/``; and why, as far as numbers or code tell.

Written by hand, for the files of one commit each: a page of other results leaves them out.
"""

from __future__ import annotations

COMMITS = {
    "ac330ac4ec8c": [
        "001.figure4",
        "003.asynchronous",
        "003.frontiers",
        "003.scheduling",
        "004.figure2",
        "004.figure5",
    ],
    "9da6d0a97365": ["004.figure7"],
    "87ac0b373db3": ["002.table1", "002.table2", "002.table3", "002.table5", "004.table2"],
    "055d09bc48e5": ["000.table1", "000.table2", "002.table4", "004.figure7-meshes"],
}
REMARKS: dict[str, list[str]] = {
    "000.table1": [
        "Slower than the paper, by up to six times, on a faster device: 0.07 to 0.14 ms for a level, however little "
        "there is to do. TurboBFS looks at the size of the frontier at every level to choose its kernel, so its loop "
        "comes back to Python, and these graphs have up to 1,952 levels with a few thousand entries each.",
        "Searches whose loops run on the device do not pay for that: `dobfs` takes 15 ms for the last graph "
        "(004.figure7-meshes) where TurboBFS takes 191.",
        "The time is the host's: the same commit took 6.4 ms for the first graph and 19 for the fourth on another "
        "machine with the same GPU.",
    ],
    "000.table2": [
        "1.3 to 8.4 times the paper's rate on Kronecker graphs and large Mycielskians; below ten million entries a "
        "search of three levels is 0.6 to 1 ms of calls from Python (see 000.table1).",
        "A thread for each entry is the fastest nearly everywhere: every level reads all entries, and none holds up "
        "the others. That is also why 8.2 ms for the largest Kronecker graph is far from the 0.23 ms of `dobfs`, which "
        "looks at the first likely neighbour of a vertex and stops.",
    ],
    "001.figure4": [
        "Bottom-up steps make the search 1.3 to 2.3 times as fast, not 29 times: the paper compares with "
        "another program, this table with the same program without bottom-up steps.",
        "Neither column is limited by memory. Reading every entry once would take 0.09 to 0.13 ms. A search "
        "makes a dozen calls or so from Python, and a call with next to nothing to do takes about 0.07 ms "
        "(see 003.frontiers).",
        "The hybrid search also takes the source to the renumbered graph and the levels back, in a handful of "
        "calls that are part of its time; top-down does without. On `kron_g500-logn20`, where it gains least, "
        "its quartiles are 1.6 and 2.6 ms: that row is the least certain.",
    ],
    "002.table1": [
        "Half as fast as the paper and a little more, on a faster device. The graphs have 78 and 111 levels "
        "and less than two megabytes of entries: moving the bytes takes about a microsecond. Both sweeps are "
        "loops on the device now; some 2.5 ms are calls around them (see 002.table3, where a graph of three "
        "levels takes as long). With loops in Python these rows took 40 and 99 ms.",
        "Memory is 2.3 times 7 n + m words of four bytes: counts and dependencies have eight, and a graph "
        "with six entries for each vertex has little else. In words of eight bytes it is 1.1 to 1.2 times.",
    ],
    "002.table2": [
        "Four times slower than the paper, for the same reason: eleven levels, a million entries, and about "
        "2.5 ms of calls around two loops.",
    ],
    "002.table3": [
        "No call takes less than 2.5 ms, however small the graph: that is what making vectors, recording two "
        "loops and the operations outside of them cost, some of which wait for an answer (whether the counts "
        "fit 64 bits, how deep the search went). From a hundred million entries on the loops matter more, and "
        "the time is 2 to 18 times that of moving the bytes once.",
        "Memory is 1.00 to 1.10 times 7 n + m words of four bytes, although counts and dependencies have eight.",
    ],
    "002.table4": [
        "126 times as fast as the paper: 58 ms against 7.3 s. The graph is a stand-in, a Kronecker graph with about as "
        "many vertices and entries; it has 8 levels, the paper's 15.",
        "Memory is 1.29 times 7 n + m words of four bytes: counts and dependencies have eight.",
    ],
    "002.table5": [
        "Five to seven times as fast as the paper. Sources are taken 64 (42 on the larger graph) at a time, "
        "side by side in one vector over copies of the graph that share its entries, by the same two loops.",
        "The time for all is an estimate from the first sources (7,587 and 32 of them). Since then loops have become "
        "faster: at commit 055d09bc all sources of `mycielskian 16` took 3.8 s, measured and not estimated "
        "(`gpu_speed.json`), 42 times as fast as the paper.",
    ],
    "003.asynchronous": [
        "Slower, not faster: the CUDA engine has no kernel in which rows see each other's results. It "
        "computes the pass as two products over (min, +), one after the other, and merges them. A minimum has "
        "to read whole rows, twice, while the synchronous pull stops at the first visited neighbour.",
        "So all of the next level is settled early (1.00): the second product sees every row that the first "
        "has settled.",
        "There would be little to gain on these graphs: 3 to 5 % fewer checks, because an unvisited vertex "
        "reads about one entry anyway (2.7 million checks for 2.8 million unvisited vertices in two bottom-up "
        "steps of the first graph). The paper's graphs are others, social networks and crawls.",
    ],
    "003.frontiers": [
        "The paper's order holds: scan-free while there are few edges to check, double-scan, which pulls, "
        "when there are many. The rule picks the fastest way at 9 of 13 levels, and loses less than 0.04 ms "
        "at each of the others.",
        "Single-scan is nowhere the fastest here. With many edges it takes as long as scan-free, with few its "
        "scan costs 0.03 to 0.05 ms more.",
        "No call takes less than 0.07 ms, however little there is to do: that is the cost of a call from "
        "Python, of its launches and of waiting for the size. Reading a frontier off the levels costs about "
        "that, too.",
    ],
    "003.scheduling": [
        "A thread per row is the fastest, and handing out rows does not pay. An unvisited vertex of these "
        "graphs reads about one entry before it finds a visited neighbour (see 003.asynchronous): rows are "
        "alike, so there is nothing to balance. A warp per row leaves most of its threads without work.",
        "The paper's baseline is a program of its own; ours is the first column.",
    ],
    "004.figure2": [
        "As in the paper: the row-based product costs about the same for every operand, the column-based ones "
        "grow with it, and both meet, here at 20 to 30 % of the vertices.",
        "A full operand is cheaper row by row (4.2 ms) than a nearly full one (6.4 ms): its entries need not "
        "be looked up.",
        "The masked row-based product grows with the mask, but not evenly: the second row (3.6 ms) is out of "
        "line, for reasons that were not found.",
        "A mask saves a column-based product up to a half at small sizes and nothing at large ones; the "
        "paper's costs are the same with and without.",
        "`push.sort` is there to repeat the paper. Left to itself the library scatters.",
    ],
    "004.figure5": [
        "The rule of the paper (switchpoint) changes direction where the paper says: pull from level 3, push "
        "again at 6. It picks the faster side at five of six levels, the rule by cost at four; at the others "
        "both sides take about 0.1 ms or less, most of it the cost of a call.",
    ],
    "004.figure7": [
        "python-graphblas's search pulled with its frontier as a list in this run, which SuiteSparse is slow "
        "at; LAGraph makes it a bitmap first. Measured so on another day, on Kronecker 21 with edge factor 48 "
        "and 16 cores, it took 56 ms (`gpu_speed.json`). The factors over python-graphblas in these tables "
        "are too high.",
        "1.6 to 4.5 times as fast as the paper, on memory that is 14 times as fast (288 GB/s, against copies "
        "measured at 4028 GB/s). Reading every entry once would take 0.2 to 0.5 ms; the searches take 1.3 to "
        "3.7 ms, in 5 or 6 levels with two or three calls from Python each.",
        "`kron_g500-logn21` is slower than the next graph with 2.7 times its entries, and slower than the "
        "same search in 004.table2 (1.2 ms at 152 billion per second). It is the only row in which "
        "SuiteSparse took turns, with a thread on each core; that this disturbs the host's part of the search "
        "is likely, but was not shown.",
        "SuiteSparse (python-graphblas) ran on 16 threads, the paper's on one. It was not asked about graphs "
        "with more than 250 million entries. Two sources, three runs each.",
    ],
    "004.figure7-meshes": [
        "14 to 132 times as fast as the paper. Thousands of levels with little to do are what loops on the device are "
        "for: 7.7, 10.6 and 8.2 microseconds for a level of the three graphs, of which a grid barrier is one "
        "or two and the rest a chain of reads that wait for each other (list, offsets, neighbours, flags, list).",
        "The two road graphs are stand-ins with about as many vertices and entries. Ours have more levels than the "
        "real ones: 000.table1 gives 555 for roadNet-CA.",
    ],
    "004.table2": [
        "The loops run on the device now. Change of direction alone changes nothing as long as there is no "
        "masking, because an unmasked pull computes all rows; together they bring 4.4 times, in the paper "
        "2.8. Early exit brings 2.4 times, in the paper 4.0.",
        "Operand reuse does nothing in a loop on the device: it is there to save converting the frontier for "
        "a pull, and a vector of a loop has flags by position in any case, which a pull reads. So the two "
        "rows that differ in it show how far whole calls of half a millisecond are apart from run to run, "
        'half of which is Python: up to a third. With loops in Python it works (`loops="iterated"`).',
        "The baseline is 35 times the paper's, the whole 8 times: of 0.5 ms the kernel takes 0.17.",
    ],
}


#: For results of later commits, whatever their numbers.
LATER: dict[str, list[str]] = {
    "000.table1": [
        "All levels of a search run in one kernel, whose three ways to multiply are the paper's: every level looks at "
        "every vertex, or every entry. `dobfs`, which goes by lists, is faster where there are many levels.",
    ],
    "002.table1": [
        "Path counts and dependencies have eight bytes, the paper's four. A level of a small graph takes some "
        "microseconds, however little there is to do: a chain of reads that wait for each other, and barriers.",
    ],
    "003.asynchronous": [
        "Rows see each other's results inside of one kernel, and all of a search is one loop. It does not pay on these "
        "graphs: an unvisited vertex reads about one entry before it finds a visited neighbour, so that there are few "
        "checks to save, and the synchronous pass, which needs no values, begins with the hub neighbours. "
        "The paper's graphs are social networks and crawls, which no recipe makes.",
    ],
    "004.table2": [
        "Pushes sort their products, as the paper's do, up to 33 million of them; a push of more scatters them.",
    ],
}


def remarks(experiment: str, commit: str | None) -> list[str]:
    """Those on the result of an experiment at a commit; none if they were written for another."""
    written = any(experiment in names for start, names in COMMITS.items() if (commit or "").startswith(start))
    return REMARKS[experiment] if written else LATER.get(experiment, [])
