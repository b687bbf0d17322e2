"""The texts of clarifications, in the languages of frames.toml. Other languages get English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agent.core.texts.data_files import read_texts, read_words
from agent.understanding.followups.words import LANGUAGES
from executors.base import Frozen


class Frames(Frozen):
    """Sentences with named placeholders. `mention` holds the question's own words, `column` a name of the schema."""

    language: str
    vague_time: str
    vague_time_unknown: str
    two_dates: str
    several_values: str
    many_values: str
    several_columns: str
    vague_measure: str
    vague_limit: str
    missing_context: str
    above_average: str
    below_average: str
    missing: str
    nothing_near: str
    lacking: str
    read_as: str
    instead: str
    assumed: str
    failed: str
    went_wrong: str
    last_days: str
    last_months: str
    period: str
    days: str
    by_date: str
    all_of: str
    all_named: str
    by: str
    total: str
    number_of: str


_FRAMES = {
    code: Frames.model_validate({"language": code, **texts})
    for code, texts in read_texts(__file__, "frames.toml").items()
}
EN = _FRAMES["en"]
# Words of short questions, such as "average cost per treatment", that none of the other languages has.
_SHORT = """
    average number every highest lowest longest shortest never without than more most least whose where when still been
    by percentage share and
"""
_ENGLISH_ALONE = frozenset(_SHORT.split())
_BY_WORD = {code: frozenset(listed) for code, listed in read_words(__file__, "function_words.txt").items()}
_SAYING_NOTHING = {code: language.naming_nothing for code, language in LANGUAGES.items()}
_LETTERS = {"de": "ß", "fr": "œ", "es": "ñ¿¡"}  # no other language has them


def frames_of(question: str) -> Frames:
    """The frames of a question's language, detected by its script and function words. English if it is unknown."""
    if re.search(r"[\uac00-\ud7a3]", question):
        return _FRAMES["ko"]
    if re.search(r"[\u4e00-\u9fff]", question) and not re.search(r"[\u3040-\u30ff]", question):
        return _FRAMES["zh"]
    found = re.findall(r"[^\W\d_]+", question.lower())
    counts = {name: sum(word in listed for word in found) for name, listed in _BY_WORD.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if counts[best] > 1 and list(counts.values()).count(counts[best]) == 1:
        return _FRAMES[best]
    return _FRAMES[_by_any_words(question, found, counts)]


def _by_any_words(question: str, found: Sequence[str], counts: Mapping[str, int]) -> str:
    """The language with the most function words and special letters. English if two are equally likely."""
    scores: dict[str, int] = {}
    for language, listed in _SAYING_NOTHING.items():
        letters = len(set(_LETTERS.get(language, "")) & set(question.lower()))
        scores[language] = counts[language] + sum(word in listed for word in found) + letters
    best = max(scores.values())
    likely = [language for language, score in scores.items() if score == best]
    return likely[0] if len(likely) == 1 and best else "en"


def is_english(question: str) -> bool:
    """Whether a question is certainly English. A question of few words may be in any language."""
    found = set(re.findall(r"[^\W\d_]+", question.lower()))
    return question.isascii() and frames_of(question) is EN and not found.isdisjoint(_BY_WORD["en"] | _ENGLISH_ALONE)


def write_list(text: str, labels: list[str]) -> str:
    """A sentence with the choices below it, one per line."""
    return "\n".join([text, *(f"- {label}" for label in labels)])
