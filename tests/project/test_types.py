"""Type checkers on programs of users: they find nothing in a good one and every mistake in a bad one."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from running import module_at

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "typing"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package as a wheel has it: the algorithms and stubs of the operators are in it."""
    package = tmp_path / "site" / "grblas_gpu"
    package.mkdir(parents=True)
    for path in (ROOT / "grblas_gpu").iterdir():
        if path.suffix != ".pyi":
            (package / path.name).symlink_to(path)
    subprocess.run([sys.executable, str(ROOT / "tools" / "make_stubs.py"), str(package)], check=True)
    (package / "algorithms").symlink_to(ROOT / "algorithms")
    return package.parent


def mistakes() -> set[int]:
    lines = (PROGRAMS / "bad.py").read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}


def found(output: str, program: str) -> set[int]:
    """The lines of a program with errors."""
    return {int(line) for line in re.findall(rf"{program}\.py:(\d+)[:\d]* ?-? error", output)}


def without_signs(text: str) -> list[str]:
    """The lines of a doctest that Python runs, where they stand; the others are empty."""
    lines = [""] * text.count("\n")
    for example in doctest.DocTestParser().get_examples(text):
        source = example.source.splitlines()
        lines[example.lineno : example.lineno + len(source)] = source
    return lines


def write_pages(folder: Path) -> Path:
    """The Python blocks of each page as a program, with the lines of the page; that of errors has only mistakes."""
    pages = module_at(Path(__file__).parent / "test_pages.py")
    folder.mkdir()
    for page in set(pages.PAGES) - {"docs/errors.md"}:
        lines: list[str] = []
        for block in pages.blocks(page):
            if block.language == "python":
                lines += [""] * (block.line - 1 - len(lines))
                lines += without_signs(block.text) if ">>>" in block.text else block.text.splitlines()
        name = f"page_{Path(page).stem.replace('-', '_')}.py"
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


@pytest.mark.slow  # half a minute and more; `make test` runs mypy on the package
def test_mypy(installed: Path, tmp_path: Path) -> None:
    """It also reads the pages: their programs show users what type checkers accept."""
    pytest.importorskip("mypy")
    settings = "follow_imports = silent\nignore_missing_imports = True\nallow_redefinition = True\n"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n{settings}")
    command = [sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir"]
    command += [str(ROOT / ".mypy_cache" / "users"), str(PROGRAMS / "good.py"), str(PROGRAMS / "bad.py")]
    command += map(str, sorted(write_pages(tmp_path / "pages").iterdir()))
    environment = {**os.environ, "MYPYPATH": str(installed)}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found(done.stdout, "good") == set(), done.stdout
    assert found(done.stdout, "bad") == mistakes(), done.stdout
    assert not re.findall(r"page_\w+\.py:\d+: error.*", done.stdout), done.stdout


@pytest.mark.slow
def test_pyright(installed: Path, tmp_path: Path) -> None:
    """pyright itself needs Node, which basedpyright brings along."""
    pytest.importorskip("basedpyright")
    settings = f'{{"extraPaths": ["{installed}"], "typeCheckingMode": "standard", "reportUnusedExpression": "none"}}'
    (tmp_path / "pyrightconfig.json").write_text(settings)
    for name in ("good.py", "bad.py"):
        (tmp_path / name).write_text((PROGRAMS / name).read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found(done.stdout, "good") == set(), done.stdout
    assert found(done.stdout, "bad") == mistakes(), done.stdout
