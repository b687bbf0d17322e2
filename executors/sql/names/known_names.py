"""Quotes names that need quotes in a query: names with blanks, signs, a leading digit or capitals, and reserved words.
Gives names their umlauts and accents back, or takes them away, as the schema spells them: `gebaeude_nr`, `gebäude_nr`.
Reads an identifier as the name with blanks or signs that it stands for: `Site_Code`; `Size_sq_m`, `Size_sq (m)` and
`Size` of "Size (sq m)".
Quotes titles of columns: `COUNT(*) AS Number of Plots`.
Puts the schema that has a table before its name: `hr.staff` for `shop.staff`.

Without quotes, the query does not parse (`SUM(Brutto Betrag)`), or parses as something else (`SELECT Brutto Betrag`, a
column and its alias). So this module works on tokens, and changes none that is a string or a quoted name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import cache, cached_property
from itertools import pairwise

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import TokenType

from executors.base import Schema
from executors.dialects.row import RESERVED
from executors.dialects.table import DIALECTS
from executors.sql.grammar import plain, tokenize
from executors.sql.tree import tree_to_change

_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe", "æ": "ae"})
# A title that lacks its quotes ends before a comma or FROM. None of its words may begin a clause.
_CLAUSES = """
    anti as asof case cross else end except fetch final for from full group having inner intersect into join left
    limit minus natural offset on order outer qualify right sample select semi straight_join then union using when where
    window
"""
_TITLE_ENDS = frozenset(_CLAUSES.split())
_ENDS_OF_VALUES = frozenset({TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER})
_BEFORE_NAMES = frozenset({"and", "by", "distinct", "from", "having", "join", "on", "or", "select", "where"})
_WORD, _SIGNS, _PARTS = re.compile(r"[^\W\d]\w*"), re.compile(r"[\W_]+"), re.compile(r"\s*(?:\w+|\S)")
_UNIT = re.compile(r"\s+(?:\(([^()]+)\)|\[([^\[\]]+)\])$")
_UNITS = """
    % ‰ € $ £ ¥ eur usd gbp chf jpy cny inr aud cad sek nok dkk pln czk huf pcs units
    w kw mw gw wh kwh mwh gwh v kv a ma hz khz mhz ghz j kj mj cal kcal pa hpa kpa bar mbar psi ° °c °f k c f
    nm mm cm dm m km in ft yd mi m2 m² km2 km² sqm sqft sq_m sq_km sq_ft ha ml cl dl l hl m3 m³ mg g kg t lb lbs oz
    ms s sec seconds min minutes h hr hrs hours d days weeks months years m/s km/h mph kn l/s m3/h m³/h rpm
    g/l mg/l kg/m3 ppm ppb b kb mb gb tb bit mbit gbit bps kbps mbps
