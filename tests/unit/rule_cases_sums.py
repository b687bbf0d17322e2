"""The cases of the rules on sums and averages of what is no amount. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, Case


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
}
