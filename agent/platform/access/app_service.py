"""The signed-in user, as App Service authentication names it.

The platform removes these headers from what callers send and writes them itself, so they are worth as much as its
presence: `WEBSITE_AUTH_ENABLED` and `WEBSITE_SITE_NAME`, both of which it alone sets.
https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities
https://learn.microsoft.com/azure/app-service/reference-app-settings
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping

from agent.core.callers import ANONYMOUS, to_principal

NAME_HEADER = "x-ms-client-principal-name"
ID_HEADER = "x-ms-client-principal-id"
PROVIDER_HEADER = "x-ms-client-principal-idp"
CLAIMS_HEADER = "x-ms-client-principal"
ENTRA = "aad"  # the provider's name there; a name from any other proves nothing about a user of the tenant


def platform_authenticates(environment: Mapping[str, str]) -> bool:
    """Whether this process runs behind App Service authentication. Args: environment: of the process."""
    is_on = environment.get("WEBSITE_AUTH_ENABLED", "").casefold() == "true"
    return is_on and bool(environment.get("WEBSITE_SITE_NAME"))


def find_signed_in_user(headers: Mapping[str, str]) -> str | None:
    """The name of the user signed in with Entra ID; the object id where there is no name, as of an app; else None."""
    claims = _claims(headers.get(CLAIMS_HEADER, ""))
    if claims is None or headers.get(PROVIDER_HEADER, ENTRA).casefold() != ENTRA:
        return None
    for header in (NAME_HEADER, ID_HEADER):
        principal = to_principal(headers.get(header, ""))
        if principal != ANONYMOUS:
            return principal
    return None


def _claims(encoded: str) -> list[object] | None:
    """The claims of Entra ID; None where there are none that can be read."""
    try:
        found = json.loads(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        return None
    if not isinstance(found, dict) or found.get("auth_typ") != ENTRA:
        return None
    claims = found.get("claims")
    return claims if isinstance(claims, list) else None
