"""Checks an answer: computes its arithmetic, compares it with its rows, and composes one if they do not support it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from agent.checks.grounding.check import MAX_CHARS, Checked, check, names_rows
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.compose import compose, holds_years, one_value, show_cell
from agent.checks.grounding.evidence.facts import Facts, number_of
from agent.checks.grounding.evidence.limits import is_name, limits_of
from agent.checks.grounding.evidence.result import CheckedText, Problem, describe_problems, expression_of
from agent.checks.grounding.languages.currencies import find_currencies
from agent.checks.grounding.languages.vocabulary import Class, find_classes
from agent.checks.grounding.numbers.display import MARKS, is_amount, is_number
from agent.checks.grounding.question.omissions import LEFT_OUT, TIME_LEFT_OUT
from agent.checks.grounding.question.restated import frame_of
from agent.checks.grounding.support.found import Support
from agent.core.answers import AnswerNumber, Correction
from agent.core.models import Check
from agent.core.texts.plurals import plural
from agent.core.texts.units import UNIT_OF_NAME
from rag.words import denies

COMPOSED = "The answer is composed from the rows."
RESTATED = "The answer is composed from the question's words and the rows."
_COMPUTED = frozenset({"result", "raw", "row count", "calculation"})  # numbers from the question stay as written
_ALL_COUNTED = re.compile(r"\b(?:all|alle[nr]?|tous|toutes|todos|todas|tutti|tutte)(?: \w{1,3})? \d", re.IGNORECASE)
_DIGITS = re.compile(r"\d[\d.,]*")
# "The length in days is 20.83 days."
_UNIT_TWICE = re.compile(r"(?P<text>\D*\bin (?P<unit>[^\W_]+)\b\D*\d[\d.,]*) (?P=unit)(?P<end>\W*)")
_PLAIN = re.compile(r"(?P<before>[^\d.,]*)(?P<whole>0|[1-9]\d*)(?:\.(?P<part>\d+))?(?P<after>[^\d.,]*)")


def check_text(text: str, facts: Facts) -> CheckedText:
    """Check an answer. If it only omits a limit that the question sets, the limit is appended: "(2024)".

    A name is appended only to a sentence that names a row or is about a single value. It must not stand beside another
    name of its kind. A unit that the text says twice is left out at its end.
    """
    text = _say_unit_once(text)
    checked = check_written(text, facts)
    if not checked.problems or not all(it.endswith((LEFT_OUT, TIME_LEFT_OUT)) for it in checked.problems):
        return checked
    added = sorted((it for it in limits_of(facts) if it.lower() not in text.lower()), key=partial(is_name, facts))
    if not added or denies(text) or (is_name(facts, added[-1]) and not _speaks_of_rows(text, facts)):
        return checked
    whole = Class.ALL in find_classes(text, facts.language) and not _ALL_COUNTED.search(text)
    if is_name(facts, added[-1]) and whole:
        return checked  # "across all lines (RE 7)"
    body, limits = text.rstrip().rstrip("."), ", ".join(added)
    # Appended as a sentence for the check, so that it does not belong to the text's last number. Brackets are as long.
    completed = check_written(f"{body}. {limits}.", facts)
    if completed.problems or not completed.text.endswith(f". {limits}."):
        return checked
    return completed.model_copy(update={"text": f"{completed.text.removesuffix(f'. {limits}.')} ({limits})."})


def _say_unit_once(text: str) -> str:
    """A text with one number, without its unit at the end if the words before say it."""
    twice = _UNIT_TWICE.fullmatch(text)
    is_unit = twice is not None and UNIT_OF_NAME.fullmatch(f"_{twice['unit']}") is not None
    return f"{twice['text']}{twice['end']}" if twice is not None and is_unit else text


def _speaks_of_rows(text: str, facts: Facts) -> bool:
    single = len(facts.rows) == 1 and len(facts.columns) == len(facts.measures)
    return single or names_rows(text, facts)


def check_written(text: str, facts: Facts) -> CheckedText:
    """Compute the arithmetic in an answer, then check each claim against the rows."""
    from agent.checks.grounding.arithmetic.recompute import Computed, compute

    currencies = {it.currency for it in facts.measures} - {""}
    currency = currencies.pop() if len(currencies) == 1 else ""
    calculator = Check(name="calculator", passed=None, detail="The calculator is switched off.")
    computed = Computed(text=text)
    if facts.calculate and len(text) <= MAX_CHARS:
        computed = compute(text, currency=currency, language=facts.language)
        counts = f"{plural(len(computed.values), 'calculation')}, {len(computed.corrected)} corrected."
        detail = " ".join(computed.warnings) or counts
        calculator = Check(name="calculator", passed=not computed.warnings, detail=detail)
    found = check(computed.text, facts, computed.filled)
    unsupported = (*found.problems, *_list_shared(found, facts))
    problems = (*describe_problems(unsupported), *computed.warnings)
    corrections = (*computed.filled, *computed.corrected)
    links = _link_numbers(computed.text, found, facts, corrections)
    kept = {it.start: it.text for it in found.names}  # the year of "juin 2024" is not an amount
    shown, numbers = _format_numbers(computed.text, links, facts, kept | _amounts(computed.text, found, facts))
    return CheckedText(
        text=shown,
        corrections=corrections,
        numbers=numbers,
        checks=(calculator, _grounding(found, problems)),
        problems=problems,
    )


def _list_shared(found: Checked, facts: Facts) -> Iterator[Problem]:
    """Numbers that repeat a cell of the only row, which is of several values together: "101 for A and 101 for B"."""
    names = ({value for value in it.values if not value[:1].isdigit()} for it in facts.conditions)
    together = any(len(it) > 1 for it in names)
    if len(facts.rows) != 1 or facts.query.grouped or not together:
        return
    columns = [support.column for _, support in found.numbers if support is not None and support.origin == "result"]
    for item, support in found.numbers:
        if support is not None and support.origin == "result" and columns.count(support.column) > 1:
            yield Problem(item.text, "the row has one value for all of them together")


def restate_text(facts: Facts) -> CheckedText | None:
    """The question as a statement with its one value. None if it has no such form or the statement is not supported.

    It states as much as a model's sentence, and is checked against the rows in the same way.
    """
    value, frame = one_value(facts), frame_of(facts.question) if facts.language in ("en", "de") else None
    if value is None or frame is None or (frame.counts and not _is_plural_count(facts, value)):
        return None
    end = frame.after.removesuffix(".") if value.endswith(".") and frame.after == "." else frame.after
    checked = check_text(f"{frame.before}{value}{end}", facts)
    if checked.problems:
        return None
    answer = Check(name="answer", passed=True, detail=RESTATED)
    grounding = tuple(it for it in checked.checks if it.name == "grounding")
    return checked.model_copy(update={"checks": (answer, *grounding), "source": "composed"})


def _is_plural_count(facts: Facts, value: str) -> bool:
    """Whether a value fits before the counted noun: "0 books", but not "1 books", "€12 books" or "many books"."""
    return facts.rows[0][0] != 1 and _DIGITS.fullmatch(value) is not None


def compose_text(facts: Facts, why: str = "") -> CheckedText:
    """An answer composed from the rows alone. Args: why: the fault of the model's answer."""
    found = compose(facts)
    checks = (
        Check(name="answer", passed=True, detail=f"{why} {COMPOSED}".strip()),
        Check(name="grounding", passed=True, detail=f"{plural(len(found.numbers), 'number')}, each from its cell."),
    )
    return CheckedText(text=found.text, numbers=found.numbers, checks=checks, source="composed")


