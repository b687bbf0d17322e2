"""Reads server-sent events off a response, as they arrive."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2

Told = dict[str, Any]


async def read_events(response: httpx2.Response) -> AsyncIterator[Told]:
    """Each event's data; its `event` is the name that it was sent under as well."""
    name, data = "", ""
    async for line in response.aiter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data += value
        elif not line and data:
            told: Told = json.loads(data)
            assert told["event"] == name
            name, data = "", ""
            yield told


async def read_until(events: AsyncIterator[Told], name: str) -> list[Told]:
    """Events up to the first of that name, or of that node, included."""
    read: list[Told] = []
    async for told in events:
        read.append(told)
        if name in (told["event"], told["node"]):
            return read
    raise AssertionError(f"no {name} among {[told['node'] or told['event'] for told in read]}")
