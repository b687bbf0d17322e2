"""Signs of a follow-up in languages that are recognised by their script."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """Languages whose words cannot be told apart, or change by their ending: patterns only.

    letters: by which a text of theirs is known.
    leans: signs that a message leans; asks: that it asks something of its own.
    short: characters up to which a message that asks nothing is a fragment.
    """

    name: str
    letters: re.Pattern[str]
    leans: re.Pattern[str]
    asks: re.Pattern[str]
    short: int


SCRIPTS = (
    Script(
        name="Korean",
        letters=re.compile(r"[가-힣]"),
        leans=re.compile(
            r"^\W*(?:그럼|그러면|그리고|그런데|그\s?중|이\s?중|그건|그것|그거|이것|이건|그들|거기|같은\s?(?:걸|것|방식)|또|아니)"
            r"|(?:그\s?중|이\s?중|그것|그들|그\s(?:고객|제품|달|해|주문))|왜\s?이렇게|왜\s?그렇게|(?:는|은)요?\s?\?*$|만\s*(?:보여|알려)?\S*$"
        ),
        asks=re.compile(r"보여|알려|얼마|몇|무엇|뭐|어떤|어느|누가|누구|어디|언제|왜|나열|계산|비교|찾아|조회|구해"),
        short=8,
    ),
    Script(
        name="Japanese",
        letters=re.compile(r"[ぁ-ゖァ-ヺ]"),
        leans=re.compile(
            r"^\W*(?:では|じゃあ|それ|その|これ|この|そして|また|同じ)|(?:その中|このうち|そのうち|それら)|は[?？]*$|だけ"
        ),
        asks=re.compile(r"いくつ|いくら|何|どの|どれ|誰|いつ|どこ|なぜ|教えて|見せて|表示|一覧|計算|比較|ですか"),
        short=8,
    ),
    Script(
        name="Chinese",
        letters=re.compile(r"[一-鿿]"),
        leans=re.compile(
            r"^\W*(?:那|那么|它|他们|她们|这些|那些|这个|那个|其中|同样|还有|只)|其中|呢[?？]*$|为什么这么|为什么那么"
        ),
        asks=re.compile(r"多少|几|什么|哪|谁|何时|为什么|显示|列出|计算|比较|查询|给我|统计"),
        short=6,
    ),
)
