"""The cases of the rules on the rows that a result shows: the first ones, repeated ones, a single number.

See `rule_cases`.
"""

from __future__ import annotations

from rule_shop import DOUBT, Case

CHEAPEST = "SELECT title FROM books{} ORDER BY price LIMIT 1"
DEAREST = "SELECT title FROM books{} ORDER BY price DESC LIMIT 1"
LENT = "FROM readers AS r JOIN loans AS l ON l.reader_id = r.id"
ADA, BO = (1, "Ada", 1999, "M"), (2, "Bo", 2021, "T")
ADA_TWICE = (ADA, BO, ADA)
KNOWN = " WHERE NOT price IS NULL"
MORE = "Did Ada borrow more books than Bo?"
BOTH = "average fee Ada vs Bo"
OF_ADA = f"SELECT COUNT(*) {LENT} WHERE r.name = 'Ada'"
ONE_NUMBER = ((3,),)


def _filled(sql: str, added: str, why: str, dialect: str = "sqlite") -> Case:
    return Case(sql.format(""), sql.format(added), why, dialect=dialect)


def _left(sql: str, why: str, dialect: str = "sqlite", rows: tuple[tuple[object, ...], ...] | None = None) -> Case:
    return Case(sql.format(""), None, why, dialect=dialect, rows=rows)


