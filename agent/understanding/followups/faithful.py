"""Checks whether a rewritten question keeps the message's meaning and adds nothing from outside the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.core.models import Choice, Pending
from agent.understanding.followups.leaning import asks, content_words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"['\"“”„«»‘’`]([^'\"“”„«»‘’`]{1,80})['\"“”„«»‘’`]")
_LATER_WORD = re.compile(r"(?<=[\w,;:] )[^\W\d_][\w&.-]*\w")  # any but the first one
_CORRECTION = re.compile(
    r"\W*(?:(?:no|nope|nein|non|not|nicht|pas)\b(?!\s+(?:one|body))|(?:sorry|actually|i meant?|i mean|instead|rather"
    r"|ich meine?|ich meinte|je voulais dire|quise decir|me refería|volevo dire|intendevo)\b)",
    re.IGNORECASE,
)
_ENDING = "?!. ,;:"
STEM = 4  # letters by which forms of one word are known
LITTLE = 1  # numbers up to this are added by grammar: "the top one", "a 1:1 ratio"

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
    """Whether a rewrite keeps the numbers and names of a message, and brings in no number of its own."""
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
    """The numbers of a text that stand nowhere in what is known, each once."""
    found = _numbers(" ".join(known))
    return tuple(dict.fromkeys(number for number in _NUMBER.findall(text) if number not in found))


def corrects(message: str) -> bool:
    """Whether a message says that something else was meant: "no, in Spain", "I meant the paid ones"."""
    return _CORRECTION.match(message) is not None


def replaces(text: str, corrected: str) -> bool:
    """Whether a rewrite leaves out something of the question that is corrected: what was not meant must go."""
    folded = text.casefold()
    words = content_words(corrected)
    return not words or any(not _has(folded, word) for word in words)


def keeps_all(text: str, message: str) -> bool:
    """Whether a rewrite has every word of a message that names something, and asks in the same way."""
    folded = text.casefold()
    first = next(iter(re.findall(r"\w+", message.casefold())), "")
    begins = not asks(first) or first in folded
    return begins and all(_has(folded, word) for word in content_words(message))


def asks_back(text: str, pending: Pending) -> bool:
    """Whether a rewrite only repeats what was asked back, or has lost what the question was about."""
    folded = text.casefold()
    about = content_words(pending.question)
    lost = sum(not _has(folded, word) for word in about)
    return folded in " ".join(pending.clarification.casefold().split()) or lost * 2 > len(about)


def find_chosen(message: str, choices: Sequence[Choice]) -> str | None:
    """The question of the choice that a message names by its label, its question or its number; None where none."""
    reply = _fold(message)
    for number, choice in enumerate(choices, 1):
        short = choice.label.split(" (")[0]  # what it means in dates need not be repeated
        if reply in (_fold(choice.label), _fold(short), _fold(choice.question), str(number)):
            return choice.question
    places = [place for place, words in enumerate(_PLACES) if set(reply.split()) & words]
    only_place = bool(places) and not content_words(message)
    return choices[places[0]].question if only_place and places[0] < len(choices) else None


def with_reply(question: str, reply: str) -> str:
    """A question together with the reply to what was asked back, without a model."""
    sign = question.rstrip()[-1:] if question.rstrip()[-1:] in "?!.？！。" else ""
    return f"{question.strip().rstrip(_ENDING + '？！。')} ({reply.strip().rstrip('.')}){sign}"


def int_of(number: str) -> float:
    """What a number of a text is worth."""
    return float(number.replace(",", "")) if number.replace(",", "").replace(".", "", 1).isdigit() else float("inf")


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).strip(_ENDING)


def _digits(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _numbers(text: str) -> set[str]:
    """Those in digits, those in words, and the parts of dates."""
    words = re.findall(r"\w+", text.casefold())
    return _digits(text) | {_NUMERALS[word] for word in words if word in _NUMERALS}


def _has(folded: str, word: str) -> bool:
    """Whether a text has a word, or a form of it."""
    word = word.casefold()
    return word in folded or (len(word) > STEM and word[: max(STEM, len(word) - 3)] in folded)
