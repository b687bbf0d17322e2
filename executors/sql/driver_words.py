"""Removes the values that a driver's error repeats.

A value in a row may be private, and every engine puts values into its errors in its own form: in quotes, in brackets,
bare, cut off. So this module does not search for what must be removed. It keeps a word only if it is in the query or in
the schema, names a type, or is one that the engines write their errors with. A value may be such a word, too: in
quotes, or next to a gap, only names and types are kept.
"""

from __future__ import annotations

import re

from executors.base import Schema
from executors.dialects.row import words

_GAP = "…"
_TOKEN = re.compile(r"(?:ORA|DPY|PLS|SQLSTATE)-?\d+|\w+")
_GAPS = re.compile(rf"{_GAP}(?:[^\w\n]*{_GAP})+")
_KIND = (
    r"U?(?:TINY|SMALL|MEDIUM|BIG|HUGE)?INT(?:EGER)?(?:8|16|32|64|128|256)?|FLOAT(?:32|64)?|DOUBLE|REAL|NUMBER|NUMERIC|"
    r"DECIMAL(?:32|64|128|256)?|DATE(?:32|64|TIME2?|TIME64)?|TIME|TIMESTAMP(?:TZ|_NTZ|_LTZ|_S|_MS|_NS)?|INTERVAL|"
    r"N?(?:VAR)?CHAR2?|TEXT|STRING|(?:FIXED|N)?STRING|N?CLOB|BLOB|BYTEA|BINARY|VARBINARY|BOOL(?:EAN)?|BIT|JSONB?|XML|"
    r"UUID|ENUM|ARRAY|LIST|MAP|STRUCT|TUPLE|NULLABLE"
)
_TYPE = re.compile(
    rf"{_KIND}|LINE|TOP|FOR|GROUP|ORDER|BY|HAVING|WHERE|SELECT|FROM|UNION|INTERSECT|"
    r"EXCEPT|DISTINCT|LIMIT|OVER|AGGREGATE|RECURSIVE|GROUPING|ROLLUP|CUBE|FETCH|OFFSET|CAST|COLLATE|COLLATION|UTF8|NULL|"
    r"ORDERBY|HINT|DETAIL|ERROR|DB|SQL|AND|OR|NOT|IN|IS|AS|ON|JOIN|WITH|CASE|WHEN|THEN|ELSE|END",
    re.IGNORECASE,
)
_IN_QUOTES = re.compile(rf"{_KIND}|(?:STRING|INTEGER)_LITERAL")
_QUOTES = re.compile(r"(?<!\w)(?P<quote>['\"`])(?P<value>.*?)(?P=quote)(?!\w)", re.DOTALL)
_BARE = re.compile(
    r"\b(?:parse|read) (?i:date\w*|time|uuid|ipv[46]|bool\w*|number|decimal) (?!from\b)(?:here: )?(?P<value>[^:\n]+)"
)  # of ClickHouse, which puts no quotes around it
_PLACES = frozenset(f"{part} clause" for part in ("where", "order", "having", "on")) | {"field list", "group statement"}
_STUCK = re.compile(r"[^\s()\[\],:;=]+")  # words with nothing between them that parts a sentence
_SENTENCE = re.compile(r"(?:^|[.:!?;]\s|\n)\s*$")  # what stands before the first word of one

