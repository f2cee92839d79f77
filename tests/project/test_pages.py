"""The pages say what is so: every Python block of docs/ and the README runs, and commands and pictures exist.

The blocks of a page run from top to bottom with the same names, in an empty folder. A block that begins with
``# needs a GPU`` or ``# needs matplotlib`` is only compiled where that is missing. Blocks with ``>>>`` are doctests.
"""

import doctest
import importlib.util
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
from hardware import has_gpu
from running import module_at, printed_by

import grblas_gpu as gb
from grblas_gpu import algorithms, cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
OTHER_PROSE = ["CHANGELOG.md", "CONTRIBUTING.md"]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
NEEDS = re.compile(r"# needs (?:a )?(\w+)")
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
WIDTH = 105
DIRECTIVES = {"{toctree}", "{eval-rst}"}


class Block(NamedTuple):
    language: str
    line: int  # of its first line of text, counted from 1
    text: str


def blocks(page: str) -> list[Block]:
    content = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(content):
        indent = match["indent"]
        text = "".join(line.removeprefix(indent) for line in match["text"].splitlines(keepends=True))
        found.append(Block(match["language"].strip(), content.count("\n", 0, match.start("text")) + 1, text))
    return found


def missing(block: Block) -> str:
    """What the block says it needs and this machine does not have."""
    need = NEEDS.match(block.text)
    if need is None:
        return ""
    there = has_gpu() if need[1] == "GPU" else importlib.util.find_spec(need[1]) is not None
    return "" if there else need[1]


def run(page: str, block: Block, names) -> None:
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line - 1)
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        assert test.examples
        result = runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
        assert result.failed == 0, "".join(said)
        return
    # Blank lines before it make a traceback name the line of the page.
    code = compile("\n" * (block.line - 1) + block.text, str(ROOT / page), "exec")
    if not missing(block):
        exec(code, names)


@pytest.fixture
def put_back() -> Iterator[None]:
    """Pages change settings of the process, as their readers may."""
    nx = pytest.importorskip("networkx")
    engine = gb.Vector(int, 1).backend
    gb.set_backend("cpu")  # what pages show of plans is the CPU's
    priority = list(nx.config.backend_priority.algos)
    yield
    nx.config.backend_priority.algos = priority
    gb.set_backend(engine)


