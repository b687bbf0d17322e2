"""The cases of the rules on what a database answers without a word. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, Case

BY_MONTH = "SELECT {0}, COUNT(*) FROM loans GROUP BY {0}"
ELSEWHERE = "duckdb"


def _doubted(*rows: tuple[str, str], dialect: str = "sqlite") -> tuple[Case, ...]:
    return tuple(Case(sql, DOUBT, why, dialect=dialect) for sql, why in rows)


def _left_alone(*rows: tuple[str, str], dialect: str = "sqlite") -> tuple[Case, ...]:
    return tuple(Case(sql, None, why, dialect=dialect) for sql, why in rows)


def _as_text(sql: str, column: str, why: str) -> Case:
    """Oracle writes times by a setting of the session."""
    written = f"TO_CHAR({column}, 'YYYY-MM-DD HH24:MI:SS')"
    return Case(sql.format(column), sql.format(written), why, dialect="oracle")


ALL = "SELECT COUNT(*) FROM loans"
LENT = "FROM readers AS r LEFT JOIN loans AS l ON l.reader_id = r.id"
AFTER = "FROM loans AS l JOIN loans AS m ON m.id = l.id - 1"
SEEN = "FROM films AS f LEFT JOIN screenings AS s ON s.film_id = f.film_id"
SILENT_CASES: dict[str, tuple[Case, ...]] = {
    "undone_join": (
        *_doubted(
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE l.fee > 5 GROUP BY r.id", "readers without such a loan"),
            (f"SELECT r.name, 2 * COUNT(*) AS n, SUM(l.fee) {LENT} WHERE l.fee > 5 GROUP BY r.id", "beside a sum"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE NOT l.fee IN (1, 2) GROUP BY r.id", "neither of two"),
            (
                f"SELECT r.name, COUNT(l.id) {LENT} WHERE r.since > 2000 AND l.due LIKE '2024%' GROUP BY r.id",
                "beside another",
            ),
            (
                f"SELECT r.name, COUNT(l.id) {LENT} WHERE l.due BETWEEN '2024-01-01' AND '2024-01-31' GROUP BY r.id",
                "a span",
            ),
            (
                f"SELECT x.name FROM (SELECT r.name, COUNT(l.id) AS n {LENT} WHERE l.fee = 0 GROUP BY r.id) AS x",
                "in a query inside",
            ),
            (
                "SELECT r.name, COUNT(n.reader_id) FROM readers AS r LEFT JOIN (SELECT reader_id, fee FROM loans) AS n "
                "ON n.reader_id = r.id WHERE n.fee > 5 GROUP BY r.id",
                "of a query inside",
            ),
        ),
        *_left_alone(
            (f"SELECT r.name, COUNT(l.id) {LENT} AND l.fee > 5 GROUP BY r.id", "in the join itself"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE r.since > 2000 GROUP BY r.id", "of the readers"),
            (f"SELECT r.name {LENT} WHERE l.id IS NULL GROUP BY r.id", "those without"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE NOT l.id IS NULL GROUP BY r.id", "those with, on purpose"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE l.fee > 5 OR l.id IS NULL GROUP BY r.id", "those without, too"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE COALESCE(l.fee, 0) < 5 GROUP BY r.id", "nothing counts as 0"),
            (f"SELECT r.name {LENT} WHERE l.fee > 5", "a list of what is selected"),
            (f"SELECT f.film_id, SUM(s.seats) {SEEN} WHERE s.shown_on >= '2024-03-01' GROUP BY f.film_id", "a sum"),
            (f"SELECT r.name, MAX(l.fee) {LENT} WHERE l.fee > 5 GROUP BY r.id", "the greatest"),
            (f"SELECT r.name, AVG(l.fee) {LENT} WHERE l.fee > 5 GROUP BY r.id", "a mean"),
            (f"SELECT r.name {LENT} WHERE l.fee > 5 GROUP BY r.id", "a list of groups"),
            (f"SELECT r.name {LENT} WHERE l.fee > 5 GROUP BY r.id HAVING COUNT(l.id) > 1", "counted, and not shown"),
            (f"SELECT COUNT(l.id) {LENT} WHERE l.fee > 5", "no groups"),
            (f"SELECT l.book_id, COUNT(*) {LENT} WHERE l.fee > 5 GROUP BY l.book_id", "groups of the loans"),
            (f"SELECT name, COUNT(*) {LENT} WHERE l.fee > 5 GROUP BY name", "groups of unknown tables"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE l.fee > r.since GROUP BY r.id", "of both tables"),
            (f"SELECT r.name, COUNT(l.id) {LENT.replace('LEFT ', '')} WHERE l.fee > 5 GROUP BY r.id", "no outer join"),
            (f"SELECT r.name, COUNT(l.id) {LENT} WHERE (l.fee > 5) IS NOT TRUE GROUP BY r.id", "true of nothing"),
            (f"SELECT f.film_id, COUNT(s.seats) {SEEN} GROUP BY f.film_id HAVING COUNT(s.seats) > 1", "in HAVING"),
        ),
    ),
    "date_arithmetic": (
        Case(
            "SELECT AVG(held_on - planned_on) FROM openings",
            "SELECT AVG(JULIANDAY(held_on) - JULIANDAY(planned_on)) FROM openings",
            "days between days",
        ),
        Case(
            "SELECT AVG(held_on - planned_on) AS average_lead FROM openings",
            "SELECT AVG(JULIANDAY(held_on) - JULIANDAY(planned_on)) AS average_lead FROM openings",
            "an average is no age",
        ),
        Case(
            "SELECT id FROM openings WHERE held_on - planned_on > 7",
            "SELECT id FROM openings WHERE JULIANDAY(held_on) - JULIANDAY(planned_on) > 7",
            "in a condition",
        ),
        *_doubted(
            ("SELECT MAX(held_on) - MIN(held_on) FROM openings", "days or years of one column"),
            ("SELECT AVG(held_on - planned_on) AS years FROM openings", "years are meant"),
            ("SELECT AVG(held_on - founded_on) FROM openings", "of other years, as an age is"),
            ("SELECT (held_on - planned_on) / 365 FROM openings", "divided to another unit"),
        ),
        Case(
            "SELECT AVG(held_on - planned_on) FROM openings",
            "SELECT AVG(DATEDIFF(held_on, planned_on)) FROM openings",
            "MySQL has a function for it",
            dialect="mariadb",
        ),
        Case("SELECT AVG(held_on - planned_on) FROM openings", None, "PostgreSQL gives days", dialect="postgresql"),
        *_doubted(
            ("SELECT AVG(taken_at - due) FROM loans", "a difference of years"),
            ("SELECT id FROM loans WHERE DATE('now') - taken_at > 7", "days are meant"),
            ("SELECT due - 7 FROM loans", "a week before is meant"),
            ("SELECT MAX(taken_at) - MIN(taken_at) FROM loans", "between the first and the last"),
            ("SELECT AVG(taken_at) FROM loans", "a mean of years"),
            ("SELECT id FROM loans AS l WHERE (l.due - l.taken_at) * 24 < 1", "in a condition"),
            ("SELECT MAX(d) FROM (SELECT due - taken_at AS d FROM loans) AS x", "in a query inside"),
            ("SELECT CURRENT_TIMESTAMP - taken_at FROM loans", "from now"),
            ("SELECT DATETIME(due) - taken_at FROM loans", "a function that gives a text"),
        ),
        *_doubted(("SELECT DATE(due) - DATE(taken_at) FROM loans", "MySQL reads all digits"), dialect="mysql"),
        *_left_alone(
            ("SELECT AVG(julianday(taken_at) - julianday(due)) FROM loans", "of numbers of days"),
            ("SELECT strftime('%Y', taken_at) - strftime('%Y', due) FROM loans", "of years, as it says"),
            ("SELECT fee + 1 FROM loans", "a number"),
            ("SELECT SUM(fee) - COUNT(taken_at) FROM loans", "a number of dates"),
            ("SELECT DATE(due, '-7 days') FROM loans", "by a modifier"),
            ("SELECT 2024 - since FROM readers", "a year is a number"),
            ("SELECT strftime('%Y', 'now') - due FROM loans", "years, as it says"),
            ("SELECT 2026 - taken_at FROM loans", "years, too"),
            ("SELECT strftime('%s', due) - strftime('%s', taken_at) FROM loans", "seconds"),
            ("SELECT MAX(taken_at) FROM loans", "the last"),
            ("SELECT due || taken_at FROM loans", "joined texts"),
            ("SELECT COUNT(*) - 1 FROM loans WHERE taken_at > due", "compared, not subtracted"),
        ),
        *_left_alone(
            ("SELECT taken_at - INTERVAL 1 DAY FROM loans", "an interval"),
            ("SELECT INTERVAL 1 DAY + taken_at FROM loans", "an interval before it"),
            dialect="mysql",
        ),
        Case(
            f"SELECT AVG((l.taken_at - m.taken_at)) / 3600 AS hours {AFTER}",
            f"SELECT AVG((EXTRACT(EPOCH FROM (l.taken_at - m.taken_at)))) / 3600 AS hours {AFTER}",
            "hours are meant, of an interval",
            dialect="postgresql",
        ),
        Case(
            f"SELECT l.book_id {AFTER} WHERE (l.taken_at - m.taken_at) / 86400.0 > 30",
            f"SELECT l.book_id {AFTER} WHERE (EXTRACT(EPOCH FROM (l.taken_at - m.taken_at))) / 86400.0 > 30",
            "days are meant",
            dialect=ELSEWHERE,
        ),
        Case(
            "SELECT (MAX(taken_at) - MIN(taken_at)) / 60 FROM loans",
            "SELECT (EXTRACT(EPOCH FROM (MAX(taken_at) - MIN(taken_at)))) / 60 FROM loans",
            "minutes, between the first and the last",
            dialect=ELSEWHERE,
        ),
        *_left_alone(
            (f"SELECT AVG(EXTRACT(EPOCH FROM (l.taken_at - m.taken_at)) / 3600) {AFTER}", "seconds, as it says"),
            (f"SELECT (l.taken_at - m.taken_at) / 2 {AFTER}", "half of it"),
            (f"SELECT l.fee / 3600 {AFTER}", "a number"),
            ("SELECT (held_on - planned_on) / 60 FROM openings", "days are numbers"),
            (f"SELECT l.fee / (l.taken_at - m.taken_at) {AFTER}", "by an interval"),
            (f"SELECT AVG(l.taken_at - m.taken_at) {AFTER}", "an interval is shown"),
            (f"SELECT EXTRACT(EPOCH FROM (l.taken_at - m.taken_at) / 60) {AFTER}", "seconds of a part of it"),
            (
                f"SELECT l.id {AFTER} WHERE (l.taken_at - m.taken_at) / 60 > INTERVAL 1 HOUR",
                "compared with an interval",
            ),
            dialect=ELSEWHERE,
        ),
        *_left_alone(("SELECT taken_at - due FROM loans", "PostgreSQL subtracts times"), dialect="postgresql"),
        *_left_alone(("SELECT taken_at - due FROM loans", "so does DuckDB"), dialect=ELSEWHERE),
    ),
    "unlabelled_numbers": (
        *_doubted(
            (f"{ALL} WHERE fee > 5 UNION {ALL} WHERE fee < 5", "two counts"),
            (f"{ALL} WHERE fee > 5 UNION ALL {ALL} WHERE fee < 5", "kept apart, in no order"),
            (f"{ALL} UNION {ALL} WHERE fee > 5 UNION {ALL} WHERE fee < 5", "three of them"),
            ("SELECT SUM(fee) FROM loans UNION ALL SELECT AVG(fee) FROM loans", "two aggregates"),
            ("SELECT SUM(fee) AS a FROM loans UNION SELECT AVG(fee) AS b FROM loans", "only the first name counts"),
            ("SELECT COUNT(*), SUM(fee) FROM loans UNION SELECT COUNT(*), SUM(fee) FROM loans", "two columns"),
            (f"{ALL} UNION {ALL} ORDER BY 1", "in the order of the numbers"),
            (f"{ALL} UNION {ALL} LIMIT 5", "limited"),
            ("SELECT COUNT(*) * 2 FROM loans UNION SELECT COUNT(*) FROM readers", "a product"),
            ("SELECT COUNT(DISTINCT book_id) FROM loans UNION SELECT COUNT(*) FROM books", "different ones"),
        ),
        *_left_alone(
            (ALL, "one number"),
            ("SELECT 'a' AS kind, COUNT(*) FROM loans UNION SELECT 'b', COUNT(*) FROM readers", "labelled"),
            ("SELECT 'loans: ' || COUNT(*) FROM loans UNION SELECT 'books: ' || COUNT(*) FROM books", "in one text"),
            ("SELECT MIN(taken_at) FROM loans UNION ALL SELECT MAX(taken_at) FROM loans", "the ends of a span"),
            ("SELECT id FROM loans UNION SELECT id FROM readers", "lists"),
            ("SELECT MAX(fee) - MIN(fee) AS span FROM loans", "a difference"),
            ("SELECT book_id, COUNT(*) FROM loans GROUP BY book_id UNION SELECT 0, 0", "groups"),
            ("SELECT COUNT(*) FROM loans GROUP BY book_id UNION SELECT COUNT(*) FROM readers", "of each group"),
            (f"{ALL} INTERSECT {ALL}", "the same number"),
            (f"{ALL} EXCEPT {ALL}", "another number"),
            (f"SELECT SUM(n) FROM ({ALL.replace('COUNT(*)', 'COUNT(*) AS n')} UNION ALL {ALL})", "added up"),
            ("SELECT COUNT(*) OVER () FROM loans UNION SELECT COUNT(*) FROM loans", "a number in each row"),
            ("SELECT fee FROM loans WHERE fee = (SELECT MAX(fee) FROM loans) UNION SELECT 1", "a value"),
        ),
    ),
    "share_of_itself": (
        *_doubted(
            ("SELECT CAST(COUNT(*) AS REAL) / COUNT(*) FROM loans WHERE fee > 5", "of one condition"),
            ("SELECT AVG(fee) * 100 / COUNT(*) FROM loans", "an average divided once more"),
            (
                "SELECT book_id, COUNT(*) * 100.0 / COUNT(*) AS s FROM loans WHERE fee > 5 GROUP BY book_id",
                "in each group",
            ),
            ("SELECT 100.0 * SUM(fee) / SUM(fee) FROM loans WHERE reader_id = 7", "of an amount"),
            ("SELECT COUNT(*) * 1.0 / COUNT(*), COUNT(*) * 100 / COUNT(*) FROM loans WHERE fee > 5", "twice"),
            (
                "SELECT SUM(CASE WHEN fee > 5 THEN 1 ELSE 0 END) * 1.0 / COUNT(*) FROM loans"
                " WHERE fee > 5 AND book_id = 3",
                "all rows have the part's condition",
            ),
            ("SELECT COUNT(CASE WHEN fee > 5 THEN 1 END) * 1.0 / COUNT(*) FROM loans WHERE (fee > 5)", "counted"),
            (
                "SELECT SUM(CASE WHEN book_id = 3 THEN fee END) / SUM(fee) FROM loans WHERE book_id = 3",
                "an amount of the part's rows",
            ),
            ("SELECT COUNT(*) * 1.0 / COUNT(*) FROM loans", "no condition"),
        ),
        *_left_alone(
            ("SELECT SUM(fee) / COUNT(*) FROM loans WHERE book_id = 3", "a mean"),
            ("SELECT AVG(fee) / COUNT(DISTINCT book_id) FROM loans", "an average by the number of books"),
            ("SELECT AVG(fee) / 100 FROM loans", "an average in another unit"),
            ("SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM loans) FROM loans WHERE fee > 5", "another query's whole"),
            (
                "SELECT SUM(CASE WHEN fee > 5 THEN 1 ELSE 0 END) * 1.0 / COUNT(*) FROM loans WHERE book_id = 3",
                "a share",
            ),
            (
                "SELECT SUM(CASE WHEN fee > 5 THEN fee ELSE 0 END) / COUNT(*) FROM loans WHERE fee > 5",
                "a mean in a CASE",
            ),
            ("SELECT COUNT(CASE WHEN fee > 5 THEN 1 END) / SUM(fee) FROM loans WHERE fee > 5", "rows by an amount"),
            (
                "SELECT SUM(CASE WHEN fee > 5 THEN fee END) / COUNT(DISTINCT book_id) FROM loans WHERE fee > 5",
                "an amount for each book",
            ),
            (
                "SELECT COUNT(CASE WHEN fee > 5 THEN 1 ELSE 0 END) / COUNT(*) FROM loans WHERE book_id = 3",
                "another part",
            ),
            ("SELECT fee / fee FROM loans", "not of aggregates"),
            (
                "SELECT COUNT(CASE WHEN fee > 5 THEN 1 END) * 1.0 / COUNT(*) FROM loans WHERE fee > 4",
                "another condition",
            ),
            ("SELECT MAX(fee) / MIN(fee) FROM loans WHERE book_id = 3", "two ends"),
            ("SELECT SUM(CASE WHEN fee > 5 THEN 2 ELSE 0 END) / COUNT(*) FROM loans WHERE fee > 5", "a weight"),
            ("SELECT COUNT(fee) * 1.0 / COUNT(*) FROM loans WHERE book_id = 3", "those that have a value"),
        ),
    ),
    "captured_column": (
        *(
            Case(sql.format(written), sql.format(meant), why)
            for sql, written, meant, why in (
                (
                    "SELECT fee FROM loans WHERE reader_id IN (SELECT {} FROM readers)",
                    "reader_id",
                    "id",
                    "a key referred to",
                ),
                ("SELECT fee FROM loans WHERE NOT reader_id IN (SELECT {} FROM readers)", "reader_id", "id", "denied"),
                (
                    "SELECT fee FROM loans WHERE reader_id = (SELECT {} FROM readers LIMIT 1)",
                    "reader_id",
                    "id",
                    "equal",
                ),
                (
                    "SELECT fee FROM loans AS l WHERE l.reader_id IN (SELECT {} FROM readers AS r WHERE r.id > 3)",
                    "reader_id",
                    "id",
                    "with aliases",
                ),
                (
                    "SELECT id FROM badges WHERE giver_id IN (SELECT {} FROM readers WHERE name = 'Ada')",
                    "giver_id",
                    "id",
                    "another key",
                ),
                (
                    "SELECT n FROM (SELECT fee AS n FROM loans WHERE book_id IN (SELECT {} FROM books)) AS x",
                    "book_id",
                    "id",
                    "deeper",
                ),
                (
                    "SELECT colour FROM prizes WHERE badge_id IN (SELECT {} FROM badges WHERE colour = 'red')",
                    "badge_id",
                    "id",
                    "of badges",
                ),
            )
        ),
        *_doubted(
            ("SELECT name FROM readers WHERE channel IN (SELECT channel FROM loans)", "no key tells what is meant"),
            ("SELECT title FROM books WHERE title IN (SELECT title FROM readers)", "no key between them"),
            ("SELECT fee FROM loans WHERE reader_id IN (SELECT reader_id FROM books)", "a key of another table"),
            ("SELECT fee FROM loans WHERE reader_id IN (SELECT reader_id FROM readers WHERE reader_id > 1)", "twice"),
        ),
        *_left_alone(
            ("SELECT name FROM readers WHERE id IN (SELECT reader_id FROM loans)", "its own column"),
            ("SELECT name FROM readers WHERE id IN (SELECT id FROM loans)", "wrong, but its own column"),
            ("SELECT fee FROM loans WHERE EXISTS (SELECT reader_id FROM readers)", "what EXISTS selects is not read"),
            ("SELECT name FROM readers WHERE id IN (SELECT x.reader_id FROM loans AS x)", "with its table"),
            ("SELECT fee FROM loans AS l WHERE fee > (SELECT AVG(price) FROM books WHERE id = book_id)", "a condition"),
            ("SELECT fee FROM loans WHERE reader_id IN (SELECT 1 FROM readers)", "no column"),
            (
                "SELECT fee FROM loans WHERE reader_id IN (SELECT n FROM (SELECT id AS n FROM readers) AS x)",
                "of no table",
            ),
            ("SELECT reader_id FROM loans", "no query inside"),
            ("SELECT id, (SELECT reader_id FROM readers LIMIT 1) FROM loans", "in a list"),
            ("SELECT reader_id FROM loans UNION SELECT id FROM readers", "beside, not inside"),
            ("SELECT x.reader_id FROM (SELECT reader_id FROM loans) AS x", "in FROM"),
        ),
    ),
    "dropped_nulls": (
        *_doubted(
            ("SELECT COUNT(*) FROM readers WHERE channel <> 'M'", "readers without a channel are not counted"),
            ("SELECT COUNT(*) FROM readers WHERE channel != 'M'", "the same in other signs"),
            ("SELECT COUNT(*) FROM readers WHERE NOT channel = 'M'", "denied as a whole"),
            ("SELECT COUNT(*) FROM readers WHERE channel NOT IN ('M', 'T')", "in no list"),
            ("SELECT COUNT(*) FROM readers WHERE name NOT LIKE 'A%'", "like nothing"),
            ("SELECT COUNT(*) FROM readers AS r WHERE r.since <> 1999 AND r.id > 3", "beside another condition"),
            ("SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE channel <> 'M')", "inside"),
            (
                "SELECT SUM(l.fee) FROM loans AS l JOIN readers AS r ON r.id = l.reader_id WHERE r.name <> 'Bo'",
                "joined",
            ),
        ),
        *_doubted(("SELECT COUNT(*) FROM readers WHERE name NOT ILIKE 'a%'", "in any case"), dialect=ELSEWHERE),
        *_left_alone(
            ("SELECT COUNT(*) FROM readers WHERE id <> 3", "a key is never NULL"),
            ("SELECT COUNT(*) FROM readers WHERE channel = 'M'", "nothing is denied"),
            ("SELECT COUNT(*) FROM readers WHERE channel IN ('M', 'T')", "in a list"),
            ("SELECT COUNT(*) FROM readers WHERE NOT channel IS NULL", "as it says"),
            ("SELECT COUNT(*) FROM loans WHERE taken_at <> due", "two columns"),
            ("SELECT COUNT(*) FROM loans WHERE id NOT IN (SELECT id FROM books)", "another rule's"),
            ("SELECT COUNT(*) FROM loans WHERE NOT EXISTS (SELECT 1 FROM books)", "no column"),
            ("SELECT COUNT(*) FROM readers WHERE NOT (channel = 'M' OR since = 1999)", "two conditions"),
            ("SELECT channel, COUNT(*) FROM readers GROUP BY channel HAVING COUNT(*) <> 1", "of groups"),
            ("SELECT COUNT(*) FROM readers WHERE UPPER(channel) <> 'M'", "made of a column"),
            ("SELECT COUNT(*) FROM readers WHERE name <> ''", "it asks for a name"),
            ("SELECT COUNT(*) FROM loans WHERE fee <> 0", "it asks for a fee"),
            ("SELECT CASE WHEN channel <> 'M' THEN 1 ELSE 0 END FROM readers", "no row is left out"),
            ("SELECT x.n FROM (SELECT COUNT(*) AS n FROM readers) AS x WHERE x.n <> 3", "of no table"),
        ),
    ),
    "merged_months": (
        *_doubted(
            (BY_MONTH.format("strftime('%m', taken_at)"), "every March"),
            ("SELECT strftime('%m', due) AS month, SUM(fee) FROM loans GROUP BY month", "by an alias"),
            ("SELECT strftime('%m', due), SUM(fee) FROM loans GROUP BY 1", "by its place"),
            ("SELECT reader_id, strftime('%W', due), SUM(fee) FROM loans GROUP BY 1, 2", "weeks of each reader"),
            ("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY strftime('%m', due)) AS x", "inside"),
        ),
        *_doubted(
            (BY_MONTH.format("MONTH(taken_at)"), "a function"),
            (BY_MONTH.format("MONTHNAME(taken_at)"), "its name"),
            (BY_MONTH.format("QUARTER(taken_at)"), "quarters"),
            (BY_MONTH.format("EXTRACT(MONTH FROM taken_at)"), "as the standard writes it"),
            (BY_MONTH.format("DATE_PART('month', taken_at)"), "as a text"),
            (BY_MONTH.format("STRFTIME(taken_at, '%B')"), "a format"),
            dialect=ELSEWHERE,
        ),
        *_doubted((BY_MONTH.format("TO_CHAR(taken_at, 'MM')"), "PostgreSQL's format"), dialect="postgresql"),
        *_doubted((BY_MONTH.format("toMonth(taken_at)"), "ClickHouse's"), dialect="clickhouse"),
        *_left_alone(
            (BY_MONTH.format("strftime('%Y-%m', taken_at)"), "with the year"),
            ("SELECT COUNT(*) FROM loans GROUP BY strftime('%Y', due), strftime('%m', due)", "the year beside it"),
            ("SELECT COUNT(*) FROM loans GROUP BY strftime('%Y', due) || '-' || strftime('%m', due)", "joined"),
            ("SELECT COUNT(*) FROM loans WHERE strftime('%m', due) = '03'", "a condition"),
            ("SELECT strftime('%m', due) FROM loans", "no groups"),
            (BY_MONTH.format("strftime('%w', due)"), "days of the week come again"),
            (BY_MONTH.format("strftime('%H', taken_at)"), "so do hours"),
            (
                "SELECT strftime('%m', due), SUM(strftime('%Y', due) = '2024') FROM loans GROUP BY 1",
                "a column for a year",
            ),
        ),
        *_left_alone(
            (BY_MONTH.format("DATE_TRUNC('month', taken_at)"), "months of a year"),
            ("SELECT COUNT(*) FROM loans GROUP BY YEAR(taken_at), MONTH(taken_at)", "both"),
            dialect=ELSEWHERE,
        ),
    ),
    "like_case": (
        *_doubted(
            ("SELECT id FROM readers WHERE name LIKE '%da%'", "Dana and Ada"),
            ("SELECT id FROM readers WHERE name LIKE 'Ad%'", "a capital letter"),
            ("SELECT id FROM readers WHERE NOT name LIKE '%da%'", "denied"),
            ("SELECT id FROM readers WHERE name LIKE '%da%' AND id > 3", "beside another condition"),
            ("SELECT id FROM readers WHERE name LIKE '%da%' OR channel LIKE 'm'", "two"),
            ("SELECT id FROM readers WHERE name LIKE '%öl%'", "an umlaut"),
            dialect=ELSEWHERE,
        ),
        *(
            case
            for dialect in ("postgresql", "oracle", "clickhouse", "databricks", "hana")
            for case in _doubted(
                ("SELECT id FROM readers WHERE name LIKE '%da%'", f"so does {dialect}"), dialect=dialect
            )
        ),
        *(
            case
            for dialect in ("sqlite", "mysql", "mariadb", "sqlserver")
            for case in _left_alone(
                ("SELECT id FROM readers WHERE name LIKE '%da%'", "takes them for the same"), dialect=dialect
            )
        ),
        *_left_alone(
            ("SELECT id FROM readers WHERE name ILIKE '%da%'", "in any case as it is"),
            ("SELECT id FROM readers WHERE LOWER(name) LIKE '%da%'", "folded as it is"),
            ("SELECT id FROM readers WHERE name LIKE '%20%'", "no letters"),
            ("SELECT id FROM readers WHERE name LIKE '%IT%'", "meant as it is written"),
            ("SELECT id FROM readers WHERE name LIKE channel", "a column"),
            ("SELECT id FROM readers WHERE since LIKE '19a%'", "no text"),
            ("SELECT id FROM readers WHERE name = 'Ada'", "equal"),
            ("SELECT x.n FROM (SELECT UPPER(name) AS n FROM readers) AS x WHERE x.n LIKE 'A%'", "of no table"),
            (f"{LOANS} fee > 3", "no text at all"),
            dialect=ELSEWHERE,
        ),
    ),
    "times_as_text": (
        _as_text(f"{LOANS} {{}} LIKE '2024-03%'", "taken_at", "a month"),
        _as_text(f"{LOANS} {{}} LIKE '2024%'", "taken_at", "a year"),
        _as_text(f"{LOANS} {{}} LIKE '%-03-%'", "taken_at", "any March"),
        _as_text(f"{LOANS} NOT {{}} LIKE '2024-03%'", "taken_at", "all but a month"),
        _as_text("SELECT COUNT(*) FROM openings WHERE {} LIKE '2024-03-0_'", "held_on", "a day"),
        _as_text("SELECT SUBSTR({0}, 1, 7), COUNT(*) FROM loans GROUP BY SUBSTR({0}, 1, 7)", "taken_at", "its month"),
        _as_text("SELECT SUBSTR({}, 1, 4) FROM loans l", "l.taken_at", "its year"),
        _as_text("SELECT id FROM openings o WHERE SUBSTR({}, 6, 2) = '03'", "o.held_on", "its month, compared"),
        *(
            Case(sql, None, why, dialect=dialect)
            for dialect, sql, why in (
                ("oracle", f"{LOANS} taken_at LIKE '%MAR%'", "as it is written"),
                ("oracle", f"{LOANS} taken_at LIKE '%-MAR-24'", "so, too"),
                ("oracle", "SELECT SUBSTR(taken_at, 8, 2) FROM loans", "its year there"),
                ("oracle", "SELECT SUBSTR(taken_at, 4, 3) FROM loans", "its month there"),
                ("oracle", f"{LOANS} due LIKE '2024-03%'", "a text"),
                ("oracle", f"{LOANS} fee LIKE '2024%'", "a number"),
                ("oracle", "SELECT SUBSTR(due, 1, 7) FROM loans", "part of a text"),
                ("oracle", f"{LOANS} TO_CHAR(taken_at, 'YYYY-MM') LIKE '2024-03%'", "written so"),
                ("oracle", f"{LOANS} taken_at >= DATE '2024-03-01'", "no text"),
                ("oracle", "SELECT EXTRACT(YEAR FROM taken_at) FROM loans", "its year"),
                (
                    "sqlserver",
                    "SELECT id FROM openings WHERE held_on LIKE '2024-03%'",
                    "of a day, it writes 2024-03-01",
                ),
                ("postgresql", f"{LOANS} CAST(taken_at AS TEXT) LIKE '2024-03%'", "PostgreSQL writes it so"),
                ("mariadb", f"{LOANS} taken_at LIKE '2024-03%'", "MariaDB, too"),
                ("duckdb", f"{LOANS} CAST(taken_at AS VARCHAR) LIKE '2024-03%'", "and DuckDB"),
                ("sqlite", f"{LOANS} taken_at LIKE '2024-03%'", "in SQLite, it is one"),
                ("hana", f"{LOANS} taken_at LIKE '2024-03%'", "HANA writes it so"),
            )
        ),
    ),
}
