"""Missing data: a warning if a question names something that the database lacks, or a clarification if nothing is near.

The words of names, docs, comments, samples, linked values and the session are known. A question in other words gets a
warning with the name nearest in meaning: by cosines of the multilingual model, in six languages, or of MiniLM if it
knows the language of the question and of the schema. A clarification is asked only if none of the question's words is
known or near, by every model in use.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from agent.core.models import Choice, Clarification, Reason
from agent.understanding.clarification.inquiry import Inquiry, ask, text_of, words_of_names
from agent.understanding.clarification.nearness import Terms, nearest
from agent.understanding.clarification.words.languages import is_english
from agent.understanding.clarification.words.mentions import (
    ANYTHING,
    list_mentioned,
    spellings,
    with_umlauts,
    without_particle,
)
from agent.understanding.clarification.words.wanted import (
    GENERIC,
    content_words,
    find_presumed_words,
    find_wanted_phrases,
)
from agent.understanding.followups.words import LANGUAGES
from executors.base import Schema
from rag.docs.documents import Document
from rag.embedding.embedder import Embedder, vocabulary_of
from rag.errors import RetrievalError
from rag.identity_cache import IdentityCache
from rag.linking.dates import periods_in
from rag.linking.fusion import term_of
from rag.linking.month_names import MONTHS
from rag.words import phrases, split_name, stem_of, tokens, words

# Cosines of MiniLM. Below `UNLIKE`, no name resembles a phrase: one in twenty phrases of Spider's training split with
# its own database, nine of ten with another one. Below `FAR`, nothing in a question without known words is near: no
# question with its own database. Single words mislead ("ship" has 0.40 to `vessels`), so below `APART` no table with
# its columns is near the whole question ("Which ship sailed most often?" 0.41, "List all hotels." 0.19).
UNLIKE, FAR, APART = 0.6, 0.5, 0.35
_NEAR = 0.45  # least cosine at which a name may be meant
# Cosines of the multilingual model for single words and their translations, measured by `python -m bench.multilingual`.
UNLIKE_IN_ANY_LANGUAGE, _ANYTHING = 0.62, 0.64
# English questions get more warnings, marked as presumed: also for a phrase that is slightly nearer than that, or that
# any data may be asked for. A word that only resembles a known one counts as known from `_FORM` on: "country" has 0.48
# to `county`. Of 200 questions of Spider's training split, 3 % get a warning; of 200 whose column was dropped, 75 %. A
# name below it is not reported as the nearest: "fuel" has 0.51 to `vessel`.
_NEAR_IN_ENGLISH, _ANYTHING_IN_ENGLISH, _FORM = 0.68, 0.8, 0.55
# FAR and APART of the multilingual model, used if MiniLM is off or does not know the schema's words. Of 300 questions
# of Spider's training split with their own database, 1 % are below each; of those with another database, half.
FAR_IN_ANY_LANGUAGE = (0.5, 0.12)
_TABLES_SHOWN = 6
_ALIKE, _BEGINNING = 84.0, 5
_ENDING = 2  # letters that an inflection adds
_INFLECTED = re.compile(r"e?[ds]?|ing|al|e?r|ion|ment")  # "renew-ed", `renew-al`; not "count-ry", `count-y`
_PIECE = 3  # least letters of a compound's other part: "star" is no piece of `start`
_SHORTENED = 3  # least letters of a name that may shorten a word: `doc`, `plr`
_WITHOUT_VOWELS = re.compile(r"(?!(?:cnt|nbr|pct|qty)$)[b-df-hj-np-tv-z]+")  # a count or a share is of anything
_LEFT_OUT = 3  # such a name has at least one letter of that many, or of one more: `clb` is no "celebrities"
# ruff: noqa: E501
# Patterns for a requested noun in other languages, by code. Words of `Language.naming_nothing` do not count.
_CUES = {
    code: re.compile(rf"(?:{cues})(?P<mention>[^\W\d_]{{5,}})", re.IGNORECASE)
    for code, cues in {
        "de": r"\bwie ?viele?\s+|\bdurchschnittliche[nrs]?\s+|\b(?:pro|je)\s+(?:jede[mnr]?\s+)?|\balle\s+|\banzahl der\s+",
        "fr": r"\bcombien d(?:e\s+|['’])|\bpar\s+|\b(?:tous les|toutes les)\s+|\bnombre de\s+",
        "es": r"\bcu[aá]nt[oa]s\s+|\bpor\s+(?:cada\s+)?|\b(?:todos los|todas las)\s+|\bn[uú]mero de\s+",
        "it": r"\bquant[ie]\s+|\bper\s+(?:ogni\s+)?|\b(?:tutti i|tutti gli|tutte le)\s+|\bnumero di\s+",
    }.items()
} | {"ko": re.compile(r"(?P<mention>[가-힣]{2,})\s+몇")}
Examples = Callable[[Sequence[str]], Awaitable[Sequence[str]]]


class Lacking(NamedTuple):
    """Something that is asked for and that no name resembles.

    near: the nearest name, if any. presumed: whether it may exist after all, under a shortened name, or may be a verb
    because only its position in the question suggests data. is_close: whether the nearest name is worth reporting.
    """

    mention: str
    near: str = ""
    presumed: bool = False
    is_close: bool = True


def describe_lacking(lacking: Lacking, inquiry: Inquiry) -> str:
    """A sentence in the question's language, with the nearest name if it is close."""
    frame = inquiry.frames.read_as if lacking.near and lacking.is_close else inquiry.frames.lacking
    return frame.format(mention=lacking.mention, near=lacking.near)


