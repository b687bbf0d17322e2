"""The cases of the rules that read the question's words, and of what a result shows. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, Case

from rag.docs.documents import make_document
from rag.linking.values import Code, How, LinkedValue

PRIZES, WON = "SELECT COUNT(*) FROM prizes", "How many bronze prizes were won?"
BRONZE: tuple[str, str, How] = ("Bronze", "bronze", "case")
FOURTH = Code("id", 4)
DISPLAYED = "How many flats are on display?"
PARKING = "How many parking spaces do the flats have?"
HOURS = (make_document("column", "Time on loan, in hours.", table="loans", column="fee"),)


LANGUAGE_CASES: dict[str, tuple[Case, ...]] = {
    "counted_rows": (
        *(
            Case(sql, DOUBT, why, question=question)
            for sql, question, why in (
                ("SELECT COUNT(*) FROM loans", "How many readers have borrowed a book?", "a reader may have two loans"),
                ("SELECT COUNT(reader_id) AS n FROM loans", "How many readers?", "the rows with a value"),
                ("SELECT COUNT(*) FROM readers", "How many different channels are there?", "of the table's own column"),
                (
                    "SELECT book_id, COUNT(*) FROM loans GROUP BY book_id",
                    "How many readers has each book?",
                    "in each group",
                ),
                (
                    "SELECT COUNT(*) FROM loans WHERE reader_id IN"
                    " (SELECT reader_id FROM loans GROUP BY reader_id HAVING COUNT(*) > 5)",
                    "How many readers have more than 5 loans?",
                    "the loans of these readers",
                ),
                ("SELECT COUNT(*) FROM openings", "Combien de remarks y a-t-il ?", "in another language"),
                (
                    "SELECT COUNT(*) FROM books",
                    "How many readers?",
                    "another table, without a key of the one that is asked for",
                ),
                ("SELECT COUNT(*) FROM readers AS r JOIN loans AS l ON 1 = 1", "How many prizes?", "a table not read"),
                (
                    "SELECT COUNT(*) FROM readers AS r JOIN loans AS l ON r.id = l.reader_id WHERE l.fee > 5",
                    "How many readers paid more than 5?",
                    "joined rows of a table of readers",
                ),
                (
                    "SELECT s.shown_on, COUNT(*) FROM screenings AS s JOIN tickets AS t USING (screening_id) "
                    "GROUP BY s.shown_on",
                    "How many screenings with tickets were there on each day?",
                    "joined rows in each group",
                ),
            )
        ),
        *(
            Case(sql, None, why, question=question)
            for sql, question, why in (
                ("SELECT COUNT(*) FROM loans", "How many loans are there?", "the table is named so"),
                ("SELECT COUNT(DISTINCT reader_id) FROM loans", "How many readers?", "each once"),
                (
                    "SELECT COUNT(r.id) FROM readers AS r JOIN loans AS l ON r.id = l.reader_id",
                    "How many readers have a loan?",
                    "`fan_out` looks at the key",
                ),
                (
                    "SELECT r.id, COUNT(*) FROM readers AS r JOIN loans AS l ON r.id = l.reader_id GROUP BY r.id",
                    "How many readers are there?",
                    "each is a group",
                ),
                (
                    "SELECT COUNT(*) FROM readers AS a JOIN readers AS b ON a.since = b.since",
                    "How many readers?",
                    "a table and itself",
                ),
                ("SELECT COUNT(*) FROM loans", "How many times was a book borrowed?", "times are no data"),
                ("SELECT COUNT(*) FROM loans", "How many visitors came?", "no column is named so"),
                ("SELECT COUNT(*) FROM loans", "Which reader has most?", "nothing is counted"),
                ("SELECT SUM(fee) FROM loans", "How many readers?", "a sum"),
                ("SELECT COUNT(*) FROM (SELECT reader_id FROM loans) AS x", "How many readers?", "a query inside"),
                ("SELECT COUNT(*), COUNT(fee) FROM loans", "How many readers?", "two counts"),
                ("SELECT COUNT(*) FROM badges", "How many readers gave one?", "a key of the table that is not read"),
                ("SELECT COUNT(*) FROM books", "How many volumes?", "no table is named so"),
                ("SELECT COUNT(*) FROM loans", "How many 3 readers?", "no noun"),
                ("SELECT COUNT(*) FROM loans", "How many books were borrowed in total?", "each time"),
                ("SELECT COUNT(*) FROM loans", "How many readers loans are there?", "the table is named later"),
                (
                    "SELECT channel, COUNT(*) FROM readers GROUP BY channel",
                    "How many channels are there of each kind?",
                    "the column groups the rows",
                ),
            )
        ),
    ),
    "said_numbers": (
        Case(f"{LOANS} fee > 5", DOUBT, "10 is nowhere", question="How many loans over 10?"),
        Case(f"{LOANS} fee >= 11", None, "one more", question="How many loans over 10?"),
        Case(f"{LOANS} fee > 1500", None, "as half of the world writes it", question="Loans over 1.500?"),
        Case(f"{LOANS} fee > 0.1", None, "a share", question="Loans over 10 %?"),
        Case(
            "SELECT title FROM books ORDER BY price DESC OFFSET 3 ROWS FETCH NEXT 1 ROWS ONLY",
            DOUBT,
            "in the words of SQL Server",
            question="Which is our third most expensive book?",
            dialect="sqlserver",
        ),
        *(
            Case(f"SELECT title FROM books ORDER BY price DESC LIMIT {limit}", kind, why, question=question)
            for limit, question, kind, why in (
                ("1 OFFSET 3", "Which is our third most expensive book?", DOUBT, "the fourth"),
                ("1 OFFSET 1", "Which is our 3rd-most expensive book?", DOUBT, "the second, with digits and a hyphen"),
                ("1 OFFSET 3", "Welches Buch ist das zweite nach dem Preis?", DOUBT, "in German"),
                ("1 OFFSET 2", "Which is our third most expensive book?", None, "after two"),
                ("1 OFFSET 3", "Which one comes after the third most expensive?", None, "the one after the third"),
                ("1 OFFSET 3", "Welches kommt nach dem dritten?", None, "after the third, in German"),
                ("1 OFFSET 2", "Which one comes after the third most expensive?", DOUBT, "the third itself"),
                ("1 OFFSET 1", "Which book was second in the third quarter?", None, "two places"),
                ("2 OFFSET 3", "Which is our third most expensive book?", None, "several rows"),
                ("1 OFFSET 0", "Which is our third most expensive book?", None, "the first of all"),
                *(
                    ("1 OFFSET 3", f"Which is the fourth title for the third {it}?", None, f"the third {it}")
                    for it in ("grade", "quarter", "month", "floor", "branch")
                ),
                ("1 OFFSET 4", "Which is the most expensive title in the third quarter?", None, "no place"),
                ("1 OFFSET 4", "Which is the title of the second loan?", None, "a word of the schema"),
                ("1 OFFSET 4", "Which is the second channel's title?", None, "a column's, too"),
                ("1 OFFSET 4", "In the third quarter, which is the second most expensive title?", DOUBT, "one is both"),
                ("1", "Which book cost the most in the third quarter?", None, "no row by its place"),
                ("1 OFFSET 3", "Which is the first book after the top three?", None, "the first is no place of a row"),
                ("1 OFFSET (SELECT COUNT(*) / 2 FROM books)", "What is the second book's rank?", None, "the middle"),
            )
        ),
        Case(
            "SELECT COUNT(*) FROM loans",
            None,
            "held against the count",
            rows=((3,),),
            question="Are there more than 100 loans?",
        ),
        Case(
            "SELECT id FROM loans", DOUBT, "several rows", rows=((1,), (2,)), question="Are there more than 100 loans?"
        ),
        *(
            Case(f"{LOANS} {condition}", kind, why, question=question, documents=HOURS)
            for condition, question, kind, why in (
                ("fee > 2", "How many loans took longer than two days?", DOUBT, "days, of hours"),
                ("fee > 1", "How many loans took longer than a day?", DOUBT, "a day, of hours"),
                ("fee >= 3", "Wie viele dauerten mindestens 3 Wochen?", DOUBT, "weeks, in German"),
                ("fee BETWEEN 2 AND 4", "Loans of 2 days to 4 days?", DOUBT, "between"),
                ("fee > 48", "How many loans took longer than 2 days?", None, "converted"),
                ("fee > 2", "How many loans took longer than 2 hours?", None, "in the column's unit"),
                ("fee / 24 > 2", "How many loans took longer than 2 days?", None, "computed"),
                ("fee > 1", "How many loans took longer than 3,600 seconds?", None, "a comma between thousands"),
                ("year > 2", "How many loans took longer than 2 days?", None, "a column without a unit"),
                ("fee > 2", "How many loans are heavier than 2 kg?", None, "a unit of something else"),
            )
        ),
    ),
    "period_as_day": (
        Case(
            f"{LOANS} taken_at = '2024-03-01'", DOUBT, "the first of a month", question="How many loans in March 2024?"
        ),
        Case(
            "SELECT id FROM loans WHERE '2023-12-31' = taken_at",
            DOUBT,
            "the last of a year",
            question="Loans of the year 2023?",
        ),
        Case(f"{LOANS} DATE(taken_at) = DATE('2024-05-02')", DOUBT, "a quarter", question="Loans in Q2 2024?"),
        Case(f"{LOANS} taken_at = '2024'", DOUBT, "a year as a day", question="How many loans in 2024?"),
        Case(
            f"{LOANS} taken_at = '2024-01-01'",
            DOUBT,
            "without a word before",
            question="Wie viele wurden 2024 geliehen?",
        ),
        Case(f"{LOANS} taken_at = '2023-12-31'", DOUBT, "of two years", question="Loans in 2022 and 2023?"),
        Case(f"{LOANS} taken_at = '2024-01-01'", None, "a day's name", question="Loans on New Year's Day 2024?"),
        Case(f"{LOANS} taken_at = '2023-12-25'", None, "another one", question="Loans at Christmas 2023?"),
        Case("SELECT id FROM readers WHERE name = '2024'", None, "no date", question="Who is called 2024?"),
        Case(f"{LOANS} taken_at = '2024-03-01'", None, "a day that is said", question="Loans of 1 March 2024?"),
        Case(
            f"{LOANS} taken_at = '2024-03-01'",
            None,
            "a day beside its year",
            question="Loans of 2024-03-01, of those in 2024?",
        ),
        Case(f"{LOANS} taken_at = '2022-03-01'", None, "another year", question="Loans in 2024 as on that day?"),
        Case(f"{LOANS} taken_at >= '2024-03-01'", None, "a bound", question="Loans since March 2024?"),
        Case(
            f"{LOANS} taken_at = (SELECT MIN(taken_at) FROM loans WHERE taken_at >= '2024-03-01')",
            None,
            "a day that another query finds",
            question="The first loans in March 2024?",
        ),
        Case(f"{LOANS} STRFTIME('%Y-%m', taken_at) = '2024-03'", None, "a month", question="Loans in March 2024?"),
    ),
    "said_values": (
        Case(
            f"{LOANS} fee > 5",
            DOUBT,
            "Ada is nowhere",
            question="How many loans has Ada?",
            values=(LinkedValue("readers", "name", "Ada", "Ada", "exact", 1.0),),
        ),
        Case(
            "SELECT id FROM readers WHERE name LIKE 'Ada%'",
            None,
            "by LIKE",
            question="Which reader is Ada?",
            values=(LinkedValue("readers", "name", "Ada", "Ada", "exact", 1.0),),
        ),
        Case(
            f"{LOANS} fee > 5",
            None,
            "a value that a rule of the docs has, not the question",
            question="How many loans are there?",
            values=(LinkedValue("readers", "name", "Ada", "Ada", "exact", 1.0),),
        ),
        Case(
            "SELECT MAX(fee) FROM loans",
            None,
            "the name of a column that the query reads",
            question="What is the highest Fee?",
            values=(LinkedValue("prizes", "colour", "Fee", "Fee", "exact", 1.0),),
        ),
        Case(
            f"{LOANS} fee > 5",
            None,
            "a guess",
            question="How many loans has Adda?",
            values=(LinkedValue("readers", "name", "Ada", "Adda", "near", 0.95),),
        ),
        Case(
            "SELECT COUNT(*) FROM prizes WHERE colour = 'returned'",
            DOUBT,
            "another value of its column, which nobody said",
            question="How many prizes were lost?",
            values=(LinkedValue("prizes", "colour", "lost", "lost", "exact", 0.8),),
        ),
        Case(
            "SELECT COUNT(*) FROM prizes WHERE colour IN ('red', 'blue')",
            None,
            "the question has both values of the query",
            question="How many prizes are red or blue, first of all?",
            values=(LinkedValue("prizes", "colour", "first", "first", "exact", 0.8),),
        ),
        Case(
            "SELECT COUNT(*) FROM prizes WHERE id > 3",
            None,
            "a word in small letters, and its column is not read",
            question="How many prizes were lost?",
            values=(LinkedValue("prizes", "colour", "lost", "lost", "exact", 0.8),),
        ),
        *(
            Case(sql, expected, why, question=question, values=(LinkedValue("badges", "colour", *value, *code),))
            for sql, expected, why, question, value, *code in (
                (PRIZES, DOUBT, "a word in small letters, one of few values", WON, (*BRONZE, 0.76, 5)),
                (PRIZES, None, "one of many names", WON, (*BRONZE, 0.76, 700)),
                (PRIZES, None, "a word of any question", "Prizes of last year?", ("year", "year", "exact", 0.8, 5)),
                (PRIZES, None, "of more values than were read", WON, (*BRONZE, 0.76, 0)),
                (PRIZES, None, "it is a name of the schema, too", WON, (*BRONZE, 0.38, 5)),
                (f"{PRIZES} WHERE badge_id = 3", None, "any badge may be meant by its key", WON, (*BRONZE, 0.76, 5)),
                (f"{PRIZES} WHERE badge_id IN (3, 4)", None, "chosen by its key", WON, (*BRONZE, 0.76, 5), FOURTH),
                (f"{PRIZES} WHERE badge_id = 3", DOUBT, "the key of another value", WON, (*BRONZE, 0.76, 5), FOURTH),
                (f"{PRIZES} WHERE badge_id = 'bronze'", DOUBT, "no number equals it", WON, (*BRONZE, 0.76, 5), FOURTH),
                (f"{PRIZES} WHERE colour = 'bronze'", None, "another column's text", WON, (*BRONZE, 0.76, 5), FOURTH),
                (f"{PRIZES} WHERE colour = 'bronze red'", DOUBT, "of a kind, more than it", WON, (*BRONZE, 0.76, 5)),
            )
        ),
    ),
    "unsaid_values": (
        *(
            Case(sql, expected, why, question=question, documents=documents)
            for sql, expected, why, question, documents in (
                ("SELECT COUNT(*) FROM flats WHERE balcony = TRUE", DOUBT, "nobody said so", PARKING, ()),
                ("SELECT COUNT(*) FROM flats WHERE NOT balcony = TRUE", DOUBT, "nor that", PARKING, ()),
                ("SELECT COUNT(*) FROM flats WHERE is_let = 0", DOUBT, "as a number", PARKING, ()),
                ("SELECT COUNT(*) FROM flats WHERE pets = 'Y'", DOUBT, "as a letter", PARKING, ()),
                (
                    "SELECT COUNT(*) FROM flats WHERE balcony = TRUE",
                    DOUBT,
                    "small words are parts of many names",
                    "How many parking spaces does a flat on the third floor have?",
                    (),
                ),
                ("SELECT COUNT(*) FROM flats WHERE rooms = 1", None, "no yes or no", PARKING, ()),
                ("SELECT COUNT(*) FROM flats WHERE on_display = TRUE", None, "a word that tells little", DISPLAYED, ()),
                (
                    "SELECT COUNT(*) FROM flats WHERE balcony",
                    None,
                    "alone, it is not compared",
                    PARKING,
                    (),
                ),
                (
                    "SELECT COUNT(*) FROM flats WHERE balcony = TRUE",
                    None,
                    "in the plural",
                    "How many flats have balconies?",
                    (),
                ),
                ("SELECT COUNT(*) FROM flats WHERE is_let = 0", None, "a form of it", "Which flats are unlet?", ()),
                (
                    "SELECT COUNT(*) FROM flats WHERE balcony = TRUE",
                    None,
                    "in another language than the names",
                    "Wie viele Wohnungen haben einen Freisitz?",
                    (),
                ),
                (
                    "SELECT COUNT(*) FROM flats WHERE is_let = 0",
                    None,
                    "by the docs",
                    "How many flats are vacant?",
                    (make_document("column", "is_let is 0 if the flat is vacant.", table="flats", column="is_let"),),
                ),
            )
        ),
        Case(
            "SELECT id FROM books WHERE title = 'Old Yeller'", DOUBT, "who said so?", question="Which books are there?"
        ),
        Case("SELECT id FROM books WHERE title = 'Old Yeller'", None, "said", question="Is Yeller there?"),
        Case("SELECT id FROM books WHERE title = 'Old Yeller'", None, "known", told=("The dog is Old Yeller",)),
        Case("SELECT id FROM readers WHERE channel = 'M'", None, "one word may be a code", question="By app?"),
        Case(
            "SELECT id FROM loans WHERE taken_at >= '2024-07-01'",
            None,
            "a day of the docs",
            question="Which loans are of this fiscal year?",
            told=("Fiscal year: taken_at >= '2024-07-01'",),
        ),
        Case(
            "SELECT id FROM loans WHERE DATE(taken_at) >= DATE('2020-01-01')",
            None,
            "a day of a rule for all questions",
            question="How many loans are there?",
            documents=(make_document("rule", "Loans before 2020-01-01 are tests: leave them out."),),
        ),
        Case(
            "SELECT id FROM loans WHERE taken_at >= '2024-03-01' AND taken_at < '2024-04-02'",
            None,
            "days that a rule has in words, and the day after its end",
            question="How many loans since the opening?",
            documents=(make_document("rule", "The opening lasted from March 1, 2024 to April 1, 2024."),),
        ),
        Case(
            "SELECT id FROM loans WHERE taken_at >= '2024-03-01'",
            DOUBT,
            "the docs have the last day of the calendar, which has none after it",
            question="How many loans are there?",
            documents=(make_document("rule", "A loan that is not back has 9999-12-31."),),
        ),
        Case(
            "SELECT id FROM loans WHERE DATE(taken_at) >= DATE('2020-01-01')",
            DOUBT,
            "a day of another question",
            question="How many loans are there?",
            documents=(
                make_document("query", "Loans since 2020?", sql="SELECT id FROM loans WHERE taken_at >= '2020-01-01'"),
            ),
        ),
    ),
    "unread_join": (
        Case(
            "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id",
            DOUBT,
            "nobody spoke of badges",
            question="Who are the readers?",
        ),
        Case(
            "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id",
            None,
            "spoken of in other words",
            question="Welche Leser haben ein Abzeichen vergeben?",
        ),
        Case(
            "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id",
            None,
            "those who gave one are meant",
            question="Which readers gave badges?",
        ),
        Case(
            "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id",
            None,
            "what they are joined by is named",
            question="Which readers have a giver id?",
        ),
        Case(
            "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id",
            DOUBT,
            "an id may be any",
            question="Which readers have an id?",
        ),
        Case(
            "SELECT readers.id FROM readers JOIN loans AS l ON l.reader_id = readers.id",
            DOUBT,
            "what is shown, not what is joined by",
            question="What is the reader id of Ada?",
        ),
        Case(
            "SELECT r.name FROM readers AS r LEFT JOIN badges AS b ON b.giver_id = r.id",
            None,
            "no row is dropped",
            question="Who reads?",
        ),
        Case(
            "SELECT r.name FROM readers AS r JOIN loans AS l ON l.reader_id = r.id JOIN books AS b ON b.id = l.book_id",
            DOUBT,
            "the books",
            question="Who has loans?",
        ),
        Case(
            "SELECT r.name, b.title FROM readers AS r JOIN loans AS l ON l.reader_id = r.id "
            "JOIN books AS b ON b.id = l.book_id",
            None,
            "the way to the books",
            question="Who reads which title?",
        ),
    ),
    "asked_of_each": (
        Case(
            "SELECT COUNT(*) FROM readers", DOUBT, "one row", question="For each channel, how many readers are there?"
        ),
        Case("SELECT COUNT(*) AS n FROM loans", DOUBT, "a table", question="How many loans are there per reader?"),
        Case("SELECT SUM(fee) FROM loans", DOUBT, "by", question="What are the fees by channel?"),
        Case("SELECT AVG(fee) FROM loans", DOUBT, "few words", question="average fee per reader"),
        Case("SELECT COUNT(*) FROM loans", DOUBT, "German", question="Wie viele Ausleihen gab es pro Leser?"),
        Case(
            "SELECT channel, COUNT(*) FROM readers GROUP BY channel",
            None,
            "grouped",
            question="For each channel, how many readers are there?",
        ),
    ),
    "unasked_count": (
        Case(
            "SELECT colour, COUNT(*) FROM badges GROUP BY colour ORDER BY COUNT(*) DESC LIMIT 1",
            DOUBT,
            "a colour is asked for",
            question="Which colour is the most common?",
        ),
        Case(
            "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC LIMIT 1",
            DOUBT,
            "by its alias",
            question="Which colour is the most common?",
        ),
        Case(
            "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC LIMIT 1",
            None,
            "asked for",
            question="Which colour is the most common, and how many have it?",
        ),
        Case("SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour", None, "all of them", question="The colours?"),
        Case(
            "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC LIMIT 1",
            None,
            "nobody knows what other languages count by",
            question="Welche Farbe kommt am häufigsten vor, und wie oft?",
        ),
    ),
    "repeated_rows": (
        Case("SELECT colour FROM badges", DOUBT, "red alone", rows=(("red",), ("red",))),
        Case("SELECT colour FROM badges", DOUBT, "half are repeats", rows=(("red",), ("red",), ("red",), ("blue",))),
        Case("SELECT colour FROM badges", DOUBT, "nothing twice", rows=((None,), (None,))),
        Case("SELECT name FROM readers", None, "two readers of one name", rows=(("Ada",), ("Ada",), ("Bo",))),
        Case("SELECT colour FROM badges", None, "each once", rows=(("red",), ("blue",))),
        Case("SELECT id FROM badges", None, "a number and its text", rows=((1,), ("1",))),
        Case("SELECT id FROM badges", None, "no rows", rows=()),
        Case("SELECT colour FROM badges", None, "one", rows=(("red",),)),
        Case("SELECT colour, since FROM badges", DOUBT, "two columns", rows=(("red", 1), ("red", 1))),
        Case("SELECT colour, id FROM badges", None, "one column of two repeats", rows=(("red", 1), ("red", 2))),
        Case("SELECT colour, fee FROM badges", None, "one row of three", rows=(("red", 1), ("red", 1), ("red", 2))),
        Case("SELECT colour FROM badges", None, "not all rows are there", rows=None),
    ),
}
