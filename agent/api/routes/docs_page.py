"""The page at `GET /api/docs`: the routes of the OpenAPI description, each with a form that tries it.

It loads one script, `web/src/docs/try.ts` as built, and nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from html import escape
from typing import Any

from agent.api.routes.docs_form import key_form, try_form

STYLE = """
:root { color-scheme: light dark; background: Canvas; color: CanvasText }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
code, pre { background: #8882; border-radius: 4px; padding: 0 .3em; overflow-wrap: anywhere }
section { border-top: 1px solid #8886; padding: .5rem 0 } h2 { font-size: 1.1rem }
[hidden] { display: none !important }
.try { border: 1px solid #8886; border-radius: 6px; padding: .5rem .8rem; margin: .5rem 0 }
.try summary { cursor: pointer; font-weight: 600 }
.mark { font-weight: 400; border: 1px solid; border-radius: 4px; padding: 0 .4em; margin-left: .5em }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.hint { display: block; font-size: .9rem }
input, select, textarea, button { font: inherit; color: inherit; background: Canvas; border: 1px solid #888;
  border-radius: 4px; padding: .2rem .5rem; max-width: 100%; box-sizing: border-box }
button { cursor: pointer; padding: .2rem 1rem } button:disabled { cursor: default; border-style: dashed }
.try input, textarea { display: block; width: 100% } textarea, pre { font: .9rem/1.4 ui-monospace, monospace }
pre { padding: .5rem; margin: .5rem 0; white-space: pre-wrap } .came { max-height: 24rem; overflow: auto }
.wrong { border-left: 4px solid; padding-left: .6rem; font-weight: 600 }
"""
_HASH = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

# One script, from here; the style is the one in the page; requests go to this service alone.
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'sha256-{_HASH}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
<script type="module" src="../assets/plumbline-docs.js"></script></head>
<body><main><h1>{title} <small>{version}</small></h1><p>{description}</p>
<p>The whole contract, with every field: <a href="openapi.json">openapi.json</a>.</p>
{key}{routes}
</main></body></html>
"""

ROUTE = """<section><h2><code>{method} {path}</code> {summary}</h2>
<p>{description}</p><p>Responses: {responses}.</p>
{form}</section>
"""


def docs_page(openapi: dict[str, Any]) -> str:
    """HTML that lists the routes of an OpenAPI description, and tries them."""
    info = openapi["info"]
    routes = "".join(
        _route(method, path, operation, openapi)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    return PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info.get("description", "")),
        style=STYLE,
        key=key_form(openapi),
        routes=routes,
    )


def _route(method: str, path: str, operation: dict[str, Any], openapi: dict[str, Any]) -> str:
    responses = (
        f"<code>{escape(status)}</code> {escape(r['description'])}"
        for status, r in sorted(operation["responses"].items())
    )
    return ROUTE.format(
        method=escape(method.upper()),
        path=escape(path),
        summary=escape(operation.get("summary", "")),
        description=escape(operation.get("description", "")),
        responses=", ".join(responses),
        form=try_form(method, path, operation, openapi),
    )
