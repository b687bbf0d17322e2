"""No text takes sqlglot more steps than its length allows, whoever reads or writes it. They are counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlglot
from repairs import own_functions
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.errors import ParseError, SqlglotError, UnsupportedError
from sqlglot.parser import Parser

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.registry import rules
from agent.pipeline.steps.plan import plan_of
from agent.present.explain.query import explain
from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.guard import check
from executors.records.raw_records import derive
from executors.sql import bounded, grammar
from executors.sql.parsed import statements
from executors.sql.tree import tree_to_change

ROOT = Path(__file__).parents[2]
NAMES = sorted({row.sqlglot for row in DIALECTS.values()})
DEEP = 24  # levels: twice that many steps each would be sixteen million
FORMS = [
    *(("DATE(", ")"), ("TIMESTAMP(", ")"), ("TIME(", ")"), ("DATETIME(", ")"), ("ARRAY[", "]"), ("STRUCT(", ")")),
    *(("{'a': ", "}"), ("MAP {'a': ", "}"), ("coalesce(a -> ", ")"), ("f(x -> ", ")"), ("a -> (", ")")),
    *(("INTERVAL (", ")"), ("UNION(", ")"), ("a::DATE[", "]"), ("EXISTS(SELECT ", ")"), ("CASE WHEN ", " THEN 1 END")),
]


def _schema(dialect: str) -> Schema:
    columns = tuple(Column(name=name, type="INTEGER") for name in "ab")
    return Schema(database="shop", dialect=dialect, tables=(Table(name="t", columns=columns),))


def _nested(form: str) -> str:
    sql = "a"
    for _ in range(DEEP):
        sql = form.format(sql)
    return sql


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How often a parser has gone to another word."""
    taken = [0]
    advance = Parser._advance

    def counted(self: Parser, times: int = 1) -> None:
        taken[0] += 1
        advance(self, times)

    monkeypatch.setattr(Parser, "_advance", counted)
    yield taken
    statements.cache_clear()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opening, closing", FORMS)
def test_what_is_read_by_trial_is_read_in_few_steps(name: str, opening: str, closing: str, steps: list[int]) -> None:
    sql = f"SELECT {opening * DEEP}1{closing * DEEP}"
    grammar.plain(name)  # which reads some types itself when it is loaded
    for read in (lambda: grammar.parse(grammar.tokenize(sql, name), sql, name), lambda: sqlglot.parse(sql, read=name)):
        steps[0] = 0
        try:
            tree = read()[0]
            assert tree is not None
            grammar.write(tree, name)
        except (SqlglotError, RecursionError):
            pass  # refused, or no SQL there
        assert steps[0] <= 1_000 + 4 * 400


TWICE = [("duckdb", "len({}, 1)"), ("duckdb", "check_json({})"), ("tsql", "a -> ({})")]


@pytest.mark.parametrize("name, form", TWICE)
def test_what_is_written_twice_is_refused_where_it_is_nested(name: str, form: str) -> None:
    tree = sqlglot.parse_one(f"SELECT {_nested(form)}", read=name)
    with pytest.raises(bounded.TooMuchToWrite, match="too deeply"):
        tree.sql(dialect=name)


def test_a_text_that_doubles_without_further_steps_ends_too() -> None:
    tree = sqlglot.parse_one(f"SELECT {_nested('greatest(1, {})')}", read="sqlite")
    with pytest.raises(bounded.TooMuchToWrite):
        tree.sql(dialect="sqlite")


def test_the_steps_of_writing_grow_with_the_tree_and_not_with_what_its_levels_become() -> None:
    nested = "ARRAY_UNIQUE_AGG(DISTINCT " * 9 + "1" + ")" * 9
    (tree,) = bounded.parse(f"SELECT {nested}", "snowflake")
    assert tree is not None
    with pytest.raises(bounded.TooMuchToWrite):
        tree.sql(dialect="duckdb")
    long = ", ".join(f"ARRAY_UNIQUE_AGG(DISTINCT a{n})" for n in range(500))
    (tree,) = bounded.parse(f"SELECT {long}", "snowflake")
    assert tree is not None
    assert tree.sql(dialect="duckdb").count("a499") >= 1


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_the_guard_says_that_a_query_is_nested_too_deeply(dialect: str) -> None:
    with pytest.raises(SqlRefused) as refused:
        check(f"SELECT {'TIMESTAMP(' * DEEP}1{')' * DEEP} AS x", _schema(dialect), row_limit=10)
    assert (refused.value.kind, refused.value.because) == (ErrorKind.RESOURCE, Because.SIZE)
    assert "nests too deeply" in refused.value.message


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_little_of_what_is_read_by_trial_passes(dialect: str) -> None:
    sql = f"SELECT {'abs(' * 20}CAST(CAST(a AS DATE) AS DATE){')' * 20} AS x FROM t"
    assert check(sql, _schema(dialect), row_limit=10).tables == ("t",)


