"""One case of one target, as it is drawn, sent and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from hypothesis import strategies as st


class Case(NamedTuple):
    """One case.

    kind: what the text is for the target, such as SQL's dialect or the ending of a file's name.
    text: the input.
    """

    kind: str
    text: str


Check = Callable[[Case], None]


@dataclass(frozen=True)
class Target:
    """A target of fuzzing.

    name: of the target, and of its file in the corpus.
    kinds: that its cases may have.
    cases: as Hypothesis draws them.
    opened: what runs a case, while the block lasts; it raises where the case shows a defect.
    seeds: cases that atheris begins with; a target without any is left to Hypothesis.
    words: that atheris puts into its texts.
    """

    name: str
    kinds: tuple[str, ...]
    cases: st.SearchStrategy[Case]
    opened: Callable[[], AbstractContextManager[Check]]
    seeds: Callable[[], Sequence[Case]] = tuple
    words: tuple[str, ...] = ()

    def case_of(self, data: bytes) -> Case:
        """The case that atheris means: its first byte is the kind, the others are the text."""
        return Case(self.kinds[data[0] % len(self.kinds)] if data else self.kinds[0], data[1:].decode(errors="replace"))

    def bytes_of(self, case: Case) -> bytes:
        """The input of `case_of`."""
        return bytes([self.kinds.index(case.kind)]) + case.text.encode(errors="replace")
