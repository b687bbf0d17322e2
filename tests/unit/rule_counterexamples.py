"""Further cases of the rules that change queries which run, most of them ones to leave alone; one a line.

They are looked at like those of `rule_cases`: over the same tables, by the same test.
"""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, READS, Case, cases, doubted, left_alone, missing_text


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
        *cases(
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
        *cases(
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
        *cases(
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
        *cases(
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
        *cases(
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
