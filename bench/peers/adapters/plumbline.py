"""Plumbline, with its service in the process."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from pydantic import SecretStr

from agent.core.models import Options
from agent.pipeline.service import build_service
from agent.platform.config.pricing import FREE
from agent.platform.config.settings import Settings

DATABASE = "asked"
CALLS = 6  # that a question may wait for
COUNTED = ("model_calls", "prompt_tokens", "cached_tokens", "completion_tokens")


class Peer:
    """See `ask.py`. steps: calls and tokens of all questions so far, by step."""

    def __init__(self, job: dict[str, Any]) -> None:
        folder = Path(job["folder"])
        entry = {"url": job["database"], "docs": [job["docs"]]}
        (folder / "databases.yaml").write_text(json.dumps({DATABASE: entry}), encoding="utf-8")
        settings = Settings(
            registry=folder / "databases.yaml",
            state_dir=folder / "state",
            openai_base_url=job["url"],
            openai_api_key=SecretStr("none"),
            chat_model=job["model"],
            prices={job["model"]: FREE},
            embedding="openai",
            profile="embedded" if job["kind"] == "embedded" else None,
            model_timeout_s=job["timeout_s"],
            request_deadline_s=CALLS * job["timeout_s"],  # the others have none
        )
        self._loop = asyncio.new_event_loop()
        self._service = build_service(settings)
        self._loop.run_until_complete(self._service.warm_up())
        self.steps: dict[str, dict[str, int]] = {}

    def ask(self, question: str) -> str | None:
        """The query of the answer."""
        no_reuse = Options(reuse_verified=False, clarify=False)
        answer = self._loop.run_until_complete(self._service.query(question, DATABASE, options=no_reuse))
        for step, used in answer.usage.by_step.items():
            counts = self.steps.setdefault(step, dict.fromkeys(COUNTED, 0))
            for name in COUNTED:
                counts[name] += getattr(used, name)
        return answer.sql