@pytest.mark.parametrize("page", [page for page in PAGES if any(block.language == "python" for block in blocks(page))])
@pytest.mark.usefixtures("put_back")
def test_python(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    python = [block for block in blocks(page) if block.language == "python"]
    for block in python:
        run(page, block, names)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language_that_is_checked(page):
    """No language: text that a program printed, never code."""
    for block in blocks(page):
        assert block.language in {"python", "sh", ""} | DIRECTIVES, f"{page}:{block.line}: {block.language}"
        assert block.language or "import " not in block.text, f"{page}:{block.line}: code without a language"
    assert (ROOT / page).read_text(encoding="utf-8").count("```") == 2 * len(blocks(page))


@pytest.mark.parametrize("page", PAGES)
def test_code_fits_the_page(page):
    """Without scrolling, in a window of 1400 pixels; messages of exceptions are wrapped."""
    for block in blocks(page):
        if block.language not in DIRECTIVES:
            for number, line in enumerate(block.text.splitlines(), block.line):
                assert len(line) <= WIDTH or "Traceback" in block.text, f"{page}:{number}: {len(line)} characters"


def commands() -> list[tuple[str, list[str]]]:
    """Every line of every shell block, as words."""
    found = []
    for page in PAGES:
        for block in blocks(page):
            if block.language == "sh":
                lines = (line.partition("  #")[0].split() for line in block.text.splitlines())
                found += [
                    (f"{page}:{block.line}", words) for words in lines if words and words[0] not in ("#", "#SBATCH")
                ]
    return found


def test_commands_name_what_there_is():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    helped = printed_by("-m", "grblas_gpu.cli", "--help")
    seen = set()
    for where, words in commands():
        while "=" in words[0]:  # settings before a command
            words = words[1:]
        if words[0] in ("mpiexec", "srun"):  # what they launch
            words = words[next(k for k, word in enumerate(words) if word in ("grblas-gpu", "python")) :]
        program, first = words[0].removeprefix("env/bin/"), words[1] if len(words) > 1 else ""
        seen.add(program)
        if program == "make":
            assert first in targets, f"{where}: make {first}"
        elif program == "grblas-gpu":
            assert re.search(rf"\b{first}\b", helped), f"{where}: grblas-gpu {first}"
        elif program == "python" and first.startswith(("benchmarks/", "examples/", "docs/")):
            assert (ROOT / first).is_file(), f"{where}: {first}"
        else:
            assert program in ("pip", "python"), f"{where}: {program}"
    assert {"make", "grblas-gpu", "pip"} <= seen


@pytest.mark.usefixtures("put_back")
def test_readme_commands_find_something(tmp_path, monkeypatch, capsys):
    """The lines of the README that run this library's program, one after another; bfs reaches what it says."""
    monkeypatch.chdir(tmp_path)
    printed = {}
    for where, words in commands():
        if where.startswith("README") and words[0] == "grblas-gpu":
            assert cli.main(words[1:]) == 0
            printed[words[1]] = capsys.readouterr().out
    assert {"generate", "bfs", "pagerank"} <= printed.keys()
    reached = re.search(r"reached +([\d,]+)\ndepth +(\d+)", printed["bfs"])
    assert f"reaches {reached[1]} vertices in {reached[2]} steps" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_is_short_and_counts_right():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    functions = [name for name in algorithms.__all__ if not isinstance(getattr(algorithms, name), type)]
    assert f"| built-in algorithms | {len(functions)} |" in text


def test_prose_is_short():
    """Readers find what they look for in few words: 30,000 in docs/, 35,000 in all."""
    words = {page: len((ROOT / page).read_text(encoding="utf-8").split()) for page in (*PAGES, *OTHER_PROSE)}
    assert sum(count for page, count in words.items() if page.startswith("docs/")) <= 30_000
    assert sum(words.values()) <= 35_000


def test_links_lead_somewhere():
    """Files and pictures that pages link to; an operator that is called in a line of code is no link."""
    for page in PAGES:
        text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", (ROOT / page).read_text(encoding="utf-8")))
        targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
        for target in targets:
            if not target.startswith("http"):
                path = (ROOT / page).parent.joinpath(target).resolve()
                assert path.exists(), f"{page}: {target}"
                assert not page.startswith("docs/") or path.is_relative_to(ROOT / "docs"), f"not on the site: {target}"


def test_examples_are_listed():
    programs = {path.name for path in (ROOT / "examples").glob("*.py")}
    text = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert programs == set(re.findall(r"^\| `(\w+\.py)` \|", text, re.MULTILINE))


def pictures():
    return from_docs("pictures")


def from_docs(name: str):
    return module_at(ROOT / "docs" / f"{name}.py")


def test_drawings_are_those_of_the_script():
    for draw in pictures().DRAWINGS:
        name, content = draw()
        path = ROOT / "docs" / "images" / name
        assert path.read_text(encoding="utf-8") == content, f"{name}: run python docs/pictures.py"


def test_drawings_show_a_search():
    drawn = pictures()
    rows, cols = zip(*drawn.EDGES, strict=True)
    A = gb.Matrix.from_coo(rows, cols, True, nrows=len(drawn.PLACES), ncols=len(drawn.PLACES))
    assert algorithms.bfs(A, 0).to_dict() == drawn.LEVELS


@pytest.mark.parametrize("kind", ["unary", "binary", "monoid", "semiring", "indexunary", "select", "agg"])
def test_tables_of_operators(kind):
    """Every operator has a meaning, in words that a reader knows: none of our own helpers."""
    head, *rows = from_docs("operator_tables").rows_of(kind)
    assert len(rows) > 10
    for row in rows:
        assert len(row) == len(head)
        assert row[1], row[0]
        assert kind == "semiring" or not re.search(r"[a-z]_[a-z_]+\(", row[1]), row


def test_reference_is_complete():
    """Everything public has an entry in the index of the reference: a page of its own, or a part of its module's."""
    links = from_docs("api_links")
    pages = [ROOT / "docs" / "operators.md", *(ROOT / "docs").glob("api*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    named = {f"grblas_gpu.{name}" for name in re.findall(r"^   ([\w.]+)$", text, re.MULTILINE)}
    for module, members in re.findall(r"automodule:: (grblas_gpu\.[\w.]+)\n((?:   :.*\n)*)", text):
        listed = re.search(r":members: (.+)", members)
        named |= {module} | ({f"{module}.{name.strip()}" for name in listed[1].split(",")} if listed else set())
    owners = tuple(f"{links.entries()[owner.__name__]}." for owner in links.CLASSES)
    wanted = {name for name in links.entries().values() if not name.startswith(owners)}
    assert not wanted - named, f"not in docs/api*.md: {', '.join(sorted(wanted - named))}"


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_names_in_prose_lead_to_the_reference(page):
    """Inline code in a namespace of ours names something that the reference describes, so that it is a link."""
    links = from_docs("api_links")
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    dead = [code for code in re.findall(r"`([^`\n]+)`", text) if links.name_of(code, Path(page).stem) == ""]
    assert not dead, f"{page}: {dead}"


class Literals(HTMLParser):
    """Inline code of a built page that is neither a link nor part of a heading."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes) -> None:
        if tag in ("a", "h1", "h2", "h3", "code"):
            self.open.append(tag)
            self.found += [""] if tag == "code" and "docutils literal" in dict(attributes).get("class", "") else []

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            self.open.remove(tag)

    def handle_data(self, data: str) -> None:
        if self.open == ["code"] and self.found:
            self.found[-1] += data


@pytest.mark.slow
def test_built_pages_have_every_public_name(tmp_path):
    """As `make docs` builds them; without warnings, of which a public name that is nowhere described is one."""
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    pytest.importorskip("myst_parser")
    command = ["-m", "sphinx", "--fail-on-warning", "-q", "-b", "html", str(ROOT / "docs")]
    printed_by(*command, str(tmp_path), timeout=3000)
    page = (tmp_path / "reference" / "grblas_gpu.Matrix.html").read_text(encoding="utf-8")
    for name in ("from_coo", "mxm", "reduce_rowwise", "apply", "to", "pattern"):
        assert f'id="grblas_gpu.Matrix.{name}"' in page
    assert (tmp_path / "reference" / "grblas_gpu.algorithms.louvain.html").exists()
    assert "<code" in (tmp_path / "operators.html").read_text(encoding="utf-8")
    library = (tmp_path / "library.html").read_text(encoding="utf-8")
    assert 'href="reference/grblas_gpu.algorithms.louvain.html' in library
    name_of = from_docs("api_links").name_of
    for path in tmp_path.glob("*.html"):
        literals = Literals()
        literals.feed(path.read_text(encoding="utf-8"))
        unlinked = {code for code in literals.found if name_of(code, path.stem)}
        assert not unlinked, f"{path.name}: {unlinked}"
    found = json.loads((tmp_path / "searchindex.js").read_text(encoding="utf-8").split("(", 1)[1].rstrip(";\n)"))
    for name in ("from_coo", "louvain", "LoopError"):
        assert name in str(found["objects"])
