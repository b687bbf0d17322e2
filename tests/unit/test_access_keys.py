"""API keys: only hashes are stored; the settings set their owners and expiry."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent.core.errors import AccessInvalid
from agent.platform.access.keys import KEY_BYTES, PREFIX, ApiKey, KeyRing, digest_of, new_key, parse_keys
from agent.platform.config.settings import Settings

HASH = digest_of("a key")
OTHER = digest_of("another key")


def on(day: str) -> Callable[[], datetime]:
    """A clock that stands at noon of a day."""
    return lambda: datetime.fromisoformat(f"{day}T12:00:00+00:00").astimezone(UTC)


# -- made --------------------------------------------------------------------------------------------------


def test_a_key_is_long_random_and_known_by_its_prefix() -> None:
    made = {new_key("ann")[0] for _ in range(50)}
    assert len(made) == 50
    assert all(key.startswith(PREFIX) and len(key) - len(PREFIX) >= KEY_BYTES * 4 / 3 for key in made)


def test_what_is_kept_of_a_key_lets_it_in_and_does_not_hold_it() -> None:
    key, kept = new_key("ann@example.com", date(2027, 1, 31))
    assert key not in kept.line()
    assert key not in repr(kept)
    assert kept.line().endswith(";2027-01-31")
    ring = KeyRing(kept.line(), None, clock=on("2026-05-01"))
    assert ring.owner(key) == "ann@example.com"


@pytest.mark.parametrize("name", ["", "local", "Anonymous", "*", "two words", "a,b", "a=b", "-x", "a" * 129])
def test_nobody_can_be_called(name: str) -> None:
    with pytest.raises(AccessInvalid, match="is not a valid principal"):
        new_key(name)


# -- read --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, found",
    [
        (f"ann={HASH}", [("ann", HASH, None)]),
        (f"ann=sha256:{HASH}", [("ann", HASH, None)]),
        (f"ann={HASH};2027-01-31", [("ann", HASH, date(2027, 1, 31))]),
        (f"ann={HASH}, bo={OTHER}", [("ann", HASH, None), ("bo", OTHER, None)]),
        (f"# who\nann={HASH}  # since May\n\nbo={OTHER}\n", [("ann", HASH, None), ("bo", OTHER, None)]),
        (f"ann={HASH}\nann={OTHER}", [("ann", HASH, None), ("ann", OTHER, None)]),
        (f'{{"ann": "sha256:{HASH}", "bo": "{OTHER}"}}', [("ann", HASH, None), ("bo", OTHER, None)]),
        (f'{{"ann": ["{HASH}", "{OTHER};2027-01-31"]}}', [("ann", HASH, None), ("ann", OTHER, date(2027, 1, 31))]),
        ("", []),
        ("{}", []),
    ],
    ids=["pair", "prefixed", "expiring", "commas", "lines", "a key for a while beside the next", "json", "json list",
         "nothing", "no json"],
)  # fmt: skip
def test_reads(text: str, found: list[tuple[str, str, date | None]]) -> None:
    assert [(key.name, key.digest, key.expires) for key in parse_keys(text, "KEYS")] == found


@pytest.mark.parametrize(
    "text, said",
    [
        ("plk_a-key-by-mistake", "entry 1: it has no `=`"),
        ("ann=plk_a-key-by-mistake", "entry 1: this is not the hash"),
        (f"bo={HASH},ann={HASH[:-1]}", "entry 2: this is not the hash"),
        (f"ann={HASH.upper()}", "entry 1: this is not the hash"),
        (f"ann={HASH};2027-02-30", "entry 1: its last day is not a date"),
        (f"local={HASH}", "is not a valid principal"),
        ('{"ann": 7}', "entry 1: this is not the hash"),
        ('{"ann": {"plk_a-key-by-mistake": 1}}', "entry 1: this is not the hash"),
        ('{"ann": ', "begins like JSON"),
    ],
)
def test_refuses_with_the_place_and_never_with_the_value(text: str, said: str) -> None:
    with pytest.raises(AccessInvalid) as raised:
        parse_keys(text, "KEYS")
    assert said in str(raised.value)
    assert str(raised.value).startswith("KEYS")
    assert "by-mistake" not in str(raised.value)
    assert HASH[:20] not in str(raised.value)


# -- kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key, day, owner",
    [
        ("a key", "2026-05-01", "ann"),
        ("another key", "2026-05-01", "bo"),
        ("another key", "2026-05-31", "bo"),  # its last day
        ("another key", "2026-06-01", None),
        ("A key", "2026-05-01", None),
        ("", "2026-05-01", None),
        (HASH, "2026-05-01", None),  # the hash is no key
        ("k" * 100_000, "2026-05-01", None),
        ("k\udc00y", "2026-05-01", None),  # as a header of odd bytes may be read
    ],
)
def test_whose_key_it_is(key: str, day: str, owner: str | None) -> None:
    assert KeyRing(f"ann={HASH}, bo={OTHER};2026-05-31", None, clock=on(day)).owner(key) == owner


def test_the_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"bo={OTHER}\n", encoding="utf-8")
    ring = KeyRing(f"ann={HASH}", file)
    assert [ring.owner("a key"), ring.owner("another key")] == ["ann", "bo"]

    replaced = tmp_path / "new"
    replaced.write_text(f"cy={OTHER}\n", encoding="utf-8")
    replaced.replace(file)  # of the same size, perhaps in the same instant
    assert ring.owner("another key") == "cy"

    file.write_text("", encoding="utf-8")
    assert [ring.owner("a key"), ring.owner("another key")] == ["ann", None]


@pytest.mark.parametrize("text", [None, "nonsense", "ann=\udcff"], ids=["gone", "broken", "not UTF-8"])
def test_a_file_that_cannot_be_used_any_more_lets_nobody_in(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "keys"
    file.write_text(f"bo={OTHER}\n", encoding="utf-8")
    ring = KeyRing(f"ann={HASH}", file)
    if text is None:
        file.unlink()
    else:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(AccessInvalid, match="PLUMBLINE_API_KEYS_FILE") as raised:
        ring.owner("a key")
    assert str(tmp_path) not in str(raised.value)


def test_without_any_key_the_ring_says_how_to_make_one() -> None:
    with pytest.raises(AccessInvalid, match="python -m agent key NAME"):
        KeyRing("", None)


def test_the_settings_show_no_key(tmp_path: Path) -> None:
    settings = Settings(auth="api_keys", api_keys=f"ann={HASH}", state_dir=tmp_path)
    assert HASH not in repr(settings)
    assert HASH not in str(settings.model_dump())


def test_an_api_key_is_compared_without_a_hint_of_where_it_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def compare(one: str, other: str) -> bool:
        compared.append(one)
        return one == other

    monkeypatch.setattr("agent.platform.access.keys.hmac.compare_digest", compare)
    ring = KeyRing(f"ann={HASH}, bo={OTHER}", None)
    assert ring.owner("a key") == "ann"
    assert compared == [HASH, OTHER], "to the end, whoever it is"


def test_a_key_is_a_value_of_its_own() -> None:
    assert ApiKey(name="ann", digest=HASH) == parse_keys(f"ann={HASH}", "KEYS")[0]
