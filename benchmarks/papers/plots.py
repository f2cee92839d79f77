"""A table as lines: the first column across, the other numbers up."""

from __future__ import annotations

from ..text_tables import Table, is_numeric


def plot_table(table: Table, file: str) -> None:
    """Draw into a file, in the format that its name asks for (needs matplotlib)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    across = table.column(table.columns[0])
    for name in table.columns[1:]:
        values = table.column(name)
        if is_numeric(values):
            axes.plot(range(len(across)), values, marker="o", label=name)
    labels = [f"{x:,}" if isinstance(x, int) else str(x) for x in across]
    axes.set_xticks(range(len(across)), labels, rotation=30, ha="right")
    axes.set(title=table.title, xlabel=table.columns[0], yscale="log")
    axes.legend()
    figure.savefig(file)
