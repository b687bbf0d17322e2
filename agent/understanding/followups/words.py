"""Words that mark a follow-up, a row for each language.

The rows hold function words only. Every other word names something and is called content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as it spells them."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Language:
    """One language that puts spaces between its words; all words are case-folded.

    asks: question words, and verbs that ask for data.
    which: of those, the ones that want a noun after them and ask nothing with it alone.
    many: of those, or with them, the ones that want something to count after them.
    verbs: forms of be, have and do: with them a message is a sentence.
    changes: verbs that change what was shown (sort, filter), at the beginning of a message.
    joins: words that tie a sentence to the one before it.
    only: words that narrow what was shown.
    divides: prepositions that group what stands before them.
    prepositions: with which no sentence of its own begins, unless it asks further on.
    pronouns: that stand for something named before, here or earlier.
    owners: the same as possessives.
    pointers: demonstratives that want a noun after them, and point to an earlier message.
    generic: nouns and adjectives that name nothing of the data: ranks, amounts, spans of time, numerals.
    function: what else names nothing.
    always: signs that are enough by themselves, as a pattern.
    """

    name: str
    asks: frozenset[str]
    which: frozenset[str]
    many: frozenset[str]
    verbs: frozenset[str]
    changes: frozenset[str]
    joins: frozenset[str]
    only: frozenset[str]
    divides: frozenset[str]
    prepositions: frozenset[str]
    pronouns: frozenset[str]
    owners: frozenset[str]
    pointers: frozenset[str]
    generic: frozenset[str]
    function: frozenset[str]
    always: re.Pattern[str]

    def hits(self, words: list[str]) -> int:
        """How many of the words are this language's."""
        return sum(word in self.naming_nothing or word in self.changes for word in words)

    @property
    def naming_nothing(self) -> frozenset[str]:
        """All words that are no content."""
        named = (self.asks, self.verbs, self.joins, self.only, self.prepositions, self.pronouns, self.owners)
        return frozenset().union(*named, self.pointers, self.generic, self.function)


ENGLISH = Language(
    name="English",
    asks=words_of(
        """
        what which who whom whose when where why how show list give find tell display plot get compute count calculate
        return name fetch determine identify provide compare rank whats
        """
    ),
    which=words_of("which whose"),
    many=words_of("many"),
    verbs=words_of("is are was were be been am do does did has have had can could will would should may"),
    changes=words_of(
        """
        sort order group break filter exclude include limit restrict narrow round split reverse add remove drop drill
        convert compare explain leave omit skip rank sorted grouped ordered filtered broken compared
        """
    ),
    joins=words_of("and but or also then instead plus additionally"),
    only=words_of("only just"),
    divides=words_of("by per"),
    prepositions=words_of(
        """
        in for by per from with without since between before after until till to as of on at during within except
        excluding including over under above below across versus vs descending ascending
        """
    ),
    pronouns=words_of(
        """
        it they them those these that this one ones he she him her both neither latter former others itself themselves
        """
    ),
    owners=words_of("its their his theirs"),
    pointers=words_of("those these that this"),
    generic=words_of(
        """
        top bottom first last next previous highest lowest biggest smallest largest best worst most least more less
        fewer many much few few all each every any some other same second third fourth fifth two three four five six
        seven eight nine ten twenty hundred total sum average mean median percent percentage percentages share shares
        averages totals ratio difference change growth trend reason details detail number year years month months week
        weeks day days quarter quarters low high lower higher good bad cheapest result results answer half zero
        alphabetically descending ascending name names chart table graph details list
        """
    ),
    function=words_of(
        """
        the a an i you we us our me my your there here not no yes ok okay please thanks great well hmm now so too
        again if than such so up down out about into off s t re ve ll d like want need see know let lets did m while
        because really exactly respectively either
        """
    ),
    always=re.compile(
        r"^\W*(?:(?:and|but|so|ok(?:ay)?|now|then)[\s,]+)*(?:what|how)\s+about\b"
        r"|^\W*(?:and\s+)?(?:the\s+)?same\b|\b(?:do|show|give|list)(?:\s+me)?\s+the\s+same\b(?!.*\bas\b)"
        r"|\bthe\s+same\s+(?:for|with|but|thing|by|query|question|again)\b|\blikewise\b|\bditto\b|\bas\s+well\W*$"
        r"|\binstead\W*$|\btoo\W*$|\bwhy\b.*\bso\s+(?!far\b)\w+|\bthe\s+(?:others?|rest|remaining|latter|former|above)"
        r"\W*(?:$|\?)|\b(?:of|among|from|for|in|by|with|to)\s+(?:them|those|these|it|that|this)\W*(?:$|[?,.]|\b(?:are|is"
        r"|have|has|were|was|did|do)\b)|\bthe\s+(?:previous|last|above|earlier)\s+(?:one|question|query|result|answer)"
        r"|^\W*(?:no|not|sorry)\s*,|^\W*i\s+meant?\b|\b(?:in|during|for|from|since|by|at|of)\s+that\s+(?!is\b|are\b|was\b"
        r"|were\b|has\b|have\b|had\b)\w+|\b(?:live|lives|work|works|sold|ordered|bought|located|happened)\s+there\b"
        r"|^\W*(?:go\s+on|continue|more|again|why|when|who|really|explain(?:\s+(?:that|it|this))?)\W*$",
        re.IGNORECASE,
    ),
)  # fmt: skip

