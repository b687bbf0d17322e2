"""A race between libraries, kept out of both clients of OpenAI's protocol."""

from __future__ import annotations

from contextlib import suppress


def load_httpx() -> None:
    """Load `httpx` before the first request goes out, where it is installed.

    The openai package looks whether that module is loaded and uses it if so. Chroma loads it in another thread, and a
    request that goes out meanwhile fails with an AttributeError, for it meets half a module. Who imports it waits.
    """
    with suppress(ImportError):
        import httpx  # noqa: F401
