"""Text from outside, reduced to the characters that a person would see.

Invisible characters carry instructions past human readers: tag characters spell whole
sentences, marks of direction show them in another order, and control characters break out of the line that a comment
stands on (Boucher et al., "Bad Characters", 2021; Unicode Technical Report 36).
"""

from __future__ import annotations

import re
import unicodedata

_JOINERS = "\u200c\u200d"  # that Persian, Hindi and many emoji are spelt with
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\u0085\v\f\x1c-\x1e]")
_SEVERAL_SELECTORS = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
_SUSPECT = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)


def plain(text: str) -> str:
    """The text without control characters, marks of direction, zero-width, tag and other invisible characters.

    Line ends of every kind become `\\n`. A joiner stays between the letters or signs that it joins, and a sign's first
    variation selector; whatever can be seen stays as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    if not _SUSPECT.search(text):
        return text
    return _SEVERAL_SELECTORS.sub(r"\1", _SUSPECT.sub(_visible, text))


def on_one_line(text: str) -> str:
    """The same with a space for each line end and tab: nothing ends the line on which it stands."""
    return plain(text).replace("\n", " ").replace("\t", " ")


def fold_comment(text: str) -> str:
    """The text as comments are compared: on one line, in small letters, without its last full stop."""
    return " ".join(plain(text).split()).casefold().rstrip(".")


def _visible(match: re.Match[str]) -> str:
    """A suspect where it is part of what can be seen, else nothing."""
    character, text = match[0], match.string
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if character in _JOINERS:
        return character if _joins(before) and _joins(after) else ""
    if "\ufe00" <= character <= "\ufe0f":
        return character if before and not before.isspace() and not before.isalpha() else ""
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _joins(neighbour: str) -> bool:
    """Whether a joiner beside it can be meant: a letter or mark of a script that joins, or a pictogram."""
    return not neighbour.isascii() and unicodedata.category(neighbour) in {"Lo", "Mn", "Mc", "So", "Sk"}