GERMAN = Language(
    name="German",
    asks=words_of(
        """
        was welche welcher welches welchen welchem wer wem wen wessen wann wo warum wieso weshalb wie wieviel wieviele
        zeige zeig liste gib nenne finde berechne zähle sag vergleiche ermittle
        """
    ),
    which=words_of("welche welcher welches welchen welchem"),
    many=words_of("viele wieviele"),
    verbs=words_of(
        """
        ist sind war waren sei hat haben hatte hatten wird werden wurde wurden gibt gab kann können soll tun macht
        machen
        """
    ),
    changes=words_of(
        """
        sortiere sortier ordne gruppiere filtere filter runde teile begrenze beschränke füge entferne zeige erkläre
        lass vergleiche
        """
    ),
    joins=words_of("und aber oder auch dann stattdessen sondern außerdem"),
    only=words_of("nur bloß lediglich"),
    divides=words_of("nach pro je"),
    prepositions=words_of(
        """
        in im für nach pro je aus von vom mit ohne seit zwischen vor bis zu zum zur als bei an am auf während
        innerhalb außer unter über ab gegenüber absteigend aufsteigend
        """
    ),
    pronouns=words_of(
        """
        sie ihnen er ihm ihn diese dieser dieses diesen diesem denen deren dessen davon dabei dafür daran darunter
        beide jene jenen dasselbe dieselben das
        """
    ),
    owners=words_of("ihre ihrer ihren ihrem seine seiner seinen seinem"),
    pointers=words_of("diese dieser dieses diesen diesem jene jener jenes jenen jenem"),
    generic=words_of(
        """
        top erste ersten erster letzte letzten nächste nächsten höchste höchsten höchster niedrigste niedrigsten
        größte größten kleinste kleinsten beste besten bester schlechteste schlechtesten meisten meiste wenigsten mehr
        weniger viele viel wenig alle jede jeder jedes jeden andere anderen gleiche gleichen zwei drei vier fünf sechs
        sieben acht neun zehn zwanzig hundert gesamt summe durchschnitt mittelwert prozent anteil differenz
        unterschied entwicklung grund details anzahl zahl jahr jahre jahren monat monate monaten woche wochen tag tage
        tagen quartal quartale hoch niedrig tief schlecht gut ergebnis wert werte name namen reihenfolge insgesamt
        """
    ),
    function=words_of(
        """
        der die das den dem des ein eine einer einen einem eines ich du wir uns unser unsere unserer mir mich man
        nicht kein keine ja nein ok bitte danke nun jetzt so denn da dort doch mal noch schon sehr wenn dass ob es
        sich einmal gerne möchte will eigentlich jeweils
        """
    ),
    always=re.compile(
        r"^\W*(?:und\s+)?(?:was|wie)\s+(?:ist\s+(?:mit|es\s+mit)|sieht\s+es\s+(?:mit|bei|in|im)?)\b"
        r"|^\W*(?:und\s+)?(?:das|die|der)?\s*(?:gleiche|selbe|dasselbe)\b|\bwarum\b.*\bso\s+\w+|\bwieso\b.*\bso\s+\w+"
        r"|\b(?:davon|darunter|stattdessen)\b|\b(?:auch|ebenfalls)\W*$|\bgenauso\b|^\W*(?:warum|wieso|wann|wer|mehr|"
        r"weiter)\W*$|^\W*(?:nein|nicht)\s*,|^\W*ich\s+mein(?:e|te)\b|\b(?:von|für|mit|unter)\s+(?:ihnen|diesen|denen)\b"
        r"|\bdie\s+(?:anderen|übrigen|restlichen)\W*$",
        re.IGNORECASE,
    ),
)  # fmt: skip
