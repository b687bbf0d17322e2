"""Authentication in each mode, trusted headers, and settings with which the service does not start."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from agent.api.server.server import Server
from agent.cli.main import app
from agent.core.callers import ANONYMOUS
from agent.core.errors import AccessInvalid, NotAuthenticated, NotPermitted
from agent.platform.access.keys import digest_of
from agent.platform.access.policy import CallerRequest, build_access, check_host, function_level, platform_authenticates
from agent.platform.config.hosts import host_of, is_loopback
from agent.platform.config.settings import Settings, get_settings

KEYS = f"ann={digest_of('the key of ann')}"
CHALLENGE = 'Bearer realm="plumbline"'
IN_AZURE = {"WEBSITE_AUTH_ENABLED": "True", "WEBSITE_SITE_NAME": "plumbline"}


def claims(**changes: object) -> str:
    """What App Service authentication writes into `x-ms-client-principal`."""
    value = {"auth_typ": "aad", "name_typ": "name", "role_typ": "roles", "claims": [{"typ": "name", "val": "Ann"}]}
    return base64.b64encode(json.dumps(value | changes).encode()).decode()


SIGNED_IN = {
    "x-ms-client-principal": claims(),
    "x-ms-client-principal-id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "x-ms-client-principal-idp": "aad",
    "x-ms-client-principal-name": "ann@example.com",
}


def settings(**changes: object) -> Settings:
    return Settings.model_validate(changes)


def who(headers: Mapping[str, str], *, in_functions: bool = False, **changes: object) -> str:
    """The caller with these headers, under these settings."""
    access = build_access(settings(**changes), in_functions=in_functions, environment=IN_AZURE)
    return access.policy(CallerRequest(headers={"host": "127.0.0.1:7071", **headers}, server=("127.0.0.1", 7071)))


# -- where it may listen -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LocalHost", "::ffff:127.0.0.1"]
)
def test_loopback_is_this_machine(host: str) -> None:
    assert is_loopback(host)
    check_host(settings(), host)


@pytest.mark.parametrize(
    "host, why",
    [
        ("0.0.0.0", "every address"),
        ("::", "every address"),
        ("", "every address, as sockets have it"),
        ("0", "an old way to write 0.0.0.0"),
        ("127.1", "an old way to write an address, which not everybody reads alike"),
        ("::ffff:0.0.0.0", "every address"),
        ("192.168.1.4", "the network's"),
        ("plumbline.example.com", "a name"),
        ("localhost.example.com", "a name that begins like one"),
        ("localhost.", "a name that a resolver may be asked for"),
    ],
)
def test_without_authentication_it_does_not_listen_elsewhere(host: str, why: str) -> None:
    assert not is_loopback(host), why
    with pytest.raises(AccessInvalid, match="PLUMBLINE_AUTH=api_keys"):
        check_host(settings(), host)
    check_host(settings(auth="api_keys", api_keys=KEYS), host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "plumbline.example.com"])
def test_serve_refuses_with_a_sentence_that_says_what_to_set(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    def run(server: Server) -> None:
        server.started = True
        started.append(server.config.host)

    monkeypatch.setattr(Server, "run", run)
    monkeypatch.setattr("agent.api.server.server.check_port", lambda *_: None)  # no such host is here
    get_settings.cache_clear()
    refused = CliRunner().invoke(app, ["serve", "--host", host])
    assert (refused.exit_code, started) == (1, [])
    assert "PLUMBLINE_AUTH=api_keys" in refused.output

    monkeypatch.setenv("PLUMBLINE_AUTH", "api_keys")
    get_settings.cache_clear()
    refused = CliRunner().invoke(app, ["serve", "--host", host])
    assert (refused.exit_code, started) == (1, [])
    assert "python -m agent key NAME" in refused.output, "a key is missing yet"

    monkeypatch.setenv("PLUMBLINE_API_KEYS", KEYS)
    get_settings.cache_clear()
    assert CliRunner().invoke(app, ["serve", "--host", host]).exit_code == 0
    assert started == [host]
    get_settings.cache_clear()


def test_the_command_makes_a_key_that_its_line_lets_in() -> None:
    made = CliRunner().invoke(app, ["key", "ann@example.com", "--expires", "2999-12-31"])
    key, line = made.stdout.split()
    assert line.endswith(";2999-12-31")
    assert who({"x-api-key": key}, auth="api_keys", api_keys=line) == "ann@example.com"


def test_the_command_makes_no_key_for_a_reserved_name() -> None:
    made = CliRunner().invoke(app, ["key", "local"])
    assert made.exit_code == 1
    assert made.stdout == ""


# -- none --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, SIGNED_IN, {"x-api-key": "the key of ann"}, {"authorization": "Bearer x"}])
def test_without_authentication_nobody_has_a_name(headers: dict[str, str]) -> None:
    assert who(headers) == ANONYMOUS


@pytest.mark.parametrize(
    "headers, server, why",
    [
        ({"host": "127.0.0.1:7071"}, ("192.168.1.4", 7071), "it listens on another address after all"),
        ({"host": "rebound.example.com:7071"}, ("127.0.0.1", 7071), "a name that somebody lets point here"),
        ({"host": ""}, ("127.0.0.1", 7071), "no host"),
        ({"host": "[::1"}, ("127.0.0.1", 7071), "no host"),
        ({"host": "127.0.0.1:7071", "origin": "https://elsewhere.example.com"}, ("127.0.0.1", 7071), "another's page"),
        ({"host": "127.0.0.1:7071", "origin": "null"}, ("127.0.0.1", 7071), "a page in a sandbox"),
        ({"host": "127.0.0.1:7071", "origin": "http://127.0.0.1:8000"}, ("127.0.0.1", 7071), "another service's page"),
        ({"host": "127.0.0.1:7071", "sec-fetch-site": "cross-site"}, ("127.0.0.1", 7071), "another's image, no Origin"),
        ({"host": "127.0.0.1:7071", "sec-fetch-site": "same-site"}, ("127.0.0.1", 7071), "another port's image"),
        ({"host": "127.0.0.1:7071", "referer": "https://a.example/x?y"}, ("127.0.0.1", 7071), "an older browser's"),
        ({"host": "127.0.0.1:7071", "referer": "about:blank"}, ("127.0.0.1", 7071), "a page without an address"),
        ({"host": "127.0.0.1:7071", "referer": "http://[x"}, ("127.0.0.1", 7071), "an address that is none"),
    ],
)
def test_without_authentication_only_this_machine_may_ask(
    headers: dict[str, str], server: tuple[str, int], why: str
) -> None:
    access = build_access(settings(), environment={})
    with pytest.raises(NotPermitted):
        pytest.fail(access.policy(CallerRequest(headers=headers, server=server)) + why)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:7071", "http://localhost:3000"])
def test_its_own_page_and_a_listed_one_may_ask_for_an_image(origin: str) -> None:
    site = "cross-site" if "localhost" in origin else "same-origin"
    headers = {"referer": f"{origin}/page?x=1", "sec-fetch-site": site}
    assert who(headers, cors_origins="http://localhost:3000") == ANONYMOUS
    assert who({"sec-fetch-site": "none"}) == ANONYMOUS, "an address that a person typed"


@pytest.mark.parametrize("origin", ["http://127.0.0.1:7071", "http://localhost:3000"])
def test_its_own_page_and_a_listed_one_may_ask(origin: str) -> None:
    assert who({"origin": origin}, cors_origins="http://localhost:3000") == ANONYMOUS


@pytest.mark.parametrize(
    "authority, host", [("a:1", "a"), ("[::1]:80", "::1"), ("127.0.0.1", "127.0.0.1"), ("u@a:1", "a"), ("[", "")]
)
def test_the_host_of_a_request(authority: str, host: str) -> None:
    assert host_of(authority) == host


# -- a front end that gives names --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, principal",
    [("ann@example.com", "ann@example.com"), (" bo ", "bo"), ("", ANONYMOUS), ("local", ANONYMOUS), ("*", ANONYMOUS)],
)
@pytest.mark.parametrize("in_functions", [True, False])
def test_a_front_end_names_callers_where_the_setting_says_so(name: str, principal: str, in_functions: bool) -> None:
    headers = {"x-ms-client-principal-name": name, "host": "plumbline.example.com"}
    assert who(headers, trust_principal_header=True, in_functions=in_functions) == principal
    assert who({**headers, "host": "localhost"}, in_functions=in_functions) == ANONYMOUS


def test_a_header_does_not_rename_who_has_a_key() -> None:
    headers = {"x-ms-client-principal-name": "bo", "x-api-key": "the key of ann"}
    assert who(headers, auth="api_keys", api_keys=KEYS, trust_principal_header=True) == "ann"


# -- api_keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer the key of ann"},
        {"authorization": "bearer  the key of ann "},
        {"x-api-key": "the key of ann"},
        {"x-functions-key": "the key of ann"},
        {"authorization": "Basic YTpi", "x-api-key": "the key of ann"},
    ],
)
def test_a_key_says_who_asks(headers: dict[str, str]) -> None:
    assert who(headers, auth="api_keys", api_keys=KEYS) == "ann"


@pytest.mark.parametrize(
    "headers, challenge",
    [
        ({}, CHALLENGE),
        (SIGNED_IN, CHALLENGE),
        ({"authorization": "Basic the key of ann"}, CHALLENGE),
        ({"authorization": "Bearer"}, CHALLENGE),
        ({"x-api-key": " "}, CHALLENGE),
        ({"x-api-key": "another"}, f'{CHALLENGE}, error="invalid_token"'),
        ({"x-api-key": digest_of("the key of ann")}, f'{CHALLENGE}, error="invalid_token"'),
        ({"authorization": "Bearer no", "x-api-key": "the key of ann"}, f'{CHALLENGE}, error="invalid_token"'),
    ],
)  # fmt: skip
def test_anything_else_does_not(headers: dict[str, str], challenge: str) -> None:
    with pytest.raises(NotAuthenticated) as raised:
        who(headers, auth="api_keys", api_keys=KEYS)
    assert raised.value.challenge == challenge
    assert "the key of" not in str(raised.value)


# -- entra -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, principal",
    [
        ({}, "ann@example.com"),
        ({"x-ms-client-principal-name": ""}, "0f8fad5b-d9cb-469f-a165-70867728950e"),
        ({"x-ms-client-principal-name": "local"}, "0f8fad5b-d9cb-469f-a165-70867728950e"),
    ],
    ids=["a person", "an app, which has no name", "a name that nobody may bear"],
)
def test_the_platform_says_who_has_signed_in(changes: dict[str, str], principal: str) -> None:
    assert who(SIGNED_IN | changes, auth="entra", in_functions=True) == principal


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"x-ms-client-principal": ""}, "nobody has signed in"),
        ({"x-ms-client-principal": "%%%"}, "no Base64"),
        ({"x-ms-client-principal": base64.b64encode(b"[1]").decode()}, "no object"),
        ({"x-ms-client-principal": base64.b64encode(b"\xff").decode()}, "no text"),
        ({"x-ms-client-principal": claims(auth_typ="github")}, "of another provider"),
        ({"x-ms-client-principal": claims(claims=None)}, "no claims"),
        ({"x-ms-client-principal-idp": "google"}, "of another provider"),
        ({"x-ms-client-principal-name": "", "x-ms-client-principal-id": ""}, "no name at all"),
    ],
)
def test_who_has_not_signed_in_with_entra_id_is_nobody(changes: dict[str, str], why: str) -> None:
    with pytest.raises(NotAuthenticated):
        pytest.fail(who(SIGNED_IN | changes, auth="entra", in_functions=True) + why)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WEBSITE_SITE_NAME": "plumbline"},
        {"WEBSITE_AUTH_ENABLED": "True"},
        {"WEBSITE_AUTH_ENABLED": "False", "WEBSITE_SITE_NAME": "plumbline"},
        {"WEBSITE_AUTH_ENABLED": "1", "WEBSITE_SITE_NAME": ""},
    ],
)
@pytest.mark.parametrize("in_functions", [True, False])
def test_elsewhere_the_headers_are_never_believed(environment: dict[str, str], in_functions: bool) -> None:
    assert not platform_authenticates(environment)
    with pytest.raises(AccessInvalid, match="anyone could send the headers"):
        build_access(settings(auth="entra"), environment=environment, in_functions=in_functions)


# -- Azure Functions ---------------------------------------------------------------------------------------


def test_under_the_functions_host_none_means_its_keys() -> None:
    assert build_access(settings(), in_functions=True).mode == "functions"
    assert build_access(settings(auth="functions"), in_functions=True).mode == "functions"
    with pytest.raises(AccessInvalid, match="only the Azure Functions host checks its keys"):
        build_access(settings(auth="functions"))


@pytest.mark.parametrize(
    "auth, level", [("none", "FUNCTION"), ("functions", "FUNCTION"), ("api_keys", "ANONYMOUS"), ("entra", "ANONYMOUS")]
)
def test_the_functions_host_asks_for_its_key_where_nobody_else_does(auth: str, level: str) -> None:
    assert function_level(settings(auth=auth), "FUNCTION") == level
    assert function_level(settings(auth=auth), "ANONYMOUS") == "ANONYMOUS"


# -- pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{}, {"auth": "entra"}, {"auth": "functions", "trust_principal_header": True}],
    ids=["this machine", "a cookie signs", "a cookie may sign"],
)
def test_not_every_page_may_ask_where_a_request_needs_no_key(changes: dict[str, object]) -> None:
    with pytest.raises(AccessInvalid, match="PLUMBLINE_CORS_ORIGINS"):
        build_access(settings(cors_origins="*", **changes), environment=IN_AZURE, in_functions="auth" in changes)


def test_every_page_may_ask_with_a_key() -> None:
    access = build_access(settings(auth="api_keys", api_keys=KEYS, cors_origins="*"))
    assert (access.pages, access.sends_cookies) == (("*",), False)


@pytest.mark.parametrize(
    "origin", ["example.com", "https://example.com/", "https://a.b/path", "ftp://a", "https://*.a.b"]
)
def test_what_is_no_origin_is_no_setting(origin: str) -> None:
    with pytest.raises(ValidationError, match="is not an origin"):
        settings(cors_origins=f"https://good.example.com, {origin}")


def test_the_file_of_keys_may_lie_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "keys").write_text(KEYS, encoding="utf-8")
    assert who({"x-api-key": "the key of ann"}, auth="api_keys", api_keys_file="~/keys") == "ann"
