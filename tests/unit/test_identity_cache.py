"""Values derived from a schema are computed once and kept for the latest schemas only."""

from __future__ import annotations

import gc
import itertools
import weakref

from rag.identity_cache import IdentityCache


class Thing:
    """Equal to all of its kind."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing)

    __hash__ = None  # type: ignore[assignment]


def test_the_same_objects_are_asked_about_once_and_equal_ones_anew() -> None:
    count = itertools.count(1)

    def make(_: Thing, __: Thing) -> int:
        return next(count)

    remembered = IdentityCache(make)
    one, other = Thing(), Thing()
    assert [remembered(one, other), remembered(one, other), remembered(other, one)] == [1, 1, 2]


def test_a_list_may_have_been_changed_and_is_never_remembered() -> None:
    remembered = IdentityCache(len)
    things = [1]
    assert remembered(things) == 1
    things.append(2)
    assert remembered(things) == 2


def test_only_the_latest_are_kept_and_others_are_let_go() -> None:
    remembered = IdentityCache(id, most=2)
    things = [Thing() for _ in range(5)]
    for thing in things:
        remembered(thing)
    watched = [weakref.ref(thing) for thing in things]
    del things, thing
    gc.collect()
    assert [ref() is None for ref in watched] == [True, True, True, False, False]
