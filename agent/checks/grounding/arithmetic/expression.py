"""The grammar of arithmetic: builds a SymPy expression only from numbers and operators.

SymPy never receives text. Text that is not arithmetic or exceeds the limits below is refused:

    sum     := product (("+" | "-") product)*
    product := unary (("*" | "/" | "of") unary)*      a number before "(" multiplies: 2(3 + 4)
    unary   := "-" unary | power
    power   := postfix ("^" unary)?
    postfix := atom "%"*
    atom    := number | "(" sum ")" | function "(" sum ("," sum)* ")"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from agent.checks.grounding.numbers.numerals import round_half_up
from agent.checks.grounding.numbers.tokens import LIST_FUNCTIONS, NUMBERED_FUNCTIONS, CalculationRefused, Kind, Token

MAX_DEPTH = 24
MAX_EXPONENT = 64
MAX_RESULT_DIGITS = 60
_PRECISION = MAX_RESULT_DIGITS + 20  # digits of an irrational value, enough for all digits that are ever shown
MAX_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an expression.

    number: the exact value, or 80 digits of an irrational one.
    exact: whether `number` is exact.
    hundredfold: whether it is a product with a factor of exactly 100, so that a percent sign is already included.
    """

    number: Fraction
    exact: bool = True
    hundredfold: bool = False


def evaluate(tokens: Sequence[Token], *, relative_percent: bool = False) -> Value:
    """The value of a token sequence, computed by SymPy.

    `100 + 20%` is 120 if `relative_percent` is set, and refused otherwise.

    Raises:
        CalculationRefused: the tokens are not an expression, divide by zero, or exceed the limits.
    """
    if len(tokens) > MAX_TOKENS:
        raise CalculationRefused(f"An expression may have at most {MAX_TOKENS} numbers and operators.")
    term = _Parser(tokens, relative_percent=relative_percent).parse()
    number, exact = _fraction(term.expression)
    if abs(number) >= 10**MAX_RESULT_DIGITS:
        raise CalculationRefused(f"The result has more than {MAX_RESULT_DIGITS} digits.")
    return Value(number, exact, term.hundredfold)


def _fraction(expression: Any) -> tuple[Fraction, bool]:
    """A SymPy number as a fraction, and whether that is exact."""
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q)), True
    return Fraction(str(expression.evalf(_PRECISION))), False


@dataclass(frozen=True, slots=True)
class _Term:
    """A part of the expression during parsing: SymPy's expression, and how it was written."""

    expression: Any
    percent: bool = False
    literal: bool = False
    hundredfold: bool = False


