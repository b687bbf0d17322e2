"""A join that passes by a foreign key of its own tables."""

from __future__ import annotations

import pytest

from agent.checks.rules.base import RuleContext
from agent.checks.rules.unrelated_keys import RULE
from executors.base import Column, ForeignKey, Schema, Table
from executors.sql.tree import tree_to_change


def table(name: str, *keys: tuple[str, str]) -> Table:
    return Table(
        name=name,
        columns=(Column(name="id", type="INTEGER"), *(Column(name=column, type="INTEGER") for column, _ in keys)),
        primary_key=("id",),
        foreign_keys=tuple(ForeignKey(columns=(column,), table=to, referenced=("id",)) for column, to in keys),
    )


FESTIVAL = Schema(
    database="festival",
    dialect="sqlite",
    tables=(
        table("films"),
        table("users"),
        table("screenings", ("film_id", "films")),
        table("scores", ("film_id", "films")),
        table("customers", ("referred_by", "users")),
        table("orders", ("user_id", "users")),
    ),
)


@pytest.mark.parametrize(
    "condition, is_doubted, why",
    [
        ("screenings JOIN scores ON screenings.id = scores.film_id", True, "screenings.film_id is passed by"),
        ("scores JOIN screenings ON scores.id = screenings.film_id", True, "the other way round"),
        ("screenings JOIN scores ON screenings.film_id = scores.film_id", False, "of the same film"),
        ("films JOIN scores ON films.id = scores.film_id", False, "the key"),
        ("customers JOIN orders ON customers.id = orders.user_id", False, "customers may share the users' key"),
    ],
)
def test_a_foreign_key_of_the_same_name_is_passed_by(condition: str, is_doubted: bool, why: str) -> None:
    sql = f"SELECT COUNT(*) FROM {condition}"
    found = RULE.find(RuleContext(sql=sql, schema=FESTIVAL, tree=tree_to_change(sql, "sqlite")))
    assert (found is not None) is is_doubted, why