class Missing(NamedTuple):
    """What a question asks for and the database lacks.

    lacking: the missing things. nothing_near: the clarification, if no word of the question is known or near.
    """

    lacking: tuple[Lacking, ...] = ()
    nothing_near: Clarification | None = None

    def without(self, text: str) -> Missing:
        """What is missing, except words of a text that explains them: “recent” was taken to mean since December."""
        explained = words(text)
        return self._replace(lacking=tuple(it for it in self.lacking if not words(it.mention) <= explained))


async def missing_data(
    inquiry: Inquiry, embedder: Embedder | None, meaning: Embedder | None, examples: Examples
) -> Missing:
    """What the question asks for and the database lacks.

    `embedder`: if vectors are in use for this database; without any embedder only shortened names are reported.
    `meaning`: the multilingual embedder, if it is installed. `examples` returns questions to suggest instead.
    """
    if not is_english(inquiry.text):
        return await _missing_in_another_language(inquiry, meaning, examples)
    known = find_known_words(inquiry)
    named = (
        " ".join(it.text for it in tokens(phrase) if stem_of(it) not in GENERIC)
        for phrase in find_wanted_phrases(inquiry.text)
    )
    wanted = [phrase for phrase in named if phrase]
    unknown = [it for it in wanted if not any(_is_known(part.casefold(), known) for part in it.split())]
    nothing_known = not _is_any_known(inquiry, known)
    formed = [it for it in wanted if it not in unknown and known.isdisjoint(words(it))]  # a word resembles a known one
    if not unknown and not nothing_known and not formed:
        return Missing()  # the usual case, for which no model is loaded
    is_understood = embedder is not None and await _is_understood(inquiry.schema, embedder)
    if nothing_known and unknown and not _shorten(inquiry, unknown) and (is_understood or meaning is not None):
        mention = [*phrases(inquiry.text), *content_words(inquiry.text)]
        judges = ((embedder if is_understood else None, FAR, APART), (meaning, *FAR_IN_ANY_LANGUAGE))
        if all([it is None or await _is_elsewhere(inquiry, mention, it, far, apart) for it, far, apart in judges]):
            return Missing(nothing_near=await _nothing_near(inquiry, unknown[0], examples))
    presumed = not unknown
    if nothing_known and presumed:
        unknown = find_presumed_words(inquiry.text)
    if meaning is not None and nothing_known and presumed:
        lacking = await _find_unlike_in_any_language(unknown, inquiry, meaning)
    elif meaning is not None:
        lacking = await _find_unlike(
            unknown,
            inquiry,
            meaning,
            _terms_of(inquiry),
            below=_NEAR_IN_ENGLISH,
            anything=_ANYTHING_IN_ENGLISH,
            formed=formed,
        )
    elif embedder is None or not is_understood:
        lacking = _shorten(inquiry, unknown)
    else:
        lacking = await _find_unlike(unknown, inquiry, embedder, _terms_of(inquiry), below=UNLIKE)
    return Missing(lacking=tuple(it._replace(presumed=presumed or it.presumed) for it in lacking))


