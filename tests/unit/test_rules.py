"""Every rule by its table of cases, and what holds for all of them."""

from __future__ import annotations

import pytest
from rule_cases import CASES
from rule_shop import DOUBT, Case, schema_of
from rule_tables import TABLES

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.lookup import NAME, LookedUp
from agent.checks.rules.registry import RULES, rules
from agent.checks.rules.repair import repair_with_data
from agent.checks.rules.review import confirm
from agent.core.models import Check, Draft
from executors.base import QueryResult
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlFailed
from executors.sql.tree import tree_to_change

ALL = {rule.id: rule for action in ("repair", "alternative", "doubt") for rule in rules(action)}


async def no_rows(sql: str) -> QueryResult:
    raise AssertionError(f"{sql} is run to repair a query by its schema alone")


def found_by(rule: Rule, case: Case) -> Finding | None:
    schema = schema_of(case.dialect)
    tree = tree_to_change(case.sql, DIALECTS[case.dialect].sqlglot)
    before = tree.sql() if tree is not None else ""
    context = RuleContext(
        sql=case.sql,
        schema=schema,
        tree=tree,
        question=case.question,
        known_texts=case.told,
        values=case.values,
        documents=case.documents,
        looked_up=case.looked_up,
        error=case.error,
        rows=case.rows,
    )
    found = rule.apply(context)
    assert tree is None or tree.sql() == before, "a rule never changes the tree that it looks at"
    return found


@pytest.mark.parametrize(
    "name, case",
    [pytest.param(name, case, id=f"{name}: {case.why}") for name, cases in TABLES.items() for case in cases],
)
def test_what_a_rule_makes_of_a_query(name: str, case: Case) -> None:
    found = found_by(ALL[name], case)
    if case.after is None:
        assert found is None, case.why
    else:
        assert found is not None, case.why
        assert found.detail
        assert (found.sql or DOUBT) == case.after, case.why


def test_every_rule_has_cases_that_it_finds_and_cases_that_it_leaves_alone() -> None:
    assert sorted(ALL) == sorted(RULES) == sorted(CASES)
    for name, cases in TABLES.items():
        assert {case.after is None for case in cases} == {True, False}, name


def test_words_of_a_question_only_doubt() -> None:
    assert {rule.action for rule in ALL.values() if rule.evidence == "language"} == {"doubt"}
    with pytest.raises(ValueError, match="can only doubt"):
        Rule("x", "query", "language", "alternative", lambda _: None)
    with pytest.raises(ValueError, match="repaired"):
        Rule("x", "query", "schema", "repair", lambda _: None)


def test_a_rule_can_be_left_out() -> None:
    assert "fan_out" in {rule.id for rule in rules("doubt")}
    assert "fan_out" not in {rule.id for rule in rules("doubt", ("fan_out",))}


async def test_repairs_follow_one_another_and_keep_where_the_draft_comes_from() -> None:
    draft = Draft(sql="SELECT loans.fee, l.title FROM loans AS l", index=2, temperature=0.5, logprob_mean=-0.1)
    found = await repair_with_data(draft, ErrorKind.COLUMN_NOT_FOUND, schema_of("sqlite"), no_rows)
    assert found is not None
    assert found.sql == "SELECT l.fee, books.title FROM loans AS l JOIN books ON l.book_id = books.id"
    assert (found.source, found.index, found.temperature, found.logprob_mean) == ("repaired", 2, 0.5, -0.1)
    assert "loans.fee -> l.fee" in found.note
    assert "joined books" in found.note


@pytest.mark.parametrize("error", [ErrorKind.TIMEOUT, "BUDGET"])
async def test_what_no_rule_knows_is_not_repaired(error: str) -> None:
    assert (
        await repair_with_data(Draft(sql="SELECT loans.fee FROM loans AS l"), error, schema_of("sqlite"), no_rows)
        is None
    )
    assert await repair_with_data(Draft(), ErrorKind.COLUMN_NOT_FOUND, schema_of("sqlite"), no_rows) is None


