"""Dense and lexical relevance together: what an embedding blurs (which year, which term), the words tell."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from rag.documents import Retrieved
from rag.words import telling_words, words

LEXICAL_WEIGHT = 0.5
LEAST = 0.35  # fused score under which a document says nothing about the question
OF_BEST = 0.6  # and the part of the best one's score
LEAST_LIKE = 0.4  # cosine under which a past query is another question
TERM_SHARE = 0.66  # of a term's words that a question must use to mean it
MEANS_TERM = 0.5  # or the cosine from which it does, in other words

_TERM = re.compile(r"(?P<term>[^:=`]{2,60}?)\s*(?::\s|\s=\s|\s—\s)")
# These introduce a remark, and explain nothing by themselves.
_NO_TERM = re.compile(
    r"(please )?notes?|n\.?b\.?|important|warning|caution|attention|remember|remark|tip|hint|info|todo"
    r"|(for )?examples?|e\.g\.",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b[A-Z][A-Z0-9]{1,9}\b")


def term_of(text: str) -> str:
    """The term that a glossary entry explains: `Active customer: one with ...`; empty for a rule about everything.

    A remark that only begins like an entry, as `Note: ...`, is such a rule, too.
    """
    match = _TERM.match(text)
    term = match["term"].strip() if match else ""
    return "" if _NO_TERM.fullmatch(term.strip("*_ ")) else term


def fuse(question: str, hits: Sequence[Retrieved], top_k: int) -> tuple[Retrieved, ...]:
    """The hits that matter, best first, at most `top_k`; each keeps its cosine similarity as score.

    The lexical part is the share of the question's telling words that a document holds, rare words counting for more
    (the idea of BM25's inverse document frequency, over the hits themselves). An entry of a glossary matters only where
    the question uses its term, or means it.

    Args:
        question: as asked.
        hits: candidates from the index, more than are wanted.
        top_k: documents at most.
    """
    terms = telling_words(question)
    matching = [hit for hit in hits if _applies(hit, question, terms)]
    texts = [words(f"{hit.document.passage} {hit.document.sql}") & terms for hit in matching]
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


def _applies(hit: Retrieved, question: str, terms: frozenset[str]) -> bool:
    if hit.document.kind == "query":
        return hit.score >= LEAST_LIKE
    term = term_of(hit.document.text)
    if not term:
        return True
    if any(short in question for short in _SHORT.findall(term)):
        return True
    own = telling_words(term)
    if not {word for word in own if word.isdigit()} <= terms:
        return False  # fiscal year 2024 is not what a question about 2025 means
    return hit.score >= MEANS_TERM or (bool(own) and len(own & terms) / len(own) >= TERM_SHARE)
