"""`eval-prompts`: measures the effect of each sentence of the prompt by leaving it out.

Requests only first drafts, and runs them as written: no repair, no vote, no judge. Replies are kept on disk,
so a later run with one more variant calls the model only for that variant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.errors import ModelFailed, ReplyUnusable
from agent.core.models import Question
from agent.databases.knowledge.context import enrich
from agent.evaluation.baseline import answer_as_written, answer_plainly
from agent.evaluation.commands.calibrate import sample_of
from agent.evaluation.commands.targets import sample_evenly
from agent.evaluation.comparison import compare
from agent.evaluation.harness import EvaluationInvalid, GoldQuestion, evaluate
from agent.evaluation.report import ResultLine, report_of, summary_rows
from agent.evaluation.retrieval.cases import Folder, read_folders
from agent.pipeline.service import Service
from agent.pipeline.steps.generate import Generator
from agent.platform.config.profiles import Profile
from agent.platform.llm.prompting import templates
from agent.platform.llm.wrappers.cached import CachedModel
from agent.platform.telemetry.ledger import Ledger
from agent.platform.telemetry.trace import new_trace_id
from agent.present.terminal import counting_progress, plain

AS_IT_IS = "as it is"
PLAIN = "one plain call"
REPLIES = "replies.sqlite"

# A sentence may span lines and includes its placeholders; a colon or semicolon at the end of a line ends it.
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|\Z)|[:;](?=\n|\Z)|\Z)", re.DOTALL)
_BETWEEN = re.compile(r"\{%.*?%\}|<data>\n.*?</data>|^\{\{[^}]*\}\}$|\n[ \t]*\n", re.DOTALL | re.MULTILINE)
_HINTS = re.compile(r"\{% if hints %\}.*?\{% endif %\}\n", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")
_HOLE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


class Variant(NamedTuple):
    """The prompt with a part left out, or with another wording.

    wording: templates that replace those of the package. profile: changes to the profile. samples: whether the schema
    shows stored values. docs: whether the question's notes from the docs are shown. plain: use the prompt of
    `eval --baseline` instead: only the declared tables and the question.
    """

    name: str
    wording: templates.Wording = ()
    profile: Mapping[str, object] = {}
    samples: bool = True
    docs: bool = True
    plain: bool = False


def variants(profile: Profile, folders: Sequence[Path] = ()) -> Iterator[Variant]:
    """The prompt as it is, one plain call, other wordings, then each part and each sentence left out in turn.

    Each folder has files that replace those of the package. Raises EvaluationInvalid: a folder has none.
    """
    yield Variant(AS_IT_IS)
    yield Variant(PLAIN, plain=True)
    for folder in folders:
        yield Variant(folder.name, wording=_wording_of(folder))
    yield Variant("no stored samples", samples=False)
    yield Variant("no notes from docs", docs=False)
    if profile.values:
        yield Variant("no notes on values", profile={"values": False})
    else:
        yield Variant("with notes on values", profile={"values": True})
    if profile.examples != "off":
        yield Variant("no examples", profile={"examples": "off"})
    for name in ("system.txt", f"generate_{profile.reply_format}.txt"):
        source = (templates.FOLDER / name).read_text(encoding="utf-8")
        if _HINTS.search(source):
            yield Variant("no hints on the dialect", wording=((name, _HINTS.sub("", source)),))
        for sentence in sentences(source):
            left_out = source.replace(sentence, "", 1)
            yield Variant(f"without “{' '.join(sentence.split())}”", wording=((name, left_out),))


def sentences(source: str) -> list[str]:
    """The sentences of a template that have at least two words of their own, verbatim, with their placeholders."""
    parts = _BETWEEN.split(_HINTS.sub("\n\n", source))
    found = (sentence.rstrip() for part in parts for sentence in _SENTENCE.findall(part))
    return [it for it in found if len(_WORD.findall(_HOLE.sub("", it))) > 1]


def _wording_of(folder: Path) -> templates.Wording:
    names = {path.name for path in templates.FOLDER.glob("*.txt")}
    files = [path for path in sorted(folder.glob("*.txt")) if path.name in names]
    if not files:
        raise EvaluationInvalid(f"{folder} has no file of a prompt; there are {', '.join(sorted(names))}.")
    return tuple((path.name, path.read_text(encoding="utf-8")) for path in files)


class FirstDrafts:
    """Answers with the first draft, as the model wrote it."""

    def __init__(self, service: Service, variant: Variant) -> None:
        self._service, self._variant = service, variant
        samples = {} if variant.samples else {"max_sample_values": 0}
        self._settings = service.settings.model_copy(update=samples)
        self._profile = service.parts.profile.model_copy(update=dict(variant.profile))
        model = service.parts.generator.model
        self._generator = Generator(model, self._profile, max_tokens=self._settings.max_tokens, temperature=0.0)

    async def query(self, text: str, name: str) -> Answer:
        """The draft and its rows. Raises as the generator, and DatabaseUnavailable."""
        database = await self._service.databases.get(name, LOCAL)
        if self._variant.plain:
            return await answer_plainly(self._generator.model, self._settings.row_limit, text, database)
        question = Question(text=text, database=name, trace_id=new_trace_id())
        ledger = Ledger()
        with templates.use_wording(self._variant.wording):
            context = await enrich(question, database, self._service.knowledge, self._profile, self._settings)
            context = context if self._variant.docs else context.model_copy(update={"rules": ()})
            draft = await self._generator.draft(text, context, (), None, ledger)
        answer = await answer_as_written(draft.sql or "", database, self._settings.row_limit)
        return answer.model_copy(update={"usage": ledger.usage})


async def run_prompts(
    service: Service,
    out: Console,
    err: Console,
    paths: Sequence[Path],
    *,
    limit: int,
    results: Path,
    each: int | None = None,
    wordings: Sequence[Path] = (),
    only: Sequence[str] = (),
) -> None:
    """Ask a sample of each folder's questions under every variant, and print the differences.

    `limit`: questions per folder, evenly spaced. `each`: questions per database, as in `calibrate`, because reading a
    schema takes a model as long as many replies. `only`: words in the names of the variants to ask; the unchanged
    prompt always comes first. Replies are kept in the folder `results`. Raises EvaluationInvalid, StateUnavailable;
    ModelUnavailable: the replies so far are kept.
    """
    chosen = _choose_variants(list(variants(service.parts.profile, wordings)), only)
    service.parts.generator.model = cached_model = CachedModel(service.parts.generator.model, results / REPLIES)
    found: dict[str, list[ResultLine]] = {}
    try:
        for folder in read_folders(paths):
            drafts = {it.name: FirstDrafts(service, it) for it in chosen}
            if each is None:
                questions = sample_evenly(folder.questions, limit)
            else:
                questions = [question for _, some in sample_of([folder], each, limit) for question in some]
            questions.sort(key=lambda it: str(it.path))  # so that the model reads each schema once
            lines = await _ask_all(service, err, folder, questions, drafts, cached_model)
            out.print(table_of(folder.name, lines))
            for name, answers in lines.items():
                marked = [it.model_copy(update={"database": f"{folder.name}/{it.database}"}) for it in answers]
                found.setdefault(name, []).extend(marked)
    finally:
        await cached_model.close()
    out.print(table_of("all folders", found))


def _choose_variants(every: Sequence[Variant], only: Sequence[str]) -> list[Variant]:
    wanted = [it for it in every[1:] if not only or any(word.lower() in it.name.lower() for word in only)]
    if only and not wanted:
        raise EvaluationInvalid(f"No variant has such a name; there are: {'; '.join(it.name for it in every)}.")
    return [every[0], *wanted]


async def _ask_all(
    service: Service,
    err: Console,
    folder: Folder,
    questions: Sequence[GoldQuestion],
    drafts: Mapping[str, FirstDrafts],
    cached_model: CachedModel,
) -> dict[str, list[ResultLine]]:
    """The result lines of every variant.

    Every variant of a question is asked before the next question, so that the model reads a shared prefix once.
    """
    names = {it: service.router.add(it, docs=folder.docs[it]) for it in folder.databases}
    with counting_progress(err) as bar:
        task = bar.add_task(plain(folder.name), total=len(questions) * len(drafts))
        for question in questions:
            for one in drafts.values():
                with suppress(ReplyUnusable, ModelFailed):  # raised again and recorded when it is scored
                    await one.query(question.question, names[question.path])
                bar.advance(task)
    cached_model.again()
    lines: dict[str, list[ResultLine]] = {}
    for name, one in drafts.items():

        async def ask(database: Path, question: str, evidence: str, one: FirstDrafts = one) -> Answer:  # noqa: ARG001
            return await one.query(question, names[database])

        lines[name] = []
        await evaluate(
            questions, ask, open_database=lambda it: service.router.get(names[it]), on_result=lines[name].append
        )
    return lines


def table_of(title: str, lines: Mapping[str, Sequence[ResultLine]]) -> Table:
    """A row for each variant: right answers, and the difference from the unchanged prompt, with its paired interval."""
    table = Table(title=plain(title), title_justify="left")
    for name in ("prompt", "right", "difference in points (95 %)", "gained, lost"):
        table.add_column(name, no_wrap=name == "right")
    whole = lines[AS_IT_IS]
    for name, answers in lines.items():
        right = dict(summary_rows(report_of(answers)))["correct"]
        if name == AS_IT_IS:
            table.add_row(name, right, "", "")
            continue
        it = compare(whole, answers)
        table.add_row(plain(name), right, it.points, f"{len(it.gained)}, {len(it.lost)}")
    return table
