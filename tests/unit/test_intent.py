"""Orders to change data and permission to give them; questions that only sound like orders are not affected."""

from __future__ import annotations

import pytest

from agent.core.callers import ANONYMOUS, LOCAL, to_principal
from agent.core.errors import WritesNotAllowed
from agent.core.models import Options
from agent.platform.access.intent import orders_change, refuse_writes, write_refusal
from agent.platform.config.settings import Settings
from executors.registry.registry import Entry

ON = Settings(allow_writes=True)
OFF = Settings(allow_writes=False)
GIVEN = Options(allow_writes=True)
SHOP = Entry(name="shop", url="shop.sqlite", writable=True, writers=("ann@example.com", "Bob"))


@pytest.mark.parametrize(
    "question",
    ["drop all tables", "Please delete all orders of 2023", "DROP TABLE orders;", "Insert into customers a new one"],
)
def test_an_order_is_refused_with_the_reason(question: str) -> None:
    with pytest.raises(WritesNotAllowed, match="Writes are switched off"):
        refuse_writes(question, Options(), "Writes are switched off.")


@pytest.mark.parametrize(
    "question",
    [
        "How many tables were sold?",
        "Drop in revenue since May, by month?",
        "Which orders were deleted from the list of open ones?",
        "Update me on all orders of today",
    ],
)
def test_a_question_is_left_alone(question: str) -> None:
    refuse_writes(question, Options(), "Writes are switched off.")
    refuse_writes(question, GIVEN, "")
    assert not orders_change(question)


@pytest.mark.parametrize("question", ["drop all tables", "Alter table orders", "truncate table orders", "grant all"])
def test_what_is_more_than_rows_is_refused_to_whoever_may_write(question: str) -> None:
    with pytest.raises(WritesNotAllowed, match="never tables"):
        refuse_writes(question, GIVEN, "")


@pytest.mark.parametrize(
    "question",
    [
        "Set the status of order 17 to shipped",
        "please delete all orders of 2023",
        "Add a customer named Zed",
        "Remove customer 3.",
        "change Bo's country to FR",
        "Insert into customers a new one",
    ],
)
def test_an_order_is_known_by_its_first_words(question: str) -> None:
    refuse_writes(question, GIVEN, "")
    assert orders_change(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of all orders?",
        "Change in revenue since May",
        "Set of all countries",
        "Add up all amounts of 2024",
        "Show the orders that were cancelled",
    ],
)
def test_what_only_sounds_so_is_no_order(question: str) -> None:
    assert not orders_change(question)


def test_a_confirmation_is_refused_like_an_order() -> None:
    with pytest.raises(WritesNotAllowed, match="Writes are switched off"):
        refuse_writes("yes", Options(confirm="abc"), "Writes are switched off.")


@pytest.mark.parametrize(
    "settings, entry, principal, options, said, why",
    [
        (ON, SHOP, "Bob", GIVEN, "", "all four switches are on"),
        (ON, SHOP, "bob", GIVEN, "", "names are the same in upper and lower case"),
        (ON, SHOP, "Bob", Options(confirm="abc"), "", "a confirmation is a permission too"),
        (ON, SHOP, LOCAL, GIVEN, "", "the person at the terminal"),
        (ON, SHOP.model_copy(update={"writers": ("*",)}), ANONYMOUS, GIVEN, "", "anyone"),
        (OFF, SHOP, "Bob", GIVEN, "PLUMBLINE_ALLOW_WRITES", "the setting"),
        (OFF, SHOP, LOCAL, GIVEN, "PLUMBLINE_ALLOW_WRITES", "the setting, at the terminal too"),
        (ON, SHOP.model_copy(update={"writable": False}), LOCAL, GIVEN, "writable: true", "the database"),
        (ON, SHOP, "Eve", GIVEN, "`writers`", "the caller"),
        (ON, SHOP, ANONYMOUS, GIVEN, "`writers`", "nobody in particular"),
        (ON, SHOP.model_copy(update={"writers": ()}), "Bob", GIVEN, "`writers`", "nobody may"),
        (ON, SHOP, "Bob", Options(), "allow_writes: true", "the option"),
        (ON, SHOP, "Bob", Options(allow_writes=False), "allow_writes: true", "the option"),
    ],
)
def test_the_switch_that_is_off_is_named(
    settings: Settings, entry: Entry, principal: str, options: Options, said: str, why: str
) -> None:
    refusal = write_refusal(settings, entry, principal, options)
    assert said in refusal, why
    assert bool(refusal) is bool(said), why
    assert "ann@example.com" not in refusal, "who else may is nobody's business"


@pytest.mark.parametrize(
    "header, principal",
    [
        ("ann@example.com", "ann@example.com"),
        ("  Ann ", "Ann"),
        ("", ANONYMOUS),
        ("local", ANONYMOUS),
        ("*", ANONYMOUS),
    ],
)
def test_a_name_from_outside_is_never_a_reserved_word(header: str, principal: str) -> None:
    assert to_principal(header) == principal
