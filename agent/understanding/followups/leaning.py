"""Detects messages that depend on earlier ones, from their words alone, without a model.

The signs are ellipsis and anaphora: a message begins like the end of another sentence ("and in 2024?"), has a pronoun
without a referent ("sort them by name"), or names nothing at all ("only the top three").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from agent.understanding.followups.words import LANGUAGES, Language, words_of

_TOKEN = re.compile(r"\w+", re.UNICODE)
_CLAUSES = words_of("and or who that which whose where und oder die der das et ou qui que y o e che")
_NOW = words_of(  # "this month" is relative to today, not to an earlier message
    "year month week quarter day morning summer winter spring autumn season decade time jahr monat woche quartal année "
    "mois semaine trimestre año mes semana trimestre anno mese settimana"
)
_PERSONS = words_of("who wer qui quién quien chi hat has")  # "who has not paid their fee"
_RELATIVE = words_of("who that which whose with where whom die der deren qui que dont che con mit")
# Pronouns without a referent: "it is possible", "il me faut".
_EXPLETIVE = re.compile(
    r"(?:is\s+it|it(?:['’]s|\s+is|\s+would\s+be))\s+\w+|es\s+gibt|il\s+(?:me\s+|nous\s+)?(?:y|faut|est)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\b(\w)-(?=\w)")  # as in "E-Mail"; "e" is a word of Italian
_POLITE = re.compile(r"(?<=\w\s)(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b")  # the polite address in German
_WHOLE = 2  # content words from which on a message with a pronoun is self-contained
MANY = 3  # words from which on a message in an unknown language may be self-contained


@dataclass(frozen=True)
class Script:
    """Languages detected by their script, in which words cannot be separated or change by their ending: patterns only.

    letters: characters that identify the script.
    leans: signs that a message depends on earlier ones. asks: signs that it asks something of its own.
    short: a message that asks nothing is a fragment up to this number of characters.
    """

    letters: re.Pattern[str]
    leans: re.Pattern[str]
    asks: re.Pattern[str]
    short: int


SCRIPTS = (
    Script(
        letters=re.compile(r"[가-힣]"),  # Korean
        leans=re.compile(
            r"^\W*(?:그럼|그러면|그리고|그런데|그\s?중|이\s?중|그건|그것|그거|이것|이건|그들|거기|같은\s?(?:걸|것|방식)|또|아니)"
            r"|(?:그\s?중|이\s?중|그것|그들|그\s(?:고객|제품|달|해|주문))|왜\s?이렇게|왜\s?그렇게|(?:는|은)요?\s?\?*$|만\s*(?:보여|알려)?\S*$"
        ),
        asks=re.compile(r"보여|알려|얼마|몇|무엇|뭐|어떤|어느|누가|누구|어디|언제|왜|나열|계산|비교|찾아|조회|구해"),
        short=8,
    ),
    Script(
        letters=re.compile(r"[ぁ-ゖァ-ヺ]"),  # Japanese
        leans=re.compile(
            r"^\W*(?:では|じゃあ|それ|その|これ|この|そして|また|同じ)|(?:その中|このうち|そのうち|それら)|は[?？]*$|だけ"
        ),
        asks=re.compile(r"いくつ|いくら|何|どの|どれ|誰|いつ|どこ|なぜ|教えて|見せて|表示|一覧|計算|比較|ですか"),
        short=8,
    ),
    Script(
        letters=re.compile(r"[一-鿿]"),  # Chinese
        leans=re.compile(
            r"^\W*(?:那|那么|它|他们|她们|这些|那些|这个|那个|其中|同样|还有|只)|其中|呢[?？]*$|为什么这么|为什么那么"
        ),
        asks=re.compile(r"多少|几|什么|哪|谁|何时|为什么|显示|列出|计算|比较|查询|给我|统计"),
        short=6,
    ),
)


class Leaning(Enum):
    """LEANS: depends on earlier messages. STANDS: is self-contained. UNSURE: only the conversation can decide."""

    LEANS = auto()
    STANDS = auto()
    UNSURE = auto()


def find_leaning(text: str) -> Leaning:
    """Whether a message depends on the conversation before it.

    This uses words of English, German, French, Spanish and Italian, and patterns for Korean, Japanese and Chinese. In
    other languages only the length counts.
    """
    script = next((script for script in SCRIPTS if script.letters.search(text)), None)
    if script is not None:
        if script.leans.search(text.strip()):
            return Leaning.LEANS
        if script.asks.search(text):
            return Leaning.STANDS
        return Leaning.LEANS if len(text.strip(" ?？。.")) <= script.short else Leaning.UNSURE
    words = _TOKEN.findall(text.casefold())
    if not words:
        return Leaning.LEANS
    best = max(LANGUAGES.values(), key=lambda language: language.hits(words))
    if best.hits(words) == 0:
        return Leaning.LEANS if len(words) < MANY else Leaning.UNSURE
    if best.always.search(text):
        return Leaning.LEANS
    return _Sentence(text, words, best).find_leaning()


class Lost(Enum):
    """How a first message refers to something that only an earlier one could have named.

    CONTINUES: it changes or continues something, "now split that by month". NAMES_NOTHING: it names nothing, "what do
    they cost?", unless one of its words is a name of the data.
    """

    CONTINUES = auto()
    NAMES_NOTHING = auto()


def find_lost_reference(text: str) -> Lost | None:
    """How a first message lacks its reference. None if it is self-contained, or in a script without known words."""
    if _EXPLETIVE.match(text.strip()) or any(script.letters.search(text) for script in SCRIPTS):
        return None
    words = _TOKEN.findall(_POLITE.sub(" ", _LETTER.sub(r"\1", text)).casefold())
    if not words:
        return None
    best = max(LANGUAGES.values(), key=lambda language: (language.hits(words), words[0] in language.joins))
    return _Sentence(text, words, best).find_lost_reference() if best.hits(words) else None


def asks_by_itself(text: str) -> bool:
    """Whether a message is a complete question or request, not a statement or a fragment."""
    script = next((script for script in SCRIPTS if script.letters.search(text)), None)
    if script is not None:
        return bool(script.asks.search(text)) and find_leaning(text) is Leaning.STANDS
    words = _TOKEN.findall(text.casefold())
    return find_leaning(text) is Leaning.STANDS and any(
        word in language.asks for language in LANGUAGES.values() for word in words
    )


def asks(word: str) -> bool:
    """Whether a word, case-folded, begins a question or a request."""
    return any(word in language.asks for language in LANGUAGES.values())


def content_words(text: str) -> list[str]:
    """The case-folded words that name something. Empty in a script without known words."""
    words = _TOKEN.findall(text.casefold())
    if not words or any(script.letters.search(text) for script in SCRIPTS):
        return []
    best = max(LANGUAGES.values(), key=lambda language: language.hits(words))
    return [word for word in words if not word[0].isdigit() and word not in best.naming_nothing]


class _Sentence:
    """One message in a known language."""

    def __init__(self, text: str, words: list[str], language: Language) -> None:
        self._text, self._language = text, language
        start = 0
        while start < len(words) - 1 and words[start] in language.joins:
            start += 1
        self._joined, self._words = start > 0, words[start:]
        naming_nothing = language.naming_nothing
        self._content = [
            number
            for number, word in enumerate(self._words)
            if word not in naming_nothing and not word[0].isdigit() and not (number == 0 and word in language.changes)
        ]

    def find_leaning(self) -> Leaning:
        words, language = self._words, self._language
        if not self._content:
            return Leaning.LEANS
        found = self._of_pronouns()
        if words[0] in language.changes and words[0] not in language.asks:
            follows = words[1] if len(words) > 1 else ""
            bound = follows in language.prepositions | language.only or found is not Leaning.STANDS
            return Leaning.LEANS if bound else Leaning.UNSURE
        if found is not Leaning.STANDS:
            return found
        if not any(word in language.asks or word in language.verbs for word in words):
            return self._of_fragment()
        return self._of_question()

    def find_lost_reference(self) -> Lost | None:
        words, language = self._words, self._language
        asks = any(word in language.asks or word in language.verbs for word in words)
        leading = next((it for it in words if it not in language.function), words[0])
        changes = leading in language.changes and leading not in language.asks
        few = len(self._content) < _WHOLE
        if self._has_lost_pronoun():
            goes_on = self._joined or changes
            return Lost.CONTINUES if goes_on else Lost.NAMES_NOTHING if few else None
        if asks:
            return Lost.NAMES_NOTHING if not self._content else None
        bound = changes and self._after(leading) in language.prepositions | language.pronouns
        if self._joined or (bound and len(self._content) <= _WHOLE):
            return Lost.CONTINUES  # "and in 2024", "sort by price", "now split that"
        if few and language.always.match(self._text.strip()):
            return Lost.CONTINUES  # "the same for France"
        counts = any(word in language.generic for word in words[: self._content[0]]) if self._content else False
        fragment = few and words[0] in language.only and not counts
        return Lost.NAMES_NOTHING if fragment or not self._content else None

    def _has_lost_pronoun(self) -> bool:
        """Whether a pronoun refers to something before the message has named anything."""
        words, language = self._words, self._language
        first = self._content[0] if self._content else len(words)
        for number, word in enumerate(words[:first]):
            before, follows = words[number - 1] if number else "", "".join(words[number + 1 : number + 2])
            if follows in _NOW | _RELATIVE or follows[:1].isdigit() or before in _PERSONS:
                continue
            if word in language.pointers and follows and follows not in language.naming_nothing:
                return self._points_back(number, follows)
            is_relative = word in _CLAUSES and before in language.generic
            if word in language.owners or (word in language.pronouns - language.function and not is_relative):
                return word != "one" or follows in language.naming_nothing
        return False

    def _of_question(self) -> Leaning:
        """Classify a sentence with a question word or a verb by whether it names what it asks about."""
        words, language = self._words, self._language
        subject = self._after(words[0]) if words[0] in language.which else None
        counted = next((self._after(word) for word in words[:4] if word in language.many), None)
        if counted is not None and counted in language.verbs:
            return Leaning.LEANS  # "how many were cancelled?": how many what?
        if subject is not None and len(self._content) == 1:
            if not set(words) & language.verbs:
                return Leaning.LEANS  # "which customers?"
            if subject in language.verbs:
                return Leaning.UNSURE  # "which were cancelled?"
        if any(word in language.only for word in words[:3]):
            return Leaning.UNSURE
        named = {words[number] for number in self._content}
        whole = any(one in named for one in (subject, counted) if one is not None)
        return Leaning.UNSURE if self._joined and not whole else Leaning.STANDS

    def _after(self, word: str) -> str:
        """The word after a word. Empty at the end."""
        return next(iter(self._words[self._words.index(word) + 1 :]), "")

    def _of_pronouns(self) -> Leaning:
        """Classify by pronouns: the referent is in an earlier clause, perhaps in this one, or absent."""
        language, first = self._language, self._content[0]
        found = Leaning.STANDS
        light = language.verbs | language.function | language.prepositions | language.asks | language.pronouns
        for number, word in enumerate(self._words):
            follows = self._words[number + 1] if number + 1 < len(self._words) else ""
            if word in language.pointers and self._points_back(number, follows):
                return Leaning.LEANS
            if word in language.owners and number < first:
                return Leaning.LEANS
            if word not in language.pronouns or (word in language.pointers and follows in _NOW | _RELATIVE):
                continue
            if word in _CLAUSES and number > first:
                continue  # a relative pronoun: "customers that never ordered"
            if word == "one" and follows and follows not in light:
                continue  # a numeral: "more than one order"
            if number < first:
                return Leaning.LEANS
            if not any(between in _CLAUSES for between in self._words[first + 1 : number]):
                found = Leaning.UNSURE
        return found

    def _points_back(self, number: int, follows: str) -> bool:
        """Whether a demonstrative has a noun that no clause explains."""
        language = self._language
        if not follows or follows in _NOW | _RELATIVE or follows[0].isdigit():
            return False
        before = self._words[number - 1] if number else ""
        explained = number + 2 < len(self._words) and self._words[number + 2] in _RELATIVE
        as_relative = self._words[number] in _CLAUSES and number > self._content[0]
        return follows not in language.naming_nothing and not explained and not as_relative and before != "than"

    def _of_fragment(self) -> Leaning:
        """Classify a message without a verb: part of an earlier question, or a short request ("revenue by month")."""
        words, language, content = self._words, self._language, self._content
        if self._joined or words[0] in language.prepositions or words[0] in language.only or len(words) == 1:
            return Leaning.LEANS
        after = words[content[0] + 1 : -1]
        if any(word in language.divides for word in after):
            return Leaning.STANDS
        measures = any(word in language.generic for word in words[: content[0]])
        if measures and any(word in language.prepositions for word in after):
            return Leaning.STANDS
        dated = content[0] == 0 and words[-1][0].isdigit()  # "revenue in 2024"
        return Leaning.UNSURE if measures or dated or len(content) > 1 else Leaning.LEANS
