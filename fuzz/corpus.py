"""The corpus: stored cases that the tests run again. One file per target, one line per case."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from fuzz.cases import Case

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "fuzz_corpus"


def read_cases(target: str, folder: Path = FOLDER) -> list[Case]:
    """The cases of a target, in the order in which they were found; none where nothing was kept yet."""
    file = folder / f"{target}.jsonl"
    lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
    return [Case(**json.loads(line)) for line in lines]


def keep(target: str, cases: Iterable[Case], folder: Path = FOLDER) -> int:
    """Add cases to those of a target. Returns how many are new."""
    known = read_cases(target, folder)
    new = [case for case in dict.fromkeys(cases) if case not in known]
    if not new:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{target}.jsonl").open("a", encoding="ascii") as file:
        file.writelines(f"{json.dumps(case._asdict())}\n" for case in new)
    return len(new)
