"""What a question speaks of by its name has to be read."""

from __future__ import annotations

import pytest
from small_tables import table

from agent.checks.unread import denied_tables, names_unread
from executors.base import Schema
from executors.sql.tree import tree_to_change

SCHEMA = Schema(
    database="wallet",
    dialect="sqlite",
    tables=tuple(table(name, "id", "status", "coupon_id") for name in ("users", "notifications", "coupons")),
)


@pytest.mark.parametrize(
    "question, sql, denied",
    [
        ("Users who have not received any notifications", "SELECT id FROM users WHERE id > 1", ["notifications"]),
        ("Which users didn't get a notification?", "SELECT id FROM users", ["notifications"]),
        ("Users who have not received any notifications",
         "SELECT id FROM users WHERE NOT id IN (SELECT id FROM notifications)", []),
        ("Which users have no coupon?", "SELECT id FROM users WHERE coupon_id IS NULL", []),
        ("Which users have notifications off?", "SELECT id FROM users WHERE status = 'off'", []),
        ("Which users have no more than 5 notifications?", "SELECT id FROM users WHERE id <= 5", []),
        ("Who is user no. 5 of the notifications?", "SELECT id FROM users WHERE id = 5", []),
        ("Which users are not active?", "SELECT id FROM users WHERE status <> 'active'", []),
    ],
)  # fmt: skip
def test_a_query_without_it_says_something_else(question: str, sql: str, denied: list[str]) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert denied_tables(tree, question, SCHEMA) == denied


MUSIC = Schema(
    database="music",
    dialect="sqlite",
    tables=(
        table("song", "song_name", "artist_name", "rating"),
        table("artist", "artist_name", "country"),
        table("labels", "full_name", "label_short_name", "town"),
    ),
)


@pytest.mark.parametrize(
    "question, sql, unread",
    [
        ("What are the rating and the name of the artist of each song?", "SELECT rating, song_name FROM song",
         ["artist_name"]),
        ("Which artist names are there?", "SELECT country FROM artist", ["artist_name"]),
        ("What is the name of the artist of each song?", "SELECT song.artist_name FROM song", []),
        ("What is the name of the artist of every song?",
         "SELECT s.song_name FROM song AS s JOIN artist AS a ON a.artist_name = s.artist_name", ["artist_name"]),
        ("What is the name of each label?", "SELECT full_name FROM labels", []),
        ("Where is the label with the label name X?", "SELECT town FROM labels WHERE label_short_name = 'X'", []),
        ("What is the name of each label?", "SELECT town FROM labels", ["label_short_name"]),
        ("What is the name of the song of each artist?", "SELECT artist_name FROM artist", []),  # no table that has it
        ("What is the name of the artist?", "SELECT * FROM artist", []),
        ("Which artists are from the UK?", "SELECT country FROM artist", []),
    ],
)  # fmt: skip
def test_a_name_that_is_asked_for_is_read(question: str, sql: str, unread: list[str]) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert names_unread(tree, question, MUSIC) == unread
