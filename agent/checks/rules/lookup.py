"""Looks up the texts that a query filters on in their columns, and similar stored values if they are missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from agent.core.models import Check
from agent.core.resilience.off_loop import off_loop
from executors.base import Column, Frozen, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError
from rag.linking.countries import find_same_country
from rag.words import split_name, telling_words, tokens

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.databases.database import Database
    from executors.sql.literals import TextFilter

NAME = "filter_values"
MAX_LITERALS = 5
MAX_NEAREST = 3
MAX_OTHERS = 4
VALUES_READ = 2000
MAX_VARIANTS = 8
_SLOW = {ErrorKind.TIMEOUT, ErrorKind.RESOURCE}
ROWS_READ = 100_000  # for variants: a large table is not read whole at each question
_BEGINNING, _MOST_DIFFERENT = 3, 1 / 3  # bytes, as two signs of Chinese are a word; share of letters

_BETWEEN_WORDS = re.compile(r"\w+")

Key = tuple[str, str, str]


class LookedUp(Frozen):
    """What a lookup of a query's texts found, by table, column and text.

    missing: the stored values nearest to each text that is not stored, best first.
    same: the one stored value that differs from it only in case, accents and punctuation, is its singular or plural, or
        names the same country.
    elsewhere: the one other column of the table that stores it.
    variants: all stored values that are the same but for case and outer spaces, where there are several.
    spellings: pairs of such values in a column whose different values are counted, or are groups that a LIMIT cuts off.
    """

    check: Check
    missing: dict[Key, tuple[str, ...]] = {}
    same: dict[Key, str] = {}
    elsewhere: dict[Key, str] = {}
    variants: dict[Key, tuple[str, ...]] = {}
    spellings: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}


async def look_up(tree: exp.Query, schema: Schema, database: Database) -> LookedUp:
    """Check that each text that the query filters on is stored in its column; if not, find the nearest stored values.

    Looks up at most five texts, each from `column = 'text'` or `column IN ('text', ...)` on a real table. The lookups
    are bounded and pass through the guard. After one that fails, no further text is looked up.
    """
    from executors.sql.literals import text_filters

    filters = list({it.key: it for it in await off_loop(partial(text_filters, tree, schema))}.values())
    apart = await _find_spellings(tree, schema, database)
    if not filters:
        return LookedUp(check=Check(name=NAME, passed=True, detail="No text is filtered on."), spellings=apart)
    problems, unmade, missing = list[str](), "", dict[Key, tuple[str, ...]]()
    same, elsewhere, variants = dict[Key, str](), dict[Key, str](), dict[Key, tuple[str, ...]]()
    for found in filters[:MAX_LITERALS]:
        try:
            stored = await are_stored(found.table, found.column, [found.value], schema, database)
            spellings = set(await _find_variants(found, schema, database))
            if stored and not (spellings and DIALECTS[schema.dialect].ignores_case):  # there, one of them equals it
                spellings.add(found.value)
            if len(spellings) > 1:
                variants[found.key] = tuple(sorted(spellings))
            if stored:
                continue
            missing[found.key], alike = await _find_nearest(found, schema, database)
            others = await _columns_with(found, schema, database)
        except (SqlError, DatabaseUnavailable) as error:  # a slow lookup is not followed by four more
            unmade = f"{found.table.name}.{found.column.name} could not be searched for {found.value!r}: {error}"
            missing.pop(found.key, None)
            break
        same |= {found.key: alike} if alike is not None else {}
        elsewhere |= {found.key: others[0]} if len(others) == 1 else {}
        nearest = ", ".join(map(repr, missing[found.key]))
        stores = f" It is stored in {', '.join(others)}." if others else ""
        nearest = f"; nearest stored: {nearest}" if nearest else ""
        problems.append(f"{found.table.name}.{found.column.name} holds no {found.value!r}{nearest}.{stores}")
    detail = " ".join(problems) or unmade or "Every text that is filtered on is stored in its column."
    check = Check(name=NAME, passed=False if problems else None if unmade else True, detail=detail)
    return LookedUp(check=check, missing=missing, same=same, elsewhere=elsewhere, variants=variants, spellings=apart)


async def _find_variants(found: TextFilter, schema: Schema, database: Database) -> tuple[str, ...]:
    """The stored values that differ from a text only in case or outer spaces, among the first rows.

    None for keys and views, if the values are no forms of one word (`mW` and `MW` are not the same), if there are too
    many, or if the database cannot compare them. Of values that it takes for the same, it gives one. Raises SqlError:
    it took too long.
    """
    from sqlglot import exp

    from executors.sql.literals import are_one_word

    if not _holds_words(found.table, found.column):
        return ()
    column = exp.column(found.column.name, quoted=True)
    rows = _first_rows(found.table, column)
    folded, said = (exp.Lower(this=exp.Trim(this=it)) for it in (column.copy(), exp.Literal.string(found.value)))
    query = exp.select(column.copy()).distinct().from_(rows).where(folded.eq(said))
    sql = query.sql(dialect=DIALECTS[schema.dialect].sqlglot)
    try:
        stored = await database.run(await database.check(sql, MAX_VARIANTS))
    except SqlError as error:
        if error.kind in _SLOW:
            raise
        return ()
    values = [str(row[0]) for row in stored.rows]
    return tuple(values) if not stored.truncated and are_one_word(values) else ()


async def _find_spellings(
    tree: exp.Query, schema: Schema, database: Database
) -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    """See `LookedUp`. None of a column whose values are kept apart by their case, as ids and units are."""
    from sqlglot import exp

    from agent.checks.rules.reading import columns_apart
    from executors.sql.literals import are_one_word, owner_of

    found: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
    owners = (owner_of(it, schema) for it in columns_apart(tree))
    for table, column in dict.fromkeys(it for it in owners if it is not None and _holds_words(*it)):
        name = exp.column(column.name, quoted=True)
        each = exp.select(exp.alias_(name, "spelled")).distinct().from_(_first_rows(table, name))
        groups = exp.select("MIN(spelled)", "MAX(spelled)").from_(each.subquery("each_value"))
        sql = groups.group_by("LOWER(TRIM(spelled))").having("COUNT(*) > 1").sql(DIALECTS[schema.dialect].sqlglot)
        try:
            stored = await database.run(await database.check(sql, VALUES_READ))
        except (SqlError, DatabaseUnavailable):
            break
        pairs = tuple((str(row[0]), str(row[1])) for row in stored.rows)
        if pairs and not stored.truncated and all(map(are_one_word, pairs)):
            found[table.name, column.name] = pairs
    return found


def _holds_words(table: Table, column: Column) -> bool:
    """Whether a column may hold words, whose case does not matter: it is no key, and of no view."""
    from executors.sql.literals import is_text

    keys = {*table.primary_key, *(it for key in table.foreign_keys for it in key.columns)}
    return is_text(column) and not column.private and column.name not in keys and not table.is_view


def _first_rows(table: Table, column: exp.Column) -> exp.Subquery:
    from sqlglot import exp

    return exp.select(column.copy()).from_(_source_of(table)).limit(ROWS_READ).subquery("first_rows")


async def _find_nearest(found: TextFilter, schema: Schema, database: Database) -> tuple[tuple[str, ...], str | None]:
    """The stored values nearest to a text, and the one that differs from it only in form, is its singular or plural, or
    names the same country."""
    from rapidfuzz import fuzz, process, utils

    from executors.sql.literals import same_text

    sql = _values_of(found.table, found.column).sql(dialect=DIALECTS[schema.dialect].sqlglot)
    some = await database.run(await database.check(sql, VALUES_READ))
    texts = [row[0] for row in some.rows if isinstance(row[0], str)]
    alike = [text for text in texts if same_text(text, found.value)]
    alike = alike or find_same_country(found.value, split_name(found.column.name).split(), texts)
    alike = alike or [text for text in texts if _is_other_number(text, found.value)]
    if len(alike) == 1 and not some.truncated:
        return (alike[0],), alike[0]
    near = process.extract(found.value, texts, scorer=fuzz.WRatio, processor=utils.default_process, limit=MAX_NEAREST)
    return tuple(text for text, score, _ in near if score >= 60 and _is_near(text, found.value)), None


def _is_other_number(stored: str, said: str) -> bool:
    """Whether one is the plural of the other: words in small letters may differ in it, and names may not (Williams)."""
    pairs = list(zip(tokens(stored), tokens(said), strict=False))
    alike = _BETWEEN_WORDS.split(stored), _BETWEEN_WORDS.split(said)
    are_forms = all(a.text == b.text or (a.singular == b.singular and (a.text + b.text).islower()) for a, b in pairs)
    return bool(pairs) and alike[0] == alike[1] and are_forms


def _is_near(stored: str, said: str) -> bool:
    """Whether one word of each is much the same: by its letters, a long text resembles anything.

    The longer word begins with the other one, or at most a third of its letters differ.
    """
    from rapidfuzz.distance import Levenshtein

    def is_alike(one: str, other: str) -> bool:
        short, long = sorted((one, other), key=len)
        is_longer_form = len(short.encode()) >= _BEGINNING and long.startswith(short)
        return is_longer_form or Levenshtein.normalized_distance(one, other) <= _MOST_DIFFERENT

    own, others = ({text.casefold(), *telling_words(text)} for text in (stored, said))
    return any(is_alike(one, other) for one in own for other in others)


async def _columns_with(found: TextFilter, schema: Schema, database: Database) -> tuple[str, ...]:
    """The other columns of the table that store exactly this text, among the first few text columns."""
    from executors.sql.literals import is_text

    others = [it for it in found.table.columns if is_text(it) and not it.private and it.name != found.column.name]
    stores = [it for it in others[:MAX_OTHERS] if await are_stored(found.table, it, [found.value], schema, database)]
    return tuple(it.name for it in stores)


async def are_stored(
    table: Table,
    column: Column,
    values: Sequence[str],
    schema: Schema,
    database: Database,
    *,
    timeout_s: float | None = None,
) -> bool:
    """Whether a column has one of some texts, as the database compares texts. Raises SqlError, DatabaseUnavailable."""
    query = _values_of(table, column)
    name = query.selects[0]
    condition = name.eq(values[0]) if len(values) == 1 else name.isin(*values)
    sql = query.where(condition).sql(dialect=DIALECTS[schema.dialect].sqlglot)
    return bool((await database.run(await database.check(sql, 1), timeout_s=timeout_s)).rows)


def _values_of(table: Table, column: Column) -> exp.Select:
    from sqlglot import exp

    return exp.select(exp.column(column.name, quoted=True)).distinct().from_(_source_of(table))


def _source_of(table: Table) -> exp.Table:
    from sqlglot import exp

    return exp.table_(table.parts[-1], db=table.namespace or None, quoted=True)
