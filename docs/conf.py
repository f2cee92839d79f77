"""Sphinx configuration: Markdown pages (MyST), and a reference page for each public object from its docstring."""

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # extensions of ours

project = "grblas_gpu"
author = "the grblas_gpu authors"
release = importlib.metadata.version("grblas_gpu")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
extensions += ["mathml", "operator_tables", "api_links"]  # of this folder
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
templates_path = ["templates"]
myst_heading_anchors = 3
autosummary_generate_overwrite = True  # pages in docs/reference/ are made by every build
autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_google_docstring = False
napoleon_use_rtype = False
highlight_language = "none"  # blocks without a language are output or text
html_theme = "furo"
html_title = "grblas_gpu"
html_show_copyright = False
exclude_patterns = ["_build", "templates"]