def _format_numbers(
    text: str, numbers: tuple[AnswerNumber, ...], facts: Facts, amounts: Mapping[int, str]
) -> tuple[str, tuple[AnswerNumber, ...]]:
    """The text with its numbers formatted as in a composed answer, and the numbers with their new positions.

    Args:
        amounts: replacements for numbers, by position.
    """
    if facts.language is None or facts.language not in MARKS:
        return text, numbers
    parts, moved, end = list[str](), list[AnswerNumber](), 0
    years = {it.name for it in facts.columns if holds_years(facts, it)}
    for number in numbers:
        is_year = number.source == "result" and number.column in years  # "founded in 1990"
        marked = number.text if is_year else _with_marks(number, *MARKS[facts.language])
        changed = amounts.get(number.start) or marked
        parts += [text[end : number.start], changed]
        start = sum(map(len, parts)) - len(changed)
        moved.append(number.model_copy(update={"text": changed, "start": start, "end": start + len(changed)}))
        end = number.end
    return "".join([*parts, text[end:]]), tuple(moved)


def _with_marks(number: AnswerNumber, grouping: str, mark: str) -> str:
    """A number with the marks of a language, if it has none."""
    plain = _PLAIN.fullmatch(number.text) if number.source in _COMPUTED else None
    if plain is None or not (number.column is None or is_amount(number.column)):
        return number.text
    if mark == "," and len(plain["part"] or "") == 3:
        return number.text  # "15.315" already has its mark
    whole = f"{int(plain['whole']):,}".replace(",", grouping)
    part = "" if plain["part"] == "0" else plain["part"]  # a whole number of a column of floats
    return f"{plain['before']}{whole}{mark + part if part else ''}{plain['after']}"


def _amounts(text: str, found: Checked, facts: Facts) -> dict[int, str]:
    """Formatted money cells by position, if the text names no currency: "€643,160.90" for "643160.9"."""
    if find_currencies(text):
        return {}
    amounts = {}
    for item, support in found.numbers:
        if support is None or support.origin != "result" or support.column is None or support.row is None:
            continue
        column, cell = facts.columns[support.column], facts.rows[support.row][support.column]
        if column.currency and column.scale == 1 and is_number(cell) and number_of(cell) == item.value:
            amounts[item.start] = show_cell(facts, support.row, column)
    return amounts


def _grounding(found: Checked, problems: tuple[str, ...]) -> Check:
    if problems:
        return Check(name="grounding", passed=False, detail=f"Not supported: {' '.join(problems)}")
    claims = f"{plural(len(found.numbers), 'number')} and {plural(len(found.names), 'name')}, each supported."
    if not found.read:
        claims += " The language is not known here: only numbers and names are checked."
    return Check(name="grounding", passed=True, detail=claims)


def _link_numbers(
    text: str, found: Checked, facts: Facts, calculations: tuple[Correction, ...]
) -> tuple[AnswerNumber, ...]:
    links = [_link(text, item, support, facts, calculations) for item, support in found.numbers]
    for item in found.names:
        if any(char.isdigit() for char in item.text):
            column, rows = next(iter(item.places.items()))
            links.append(_link(text, item, Support("result", item.value, min(rows, default=None), column), facts, ()))
    return tuple(sorted(links, key=lambda it: it.start))


def _link(
    text: str, item: Item, support: Support | None, facts: Facts, calculations: tuple[Correction, ...]
) -> AnswerNumber:
    if support is None:
        return AnswerNumber(text=item.text, start=item.start, end=item.end, source=None)
    expression = ""
    if support.origin == "calculation":
        expression = support.expression or expression_of(text, item.text, item.start, calculations)
    return AnswerNumber(
        text=item.text,
        start=item.start,
        end=item.end,
        source=support.origin,
        row=support.row,
        column=facts.result.columns[support.column] if support.column is not None else None,
        expression=expression,
    )
