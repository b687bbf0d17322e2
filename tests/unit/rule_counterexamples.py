"""Further cases of every rule, most of them right queries that it has to leave alone; one a line.

They are looked at like those of `rule_cases`: over the same tables, by the same test.
"""

from __future__ import annotations

from rule_cases import COLUMN, READS, doubted, left_alone, missing_text
from rule_shop import DOUBT, LOANS, Case, grouped

from executors.errors import ErrorKind

SYNTAX, NO_FUNCTION = ErrorKind.SYNTAX_ERROR, ErrorKind.FUNCTION_NOT_FOUND


def _cases(*rows: tuple[str, str | None, str], error: ErrorKind | None = None, dialect: str = "sqlite") -> list[Case]:
    """Rows of (query, what becomes of it, why)."""
    return [Case(sql, after, why, error=error, dialect=dialect) for sql, after, why in rows]


def _looked_up(sql: str, after: str | None, why: str, text: str, same: str | None = None) -> Case:
    return Case(sql, after, why, looked_up=missing_text(text, same=same))


TAKEN = "SELECT id FROM loans WHERE taken_at"

WHOLE_DAYS = (
    (f"{TAKEN} < '2024-03-01'", "before its midnight"),
    (f"{TAKEN} BETWEEN '2024-03-01' AND '2024-03-31 23:59:59'", "to its last second"),
    (f"{TAKEN} >= '2024-03-01' AND taken_at < '2024-04-01'", "to the next month"),
    (f"{TAKEN} = (SELECT MAX(taken_at) FROM loans)", "of another query"),
    (f"{TAKEN} < '2024-03-31'", "before a day, since ever"),
    (f"{TAKEN} >= '2024-03-10' AND taken_at < '2024-03-31'", "no whole months"),
    (f"{TAKEN} >= '2024-03-01' AND taken_at < '2024-03-30'", "no last day"),
    (f"{TAKEN} >= '2024-03-01' OR taken_at < '2024-03-31'", "no span"),
    (f"{LOANS} due >= '2024-03-01' AND taken_at < '2024-03-31'", "of two columns"),
)

