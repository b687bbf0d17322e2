"""Keys among the columns that a query selects: by their names, and by what the schema says of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from executors.base import Column, Schema, Table

if TYPE_CHECKING:
    from sqlglot import exp

# How keys are called: customer_id, stuid, CustomerId. So is `paid`; whether it is a key, the schema knows.
KEY_NAME = re.compile(r"_?(?:id|key|fk)$", re.IGNORECASE)


def key_of(item: exp.Expr, schema: Schema) -> tuple[Table, Column] | None:
    """The table and the key that an item of a select list is, called so and bare; None where it is none.

    Args:
        item: an alias is looked through.
        schema: whose keys are known.
    """
    from sqlglot import exp

    from executors.sql.literals import owner_of

    column = item.unalias()
    owner = owner_of(column, schema) if isinstance(column, exp.Column) and KEY_NAME.search(column.name) else None
    if owner is None:
        return None
    table, own = owner
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return owner if own.name in keys else None
