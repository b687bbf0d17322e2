"""The cases of `stored_values` on texts that only a table stores which foreign keys lead to. See `rule_cases`."""

from __future__ import annotations

from rule_shop import DOUBT, Case

from agent.checks.rules.lookup import LookedUp
from agent.core.models import Check
from rag.linking.values import How, LinkedValue

PRIZES = "SELECT COUNT(*) FROM prizes"
TO_BADGE = "JOIN badges ON prizes.badge_id = badges.id"
LOANS = "SELECT id FROM loans"
TO_READER = "JOIN readers ON loans.reader_id = readers.id"
READER, BADGE = ("readers", "name"), ("badges", "colour")


def elsewhere(
    sql: str,
    after: str,
    why: str,
    *places: tuple[str, str],
    column: tuple[str, str] = ("loans", "due"),
    text: str = "Ada",
    stored: str = "Ada",
    how: How = "exact",
) -> Case:
    """A query for a text that its column does not store, and the columns that do."""
    looked_up = LookedUp(
        check=Check(name="filter_values", passed=False, detail=f"{'.'.join(column)} holds no {text!r}."),
        missing={(*column, text): ()},
    )
    values = tuple(LinkedValue(*place, stored, text, how, 1.0) for place in places)
    return Case(sql, after, why, looked_up=looked_up, values=values)


def prize(where: str, after: str, why: str, *places: tuple[str, str], start: str = PRIZES) -> Case:
    """A query for a colour of prizes."""
    return elsewhere(
        f"{start} WHERE {where}", after, why, *places, column=("prizes", "colour"), text="gold", stored="gold"
    )


PARENT_CASES: dict[str, tuple[Case, ...]] = {
    "stored_values": (
        prize("colour = 'gold'", f"{PRIZES} {TO_BADGE} WHERE badges.colour = 'gold'", "the parent's", BADGE),
        prize(
            "colour = 'gold' AND prizes.id > 3",
            f"{PRIZES} {TO_BADGE} WHERE badges.colour = 'gold' AND prizes.id > 3",
            "beside a condition",
            BADGE,
        ),
        prize(
            "p.colour = 'gold'",
            "SELECT COUNT(*) FROM prizes AS p JOIN badges ON p.badge_id = badges.id WHERE badges.colour = 'gold'",
            "by its alias",
            BADGE,
            start="SELECT COUNT(*) FROM prizes AS p",
        ),
        prize(
            "p.colour = 'gold'",
            "SELECT COUNT(*) FROM prizes AS p JOIN badges AS b ON b.id = p.badge_id WHERE b.colour = 'gold'",
            "the parent is read already",
            BADGE,
            start="SELECT COUNT(*) FROM prizes AS p JOIN badges AS b ON b.id = p.badge_id",
        ),
        prize(
            "colour = 'gold'",
            f"{PRIZES} {TO_BADGE} JOIN readers ON badges.giver_id = readers.id WHERE readers.name = 'gold'",
            "two steps away",
            READER,
        ),
        prize(
            "colour = 'gold'",
            f"{PRIZES} {TO_BADGE} WHERE badges.colour = 'gold'",
            "one of them has the column's name",
            BADGE,
            READER,
        ),
        prize("colour = 'gold' OR id = 3", DOUBT, "a join would drop prizes without a badge", BADGE),
        prize("colour IN ('gold', 'red')", DOUBT, "one of several", BADGE),
        prize("colour = 'gold'", DOUBT, "no key leads there", ("books", "title")),
        prize(
            "p.colour = 'gold'",
            DOUBT,
            "the badge that is read is another one",
            BADGE,
            start="SELECT COUNT(*) FROM prizes AS p JOIN badges AS b ON b.giver_id = p.id",
        ),
        elsewhere(
            f"{LOANS} WHERE due = 'Ada' ORDER BY id",
            f"SELECT loans.id FROM loans {TO_READER} WHERE readers.name = 'Ada' ORDER BY loans.id",
            "names that both tables have get theirs",
            READER,
        ),
        elsewhere(
            f"{LOANS} WHERE due IN ('ada')",
            f"SELECT loans.id FROM loans {TO_READER} WHERE readers.name IN ('Ada')",
            "as it is stored",
            READER,
            text="ada",
            how="case",
        ),
        elsewhere(
            "SELECT title FROM books WHERE id IN (SELECT book_id FROM loans WHERE due = 'Ada')",
            f"SELECT title FROM books WHERE id IN (SELECT book_id FROM loans {TO_READER} WHERE readers.name = 'Ada')",
            "in a subquery",
            READER,
        ),
        elsewhere("SELECT * FROM loans WHERE due = 'Ada'", DOUBT, "a join would add columns to the star", READER),
        elsewhere(
            "SELECT loans.* FROM loans WHERE due = 'Ada'",
            f"SELECT loans.* FROM loans {TO_READER} WHERE readers.name = 'Ada'",
            "the star of one table",
            READER,
        ),
        elsewhere(
            "SELECT * FROM loans JOIN readers ON loans.reader_id = readers.id WHERE due = 'Ada'",
            f"SELECT * FROM loans {TO_READER} WHERE readers.name = 'Ada'",
            "the star has the parent's columns already",
            READER,
        ),
        elsewhere(f"{LOANS} WHERE due = 'Ada'", DOUBT, "two columns store it", READER, ("books", "title")),
        elsewhere(f"{LOANS} WHERE due = 'Ada'", DOUBT, "the child stores it", ("prizes", "colour")),
        elsewhere(f"{LOANS} WHERE due = 'Ad'", DOUBT, "a part of it", READER, text="Ad", how="near"),
        elsewhere(
            "SELECT SUM(CASE WHEN due = 'Ada' THEN 1 END) FROM loans", DOUBT, "not a condition of the rows", READER
        ),
        elsewhere(f"{LOANS} WHERE due = 'Ada'", DOUBT, "its own table stores it, too", READER, ("loans", "taken_at")),
        elsewhere(
            "SELECT id FROM readers WHERE name = 'Ada'",
            DOUBT,
            "the rows that refer to it may be many",
            ("loans", "due"),
            column=READER,
        ),
    )
}
