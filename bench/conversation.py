"""docs/conversation.md: twelve turns with the sample shop, by today's code and a scripted model.

    python -m bench.conversation

Queries, whole questions and sentences are those that the embedded model once gave (bench/conversation.json); one query
got an ORDER BY, for DuckDB's groups come in any order. The judge agrees with each query. All else is computed: what is
asked back, repairs, the check of each sentence, `verified`.
`make conversation` asks the embedded model itself, which takes minutes and differs from run to run.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Unpack

from agent.core.callers import LOCAL
from agent.core.usage import Usage
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatRequest, Message, Reply
from agent.present.terminal import Transcript
from testbed.service_process import ROOT
from testbed.tireless_model import TirelessModel, reply_to, wants_sentence

PAGE = ROOT / "docs" / "conversation.md"
DATABASE = "shop"


class Turn(NamedTuple):
    """One message and what the model replied. question: the whole question; sql, sentence: empty if the model was not
    asked.
    """

    message: str
    question: str = ""
    sql: str = ""
    sentence: str = ""


class RecordedModel(TirelessModel):
    """Replies as in `turn`, which the caller sets before each message."""

    name = "recorded"
    turn = Turn("")

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The recorded reply of this step."""
        schema, prompt = request.get("schema"), messages[-1].content
        if wants_sentence(messages):
            text = self.turn.sentence
        elif schema is not None and schema.name == "verdict":
            text = reply_to(prompt, "verdict")
        elif "Complete question:" in prompt:
            text = self.turn.question or self.turn.message
        else:
            text = f"```sql\n{self.turn.sql}\n```"
        return Reply(text=text, usage=Usage(model_calls=1))


def recorded() -> list[Turn]:
    """The turns, in order."""
    return [Turn(**it) for it in json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))]


async def replay(folder: Path) -> str:
    """The conversation as Markdown. Args: folder: for the index and the state."""
    model, lines = RecordedModel(), Transcript(DATABASE, costs=False)
    settings = Settings(
        registry=ROOT / "databases.yaml", state_dir=folder / "state", cache_dir=folder / "cache", profile="embedded"
    )
    service = build_service(settings, model=model)
    try:
        await service.index(DATABASE, LOCAL)
        session = await service.start_session(DATABASE, LOCAL)
        for turn in recorded():
            model.turn = turn
            lines.add(turn.message, await service.query(turn.message, DATABASE, session_id=session.id, principal=LOCAL))
    finally:
        await service.close()
    return str(lines)


def page(conversation: str) -> str:
    """The stored page, with this conversation in place of its own."""
    head = re.split(r"^Database: ", PAGE.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    return head + conversation


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="plumbline-conversation-") as folder:
        PAGE.write_text(page(asyncio.run(replay(Path(folder)))), encoding="utf-8")


if __name__ == "__main__":
    main()
