"""A model that answers at once: an OpenAI endpoint in its own process, which knows the query of each question.

    python -m bench.endpoint CASES.json

Prints its address, and serves until it is ended; `started` runs it for others. Whatever is measured in the
process that asks is that process's own work: a reply costs the endpoint half a millisecond.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse

from bench.synthetic_file import Case
from testbed.embedder import HashingEmbedder
from testbed.openai_replies import completion_of, openai_app

DIMENSION = 384
MODEL = "gpt-4o-mini"  # the name decides the profile
LEANING = "Last message: "  # precedes the message that the prompt of a follow-up wants completed


@contextmanager
def started(cases: Sequence[Case], folder: Path, module: str = "bench.endpoint", *options: str) -> Iterator[str]:
    """The endpoint's base URL while the block runs.

    Args:
        cases: what it knows.
        folder: for the file of cases.
        module, options: another endpoint than this one.
    """
    path = folder / "cases.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    command = [sys.executable, "-m", module, str(path), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101  it is a pipe
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def reply_to(messages: Sequence[Mapping[str, Any]], schema: str, queries: Mapping[str, str]) -> str:
    """The reply that a step of the loop expects: a query, a verdict, or a sentence with the first number of the rows.

    Args:
        messages: the prompt.
        schema: the name of the shape that is asked for; empty for none.
        queries: by question; and by a message that leans on the one before it, the whole question.
    """
    asked = str(messages[-1]["content"])
    if LEANING in asked:
        return queries[asked.rpartition(LEANING)[2].partition("\n")[0].strip()]
    if schema == "verdict":
        return json.dumps({"reason": "The query computes what was asked.", "correct": True})
    if schema == "draft":
        question = asked.rpartition("Question: ")[2].partition("\n")[0].strip()
        return json.dumps({"sql": queries[question], "clarification": None, "choices": []})
    return sentence_of(asked)


def sentence_of(prompt: str) -> str:
    """The rows in a sentence without mistakes. Args: prompt: with the rows in `<data>`."""
    table = prompt.rpartition("<data>")[2].partition("</data>")[0].strip()
    columns, *lines = ([cell.strip() for cell in line.split(" | ")] for line in table.splitlines())
    if not lines:
        return "There is none."
    signs = [" %" if "percent" in name else "" for name in columns]
    rows = [[cell + sign for cell, sign in zip(row, signs, strict=True)] for row in lines]
    if len(rows) == 1 and len(columns) == 1:
        return f"It is {rows[0][0]}."
    return "; ".join(": ".join((row[0], ", ".join(row[1:]))) if row[1:] else row[0] for row in rows) + "."


def _app(queries: Mapping[str, str]) -> Starlette:
    async def chat(request: Request) -> JSONResponse:
        body = await request.json()
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        text = reply_to(body["messages"], schema, queries)
        prompt = sum(len(str(message["content"])) for message in body["messages"]) // 4
        return JSONResponse(completion_of(body, {"content": text}, prompt, len(text) // 4))

    return openai_app(chat, HashingEmbedder(dimension=DIMENSION).embed)


async def serve(app: Starlette) -> None:
    """Serve on a free port of this machine until cancelled; its address is printed first."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else each reply waits 40 ms
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", flush=True)
        await uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none")).serve(sockets=[listening])


if __name__ == "__main__":
    asyncio.run(serve(_app(dict(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))))
