"""The program of the ranks in tests/mpi: it runs every function named ``case_...`` of some modules.

Rank 0 prints the name of each case that passed. Every rank makes all comparisons.
"""

import sys

import distributed_algorithms
import distributed_construction
import distributed_operations
from distributed_objects import RANK
from mpi4py import MPI

MODULES = (distributed_algorithms, distributed_operations, distributed_construction)
CASES = {name: case for module in MODULES for name, case in vars(module).items() if name.startswith("case_")}


def main() -> None:
    known = {**CASES, "folder_of_parts": distributed_construction.folder_of_parts}
    for name, case in known.items():
        if name in sys.argv[1:] or (name in CASES and len(sys.argv) == 1):
            begun = MPI.Wtime()
            case()
            if RANK == 0:
                print(f"{name} {MPI.Wtime() - begun:.2f} s", flush=True)


if __name__ == "__main__":
    main()
