from __future__ import annotations

import pytest

from agent.understanding.messages.sentences import sentences_of, write_count

LANGUAGES = ["en", "de", "fr", "es", "it", "ko"]


@pytest.mark.parametrize(
    "language, one, many",
    [
        ("en", "sales has 1 table: t.", "sales has 1,200 tables: t."),
        ("de", "sales hat 1 Tabelle: t.", "sales hat 1,200 Tabellen: t."),
        ("fr", "sales a 1 table : t.", "sales a 1,200 tables : t."),
        ("es", "sales tiene 1 tabla: t.", "sales tiene 1,200 tablas: t."),
        ("it", "sales ha 1 tabella: t.", "sales ha 1,200 tabelle: t."),
        ("ko", "sales에는 테이블이 1개 있습니다: t.", "sales에는 테이블이 1,200개 있습니다: t."),
    ],
)
def test_a_noun_agrees_with_its_number(language: str, one: str, many: str) -> None:
    phrase = sentences_of(language).tables

    assert write_count(phrase, 1, database="sales", tables="t") == one
    assert write_count(phrase, 1200, database="sales", tables="t") == many


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_that_counts_is_filled(language: str) -> None:
    sentences = sentences_of(language)
    for phrase in (sentences.rows, sentences.more, sentences.columns):
        for count in (1, 2):
            text = write_count(phrase, count, table="t", columns="c")
            assert str(count) in text
            assert not set("[]{}|") & set(text)


def test_names_with_brackets_stay_as_they_are() -> None:
    assert write_count(sentences_of("en").tables, 1, database="[a|b]", tables="x") == "[a|b] has 1 table: x."
