"""State in tests: a stand-in for Azure's tables, and a clock for expiry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from manual_clock import Clock

from testbed import azurite
from testbed.azurite import Azurite


@pytest.fixture
def clock() -> Clock:
    """Moved by the test alone."""
    return Clock()


@pytest.fixture(scope="module")
def azurite_server() -> Iterator[Azurite]:
    """Skips the test where Azurite is missing."""
    if reason := azurite.missing():
        pytest.skip(reason)
    with Azurite() as server:
        yield server
