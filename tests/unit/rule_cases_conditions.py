"""The cases of the rules on conditions that leave nothing to find. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, Case

HELD = "SELECT COUNT(*) FROM openings WHERE"
MARCH = "held_on BETWEEN '2024-03-01' AND '2024-03-31'"
READERS = "SELECT name FROM readers WHERE"
LENT = "SELECT r.name FROM readers AS r JOIN loans AS l ON l.reader_id = r.id WHERE"
WHO = "Who is it?"


def _doubted(*rows: tuple[str, str], question: str = WHO) -> tuple[Case, ...]:
    return tuple(Case(sql, DOUBT, why, question=question) for sql, why in rows)


def _left(*rows: tuple[str, str], question: str = WHO, dialect: str = "sqlite") -> tuple[Case, ...]:
    return tuple(Case(sql, None, why, question=question, dialect=dialect) for sql, why in rows)


CONDITION_CASES: dict[str, tuple[Case, ...]] = {
    "never_true": (
        Case(f"{HELD} held_on = '2024-03-01' AND held_on = '2024-03-31'", f"{HELD} {MARCH}", "from one day to another"),
        Case(f"{HELD} held_on = '2024-03-31' AND '2024-03-01' = held_on", f"{HELD} {MARCH}", "in any order"),
        Case(
            f"{HELD} visitors > 9 AND (held_on = '2024-03-01' AND held_on = '2024-03-31')",
            f"{HELD} {MARCH} AND visitors > 9",
            "beside another condition",
        ),
        Case(
            f"{HELD} held_on = '2024-03-01' AND held_on = '2024-03-31'",
            f"{HELD} {MARCH}",
            "by its type",
            dialect="duckdb",
        ),
        Case(
            "SELECT id FROM badges WHERE id IN (SELECT keys FROM openings WHERE held_on = '2024-03-01' "
            "AND held_on = '2024-03-31')",
            f"SELECT id FROM badges WHERE id IN (SELECT keys FROM openings WHERE {MARCH})",
            "inside",
        ),
        *_doubted(
            (f"{READERS} name = 'Ada' AND name = 'Bo'", "two names"),
            (f"{LENT} l.book_id = 1 AND l.book_id = 2", "two books of one loan"),
            (f"{LENT} l.book_id = 1 AND r.since > 2000 AND l.book_id = 2", "apart"),
            (f"{READERS} since = 2020 AND since = 2021", "two years"),
            (f"{HELD} held_on = '2024-03-03' AND held_on = '2024-03-31'", "two days that are no ends of months"),
            (f"{HELD} held_on = '2024-02-01' AND held_on = '2024-02-30'", "a day that no month has"),
            (f"{HELD} weekday = 'Monday' AND held_on = '2024-03-01' AND weekday = 'Tuesday'", "two weekdays"),
            (f"{HELD} held_on = '2024-03-01' AND held_on = 'March'", "a day and a word"),
            (f"{HELD} strftime('%Y', held_on) = '2024' AND strftime('%Y', held_on) = '2023'", "two years of one day"),
            (f"{HELD} held_on BETWEEN '2024-03-31' AND '2024-03-01'", "it ends before it begins"),
            (f"{LOANS} taken_at BETWEEN '2024-01-01 22:00:00' AND '2024-01-01 06:00:00'", "so does a night of one day"),
            (f"{READERS} since BETWEEN 2021 AND 2019", "of numbers"),
            (f"{HELD} held_on < '2024-03-01' AND held_on > '2024-03-31'", "two bounds"),
            (f"{READERS} 2021 <= since AND name = 'Ada' AND since < 2019", "a bound that comes first"),
            (f"{HELD} strftime('%Y', held_on) >= '2024' AND strftime('%Y', held_on) <= '2023'", "bounds of a year"),
        ),
        *_left(
            (f"{READERS} name = 'Ada' OR name = 'Bo'", "either"),
            (f"{HELD} strftime('%Y', held_on) = '2024' AND strftime('%m', held_on) = '03'", "a year and a month"),
            (f"{HELD} strftime('%Y', held_on) = '2024' OR strftime('%Y', held_on) = '2023'", "one of two years"),
            (f"{HELD} strftime('%m', held_on) = '03' AND strftime('%M', held_on) = '04'", "a month and a minute"),
            (f"{READERS} INSTR(name, 'a') = 1 AND INSTR(name, 'd') = 2", "of a function with more arguments"),
            (f"{READERS} since BETWEEN 2019 AND 2021", "a span"),
            (f"{READERS} since > 2019 AND since < 2021", "two bounds of a span"),
            (f"{READERS} since < 2019 OR since > 2021", "outside of a span"),
            (f"{READERS} RANDOM() < 3 AND RANDOM() > 5", "two different numbers"),
            (f"{LOANS} taken_at >= '2024-01-01T08:00:00' AND taken_at <= '2024-01-01 17:00:00'", "a T, a blank"),
            (f"{LENT} l.book_id > 3 AND r.since < 2", "bounds of two columns"),
            (f"{HELD} held_on > '2024-03-31' AND held_on < '2024'", "times of two forms"),
            (f"{READERS} since BETWEEN 9 AND 10", "numbers, not texts"),
            (f"{READERS} name BETWEEN 'M' AND 'A'", "names, whose order the database knows"),
            (f"{READERS} NOT since BETWEEN 2021 AND 2019", "outside of it"),
            (f"{READERS} name = 'Ada' AND channel = 'M'", "of two columns"),
            (f"{READERS} name = 'Ada' AND name = 'Ada'", "the same twice"),
            (f"{READERS} name = 'Ada' AND name = 'ADA'", "the same in some databases"),
            (f"{READERS} name = 'Ada' AND name = 'Ada '", "so is this"),
            (f"{READERS} since = 1 AND since = 1.0", "one number"),
            (f"{READERS} name = 'Ada' AND name LIKE 'B%'", "a pattern"),
            (f"{READERS} name = 'Ada' AND NOT name = 'Bo'", "denied"),
            (f"{READERS} (name = 'Ada' AND since = 1) OR (name = 'Bo' AND since = 2)", "in two parts of OR"),
            (
                "SELECT a.name FROM readers AS a JOIN readers AS b ON a.since = b.since WHERE a.name = 'Ada' "
                "AND b.name = 'Bo'",
                "of two readers",
            ),
            (f"{READERS} name = 'Ada' INTERSECT {READERS} name = 'Bo'", "of two queries"),
            (f"{HELD} {MARCH}", "a period"),
            (f"{HELD} held_on >= '2024-03-01' AND held_on <= '2024-03-31'", "its ends"),
            (f"{LOANS} fee = id AND fee = 3", "another column"),
            ("SELECT SUM(CASE WHEN name = 'Ada' AND since = 1 THEN 1 END) FROM readers WHERE name = 'Bo'", "in CASE"),
        ),
    ),
    "fixed_output": (
        *_doubted(
            (f"{READERS} name = 'Ada'", "its own name"),
            ("SELECT g.name FROM badges AS b JOIN readers AS g ON b.giver_id = g.id WHERE g.name = 'Ada'", "a giver"),
            (f"{LENT} name = 'Ada'", "without its table"),
            ("SELECT DISTINCT name FROM readers WHERE 'Ada' = name", "the other way round"),
            ("SELECT name AS person FROM readers WHERE name = 'Ada' LIMIT 5", "under another name"),
            ("SELECT name, channel FROM readers WHERE name = 'Ada' AND channel = 'M'", "two columns"),
            ("SELECT r.NAME FROM readers AS r WHERE r.name = 'Ada' AND r.since > 2000", "in capitals"),
            ("SELECT id FROM readers WHERE (id = 3)", "a number"),
        ),
        *_left(
            ("SELECT name, since FROM readers WHERE name = 'Ada'", "what is asked of it"),
            ("SELECT since FROM readers WHERE name = 'Ada'", "another column"),
            ("SELECT * FROM readers WHERE name = 'Ada'", "all columns"),
            ("SELECT COUNT(*) FROM readers WHERE name = 'Ada'", "a count"),
            ("SELECT COUNT(name) FROM readers WHERE name = 'Ada'", "a count of it"),
            ("SELECT name FROM readers WHERE name IN ('Ada', 'Bo')", "one of several"),
            ("SELECT name FROM readers WHERE name = 'Ada' OR since > 2000", "one of them"),
            ("SELECT name FROM readers WHERE name <> 'Ada'", "the others"),
            ("SELECT name FROM readers WHERE name LIKE 'Ada%'", "a pattern"),
            ("SELECT name FROM readers WHERE LOWER(name) = 'ada'", "its spellings"),
            ("SELECT a.name FROM readers AS a JOIN readers AS b ON a.since = b.since WHERE b.name = 'Ada'", "others"),
            ("SELECT name FROM readers WHERE id = (SELECT id FROM readers WHERE name = 'Ada')", "inside"),
            ("SELECT name FROM readers WHERE name = channel", "two columns"),
            ("SELECT name FROM readers", "no condition"),
            ("SELECT name FROM readers WHERE name = 'Ada' UNION SELECT title FROM books", "two queries"),
        ),
        *_left((f"{READERS} name = 'Ada'", "that is the answer"), question="Is there a reader called Ada?"),
        *_left((f"{READERS} name = 'Ada'", "in German"), question="Gibt es eine Leserin namens Ada?"),
        *(
            Case(f"{READERS} name = 'Ada'", None, f"“{question}”", question)
            for question in (
                "Tell me whether there is a reader called Ada.",
                "I want to know if a reader is called Ada.",
                "Verify that Ada is a reader.",
                "Check for the reader Ada.",
                "Show that a reader called Ada exists.",
                "Ich möchte wissen, ob eine Leserin Ada heißt.",
                "Ada라는 독자가 있나요?",
                "Kuinka monta lukijaa on, joiden nimi on Ada?",
            )
        ),
    ),
    "same_twice": (
        *_doubted(
            ("SELECT COUNT(*) AS lent, COUNT(*) AS late FROM loans WHERE fee > 5", "one count under two names"),
            ("SELECT COUNT(id) AS lent, SUM(fee) AS f, COUNT(id) AS late FROM loans", "beside another"),
            ("SELECT SUM(fee) - SUM(fee) AS more FROM loans", "a difference that is 0"),
            ("SELECT SUM(fee) - SUM(loans.fee) AS more FROM loans", "once with the name of its table"),
            ("SELECT CASE WHEN SUM(fee) > SUM(fee) THEN 'yes' ELSE 'no' END FROM loans", "compared with itself"),
            ("SELECT r.name FROM readers AS r JOIN loans AS l ON r.id = r.id", "a join of every row"),
            ("SELECT x.a FROM (SELECT COUNT(*) AS a, COUNT(*) AS b FROM loans) AS x", "in a query inside"),
        ),
        *_left(
            ("SELECT COUNT(*) AS lent, COUNT(fee) AS paid FROM loans", "two counts"),
            ("SELECT COUNT(*) AS lent, COUNT(*) AS lent FROM loans", "one name"),
            ("SELECT COUNT(*), COUNT(*) FROM loans", "no names"),
            ("SELECT name, name AS reader FROM readers", "shown once more under a name"),
            ("SELECT 0 AS lent, 0 AS late FROM loans", "constants"),
            ("SELECT name AS id, name AS label FROM readers", "one column under two names"),
            ("SELECT id FROM loans WHERE fee = fee", "those with a fee"),
            ("SELECT SUM(fee) - SUM(id) AS more FROM loans", "two sums"),
            (
                "SELECT SUM(CASE WHEN id > 5 THEN fee END) - SUM(CASE WHEN id < 5 THEN fee END) FROM loans",
                "of two kinds",
            ),
            ("SELECT r.name FROM readers AS r JOIN loans AS l ON r.id = l.reader_id", "a join by a key"),
            ("SELECT a.id FROM loans AS a JOIN loans AS b ON a.reader_id = b.reader_id AND a.id < b.id", "with itself"),
            (
                "SELECT id FROM readers AS r WHERE since = (SELECT MAX(since) FROM readers WHERE channel = r.channel)",
                "of a row and of the rows inside",
            ),
            ("SELECT COUNT(*) AS n FROM loans UNION ALL SELECT COUNT(*) AS m FROM readers", "of two queries"),
            ("SELECT id FROM loans WHERE 1 = 1", "true of all, on purpose"),
            ("SELECT COUNT(*) * 1.0 / COUNT(*) FROM loans", "a share, which is another rule"),
        ),
    ),
}
