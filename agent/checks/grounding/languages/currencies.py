"""Names of currencies: ISO codes, signs, full names, and names that several countries share."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

_DOLLARS = r"dollars?|dólares|dollari"
# Names of one currency. They are removed from a text before the shared names are searched.
_OWN = {
    "EUR": r"€|\beuros?\b|\b[tkm]?eur\b",
    "USD": r"\bus\$|\b(?:us|american)[ -]dollars?\b|\bus cents?\b|\busd\b|\bdólares estadounidenses\b"
    r"|\bdollars américains\b|\bdollari americani\b",
    "CAD": r"\bca?\$|\b(?:canadian|kanadische[nr]?) dollars?\b|\b(?:dollars canadiens|dólares canadienses)\b|\bcad\b",
    "AUD": r"\bau?\$|\b(?:australian|australische[nr]?) dollars?\b|\baud\b"
    r"|\b(?:dollars australiens|dólares australianos)\b",
    "NZD": r"\bnz\$|\bnew zealand dollars?\b|\bnzd\b",
    "GBP": r"£|\bpounds? sterling\b|\blivres sterling\b|\blibras esterlinas\b|\bgbp\b",
    "CHF": r"\bchf\b|\bfrancs?\b|\bfranken\b|\bfrancos\b|\bfranchi\b",
    "JPY": r"¥|\byen\b|\bjpy\b",
    "CNY": r"\byuan\b|\brenminbi\b|\brmb\b|\bcny\b",
    "INR": r"₹|\brupees?\b|\binr\b",
    "KRW": r"₩|\bkrw\b|\b(?:korean|\d) won\b",
    "PLN": r"\bpln\b|\bz[lł]oty\b",
    "CZK": r"\bczk\b|\bczech (?:korunas?|crowns?)\b|\bkoruna\b",
    "HUF": r"\bhuf\b|\bforints?\b",
    "SEK": r"\bsek\b|\bkronor\b|\bswedish (?:krona|crowns?)\b",
    "NOK": r"\bnok\b|\bnorwegian (?:krone[rn]?|crowns?)\b",
    "DKK": r"\bdkk\b|\bdanish (?:krone[rn]?|crowns?)\b",
    "ZAR": r"\bzar\b|\bsouth african rand\b",
    "BRL": r"\br\$|\bbrl\b|\breais\b|\bbrazilian real\b",
    "MXN": r"\bmx\$|\bmxn\b|\b(?:mexican|mexikanische[nr]?) pesos?\b|\bpesos? (?:mexicanos?|mexicains|messicani)\b",
    "ARS": r"\bargentin(?:e|ian) pesos?\b|\bpesos? argentinos?\b",
    "CLP": r"\bclp\b|\bchilean pesos?\b|\bpesos? chilenos?\b",
    "COP": r"\bcolombian pesos?\b|\bpesos? colombianos?\b",
}
# Names shared by several currencies. In docs they mean the first one.
_SHARED = {
    "dollar": (rf"\$|\b(?:{_DOLLARS})\b", ("USD", "CAD", "AUD", "NZD")),
    "peso": (r"\bpesos\b", ("MXN", "ARS", "CLP", "COP")),  # the singular "peso" is a weight
    "krone": (r"\bkroner?\b|\bkronen\b|\bcouronnes\b|\bcoronas\b", ("DKK", "NOK", "SEK", "CZK")),
}
_OWN_PATTERNS = {code: re.compile(names, re.IGNORECASE) for code, names in _OWN.items()}
_SHARED_PATTERNS = {name: re.compile(names, re.IGNORECASE) for name, (names, _) in _SHARED.items()}


@lru_cache(maxsize=4096)
def find_currencies(text: str) -> frozenset[str]:
    """The currencies that a text names: ISO codes, or "dollar", "peso" or "krone" if the text does not specify."""
    found: set[str] = set()
    for code, pattern in _OWN_PATTERNS.items():
        text, count = pattern.subn(" ", text)
        found |= {code} if count else set()
    return frozenset(found | {name for name, pattern in _SHARED_PATTERNS.items() if pattern.search(text)})


def find_currency(text: str) -> str:
    """The ISO code of the only currency that a text names. Empty for none and for several."""
    codes = {_SHARED[it][1][0] if it in _SHARED else it for it in find_currencies(text)}
    return codes.pop() if len(codes) == 1 else ""


def are_same(said: Collection[str], known: Collection[str]) -> bool:
    """Whether all stated currencies are known: "dollar" matches Canadian dollars."""
    return all(
        any(one == other or one in _list_meant(other) or other in _list_meant(one) for other in known) for one in said
    )


def _list_meant(name: str) -> tuple[str, ...]:
    return _SHARED[name][1] if name in _SHARED else ()