class _Parser:
    """Recursive descent over the grammar at the top of this module. Each rule returns a term."""

    def __init__(self, tokens: Sequence[Token], *, relative_percent: bool) -> None:
        import sympy  # type: ignore[import-untyped,unused-ignore]  # takes half a second, so not before it is needed

        self._tokens, self._next, self._depth = tokens, 0, 0
        self._relative_percent = relative_percent
        self._sympy: Any = sympy

    def parse(self) -> _Term:
        term = self._sum()
        if self._next < len(self._tokens):
            raise CalculationRefused("Two values stand side by side without an operator.")
        return term

    def _peek(self) -> Kind | None:
        return self._tokens[self._next].kind if self._next < len(self._tokens) else None

    def _take(self) -> Token:
        if self._next >= len(self._tokens):
            raise CalculationRefused("The expression ends where a number is expected.")
        self._next += 1
        return self._tokens[self._next - 1]

    def _expect(self, kind: Kind) -> None:
        if self._peek() != kind:
            raise CalculationRefused(f"A {kind!r} is missing.")
        self._next += 1

    def _sum(self) -> _Term:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise CalculationRefused(f"Parentheses may be nested at most {MAX_DEPTH} deep.")
        left = self._product()
        while self._peek() in ("+", "-"):
            subtract = self._take().kind == "-"
            right = self._product()
            if right.percent and not left.percent:
                right = self._share_of(left, right)
            value = left.expression - right.expression if subtract else left.expression + right.expression
            left = _Term(value, percent=left.percent and right.percent)
        self._depth -= 1
        return left

    def _share_of(self, left: _Term, right: _Term) -> _Term:
        """A share of the left term. 100 + 20% means 120 to most and 100.2 to some, so it needs the caller's consent."""
        if not self._relative_percent and left.expression != 1:
            raise CalculationRefused("A percentage is added to a plain number: write 100 * (1 + 20%).")
        return _Term(left.expression * right.expression)

    def _product(self) -> _Term:
        left = self._unary()
        divided = False
        while True:
            kind = self._peek()
            if kind == "(" and not divided:  # 6 / 2(1 + 2) is read in two ways
                right, by = self._power(), "*"
            elif kind in ("*", "/", "of"):
                by = self._take().kind
                right = self._unary()
            else:
                return left
            divided = by == "/"
            if divided:
                left = _Term(left.expression / self._divisor(right))
                continue
            hundred = any(t.hundredfold or (t.literal and t.expression == 100 and not t.percent) for t in (left, right))
            left = _Term(left.expression * right.expression, hundredfold=hundred)

    def _divisor(self, term: _Term) -> Any:
        number, exact = _fraction(term.expression)
        if number == 0 or (not exact and abs(number) < Fraction(1, 10**MAX_RESULT_DIGITS)):
            raise CalculationRefused("Division by zero.")
        return term.expression

    def _unary(self) -> _Term:
        negative = False
        while self._peek() in ("-", "+"):
            negative ^= self._take().kind == "-"
        term = self._power()
        return _Term(-term.expression, percent=term.percent) if negative else term

    def _power(self) -> _Term:
        base = self._postfix()
        if self._peek() != "^":
            return base
        self._next += 1
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise CalculationRefused(f"Powers may be nested at most {MAX_DEPTH} deep.")
        exponent = self._unary().expression
        self._depth -= 1
        if not exponent.is_Integer or abs(int(exponent)) > MAX_EXPONENT:
            raise CalculationRefused(f"An exponent must be a whole number of at most {MAX_EXPONENT}.")
        power = int(exponent)
        if power < 0:
            self._divisor(base)
        number, _ = _fraction(base.expression)
        digits = max(len(str(abs(number.numerator))), len(str(number.denominator)))
        if digits * abs(power) > MAX_EXPONENT * MAX_RESULT_DIGITS // 4:
            raise CalculationRefused("The power is too large.")
        return _Term(base.expression**power)

    def _postfix(self) -> _Term:
        term = self._atom()
        while self._peek() == "%":
            self._next += 1
            term = _Term(term.expression / 100, percent=True)
        return term

    def _atom(self) -> _Term:
        token = self._take()
        if token.kind == "number":
            value = token.value
            return _Term(self._sympy.Rational(value.numerator, value.denominator), literal=True)
        if token.kind == "(":
            term = self._sum()
            self._expect(")")
            return term
        if token.kind == "function":
            return _Term(self._call(token.name))
        raise CalculationRefused(f"A number is expected, not {token.kind!r}.")

    def _call(self, name: str) -> Any:
        self._expect("(")
        arguments = [self._sum().expression]
        while self._peek() == ",":
            self._next += 1
            arguments.append(self._sum().expression)
        self._expect(")")
        if name in LIST_FUNCTIONS:
            return self._over_list(LIST_FUNCTIONS[name], arguments)
        least, most = NUMBERED_FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            raise CalculationRefused(f"{name} takes {least} to {most} values, not {len(arguments)}.")
        return self._of_number(name, arguments)

    def _over_list(self, name: str, values: list[Any]) -> Any:
        if name in ("min", "max"):
            pick: Callable[..., Any] = min if name == "min" else max
            return pick(values, key=lambda value: _fraction(value)[0])
        total = sum(values[1:], start=values[0])
        return total / len(values) if name == "mean" else total

    def _of_number(self, name: str, arguments: list[Any]) -> Any:
        number, _ = _fraction(arguments[0])
        if name == "abs":
            return -arguments[0] if number < 0 else arguments[0]
        if name == "sqrt":
            if number < 0:
                raise CalculationRefused("A negative number has no square root here.")
            return self._sympy.sqrt(arguments[0])
        places = arguments[1] if len(arguments) > 1 else self._sympy.Integer(0)
        if not places.is_Integer or not 0 <= int(places) <= MAX_RESULT_DIGITS:
            raise CalculationRefused("round takes a whole number of decimals.")
        nearest = round_half_up(number, int(places))
        return self._sympy.Rational(nearest.numerator, nearest.denominator)
