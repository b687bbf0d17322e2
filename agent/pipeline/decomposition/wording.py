# ruff: noqa: E501  patterns are read best in one piece
"""Words that say that one query may not be enough. They choose who is asked for a plan; the model decides."""

from __future__ import annotations

import re

# Why something is as it is, and what drives it.
_WHY = (
    r"\bwhy\b|\bhow come\b|\bwhat(?:['’]s| is| are)? (?:driv(?:es?|ing)|drove|causes?|caused|explains?|explained|behind)\b|\b(?:drivers?|reasons?) (?:of|for|behind)\b"
    r"|\b(?:warum|wieso|weshalb|woran liegt)\b|\bwas (?:treibt|trieb|erklärt|verursacht)\b"
    r"|\bpourquoi\b|\bqu['’]est-ce qui (?:explique|cause)"
    r"|\bpor qu[ée]\b|\bperch[ée]\b|왜|이유|원인|为什么|為什麼|为何|原因"
)
# One thing held against another.
_COMPARE = (
    r"\bcompar(?:e[ds]?|ing|ison)\b|\b(?:versus|vs)\b|\bdifference between\b"
    r"|\b(?:more|less|fewer|higher|lower|better|worse|larger|smaller) than (?:in |the )?(?:last|previous|prior|year|month|quarter|week)"
    r"|\bvergleich\w*|\bunterschied zwischen\b|\b(?:mehr|weniger|höher|niedriger) als (?:im |in |am )?(?:der |den |dem )?(?:letzte|vorig|vergangen|vor)"
    r"|\bcompare[rz]\b|\bdifférence entre\b|\b(?:plus|moins) que (?:l['’]|le |la )?(?:an|mois|année|trimestre|semaine)"
    r"|\bcompar(?:a|ar|ad)\b|\bdiferencia entre\b|\b(?:más|menos) que (?:el |la )?(?:año|mes|trimestre|semana)"
    r"|\bconfront\w*|\bdifferenza tra\b|\b(?:più|meno) (?:che|del|dell['’]|della) ?(?:l['’])?(?:anno|mese|trimestre|settimana)"
    r"|비교|차이|보다 (?:많|적|높|낮)|比较|比較|相比|差异"
)
# A second question behind the first one.
_AND_ASKS = (
    r"[,;:.?!]?\s+and (?:(?:in|for|by|to|from|on|of|at|with) )?(?:which|what|who|whose|where|when|how (?:many|much|often|long|does|do|did|is|are))\b"
    r"|\s+und (?:(?:in|für|von|bei|aus|mit|zu) )?(?:welche[mnrs]?|was|wer|wem|wo|wann|wie ?viele?|wie)\b"
    r"|\s+et (?:(?:dans|pour|par|de|à|avec) )?(?:quel(?:le)?s?|qui|où|quand|combien|comment)\b"
    r"|\s+[ye] (?:(?:en|para|por|de|a|con|in|per|da) )?(?:cu[áa]l(?:es)?|qu[ée]|qui[ée]n(?:es)?|d[óo]nde|cu[áa]nd?[ot][sa]?s?|c[óo]mo|qual[ei]?|quanti|quante|dove|quando|chi)\b"
    r"|[?？].+[?？]|[,，;；]\s*(?:그리고|또|또한|并且|以及|而且|还有)"
)
_SEVERAL = re.compile(f"{_WHY}|{_COMPARE}|{_AND_ASKS}", re.IGNORECASE | re.DOTALL)


def may_need_several(question: str) -> bool:
    """Whether a question's words say that one query may not answer it, in seven languages."""
    return bool(_SEVERAL.search(question))
