"""The README as a package index shows it, and the stubs of the operators. Everything else is in pyproject.toml.

Its links and pictures are files of the repository, which an index does not have. With the address ``Source`` under
``[project.urls]`` they lead there. Without it links become names of files, and pictures are left out.
Every build (wheel, sdist, editable install) first runs tools/make_stubs.py, which needs NumPy.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
RELATIVE = re.compile(r"(!?)\[([^]]+)\]\((?!https?:)([^)]+)\)")


def long_description(readme: str, source: str = "") -> str:
    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if source:
            return f"{picture}[{words}]({source.rstrip('/')}/{'raw' if picture else 'blob'}/main/{path})"
        if picture:
            return ""
        return f"`{path}`" if words == path else f"{words} (`{path}`)"

    return RELATIVE.sub(link, readme)


def with_stubs(command: type) -> type:
    """A command of setuptools that writes the stubs before it collects files."""

    def run(self) -> None:
        subprocess.run([sys.executable, str(HERE / "tools" / "make_stubs.py")], check=True)
        command.run(self)

    return type(command.__name__, (command,), {"run": run})


if __name__ == "__main__":
    from setuptools import setup
    from setuptools.command.build_py import build_py
    from setuptools.command.sdist import sdist

    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        cmdclass={"build_py": with_stubs(build_py), "sdist": with_stubs(sdist)},
        long_description=long_description(
            (HERE / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source", "")
        ),
        long_description_content_type="text/markdown",
    )
