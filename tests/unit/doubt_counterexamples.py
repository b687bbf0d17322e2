"""Further cases of the rules that doubt, most of them right queries that nothing speaks against; one a line."""

from __future__ import annotations

from rule_shop import CODES, DOUBT, READS, Case, doubted, left_alone

from rag.docs.documents import Document, make_document


def _coded(sql: str, question: str, doubted: bool, why: str, documents: tuple[Document, ...] = CODES) -> Case:
    return Case(sql, DOUBT if doubted else None, why, question, documents=documents)


def _documented(text: str) -> tuple[Document, ...]:
    return (make_document("column", text, table="readers", column="channel"),)


LEFT_READS = READS.replace(" JOIN", " LEFT JOIN")
BOOKS_LENT = "FROM books AS b JOIN loans AS l ON l.book_id = b.id"
SHOWN = "FROM films AS f JOIN screenings AS s USING (film_id) JOIN tickets AS t USING (screening_id)"
BY_TELEPHONE = "SELECT COUNT(*) FROM readers WHERE channel = 'T'"
BY_APP = "SELECT COUNT(*) FROM readers WHERE channel = 'M'"

COUNTEREXAMPLES: dict[str, list[Case]] = {
    "fan_out": [
        *doubted(
            (f"SELECT TOTAL(b.price) {BOOKS_LENT}", "SQLite's own sum"),
            (f"SELECT b.id, SUM(b.price) {BOOKS_LENT} GROUP BY b.id", "in each group"),
            (f"SELECT SUM(s.seats) {SHOWN}", "once for each ticket, by USING"),
            (f"SELECT SUM(f.minutes) {SHOWN}", "once for each ticket of each screening"),
            (f"SELECT SUM(s.seats * f.minutes) {SHOWN}", "a screening and its film, once for each ticket"),
        ),
        *left_alone(
            (f"SELECT b.title, COUNT(*) {BOOKS_LENT} GROUP BY b.id", "how often each was lent"),
            (f"SELECT MIN(b.price) {BOOKS_LENT}", "the least is the least"),
            (f"SELECT SUM(l.fee), MAX(b.price) {BOOKS_LENT}", "each loan once"),
            ("SELECT SUM(price) FROM books", "no join"),
            ("SELECT SUM(price) FROM books WHERE id IN (SELECT book_id FROM loans)", "IN repeats nothing"),
            (
                "SELECT SUM(b.price) FROM books AS b JOIN (SELECT DISTINCT book_id FROM loans) AS l "
                "ON l.book_id = b.id",
                "a query inside, of which no key is known",
            ),
            (f"SELECT b.price {BOOKS_LENT}", "no aggregate"),
            (f"SELECT f.film_id, SUM(t.cents) {SHOWN} GROUP BY f.film_id", "USING joins no film to a ticket"),
            (f"SELECT SUM(t.cents * f.off_pct) {SHOWN}", "a ticket and its film, by way of its screening"),
            (
                "SELECT SUM(b.price * r.since) FROM loans AS l JOIN books AS b ON b.id = l.book_id "
                "JOIN readers AS r ON r.id = l.reader_id",
                "of two tables that the loans join",
            ),
            ("SELECT SUM(s.seats) FROM films AS f JOIN screenings AS s USING (film_id)", "one film each"),
        ),
    ],
    "ungrouped_columns": [
        *doubted(
            ("SELECT COUNT(*), fee FROM loans", "the fee of any loan"),
            ("SELECT reader_id, fee + 1, SUM(fee) FROM loans GROUP BY reader_id", "made of any fee"),
            ("SELECT SUM(fee) AS due FROM loans AS l ORDER BY l.due DESC LIMIT 3", "by the column itself"),
        ),
        *left_alone(
            ("SELECT reader_id, MAX(due) FROM loans GROUP BY reader_id", "nothing beside"),
            ("SELECT COUNT(*), 'loans' FROM loans", "a text"),
            ("SELECT reader_id, book_id, COUNT(*) FROM loans GROUP BY reader_id, book_id", "both"),
            ("SELECT reader_id FROM loans GROUP BY reader_id ORDER BY COUNT(*) DESC LIMIT 1", "ordered by it"),
            ("SELECT due, SUM(fee) OVER (ORDER BY due) FROM loans", "a window"),
            ("SELECT id, (SELECT COUNT(*) FROM loans) FROM readers", "the count of another query"),
            ("SELECT DISTINCT reader_id FROM loans", "no groups"),
            ("SELECT COUNT(*) FROM loans ORDER BY MAX(due) LIMIT 1", "by an aggregate"),
            ("SELECT COUNT(*) FROM loans ORDER BY due", "no first row is looked for"),
            ("SELECT (SELECT COUNT(*) FROM books) AS n FROM loans ORDER BY due LIMIT 1", "of another query"),
            ("SELECT fee FROM loans ORDER BY due LIMIT 1", "rows, not an aggregate"),
            ("SELECT UPPER(name), COUNT(*) FROM readers GROUP BY name", "made of what is grouped by"),
        ),
    ],
    "merged_names": [
        *doubted(
            (f"SELECT r.name, COUNT(*) AS n {READS} GROUP BY r.name ORDER BY n DESC LIMIT 1", "the most loans"),
            (f"SELECT r.name {READS} GROUP BY r.name HAVING COUNT(*) > 1", "in HAVING"),
            (f"SELECT r.name AS reader, COUNT(l.id) {READS} GROUP BY reader", "by an alias"),
            (f"SELECT r.name, COUNT(l.id) {READS} GROUP BY 1", "by its place"),
            (f"SELECT name, SUM(fee) {READS} GROUP BY name", "no table before the columns"),
            (f"SELECT r.name, r.channel, SUM(l.fee) {READS} GROUP BY r.name, r.channel", "a category beside the name"),
            (f"SELECT b.title, COUNT(*) {BOOKS_LENT} WHERE l.fee > 0 GROUP BY b.title", "titles"),
            (f"SELECT r.name, COUNT(*) {LEFT_READS} GROUP BY r.name", "an outer join"),
            (
                "SELECT r.name, SUM(l.fee) FROM readers AS r, loans AS l WHERE l.reader_id = r.id GROUP BY r.name",
                "joined in WHERE",
            ),
            (
                f"WITH spent AS (SELECT r.name, SUM(l.fee) AS s {READS} GROUP BY r.name) SELECT MAX(s) FROM spent",
                "in a query inside",
            ),
        ),
        *left_alone(
            ("SELECT name, COUNT(*) FROM readers GROUP BY name", "no table is joined: the readers are counted"),
            (f"SELECT r.since, SUM(l.fee) {READS} GROUP BY r.since", "a number names nobody"),
            (f"SELECT l.reader_id, SUM(l.fee) {READS} GROUP BY l.reader_id", "the other side of the key"),
            (f"SELECT r.name, l.due, SUM(l.fee) {READS} GROUP BY r.name, l.due", "by columns of two tables"),
            (f"SELECT r.name, COUNT(DISTINCT r.id) {READS} GROUP BY r.name", "it counts the readers of each name"),
            (f"SELECT r.name {READS} GROUP BY r.name", "nothing is added"),
            (f"SELECT SUM(l.fee) {READS}", "no groups"),
            (f"SELECT l.due, COUNT(*) {READS} GROUP BY l.due", "the key of loans joins nothing"),
            (f"SELECT UPPER(r.name), SUM(l.fee) {READS} GROUP BY UPPER(r.name)", "by what a function gives"),
            (
                "SELECT r.name, SUM(b.price) FROM readers AS r JOIN books AS b ON r.name = b.title GROUP BY r.name",
                "joined by the name itself",
            ),
            (
                "SELECT r.name, SUM(x.fee) FROM (SELECT * FROM readers) AS r JOIN loans AS x ON x.reader_id = r.id "
                "GROUP BY r.name",
                "a query inside, of which no key is known",
            ),
        ),
    ],
    "share_part": [
        *doubted(
            (
                "SELECT 100.0 * COUNT(CASE WHEN fee > 5 AND book_id = 1 THEN 1 END) / COUNT(*) FROM loans",
                "a percentage",
            ),
            ("SELECT 1.0 * COUNT(*) FILTER (WHERE fee > 5 AND book_id = 1) / COUNT(*) FROM loans", "by FILTER"),
            (
                "SELECT film_id, 1.0 * SUM(seats) / (SELECT SUM(seats) FROM screenings) FROM screenings "
                "WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "of one year, over all years",
            ),
            (
                f"SELECT r.name, SUM(l.fee) * 100.0 / (SELECT SUM(fee) FROM loans WHERE book_id <> 3) {READS} "
                "WHERE l.book_id <> 3 AND l.due < '2024-03-01' GROUP BY r.id",
                "one filter of two",
            ),
            (
                "WITH each AS (SELECT film_id, SUM(seats) AS n FROM screenings WHERE shown_on < '2024-01-01' "
                "GROUP BY film_id) SELECT film_id, n * 1.0 / (SELECT SUM(seats) FROM screenings) FROM each",
                "groups of a CTE",
            ),
            (
                "WITH whole AS (SELECT SUM(seats) AS n FROM screenings) SELECT s.film_id, SUM(s.seats) * 1.0 / whole.n "
                "FROM screenings AS s CROSS JOIN whole WHERE s.shown_on < '2024-01-01' GROUP BY s.film_id, whole.n",
                "the whole of a CTE",
            ),
            (
                "SELECT film_id, SUM(seats) / COUNT(*) * 1.0 / (SELECT SUM(s.seats) / 100.0 FROM screenings AS s) "
                "FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "a mean over a whole",
            ),
        ),
        *left_alone(
            ("SELECT 1.0 * COUNT(*) FILTER (WHERE fee > 5) / COUNT(*) FROM loans", "one condition"),
            (
                "SELECT 1.0 * COUNT(*) FILTER (WHERE fee > 5) / COUNT(*) FROM loans WHERE book_id = 1",
                "WHERE holds for both",
            ),
            ("SELECT AVG(fee) / COUNT(*) FROM loans", "no condition"),
            ("SELECT SUM(fee) / COUNT(*) FROM loans WHERE fee > 5 AND book_id = 1", "both of the same rows"),
            ("SELECT AVG(CASE WHEN fee > 5 AND book_id = 1 THEN 1.0 ELSE 0 END) FROM loans", "no division"),
            ("SELECT SUM(CASE WHEN fee > 5 THEN fee END) / SUM(fee) FROM loans", "of an amount"),
            ("SELECT SUM(CASE WHEN fee > 5 THEN 1 END) / 12.0 FROM loans WHERE book_id = 1", "by a written number"),
            ("SELECT SUM(CASE WHEN fee > 5 AND book_id = 1 THEN 1 END) / 12.0 FROM loans", "by months"),
            (
                "SELECT 1.0 * COUNT(CASE WHEN book_id = 1 AND fee > 5 THEN 1 END) / "
                "COUNT(CASE WHEN book_id = 1 THEN 1 END) FROM loans",
                "the whole in the part",
            ),
            (
                "SELECT 1.0 * SUM(fee) / (SELECT SUM(fee) FROM loans) FROM loans WHERE book_id = 1",
                "of all that there is",
            ),
            ("SELECT MAX(fee) / MIN(fee) FROM loans", "a ratio"),
            (
                "SELECT film_id, 1.0 * SUM(seats) / (SELECT SUM(a.seats) FROM screenings AS a WHERE a.film_id = "
                "screenings.film_id) FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "of all seats of its film",
            ),
            (
                "SELECT film_id, SUM(seats) / (SELECT 1.0 * SUM(seats) / COUNT(DISTINCT film_id) FROM screenings) "
                "FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "held against a mean",
            ),
            (
                "SELECT film_id, COUNT(*) / (SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM screenings GROUP BY "
                "film_id) AS x) FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "held against a mean of counts",
            ),
            (
                "WITH whole AS (SELECT SUM(seats) / COUNT(*) AS n FROM screenings) SELECT s.film_id, SUM(s.seats) / "
                "whole.n FROM screenings AS s CROSS JOIN whole WHERE s.shown_on < '2024-01-01' "
                "GROUP BY s.film_id, whole.n",
                "the mean of a CTE",
            ),
            (
                "SELECT film_id, 1.0 * SUM(seats) / (SELECT SUM(seats) FROM screenings WHERE shown_on >= "
                "'2024-01-01') FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "both of one year",
            ),
            (
                "SELECT film_id, 1.0 * SUM(seats) / (SELECT SUM(seats) FROM screenings WHERE STRFTIME('%Y', shown_on) "
                "= '2024') FROM screenings WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "both of one year, in other words",
            ),
            (
                "SELECT shown_on, 1.0 * SUM(seats) / (SELECT SUM(seats) FROM screenings) FROM screenings "
                "WHERE shown_on >= '2024-01-01' GROUP BY shown_on",
                "each day's share of all",
            ),
            (
                "SELECT film_id, AVG(seats) / (SELECT AVG(seats) FROM screenings) FROM screenings "
                "WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "held against an average",
            ),
            (
                "SELECT film_id, 1.0 * COUNT(*) / (SELECT COUNT(*) FROM screenings) FROM screenings "
                "WHERE seats > 100 GROUP BY film_id",
                "the part may be what is filtered",
            ),
            (
                "SELECT film_id, 1.0 * SUM(seats) / (SELECT COUNT(*) FROM films) FROM screenings "
                "WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "of another table",
            ),
            (
                "SELECT film_id, 1.0 * SUM(seats) / SUM(SUM(seats)) OVER () FROM screenings "
                "WHERE shown_on >= '2024-01-01' GROUP BY film_id",
                "of the same rows",
            ),
            (
                "WITH each AS (SELECT film_id, SUM(seats) AS n FROM screenings WHERE shown_on < '2024-01-01' "
                "GROUP BY film_id) SELECT film_id, n * 1.0 / (SELECT SUM(n) FROM each) FROM each",
                "of the sum of the groups",
            ),
        ),
    ],
    "counted_nothing": [
        *doubted(
            (f"SELECT r.name, COUNT(*) AS n {LEFT_READS} GROUP BY r.name ORDER BY n", "the fewest loans"),
            (f"SELECT r.name {LEFT_READS} GROUP BY r.id HAVING COUNT(*) > 1", "in HAVING"),
            (
                "SELECT b.title, COUNT(*) FROM books AS b LEFT OUTER JOIN loans AS l ON l.book_id = b.id GROUP BY b.id",
                "OUTER",
            ),
            (
                "SELECT r.channel, COUNT(*), MAX(t.last) FROM readers AS r LEFT JOIN (SELECT reader_id, "
                "MAX(due) AS last FROM loans GROUP BY reader_id, fee) AS t ON t.reader_id = r.id GROUP BY r.channel",
                "several rows of a reader",
            ),
            (
                "SELECT r.id, COUNT(*), SUM(t.n) FROM readers AS r LEFT JOIN (SELECT reader_id, COUNT(*) AS n "
                "FROM loans GROUP BY reader_id) AS t ON t.reader_id = r.id GROUP BY r.id",
                "each reader is a group",
            ),
            (
                "SELECT r.channel, COUNT(*) FROM readers AS r LEFT JOIN (SELECT DISTINCT reader_id FROM loans) AS t "
                "ON t.reader_id = r.id GROUP BY r.channel",
                "nothing but the count reads the join",
            ),
        ),
        *left_alone(
            ("SELECT COUNT(*) FROM readers", "no join"),
            (f"SELECT COUNT(*) {LEFT_READS}", "no groups"),
            (f"SELECT r.name, COUNT(l.id) {LEFT_READS} GROUP BY r.id", "the loans"),
            (f"SELECT r.name, COUNT(DISTINCT l.book_id) {LEFT_READS} GROUP BY r.id", "books"),
            (f"SELECT r.name, SUM(l.fee) {LEFT_READS} GROUP BY r.id", "a sum"),
            (f"SELECT l.book_id, COUNT(*) {LEFT_READS} GROUP BY l.book_id", "grouped by what was joined"),
            (
                "WITH firsts AS (SELECT reader_id AS reader, MIN(taken_at) AS first FROM loans GROUP BY reader_id) "
                "SELECT r.channel, COUNT(*), SUM(CASE WHEN f.first < '2024-01-01' THEN 1 ELSE 0 END) FROM readers AS r "
                "LEFT JOIN firsts AS f ON f.reader = r.id GROUP BY r.channel",
                "a CTE with one row of each reader",
            ),
            (
                "SELECT r.channel, COUNT(*), COUNT(t.reader_id) FROM readers AS r LEFT JOIN (SELECT DISTINCT reader_id "
                "FROM loans) AS t ON t.reader_id = r.id GROUP BY r.channel",
                "readers, and those with loans",
            ),
            (
                "SELECT r.channel, COUNT(*), COUNT(b.colour) FROM readers AS r LEFT JOIN badges AS b ON b.id = r.id "
                "GROUP BY r.channel",
                "by a whole key",
            ),
            (f"SELECT r.name, COUNT(*) {READS} GROUP BY r.id", "those who have one"),
            (f"SELECT r.name, COUNT(*) {READS.replace(' JOIN', ' RIGHT JOIN')} GROUP BY r.id", "another side"),
            (f"SELECT r.name, COUNT(r.id) {LEFT_READS} GROUP BY r.id", "readers are counted"),
            ("SELECT name, COUNT(*) FROM readers GROUP BY name", "groups of one table"),
            (
                "SELECT r.name, (SELECT COUNT(*) FROM loans AS l WHERE l.reader_id = r.id) FROM readers AS r",
                "a query for each",
            ),
            (
                "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON r.id = l.reader_id WHERE l.id IS NULL",
                "no count",
            ),
            ("SELECT name, COUNT(*) FROM readers AS r CROSS JOIN books AS b GROUP BY name", "pairs"),
            ("SELECT reader_id, COUNT(*) FROM loans GROUP BY 1", "by its place"),
        ),
    ],
    "unrelated_keys": [
        *doubted(
            ("SELECT b.title FROM books AS b JOIN loans AS l ON b.id = l.id", "books and loans by their numbers"),
            ("SELECT b.title FROM books AS b JOIN loans AS l ON b.id = l.reader_id", "another table's key"),
            ("SELECT p.id FROM prizes AS p JOIN badges AS g ON p.id = g.id", "the prize's number"),
            ("SELECT p.id FROM prizes AS p JOIN badges AS g ON p.badge_id = g.giver_id", "a reader is no badge"),
            (
                "SELECT p.id FROM prizes AS p JOIN books AS b ON p.badge_id = b.id",
                "a badge is no book, and no key leads there",
            ),
            ("SELECT l.id FROM loans AS l JOIN (SELECT id FROM books) AS b ON l.id = b.id", "through a query inside"),
            (
                "SELECT b.title FROM books AS b JOIN (SELECT x.reader_id AS who, AVG(x.fee) AS mean FROM"
                " (SELECT reader_id, fee FROM loans) AS x GROUP BY x.reader_id) AS l ON b.id = l.who",
                "through two of them, under another name",
            ),
            (
                "SELECT name FROM readers AS r WHERE EXISTS (SELECT 1 FROM loans AS l JOIN books AS b ON b.id = l.id)",
                "inside",
            ),
        ),
        *left_alone(
            ("SELECT b.title FROM books AS b JOIN loans AS l ON l.book_id = b.id", "the key"),
            ("SELECT p.id FROM prizes AS p JOIN openings AS o ON p.id = o.keys", "an undeclared key may be shared"),
            ("SELECT p.id FROM prizes AS p JOIN badges AS g ON g.id = p.badge_id", "the other way round"),
            ("SELECT r.name FROM readers AS r JOIN badges AS g ON g.giver_id = r.id", "who gave it"),
            ("SELECT l.id FROM loans AS l JOIN badges AS g ON g.giver_id = l.reader_id", "both are readers"),
            ("SELECT p.id FROM prizes AS p JOIN badges AS g ON p.colour = g.colour", "no keys"),
            ("SELECT b.id FROM books AS b JOIN readers AS r ON b.price = r.since", "no key leads there"),
            ("SELECT l.id FROM loans AS l JOIN prizes AS p ON l.book_id = p.id", "prizes may share the key of books"),
            ("SELECT l.id FROM loans AS l JOIN books AS b ON l.book_id = b.id AND l.fee > b.price", "and a condition"),
            ("SELECT l.id FROM loans AS l JOIN books AS b ON l.book_id = 3", "a number"),
            ("SELECT l.id FROM loans AS l CROSS JOIN books AS b", "all pairs"),
            (
                "SELECT l.id FROM loans AS l JOIN (SELECT id + 1 AS id FROM books) AS b ON l.id = b.id",
                "a number inside",
            ),
            (
                "SELECT r.name FROM readers AS r JOIN (SELECT reader_id FROM loans) AS l ON r.id = l.reader_id",
                "the key",
            ),
            (
                "SELECT r.name FROM readers AS r JOIN (SELECT MAX(reader_id) AS id FROM loans) AS l ON r.id = l.id",
                "one",
            ),
        ),
    ],
    "contradicted_code": [
        _coded(BY_APP, "How many came by telephone?", True, "in other words"),
        _coded(BY_TELEPHONE, "How many used the mobile app?", True, "the other one"),
        _coded(
            "SELECT name FROM readers AS r WHERE r.channel IN ('M')",
            "Whom do we know by telephone?",
            True,
            "a list of one",
        ),
        _coded(
            BY_APP, "How many by telephone?", True, "written with a colon", _documented("T: telephone, M: mobile app")
        ),
        _coded(
            BY_APP, "How many by telephone?", True, "as a sentence", _documented("'T' means telephone; 'M' means app")
        ),
        _coded(BY_APP, "How many by telephone?", True, "in parentheses", _documented("T (telephone), M (mobile app)")),
        _coded(BY_APP, "How many used the mobile app?", False, "what it stands for"),
        _coded(BY_APP, "How many readers are there of channel M?", False, "the code itself"),
        _coded(BY_APP, "How many readers are there?", False, "no meaning is named"),
        _coded("SELECT COUNT(*) FROM readers WHERE NOT channel = 'M'", "How many by telephone?", False, "negated"),
        _coded("SELECT COUNT(*) FROM readers", "How many by telephone?", False, "no code"),
        _coded(BY_APP, "How many by post?", False, "a meaning that no code has"),
        _coded(
            BY_APP,
            "How many by telephone?",
            False,
            "documented of another column",
            (make_document("column", "T = telephone, M = mobile app", table="books", column="title"),),
        ),
        _coded(
            "SELECT channel, COUNT(*) FROM readers WHERE channel = 'M' OR channel = 'T' GROUP BY channel",
            "How many by telephone?",
            False,
            "both",
        ),
        _coded("SELECT COUNT(*) FROM readers WHERE channel = 'X'", "How many by telephone?", False, "an unknown code"),
        _coded("SELECT COUNT(*) FROM readers WHERE name = 'M'", "How many by telephone?", False, "another column"),
    ],
}
