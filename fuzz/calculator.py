"""The calculator: the exact value of an expression, as Python's own fractions have it, or a refusal.

A case is either an expression with its value, which Hypothesis builds together (kind `exact`; the value follows `=`),
or any text (kind `any`), which is computed or refused, within its digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from agent.checks.grounding.arithmetic.calculator import CalculationRefused, calculate, fill_placeholders, format_value
from agent.checks.grounding.arithmetic.equations import recompute
from agent.checks.grounding.arithmetic.expression import MAX_RESULT_DIGITS, Value
from agent.checks.grounding.numbers.tokens import LIST_FUNCTIONS
from fuzz.cases import Case, Check, Target

_SIGNS = ("+", "-", "*", "/", "−", "×", "÷", "·", " of ", " plus ", " minus ", " times ", " divided by ")
_OPERATION = {"−": "-", "×": "*", "÷": "/", "·": "*", "of": "*", "plus": "+", "minus": "-", "times": "*",
              "divided by": "/"}  # fmt: skip
_FORMATS = ("", "currency", "percent", "decimals 2", "integer", "thousands", "EUR", "decimals 99")
_STYLES = st.sampled_from(_FORMATS)
_CHARACTERS = "0123456789+-*/^()[]%=.,$€x×÷ |e_'`\nabismof:#!–−²½"

Tree = tuple[str, Fraction]


def check(case: Case) -> None:
    """Raises AssertionError for a wrong value, or whatever the calculator raised that is no refusal."""
    if case.kind == "exact":
        expression, _, stated = case.text.rpartition("=")
        found = calculate(expression)
        assert found.exact
        assert found.number == Fraction(stated), f"{found.number} and not {stated}"
        _assert_written(found)
        return
    try:
        value = calculate(case.text)
    except CalculationRefused:
        pass
    else:
        assert abs(value.number) < 10**MAX_RESULT_DIGITS
        for style in _FORMATS:
            format_value(value, style)
    once = recompute(fill_placeholders(case.text).text).text
    assert recompute(once).text == once, "what was put right is put right again"


def _assert_written(value: Value) -> None:
    """The shown value is within half a unit of its last decimal."""
    shown = format_value(value, "decimals 6")
    assert abs(Fraction(Decimal(shown)) - value.number) <= Fraction(1, 2 * 10**6), shown


@st.composite
def _numbers(draw: st.DrawFn) -> Tree:
    decimals = draw(st.integers(0, 4))
    value = Fraction(draw(st.integers(0, 10**9)), 10**decimals)
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return (f"{text}%", value / 100) if draw(st.booleans()) and draw(st.booleans()) else (text, value)


@st.composite
def _operations(draw: st.DrawFn, parts: st.SearchStrategy[Tree]) -> Tree:
    (left, one), (right, two) = draw(parts), draw(parts)
    sign = draw(st.sampled_from(_SIGNS))
    kind = _OPERATION.get(sign.strip(), sign)
    assume(kind != "/" or two != 0)
    assume(kind not in "+-" or "%" not in left + right)  # 100 + 20% is refused, for it is read in two ways
    value = {"+": lambda: one + two, "-": lambda: one - two, "*": lambda: one * two, "/": lambda: one / two}[kind]()
    return f"({left}{sign}{right})", value


@st.composite
def _calls(draw: st.DrawFn, parts: st.SearchStrategy[Tree]) -> Tree:
    arguments = draw(st.lists(parts, min_size=1, max_size=4))
    name = draw(st.sampled_from(sorted(LIST_FUNCTIONS)))
    values = [value for _, value in arguments]
    total = sum(values, start=Fraction(0))
    value = {"sum": total, "mean": total / len(values), "min": min(values), "max": max(values)}[LIST_FUNCTIONS[name]]
    return f"{name}({', '.join(text for text, _ in arguments)})", value


@st.composite
def _powers(draw: st.DrawFn, parts: st.SearchStrategy[Tree]) -> Tree:
    base, value = draw(parts)
    power = draw(st.integers(-3, 3))
    assume(value != 0 or power >= 0)
    return f"(({base})^{power})", value**power


_trees = st.recursive(
    _numbers(), lambda parts: st.one_of(_operations(parts), _calls(parts), _powers(parts)), max_leaves=9
)


@st.composite
def _exact(draw: st.DrawFn) -> Case:
    text, value = draw(_trees)
    assume(abs(value) < 10**MAX_RESULT_DIGITS and len(text) < 400)
    assume(len(str(value.numerator)) + len(str(value.denominator)) < MAX_RESULT_DIGITS)
    return Case("exact", f"{text}={value}")


_any = st.one_of(st.text(max_size=120), st.text(_CHARACTERS, max_size=120))


@contextmanager
def opened() -> Iterator[Check]:
    """The check; nothing has to be open for it."""
    yield check


def _seeds() -> Sequence[Case]:
    texts = (
        *("(1,200 - 20% of 300) / 12", "2^-2^-2", "sqrt(2) * round(3.14159, 2)", "[[1 + 2 | currency]] and 3 + 4 = 8"),
        *("½ + 1.5 million", "1.234,56 + 0,44 = 1.235,00", "(" * 30 + "1" + ")" * 30, "9**9**9", "avg(1, 2, 3) %"),
    )
    return [Case("any", text) for text in texts]


TARGET = Target(
    name="calculator",
    kinds=("any",),
    cases=st.one_of(_exact(), st.builds(Case, st.just("any"), _any)),
    opened=opened,
    seeds=_seeds,
    words=("sum(", "round(", "sqrt(", "avg(", " of ", "[[", "]]", " | ", "million", "plus", "divided by", "=", "**"),
)
