"""Quotes names that need quotes in a query: names with blanks, signs, a leading digit or capitals, and reserved words.
Gives names their umlauts and accents back, or takes them away, as the schema spells them: `gebaeude_nr`, `gebäude_nr`.
Reads an identifier as the name with blanks or signs that it stands for: `Site_Code`, `Size_sq_m` of "Size (sq m)".
Quotes titles of columns: `COUNT(*) AS Number of Plots`.

Without quotes, the query does not parse (`SUM(Brutto Betrag)`), or parses as something else (`SELECT Brutto Betrag`, a
column and its alias). So this module changes the text, outside of strings, comments and quoted names.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cache, partial

from executors.base import Schema
from executors.dialects.row import RESERVED
from executors.dialects.table import DIALECTS
from executors.sql.grammar import plain
from executors.sql.tree import tree_to_change

_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae"})
_WORD = re.compile(r"(?<![$@:])\b[^\W\d]\w*\b(?!\s*\()")  # that calls no function
_NAME = re.compile(r"(?P<given>\bAS\s+|\)\s*(?:AS\s+)?)?\b(?P<name>[^\W\d]\w*)\b(?P<of>\s*\.)?", re.IGNORECASE)
# A title that lacks its quotes. None of its words may begin a clause.
_CLAUSES = """
    as case cross else end except from full group having inner intersect join left limit natural on order qualify right
    select then union using when where window
"""
_TITLE = re.compile(
    rf"\bAS\s+(?P<name>[^\W\d]\w*(?:[ ]+(?!(?:{'|'.join(_CLAUSES.split())})\b)\w+)+)(?=\s*,|\s+FROM\b)", re.IGNORECASE
)
_NESTED = re.compile(r"\bWITH\b|\b(?:FROM|JOIN)\s*\(", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
_BRACKETS = frozenset({"tsql", "sqlite"})  # sqlglot's names; in other dialects, brackets enclose lists
_TEXT, _ESCAPED_TEXT = r"'(?:[^']|'')*'", r"'(?:[^'\\]|\\.|'')*'"
_CLOSED = r"|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/"
# The text that may precede, and follow, a reserved word that is a name.
_BEFORE = (
    r"(?:(?<=[.,(=<>+*/-])|(?<=\bfrom)|(?<=\bjoin)|(?<=\bselect)|(?<=\bdistinct)|(?<=\bby)|(?<=\bwhere)|(?<=\band)"
    r"|(?<=\bor)|(?<=\bon)|(?<=\bhaving))(?P<gap>\s*)"
)
_AFTER = r"(?=\s*(?:[.,)=<>!+*/;-]|$)|\s+(?!by\b)\w)"


def quote_names(sql: str, schema: Schema) -> str | None:
    """A query with the names of its schema spelled as there, and in quotes wherever the dialect requires them. None if
    that repairs nothing.
    Args: sql: a query, for use where it cannot run as it is."""
    dialect = DIALECTS[schema.dialect]
    names = [*(part for table in schema.tables for part in table.parts)]
    names += [column.name for table in schema.tables for column in table.columns]
    wanting = sorted({it for it in names if dialect.quote_name(it) != it}, key=lambda it: (-len(it), it))
    odd = [it for it in wanting if not dialect.is_reserved(it)]
    reserved = [it for it in wanting if dialect.is_reserved(it)]
    plain_names, quoted, closed = set(names) - set(wanting), dialect.quote_name, _match_closed(dialect.sqlglot)
    unquoted = closed.sub("''", sql)
    kept = _keywords(dialect.sqlglot) | RESERVED | dialect.reserved
    given = _list_aliases(unquoted, schema)
    kept |= given
    # A query inside may give a name that is read behind a dot: `s.total_rent`.
    taken = {it.lower() for it in names} | (given if _NESTED.search(unquoted) is not None else set())
    titles = sorted({it["name"] for it in _TITLE.finditer(unquoted)}, key=lambda it: (-len(it), it))
    titled = _outside(sql, closed, _quoter(titles, frozenset(), quoted))
    quote_odd, replace_identifiers = _quoter(odd, plain_names, quoted), _replacer(odd, taken, kept, quoted)
    accented = _outside(titled, closed, lambda it: _with_accents(it, names, kept, quoted))
    for spelled in dict.fromkeys((accented, titled)):
        repaired = _outside(_outside(spelled, closed, quote_odd), closed, replace_identifiers)
        if repaired != sql and tree_to_change(repaired, dialect.sqlglot) is not None:
            return repaired
        repaired = _outside(repaired, closed, lambda it: _quote_reserved(it, reserved, quoted))
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
    parts = [part for table in schema.tables for part in table.parts]
    tables = {it for part in parts for it in (*plain_letters(part), _as_identifier(part))}
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
        stays = known if _is_behind_dot(match) else known | kept  # behind a dot is a column
        return quoted(found.pop()) if len(found) == 1 and match[0].lower() not in stays else match[0]

    return _WORD.sub(put, text)


def _outside(sql: str, closed: re.Pattern[str], change: Callable[[str], str]) -> str:
    """Apply a change to the parts of a query that are not strings, comments or quoted names."""
    parts: list[str] = []
    end = 0
    for match in closed.finditer(sql):
        parts += [change(sql[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(sql[end:])])


@cache
def _match_closed(dialect: str) -> re.Pattern[str]:
    """Strings, comments and quoted names. Args: dialect: sqlglot's name of it."""
    text = _ESCAPED_TEXT if "\\" in plain(dialect).tokenizer_class.STRING_ESCAPES else _TEXT
    return re.compile(text + _CLOSED + (r"|\[[^\]]*\]" if dialect in _BRACKETS else ""), re.DOTALL)


