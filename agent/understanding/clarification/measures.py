"""Asks which measure to use if a question asks for the best of something and the data measures it in several ways."""

from __future__ import annotations

import re

from agent.core.models import Clarification
from agent.understanding.clarification.inquiry import Inquiry, ask_by_measure, own_words
from agent.understanding.clarification.missing import UNLIKE_IN_ANY_LANGUAGE
from agent.understanding.clarification.nearness import Terms, nearest
from agent.understanding.clarification.words.languages import is_english
from agent.understanding.clarification.words.mentions import list_mentioned, without_particle
from agent.understanding.shape import NUMBER_WORDS
from agent.understanding.suggest import NUMERIC, list_keys
from executors.base import Column, Table
from rag.docs.documents import Document, Retrieved
from rag.embedding.embedder import Embedder
from rag.linking.fusion import term_of
from rag.linking.schema_ranking import document_scores
from rag.words import split_name, words

MOST_MEASURES = 4
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
_VAGUE = re.compile(
    rf"\b(?:(?:{_NUMBER}\s+)?(?:best|worst|top|strongest|weakest|most\s+(?:important|valuable|successful))"
    rf"(?:[\s-]+performing)?|beste[nr]?|wichtigste[nr]?|meilleure?s?|mejores|migliori|최고의|가장\s*좋은)"
    rf"\s+(?:{_NUMBER}\s+)?(?P<noun>[^\W\d_]+(?:\s+[^\W\d_]+)?)",
    re.IGNORECASE,
)
# With one of these the question names its measure, or does not ask for an order by worth.
SAYS = words(
    "by per according based terms revenue revenues sale sales sell sells selling sold seller turnover amount amounts"
    " quantity quantities spend spends spending spent spender pay pays paid paying price priced prices profit profits"
    " margin margins buy buys bought purchase purchased refund refunds returned rate rated rating ratings review"
    " reviewed score scored scores rank ranked ranking value number count most highest lowest largest least fewest"
    " cheapest newest oldest latest longest shortest earliest biggest smallest fastest slowest youngest earn earner"
    " earning gross grossing average total nach selon según por gemessen"
)
# A table's own number with one of these in its name is the measure.
_OWN = words(
    "rating rate rank ranking score grade gpa point points star stars vote votes popularity like likes follower"
    " followers level elo win wins performance importance priority sales revenue turnover profit"
)
_ADDITIVE = words("amount total revenue sale sales quantity qty units unit sum volume spend spent paid profit turnover")
_NOT_ADDED = words("price cost rate percent percentage ratio average avg tax fee discount id number line position")
_NAMING = words("id number no code year month day latitude longitude lat lon zip phone position line")
_NAMES = Terms()
_SUM = re.compile(r"\bSUM\s*\(|\bsum of\b", re.IGNORECASE)


async def vague_measure(inquiry: Inquiry, meaning: Embedder | None = None) -> Clarification | None:
    """Ask about `best customers` without a measure if the data has at least two measures.

    With `meaning`, the multilingual embedder, the question may name a table in another language.
    """
    match = _VAGUE.search(inquiry.text)
    if match is None:
        return None
    noun = words(match["noun"])
    entity = next((it for it in inquiry.named_tables if own_words(it) <= noun), None)
    mention = match[0] if entity is None or own_words(entity) == noun else match[0].rsplit(None, 1)[0]
    rest = words(inquiry.text.replace(match[0], " ")) - noun
    if entity is None and meaning is not None and not is_english(inquiry.text):
        mention = inquiry.text[match.start() : match.start("noun") + len(_first_noun(match["noun"]))]
        entity = await _entity_by_meaning(inquiry, mention, _first_noun(match["noun"]), meaning)
    if entity is None or (rest | noun - own_words(entity)) & SAYS or is_settled(inquiry, entity, mention, rest):
        return None
    names = list_measures(inquiry, entity)
    if len(names) < 2:
        return None
    return ask_by_measure(inquiry, mention, names)


def _first_noun(phrase: str) -> str:
    """The first word after `best`, without its particle."""
    word = phrase.split()[0]
    return without_particle(word) if re.match("[가-힣]", word) else word


