"""Quotes names that need quotes in a query: names with blanks, signs, a leading digit or capitals, and reserved words.
Gives names their umlauts and accents back, or takes them away, as the schema spells them: `gebaeude_nr`, `gebäude_nr`.

Without quotes, the query does not parse (`SUM(Brutto Betrag)`), or parses as something else (`SELECT Brutto Betrag`, a
column and its alias). So this module changes the text, outside of strings, comments and quoted names.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cache

from executors.base import Schema
from executors.dialects.row import RESERVED
from executors.dialects.table import DIALECTS
from executors.sql.grammar import plain
from executors.sql.tree import tree_to_change

_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae"})
_WORD = re.compile(r"(?<![$@:])\b[^\W\d]\w*\b(?!\s*\()")  # that calls no function
_NAME = re.compile(r"(?P<given>\bAS\s+|\)\s*(?:AS\s+)?)?\b(?P<name>[^\W\d]\w*)\b(?P<of>\s*\.)?", re.IGNORECASE)
# A title that lacks its quotes: `COUNT(*) AS Number of Plots,`.
_TITLE = re.compile(
    r"\bAS\s+(?P<name>[^\W\d]\w*(?:[ ]+(?!(?:from|where|join|on|order|group|left|inner|limit|as)\b)\w+)+)"
    r"(?=\s*,|\s+FROM\b)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\W_]+")
_BRACKETS = frozenset({"tsql", "sqlite"})  # sqlglot's names; in other dialects, brackets enclose lists
_CLOSED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/"
# The text that may precede, and follow, a reserved word that is a name.
_BEFORE = (
    r"(?:(?<=[.,(=<>+*/-])|(?<=\bfrom)|(?<=\bjoin)|(?<=\bselect)|(?<=\bdistinct)|(?<=\bby)|(?<=\bwhere)|(?<=\band)"
    r"|(?<=\bor)|(?<=\bon)|(?<=\bhaving))(?P<gap>\s*)"
)
_AFTER = r"(?=\s*(?:[.,)=<>!+*/;-]|$)|\s+(?!by\b)\w)"


def quote_names(sql: str, schema: Schema) -> str | None:
    """A query with the names of its schema spelled as there, and in quotes wherever the dialect requires them. None if
    that repairs nothing.
    Args: sql: a query that cannot be parsed, or that uses names that do not exist."""
    dialect = DIALECTS[schema.dialect]
    names = [*(part for table in schema.tables for part in table.parts)]
    names += [column.name for table in schema.tables for column in table.columns]
    brackets = dialect.sqlglot in _BRACKETS
    unquoted = _match_closed(brackets).sub("''", sql)
    given, titles = _list_aliases(unquoted, schema), {it["name"] for it in _TITLE.finditer(unquoted)}
    wanting = sorted({it for it in (*names, *titles) if dialect.quote_name(it) != it}, key=lambda it: (-len(it), it))
    odd = [it for it in wanting if not dialect.is_reserved(it)]
    reserved = [it for it in wanting if dialect.is_reserved(it)]
    kept = _keywords(dialect.sqlglot) | RESERVED | dialect.reserved | given
    stay = given | {it.lower() for it in names} - {it.lower() for it in odd}
    accented = _outside(sql, lambda text: _with_accents(text, names, kept, dialect.quote_name), brackets=brackets)
    for spelled in dict.fromkeys((accented, sql)):
        repaired = _outside(spelled, lambda it: _with_quotes(it, odd, stay, dialect.quote_name), brackets=brackets)
        if repaired != sql and tree_to_change(repaired, dialect.sqlglot) is not None:
            return repaired
        repaired = _outside(repaired, lambda it: _quote_reserved(it, reserved, dialect.quote_name), brackets=brackets)
        if repaired != sql and tree_to_change(repaired, dialect.sqlglot) is not None:
            return repaired
    return None


def plain_letters(name: str) -> frozenset[str]:
    """A name in small letters without umlauts and accents, as German writes them and as others do: `strasse`."""
    small = unicodedata.normalize("NFC", name).lower()
    if small.isascii():
        return frozenset({small})
    marked = unicodedata.normalize("NFD", small.replace("ß", "ss"))
    return frozenset({small.translate(_DIGRAPHS), "".join(it for it in marked if not unicodedata.combining(it))})


@cache
def _keywords(dialect: str) -> frozenset[str]:
    """The words of a dialect and its types, in lower case. Args: dialect: sqlglot's name of it."""
    return frozenset(word for it in plain(dialect).tokenizer_class.KEYWORDS for word in it.lower().split())