async def _missing_in_another_language(inquiry: Inquiry, meaning: Embedder | None, examples: Examples) -> Missing:
    nouns = _nouns(inquiry) if meaning is not None else []
    if meaning is None or not nouns:
        return Missing(lacking=_find_lacking_elsewhere(inquiry))
    lacking = await _find_unlike_in_any_language(nouns, inquiry, meaning)
    counted = [it.mention for it in lacking if it.mention in _list_counted(inquiry) and not it.near]
    known = find_known_words(inquiry)
    is_any_known = any(_is_phrase_known(noun, known) for noun in nouns) or _names_entries(inquiry)
    nothing_known = bool(counted) and not is_any_known and not _shorten(inquiry, counted)
    if nothing_known and await _is_elsewhere(inquiry, nouns, meaning, *FAR_IN_ANY_LANGUAGE):
        return Missing(lacking, await _nothing_near(inquiry, counted[0], examples))
    return Missing(lacking=lacking)


def _list_counted(inquiry: Inquiry) -> list[str]:
    """The things that a question in another language wants counted or listed, one word each."""
    cue = _CUES.get(inquiry.frames.language)
    return [without_particle(match["mention"]) for match in cue.finditer(inquiry.text)] if cue else []


def _nouns(inquiry: Inquiry) -> list[str]:
    """The nouns of a question in another language, except its times."""
    times = " ".join(it.mention for it in periods_in(inquiry.text))
    found = list_mentioned(inquiry.text, inquiry.frames.language)
    return [it for it in found if it not in times and it.casefold() not in MONTHS]


async def _find_unlike_in_any_language(
    mention: Sequence[str], inquiry: Inquiry, meaning: Embedder
) -> tuple[Lacking, ...]:
    """The unknown phrases that are near neither to a name nor to what any data may be asked for."""
    known = find_known_words(inquiry)
    unknown = [phrase for phrase in mention if not _is_phrase_known(phrase, known)]
    terms = {spelling: term for term in _terms_of(inquiry) for spelling in with_umlauts(term)}
    return await _find_unlike(unknown, inquiry, meaning, terms, below=UNLIKE_IN_ANY_LANGUAGE, anything=_ANYTHING)


async def _find_unlike(
    phrases: Sequence[str],
    inquiry: Inquiry,
    embedder: Embedder,
    terms: Mapping[str, str],
    *,
    below: float,
    anything: float | None = None,
    formed: Sequence[str] = (),
) -> tuple[Lacking, ...]:
    """The phrases that no name resembles: the cosine to the nearest of the `terms` is under `below`.

    `anything`: the cosine to generic requests from which on a phrase is not missing. None skips this comparison.
    `formed`: phrases in which a word only resembles a known one.
    """
    lacking: list[Lacking] = []
    for phrase in (*phrases, *formed):
        if short := _shorten(inquiry, [phrase]):
            lacking += short
            continue
        parts, presumed = list(dict.fromkeys([phrase, phrase.rpartition(" ")[2]])), phrase in formed
        near = await nearest(parts, tuple(terms), inquiry, embedder, _TERMS)
        if near is None or near[0] >= (_FORM if presumed else below):
            continue
        if anything is not None:
            general = await nearest(parts, ANYTHING, inquiry, embedder, _GENERAL)
            if general is None or general[0] >= anything:
                continue
            presumed = presumed or near[0] >= UNLIKE_IN_ANY_LANGUAGE or general[0] >= _ANYTHING
        lacking.append(Lacking(phrase, terms[near[1]] if near[0] >= _NEAR else "", presumed, near[0] >= _FORM))
    return _once(lacking)


async def _is_elsewhere(inquiry: Inquiry, mention: Sequence[str], embedder: Embedder, far: float, apart: float) -> bool:
    """Whether no mentioned word is near a name, and the question is near no table.

    The rows of a database's only table may be called anything: a file `city` may hold rides.
    """
    if len(inquiry.schema.tables) == 1:
        return False
    near = await nearest(mention, tuple(_terms_of(inquiry)), inquiry, embedder, _TERMS)
    if near is None or near[0] >= far:
        return False
    near = await nearest([inquiry.text], _tables_of(inquiry.schema), inquiry, embedder, _TABLES)
    return near is not None and near[0] < apart


def _is_any_known(inquiry: Inquiry, known: frozenset[str]) -> bool:
    """Whether the question has a known word, a value or a proper name. True as well if it has no content words."""
    content = content_words(inquiry.text)
    names = any(it.text[:1].isupper() and not it.leads for it in tokens(inquiry.text))
    return not content or names or _names_entries(inquiry) or any(_is_known(it.lower(), known) for it in content)


def _names_entries(inquiry: Inquiry) -> bool:
    """Whether a question contains a stored value or a glossary term."""
    return any(it.is_sure for it in inquiry.context.linked.values) or bool(inquiry.rules)


