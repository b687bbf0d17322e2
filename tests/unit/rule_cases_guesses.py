"""The cases of the rules on guesses: codes that nothing explains, the first row of a subquery, a number in WHERE.

See `rule_cases`.
"""

from __future__ import annotations

from rule_shop import DOUBT, Case

from rag.docs.documents import make_document
from rag.linking.values import How, LinkedValue

BY_CHANNEL = "SELECT COUNT(*) FROM readers WHERE channel"
OPEN = "How many are open?"
READERS = "SELECT COUNT(*) FROM readers"
BY_TELEPHONE = "How many registered by telephone?"
CHANNELS = (make_document("column", "T = telephone, M = mobile app", table="readers", column="channel"),)

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
