"""Combines dense and lexical relevance: words distinguish what an embedding blurs, such as years and terms."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TypeVar

from rag.docs.documents import Document, Retrieved
from rag.words import telling_words, words

LEXICAL_WEIGHT = 0.5
LEAST = 0.35  # least fused score of a relevant document
OF_BEST = 0.6  # and least share of the best score
LEAST_LIKE = 0.4  # least cosine of a past query that asks the same
TERM_SHARE = 0.66  # least share of a term's words in a question that uses it

RANK_OFFSET = 10  # of reciprocal ranks: with it, the first place counts about twice as much as the tenth

Item = TypeVar("Item", bound=Hashable)

_TERM = re.compile(r"(?P<term>[^:=`]{2,60}?)\s*(?::\s|\s=\s|\s—\s)")
# These introduce a remark and define nothing.
_NO_TERM = re.compile(
    r"(please )?notes?|n\.?b\.?|important|warning|caution|attention|remember|remark|tip|hint|info|todo"
    r"|(for )?examples?|e\.g\.",
    re.IGNORECASE,
)
# A sentence before a colon is a rule about everything: "The fiscal year starts in April: …".
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|has|have|always|never|only|must|should|starts?|ends?|ist|sind|immer|nie|nur)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b[A-Z][A-Z0-9]{1,9}\b")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_BEGINNING, _HANGUL_BEGINNING = 4, 2  # letters that two forms of a word share
_ENDING = 3  # letters that a form adds at most


def fuse_ranks(rankings: Iterable[tuple[Mapping[Item, float], float]]) -> dict[Item, float]:
    """Combine rankings by reciprocal rank, which uses only their order: scores of different kinds are never compared.

    Each ranking has scores, higher is better, and a weight. An item's result is the sum of weight / (offset + place)
    over the rankings that contain it. Equal scores share the better place.
    """
    fused: dict[Item, float] = {}
    for scores, weight in rankings:
        place, last = 0, math.inf
        for position, (item, score) in enumerate(sorted(scores.items(), key=itemgetter(1), reverse=True)):
            if score < last:
                place, last = position, score
            fused[item] = fused.get(item, 0.0) + weight / (RANK_OFFSET + place)
    return fused


def term_of(text: str) -> str:
    """The term that a glossary entry defines: `Active customer: one with ...`. Empty for a general rule.

    A remark that only begins like an entry, such as `Note: ...`, is a general rule too, and so is a sentence.
    """
    match = _TERM.match(text)
    term = match["term"].strip() if match else ""
    return "" if _NO_TERM.fullmatch(term.strip("*_ ")) or _SENTENCE.search(term) else term


class Glossary:
    """The rules that define a term, found by its words: an embedder's vector for an abbreviation is uninformative."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_short: dict[str, list[Document]] = defaultdict(list)
        self._by_beginning: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            term = term_of(document.text) if document.kind == "rule" else ""
            for short in sorted(set(_SHORT.findall(term))):
                self._by_short[short].append(document)
            for beginning in sorted({_beginning_of(word) for word in telling_words(term)}):
                self._by_beginning[beginning].append(document)

    def with_terms(self, question: str, relevant: Sequence[Retrieved]) -> tuple[Retrieved, ...]:
        """The rules whose terms the question uses, with score 1, then the other retrieved documents."""
        terms = telling_words(question)
        candidates = [document for short in _SHORT.findall(question) for document in self._by_short.get(short, ())]
        beginnings = sorted({_beginning_of(word) for word in terms})
        candidates += [document for it in beginnings for document in self._by_beginning.get(it, ())]
        used = {
            document.id: Retrieved(document=document, score=1.0)
            for document in candidates
            if uses_term(term_of(document.text), question, terms)
        }
        return (*used.values(), *(hit for hit in relevant if hit.document.id not in used))


def fuse(question: str, hits: Sequence[Retrieved], top_k: int) -> tuple[Retrieved, ...]:
    """At most `top_k` relevant hits, best first. Each keeps its cosine similarity as score.

    The lexical part is the share of the question's informative words in a document, weighted by rarity (the idea of
    BM25's inverse document frequency, over the hits themselves). A glossary entry is relevant only if the question uses
    its term: a question in the words of its definition asks for something else.
    """
    terms = telling_words(question)
    matching = [hit for hit in hits if _applies(hit, question, terms)]
    texts = [_words_of(hit.document.display_text, hit.document.sql) & terms for hit in matching]
    holding = Counter(term for found in texts for term in found)
    rarity = {term: math.log1p(len(matching) / count) for term, count in holding.items()}
    whole = sum(rarity.values()) or 1.0
    fused = [
        (hit.score + LEXICAL_WEIGHT * sum(rarity[term] for term in found) / whole, hit)
        for hit, found in zip(matching, texts, strict=True)
    ]
    fused.sort(key=lambda pair: (-pair[0], pair[1].document.id))
    best = fused[0][0] if fused else 0.0
    return tuple(hit for score, hit in fused[:top_k] if score >= max(LEAST, OF_BEST * best))


@lru_cache(maxsize=1024)
def _words_of(shown: str, sql: str) -> frozenset[str]:
    """The words of a document. Cached, because the same documents are found repeatedly."""
    return words(f"{shown} {sql}")


def _applies(hit: Retrieved, question: str, terms: frozenset[str]) -> bool:
    if hit.document.kind == "query":
        return hit.score >= LEAST_LIKE
    term = term_of(hit.document.text)
    return not term or uses_term(term, question, terms)


def uses_term(term: str, question: str, terms: frozenset[str]) -> bool:
    """Whether a question uses a term: its abbreviation, or most of its words and all its years."""
    if set(_SHORT.findall(term)).intersection(_SHORT.findall(question)):
        return True
    own = telling_words(term)
    # A question about 2025 does not use the term "fiscal year 2024".
    used = sum(any(_is_form(word, it) for it in terms) for word in own)
    return bool(own) and _years(term) <= terms and used / len(own) >= TERM_SHARE


def _is_form(one: str, other: str) -> bool:
    """Whether two words are forms of one: "aktiver" and "aktive", "churn" and "churned", 고객 and 고객은."""
    short, long = sorted((one, other), key=len)
    if one == other or len(long) - len(short) > _ENDING:
        return one == other
    if _HANGUL.fullmatch(short):
        return len(short) >= _HANGUL_BEGINNING and long.startswith(short)
    beginning = short[: max(_BEGINNING, len(short) - 1)]
    return len(short) >= _BEGINNING and short.isalpha() and long.startswith(beginning)


def _beginning_of(word: str) -> str:
    """What all forms of a word begin with."""
    return word[:_HANGUL_BEGINNING] if _HANGUL.match(word) else word[:_BEGINNING]


def _years(term: str) -> frozenset[str]:
    return frozenset(word for word in telling_words(term) if word.isdigit())
