"""The cases of the rule on terms that the docs define. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, LOANS, Case

from rag.docs.documents import Document, make_document

LATE = "Late loan: a loan whose due is in the past and whose fee is open."
BUSY = "Busy day (BD) = an opening with more than 50 visitors"
CLUB = "Club of a reader = readers.channel"
HELD = "Date: use held_on, not planned_on"
HELD_ASKED = "What is the date of each opening?"
LATE_ASKED = "How many loans are late?"
BUSY_ASKED = "How many busy days were there?"


def _case(rule: str, sql: str, after: str | None, question: str, why: str, kind: str = "rule") -> Case:
    document: Document = make_document("rule" if kind == "rule" else "column", rule, table="", column="")
    return Case(sql, after, why, question=question, documents=(document,))


TERM_CASES: dict[str, tuple[Case, ...]] = {
    "defined_terms": (
        *(
            _case(rule, sql, DOUBT, question, why)
            for rule, sql, question, why in (
                (LATE, f"{LOANS} due < '2024-03-01'", LATE_ASKED, "one of two columns"),
                (LATE, f"{LOANS} fee > 0", LATE_ASKED, "the other one"),
                (LATE, "SELECT COUNT(*) FROM loans", LATE_ASKED, "neither"),
                (LATE, "SELECT COUNT(*) FROM loans AS l WHERE l.fee > 0", "Late loans?", "by an alias"),
                (
                    LATE,
                    f"{LOANS} reader_id IN (SELECT id FROM readers WHERE since > 2000)",
                    LATE_ASKED,
                    "beside others",
                ),
                (LATE, "SELECT AVG(fee) FROM loans", "What is the average fee of late loans?", "of an average"),
                (BUSY, "SELECT COUNT(*) FROM openings", BUSY_ASKED, "with its letters in brackets"),
                (BUSY, "SELECT weekday, COUNT(*) FROM openings GROUP BY weekday", "Busy days by weekday", "of groups"),
                ("Gain: fee, or else due", "SELECT id FROM loans", "What is the gain?", "none of two"),
                ("Late loan: never fee", "SELECT due FROM loans", LATE_ASKED, "denied, and so read"),
                (HELD, "SELECT planned_on FROM openings", HELD_ASKED, "the column not to use"),
                (CLUB, "SELECT name FROM readers", "Name the club of a reader", "with the table's name"),
                (CLUB.replace("=", ":"), "SELECT name FROM readers", "Name the club of a reader", "with a colon"),
            )
        ),
        *(
            _case(rule, sql, None, question, why)
            for rule, sql, question, why in (
                (LATE, f"{LOANS} due < '2024-03-01' AND fee > 0", LATE_ASKED, "both"),
                (LATE, "SELECT due, fee FROM loans", LATE_ASKED, "shown"),
                (LATE, "SELECT COUNT(*) FROM loans", "How many loans are there?", "another question"),
                (LATE, "SELECT COUNT(*) FROM loans", "How many loans came too late last year?", "words further apart"),
                (LATE, "SELECT COUNT(*) FROM readers", LATE_ASKED, "of tables that the query does not read"),
                (LATE, "SELECT COUNT(*) FROM (SELECT due, fee FROM loans) AS l", LATE_ASKED, "in FROM"),
                (BUSY, "SELECT COUNT(*) FROM openings WHERE visitors > 50", BUSY_ASKED, "by its column"),
                (BUSY, "SELECT COUNT(*) FROM openings", "How many quiet days were there?", "another word"),
                ("Late is late", "SELECT COUNT(*) FROM loans", LATE_ASKED, "no definition"),
                ("Late loan: ask the desk", "SELECT COUNT(*) FROM loans", LATE_ASKED, "no column"),
                ("Late loan: see id", "SELECT COUNT(*) FROM loans", LATE_ASKED, "a key is no condition"),
                ("Loan: a copy that a reader took, for a fee", f"{LOANS} id > 1", "How many loans?", "a table"),
                (HELD, "SELECT held_on FROM openings", HELD_ASKED, "the column to use"),
                (HELD.replace(", not", " instead of"), "SELECT held_on FROM openings", HELD_ASKED, "in other words"),
                ("Gain: due without fee", "SELECT due FROM loans", "What is the gain?", "left out by the definition"),
                ("Gain: fee, or else due", "SELECT fee FROM loans", "What is the gain?", "one of two"),
            )
        ),
        _case(LATE, "SELECT COUNT(*) FROM loans", None, LATE_ASKED, "no rule", "column"),
        Case("SELECT COUNT(*) FROM loans", None, "no docs", question=LATE_ASKED),
    ),
}