"""
_KNOWN_UNITS = frozenset(it.replace("_", " ") for it in _UNITS.split())
# Words that a function may take in place of a value. Without a unit, they are no names.
_DATE_PARTS = frozenset(["date", "day", "dow", "doy", "epoch", "hour", "minute", "month"])
_DATE_PARTS |= {"quarter", "second", "time", "week", "weekday", "year"}

Key = tuple[str, ...]  # a name as a query has it: words and signs in small letters, with a blank before if one is there


def quote_names(sql: str, schema: Schema) -> str | None:
    """A query with the names of its schema spelled as there, and in quotes wherever the dialect requires them. None if
    that repairs nothing.
    Args: sql: a query, for use where it cannot run as it is."""
    dialect, names = DIALECTS[schema.dialect].sqlglot, _Names(schema)
    try:
        query = _Tokens(names.quote_unreadable(sql), dialect)
    except (TokenError, ParseError):
        return None
    for accents in (True, False):
        for reserved in (False, True):
            repaired = names.spell(query, accents=accents, reserved=reserved)
            if repaired != sql and tree_to_change(repaired, dialect) is not None:
                return repaired
    return None


def only_spells(sql: str, spelled: str, schema: Schema) -> bool:
    """Whether a query is another one with its names spelled otherwise, and certainly means the same.

    Its texts are the same, and so is its tree, apart from names, if the other one parses. A query with others inside
    gives no name that stands for one of the schema: it may be read in either sense.
    """
    row = DIALECTS[schema.dialect]
    try:
        before, after = (_Tokens(it, row.sqlglot) for it in (sql, spelled))
    except (TokenError, ParseError):
        return False
    if after.has_subquery:
        names = (it for table in schema.tables for it in (*table.parts, *(column.name for column in table.columns)))
        known = {form for it in names if row.quote_name(it) != it for form in (_as_identifier(it), *plain_letters(it))}
        if not known.isdisjoint(map(_as_identifier, after.given_names)):
            return False
    trees = [tree_to_change(it, row.sqlglot) for it in (sql, spelled)]
    return before.texts == after.texts and (
        trees[0] is None or (trees[1] is not None and _list_nodes(trees[0]) == _list_nodes(trees[1]))
    )


def plain_letters(name: str) -> frozenset[str]:
    """A name in small letters without umlauts and accents, as German writes them and as others do: `strasse`."""
    small = unicodedata.normalize("NFC", name).lower()
    if small.isascii():
        return frozenset({small})
    marked = unicodedata.normalize("NFD", small.replace("ß", "ss"))
    return frozenset({small.translate(_DIGRAPHS), "".join(it for it in marked if not unicodedata.combining(it))})


class _Tokens:
    """The tokens of a query. Raises TokenError: a string or comment does not end; ParseError: the query is too long.

    words: each token as it is written, in small letters.
    """

    def __init__(self, sql: str, dialect: str) -> None:
        self.sql, self._tokens = sql, tokenize(sql, dialect)
        self.words = [self.cut(at, at + 1).lower() for at in range(len(self._tokens))]

    def cut(self, start: int, end: int) -> str:
        """The text from one token to before another."""
        return self.sql[self._tokens[start].start : self._tokens[end - 1].end + 1]

    def replace(self, changes: Mapping[tuple[int, int], str]) -> str:
        """The query with other texts. Args: changes: texts by the tokens in whose place they stand, in order."""
        parts, done = list[str](), 0
        for (start, end), text in changes.items():
            parts += [self.sql[done : self._tokens[start].start], text]
            done = self._tokens[end - 1].end + 1
        return "".join([*parts, self.sql[done:]])

    @property
    def texts(self) -> list[str]:
        """The strings, in order."""
        return [it.text for it in self._tokens if it.token_type.name.endswith("STRING")]

    @cached_property
    def has_subquery(self) -> bool:
        """Whether the query contains others."""
        return "with" in self.words or any(pair in {("(", "select"), ("(", "with")} for pair in pairwise(self.words))

    @cached_property
    def given_names(self) -> frozenset[str]:
        """All names that the query may give."""
        return frozenset(_bare(it) for at, it in enumerate(self.words) if self._is_given(at))

    @cached_property
    def aliases(self) -> frozenset[str]:
        """The names that the query gives before it reads them. In `SUM(umsatz) AS umsatz`, both are the column."""
        found, read = set[str](), set[str]()
        for at, word in enumerate(map(_bare, self.words)):
            if self._is_given(at):
                found |= {word} - read
            elif self.words[at + 1 : at + 2] != ["."]:
                read.add(word)
        return frozenset(found)

    def _is_given(self, at: int) -> bool:
        """Whether a token may be a name that the query gives: behind AS or a value, or before AS and a parenthesis."""
        if at == 0 or not (self.is_word(at) or self.words[at][0] in "'\"`["):
            return False
        kind = self._tokens[at - 1].token_type
        is_limit = kind is TokenType.NUMBER and self.words[at - 2 : at - 1] == ["top"]
        is_behind_value = kind in _ENDS_OF_VALUES and not is_limit
        return is_behind_value or self.words[at - 1] in {"as", ")", "end"} or self.words[at + 1 : at + 3] == ["as", "("]

    def is_word(self, at: int) -> bool:
        """Whether a token is a keyword or a name without quotes."""
        return _WORD.fullmatch(self.words[at]) is not None

    def is_behind_dot(self, at: int) -> bool:
        """Whether a token follows a dot, without a blank."""
        return self._follows(at) and self.words[at - 1] == "."

    def is_call(self, at: int) -> bool:
        """Whether a token is followed by a parenthesis."""
        return self.words[at + 1 : at + 2] == ["("]

    def is_whole(self, start: int, end: int) -> bool:
        """Whether a name may begin with one token and end before another: with no letter or `$`, `@`, `:` beside it."""
        if self._follows(start) and re.search(r"[\w$@:]$", self.words[start - 1]):
            return False
        return end == len(self.words) or not (self._follows(end) and re.match(r"[\w$]", self.words[end]))

    def is_field(self, at: int, columns: Set[str]) -> bool:
        """Whether a token behind a dot is a part of a value: of `p.info` or a column, and not of a table."""
        if at < 2 or not self._follows(at - 1):
            return False
        is_name = self._tokens[at - 2].token_type is TokenType.IDENTIFIER or self.is_word(at - 2)
        is_deep = at > 2 and self._follows(at - 2) and self.words[at - 3] in {".", ":"}
        return not is_name or is_deep or self.words[at - 2] in columns

    def list_ends(self, start: int, names: Mapping[Key, object], longest: int) -> list[tuple[int, Key]]:
        """The ends of the names of several tokens that begin with one, the longest name first.
        Args: longest: the most parts of a name."""
        found, key = list[tuple[int, Key]](), self.key(start, start + 1)
        for end in range(start + 2, len(self.words) + 1):
            key = (*key, *self._parts[end - 1])
            if len(key) > longest:
                break
            if key in names:
                found.insert(0, (end, key))
        return found

    def key(self, start: int, end: int) -> Key:
        """The tokens from one to before another, to compare with those of names. Underscores are read as blanks."""
        parts = tuple(part for parts in self._parts[start:end] for part in parts)
        return (parts[0].lstrip(), *parts[1:]) if parts else ()

    @cached_property
    def _parts(self) -> list[Key]:
        """The words and signs of each token, with a blank before those that follow one."""
        gaps = ("" if self._follows(at) else " " for at in range(len(self.words)))
        texts = (f"{gap}{it.replace('_', ' ')}" for gap, it in zip(gaps, self.words, strict=True))
        return [tuple(" " * (it[0] == " ") + it.strip() for it in _PARTS.findall(text)) for text in texts]

    def find_titles(self) -> dict[Key, str]:
        """Titles of several words that lack their quotes."""
        found: dict[Key, str] = {}
        for start, word in enumerate(self.words, start=1):
            if word != "as" or start == len(self.words) or not self.is_word(start):
                continue
            end = start + 1
            while re.fullmatch(r"\w+", "".join(self.words[end : end + 1])) and self.words[end] not in _TITLE_ENDS:
                end += 1
            is_long = end > start + 1
            if is_long and self.words[end : end + 1] + self.words[end + 2 : end + 3] == ["(", ")"]:
                end += 3 if self.words[end + 1] in _KNOWN_UNITS else 0
            if end > start + 1 and self.words[end : end + 1] in (["from"], [","]):
                found[self.key(start, end)] = " ".join(self.cut(start, end).split())
        return found

    def expects_name(self, at: int) -> bool:
        """Whether a reserved word is a name: one is expected there, and neither a clause nor a call begins."""
        before = self.words[at - 1].split()[-1] if at else ""
        return (before in _BEFORE_NAMES or before[-1:] in set(".,(=<>+*/-")) and self.words[at + 1 : at + 2] != ["by"]

    def _follows(self, at: int) -> bool:
        """Whether a token follows another without a blank."""
        return at > 0 and self._tokens[at - 1].end + 1 == self._tokens[at].start


class _Names:
    """The names of a schema, by the ways in which a query may write them."""

    def __init__(self, schema: Schema) -> None:
        row = DIALECTS[schema.dialect]
        parts = {part for table in schema.tables for part in table.parts}
        columns = {column.name for table in schema.tables for column in table.columns}
        names = parts | columns
        odd = sorted((it for it in names if row.quote_name(it) != it), key=lambda it: (-len(it), it))
        self._quote, self._keywords = row.quote_name, _keywords(row.sqlglot) | RESERVED | row.reserved
        self._known, self._plain = {it.lower() for it in names}, {it.lower() for it in names.difference(odd)}
        self._only_columns = {it.lower() for it in columns} - {it.lower() for it in parts}
        self._reserved = {it.lower(): it for it in odd if row.is_reserved(it)}
        self._exact = {it for it in odd if not row.is_reserved(it)}
        self._homes = defaultdict[str, set[str]](set)
        for table in schema.tables:
            self._homes[table.parts[-1].lower()].add(table.namespace or schema.namespace)
        self._spaces = {it.lower() for homes in self._homes.values() for it in homes}
        self._by_text = {it.lower(): it for it in reversed(odd) if it in self._exact}
        self._by_key: dict[Key, str] = {}
        self._unreadable: list[str] = []
        self._by_identifier, self._by_letters = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for name in filter(self._exact.__contains__, odd):
            if key := _key_of(name, row.sqlglot):
                self._by_key.setdefault(key, name)
            else:
                self._unreadable.append(name)
            if "_" in (identifier := _as_identifier(name)) and not identifier[0].isdecimal():
                self._by_identifier[identifier].add(name)
        for short, name in _without_units(columns & self._exact, names).items():
            self._by_key.setdefault(_key_of(short, row.sqlglot), name)
            self._by_identifier[_as_identifier(short)].add(name)
        for name in names:
            for letters in plain_letters(name):
                self._by_letters[letters].add(name)

    def quote_unreadable(self, sql: str) -> str:
        """A query with quotes around names that no tokenizer reads, since they contain a quote or begin a comment."""
        for name in self._unreadable:
            unquoted = re.compile(rf"(?<![\w'\"`\[]){re.escape(name)}(?![\w'\"`\]])", re.IGNORECASE)
            sql = unquoted.sub(lambda _, name=name: self._quote(name), sql)  # type: ignore[misc]
        return sql

    def spell(self, query: _Tokens, *, accents: bool, reserved: bool) -> str:
        """The query with names as in the schema.
        Args: accents: whether to give words their accents; reserved: whether to quote reserved words."""
        keys = {**query.find_titles(), **self._by_key}
        longest = max(map(len, keys), default=0)
        changes, at = dict[tuple[int, int], str](), 0
        while at < len(query.words):
            if (home := self._find_home(query, at)) is not None:
                changes[at, at + 1] = self._quote(home)
                at += 1
                continue
            end, name = self._find_odd(query, at, keys, longest)
            if name is None and end == at + 1:
                name = self._find_word(query, at, accents=accents, reserved=reserved)
            if name is not None:
                changes[at, end] = self._quote(name)
            at = end
        return query.replace(changes)

    def _find_home(self, query: _Tokens, at: int) -> str | None:
        """The schema of the one table of a name, if a query has another schema before the name."""
        word, table = query.words[at], "".join(map(_bare, query.words[at + 2 : at + 3]))
        is_qualifier = word in self._spaces and query.words[at + 1 : at + 2] == ["."] and word not in query.given_names
        homes = self._homes.get(table, set()) if is_qualifier and not query.is_behind_dot(at) else set()
        home = next(iter(homes)) if len(homes) == 1 else ""
        return home if home.lower() not in {"", word} else None

    def _find_odd(self, query: _Tokens, at: int, names: Mapping[Key, str], longest: int) -> tuple[int, str | None]:
        """The end of a name or title that begins with a token, and its spelling if it lacks its quotes.

        A name in the same case is preferred to others. Digits alone are a number, except behind a dot, and a word
        before a parenthesis is a function. `total rent` may be a column and its alias, and `rent DESC` an order.
        """
        found = ((end, names[key]) for end, key in query.list_ends(at, names, longest))
        single = ((at + 1, it) for it in (self._by_text.get(query.words[at]),) if it is not None)
        for end, name in (*found, *single):
            if not query.is_whole(at, end):
                continue
            written = " ".join(query.cut(at, end).split())
            if written in self._exact and not written.isdecimal():
                return end, written
            is_number = written.isdecimal() and not query.is_behind_dot(at)
            is_call = end == at + 1 and query.is_call(at)
            is_alias = query.words[at] in self._plain and end == at + 2
            is_clause = query.words[end - 1] in _TITLE_ENDS | {"asc", "desc", "in"}
            is_other = is_number or is_call or is_alias or is_clause or written.lower() in self._plain
            return end, None if is_other else name
        return at + 1, None

    def _find_word(self, query: _Tokens, at: int, *, accents: bool, reserved: bool) -> str | None:
        """The name that a single word stands for, if it is spelled otherwise."""
        word, is_behind_dot = query.words[at], query.is_behind_dot(at)
        is_key = query.words[at + 1 : at + 2] in ([":"], [":="], ["=>"])
        if not query.is_word(at) or query.is_call(at) or is_key or not query.is_whole(at, at + 1):
            return None
        stays = not is_behind_dot and (word in query.aliases or word in self._keywords)  # behind a dot is a column
        if reserved and word in self._reserved and query.expects_name(at):
            return self._reserved[word]
        if stays or word in self._known:
            return None
        accented = set[str]().union(*(self._by_letters.get(it, ()) for it in plain_letters(word)))
        if accents and len(accented) == 1:
            return accented.pop()
        found = self._by_identifier.get(_as_identifier(word), set()) if word not in _DATE_PARTS else set()
        is_other = is_behind_dot and query.is_field(at, self._only_columns)
        # A query inside may give a name that is read behind a dot: `s.total_rent`.
        if len(found) != 1 or is_other or (query.has_subquery and word in query.given_names):
            return None
        return next(iter(found))


def _key_of(name: str, dialect: str) -> Key:
    """A name as a query without quotes has it; empty if none can: a quote or a comment begins in it."""
    try:
        tokens = _Tokens(name, dialect)
    except (TokenError, ParseError):
        return ()
    is_quoted = any(it[:1] in {"'", '"', "`", "["} for it in tokens.words)
    is_whole = "".join(tokens.words) == "".join(name.lower().split())
    return tokens.key(0, len(tokens.words)) if tokens.words and is_whole and not is_quoted else ()


def _without_units(columns: Set[str], names: Iterable[str]) -> dict[str, str]:
    """Columns by their names without units, unless another name begins with the same words."""
    words = [_as_identifier(it).split("_") for it in names]
    beginnings = Counter("_".join(it[:count]) for it in words for count in range(1, len(it) + 1))
    found: dict[str, str] = {}
    for name in sorted(columns):
        unit = _UNIT.search(name)
        if unit is None or (unit[1] or unit[2]).lower() not in _KNOWN_UNITS:
            continue
        short = name[: unit.start()]
        if beginnings[_as_identifier(short)] == 1:
            found[short] = name
    return found


@cache
def _keywords(dialect: str) -> frozenset[str]:
    """The words of a dialect and its types, in lower case. Args: dialect: sqlglot's name of it."""
    return frozenset(word for it in plain(dialect).tokenizer_class.KEYWORDS for word in it.lower().split())


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


def _bare(word: str) -> str:
    """A token without its quotes."""
    return word[1:-1] if word[0] in "'\"`[" else word


def _as_identifier(name: str) -> str:
    """A name in small letters, with one underscore for all between its words: `size_sq_m` for "Size (sq m)"."""
    return "_".join(_SIGNS.sub(" ", name).split()).lower()
