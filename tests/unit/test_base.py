"""Shared models are immutable, and a changed copy does not affect the original."""

from __future__ import annotations

from executors.base import Column, Schema, Table


def test_a_copy_with_other_tables_finds_them_by_name() -> None:
    old = Table(name="people", columns=(Column(name="name", type="TEXT"),))
    new = old.model_copy(update={"columns": (Column(name="name", type="TEXT", private=True),)})
    schema = Schema(database="d", dialect="sqlite", tables=(old,))
    assert schema.table("people") is old  # looked up, and remembered

    copied = schema.model_copy(update={"tables": (new,)})

    assert copied.table("people") is new
    assert copied.tables_named("people") == (new,)
    assert schema.table("people") is old