async def test_a_near_name_of_a_table_that_is_read_is_taken_over_the_same_name_far_away() -> None:
    """`pets.age` is its `pet_age`, and not the age of the students that a key leads to."""
    from executors.base import Column, ForeignKey, Schema, Table

    def columns(*names: str) -> tuple[Column, ...]:
        return tuple(Column(name=name, type="INTEGER") for name in names)

    schema = Schema(
        database="pets",
        dialect="sqlite",
        tables=(
            Table(name="student", columns=columns("stuid", "age"), primary_key=("stuid",)),
            Table(
                name="pets",
                columns=columns("petid", "pettype", "pet_age", "owner"),
                primary_key=("petid",),
                foreign_keys=(ForeignKey(columns=("owner",), table="student", referenced=("stuid",)),),
            ),
        ),
    )
    draft = Draft(sql="SELECT AVG(pets.age), MAX(pets.age), pettype FROM pets GROUP BY pettype")
    found = await repair_with_data(draft, ErrorKind.COLUMN_NOT_FOUND, schema, no_rows)
    assert found is not None
    assert found.sql == "SELECT AVG(pets.pet_age), MAX(pets.pet_age), pettype FROM pets GROUP BY pettype"


async def test_a_name_that_a_table_may_have_from_two_others_is_not_repaired() -> None:
    """`employment.name` beside the company may be the person's: that one is not read, and employment refers to it."""
    from executors.base import Column, ForeignKey, Schema, Table

    def made(name: str, *columns: str, **keys: str) -> Table:
        return Table(
            name=name,
            columns=tuple(Column(name=it, type="INTEGER") for it in columns),
            primary_key=(columns[0],),
            foreign_keys=tuple(ForeignKey(columns=(a,), table=b, referenced=("id",)) for a, b in keys.items()),
        )

    people, company = made("people", "id", "name"), made("company", "id", "name", "sales")
    work = made("employment", "id", "person_id", "company_id", person_id="people", company_id="company")
    schema = Schema(database="w", dialect="sqlite", tables=(people, company, work))
    draft = Draft(sql="SELECT e.name FROM employment AS e JOIN company AS c ON e.company_id = c.id WHERE c.sales > 9")
    assert await repair_with_data(draft, ErrorKind.COLUMN_NOT_FOUND, schema, no_rows) is None


COPIES = "FROM branch AS b JOIN copy AS c ON b.id = c.branch_id"


@pytest.mark.parametrize(
    ("selected", "repaired", "why"),
    [
        ("b.name, c.name, c.pages", "b.name, title.name, title.pages", "a title has both"),
        ("c.state, c.name, c.pages", "c.state, title.name, title.pages", "beside what a copy has"),
        ("COUNT(c.name), MAX(c.pages)", "COUNT(title.name), MAX(title.pages)", "in aggregates"),
        ("c.name", None, "one name may be of either"),
        ("c.name, c.town", None, "those of the branch, which is read"),
        ("c.name, c.rank", None, "two keys lead to the people who have both"),
        ("c.name, c.rent", None, "no key leads to the shelf that has both"),
    ],
)
async def test_several_lost_columns_are_those_of_the_one_table_that_has_all(
    selected: str, repaired: str | None, why: str
) -> None:
    from executors.base import Column, ForeignKey, Schema, Table

    def made(name: str, *columns: str, keys: tuple[tuple[str, str], ...] = ()) -> Table:
        return Table(
            name=name,
            columns=tuple(Column(name=it, type="INTEGER") for it in columns),
            primary_key=(columns[0],),
            foreign_keys=tuple(ForeignKey(columns=(a,), table=b, referenced=("id",)) for a, b in keys),
        )

    keys = (("branch_id", "branch"), ("title_id", "title"), ("buyer_id", "person"), ("binder_id", "person"))
    schema = Schema(
        database="w",
        dialect="sqlite",
        tables=(
            made("branch", "id", "name", "town"),
            made("title", "id", "name", "pages"),
            made("person", "id", "name", "rank"),
            made("shelf", "id", "name", "rent"),
            made("copy", "id", "branch_id", "title_id", "buyer_id", "binder_id", "state", keys=keys),
        ),
    )
    draft = Draft(sql=f"SELECT {selected} {COPIES}")
    found = await repair_with_data(draft, ErrorKind.COLUMN_NOT_FOUND, schema, no_rows)
    after = f"SELECT {repaired} {COPIES} JOIN title ON c.title_id = title.id" if repaired is not None else None
    assert (found.sql if found is not None else None) == after, why


