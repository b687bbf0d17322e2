"""The embedded model's own sentences about gold rows: how many are accepted, and how many falsified ones refused.

    python -m bench.model_sentences FOLDER [--limit 200] [--show]

FOLDER holds `questions.json` and its databases, as for `eval`. Of each question whose gold query returns one row, the
model writes the sentence, as the service asks for it. `--show` prints those that are refused. Accepted sentences are
falsified: each number raised by a tenth, a whole one at least by one; two numbers swapped; or one word exchanged for
its opposite. Numbers that the question has, and sentences with such a word in quotes, stay. Queries with texts in
double quotes, which only SQLite reads as texts, are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.evaluation.commands.answers import add_databases
from agent.evaluation.harness import GoldQuestion, load_questions, questions_file
from agent.pipeline.service import Service, build_service
from agent.pipeline.steps.synthesize import MAX_TOKENS, answer_prefix
from agent.platform.config.profiles import EMBEDDED
from agent.platform.config.settings import get_settings
from agent.platform.llm.chat import Message
from agent.platform.llm.prompting import templates
from executors.base import CheckedSql, QueryResult
from executors.errors import ExecutorError
from rag.docs.documents import comment_documents

OPPOSITES = (
    ("most", "least"), ("highest", "lowest"), ("largest", "smallest"), ("maximum", "minimum"), ("oldest", "youngest"),
    ("longest", "shortest"), ("average", "total"), ("more than", "less than"), ("at least", "at most"),
    ("before", "after"),
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def falsify(text: str, question: str) -> Iterator[tuple[str, str]]:
    """Each way to make a sentence false, with its name."""
    asked = {it[0] for it in _NUMBER.finditer(question)}
    numbers = [it for it in _NUMBER.finditer(text) if it[0] not in asked and float(it[0].replace(",", ""))]
    for number in numbers:
        value = float(number[0].replace(",", ""))
        other = f"{value + max(1, value // 10):.0f}" if value.is_integer() else f"{value * 1.1:.3f}"
        yield "number", f"{text[: number.start()]}{other}{text[number.end() :]}"
    if len(numbers) == 2 and numbers[0][0] != numbers[1][0]:
        one, two = numbers
        between = text[one.end() : two.start()]
        yield "swap", f"{text[: one.start()]}{two[0]}{between}{one[0]}{text[two.end() :]}"
    for pair in OPPOSITES:
        for said, other in (pair, pair[::-1]):
            spoken = _QUOTED.sub("", text)
            once = len(re.findall(rf"\b{said}\b", text)) == len(re.findall(rf"\b{said}\b", spoken)) == 1
            if once and not re.search(rf"\b{other}\b", text):
                yield "opposite", re.sub(rf"\b{said}\b", other, text)


async def write(service: Service, question: str, rows: QueryResult) -> str:
    """The model's sentence about one row."""
    shown = EMBEDDED.rows_shown
    holes = {"question": question, "table": templates.as_table(rows, shown, decimals=2)}
    user = templates.render("answer_row", **holes, row_context="", last="", complaint="")
    reply = await service.model.complete([answer_prefix(), Message(role="user", content=user)], max_tokens=MAX_TOKENS)
    return reply.text.strip()


async def measure(questions: list[GoldQuestion], service: Service, names: dict[Path, str], *, show: bool) -> None:
    """Print the counts."""
    counts: Counter[str] = Counter()
    for question in (it for it in questions if '"' not in it.gold[0]):
        executor = service.router.get(names[question.path])
        sql = question.gold[0]
        try:
            query = CheckedSql(sql=sql, executable=sql, row_limit=2, tables=())
            rows = await asyncio.to_thread(executor.run, query, timeout_s=60)
        except ExecutorError:
            continue
        if rows.row_count != 1 or rows.rows[0][0] is None:
            continue
        known = comment_documents(await asyncio.to_thread(executor.schema))
        facts = Facts(question=question.question, result=rows, sql=sql, dialect=executor.dialect, documents=known)
        text = await write(service, question.question, rows)
        problems = check_text(text, facts).problems
        counts["sentences"] += 1
        counts["accepted"] += not problems
        if show and problems:
            print(f"{question.question}\n  {rows.rows[0]}\n  {text}\n  {'; '.join(problems)}")
        for kind, false in () if problems else falsify(text, question.question):
            passes = not check_text(false, facts).problems
            counts[kind] += 1
            counts[f"{kind} refused"] += not passes
            if show and passes:
                print(f"{question.question}\n  {rows.rows[0]}\n  passes: {false}")
    total = counts["sentences"]
    print(f"{total} sentences, {counts['accepted']} accepted ({counts['accepted'] / max(1, total):.1%})")
    for kind in ("number", "swap", "opposite"):
        print(f"falsified, {kind}: {counts[f'{kind} refused']} of {counts[kind]} refused")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, help="ask so many of the questions, evenly spaced")
    parser.add_argument("--show", action="store_true", help="print what is refused, and what false sentence passes")
    args = parser.parse_args()
    service = build_service(get_settings())
    try:
        questions = load_questions(args.folder)
        names = add_databases(service, questions, questions_file(args.folder), ())
        if args.limit:
            questions = questions[:: max(1, len(questions) // args.limit)][: args.limit]
        await measure(questions, service, names, show=args.show)
    finally:
        await service.close()


if __name__ == "__main__":
    asyncio.run(main())
