"""Ambiguous names: parts of several stored values, similar spellings, or values in columns of different meaning."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from agent.core.models import Choice, Clarification
from agent.understanding.clarification.inquiry import Inquiry, Place, ask, find_place, own_words, words_of_names
from agent.understanding.clarification.lookups import Lookups
from agent.understanding.suggest import list_keys
from rag.linking.values import LinkedValue, find_quoted
from rag.words import is_silent, telling_words, tokens, words

MOST_SHOWN = 5
_READ = 60  # values read that contain the text; only some contain it as whole words
_TIE = 0.01  # difference of scores that count as equal
_LEAST_CHARS = 3
# After these words, all rows with a name are meant, or the name is a pattern.
_MEANS_ALL = re.compile(
    r"\b(?:all|every|each|any|both|named|called|name|names|surnamed|contain\w*|includ\w*|like|start\w*|begin\w*|end\w*"
    r"|with|whose|letters?|word|words|string|substring|alle|jede\w*|tous|toutes|chaque|todos|todas|cada)\s+"
    r"(?:the\s+|an?\s+|of\s+|is\s+|with\s+|in\s+|by\s+|all\s+)*[\"'“‘„«]?$",
    re.IGNORECASE,
)
_GIVEN = words("first given fore forename firstname givenname")
_FAMILY = words("last family sur surname lastname familyname")
# Columns that differ by a direction, which a preposition expresses.
_DIRECTED = words("from to source destination dest origin departure arrival home away sender receiver start end")


async def ambiguous_name(inquiry: Inquiry, lookups: Lookups) -> Clarification | None:
    """Ask about the first name of the question that has several readings. The choices are the readings."""
    by_mention: dict[str, list[LinkedValue]] = defaultdict(list)
    for value in inquiry.context.linked.values:
        if value.how not in {"date", "meaning"}:
            by_mention[value.mention.casefold()].append(value)
    sure = {mention for mention, values in by_mention.items() if any(it.is_sure for it in values)}
    for mention, values in by_mention.items():
        is_part = any(mention != other and mention in other for other in sure)
        if _is_one_name(inquiry, values[0].mention) and not is_part:
            places = _places(inquiry, [it for it in values if it.is_sure == (mention in sure)])
            if mention in sure:
                found = await _several_columns(inquiry, values, places, lookups)
                found = found or await _several_people(inquiry, values, lookups)
            else:
                found = await _several_values(inquiry, values, lookups)
            if found is not None:
                return found
    return None


def _is_one_name(inquiry: Inquiry, mention: str) -> bool:
    """Whether the words name one thing, and are neither words of the schema nor a pattern."""
    parts = tokens(mention)
    at = inquiry.text.find(mention)
    if at < 0 or len(mention) < _LEAST_CHARS or not any(map(str.isalpha, mention)):
        return False
    in_quotes = mention in find_quoted(inquiry.text)
    leads = inquiry.text[:at].strip() == "" and len(parts) == 1
    capitals = all(it.text[:1].isupper() or not it.text.isalpha() or is_silent(it) for it in parts)
    is_name = in_quotes or (capitals and not leads)
    plain = words(mention) <= words_of_names(inquiry.schema)
    return is_name and not plain and not _MEANS_ALL.search(inquiry.text[:at]) and not _is_plural(inquiry, mention, at)


def _is_plural(inquiry: Inquiry, mention: str, at: int) -> bool:
    """ "The Smiths", and "products ... House Blend": the name means all of them."""
    following = inquiry.text[at + len(mention) :]
    if re.match(r"s\b", following) or re.match(r"['’]s?\s+and\b", following):
        return True
    last = mention.split()[-1].casefold()
    values = [it.value.casefold() for it in inquiry.context.linked.values if it.mention == mention]
    return last.endswith("s") and not any(last in value for value in values)


def _places(inquiry: Inquiry, values: Sequence[LinkedValue]) -> list[Place]:
    found: dict[str, Place] = {}
    for value in values:
        place = find_place(inquiry.schema, value.table, value.column)
        if place is not None and not place.column.private:
            found[place.name] = place
    return list(found.values())


async def _several_columns(
    inquiry: Inquiry, values: Sequence[LinkedValue], places: list[Place], lookups: Lookups
) -> Clarification | None:
    """Ask about one value in columns of different meaning, if the question names neither them nor a table."""
    mention = values[0].mention
    if len(places) < 2 or any(it.table.is_view or _is_key(it) or words(it.column.name) & _DIRECTED for it in places):
        return None
    if any(
        own_words(it.table) <= inquiry.stems
        or inquiry.says(it.column)
        or it.name.lower() in inquiry.text.lower()
        or (it.table.name, it.column.name) in inquiry.mentioned_names
        for it in places
    ):
        return None
    if not telling_words(inquiry.text) <= words(mention):  # "How many are from Lyon?" has nothing to guess a table from
        in_play = {table.name for table in inquiry.in_play}
        inside = [it for it in places if it.table.name in in_play]
        if len(inside) == 1 or (not inside and not all(_joins(inquiry, it, in_play) for it in places)):
            return None
    stored = {it.value for it in values}
    places = [it for it in places if stored.intersection(await lookups.distinct(it, _READ, mention))]
    if len(places) < 2:
        return None  # not all rows are visible: some of the values may be absent
    choices = [
        Choice(
            label=f"{it.table.name} {it.column.name}".replace("_", " "),
            question=_instead(inquiry, mention, f"{mention} ({it.name})"),
        )
        for it in places
    ]
    text = inquiry.frames.several_columns.format(mention=mention)
    return ask("several_columns", text, choices, inquiry.frames.assumed.format(mention=mention, meant=places[0].name))


def _is_key(place: Place) -> bool:
    return place.column.name in list_keys(place.table)


def _joins(inquiry: Inquiry, place: Place, others: set[str]) -> bool:
    """Whether a foreign key leads from one of these tables to the place's table."""
    refers = {key.table for name in others if (table := inquiry.schema.table(name)) for key in table.foreign_keys}
    return place.table.name in refers


