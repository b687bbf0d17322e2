"""Voting drafts: their number, the chosen rows, and the confirmation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from shop_questions import TOTAL, Make

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.events import Repairing
from agent.core.models import Options
from agent.core.usage import Effort
from agent.pipeline.confidence.calibration import of_profile
from agent.pipeline.rounds.run import CHOSEN
from agent.pipeline.rounds.voting import REPAIRS
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

COUNT = "SELECT COUNT(*) AS n FROM customers"
SAME = "SELECT SUM(o.amount) AS s FROM orders AS o"
OTHER = "SELECT SUM(amount) AS s FROM orders WHERE status < 'D'"
THIRD = "SELECT SUM(amount) AS s FROM orders WHERE status > 'T'"
WRONG_ALIAS = "SELECT SUM(orders.amount) AS s FROM orders AS o"  # repaired, it gives the total
BROKEN = "SELECT nonsense FROM orders"
COUNTRY = "SELECT country FROM customers GROUP BY country ORDER BY COUNT(*) DESC LIMIT 1"
COUNTED = "SELECT country, COUNT(*) AS n FROM customers GROUP BY country ORDER BY n DESC LIMIT 1"
STATUS = "SELECT status FROM orders GROUP BY status ORDER BY COUNT(*) DESC LIMIT 1"


def second_drafts(answer: Answer) -> list[bool | None]:
    return [check.passed for check in answer.checks if check.name == "second_draft"]


@pytest.fixture
async def voting(make_service: Make) -> AsyncIterator[Service]:
    """Has drafts vote as its profile does: in the place of a judge."""
    built = make_service(second_draft=None)
    yield built
    await built.close()


@pytest.mark.parametrize(
    "drafts, passed, verified, rows, why",
    [
        ([TOTAL, SAME], True, True, 460.5, "two of two agree: no third is written"),
        ([TOTAL, OTHER, SAME, TOTAL], True, True, 460.5, "three of four"),
        ([TOTAL, OTHER, SAME, OTHER, TOTAL], True, True, 460.5, "three of five"),
        ([TOTAL, OTHER, OTHER, OTHER], True, True, 360.5, "the first one is outvoted"),
        ([TOTAL, OTHER, THIRD, BROKEN, BROKEN], False, False, 460.5, "no two agree, and the first stays"),
        ([TOTAL, WRONG_ALIAS, BROKEN, BROKEN, BROKEN], None, False, 460.5, "what was repaired votes for nobody"),
        ([TOTAL, WRONG_ALIAS, WRONG_ALIAS], None, False, 460.5, "three alike settle it, and two of them have no vote"),
        ([WRONG_ALIAS, TOTAL, SAME], True, True, 460.5, "two as they were written confirm a repaired one's rows"),
        ([WRONG_ALIAS, WRONG_ALIAS], None, False, 460.5, "two repaired alike settle it, without a vote"),
        ([WRONG_ALIAS, BROKEN, WRONG_ALIAS], None, False, 460.5, "what cannot be run contradicts nobody"),
        ([WRONG_ALIAS, OTHER, WRONG_ALIAS, BROKEN, BROKEN], None, False, 460.5, "one vote is no agreement"),
    ],
)
async def test_drafts_vote_until_they_agree(
    voting: Service,
    model: ScriptedModel,
    drafts: list[str],
    passed: bool | None,
    verified: bool,
    rows: float,
    why: str,
) -> None:
    for sql in drafts:
        model.replies(sql=sql)
    if passed is not False:
        model.replies(text=f"It comes to {rows}.")

    answer = await voting.query("What do all orders come to?", "shop", options=Options(candidates=True))

    assert second_drafts(answer) == [passed], why
    assert answer.verified is verified, why
    assert [list(row.values()) for row in answer.results] == [[rows]], why
    assert answer.usage.model_calls == len(drafts) + (passed is not False), why
    assert answer.candidates[0].results == answer.results, "the chosen result comes first"
    assert sum(it.votes for it in answer.candidates) == sum(it not in (BROKEN, WRONG_ALIAS) for it in drafts), why


async def test_a_draft_that_only_spells_names_otherwise_votes(
    settings: Settings, model: ScriptedModel, tmp_path: Path
) -> None:
    """The headers of files have blanks, which small models drop or do not quote."""
    (tmp_path / "plots.csv").write_text("Plot No,Site Code,Size (sq m)\n1,HL,120\n2,HL,80\n3,MB,95\n", encoding="utf-8")
    registry = tmp_path / "own.yaml"
    registry.write_text("own: {url: plots.csv}\n", encoding="utf-8")
    service = build_service(settings.model_copy(update={"registry": registry, "second_draft": None}), model=model)
    model.replies(sql="SELECT SUM(Size_sq_m) FROM plots WHERE Site_Code = 'HL'")
    model.replies(sql="SELECT SUM(Size (sq m)) AS Total Size FROM plots WHERE plots.Site Code = 'HL'")
    try:
        answer = await service.query("What is the total size at HL?", "own", options=Options(candidates=True))
    finally:
        await service.close()

    assert second_drafts(answer) == [True]
    assert [list(row.values()) for row in answer.results] == [[200]]
    assert answer.sql == 'SELECT SUM("Size (sq m)") FROM plots WHERE "Site Code" = \'HL\''
    assert [(it.source, it.votes) for it in answer.candidates] == [("draft", 2)]
    assert answer.attempts == 1


async def test_a_confidence_below_the_threshold_is_a_check_of_its_own(
    make_service: Make, model: ScriptedModel, tmp_path: Path
) -> None:
    fitted, path = of_profile("hosted"), tmp_path / "strict.json"
    fits = tuple(fit.model_copy(update={"threshold": 0.999}) for fit in fitted.fits)
    path.write_text(fitted.model_copy(update={"fits": fits}).model_dump_json())
    service = make_service(second_draft=None, calibration=path)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(text="It comes to 460.5.")
    try:
        answer = await service.query("What do all orders come to?", "shop")
    finally:
        await service.close()

    failed = [check for check in answer.checks if not check.passed]
    assert not answer.verified
    assert [check.name for check in failed] == ["confidence"]
    assert "answers are verified from 99.9% on." in failed[0].detail
    assert failed[0].detail.endswith("Read the query before you use the rows, or ask in other words.")


@pytest.mark.parametrize(
    "drafts, attempts, counted",
    [([COUNTED, COUNTRY], 2, 1), ([COUNTRY, COUNTED], 1, 1), ([STATUS, COUNTED, COUNTRY, COUNTRY], 2, 1)],
)
async def test_a_draft_without_an_unasked_count_is_chosen_and_has_the_votes_of_those_with_it(
    voting: Service, model: ScriptedModel, drafts: list[str], attempts: int, counted: int
) -> None:
    for sql in drafts:
        model.replies(sql=sql)

    answer = await voting.query("What is the most common country?", "shop", options=Options(candidates=True))

    votes, all_drafts = counted + drafts.count(COUNTRY), len(drafts)
    (told,) = [check.detail for check in answer.checks if check.name == "second_draft"]
    assert told == (
        f"{votes} of {all_drafts} independent drafts give these rows, "
        f"{counted} of them beside a count that nobody asked for."
    )
    assert answer.results == [{"country": "DE"}]
    assert answer.verified
    assert (answer.attempts, answer.usage.model_calls, answer.doubts) == (attempts, all_drafts, [])
    assert (answer.candidates[0].votes, answer.candidates[0].columns) == (votes, ["country"])


async def test_the_history_says_why_a_query_with_an_unasked_count_gave_way(
    voting: Service, model: ScriptedModel
) -> None:
    model.replies(sql=COUNTED)
    model.replies(sql=COUNTRY)

    answer = await voting.query("What is the most common country?", "shop")

    first, second = answer.attempt_history
    assert first.verdict is not None
    assert first.verdict.reason == "Another draft shows the same without a count that nobody asked for."
    assert second.note == "What other drafts also show is left out: a count nobody asked for."
    assert answer.sql == second.sql


@pytest.mark.parametrize(
    "question, drafts, passed",
    [
        ("What is the most common country?", [COUNTED, COUNTED], True),  # no draft shows it without the count
        ("What is the most common country, and how many have it?", [COUNTED, COUNTRY, COUNTED, COUNTED], True),
        ("What is the most common country?", [COUNTED, STATUS, THIRD, BROKEN, BROKEN], False),
    ],
)
async def test_a_count_stays_if_it_is_asked_for_or_in_every_draft(
    voting: Service, model: ScriptedModel, question: str, drafts: list[str], passed: bool
) -> None:
    for sql in drafts:
        model.replies(sql=sql)
    if passed:
        model.replies(text="DE: 2 customers.")

    answer = await voting.query(question, "shop")

    assert answer.results == [{"country": "DE", "n": 2}]
    assert second_drafts(answer) == [passed]
    assert answer.attempts == 1


async def test_no_further_draft_is_announced_where_others_agree(voting: Service, model: ScriptedModel) -> None:
    for sql in (TOTAL, OTHER, OTHER, OTHER):
        model.replies(sql=sql)
    model.replies(text="It comes to 360.5.")

    events = [event async for event in voting.events("What do all orders come to?", "shop", principal=LOCAL)]

    assert [event.hint for event in events if isinstance(event, Repairing)] == [CHOSEN]
    assert len(model.asked) == 5, "four drafts and a sentence"


async def test_drafts_that_had_to_be_repaired_are_counted(voting: Service, model: ScriptedModel) -> None:
    model.replies(sql=WRONG_ALIAS)
    model.replies(sql=TOTAL)
    model.replies(sql=WRONG_ALIAS)
    model.replies(text="It comes to 460.5.")

    answer = await voting.query("What do all orders come to?", "shop")

    (told,) = [check.detail for check in answer.checks if check.name == "second_draft"]
    assert told == f"3 drafts give these rows, but only 1 of them ran as written. {REPAIRS}"


@pytest.mark.parametrize(
    "effort, drafts, verified",
    [
        ("balanced", [TOTAL, SAME], True),
        ("balanced", [TOTAL, OTHER], False),
        ("thorough", [TOTAL, OTHER, SAME, TOTAL], True),
    ],
)
async def test_effort_bounds_the_drafts(
    voting: Service, model: ScriptedModel, effort: Effort, drafts: list[str], verified: bool
) -> None:
    for sql in drafts:
        model.replies(sql=sql)
    if verified:
        model.replies(text="It comes to 460.5.")

    answer = await voting.query("What do all orders come to?", "shop", options=Options(effort=effort))

    assert [list(row.values()) for row in answer.results] == [[460.5]]
    assert (answer.verified, answer.usage.model_calls) == (verified, len(drafts) + verified)


async def test_quick_is_one_call_of_the_embedded_model(voting: Service, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)

    answer = await voting.query("What do all orders come to?", "shop", options=Options(effort="quick"))

    assert "460.5" in answer.answer
    assert (answer.answer_source, answer.verified, answer.usage.model_calls) == ("composed", False, 1)


@pytest.mark.parametrize(
    "effort, replies, verified",
    [
        ("balanced", [{"sql": TOTAL}, {"correct": True, "reason": "the sum"}], True),
        ("thorough", [{"sql": TOTAL}, {"sql": SAME}, {"correct": True, "reason": "the sum"}], True),
    ],
)
async def test_effort_with_a_judge(
    make_service: Make, model: ScriptedModel, effort: Effort, replies: list[dict[str, Any]], verified: bool
) -> None:
    service = make_service(second_draft=False)
    for reply in replies:
        model.replies(**reply)
    model.replies(text="It comes to 460.5.")

    answer = await service.query("What do all orders come to?", "shop", options=Options(effort=effort))

    assert (answer.verified, answer.usage.model_calls) == (verified, len(replies) + 1)
    await service.close()


async def test_the_plain_case_costs_three_calls_and_later_drafts_are_warm(
    voting: Service, model: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    model.replies(sql=TOTAL)
    model.replies(text="All orders together come to 460.5.")

    answer = await voting.query("What do all orders come to?", "shop")

    assert (answer.verified, answer.attempts, answer.usage.model_calls) == (True, 1, 3)
    assert [asked.temperature for asked in model.asked[:2]] == [0, voting.parts.profile.retry_temperature]
    assert answer.candidates == [], "nobody asked for them"


async def test_every_second_draft_reads_the_schema_in_another_form(voting: Service, model: ScriptedModel) -> None:
    for sql in (TOTAL, OTHER, THIRD, SAME, TOTAL):
        model.replies(sql=sql)
    model.replies(text="All orders together come to 460.5.")

    await voting.query("What do all orders come to?", "shop")

    first, second, third, fourth, fifth = [asked.messages[0].content for asked in model.asked[:5]]
    assert first == third == fifth
    assert second == fourth
    assert "CREATE TABLE" in first
    assert "CREATE TABLE" not in second
    assert "orders(order_id INTEGER PK" in second
    assert "e.g. " in first
    assert "e.g. " not in second
    asked = [[message.content for message in asked.messages[1:]] for asked in model.asked[:5]]
    assert all(it == asked[0] for it in asked), "the question is put in the same words"


async def test_where_a_profile_has_no_other_form_all_drafts_read_the_same(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service(second_draft=True, profile="small_hosted", speculative_answer=False)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")

    answer = await service.query("What do all orders come to?", "shop")

    assert second_drafts(answer) == [True]
    assert model.asked[0].messages == model.asked[1].messages
    await service.close()


async def test_what_is_written_anew_is_never_cooler_than_the_first(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=None, temperature=1.3)
    for sql in ("SELECT nope FROM orders", "SELECT nope FROM orders", TOTAL, TOTAL):  # twice, then anew; the second
        model.replies(sql=sql)
    model.replies(text="All orders together come to 460.5.")

    await service.query("What do all orders come to?", "shop")

    assert [asked.temperature for asked in model.asked[:4]] == [1.3] * 4
    await service.close()


async def test_a_chosen_draft_is_an_attempt_of_its_own_that_takes_nobodys_turn(
    voting: Service, model: ScriptedModel
) -> None:
    for sql in (TOTAL, OTHER, OTHER, OTHER):
        model.replies(sql=sql)
    model.replies(text="They come to 360.5.")

    answer = await voting.query("What do all orders come to?", "shop", options=Options(max_attempts=1))

    first, second = answer.attempt_history
    assert first.verdict is not None
    assert (first.verdict.source, first.verdict.correct) == ("checks", False)
    assert second.verdict is not None
    assert (second.verdict.source, second.verdict.correct) == ("drafts", True)
    assert second.sql.startswith(OTHER)
    assert answer.sql == second.sql


@pytest.mark.parametrize("second, passed", [(SAME, True), (OTHER, False), (BROKEN, None), (WRONG_ALIAS, None)])
async def test_besides_a_judge_one_with_other_rows_leaves_the_answer_unverified(
    make_service: Make, model: ScriptedModel, second: str, passed: bool | None
) -> None:
    service = make_service(second_draft=True)
    model.replies(sql=TOTAL)
    model.replies(sql=second)
    model.replies(correct=True, reason="the sum over all orders")
    if passed is not False:
        model.replies(text="All orders together come to 460.5.")

    answer = await service.query("What do all orders come to?", "shop")

    assert second_drafts(answer) == [passed]
    assert answer.verified is (passed is True)
    assert answer.attempts == 1
    await service.close()


async def test_drafts_that_agree_on_other_rows_contradict_the_judge(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=False)
    model.replies(sql=TOTAL)
    model.replies(sql=OTHER)  # begun while the judge reads
    model.replies(correct=True, reason="the sum over all orders")
    for _ in range(2):
        model.replies(sql=OTHER)

    answer = await service.query("What do all orders come to?", "shop", options=Options(effort="thorough"))

    (check,) = [it for it in answer.checks if it.name == "second_draft"]
    assert (check.passed, check.detail) == (False, "3 of 4 independent drafts give other rows.")
    assert answer.results == [{"total": 460.5}]
    assert not answer.verified
    await service.close()


async def test_the_same_query_without_rows_twice_is_what_the_drafts_agree_on(
    voting: Service, model: ScriptedModel
) -> None:
    nobody = "SELECT name FROM customers WHERE customer_id > 99"
    model.replies(sql=nobody)
    model.replies(sql=COUNT)  # begun while the rows were fetched; nobody needs it
    model.replies(sql=nobody)  # asked again because there are no rows
    model.replies(text="There are none.")

    answer = await voting.query("Which customers have a number over 99?", "shop", options=Options(max_attempts=2))

    assert second_drafts(answer) == [True]
    assert next(check.passed for check in answer.checks if check.name == "has_rows") is None
    assert not answer.verified, "a filter that is wrong finds nothing either"


async def test_two_different_queries_without_rows_agree_on_nothing(voting: Service, model: ScriptedModel) -> None:
    for number in (99, 98, 97, 96, 95):
        model.replies(sql=f"SELECT name FROM customers WHERE customer_id > {number}")

    answer = await voting.query("Which customers have a number over 99?", "shop", options=Options(max_attempts=2))

    assert second_drafts(answer) == [False]
    assert not answer.verified


async def test_two_drafts_with_one_stored_form_do_not_confirm_the_alternative(
    voting: Service, model: ScriptedModel
) -> None:
    for _ in range(2):
        model.replies(sql=f"{COUNT} WHERE name = 'ada'")  # stored: 'Ada'
    model.replies(text="There is 1.")

    answer = await voting.query("How many customers are called ada?", "shop", options=Options(candidates=True))

    assert answer.results == [{"n": 1}]
    assert [(it.stated, it.computed) for it in answer.corrections] == [("name = 'ada'", "name = 'Ada'")]
    assert (answer.candidates[0].source, answer.candidates[0].votes) == ("alternative", 0)
    assert not answer.verified, "a change that the data proposes is confirmed by nobody"


@pytest.mark.usefixtures("patient")
async def test_a_text_that_only_the_parent_stores_is_compared_there(voting: Service, model: ScriptedModel) -> None:
    for _ in range(2):
        model.replies(sql="SELECT COUNT(*) AS n FROM orders WHERE status = 'Ada'")

    answer = await voting.query("How many orders are from Ada?", "shop", options=Options(enable_answer=False))

    assert answer.results == [{"n": 2}]
    assert [(it.stated, it.computed) for it in answer.corrections] == [("status = 'Ada'", "customers.name = 'Ada'")]
    assert not answer.verified


async def test_what_gives_other_rows_each_time_is_chosen_once(voting: Service, model: ScriptedModel) -> None:
    drawn = "SELECT RANDOM() AS n, {} AS k FROM customers LIMIT 1"
    for number in range(5):
        model.replies(sql=drawn.format(number))

    answer = await voting.query("How many customers are there, more or less?", "shop")

    assert not answer.verified
    assert answer.attempts <= 3


async def test_a_reply_that_cannot_be_used_counts_as_a_draft(voting: Service, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(text="I would rather not.")
    model.replies(sql=TOTAL)
    model.replies(text="All orders together come to 460.5.")

    answer = await voting.query("What do all orders come to?", "shop")

    assert (second_drafts(answer), answer.verified) == ([True], True), "two of three"


@pytest.mark.parametrize(
    "second, passed",
    [
        ("SELECT COUNT(*) AS n, MAX(name) AS name FROM customers", None),  # would show what is private
        ("SELECT COUNT(*) OVER () AS n, c.* FROM customers AS c", True),
    ],
)
async def test_private_values_are_kept_from_every_draft(
    make_service: Make, model: ScriptedModel, registry: Path, second: str, passed: bool | None
) -> None:
    registry.write_text("shop: {url: shop.sqlite, private: [customers.name]}", encoding="utf-8")
    service = make_service(second_draft=None)
    service.parts.generator.profile = service.parts.profile.model_copy(update={"drafts": 2})
    model.replies(sql="SELECT COUNT(*) OVER () AS n, * FROM customers")
    model.replies(sql=second)

    answer = await service.query("How many customers are there?", "shop", options=Options(candidates=True))

    assert second_drafts(answer) == [passed]
    assert not any("name" in row for it in answer.candidates for row in it.results)
    await service.close()
