"""Generates docs/reference.md from the code: every route of the contract, every setting.

python -m agent.api.reference > docs/reference.md
"""

from __future__ import annotations

from typing import Any

from agent.platform.config.settings_table import markdown_table

HEAD = """# Reference

Printed by `python -m agent.api.reference`, and held to it by a test.

## Routes

The contract itself, with a schema and an example for everything, is at `/api/openapi.json`, and readable at
`/api/docs`. Every error is a problem document (RFC 9457) of one of the types that the contract lists for its route.

| route | what | answers |
|---|---|---|
"""
BETWEEN = """
## Settings

Environment variables; an empty one counts as not set.

"""


def routes_table(contract: dict[str, Any]) -> str:
    """A table row for each operation. Args: contract: the content of `/api/openapi.json`."""
    lines = []
    for path, operations in contract["paths"].items():
        for method, operation in operations.items():
            statuses = ", ".join(sorted(operation["responses"]))
            summary = str(operation["summary"]).replace("|", "\\|")
            lines.append(f"| `{method.upper()} {path}` | {summary} | {statuses} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    from agent.api.app import create_default_app

    return HEAD + routes_table(create_default_app().openapi()) + BETWEEN + markdown_table() + "\n"


if __name__ == "__main__":
    print(page(), end="")