async def test_braces_of_a_query_or_a_value_stay_in_a_detail() -> None:
    async def count_nine(_: str) -> QueryResult:
        return QueryResult(columns=("n",), rows=((9,),))

    named = Finding("{} rows have the name {}.", counts=("SELECT 1",))
    confirmed = await confirm(named, count_nine)
    assert confirmed is not None
    assert confirmed.detail == "9 rows have the name {}."

    stored = LookedUp(check=Check(name=NAME, passed=True), variants={("readers", "channel", "{}"): ("{}", "{} ")})
    spelled = found_by(
        ALL["case_variants"], Case("SELECT id FROM readers WHERE channel = '{}'", "", "", looked_up=stored)
    )
    assert spelled is not None
    assert spelled.detail == "channel stores '{}', '{} ', which differ only in case or spaces."


async def test_a_failed_query_drops_what_stored_values_alone_support() -> None:
    async def run_out_of_time(_: str) -> QueryResult:
        raise SqlFailed(ErrorKind.TIMEOUT, "It took too long.")

    by_form = Finding("Rows may repeat.", probes=("SELECT 1", "SELECT 2"))
    assert await confirm(by_form, run_out_of_time) == by_form
    assert await confirm(by_form._replace(counts=("SELECT 3",)), run_out_of_time) is None


@pytest.mark.parametrize(
    ("dialect", "alias", "question", "counted"),
    [
        ("mysql", "L", "How many books were lent?", "L.book_id"),
        ("clickhouse", "Lent", "How many books were lent?", "Lent.book_id"),
        ("mysql", "L", "How many readers are there?", "R.id"),
        ("oracle", "L", "How many readers are there?", 'R."id"'),
    ],
)
def test_counted_rows_writes_an_alias_as_the_query_does(dialect: str, alias: str, question: str, counted: str) -> None:
    sql = f"SELECT COUNT(*) FROM readers AS R JOIN loans AS {alias} ON R.id = {alias}.reader_id"
    found = found_by(ALL["counted_rows"], Case(sql, DOUBT, "", question=question, dialect=dialect))
    assert found is not None
    assert f"COUNT(DISTINCT {counted})" in found.probes[1]


def test_counted_nothing_names_a_query_without_a_name() -> None:
    joined = "LEFT JOIN (SELECT reader_id FROM loans) ON reader_id = r.id"
    sql = f"SELECT r.id, COUNT(*) FROM readers AS r {joined} GROUP BY r.id"
    found = found_by(ALL["counted_nothing"], Case(sql, DOUBT, ""))
    assert found is not None
    assert found.detail == "A group without any row of the joined query is counted as 1."


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT * FROM readers NATURAL FULL JOIN loans"),
        ("postgresql", "SELECT U&'some' UESCAPE '?'"),
        ("duckdb", "SELECT * EXCLUDE (id) FROM readers QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1"),
        ("sqlite", "SELECT 1 UNION SELECT id FROM loans ORDER BY 1 LIMIT 1"),
    ],
)
def test_what_cannot_be_written_or_is_no_plain_select_stops_no_rule(dialect: str, sql: str) -> None:
    spoken = DIALECTS[dialect].sqlglot
    tree = tree_to_change(sql, spoken)
    assert tree is not None
    for error in (ErrorKind.COLUMN_NOT_FOUND, ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.GROUPING):
        for rule in ALL.values():
            found = rule.find(
                RuleContext(sql, schema_of(dialect), tree, "Which are the most?", error=error, rows=((1,),))
            )
            assert found is None or found.sql is None or tree_to_change(found.sql, spoken) is not None
