"""The cases of the rules on guesses: codes that nothing explains, the first row of a subquery, a number in WHERE.

See `rule_cases`.
"""

from __future__ import annotations

from rule_shop import DOUBT, Case

from rag.docs.documents import make_document
from rag.linking.values import How, LinkedValue

ABOVE_30 = "Is the average fee above 30?"
BY_CHANNEL = "SELECT COUNT(*) FROM readers WHERE channel"
OPEN = "How many are open?"
FIRST_READER = "SELECT name FROM readers ORDER BY id"
FIRST_LOAN = "SELECT reader_id FROM loans GROUP BY reader_id ORDER BY reader_id LIMIT 1"
READERS = "SELECT COUNT(*) FROM readers"
BY_TELEPHONE = "How many registered by telephone?"
CHANNELS = (make_document("column", "T = telephone, M = mobile app", table="readers", column="channel"),)
CHANNEL_OF_ADA = "(SELECT channel FROM readers WHERE name = 'Ada')"

STORED_KINDS: tuple[tuple[str, str, str, str, How, str | None, str], ...] = (
    (READERS, "How many post readers are there?", "post", "post", "exact", DOUBT, "a stored kind"),
    (READERS, "How many members by letters?", "letters", "letter", "form", DOUBT, "in another form"),
    (READERS, "How many readers by POST?", "POST", "post", "case", DOUBT, "in capitals"),
    (READERS, "How many readers by mail?", "mail", "post", "meaning", None, "only of that meaning"),
    (READERS, "How many readers of 2015?", "2015", "2015", "exact", None, "a year"),
    (READERS, "How many loans by readers?", "loans", "loan", "form", None, "a table has that name"),
    (f"{READERS} WHERE channel = 'post'", "How many by post?", "post", "post", "exact", None, "filtered"),
    ("SELECT COUNT(*) FROM books", "How many by post?", "post", "post", "exact", None, "not its table"),
)

