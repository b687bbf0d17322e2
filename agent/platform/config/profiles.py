"""Profiles of models, as data: no other code depends on which model answers.

Where the choices come from: on public questions a 1.5B model wrote right SQL most often from the database's own DDL and
with a plain reply; every structure around the SQL (a JSON object, a plan field before it) cost it accuracy, while its
judge, reason first, refused few right queries. Hosted models lose nothing by structure. What a
figure rests on is in docs/accuracy.md; `python -m agent eval` measures a change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from agent.core.usage import Effort
from agent.platform.config.settings import Settings
from executors.base import Frozen


class Profile(Frozen):
    """How to work with one kind of model.

    reply_format: `sql`: the query alone, in a fence; `json`: an object with query and clarification.
    plan: whether a question whose words say so (why, compare, two questions in one) is planned as several queries.
    planner: `inline`: first field of that object; `separate`: a call of its own; `off`: read from the query's tree.
    examples: past queries as earlier `turns` of the chat, in the reply format, or as `text` in the message, or `off`. A
        small model copies a query that stands beside its question, year and all.
    values: whether the prompt says which stored values and days the question's words mean.
    schema_style: how the schema is written (rag/schema/text.py).
    schema_tokens: the schema's budget in the prompt.
    retry_temperature: of the later attempts, so that a model that repeats itself does not.
    repairs: repair a query that cannot run, and try what schema and data propose in the place of one that runs
        (agent/checks/rules), before the model tries again.
    rules_off: ids of rules to leave out.
    judge: `vetoes`: its no costs another attempt; `advises`: it does not, but the answer is not verified; `off`: not
        asked, only the checks that need no model.
    verdict: how the judge speaks: `reason`: a sentence, then its verdict; `compare`: what was asked and what the query
        computes, then whether they are the same. Asked for a reason, the embedded model finds one to say no.
    second_draft: have the query written again, warmer; other rows leave the answer unverified. `besides` the judge:
        once, where that believes the query; `judges`: in its place, until drafts agree; `off`: not.
    drafts: at most, where they judge.
    other_schema: how the schema is written for every second draft, without samples; None: as for the first. Drafts of
        one prompt agree on what they misread: docs/decisions/second-draft.md.
    writes_lists: whether it writes the sentence for several rows; else that is composed. The embedded model puts values
        beside the wrong names, and the call is saved.
    sentence_tries: how often the sentence is written, the second time with what was wrong, before it is composed. The
        embedded model repeats itself: of 373 sentences 44 were refused, and so were 43 of the second ones.
    answer_prefix: what the writer's prompt begins with. `schema`: the message that all steps share; `own`: a short one,
        the same for every database, so that of a call the question and its row are all that is read.
    placeholders: whether it writes `[[expression | format]]` for what it wants computed.
    speculative_answer: draft the answer while the judge reads.
    timeout_s: for one reply.
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
    retry_temperature: float
    repairs: bool
    rules_off: tuple[str, ...] = ()
    judge: Literal["vetoes", "advises", "off"]
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
    retry_temperature=0.5,
    repairs=True,
    judge="vetoes",
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
    retry_temperature=0.3,
    repairs=True,
    judge="vetoes",
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
    """What confirms a query. See `Profile` for the values."""

    second_draft: Literal["judges", "besides", "off"]
    drafts: int
    judge: Literal["vetoes", "advises", "off"]


def confirmation(writer: Profile, judge: Profile, effort: Effort | None) -> Confirmation:
    """What confirms the query of one question.

    Args:
        writer, judge: the profiles of the models that write and judge.
        effort: `quick`: one draft, confirmed by nothing that asks a model; `balanced`: one confirmation, a second draft
            or the judge; `thorough`: up to five drafts, and the judge where the profile has one. None: as the profile.
    """
    drafts = writer.drafts if writer.second_draft == "judges" else 2
    own = Confirmation(writer.second_draft, drafts, judge.judge)
    if effort == "quick":
        return Confirmation("off", 1, "off")
    if effort == "balanced":
        return own._replace(drafts=2)
    if effort == "thorough":
        second = "besides" if own.second_draft == "off" else own.second_draft
        return own._replace(second_draft=second, drafts=MOST_DRAFTS)
    return own


SMALL_NAMES = ("mini", "nano", "small", "lite", "flash", "haiku", "-7b", "-8b", "-3b", "-1.5b", "0.5b", "-1b")


_SECOND: Mapping[bool | None, str | None] = {None: None, True: "besides", False: "off"}


def choose(settings: Settings, model_name: str) -> Profile:
    """The profile that the settings name, or the one that fits the model; settings win over its single values."""
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
    return profile.model_copy(update={key: value for key, value in wanted.items() if value is not None})