def _is_phrase_known(phrase: str, known: frozenset[str]) -> bool:
    return any(_is_known(form, known) for it in tokens(phrase) for form in spellings(it.folded))


def _shorten(inquiry: Inquiry, mention: Sequence[str]) -> tuple[Lacking, ...]:
    """Phrases that a table or column name shortens: `doc` shortens "doctor", `plr` "player", `acc_type` "account".

    If most tables have such names, `tch` may be a "technician", and two letters of a table "equipment" (`eq`) or the
    initials of "work orders" (`wo`).
    """
    tables = [table.parts[-1] for table in inquiry.schema.tables]
    names = [*tables, *(column.name for table in inquiry.schema.tables for column in table.columns)]
    is_brief = _has_brief_names(inquiry.schema)
    pairs = {part for it in tables for part in split_name(it).split() if len(part) == 2} if is_brief else set()
    found: list[Lacking] = []
    for phrase in mention:
        word = phrase.rpartition(" ")[2].casefold()
        begun = {it for it in _initials_of(word, inquiry.text) | {word[:2]} if it in pairs} if len(word) > 2 else set()
        short = [
            it
            for it in names
            if any(_shortens(part, word, is_brief) for part in (it.casefold(), *split_name(it).split()))
            or (begun and begun & set(split_name(it).split()))
        ]
        found += [Lacking(phrase, short[0], presumed=True)] if short else []
    return _once(found)


def _initials_of(word: str, text: str) -> set[str]:
    """The initials of a word and the words beside it in a text: `wo` of "work" in "open work orders"."""
    said = [it.folded for it in tokens(text)]
    return {one[:1] + other[:1] for one, other in pairwise(said) if word in (one, other)}


@IdentityCache
def _has_brief_names(schema: Schema) -> bool:
    """Whether most words of the tables' names have at most three letters, or no vowels."""
    parts = [part for table in schema.tables for part in split_name(table.parts[-1]).split()]
    return sum(len(it) <= _SHORTENED or re.search("[aeiouy]", it) is None for it in parts) * 2 > len(parts)


def _shortens(part: str, word: str, is_brief: bool = False) -> bool:
    if not _SHORTENED <= len(part) < len(word) or word.removeprefix(part) in {"s", "es"}:
        return False
    if word.startswith(part):
        return True
    most = len(part) * (_LEFT_OUT + is_brief)
    if word[0] != part[0] or len(word) > most or _WITHOUT_VOWELS.fullmatch(part) is None:
        return False
    letters = iter(word)
    return all(it in letters for it in part)


def is_named_otherwise(word: str, inquiry: Inquiry) -> bool:
    """Whether a name is a form of a word or shortens it: `renewals` of "renewed", `gls` of "goals"."""
    return any(_is_form(it, word) for it in words_of_names(inquiry.schema)) or bool(_shorten(inquiry, [word]))


def _is_form(name: str, word: str) -> bool:
    """Whether two words are the same but for an English ending, of at least five letters in common."""
    ends = (at for at, (one, other) in enumerate(zip(name, word, strict=False)) if one != other)
    shared = next(ends, min(len(name), len(word)))
    return shared >= _BEGINNING and all(_INFLECTED.fullmatch(it[shared:]) for it in (name, word))


def _find_lacking_elsewhere(inquiry: Inquiry) -> tuple[Lacking, ...]:
    """What a question in another language asks for and no name contains, if other words of it are names."""
    language, known = LANGUAGES.get(inquiry.frames.language), find_known_words(inquiry)
    if language is None:
        return ()
    mention = [it for it in _list_counted(inquiry) if it.casefold() not in language.naming_nothing]
    speaks_it = any(_is_named(it, words_of_names(inquiry.schema)) for it in inquiry.stems | words(" ".join(mention)))
    return _once(Lacking(it) for it in mention if speaks_it and not _is_known(it.casefold(), known))


def _is_named(word: str, names: frozenset[str]) -> bool:
    """Whether a name is this word or a form of it: `beete` for "Beet"."""
    return (
        word in names
        if len(word) >= _BEGINNING
        else any(len(word) == _BEGINNING - 1 and it.startswith(word) and len(it) - len(word) <= _ENDING for it in names)
    )


def _once(found: Iterable[Lacking]) -> tuple[Lacking, ...]:
    """Each thing once: of `total score` and `score`, the first."""
    entry: list[Lacking] = []
    for it in found:
        if it.mention and not any(set(it.mention.split()) <= set(other.mention.split()) for other in entry):
            entry.append(it)
    return tuple(entry)


