"""The data files of languages: all languages have the same keys, a wrong one fails, and nothing is lost in reading."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from agent.checks.grounding.languages.particles import BUT
from agent.checks.grounding.languages.plain_words import read_vocabulary
from agent.checks.grounding.languages.polar_words import THAN
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class
from agent.core.texts.data_files import read_sections, read_texts, read_words, unfold_pattern
from agent.understanding.clarification.words import languages
from agent.understanding.followups.words import LANGUAGES as FOLLOW_UPS
from agent.understanding.messages.sentences import Sentences

AGENT = Path(__file__).parents[2] / "agent"
TEXTS = [
    "understanding/messages/sentences.toml",
    "understanding/clarification/words/frames.toml",
    "understanding/first_look/wordings.toml",
    "checks/grounding/compose.toml",
]
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Wordings use other words in some languages: only English writes the aggregate.
FREE = {"sum", "mean", "most_sum", "most_mean"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_vocabulary_has_the_sections_of_english(language: str) -> None:
    sections = read_vocabulary(language)
    claims = {it.value for it in Class} - {Class.FILLER.value}

    assert list(sections) == list(read_vocabulary("en"))
    assert {it for it in sections if not it.startswith("plain ")} == claims | {
        *("common", "polar", "how many", "shares", "multiples", "grown")
    }
    assert language in THAN


def test_every_vocabulary_is_of_a_supported_language() -> None:
    folder = AGENT / "checks/grounding/languages/vocabulary"
    assert {it.stem for it in folder.iterdir()} == set(LANGUAGES)


def test_a_language_that_can_be_told_has_its_texts() -> None:
    told = read_words(languages.__file__, "function_words.txt").keys()
    assert told <= read_texts(languages.__file__, "frames.toml").keys()
    assert FOLLOW_UPS.keys() <= told


@pytest.mark.parametrize("name", TEXTS)
def test_texts_have_the_keys_and_the_words_in_braces_of_english(name: str) -> None:
    tables = tomllib.loads((AGENT / name).read_text(encoding="utf-8"))
    for table in tables.values():
        assert list(table) == list(tables["en"])
        for key, text in table.items():
            if key not in FREE:
                missing = set(_PLACEHOLDER.findall(tables["en"][key])) - set(_PLACEHOLDER.findall(text))
                assert missing <= {"month"}, "Korean writes the number of a month"


@pytest.mark.parametrize("change", [{"greting": "Hello"}, {"greeting": None}])
def test_a_wrong_key_fails(change: dict[str, str | None]) -> None:
    texts = read_texts(str(AGENT / "understanding/messages/sentences.py"), "sentences.toml")["en"] | change
    with pytest.raises(ValueError, match="gre"):
        Sentences.model_validate({"language": "en", **{key: text for key, text in texts.items() if text is not None}})


def test_sections_keep_their_order_and_lose_comments(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("# head\n[b c]\n# note\nzwei eins\n\ndrei\n[a]\nà\n", encoding="utf-8")
    module = str(tmp_path / "module.py")

    assert list(read_sections(module, "a.txt").items()) == [("b c", ["zwei eins", "drei"]), ("a", ["à"])]
    assert read_words(module, "a.txt")["b c"] == ["zwei", "eins", "drei"]


def test_a_line_break_is_a_blank_in_a_text_and_nothing_in_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[en]\na = '''\nHow many\nare there?\n'''\nb = ' by {date}'\n", encoding="utf-8")

    assert read_texts(str(tmp_path / "module.py"), "a.toml") == {"en": {"a": "How many are there?", "b": " by {date}"}}
    assert unfold_pattern("\n(?:a b\n  |c)\n") == "(?:a b|c)"
    assert unfold_pattern(r"{data}\S{1,2}", {"data": "da\nten"}) == r"daten\S{1,2}"


def test_an_underline_is_a_blank_within_a_particle() -> None:
    assert {"but", "bis auf"} <= BUT
