"""Further cases of the rules that read the words of a question; one a line."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, READS, Case, doubted, left_alone

from rag.linking.values import How, LinkedValue


def _spoken(sql: str, *rows: tuple[str, bool, str]) -> list[Case]:
    """One query, and rows of (question, whether it is doubted, why)."""
    return [Case(sql, DOUBT if doubted else None, why, question) for question, doubted, why in rows]


def _named(sql: str, doubted: bool, why: str, *values: tuple[str, str, How, float]) -> Case:
    """A query beside stored values that the question mentions, as (value, mention, how, score)."""
    question = f"What of {', '.join(mention for _, mention, *_ in values)}?"
    linked = tuple(LinkedValue("readers", "name", *it) for it in values)
    return Case(sql, DOUBT if doubted else None, why, question, values=linked)


def _listed(why: str, *values: object, doubted: bool) -> Case:
    return Case("SELECT colour FROM badges", DOUBT if doubted else None, why, rows=tuple((it,) for it in values))


TOP_COLOUR = "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC LIMIT 1"
GIVERS = "SELECT r.name FROM readers AS r JOIN badges AS b ON b.giver_id = r.id"
YELLER = "SELECT id FROM books WHERE title = 'Old Yeller'"

COUNTEREXAMPLES: dict[str, list[Case]] = {
    "loose_or": [
        *doubted(
            ("SELECT id FROM books WHERE price > 5 AND title = 'A' OR title = 'B'", "AND first"),
            ("SELECT id FROM books WHERE id = 1 OR title = 'A' OR title = 'B' AND price > 5", "the last of three"),
            ("SELECT id FROM books GROUP BY id HAVING COUNT(*) > 1 OR SUM(price) > 5 AND SUM(price) < 9", "in HAVING"),
            (
                "SELECT l.id FROM loans AS l JOIN books AS b ON l.book_id = b.id OR l.id = b.id AND b.price > 1",
                "in a join",
            ),
            ("SELECT SUM(CASE WHEN fee > 1 OR fee < 0 AND id > 3 THEN 1 END) FROM loans", "in CASE"),
        ),
        *left_alone(
            ("SELECT id FROM books WHERE title = 'A' OR title = 'B'", "no AND"),
            ("SELECT id FROM books WHERE title = 'A' AND price > 5", "no OR"),
            ("SELECT id FROM books WHERE title = 'A' AND price > 5 OR title = 'B' AND price < 3", "AND on either side"),
            ("SELECT id FROM books WHERE (title = 'A' AND price > 5) OR title = 'B'", "in parentheses"),
            ("SELECT id FROM books WHERE title IN ('A', 'B') AND price > 5", "a list"),
            ("SELECT id FROM books WHERE NOT (title = 'A' OR title = 'B') AND price > 5", "negated"),
            ("SELECT id FROM books WHERE price BETWEEN 1 AND 5 OR title = 'A'", "that AND is BETWEEN's"),
            ("SELECT id FROM books WHERE title = 'A OR B AND C'", "in a text"),
            ("SELECT id FROM books WHERE price > 5 AND (id = 1 OR id = 2 OR id = 3)", "three in parentheses"),
            ("SELECT id FROM books WHERE id = 1 UNION SELECT id FROM books WHERE price > 5 AND id = 2", "two queries"),
            ("SELECT id FROM books", "no condition"),
            (
                "SELECT id FROM books WHERE EXISTS (SELECT 1 FROM loans WHERE fee > 1 AND id > 2) OR price > 5",
                "of another query",
            ),
        ),
    ],
    "period_as_day": [
        *_spoken(
            f"{LOANS} taken_at = '2023-10-01'",
            ("How many loans were there in October 2023?", True, "a month"),
            ("Wie viele loans gab es im Oktober 2023?", True, "in German"),
            ("Loans of Q4 2023?", True, "the first day of a quarter"),
            ("Wie viele loans wurden 2023 gezählt?", False, "any day of a year that no word makes a time"),
            ("How many loans on 1 Oct. 2023?", False, "the year of a day"),
            ("How many loans on October the 1st 2023?", False, "the year of a day in another form"),
            ("How many loans on 10/1/2023?", False, "with slashes"),
            ("How many loans in 2023?", True, "any day of a year"),
            ("How many loans on 1 October 2023?", False, "that day"),
            ("How many loans on 2023-10-01?", False, "as it is written"),
            ("How many loans in November 2023?", False, "of another month"),
            ("How many loans on the first of the month?", False, "no year"),
            ("How many loans?", False, "no time"),
        ),
        *_spoken(
            f"{LOANS} taken_at IN ('2023-10-01', '2023-10-02')",
            ("Loans on the first days of October 2023?", False, "several days"),
        ),
        *_spoken(
            f"{LOANS} taken_at BETWEEN '2023-10-01' AND '2023-10-31'",
            ("Loans in October 2023?", False, "from its first to its last day"),
        ),
        *_spoken(f"{LOANS} fee = 2023", ("Loans of 2023 cents in 2023?", False, "a number is no day")),
    ],
    "said_numbers": [
        *_spoken(
            f"{LOANS} fee > 5",
            ("How many loans cost more than 7.5?", True, "a fraction"),
            ("Loans of more than 5 since 1999?", True, "a year that is nowhere"),
            ("How many loans cost more than 5?", False, "as it is"),
            ("How many loans cost more than 5.0?", False, "with a decimal"),
            ("How many loans cost at least 6?", False, "one more"),
            ("How many loans cost more than five?", False, "a word"),
            ("How many loans cost more than 500 cents?", False, "in hundredths"),
            ("Loans above 5 of A350?", False, "a part of a name"),
        ),
        *_spoken(
            f"{LOANS} fee > 2000000",
            ("Loans above 2 million?", False, "millions"),
            ("Loans above 2,000,000?", False, "by commas"),
            ("Loans above 2.000.000?", False, "by full stops"),
            ("Loans above 3,000,000?", True, "others"),
        ),
        *_spoken(
            f"{LOANS} taken_at >= '2024-03-01'",
            ("Loans since 1 March 2024?", False, "a day in words"),
            ("Loans since 1.3.2024?", False, "a day as in Germany"),
            ("The 25 loans since March 2024?", False, "it may be a day"),
            ("The 250 loans since March 2024?", True, "no part of a date"),
        ),
        *_spoken("SELECT id FROM loans ORDER BY fee LIMIT 3", ("The 3 cheapest loans?", False, "the limit")),
        *_spoken(
            f"{LOANS} taken_at >= DATE('now', '-35 days')",
            ("How many loans were there in the last 5 weeks?", False, "weeks in days"),
            ("How many loans were there in the last 8 weeks?", True, "other weeks"),
        ),
    ],
    "said_values": [
        _named(f"{LOANS} fee > 5", True, "in capitals", ("ADA", "ADA", "exact", 1.0)),
        _named(f"{LOANS} fee > 5", True, "in another case", ("ada", "Ada", "case", 1.0)),
        _named("SELECT id FROM readers WHERE name = 'Bo'", True, "another name", ("Ada", "Ada", "exact", 1.0)),
        _named(
            "SELECT id FROM readers WHERE name = 'Ada'",
            True,
            "one of two",
            ("Ada", "Ada", "exact", 1.0),
            ("Bo", "Bo", "exact", 1.0),
        ),
        _named(
            "SELECT id FROM readers WHERE name = 'New York'",
            False,
            "a part of it",
            ("York", "York", "exact", 1.0),
            ("New York", "New York", "exact", 1.0),
        ),
        _named("SELECT id FROM readers WHERE name = 'Ada'", False, "as it is", ("Ada", "Ada", "exact", 1.0)),
        _named("SELECT id FROM readers WHERE name = 'ADA'", False, "in another case", ("Ada", "Ada", "exact", 1.0)),
        _named(
            "SELECT id FROM readers WHERE name LIKE '%da%'",
            False,
            "a part of it, by LIKE",
            ("Ada", "Ada", "exact", 1.0),
        ),
        _named(
            "SELECT id FROM readers WHERE name = 'Ada Lovelace'", False, "more than it", ("Ada", "Ada", "exact", 1.0)
        ),
        _named(
            "SELECT id FROM readers WHERE name IN ('Ada', 'Bo')",
            False,
            "both",
            ("Ada", "Ada", "exact", 1.0),
            ("Bo", "Bo", "exact", 1.0),
        ),
        _named(f"{LOANS} fee > 5", False, "a common word", ("open", "open", "exact", 1.0)),
        _named(f"{LOANS} fee > 5", False, "by its meaning", ("Ada", "Lovelace", "meaning", 0.95)),
        _named(f"{LOANS} fee > 5", False, "not sure enough", ("Ada", "Ada", "case", 0.8)),
        _named(f"{LOANS} fee > 5", False, "nothing is named"),
        _named(
            "SELECT id FROM readers WHERE name = 'T'",
            False,
            "one reading of two",
            ("T", "Telephone", "exact", 1.0),
            ("M", "Telephone", "exact", 1.0),
        ),
        _named("SELECT id FROM readers WHERE NOT name = 'Ada'", False, "all but her", ("Ada", "Ada", "exact", 1.0)),
        _named("SELECT 'Ada' FROM readers", False, "somewhere in the query", ("Ada", "Ada", "exact", 1.0)),
    ],
    "unsaid_values": [
        *_spoken(
            YELLER,
            ("Which books are cheap?", True, "a title from nowhere"),
            ("How many books are there?", True, "a count"),
            ("Is old yeller there?", False, "in small letters"),
            ("Have we 'Old Yeller'?", False, "in quotes"),
            ("What does the old one cost?", False, "a word of it"),
        ),
        *_spoken(
            "SELECT id FROM books WHERE title LIKE '%Old Yeller%'",
            ("Which books are cheap?", True, "by LIKE"),
            ("Which are about Yeller?", False, "a part of a title"),
        ),
        *_spoken(
            "SELECT id FROM books WHERE title IN ('Old Yeller', 'A')",
            ("Which books are cheap?", True, "in a list"),
            ("Old Yeller, or A?", False, "of the list"),
        ),
        *_spoken(
            f"{LOANS} taken_at >= '2024-03-01'",
            ("How many loans since March 2024?", False, "digits alone"),
            ("How many loans are open?", True, "a day from nowhere, as of a past query"),
            ("How many loans in March?", True, "no year is said"),
            ("How many loans in '24?", False, "a short year"),
            ("How many loans last month?", False, "counted from today"),
            ("Wie viele Ausleihen letzte Woche?", False, "the same in German"),
        ),
        *_spoken(
            f"{LOANS} taken_at BETWEEN CAST('2024-03-01' AS DATE) AND DATE '2024-03-31'",
            ("How many loans are open?", True, "typed days"),
            ("How many loans are there of 2024?", False, "the year is said"),
            ("Which are the 5 longest loans?", True, "a number of rows is no time"),
        ),
        *_spoken(
            f"{LOANS} strftime('%Y', taken_at) = '2024'",
            ("How many loans are open?", True, "a year"),
            ("How many loans of 2024?", False, "the year is said"),
        ),
        *_spoken(
            f"{LOANS} EXTRACT(YEAR FROM taken_at) = 2024",
            ("How many loans are open?", True, "a year as a number"),
        ),
        *_spoken(
            f"{LOANS} taken_at LIKE '2024%'",
            ("How many loans are open?", True, "a year by LIKE"),
        ),
        *_spoken(
            f"{LOANS} COALESCE(returned_at, '2099-12-31') > taken_at",
            ("How many loans are open?", False, "in place of no value"),
        ),
        *left_alone(
            ("SELECT id FROM books WHERE price > 5", "a number"),
            ("SELECT 'Old Yeller' FROM books", "shown, not filtered by"),
            ("SELECT id FROM readers WHERE name = 'Ada'", "one word"),
            ("SELECT id FROM books WHERE title = ''", "nothing"),
            ("SELECT id FROM books", "no filter"),
        ),
        _named(
            "SELECT id FROM readers WHERE name = 'Old Yeller'",
            False,
            "stored, and meant",
            ("Old Yeller", "dog", "form", 0.9),
        ),
    ],
    "unread_join": [
        *_spoken(
            GIVERS,
            ("List everybody.", True, "nobody spoke of badges"),
            ("Which readers gave a badge?", False, "one badge"),
            ("How many badge givers are there?", False, "in the singular"),
            ("¿Qué lectores hay?", False, "another language"),
        ),
        *_spoken(
            f"SELECT r.name, l.fee {READS}",
            ("What did everybody pay?", False, "its fee is shown"),
        ),
        *_spoken(
            f"SELECT r.name {READS} WHERE l.fee > 5",
            ("Who paid more than 5?", False, "its fee is filtered by"),
        ),
        *_spoken(
            f"SELECT r.name {READS} ORDER BY l.fee DESC LIMIT 1",
            ("Who paid most?", False, "its fee orders"),
        ),
        *_spoken(
            f"SELECT r.name, COUNT(l.id) {READS} GROUP BY r.id, r.name",
            ("How often did everybody come?", False, "it is counted"),
        ),
        *_spoken(
            f"SELECT COUNT(*) {READS}",
            ("How many visits?", False, "rows are counted"),
            ("How many readers are there?", True, "readers are counted by their joined rows"),
            ("How many readers have loans?", False, "both are spoken of"),
        ),
        *_spoken(
            f"SELECT r.since {READS} GROUP BY r.since ORDER BY COUNT(*) DESC LIMIT 1",
            ("Which year has the most readers?", True, "so are they in groups"),
            ("Which year has the most visits?", False, "visits are the joined rows"),
            ("Which year was the best?", False, "what is counted is not said"),
        ),
        *_spoken(f"SELECT r.* {READS}", ("How many readers are there?", False, "all columns are read")),
        *_spoken(
            "SELECT COUNT(*) FROM readers AS r JOIN reader_groups AS g ON g.reader_id = r.id",
            ("How many readers are there?", True, "a name that begins with another table's"),
            ("How many readers are in groups?", False, "the rest of that name"),
        ),
        *_spoken("SELECT name FROM readers", ("Who is there?", False, "no join")),
        *_spoken(f"SELECT name {READS}", ("Who is there?", False, "whose name it is nobody knows")),
        *_spoken("SELECT r.name FROM readers AS r CROSS JOIN badges AS b", ("Who is there?", False, "all pairs")),
        *_spoken(
            "SELECT r.name FROM readers AS r RIGHT JOIN badges AS b ON b.giver_id = r.id",
            ("Who?", False, "another side"),
        ),
        *_spoken(
            "SELECT r.name FROM readers AS r JOIN (SELECT giver_id FROM badges) AS b ON b.giver_id = r.id",
            ("Who is there?", False, "a query inside"),
        ),
        *_spoken(f"{GIVERS} UNION SELECT l.id FROM loans AS l", ("Who is there?", False, "two queries")),
    ],
    "asked_of_each": [
        *_spoken(
            "SELECT COUNT(*) FROM readers",
            ("How many readers came by every channel?", True, "every"),
            ("How many readers per kind of channel?", True, "a kind of it"),
            ("Combien de lecteurs y a-t-il dans chaque canal ?", True, "French"),
            ("¿Cuántos lectores hay en cada canal?", True, "Spanish"),
            ("Quanti lettori ci sono per ogni canale?", True, "Italian"),
            ("채널별 독자는 몇 명인가요?", True, "Korean"),
            ("How many readers are there?", False, "of all"),
            ("How many readers were found by channel M?", False, "who did it"),
            ("How many readers are there per head?", False, "nothing of the schema"),
            ("Wie viele Leser gibt es?", False, "German, of all"),
            ("How many readers drop by?", False, "by nothing"),
        ),
        *_spoken(
            "SELECT COUNT(*) FROM loans AS l JOIN readers AS r ON l.reader_id = r.id WHERE r.channel = 'M'",
            ("How many loans were made in May by readers of the channel M?", False, "a filter on their table"),
            ("How many loans were made in May by channel M?", False, "a filter on it"),
            ("How many loans were made for each channel?", True, "one of them"),
        ),
        *_spoken(
            "SELECT COUNT(*) FROM loans WHERE reader_id IN (SELECT id FROM readers WHERE channel = 'M')",
            ("How many loans were made in May by readers of the channel M?", False, "readers of a filter"),
        ),
        *_spoken(
            "SELECT channel, COUNT(*) FROM readers",
            ("How many readers has each channel?", False, "it is returned"),
        ),
        *_spoken(
            "SELECT AVG(fee) FROM loans",
            ("What is the fee per loan?", False, "a mean is of each row"),
            ("What is the average fee per channel?", True, "of each group"),
            ("What is the average fee per loan channel?", True, "of each group, named by two words"),
            ("What is the average fee of each reader?", True, "of each row of another table"),
            ("What is the average fee per page?", True, "of a text"),
            ("What is the average fee by channel?", True, "by"),
            ("What is the average fee by the reader's channel in 2024?", True, "by the last word before a time"),
            ("What is the average fee by channel, please?", True, "before a comma"),
            ("What is the average fee by reader pickup?", False, "by pickups"),
            ("What is the average fee by book channel approval?", False, "by approvals"),
            ("What is the average fee per price?", False, "a rate of a number"),
            ("What is the average fee per night?", False, "nothing of the schema"),
            ("Was ist die durchschnittliche Gebühr pro Channel?", True, "German"),
            ("Durchschnittliche Gebühr pro Channelen?", True, "the plural has an ending more"),
            ("Durchschnittliche Gebühr pro Loan?", False, "of each row"),
            ("Durchschnittliche Gebühr pro Readera?", False, "no ending of a plural"),
            ("Was ist die durchschnittliche Gebühr pro Nacht?", False, "a rate in German"),
        ),
        *_spoken(
            "SELECT ROUND(AVG(n), 2) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY reader_id) AS t",
            ("How many loans are there on average per reader?", False, "grouped inside"),
        ),
        *_spoken(
            "SELECT COUNT(*) / COUNT(DISTINCT reader_id) FROM loans",
            ("How many loans per reader?", False, "a quotient"),
        ),
        *_spoken(
            "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM loans GROUP BY reader_id) AS t",
            ("What is the most loans per reader?", False, "grouped inside"),
        ),
        *_spoken("SELECT name FROM readers", ("Who is each reader?", False, "rows as they are stored")),
        *_spoken("SELECT COUNT(*) > 0 FROM loans", ("Has each reader a loan?", False, "yes or no")),
    ],
    "unasked_count": [
        *_spoken(
            TOP_COLOUR,
            ("Which colour is the most popular?", True, "popular"),
            ("What do most badges look like?", True, "most"),
            ("Which colour has the highest number of badges?", False, "a number"),
            ("Which colour is it, and how often?", False, "how often"),
            ("The most frequent colour with its frequency?", False, "a frequency"),
            ("The colour of most badges, and the count?", False, "a count"),
            ("Which colour comes most times?", False, "times"),
            ("Quelle est la couleur la plus courante ?", False, "another language"),
        ),
        *_spoken(
            "SELECT colour, COUNT(*) FROM badges GROUP BY colour ORDER BY COUNT(*) ASC LIMIT 3",
            ("The three rarest colours?", True, "the least"),
        ),
        *_spoken(
            "SELECT colour FROM badges GROUP BY colour ORDER BY COUNT(*) DESC LIMIT 1",
            ("Which colour is the most common?", False, "not shown"),
        ),
        *_spoken(
            "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY colour LIMIT 3",
            ("The first three colours?", False, "ordered by something else"),
        ),
        *_spoken(
            "SELECT colour, COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC",
            ("Which colours are common?", False, "not cut"),
        ),
        *_spoken(
            "SELECT COUNT(*) AS n FROM badges GROUP BY colour ORDER BY n DESC LIMIT 1", ("The most?", False, "it alone")
        ),
        *_spoken(
            "SELECT reader_id, SUM(fee) AS s FROM loans GROUP BY reader_id ORDER BY s DESC LIMIT 1",
            ("Which reader paid most?", False, "a sum"),
        ),
        *_spoken("SELECT colour FROM badges ORDER BY id LIMIT 1", ("The first colour?", False, "no groups")),
    ],
    "repeated_rows": [
        _listed("a grade of five pupils", *[5] * 5, doubted=True),
        _listed("nine of fifteen", *"aaabbbcccdddeee", doubted=True),
        _listed("a publisher twice", "Murray", "Murray", doubted=True),
        _listed("half of four", "a", "a", "b", "b", doubted=True),
        _listed("one of five", "a", "a", "b", "c", "d", doubted=False),
        _listed("one of three", "a", "a", "b", doubted=False),
        _listed("two of five", "a", "a", "b", "b", "c", doubted=False),
        _listed("in another case", "a", "A", doubted=False),
        _listed("with a space", "a", "a ", doubted=False),
        _listed("a number and nothing", 0, None, doubted=False),
    ],
}
