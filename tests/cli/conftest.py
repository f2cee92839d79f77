"""Graphs in files."""

import pytest

from grblas_gpu import generators, io


@pytest.fixture
def graph(tmp_path):
    """A graph in a Matrix Market file."""
    A = generators.kronecker(6, 4, seed=2)
    io.mmwrite(str(tmp_path / "g.mtx"), A)
    return A, tmp_path / "g.mtx", int(A.to_coo()[0][0])


@pytest.fixture
def friends(tmp_path):
    file = tmp_path / "friends.csv"
    file.write_text("who,whom,times\nann,bob,2\nbob,cid,3\ncid,ann,4\ncid,dot,1\neve,fay,5\n")
    return file
