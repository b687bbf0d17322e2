"""One plain call of the same model, for `bench.answer`: the declared tables and the question, nothing else.

    python -m bench.answer_plain

Each line of standard input is an object with `question` and `database`; it is answered by one with the query, when it
was written and when its rows were there, in seconds since the line came, and its tokens. An empty object is answered
by one as soon as the model is loaded. The settings are those of the environment, as the service has them.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.evaluation.baseline import answer_plainly
from agent.pipeline.service import build_service
from agent.platform.config.settings import get_settings


async def main() -> None:
    """Answer lines until there are no more."""
    service = build_service(get_settings())
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            began = time.perf_counter()
            asked = json.loads(line)
            if not asked:
                await service.model.ready()
                print("{}", flush=True)
                continue
            database = await service.databases.get(asked["database"], LOCAL)
            answer = await answer_plainly(service.model, service.settings.row_limit, asked["question"], database)
            rows_s = time.perf_counter() - began
            print(json.dumps(_as_dict(answer, rows_s)), flush=True)
    finally:
        await service.close()


def _as_dict(answer: Answer, rows_s: float) -> dict[str, object]:
    return {
        "status": answer.status,
        "sql": answer.sql,
        "query_s": answer.timings_ms["sql_generator"] / 1000,
        "rows_s": rows_s,
        "usage": answer.usage.model_dump(
            include={"model_calls", "prompt_tokens", "cached_tokens", "completion_tokens"}
        ),
    }


if __name__ == "__main__":
    asyncio.run(main())
