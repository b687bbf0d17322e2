"""Text files in common encodings are read correctly, and uncertain readings are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from executors.base import CheckedSql
from executors.engines.files.encodings import likeliest
from executors.engines.files.executor import FilesExecutor

WORDS = {
    "German": ("München", "Köln", "Größe", "Straße", "Ärger"),
    "French": ("Élodie", "garçon", "où", "Noël", "à côté"),
    "Spanish": ("Málaga", "niño", "¿Qué?", "camión", "Núñez"),
    "Czech": ("Plzeň", "Černý kůň", "příliš žluťoučký", "Jiří", "Děčín"),
    "Polish": ("Łódź", "Kraków", "Gdańsk", "Święty", "żółć"),
    "Hungarian": ("Győr", "Hódmezővásárhely", "tűz", "Székesfehérvár"),
    "Turkish": ("İstanbul", "Şişli", "Kadıköy", "Çankaya", "Üsküdar", "Muğla"),
    "Russian": ("Москва", "Санкт-Петербург", "Новосибирск", "объём"),
    "Greek": ("Αθήνα", "Θεσσαλονίκη", "Πάτρα"),
    "Japanese": ("東京都", "こんにちは", "データ", "大阪府"),
    "Korean": ("서울특별시", "부산", "안녕하세요"),
    "Chinese": ("北京的订单", "上海市", "广东省", "客户名称"),
}
WRITTEN = (
    *(("utf-8-sig", it) for it in ("German", "Chinese")),
    *(("utf-16", it) for it in ("German", "Korean")),
    *(("utf-16-le", it) for it in ("German", "Polish")),
    *(("cp1252", it) for it in ("German", "French", "Spanish")),
    *(("cp1250", it) for it in ("Czech", "Polish", "Hungarian")),
    *(("iso8859-2", it) for it in ("Czech", "Polish", "Hungarian")),
    *(("cp850", it) for it in ("German", "French", "Spanish")),
    *(("cp852", it) for it in ("Czech", "Polish")),
    *(("mac_roman", it) for it in ("German", "French")),
    *((it, "Russian") for it in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    ("cp1254", "Turkish"),
    ("cp1253", "Greek"),
    ("shift_jis", "Japanese"),
    ("euc_jp", "Japanese"),
    ("euc_kr", "Korean"),
    ("gb18030", "Chinese"),
)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., FilesExecutor]]:
    made: list[FilesExecutor] = []

    def opened(content: bytes, **options: str) -> FilesExecutor:
        (tmp_path / "a.csv").write_bytes(content)
        path = tmp_path / "a.csv"
        made.append(FilesExecutor("data", path, memory="200MB", threads=2, sample_values=3, **options))
        made[-1].schema()
        return made[-1]

    yield opened
    for executor in made:
        executor.close()


def names(executor: FilesExecutor) -> list[object]:
    sql = "SELECT name FROM a ORDER BY id"
    query = CheckedSql(sql=sql, executable=sql, row_limit=100, tables=())
    return [row[0] for row in executor.run(query, timeout_s=60).rows]


def text_of(words: tuple[str, ...]) -> str:
    return "id;name\n" + "".join(f"{number};{word}\n" for number, word in enumerate(words))


@pytest.mark.parametrize("encoding, language", WRITTEN)
def test_the_letters_of_a_language_are_read_in_any_encoding_of_it(
    opened: Callable[..., FilesExecutor], encoding: str, language: str
) -> None:
    executor = opened(text_of(WORDS[language]).encode(encoding))

    assert names(executor) == list(WORDS[language])
    assert executor.warnings == ()
    assert executor.reports[0].encoding
    assert executor.reports[0].problems == (), "it is certain"


def test_of_two_encodings_that_are_as_likely_the_report_names_both(opened: Callable[..., FilesExecutor]) -> None:
    executor = opened(text_of(("Şişli", "İstanbul")).encode("cp1254"))

    assert names(executor) == ["Şişli", "İstanbul"], "þ and ý are as good Icelandic"
    assert executor.reports[0].problems == (
        "a.csv: it is read as cp1254, and cp1252 is as likely. Give its `encoding` if that is wrong.",
    )
    assert executor.warnings == (), "which stand beside every answer"


def test_what_no_encoding_explains_is_a_problem(opened: Callable[..., FilesExecutor]) -> None:
    executor = opened(b"id;name\n1;a\xf7b\n2;ab\xf7cd\n")
    (problem,) = executor.warnings
    assert problem.startswith("a.csv: no encoding explains its letters; it is read as ")


def test_an_encoding_that_was_given_is_taken(opened: Callable[..., FilesExecutor]) -> None:
    content = text_of(("Þiþli", "Ýstanbul")).encode("cp1252")
    assert names(opened(content, encoding="cp1252")) == ["Þiþli", "Ýstanbul"]


def test_text_of_utf_8_is_so_whatever_was_given(opened: Callable[..., FilesExecutor]) -> None:
    assert names(opened(text_of(("Größe",)).encode(), encoding="cp1252")) == ["Größe"]


@pytest.mark.parametrize(
    "words, encoding, why",
    [
        (("5 €", "7 €"), "cp1252", "a sign alone"),
        (("Müller & Söhne – Köln", "„Größe“"), "cp1252", "quotes and dashes around words"),
        (("l’été", "aujourd’hui à 5 €"), "cp1252", "an apostrophe between letters"),
        (("Zoë", "Łódź", "Plzeň"), "cp1250", "of several languages"),
        (("MÜNCHEN", "KÖLN"), "cp1252", "capitals alone"),
        (("cœur", "5 €", "œuvre"), "iso8859-15", "not ½ between letters"),
    ],
)
def test_signs_and_capitals_stand_where_people_write_them(words: tuple[str, ...], encoding: str, why: str) -> None:
    sample = "\n".join(words).encode(encoding)
    assert sample.decode(likeliest(sample).name).split("\n") == list(words), why