def _quoter(names: Sequence[str], stay: Set[str], quoted: Callable[[str], str]) -> Callable[[str], str]:
    """A function that puts names in quotes. Args: names: the longest first. stay: other names, which need no quotes.

    A name in the same case is preferred to others. Digits alone are a number, except behind a dot.
    """
    if not names:
        return str
    spelled: dict[str, str] = {}
    for name in names:
        spelled.setdefault(_fold(name), name)
    exact = set(names)
    found = re.compile(
        r"(?<![\w.$])(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])"
        r"|(?<=\w\.)(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])",
        re.IGNORECASE,
    )

    def put(match: re.Match[str]) -> str:
        written = " ".join(match[0].split())
        is_number = written.isdecimal() and not _is_behind_dot(match)
        if is_number or (written in stay and written not in exact):
            return match[0]
        return quoted(written if written in exact else spelled[_fold(match[0])])

    return partial(found.sub, put)


def _is_behind_dot(match: re.Match[str]) -> bool:
    return match.string[match.start() - 1 : match.start()] == "."


def _replacer(
    names: Iterable[str], stay: Set[str], given: Set[str], quoted: Callable[[str], str]
) -> Callable[[str], str]:
    """A function that puts names with blanks or signs in place of identifiers that stand for one of them alone.

    Args: stay: words that stay, in lower case. given: words that stay, except behind a dot.
    """
    spelled: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if "_" in (identifier := _as_identifier(name)) and not identifier[0].isdecimal():
            spelled[identifier].add(name)

    def put(match: re.Match[str]) -> str:
        word, found = match[0].lower(), spelled.get(_as_identifier(match[0]), set())
        stays = word in stay or (word in given and not _is_behind_dot(match))
        return match[0] if len(found) != 1 or stays else quoted(next(iter(found)))

    return partial(_WORD.sub, put) if spelled else str


def _as_identifier(name: str) -> str:
    """A name in small letters, with one underscore for all between its words: `size_sq_m` for "Size (sq m)"."""
    return "_".join(_SIGNS.sub(" ", name).split()).lower()


def _quote_reserved(text: str, names: Iterable[str], quoted: Callable[[str], str]) -> str:
    """The text with reserved words in quotes if a name is expected there, and neither a clause nor a call begins."""
    for name in names:
        due = re.compile(rf"{_BEFORE}(?<![\w$]){re.escape(name)}(?![\w$]){_AFTER}", re.IGNORECASE)
        text = due.sub(lambda match, name=name: f"{match['gap']}{quoted(name)}", text)  # type: ignore[misc]
    return text


def _pattern(name: str) -> str:
    return r"\s+".join(re.escape(part) for part in name.split(" ") if part) or re.escape(name)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
