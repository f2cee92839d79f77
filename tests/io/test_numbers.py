"""Text of numbers, and labels that are numbers, against Python's own conversions."""

from io import StringIO

import numpy as np
import pytest
from emulated_engine import ENGINES, backend
from hypothesis import given, strategies as st

import grblas_gpu as gb
from grblas_gpu import io
from grblas_gpu.io import edge_list_files, edge_table, label_codes, text_files
from grblas_gpu.io.number_columns import Fields, columns

INTEGERS = st.integers(-(10**18) + 1, 10**18 - 1)
REALS = st.one_of(
    st.floats(), st.integers(-(10**25), 10**25).map(float), st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
)
SPELLINGS = st.sampled_from(["{!r}", "{:.3e}", "{:f}", "{:+.17g}", "{:.30g}"])


@given(st.lists(st.tuples(INTEGERS, INTEGERS, REALS, SPELLINGS), max_size=30), st.sampled_from([" ", "\t", ",", " , "]))
def test_numbers_are_those_of_python(rows, mark) -> None:
    texts = [spelling.format(x) for _, _, x, spelling in rows]
    lines = [f"{i}{mark}{j}{mark}{text}" for (i, j, _, _), text in zip(rows, texts, strict=True)]
    text = "# a comment\n\n" + "\r\n".join(lines)
    delimiter = mark.strip(" ") or None
    found = columns(
        [text[:9].encode(), text[9:].encode()], "x", Fields((0, 1, 2), True, delimiter=delimiter), "numbers"
    )
    assert found[0].tolist() == [row[0] for row in rows] and found[1].tolist() == [row[1] for row in rows]
    np.testing.assert_array_equal(found[2], [float(text) for text in texts])


DIGITS = st.integers(1, 20).flatmap(lambda n: st.text("0123456789", min_size=n, max_size=n))
MARKS = st.sampled_from([" ", "\t", ",", "  ", ", ", " \t"])


@given(st.lists(st.tuples(DIGITS, DIGITS, DIGITS, DIGITS), min_size=1), MARKS, st.sampled_from(["\n", "\r\n", " \n"]))
def test_plain_lines_are_read_as_python_does(rows, mark, end) -> None:
    """Most lines take a path of their own."""
    for real in (False, True):
        lines = [mark.join([i, j, f"{a}.{b}"][: 2 + real]) for i, j, a, b in rows]
        text, delimiter = end.join([*lines, ""]).encode(), mark.strip() or None
        fields = Fields((1, 0, 2)[: 2 + real], real, delimiter=delimiter)
        large = next((k for k, row in enumerate(rows, 1) if max(map(int, row[:2])) >= 2**63), None)
        if large:
            with pytest.raises(ValueError, match=f"^x: line {large}: "):
                columns([text], "x", fields, "numbers")
            continue
        found = columns([text], "x", fields, "numbers")
        assert found[1].tolist() == [int(row[0]) for row in rows]
        assert found[0].tolist() == [int(row[1]) for row in rows]
        assert not real or found[2].tolist() == [float(f"{row[2]}.{row[3]}") for row in rows]


@given(st.lists(st.tuples(st.integers(0, 2**66), st.integers(-360, 320)), min_size=1), st.integers(-4, 23))
def test_reals_are_the_nearest_doubles(parts, halfway) -> None:
    texts = [f"{number}e{exponent}" for number, exponent in parts]
    texts += [f"{(2**53 + 2 * (number % 2**52) + 1) * 5 ** max(0, -halfway)}e{halfway}" for number, _ in parts]
    texts += [f"0.{number:020}" for number, _ in parts]
    found = columns(["".join(f"1 2 {text}\n" for text in texts).encode()], "x", Fields((0, 1, 2), True), "numbers")
    assert found[2].tolist() == [float(text) for text in texts]


def test_underscores_are_no_digits() -> None:
    with pytest.raises(ValueError, match=r"^x: line 1: "):
        columns([b"1 2 1_0\n"], "x", Fields((0, 1, 2), True), "numbers")


def test_blocks_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "BLOCK", 50)
    text = "".join(f"{k} {2 * k}\n" for k in range(1000)).encode()
    found = columns((text[at : at + 7] for at in range(0, len(text), 7)), "x", Fields((1, 0)), "numbers")
    assert found[0].tolist() == list(range(0, 2000, 2)) and found[1].tolist() == list(range(1000))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 2\n3\n", 2),
        ("1 2\n\n# 3\n1 2 3\n", 4),
        ("1x 2\n", 1),
        ("1 2x\n", 1),
        ("1,2\n", 1),
        ("1.5 2\n", 1),
        ("1 9223372036854775808\n", 1),
        ("- 2\n", 1),
        ("1 \0\n", 1),
    ],
)
def test_malformed_lines_are_named(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"^x: line {line}: expected numbers, found"):
        columns([text.encode()], "x", Fields((0, 1)), "numbers")


