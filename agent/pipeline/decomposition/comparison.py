"""Splits an English comparison of two things into a question for each, without a model.

"Did Ann sell more cars than Bo in 2024?" asks for two numbers: "How many cars did Ann sell in 2024?", and the same of
Bo. Small models write a query for the first or for both together, but answer each of the two.
"""

from __future__ import annotations

import re

_OF = r"(?:in|of|for|from|by)"
_AT = r"(?:in|on|during|since|between|from|until|before|after|for|of|at|by|last|this)"
_REST = rf"(?P<rest>(?:\s+{_AT}\b.*?)?)[\s?.!]*"
_VERSUS = r"\s+(?:vs\.?|versus|compared (?:to|with))\s+"
_DID = re.compile(
    r"(?P<did>did|do|does) (?P<one>.+) (?P<verb>[^\W\d_]+) (?P<more>more|fewer|less)(?P<noun>(?: (?!than\b)\S+){0,6})"
    rf" than (?P<other>.+?){_REST}",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"(?P<was>was|were|is|are) (?P<what>.+?) (?:higher|lower|greater|larger|bigger|smaller|more|less)"
    rf" (?P<one>{_AT} .+?) than (?P<other>.+?)[\s?.!]*",
    re.IGNORECASE,
)
_KINDS = re.compile(
    rf"(?P<head>(?:how many|(?:the )?number of) )(?P<one>\w+)(?P<noun> \w+){_VERSUS}(?P<other>\w+)(?P=noun){_REST}",
    re.IGNORECASE,
)
_SIDES = re.compile(
    rf"(?P<head>.+ {_OF} )(?P<one>\w+(?: \w+)?){_VERSUS}(?:{_OF} )?(?P<other>\w+(?: \w+)??){_REST}",
    re.IGNORECASE,
)
_TIME = re.compile(rf"^(?P<noun>.*?) ?(?P<time>{_AT} .+)$", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
# A bound, or a word for something that the question does not name.
_NO_SIDE = re.compile(
    r"(?:the )?(?:(?!(?:19|20)\d\d\b)\W?\d|(?:average|mean|median|it|they|he|she|we|i|you|others?|any\w*|all|every\w*"
    r"|half|twice|last|this|one|two|three|four|five|six|seven|eight|nine|ten|a|an|expected|usual|planned)\b)",
    re.IGNORECASE,
)
_ANYBODY = re.compile(r"(?:any|every|some)\w*\b", re.IGNORECASE)


def split_comparison(question: str) -> tuple[str, str] | None:
    """The questions for the two sides of a comparison; None if it is none, or a side is not named."""
    text = " ".join(question.split())
    for pattern, split in ((_DID, _split_did), (_WAS, _split_was), (_KINDS, _split_versus), (_SIDES, _split_versus)):
        if (found := pattern.fullmatch(text)) is not None:
            return None if _NO_SIDE.match(found["other"]) or _ANYBODY.match(found["one"]) else split(found)
    return None


def _split_did(found: re.Match[str]) -> tuple[str, str] | None:
    noun, one, other, rest = found["noun"].strip(), found["one"], found["other"], found["rest"]
    times = _TIME.match(f" {noun}") if re.match(rf"{_AT}\b", other, re.IGNORECASE) or _YEAR.fullmatch(other) else None
    if times is not None:  # "more in 2024 than in 2023"
        noun, later = times["noun"].strip(), f"{other}{rest}"
        if _YEAR.fullmatch(other):
            later = f"{times['time'].split()[0]} {later}"
        sides = ((one, f" {times['time']}"), (one, f" {later}"))
    elif re.match(rf"{_AT}\b", other, re.IGNORECASE):
        return None
    else:
        sides = ((one, rest), (other, rest))
    many = f"How many {noun}" if noun and found["more"].lower() != "less" else f"How much {noun}".strip()
    first, second = (f"{many} {found['did'].lower()} {who} {found['verb']}{when}?" for who, when in sides)
    return first, second


def _split_was(found: re.Match[str]) -> tuple[str, str] | None:
    one, other = found["one"], found["other"]
    if not re.match(rf"{_AT}\b", other, re.IGNORECASE):
        other = f"{one.split()[0]} {other}"  # "in 2024 than 2023"
    first, second = (f"What {found['was'].lower()} {found['what']} {when}?" for when in (one, other))
    return first, second


def _split_versus(found: re.Match[str]) -> tuple[str, str] | None:
    noun = found.groupdict().get("noun", "")
    first, second = (f"{found['head']}{side}{noun}{found['rest']}" for side in (found["one"], found["other"]))
    return first, second
