"""What pyproject.toml says about the package is true."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from running import module_at, printed_by

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_subpackage_is_listed():
    listed = set(PROJECT["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "grblas_gpu").rglob("__init__.py")}
    mapped = {"grblas_gpu.algorithms"}
    assert listed == {".".join(folder.parts) for folder in folders} | mapped
    for name in mapped:
        assert (ROOT / PROJECT["tool"]["setuptools"]["package-dir"][name] / "__init__.py").exists()


def test_the_package_shows_its_public_names_and_no_others():
    import grblas_gpu

    assert dir(grblas_gpu) == sorted(grblas_gpu.__all__)
    assert not [name for name in dir(grblas_gpu) if not hasattr(grblas_gpu, name)]
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        grblas_gpu.absent


@pytest.mark.parametrize("name", ["algorithms", "distributed", "generators", "io"])
def test_parts_are_loaded_when_they_are_asked_for(name):
    code = f"import sys, grblas_gpu as gb; assert {f'grblas_gpu.{name}'!r} not in sys.modules; assert gb.{name}; "
    code += f"from grblas_gpu import {name}, Graph; assert {name} is gb.{name} and Graph is gb.io.Graph"
    printed_by("-c", code)


def test_import_is_light():
    modules = set(printed_by("-c", "import sys, grblas_gpu; print(*sys.modules)").split())
    assert "grblas_gpu" in modules
    assert not modules & {"numba", "cupy", "scipy", "networkx", "matplotlib", "pandas", "html"}


# ---- what a public project has -------------------------------------------------------------------------------------


def read_yaml(name):
    return pytest.importorskip("yaml").safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_classifiers_and_workflow_name_the_same_pythons():
    workflow = read_yaml(".github/workflows/ci.yml")
    listed = {re.search(r":: (3\.\d+)$", line) for line in PROJECT["project"]["classifiers"]}
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == sorted(found[1] for found in listed if found)
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_workflow_runs_make_and_nothing_else():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    jobs = read_yaml(".github/workflows/ci.yml")["jobs"]
    commands = [step["run"].split() for job in jobs.values() for step in job["steps"] if "run" in step]
    assert {target for program, target in commands if program == "make"} == {"test", "docs", "package"} <= targets
    assert all(program == "make" for program, _ in commands)


def test_citation():
    citation = read_yaml("CITATION.cff")
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


def test_links_of_the_readme_as_an_index_shows_it():
    setup = module_at(ROOT / "setup.py")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert setup.RELATIVE.search(readme)
    assert "](docs/" not in setup.long_description(readme)
    assert "(`docs/tutorial.md`)" in setup.long_description(readme) and "![" not in setup.long_description(readme)
    there = setup.long_description(readme, "https://example.org/sources/")
    assert "](https://example.org/sources/blob/main/docs/tutorial.md)" in there
    assert "](https://example.org/sources/raw/main/docs/images/" in there
    for text in (setup.long_description(readme), there):
        assert all(target.startswith("https:") for target in re.findall(r"\]\(([^)]+)\)", text))


def built(kind, folder):
    pytest.importorskip("build")
    if int(__import__("setuptools").__version__.split(".")[0]) < 77:
        pytest.skip("needs setuptools 77")
    copy = folder / "source"  # building leaves files behind
    left = shutil.ignore_patterns(".venv", ".git", "site", "build", "dist", ".*_cache", "*.pyi")
    shutil.copytree(ROOT, copy, ignore=left)
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(folder), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (file,) = folder.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    stubs = {Path(name).name for name in names_in(file) if name.endswith(".pyi")}
    assert stubs == {
        f"{name}.pyi" for name in "unary binary monoid semiring indexbinary indexunary select agg op".split()
    }
    return file


def names_in(file):
    if file.suffix == ".whl":
        return zipfile.ZipFile(file).namelist()
    with tarfile.open(file) as archive:
        return archive.getnames()


def install(file, folder):
    """An installed copy that is found before any other."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", folder]
    subprocess.run([*map(str, command), str(file)], check=True, capture_output=True)
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


@pytest.mark.slow
def test_the_tests_of_the_sdist_pass(tmp_path):
    file = built("sdist", tmp_path)
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / file.name.removesuffix(".tar.gz")
    if (ROOT / ".git").exists() and shutil.which("git"):
        tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        missing = [name for name in tracked.split() if (ROOT / name).exists() and not (unpacked / name).exists()]
        assert not missing, f"not in the sdist: {', '.join(missing)}"
    environment = install(file, tmp_path / "site")
    some = [
        "tests/test_tiny.py",
        "tests/project/test_layers.py",
        "tests/ir",
        "tests/plan",
        "tests/io/test_generators.py",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
    for arguments in (["--collect-only"], some):  # all of them can be run, and some are
        done = subprocess.run(
            [*command, *arguments], cwd=unpacked, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow  # the command with all that it imports
def test_the_package_has_what_bench_needs_and_no_other_benchmark(tmp_path):
    """Run where the repository is not: what the commands import is all of grblas_gpu.bench, and nothing beside it."""
    pytest.importorskip("graphblas")
    line = "bench --small --sources 1 --trials 1 --kernels bfs --contenders cpu,python-graphblas --report page.html"
    lines = [line, "graph500 --scale 5 --roots 1 --backend numpy"]
    lines += [f"graphalytics {ROOT / 'tests' / 'data' / 'ldbc'} --kernels wcc --trials 1 --backend numpy"]
    calls = "; ".join(f"main({each.split()})" for each in lines)
    code = f"import sys; from grblas_gpu.cli import main; {calls}; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "GRAPHBLAS_LOOPS": "iterated"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    used = {name for name in done.stdout.splitlines()[-1].split() if "bench" in name}
    folder = ROOT / "grblas_gpu" / "bench"
    modules = {f"grblas_gpu.bench.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"}
    assert used == modules | {"grblas_gpu.bench", "grblas_gpu.cli.bench"}
    assert not [name for name in PROJECT["tool"]["setuptools"]["packages"] if "benchmark" in name]


@pytest.mark.slow
def test_the_wheel_has_no_benchmark_but_that_of_the_command(tmp_path):
    names = zipfile.ZipFile(built("wheel", tmp_path)).namelist()
    folder = {f"grblas_gpu/bench/{path.name}" for path in (ROOT / "grblas_gpu" / "bench").glob("*.py")}
    assert {name for name in names if "bench" in name} == folder | {"grblas_gpu/cli/bench.py"}


@pytest.mark.slow
def test_from_the_wheel_to_a_picture(tmp_path):
    """The commands of "from nothing to a picture" in the documentation, but for those that install."""
    pytest.importorskip("matplotlib")
    environment = install(built("wheel", tmp_path), tmp_path / "site")
    text = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    lines = re.search(r"```sh\n(python -m venv .*?)```", text, re.DOTALL)[1].splitlines()
    assert len(lines) <= 5
    for line in lines:
        words = line.partition("  #")[0].split()
        if words[0].endswith("grblas-gpu"):
            command = [sys.executable, "-m", "grblas_gpu", *words[1:]]
            subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / "search.png").stat().st_size > 10_000
