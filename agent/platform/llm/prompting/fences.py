"""Separates data from instructions in a prompt: the fence `<data>` ... `</data>`, which no data can forge.

Every prompt has the same marks, so that the shared prefix stays identical. Everything in the data that resembles a mark
is removed, and everything that servers of local models read as another turn of the chat.
"""

from __future__ import annotations

import re
import unicodedata

from rag.docs.plain_text import plain

_FENCE = re.compile(r"<\s*/?\s*data(?:\s+\w+\s*=[^<>]{0,80})?\s*/?\s*>", re.IGNORECASE)
# `<|im_start|>`, `<｜User｜>`, `[/INST]`, `<<SYS>>`, `<start_of_turn>`, `</s>`; `[INST]` may be a column of SQL Server.
_TURN = re.compile(
    r"<[|｜][^<>\n]{1,40}[|｜]>|\[/INST\]|<</?SYS>>|</?(?:start|end)_of_turn>|</?s>|<(?:bos|eos|pad|unk)>",
    re.IGNORECASE,
)
_CODE_FENCE = re.compile(r"`{3,}")
_BRACKETS = str.maketrans("‹›〈〉⟨⟩⁄∕", "<><><>//")  # what NFKC leaves


def remove_fences(text: str) -> str:
    """The text without marks of a fence or a turn, or any that their removal would create. White space is kept."""
    text = plain(text)
    while (forged := _remove_marks(text)) is not None:
        text = forged
    return _CODE_FENCE.sub("'''", text)


def one_line(text: str) -> str:
    """The text without such marks, on one line."""
    return " ".join(remove_fences(text).split())


def without_turns(text: str) -> str:
    """The prompt without anything that a local model would read as the start or end of a turn."""
    while _TURN.search(text):
        text = _TURN.sub("", text)
    return text


def _remove_marks(text: str) -> str | None:
    """The text without marks, also in look-alike letters; None if there are none."""
    if not text.isascii():
        like = unicodedata.normalize("NFKC", text).translate(_BRACKETS)
        if _FENCE.search(like) or _TURN.search(like):
            text = like
    found = _TURN.sub("", _FENCE.sub("", text))
    return found if found != text else None
