"""Entra ID tokens instead of passwords. They are fetched on demand and renewed before they expire."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, TokenCredential

POSTGRESQL_SCOPE = "https://ossrdbms-aad.database.windows.net/.default"
SQL_SERVER_SCOPE = "https://database.windows.net/.default"
REFRESH_BEFORE_S = 300.0


class CredentialError(Exception):
    """No token could be obtained for a server that requires one."""


class TokenSource:
    """The token of one scope, which is valid for at least `REFRESH_BEFORE_S` more seconds. Thread-safe.
    Args: credential: source of the token; None: managed identity, `az login` and similar."""

    def __init__(self, scope: str, credential: TokenCredential | None = None) -> None:
        self._scope, self._credential = scope, credential
        self._lock = threading.Lock()
        self._token: AccessToken | None = None

    def get(self) -> str:
        """The token. Raises CredentialError: there is no identity, or it was refused."""
        with self._lock:
            if self._token is None or self._get_remaining_s(self._token) < REFRESH_BEFORE_S:
                self._token = self._renew(self._token)
            return self._token.token

    @staticmethod
    def _get_remaining_s(token: AccessToken) -> float:
        return token.expires_on - time.time()

    def _renew(self, old: AccessToken | None) -> AccessToken:
        """A new token. If none can be obtained, the old one as long as it is valid. Raises CredentialError."""
        from azure.core.exceptions import AzureError

        if self._credential is None:
            from azure.identity import DefaultAzureCredential

            self._credential = DefaultAzureCredential()
        try:
            return self._credential.get_token(self._scope)
        except AzureError as error:
            if old is None or self._get_remaining_s(old) <= 0:
                raise CredentialError(str(error)) from error
            return old
