"""Checks whether a rewritten question keeps the message's meaning and adds nothing from outside the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.core.models import Choice, Pending
from agent.understanding.followups.leaning import asks, content_words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"['\"“”„«»‘’`]([^'\"“”„«»‘’`]{1,80})['\"“”„«»‘’`]")
_LATER_WORD = re.compile(r"(?<=[\w,;:] )[^\W\d_][\w&.-]*\w")  # any word except the first
_CORRECTION = re.compile(
    r"\W*(?:(?:no|nope|nein|non|not|nicht|pas)\b(?!\s+(?:one|body))|(?:sorry|actually|i meant?|i mean|instead|rather"
    r"|ich meine?|ich meinte|je voulais dire|quise decir|me refería|volevo dire|intendevo)\b)",
    re.IGNORECASE,
)
_ENDING = "?!. ,;:"
STEM = 4  # letters that forms of one word share
LITTLE = 1  # numbers up to this belong to the wording: "the top one", "a 1:1 ratio"

_NUMERALS = {
    word: str(number)
    for number, words in {
        1: "one eins ein einen un une uno una",
        2: "two zwei deux dos due both beide beiden",
        3: "three drei trois tres tre",
        4: "four vier quatre cuatro quattro",
        5: "five fünf cinq cinco cinque",
        6: "six sechs seis sei",
        7: "seven sieben sept siete sette",
        8: "eight acht huit ocho otto",
        9: "nine neun neuf nueve nove",
        10: "ten zehn dix diez dieci",
        20: "twenty zwanzig vingt veinte venti",
        100: "hundred hundert cent cien cento",
    }.items()
    for word in words.split()
}

_PLACES = tuple(
    frozenset(words.split())
    for words in (
        "first 1st erste ersten erstes premier première primero primera primo prima",
        "second 2nd zweite zweiten zweites deuxième seconde segundo segunda secondo seconda",
        "third 3rd dritte dritten drittes troisième tercero tercera terzo terza",
        "fourth 4th vierte vierten viertes quatrième cuarto cuarta quarto quarta",
    )
)


def keeps(text: str, message: str, conversation: Sequence[str]) -> bool:
    """Whether a rewrite keeps the numbers and names of a message and adds no number of its own."""
    found = _numbers(text)
    known = _numbers(" ".join(conversation)) | _numbers(message)
    if not _digits(message) <= found or any(number not in known for number in _digits(text)):
        return False
    if not {number for number in _numbers(message) if int_of(number) > LITTLE} <= found:
        return False
    folded = text.casefold()
    quoted = _QUOTED.findall(message)
    names = [word for word in _LATER_WORD.findall(message) if word[0].isupper()]
    words = content_words(message)
    if not all(one.casefold() in folded for one in quoted) or not all(_has(folded, name) for name in names):
        return False
    return not words or any(_has(folded, word) for word in words)


def find_unsaid_numbers(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The distinct numbers in a text that occur nowhere in the known texts."""
    found = _numbers(" ".join(known))
    return tuple(dict.fromkeys(number for number in _NUMBER.findall(text) if number not in found))


def corrects(message: str) -> bool:
    """Whether a message corrects the previous question: "no, in Spain", "I meant the paid ones"."""
    return _CORRECTION.match(message) is not None


def replaces(text: str, corrected: str) -> bool:
    """Whether a rewrite drops a word of the corrected question. A correction must replace something."""
    folded = text.casefold()
    words = content_words(corrected)
    return not words or any(not _has(folded, word) for word in words)


def keeps_all(text: str, message: str) -> bool:
    """Whether a rewrite keeps every content word of a message and its question word."""
    folded = text.casefold()
    first = next(iter(re.findall(r"\w+", message.casefold())), "")
    begins = not asks(first) or first in folded
    return begins and all(_has(folded, word) for word in content_words(message))


def asks_back(text: str, pending: Pending) -> bool:
    """Whether a rewrite only repeats the clarification or has lost the subject of the question."""
    folded = text.casefold()
    about = content_words(pending.question)
    lost = sum(not _has(folded, word) for word in about)
    return folded in " ".join(pending.clarification.casefold().split()) or lost * 2 > len(about)


def find_chosen(message: str, choices: Sequence[Choice]) -> str | None:
    """The question of the choice that a message names by label, question or number. None if it names none."""
    reply = _fold(message)
    for number, choice in enumerate(choices, 1):
        short = choice.label.split(" (")[0]  # the dates in parentheses need not be repeated
        if reply in (_fold(choice.label), _fold(short), _fold(choice.question), str(number)):
            return choice.question
    places = [place for place, words in enumerate(_PLACES) if set(reply.split()) & words]
    only_place = bool(places) and not content_words(message)
    return choices[places[0]].question if only_place and places[0] < len(choices) else None


def with_reply(question: str, reply: str) -> str:
    """A question merged with the reply to its clarification, without a model."""
    sign = question.rstrip()[-1:] if question.rstrip()[-1:] in "?!.？！。" else ""
    return f"{question.strip().rstrip(_ENDING + '？！。')} ({reply.strip().rstrip('.')}){sign}"


def int_of(number: str) -> float:
    """The value of a number in a text."""
    return float(number.replace(",", "")) if number.replace(",", "").replace(".", "", 1).isdigit() else float("inf")


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_ENDING)


def _digits(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _numbers(text: str) -> set[str]:
    """Numbers in digits, numbers in words, and the parts of dates."""
    words = re.findall(r"\w+", text.casefold())
    return _digits(text) | {_NUMERALS[word] for word in words if word in _NUMERALS}


def _has(folded: str, word: str) -> bool:
    """Whether a text contains a word or a form of it."""
    word = word.casefold()
    return word in folded or (len(word) > STEM and word[: max(STEM, len(word) - 3)] in folded)