async def _entity_by_meaning(inquiry: Inquiry, mention: str, noun: str, meaning: Embedder) -> Table | None:
    """The table that a noun of another language names. None if the question mentions any other noun."""
    others = [it for it in list_mentioned(inquiry.text, inquiry.frames.language) if it not in mention]
    if others:
        return None
    by_name = {split_name(it.parts[-1]): it for it in inquiry.schema.tables}
    near = await nearest([noun], tuple(by_name), inquiry, meaning, _NAMES)
    return by_name[near[1]] if near is not None and near[0] >= UNLIKE_IN_ANY_LANGUAGE else None


def is_settled(inquiry: Inquiry, entity: Table | None, mention: str, rest: frozenset[str]) -> bool:
    """Whether the table's own numbers, another name of the schema or the docs determine the measure."""
    numbers = [it for it in entity.columns if NUMERIC.search(it.type)] if entity is not None else []
    own = any(words(it.name) & _OWN for it in numbers)
    others = entity is not None and any(it is not entity and own_words(it) <= rest for it in inquiry.schema.tables)
    columns = [it for table in inquiry.schema.tables for it in table.columns if NUMERIC.search(it.type)]
    number_mentioned = any(words(it.name) - {"id"} and words(it.name) <= rest for it in columns)
    defined = r"\W+(?:\w+\W+)?".join(re.escape(it) for it in mention.split() if it.isalpha())
    known_text = re.search(rf"\b{defined}\b", inquiry.known_text, re.IGNORECASE)
    return own or others or number_mentioned or bool(inquiry.rules) or known_text is not None


def list_measures(inquiry: Inquiry, entity: Table) -> list[str]:
    """The measures of a table's rows: sums over the tables that refer to it, else other numbers of these tables and its
    own, and the counts of referring rows."""
    facts = [it for it in inquiry.schema.tables if any(key.table == entity.name for key in it.foreign_keys)]
    sums: dict[str, str] = {}
    for fact in facts:
        terms = _terms(inquiry, fact)
        covered = {name for document in terms.values() for name in _names(inquiry, document)}
        for term in terms:
            sums.setdefault(term.casefold(), term)
        for column in fact.columns:
            if _adds_up(fact, column) and (fact.name, column.name) not in covered:
                name = column.name.replace("_", " ")
                label = name if "total" in words(name) else inquiry.frames.total.format(name=name)
                sums.setdefault(label.casefold(), label)
    counts = [inquiry.frames.number_of.format(name=it.parts[-1].replace("_", " ")) for it in facts]
    if sums:
        return [*list(sums.values())[: MOST_MEASURES - 1], *counts][:MOST_MEASURES]
    numbers = [it for table in (entity, *facts) for it in table.columns if is_measure(table, it)]
    about_one = any(it.is_sure for it in inquiry.context.linked.values)  # "the weakest attribute of Hulk"
    if about_one or any(words(it.name) & _OWN for it in numbers):
        return []
    return [*counts, *dict.fromkeys(it.name.replace("_", " ") for it in numbers)][:MOST_MEASURES]


def _terms(inquiry: Inquiry, fact: Table) -> dict[str, Document]:
    """Sums over a table that have a name in the glossary, by that name without "of …" or "per …"."""
    found: dict[str, Document] = {}
    for document in inquiry.context.known:
        term = re.split(r"\s+(?:of|per)\s+", term_of(document.text))[0] if document.kind == "rule" else ""
        is_sum = 0 < len(term.split()) <= 3 and _SUM.search(document.text)
        if is_sum and any(table == fact.name and column for table, column in _names(inquiry, document)):
            found.setdefault(term[:1].lower() + term[1:], document)
    return found


def _names(inquiry: Inquiry, document: Document) -> set[tuple[str, str]]:
    return set(document_scores(inquiry.schema, [Retrieved(document=document, score=1.0)]))


def _adds_up(table: Table, column: Column) -> bool:
    own = words(column.name)
    return is_measure(table, column) and bool(own & _ADDITIVE) and not own & _NOT_ADDED


def is_measure(table: Table, column: Column) -> bool:
    plain = column.name not in list_keys(table) and not column.private and bool(NUMERIC.search(column.type))
    return plain and not words(column.name) & _NAMING
