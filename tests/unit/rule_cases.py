"""For each rule a table of cases: a question, a query, and what the rule makes of it.

after: the query that it proposes; `DOUBT` if it only doubts; None if it stays silent.
"""

from __future__ import annotations

from rule_cases_conditions import CONDITION_CASES
from rule_cases_groups import GROUP_CASES
from rule_cases_guesses import GUESS_CASES
from rule_cases_language import LANGUAGE_CASES
from rule_cases_shown import SHOWN_CASES
from rule_cases_silent import SILENT_CASES
from rule_cases_spellings import SPELLING_CASES
from rule_cases_sums import SUM_CASES
from rule_shop import CODES, COLUMN, DOUBT, LOANS, READS, Case, doubted, grouped, left_alone, missing_text

from agent.checks.rules.lookup import LookedUp
from agent.core.models import Check
from executors.errors import ErrorKind

OTHER_CASES = (
    CONDITION_CASES
    | GROUP_CASES
    | GUESS_CASES
    | LANGUAGE_CASES
    | SHOWN_CASES
    | SILENT_CASES
    | SPELLING_CASES
    | SUM_CASES
)
CASES: dict[str, tuple[Case, ...]] = {
    "lost_joins": (
        Case("SELECT readers.name FROM readers AS r", "SELECT r.name FROM readers AS r", "its alias", error=COLUMN),
        Case(f"SELECT l.name {READS}", f"SELECT r.name {READS}", "the other table", error=COLUMN),
        Case(f"SELECT l.id {READS}", None, "it is there", error=COLUMN),
        Case(
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.name IS NULL",
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.reader_id IS NULL",
            "who has no partner",
            error=COLUMN,
        ),
        Case(
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.channel IS NULL",
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE r.channel IS NULL",
            "the other table's column, which may be empty",
            error=COLUMN,
        ),
        Case(
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE NOT l.name IS NULL",
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE NOT r.name IS NULL",
            "who has a name",
            error=COLUMN,
        ),
        Case(
            "SELECT b.id, l.id, r.fee FROM books AS b JOIN loans AS l ON b.id = l.book_id "
            "JOIN readers AS r ON r.id = l.reader_id",
            "SELECT b.id, l.id, l.fee FROM books AS b JOIN loans AS l ON b.id = l.book_id "
            "JOIN readers AS r ON r.id = l.reader_id",
            "one of three",
            error=COLUMN,
        ),
        Case(
            "SELECT r.id, l.title, b.title FROM readers AS r JOIN loans AS l ON r.id = l.reader_id "
            "JOIN books AS b ON b.id = l.book_id",
            None,
            "the title stands there already",
            error=COLUMN,
        ),
        Case("SELECT r.readername FROM readers AS r", None, "no column is called so", error=COLUMN),
        Case(
            "SELECT fee, title FROM loans",
            "SELECT fee, title FROM loans JOIN books ON loans.book_id = books.id",
            "one key leads there",
            error=COLUMN,
        ),
        Case(
            "SELECT colours FROM badges",
            "SELECT badges.colour FROM badges",
            "a slip in the table that is read",
            error=COLUMN,
        ),
        Case(
            "SELECT r.id, COUNT(*) FROM readers AS r JOIN loans AS l ON l.since = r.id GROUP BY r.id",
            "SELECT r.id, COUNT(*) FROM readers AS r JOIN loans AS l ON r.id = l.reader_id GROUP BY r.id",
            "a join that nothing is selected from counts rows all the same",
            error=COLUMN,
        ),
        Case("SELECT colour, title FROM books", None, "no one way leads to badges", error=ErrorKind.TIMEOUT),
    ),
    "parts_of_dates": (
        *(
            Case(
                f"SELECT id FROM loans WHERE {before}",
                after and f"SELECT id FROM loans WHERE {after}",
                why,
                dialect="duckdb",
                error=ErrorKind.TYPE_MISMATCH,
            )
            for before, after, why in (
                ("taken_at = '2025-03'", "(taken_at >= '2025-03-01' AND taken_at < '2025-04-01')", "a month"),
                ("taken_at = '2025'", "(taken_at >= '2025-01-01' AND taken_at < '2026-01-01')", "a year"),
                (
                    "taken_at <> '2025-12'",
                    "NOT (taken_at >= '2025-12-01' AND taken_at < '2026-01-01')",
                    "all but the last month",
                ),
                ("taken_at >= '2025-03'", "taken_at >= '2025-03-01'", "since its first day"),
                ("taken_at > '2025-03'", "taken_at >= '2025-04-01'", "after its last day"),
                ("taken_at < '2025-03'", "taken_at < '2025-03-01'", "before its first day"),
                ("taken_at <= '2025-03'", "taken_at < '2025-04-01'", "to its last day"),
                (
                    "taken_at BETWEEN '2025-11' AND '2026-02'",
                    "(taken_at >= '2025-11-01' AND taken_at < '2026-03-01')",
                    "months",
                ),
                (
                    "taken_at BETWEEN '2025-11-15' AND '2026-02'",
                    "(taken_at >= '2025-11-15' AND taken_at < '2026-03-01')",
                    "from a day to a month",
                ),
                (
                    "taken_at BETWEEN '2025-11' AND '2026-02-15'",
                    "(taken_at >= '2025-11-01' AND taken_at <= '2026-02-15')",
                    "from a month to a day",
                ),
                ("taken_at = '2025-02'", "(taken_at >= '2025-02-01' AND taken_at < '2025-03-01')", "a short month"),
                ("taken_at <= '2025'", "taken_at < '2026-01-01'", "to the end of a year"),
                ("taken_at = '2025-13'", None, "no month"),
                ("taken_at BETWEEN SYMMETRIC '2025-06' AND '2025-01'", None, "its ends may be swapped"),
                ("taken_at = '2025-3'", None, "a month of one digit may be another thing"),
                ("taken_at = '0000-01'", None, "no year"),
                ("taken_at = '9999'", None, "no next year can be written"),
                ("taken_at BETWEEN '2025-03-01' AND '2025-03-31'", None, "days"),
                ("due = '2025-03'", None, "of texts"),
                ("fee = '2025'", None, "of numbers"),
            )
        ),
        Case("SELECT id FROM loans WHERE taken_at = '2025-03'", None, "of another error", error=COLUMN),
    ),
    "text_of_values": (
        Case(
            "SELECT id FROM loans WHERE taken_at LIKE '2025%'",
            "SELECT id FROM loans WHERE CAST(taken_at AS TEXT) LIKE '2025%'",
            "a date by its first digits",
            dialect="duckdb",
            error=ErrorKind.TYPE_MISMATCH,
        ),
        Case(
            "SELECT SUBSTRING(l.taken_at, 1, 4) FROM loans AS l",
            "SELECT SUBSTRING(CAST(l.taken_at AS TEXT) FROM 1 FOR 4) FROM loans AS l",
            "its year",
            dialect="postgresql",
            error=ErrorKind.FUNCTION_NOT_FOUND,
        ),
        Case(
            "SELECT id FROM readers WHERE name LIKE 'A%'",
            None,
            "a text is one",
            dialect="duckdb",
            error=ErrorKind.TYPE_MISMATCH,
        ),
        Case("SELECT id FROM loans WHERE taken_at LIKE '2025%'", None, "of another error", error=COLUMN),
    ),
    "foreign_functions": (
        Case(
            "SELECT YEAR(taken_at) FROM loans",
            "SELECT CAST(STRFTIME('%Y', taken_at) AS INTEGER) FROM loans",
            "SQLite has no YEAR",
            error=ErrorKind.FUNCTION_NOT_FOUND,
        ),
        Case("SELECT YEAR(taken_at) FROM loans", None, "of another error", error=COLUMN),
    ),
    "keyed_groups": (
        grouped("r.name, SUM(l.fee)", "r.id", "r.name"),
        grouped("r.name, b.title, COUNT(*)", "r.id", None, "nothing decides the title"),
    ),
    "stored_values": (
        Case(
            "SELECT id FROM readers WHERE name = 'ada'",
            "SELECT id FROM readers WHERE name = 'Ada'",
            "another case",
            looked_up=missing_text("ada", ("Ada",), "Ada"),
        ),
        Case(
            "SELECT 'ada' FROM readers AS r WHERE r.name IN ('ada', 'Bo') AND channel = 'ada'",
            "SELECT 'ada' FROM readers AS r WHERE r.name IN ('Ada', 'Bo') AND channel = 'ada'",
            "where its column is compared, and nowhere else",
            looked_up=missing_text("ada", ("Ada",), "Ada"),
        ),
        Case(
            "SELECT r.id FROM readers AS r WHERE r.name = 'T'",
            "SELECT r.id FROM readers AS r WHERE r.channel = 'T'",
            "another column of the table stores it, and no third one",
            looked_up=LookedUp(
                check=Check(name="filter_values", passed=False, detail="readers.name holds no 'T'."),
                missing={("readers", "name", "T"): ()},
                elsewhere={("readers", "name", "T"): "channel"},
            ),
        ),
        Case(
            "SELECT id FROM readers WHERE name = 'Niger'",
            DOUBT,
            "a prefix is no slip",
            looked_up=missing_text("Niger", ("Nigeria",)),
        ),
        Case(
            "SELECT id FROM readers WHERE name = 'women'",
            DOUBT,
            "nor a synonym",
            looked_up=missing_text("women", ("F",)),
        ),
        Case("SELECT id FROM readers WHERE name = 'Ada'", None, "all stored"),
    ),
    "not_in_nulls": (
        Case(
            "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans)",
            "SELECT name FROM readers WHERE NOT id IN (SELECT reader_id FROM loans WHERE NOT reader_id IS NULL)",
            "one NULL and no row is left",
        ),
        Case("SELECT name FROM readers WHERE NOT id IN (SELECT id FROM loans)", None, "a key is never NULL"),
        Case("SELECT name FROM readers WHERE id IN (SELECT reader_id FROM loans)", None, "IN does not mind NULL"),
    ),
    "cut_division": (
        Case(
            "SELECT COUNT(reader_id) / COUNT(*) FROM loans",
            "SELECT 1.0 * COUNT(reader_id) / COUNT(*) FROM loans",
            "0 or 1",
        ),
        Case(
            "SELECT (SELECT COUNT(*) FROM loans) / (SELECT COUNT(*) FROM readers)",
            "SELECT 1.0 * (SELECT COUNT(*) FROM loans) / (SELECT COUNT(*) FROM readers)",
            "counts of two queries",
        ),
        Case("SELECT COUNT(reader_id) / COUNT(*) FROM loans", None, "DuckDB does not cut", dialect="duckdb"),
        Case("SELECT CAST(COUNT(id) / COUNT(*) AS INTEGER) FROM loans", None, "cut on purpose"),
        Case("SELECT AVG(fee) / COUNT(*) FROM loans", None, "an average is no whole number"),
    ),
    "numbers_as_text": (
        Case(
            "SELECT title FROM books WHERE pages > 500 ORDER BY pages DESC",
            "SELECT title FROM books WHERE CAST(pages AS REAL) > 500 ORDER BY CAST(pages AS REAL) DESC",
            "as text, '90' comes after '1200'",
        ),
        Case("SELECT title FROM books ORDER BY title", None, "no numbers"),
        Case("SELECT title FROM books WHERE pages = '90'", None, "equal is equal"),
        Case(
            "SELECT id FROM loans WHERE STRFTIME('%Y', taken_at) = 2024 AND STRFTIME('%m', taken_at) IN (3, 4)",
            "SELECT id FROM loans WHERE CAST(STRFTIME('%Y', taken_at) AS REAL) = 2024 "
            "AND CAST(STRFTIME('%m', taken_at) AS REAL) IN (3, 4)",
            "what strftime gives is text",
        ),
        Case(f"{LOANS} CAST(STRFTIME('%m', due) AS INTEGER) = 3", None, "a number already"),
        Case(f"{LOANS} STRFTIME('%Y-%m', due) >= '2024-03'", None, "texts"),
    ),
    "day_ends": (
        Case(
            f"{LOANS} taken_at BETWEEN '2024-03-01' AND '2024-12-31'",
            f"{LOANS} (taken_at >= '2024-03-01' AND taken_at < '2025-01-01')",
            "the 31st has more than its midnight",
        ),
        Case(
            f"{LOANS} taken_at BETWEEN '2024-03-01' AND '2024-12-31'",
            f"{LOANS} (taken_at >= '2024-03-01' AND taken_at < '2025-01-01')",
            "by the type alone",
            dialect="postgresql",
        ),
        Case(
            f"{LOANS} taken_at = CAST('2024-12-24' AS DATE)",
            f"{LOANS} (taken_at >= CAST('2024-12-24' AS DATE) AND taken_at < CAST('2024-12-25' AS DATE))",
            "a date, as the query writes it",
            dialect="duckdb",
        ),
        Case(f"{LOANS} taken_at <= '2024-02-28'", f"{LOANS} taken_at < '2024-02-29'", "a leap year"),
        Case(f"{LOANS} taken_at > '2024-03-01'", f"{LOANS} taken_at >= '2024-03-02'", "after that day"),
        Case(f"{LOANS} '2024-02-28' >= taken_at", f"{LOANS} taken_at < '2024-02-29'", "the day first"),
        Case(f"{LOANS} '2024-02-28' <= taken_at", None, "since its midnight"),
        Case(
            f"{LOANS} taken_at IN ('2024-03-01', '2024-03-05')",
            f"{LOANS} ((taken_at >= '2024-03-01' AND taken_at < '2024-03-02') "
            "OR (taken_at >= '2024-03-05' AND taken_at < '2024-03-06'))",
            "either day, by the type alone",
            dialect="mysql",
        ),
        Case(
            f"{LOANS} taken_at <> '2024-03-01'",
            f"{LOANS} NOT (taken_at >= '2024-03-01' AND taken_at < '2024-03-02')",
            "any other day",
            dialect="clickhouse",
        ),
        Case(f"{LOANS} CAST(taken_at AS DATE) = '2024-03-01'", None, "days", dialect="postgresql"),
        Case(f"{LOANS} taken_at IN (SELECT due FROM loans)", None, "times of another query", dialect="mysql"),
        Case(f"{LOANS} taken_at >= '2024-03-01'", None, "midnight is where the day begins"),
        Case(f"{LOANS} taken_at <= '2024-02-30'", None, "no such day"),
        Case(f"{LOANS} taken_at = '2024-03-01 10:15:00'", None, "a time"),
        Case(f"{LOANS} due = '2024-03-01'", None, "always midnight"),
        Case("SELECT id FROM readers WHERE since = '2024-03-01'", None, "no time"),
    ),
    "missing_partner": (
        Case(
            f"SELECT r.name {READS} WHERE l.id IS NULL",
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
            "a key is never NULL",
        ),
        Case(
            f"SELECT r.name {READS} WHERE l.reader_id IS NULL",
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.reader_id IS NULL",
            "it was joined by that",
        ),
        Case(f"SELECT r.name {READS} WHERE l.due IS NULL", None, "a loan without a day may be meant"),
        Case(f"SELECT r.name {READS} WHERE NOT l.id IS NULL", None, "all have one"),
    ),
    "fan_out": (
        Case("SELECT SUM(b.price) FROM books AS b JOIN loans AS l ON l.book_id = b.id", DOUBT, "once for each loan"),
        Case("SELECT AVG(price) FROM books JOIN loans ON loans.book_id = books.id", DOUBT, "unqualified"),
        Case("SELECT SUM(b.price) FROM loans AS l, books AS b WHERE l.book_id = b.id", DOUBT, "joined by WHERE"),
        Case(
            "SELECT GROUP_CONCAT(b.title) FROM books AS b JOIN loans AS l ON l.book_id = b.id", DOUBT, "any aggregate"
        ),
        Case(f"SELECT COUNT(r.id) {READS}", DOUBT, "readers, each as often as they lent"),
        Case(f"SELECT r.id, COUNT(r.id) {READS} GROUP BY r.id", None, "how many loans each has"),
        Case(f"SELECT SUM(l.fee) {READS}", None, "a loan has one reader"),
        Case(f"SELECT COUNT(DISTINCT r.id) {READS}", None, "each once"),
        Case(f"SELECT MAX(r.since) {READS}", None, "the greatest is the greatest"),
        Case(f"SELECT COUNT(*) {READS}", None, "rows are counted"),
        Case(f"SELECT SUM(CASE WHEN r.since > 2000 THEN 1 ELSE 0 END) {READS}", None, "rows of one kind are counted"),
        Case(f"SELECT SUM(CASE WHEN l.fee > 5 THEN r.since END) {READS}", DOUBT, "what is summed is repeated"),
        Case("SELECT SUM(b.price) FROM books AS b JOIN badges AS g ON g.id = b.id", None, "by a whole key"),
    ),
    "ungrouped_columns": (
        Case("SELECT reader_id, due, COUNT(*) FROM loans GROUP BY reader_id", DOUBT, "due of any loan"),
        Case("SELECT reader_id, COUNT(*) FROM loans", DOUBT, "a reader of any loan"),
        Case("SELECT reader_id, COUNT(*) FROM loans GROUP BY reader_id", None, "grouped"),
        Case("SELECT reader_id AS r, COUNT(*) FROM loans GROUP BY 1", None, "by its place"),
        Case("SELECT reader_id, UPPER(due), COUNT(*) FROM loans GROUP BY reader_id", DOUBT, "made of any due"),
        Case("SELECT UPPER(due), COUNT(*) FROM loans GROUP BY UPPER(due)", None, "grouped by what is made"),
        Case(
            "SELECT x.due FROM (SELECT reader_id, due, COUNT(*) AS n FROM loans GROUP BY reader_id) AS x",
            DOUBT,
            "in a query inside",
        ),
        Case("SELECT reader_id, MAX(fee) FROM loans", None, "SQLite takes the row of the greatest"),
        Case("SELECT reader_id FROM loans", None, "no aggregate"),
        Case("SELECT reader_id, COUNT(*) FROM loans", None, "refused elsewhere", dialect="postgresql"),
        Case("SELECT AVG(fee) FROM loans ORDER BY due LIMIT 1", DOUBT, "the mean of all, not of the first loan"),
        Case("SELECT AVG(fee) AS mean FROM loans ORDER BY mean", None, "by the mean itself"),
        Case("SELECT COUNT(*) FROM loans ORDER BY COUNT(*) DESC LIMIT 1", None, "by the count itself"),
        Case("SELECT AVG(fee) FROM loans GROUP BY reader_id ORDER BY reader_id", None, "a mean of each"),
    ),
    "merged_names": (
        *doubted((f"SELECT r.name, SUM(l.fee) {READS} GROUP BY r.name", "two readers of one name have one sum")),
        *left_alone(
            (f"SELECT r.name, SUM(l.fee) {READS} GROUP BY r.id", "by the key"),
            (f"SELECT r.id, r.name, SUM(l.fee) {READS} GROUP BY r.id, r.name", "the key beside the name"),
        ),
    ),
    "share_part": (
        Case(
            "SELECT SUM(CASE WHEN fee > 5 AND NOT due IS NULL THEN 1 ELSE 0 END) * 1.0 / COUNT(*) FROM loans",
            DOUBT,
            "are those without a day part of the whole?",
        ),
        Case(
            "SELECT 1.0 * (SELECT COUNT(*) FROM loans WHERE fee > 5 AND book_id = 1) / (SELECT COUNT(*) FROM loans)",
            DOUBT,
            "two queries",
        ),
        Case(
            "SELECT 1.0 * (SELECT COUNT(*) FROM loans WHERE fee > 5 AND book_id = 1) "
            "/ (SELECT COUNT(*) FROM loans WHERE book_id = 1)",
            None,
            "the whole has it, too",
        ),
        Case("SELECT SUM(CASE WHEN fee > 5 THEN 1 END) * 1.0 / COUNT(*) FROM loans", None, "that makes it the part"),
        Case(
            "SELECT SUM(CASE WHEN book_id = 1 THEN 1 ELSE 0 END) FROM loans WHERE book_id <> 1 AND fee > 5",
            DOUBT,
            "no row of the part is left",
        ),
        Case("SELECT COUNT(*) FILTER (WHERE book_id = 1) FROM loans WHERE book_id = 2", DOUBT, "the same by FILTER"),
        Case("SELECT SUM(CASE WHEN book_id = 1 THEN 1 END) FROM loans WHERE book_id <> 2", None, "another value"),
        Case("SELECT SUM(CASE WHEN book_id = 1 THEN 1 END) FROM loans WHERE book_id = 1.0", None, "the same number"),
        Case(
            "SELECT SUM(CASE WHEN book_id = 1 THEN 0 ELSE fee END) FROM loans WHERE book_id <> 1",
            None,
            "it leaves rows out",
        ),
        Case(
            "SELECT CASE WHEN book_id = 1 THEN 'one' WHEN book_id = 2 THEN 'two' END, SUM(fee) FROM loans "
            "WHERE book_id = 2 GROUP BY 1",
            None,
            "a label",
        ),
        Case(
            "SELECT (SELECT SUM(CASE WHEN book_id = 1 THEN 1 END) FROM loans) FROM loans WHERE book_id <> 1",
            None,
            "a query inside has rows of its own",
        ),
        Case("SELECT fee / 2 FROM loans WHERE fee > 5 AND book_id = 1", None, "no share"),
        Case(
            "SELECT 1.0 * SUM(CASE WHEN fee > 5 THEN 1 END) / SUM(CASE WHEN book_id = 1 THEN 1 END) FROM loans",
            DOUBT,
            "the part has loans that the whole lacks",
        ),
        Case(
            "SELECT 1.0 * SUM(CASE WHEN fee > 5 THEN 1 END) / SUM(CASE WHEN fee > 1 THEN 1 END) FROM loans",
            None,
            "those over 5 are over 1",
        ),
    ),
    "counted_nothing": (
        Case(
            "SELECT r.id, COUNT(*) FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id GROUP BY r.id",
            DOUBT,
            "1 for those without a loan",
        ),
        Case(
            "SELECT r.id, COUNT(l.id) FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id GROUP BY r.id",
            None,
            "0 for them",
        ),
        Case(f"SELECT r.id, COUNT(*) {READS} GROUP BY r.id", None, "no LEFT JOIN"),
    ),
    "unrelated_keys": (
        Case("SELECT r.name FROM readers AS r JOIN loans AS l ON r.id = l.id", DOUBT, "two numberings"),
        Case(f"SELECT r.name {READS}", None, "the keys that belong together"),
        Case("SELECT 1 FROM loans AS a JOIN loans AS b ON a.reader_id = b.reader_id", None, "a table and itself"),
        Case("SELECT 1 FROM books AS b JOIN badges AS g ON b.id = g.id", None, "no key joins these at all"),
        Case(
            "SELECT 1 FROM halls AS h JOIN visits AS v ON h.hall_no = v.seat_no",
            DOUBT,
            "columns that keys refer to, without a primary key",
        ),
    ),
    "contradicted_code": (
        Case(
            "SELECT COUNT(*) FROM readers WHERE channel = 'M'",
            DOUBT,
            "M is the mobile app",
            question="How many readers registered by telephone?",
            documents=CODES,
        ),
        Case(
            "SELECT COUNT(*) FROM readers WHERE channel = 'T'",
            None,
            "T is the telephone",
            question="How many readers registered by telephone?",
            documents=CODES,
        ),
        Case(
            "SELECT COUNT(*) FROM readers WHERE channel = 'M'",
            None,
            "nothing is documented",
            question="How many readers registered by telephone?",
        ),
        Case(
            "SELECT channel, COUNT(*) FROM readers WHERE channel IN ('M', 'T') GROUP BY channel",
            None,
            "both are asked for",
            question="Compare telephone and the mobile app",
            documents=CODES,
        ),
    ),
    "loose_or": (
        Case("SELECT id FROM books WHERE title = 'A' OR title = 'B' AND price > 5", DOUBT, "AND binds closer"),
        Case("SELECT id FROM books WHERE (title = 'A' OR title = 'B') AND price > 5", None, "in parentheses"),
        Case("SELECT id FROM books WHERE title = 'A' OR (title = 'B' AND price > 5)", None, "meant so"),
    ),
} | OTHER_CASES
