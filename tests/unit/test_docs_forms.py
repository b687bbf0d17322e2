"""The page of the contract: a form for every route, examples in it, nothing that a browser would run or load."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html import unescape
from typing import Any

import pytest

from agent.api.app import contract
from agent.api.contract.complete import complete
from agent.api.routes.docs_page import CONTENT_SECURITY_POLICY, READING, docs_page
from agent.api.routes.page import DOCS, asset_paths

CONTRACT = contract()
HTML = docs_page(CONTRACT)
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in CONTRACT["paths"].items()
    for method, operation in methods.items()
}


def form(identity: str, html: str = HTML) -> str:
    found = re.search(rf'<form id="{identity}" .*?</form>', html, re.DOTALL)
    assert found, identity
    return found[0]


def described(operation: dict[str, Any], path: str = "/api/things") -> dict[str, Any]:
    operation = {"operationId": "it", "responses": {}, **operation}
    return {"info": {"title": "a", "version": "1"}, "paths": {path: {"post": operation}}}


def test_every_operation_has_its_form_hidden_until_the_script_runs() -> None:
    for identity, (method, path, _) in OPERATIONS.items():
        assert f'data-method="{method.upper()}" data-path="{path}"' in form(identity)
    assert HTML.count('<details class="try" hidden>') == len(OPERATIONS)


def test_every_parameter_has_a_label_and_a_required_one_its_example() -> None:
    for identity, (_, _, operation) in OPERATIONS.items():
        for parameter in operation.get("parameters", ()):
            control = f"{identity}-{parameter['in']}-{parameter['name']}"
            assert form(identity).count(f'for="{control}"') == form(identity).count(f'id="{control}"') == 1
    assert 'name="name" data-in="path" aria-describedby="database-path-name-hint" required value="shop"' in form(
        "database"
    )
    assert re.search(r"<select [^>]*name=\"mode\"[^>]*><option></option><option>sync</option>", form("query"))


def test_the_body_is_the_example_of_the_contract() -> None:
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", form("query"), re.DOTALL)
    assert text
    (example,) = CONTRACT["components"]["schemas"]["QueryRequest"]["examples"]
    assert text[1].count("\n") == 3, "a line for each field"
    assert json.loads(unescape(text[1])) == example
    assert "city,amount\nLyon,12.50" in form("upload_database")


def test_what_changes_something_is_marked() -> None:
    assert {name for name in READING if OPERATIONS[name][0] == "post"} == READING
    marked = {name for name in OPERATIONS if " data-changes" in form(name)}
    assert marked == {name for name, (method, _, _) in OPERATIONS.items() if method != "get"} - READING
    assert HTML.count("changes what the service keeps") == len(marked)


@pytest.mark.parametrize(
    "mode, headers",
    [("none", []), ("api_keys", ["Authorization: Bearer", "x-api-key", "x-functions-key"])],
)
def test_a_key_is_sent_as_the_contract_says(mode: Any, headers: list[str]) -> None:
    html = docs_page(complete(CONTRACT, mode))
    key = html.partition('id="key-header">')[2].partition("</select>")[0]
    assert re.findall(r"<option>(.*?)</option>", key) == headers
    assert (" data-key" in form("query", html)) == bool(headers)
    assert " data-key" not in form("health_live", html), "nobody needs a key for it"


def test_nothing_of_a_description_becomes_markup() -> None:
    hostile = '"><script>alert(1)</script>'
    html = docs_page(
        described(
            {
                "parameters": [
                    {"in": "query", "name": hostile, "required": True, "description": hostile, "example": hostile}
                ],
                "requestBody": {"content": {hostile: {"example": f"</textarea>{hostile}"}}},
            },
            path=f"/{hostile}",
        )
    )
    assert html.count("<script") == 1
    assert html.count("</textarea>") == 1


def test_the_policy_allows_the_pages_own_style_and_script_alone() -> None:
    policy = dict(part.strip().split(" ", 1) for part in CONTENT_SECURITY_POLICY.split(";"))
    (style,) = re.findall(r"<style>(.*?)</style>", HTML, re.DOTALL)
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.pop("style-src") == f"'sha256-{digest}'"
    assert policy.pop("script-src") == policy.pop("connect-src") == "'self'"
    assert set(policy.values()) == {"'none'"}
    assert re.findall(r"<script[^>]*>", HTML) == [f'<script type="module" src="../assets/{DOCS}">']
    assert f"/assets/{DOCS}" in asset_paths()
    assert not re.search(
        r"style=|\son\w+=|javascript:|data:", re.sub(r"<textarea.*?</textarea>", "", HTML, flags=re.DOTALL)
    )


def test_backquotes_become_code_and_nothing_else_becomes_markup() -> None:
    operation = {
        "description": "Send `mode=<async>`, <b>not</b> `",
        "responses": {"429": {"description": "See `Retry-After`"}},
    }
    html = docs_page(described(operation))

    assert "<p>Send <code>mode=&lt;async&gt;</code>, &lt;b&gt;not&lt;/b&gt; `</p>" in html
    assert "</code> See <code>Retry-After</code>" in html
    assert not re.search(r"`\w+`", re.sub(r"<textarea.*?</textarea>", "", HTML, flags=re.DOTALL))