def find_known_words(inquiry: Inquiry) -> frozenset[str]:
    """The stems of all words in the schema, docs, description, samples, linked values and the session."""
    texts = [
        inquiry.conversation,
        inquiry.context.description,
        *(
            f"{it.mention} {it.value}"
            for it in inquiry.context.linked.values
            if it.how != "meaning" or it.score >= UNLIKE
        ),
    ]
    return _words_of(inquiry.schema) | _words_in(inquiry.context.known) | words(" ".join(texts))


@IdentityCache
def _words_in(documents: tuple[Document, ...]) -> frozenset[str]:
    return words(text_of(documents))


@IdentityCache
def _words_of(schema: Schema) -> frozenset[str]:
    texts: list[str] = []
    for table in schema.tables:
        texts += [table.name, table.comment]
        for column in table.columns:
            texts += [column.name, column.comment, *(() if column.private else column.samples)]
    return words(" ".join(texts))


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a word, a form of it, a part or a misspelling is among the known ones."""
    stem = max(words(word), key=lambda it: (len(it), it), default=word)  # of `co2`, which has two, the letters
    if stem in known:
        return True
    begins = len(stem) >= _BEGINNING and any(it.startswith(stem[:_BEGINNING]) for it in known)
    if begins or len(stem) < _BEGINNING - 1:
        return begins
    from rapidfuzz import fuzz, process

    pieces = any(_is_piece(stem, it) or _is_piece(it, stem) for it in known if len(it) >= _BEGINNING - 1)
    if len(stem) <= _BEGINNING:
        return pieces  # with so few letters, a misspelling is as likely another word: "star", `start`
    return pieces or process.extractOne(stem, known, scorer=fuzz.ratio, score_cutoff=_ALIKE) is not None


def _is_piece(short: str, long: str) -> bool:
    """Whether a word begins or ends a longer one with room for another word: `ticket` in `ticketpreis`."""
    rest = len(long) - len(short)
    return rest >= _PIECE and (long.startswith(short) or long.endswith(short))


async def _is_understood(schema: Schema, embedder: Embedder) -> bool:
    """Whether the embedder knows most words of a schema's names. It does not know codes or other languages."""
    try:
        vocabulary = await asyncio.to_thread(vocabulary_of, embedder)
    except RetrievalError:
        return False
    names = [word for table in schema.tables for word in split_name(table.parts[-1]).split()]
    spoken = [len(it) > 3 and re.search("[aeiouy]", it) is not None for it in names]
    if not names or sum(spoken) * 2 <= len(spoken):
        return False
    return sum(it in vocabulary for it in names) * 2 > len(names)  # the thresholds are known for no other model


_TERMS, _TABLES, _GENERAL = Terms(), Terms(), Terms()


def _tables_of(schema: Schema) -> tuple[str, ...]:
    """Each table with its columns, as one text."""
    return tuple(
        f"{split_name(table.parts[-1])}: {', '.join(split_name(it.name) for it in table.columns)}"
        for table in schema.tables
    )


def _terms_of(inquiry: Inquiry) -> dict[str, str]:
    """The distinct names, samples and glossary terms."""
    found: list[str] = []
    for table in inquiry.schema.tables:
        found.append(split_name(table.parts[-1]))
        for column in table.columns:
            found += [split_name(column.name), *(() if column.private else column.samples)]
    found += filter(None, (term_of(it.text) for it in inquiry.context.known if it.kind == "rule"))
    return {term: term for term in found}


async def _nothing_near(inquiry: Inquiry, phrase: str, examples: Examples) -> Clarification:
    names = list(dict.fromkeys([*_rank_tables(inquiry), *(table.name for table in inquiry.schema.tables)]))
    frames = inquiry.frames
    about = ", ".join(name.replace("_", " ") for name in names[:_TABLES_SHOWN])
    text = frames.missing.format(mention=phrase, tables=about + (", …" if len(names) > _TABLES_SHOWN else ""))
    found = await suggest_instead(inquiry, text, examples)
    return found.model_copy(update={"assumption": frames.nothing_near.format(mention=phrase)})


async def suggest_instead(
    inquiry: Inquiry, text: str, examples: Examples, reason: Reason = "missing_data"
) -> Clarification:
    """A sentence that states what the data or the question lacks, with questions that the data can answer."""
    choices = [Choice(label=it, question=it) for it in await examples(_rank_tables(inquiry))]
    return ask(reason, f"{text} {inquiry.frames.instead}" if choices else text, choices)


def _rank_tables(inquiry: Inquiry) -> list[str]:
    return [it.table for it in inquiry.context.linked.ranking.tables]
