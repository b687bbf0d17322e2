"""Splits arithmetic in prose into tokens: numbers, operators, parentheses, equality signs and surrounding words.

Text that only resembles arithmetic (dates, times, phone numbers, versions, identifiers, addresses, code) becomes a
`BREAK`, which no expression crosses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from agent.checks.grounding.numbers.numerals import CURRENCY_SYMBOLS, Numeral, read_numeral
from agent.checks.grounding.numbers.tokens import SIGNS, WORDS, Kind


def vocabulary(words: str) -> frozenset[str]:
    """The words of a list in one string."""
    return frozenset(words.split())


class Role(Enum):
    """The role of a token in prose."""

    NUMBER = auto()
    OPERATOR = auto()
    OPEN = auto()
    CLOSE = auto()
    EQUALS = auto()
    WORD = auto()
    BREAK = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of prose. `operator` is set for OPERATOR. `verbal` marks operators and equalities in words."""

    role: Role
    start: int
    end: int
    text: str
    numeral: Numeral | None = None
    operator: Kind | None = None
    verbal: bool = False


APPROXIMATELY = r"(?:about|approximately|approx\.?|roughly|around|nearly|almost|circa|ca\.|etwa|rund|~|≈)"
_FILLERS = r"(?:exactly|only|just|also|now|then|thus|therefore|a\s+total\s+of|equal\s+to|insgesamt|gleich)"
_AHEAD = (
    rf"(?=\s*(?:(?:{APPROXIMATELY}|{_FILLERS})\s*)*[*_]*[-−]?"
    rf"(?:\\?(?:US)?[{CURRENCY_SYMBOLS}]\s?|[A-Z]{{3}}\s)?[-−]?[\d.½¼¾⅓⅔])"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NOT_ARITHMETIC = re.compile(
    r"""
      (?:https?://|www\.)\S+ | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                              # addresses
    | \b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b  # dates and times
    | \b(?:19|20)\d{2}-(?:0[1-9]|1[0-2])\b(?!\s*=)
    | \b\d{1,2}([/.-])\d{1,2}\1(?:19|20)\d{2}\b
    | \b(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])/\d{2}\b(?!\s*[=*x×+/])
    | \b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b\.?)?(?!\d|\s*[+*/x×÷]|\s*[-–]\s*\$?\d+(?![\d:]))
    | (?<![\w.])(?:\+\d{1,3}[ -])?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}\b                          # phone numbers
    | (?<![\w)])\+\d{1,3}[ -]\(?\d{2,4}\)?[ -]\d{3,}(?:[ -]\d+)*
    | \b[vV]\d+(?:\.\d+)*\b | (?<!\d)\d+(?:\.\d+){2,}(?![\d,])                                # versions
    | \b[A-Z]{2,}-\d[\w-]* | [#§]\s?\d[\w-]* | \b\d+(?![xX]\d)[A-Za-z]+\d\w* | \b0x[0-9a-fA-F]+     # identifiers
    """,
    re.VERBOSE,
)
_EQUALS_SIGN = re.compile(r"(?<![<>!:=])={1,2}(?![=>])|≈|≅|≃")
_EQUALS_WORDS = re.compile(
    r"(?:,\s*)?(?:(?:which|that|so\s+that|this|it)\s+)?\b(?:is|are|was|were|equals?|makes?|gives?|yields?|totals"
    r"|comes?\s+(?:out\s+)?to|amounts?\s+to|adds?\s+up\s+to|results?\s+in|leaves|(?:will|would)\s+be|ist|sind|ergibt|macht"
    rf"|(?:,\s*)?so\s+that['’]s)\b(?:\s+(?:equals?\s+to|to))?{_AHEAD}",
    re.IGNORECASE,
)
_OPERATOR_WORDS = re.compile(
    r"\b(?:" + "|".join(w.replace(" ", r"\s+") for w in sorted(WORDS, key=len, reverse=True) if w != "of") + r")\b",
    re.IGNORECASE,
)
_OPERAND_AHEAD = re.compile(rf"\s*[*_]*(?:\\?[A-Z]{{0,2}}[{CURRENCY_SYMBOLS}]|[A-Z]{{3}}\s?\d|[(\[.½¼¾⅓⅔]?\d|[(\[√])")
_BEFORE_OPERAND = re.compile(
    r"(?:\s*\b(?:the|a|an|another|an?\s+additional|all|only|his|her|their|its)\b){1,2}(?:\s+\w+\s+of\b)?"
)
_CROSS = re.compile(r"[xX](?![^\W\d_])")
_WORD = re.compile(r"[^\W\d_][\w°]*(?:['’-][^\W\d_]\w*)*|°[CF]?|\\(?=[a-z])")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b")
_LATEX = {"times": "*", "cdot": "*", "div": "/"}
_ABBREVIATIONS = vocabulary("sq ft in oz lb lbs hr hrs min mins sec secs cu yd yds pt gal tbsp tsp approx no")
_SUPERSCRIPTS = {"²": "2", "³": "3"}
_MARKUP = "_\"'“”„’‘"


def pieces(text: str) -> list[Piece]:
    """The tokens of `text`, in order. White space and typographic marks produce none."""
    return _Scanner(text).scan()


class _Scanner:
    """Scans the text once. Each rule either takes a token at the position or passes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Piece] = []
        self._at = 0

    def scan(self) -> list[Piece]:
        rules = (self._is_masked, self._equals, self._number, self._operator_word, self._word, self._sign)
        while self._at < len(self._text):
            if self._text[self._at] in " \t\u00a0\u202f\u2009":
                self._at += 1
            elif not any(rule() for rule in rules):
                self._other()
        return self._found

    def _add(self, role: Role, end: int, *, operator: Kind | None = None, verbal: bool = False) -> bool:
        self._found.append(Piece(role, self._at, end, self._text[self._at : end], operator=operator, verbal=verbal))
        self._at = end
        return True

    def _last(self, *roles: Role) -> bool:
        return bool(self._found) and self._found[-1].role in roles

    def _char(self, position: int) -> str:
        return self._text[position] if 0 <= position < len(self._text) else ""

    def _is_masked(self) -> bool:
        match = _CODE.match(self._text, self._at) or _NOT_ARITHMETIC.match(self._text, self._at)
        return bool(match) and self._add(Role.BREAK, match.end()) if match else False

    def _equals(self) -> bool:
        if sign := _EQUALS_SIGN.match(self._text, self._at):
            if self._last(Role.EQUALS):  # "is = 5", "= = 5"
                self._found.pop()
            return self._add(Role.EQUALS, sign.end())
        words = _EQUALS_WORDS.match(self._text, self._at)
        return self._add(Role.EQUALS, words.end(), verbal=True) if words else False

    def _number(self) -> bool:
        before = self._char(self._at - 1)
        if self._text[self._at] in "-−" or before == "#" or (before.isalpha() and before not in "xX"):
            return False
        ordinal = _ORDINAL.match(self._text, self._at)
        stated = self._last(Role.EQUALS) or [p.role for p in self._found[-2:]] == [Role.EQUALS, Role.OPERATOR]
        if ordinal and not stated:
            return self._add(Role.WORD, ordinal.end())
        numeral = read_numeral(self._text, self._at)
        if numeral is None:
            return False
        role = Role.NUMBER if numeral.readings else Role.BREAK
        self._found.append(Piece(role, self._at, numeral.end, numeral.text, numeral=numeral))
        self._at = numeral.end
        if power := _SUPERSCRIPTS.get(self._char(self._at)):
            self._power(power)
        return True

    def _power(self, digit: str) -> None:
        self._add(Role.OPERATOR, self._at + 1, operator="^")
        self._found.append(Piece(Role.NUMBER, self._at, self._at, digit, numeral=read_numeral(digit, 0)))

    def _operator_word(self) -> bool:
        words = _OPERATOR_WORDS.match(self._text, self._at)
        if words and self._last(Role.NUMBER, Role.CLOSE, Role.WORD) and self._operand_follows(words.end()):
            return self._add(
                Role.OPERATOR, words.end(), operator=WORDS[" ".join(words[0].lower().split())], verbal=True
            )
        return False

    def _operand_follows(self, position: int) -> bool:
        """Whether a number or parenthesis follows, perhaps after "the" or "the width of"."""
        before = _BEFORE_OPERAND.match(self._text, position)
        return bool(_OPERAND_AHEAD.match(self._text, before.end() if before else position))

    def _word(self) -> bool:
        cross = _CROSS.match(self._text, self._at)
        if cross and self._last(Role.NUMBER, Role.CLOSE, Role.WORD) and self._operand_follows(cross.end()):
            return self._add(Role.OPERATOR, cross.end(), operator="*")
        word = _WORD.match(self._text, self._at)
        if not word:
            return False
        if word[0] == "\\":  # LaTeX: \times
            name = re.compile(r"\\([a-z]+)").match(self._text, self._at)
            sign = _LATEX.get(name[1]) if name else None
            end = name.end() if name else word.end()
            return self._add(Role.OPERATOR, end, operator=SIGNS[sign]) if sign else self._add(Role.BREAK, end)
        shares = word[0].lower() == "of" and self._last(Role.NUMBER) and self._is_share(self._found[-1])
        if shares and self._operand_follows(word.end()):
            return self._add(Role.OPERATOR, word.end(), operator="of", verbal=True)
        return self._add(Role.WORD, word.end())

    def _is_share(self, piece: Piece) -> bool:
        """Whether it is a share such as 20%, 3/4 or ½. A following "of" then multiplies."""
        if piece.numeral is None:
            return False
        fraction = len(self._found) > 1 and self._found[-2].text == "/"
        return piece.numeral.percent or fraction or piece.numeral.raw[-1:] in "½¼¾⅓⅔"

    def _sign(self) -> bool:
        char = self._text[self._at]
        if self._text.startswith(("**", "//", "--", "->", "+/", "++"), self._at):
            return self._double()
        if char == "*":
            return self._star()
        if char == ":":
            return self._colon()
        if char == "/" and not _OPERAND_AHEAD.match(self._text, self._at + 1):
            return self._add(Role.WORD, self._at + 1)  # "4 points/round"
        if char in "-–" and self._char(self._at - 1).isalnum() and self._char(self._at + 1).isalpha():
            self._at += 1  # "10-foot"
            return True
        if char in SIGNS and SIGNS[char] in ("+", "-", "*", "/", "^"):
            return self._add(Role.OPERATOR, self._at + 1, operator=SIGNS[char])
        return False

    def _double(self) -> bool:
        """`**` is a power between operands and emphasis elsewhere. Other doubled signs are not arithmetic."""
        if not self._text.startswith("**", self._at):
            return self._add(Role.BREAK, self._at + 2)
        even = self._char(self._at - 1).isspace() == self._char(self._at + 2).isspace()
        if even and self._last(Role.NUMBER, Role.CLOSE) and _OPERAND_AHEAD.match(self._text, self._at + 2):
            return self._add(Role.OPERATOR, self._at + 2, operator="^")
        self._at += 2
        return True

    def _star(self) -> bool:
        if self._last(Role.NUMBER, Role.CLOSE, Role.WORD) and self._operand_follows(self._at + 1):
            return self._add(Role.OPERATOR, self._at + 1, operator="*")
        self._at += 1
        return True

    def _colon(self) -> bool:
        """A colon divides if it is evenly spaced between numbers. In "Day 3:5 + 4" it introduces."""
        before, after = (self._char(self._at + step).isspace() for step in (-1, 1))
        word = self._found[-2] if len(self._found) > 1 and self._found[-2].role is Role.WORD else None
        introduces = word is not None and (not before or word.text[0].isupper())
        divides = before == after and not introduces and self._last(Role.NUMBER, Role.CLOSE)
        if divides and _OPERAND_AHEAD.match(self._text, self._at + 1):
            return self._add(Role.OPERATOR, self._at + 1, operator="/")
        return self._add(Role.BREAK, self._at + 1)

    def _other(self) -> None:
        char = self._text[self._at]
        if char in "([":
            self._add(Role.OPEN, self._at + 1)
        elif char in ")]":
            self._add(Role.CLOSE, self._at + 1)
            if power := _SUPERSCRIPTS.get(self._char(self._at)):
                self._power(power)
        elif char == "!" and self._factorial():
            self._add(Role.WORD, self._at + 1)
        elif char in _MARKUP or (char == "." and self._abbreviates()) or self._continues(char):
            self._at += 1
        else:
            self._add(Role.BREAK, self._at + 1)

    def _factorial(self) -> bool:
        """Whether "!" is a factorial, as in "5! + 3". As a word touching the number, it prevents the reading as 5."""
        after = self._text[self._at + 1 :].lstrip(" ")[:1]
        return self._last(Role.NUMBER, Role.CLOSE) and after in tuple("+-−*/×÷^=")

    def _abbreviates(self) -> bool:
        """Whether a dot abbreviates, as in "5 sq. ft. * 3". Any other dot ends a sentence."""
        after = self._text[self._at + 1 :].lstrip(" ")[:1]
        return self._last(Role.WORD) and (after in tuple("+*/×÷=)") or self._found[-1].text.lower() in _ABBREVIATIONS)

    def _continues(self, char: str) -> bool:
        """Whether it is a line break before an equality sign."""
        return char in "\r\n" and self._text[self._at :].lstrip()[:1] == "="
