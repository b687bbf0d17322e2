"""Access policies: one for each way to identify callers, and rate limits. The settings choose."""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from starlette.datastructures import Headers

from agent.core.callers import ANONYMOUS, to_principal
from agent.core.errors import AccessInvalid, NotAuthenticated, NotPermitted, TooManyRequests
from agent.core.resilience.deadline import lies_ahead
from agent.platform.access.keys import KeyRing
from agent.platform.config.hosts import host_of, is_loopback, origin_of, origins
from agent.platform.config.settings import Settings
from agent.platform.storage.build import build_store
from agent.platform.storage.store import Place, StateConflict, StateStore, key_of, put_after
from executors.base import Frozen

PERIODS_S = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
KIND, KEY = "rate", "spent"
TOLERANCE = 0.01  # of an interval: sums of thousands of intervals since the epoch are inexact
ATTEMPTS = 20  # each failed one means that another request of the same principal was counted
MAX_REMEMBERED = 1000  # refused principals

_RATE = re.compile(r"([1-9]\d{0,5}) ?/ ?(second|minute|hour|day)")


class Rate(Frozen):
    """A number of requests per number of seconds. An idle principal may send all of them at once."""

    requests: int
    period_s: int

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Parse a rate such as `60/minute`. Raises ValueError, whose message states the form."""
        found = _RATE.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"a rate is written as 60/minute, by {', '.join(PERIODS_S)}; at most 999999")
        return cls(requests=int(found[1]), period_s=PERIODS_S[found[2]])


class RateLimiter:
    """Limits the requests of principals by the generic cell rate algorithm. The state store has one number for each.

    The number is the time until which all requests so far would last if evenly spread (the theoretical arrival
    time of ATM Forum's Traffic Management 4.0, 4.4.2). It is replaced by version, so processes that share the store
    share the limit, and no concurrent request is lost. Their clocks must agree. The store is opened on first use.
    """

    def __init__(self, rate: Rate, store: Callable[[], StateStore], clock: Callable[[], float] = time.time) -> None:
        self._rate, self._make_store, self._clock = rate, store, clock
        self._lock = threading.Lock()
        self._store: StateStore | None = None
        self._interval_s = rate.period_s / rate.requests
        self._refused: dict[str, float] = {}  # until when; the stored time never decreases, so the store is not read

    def take(self, principal: str) -> None:
        """Count one request. Blocks briefly. Raises TooManyRequests (nothing was counted), StateUnavailable."""
        place = Place(kind=KIND, partition=key_of(principal))
        self._refuse_before(self._refused.get(place.partition, 0.0))
        with self._lock:
            store = self._store = self._store or self._make_store()
        for _ in range(ATTEMPTS):
            try:
                self._count(store, place)
            except StateConflict:
                continue
            return
        raise self._too_many(self._interval_s)

    def _count(self, store: StateStore, place: Place) -> None:
        """Read, decide, write. Raises StateConflict, without a change, if another process wrote in between."""
        now = self._clock()
        record = store.get(place, KEY)
        before = record.value["until"] if record else now
        before = float(before) if isinstance(before, int | float) else now
        if lies_ahead(before, now, self._rate.period_s):
            before = now
        spent = max(before, now) + self._interval_s
        allowed_from = spent - self._rate.period_s
        if allowed_from - now > self._interval_s * TOLERANCE:
            self._remember(place.partition, allowed_from)
            self._refuse_before(allowed_from)
        store.commit(place, [put_after(record, KEY, {"until": spent}, spent)])

    def _remember(self, partition: str, until: float) -> None:
        now = self._clock()
        if len(self._refused) >= MAX_REMEMBERED:
            self._refused = {name: over for name, over in self._refused.items() if over > now}
        if len(self._refused) < MAX_REMEMBERED:
            self._refused[partition] = until

    def _refuse_before(self, allowed_from: float) -> None:
        now = self._clock()
        wait_s = allowed_from - now
        if wait_s > self._interval_s * TOLERANCE and not lies_ahead(allowed_from, now, self._rate.period_s):
            raise self._too_many(wait_s)

    def _too_many(self, wait_s: float) -> TooManyRequests:
        seconds = max(1, math.ceil(wait_s))
        rate = f"{self._rate.requests} per {self._rate.period_s} s"
        return TooManyRequests(f"Only {rate} may be sent. Try again in {seconds} s.", seconds)


NAME_HEADER = "x-ms-client-principal-name"
ID_HEADER = "x-ms-client-principal-id"
PROVIDER_HEADER = "x-ms-client-principal-idp"
CLAIMS_HEADER = "x-ms-client-principal"
ENTRA = "aad"  # the provider's name in the header; names from other providers prove nothing about users of the tenant


def platform_authenticates(environment: Mapping[str, str]) -> bool:
    """Whether this process runs behind App Service authentication. Args: environment: of the process."""
    is_on = environment.get("WEBSITE_AUTH_ENABLED", "").casefold() == "true"
    return is_on and bool(environment.get("WEBSITE_SITE_NAME"))


def find_signed_in_user(headers: Mapping[str, str]) -> str | None:
    """The name of the user signed in with Entra ID; the object id if there is no name, as for apps; else None.

    App Service removes these headers from requests and sets them itself.
    https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities
    """
    claims = _claims(headers.get(CLAIMS_HEADER, ""))
    if claims is None or headers.get(PROVIDER_HEADER, ENTRA).casefold() != ENTRA:
        return None
    for header in (NAME_HEADER, ID_HEADER):
        principal = to_principal(headers.get(header, ""))
        if principal != ANONYMOUS:
            return principal
    return None


def _claims(encoded: str) -> list[object] | None:
    """The claims of Entra ID; None if there are no readable ones."""
    try:
        found = json.loads(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return None
    if not isinstance(found, dict) or found.get("auth_typ") != ENTRA:
        return None
    claims = found.get("claims")
    return claims if isinstance(claims, list) else None


Mode = Literal["none", "api_keys", "functions", "entra"]
Server = tuple[str, int | None] | None

CHALLENGE = 'Bearer realm="plumbline"'
SIGN_IN = f'{CHALLENGE}, authorization_uri="/.auth/login/aad"'  # the sign-in page of App Service
OWN_SITES = ("none", "same-origin")  # values of `Sec-Fetch-Site` for a typed address or a page of this origin
KEY_HEADERS = ("x-api-key", "x-functions-key")  # besides `Authorization: Bearer`; `via` sends the latter


class CallerRequest(Frozen):
    """The input of a policy. Args: server: the local address of the request, in ASGI's form."""

    headers: Mapping[str, str]
    server: Server = None

    @classmethod
    def of(cls, scope: Mapping[str, object]) -> CallerRequest:
        """The context of an ASGI request; the first of repeated headers counts."""
        server = scope.get("server")
        values: dict[str, str] = {}
        for name, value in Headers(scope=dict(scope)).items():
            values.setdefault(name, value)
        return cls(headers=values, server=(str(server[0]), server[1]) if isinstance(server, tuple | list) else None)


# The principal of a request. Raises NotAuthenticated, NotPermitted, AccessInvalid.
Policy = Callable[[CallerRequest], str]


def _trust_front_end(request: CallerRequest, *, trusted: bool) -> str:
    """A front end authenticates callers; `trusted`: whether its `x-ms-client-principal-name` is trusted."""
    return to_principal(request.headers.get(NAME_HEADER, "")) if trusted else ANONYMOUS


def _admit_this_machine(request: CallerRequest, *, trusted: bool, pages: tuple[str, ...]) -> str:
    """Without authentication, only this machine may call, but not foreign pages in its browser.

    A page of another site can send requests to loopback. With a name that it points there, it can even read the answers
    (DNS rebinding). In both cases the headers reveal the origin. A GET for an image or a script has no `Origin`; its
    origin is in `Referer` or, if the page suppresses that, `Sec-Fetch-Site`. `pages`: other origins that may send
    requests. A `trusted` front end that names callers has checked the host itself.
    """
    address, port = request.server or ("", None)
    if port is not None and not is_loopback(address):
        raise NotPermitted(
            "Without authentication, only this machine may send requests. Set PLUMBLINE_AUTH to api_keys."
        )
    host = request.headers.get("host", "")
    if not trusted and not is_loopback(host_of(host)):
        raise NotPermitted("Without authentication, use the address 127.0.0.1 or localhost, or set PLUMBLINE_AUTH.")
    if not _may_ask(request.headers, (*pages, f"http://{host}", f"https://{host}")):
        raise NotPermitted("Pages of other origins may not send requests. Add allowed ones to PLUMBLINE_CORS_ORIGINS.")
    return _trust_front_end(request, trusted=trusted)


def _may_ask(headers: Mapping[str, str], pages: tuple[str, ...]) -> bool:
    """Whether a request comes from no page, or from a page of these origins."""
    origin = headers.get("origin", "") or origin_of(headers.get("referer", ""))
    if origin:
        return origin in pages
    return headers.get("sec-fetch-site", "none").strip().casefold() in OWN_SITES


def _ask_for_key(request: CallerRequest, keys: KeyRing) -> str:
    """Identify the caller by API key."""
    key = _key_of(request.headers)
    if not key:
        raise NotAuthenticated("Send an API key: `Authorization: Bearer KEY`, or `x-api-key: KEY`.", CHALLENGE)
    owner = keys.owner(key)
    if owner is None:
        raise NotAuthenticated(
            "This API key is unknown, or has expired. Ask the operator of this service for another.",
            f'{CHALLENGE}, error="invalid_token"',
        )
    return owner


def _ask_for_sign_in(request: CallerRequest) -> str:
    """Identify a caller signed in with Entra ID, through App Service authentication."""
    found = find_signed_in_user(request.headers)
    if found is None:
        raise NotAuthenticated("Sign in with Entra ID, or send one of its tokens: `Authorization: Bearer`.", SIGN_IN)
    return found


class Access:
    """The access checks before a route is called. `pages`: origins whose pages may send requests."""

    def __init__(
        self, mode: Mode, policy: Policy, *, limiter: RateLimiter | None = None, pages: tuple[str, ...] = ()
    ) -> None:
        self.mode, self.policy, self.limiter, self.pages = mode, policy, limiter, pages

    @property
    def sends_cookies(self) -> bool:
        """Whether a page authenticates with a cookie, which a browser sends only to its own origin."""
        return self.mode == "entra"


def build_closed_access() -> Access:
    """Access if the settings are invalid: only the keys of the Functions host admit callers, as by default."""
    return Access("functions", partial(_trust_front_end, trusted=False))


def function_level(settings: Settings | None, route_level: str) -> str:
    """The authorization level of an Azure function. `settings`: None if they are invalid.

    If this process authenticates callers, the host must let them through: it would refuse their keys.
    """
    return "ANONYMOUS" if settings is not None and settings.auth in ("api_keys", "entra") else route_level


def build_access(
    settings: Settings,
    *,
    in_functions: bool = False,
    environment: Mapping[str, str] | None = None,
    store: Callable[[], StateStore] | None = None,
) -> Access:
    """Build the access checks of the settings. `store` opens the state store. Raises AccessInvalid."""
    mode: Mode = "functions" if in_functions and settings.auth == "none" else settings.auth
    pages = origins(settings.cors_origins)
    if "*" in pages and mode in ("none", "entra"):
        raise AccessInvalid(
            "PLUMBLINE_CORS_ORIGINS may be `*` only with API keys. Otherwise any page could send requests in "
            "the name of its visitor. List the origins."
        )
    if settings.trust_principal_header and "*" in pages:
        raise AccessInvalid("PLUMBLINE_CORS_ORIGINS may not be `*` behind a front end that signs people in.")
    keep = store or partial(build_store, settings)
    limiter = RateLimiter(Rate.parse(settings.rate_limit), keep) if settings.rate_limit else None
    policy = _policy(mode, settings, pages, os.environ if environment is None else environment, in_functions)
    return Access(mode, policy, limiter=limiter, pages=pages)


def _policy(
    mode: Mode, settings: Settings, pages: tuple[str, ...], environment: Mapping[str, str], in_functions: bool
) -> Policy:
    if mode == "api_keys":
        listed = settings.api_keys.get_secret_value() if settings.api_keys else ""
        keys = KeyRing(listed, settings.api_keys_file and settings.api_keys_file.expanduser())
        return partial(_ask_for_key, keys=keys)
    if mode == "entra":
        if not platform_authenticates(environment):
            raise AccessInvalid(
                "PLUMBLINE_AUTH is entra, but this process does not run in App Service or Azure Functions with "
                "authentication on. Otherwise anyone could send the headers that name the caller. Turn it on "
                "there, or set PLUMBLINE_AUTH to api_keys."
            )
        return _ask_for_sign_in
    if mode == "functions":
        if not in_functions:
            raise AccessInvalid(
                "PLUMBLINE_AUTH is functions, but only the Azure Functions host checks its keys. Set PLUMBLINE_AUTH to "
                "api_keys here."
            )
        return partial(_trust_front_end, trusted=settings.trust_principal_header)
    return partial(_admit_this_machine, trusted=settings.trust_principal_header, pages=pages)


def check_host(settings: Settings, host: str) -> None:
    """Refuse to listen to other machines without authentication. Raises AccessInvalid. Args: host: empty: all."""
    if settings.auth == "none" and not is_loopback(host):
        raise AccessInvalid(
            f"Other machines could reach {host or 'every address'}, without authentication. Make a key "
            "with `python -m agent key NAME`, set PLUMBLINE_AUTH=api_keys and PLUMBLINE_API_KEYS to the line that it "
            "prints, or listen on 127.0.0.1."
        )


def _key_of(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and token.strip():
        return token.strip()
    return next((headers[name].strip() for name in KEY_HEADERS if headers.get(name, "").strip()), "")
