"""Texts that a query filters on, and the stored values that they mean.

A small model writes a value as the question says it: 'women' where the column holds 'Female', 'Marvel' where it holds
'Marvel Comics', in another case or number. Where the values of the column leave one that can be meant, it is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sqlglot import exp

from executors.base import Column, Schema, Table
from executors.sql.mend import tables_of
from executors.sql.tables import called, column_of, named
from executors.sql.unused_joins import drop_unused_joins

_TEXT_TYPE = re.compile(r"char|text|string|clob|enum", re.IGNORECASE)
_NESTED_TYPE = re.compile(r"^\s*(?:array|list|struct|map|row|union|tuple|variant)\b|\]\s*$", re.IGNORECASE)
_NUMBER_TYPE = re.compile(
    r"^\s*(?:(?:tiny|small|medium|big|huge|u)*int(?:eger|\d+)?\b|num|dec|real|double|float)", re.IGNORECASE
)
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_DENIALS = frozenset({"non", "not", "no", "never", "without", "except", "nicht", "kein", "keine", "ohne", "sans"})
_CODES = 12  # distinct values of a column up to which one may be an abbreviation of what is said
_SLIP = 90.0  # percent of likeness from which a longer word is misspelt
_LEAST_MISSPELT = 5  # letters

# What goes by several words in any data. Each line is one meaning; none of its words means anything else in it.
_SAME = (
    "female f woman women girl girls lady ladies",
    "male m man men boy boys gentleman gentlemen",
    "yes y true t 1",
    "no n false f 0",
    "usa us america",
    "uk gb",
    "complete completed done finished closed",
    "cancelled canceled cancel",
    "success successful succeeded ok",
    "failure failed fail error",
    "active enabled",
    "inactive disabled",
)
_MEANINGS = tuple(frozenset(line.split()) for line in _SAME)


class TextFilter(NamedTuple):
    """A text that a column is compared with: the real table and column, and the literal's node in the tree."""

    table: Table
    column: Column
    literal: exp.Literal

    @property
    def value(self) -> str:
        return str(self.literal.this)

    @property
    def key(self) -> tuple[str, str, str]:
        """Table, column and text: the same text of the same column is looked up once."""
        return self.table.name, self.column.name, self.value


def text_filters(tree: exp.Query, schema: Schema) -> list[TextFilter]:
    """Each text that a column of one real table must equal, `IN (...)` included; what is negated is left out.

    Of a column of numbers those that are none: SQLite and MySQL compare the two without a word.
    """
    found: list[TextFilter] = []
    for node in tree.find_all(exp.EQ, exp.In):
        column, literals = _sides(node)
        if column is None or isinstance(node.find_ancestor(exp.Not, exp.Select), exp.Not):
            continue
        owner = owner_of(column, schema)
        if owner is None or owner[1].private:  # the nearest values would show it
            continue
        if is_text(owner[1]):
            found += [TextFilter(*owner, literal) for literal in literals]
        elif _NUMBER_TYPE.search(owner[1].type):
            found += [TextFilter(*owner, it) for it in literals if not _NUMBER.fullmatch(str(it.this))]
    return found


