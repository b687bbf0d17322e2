"""Instances notice changes of others when they poll, every few seconds."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from manual_clock import Clock

from agent.core.errors import StateUnavailable
from agent.databases.catalogue import LOOK_EVERY_S, PLACE, Changes, digest_of
from agent.platform.storage.sqlite import MemoryStore
from agent.platform.storage.store import Change, Place, Record
from executors.base import Column, Schema, Table

ORDERS = Table(name="orders", columns=(Column(name="order_id", type="INTEGER", samples=("1",)),), row_count=5)
SHOP = Schema(database="shop", dialect="sqlite", tables=(ORDERS,))


class CountingStore(MemoryStore):
    """Counts how often it is read, and can be away."""

    looks, away = 0, False

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        self.looks += 1
        if self.away:
            raise StateUnavailable("It cannot be read.")
        return super().records(place, prefix=prefix, start=start, limit=limit)

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        if self.away:
            raise StateUnavailable("It cannot be written.")
        return super().commit(place, changes)


class Instance(NamedTuple):
    changes: Changes
    heard: list[str]


@pytest.fixture
def store() -> CountingStore:
    return CountingStore()


@pytest.fixture
def one(store: CountingStore, clock: Clock) -> Instance:
    heard: list[str] = []
    return Instance(Changes(store, heard.append, clock=clock), heard)


@pytest.fixture
def other(store: CountingStore, clock: Clock) -> Instance:
    heard: list[str] = []
    return Instance(Changes(store, heard.append, clock=clock), heard)


async def test_a_change_is_heard_once_by_the_others_alone(one: Instance, other: Instance, clock: Clock) -> None:
    for instance in (one, other):
        await instance.changes.follow()
    await one.changes.tell("shop")
    for _ in range(3):
        clock.now += LOOK_EVERY_S
        for instance in (one, other):
            await instance.changes.follow()
    assert (one.heard, other.heard) == ([], ["shop"])


async def test_what_was_changed_before_an_instance_began_is_no_news(one: Instance, other: Instance) -> None:
    await one.changes.tell("shop")
    await other.changes.follow()
    assert other.heard == []


async def test_looks_are_few(one: Instance, store: CountingStore, clock: Clock) -> None:
    for _ in range(100):
        clock.now += LOOK_EVERY_S / 50
        await one.changes.follow()
    assert store.looks == 2


async def test_a_store_that_is_away_costs_nothing_but_the_news(
    one: Instance, other: Instance, store: CountingStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    await other.changes.follow()
    store.away = True
    with caplog.at_level(logging.WARNING):
        await one.changes.tell("shop")
        clock.now += LOOK_EVERY_S
        await other.changes.follow()
    assert "do not learn that 'shop' has changed" in caplog.text
    assert "What other instances have changed is not known" in caplog.text
    store.away = False
    await one.changes.tell("shop")
    clock.now += LOOK_EVERY_S
    await other.changes.follow()
    assert other.heard == ["shop"]


async def test_a_schema_is_told_of_where_it_is_another_one(one: Instance, store: CountingStore) -> None:
    assert await one.changes.tell_if_new("shop", SHOP)
    assert not await one.changes.tell_if_new("shop", SHOP)
    more = ORDERS.model_copy(update={"columns": (*ORDERS.columns, Column(name="status", type="TEXT"))})
    assert await one.changes.tell_if_new("shop", SHOP.model_copy(update={"tables": (more,)}))
    assert len(store.records(PLACE)) == 1


def test_rows_and_values_are_no_change_of_a_schema() -> None:
    sold = ORDERS.model_copy(update={"row_count": 6, "columns": (Column(name="order_id", type="INTEGER"),)})
    assert digest_of(SHOP) == digest_of(SHOP.model_copy(update={"tables": (sold,)}))
