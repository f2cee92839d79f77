"""Run the notebooks of examples/ and store what they show: ``python tools/notebooks.py``.

Needs no Jupyter: a cell is Python, and what its last line is worth is shown as a notebook shows it. Tests run the
notebooks by :func:`run`.
"""

import ast
import base64
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
PICTURES = ROOT / "docs" / "images" / "gallery"


def run(path: Path):
    """The notebook with the outputs of its cells, run from top to bottom in an empty folder."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
                cell["execution_count"] = number + 1
                cell["outputs"] = outputs("".join(cell["source"]), names, number + 1, f"{path.name}, cell {number + 1}")
        finally:
            os.chdir(before)
    return notebook


def outputs(source: str, names, number: int, where: str):
    """What a cell prints, and what its last line is worth."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, where, "exec"), names)
        value = eval(compile(ast.Expression(last.value), where, "eval"), names) if last is not None else None
    found = []
    if said.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": said.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"data": shown(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        found.append(data)
    return found


def shown(value):
    """A value as a notebook shows it."""
    if hasattr(value, "_repr_png_"):
        return {"image/png": base64.b64encode(value._repr_png_()).decode(), "text/plain": [type(value).__name__]}
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in NOTEBOOKS:
        notebook = run(path)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for cell in notebook["cells"]:
            for name in cell["metadata"].get("tags", []):  # the gallery shows it
                (output,) = (output for output in cell["outputs"] if "image/png" in output.get("data", {}))
                (PICTURES / f"{name}.png").write_bytes(base64.b64decode(output["data"]["image/png"]))


if __name__ == "__main__":
    main()
