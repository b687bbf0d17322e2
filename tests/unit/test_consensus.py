"""Candidates grouped by their rows, and the facts about the chosen one."""

from __future__ import annotations

import pytest

from agent.core.models import Candidate, CandidateSource, Doubt
from agent.pipeline.steps.consensus import Evidence, elect, evidence_of, group_candidates, is_settled
from executors.base import JsonValue, QueryResult


def candidate(sql: str, *rows: tuple[object, ...], source: CandidateSource = "draft", draft: int = 0) -> Candidate:
    result = QueryResult(columns=("a", "b")[: len(rows[0]) if rows else 1], rows=rows)
    return Candidate(sql=sql, source=source, draft=draft, result=result)


def test_rows_in_any_order_agree_and_the_most_votes_come_first() -> None:
    one = candidate("SELECT 1", (1,), (2,))
    two, three = candidate("SELECT 2", (3,), draft=1), candidate("SELECT 3", (3,), draft=2)
    assert [(g.votes, g.first.sql) for g in group_candidates([one, two, three])] == [(2, "SELECT 2"), (1, "SELECT 1")]
    same = group_candidates([one, candidate("SELECT a", (2,), (1,), draft=1)])
    assert [group.votes for group in same] == [2]


def test_what_a_rule_touched_votes_for_nobody() -> None:
    groups = group_candidates([candidate("a", (1,), source="repaired"), candidate("b", (1,), source="alternative")])
    assert [group.votes for group in groups] == [0]
    assert groups[0].first.sql == "a"
    with_draft = group_candidates([candidate("a", (1,), source="repaired"), candidate("b", (1,), draft=1)])
    assert (with_draft[0].votes, with_draft[0].first.sql) == (1, "b")


def test_a_repaired_draft_decides_between_equal_votes() -> None:
    first = [candidate("a", (1,)), candidate("b", (1,), draft=1)]
    other = [candidate("c", (2,), draft=2), candidate("d", (2,), draft=3)]
    repaired = candidate("e", (2,), source="repaired", draft=4)
    assert elect(group_candidates([*first, *other]), first[0]) is None, "the earlier ones stay"
    assert elect(group_candidates([*first, *other, repaired]), first[0]) == other[0]
    assert elect(group_candidates([*first, *other, repaired]), other[0]) is None
    derived = repaired.model_copy(update={"source": "alternative"})
    assert elect(group_candidates([*first, *other, derived]), first[0]) is None, "no draft"
    again = candidate("f", (2,), source="repaired", draft=2)
    assert elect(group_candidates([*first, *other, again]), first[0]) is None, "the same draft"
    assert elect(group_candidates([first[0], other[0], repaired]), first[0]) is None, "no two vote"


def test_two_queries_without_rows_agree_only_where_they_are_the_same() -> None:
    assert len(group_candidates([candidate("SELECT 1"), candidate("SELECT 2", draft=1)])) == 2
    assert group_candidates([candidate("SELECT  1;"), candidate("SELECT 1", draft=1)])[0].votes == 2
    assert len(group_candidates([candidate("SELECT 'ada'"), candidate("SELECT 'Ada'", draft=1)])) == 2
    assert len(group_candidates([candidate("SELECT 1", (None,)), candidate("SELECT 2", (None,), draft=1)])) == 2


@pytest.mark.parametrize(
    "one, other, votes",
    [
        (10.58, 10.6, 2),
        (10.58, 10.5, 1),
        ("10.58", 10.6, 2),
        (3, 3.4, 1),  # cut by an integer division
        (2.0, 2.4, 1),  # no decimals are shown
        (3.04, 3.0, 1),
        ("v1.25", "v1.2", 1),
        (None, 10.6, 1),
    ],
)
def test_drafts_agree_if_one_only_rounds(one: object, other: object, votes: int) -> None:
    drafts = candidate("SELECT a", (1, one)), candidate("SELECT ROUND(a, 1)", (1, other), draft=1)
    assert group_candidates(drafts)[0].votes == votes
    unrounded = [it.model_copy(update={"sql": it.sql.replace("ROUND", "MAX")}) for it in drafts]
    assert group_candidates(unrounded)[0].votes == 1, "they do not round"


def test_a_column_is_rounded_as_its_most_exact_value() -> None:
    rounded = candidate("a", (1, 10.58), (2, 7.0))
    assert group_candidates([rounded, candidate("ROUND(b, 2)", (1, 10.5832), (2, 7.0014), draft=1)])[0].votes == 2
    assert group_candidates([rounded, candidate("ROUND(b, 2)", (1, 10.5832), (2, 7.01), draft=1)])[0].votes == 1