async def _several_values(inquiry: Inquiry, values: list[LinkedValue], lookups: Lookups) -> Clarification | None:
    """Ask about a name that is no stored value but a part of several values, or spelled like several."""
    best = max(it.score for it in values)
    near = [it for it in values if it.score >= best - _TIE and it.how == "near"]
    places = _places(inquiry, near)
    if len(places) != 1 or len({it.value for it in near}) < 2 or _is_key(places[0]):
        return None
    mention, place = near[0].mention, places[0]
    if inquiry.says(place.column) and words(place.column.name) != {"name"}:
        return None
    if _names_several(inquiry, place):
        return None  # "products ... House Blend" means all of them
    inside = f" {_spell(mention)} "
    stored = [it for it in await lookups.distinct(place, _READ, mention) if inside in f" {_spell(it)} "]
    if not stored:  # no value contains it: take those with a similar spelling that the caller may see
        offered = {it.value for it in near}
        stored = [it for value in sorted(offered) for it in await lookups.distinct(place, 1, value) if it in offered]
    return _offer_choices(inquiry, mention, place, stored) if len(stored) > 1 else None


async def _several_people(inquiry: Inquiry, values: list[LinkedValue], lookups: Lookups) -> Clarification | None:
    """Ask about a given or family name alone that several people share."""
    places = _places(inquiry, [it for it in values if it.is_sure])
    if len(places) != 1 or inquiry.says(places[0].column):
        return None
    place, mention = places[0], values[0].mention
    names = _full_name(place)
    linked = [it for it in inquiry.context.linked.values if it.table == place.table.name]
    others = {it.column for it in linked if it.mention != mention}
    if names is None or _names_several(inquiry, place) or others & set(names) - {place.column.name}:
        return None
    value = next(it.value for it in values if it.is_sure)
    rows = await lookups.rows_with(place.table, place.column.name, value, names, MOST_SHOWN + 1)
    people = [" ".join(row) for row in rows]
    return _offer_choices(inquiry, mention, place, people) if len(people) > 1 else None


def _full_name(place: Place) -> tuple[str, str] | None:
    """The columns of a person's given and family name, if the place is one of them."""
    given = [it.name for it in place.table.columns if words(it.name) & _GIVEN and not it.private]
    family = [it.name for it in place.table.columns if words(it.name) & _FAMILY and not it.private]
    found = (given[0], family[0]) if len(given) == 1 and len(family) == 1 else None
    return found if found is not None and place.column.name in found else None


def _offer_choices(inquiry: Inquiry, mention: str, place: Place, values: Sequence[str]) -> Clarification:
    frames = inquiry.frames
    choices = [Choice(label=it, question=_instead(inquiry, mention, it)) for it in values[:MOST_SHOWN]]
    name, rows = place.column.name.replace("_", " "), place.table.parts[-1].replace("_", " ")
    whole = frames.all_named.format(rows=rows, name=name, mention=mention)
    choices.append(Choice(label=frames.all_of, question=_instead(inquiry, mention, f"{whole} ({place.name})")))
    frame = frames.many_values if len(values) > MOST_SHOWN else frames.several_values
    text = frame.format(mention=mention, count=min(len(values), MOST_SHOWN), column=place.name)
    return ask("several_values", text, choices, frames.assumed.format(mention=mention, meant=whole))


def _names_several(inquiry: Inquiry, place: Place) -> bool:
    """Whether the question names the table's rows in the plural ("products"), so that all of them are meant."""
    last = " ".join(place.table.parts[-1].replace("_", " ").split()).casefold()
    plural = last if last.endswith("s") else f"{last}s"
    return re.search(rf"\b{re.escape(plural)}\b", inquiry.text, re.IGNORECASE) is not None


def _spell(text: str) -> str:
    return " ".join(it.folded for it in tokens(text))


def _instead(inquiry: Inquiry, mention: str, value: str) -> str:
    return inquiry.text.replace(mention, value, 1)
