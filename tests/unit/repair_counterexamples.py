"""Further cases of the rules that repair queries which cannot run, with ones to leave alone; one a line.

They are looked at like those of `rule_cases`: over the same tables, by the same test.
"""

from __future__ import annotations

from rule_shop import COLUMN, READS, Case, cases, grouped, left_alone

from executors.errors import ErrorKind

SYNTAX, NO_FUNCTION = ErrorKind.SYNTAX_ERROR, ErrorKind.FUNCTION_NOT_FOUND

COUNTEREXAMPLES: dict[str, list[Case]] = {
    "lost_joins": [
        *cases(
            (
                "SELECT loans.title FROM loans JOIN books ON loans.book_id = books.id",
                "SELECT books.title FROM loans JOIN books ON loans.book_id = books.id",
                "of the table that is joined",
            ),
            (
                "SELECT l.title FROM loans AS l",
                "SELECT books.title FROM loans AS l JOIN books ON l.book_id = books.id",
                "a table that is not read yet",
            ),
            (
                "SELECT name FROM loans",
                "SELECT name FROM loans JOIN readers ON loans.reader_id = readers.id",
                "the only table with a name",
            ),
            ("SELECT tittle FROM books", "SELECT books.title FROM books", "a letter doubled"),
            ("SELECT r.reader_name FROM readers AS r", "SELECT r.name FROM readers AS r", "a word more"),
            (
                "SELECT COUNT(*) FROM loans AS l JOIN readers AS r ON l.reader = r.id",
                "SELECT COUNT(*) FROM loans AS l JOIN readers AS r ON l.reader_id = r.id",
                "what is joined by has another name",
            ),
            ("SELECT x.name FROM readers AS r", "SELECT r.name FROM readers AS r", "an alias that is not there"),
            (
                "SELECT id FROM loans AS l WHERE l.since > 2000",
                "SELECT l.id FROM loans AS l JOIN readers ON l.reader_id = readers.id WHERE readers.since > 2000",
                "a column that only WHERE reads",
            ),
            (
                "SELECT r.colour FROM readers AS r",
                "SELECT badges.colour FROM readers AS r JOIN badges ON r.id = badges.giver_id",
                "of prizes and badges the nearer one",
            ),
            (
                "SELECT id FROM loans WHERE fee > 1 ORDER BY pages",
                "SELECT loans.id FROM loans JOIN books ON loans.book_id = books.id WHERE fee > 1 ORDER BY pages",
                "a column that only ORDER BY reads",
            ),
            (
                f"SELECT l.since, COUNT(*) {READS} GROUP BY l.since",
                f"SELECT r.since, COUNT(*) {READS} GROUP BY r.since",
                "shown and grouped by",
            ),
            error=COLUMN,
        ),
        *left_alone(
            (
                f"SELECT r.price {READS} JOIN nowhere AS n ON n.id = l.id",
                "a table that is not there is not taken for another",
            ),
            ("SELECT readers.net_price FROM readers USING (id)", "no query"),
            ("SELECT l.giver FROM loans AS l NATURAL JOIN readers", "joined by whatever is called alike"),
            ("SELECT a.name FROM loans AS a JOIN loans AS b ON a.id = b.id", "a table twice"),
            ("SELECT title, secret FROM books", "no column is called so"),
            error=COLUMN,
        ),
    ],
    "text_of_values": [
        *cases(
            (
                "SELECT id FROM loans WHERE taken_at ILIKE '2025%'",
                "SELECT id FROM loans WHERE CAST(taken_at AS TEXT) ILIKE '2025%'",
                "without case",
            ),
            (
                "SELECT id FROM loans WHERE NOT taken_at LIKE '2025%'",
                "SELECT id FROM loans WHERE NOT CAST(taken_at AS TEXT) LIKE '2025%'",
                "negated",
            ),
            (
                "SELECT id FROM loans WHERE fee LIKE '1%'",
                "SELECT id FROM loans WHERE CAST(fee AS TEXT) LIKE '1%'",
                "a number by its first digit",
            ),
            ("SELECT LEFT(taken_at, 7) FROM loans", "SELECT LEFT(CAST(taken_at AS TEXT), 7) FROM loans", "a month"),
            (
                "SELECT RIGHT(l.fee, 1) FROM loans AS l",
                "SELECT RIGHT(CAST(l.fee AS TEXT), 1) FROM loans AS l",
                "the last digit",
            ),
            (
                "SELECT COUNT(*) FROM (SELECT id FROM loans WHERE taken_at LIKE '2025%') AS x",
                "SELECT COUNT(*) FROM (SELECT id FROM loans WHERE CAST(taken_at AS TEXT) LIKE '2025%') AS x",
                "in a query inside",
            ),
            error=ErrorKind.TYPE_MISMATCH,
            dialect="postgresql",
        ),
        *left_alone(
            ("SELECT id FROM readers WHERE channel LIKE 'M%'", "a text"),
            ("SELECT id FROM loans WHERE CAST(taken_at AS TEXT) LIKE '2025%'", "a text already"),
            ("SELECT id FROM loans WHERE due LIKE '2025%'", "a day that is kept as text"),
            ("SELECT LEFT(name, 1) FROM readers", "the first letter"),
            ("SELECT id FROM nowhere WHERE taken_at LIKE '2025%'", "whose column it is nobody knows"),
            ("SELECT x.t FROM (SELECT taken_at AS t FROM loans) AS x WHERE x.t LIKE '2025%'", "of a query inside"),
            ("SELECT id FROM loans WHERE '2025-01-01' LIKE '2025%'", "two texts"),
            ("SELECT id FROM loans WHERE taken_at >= '2025-01-01'", "compared as a time"),
            ("SELECT id FROM loans WHERE EXTRACT(YEAR FROM taken_at) = 2025", "its year"),
            ("SELECT id FROM loans WHERE fee = 1", "no pattern"),
            error=ErrorKind.TYPE_MISMATCH,
            dialect="postgresql",
        ),
    ],
    "keyed_groups": [
        grouped("r.name, r.channel, COUNT(*)", "r.id", "r.name, r.channel", "two of them"),
        grouped("UPPER(r.name), COUNT(*)", "r.id", "r.name", "made of one"),
        grouped("r.id, r.name, COUNT(*)", "r.id", "r.name", "beside the key"),
        grouped("r.name, COUNT(*)", "l.reader_id", "r.name", "by the key that refers to it"),
        grouped("r.name AS reader, COUNT(*)", "r.id", "r.name", "by another name"),
        grouped("COUNT(*)", "r.id", "r.name", "ordered by", " ORDER BY r.name"),
        grouped("COUNT(*)", "r.id", "r.channel", "in HAVING", " HAVING r.channel = 'M'"),
        grouped("r.name, COUNT(*) AS n", "r.id", "r.name", "ordered by an alias", " ORDER BY n DESC LIMIT 3"),
        grouped("l.due, l.fee, MAX(r.name)", "l.id", "l.due, l.fee", "of the other table"),
        grouped("r.name, COUNT(*)", "r.channel", "r.name", "if each reader has a channel of his own"),
        grouped("r.name, COUNT(*)", "r.channel, r.since", "r.name", "if two columns tell readers apart"),
        grouped("l.due, COUNT(*)", "l.reader_id", "l.due", "if no reader has two loans"),
        grouped("l.due, COUNT(*)", "r.channel", None, "of the table that refers, by one of the other"),
        grouped("r.name, l.fee", "UPPER(r.name)", None, "by no column"),
        grouped("COUNT(*)", "r.id", None, "nothing is missing"),
        grouped("MAX(r.name), COUNT(*)", "r.id", None, "in an aggregate"),
        grouped("x.name, COUNT(*)", "r.id", None, "of no table"),
        Case(
            "SELECT r.name, COUNT(*) FROM readers AS r LEFT JOIN loans AS l ON l.reader_id = r.id GROUP BY l.reader_id",
            None,
            "readers without a loan are one group",
            dialect="duckdb",
            error=ErrorKind.GROUPING,
        ),
        Case("SELECT name, COUNT(*) FROM readers", None, "no groups", dialect="duckdb", error=ErrorKind.GROUPING),
        Case("SELECT name, COUNT(*) FROM readers GROUP BY id", None, "of another error", error=ErrorKind.SYNTAX_ERROR),
    ],
    "foreign_functions": [
        *cases(
            ("SELECT MONTH(due) FROM loans", "SELECT CAST(STRFTIME('%m', due) AS INTEGER) FROM loans", "a month"),
            (
                "SELECT EXTRACT(YEAR FROM due) FROM loans",
                "SELECT CAST(STRFTIME('%Y', due) AS INTEGER) FROM loans",
                "as in PostgreSQL",
            ),
            ("SELECT DATE_TRUNC('month', due) FROM loans", "SELECT DATE(due, 'start of month') FROM loans", "a month"),
            (
                "SELECT DATE_PART('day', due) FROM loans",
                "SELECT CAST(STRFTIME('%d', due) AS INTEGER) FROM loans",
                "as in DuckDB",
            ),
            ("SELECT DATE_FORMAT(due, '%Y-%m') FROM loans", "SELECT STRFTIME('%Y-%m', due) FROM loans", "as in MySQL"),
            ("SELECT TO_CHAR(due, 'YYYY-MM') FROM loans", "SELECT STRFTIME('%Y-%m', due) FROM loans", "as in Oracle"),
            ("SELECT id FROM loans WHERE due > NOW()", "SELECT id FROM loans WHERE due > DATETIME('now')", "now"),
            ("SELECT LEFT(name, 2) FROM readers", "SELECT SUBSTR(name, 1, 2) FROM readers", "the first two letters"),
            ("SELECT RIGHT(name, 2) FROM readers", "SELECT SUBSTR(name, -2) FROM readers", "the last two"),
            (
                "SELECT DATEADD(month, 3, due) FROM loans",
                "SELECT DATE(due, '+3 months') FROM loans",
                "as in SQL Server",
            ),
            (
                "SELECT HOUR(taken_at) FROM loans",
                "SELECT CAST(STRFTIME('%H', taken_at) AS INTEGER) FROM loans",
                "an hour",
            ),
            error=NO_FUNCTION,
        ),
        *left_alone(
            ("SELECT UPPER(name) FROM readers", "its own"),
            ("SELECT STRFTIME('%Y', due) FROM loans", "its own already"),
            ("SELECT MEDIAN(fee) FROM loans", "nothing of its own means that"),
            ("SELECT DATE_TRUNC('decade', due) FROM loans", "a unit that it lacks"),
            ("SELECT TO_CHAR(fee, '999') FROM loans", "a number's form"),
            ("SELECT DATEADD(fortnight, 3, due) FROM loans", "no unit of SQLite"),
            ("SELECT AGE(due) FROM loans", "several meanings"),
            error=NO_FUNCTION,
        ),
    ],
}