def test_what_could_not_be_run_is_in_no_group_and_the_earlier_of_equals_is_first() -> None:
    failed = Candidate(sql="SELECT x", source="draft", error="no such column")
    assert not failed.may_vote
    groups = group_candidates([failed, candidate("b", (1,)), candidate("c", (2,), draft=1)])
    assert [group.first.sql for group in groups] == ["b", "c"]


def test_the_evidence_is_that_of_the_chosen_candidate() -> None:
    doubt = Doubt(rule="fan_out", evidence="schema", detail="The join repeats rows.")
    one = candidate("SELECT 1", (1,)).model_copy(update={"doubts": (doubt,)})
    found = Evidence(groups=group_candidates([one, candidate("SELECT 2", (1,), draft=1)]), chosen=one, drafts=2)
    assert (found.votes, found.doubts) == (2, (doubt,))
    assert Evidence(groups=(), chosen=one, drafts=1).votes == 0


def counted(sql: str, *rows: tuple[object, ...], draft: int) -> Candidate:
    """A draft whose second column is a count that nobody asked for."""
    return candidate(sql, *rows, draft=draft).model_copy(update={"unasked": 1})


def test_drafts_with_an_unasked_count_vote_for_the_one_without_it() -> None:
    plain = candidate("SELECT a", ("Pitcher",), draft=2)
    beside = [counted(f"SELECT a, COUNT({n})", ("Pitcher", 7 + n), draft=n) for n in range(2)]
    groups = group_candidates([*beside, plain])
    assert [(it.votes, it.first) for it in groups] == [(3, plain)]
    assert is_settled(groups)
    assert elect(groups, beside[0]) == elect(groups, beside[1]) == plain
    assert elect(groups, plain) is None


@pytest.mark.parametrize(
    "other",
    [
        candidate("SELECT a", ("Catcher",), draft=1),
        candidate("SELECT n", (7,), draft=1),  # the count is left out, nothing else
        candidate("SELECT a", ("Pitcher",), ("Pitcher",), draft=1),
        candidate("SELECT a", ("Pitcher",), draft=1, source="repaired"),
        candidate("SELECT a", ("Pitcher",), draft=1, source="alternative"),
        counted("SELECT a, b", ("Pitcher", 8), draft=1),  # no draft shows it without a count
    ],
)
def test_other_candidates_leave_an_unasked_count_where_it_is(other: Candidate) -> None:
    beside = counted("SELECT a, COUNT(*)", ("Pitcher", 7), draft=0)
    groups = group_candidates([beside, other])
    assert len(groups) == 2
    assert elect(groups, beside) is None


def test_nothing_beside_a_count_agrees_with_nothing() -> None:
    assert len(group_candidates([counted("SELECT a, COUNT(*)", (None, 7), draft=0), candidate("b", (None,))])) == 2


def test_an_alternative_stays_if_its_draft_votes_for_the_rows_without_a_count() -> None:
    beside = counted("SELECT a, COUNT(*)", ("Pitcher", 7), draft=0)
    other = candidate("SELECT x", ("Catcher", 1), draft=0, source="alternative")
    found = [beside, candidate("SELECT a", ("Pitcher",), draft=1), other]
    assert elect(group_candidates(found), other) is None
    assert [it.draft for it in evidence_of(found, other, (), None, 2).confirming] == [1]


def test_a_count_that_most_drafts_show_may_be_asked_for() -> None:
    beside = [counted(f"SELECT a, COUNT({n})", ("Pitcher", 7), draft=n) for n in range(2)]
    groups = group_candidates([*beside, candidate("SELECT a", ("Pitcher",), draft=2)])
    assert [(it.votes, it.with_count) for it in groups] == [(2, ()), (1, ())]
    assert elect(groups, beside[0]) is None


def test_two_that_agree_on_other_rows_outvote_an_unasked_count() -> None:
    beside, other = counted("SELECT a, COUNT(*)", ("Pitcher", 7), draft=0), candidate("b", ("Catcher",), draft=1)
    assert elect(group_candidates([beside, other, candidate("c", ("Catcher",), draft=2)]), beside) == other


@pytest.mark.parametrize(
    "rows, nothing",
    [
        ((), True),
        (((None,),), True),
        (((0,),), True),
        (((0.0,),), True),
        (((0, None),), False),
        (((0,), (0,)), False),
        (((1,),), False),
        ((("",),), False),
    ],
)
def test_what_holds_nothing_is_the_same_only_where_the_query_is(
    rows: tuple[tuple[JsonValue, ...], ...], nothing: bool
) -> None:
    columns = ("n", "m")[: len(rows[0]) if rows else 1]
    result = QueryResult(columns=columns, rows=rows)
    one, other = (Candidate(sql=f"SELECT {n}", source="draft", draft=n, result=result) for n in range(2))
    assert result.holds_nothing is nothing
    assert len(group_candidates([one, other])) == (2 if nothing else 1)
    assert len(group_candidates([one, other.model_copy(update={"sql": one.sql})])) == 1
