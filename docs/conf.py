"""Sphinx configuration: Markdown pages (MyST) and the API from docstrings."""

import importlib.metadata

project = "grblas_gpu"
author = "the grblas_gpu authors"
release = importlib.metadata.version("grblas_gpu")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autosummary_generate = False
html_theme = "furo"
html_title = "grblas_gpu"
exclude_patterns = ["_build"]
