"""Archives whose arrays contradict each other are a ValueError; as one could end the process, another reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from running import printed_by

from grblas_gpu import binary, io

READ = """
import sys
from grblas_gpu import binary, io
for path in sys.argv[1:]:
    for dup_op in (None, binary.plus):
        print(path, dup_op, file=sys.stderr)  # the last one is what it ended with
        try:
            print(io.load_npz(path, dup_op=dup_op).to_coo())
        except ValueError as error:
            print("ValueError:", error)
"""
ENVIRONMENT = {"GRBLAS_GPU_BACKEND": "cpu", "GRBLAS_GPU_CPU_TIER": "numpy"}
COMPRESSED = {"shape": [3, 3], "indptr": [0, 1, 2, 2], "indices": [0, 2], "data": [1.5, 2.5]}
WHOLE = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": {**COMPRESSED, "shape": [6, 6], "data": np.ones((2, 2, 2))},
    "coo": {"shape": [3, 3], "row": [0, 2], "col": [1, 1], "data": [1.5, 2.5]},
    "dia": {"shape": [3, 3], "offsets": [0, 1], "data": np.ones((2, 3))},
}
POINTERS = ([0, 10**9, 1, 2], [0, 2, 1, 2], [0, 1, 2, 10**9], [1, 1, 2, 2], [0, -5, 2, 2], [0, 1, 2], [0, 1, 2, -2], [])
INDICES = ([0, 3], [0, -1], [0, 10**12], [0], [0, 1, 2])


def faults():
    found = []
    for kind in ("csr", "csc", "bsr"):
        found += [(kind, {"indptr": np.array(pointers, np.int64)}) for pointers in POINTERS]
        found += [(kind, {"indices": indices}) for indices in INDICES if not (kind == "bsr" and len(indices) == 3)]
        found += [(kind, {"shape": shape}) for shape in ([2, 3], [-3, 3], [3], [3, 1], [10**30, 3])]
    found += [("coo", {end: indices}) for end in ("row", "col") for indices in INDICES if indices[0] == 0]
    found += [("coo", {"shape": shape}) for shape in ([2, 1], [-3, 3])]
    found += [("dia", {"offsets": offsets}) for offsets in ([0], [0, 0], [0, 1, 2])]
    return found


def test_arrays_that_contradict(tmp_path: Path) -> None:
    cases = faults()
    paths = [str(tmp_path / f"{number}.npz") for number in range(len(cases))]
    for path, (kind, wrong) in zip(paths, cases, strict=True):
        np.savez(path, format=kind.encode(), **{**WHOLE[kind], **wrong})
    found = printed_by("-c", READ, *paths, **ENVIRONMENT).splitlines()
    accepted = [(cases[k // 2], line) for k, line in enumerate(found) if f"ValueError: {paths[k // 2]}: " not in line]
    assert not accepted
    assert len(found) == 2 * len(cases)


@pytest.mark.parametrize("kind", WHOLE)
def test_arrays_that_agree(tmp_path: Path, kind: str) -> None:
    np.savez(tmp_path / "a.npz", format=kind.encode(), **WHOLE[kind])
    for dup_op in (None, binary.plus):
        found = io.load_npz(tmp_path / "a.npz", dup_op=dup_op).to_dense(0)
        assert (found == sparse.load_npz(tmp_path / "a.npz").toarray()).all()


def test_a_shape_beyond_all_indices(tmp_path: Path) -> None:
    path = tmp_path / "wide.npz"
    np.savez(path, row=np.array([0]), col=np.array([1]), data=np.array([1.5]), format=b"coo", shape=[4, 2**61])
    with pytest.raises(ValueError, match=r"wide\.npz: .*2\*\*60"):
        io.load_npz(path)
