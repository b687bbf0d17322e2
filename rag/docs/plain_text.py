"""Removes characters from external text that a person would not see.

Invisible characters carry instructions past human readers: tag characters spell whole sentences, direction marks
display them in another order, and control characters break out of the line of a comment (Boucher et al., "Bad
Characters", 2021; Unicode Technical Report 36).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_JOINERS = "\u200c\u200d"  # used in the spelling of Persian, Hindi and many emoji
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\u0085\v\f\x1c-\x1e]")
_SEVERAL_SELECTORS = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
_SUSPECT = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)


def plain(text: str) -> str:
    """The text without control characters, direction marks, zero-width, tag and other invisible characters.

    All line ends become `\\n`. A joiner is kept between letters or signs that it joins, and so is the first variation
    selector of a sign. Everything visible is kept.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    if not _SUSPECT.search(text):
        return text
    return _SEVERAL_SELECTORS.sub(r"\1", _SUSPECT.sub(_visible, text))


def on_one_line(text: str) -> str:
    """The plain text with a space for each line end and tab, so that nothing ends its line."""
    return plain(text).replace("\n", " ").replace("\t", " ")


def fold_comment(text: str) -> str:
    """The text as comments are compared: on one line, case-folded, without its final full stop."""
    return " ".join(plain(text).split()).casefold().rstrip(".")


def _visible(match: re.Match[str]) -> str:
    """A suspect character if it affects what is displayed, else nothing."""
    character, text = match[0], match.string
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if character in _JOINERS:
        return character if _joins(before) and _joins(after) else ""
    if "\ufe00" <= character <= "\ufe0f":
        return character if before and not before.isspace() and not before.isalpha() else ""
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _joins(neighbour: str) -> bool:
    """Whether a joiner beside this character is plausible: a letter or mark of a joining script, or a pictogram."""
    return not neighbour.isascii() and unicodedata.category(neighbour) in {"Lo", "Mn", "Mc", "So", "Sk"}


def drop_beginnings(texts: Sequence[str]) -> list[str]:
    """The texts, except those that begin another one: docs often repeat a comment and extend it."""
    kept: list[str] = []
    for text in sorted(texts, key=len, reverse=True):
        begins = re.compile(rf"{re.escape(fold_comment(text))}(?!\w)")
        if not any(begins.match(fold_comment(other)) for other in kept):
            kept.append(text)
    return sorted(kept, key=texts.index)