SHOWN_CASES: dict[str, tuple[Case, ...]] = {
    "nulls_first": (
        _filled(CHEAPEST, KNOWN, "the cheapest"),
        _filled("SELECT title, price FROM books{} ORDER BY 2 LIMIT 3", KNOWN, "by its position"),
        _filled("SELECT title, price AS p FROM books{} ORDER BY p LIMIT 3", KNOWN, "by its alias"),
        _filled(
            "SELECT b.title FROM books AS b{} ORDER BY b.price, b.id LIMIT 1", " WHERE NOT b.price IS NULL", "two keys"
        ),
        _filled("SELECT title FROM books WHERE id > 3{} ORDER BY price LIMIT 1", " AND NOT price IS NULL", "filtered"),
        _filled(
            "SELECT book_id FROM loans GROUP BY book_id{} ORDER BY SUM(fee) LIMIT 1",
            " HAVING NOT SUM(fee) IS NULL",
            "a sum of nothing",
        ),
        _filled(
            "SELECT book_id, AVG(fee) AS mean FROM loans GROUP BY book_id HAVING COUNT(*) > 1{} ORDER BY mean LIMIT 1",
            " AND NOT AVG(fee) IS NULL",
            "a mean by its alias",
        ),
        _filled("SELECT id FROM loans{} ORDER BY fee - id LIMIT 1", " WHERE NOT (fee - id) IS NULL", "calculated"),
        _filled(
            "SELECT name FROM readers WHERE id = (SELECT reader_id FROM loans{} ORDER BY fee LIMIT 1)",
            " WHERE NOT fee IS NULL",
            "in a query inside",
        ),
        _filled(
            "WITH cheap AS (SELECT id FROM books{} ORDER BY price LIMIT 1) SELECT COUNT(*) FROM cheap",
            KNOWN,
            "in a CTE",
        ),
        Case(
            "SELECT r.name FROM readers AS r LEFT JOIN loans AS l ON l.reader_id = r.id ORDER BY l.id LIMIT 1",
            DOUBT,
            "a row without a partner may be meant",
        ),
        _filled("SELECT title FROM books{} ORDER BY price LIMIT 3 OFFSET 1", KNOWN, "after an offset"),
        Case(CHEAPEST.format(""), CHEAPEST.format(KNOWN), "as many rows as it wants", rows=(("Emma",),)),
        *(_filled(CHEAPEST, KNOWN, f"lowest in {it}", it) for it in ("mysql", "mariadb", "hana", "databricks")),
        *(_filled(DEAREST, KNOWN, f"highest in {it}", it) for it in ("postgresql",)),
        _filled("SELECT TOP 1 title FROM books{} ORDER BY price", KNOWN, "TOP", "sqlserver"),
        _filled("SELECT title FROM books{} ORDER BY price DESC FETCH FIRST 1 ROWS ONLY", KNOWN, "FETCH", "oracle"),
        *(_left(DEAREST, f"lowest in {it}", it) for it in ("sqlite", "mysql", "sqlserver")),
        *(_left(CHEAPEST, f"highest in {it}", it) for it in ("postgresql",)),
        *(_left(it, "last in DuckDB", "duckdb") for it in (CHEAPEST, DEAREST)),
        *(_left(it, "last in ClickHouse", "clickhouse") for it in (CHEAPEST, DEAREST)),
        _left("SELECT title FROM books ORDER BY price", "no cut"),
        _left("SELECT title FROM books ORDER BY price LIMIT 10", "all rows are shown", rows=(("Emma",), ("Ida",))),
        _left("SELECT title FROM books LIMIT 1", "no order"),
        _left("SELECT id FROM books ORDER BY id LIMIT 1", "a key has a value"),
        _left("SELECT title FROM books ORDER BY price NULLS LAST LIMIT 1", "put last"),
        _left("SELECT title FROM books ORDER BY price DESC NULLS FIRST LIMIT 1", "asked for"),
        _left("SELECT title FROM books ORDER BY price NULLS FIRST LIMIT 1", "asked for, as it is by default"),
        _left("SELECT title FROM books ORDER BY price IS NULL, price LIMIT 1", "put last by a condition"),
        _left("SELECT title FROM books WHERE price IS NULL ORDER BY price LIMIT 1", "asked for by a condition"),
        _left(CHEAPEST.format(KNOWN), "left out already"),
        _left("SELECT book_id FROM loans GROUP BY book_id ORDER BY COUNT(*) LIMIT 1", "a number"),
        _left("SELECT title FROM books ORDER BY RANDOM() LIMIT 1", "no column"),
        _left("SELECT AVG(price) FROM books ORDER BY AVG(price) LIMIT 1", "one row"),
        _left("SELECT title FROM books ORDER BY ROW_NUMBER() OVER (ORDER BY price) LIMIT 1", "a place"),
        _left("SELECT title FROM books WHERE price = (SELECT MIN(price) FROM books)", "MIN reads values only"),
        _left("SELECT id FROM books ORDER BY CASE WHEN price > 9 THEN 1 END, title LIMIT 1", "an order of its own"),
        _left("SELECT *, price FROM books ORDER BY 2 LIMIT 1", "a position after all columns"),
        _left("SELECT title, price FROM books ORDER BY price LIMIT 1", "the first row has one", rows=(("Emma", 3),)),
        Case(
            "SELECT title, price FROM books ORDER BY price LIMIT 2",
            f"SELECT title, price FROM books{KNOWN} ORDER BY price LIMIT 2",
            "the first row has none",
            rows=(("Emma", None), ("Ida", 3)),
        ),
        Case("SELECT id, price / SUM(price) OVER () FROM books ORDER BY price LIMIT 3", DOUBT, "beside all rows"),
        _left("SELECT price FROM books UNION SELECT fee FROM loans ORDER BY price LIMIT 1", "several queries"),
    ),
    "repeated_records": (
        *(
            Case(sql, DOUBT, why, rows=rows)
            for sql, why, rows in (
                (f"SELECT r.* {LENT}", "a reader for each loan", ADA_TWICE),
                (f"SELECT r.id, r.name {LENT}", "the key and a name", ((1, "Ada"), (2, "Bo"), (1, "Ada"))),
                (f"SELECT r.id {LENT}", "the key alone", ((1,), (1,), (2,))),
                (f"SELECT r.name AS who, r.id AS reader {LENT}", "under other names", (("Ada", 1), ("Ada", 1))),
                (f"SELECT r.*, r.name {LENT}", "a column beside all", ((*ADA, "Ada"), (*ADA, "Ada"))),
                (f"SELECT r.id, name {LENT} WHERE l.fee > 3", "filtered", ((1, "Ada"), (1, "Ada"))),
                (f"SELECT R.ID, r.NAME {LENT} ORDER BY l.fee", "in other letters", ((1, "Ada"), (1, "Ada"))),
                ("SELECT readers.* FROM readers, loans WHERE loans.reader_id = readers.id", "by a comma", ADA_TWICE),
                (
                    "SELECT r.id, r.name FROM readers r JOIN (SELECT reader_id FROM loans) l ON l.reader_id = r.id",
                    "with a query in FROM",
                    ((1, "Ada"), (1, "Ada")),
                ),
            )
        ),
        *(
            Case(sql, None, why, rows=rows)
            for sql, why, rows in (
                (f"SELECT r.* {LENT} WHERE l.fee > 9", "each once", (ADA, BO)),
                (f"SELECT r.name {LENT}", "two readers may have one name", (("Ada",), ("Ada",))),
                (f"SELECT r.id, l.fee {LENT}", "two loans of one fee", ((1, 5), (1, 5))),
                (f"SELECT * {LENT}", "of both tables", ((1, 5), (1, 5))),
                (f"SELECT r.*, l.* {LENT}", "of both tables, by name", ((1, 5), (1, 5))),
                (f"SELECT r.id, COUNT(*) {LENT} GROUP BY r.id, l.fee", "a number of each", ((1, 5), (1, 5))),
                (f"SELECT l.reader_id {LENT}", "a key of another table", ((1,), (1,))),
                ("SELECT name FROM readers", "no join and no key", (("Ada",), ("Ada",))),
                ("SELECT id FROM readers", "no join: some databases let a key repeat", ((1,), (1,))),
                (f"SELECT r.id || 'x' {LENT}", "made of the key", (("1x",), ("1x",))),
                (f"SELECT r.* {LENT} WHERE l.fee > 8", "not all rows are known", None),
                (f"SELECT r.* {LENT} WHERE l.fee > 7", "no rows", ()),
                (
                    "SELECT r.id, r.name FROM loans AS l LEFT JOIN readers AS r ON r.id = l.reader_id",
                    "loans of no reader",
                    ((None, None), (None, None), (1, "Ada")),
                ),
                ("SELECT id FROM readers UNION ALL SELECT reader_id FROM loans", "several queries", ((1,), (1,))),
                ("SELECT x.id FROM (SELECT reader_id AS id FROM loans) AS x", "of no table", ((1,), (1,))),
            )
        ),
    ),
    "compared_sides": tuple(
        Case(sql, expected, why, question=question, rows=rows)
        for sql, question, rows, expected, why in (
            (OF_ADA, MORE, ONE_NUMBER, DOUBT, "of one of them"),
            (f"SELECT COUNT(*) {LENT} WHERE r.name IN ('Ada', 'Bo')", MORE, ONE_NUMBER, DOUBT, "of both together"),
            (f"SELECT SUM(l.fee) {LENT}", "Were the fees of Ada higher than those of Bo?", ((1.5,),), DOUBT, "a sum"),
            ("SELECT since FROM readers WHERE id = 1", "Is Ada older than Bo?", ((1999,),), DOUBT, "a stored value"),
            (OF_ADA, "did we lend more in 2024 than last year", ONE_NUMBER, DOUBT, "without a question mark"),
            (OF_ADA, "Hat Ada mehr Bücher ausgeliehen als Bo?", ONE_NUMBER, DOUBT, "in German"),
            (OF_ADA, "Has Ada borrowed more than Bo in 2024?", ONE_NUMBER, DOUBT, "in a year"),
            (
                f"SELECT AVG(l.fee) {LENT} WHERE r.name IN ('Ada', 'Bo')",
                BOTH,
                ONE_NUMBER,
                DOUBT,
                "one versus the other",
            ),
            (OF_ADA, "Ausleihen 2024 im Vergleich zu 2023", ONE_NUMBER, DOUBT, "versus in German"),
            (f"SELECT r.name, AVG(l.fee) {LENT} GROUP BY r.id", BOTH, (("Ada", 3), ("Bo", 2)), None, "each of them"),
            (f"SELECT AVG(l.fee) - AVG(r.id) {LENT}", BOTH, ONE_NUMBER, None, "their difference"),
            (OF_ADA, "How many readers saw the match Rome vs Turin?", ONE_NUMBER, None, "a match"),
            (f"SELECT r.name, COUNT(*) {LENT} GROUP BY r.id", MORE, (("Ada", 3), ("Bo", 2)), None, "a row for each"),
            ("SELECT COUNT(id), COUNT(fee) FROM loans", MORE, ((3, 2),), None, "a column for each"),
            (f"SELECT SUM(r.name = 'Ada') > SUM(r.name = 'Bo') {LENT}", MORE, ((1,),), None, "the query compares"),
            (f"SELECT SUM(r.name = 'Ada') - SUM(r.name = 'Bo') {LENT}", MORE, ((1,),), None, "the difference"),
            (
                f"SELECT CASE WHEN SUM(r.name = 'Ada') > SUM(r.name = 'Bo') THEN 1 ELSE 0 END {LENT}",
                MORE,
                ((1,),),
                None,
                "a case for each answer",
            ),
            ("SELECT title FROM books LIMIT 1", MORE, (("yes",),), None, "a word"),
            (OF_ADA, MORE, ((True,),), None, "a yes"),
            (OF_ADA, MORE, ((None,),), None, "nothing"),
            (OF_ADA, MORE, None, None, "unknown rows"),
            (OF_ADA, "How many more books did Ada borrow than Bo?", ONE_NUMBER, None, "asks for the difference"),
            (OF_ADA, "Did Ada borrow more than 50 books?", ONE_NUMBER, None, "a number to compare with"),
            (OF_ADA, "Has Ada more loans than the 3 of Bo?", ONE_NUMBER, None, "a number behind a word"),
            (OF_ADA, "Does Ada borrow more than the average?", ONE_NUMBER, None, "an average, which is known"),
            (OF_ADA, "Are there readers with more loans than Bo?", ONE_NUMBER, None, "how many there are"),
            (OF_ADA, "Did anyone borrow more than Bo?", ONE_NUMBER, None, "how many there are, in another word"),
            (OF_ADA, "Which readers borrowed more than Bo?", ONE_NUMBER, None, "no yes-no question"),
            (OF_ADA, "Did Ada borrow books?", ONE_NUMBER, None, "no comparison"),
            (OF_ADA, "Did Ada borrow books other than novels?", ONE_NUMBER, None, "except some"),
            (OF_ADA, "Did Ada borrow more than a dozen books?", ONE_NUMBER, None, "a number in words"),
            (OF_ADA, "Hat Ada als Managerin Bücher ausgeliehen?", ONE_NUMBER, None, "in a role"),
            (f"{OF_ADA} GROUP BY r.id HAVING COUNT(*) > 2", MORE, ONE_NUMBER, None, "compared in HAVING"),
            (
                f"SELECT COUNT(*) FROM (SELECT COUNT(*) AS a, COUNT(l.fee) AS b {LENT}) AS x WHERE x.a > x.b",
                MORE,
                ONE_NUMBER,
                None,
                "compared around a query",
            ),
            (OF_ADA, "Ada a-t-elle emprunté plus de livres que Bo ?", ONE_NUMBER, None, "in French, where que is more"),
        )
    ),
}
