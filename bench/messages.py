"""`make bench-messages`: how messages are understood, in six languages over five databases, without a language model.

Small talk, questions about the data, questions for what the data lacks, ambiguous ones and answerable ones are sent to
`POST /api/query` of this process. A scripted model replies with the query of the message, or with `SELECT 1`. Prints
the share of each kind that is recognised, with its 95 % interval, and how many answerable questions get a needless
warning.

No rule, word list or threshold may be fitted to these messages: they would measure nothing any more. `--show` prints
the messages that were taken otherwise, for looking after the shares are noted; `--sets MODULE` reads other messages of
the same shape, as `bench.messages_domains`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from agent.api.app import create_app
from agent.core.usage import Usage
from agent.evaluation.report import wilson
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import Reply

CLARIFIED = "clarification_needed"
OPTIONS = {"enable_answer": False, "reuse_verified": False}


class Message(NamedTuple):
    """A message. kind: its set in `messages_sets.SETS`; sql: the query of the scripted model."""

    kind: str
    language: str
    database: str
    text: str
    sql: str = "SELECT 1 AS one"


class Taken(NamedTuple):
    """How a message was taken.

    status: of the response, or of HTTP. lacks: whether missing data was named; costs: whether that keeps the answer
    from being verified.
    """

    message: Message
    kind: str
    status: str
    lacks: bool
    costs: bool
    reply: str

    @property
    def is_right(self) -> bool:
        """Whether it was taken as its kind should be."""
        asked_back = self.status == CLARIFIED
        match self.message.kind:
            case "small talk":
                return self.kind == "small_talk"
            case "about the data":
                return self.kind == "about_data"
            case "what the data lacks":
                return self.lacks
            case "ambiguous":
                return asked_back and not self.lacks
            case _:
                return self.kind == "query" and not asked_back and self.status != "refused"


class BesideModel:
    """Replaces a language model: replies with the query of the message."""

    name = "beside"

    def __init__(self) -> None:
        self.sql = ""

    async def complete(self, *_: object, **__: object) -> Reply:
        """The same reply to any prompt."""
        return Reply(text=json.dumps({"sql": self.sql}), usage=Usage(model_calls=1))

    async def ready(self) -> None:
        """Nothing is loaded."""

    async def close(self) -> None:
        """Nothing is open."""


def messages_of(sets: Mapping[str, str]) -> list[Message]:
    """The messages of each kind. Raises ValueError: a line is not `language database|message` or `…|message|query`."""
    found: list[Message] = []
    for kind, lines in sets.items():
        for line in lines.strip().splitlines():
            head, *texts = line.split("|", 2)
            language, database = head.split()
            found.append(Message(kind, language, database, *texts))
    return found


async def take_all(messages: Sequence[Message], folder: Path, entries: Mapping[str, object]) -> list[Taken]:
    """Send each message by itself. Args: entries: of the registry."""
    (folder / "databases.yaml").write_text(json.dumps(entries), encoding="utf-8")
    settings = Settings(
        registry=folder / "databases.yaml",
        state_dir=folder / "state",
        cache_dir=folder / "cache",
        profile="embedded",
        second_draft=False,
        enable_evaluation=False,
        max_attempts=1,
    )
    model = BesideModel()
    app = create_app(lambda: build_service(settings, model=model))
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost/api", timeout=None) as client,
    ):
        found: list[Taken] = []
        for message in messages:
            model.sql = message.sql
            found.append(await _take(client, message))
        return found


async def _take(client: httpx2.AsyncClient, message: Message) -> Taken:
    body = {"question": message.text, "database": message.database, "options": OPTIONS}
    response = await client.post("/query", json=body)
    answer: dict[str, Any] = response.json()
    if response.status_code != 200:
        return Taken(message, "", "refused", lacks=False, costs=False, reply=str(answer.get("detail")))
    missing = [it for it in answer["doubts"] if it["rule"] == "missing_data"]
    lacks = bool(missing) or answer["clarification_reason"] == "missing_data"
    costs = any(it["evidence"] == "schema" for it in missing)
    reply = missing[0]["detail"] if missing else answer["answer"]
    return Taken(message, answer["kind"], answer["status"], lacks, costs, reply)


def report(found: Sequence[Taken]) -> str:
    """A table of shares, and lines of warnings: needless ones, and those that keep an answer from being verified."""
    lines = ["| messages | taken as such | 95 % |", "|---|---|---|"]
    for kind in dict.fromkeys(it.message.kind for it in found):
        right = [it.is_right for it in found if it.message.kind == kind]
        lines.append(_row(kind, sum(right), len(right)))
    answerable = [it for it in found if it.message.kind == "answerable"]
    if answerable:
        for label, count in (
            ("with a needless warning", sum(it.lacks for it in answerable)),
            ("with one that keeps the answer from being verified", sum(it.costs for it in answerable)),
        ):
            lines.append(_row(f"answerable, {label}", count, len(answerable)))
    lacking = [it for it in found if it.message.kind == "what the data lacks"]
    if lacking:
        told = sum(it.costs or it.status == CLARIFIED for it in lacking)
        lines.append(_row("what the data lacks, never verified for it", told, len(lacking)))
    return "\n".join(lines)


def _row(label: str, right: int, count: int) -> str:
    low, high = wilson(right, count) or (0.0, 0.0)
    return f"| {count} {label} | {right} ({right / count:.0%}) | {low:.0%} to {high:.0%} |"


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the messages that were not recognised")
    parser.add_argument("--sets", default="bench.messages_sets", help="a module with `SETS` and `write_registry`")
    wanted = parser.parse_args()
    module = importlib.import_module(wanted.sets)
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = asyncio.run(take_all(messages_of(module.SETS), folder, module.write_registry(folder)))
    print(report(found))
    if wanted.show:
        for it in found:
            if not it.is_right or (it.message.kind == "answerable" and it.lacks):
                reply = it.reply.replace("\n", " / ")[:160]
                print(f"{' · '.join(it.message)} → {it.kind or '-'} {it.status}: {reply}")


if __name__ == "__main__":
    main()
