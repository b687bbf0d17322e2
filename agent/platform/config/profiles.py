"""Profiles of models, as data: no other code depends on which model answers.

The choices come from measurements. On public questions, a 1.5B model wrote correct SQL most often with the database's
own DDL and a plain reply. Every structure around the SQL (a JSON object, a plan field before it) reduced its accuracy,
while its judge, with the reason first, refused few correct queries. Hosted models lose nothing by structure.
docs/accuracy.md has the figures; `python -m agent eval` measures a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from agent.core.usage import Effort
from agent.platform.config.settings import Settings
from executors.base import Frozen


class Profile(Frozen):
    """Settings for one kind of model.

    reply_format: `sql`: only the query, in a fence; `json`: an object with query and clarification.
    plan: whether questions whose words suggest it (why, compare, two in one) are planned as several queries.
    planner: `inline`: first field of that object; `separate`: a separate call; `off`: derived from the query's tree.
    examples: past queries as earlier `turns` of the chat, in the reply format, as `text` in the message, or `off`. A
        small model copies a query that is next to its question, including its year.
    values: whether the prompt states which stored values and days the question's words mean. Otherwise it does so after
        a draft that leaves one out.
    schema_style: how the schema is written (rag/schema/text.py).
    schema_tokens: the schema's budget in the prompt.
    pruned_tokens: the budget of a schema that exceeds `schema_tokens`. Its text depends on the question, so the model
        reads it anew for each: 1,500 tokens take the embedded model half a minute on two cores.
    retry_temperature: temperature of later attempts, so that the model does not repeat itself.
    repairs: whether to repair queries that cannot run, and try alternatives from schema and data to queries that run
        (agent/checks/rules), before the model tries again.
    rules_off: ids of rules to leave out.
    verdict: form of the judge's reply. `reason`: a sentence, then the verdict; `compare`: what was asked, what the
        query computes, then whether they match. Asked for a reason, the embedded model finds one to reject.
    second_draft: whether the query is written again, at a higher temperature. Different rows leave the answer
        unverified. `besides`: once, if the judge accepts; `judges`: instead of the judge, until drafts agree; `off`.
    drafts: maximum number of drafts, if they judge.
    other_schema: form of the schema for every second draft, without samples; None: as for the first. Drafts of
        one prompt share their misreadings: docs/decisions/second-draft.md.
    writes_lists: whether the model writes the sentence for several rows; else it is composed. The embedded model puts
        values next to wrong names, and composing saves a call.
    sentence_tries: how often the sentence is written before it is composed, the second time with the errors. The
        embedded model repeats itself: 44 of 373 sentences were refused, and 43 of their second versions.
    answer_prefix: start of the writer's prompt. `schema`: the message that all steps share; `own`: a short one, the
        same for every database, so that a call reads only the question and its rows.
    placeholders: whether the model writes `[[expression | format]]` for numbers to compute.
    speculative_answer: whether the answer is drafted while the judge runs.
    timeout_s: seconds for one reply.
    rows_shown: rows that the judge and the answer writer read.
    """

    name: str
    reply_format: Literal["sql", "json"]
    plan: bool
    planner: Literal["inline", "separate", "off"]
    examples: Literal["turns", "text", "off"]
    values: bool
    schema_style: Literal["ddl", "compact"]
    schema_tokens: int
    pruned_tokens: int
    retry_temperature: float
    repairs: bool
    rules_off: tuple[str, ...] = ()
    verdict: Literal["reason", "compare"]
    second_draft: Literal["judges", "besides", "off"]
    drafts: int
    other_schema: Literal["ddl", "compact"] | None
    writes_lists: bool
    sentence_tries: int
    answer_prefix: Literal["schema", "own"]
    placeholders: bool
    speculative_answer: bool
    timeout_s: float
    rows_shown: int


EMBEDDED = Profile(
    name="embedded",
    reply_format="sql",
    plan=False,
    planner="off",
    examples="turns",
    values=False,
    schema_style="ddl",
    schema_tokens=2500,
    pruned_tokens=1000,
    retry_temperature=0.5,
    repairs=True,
    verdict="compare",
    second_draft="judges",
    drafts=5,
    other_schema="compact",
    writes_lists=False,
    sentence_tries=1,
    answer_prefix="own",
    placeholders=False,
    speculative_answer=False,
    timeout_s=300,
    rows_shown=8,
)

SMALL_HOSTED = Profile(
    name="small_hosted",
    reply_format="json",
    plan=True,
    planner="off",
    examples="text",
    values=True,
    schema_style="ddl",
    schema_tokens=6000,
    pruned_tokens=6000,
    retry_temperature=0.3,
    repairs=True,
    verdict="reason",
    second_draft="off",
    drafts=2,
    other_schema=None,
    writes_lists=True,
    sentence_tries=2,
    answer_prefix="schema",
    placeholders=True,
    speculative_answer=True,
    timeout_s=15,
    rows_shown=20,
)

LARGE_HOSTED = SMALL_HOSTED.model_copy(update={"name": "large_hosted", "planner": "inline", "rows_shown": 50})

PROFILES = {profile.name: profile for profile in (EMBEDDED, SMALL_HOSTED, LARGE_HOSTED)}

MOST_DRAFTS = 5


class Confirmation(NamedTuple):
    """How a query is confirmed. See `Profile` for the values. asks_judge: whether the judge may be asked."""

    second_draft: Literal["judges", "besides", "off"]
    drafts: int
    asks_judge: bool = True


def confirmation(writer: Profile, effort: Effort | None) -> Confirmation:
    """How the query of one question is confirmed.

    Args:
        writer: the profile of the model that writes.
        effort: `quick`: one draft, not confirmed by a model; `balanced`: one confirmation, a second draft
            or the judge; `thorough`: up to five drafts, and the judge unless drafts judge. None: as in the profile.
    """
    drafts = writer.drafts if writer.second_draft == "judges" else 2
    own = Confirmation(writer.second_draft, drafts)
    if effort == "quick":
        return Confirmation("off", 1, asks_judge=False)
    if effort == "balanced":
        return own._replace(drafts=2)
    if effort == "thorough":
        second = "besides" if own.second_draft == "off" else own.second_draft
        return own._replace(second_draft=second, drafts=MOST_DRAFTS)
    return own


SMALL_NAMES = ("mini", "nano", "small", "lite", "flash", "haiku", "-7b", "-8b", "-3b", "-1.5b", "0.5b", "-1b")


_SECOND: Mapping[bool | None, str | None] = {None: None, True: "besides", False: "off"}


def choose(settings: Settings, model_name: str) -> Profile:
    """The profile of the settings, or the one for the model. Single settings override its values."""
    if settings.profile is not None:
        profile = PROFILES[settings.profile]
    elif not settings.is_hosted:
        profile = EMBEDDED
    else:
        small = any(part in model_name.lower() for part in SMALL_NAMES)
        profile = SMALL_HOSTED if small else LARGE_HOSTED
    wanted = {
        "plan": settings.plan,
        "planner": settings.planner,
        "second_draft": _SECOND[settings.second_draft],
        "schema_tokens": settings.schema_tokens,
        "timeout_s": settings.model_timeout_s,
        "speculative_answer": settings.speculative_answer,
    }
    chosen = profile.model_copy(update={key: value for key, value in wanted.items() if value is not None})
    return chosen.model_copy(update={"pruned_tokens": min(chosen.pruned_tokens, chosen.schema_tokens)})