def replace_values(tree: exp.Query, schema: Schema, meant: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Put stored values in the place of texts, in the tree; what was changed, one sentence part each.

    Args:
        tree: that is changed.
        meant: by `TextFilter.key`, the stored value.
    """
    changes: list[str] = []
    for found in text_filters(tree, schema):
        value = meant.get(found.key)
        if value is not None and value != found.value:
            found.literal.replace(exp.Literal.string(value))
            changes.append(f"{found.column.name}: {found.value!r} -> {value!r}")
    return list(dict.fromkeys(changes))


def move_filters(
    tree: exp.Query,
    schema: Schema,
    places: Mapping[tuple[str, str, str], tuple[str, str, str]],
    spoken: AbstractSet[str] = frozenset(),
) -> list[str]:
    """Ask another column for a text, in the tree, where that is the one that holds it; what was changed.

    A SELECT that reads one wrong table reads the right one instead, where that has all that it names, the question is
    not about the other, and no key of it was compared. Else a table that is not read is named all the same: see
    `executors.sql.rejoin` for the join.

    Args:
        tree: that is changed.
        places: by `TextFilter.key`, the table, column and stored value.
        spoken: tables that stay joined; see `drop_unused_joins`.
    """
    changes: list[str] = []
    filters = text_filters(tree, schema)
    moving = [found.literal.parent for found in filters if found.key in places]
    for found in filters:
        node = found.literal.parent
        if found.key not in places or not isinstance(node, exp.EQ):
            continue
        name, column, value = places[found.key]
        table, select = schema.table(name), node.find_ancestor(exp.Select)
        if table is None or select is None:
            continue
        instead = is_text(found.column) and found.table.parts[-1].lower() not in spoken
        if instead and _read_instead(select, found.table, table, schema, moving):
            changes.append(f"{table.name} in the place of {found.table.name}")
        aliases = [alias for alias, read in tables_of(select, schema).items() if read is table]
        old, new = node.sql(), column_of(aliases[0] if aliases else table.parts[-1], column, schema)
        before = _sides(node)[0]
        node.replace(exp.EQ(this=new, expression=exp.Literal.string(value)))
        changes.append(f"{old} -> {new.sql()} = {value!r}")
        changes += drop_unused_joins(select, before.table, spoken) if before is not None and before.table else []
    return changes


def _read_instead(
    select: exp.Select, wrong: Table, right: Table, schema: Schema, moving: Sequence[exp.Expr | None]
) -> bool:
    """Have a SELECT read another table, where it reads one alone and the other has every further column of it."""
    columns = [it for it in select.find_all(exp.Column) if it.find_ancestor(exp.Select) is select]
    others = [it for it in columns if not any(it.parent is node for node in moving)]
    source = select.args["from_"].this if select.args.get("from_") else None
    if list(tables_of(select, schema).values()) != [wrong] or not isinstance(source, exp.Table):
        return False
    if not all(right.column(it.name) for it in others) or not others:
        return False
    alias = source.alias or None
    source.replace(named(right, schema, alias))
    for column in columns:
        if column.table and not alias:
            column.set("table", called(right.parts[-1], schema))
    return True


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for case, accents, punctuation and plurals."""
    return [_singular(word) for word in _words(one)] == [_singular(word) for word in _words(other)] != []


def meant_value(said: str, stored: Sequence[str]) -> str | None:
    """The one stored value that a text means; None where there is none, or several can be meant.

    Tried in this order, and only where exactly one value fits: the same words but for case, accents and punctuation;
    the same but for plurals; words that mean the same anywhere (`women`, 'F'); an abbreviation, where the column holds
    few values; some of the words of a longer value, or a value within what is said; a slip of spelling.

    Args:
        said: the literal.
        stored: the column's distinct values, all of them.
    """
    own = _words(said)
    words = {value: theirs for value in stored if _denies(theirs := _words(value)) == _denies(own)}
    if not own:
        return None
    stems = [_singular(word) for word in own]
    ways = (
        [value for value, theirs in words.items() if theirs == own],
        [value for value, theirs in words.items() if "".join(theirs) == "".join(own)],
        [value for value, theirs in words.items() if [_singular(word) for word in theirs] == stems],
        [value for value, theirs in words.items() if _mean_the_same(own, theirs, len(stored))],
        [value for value, theirs in words.items() if _abbreviates(own, theirs, len(stored))],
        [value for value, theirs in words.items() if _is_part(own, theirs)],
        _misspelt(own, words),
    )
    first = next((found for found in ways if found), [])
    return first[0] if len(first) == 1 else None


def _denies(words: Sequence[str]) -> bool:
    """Whether words say what something is not: 'Non-human' is no 'Human'."""
    return len(words) > 1 and not _DENIALS.isdisjoint(words)


def is_text(column: Column) -> bool:
    """Whether a column holds texts, and not lists or records of them."""
    return bool(_TEXT_TYPE.search(column.type)) and not _NESTED_TYPE.search(column.type)


def owner_of(column: exp.Column, schema: Schema) -> tuple[Table, Column] | None:
    """The real table that a column is of, looked for in its own SELECT first; None where that is not certain."""
    select = column.find_ancestor(exp.Select)
    if column.args.get("db"):
        return None
    while select is not None:
        tables = tables_of(select, schema)
        by_alias = {alias.lower(): table for alias, table in tables.items()}
        if column.table and column.table.lower() not in by_alias:
            select = select.find_ancestor(exp.Select)
            continue
        read = [by_alias[column.table.lower()]] if column.table else list(tables.values())
        owners = [(table, c) for table in read if table is not None and (c := table.column(column.name)) is not None]
        return owners[0] if len(owners) == 1 and None not in read else None
    return None


def _sides(node: exp.Expr) -> tuple[exp.Column | None, list[exp.Literal]]:
    if isinstance(node, exp.In):
        column, others = node.this, node.expressions
    elif isinstance(node.this, exp.Column):
        column, others = node.this, [node.expression]
    else:
        column, others = node.expression, [node.this]
    if not isinstance(column, exp.Column):
        return None, []
    return column, [other for other in others if isinstance(other, exp.Literal) and other.is_string]


def _words(text: str) -> list[str]:
    """In small letters, without accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() or text
    return _WORD.findall(plain.casefold().replace("'", ""))


def _singular(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1 and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word


def _mean_the_same(own: Sequence[str], theirs: Sequence[str], distinct: int) -> bool:
    """One word each, of one meaning; letters and digits mean something only where a column holds a few codes."""
    if len(own) != 1 or len(theirs) != 1 or (min(len(own[0]), len(theirs[0])) == 1 and distinct > _CODES):
        return False
    return any(own[0] in meaning and theirs[0] in meaning for meaning in _MEANINGS)


def _abbreviates(own: Sequence[str], theirs: Sequence[str], distinct: int) -> bool:
    """`New York` and 'NY', `Friday` and 'Fri', `Completed` and 'C'; the other way round as well."""
    if distinct > _CODES and min(len("".join(own)), len("".join(theirs))) == 1:
        return False
    for long, short in ((own, theirs), (theirs, own)):
        if len(short) != 1 or short == long:
            continue
        letters = "".join(word[0] for word in long)
        if len(long) > 1 and short[0] == letters:
            return True
        if len(long) == 1 and distinct <= _CODES and long[0].startswith(short[0]):
            return True
    return False


def _is_part(own: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one is among the words of the other, in their order: 'Marvel' of 'Marvel Comics'."""
    long, short = (own, theirs) if len(own) > len(theirs) else (theirs, own)
    if len(long) == len(short) or len("".join(short)) < 3:
        return False
    stems, wanted = [_singular(word) for word in long], [_singular(word) for word in short]
    return any(stems[at : at + len(wanted)] == wanted for at in range(len(stems) - len(wanted) + 1))


def _misspelt(own: Sequence[str], words: Mapping[str, Sequence[str]]) -> list[str]:
    from rapidfuzz import fuzz

    said = " ".join(own)
    if len(said) < _LEAST_MISSPELT or any(char.isdigit() for char in said):
        return []
    return [value for value, theirs in words.items() if fuzz.ratio(said, " ".join(theirs)) >= _SLIP]
