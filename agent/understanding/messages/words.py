# ruff: noqa: E501  a pattern is read best in one piece
"""Words that mark questions without SQL, one row per language.

Small talk is matched sentence by sentence and in full: `talk` has a pattern for each kind. A question about the data is
matched by cues, which must all occur, in any order. The words left without its cues and `fillers` must be names of the
schema or terms of the docs; otherwise it is a question for SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.understanding.messages.kinds import Talk, Topic


@dataclass(frozen=True)
class Cue:
    """Patterns that all match a question of this topic. The words that they match are not names."""

    topic: Topic
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True)
class Language:
    """One language.

    talk: a pattern per kind of small talk, for a whole sentence, case-folded and without its final punctuation.
    cues: in the order in which they are tried.
    fillers: case-folded words that name nothing.
    endings: particles attached to a name, for languages that have them.
    """

    code: str
    talk: Mapping[Talk, re.Pattern[str]]
    cues: tuple[Cue, ...]
    fillers: frozenset[str]
    endings: re.Pattern[str] | None = None


def pattern(text: str) -> re.Pattern[str]:
    """A case-insensitive pattern. A blank matches any white space, ` ?` any or none."""
    return re.compile(text.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE)


def cue(topic: Topic, *patterns: str) -> Cue:
    return Cue(topic, tuple(pattern(it) for it in patterns))


def language(
    code: str, *, talk: Mapping[Talk, str], cues: tuple[Cue, ...], fillers: str, endings: str | None = None
) -> Language:
    """A row from patterns and words in plain text."""
    compiled = {kind: pattern(text) for kind, text in talk.items()}
    return Language(code, compiled, cues, frozenset(fillers.split()), pattern(endings) if endings else None)


_EN_DATA = r"\b(?:data ?(?:base|sets?|source)?|db|information|info|tables?)\b"
_EN_ASKS = r"^(?:so |and |ok |please )*(?:what(?:['’]?s)?|which|describe|tell me|explain|summari[sz]e|show|give|list)\b"

ENGLISH = language(
    "en",
    talk={
        Talk.GREETING: r"(?:hi|hello|hey|hiya|howdy|yo|greetings|hallo)(?: (?:there|hey|hi|again|all|everyone|team|plumbline|bot|friend))?"
            r"|good (?:morning|afternoon|evening|day)(?: to you)?|nice to meet you(?: too)?|is anybody there"
            r"|any(?:body|one) (?:here|there)|are you (?:there|awake|online)",
        Talk.WELLBEING: r"how(?:['’]?s| is| are) (?:you|things|it going|everything|life|your day(?: going)?)(?: doing)?(?: today)?"
            r"|how do you (?:do|feel)(?: today)?|what['’]?s up|how have you been|are you (?:ok|okay|well|happy|tired)"
            r"|i hope you(?: are|['’]re) (?:doing )?(?:well|fine)",
        Talk.THANKS: r"(?:ok |okay |great |perfect |cool |no |well |alright )*(?:many |big )?(?:thanks|thank you|thx|ty|cheers)"
            r"(?: (?:so|very|a lot|a ton|a bunch|much|again|you|anyway|plumbline|for (?:the|your|all your|all the) \w+"
            r"|for (?:helping|that|this|everything)|guys|all))*|much (?:appreciated|obliged)|ta|i (?:really )?appreciate (?:it|that|"
            r"your help|this)|that (?:was|is|['’]s) (?:very |really |so )?(?:helpful|kind|nice|quick|fast|useful)(?: of you)?",
        Talk.FAREWELL: r"(?:ok |okay )?(?:good ?bye|bye(?:[ -]bye)?|see (?:you|ya)(?: later| soon| tomorrow)?|so long|farewell"
            r"|good ?night|take care|have a (?:nice|good|great|lovely) (?:day|one|evening|night|weekend)|later"
            r"|talk to you (?:later|soon)|until next time|i(?:['’]m| am) (?:done|leaving|off)|you too)",
        Talk.AGREEMENT: r"(?:(?:oh|ah|ok|okay|k|great|perfect|cool|nice|awesome|wonderful|excellent|amazing|good|very good|super|wow"
            r"|alright|all right|got it|i see|understood|right|sure|fine|sounds good|looks good|works for me|makes sense"
            r"|well done|nice one|good job|nice work|great work|good work|that(?:['’]s| is) (?:all|it|fine|great|good|right|nice"
            r"|cool|enough|wonderful|awesome|perfect|correct)(?: for (?:now|today|me))?|no problem|never ?mind|no worries"
            r"|you(?:['’]re| are) (?:welcome|great|awesome|the best|right|good|amazing|so helpful|very helpful|wonderful"
            r"|stupid|useless|funny|smart|clever|nice|wrong|a genius)|i (?:like|love) (?:it|that|this|you)|lol|haha+|hmm+"
            r"|sorry|my bad|oops|exactly|indeed|of course|let me think|one moment|wait|just a (?:moment|second|minute)"
            r"|no,? that(?:['’]s| is| will be| would be) all|that(?:['’]ll| will) be all|nothing else"
            r"|i(?:['’]m| am) (?:fine|good|ok|okay|well|happy|bored|tired|sad|hungry|impressed))(?: |$))+",
        Talk.WHO: r"who (?:are you|is this|am i (?:talking|speaking) (?:to|with)|(?:made|built|created|wrote|developed) you)"
            r"|what(?:['’]s| is) your (?:name|purpose|job|favou?rite \w+|age)|what are you(?: exactly)?|are you (?:an? |)"
            r"(?:human|robot|bot|ai|person|real(?: person)?|machine|program|chat ?gpt|computer|language model)"
            r"|(?:tell me|say something) about yourself|introduce yourself|how old are you|where (?:are you from|do you"
            r" (?:live|come from))|what(?:['’]s| is) plumbline|do you (?:have feelings|sleep|like me|love me|speak \w+)"
            r"|which (?:model|llm|ai) are you|who am i",
        Talk.HELP: r"help(?: me)?(?: please)?|(?:please |can you |could you |i need (?:some )?)help(?: me)?(?: please| out)?"
            r"|what (?:can|could|do|should) (?:you|i|we) (?:do|ask|help(?: me)? with|answer|ask you|ask about|say|know)"
            r"(?: (?:here|for me|you|about|me|with this|now))*|how (?:do|does|can|should) (?:you|this|it|i|that) (?:work"
            r"|(?:use|start|begin|get started|ask)(?: (?:with )?(?:this|it|you|a question|questions))?)(?: here)?"
            r"|(?:what|which) (?:kind|sort|type)s?(?: of)? (?:questions?|things?|stuff) (?:can|could|may|should|do) (?:i|we"
            r"|you) (?:ask|answer|do)(?: you| here| about)*|(?:what|which) questions (?:can|could|may|should) (?:i|we|you)"
            r" (?:ask|answer)(?: you| here)*|(?:give|show)(?: me)? (?:some |a few |an? )?(?:examples?|sample questions?"
            r"|example questions?)(?: please| of questions| questions)*|what (?:are|is) your (?:capabilit(?:y|ies)"
            r"|features?|skills?)|(?:some )?examples?(?: please)?|how can you help(?: me)?|i have a question"
            r"|can i ask (?:you )?(?:a question|something)|what is this|what do you do|(?:show )?usage|menu|instructions",
        Talk.CHATTER: r"(?:please )?(?:can you |could you |will you |would you )?(?:tell|sing|write|make|give)(?: me| us)?"
            r"(?: (?:a|an|another|some|something))?(?: (?:good|funny|short|nice))? (?:jokes?|story|poem|song|funny|haiku)"
            r"|(?:please )?(?:can you )?(?:write|draft|send)(?: me| us)? (?:an?|the|my) (?:e-?mail|letter|essay|tweet)"
            r"(?: to (?:my|our|the) \w+)?(?: please)?|(?:please )?translate (?:this|that)(?: (?:in)?to \w+)?"
            r"|(?:what|how)(?:['’]s| is| will) the weather(?: be)?(?: like)?(?: (?:today|tomorrow|outside|now|there|in \w+))?"
            r"|what time is it(?: now)?|what(?:['’]s| is) the time|(?:is it|will it be|will it) (?:raining|sunny|cold|rain)"
            r"(?: today| tomorrow)?|do you (?:like|love|want|think|believe|know me|have friends|have a (?:name|family))"
            r"(?: \w+){0,4}|i (?:love|hate|miss|am in love with) (?:you|this|my \w+|pizza|music|life|mondays?)"
            r"|what(?:['’]s| is) the meaning of life|(?:testing|test|ping)(?: \w+)?|are we (?:friends|there yet)|marry me"
            r"|i(?:['’]m| am) (?:just )?(?:kidding|joking|lonely|back|new here|confused|lost)|shut up|go away|you suck"
            r"|what should i (?:eat|cook|wear|do)(?: (?:today|tonight|for dinner|for lunch))?|let(?:['’]s| us) (?:chat|talk"
            r"|play)(?: \w+){0,2}|my name is \w+|i(?:['’]m| am) (?:from )?[a-z]+(?: by the way)?",
    },
    cues=(
        cue(Topic.DEFINED, r"^where(?:['’]?s| is| are| do| does)?\b", r"\b(?:defined|documented|described|explained)\b"),
        cue(Topic.DEFINED, r"^(?:which|what) (?:docs?|documents?|files?|page|documentation|source)\b",
            r"\b(?:defines?|explains?|describes?|says?|documents?|mentions?)\b"),
        cue(Topic.KEYS, r"\b(?:primary|foreign|join)[ -]?keys?\b"),
        cue(Topic.KEYS, r"^how (?:are|is|do|does)\b", r"\b(?:related|connected|linked|joined|relate|connect|link up)\b"),
        cue(Topic.KEYS, r"^how (?:do|can|should|would|could) (?:i|we|you|one)\b", r"\b(?:join|connect|link)\b"),
        cue(Topic.KEYS, r"\b(?:relations?|relationships?|links?|connections?)\b", r"\b(?:between|of|among|for)\b", _EN_DATA),
        cue(Topic.FRESHNESS, r"\bhow (?:fresh|current|recent|up[ -]to[ -]date|old|new|stale|outdated|far back)\b", _EN_DATA),
        cue(Topic.FRESHNESS, r"\b(?:when|last|time)\b", r"\b(?:updated|refreshed|loaded|synced|imported|update|refresh)\b", _EN_DATA),
        cue(Topic.FRESHNESS, r"\b(?:period|(?:date |time )?(?:range|span|frame)|timeframe|timespan|dates|years)\b",
            r"\b(?:covers?|covered|spans?|available|includes?|included|in|of|have)\b", _EN_DATA),
        cue(Topic.FRESHNESS, r"^is (?:the|this|your)\b", r"\b(?:up[ -]to[ -]date|current|fresh|live|real[ -]?time)\b", _EN_DATA),
        cue(Topic.FRESHNESS, r"\bfreshness\b", r"\bof\b", _EN_DATA),
        cue(Topic.SIZES, r"\b(?:how (?:big|large)|(?:what(?:['’]?s| is) the )?sizes?)\b", _EN_DATA),
        cue(Topic.SIZES, r"\b(?:how many|number of|count of) (?:rows|records|entries)\b", r"\b(?:each|every|all|per|the different) tables?\b"),
        cue(Topic.SIZES, r"\brow counts?\b", r"\b(?:tables?|database|each)\b"),
        cue(Topic.COLUMNS, r"\bhow many (?:columns?|fields?|attributes?)\b"),
        cue(Topic.WHERE, r"^(?:which|what|in (?:which|what)) (?:tables?|columns?|fields?)\b",
            r"\b(?:stored?|stores|kept|keeps|contains?|holds?|has|have|find|is|are|in|with)\b"),
        cue(Topic.WHERE, r"^where\b", r"\b(?:stored|kept|find|saved|recorded)\b"),
        cue(Topic.COLUMNS, r"\b(?:columns?|fields?|attributes?|variables?)(?: names?)?\b"),
        cue(Topic.MEANING, r"^(?:and |so |please |can you tell me |tell me )*what (?:do(?:es)?)\b", r"\b(?:mean|stand for|signify|represent|denote)\b"),
        cue(Topic.MEANING, r"\b(?:meaning|definition)s? (?:of|for)\b"),
        cue(Topic.MEANING, r"^(?:please |can you |could you )*(?:define|explain)\b"),
        cue(Topic.MEANING, r"\bwhat (?:is|are) meant by\b"),
        cue(Topic.MEANING, r"^how (?:is|are|do you|do we|does one)\b", r"\b(?:defined?|calculated?|computed?|measured?|determined?)\b"),
        cue(Topic.MEANING, r"^what(?:['’]?s| is| are) (?:an?|the (?:term|column|field|table))\b"),
        cue(Topic.DESCRIBE, r"^(?:please |can you |could you )*(?:describe|desc|explain|summari[sz]e|tell (?:me|us) (?:more )?about)\b"),
        cue(Topic.DESCRIBE, r"\b(?:schema|structure|layout|ddl|definition|description|overview)\b", r"\b(?:of|for)\b"),
        cue(Topic.DESCRIBE, r"^what(?:['’]?s| is| are| does| do| data| information| kind of data)\b",
            r"\b(?:in|inside|about|contains?|holds?|stores?|have|for)\b", r"\b(?:table|tables|data|database|information)\b"),
        cue(Topic.TABLES, r"\btables(?: names?)?\b|\btable names\b"),
        cue(Topic.OVERVIEW, r"\b(?:schema|structure|er diagram|erd|data model)\b"),
        cue(Topic.OVERVIEW, _EN_ASKS, _EN_DATA),
        cue(Topic.OVERVIEW, r"^what(?:['’]?s| is)\b", r"\b(?:in|inside)\b", r"\b(?:here|it|there)\b"),
    ),
    fillers="""
        a an the is are was were be do does did can could would should will may you your i me my we us our it's there
        here this that these those what whats what's which where how when who have has had in of on for from to with
        and or about at by please tell show list give get see know like want need any all every some kind kinds sort
        type of exist exists available contain contains hold holds stored use used using access query ask asked data
        database databases dataset datasets db schema information info table tables named called names name exactly
        inside into within just so ok okay hi hello also now s column columns field fields store stores held term word
        mean each per it look looks last lately been structure view different possible two both other another
        between together many much
    """,
)  # fmt: skip
