"""The name of the command line, for messages that tell users what to run."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution


def command_line() -> str:
    """`plumbline` where the package is installed, `python -m agent` in a checkout."""
    try:
        distribution("plumbline")
    except PackageNotFoundError:
        return "python -m agent"
    return "plumbline"