@pytest.mark.parametrize("few", [0, 2**16])
@pytest.mark.parametrize("high", [50, 10_000, 2**62])
def test_labels_are_numbered_in_ascending_order(high: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_codes, "FEW", few)
    monkeypatch.setattr(label_codes, "PIECE", 64)
    numbers = np.random.default_rng(high)
    chosen = numbers.integers(-high, high, 40)
    batches = [[chosen[numbers.integers(0, 40, size)] for _ in range(2)] for size in (300, 0, 64, 5)]
    found, columns = label_codes.number_integers(iter(batches))
    expected = [np.concatenate(column) for column in zip(*batches, strict=True)]
    assert found.tolist() == np.unique(expected).tolist()
    assert [found[column].tolist() for column in columns] == [column.tolist() for column in expected]


def test_later_labels_may_be_far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_codes, "FEW", 0)
    batches = [[np.arange(10), np.arange(10)], [np.arange(3), np.array([7, 2**60, -(2**60)])]]
    found, (sources, targets) = label_codes.number_integers(batches)
    assert found.tolist() == [-(2**60), *range(10), 2**60]
    assert (sources.tolist(), targets.tolist()) == ([*range(1, 11), 1, 2, 3], [*range(1, 11), 8, 11, 0])


@pytest.mark.parametrize("labels", [[30, 10], [2**60, -5, 7]])
def test_absent_labels_have_no_place(labels: list[int]) -> None:
    assert label_codes.lookup(np.array(labels))(np.array([7, *labels])).tolist()[-len(labels) :] == [
        *range(len(labels))
    ]
    assert label_codes.lookup(np.array(labels))(np.array([3, -4])).tolist() == [-1, -1]


def test_the_table_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_codes, "PIECE", 8)
    monkeypatch.setattr(label_codes, "FEW", 0)
    monkeypatch.setattr(label_codes, "SPARSE_BITS", 0)
    labels = np.random.default_rng(1).integers(-(2**62), 2**62, 1000)
    found, (numbers,) = label_codes.number_integers([[np.tile(labels, 2)]])
    assert found.tolist() == np.unique(labels).tolist()
    assert found[numbers].tolist() == [*labels.tolist()] * 2


def test_lines_are_found_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# a\nb # c\n\n%d\n  e f\n\rg\nh"
    for size in range(9):
        monkeypatch.setattr(edge_table, "PIECE", size)
        assert list(edge_table.data_lines(text)) == [(2, "b"), (5, "e f"), (6, "g"), (7, "h")]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mark", [" ", "\t", ",", ";", "::"])
def test_large_edge_lists_are_parsed_as_small_ones(mark: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    ends = np.unique(random.integers(1, 99, (200, 2)), axis=0).tolist()
    lines = [mark.join(map(str, [*edge, *([random.random()] if weighted else [])])) for edge in ends]
    text = "# header\n" + "\n".join(lines[:50] + ["", "% between"] + lines[50:])
    delimiter = mark if mark == "::" else None
    small = io.read_edgelist(StringIO(text), base=1, delimiter=delimiter)
    monkeypatch.setattr(edge_list_files, "LARGE", 1)
    monkeypatch.setattr(edge_list_files, "PIECE", 64)
    assert io.read_edgelist(StringIO(text), base=1, delimiter=delimiter).isequal(small, check_dtype=True)
    with pytest.raises(ValueError, match=f"line {len(lines) + 4}: "):
        io.read_edgelist(StringIO(text + f"\n1{mark}x"), base=1, delimiter=delimiter)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_device_numbers_labels_by_sorting(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(label_codes, "FEW", 10)
    numbers = np.random.default_rng(3)
    ids, weights = numbers.integers(-(2**62), 2**62, 30), numbers.integers(1, 9, 90)
    table = pa.table(
        {"source": ids[numbers.integers(0, 30, 90)], "target": ids[numbers.integers(0, 30, 90)], "w": weights}
    )
    for options in ({"weight": None}, {"weight": "w", "duplicates": "sum"}, {"weight": "w", "duplicates": "first"}):
        for directed in (False, True):
            with gb.using("cpu"):
                expected = gb.Graph.from_arrow(table, directed=directed, **options)
            with backend("cuda" if engine == "gpu" else engine, monkeypatch) as name, gb.using(name):
                found = gb.Graph.from_arrow(table, directed=directed, **options)
                assert found.labels == expected.labels
                assert found.matrix.to("cpu").isequal(expected.matrix, check_dtype=True)
                with pytest.raises(ValueError, match=r"Duplicate edge from -?\d+ to"):
                    gb.Graph.from_arrow(pa.concat_tables([table, table]), weight="w")
