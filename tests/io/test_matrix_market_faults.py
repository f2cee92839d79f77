"""Damaged Matrix Market files end in an answer or an exception, never in the end of the process.

Whatever could end it is read in another process.
"""

import gzip
import json
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from running import printed_by

from grblas_gpu import config, io
from grblas_gpu.io import reader_input

COORDINATES = "%%MatrixMarket matrix coordinate real general\n"
ARRAY = "%%MatrixMarket matrix array real "
READ = """
import json, sys
import io as streams
from grblas_gpu import io
for text in json.load(open(sys.argv[1])):
    print(repr(text), file=sys.stderr)  # the last one is what it ended with
    try:
        print(json.dumps(io.mmread(streams.BytesIO(text.encode("latin-1"))).to_coo()[2].tolist()))
    except (ValueError, MemoryError) as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""
ENVIRONMENT = {"GRBLAS_GPU_BACKEND": "cpu", "GRBLAS_GPU_CPU_TIER": "numpy"}


def read(texts: list[str], folder: Path) -> list[list[float] | str]:
    """The values or the error of each."""
    file = folder / "texts.json"
    file.write_text(json.dumps(texts))
    return [json.loads(line) for line in printed_by("-c", READ, str(file), **ENVIRONMENT).splitlines()]


def test_a_last_line_without_an_end(tmp_path: Path) -> None:
    endings = ["", " ", "\t", "\r", "\r\n", "\n\n", "\n \t"]
    texts = [f"{COORDINATES}1 1 1\n1 1 2{ending}" for ending in endings]
    assert read(texts, tmp_path) == [[2.0]] * len(endings)
    assert read([f"{ARRAY}general\n1 1\n2{ending}" for ending in endings], tmp_path) == [[2.0]] * len(endings)


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        *(("integer", f"1 1 {value}") for value in ("2.9", "1e3", "0x10", "1_0", "--1", "", "7 8", "x", "+-1", "1-")),
        *(
            ("real", f"1 1 {value}")
            for value in ("0x10", "1_0", "1e3x", "1e", "1.2.3", "1e5.5", "1e5e5", ".", "-", "+")
        ),
        *(
            ("real", f"1 1 {value}")
            for value in ("e5", "1-2", "1 2", "1,5", "infinit", "nane", ".e5", "1e+", "1d5", "")
        ),
        *(("pattern", entry) for entry in ("1 1 1", "1", "1.0 1", "x 1")),
    ],
)
def test_what_is_no_number(field: str, entry: str) -> None:
    """Each of these would be another number, or none, to SciPy's parser; within many lines, and as the last."""
    lines = ["1 1" if field == "pattern" else "1 1 3"] * 5000
    for place in (0, 2500, 5000):
        text = "\n".join([*lines[:place], entry, *lines[place:]])
        with pytest.raises(ValueError, match=rf"<StringIO>: Line {place + 3}: expected \w+ numbers, found"):
            io.mmread(StringIO(f"{COORDINATES.replace('real', field)}9 9 5001\n{text}"), dup_op="plus")


@pytest.mark.parametrize(
    "value", ["1", "-1", "1.5", ".5", "5.", "1e3", "1E-3", "-1.5e+3", "5.e2", "inf", "-INF", "nan", "NaN"]
)
def test_what_is_a_number(value: str) -> None:
    found = io.mmread(StringIO(f"{COORDINATES}9 9 2\n  1 1 {value}  \n\n\t2 2\t3\r\n"))
    np.testing.assert_equal(found[0, 0].new().value, float(value))
    assert found[1, 1].new().value == 3


def test_headers_that_ask_for_too_much(tmp_path: Path) -> None:
    for sizes, message in (
        ("3 3 99999999", "99999999 entries announced"),
        ("3 3 " + "9" * 30, "sizes above 2\\*\\*60"),
        ("99999999999 3 9999999999", "asks for"),
    ):
        for name in ("a.mtx", "a.mtx.gz"):
            with (gzip.open if name.endswith("gz") else open)(tmp_path / name, "wt") as file:
                file.write(f"{COORDINATES}{sizes}\n1 1 1\n")
            with pytest.raises(ValueError, match=f"{name}: .*{message}"):
                io.mmread(tmp_path / name)
    for text in (
        COORDINATES + "1 1 1999999999999999",
        COORDINATES.replace("coordinate", "array") + "2 22147483648",
    ):  # without an end
        with pytest.raises(ValueError, match="Line 2: "):
            io.mmread(StringIO(text))
    with pytest.raises(ValueError, match="Line 3: the line is longer than"):
        io.mmread(BytesIO(b"%%MatrixMarket matrix array real general\n1 1\n" + b"1" * 2**22))


