"""Principals as parts of a record's place."""

from __future__ import annotations

import hashlib


def key_of(principal: str) -> str:
    """A principal as a key of any store: names may be long, and their case means nothing."""
    return hashlib.sha256(principal.casefold().encode()).hexdigest()