# Of the messages of PostgreSQL, MariaDB and DuckDB, as their programs hold them; and of the other engines'.
_WORDS = words(
    "a able aborted about abs accept access accessible account acquire action active actually add addition address",
    "administrator after against aggregate aggregated aggregates alias aliases all allocate allocation allow",
    "allowed already also alter ambiguous ambiguously an and another ansi any apart appear appears appender applied",
    "are argument arguments arithmetic arity array arrays arrow as at attribute authentication auto automatically",
    "available back backslash bad base batch be because been before behavior behaviour being between beyond big",
    "binary bind binder binding bindings bit block blocks body boolean bootstrap both bound bounds btree buffer",
    "build built but by bypass bypassed byte bytes cache call callback called calling calls can cancel canceled",
    "canceling cancelled candidate candidates cannot cast casting casts catalog certificate change changed character",
    "characters check checkpoint checksum child children chosen clash class clause clauses client close closed code",
    "codes collation collations column columns combine combined command commas commit common comparing comparison",
    "compatible complex composite compression condition conditions config configuration connect constant constraint",
    "constraints constructor contain contained containing contains context continue control conversion convert",
    "converted converting copy correct correlated corrupt could count create created csv current currently data",
    "database datatype date datetime day days deadlock deadlocked decimal declared decoding default defined",
    "definition delete deleted denied denies denominator dependency dependent depends depth derived deserialize",
    "destination determine dictionary did different digit digits disable disabled disk divide divided division do",
    "does doesn domain don double drop dropped duckdb due duplicate duplicated during each either element elements",
    "empty enable enabled encoding encountered end engine enough entries entry enum equal error escape escaped",
    "evaluating every exact exactly exceed exceeded exceeds except exception exclusion exclusive execute executed",
    "executing execution exist existing exists expected expecting expired explain explicit expression expressions",
    "external extra extract failed failure false fetch few field fields filter find first fit flag float floating",
    "for foreign format formats found fraction frame free from full function functions further generate generated",
    "generation geometry get given global greater group grouping guid handle handled handler has have having he",
    "header hint hour i id identified identifier identifiers identify identity if illegal implemented implicit",
    "implicitly in include incompatible incomplete inconsistent incorrect index indexes inf infinity inherited",
    "initialize initialized inline inner input insert inside instead insufficient int integer integers internal",
    "interrupted interval into invalid inverse is isn it item its itself join json jsonb key keys keyword kinds",
    "known labels lambda language large last leading lease least leave leaves left length less level like limit",
    "line link list lists literal literals load loaded local locale location lock log logarithm logging logical",
    "long longer lookup loss lost lower macro main make malformed manager mantissa manual many map mapping mark",
    "marked match matched matches materialized max maximum may maybe mean meaningful means meant member memory",
    "merge message messages metadata method might minute mismatch misplaced missing misuse mixed mode modifier",
    "modifies modify modifying month months more most move multi multiple multiplication multirange must name named",
    "names nchar near need negative nested nesting never new no node non nonaggregated nonnumeric nor not note nothing",
    "null nulls number numeric nvarchar object objects occurred occurring occurs of offset on once one only op open",
    "operand operands operation operations operator option options or order ordered ordering other out outer output",
    "over overflow overload overloaded own owned owner parallel parameter parameters parent parentheses parenthesis",
    "parse parsed parser parsing part partition partitioned partitioning partitions path pattern per perform",
    "perhaps period permission permissions permitted phrase physical placing plan please plus point points pool",
    "position positive possible power precision predicate predicates prepared present preserve primary principal",
    "privilege privileges procedure process processor produce progress prohibited projection properly qualified",
    "qualifier query quotation quote quotient ran range read reading readonly real received recognized record",
    "recovery recursion recursive reference referenced references regex regexp register registered regular reindex",
    "relation relations remove rename repetition repository request requested required requires rerun reserved",
    "resolvable resolve resolved resource resources restore result return returned returning returns rewrite right",
    "rolled root routine row rowid rows rule rules run running s same scalar scale scan schema schemas search",
    "second security see seek segment select send separator sequence serialize server set setting several shared",
    "should signature signed similar single size sizes skip skipping small so some sort source spaces specific",
    "specification specified specify split sql square start starting stat state statement statements statistics",
    "stop stopped storage stored strategy string strings struct structure subqueries subquery subscript substring",
    "subtract subtraction successful such supertype supplied supplies support supported symmetric syntax system t",
    "table tables take takes target template temporary term terminated text than that the their there they this",
    "thread through throw time timeout timestamp timezone to together token tokens tolerate too top total trailing",
    "transaction transactions transform transition true truncate truncated truncation try tuple two type typed",
    "types typo unable unavailable unbalanced unclosed undefined under underflow undo unequal unexpected unicode",
    "unimplemented union unique unit units unknown unless unrecognized unresolvable unresolved unsafe unsigned",
    "unsupported unterminated up updatable update updated upgrade usage use used user uses using vacuum valid validate",
    "value values varchar variable variant varying vector verification version victim view views violate violates",
    "volatile wait wanted was were when where whether which while why width window with within without words would",
    "write writing written wrong xml year years you yyyy zero zone",
    # of SQL Server, and of Babelfish
    "babelfish completion dateadd datediff ended follows image look ntext passed queries resulted verify violation",
    "anchor compared conflict conflicted datepart dateparts exhausted fails instances introduced items precise",
    "separating sorted terminated trigger windowed",
    # of MySQL 8
    "cte_max_recursion_depth functionally increasing larger only_full_group_by sql_mode",
)


def without_values(message: str, sql: str, schema: Schema) -> str:
    """The message with a gap for each word that may be a value.

    Args:
        message: of a driver.
        sql: the query that it is about; the caller knows its words.
        schema: whose names may be shown.
    """
    known = set(map(str.casefold, re.findall(r"\w+", sql))) | _names(schema)
    spans = [match.span("value") for match in (*_QUOTES.finditer(message), *_BARE.finditer(message))]
    values = [(start, end) for start, end in spans if message[start:end] not in _PLACES]
    stuck = [match.span() for match in _STUCK.finditer(message)]
    tokens = list(_TOKEN.finditer(message))
    gaps: set[int] = set()
    for match in tokens:
        may_be = any(start <= match.start() < end for start, end in values)
        if not (_is_name(match[0], known) if may_be else _may_show(match, message, known)):
            gaps.add(match.start())
    for start, end in stuck:  # what is left of a value that the engine cut off
        within = [match for match in tokens if start <= match.start() < end]
        if any(match.start() in gaps for match in within):
            gaps |= {match.start() for match in within if not _is_name(match[0], known)}
    parts: list[str] = []
    at = 0
    for match in tokens:
        parts.append(message[at : match.start()])
        parts.append(_GAP if match.start() in gaps else match[0])
        at = match.end()
    return _GAPS.sub(_GAP, "".join(parts) + message[at:])


def _is_name(word: str, known: set[str]) -> bool:
    """Whether a word is shown even where a value stands."""
    return word.casefold() in known or bool(_IN_QUOTES.fullmatch(word))


def _may_show(match: re.Match[str], message: str, known: set[str]) -> bool:
    word = match[0]
    if word.casefold() in known or "-" in word or word.startswith("SQLSTATE") or _TYPE.fullmatch(word):
        return True
    if word.isupper() and "_" in word:  # the name of an error
        return all(part.lower() in _WORDS or _TYPE.fullmatch(part) for part in word.split("_"))
    if word.lower() not in _WORDS:
        return False
    # A capital in the middle of a sentence begins a name.
    return word.islower() or bool(_SENTENCE.search(message[: match.start()][-40:]))


def _names(schema: Schema) -> set[str]:
    names = [schema.database, schema.namespace]
    for table in schema.tables:
        names += [table.name, *(column.name for column in table.columns)]
    return {word.casefold() for name in names for word in re.findall(r"\w+", name)}
