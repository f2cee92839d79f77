"""What pyproject.toml says about the package is true."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_subpackage_is_listed():
    listed = set(PROJECT["tool"]["setuptools"]["packages"])
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "grblas_gpu").rglob("__init__.py")}
    mapped = {"grblas_gpu.algorithms", "grblas_gpu.benchmarks", "grblas_gpu.benchmarks.papers"}
    assert listed == {".".join(folder.parts) for folder in folders} | mapped
    for name in mapped:
        assert (ROOT / PROJECT["tool"]["setuptools"]["package-dir"][name] / "__init__.py").exists()


def test_one_version():
    import grblas_gpu

    assert grblas_gpu.__version__ == PROJECT["project"]["version"]


def test_algorithms_install_under_the_package():
    import grblas_gpu.algorithms

    assert grblas_gpu.algorithms.__name__ == "grblas_gpu.algorithms"


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
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", ["numba", "cupy", "scipy", "networkx"])
def test_import_is_light(module):
    code = f"import sys, grblas_gpu; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
