"""A process that answers messages of sessions, as a service does, in the store that the environment names.

    python session_client.py talk SESSIONS CLIENT...   each client sends one message to each session, all at once
    python session_client.py stop SESSION idle|busy    answers one message, says so, and waits to be killed

Each answer has the number of exchanges at the start of its turn.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import nullcontext

from agent.people.sessions.sessions import SessionMessage, Sessions
from agent.platform.config.settings import Settings
from agent.platform.storage.build import build_store

PRINCIPAL = "ada@example.org"
LEASE_S = 2.0  # where a process is killed, and another waits for its turn to lapse


async def answer(sessions: Sessions, session_id: str, client: str) -> None:
    """One message in its turn."""
    async with sessions.turn(session_id, PRINCIPAL):
        before = await asyncio.to_thread(sessions.get, session_id, PRINCIPAL, whole=True)
        said = (
            SessionMessage(role="user", content=f"{client} to {session_id}"),
            SessionMessage(role="assistant", content=f"{len(before.exchanges)}"),
        )
        await asyncio.to_thread(sessions.append, session_id, PRINCIPAL, said)


async def talk(sessions: Sessions, session_ids: list[str], clients: list[str]) -> None:
    """All clients at once; each begins with another session, and so meets the others at all of them."""

    async def one(client: str) -> None:
        first = int(client) * 2 % len(session_ids)
        for session_id in session_ids[first:] + session_ids[:first]:
            await answer(sessions, session_id, client)

    await asyncio.gather(*map(one, clients))


async def stop(sessions: Sessions, session_id: str, how: str) -> None:
    """Answer one message; then nothing more happens, outside of a turn or in the next one."""
    await answer(sessions, session_id, "first")
    async with sessions.turn(session_id, PRINCIPAL) if how == "busy" else nullcontext():
        print("answered", flush=True)
        await asyncio.Event().wait()


async def main(command: str, sessions: str, *arguments: str) -> None:
    store = build_store(Settings())
    if command == "talk":  # with the lease that services have: a process on a busy machine may pause for seconds
        await talk(Sessions(store, timeout_s=3600), sessions.split(","), list(arguments))
    else:
        await stop(Sessions(store, timeout_s=3600, lease_s=LEASE_S), sessions, *arguments)
    store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
