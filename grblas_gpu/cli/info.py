"""``grblas-gpu info``: versions, backends, GPU, memory, cache; missing packages and how to install them."""

from __future__ import annotations

import argparse

from .options import add_command, show


def add_commands(commands: object) -> None:
    add_command(commands, "info", run, "versions, backends, GPU, memory, cache; missing packages", backends=())


def run(options: argparse.Namespace) -> int:
    from .versions import gather, text

    found = gather()
    show(options, found, text(found))
    return 0
