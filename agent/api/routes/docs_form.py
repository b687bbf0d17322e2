"""The forms of `GET /api/docs` that try a route. The script that sends them is `web/src/docs/try.ts`.

Without the script they stay hidden: the page then reads as a list of routes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

# A browser resolves such a part of a path, and the request would reach another route.
NO_STEP_UP = r' pattern="(?!\.{1,2}$).+" title="Neither . nor .., which lead to another route"'
# The POST routes that change nothing but the caller's own history; all others but GET ask before they are sent.
READING = frozenset(
    {
        "query", "query_stream", "execute", "records", "start_session", "chat", "chat_stream", "new_session",
        "generate", "generate_stream", "search_docs", "run_saved_query",
    }
)  # fmt: skip
HEADER_OF = {"bearer": "Authorization: Bearer"}  # what a scheme that is no header of its own is called

KEY = """<form class="key" id="key-form" hidden>
<p><label for="key">Key</label> <input id="key" type="password" autocomplete="off" spellcheck="false">
<label for="key-header">sent as</label> <select id="key-header">{headers}</select></p>
<p class="hint">For "Try it" below. It stays in this page, and is gone when the page is closed or loaded again.</p>
</form>
"""
FORM = """<details class="try" hidden><summary>Try it<span class="unseen"> {method} {path}</span>{mark}</summary>
<form id="{id}" data-method="{method}" data-path="{path}" data-accept="{accept}"{flags}>
{fields}<p><button type="submit">Send</button> <button type="button" class="stop" hidden>Stop</button></p>
</form></details>
"""
FIELD = """<p><label for="{id}"><code>{name}</code> {where}</label>
{control}<span class="hint" id="{id}-hint">{hint}</span></p>
"""
BODY = """<p><label for="{id}-body">Body <code>{type}</code></label>
<textarea id="{id}-body" class="body" data-type="{type}" rows="{rows}" spellcheck="false"{required}>
{text}</textarea></p>
"""


def key_form(openapi: Mapping[str, Any]) -> str:
    """The field of the key, and the headers that it can be sent in; empty where no route takes one."""
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
    headers = "".join(f"<option>{escape(HEADER_OF.get(name) or schemes[name]['name'])}</option>" for name in names)
    return KEY.format(headers=headers)


def try_form(method: str, path: str, operation: Mapping[str, Any], openapi: Mapping[str, Any]) -> str:
    """The form of one operation, with the contract's examples in what has to be filled in.

    Args:
        method: as the description has it, in lower case.
        path: with its `{parameters}`.
        operation: of the description.
        openapi: the whole description, for what the operation refers to.
    """
    identity = operation["operationId"]
    changes = method != "get" and not (method == "post" and identity in READING)
    flags = (" data-changes" if changes else "") + (" data-key" if any(operation.get("security", ())) else "")
    fields = "".join(_field(identity, parameter) for parameter in operation.get("parameters", ()))
    return FORM.format(
        id=escape(identity),
        method=escape(method.upper()),
        path=escape(path),
        mark=' <span class="mark">changes what the service keeps</span>' if changes else "",
        accept=escape(_accepted(operation)),
        flags=flags,
        fields=fields + _body(identity, operation.get("requestBody"), openapi),
    )


def _accepted(operation: Mapping[str, Any]) -> str:
    """The media type that the contract names first of a success."""
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
        bounds = NO_STEP_UP if parameter["in"] == "path" else ""
        control = f'<input {shared} value="{escape(example)}"{bounds} autocomplete="off" spellcheck="false">'
    hint = parameter.get("description") or schema.get("description", "")
    if schema.get("default") not in (None, ""):
        hint += f" Default: {json.dumps(schema['default'])}."
    where = f"{parameter['in']}, {'required' if required else 'optional'}"
    return FIELD.format(id=control_id, name=escape(name), where=where, control=control, hint=escape(hint.strip()))


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The values of a field that has few; one that may also be null is one of its alternatives."""
    for one in (schema, *schema.get("anyOf", ())):
        if "enum" in one:
            return tuple(str(value) for value in one["enum"])
        if one.get("type") == "boolean":
            return ("true", "false")
    return ()


def _example(described: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """The example of a parameter, a body or its schema; empty where there is none."""
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
    return BODY.format(
        id=escape(identity),
        type=escape(media_type),
        text=escape(text),
        rows=min(max(text.count("\n") + 2, 3), 16),
        required=" required" if body.get("required") else "",
    )