def test_a_query_of_too_many_words_is_refused_and_says_how_many_are_read() -> None:
    with pytest.raises(SqlRefused, match="8002 words and signs, and 4000 are read"):
        check(f"SELECT {'+'.join(['1'] * 4001)}", _schema("sqlite"), row_limit=10)
    assert check(f"SELECT a FROM t WHERE a IN ({','.join(['1'] * 1900)})", _schema("sqlite"), row_limit=10)


def test_steps_that_look_at_a_query_do_without_what_takes_too_much_work() -> None:
    sql = f"SELECT {_nested('len({}, 1)')} AS x, a / b, sum(a / b) FROM t GROUP BY 1"
    assert plan_of(sql, sql, "duckdb").tables == ("t",)
    assert plan_of("(" * 99, "(" * 99, "duckdb").tables == ()
    assert derive(sql, "duckdb").sql is None
    assert explain(sql, "duckdb")
    subject = RuleContext(sql, _schema("duckdb"), tree_to_change(sql, "duckdb"))
    assert all(rule.find(subject) is None for rule in rules("alternative"))
    assert Rule("x", "query", "schema", "doubt", lambda it: Finding(it.to_sql(it.query))).find(subject) is None
    assert own_functions(f"SELECT {'DATE(' * DEEP}a{')' * DEEP} FROM t", _schema("sqlite")) is None


@pytest.mark.parametrize("spoken", NAMES)
def test_every_parser_and_generator_of_a_dialect_counts(spoken: str) -> None:
    for dialect in (SqlglotDialect.get_or_raise(spoken), grammar.plain(spoken)):
        assert "_left" in vars(type(dialect.parser()))
        assert "_left" in vars(type(dialect.generator()))


def test_sql_becomes_a_tree_through_two_modules_only() -> None:
    """`parse_one` counts steps, too, but reads texts of any length."""
    named: set[str] = set()
    for path in (*ROOT.glob("executors/**/*.py"), *ROOT.glob("agent/**/*.py"), *ROOT.glob("rag/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.ImportFrom) and node.module == "sqlglot":
                names = {name.name for name in node.names}
            elif isinstance(node, ast.Attribute):
                names = {node.attr} - {"parse", "tokenize"}
            if names & {"parse", "parse_one", "tokenize", "transpile"}:
                named.add(str(path.relative_to(ROOT)))
    # These two read the gold queries of an evaluation, never what a caller or a model wrote.
    assert named <= {"agent/core/row_comparison.py", "agent/evaluation/gold.py"}


def test_a_star_that_makes_arguments_of_columns_is_kept() -> None:
    checked = check("SELECT concat_ws('-', *COLUMNS(['a', 'b'])) AS x FROM t", _schema("duckdb"), row_limit=10)
    assert isinstance(sqlglot.parse_one(checked.executable, read="duckdb"), exp.Select)
    assert "* COLUMNS(['a', 'b'])" in checked.executable


def test_a_query_that_would_lose_a_star_is_refused() -> None:
    with pytest.raises(SqlRefused, match="more than one way"):
        check("SELECT abs(*COLUMNS(a)) AS x FROM t", _schema("clickhouse"), row_limit=10)


def test_what_sqlglot_trips_over_is_no_sql() -> None:
    with pytest.raises(ParseError, match="Not SQL"):
        bounded.parse("SELECT DATE_SUB(DISTINCT 1 FROM a)", "mysql")


def test_what_has_no_written_form_is_said_so() -> None:
    (tree,) = bounded.parse("SELECT MATCH_AGAINST(1, 1, 'a')", "duckdb")

    assert tree is not None
    with pytest.raises(UnsupportedError, match="no written form"):
        tree.sql("duckdb")


@pytest.mark.parametrize("depth", range(0, 45, 3))
def test_casts_of_casts_are_refused_wherever_the_stack_ends(depth: int) -> None:
    def go(frames: int) -> None:
        if frames:
            go(frames - 1)
        else:
            check("SELECT 1" + "::int" * 200, _schema("sqlite"), row_limit=10)

    with pytest.raises(SqlRefused):
        go(depth)
