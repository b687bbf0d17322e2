"""The cases of the rules on what one dialect writes or computes in its own way. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, Case

from executors.errors import ErrorKind

_UNTIL = f"{LOANS} taken_at {{}}"
_BY = "SELECT {0}, COUNT(*) FROM loans GROUP BY {0}"


def _untranslated(dialect: str, sql: str, after: str | None, why: str) -> Case:
    return Case(sql, after, why, dialect=dialect, error=ErrorKind.FUNCTION_NOT_FOUND)


def _until(dialect: str, day: str, next_day: str, why: str) -> Case:
    return Case(_UNTIL.format(f"<= {day}"), _UNTIL.format(f"< {next_day}"), why, dialect=dialect)


def _average(dialect: str, of: str, after: str | None, why: str) -> Case:
    sql = "SELECT AVG({}) FROM loans"
    return Case(sql.format(of), None if after is None else sql.format(after), why, dialect=dialect)


DIALECT_CASES: dict[str, tuple[Case, ...]] = {
    "dropped_nulls": (
        Case("SELECT COUNT(*) FROM readers WHERE NOT (channel = 'M')", DOUBT, "in parentheses"),
        Case("SELECT COUNT(*) FROM readers WHERE NOT (channel IN ('M'))", DOUBT, "so, too", dialect="clickhouse"),
        Case("SELECT COUNT(*) FROM readers WHERE NOT (channel = 'M' OR since > 1)", None, "of several conditions"),
    ),
    "foreign_functions": (
        _untranslated(
            "mariadb",
            "SELECT STRFTIME('%Y-%m', taken_at) FROM loans",
            "SELECT DATE_FORMAT(taken_at, '%Y-%m') FROM loans",
            "SQLite's format comes first",
        ),
        _untranslated(
            "postgresql",
            "SELECT STRFTIME('%Y', taken_at) FROM loans",
            "SELECT TO_CHAR(CAST(taken_at AS TIMESTAMP), 'YYYY') FROM loans",
            "there, too",
        ),
        _untranslated(
            "postgresql",
            "SELECT STRFTIME(taken_at, '%Y') FROM loans",
            "SELECT TO_CHAR(taken_at, 'YYYY') FROM loans",
            "DuckDB's format comes last",
        ),
        _untranslated("postgresql", "SELECT STRFTIME('%W', taken_at) FROM loans", None, "a format that it lacks"),
        _untranslated("mariadb", "SELECT STRFTIME('%Y', 'now') FROM loans", None, "now is no time elsewhere"),
        _untranslated("postgresql", f"{LOANS} DATE(taken_at, '+7 days') > due", None, "the step would be lost"),
        _untranslated("duckdb", f"{LOANS} DATE(taken_at, 'start of month') = due", None, "the month would be lost"),
        _untranslated(
            "postgresql", f"{LOANS} MONTHNAME(taken_at) = 'March' AND \"fee\" = 'x'", None, "a name, and no text"
        ),
        _untranslated("postgresql", "SELECT MONTHNAME(taken_at) || due FROM loans", None, "joined texts, and no OR"),
        _untranslated(
            "postgresql",
            "SELECT DATEDIFF('day', planned_on, held_on) FROM openings",
            "SELECT (CAST(held_on AS DATE) - CAST(planned_on AS DATE)) FROM openings",
            "the reading that keeps both days",
        ),
        _untranslated(
            "mariadb",
            "SELECT DATEDIFF('day', taken_at, CURRENT_DATE) FROM loans",
            "SELECT DATEDIFF(CAST(CURRENT_DATE AS DATETIME), CAST(taken_at AS DATETIME)) FROM loans",
            "and today",
        ),
        *(
            _untranslated(
                dialect,
                f"SELECT DATEDIFF('day', planned_on, held_on) FROM openings ORDER BY {order}",
                f"SELECT {after} FROM openings ORDER BY {order}",
                "NULLs stay where the database puts them",
            )
            for dialect, order, after in (
                ("postgresql", "held_on DESC LIMIT 1", "(CAST(held_on AS DATE) - CAST(planned_on AS DATE))"),
                ("postgresql", "held_on LIMIT 1", "(CAST(held_on AS DATE) - CAST(planned_on AS DATE))"),
                ("postgresql", "held_on NULLS FIRST", "(CAST(held_on AS DATE) - CAST(planned_on AS DATE))"),
                ("postgresql", "held_on NULLS FIRST, id DESC", "(CAST(held_on AS DATE) - CAST(planned_on AS DATE))"),
                (
                    "postgresql",
                    "id DESC, held_on DESC NULLS LAST",
                    "(CAST(held_on AS DATE) - CAST(planned_on AS DATE))",
                ),
                (
                    "mariadb",
                    "held_on DESC LIMIT 1",
                    "DATEDIFF(CAST(held_on AS DATETIME), CAST(planned_on AS DATETIME))",
                ),
            )
        ),
        _untranslated("duckdb", f"{LOANS} fee = 'x' ORDER BY fee DESC LIMIT 1", None, "nothing but NULLs would move"),
        _untranslated("duckdb", f"{LOANS} fee = 'x' ORDER BY fee LIMIT 1", None, "nor here"),
    ),
    "cut_division": (
        _average("sqlserver", "fee", "1.0 * fee", "of integers, SQL Server gives one"),
        _average("sqlserver", "fee + 1", "1.0 * (fee + 1)", "of their sums, too"),
        _average(
            "sqlserver",
            "CASE WHEN fee > 1 THEN 1 ELSE 0 END",
            "1.0 * CASE WHEN fee > 1 THEN 1 ELSE 0 END",
            "a share is 0",
        ),
        Case(
            "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY reader_id) AS x",
            "SELECT AVG(1.0 * n) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY reader_id) AS x",
            "of counts",
            dialect="sqlserver",
        ),
        _average("sqlserver", "1.0 * fee", None, "of decimals"),
        _average("sqlserver", "CAST(fee AS FLOAT)", None, "converted"),
        _average("sqlserver", "DISTINCT fee", None, "of different numbers"),
        Case("SELECT AVG(opening_hours) FROM openings", None, "no integers", dialect="sqlserver"),
        _average("postgresql", "fee", None, "PostgreSQL gives decimals"),
        Case("SELECT CAST(AVG(fee) AS INTEGER) FROM loans", None, "cut on purpose", dialect="sqlserver"),
    ),
    "day_ends": (
        _until("oracle", "TO_DATE('2024-03-31', 'YYYY-MM-DD')", "TO_DATE('2024-04-01', 'YYYY-MM-DD')", "Oracle's way"),
        _until("oracle", "DATE '2024-03-31'", "TO_DATE('2024-04-01', 'YYYY-MM-DD')", "a literal"),
        _until("mariadb", "STR_TO_DATE('2024-03-31', '%Y-%m-%d')", "STR_TO_DATE('2024-04-01', '%Y-%m-%d')", "MySQL's"),
        _until("databricks", "TO_DATE('2024-03-31', 'yyyy-MM-dd')", "TO_DATE('2024-04-01')", "the format is no day"),
        _until("hana", "TO_DATE('2024-03-31', 'YYYY-MM-DD')", "TO_DATE('2024-04-01', 'YYYY-MM-DD')", "HANA's"),
        _until("clickhouse", "toDate('2024-03-31')", "toDate('2024-04-01')", "ClickHouse's"),
        _until("sqlserver", "CONVERT(DATE, '2024-03-31')", "CONVERT(DATE, '2024-04-01')", "SQL Server's"),
        _until("sqlserver", "'20240331'", "'20240401'", "without hyphens"),
        Case(_UNTIL.format("<= TO_DATE('31.03.2024', 'DD.MM.YYYY')"), None, "another format", dialect="oracle"),
        Case(_UNTIL.format("<= DATE('2024-03-31', '+1 day')"), None, "another day"),
        Case(_UNTIL.format("<= toDateTime()"), None, "nothing is converted", dialect="clickhouse"),
    ),
    "merged_months": (
        *(
            Case(_BY.format(month), DOUBT, "a month without its year", dialect=dialect)
            for dialect, month in (
                ("oracle", "TO_CHAR(taken_at, 'MM')"),
                ("oracle", "TO_CHAR(taken_at, 'FMMonth')"),
                ("oracle", "TO_CHAR(taken_at, 'Q')"),
                ("hana", "MONTH(taken_at)"),
                ("hana", "TO_VARCHAR(taken_at, 'MM')"),
                ("databricks", "DATE_FORMAT(taken_at, 'MM')"),
                ("databricks", "DATE_FORMAT(taken_at, 'M')"),
                ("postgresql", "TO_CHAR(taken_at, 'FMMonth')"),
                ("postgresql", "TO_CHAR(taken_at, 'Q')"),
                ("mariadb", "DATE_FORMAT(taken_at, '%c')"),
                ("duckdb", "STRFTIME('%m', taken_at)"),
                ("clickhouse", "toWeek(taken_at)"),
            )
        ),
        *(
            Case(_BY.format(month), None, "it names its year", dialect=dialect)
            for dialect, month in (
                ("oracle", "TO_CHAR(taken_at, 'YYYY-MM')"),
                ("oracle", "TRUNC(taken_at, 'MM')"),
                ("hana", "QUARTER(taken_at)"),
                ("databricks", "DATE_FORMAT(taken_at, 'yyyy-MM')"),
                ("clickhouse", "toStartOfMonth(taken_at)"),
            )
        ),
        Case(
            "SELECT toMonth(taken_at), countIf(toYear(taken_at) = 2024) FROM loans GROUP BY toMonth(taken_at)",
            None,
            "of one year",
            dialect="clickhouse",
        ),
        Case(
            "SELECT TO_CHAR(taken_at, 'MM'), SUM(CASE WHEN TO_CHAR(taken_at, 'YYYY') = '2024' THEN fee END) FROM loans"
            " GROUP BY TO_CHAR(taken_at, 'MM')",
            None,
            "of one year, as Oracle writes it",
            dialect="oracle",
        ),
        Case(_BY.format("TO_CHAR(fee, '999')"), None, "a number", dialect="oracle"),
        Case(_BY.format("STRFTIME(taken_at, '%u')"), None, "a day of the week", dialect="duckdb"),
    ),
}
