"""The cases of the rules on sums and averages of what is no amount. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, Case

DAYS = "JULIANDAY({}) - JULIANDAY({})"
BACK, FORTH = DAYS.format("planned_on", "held_on"), DAYS.format("held_on", "planned_on")
MEAN = "SELECT AVG({}) FROM openings"


def _swapped(sql: str, one: str, other: str, why: str, dialect: str = "sqlite") -> tuple[Case, ...]:
    """Both ways: which of them is negative is up to the data."""
    return (
        Case(sql.format(one), DOUBT, why, dialect=dialect),
        Case(sql.format(other), DOUBT, f"{why}, the other way round", dialect=dialect),
    )


def _doubted(*rows: tuple[str, str], dialect: str = "sqlite") -> tuple[Case, ...]:
    return tuple(Case(sql, DOUBT, why, dialect=dialect) for sql, why in rows)


def _left(*rows: tuple[str, str], dialect: str = "sqlite") -> tuple[Case, ...]:
    return tuple(Case(sql, None, why, dialect=dialect) for sql, why in rows)


SUM_CASES: dict[str, tuple[Case, ...]] = {
    "averaged_text": (
        *_doubted(
            ("SELECT AVG(name) FROM readers", "of names"),
            ("SELECT SUM(channel) FROM readers", "of codes"),
            ("SELECT AVG(CAST(name AS REAL)) FROM readers", "of a cast"),
            ("SELECT since, AVG(r.name) FROM readers AS r GROUP BY since", "of groups"),
            ("SELECT since FROM readers GROUP BY since HAVING SUM(name) > 3", "in HAVING"),
            ("SELECT ROUND(AVG(pages), 1) FROM books", "of texts that may be numbers, as the count tells"),
            ("SELECT id FROM loans WHERE fee > (SELECT AVG(name) FROM readers)", "inside"),
            ("SELECT AVG(b.title) FROM loans AS l JOIN books AS b ON b.id = l.book_id", "of a joined table"),
        ),
        *_doubted(("SELECT AVG(name) FROM readers", "in MySQL"), dialect="mysql"),
        *_left(
            ("SELECT AVG(fee) FROM loans", "of numbers"),
            ("SELECT SUM(price) FROM books", "of numbers, too"),
            ("SELECT AVG(LENGTH(name)) FROM readers", "of lengths"),
            ("SELECT SUM(CASE WHEN name = 'Ada' THEN 1 ELSE 0 END) FROM readers", "a count"),
            ("SELECT SUM(name = 'Ada') FROM readers", "a count in short"),
            ("SELECT COUNT(name) FROM readers", "a count of texts"),
            ("SELECT MAX(name), MIN(name) FROM readers", "the last and the first"),
            ("SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY reader_id) AS t", "of counts"),
            ("SELECT AVG(fee * 2) FROM loans", "of a product"),
            ("SELECT AVG(held_on) FROM openings", "of days"),
            ("SELECT name FROM readers", "no sum"),
        ),
        *_left(("SELECT AVG(name) FROM readers", "refused there"), dialect="postgresql"),
        *_left(("SELECT AVG(name) FROM readers", "there, too"), dialect="duckdb"),
    ),
    "negative_days": (
        *_swapped(MEAN, BACK, FORTH, "a mean"),
        *_swapped("SELECT SUM({}) AS days FROM openings", BACK, FORTH, "a sum"),
        *_swapped("SELECT id, {} FROM openings WHERE visitors > 3", BACK, FORTH, "each"),
        *_swapped("SELECT ROUND(AVG({}) / 7, 1) FROM openings", BACK, FORTH, "in weeks"),
        *_swapped("SELECT id FROM badges WHERE id < (SELECT MAX({}) FROM openings)", BACK, FORTH, "inside"),
        *_swapped(
            "SELECT AVG({}) FROM openings AS o JOIN badges AS b ON o.keys = b.id GROUP BY b.colour",
            DAYS.format("o.planned_on", "o.held_on"),
            DAYS.format("o.held_on", "o.planned_on"),
            "by groups of a join",
        ),
        *_swapped(MEAN, "planned_on - held_on", "held_on - planned_on", "by dates", "postgresql"),
        *_swapped(
            MEAN, "DATE_DIFF('DAY', planned_on, held_on)", "DATE_DIFF('DAY', held_on, planned_on)", "DuckDB's", "duckdb"
        ),
        *_swapped(MEAN, "DATEDIFF(planned_on, held_on)", "DATEDIFF(held_on, planned_on)", "MySQL's", "mysql"),
        *_left(
            (MEAN.format(f"ABS({BACK})"), "without its sign"),
            (MEAN.format(f"CASE WHEN {BACK} > 3 THEN 1 ELSE 0 END"), "a condition"),
            (f"SELECT id FROM openings WHERE {BACK} > 3", "in WHERE"),
            (MEAN.format("JULIANDAY('now') - JULIANDAY(held_on)"), "until now"),
            (MEAN.format("visitors - season"), "of numbers"),
            (MEAN.format("JULIANDAY(held_on)"), "no difference"),
            (MEAN.format("JULIANDAY(held_on) - 7 - JULIANDAY(planned_on)"), "of three"),
            (MEAN.format("JULIANDAY(held_on) - (SELECT MIN(JULIANDAY(planned_on)) FROM openings)"), "of a query"),
            (MEAN.format("JULIANDAY(held_on) + JULIANDAY(planned_on)"), "a sum of two"),
        ),
        *_left((MEAN.format("DATEADD(DAY, 3, held_on)"), "a later day"), dialect="sqlserver"),
    ),
}
