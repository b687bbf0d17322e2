"""The second model: another model's draft confirms the embedded one's query."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from shop_questions import TOTAL, Make

from agent.cli.evaluating import _warn_of_missing_second
from agent.core.answers import Answer
from agent.core.errors import ModelUnavailable
from agent.core.models import Candidate, Options
from agent.evaluation.commands.answers import asking_without
from agent.pipeline.answers.response import unsure_check
from agent.pipeline.confidence.calibration import Sureness, calibration_of, load
from agent.pipeline.service import Service
from agent.pipeline.steps.consensus import Group, evidence_of
from agent.pipeline.steps.generate import SQL_ALONE
from agent.platform.config.settings import Settings
from agent.platform.llm.build import build_second_model
from agent.platform.llm.files.model_specs import MODELS
from agent.platform.llm.wrappers.protected import protect_model
from executors.base import QueryResult
from testbed.scripted_model import ScriptedModel

QUESTION = "What do all orders come to?"
SAME = "SELECT SUM(o.amount) AS s FROM orders AS o"
OTHER = "SELECT SUM(amount) AS s FROM orders WHERE status = 'C'"
BROKEN = "SELECT nonsense FROM orders"
WRONG_ALIAS = "SELECT SUM(orders.amount) AS s FROM orders AS o"  # can be repaired
OTHER_ALIAS = "SELECT MAX(orders.amount) AS s FROM orders AS o"  # as well, and gives other rows
HOSTED: dict[str, Any] = {"openai_api_key": "a key"}


@pytest.fixture
def second() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def service(make_service: Make, second: ScriptedModel) -> AsyncIterator[Service]:
    built = make_service(second_draft=None)
    built.parts.generator.second = second
    yield built
    await built.close()


def drafts_of(model: ScriptedModel) -> list[tuple[str, float]]:
    """The system message and the temperature of each call for a query."""
    return [(call.messages[0].content, call.temperature) for call in model.asked if call.schema_name == SQL_ALONE.name]


def second_draft_of(answer: Answer) -> bool | None:
    (check,) = [it for it in answer.checks if it.name == "second_draft"]
    return check.passed


async def test_two_models_that_agree_settle_it(service: Service, model: ScriptedModel, second: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    second.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop")

    assert (answer.verified, second_draft_of(answer), answer.usage.model_calls) == (True, True, 3)
    ((own, _),), ((read, temperature),) = drafts_of(model), drafts_of(second)
    assert (read, temperature) == (own, 0.0), "it reads the same prompt, and writes what it finds likeliest"


async def test_where_the_models_disagree_the_first_one_writes_more_drafts_in_both_forms(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    for sql in (TOTAL, SAME, TOTAL):
        model.replies(sql=sql)
    second.replies(sql=OTHER)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop", options=Options(candidates=True))

    assert second_draft_of(answer) is True
    assert [list(row.values()) for row in answer.results] == [[460.5]]
    (first, _), (compact, warm), (again, _) = drafts_of(model)
    assert (compact != first, again == first, warm > 0) == (True, True, True)
    assert len(second.asked) == 1


async def test_a_draft_of_the_second_model_that_cannot_be_run_confirms_nothing(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    for _ in range(2):
        second.replies(sql=BROKEN)
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop")

    assert answer.usage.model_calls == 5
    assert answer.confidence is not None
    (told,) = [it.detail for it in answer.checks if it.name == "second_draft"]
    assert told.startswith("2 of 3 independent drafts")


@pytest.mark.parametrize("failed", [BROKEN, WRONG_ALIAS, OTHER_ALIAS])
async def test_the_second_model_writes_again_where_its_draft_cannot_be_run(
    service: Service, model: ScriptedModel, second: ScriptedModel, failed: str
) -> None:
    model.replies(sql=TOTAL)
    second.replies(sql=failed)
    second.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop", options=Options(candidates=True))

    assert (answer.verified, second_draft_of(answer), answer.usage.model_calls) == (True, True, 4)
    (read, likeliest), (again, warm) = drafts_of(second)
    assert (again == read, likeliest, warm > 0) == (True, 0.0, True)
    assert [it.votes for it in answer.candidates] == [2], "the one that cannot be run is no candidate"


async def test_where_another_try_fails_the_repaired_draft_stays_a_candidate(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    second.replies(sql=OTHER_ALIAS)
    second.replies(raises=ModelUnavailable("It has ended."))
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop", options=Options(candidates=True))

    assert sorted((it.source, it.votes) for it in answer.candidates) == [("draft", 2), ("repaired", 0)]


async def test_without_the_second_model_the_first_one_reads_the_other_form_at_once(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    second.replies(raises=ModelUnavailable("It has not been downloaded."))
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop")

    (first, _), (other, _) = drafts_of(model)
    assert (other != first, answer.usage.model_calls, second_draft_of(answer)) == (True, 3, True)


async def test_it_is_asked_also_where_the_first_model_needed_two_tries(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    model.replies(sql=BROKEN)
    model.replies(sql=TOTAL)
    second.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop")

    assert (answer.attempts, second_draft_of(answer), len(second.asked)) == (2, True, 1)


async def test_it_writes_the_draft_beside_a_judge(
    make_service: Make, model: ScriptedModel, second: ScriptedModel
) -> None:
    service = make_service(second_draft=True)
    service.parts.generator.second = second
    second.replies(sql=SAME)
    model.replies(sql=TOTAL)
    model.replies(correct=True)
    model.replies(text="It comes to 460.5.")
    try:
        answer = await service.query(QUESTION, "shop")
    finally:
        await service.close()

    assert (second_draft_of(answer), len(second.asked)) == (True, 1)


async def test_an_unusable_reply_of_it_costs_no_further_one(
    service: Service, model: ScriptedModel, second: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    second.replies(text="I do not know.")
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await service.query(QUESTION, "shop")

    (first, _), (compact, _) = drafts_of(model)
    assert (compact != first, second_draft_of(answer), len(second.asked)) == (True, True, 1)


def test_a_probable_answer_that_nothing_confirms_says_so() -> None:
    told = unsure_check(Sureness(confidence=0.85, sure=False, threshold=0.8), is_doubted=False)
    assert told is not None
    assert (told.passed, told.detail) == (
        False,
        "No judge confirms the rows, nor do other drafts as the model wrote them.",
    )
    assert unsure_check(Sureness(confidence=0.85, sure=True, threshold=0.8), is_doubted=False) is None


async def test_eval_leaves_it_out(service: Service, model: ScriptedModel, second: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")

    answer = await asking_without(service, ["second_model"]).query(QUESTION, "shop")

    assert (second_draft_of(answer), second.asked) == (True, [])


def candidate(value: int, *, draft: int, by_second: bool = False) -> Candidate:
    result = QueryResult(columns=("n",), rows=((value,),))
    return Candidate(sql=f"SELECT {value} -- {draft}", draft=draft, source="draft", by_second=by_second, result=result)


def test_the_first_models_query_is_shown_where_both_give_the_same_rows() -> None:
    small, own = candidate(1, draft=1, by_second=True), candidate(1, draft=2)
    assert Group(candidates=(small, own)).first == own
    assert Group(candidates=(small,)).first == small


def test_its_confirmation_counts_more_than_a_further_draft_of_the_same_model(tmp_path: Path) -> None:
    own = candidate(1, draft=0)

    def of(by_second: bool) -> Any:
        return evidence_of([own, candidate(1, draft=1, by_second=by_second)], own, (), None, 2)

    package = calibration_of(None, "embedded")
    assert package.of(of(by_second=True)).confidence > package.of(of(by_second=False)).confidence
    file = tmp_path / "own.json"
    file.write_text(calibration_file(package.of(of(by_second=False)).threshold))
    assert calibration_of(file, "embedded").of(of(by_second=True)) == load(file).of(of(by_second=False))


def calibration_file(threshold: float | None) -> str:
    from agent.pipeline.confidence.calibration import of_profile

    alone = of_profile("embedded")
    fits = tuple(fit.model_copy(update={"threshold": threshold}) for fit in alone.fits)
    return alone.model_copy(update={"fits": fits}).model_dump_json()


@pytest.mark.parametrize(
    "given, name",
    [
        ({}, MODELS["0.5b"].file.removesuffix(".gguf")),
        ({"embedded_second_model": "none"}, None),
        ({"embedded_model": "0.5b"}, None),
        (HOSTED, None),
    ],
    ids=["beside the larger one", "switched off", "it is the first one", "a hosted model answers"],
)
def test_which_model_is_the_second(given: dict[str, Any], name: str | None) -> None:
    built = build_second_model(Settings(**given))
    assert (built.name if built is not None else None) == name


def test_eval_warns_where_the_second_model_is_missing(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.settings = Settings(cache_dir=tmp_path)
    _warn_of_missing_second(service)
    assert capsys.readouterr().err == "", "another model was given to it"
    second = build_second_model(service.settings)
    assert second is not None
    service.second_model = protect_model(second, service.settings)
    _warn_of_missing_second(service)
    assert "has not been downloaded, so the embedded model confirms its own queries" in capsys.readouterr().err


async def test_a_second_model_that_was_not_downloaded_is_unavailable(tmp_path: Path) -> None:
    built = build_second_model(Settings(cache_dir=tmp_path))
    assert built is not None
    with pytest.raises(ModelUnavailable, match="has not been downloaded"):
        await built.ready()
