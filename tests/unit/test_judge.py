"""The judge stays a judge: reason first, a no leads to another round, three at most, and its word is a feature."""

from __future__ import annotations

import pytest
from shop_questions import Ask

from agent.core.models import Candidate
from agent.pipeline.confidence.calibration import features_of, of_profile
from agent.pipeline.steps.consensus import evidence_of
from agent.pipeline.steps.generate import reply_schema
from agent.pipeline.steps.judge import _SHAPES
from agent.platform.config.profiles import PROFILES, confirmation
from executors.base import QueryResult
from testbed.scripted_model import ScriptedModel


async def test_a_no_leads_to_another_round_with_its_reason_and_the_third_is_the_last(
    ask: Ask, model: ScriptedModel
) -> None:
    reasons = ["names, not a number", "still no number", "no number at all"]
    for sql, reason in zip(("SELECT name", "SELECT country", "SELECT name, country"), reasons, strict=True):
        model.replies(sql=f"{sql} FROM customers")
        model.replies(correct=False, reason=reason)

    answer = await ask("How many customers are there?", enable_answer=False)

    assert answer.attempts == 3
    assert [it.verdict and it.verdict.reason for it in answer.attempt_history] == reasons
    assert not answer.verified
    assert answer.needs_human_review
    for shown in ("How many customers are there?", "SELECT name FROM customers", "Ada", "customer_id"):
        assert shown in model.asked[1].text, "question, query, rows and schema"
    assert all(reason in model.asked[2].tail for reason in reasons[:1])
    assert all(reason in model.asked[4].tail for reason in reasons[:2]), "no earlier attempt is forgotten"


@pytest.mark.parametrize("kind", _SHAPES)
def test_the_reason_is_written_before_the_verdict(kind: str) -> None:
    properties = reply_schema("verdict", _SHAPES[kind]).schema_["properties"]
    assert isinstance(properties, dict)
    *reasons, last = properties
    assert reasons
    assert last == "correct"


def test_drafts_vote_where_the_judge_cannot_tell_right_from_wrong() -> None:
    """The embedded model as judge refuses few wrong queries (docs/decisions); hosted ones tell."""
    who = {name: confirmation(profile, None) for name, profile in PROFILES.items()}
    assert who["embedded"].second_draft == "judges"
    for name in ("small_hosted", "large_hosted"):
        assert who[name].second_draft != "judges"


def test_its_word_is_a_feature_of_confidence() -> None:
    result = QueryResult(columns=("n",), rows=((3,),))
    chosen = Candidate(sql="SELECT 3", draft=0, source="draft", result=result)
    said = [evidence_of([chosen], chosen, (), judge, 1) for judge in (True, None, False)]
    agreed = [features_of(evidence)["agreement"] for evidence in said]
    assert agreed == [1.0, 0.0, 0.0]
    yes, _, no = (of_profile("hosted").of(evidence) for evidence in said)
    assert yes.confidence is not None
    assert no.confidence is not None
    assert yes.confidence > no.confidence
