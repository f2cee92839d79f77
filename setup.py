"""The README as a package index shows it. Everything else is in pyproject.toml.

Its links lead to files of the repository, which an index does not have. With an address of the sources under
``[project.urls]`` they lead there, with none they are the names of the files, as the sdist has them.
"""

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
RELATIVE = re.compile(r"\[([^]]+)\]\((?!https?:)([^)]+)\)")


def long_description(readme: str, source: str = "") -> str:
    def link(found: re.Match[str]) -> str:
        words, path = found.groups()
        if source:
            return f"[{words}]({source.rstrip('/')}/blob/main/{path})"
        return f"`{path}`" if words == path else f"{words} (`{path}`)"

    return RELATIVE.sub(link, readme)


if __name__ == "__main__":
    from setuptools import setup

    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=long_description(
            (HERE / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source", "")
        ),
        long_description_content_type="text/markdown",
    )