GUESS_CASES: dict[str, tuple[Case, ...]] = {
    "guessed_code": (
        *(
            Case(sql, DOUBT, why, question=question)
            for sql, question, why in (
                (f"{BY_CHANNEL} = 'M'", OPEN, "nothing says what it means"),
                (f"{BY_CHANNEL} = 'M'", "How many cancelled?", "no word begins with it"),
                (f"{BY_CHANNEL} IN ('M', 'T')", OPEN, "one of several"),
                (f"{BY_CHANNEL} IN ('T', 'X')", "How many by telephone?", "one of two is explained"),
                (f"{BY_CHANNEL} = 'M' AND since > 2000", OPEN, "beside a condition"),
                ("SELECT r.id FROM readers AS r WHERE r.channel = 'M'", OPEN, "by its alias"),
                (f"{BY_CHANNEL} = 'TX'", "How many from Ulm?", "two letters"),
                (f"{BY_CHANNEL} = 'TX'", "How many by telephone?", "the second letter is in no word"),
                (f"{BY_CHANNEL} = 'M'", "Wie viele sind offen?", "in German"),
                (
                    "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE channel = 'M')",
                    OPEN,
                    "inside",
                ),
            )
        ),
        *(
            Case(sql, None, why, question=question)
            for sql, question, why in (
                (f"{BY_CHANNEL} = 'M'", "How many by mobile app?", "the first letter of a word"),
                (f"{BY_CHANNEL} = 'TX'", "How many from Texas?", "two letters of a word"),
                (f"{BY_CHANNEL} = 'NY'", "How many from New York?", "initials"),
                (f"{BY_CHANNEL} = 'M'", "How many have M?", "the question has it"),
                (f"{BY_CHANNEL} = 'mobile'", OPEN, "a word"),
                (f"{BY_CHANNEL} = 'OPEN'", OPEN, "four letters may be a word"),
                (f"{BY_CHANNEL} = 'abc'", OPEN, "so may three small ones"),
                (f"{BY_CHANNEL} = 'ICU'", "How many in intensive care?", "three letters are mostly known"),
                (f"{BY_CHANNEL} = 'USA'", "How many from the USA?", "the question has its three letters"),
                (f"{BY_CHANNEL} <> 'M'", OPEN, "what is left out"),
                ("SELECT id FROM readers WHERE name = 'X'", OPEN, "other values are words"),
                ("SELECT id FROM books WHERE title = 'X'", OPEN, "no values are known"),
                ("SELECT COUNT(*) FROM readers", OPEN, "no text"),
            )
        ),
        Case(
            f"{BY_CHANNEL} = 'M'",
            None,
            "a rule has it",
            question="How many are free?",
            told=("Open ones have channel M.",),
        ),
        Case(
            f"{BY_CHANNEL} = 'M'",
            None,
            "the docs have it",
            question="How many are closed?",
            documents=(make_document("column", "M = mobile app", table="readers", column="channel"),),
        ),
        Case(
            f"{BY_CHANNEL} = 'M'",
            None,
            "a word is linked with it",
            question=OPEN,
            values=(LinkedValue("readers", "channel", "M", "open", "country", 0.95),),
        ),
    ),
    "invented_factor": (
        *(
            Case(f"SELECT {sql}", DOUBT, why, question=question)
            for sql, question, why in (
                ("SUM(fee) * 0.01 FROM loans", "How much diesel was used?", "a hundredth of what is no percentage"),
                ("SUM(pages) * 44.718 FROM books", "How much CO2 do they store?", "made up"),
                ("SUM(girth_cm * 0.01) FROM trees", "How much do the trees weigh?", "no metres are asked for"),
                ("price * 0.2 FROM books", "What is the profit of each book?", "a made-up margin"),
                ("price / 1.08 FROM books", "What is each price in dollars?", "a rate of exchange"),
                ("COUNT(*) * 350 FROM books", "How much paper is in the books?", "of a count"),
                ("id FROM books WHERE price * 0.7 > 5", "Which books are dear?", "in a condition"),
                ("SUM(price * 12.5) / 12 FROM books", "What do they cost a month?", "inside an aggregate"),
                ("CAST(price AS REAL) * 0.85 FROM books", "What is each net price?", "of a cast"),
                ("SUM(price) * 0.1 FROM books", "What is the commission?", "a tenth"),
                ("SUM(price) * 0.19 FROM books", "What is the tax on the 20 books?", "another number is said"),
            )
        ),
        *(
            Case(f"SELECT {sql}", None, why, question=question)
            for sql, question, why in (
                ("SUM(price) * 0.19 FROM books", "What is 19% of all prices?", "said as a percentage"),
                ("SUM(price) * 1.19 FROM books", "What do they cost with 19 % tax?", "added to the whole"),
                ("price * (1 - 0.2) FROM books", "What is each price at 20% off?", "taken from it"),
                ("price / 1.95583 FROM books", "What are the prices at 1.95583 marks each?", "as written"),
                ("id FROM books WHERE price > 5 * fee", "Which cost more than five times the fee?", "a word"),
                ("SUM(price) * 0.5 FROM books", "What is half of all prices?", "a share in words"),
                ("SUM(pages) * 0.35 FROM books", "What do they weigh at 0.35kg a page?", "before its unit"),
                ("COUNT(title) * 100.0 / COUNT(*) FROM books", "What share has a title?", "a percentage"),
                ("SUM(pages) / 12 FROM books", "How many are read each month?", "months"),
                ("AVG(fee) / 60.0 / 60 FROM loans", "How long in hours?", "seconds"),
                ("SUM(opening_hours) * 86400 FROM openings", "How many seconds?", "a day of seconds"),
                ("SUM(way_km) * 0.621 FROM trips", "How many miles?", "a unit, rounded"),
                ("(heat - 32) * 5 / 9 FROM openings", "How warm was it in Celsius?", "two that are one together"),
                ("(heat - 32) * (5.0 / 9) FROM openings", "How warm was it in Celsius?", "in brackets"),
                ("AVG(girth_cm) / 100 FROM trees", "What is the average girth in metres?", "centimetres"),
                ("SUM(price_cents) / 100.0 FROM books", "What do the books cost?", "cents"),
                ("SUM(price * rebate / 100) FROM books", "How much is taken off?", "one of several columns"),
                ("(pages + price + fee) / 3 FROM books", "What is the mean of the three?", "a mean"),
                ("(a + b + c + d + e) / 5.0 FROM scores", "What is the mean score?", "a mean of five"),
                ("price / 25, COUNT(*) FROM books GROUP BY price / 25", "How many by price?", "steps of a group"),
                ("CAST(price / 25 AS INT) * 25 FROM books", "What steps of price are there?", "steps"),
                ("price * 1.0 / pages FROM books", "What is the price of a page?", "no integers"),
                ("FLOOR(price / 500) * 500 FROM books", "How many by price?", "steps of 500"),
                ("AVG(fee) / 86400000.0 FROM loans", "How many days?", "milliseconds of a day"),
                ("SUM(pages) / 2592000 FROM books", "How many months?", "seconds of a month"),
                ("COUNT(*) FROM books WHERE price > 44.718", OPEN, "compared"),
                ("price + 44.718 FROM books", OPEN, "added"),
                ("price * pages FROM books", OPEN, "two columns"),
                ("44.718 * 2", OPEN, "no column"),
            )
        ),
        Case(
            "SELECT SUM(price) * 0.8 FROM books",
            None,
            "a rule has it",
            question="What do members pay?",
            told=("Members get 20% off.",),
        ),
        Case(
            "SELECT SUM(price) * 2.7 FROM books",
            None,
            "the docs have it",
            question="How much CO2 is that?",
            documents=(make_document("rule", "Each euro stands for 2.7kg of CO2."),),
        ),
        Case(
            "SELECT SUM(price) / 100 FROM books",
            None,
            "in cents, according to the docs",
            question="What do all books cost?",
            documents=(make_document("column", "in cents", table="books", column="price"),),
        ),
    ),
    "sorted_by_key": (
        *(
            Case(sql, DOUBT, why, question=question)
            for sql, question, why in (
                (FIRST_LOAN, "Which reader borrows least?", "a foreign key"),
                (f"{FIRST_READER} LIMIT 1", "Who borrows the most?", "a primary key"),
                (f"{FIRST_READER} DESC LIMIT 1", "Who borrows the most?", "from the other end"),
                (f"{FIRST_READER} LIMIT 3", "Who are the 3 best readers?", "several rows"),
                (FIRST_LOAN, "Welcher Leser leiht am meisten?", "in German"),
                (FIRST_LOAN, "Quel lecteur paie le moins ?", "in French"),
                (FIRST_LOAN, "¿Qué lector paga la tarifa más alta?", "in Spanish"),
                (FIRST_LOAN, "Quale lettore paga di meno?", "in Italian"),
                (
                    "SELECT l.reader_id FROM loans AS l ORDER BY l.reader_id LIMIT 1",
                    "Who borrows least?",
                    "by an alias",
                ),
                (FIRST_LOAN, "Which reader has the highest number of loans?", "a count, not the number of a reader"),
                (f"SELECT name FROM readers WHERE id = ({FIRST_LOAN})", "Who borrows least?", "in a subquery"),
                ("SELECT id FROM loans WHERE fee > 2 ORDER BY id LIMIT 1", "Which loan cost most?", "of some rows"),
            )
        ),
        *(
            Case(sql, None, why, question=question)
            for sql, question, why in (
                (f"{FIRST_READER} LIMIT 5", "List 5 readers.", "any rows"),
                (f"{FIRST_READER} LIMIT 1", "Who was the first reader?", "which came first"),
                (f"{FIRST_READER} DESC LIMIT 1", "Who is our newest reader?", "the latest"),
                (f"{FIRST_READER} DESC LIMIT 1", "Who is the most recent reader?", "the latest, in two words"),
                (f"{FIRST_READER} DESC LIMIT 1", "Wer ist unser neuester Leser?", "the latest, in German"),
                (f"{FIRST_READER} DESC LIMIT 1", "Which reader has the highest number?", "a number is asked for"),
                (f"{FIRST_READER} DESC LIMIT 1", "What is the highest reader id?", "an id is asked for"),
                (f"{FIRST_READER} LIMIT 20", "Which readers have at least 3 loans?", "a bound"),
                (f"{FIRST_READER} LIMIT 500", "Which readers pay the most?", "a limit of all rows"),
                (FIRST_READER, "Who pays the most?", "all rows"),
                ("SELECT reader_id FROM loans ORDER BY fee, id LIMIT 1", "Which loan cost least?", "after another"),
                ("SELECT reader_id FROM loans ORDER BY fee LIMIT 1", "Which loan cost least?", "no key"),
                (
                    "SELECT reader_id FROM loans GROUP BY reader_id ORDER BY COUNT(*) LIMIT 1",
                    "Who borrows least?",
                    "a count",
                ),
                ("SELECT id FROM openings ORDER BY keys LIMIT 1", "When were the fewest keys lent?", "a number, too"),
            )
        ),
    ),
    "first_of_subquery": (
        *(
            Case(before, after, why, dialect="sqlite")
            for before, after, why in (
                (
                    f"SELECT id FROM readers WHERE channel = {CHANNEL_OF_ADA}",
                    f"SELECT id FROM readers WHERE channel IN {CHANNEL_OF_ADA}",
                    "several may be called Ada",
                ),
                (
                    f"SELECT id FROM readers WHERE {CHANNEL_OF_ADA} = channel",
                    f"SELECT id FROM readers WHERE channel IN {CHANNEL_OF_ADA}",
                    "the other way round",
                ),
                (
                    f"SELECT COUNT(*) FROM readers AS r WHERE r.since > 2000 AND r.channel = {CHANNEL_OF_ADA}",
                    f"SELECT COUNT(*) FROM readers AS r WHERE r.since > 2000 AND r.channel IN {CHANNEL_OF_ADA}",
                    "beside a condition",
                ),
                (
                    "SELECT id FROM readers WHERE since = (SELECT MAX(since) FROM readers GROUP BY channel)",
                    "SELECT id FROM readers WHERE since IN (SELECT MAX(since) FROM readers GROUP BY channel)",
                    "one of each group",
                ),
                (
                    "SELECT id FROM loans WHERE reader_id = (SELECT id FROM readers UNION SELECT id FROM badges)",
                    "SELECT id FROM loans WHERE reader_id IN (SELECT id FROM readers UNION SELECT id FROM badges)",
                    "a union",
                ),
                (
                    "SELECT id FROM loans WHERE book_id = (SELECT DISTINCT book_id FROM loans WHERE fee > 5)",
                    "SELECT id FROM loans WHERE book_id IN (SELECT DISTINCT book_id FROM loans WHERE fee > 5)",
                    "different ones",
                ),
                (
                    f"SELECT n FROM (SELECT COUNT(*) AS n FROM readers WHERE channel = {CHANNEL_OF_ADA})",
                    f"SELECT n FROM (SELECT COUNT(*) AS n FROM readers WHERE channel IN {CHANNEL_OF_ADA})",
                    "in a query in FROM",
                ),
                (
                    "SELECT COUNT(*) FROM readers GROUP BY channel HAVING channel = (SELECT channel FROM readers)",
                    "SELECT COUNT(*) FROM readers GROUP BY channel HAVING channel IN (SELECT channel FROM readers)",
                    "in HAVING",
                ),
            )
        ),
        *(
            Case(f"SELECT id FROM readers WHERE {condition}", None, why)
            for condition, why in (
                ("since = (SELECT MAX(since) FROM readers)", "an aggregate is one value"),
                ("since = (SELECT MAX(since) - 1 FROM readers)", "also computed with"),
                ("id = (SELECT reader_id FROM loans ORDER BY fee DESC LIMIT 1)", "the first is wanted"),
                ("id IN (SELECT reader_id FROM loans)", "all are compared"),
                ("since > (SELECT since FROM readers WHERE name = 'Ada')", "no equality"),
                ("since <> (SELECT since FROM readers WHERE name = 'Ada')", "the contrary"),
                ("channel = 'M'", "a text"),
                ("EXISTS (SELECT 1 FROM loans WHERE reader_id = readers.id)", "whether there is one"),
                ("(SELECT COUNT(*) FROM loans WHERE reader_id = readers.id) = 3", "a count"),
                ("(SELECT channel FROM readers) = (SELECT channel FROM readers)", "two subqueries"),
                ("since = (SELECT since FROM readers ORDER BY since DESC)", "the first of an order"),
                ("NOT since = (SELECT since FROM readers)", "denied, where NULL and false differ"),
                ("name = (SELECT title FROM books AS b WHERE b.id = readers.id)", "one for each row"),
                ("name = (SELECT title FROM books WHERE price = since)", "one for each row, without a name"),
                ("(since = (SELECT since FROM readers)) IS NULL", "no condition by itself"),
            )
        ),
        *(
            Case(f"SELECT id FROM readers WHERE channel = {CHANNEL_OF_ADA}", None, "it refuses that", dialect=dialect)
            for dialect in ("duckdb", "postgresql", "mysql")
        ),
    ),
    "held_filter": (
        *(
            Case(f"SELECT {sql}", DOUBT, why, question=question)
            for sql, question, why in (
                ("AVG(fee) FROM loans WHERE fee > 30", ABOVE_30, "the average of those above it"),
                ("AVG(fee) FROM loans WHERE fee >= 30.0", ABOVE_30, "with a decimal"),
                ("AVG(l.fee) AS mean FROM loans AS l WHERE l.fee > 30 AND l.id > 2", ABOVE_30, "beside a condition"),
                ("ROUND(AVG(fee), 2) FROM loans WHERE (fee > 30)", ABOVE_30, "rounded, in brackets"),
                ("AVG(fee) FROM loans WHERE fee < 5", "Is the average fee lower than 5?", "below it"),
                ("SUM(fee) FROM loans WHERE fee <= 500", "Do the fees come to less than 500?", "a total"),
                ("SUM(fee) FROM loans WHERE fee > 1500", "Is the total more than 1,500?", "thousands"),
                ("AVG(fee) FROM loans WHERE fee > 30", "Was the average fee above 30 in 2024?", "beside a year"),
                ("AVG(fee) FROM loans WHERE fee > 30", "Ist die durchschnittliche Gebühr höher als 30?", "in German"),
                ("AVG(fee) FROM loans WHERE fee > 2.5", "È la tariffa media più alta di 2,5?", "in Italian"),
                ("reader_id, AVG(fee) FROM loans WHERE fee > 30 GROUP BY reader_id", ABOVE_30, "of each"),
                ("a FROM (SELECT AVG(fee) AS a FROM loans WHERE fee > 30)", ABOVE_30, "in a query in FROM"),
            )
        ),
        *(
            Case(f"SELECT {sql}", None, why, question=question)
            for sql, question, why in (
                ("AVG(fee) FROM loans", ABOVE_30, "of all"),
                ("AVG(fee) > 30 FROM loans", ABOVE_30, "the query compares"),
                ("AVG(fee) FROM loans HAVING AVG(fee) > 30", ABOVE_30, "the aggregate is compared"),
                ("AVG(fee) FROM loans WHERE id > 30", ABOVE_30, "another column"),
                ("AVG(fee) FROM loans WHERE fee > 10", ABOVE_30, "another number"),
                ("MAX(fee) FROM loans WHERE fee > 30", "Is any fee above 30?", "the highest of those decides it"),
                ("COUNT(*) FROM loans WHERE fee > 30", "Are there fees above 30?", "a count of those"),
                ("COUNT(fee) FROM loans WHERE fee > 30", "Are there fees above 30?", "a count of values"),
                ("AVG(fee) FROM loans WHERE fee > 30", "What is the average of fees above 30?", "no yes-no question"),
                ("SUM(fee) FROM loans WHERE fee > 30", "Do fees above 30 come to more than 500?", "two numbers"),
                ("AVG(fee) FROM loans WHERE year > 2020", "Is the average fee since 2020 high?", "a year"),
                ("AVG(fee) FROM loans WHERE fee > '30'", ABOVE_30, "a text"),
                ("AVG(fee) FROM loans WHERE fee > 10", "Is the average of fees over 10 euros rising?", "of those rows"),
                (
                    "AVG(fee) FROM loans WHERE fee < 20",
                    "Is the average of fees under 20 euros lower in Ulm than in Bonn?",
                    "of those rows, compared",
                ),
            )
        ),
    ),
    "all_tied": (
        *(
            Case(sql, DOUBT, why)
            for sql, why in (
                ("SELECT name FROM readers GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1", "the most"),
                ("SELECT name FROM readers GROUP BY name ORDER BY COUNT(*) LIMIT 1", "the fewest"),
                ("SELECT name, COUNT(*) FROM readers GROUP BY name ORDER BY COUNT(*) DESC LIMIT 3", "the first three"),
                ("SELECT name, COUNT(*) AS n FROM readers GROUP BY name ORDER BY n DESC LIMIT 1", "by its alias"),
                ("SELECT name, COUNT(*) FROM readers GROUP BY name ORDER BY 2 DESC LIMIT 1", "by its position"),
                ("SELECT name FROM readers GROUP BY name ORDER BY COUNT(id) DESC LIMIT 1", "of a column"),
                ("SELECT name FROM readers GROUP BY name ORDER BY COUNT(*) DESC, name LIMIT 1", "then by name"),
                ("SELECT name FROM readers GROUP BY name ORDER BY SUM(since) DESC LIMIT 1", "of a sum"),
                (
                    "SELECT name FROM readers WHERE since > 2000 GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
                    "of some rows",
                ),
                (
                    "WITH some AS (SELECT * FROM loans) SELECT book_id FROM some GROUP BY book_id "
                    "ORDER BY COUNT(*) DESC LIMIT 1",
                    "of a named query",
                ),
                (
                    "SELECT book_id FROM (SELECT book_id FROM loans) AS l GROUP BY book_id ORDER BY COUNT(*) LIMIT 1",
                    "of a query in FROM",
                ),
            )
        ),
        *(
            Case(sql, None, why)
            for sql, why in (
                ("SELECT name FROM readers GROUP BY name ORDER BY COUNT(*) DESC", "all are shown"),
                ("SELECT name FROM readers GROUP BY name LIMIT 1", "no order"),
                (
                    "SELECT name FROM readers GROUP BY name ORDER BY COUNT(*) DESC, MAX(since) DESC LIMIT 1",
                    "a further number decides",
                ),
                ("SELECT name FROM readers GROUP BY name ORDER BY name LIMIT 1", "by the name"),
                ("SELECT name FROM readers ORDER BY since DESC LIMIT 1", "no groups"),
                ("SELECT name FROM readers ORDER BY (SELECT COUNT(*) FROM loans) LIMIT 1", "no groups, and a subquery"),
                ("SELECT name, since FROM readers GROUP BY 1, 2 ORDER BY 2 DESC LIMIT 1", "by a group"),
                ("SELECT name, since FROM readers GROUP BY 1, 2 ORDER BY 7 DESC LIMIT 1", "by what is not there"),
                (
                    "SELECT r.name FROM readers AS r JOIN loans AS l ON l.reader_id = r.id GROUP BY r.name "
                    "ORDER BY COUNT(*) DESC LIMIT 1",
                    "joined rows are counted",
                ),
                (
                    "SELECT name FROM readers UNION SELECT title FROM books ORDER BY 1 LIMIT 1",
                    "two queries",
                ),
                ("SELECT COUNT(*) FROM readers", "one count"),
            )
        ),
    ),
    "unread_kind": (
        *(
            Case(sql, DOUBT, why, question=question, documents=CHANNELS)
            for sql, question, why in (
                (READERS, BY_TELEPHONE, "all are counted"),
                (f"{READERS} WHERE since > 2000", "How many registered by telephone after 2000?", "another condition"),
                ("SELECT name FROM readers", "Which readers came by the mobile app?", "a meaning of two words"),
                (
                    "SELECT SUM(l.fee) FROM loans AS l JOIN readers AS r ON r.id = l.reader_id",
                    "The fees of readers by telephone",
                    "joined",
                ),
                ("SELECT name FROM readers WHERE id IN (SELECT reader_id FROM loans)", BY_TELEPHONE, "with a subquery"),
                ("SELECT fee FROM loans WHERE reader_id IN (SELECT id FROM readers)", BY_TELEPHONE, "in a subquery"),
                ("WITH r AS (SELECT id FROM readers) SELECT COUNT(*) FROM r", BY_TELEPHONE, "in a CTE"),
                ("SELECT since, COUNT(*) FROM readers GROUP BY since", "Telephones per year", "the plural"),
            )
        ),
        *(
            Case(sql, None, why, question=question, documents=CHANNELS)
            for sql, question, why in (
                (f"{READERS} WHERE channel = 'T'", BY_TELEPHONE, "it is filtered by"),
                (f"{READERS} WHERE channel <> 'M'", BY_TELEPHONE, "filtered in another way"),
                ("SELECT channel, COUNT(*) FROM readers GROUP BY channel", BY_TELEPHONE, "it is grouped by"),
                ("SELECT SUM(CASE WHEN channel = 'T' THEN 1 END) FROM readers", BY_TELEPHONE, "it is counted by"),
                ("SELECT * FROM readers", BY_TELEPHONE, "it is shown"),
                ("SELECT r.* FROM readers AS r", BY_TELEPHONE, "it is shown with its table"),
                (READERS, "How many readers are there?", "no meaning is named"),
                (READERS, "How many use a mobile?", "half of a meaning"),
                (READERS, "How many by telephone or the mobile app?", "all of them are asked for"),
                ("SELECT COUNT(*) FROM loans", "How many loans by telephone?", "its table is not read"),
                (
                    f"{READERS} WHERE name = 'Telephone'",
                    "How many readers are called Telephone?",
                    "a text of the query",
                ),
                ("SELECT x.n FROM (SELECT channel AS n FROM readers) AS x", BY_TELEPHONE, "read inside"),
            )
        ),
        Case(f"{READERS} WHERE id > 3", None, "nothing is documented", question=BY_TELEPHONE),
        Case(READERS, None, "a name that begins a word", question="How many adaptations are there?"),
        Case(READERS, None, "two letters", question="How many bottles are there?"),
        *(
            Case(sql, after, why, question=question, values=(LinkedValue("readers", "channel", value, said, how, 0.4),))
            for sql, question, said, value, how, after, why in STORED_KINDS
        ),
        Case(
            f"{READERS} WHERE id > 4",
            None,
            "a sentence, and no list of codes",
            question=BY_TELEPHONE,
            documents=(
                make_document("column", "How they registered: by telephone", table="readers", column="channel"),
            ),
        ),
        Case(
            f"{READERS} WHERE id > 5",
            None,
            "the column stores none of the codes",
            question="How many were expelled?",
            documents=(make_document("column", "X = expelled, Y = left", table="readers", column="channel"),),
        ),
        Case(
            f"{READERS} WHERE id > 6",
            None,
            "a word that names a table",
            question="How many have a badge?",
            documents=(make_document("column", "M = member, T = badge", table="readers", column="channel"),),
        ),
        Case(
            "SELECT since, COUNT(*) FROM readers GROUP BY since",
            None,
            "a period of the numbers",
            question="Give the annual number of new members",
            documents=(make_document("column", "M = monthly, T = annual", table="readers", column="channel"),),
        ),
        Case(
            f"{READERS} WHERE id > 7",
            None,
            "of a column of another table",
            question=BY_TELEPHONE,
            documents=(make_document("column", "T = telephone, M = mobile app", table="loans", column="channel"),),
        ),
    ),
}