def test_the_limit_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "tall.mtx"
    path.write_text(f"{COORDINATES}4000000 3 1\n1 1 1\n")
    with config.set(read_limit=2**20), pytest.raises(ValueError, match=r"config.set\(read_limit=32000000\)"):
        io.mmread(path)
    assert io.mmread(path).shape == (4000000, 3)
    path.write_text(f"{COORDINATES}{2**60} 3 1\n1 1 1\n")
    assert io.mmread(path).shape == (2**60, 3)  # rows without entries take no memory


def test_nul_bytes(tmp_path: Path) -> None:
    texts = [f"{COORDINATES}1 1 1\n1 1 2{ending}" for ending in ("\0", "\0\n", " \0\n", "\n\0\n")]
    found = read(texts, tmp_path)
    lines = (3, 3, 3, 4)
    assert found == [f"ValueError: <BytesIO>: Line {line}: not text: it has a NUL byte" for line in lines]


def test_arrays_without_positions(tmp_path: Path) -> None:
    """To divide by their number of rows ends a process on some processors."""
    assert (
        read([f"{ARRAY}{text}" for text in ("general\n0 3\n", "general\n3 0\n", "symmetric\n0 0\n")], tmp_path)
        == [[]] * 3
    )


def test_arrays_that_values_do_not_fit(tmp_path: Path) -> None:
    messages = {
        "symmetric\n1 3\n": "Line 2: the matrix is symmetric, but not square: 1 x 3",
        "symmetric\n% a comment\n\n3 1\n": "Line 4: the matrix is symmetric, but not square: 3 x 1",
        "skew-symmetric\n1 1\n": "Line 3: Too many values",
        "general\n0 3\n": "Line 3: Too many values",
        "general\n3\n": "Line 2: expected the two sizes",
        "general\n3 -3\n": "Line 2: expected the two sizes",
        "general\n1 1\n": "Line 4: Too many values",
    }
    found = read([ARRAY + text + "1.5\n" * 50_000 for text in messages], tmp_path)
    for said, message in zip(found, messages.values(), strict=True):
        assert isinstance(said, str) and message in said


def test_the_command_line_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.mtx"
    path.write_text(COORDINATES + "1 1 1\n1 1 2\0")
    with pytest.raises(AssertionError, match=r"bad\.mtx: Line 3: not text"):
        printed_by("-m", "grblas_gpu.cli", "bfs", str(path), "--source", "0", **ENVIRONMENT)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["pattern", "integer", "real", "complex"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_large_files_are_as_other_readers_read_them(
    field: str, symmetry: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_input, "LARGE", 1)
    source = np.random.default_rng(len(field + symmetry))
    rows, cols = np.divmod(source.choice(900, 200, replace=False), 30) + np.array([[1], [1]])
    rows, cols = (rows, cols) if symmetry == "general" else (np.maximum(rows, cols), np.minimum(rows, cols))
    ends = np.unique(np.stack([rows, cols]).T[rows != cols], axis=0).tolist()
    values = {"pattern": [], "integer": [["-7", "0", "3"]], "real": [["1e-30", "-.5", "2.", "nan", "1"]]}
    texts = values.get(field, [["1.5"], ["2"]])
    lines = [" ".join([f"{i}\t{j}", *(source.choice(text) for text in texts)]) for i, j in ends]
    path = tmp_path / f"x.mtx{suffix}"
    header = f"%%MatrixMarket Matrix coordinate {field} {symmetry}\n% made here\n\n30 30 {len(lines)}\n"
    content = (header + "\n".join(lines)).encode()
    path.write_bytes(gzip.compress(content) if suffix else content)
    found, expected = io.mmread(path), io.mmread(path, "scipy")
    assert found.dtype == expected.dtype
    for one, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("integer", ["1 1 1", "% no comment"]),
        ("integer", ["1 1 1 # no comment", "1 2 3"]),
        ("integer", ["1 1 1", "4 1 2"]),
        ("integer", ["1 1 1", "0 1 2"]),
        ("integer", ["1 1 1", "-1 1 2"]),
        ("integer", ["1 1 1"]),
        ("integer", ["1 1 1", "2 2 2", "3 3 3"]),
        ("integer", ["1 1 1", "1 1 2"]),
        ("integer", ["1 1 1", "2 1 9223372036854775808"]),
        ("integer", ["1 1 1", "2 1 99999999999999999999"]),
        ("pattern", ["1 1", "2 1 5"]),
        ("real", ["1 1 1", "2 1 1_0"]),
        ("real", ["1 1 1,5", "2 1 3"]),
        ("strange", ["1 1 1", "2 1 3"]),
    ],
)
def test_faults_of_large_files_are_named_alike(
    field: str, lines: list[str], symmetry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.mtx"
    path.write_text("\n".join([f"%%MatrixMarket matrix coordinate {field} {symmetry}", "3 3 2", *lines]))
    said = []
    for size in (2**18, 1):
        monkeypatch.setattr(reader_input, "LARGE", size)
        with pytest.raises((ValueError, OverflowError)) as error:
            io.mmread(path)
        said.append(str(error.value))
    assert said[0] == said[1]
