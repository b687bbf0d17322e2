"""Tokens of Entra ID: fetched when needed, kept while they last, replaced before they end."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError

from executors.engines.common.servers.tokens import POSTGRESQL_SCOPE, REFRESH_BEFORE_S, CredentialError, TokenSource


class Clerk:
    """A credential that numbers its tokens. Args: lasts_s: seconds for which the next one is good."""

    def __init__(self, lasts_s: float) -> None:
        self.lasts_s = lasts_s
        self.asked: list[tuple[str, ...]] = []
        self.refuses = False

    def get_token(self, *scopes: str, **_: object) -> AccessToken:
        self.asked.append(scopes)
        if self.refuses:
            raise ClientAuthenticationError("no identity was found")
        return AccessToken(f"token {len(self.asked)}", round(time.time() + self.lasts_s))


def test_a_token_is_fetched_when_it_is_needed_and_kept() -> None:
    clerk = Clerk(3600)
    source = TokenSource(POSTGRESQL_SCOPE, clerk)
    assert clerk.asked == []

    assert [source.get(), source.get()] == ["token 1", "token 1"]
    assert clerk.asked == [(POSTGRESQL_SCOPE,)]


@pytest.mark.parametrize("lasts_s, why", [
    (REFRESH_BEFORE_S - 10, "it ends too soon to log in with it"),
    (-10, "it has ended"),
])  # fmt: skip
def test_a_token_is_replaced_before_it_ends(lasts_s: float, why: str) -> None:
    clerk = Clerk(lasts_s)
    source = TokenSource(POSTGRESQL_SCOPE, clerk)

    assert [source.get(), source.get()] == ["token 1", "token 2"], why


def test_threads_that_ask_at_once_cause_one_request() -> None:
    clerk = Clerk(3600)
    source = TokenSource(POSTGRESQL_SCOPE, clerk)
    start = threading.Barrier(8)

    def ask(_: int) -> str:
        start.wait()
        return source.get()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"token 1"}
    assert len(clerk.asked) == 1


def test_a_token_that_still_lasts_is_used_where_no_new_one_is_to_be_had() -> None:
    clerk = Clerk(REFRESH_BEFORE_S - 10)
    source = TokenSource(POSTGRESQL_SCOPE, clerk)
    source.get()
    clerk.refuses = True

    assert source.get() == "token 1"
    clerk.refuses = False
    assert source.get() == "token 3"


@pytest.mark.parametrize("lasts_s", [None, -10])
def test_without_a_token_the_refusal_is_told(lasts_s: float | None) -> None:
    clerk = Clerk(lasts_s or 0)
    source = TokenSource(POSTGRESQL_SCOPE, clerk)
    if lasts_s is not None:
        source.get()
    clerk.refuses = True

    with pytest.raises(CredentialError):
        source.get()
