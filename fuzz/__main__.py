"""Fuzz all readers of untrusted input, and keep the findings.

    python -m fuzz [TARGET ...] [--minutes 10] [--drawn-only]

Half of the time goes to cases of Hypothesis, half to those of atheris, which follows branch coverage. Targets share it
by weight. Cases that show a defect, and the shortest ones that reach new code, are added to `tests/fuzz_corpus`. The
tests run them again. Exits with 1 if there was a defect.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fuzz.campaign import Figures, Finding, hypothesis_for
from fuzz.cases import Case, Target
from fuzz.corpus import keep, read_cases
from fuzz.engines import POSTGRES_ADDRESS
from fuzz.targets import TARGETS
from testbed.postgres import PostgresServer

SHARES = {"guard": 4, "http": 2}  # of the time; the others have one each
_MOST_KEPT = 40  # new cases of a target, from one run
_MAX_CHARS = 400  # of a case that is kept for its coverage
_LIMITS = ("-timeout=60", "-rss_limit_mb=3000", "-max_len=1500", "-print_final_stats=0", "-verbosity=0")


def atheris_for(target: Target, seconds: float, folder: Path) -> tuple[Figures, list[Case]]:
    """Run a target under atheris, in a separate process.

    Returns:
        what it came to, and the cases that reached something new, the shortest first.
    """
    corpus, figures_file, words = folder / "corpus", folder / "figures.json", folder / "words"
    corpus.mkdir()
    for number, case in enumerate([*target.seeds(), *_of(target, read_cases(target.name))]):
        (corpus / f"seed-{number}").write_bytes(target.bytes_of(case))
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words), encoding="ascii")
    command = [sys.executable, "-m", "fuzz.coverage", target.name, str(corpus), str(figures_file)]
    command += [f"-max_total_time={round(seconds)}", f"-dict={words}", f"-artifact_prefix={folder}/", *_LIMITS]
    with (folder / "log").open("wb") as log:
        done = subprocess.run(command, stdout=log, stderr=log, env=os.environ | {"TMPDIR": str(folder)}, check=False)
    figures = _read(figures_file)
    if done.returncode:
        text = (folder / "log").read_text(encoding="utf-8", errors="replace")[-2_000:]
        figures.findings["the process ended"] = Finding(_last(target, folder), "the process ended", text)
    found = [target.case_of(file.read_bytes()) for file in corpus.iterdir() if not file.name.startswith("seed-")]
    return figures, sorted((case for case in found if len(case.text) <= _MAX_CHARS), key=lambda case: len(case.text))


def _of(target: Target, cases: list[Case]) -> list[Case]:
    return [case for case in cases if case.kind in target.kinds]


def _escaped(word: str) -> str:
    """As libFuzzer's dictionaries have it."""
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


def _read(file: Path) -> Figures:
    if not file.exists():
        return Figures()
    said = json.loads(file.read_text(encoding="ascii"))
    findings = {where: Finding(**(one | {"case": Case(*one["case"])})) for where, one in said["findings"].items()}
    return Figures(cases=said["cases"], seconds=said["seconds"], findings=findings)


def _last(target: Target, folder: Path) -> Case:
    """The case that libFuzzer left behind as it ended."""
    left = [file for kind in ("crash-", "timeout-", "oom-") for file in folder.glob(f"{kind}*")]
    return target.case_of(left[0].read_bytes()) if left else Case(target.kinds[0], "")


def run(names: list[str], minutes: float, console: Console, *, drawn_only: bool) -> int:
    """Run targets, and print what each came to. Returns how many defects were found."""
    table = Table("target", "by", "cases", "minutes", "findings", "kept")
    total = sum(SHARES.get(name, 1) for name in names)
    defects = 0
    for name in names:
        target, seconds = TARGETS[name], minutes * 60 * SHARES.get(name, 1) / total
        followed = not drawn_only and bool(target.seeds())
        half = seconds / 2 if followed else seconds
        with target.opened() as check:
            drawn = hypothesis_for(target, check, half)
        rows = [("Hypothesis", drawn, list[Case]())]
        if followed:
            with tempfile.TemporaryDirectory(prefix="plumbline-fuzz-") as folder:
                rows.append(("atheris", *atheris_for(target, half, Path(folder))))
        for by, figures, reached in rows:
            found = list(figures.findings.values())
            new = keep(name, [*(finding.case for finding in found), *reached[:_MOST_KEPT]])
            minutes_run = f"{figures.seconds / 60:.1f}"
            table.add_row(name, by, f"{figures.cases:,}", minutes_run, str(len(found)), str(new))
            defects += len(found)
            for finding in found:
                console.print(f"{name}: {finding.where}: {finding.said[:600]}\n  {finding.case!r}", markup=False)
    console.print(table)
    return defects


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz what reads what others wrote.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {', '.join(TARGETS)}; all by default")
    parser.add_argument("--minutes", type=float, default=10.0, help="duration of all targets together")
    parser.add_argument("--drawn-only", action="store_true", help="use only Hypothesis, without atheris")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.targets if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {', '.join(unknown)}; known: {', '.join(TARGETS)}")
    with PostgresServer() as server:
        os.environ[POSTGRES_ADDRESS] = server.url()
        names, console = chosen.targets or list(TARGETS), Console(soft_wrap=True)
        return 1 if run(names, chosen.minutes, console, drawn_only=chosen.drawn_only) else 0


if __name__ == "__main__":
    sys.exit(main())
