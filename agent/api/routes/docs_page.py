"""The page at `GET /api/docs`: the routes of the OpenAPI description, each with a form that tries it.

It loads one script, built from `web/src/docs/try.ts`, and nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import Any

# The forms of `GET /api/docs` that try a route. The script that sends them is `web/src/docs/try.ts`.
#
# Without the script they stay hidden, and the page is a list of routes.

# Browsers resolve these path segments, so the request would reach another route.
_NO_STEP_UP = r' pattern="(?!\.{1,2}$).+" title="Neither . nor .., which lead to another route"'
# POST routes that change only the caller's own history. All others, except GET, ask before they are sent.
READING = frozenset(
    {
        "query", "query_stream", "execute", "records", "start_session", "chat", "chat_stream", "new_session",
        "generate", "generate_stream", "search_docs", "run_saved_query",
    }
)  # fmt: skip
_HEADER_OF = {"bearer": "Authorization: Bearer"}  # label of a scheme without its own header

_KEY = """<form class="key" id="key-form" hidden>
<p><label for="key">Key</label> <input id="key" type="password" autocomplete="off" spellcheck="false">
<label for="key-header">sent as</label> <select id="key-header">{headers}</select></p>
<p class="hint">For "Try it" below. It stays in this page, and is gone when the page is closed or loaded again.</p>
</form>
"""
_FORM = """<details class="try" hidden><summary>Try it<span class="unseen"> {method} {path}</span>{mark}</summary>
<form id="{id}" data-method="{method}" data-path="{path}" data-accept="{accept}"{flags}>
{fields}<p><button type="submit">Send</button> <button type="button" class="stop" hidden>Stop</button></p>
</form></details>
"""
_FIELD = """<p><label for="{id}"><code>{name}</code> {where}</label>
{control}<span class="hint" id="{id}-hint">{hint}</span></p>
"""
_BODY = """<p><label for="{id}-body">Body <code>{type}</code></label>
<textarea id="{id}-body" class="body" data-type="{type}" rows="{rows}" spellcheck="false"{required}>
{text}</textarea></p>
"""


def _key_form(openapi: Mapping[str, Any]) -> str:
    """The field for the key and its possible headers; empty if no route accepts a key."""
    schemes = openapi.get("components", {}).get("securitySchemes", {})
    names = {
        name: None
        for methods in openapi["paths"].values()
        for operation in methods.values()
        for accepted in operation.get("security", ())
        for name in accepted
    }
    if not names:
        return ""
    headers = "".join(f"<option>{escape(_HEADER_OF.get(name) or schemes[name]['name'])}</option>" for name in names)
    return _KEY.format(headers=headers)


def _try_form(method: str, path: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    """The form of one operation, with the contract's examples in required fields."""
    identity = operation["operationId"]
    changes = method != "get" and not (method == "post" and identity in READING)
    flags = (" data-changes" if changes else "") + (" data-key" if any(operation.get("security", ())) else "")
    fields = "".join(_field(identity, parameter) for parameter in operation.get("parameters", ()))
    return _FORM.format(
        id=escape(identity),
        method=escape(method.upper()),
        path=escape(path),
        mark=' <span class="mark">changes what the service keeps</span>' if changes else "",
        accept=escape(_find_media_type(operation)),
        flags=flags,
        fields=fields + _body(identity, operation.get("requestBody"), openapi),
    )


def _find_media_type(operation: Mapping[str, Any]) -> str:
    """The first media type of a successful response in the contract."""
    for status, response in operation["responses"].items():
        if status.startswith("2") and response.get("content"):
            return str(next(iter(response["content"])))
    return "application/json"


def _field(identity: str, parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    required, name = parameter.get("required", False), parameter["name"]
    control_id = escape(f"{identity}-{parameter['in']}-{name}")
    shared = f'id="{control_id}" name="{escape(name)}" data-in="{escape(parameter["in"])}"'
    shared += f' aria-describedby="{control_id}-hint"' + (" required" if required else "")
    choices = _choices(schema)
    if choices:
        options = "".join(f"<option>{escape(choice)}</option>" for choice in ("", *choices))
        control = f"<select {shared}>{options}</select>"
    else:
        example = str(_example(parameter, schema)) if required else ""
        bounds = _NO_STEP_UP if parameter["in"] == "path" else ""
        control = f'<input {shared} value="{escape(example)}"{bounds} autocomplete="off" spellcheck="false">'
    hint = parameter.get("description") or schema.get("description", "")
    if schema.get("default") not in (None, ""):
        hint += f" Default: {json.dumps(schema['default'])}."
    where = f"{parameter['in']}, {'required' if required else 'optional'}"
    return _FIELD.format(id=control_id, name=escape(name), where=where, control=control, hint=_prose(hint.strip()))


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The values of an enumerated or boolean field, also of one that may be null."""
    for one in (schema, *schema.get("anyOf", ())):
        if "enum" in one:
            return tuple(str(value) for value in one["enum"])
        if one.get("type") == "boolean":
            return ("true", "false")
    return ()


def _example(described: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """The example of a parameter, a body or its schema; empty if there is none."""
    for one in (described, schema):
        if "example" in one:
            return one["example"]
        if examples := one.get("examples"):
            return examples[0] if isinstance(examples, list) else next(iter(examples.values()))["value"]
    return ""


def _body(identity: str, body: Mapping[str, Any] | None, openapi: Mapping[str, Any]) -> str:
    if body is None:
        return ""
    media_type, content = next(iter(body["content"].items()))
    schema = content.get("schema", {})
    if "$ref" in schema:
        schema = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    example = _example(content, schema)
    text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    return _BODY.format(
        id=escape(identity),
        type=escape(media_type),
        text=escape(text),
        rows=min(max(text.count("\n") + 2, 3), 16),
        required=" required" if body.get("required") else "",
    )


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

# One script, from this service; only the page's own style; requests only to this service.
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


def _prose(text: str) -> str:
    """HTML of a text of the contract, in which code stands between backquotes."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def docs_page(openapi: dict[str, Any]) -> str:
    """HTML with the routes of an OpenAPI description and forms to try them."""
    info = openapi["info"]
    routes = "".join(
        _route(method, path, operation, openapi)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    return PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=_prose(info.get("description", "")),
        style=STYLE,
        key=_key_form(openapi),
        routes=routes,
    )


def _route(method: str, path: str, operation: dict[str, Any], openapi: dict[str, Any]) -> str:
    responses = (
        f"<code>{escape(status)}</code> {_prose(r['description'])}"
        for status, r in sorted(operation["responses"].items())
    )
    return ROUTE.format(
        method=escape(method.upper()),
        path=escape(path),
        summary=escape(operation.get("summary", "")),
        description=_prose(operation.get("description", "")),
        responses=", ".join(responses),
        form=_try_form(method, path, operation, openapi),
    )
