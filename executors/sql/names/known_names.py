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

from sqlglot import exp
from sqlglot.errors import TokenError

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
    anti as asof case cross else end except fetch final for from full group having inner intersect into join left
    limit minus natural offset on order outer qualify right sample select semi straight_join then union using when where
    window
"""
_TITLE = re.compile(
    rf"\bAS\s+(?P<name>[^\W\d]\w*(?:[ ]+(?!(?:{'|'.join(_CLAUSES.split())})\b)\w+)+)(?=\s*,|\s+FROM\b)", re.IGNORECASE
)
_NESTED = re.compile(r"\bWITH\b|\(\s*(?:SELECT|WITH)\b", re.IGNORECASE)
_GIVEN = re.compile(r"\bAS\s+(\w+)|\)\s*(?!AS\b)(\w+)|(\w+)\s+AS\s*\(", re.IGNORECASE)
_QUALIFIER = re.compile(r"(?<![\w.:])(?:(?P<name>\w+)|[\"`\]])\.$")
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
    kept |= _list_aliases(unquoted, schema)
    taken = {it.lower() for it in names}
    if _NESTED.search(unquoted) is not None:  # a query inside may give a name that is read behind a dot: `s.total_rent`
        taken |= _list_given(unquoted)
    titles = {it["name"] for it in _TITLE.finditer(unquoted)}
    quote_odd = _quoter(sorted({*titles, *odd}, key=lambda it: (-len(it), it)), plain_names, quoted)
    only_columns = {column.name.lower() for table in schema.tables for column in table.columns}
    only_columns -= {part.lower() for table in schema.tables for part in table.parts}
    replace_identifiers = _replacer(odd, taken, kept, only_columns, quoted)
    accented = _outside(sql, closed, lambda it: _with_accents(it, names, kept, quoted))
    for spelled in dict.fromkeys((accented, sql)):
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


def _list_given(text: str) -> set[str]:
    """All names that a query may give, in lower case, whatever they are read as before."""
    return {it.lower() for match in _GIVEN.findall(text) for it in match if it}


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

    A name in the same case is preferred to others. Digits alone are a number, except behind a dot, and a word before a
    parenthesis is a function.
    """
    if not names:
        return str
    plain_words = {it.lower() for it in stay}
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
        if written in exact and not written.isdecimal():
            return quoted(written)
        is_number = written.isdecimal() and not _is_behind_dot(match)
        is_call = written.isidentifier() and match.string[match.end() :].lstrip().startswith("(")
        return match[0] if is_number or is_call or written.lower() in plain_words else quoted(spelled[_fold(match[0])])

    return partial(found.sub, put)


def _is_behind_dot(match: re.Match[str]) -> bool:
    return match.string[match.start() - 1 : match.start()] == "."


def _replacer(
    names: Iterable[str], stay: Set[str], given: Set[str], columns: Set[str], quoted: Callable[[str], str]
) -> Callable[[str], str]:
    """A function that puts names with blanks or signs in place of identifiers that stand for one of them alone.

    Args: stay: words that stay, in lower case. given: words that stay, except behind a table's name or alias. columns:
        words that are no table's: what is behind them and a dot is a field.
    """
    spelled: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if "_" in (identifier := _as_identifier(name)) and not identifier[0].isdecimal():
            spelled[identifier].add(name)

    def put(match: re.Match[str]) -> str:
        word, found = match[0].lower(), spelled.get(_as_identifier(match[0]), set())
        if len(found) != 1 or word in stay:
            return match[0]
        if _is_behind_dot(match):
            of = _QUALIFIER.search(match.string[: match.start()])
            is_field = match.start() > 1 and (of is None or (of["name"] or "").lower() in columns)
            return match[0] if is_field else quoted(next(iter(found)))
        return match[0] if word in given else quoted(next(iter(found)))

    return partial(_WORD.sub, put) if spelled else str


def only_spells(sql: str, spelled: str, schema: Schema) -> bool:
    """Whether a query is another one with its names spelled otherwise, and certainly means the same.

    Its texts are the same, and so is its tree, apart from names, if the other one parses. A query with others inside
    gives no name that stands for one of the schema: it may be read in either sense.
    """
    row = DIALECTS[schema.dialect]
    dialect, unquoted = row.sqlglot, _match_closed(row.sqlglot).sub("''", sql)
    before, after = (tree_to_change(it, dialect) for it in (sql, spelled))
    if _NESTED.search(unquoted) is not None:
        names = (it for table in schema.tables for it in (*table.parts, *(column.name for column in table.columns)))
        known = {form for it in names if row.quote_name(it) != it for form in (_as_identifier(it), *plain_letters(it))}
        given = _list_given(unquoted)
        given |= {it.alias for it in before.find_all(exp.Alias, exp.TableAlias)} if before is not None else set()
        if not known.isdisjoint(map(_as_identifier, given)):
            return False
    return _list_texts(sql, dialect) == _list_texts(spelled, dialect) and (
        before is None or (after is not None and _list_nodes(before) == _list_nodes(after))
    )


def _list_texts(sql: str, dialect: str) -> list[str] | None:
    """The texts of a query in order; None if it cannot be read."""
    try:
        return [it.text for it in plain(dialect).tokenize(sql) if it.token_type.name.endswith("STRING")]
    except TokenError:
        return None


def _list_nodes(tree: exp.Query) -> list[tuple[str, str]]:
    """The nodes of a tree in order, without names of tables and columns. A column and an alias may be one name."""
    for alias in list(tree.find_all(exp.Alias)):
        if isinstance(alias.this, exp.Column):
            alias.replace(alias.this)
    nodes = (it for it in tree.walk() if not isinstance(it, exp.Identifier | exp.TableAlias))
    return [(type(it).__name__, _detail_of(it)) for it in nodes]


def _detail_of(node: exp.Expr) -> str:
    match node:
        case exp.Literal():
            return str(node.this)
        case exp.Ordered():
            return str(node.args.get("desc"))
        case exp.Alias() | exp.Anonymous():
            return node.alias_or_name.lower()
    return ""


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
