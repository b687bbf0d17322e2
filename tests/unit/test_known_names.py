"""Names that a query forgot to quote, on every dialect: blanks, umlauts, capitals, reserved words, digits first."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from agent.checks.rules.repair import find_repair, spell_names
from agent.core.callers import LOCAL
from agent.core.models import Draft
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused
from executors.guard.guard import check
from executors.sql.names.known_names import only_spells, quote_names
from testbed.scripted_model import ScriptedModel

NAMES = ("Brutto Betrag", "Straße", "OrderDate", "order", "2024_total", "Größe (cm)", "plain")


def schema_of(dialect: str) -> Schema:
    columns = tuple(Column(name=it, type="TEXT") for it in NAMES)
    return Schema(database="d", dialect=dialect, tables=(Table(name="Meine Daten", columns=columns),))


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_quoted_where_its_dialect_wants_it(dialect: str, name: str) -> None:
    schema = schema_of(dialect)
    row = DIALECTS[dialect]
    repaired = quote_names(f"SELECT MAX({name}) AS m FROM Meine Daten", schema)

    written = name if name == "order" else row.quote_name(name)  # that is read as a name here, and quoted by the guard
    assert repaired == f"SELECT MAX({written}) AS m FROM {row.quote_name('Meine Daten')}"
    assert check(repaired, schema, row_limit=5).tables == ("Meine Daten",)


@pytest.mark.parametrize(
    "sql, expected, why",
    [
        (
            "SELECT brutto  betrag FROM Meine Daten WHERE Straße = 'Brutto Betrag'",
            'SELECT "Brutto Betrag" FROM "Meine Daten" WHERE "Straße" = \'Brutto Betrag\'',
            "another case and more blanks; a text stays",
        ),
        (
            'SELECT d.Brutto Betrag FROM "Meine Daten" AS d -- Brutto Betrag',
            'SELECT d."Brutto Betrag" FROM "Meine Daten" AS d -- Brutto Betrag',
            "behind an alias; comments and quoted names stay",
        ),
        (
            'SELECT order, COUNT(*) FROM "Meine Daten" GROUP BY order ORDER BY order',
            'SELECT "order", COUNT(*) FROM "Meine Daten" GROUP BY "order" ORDER BY "order"',
            "a reserved word where a name is due, and the clause of that name",
        ),
        ('SELECT plain FROM "Meine Daten"', None, "nothing is wrong with it"),
        ("SELECT FROM WHERE", None, "no name would repair it"),
    ],
)
def test_only_names_are_quoted(sql: str, expected: str | None, why: str) -> None:
    assert quote_names(sql, schema_of("duckdb")) == expected, why


PLOTS = Schema(
    database="d",
    dialect="duckdb",
    tables=(
        Table(
            name="plots",
            columns=tuple(
                Column(name=it, type="TEXT")
                for it in (
                    "Plot No",
                    "Site Code",
                    "Size (sq m)",
                    "Last-Seen",
                    "Last Seen",
                    "Rent Due",
                    "rent_due",
                    "Rent %",
                    "rent",
                    "Order #",
                    "Sum %",
                    "2024 (%)",
                    "+ / -",
                    "_ _ _",
                    "Total Rent",
                )
            ),
        ),
        Table(name="Plot Holders", columns=(Column(name="Full Name", type="TEXT"),)),
    ),
)


@pytest.mark.parametrize(
    "sql, expected, why",
    [
        (
            "SELECT p.Plot_No, SITE_CODE FROM plots AS p ORDER BY p.plot_no",
            'SELECT p."Plot No", "Site Code" FROM plots AS p ORDER BY p."Plot No"',
            "underscores for blanks, in any case",
        ),
        (
            "SELECT SUM(Size_sq_m), MAX(Size (sq m)) FROM plots ORDER BY 1",
            'SELECT SUM("Size (sq m)"), MAX("Size (sq m)") FROM plots ORDER BY 1',
            "signs that an identifier cannot have; clauses and functions with the letters of a name",
        ),
        (
            "SELECT Plot_Holders.Full_Name FROM Plot_Holders",
            'SELECT "Plot Holders"."Full Name" FROM "Plot Holders"',
            "a table",
        ),
        ("SELECT COUNT(*) AS plot_no FROM plots ORDER BY plot_no", None, "the query's own name"),
        (
            "SELECT COUNT(*) AS plot_no FROM plots AS p WHERE p.plot_no = 3 ORDER BY plot_no",
            'SELECT COUNT(*) AS plot_no FROM plots AS p WHERE p."Plot No" = 3 ORDER BY plot_no',
            "behind a dot, a column all the same",
        ),
        (
            "WITH s AS (SELECT Site_Code, SUM(rent) AS total_rent FROM plots GROUP BY 1) SELECT s.total_rent FROM s",
            'WITH s AS (SELECT "Site Code", SUM(rent) AS total_rent FROM plots GROUP BY 1) SELECT s.total_rent FROM s',
            "unless a query inside gives it",
        ),
        ("SELECT rent_due, p.rent_due, p.rent FROM plots AS p", None, "other columns are called so"),
        ("SELECT Rent Due, rent_due FROM plots", 'SELECT "Rent Due", rent_due FROM plots', "each its own"),
        ("SELECT Last_Seen FROM plots", None, "either of two"),
        ("SELECT rent FROM plots WHERE year = 2024 LIMIT 5", None, "numbers are no names"),
        ("SELECT 'Plot_No', \"Site_Code\" FROM plots -- Plot_No", None, "texts, quoted names and comments"),
        ("SELECT a.Plot_Note FROM plots AS a", None, "a longer name"),
        (
            "SELECT Site Code, COUNT(*) AS Number of Plots FROM plots GROUP BY Site Code ORDER BY Number of Plots",
            'SELECT "Site Code", COUNT(*) AS "Number of Plots" FROM plots GROUP BY "Site Code" '
            'ORDER BY "Number of Plots"',
            "a title, and where it is used",
        ),
        (
            "SELECT SUM(rent) AS Total Site Code, 1 AS b FROM plots",
            'SELECT SUM(rent) AS "Total Site Code", 1 AS b FROM plots',
            "a title that ends with a name",
        ),
        (
            "SELECT CAST(Plot_No AS double precision) AS Top Plot, 1 AS b FROM plots AS a LEFT JOIN plots AS c ON true",
            'SELECT CAST("Plot No" AS double precision) AS "Top Plot", 1 AS b FROM plots AS a LEFT JOIN plots AS c '
            "ON true",
            "types, and sources with an alias, are no titles",
        ),
        (
            "SELECT Site Code FROM plots AS o UNION SELECT Site Code FROM plots AS q",
            'SELECT "Site Code" FROM plots AS o UNION SELECT "Site Code" FROM plots AS q',
            "a union is no title",
        ),
    ],
)
def test_a_name_with_blanks_is_read_however_it_is_written(sql: str, expected: str | None, why: str) -> None:
    assert quote_names(sql, PLOTS) == expected, why


AS_WRITTEN, AS_SPELLED = "SELECT Site_Code FROM plots", 'SELECT "Site Code" FROM plots'


@pytest.mark.parametrize(
    "errors, expected, why",
    [
        (
            {AS_WRITTEN: SqlRefused(ErrorKind.COLUMN_NOT_FOUND, "")},
            AS_SPELLED,
            "its spelling alone kept it from running",
        ),
        ({}, AS_WRITTEN, "it runs"),
        ({AS_WRITTEN: SqlRefused(ErrorKind.NOT_READ_ONLY, "")}, AS_WRITTEN, "it is refused for something else"),
        (dict.fromkeys((AS_WRITTEN, AS_SPELLED), SqlRefused(ErrorKind.COLUMN_NOT_FOUND, "")), AS_WRITTEN, "and more"),
        ({AS_WRITTEN: DatabaseUnavailable("gone")}, AS_WRITTEN, "nobody can tell"),
    ],
)
async def test_a_draft_is_spelled_if_nothing_else_keeps_it_from_running(
    errors: dict[str, Exception], expected: str, why: str
) -> None:
    async def check(sql: str) -> None:
        if sql in errors:
            raise errors[sql]

    spelled = await spell_names(Draft(sql=AS_WRITTEN), PLOTS, check)
    assert (spelled.sql, spelled.source) == (expected, "draft"), why


@pytest.mark.parametrize(
    "sql, same, why",
    [
        ("SELECT Site_Code FROM plots ORDER BY rent DESC", True, "a name"),
        ("SELECT Site Code, COUNT(*) FROM plots GROUP BY Site Code", True, "what does not parse as it is"),
        ("SELECT Site Code FROM plots", True, "what parses as a column and its alias"),
        ("SELECT rent FROM plots WHERE Plot_No NOT IN (SELECT Plot_No FROM plots)", True, "a query inside"),
        ("SELECT s.Site_Code FROM (SELECT p.*, 2 AS total_rent FROM plots AS p) AS s", False, "that gives a name"),
        ("SELECT Site_Code FROM (SELECT p.*, 2 total_rent FROM plots AS p) AS s", False, "without AS"),
        ("WITH plot_holders AS (SELECT Site_Code FROM plots) SELECT * FROM plot_holders", False, "to itself"),
        ("SELECT Site_Code, rent * 2 total_rent, total_rent / 2 AS half FROM plots", True, "an alias without AS stays"),
        ("SELECT Site_Code FROM plots WHERE rent = $$the Site Code here$$", True, "a text stays"),
        ("SELECT Site_Code FROM plots ORDER BY fee DESC", True, "a clause stays"),
        ("SELECT Fee Desc, Site_Code FROM fees", True, "a name that is written as a clause"),
    ],
)
def test_a_spelled_query_is_its_writers_own_if_nothing_but_names_differ(sql: str, same: bool, why: str) -> None:
    fees = Table(name="fees", columns=(Column(name="Fee Desc", type="TEXT"),))
    schema = PLOTS.model_copy(update={"tables": (*PLOTS.tables, fees), "dialect": "postgresql"})
    spelled = quote_names(sql, schema)
    assert spelled is not None
    assert only_spells(sql, spelled, schema) is same, why


@pytest.mark.parametrize(
    "sql, expected",
    [
        ("SELECT Site_Code, p.info.total_rent, rent.total_rent FROM plots AS p", "p.info.total_rent, rent.total_rent"),
        ("SELECT Site_Code, s.total_rent FROM (SELECT p.*, 2 AS total_rent FROM plots AS p) AS s", "s.total_rent"),
        ("SELECT Site_Code, MAX(rent) AS Rent Due, 1 AS b FROM plots", 'MAX(rent) AS "Rent Due"'),
        ("SELECT Site_Code, COUNT(*) FROM plots", "COUNT(*)"),
        ("SELECT Site_Code FROM plots ORDER BY fee DESC", "fee DESC"),
    ],
)
def test_fields_given_names_functions_and_clauses_stay(sql: str, expected: str) -> None:
    more = Table(name="more", columns=tuple(Column(name=it, type="TEXT") for it in ("Count", "Fee Desc")))
    spelled = quote_names(sql, PLOTS.model_copy(update={"tables": (*PLOTS.tables, more), "dialect": "postgresql"}))
    assert spelled is not None
    assert expected in spelled


@pytest.mark.parametrize("name", ["Guest's Name", "Rent -- net", 'The "Big" One'])
def test_a_name_that_no_tokenizer_reads(name: str) -> None:
    schema = PLOTS.model_copy(update={"tables": (Table(name="g", columns=(Column(name=name, type="TEXT"),)),)})
    quoted = DIALECTS["duckdb"].quote_name(name)
    assert quote_names(f"SELECT {name} FROM g", schema) == f"SELECT {quoted} FROM g"
    assert quote_names(f"SELECT {name.lower()} FROM g", schema) == f"SELECT {quoted} FROM g"
    assert quote_names(f"SELECT {quoted} FROM g", schema) is None


@pytest.mark.parametrize(
    "sql, expected, why",
    [
        ("SELECT w.id FROM maint.whse AS w", "SELECT w.id FROM purch.whse AS w", "the one table of that name"),
        ("SELECT maint.whse.id FROM maint.whse", "SELECT purch.whse.id FROM purch.whse", "before its columns, too"),
        ("SELECT id FROM hr.item", None, "either of two"),
        ("SELECT id FROM purch.whse", None, "it is there"),
        ("SELECT id FROM sales.whse", None, "no schema that is known: a database, perhaps"),
        ("SELECT hr.whse FROM maint.item AS hr", None, "a column that is called as a table"),
    ],
)
def test_a_table_is_read_from_the_schema_that_it_is_in(sql: str, expected: str | None, why: str) -> None:
    columns = (Column(name="id", type="INTEGER"),)
    places = (("maint", "item"), ("purch", "item"), ("purch", "whse"), ("hr", "staff"))
    tables = tuple(Table(name=f"{space}.{name}", namespace=space, columns=columns) for space, name in places)
    assert quote_names(sql, Schema(database="d", dialect="postgresql", tables=tables)) == expected, why


def test_a_text_ends_where_its_dialect_ends_it() -> None:
    schema = PLOTS.model_copy(update={"dialect": "mysql"})
    sql = "SELECT rent FROM plots WHERE {0} = 'O\\'Brien Site Code'"
    assert quote_names(sql.format("Site Code"), schema) == sql.format("`Site Code`")


WIND = ["Turbine ID", "Output (MWh)", "Avg Wind Speed (m/s)", "Availability (%)", "Rate (EUR)", "Rate (USD)"]
WIND += [
    "Base [m]",
    "base",
    "Amount (net)",
    "Fee (EUR)",
    "fee_paid",
    "Week (d)",
    "1st Place",
    "Base Rate",
    "Contract End",
]


@pytest.mark.parametrize(
    "sql, expected, why",
    [
        (
            "SELECT AVG(Availability), AVG(r.avg_wind_speed) FROM r",
            'SELECT AVG("Availability (%)"), AVG(r."Avg Wind Speed (m/s)") FROM r',
            "without its unit",
        ),
        (
            "SELECT 1 AS x FROM r WHERE Avg_Wind_Speed (m/s) > 7.5 AND Avg Wind Speed < 9",
            'SELECT 1 AS x FROM r WHERE "Avg Wind Speed (m/s)" > 7.5 AND "Avg Wind Speed (m/s)" < 9',
            "blanks and underscores",
        ),
        (
            "SELECT SUM(Output) AS Total Output (GWh), 1 AS b FROM r",
            'SELECT SUM("Output (MWh)") AS "Total Output (GWh)", 1 AS b FROM r',
            "a title with a unit",
        ),
        (
            "SELECT Turbine_ID, COUNT(*) AS output FROM r GROUP BY 1 ORDER BY output",
            'SELECT "Turbine ID", COUNT(*) AS output FROM r GROUP BY 1 ORDER BY output',
            "the query's own name",
        ),
        ("SELECT rate, base FROM r", None, "either of two, and one that is called so"),
        ("SELECT SUM(amount), AVG(fee) FROM r", None, "no unit in brackets, and another column of that name"),
        ("SELECT * FROM plants", None, "a table"),
        ("SELECT EXTRACT(week FROM d), {output: 1} FROM r", None, "parts of a date, and fields"),
        ('SELECT COUNT(*) AS "output" FROM r ORDER BY output', None, "a quoted title"),
        ("SELECT COUNT(*) AS COUNT(*), COUNT (x) AS Count (x), d FROM r", None, "a call is no title"),
        ("SELECT 1st Place FROM r", 'SELECT "1st Place" FROM r', "a name that begins with a number"),
        ("SELECT base rate FROM r", None, "a column and its alias"),
        ("SELECT CASE WHEN d > 3 THEN contract END FROM r", None, "a name that ends as a clause"),
        ("SELECT base (m) FROM r", None, "a call"),
    ],
)
def test_a_name_is_read_without_its_unit(sql: str, expected: str | None, why: str) -> None:
    columns = tuple(Column(name=it, type="REAL") for it in WIND)
    tables = (Table(name="r", columns=columns), Table(name="Plants (kg)", columns=columns[:1]))
    assert quote_names(sql, Schema(database="d", dialect="duckdb", tables=tables)) == expected, why


SPELLED = ("straße", "größe", "zähler_nr", "année", "masse", "maße", "blue", "value_ae", "Fuesse")


@pytest.mark.parametrize(
    "sql, expected",
    [
        ("SELECT strasse, d.groesse FROM d", 'SELECT "straße", d."größe" FROM d'),
        ("SELECT STRASSE AS groesse FROM zaehler", 'SELECT "straße" AS groesse FROM "zähler"'),
        ("SELECT MAX(groesse) AS groesse FROM d", 'SELECT MAX("größe") AS "größe" FROM d'),
        ("SELECT d.strasse, COUNT(*) groesse FROM d", 'SELECT d."straße", COUNT(*) groesse FROM d'),
        ("SELECT groesse.strasse FROM d AS groesse", 'SELECT groesse."straße" FROM d AS groesse'),
        ("SELECT zaehler.groesse FROM zaehler", 'SELECT "zähler"."größe" FROM "zähler"'),
        ("SELECT zahler_nr, annee FROM zähler", 'SELECT "zähler_nr", "année" FROM "zähler"'),
        ("SELECT füße FROM d WHERE x = 'groesse'", "SELECT Fuesse FROM d WHERE x = 'groesse'"),
        ("SELECT masse, blue, value_ae FROM d", None),
        ("SELECT mässe, groessen FROM d", None),
    ],
)
def test_a_name_gets_the_umlauts_and_accents_of_the_schema(sql: str, expected: str | None) -> None:
    columns = tuple(Column(name=it, type="TEXT") for it in SPELLED)
    tables = (Table(name="d", columns=columns), Table(name="zähler", columns=columns))
    assert quote_names(sql, Schema(database="d", dialect="duckdb", tables=tables)) == expected


@pytest.mark.parametrize(
    "sql, expected, why",
    [
        ("SELECT MAX(Importe Bruto) FROM d", 'SELECT MAX("Importe Bruto") FROM d', "a function"),
        ("SELECT MAX (Importe Bruto) FROM d", 'SELECT MAX ("Importe Bruto") FROM d', "before a blank"),
        ("SELECT Max, d.max FROM d", 'SELECT "Máx", d."Máx" FROM d', "no function"),
        (
            "SELECT x.Importe Bruto FROM d AS x JOIN d AS y ON x.Max = y.Max",
            'SELECT x."Importe Bruto" FROM d AS x JOIN d AS y ON x."Máx" = y."Máx"',
            "a keyword",
        ),
        ("SELECT CAST(Importe Bruto AS REAL) FROM d", 'SELECT CAST("Importe Bruto" AS REAL) FROM d', "a type"),
        ("SELECT d.real FROM d", 'SELECT d."Réal" FROM d', "a column that is called as one"),
        ("SELECT AGE(Importe Bruto) FROM d", 'SELECT AGE("Importe Bruto") FROM d', "one function more"),
        ("SELECT age FROM d", 'SELECT "Âge" FROM d', "a column"),
        ("SELECT a.Importe Bruto FROM d a", 'SELECT a."Importe Bruto" FROM d a', "the alias of a table"),
        (
            "SELECT COUNT(Importe Bruto) AS a FROM d HAVING a > 1",
            'SELECT COUNT("Importe Bruto") AS a FROM d HAVING a > 1',
            "the alias of a number",
        ),
        ("SELECT a FROM d", 'SELECT "à" FROM d', "no alias"),
    ],
)
def test_functions_keywords_and_aliases_are_no_names_without_accents(sql: str, expected: str, why: str) -> None:
    columns = tuple(Column(name=it, type="TEXT") for it in ("Importe Bruto", "Máx", "Ön", "Âge", "Réal", "à"))
    schema = Schema(database="d", dialect="duckdb", tables=(Table(name="d", columns=columns),))
    assert quote_names(sql, schema) == expected, why


def test_without_accents_if_a_query_does_not_parse_with_them() -> None:
    columns = tuple(Column(name=it, type="TEXT") for it in ("Importe Bruto", "Précision", "Sèparator"))
    schema = Schema(database="d", dialect="mysql", tables=(Table(name="d", columns=columns),))
    sql = "SELECT GROUP_CONCAT(Importe Bruto SEPARATOR ', ') FROM d"
    assert quote_names(sql, schema) == "SELECT GROUP_CONCAT(`Importe Bruto` SEPARATOR ', ') FROM d"


def test_a_quoted_column_gets_them_too() -> None:
    table = Table(name="d", columns=tuple(Column(name=it, type="TEXT") for it in SPELLED))
    schema = Schema(database="d", dialect="duckdb", tables=(table,))
    found = find_repair(Draft(sql='SELECT "groesse" FROM d'), ErrorKind.COLUMN_NOT_FOUND, schema)
    assert found is not None
    assert found.sql == 'SELECT d."größe" FROM d'


@pytest.mark.parametrize("engine", ["sqlite", "files"])
@pytest.mark.parametrize(
    "name", ["Brutto Betrag", "Straße", "OrderDate", "order", "2024_total", "Größe (cm)", "select"]
)
async def test_a_query_that_forgot_the_quotes_runs_without_asking_the_model_again(
    tmp_path: Path, settings: Settings, model: ScriptedModel, engine: str, name: str
) -> None:
    if engine == "files":
        (tmp_path / "data.csv").write_text(f'"{name}",town\n3,München\n4,Köln\n', encoding="utf-8")
        url = "data.csv"
    else:
        connection = sqlite3.connect(tmp_path / "data.sqlite")
        connection.execute(f'CREATE TABLE data ("{name}" INTEGER, town TEXT)')
        connection.execute("INSERT INTO data VALUES (3, 'München'), (4, 'Köln')")
        connection.commit()
        connection.close()
        url = "data.sqlite"
    registry = tmp_path / "own.yaml"
    registry.write_text(f"own: {{url: {url}}}\n", encoding="utf-8")
    service = build_service(settings.model_copy(update={"registry": registry}), model=model)
    model.replies(sql=f"SELECT {name} AS n, town FROM data ORDER BY {name}")
    model.replies(correct=True, reason="both rows")
    try:
        answer = await service.query("Show the number and the town of all data.", "own", principal=LOCAL)
    finally:
        await service.close()

    assert answer.status == "success", answer.attempt_history
    assert [row["n"] for row in answer.results] == [3, 4]
    assert len([it for it in model.asked if it.schema_name == "sql"]) == 1


def starts_with_digits(dialect: str) -> bool:
    """Whether a name without quotes may begin with digits there."""
    return dialect in {"mysql", "mariadb", "clickhouse", "databricks"}


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("column", ["2024 total", "2024_total"])
def test_a_number_under_an_alias_is_no_column_that_is_called_so(dialect: str, column: str) -> None:
    table = Table(name="sales", columns=(Column(name=column, type="INTEGER"), Column(name="town", type="TEXT")))
    schema = Schema(database="d", dialect=dialect, tables=(table,))
    sql = f"SELECT town, {column} FROM sales"
    if column != "2024_total" or not starts_with_digits(dialect):
        with pytest.raises(SqlRefused) as refused:
            check(sql, schema, row_limit=5)
        assert refused.value.kind is ErrorKind.COLUMN_NOT_FOUND
        assert DIALECTS[dialect].always_quote(column) in refused.value.hint
        sql = quote_names(sql, schema) or ""
    assert " AS " not in check(sql, schema, row_limit=5).sql.upper()
    assert check("SELECT 2024 AS total, 2025 total FROM sales", schema, row_limit=5).sql, "an alias is one elsewhere"