COUNTEREXAMPLES: dict[str, list[Case]] = {
    "lost_joins": [
        *_cases(
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
                "SELECT l.colour FROM loans AS l",
                "SELECT badges.colour FROM loans AS l JOIN readers ON l.reader_id = readers.id "
                "JOIN badges ON readers.id = badges.giver_id",
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
        *_cases(
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
        *_cases(
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
    "stored_values": [
        *[
            _looked_up(
                f"SELECT id FROM readers WHERE name = '{text}'",
                f"SELECT id FROM readers WHERE name = '{stored}'",
                why,
                text,
                stored,
            )
            for text, stored, why in (
                ("ADA", "Ada", "capitals"),
                ("Zoe", "Zoë", "an accent"),
                ("Bo-Li", "Bo Li", "a hyphen"),
                ("St Ives", "St. Ives", "a full stop"),
                ("ada ", "Ada", "a space behind"),
                ("Strasse", "STRASSE", "a form"),
            )
        ],
        *[
            _looked_up(f"SELECT id FROM readers WHERE name = '{text}'", DOUBT, why, text)
            for text, why in (
                ("Adam", "another name"),
                ("USA", "an abbreviation"),
                ("Readers", "a plural"),
                ("", "no text at all"),
            )
        ],
        _looked_up(
            "SELECT id FROM readers WHERE name = 'ADA' OR since = 1999",
            "SELECT id FROM readers WHERE name = 'Ada' OR since = 1999",
            "beside another condition",
            "ADA",
            "Ada",
        ),
        _looked_up(
            "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE name = 'ADA')",
            "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE name = 'Ada')",
            "in a query inside",
            "ADA",
            "Ada",
        ),
        _looked_up(
            "SELECT id FROM readers WHERE NOT name = 'ADA'", DOUBT, "negated, it is not looked up", "ADA", "Ada"
        ),
        *left_alone(
            ("SELECT id FROM readers WHERE name LIKE 'ADA'", "a pattern, and nothing was looked up"),
        ),
    ],
    "not_in_nulls": [
        *_cases(
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT reader_id FROM loans WHERE fee > 1)",
                "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans WHERE fee > 1 AND "
                "NOT reader_id IS NULL)",
                "beside what it asks for",
            ),
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT l.reader_id FROM loans AS l)",
                "SELECT name FROM readers WHERE NOT id IN (SELECT l.reader_id FROM loans AS l WHERE "
                "NOT l.reader_id IS NULL)",
                "by its alias",
            ),
            (
                "SELECT title FROM books WHERE id NOT IN (SELECT DISTINCT book_id FROM loans)",
                "SELECT title FROM books WHERE NOT id IN "
                "(SELECT DISTINCT book_id FROM loans WHERE NOT book_id IS NULL)",
                "each once",
            ),
            (
                "SELECT title FROM books WHERE price > 5 AND id NOT IN (SELECT book_id AS b FROM loans)",
                "SELECT title FROM books WHERE price > 5 AND NOT id IN (SELECT book_id AS b FROM loans WHERE "
                "NOT book_id IS NULL)",
                "under another name",
            ),
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT reader_id FROM loans WHERE fee > 1 OR fee < 0)",
                "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans WHERE (fee > 1 OR fee < 0) AND "
                "NOT reader_id IS NULL)",
                "OR keeps its parentheses",
            ),
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT reader_id FROM loans GROUP BY reader_id)",
                "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans WHERE NOT reader_id IS NULL "
                "GROUP BY reader_id)",
                "before the groups",
            ),
        ),
        *left_alone(
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT reader_id FROM loans WHERE NOT reader_id IS NULL)",
                "left out already",
            ),
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT reader_id FROM loans WHERE reader_id IS NOT NULL)",
                "the same",
            ),
            ("SELECT name FROM readers WHERE id NOT IN (1, 2)", "a list"),
            ("SELECT name FROM readers WHERE id NOT IN (1, NULL)", "a list with a NULL that somebody wrote"),
            (
                "SELECT name FROM readers WHERE NOT EXISTS (SELECT 1 FROM loans WHERE reader_id = readers.id)",
                "EXISTS does not mind",
            ),
            ("SELECT id FROM readers EXCEPT SELECT reader_id FROM loans", "nor does EXCEPT"),
            ("SELECT name FROM readers WHERE id NOT IN (SELECT MAX(reader_id) FROM loans)", "one value"),
            ("SELECT name FROM readers WHERE id NOT IN (SELECT 1)", "no column"),
            (
                "SELECT name FROM readers WHERE id NOT IN (SELECT x.r FROM (SELECT reader_id AS r FROM loans) AS x)",
                "of a query inside",
            ),
            ("SELECT id FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL", "a join"),
            ("SELECT name FROM readers WHERE id <> 3", "no subquery"),
        ),
    ],
    "cut_division": [
        *_cases(
            ("SELECT COUNT(*) / 7 FROM loans", "SELECT 1.0 * COUNT(*) / 7 FROM loans", "a written number"),
            ("SELECT SUM(1) / COUNT(*) FROM loans", "SELECT 1.0 * SUM(1) / COUNT(*) FROM loans", "a sum of ones"),
            (
                "SELECT 100 * COUNT(fee) / COUNT(*) FROM loans",
                "SELECT 1.0 * 100 * COUNT(fee) / COUNT(*) FROM loans",
                "a percentage, cut to whole ones",
            ),
            (
                "SELECT COUNT(DISTINCT reader_id) / COUNT(*) FROM loans",
                "SELECT 1.0 * COUNT(DISTINCT reader_id) / COUNT(*) FROM loans",
                "each reader once",
            ),
            (
                "SELECT book_id FROM loans GROUP BY book_id HAVING COUNT(fee) / COUNT(*) > 0.5",
                "SELECT book_id FROM loans GROUP BY book_id HAVING 1.0 * COUNT(fee) / COUNT(*) > 0.5",
                "in HAVING",
            ),
            (
                "SELECT (COUNT(fee)) / (COUNT(*)) FROM loans",
                "SELECT 1.0 * (COUNT(fee)) / (COUNT(*)) FROM loans",
                "in parentheses",
            ),
            (
                "SELECT AVG(rating * (1 - off_pct / 100)) FROM films",
                "SELECT AVG(rating * (1 - 1.0 * off_pct / 100)) FROM films",
                "a percentage of whole numbers, inside an aggregate",
            ),
            (
                "SELECT id FROM openings WHERE season / 10 > 0.5",
                "SELECT id FROM openings WHERE 1.0 * season / 10 > 0.5",
                "never true",
            ),
            (
                "SELECT season / 12, 1 - off_pct / 100 FROM films CROSS JOIN openings",
                "SELECT season / 12, 1 - 1.0 * off_pct / 100 FROM films CROSS JOIN openings",
                "a percentage beside dozens",
            ),
            (
                "SELECT ROUND(off_pct / 100, 2) FROM films",
                "SELECT ROUND(1.0 * off_pct / 100, 2) FROM films",
                "with decimals",
            ),
        ),
        *doubted(
            ("SELECT season / 12 FROM openings", "full dozens, perhaps"),
            ("SELECT (season / 12) AS dozens FROM openings", "under a name"),
            ("SELECT SUM(season / 500) FROM openings", "in a sum"),
            ("SELECT COUNT(DISTINCT season / 10) FROM openings", "different tens"),
        ),
        *_cases(
            (
                "SELECT COUNT(fee) / COUNT(*) FROM loans",
                "SELECT 1.0 * COUNT(fee) / COUNT(*) FROM loans",
                "PostgreSQL cuts, too",
            ),
            dialect="postgresql",
        ),
        *left_alone(
            ("SELECT 1.0 * COUNT(fee) / COUNT(*) FROM loans", "not cut"),
            ("SELECT COUNT(fee) * 1.0 / COUNT(*) FROM loans", "not cut, the other way round"),
            ("SELECT COUNT(fee) / (COUNT(*) * 1.0) FROM loans", "nor by its divisor"),
            ("SELECT CAST(COUNT(fee) AS REAL) / COUNT(*) FROM loans", "cast"),
            ("SELECT SUM(fee) / COUNT(*) FROM loans", "fees may have fractions"),
            ("SELECT FLOOR(COUNT(fee) / COUNT(*)) FROM loans", "rounded down on purpose"),
            ("SELECT opening_hours / 100 FROM openings", "no whole numbers"),
            ("SELECT fee / 2.5 FROM loans", "a fraction"),
            ("SELECT (fee + 1) / 100 FROM loans", "no plain column"),
            ("SELECT fee * season / 100 FROM loans, openings", "a product, which may be large"),
            ("SELECT season / 10 * 10 FROM openings", "the tens"),
            ("SELECT season / 10, COUNT(*) FROM openings GROUP BY season / 10", "groups of ten"),
            ("SELECT season / 10 AS tens, COUNT(*) FROM openings GROUP BY tens", "groups by a name"),
            ("SELECT minutes / 60, minutes % 60 FROM films", "hours, and the minutes left over"),
            ("SELECT minutes / 60 || ' h' FROM films", "in a text"),
            ("SELECT CAST(minutes / 60 AS INTEGER) FROM films", "cut on purpose"),
            ("SELECT id FROM openings WHERE season / 10 = 0", "the first ten"),
            ("SELECT id FROM openings WHERE season / 50 > 0", "at least fifty"),
            ("SELECT id FROM openings WHERE season / 10 BETWEEN 2 AND 4", "twenty and more"),
            ("SELECT id FROM openings WHERE 3 <= (season / 10)", "thirty"),
            ("SELECT COUNT(*) / 2.5 FROM loans", "a fraction"),
            ("SELECT COUNT(*) FROM loans WHERE due = '1/2'", "no division"),
            ("SELECT 7 / 2", "what somebody wrote"),
        ),
        *left_alone(("SELECT COUNT(fee) / COUNT(*) FROM loans", "MySQL does not cut"), dialect="mysql"),
    ],
    "numbers_as_text": [
        *_cases(
            ("SELECT MAX(pages) FROM books", "SELECT MAX(CAST(pages AS REAL)) FROM books", "the greatest"),
            ("SELECT MIN(b.pages) FROM books AS b", "SELECT MIN(CAST(b.pages AS REAL)) FROM books AS b", "the least"),
            (
                "SELECT id FROM books WHERE pages BETWEEN 100 AND 200",
                "SELECT id FROM books WHERE CAST(pages AS REAL) BETWEEN 100 AND 200",
                "between two",
            ),
            (
                "SELECT id FROM books WHERE pages < '100'",
                "SELECT id FROM books WHERE CAST(pages AS REAL) < '100'",
                "a number in quotes",
            ),
            (
                "SELECT title FROM books ORDER BY pages LIMIT 1",
                "SELECT title FROM books ORDER BY CAST(pages AS REAL) LIMIT 1",
                "the first one",
            ),
            (
                "SELECT id FROM books WHERE pages > (SELECT AVG(pages) FROM books)",
                "SELECT id FROM books WHERE CAST(pages AS REAL) > (SELECT AVG(pages) FROM books)",
                "above the average",
            ),
            (
                f"{LOANS} STRFTIME('%H', taken_at) >= 12",
                f"{LOANS} CAST(STRFTIME('%H', taken_at) AS REAL) >= 12",
                "hours are text",
            ),
        ),
        *left_alone(
            ("SELECT SUM(pages) FROM books", "a sum takes numbers"),
            ("SELECT AVG(pages) FROM books", "so does an average"),
            ("SELECT title FROM books WHERE price > 5 ORDER BY price", "numbers"),
            ("SELECT pages FROM books WHERE pages IN ('90', '1200')", "equal is equal"),
            ("SELECT name FROM readers ORDER BY name", "names"),
            ("SELECT title FROM books ORDER BY CAST(pages AS INTEGER)", "cast"),
            ("SELECT title FROM books WHERE pages > 'many'", "compared with a word"),
            ("SELECT id FROM loans ORDER BY due", "days have one length"),
            (f"{LOANS} STRFTIME('%Y', due) = '2024'", "a text, as it is"),
            ("SELECT pages, COUNT(*) FROM books GROUP BY pages", "groups"),
        ),
    ],
    "day_ends": [
        *doubted(
            ("SELECT id FROM screenings WHERE shown_on >= '2024-01-01' AND shown_on < '2024-03-31'", "a quarter"),
            (
                "SELECT SUM(CASE WHEN s.shown_on >= '2024-01-01' AND s.shown_on < '2024-12-31' THEN 1 END) "
                "FROM screenings AS s",
                "a year, in a condition",
            ),
            (f"{TAKEN} >= '2024-02-01' AND fee > 1 AND taken_at < '2024-02-29'", "a leap year's month, of times"),
        ),
        *left_alone(*WHOLE_DAYS),
    ],
    "missing_partner": [
        *_cases(
            (
                "SELECT r.name FROM readers AS r INNER JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
                "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
                "INNER",
            ),
            (
                f"SELECT r.name {READS} WHERE r.since > 2000 AND l.id IS NULL",
                "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE r.since > 2000 AND "
                "l.id IS NULL",
                "beside another condition",
            ),
            (
                "SELECT b.title FROM books AS b JOIN loans ON loans.book_id = b.id WHERE loans.book_id IS NULL",
                "SELECT b.title FROM books AS b LEFT JOIN loans ON loans.book_id = b.id WHERE loans.book_id IS NULL",
                "without an alias",
            ),
            (
                "SELECT COUNT(*) FROM books AS b JOIN loans AS l ON l.book_id = b.id WHERE l.id IS NULL",
                "SELECT COUNT(*) FROM books AS b LEFT JOIN loans AS l ON l.book_id = b.id WHERE l.id IS NULL",
                "counted",
            ),
            (
                "SELECT x.title FROM (SELECT b.title FROM books AS b JOIN loans AS l ON l.book_id = b.id "
                "WHERE l.id IS NULL) AS x",
                "SELECT x.title FROM (SELECT b.title FROM books AS b LEFT JOIN loans AS l ON l.book_id = b.id WHERE "
                "l.id IS NULL) AS x",
                "in a query inside",
            ),
        ),
        *left_alone(
            (
                "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
                "LEFT already",
            ),
            (
                f"SELECT r.name {READS} WHERE l.fee IS NULL",
                "a loan without a fee",
            ),
            (
                f"SELECT r.name {READS} WHERE l.id IS NULL OR l.fee > 5",
                "or another",
            ),
            (
                f"SELECT r.name {READS} WHERE NOT l.reader_id IS NULL",
                "all have one",
            ),
            ("SELECT r.name FROM readers AS r CROSS JOIN loans AS l WHERE l.id IS NULL", "nothing to join by"),
            ("SELECT r.name FROM readers AS r, loans AS l WHERE l.id IS NULL", "a comma"),
            ("SELECT name FROM readers WHERE since IS NULL", "no join"),
            (f"SELECT r.name {READS} WHERE id IS NULL", "whose id?"),
            (
                f"SELECT r.name {READS} WHERE r.since IS NULL",
                "of the first table",
            ),
            (
                "SELECT r.name FROM readers AS r RIGHT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
                "another side",
            ),
            (
                "SELECT r.name FROM readers AS r WHERE NOT EXISTS (SELECT 1 FROM loans AS l WHERE l.reader_id = r.id)",
                "said otherwise",
            ),
        ),
    ],
}