def _list_aliases(text: str, schema: Schema) -> set[str]:
    """The names that a query gives, in lower case. What is read before it is given (`SUM(umsatz) AS umsatz`) is a
    column, and what a table is called is a table."""
    tables = {it for table in schema.tables for part in table.parts for it in plain_letters(part)}
    found, read = set[str](), set[str]()
    for match in _NAME.finditer(text):
        name = match["name"].lower()
        if match["given"] is not None and name not in read:
            found.add(name)
        elif match["of"] is not None:
            found |= {name} if tables.isdisjoint(plain_letters(name)) else set()
        elif match["given"] is None:
            read.add(name)
    return found


def _with_accents(text: str, names: Iterable[str], kept: Set[str], quoted: Callable[[str], str]) -> str:
    """The text with names as the schema spells them, if it spells one alone so. Args: kept: words that stay."""
    known = {it.lower() for it in names}
    spelled: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for letters in plain_letters(name):
            spelled[letters].add(name)

    def put(match: re.Match[str]) -> str:
        found = set[str]().union(*(spelled.get(it, ()) for it in plain_letters(match[0])))
        stays = known if text[match.start() - 1 : match.start()] == "." else known | kept  # behind a dot is a column
        return quoted(found.pop()) if len(found) == 1 and match[0].lower() not in stays else match[0]

    return _WORD.sub(put, text)


def _outside(sql: str, change: Callable[[str], str], *, brackets: bool) -> str:
    """Apply a change to the parts of a query that are not strings, comments or quoted names."""
    parts: list[str] = []
    end = 0
    for match in _match_closed(brackets).finditer(sql):
        parts += [change(sql[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(sql[end:])])


def _match_closed(brackets: bool) -> re.Pattern[str]:
    return re.compile(_CLOSED + (r"|\[[^\]]*\]" if brackets else ""), re.DOTALL)


def _with_quotes(text: str, names: Sequence[str], stay: Set[str], quoted: Callable[[str], str]) -> str:
    """The text with names in quotes. Args: names: the longest first. stay: words in lower case that are other names.

    A name in the same case is preferred to others, and one with the same signs to those that only share its letters.
    """
    if not names:
        return text
    exact, spelled = set(names), defaultdict[str, list[str]](list)
    for name in names:
        for key in dict.fromkeys((_fold(name), _letters(name))):
            spelled[key].append(name)
    found = re.compile(
        r"(?<![\w.$])(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])"
        r"|(?<=\w\.)(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])",
        re.IGNORECASE,
    )

    def put(match: re.Match[str]) -> str:
        written = " ".join(match[0].split())
        if written in exact:
            return quoted(written)
        if text[match.start() - 1 : match.start()] != "." and match[0].lower() in stay:
            return match[0]
        same = spelled.get(_fold(written)) or spelled[_letters(written)]
        return quoted(same[0]) if len({_fold(it) for it in same}) == 1 else match[0]

    return found.sub(put, text)


def _quote_reserved(text: str, names: Iterable[str], quoted: Callable[[str], str]) -> str:
    """The text with reserved words in quotes if a name is expected there, and neither a clause nor a call begins."""
    for name in names:
        due = re.compile(rf"{_BEFORE}(?<![\w$]){re.escape(name)}(?![\w$]){_AFTER}", re.IGNORECASE)
        text = due.sub(lambda match, name=name: f"{match['gap']}{quoted(name)}", text)  # type: ignore[misc]
    return text


def _pattern(name: str) -> str:
    """What stands for a name: its words behind blanks or underscores, and its letters alone, as an identifier."""
    parts = [re.escape(part) for part in name.split(" ") if part]
    letters = "_".join(_SIGNS.sub(" ", name).split())
    return "|".join(dict.fromkeys((r"[\s_]+".join(parts) or re.escape(name), *([letters] if " " in name else []))))


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _letters(text: str) -> str:
    """A name in small letters without signs: `size_sq_m`, `Size (sq m)`."""
    return " ".join(_SIGNS.sub(" ", text).split()).casefold()
