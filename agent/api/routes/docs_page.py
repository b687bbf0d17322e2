"""The page at `GET /api/docs`: the routes of the OpenAPI description, on one page that loads nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

# Nothing is fetched, run or framed; the style is in the page.
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }}
code {{ background: #8882; border-radius: 4px; padding: 0 .3em }}
section {{ border-top: 1px solid #8886; padding: .5rem 0 }} h2 {{ font-size: 1.1rem }}
:root {{ color-scheme: light dark; background: Canvas; color: CanvasText }}
</style></head>
<body><h1>{title} <small>{version}</small></h1><p>{description}</p>
<p>The whole contract, with every field: <a href="openapi.json">openapi.json</a>.</p>
{routes}
</body></html>
"""

ROUTE = """<section><h2><code>{method} {path}</code> {summary}</h2>
<p>{description}</p><p>Answers: {answers}.</p></section>
"""


def docs_page(openapi: dict[str, Any]) -> str:
    """HTML that lists the routes of an OpenAPI description."""
    info = openapi["info"]
    routes = "".join(
        _route(method, path, operation)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    return PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info.get("description", "")),
        routes=routes,
    )


def _route(method: str, path: str, operation: dict[str, Any]) -> str:
    answers = (
        f"<code>{escape(status)}</code> {escape(r['description'])}" for status, r in operation["responses"].items()
    )
    return ROUTE.format(
        method=escape(method.upper()),
        path=escape(path),
        summary=escape(operation.get("summary", "")),
        description=escape(operation.get("description", "")),
        answers=", ".join(answers),
    )
