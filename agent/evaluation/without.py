"""The service without one of its parts, to measure what that part is worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from agent.checks.rules.registry import RULES
from agent.core.models import Options
from agent.pipeline.answers.synthesize import Writer
from agent.pipeline.asking import Asking
from agent.pipeline.drafts.generate import Generator
from agent.pipeline.judging.judge import Judge
from agent.pipeline.service import Service

# Parts that a request can switch off, and those that are a choice of the model's profile.
OPTIONS = ("evaluation", "retrieval", "calculator")
PROFILE: Mapping[str, Mapping[str, object]] = {
    "values": {"values": False},
    "examples": {"examples": "off"},
    "plan": {"planner": "off"},
    "repairs": {"repairs": False},
    "second_draft": {"second_draft": "off"},
    "other_schema": {"other_schema": None},
}
PARTS = (*OPTIONS, *PROFILE, *RULES)


def options_without(parts: Collection[str]) -> Options:
    """The options that switch these parts off; parts without an option are left to `asking_without`.

    One query is scored, so one is written: nobody plans several.
    """
    off = {"reuse_verified": False, "plan": False}
    return Options.model_validate(off | {f"enable_{it}": False for it in OPTIONS if it in parts})


def asking_without(service: Service, parts: Collection[str]) -> Asking:
    """A service without these parts, names in `OPTIONS` and `PROFILE` or ids of rules.

    Those with an option are left to the question.
    """
    changes = {name: value for it in parts for name, value in PROFILE.get(it, {}).items()}
    changes["rules_off"] = tuple(it for it in parts if it in RULES)
    whole, settings = service.parts, service.settings
    profile = whole.profile.model_copy(update=changes)
    fewer = replace(
        whole,
        profile=profile,
        generator=Generator(service.model, profile, max_tokens=settings.max_tokens, temperature=settings.temperature),
        judge=Judge(service.judge_model, whole.judge.profile.model_copy(update=changes)),
        writer=Writer(service.model, profile),
    )
    return Asking(fewer, service.router, service.registered, service.sessions, service.people.recorder)
